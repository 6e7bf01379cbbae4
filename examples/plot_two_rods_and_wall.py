"""
Two rods and a wall
===================

A double pendulum swings against a wall, which is an inequality for each of its two points: the test problem of
Glowinski and Nasser, with all their figures. Three methods push a point back, multipliers, a penalty, or both in an
augmented Lagrangian, and two schemes of time integration carry them, one of linear accelerations and one of higher
order. The article gives no numbers: here are unit rods and a wall half a metre to the left.

Impacts without rebound take energy, which falls at each of them and stays otherwise. Checks: no scheme but the
explicit one makes energy, and all of them come to the solution with located impacts as the step is refined.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

m = dal.Model("two rods and a wall", gravity=(0, -9.81, 0), ground={"wall": (-0.5, 0, 0)})
rod = dict(mass=1.0, com=(0, -0.5, 0), inertia=dal.inertia_rod(1.0, length=1.0, axis="y"), points={"tip": (0, -1, 0)})
m.add(dal.Body("one", **rod), dal.Body("two", **rod),
      dal.Revolute("theta1", "ground", "one", axis=(0, 0, 1), start=60 * dal.deg),
      dal.Revolute("theta2", "one.tip", "two", axis=(0, 0, 1), start=30 * dal.deg),
      dal.Contact("g1", "one.tip", dal.Plane("ground.wall", normal=(1, 0, 0))),
      dal.Contact("g2", "two.tip", dal.Plane("ground.wall", normal=(1, 0, 0))))
located = dal.run(m, until=3.0, accuracy=1e-10, record=0.005)
print(*(f"{event.t:.6f} s  {event.kind} of {event.contact}" for event in located.events), sep="\n")


def run(method, scheme, step=5e-4, penalty=1e5, until=3.0):
    """Fixed steps in the semi-recursive formulation; explicit Euler is for trees in joint coordinates."""
    formulation = "recursive" if scheme == "explicit-euler" else "semi-recursive"
    return dal.run(m, until=until, step=step, integrator=scheme, formulation=formulation, record=until / 600,
                   contact=dal.UnilateralContact(method=method, penalty=penalty))


# %%
# Energy and constraint force, the page of the article.  Explicit Euler's springs give back more than they took.

methods = ("multiplier", "augmented-lagrangian", "penalty")
runs = {method: run(method, "high-order") for method in methods}
linear, euler = run("augmented-lagrangian", "linear-acceleration"), run("penalty", "explicit-euler", step=2e-4)
figure, axes = plt.subplots(4, 2, figsize=(8.5, 10.0), layout="constrained")
for (energy, force), method in zip(axes, methods, strict=False):
    r = runs[method]
    energy.plot(r.t, r["energy.total"])
    energy.set(title=f"{method}, high-order: energy", ylabel="energy [J]")
    for name in ("g1", "g2"):
        force.plot(r.t, r[f"{name}.normal_force"], label=name)
    force.set(title="constraint force", ylabel="force [N]", ylim=(0, 3))
    force.legend(fontsize="small")
schemes, explicit = axes[3]
for r, label in ((runs["augmented-lagrangian"], "high-order"), (linear, "linear-acceleration")):
    schemes.plot(r.t, r["energy.total"], label=label)
schemes.set(title="augmented Lagrangian, both schemes", xlabel="time [s]", ylabel="energy [J]")
schemes.legend(fontsize="small")
explicit.plot(euler.t, euler["energy.total"])
explicit.set(title="penalty, explicit Euler", xlabel="time [s]", ylabel="energy [J]")
plt.show()

# %%
# Error of the upper angle after one second by method, scheme and step. Where in a step an impact falls is chance: each figure
# is the root of the mean square over steps that differ by some percent.

exact, errors = dal.run(m, until=1.0, accuracy=1e-10, record=1.0)["theta1.angle"][-1], {}
for method in methods:
    for scheme in ("linear-acceleration", "high-order"):
        found = [[run(method, scheme, h * (1 + k / 40), penalty=1e6, until=1.0)["theta1.angle"][-1] for k in range(5)]
                 for h in (2e-3, 1e-3, 5e-4)]
        errors[method, scheme] = np.sqrt(np.mean((np.array(found) - exact) ** 2, axis=1))
        print(f"{method:22}{scheme:22}", *(f"{error:.1e}" for error in errors[method, scheme]))

# %%
# Those without springs come to the solution, and none but the explicit scheme makes energy.

for (method, _), found in errors.items():
    assert found[-1] < (0.3 if method == "penalty" else 0.02)
for r in (located, *runs.values(), linear):
    assert np.diff(r["energy.total"]).max() < 1e-2 * np.ptp(r["energy.total"])
assert euler["energy.total"][-1] > euler["energy.total"][0] and np.all(located["g2.gap"] > -1e-9)
