r"""
Differential gear
=================

The gear between the driven wheels of a car lets them turn at different speeds and gives both the same torque: the angle of its
cage is the mean of those of the wheels.  In joint coordinates this is one line, a `CoordinateCoupling`.  With the inertia
:math:`J_c` of the cage, :math:`J` of a wheel, resistances :math:`c_i\,\omega_i` and the torque M at the cage

.. math::

   (J + \tfrac14 J_c)\,\dot\omega_1 + \tfrac14 J_c\,\dot\omega_2 = \tfrac12 M - c_1\omega_1, \qquad
   \tfrac14 J_c\,\dot\omega_1 + (J + \tfrac14 J_c)\,\dot\omega_2 = \tfrac12 M - c_2\omega_2 .

The right wheel stands on ice.  The left one feels no more torque than the slipping one lets the gear pass on.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm

import dalembert as dal

CAGE, WHEEL, TORQUE = 0.2, 1.0, 100.0
ROAD, ICE = 10.0, 2.0  # [N m s/rad]

m = dal.Model("differential", gravity=(0, 0, 0), ground={"left": (0, 0.8, 0), "right": (0, -0.8, 0)})
m.add(dal.Body("cage", mass=5.0, inertia=(CAGE, CAGE, CAGE)),
      dal.Body("left wheel", mass=20.0, inertia=(0.6, WHEEL, 0.6)),
      dal.Body("right wheel", mass=20.0, inertia=(0.6, WHEEL, 0.6)),
      dal.Revolute("cage axis", "ground", "cage", axis=(0, 1, 0)),
      dal.Revolute("left axle", "ground.left", "left wheel", axis=(0, 1, 0)),
      dal.Revolute("right axle", "ground.right", "right wheel", axis=(0, 1, 0)),
      dal.CoordinateCoupling("gears", "cage axis", to={"left axle": 0.5, "right axle": 0.5}),
      dal.JointSpring("road", "left axle", damping=ROAD),
      dal.JointSpring("ice", "right axle", damping=ICE),
      dal.Motor("engine", "cage axis", effort=TORQUE))

accuracy = 1e-8
runs = {f: dal.run(m, until=2.0, accuracy=accuracy, record=0.02, formulation=f) for f in ("semi-recursive", "global")}
r = runs["semi-recursive"]
print(r)

# %%
# The closed form: a linear system of two speeds that starts at rest.

inertia = np.array([[WHEEL + CAGE / 4, CAGE / 4], [CAGE / 4, WHEEL + CAGE / 4]])
resistance = np.diag([ROAD, ICE])
final = np.linalg.solve(resistance, [TORQUE / 2, TORQUE / 2])
exact = np.array([final - expm(-np.linalg.solve(inertia, resistance) * t) @ final for t in r.t])

# %%
# The wheel on ice runs away; the cage turns with the mean.

figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for k, name in enumerate(("left axle", "right axle", "cage axis")):
    line, = ax.plot(r.t, r[f"{name}.speed"], label=name)
    ax.plot(r.t[::5], (exact[:, k] if k < 2 else exact.mean(axis=1))[::5], ".", color=line.get_color())
ax.set(xlabel="time [s]", ylabel="speed [rad/s], dots: closed form")
ax.legend()
plt.show()

# %%
# Speeds follow the closed form, and the coupling holds at the level of coordinates, not of rates only.

scale = np.abs(final).max()
for run in runs.values():
    speeds = np.column_stack([run["left axle.speed"], run["right axle.speed"]])
    assert np.abs(speeds - exact).max() < 100 * accuracy * scale
mean = 0.5 * (r["left axle.angle"] + r["right axle.angle"])
assert np.abs(r["cage axis.angle"] - mean).max() < accuracy * scale
