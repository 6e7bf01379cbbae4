"""
Six-axis robot
==============

An industrial robot moves from one pose to another along smooth laws of time.  Two questions arise before it may:
which torques do the drives need, and what do the joints carry?  *Inverse dynamics* answers for given laws without
any integration.  A *run* with the same laws as prescribed motions gives the drives' reactions as its by-product.
Both must agree, and the power of the drives must be the change of the robot's energy.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

# %%
# Six links, each turning about the axis of the joint before it: (name, axis, mass, size along z, shift to the next).

LINKS = [
    ("column", (0, 0, 1), 40.0, 0.4, (0.1, 0, 0.4)),
    ("upper arm", (0, 1, 0), 25.0, 0.7, (0, 0, 0.7)),
    ("forearm", (0, 1, 0), 15.0, 0.3, (0, 0, 0.3)),
    ("wrist", (0, 0, 1), 6.0, 0.3, (0, 0, 0.3)),
    ("hand", (0, 1, 0), 3.0, 0.1, (0, 0, 0.1)),
    ("flange", (0, 0, 1), 5.0, 0.1, (0, 0, 0.1)),
]
END = np.array([70, 50, 60, -80, 45, 120]) * dal.deg

m = dal.Model("six-axis robot", gravity=(0, 0, -9.81))
place = "ground"
for k, (name, axis, mass, size, shift) in enumerate(LINKS, 1):
    m.add(dal.Body(name, mass=mass, com=(0, 0, size / 2), inertia=dal.inertia_box(mass, size=(0.15, 0.15, size)),
                   points={"tip": shift}),
          dal.Revolute(f"axis{k}", place, name, axis=axis))
    place = f"{name}.tip"

# %%
# Five axes follow ramps, which begin and end without a jump of the acceleration.  The second one is given as a table
# of a path planner, joined by a smooth spline.

laws = {f"axis{k}": dal.ramp(begin=0.0, finish=1.5, end=END[k - 1]) for k in range(1, 7)}
t = np.linspace(0.0, 1.5, 16)
laws["axis2"] = dal.table(t, END[1] * (t / 1.5 - np.sin(2 * np.pi * t / 1.5) / (2 * np.pi)))

times = np.linspace(0.0, 2.0, 201)
needed = dal.inverse_dynamics(m, laws, times=times)

driven = m.replaced().add(*(dal.Motion(f"drive{k}", f"axis{k}", position=laws[f"axis{k}"]) for k in range(1, 7)))
r = dal.run(driven, until=2.0, record=times)

# %%
# The torques of the drives, and the path of the flange.

figure, (torque, path) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
for k in range(1, 7):
    torque.plot(times, needed[f"axis{k}.effort"], label=f"axis {k}")
torque.set(xlabel="time [s]", ylabel="torque of the drive [N m]")
torque.legend(fontsize="small")
torque.grid(alpha=0.3)
path.plot(*r["flange.tip.position"].T[[0, 2]])
for frame in (0, 75, 200):
    arm = np.array([(0, 0, 0), *(r[f"{name}.tip.position"][frame] for name, *_ in LINKS)])
    path.plot(arm[:, 0], arm[:, 2], "o-", color="grey")
path.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="path of the flange")
plt.show()

# %%
# Both ways give the same torques, and the drives' power is what the energy gains.

torques = np.array([r[f"drive{k}.effort"] for k in range(1, 7)])
scale = np.abs(torques).max()
assert np.abs(torques - [needed[f"axis{k}.effort"] for k in range(1, 7)]).max() < 1e-10 * scale
power = np.sum(torques * [r[f"axis{k}.speed"] for k in range(1, 7)], axis=0)
gain = np.gradient(r["energy.total"], times)
assert np.abs(power - gain)[1:-1].max() < 5e-3 * np.abs(power).max()
