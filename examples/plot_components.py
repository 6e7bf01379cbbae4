r"""
Bodies and joints as components
===============================

The double pendulum of [SEG, section 6.1], Figs. 2 to 4: the path of its free end by the modular formulation, in which the
joints are penalties, against a centralised one, with steps of 0.01 s and 0.001 s.  With the longer step the joints are a
hundred times softer, and the paths part after a while; with the shorter one they agree, until after some seconds the chaos of
the pendulum has made the difference of any two solutions large.  The article says neither gravity nor how mass is spread: here
rods are uniform, and g is 9.81.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

rod = dict(mass=1.0, com=(0.5, 0, 0), inertia=(1 / 12, 1 / 12, 1 / 12), points={"end": (1, 0, 0)})
m = dal.Model("double pendulum", gravity=(0, -9.81, 0))
m.add(dal.Body("first", **rod), dal.Body("second", **rod),
      dal.Revolute("shoulder", "ground", "first", axis=(0, 0, 1), start=0.0),
      dal.Revolute("elbow", "first.end", "second", axis=(0, 0, 1), start=-np.pi / 2))

centralised = dal.run(m, until=20.0, accuracy=1e-10, record=0.01)
runs = {"Fig. 2: 0.01 s, 5 s": dal.run(m, until=5.0, step=1e-2, formulation="modular"),
        "Fig. 3: 0.001 s, 5 s": dal.run(m, until=5.0, step=1e-3, formulation="modular", record=0.01),
        "Fig. 4: 0.001 s, 20 s": dal.run(m, until=20.0, step=1e-3, formulation="modular", record=0.01)}
for name, r in runs.items():
    print(name, *r.messages, sep="; ")

# %%
# The article's figures: modular in colour, centralised in grey.

figure, axes = plt.subplots(1, 3, figsize=(11.0, 4.0), layout="constrained")
for ax, (name, r) in zip(axes, runs.items(), strict=True):
    path = centralised["second.end.position"][:len(r)]
    ax.plot(path[:, 0], path[:, 1], color="0.7", label="centralised")
    ax.plot(*r["second.end.position"][:, :2].T, linewidth=0.9, label="modular")
    ax.set(title=name, xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes[0].legend()
plt.show()

# %%
# Errors after two seconds fall with the square of the step, joints open by as much, and the energy stays for 20 s.

steps = [4e-3, 2e-3, 1e-3]
at = np.argmin(abs(centralised.t - 2.0))
errors, gaps = [], []
for step in steps:
    r = dal.run(m, until=2.0, step=step, formulation="modular", record=[2.0])
    errors.append(np.abs(r["second.end.position"][-1] - centralised["second.end.position"][at]).max())
    gaps.append(r["constraints.position"].max())
print("errors [m]:", np.array(errors), "joints open by [m]:", np.array(gaps))
assert errors[2] < 5e-3 and errors[2] < 0.3 * errors[1]
assert gaps[2] < 0.3 * gaps[1]
long = runs["Fig. 4: 0.001 s, 20 s"]
assert np.ptp(long["energy.total"]) < 0.05 * np.ptp(long["energy.potential"])
