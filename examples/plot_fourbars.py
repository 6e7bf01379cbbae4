r"""
N four-bars
===========

Four-bar linkages in a row, each sharing an upright with the next.  All of it moves with one freedom and, seen
in 3-D, a fifth of the constraints are redundant.  Twice a turn all bars lie on one line: there the linkage gains freedoms
for an instant, and every bar could go on in a wrong way.  The augmented Lagrangian passes such positions, as it never
inverts the matrix of the constraints.

With uprights of angle :math:`\varphi` the motion is that of one pendulum,

.. math:: m l^2 \bigl(\tfrac{N+1}{3} + N\bigr)\ddot\varphi = -m g l \bigl(\tfrac{N+1}{2} + N\bigr)\cos\varphi .

The natural coordinates of the global formulation keep its system sparse: its time grows like N.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import dalembert as dal

G, SPEED, Z = 9.81, 1.0, (0, 0, 1)


def fourbars(n):
    """Return n four-bars of bars of 1 m and 1 kg, upright, pushed to the right."""
    m = dal.Model(f"{n} four-bars", gravity=(0, -G, 0), ground={f"A{i}": (i, 0, 0) for i in range(n + 1)})
    for i in range(n + 1):
        given = {"start": 0.0, "start_rate": -SPEED} if i == 0 else {}
        m.add(dal.Body(f"up{i}", mass=1.0, com=(0, 0.5, 0), inertia=dal.inertia_rod(1.0, length=1.0, axis="y"),
                       points={"top": (0, 1, 0)}),
              dal.Revolute(f"base{i}", f"ground.A{i}", f"up{i}", axis=Z, **given))
    for i in range(1, n + 1):
        m.add(dal.Body(f"bar{i}", mass=1.0, com=(0.5, 0, 0), inertia=dal.inertia_rod(1.0, length=1.0, axis="x"),
                       points={"end": (1, 0, 0)}),
              dal.Revolute(f"left{i}", f"up{i - 1}.top", f"bar{i}", axis=Z),
              dal.Revolute(f"right{i}", f"up{i}.top", f"bar{i}.end", axis=Z))
    return m


def pendulum(n, times):
    """Return the angle of the uprights from the vertical."""
    ratio = G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    return solve_ivp(lambda t, y: (y[1], ratio * np.sin(y[0])), (0, times[-1]), (0.0, -SPEED), "DOP853", times,
                     rtol=1e-12, atol=1e-12).y[0]


accuracy = 1e-8
runs = {(n, f): dal.run(fourbars(n), until=10.0, accuracy=accuracy, record=0.05, formulation=f)
        for n in (1, 2, 10) for f in ("semi-recursive", "global")}
for (n, f), r in runs.items():
    print(f"N = {n}, {f}: {r.stats}")

# %%
# The uprights for each N; dots are the pendulum.

figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for n in (1, 2, 10):
    r = runs[n, "global"]
    line, = ax.plot(r.t, r["base0.angle"], label=f"N = {n}")
    ax.plot(r.t[::5], pendulum(n, r.t)[::5], ".", color=line.get_color())
for half in range(round(-r["base0.angle"].min() / np.pi)):
    ax.axhline(-(half + 0.5) * np.pi, color="grey", linestyle=":")
ax.set(xlabel="time [s]", ylabel="angle of the uprights [rad]", title="dotted: all bars on one line")
ax.legend()
plt.show()

# %%
# An upright start is unstable, which amplifies errors a thousand times at each passage of the top.

for (n, f), r in runs.items():
    assert np.abs(r["base0.angle"] - pendulum(n, r.t)).max() < 1e5 * accuracy, (n, f)
    assert np.abs(r[f"base{n}.angle"] - r["base0.angle"]).max() < 1e3 * accuracy, (n, f)
assert max(r["constraints.position"].max() for r in runs.values()) < accuracy
