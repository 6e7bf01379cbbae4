"""
Cam and follower
================

An eccentric cam turns ever faster beneath a roller on a spring-loaded valve. The contact can push only: up to some
speed the valve follows the cam, above it the valve floats, flies and hits the cam again. The contact of two cylinders
with parallel axes is that of their cross sections, balls in a plane here, and impacts are located.

Checks: the lift is that of the eccentric while the contact holds, and the force of contact vanishes at the speed at
which the inertia of the valve overcomes its spring.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

CAM, ROLLER, OFF = 0.03, 0.01, 0.006  # radii of cam and roller, eccentricity [m]
MASS, STIFFNESS, PRELOAD = 0.2, 4000.0, 60.0  # [kg], [N/m], [N]
REST = CAM + ROLLER - OFF  # height of the roller where the cam begins [m]


def speed(t):
    """Angular velocity of the cam [rad/s]."""
    return 100.0 * t


m = dal.Model("cam", gravity=(0, 0, 0))
m.add(dal.Body("cam", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), points={"centre": (0, 0, -OFF)}),
      dal.Body("valve", mass=MASS, inertia=(1e-4, 1e-4, 1e-4)),
      dal.Revolute("shaft", "ground", "cam", axis=(0, 1, 0), start=0.0),
      dal.Motion("drive", "shaft", speed=speed),
      dal.Prismatic("guide", "ground", "valve", axis=(0, 0, 1), start=REST),
      dal.JointSpring("spring", "guide", stiffness=STIFFNESS, rest=REST - PRELOAD / STIFFNESS),
      dal.Contact("lobe", dal.Sphere("cam.centre", radius=CAM), dal.Sphere("valve", radius=ROLLER), restitution=0.2))
r = dal.run(m, until=3.0, accuracy=1e-8, record=1e-3)

# %%
# Lift, force of the contact and gap over the speed of the cam.

figure, axes = plt.subplots(3, 1, figsize=(7.5, 7.0), sharex=True, layout="constrained")
turns = speed(r.t) * 60 / (2 * np.pi)
for ax, values, label in zip(axes, (1e3 * (r["guide.displacement"] - REST), r["lobe.normal_force"], 1e3 * r["lobe.gap"]),
                             ("lift [mm]", "force [N]", "gap [mm]"), strict=True):
    ax.plot(turns, values, linewidth=0.8)
    ax.set(ylabel=label)
axes[2].set(xlabel="speed of the cam [1/min]")
plt.show()

# %%
# Up to the first release the lift follows from the triangle of shaft, cam's centre and roller.

release = next(event.t for event in r.events if event.kind == "release")
follows = r.t < release - 1e-3
angle = r["shaft.angle"][follows]
lift = -OFF * np.cos(angle) + np.sqrt((CAM + ROLLER) ** 2 - (OFF * np.sin(angle)) ** 2) - REST
assert np.abs(r["guide.displacement"][follows] - REST - lift).max() < 1e-7
assert r["lobe.gap"].min() > -1e-8
needed = PRELOAD + STIFFNESS * (r["guide.displacement"] - REST) + MASS * r["guide.acceleration"]  # of what pushes the valve up
assert np.all(r["lobe.normal_force"][follows][::200] > 0) and np.all(needed[follows][::200] > 0)
print(f"the valve floats from {speed(release) * 60 / (2 * np.pi):.0f} turns a minute on")
