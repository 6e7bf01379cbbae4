"""
Stewart platform
================

Six legs of variable length carry a platform and give it all six freedoms, as in flight simulators.  Each leg stands
on a universal joint, slides in a prismatic one and ends in a ball: thirteen bodies, five loops, 78 - 72 = 6 freedoms.

A path of the platform determines the length of each leg, with the corners :math:`a_i` of the base and :math:`b_i` above,

.. math:: l_i(t) = | p(t) + R(t)\\, b_i - a_i | .
"""

from math import cos, pi, sin, sqrt

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

HEIGHT, HEAVE, SWAY, ROLL, PERIOD = 1.0, 0.2, 0.15, 15 * dal.deg, 2.0


def ring(radius, spread):
    """Return six corners in three pairs."""
    angles = np.radians([120 * (k // 2) + spread * (2 * (k % 2) - 1) for k in range(6)])
    return radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6)])


def leg_length(a, b):
    """Return the length of a leg as a law of time: sway along x, roll about x and heave, all along s(t)."""
    (ax, ay, az), (bx, by, _) = a.tolist(), b.tolist()

    @dal.law
    def length(t):
        s = 0.5 - 0.5 * cos(2 * pi * t / PERIOD)
        x, y, z = bx + SWAY * s - ax, by * cos(ROLL * s) - ay, HEIGHT + HEAVE * s + by * sin(ROLL * s) - az
        return sqrt(x * x + y * y + z * z)

    return length


base, top = ring(1.0, 15.0), ring(0.6, 45.0)
m = dal.Model("Stewart platform", gravity=(0, 0, -9.81))
m.add(dal.Body("platform", mass=40.0, inertia=dal.inertia_cylinder(40.0, radius=0.6, length=0.1, axis="z"),
               points={f"b{k}": tuple(top[k]) for k in range(6)}))
ground = {}
for k in range(6):
    along = top[k] + (0, 0, HEIGHT) - base[k]
    size = np.linalg.norm(along)
    x = np.cross((0.0, 1.0, 0.0), along) / np.hypot(along[0], along[2])
    turn = np.column_stack([x, np.cross(along / size, x), along / size])  # axes of the leg
    ground[f"a{k}"] = dal.Frame(tuple(base[k]), turn)
    rod = dict(mass=3.0, inertia=dal.inertia_rod(3.0, length=0.6, axis="z"))
    m.add(dal.Body(f"cylinder{k}", com=(0, 0, 0.3), **rod),
          dal.Body(f"piston{k}", com=(0, 0, -0.3), points={"top": dal.Frame((0, 0, 0), turn.T)}, **rod),
          dal.Universal(f"foot{k}", f"ground.a{k}", f"cylinder{k}"),
          dal.Prismatic(f"leg{k}", f"cylinder{k}", f"piston{k}", axis=(0, 0, 1), start=size),
          dal.Spherical(f"ball{k}", f"piston{k}.top", f"platform.b{k}"),
          dal.Motion(f"drive{k}", f"leg{k}", position=leg_length(base[k], top[k])))
m.ground = ground
r = dal.run(m, until=PERIOD, accuracy=1e-8, record=0.01)
print(r)

# %%
# The forces of the six drives over a period.
figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for k in range(6):
    ax.plot(r.t, r[f"drive{k}.effort"], label=f"leg {k}")
ax.set(xlabel="time [s]", ylabel="force of the drive [N]")
ax.legend(fontsize="small", ncols=3)
plt.show()

# %%
# The platform follows the path as well as loops are closed; the drives' power is the change of energy.

s = 0.5 - 0.5 * np.cos(2 * pi * r.t / PERIOD)
assert np.abs(r["platform.position"] - np.column_stack([SWAY * s, 0 * s, HEIGHT + HEAVE * s])).max() < 1e-6
assert np.abs(r["platform.orientation"][:, 1] - np.sin(ROLL * s / 2)).max() < 1e-6
power = sum(r[f"drive{k}.effort"] * r[f"leg{k}.speed"] for k in range(6))
assert np.abs(power - np.gradient(r["energy.total"], r.t))[1:-1].max() < 1e-2 * np.abs(power).max()
