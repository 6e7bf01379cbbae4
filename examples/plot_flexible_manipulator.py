r"""
Flexible two-arm manipulator
============================

A carriage and two arms of one metre lead a tool along a semicircle.  Light arms bend, so the tool leaves the path even
if the three drives follow their laws exactly [HEL §3]: the carriage's place and both angles are *rheonomic*, found by
inverse kinematics of the rigid manipulator.  The tracking error is

.. math:: e(t) = |\, r_d(t) - r(t)\, | .

Both arms are meshes of solid elements, 60 mm high and 10 mm thick like the article's first arm, whose material begins
the optimisation with a density of 0.7 and hence :math:`0.7^3` of the stiffness of aluminium.  Masses of the engine at
the elbow and of the tool, and the time of travel, are not told there; those below give an error of like size.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

X, Z, TRAVEL, RADIUS, HEIGHT = (1, 0, 0), (0, 0, 1), 1.2, 0.6, 0.9
FILL = dal.Material(young=0.7**3 * 0.7e11, poisson=0.3, density=0.7 * 2700.0, damping=2e-4)

mesh = dal.flex.box((1.0, 0.06, 0.01), divisions=(40, 4, 1), material=FILL)
arm = dal.flex.craig_bampton(mesh, interfaces={"hub": "-x", "tip": "+x"}, modes=2)

# %%
# The path, and the laws of the drives: the carriage goes along, the arms stretch out by the law of cosines.

t = np.linspace(0.0, TRAVEL, 241)
u = t / TRAVEL
s = u**3 * (10 - 15 * u + 6 * u**2)
wanted = np.column_stack([-RADIUS * np.cos(np.pi * s), HEIGHT + RADIUS * np.sin(np.pi * s), 0 * s])
carriage = 0.8 * s - 0.4
reach = wanted - carriage[:, None] * X
bend = np.arccos(np.sum(reach**2, axis=1) / 2 - 1)
laws = {"s": carriage, "alpha": np.arctan2(reach[:, 1], reach[:, 0]) + bend / 2, "beta": -bend}


def manipulator(first, second):
    """Return the driven manipulator with these arms."""
    m = dal.Model("two-arm manipulator", gravity=(0, 0, 0))
    return m.add(
        dal.Body("carriage", mass=5.0, inertia=(0.1, 0.1, 0.1)), first, second,
        dal.Body("engine", mass=1.5, inertia=(2e-3, 2e-3, 2e-3)), dal.Body("tool", mass=1.0, inertia=(1e-3, 1e-3, 1e-3)),
        dal.Prismatic("s", "ground", "carriage", axis=X), dal.Revolute("alpha", "carriage", "arm 1.hub", axis=Z),
        dal.Fixed("flange", "arm 1.tip", "engine"), dal.Revolute("beta", "engine", "arm 2.hub", axis=Z),
        dal.Fixed("hand", "arm 2.tip", "tool"),
        *(dal.Motion(f"drive {name}", name, position=dal.table(t, law)) for name, law in laws.items()))


flexible = manipulator(dal.FlexibleBody("arm 1", arm), dal.FlexibleBody("arm 2", arm))
rigid = manipulator(*(dal.Body(f"arm {k}", mass=arm.mass, com=arm.com, inertia=arm.inertia,
                               points={"hub": (0, 0, 0), "tip": (1, 0, 0)}) for k in (1, 2)))

times = np.linspace(0.0, 1.5, 301)
runs = {"rigid": dal.run(rigid, until=1.5, record=times),
        "floating frame": dal.run(flexible, until=1.5, step=5e-4, record=times, formulation="recursive"),
        "interface coordinates": dal.run(flexible, until=1.5, step=5e-4, record=times, formulation="global")}
goal = np.column_stack([np.interp(times, t, x) for x in wanted.T])
error = {name: np.linalg.norm(r["tool.position"] - goal, axis=1) for name, r in runs.items()}

# %%
# The manipulator on its way with the path of the tool, its error drawn tenfold; and the error over time.  Its largest
# maxima are the load cases from which the article's optimisation takes the deformations.

figure, (way, ax) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
r = runs["interface coordinates"]
for frame in (0, 120, 300):
    joints = [r[f"{place}.position"][frame] for place in ("carriage", "arm 1.tip", "tool")]
    way.plot(*np.array(joints).T[:2], "o-", color="grey")
way.plot(*goal.T[:2], "k--", label="desired")
way.plot(*(goal + 10 * (r["tool.position"] - goal)).T[:2], label="tool, error × 10")
way.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
way.legend(loc="lower center")
for name, style in (("interface coordinates", "-"), ("floating frame", "--")):
    ax.plot(times, 1e3 * error[name], style, label=name)
e = error["interface coordinates"]
peaks = np.flatnonzero((e[1:-1] > e[:-2]) & (e[1:-1] > e[2:])) + 1
peaks = peaks[np.argsort(e[peaks])[-3:]]
ax.plot(times[peaks], 1e3 * e[peaks], "ko", label="load cases")
ax.set(xlabel="time [s]", ylabel="tracking error [mm]")
ax.legend()
plt.show()

# %%
# Rigid arms follow the path as closely as the splines do.  Both ways of computing the same bodies agree.

assert error["rigid"].max() < 1e-6
apart = runs["floating frame"]["tool.position"] - r["tool.position"]
assert np.sqrt(np.mean(apart**2)) < 3e-3 * np.sqrt(np.mean((r["tool.position"] - goal)**2))
