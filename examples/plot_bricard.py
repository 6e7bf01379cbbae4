r"""
Bricard's linkage
=================

Five bars on six revolute joints along the edges of a cube.  By counting it has 30 - 30 = 0 freedoms; in
truth it moves, because of its proportions: one of its constraints is redundant in every position.  Solvers that
factorize a matrix of constraints end here.

By symmetry every second angle is the same, and the two kinds are bound to each other in closed form,

.. math:: \sin a + \sin b + \sin a \sin b = 0 .

It is left alone in the position of the cube, and its weight moves it.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

MASS, WIDTH, G = 1.0, 0.1, 9.81
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
AXES = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]

m = dal.Model("Bricard", gravity=(0, -G, 0), ground={"last": tuple(CORNERS[5])})
place = "ground"
for k in range(5):
    along = CORNERS[k + 1] - CORNERS[k]
    size = np.where(along == 0, WIDTH, 1.0)
    m.add(dal.Body(f"bar{k + 1}", mass=MASS, com=tuple(along / 2), inertia=dal.inertia_box(MASS, size=size),
                   points={"end": tuple(along)}),
          dal.Revolute(f"joint{k + 1}", place, f"bar{k + 1}", axis=AXES[k]))
    place = f"bar{k + 1}.end"
m.add(dal.Revolute("joint6", place, "ground.last", axis=AXES[5]))

accuracy = 1e-8
runs = {f: dal.run(m, until=10.0, accuracy=accuracy, record=0.02, formulation=f) for f in ("semi-recursive", "global")}
r = runs["semi-recursive"]
print(r)
print(*r.messages, sep="\n")
print(dal.compare(runs, "bar3.end.position"))

# %%
# The path of the point opposite to the fixed joints, and one kind of angle against the other.

figure, (path, angles) = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
for axis, name in zip(r["bar3.end.position"].T, "xyz", strict=True):
    path.plot(r.t, axis, label=name)
path.set(xlabel="time [s]", ylabel="end of the third bar [m]")
path.legend()
a, b = r["joint1.angle"], r["joint2.angle"]
angles.plot(a, b, label="run")
angles.plot(a[::20], -np.arcsin(np.sin(a[::20]) / (1 + np.sin(a[::20]))), "k.", label="closed form")
angles.set(xlabel="angle of joint 1 [rad]", ylabel="angle of joint 2 [rad]")
angles.legend()
plt.show()

# %%
# Both formulations agree, the closed form holds as the loop is closed, and no energy is lost.

error = 1e3 * accuracy  # of many steps
assert np.abs(runs["global"]["bar3.end.position"] - r["bar3.end.position"]).max() < 10 * error
assert np.abs(np.sin(a) + np.sin(b) + np.sin(a) * np.sin(b)).max() < error
assert np.abs(r["joint3.angle"] - a).max() < error and np.abs(r["joint4.angle"] - b).max() < error
energy = r["energy.total"]
assert np.abs(energy - energy[0]).max() < error * np.abs(r["energy.kinetic"]).max()
assert any("redundant" in message for message in r.messages)
