"""
Block on a slope
================

A block lies on a slope that is tilted slowly. Friction holds it up to the angle of friction, then it slides; when the
slope is tilted back it comes to rest again. In steps of given length friction is Coulomb's, with a cone in which a
block at rest stays where it is.

Checks: the block begins to slide at arctan(mu), its acceleration is that of the closed form, and the friction never
leaves its cone.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

MU, G = 0.4, 9.81
SIZE = (0.4, 0.3, 0.1)


def push(t):
    """Tilt of the slope [rad]: up to 25 degrees and back, as gravity turns in the slope's axes."""
    return np.radians(25.0) * np.sin(np.pi * t / 6.0) ** 2


# %%
# The world is turned instead of the slope: a force that changes with time takes the place of gravity's part along it.

m = dal.Model("block on a slope", gravity=(0, 0, 0))
m.add(dal.Body("block", mass=2.0, inertia=dal.inertia_box(2.0, SIZE)),
      dal.Free("free", "ground", "block", start=(0, 0, SIZE[2] / 2)),
      dal.Force("along", "block", direction=(1, 0, 0), magnitude=lambda t: 2.0 * G * np.sin(push(t))),
      dal.Force("across", "block", direction=(0, 0, -1), magnitude=lambda t: 2.0 * G * np.cos(push(t))),
      dal.Contact("slope", dal.Box("block", size=SIZE), dal.Plane("ground", normal=(0, 0, 1)), friction=MU))
r = dal.run(m, until=6.0, step=2e-3)
for event in r.events:
    print(f"{event.t:.3f} s: {event.kind}, slope {np.degrees(push(event.t)):.2f} degrees")

figure, (way, forces) = plt.subplots(2, 1, figsize=(7.0, 5.5), sharex=True, layout="constrained")
way.plot(r.t, 1e3 * r["block.position"][:, 0])
way.set(ylabel="way [mm]")
normal, friction = r["slope.normal_force"], np.linalg.norm(r["slope.friction_force"], axis=1)
forces.plot(r.t, MU * normal, label="friction coefficient times normal force")
forces.plot(r.t, friction, label="friction")
forces.set(xlabel="time [s]", ylabel="force [N]")
forces.legend(fontsize="small")
plt.show()

# %%
# It begins to slide where tan(angle) = mu, and slides with g (sin - mu cos).

slides = r.t[np.flatnonzero(r["block.velocity"][:, 0] > 1e-6)]
assert np.isclose(np.tan(push(slides[0])), MU, rtol=2e-2)
assert np.abs(r["block.position"][r.t < slides[0] - 4e-3, 0]).max() < 1e-7  # tolerance of the steps
assert np.all(friction <= MU * normal * (1 + 1e-9))
sliding = (r["block.velocity"][:, 0] > 1e-2) & (r.t > slides[0])
expected = G * (np.sin(push(r.t)) - MU * np.cos(push(r.t)))
assert np.allclose(r["block.acceleration"][sliding, 0], expected[sliding], atol=1e-6)
assert np.ptp(r["block.position"][r.t > slides[-1] + 4e-3, 0]) < 1e-7
