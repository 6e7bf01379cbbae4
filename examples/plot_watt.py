r"""
Watt's linkage
==============

How James Watt led the rod of a piston along a nearly straight line without a guide: two arms of the same length turn about
fixed points on opposite sides, a short link joins them, and its middle goes up and down.  The middle runs on *Watt's
curve*: for fixed points at :math:`(\pm a, 0)`, arms of length b and a link of length 2 c

.. math:: (x^2 + y^2)\,(x^2 + y^2 - a^2 - b^2 + c^2)^2 + 4 a^2 y^2\,(x^2 + y^2 - b^2) = 0 .

The left arm is driven to and fro.  What the drive does against weight and inertia is the change of the energy.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

B, C, Z = 1.0, 0.3, (0, 0, 1)
A = np.hypot(B, C)
SWING, OMEGA = 20 * dal.deg, 2.0


def bar(mass, end):
    """Return what a uniform bar from the origin to `end` is made of."""
    end = np.array([*end, 0.0])
    inertia = mass / 12 * (end @ end * np.eye(3) - np.outer(end, end))
    return dict(mass=mass, com=tuple(end / 2), inertia=inertia, points={"end": tuple(end), "middle": tuple(end / 2)})


# %%
# In the position of the drawing the arms are level and the link stands upright.

m = dal.Model("Watt's linkage", gravity=(0, -9.81, 0), ground={"left": (-B, C, 0), "right": (B, -C, 0)})
m.add(dal.Body("left arm", **bar(2.0, (B, 0))), dal.Body("right arm", **bar(2.0, (-B, 0))),
      dal.Body("link", **bar(1.0, (0, -2 * C))),
      dal.Revolute("left", "ground.left", "left arm", axis=Z),
      dal.Revolute("right", "ground.right", "right arm", axis=Z),
      dal.Revolute("upper", "left arm.end", "link", axis=Z),
      dal.Revolute("lower", "right arm.end", "link.end", axis=Z),
      dal.Motion("beam", "left", position=dal.sine(amplitude=SWING, omega=OMEGA)))

accuracy = 1e-8
r = dal.run(m, until=2 * np.pi / OMEGA, accuracy=accuracy, record=np.linspace(0, 2 * np.pi / OMEGA, 401))
print(r)
print(*r.messages, sep="\n")

# %%
# The path of the middle, with three positions of the linkage, and the effort of the beam.

middle = r["link.middle.position"]
figure, (path, effort) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
for k in (0, 100, 300):
    corners = [(-B, C), *(r[f"{name}.position"][k, :2] for name in ("left arm.end", "right arm.end")), (B, -C)]
    path.plot(*np.array(corners).T, "o-", color="grey", alpha=0.5)
path.plot(middle[:, 0], middle[:, 1], color="tab:red")
path.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", xticks=(-1, -0.5, 0, 0.5, 1), title="middle of the link")
effort.plot(r.t, r["beam.effort"])
effort.set(xlabel="time [s]", ylabel="torque of the beam [N m]")
plt.show()

# %%
# The middle stays on Watt's curve, whose axis runs through both fixed points; it leaves the line x = 0 by less than a
# hundredth of its stroke.  Power of the drive and change of energy agree to the error of the differences.

along, across = np.array([B, -C]) / A, np.array([C, B]) / A
x, y = middle[:, :2] @ along, middle[:, :2] @ across
rr = x**2 + y**2
curve = rr * (rr - A**2 - B**2 + C**2) ** 2 + 4 * A**2 * y**2 * (rr - B**2)
assert np.abs(curve).max() < 1e3 * accuracy
assert np.abs(middle[:, 0]).max() < 0.01 * np.ptp(middle[:, 1])
power, gain = r["beam.effort"] * r["left.speed"], np.gradient(r["energy.total"], r.t)
assert np.abs(power - gain)[1:-1].max() < (OMEGA * (r.t[1] - r.t[0])) ** 2 * 10 * np.abs(power).max()
