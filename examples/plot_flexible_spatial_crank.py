r"""
Spatial slider-crank with a flexible rod
========================================

The crank turns in a plane square to the guide of the slider, beside it by d = 0.1 m, so that the rod swings in space and
bends in two directions [ELL, Fig. 8 and 9].  Ball joints hold its ends.  The article leaves open which way the crank turns
and what the rod's local y axis is; here the bend is measured along

.. math:: w = \frac{e\times e_x}{|e\times e_x|}, \qquad b = e\times w,

with the direction e of the chord from crank to slider and :math:`e_x` along the guide.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

R, L, D, SPEED, X = 0.15, 0.3, 0.1, 150.0, (1, 0, 0)
STEEL, WIRE = dal.Material(young=0.2e12, poisson=0.3, density=7.87e3), dal.Circle(0.006)
# The middle of the rod [mm] along w and b every 24 degrees of the crank, by splines for an Euler-Bernoulli rod.
REFERENCE = np.array([
    [0.0, 2.383, 2.366, 2.498, -3.454, -1.033, -1.674, -1.673, -2.81, 0.439, -0.74, -2.213, 2.969, 0.439, -0.637, 4.7, -0.003,
     1.832, 2.313, 1.576, -4.058, -2.095, -0.35, -2.851, -0.983, -0.057, -0.253, -0.398, 1.498, 2.129, -0.218],
    [0.0, -4.382, -2.509, -1.074, -2.673, -4.488, -2.356, -0.42, -4.825, -0.114, -0.5, -1.582, 0.853, -1.308, -2.443, -2.499,
     -1.639, -2.753, -4.742, -1.144, -2.133, -2.769, -3.848, 0.509, -3.785, -1.068, 2.757, -2.622, -1.333, -0.049, -4.369]])


def mechanism(bodies):
    """Return the mechanism with a rod of so many bodies; the crank begins upward."""
    x = np.sqrt(L**2 - D**2 - R**2)
    along = np.array([x, -D, -R]) / L
    m = dal.Model("flexible spatial slider-crank", gravity=(0, 0, 0), ground={"A": (0, D, 0)})
    m.add(dal.Body("crank", mass=1.0, com=(0, 0, R / 2), inertia=(1e-3,) * 3,
                   points={"pin": dal.Frame((0, 0, R), rotation=dal.rotation_between(X, along))}),
          dal.Beam("rod", length=L, section=WIRE, material=STEEL, theory="euler-bernoulli", bodies=bodies,
                   points={"mid": L / 2}),
          dal.Body("slider", mass=0.5 * STEEL.density * WIRE.area * L, inertia=(1e-6,) * 3),
          dal.Revolute("main", "ground.A", "crank", axis=X),
          dal.Spherical("big end", "crank.pin", "rod.start"),
          dal.Spherical("small end", "rod.end", "slider"),
          dal.Prismatic("guide", "ground", "slider", axis=X, start=x),
          dal.Motion("drive", "main", speed=SPEED))
    return m


def bend(bodies):
    """Return how far the middle of the rod is off its chord [mm] along w and b, (2, n), and the path of the middle (n, 3)."""
    r = dal.run(mechanism(bodies), until=angle[-1] / SPEED, step=2e-5, record=angle / SPEED, formulation="global")
    start, mid, end = (r[f"rod.{place}.position"] for place in ("start", "mid", "end"))
    e = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    w = np.cross(e, X) / np.linalg.norm(np.cross(e, X), axis=1)[:, None]
    offset = 1e3 * (mid - (start + end) / 2)
    return np.array([np.sum(offset * w, axis=1), np.sum(offset * np.cross(e, w), axis=1)])


# %%
# Two bodies, as in the article, and eight.

angle = np.radians(np.arange(0, 721, 2))
two, eight = bend(2), bend(8)
figure, axes = plt.subplots(2, 1, figsize=(8.0, 6.0), sharex=True, layout="constrained")
for k, (ax, letter) in enumerate(zip(axes, "wb", strict=True)):
    ax.plot(angle, two[k], label="2 bodies")
    ax.plot(angle, eight[k], label="8 bodies")
    ax.plot(angle[::12], REFERENCE[k], "k.", label="reference")
    ax.set(ylabel=f"middle of the rod along {letter} [mm]")
axes[0].legend(ncols=3)
axes[1].set(xlabel="crank angle [rad]")
plt.show()

# %%
# Eight bodies are within two per cent of the reference.

off = np.mean((np.array(eight)[:, ::12] - REFERENCE) ** 2, axis=1) / np.mean(np.square(REFERENCE), axis=1)
assert np.all(np.sqrt(off) < 0.02)
