"""
Andrews' squeezer
=================

Seven bodies, three loops that meet in one point, a motor and a spring: the test that every solver for closed loops has to
pass.  The mechanism is small and quick, of the order of centimetres and milliseconds, and the crank makes more than two turns
within thirty of them.  Planar bodies on 3-D joints: nine of the constraints are redundant.

Two checks: the published solution at 0.03 s (test set for initial value problems of Mazzia and Magherini), and the work of
the motor, which is all that the energy gains.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

MOTOR = 0.033  # [N m]
PUBLISHED = {"beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101,
             "phi": -0.5347301163226948, "delta": 0.5244099658805304, "omega": 0.5347301163226948,
             "epsilon": 1.048080741042263}

# %%
# Mass [kg], inertia [kg m²], centre of mass and points of the bodies [m], all in the plane.

BODIES = {
    "K1": (0.04325, 2.194e-06, (0.00092, 0), {"F": (0.007, 0)}),
    "K2": (0.00365, 4.41e-07, (-0.0115, 0), {"E": (-0.028, 0)}),
    "K3": (0.02373, 5.255e-06, (0.01043, -0.01874), {"E": (0, -0.035), "D": (0.02, -0.018)}),
    "K4": (0.00706, 5.667e-07, (0, -0.00579), {"E": (0, -0.02)}),
    "K5": (0.0705, 1.169e-05, (0.02308, 0.00916), {"G": (0.04, 0)}),
    "K6": (0.00706, 5.667e-07, (0.00579, 0), {"E": (0.02, 0)}),
    "K7": (0.05498, 1.912e-05, (-0.00449, -0.01228), {"H": (0, -0.04)}),
}
JOINTS = {  # the loops close in E
    "beta": ("ground", "K1", -0.0617138900142764), "theta": ("K1.F", "K2", 0.0),
    "gamma": ("ground.B", "K3", 0.455279819163070), "delta": ("ground.A", "K5", 0.487364979543842),
    "phi": ("K5.G", "K4", 0.222668390165885), "epsilon": ("ground.A", "K7", 1.23054744454982),
    "omega": ("K7.H", "K6", -0.222668390165885), "E3": ("K2.E", "K3.E", None), "E4": ("K2.E", "K4.E", None),
    "E6": ("K2.E", "K6.E", None),
}

m = dal.Model("squeezer", gravity=(0, 0, 0), ground={"A": (-0.06934, -0.00227, 0), "B": (-0.03635, 0.03273, 0),
                                                     "C": (0.014, 0.072, 0)})
for name, (mass, inertia, com, points) in BODIES.items():
    m.add(dal.Body(name, mass=mass, com=(*com, 0), inertia=(inertia,) * 3,
                   points={key: (*place, 0) for key, place in points.items()}))
for name, (first, second, start) in JOINTS.items():
    m.add(dal.Revolute(name, first, second, axis=(0, 0, 1), start=start))
m.add(dal.SpringDamper("spring", "ground.C", "K3.D", stiffness=4530.0, length=0.07785),
      dal.Motor("motor", "beta", effort=MOTOR))

accuracy = 1e-9
r = dal.run(m, until=0.03, accuracy=accuracy, record=0.0001)
print(r)
print(*r.messages, sep="\n")

# %%
# The seven angles; beta and theta go round.

figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for name in PUBLISHED:
    ax.plot(1e3 * r.t, np.remainder(r[f"{name}.angle"] + np.pi, 2 * np.pi) - np.pi, ".", markersize=2, label=name)
ax.set(xlabel="time [ms]", ylabel="angle [rad], modulo a turn", ylim=(-3.5, 5.2))
ax.legend(fontsize="small", ncols=4)
plt.show()

# %%
# Errors of single steps are amplified by the crank's turns, about a thousand times in all.

for name, angle in PUBLISHED.items():
    assert abs(r[f"{name}.angle"][-1] - angle) < 1e4 * accuracy, name
gain, work = r["energy.total"] - r["energy.total"][0], MOTOR * (r["beta.angle"] - r["beta.angle"][0])
assert np.abs(gain - work).max() < 1e4 * accuracy * np.abs(work).max()
assert any("redundant" in message for message in r.messages)
