r"""
Spinning beam on a ball joint
=============================

A torque spins a beam about the vertical for 10.2 s; at 15 s a short blow on the tip, upward, makes it wobble [ELL, Fig. 10 and
11].  The article's units cannot be meant as they stand: a density of :math:`7.8\cdot 10^{-3}` and a modulus of
:math:`2.1\cdot 10^6` are steel in kg/cm³ and kp/cm².  Read literally, in kg/mm³ and N/mm², they give the speed of the figure,

.. math:: \omega = \frac{M t}{\rho A L^3/3} = 30.8\ \mathrm{rad/s},

and so they are taken here.  The blow is assumed to last 10 ms.  A rigid rod would turn on in a tilted plane.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

L, TORQUE, BLOW, SPUN, STRUCK, LASTS = 0.14142, 0.2, 100.0, 10.2, 15.0, 0.01
SQUARE = dal.Rectangle(height=3e-3, width=3e-3)
STEEL = dal.Material(young=2.1e12, poisson=0.3, density=7.8e6)
INERTIA = STEEL.density * (SQUARE.area * L**3 / 3 + SQUARE.iz * L)


def switched(on, off, value):
    """Return a law that has a value between two times, zero elsewhere, with edges of a microsecond."""
    return dal.table((on - 5e-7, on + 5e-7, off - 5e-7, off + 5e-7), (0, value, value, 0), kind="linear")


m = dal.Model("spinning beam", gravity=(0, 0, 0))
m.add(dal.Beam("beam", length=L, section=SQUARE, material=STEEL, theory="euler-bernoulli", bodies=2),
      dal.Spherical("ball", "ground", "beam.start"),
      dal.Torque("spin", "beam.start", direction=(0, 0, 1), magnitude=switched(-1.0, SPUN, TORQUE)),
      dal.Force("blow", "beam.end", direction=(0, 0, 1), magnitude=switched(STRUCK, STRUCK + LASTS, BLOW)))

r = dal.run(m, until=18.0, accuracy=1e-6, record=0.01)
print(r)

# %%
# The rate at the base, as in the article, rings with the beam's first bending mode, which the sudden torque wakes; the
# chord from base to tip turns smoothly.  After the blow the tip rises and falls once a turn.

tip, velocity = r["beam.end.position"], r["beam.end.velocity"]
chord = np.cross(tip, velocity)[:, 2] / np.sum(tip**2, axis=1)
rigid = TORQUE * np.minimum(r.t, SPUN) / INERTIA
figure, (rate, height) = plt.subplots(2, 1, figsize=(8.0, 6.5), layout="constrained")
rate.plot(r.t, r["beam.start.angular_velocity"][:, 2], "C0", linewidth=0.5, label="base of the beam")
rate.plot(r.t, chord, "C1", label="chord to the tip")
rate.plot(r.t, rigid, "k--", label="rigid rod, before the blow")
after = r.t > STRUCK - 0.1
height.plot(r.t[after], 1e3 * tip[after, 2])
rate.set(xlabel="time [s]", ylabel="rate about the vertical [rad/s]")
height.set(xlabel="time [s]", ylabel="height of the tip [mm]")
rate.legend()
plt.show()

# %%
# Angular momentum is what torque and blow have given, energy stays when both are over.  The tip rises as that of a rigid rod
# would, but for its own vibration of some per cent.

spun = (r.t > SPUN) & (r.t < STRUCK)
last = r["energy.total"][r.t > STRUCK + LASTS]
assert abs(np.mean(chord[spun]) * INERTIA / (TORQUE * SPUN) - 1) < 1e-3
assert np.ptp(last) < 1e-3 * np.mean(last)
rises = np.abs(tip[after, 2]).max()
assert abs(rises * np.mean(chord[spun]) / (BLOW * LASTS * L / INERTIA * L) - 1) < 0.1
