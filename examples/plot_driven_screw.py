r"""
Driven screw
============

A vertical spindle lifts a nut that turns with it: a screw joint couples the rise to the turning, h = p phi/(2 pi) for
the pitch p.  A torque M on the nut of mass m and inertia I works against inertia and weight,

.. math:: (I + m s^2)\, \ddot\varphi = M - m g s, \quad s = p/2\pi,

which has a constant right side for a constant torque.  If a drive prescribes the turning
instead, the same equation gives the torque of the drive.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

MASS, INERTIA, PITCH, G, TORQUE = 2.0, 0.01, 0.02, 9.81, 0.15
LEAD = PITCH / (2 * np.pi)

m = dal.Model("driven screw", gravity=(0, 0, -G))
m.add(dal.Body("nut", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA)),
      dal.Screw("thread", "ground", "nut", axis=(0, 0, 1), pitch=PITCH))

# %%
# First a motor with a constant torque.

r = dal.run(m.replaced().add(dal.Motor("motor", "thread", effort=TORQUE)), until=2.0, record=0.02)
acceleration = (TORQUE - MASS * G * LEAD) / (INERTIA + MASS * LEAD**2)
exact = 0.5 * acceleration * r.t**2

# %%
# Then a drive that lifts the nut by ten turns within two seconds.

law = dal.ramp(begin=0.0, finish=2.0, end=20 * np.pi)
driven = dal.run(m.replaced().add(dal.Motion("drive", "thread", position=law)), until=2.0, record=0.02)
needed = (INERTIA + MASS * LEAD**2) * driven["thread.acceleration"] + MASS * G * LEAD

# %%
# Heights, and the torque of the drive.

figure, (height, torque) = plt.subplots(2, 1, figsize=(7.0, 5.0), sharex=True, layout="constrained")
height.plot(r.t, r["thread.displacement"], label="constant torque")
height.plot(driven.t, driven["thread.displacement"], label="prescribed motion")
height.plot(r.t[::5], LEAD * exact[::5], "k.", label="closed form")
height.set(ylabel="height of the nut [m]")
height.legend()
torque.plot(driven.t, driven["drive.effort"], color="tab:orange")
torque.plot(driven.t[::5], needed[::5], "k.")
torque.set(xlabel="time [s]", ylabel="torque of the drive [N m]")
plt.show()

# %%
# Angle and rise follow the closed form, the nut moves by one pitch a turn, and the drive gives the torque of the formula.
# The thread itself carries the weight and the inertia of the nut along the axis.

accuracy = 1e-6
assert np.abs(r["thread.angle"] - exact).max() < 10 * accuracy * exact[-1]
assert np.abs(r["nut.position"][:, 2] - LEAD * r["thread.angle"]).max() < 1e-12 * PITCH * exact[-1]
assert np.abs(driven["drive.effort"] - needed).max() < 1e-12 * TORQUE
assert abs(driven["thread.angle"][-1] - 20 * np.pi) < 1e-12
lift = MASS * (G + driven["nut.acceleration"][:, 2])
assert np.abs(driven["thread.force"][:, 2] - lift).max() < 1e-12 * MASS * G
