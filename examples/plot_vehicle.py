r"""
Car on double wishbones
=======================

A car of 2.4 tons on four double wishbones: at each wheel an upper and a lower arm on hinges, a knuckle between two ball
joints, and a tie rod.  The front tie rods end on the rack, which the driver moves.  Thirteen bodies and a massless
rack have 27 joint coordinates; a drive and 16 loop constraints leave ten freedoms.

The bundled model `vehicle` holds bodies, joints and linear springs.  Here come laws that a text cannot hold: springs
that stiffen with the cube of their travel, tyres that feel the road below them, and the driver,

.. math:: F_z = k\,(R_0 + h(x) - z) + c\,(h'(x)\,\dot x - \dot z), \qquad F_y = -c_y v_y .

At 10 m/s the left wheels run over a bump of 5 cm, then the driver pulls the car to the right and straightens up.
"""

from importlib.resources import files
from math import cos, pi, sin

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

CUBIC = {"F": 36.085e6, "R": 79.737e6}  # [N/m³]
RADIUS, STIFFNESS, DAMPING, SIDE = 0.47, 3e5, 3e3, 5e3
BUMP, BEGIN, LONG = 0.05, 5.0, 2.0  # height, place and length [m]


def cubic_spring(stiffness, free):
    """Return the tension beyond the linear one."""
    return dal.law(lambda t, length, rate: stiffness * (length - free) ** 3)


def tyre(bump):
    """Return the vertical force of a tyre on a road with a bump of the form sin⁴."""
    @dal.law
    def force(t, x, y, z, vx, vy, vz):
        u = min(max((x - BEGIN) / LONG, 0.0), 1.0)
        height, slope = bump * sin(pi * u) ** 4, 4 * pi / LONG * bump * sin(pi * u) ** 3 * cos(pi * u)
        return STIFFNESS * (RADIUS + height - z) + DAMPING * (slope * vx - vz)

    return force


def vehicle():
    """Return the car with its laws; the rack moves by 2 cm to the left and back between 1 s and 2 s."""
    rack = dal.law(lambda t: 0.02 * sin(pi * min(max(t - 1.0, 0.0), 1.0)) ** 4)
    m = dal.read(files("dalembert.cli") / "models" / "vehicle.yaml").replaced("steering", position=rack)
    for corner in ("FL", "FR", "RL", "RR"):
        spring = m[f"spring {corner}"]
        m = m.replaced(spring.name, force=cubic_spring(CUBIC[corner[0]], spring.length)).without(f"tyre {corner}")
        hub = f"knuckle {corner}.hub"
        m.add(dal.Force(f"tyre {corner}", hub, direction=(0, 0, 1), magnitude=tyre(BUMP if corner[1] == "L" else 0.0)),
              dal.Force(f"side {corner}", hub, direction=(0, 1, 0), follow=True, magnitude=dal.law(lambda t, x, v: -SIDE * v)))
    return m


r = dal.run(vehicle(), until=3.0, accuracy=1e-6, record=0.01)
fast = dal.run(vehicle(), until=3.0, step=1e-3, record=0.01)
print(r, f"steps of 1 ms: {3.0 / fast.stats.seconds:.0f} times faster than real time", sep="\n")

# %%
# The way of the car, and the loads of its tyres.
figure, (way, load) = plt.subplots(2, 1, figsize=(7.0, 5.0), layout="constrained")
way.plot(*r["chassis.position"].T[:2])
way.set(xlabel="x [m]", ylabel="y [m]")
for corner in ("FL", "FR", "RL", "RR"):
    load.plot(r.t, np.linalg.norm(r[f"tyre {corner}.force"], axis=1) / 1e3, label=corner)
load.set(xlabel="time [s]", ylabel="load [kN]")
load.legend()
plt.show()

# %%
# An independent solution in minimal coordinates gives y and z at 3 s; at last the tyres carry the weight.
assert np.abs(r["chassis.position"][-1, 1:] - [-2.272335980, 0.471024884]).max() < 1e-4
assert np.abs(fast["chassis.position"] - r["chassis.position"]).max() < 1e-3
assert abs(sum(r[f"tyre {corner}.force"][-1, 2] for corner in ("FL", "FR", "RL", "RR")) / (2417.452 * 9.81) - 1) < 1e-4
