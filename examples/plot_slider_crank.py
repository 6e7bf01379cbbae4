r"""
Slider-crank
============

Crank, rod and slider on three revolute joints and a prismatic one, all of them ordinary 3-D joints.  By counting, 18
freedoms and 4 joints that take 5 each, nothing should move; but three of the twenty constraints repeat what others
say.  A run finds and reports them.  The crank is driven at a constant speed; slider and torque follow in closed form,

.. math::

   x = r\cos\theta + l\cos\varphi, \quad \sin\varphi = -\tfrac{r}{l}\sin\theta, \qquad
   M = \tfrac12\,\omega^2 \frac{dJ}{d\theta} + \frac{dV}{d\theta},

with the inertia :math:`J(\theta)` that all bodies show at the crank and their potential energy :math:`V(\theta)`.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

R, L, MASS, SPEED, G, Z = 0.15, 0.3, (0.5, 0.3, 0.2), 10.0, 9.81, (0, 0, 1)


def bar(mass, length):
    """Return what a uniform bar along x is made of."""
    return dict(mass=mass, com=(length / 2, 0, 0), inertia=dal.inertia_rod(mass, length=length, axis="x"),
                points={"pin": (length, 0, 0)})


m = dal.Model("slider-crank", gravity=(0, -G, 0))
m.add(dal.Body("crank", **bar(MASS[0], R)), dal.Body("rod", **bar(MASS[1], L)),
      dal.Body("slider", mass=MASS[2], inertia=(1e-4, 1e-4, 1e-4)),
      dal.Revolute("main", "ground", "crank", axis=Z),
      dal.Revolute("big end", "crank.pin", "rod", axis=Z),
      dal.Revolute("small end", "rod.pin", "slider", axis=Z),
      dal.Prismatic("guide", "ground", "slider", axis=(1, 0, 0), start=R + L),
      dal.Motion("drive", "main", speed=SPEED))

accuracy = 1e-8
r = dal.run(m, until=2.0, accuracy=accuracy, record=0.005)
print(r, *r.messages, sep="\n")


# %%
# The closed forms; velocities for a speed of one give the inertia at the crank.

def closed_form(angle):
    """Return slider position [m], inertia at the crank [kg m²] and potential energy [J]."""
    s, c = np.sin(angle), np.cos(angle)
    rod = -np.arcsin(R / L * s)
    turn = -R / L * c / np.cos(rod)
    middle = np.array([-R * s - L / 2 * np.sin(rod) * turn, R * c + L / 2 * np.cos(rod) * turn])
    slide = -R * s - L * np.sin(rod) * turn
    inertia = (MASS[0] * R**2 / 3 + MASS[1] * (np.sum(middle**2, axis=0) + L**2 / 12 * turn**2) + MASS[2] * slide**2)
    return R * c + L * np.cos(rod), inertia, G * (MASS[0] * R / 2 * s + MASS[1] * (R * s + L / 2 * np.sin(rod)))


angle, step = r["main.angle"], 1e-4
x, _, _ = closed_form(angle)
_, ahead, high = closed_form(angle + step)
_, behind, low = closed_form(angle - step)
torque = (0.5 * SPEED**2 * (ahead - behind) + high - low) / (2 * step)

# %%
# Stroke of the slider and torque of the drive; dots are the closed forms.

figure, axes = plt.subplots(2, 1, figsize=(7.0, 5.0), sharex=True, layout="constrained")
for ax, channel, exact in zip(axes, ("guide.displacement", "drive.effort"), (x, torque), strict=True):
    ax.plot(r.t, r[channel])
    ax.plot(r.t[::8], exact[::8], "k.")
    ax.set(ylabel=f"{channel} [{r.unit(channel)}]", xlabel="time [s]")
plt.show()

# %%
# The loop is closed to the tolerance of the projection, and the torque has the error of the differences, (dθ)².

assert np.abs(r["guide.displacement"] - x).max() < 100 * accuracy * L
assert np.abs(r["drive.effort"] - torque).max() < 10 * (step**2 + 100 * accuracy) * np.abs(torque).max()
assert any("redundant" in message for message in r.messages)
