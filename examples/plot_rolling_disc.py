r"""
Rolling disc
============

A thin disc of radius a rolls on a plane without slipping.  That its lowest material point stands still binds velocities
only and cannot be integrated to a condition on positions: the disc can be rolled to any place, any side up.  Such
constraints are called non-holonomic.

There is a steady motion: the disc leans, its axis at an angle :math:`\theta` from the vertical, and its centre runs round
a circle.  With the precession :math:`\Omega`, the spin :math:`\omega_n` about its axis and :math:`A = \tfrac14 m a^2`,
:math:`C = \tfrac12 m a^2`, the moment of momentum about the centre asks for

.. math:: (C + m a^2)\,\omega_n\,\Omega\sin\theta = (A\,\Omega^2\sin\theta - m g a)\cos\theta, \qquad R = -a\,\omega_n/\Omega ,

R being the radius of the centre's circle.  A second disc starts with a spin a little too slow, and nods.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

RADIUS, MASS, G = 0.3, 2.0, 9.81
LEAN, TURN = 65 * dal.deg, 1.5  # theta [rad], Omega [rad/s]
SPIN = np.cos(LEAN) * (RADIUS * TURN**2 * np.sin(LEAN) / 4 - G) / (1.5 * RADIUS * TURN * np.sin(LEAN))
CIRCLE = -RADIUS * SPIN / TURN


def disc(spin):
    """Return a disc that leans towards the centre of its circle and spins about its axis, its local z."""
    axis, down = np.array([np.sin(LEAN), 0, np.cos(LEAN)]), np.array([np.cos(LEAN), 0, -np.sin(LEAN)])
    turning = spin * axis - TURN * np.sin(LEAN) * down
    velocity = -np.cross(turning, RADIUS * down)  # of the centre, the lowest point being at rest
    m = dal.Model("rolling disc", gravity=(0, 0, -G))
    m.add(dal.Body("disc", mass=MASS, inertia=dal.inertia_cylinder(MASS, radius=RADIUS, length=0.0, axis="z"),
                   points={"mark": (RADIUS, 0, 0)}),
          dal.Free("motion", "ground", "disc",
                   start=(CIRCLE, 0, RADIUS * np.sin(LEAN), np.cos(LEAN / 2), 0, np.sin(LEAN / 2), 0),
                   start_rate=(*velocity, *turning)),
          dal.Rolling("road", "ground", "disc", radius=RADIUS, normal=(0, 0, 1), axis=(0, 0, 1)))
    return m


accuracy, period = 1e-8, 2 * np.pi / TURN
times = np.linspace(0, period, 401)
steady = dal.run(disc(SPIN), until=period, accuracy=accuracy, record=times)
nodding = dal.run(disc(0.9 * SPIN), until=period, accuracy=accuracy, record=times)
print(steady)

# %%
# Paths of the centres from above; the steady one is a circle.

figure, (above, height) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
for run, label in ((steady, "steady"), (nodding, "nodding")):
    above.plot(*run["disc.position"].T[:2], label=label)
    height.plot(run.t, run["disc.position"][:, 2], label=label)
above.plot(*steady["disc.mark.position"].T[:2], ":", color="grey", label="a point of the rim")
above.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
height.set(xlabel="time [s]", ylabel="height of the centre [m]")
above.legend(fontsize="small")
plt.show()

# %%
# The centre keeps to its circle; rolling does no work, so that both keep their energy.

angle = TURN * steady.t
circle = np.column_stack([CIRCLE * np.cos(angle), CIRCLE * np.sin(angle), RADIUS * np.sin(LEAN) + 0 * angle])
assert np.abs(steady["disc.position"] - circle).max() < 1e3 * accuracy * CIRCLE
for run in (steady, nodding):
    energy = run["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e3 * accuracy * np.abs(energy[0])
    assert np.abs(run["constraints.velocity"]).max() < 1e3 * accuracy
