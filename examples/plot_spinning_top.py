r"""
Spinning top
============

A symmetric top stands on its tip, a ball joint.  Spun fast enough it does not fall but precesses: its axis goes
round the vertical.  At the inclination theta a steady precession W needs

.. math:: A \cos\theta\, W^2 - C n W + m g l = 0

with A and C the moments of inertia about the tip across and along the axis, n the spin about the axis and l the
distance of the centre of mass from the tip.  The slow root is the precession that everybody knows from toys.
If the top is only let go with its spin, it dips first: the axis runs through a row of cusps.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

MASS, ARM, RADIUS, G = 0.3, 0.06, 0.05, 9.81
THETA, SPIN = 30 * dal.deg, 180.0

disc = np.array(dal.inertia_cylinder(MASS, radius=RADIUS, length=0.01, axis="z"))
A, C = disc[0] + MASS * ARM**2, disc[2]

m = dal.Model("spinning top", gravity=(0, 0, -G))
m.add(dal.Body("top", mass=MASS, com=(0, 0, ARM), inertia=disc, points={"head": (0, 0, 2 * ARM)}),
      dal.Spherical("tip", "ground", "top", start=(0.0, THETA, 0.0)))

# %%
# The start of a ball joint may be a rotation vector, its rate is the angular velocity in the axes of the ground.
# ``steady`` begins with the precession W of the formula, ``free`` with the spin alone.

axis = np.array([np.sin(THETA), 0.0, np.cos(THETA)])
root = np.sqrt((C * SPIN) ** 2 - 4 * A * np.cos(THETA) * MASS * G * ARM)
precession = (C * SPIN - root) / (2 * A * np.cos(THETA))
rate = precession * np.array([0, 0, 1]) + (SPIN - precession * np.cos(THETA)) * axis
steady = dal.run(m, until=2.3, accuracy=1e-10, record=0.001, start_rate={"tip": rate})
free = dal.run(m, until=2.3, accuracy=1e-10, record=0.001, start_rate={"tip": SPIN * axis})

# %%
# The path of the head seen from above.

figure, (above, tilt) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
for r, label in ((free, "let go"), (steady, "steady precession")):
    x, y, z = r["top.head.position"].T
    above.plot(x, y, label=label)
    tilt.plot(r.t, np.arccos(z / (2 * ARM)) / dal.deg, label=label)
above.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="path of the head from above")
tilt.set(xlabel="time [s]", ylabel="inclination [deg]", xlim=(0, 0.3), ylim=(29.8, 34))
tilt.grid(alpha=0.3)
tilt.legend(loc="upper right")
plt.show()

# %%
# The head goes round at the rate of the formula, the inclination stays, and without friction a top that is let go
# keeps its energy, its spin and its angular momentum about the vertical.

x, y, z = steady["top.head.position"].T
azimuth = np.unwrap(np.arctan2(y, x))
found = azimuth[-1] / steady.t[-1]
print(f"precession {found:.6f} rad/s, closed form {precession:.6f} rad/s")
assert abs(found / precession - 1) < 1e-7
assert np.max(np.abs(z - z[0])) < 1e-7 * ARM
momentum = free["momentum.angular"][:, 2]
spin = np.sum(free["top.angular_velocity"] * free["top.head.position"], axis=1) / (2 * ARM)
assert np.ptp(momentum) < 1e-7 * momentum[0] and np.ptp(spin) < 1e-7 * SPIN
assert np.ptp(free["energy.total"]) < 1e-7 * free["energy.total"][0]
