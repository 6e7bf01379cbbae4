"""
Computed torque of a six-axis arm
=================================

A controller of 500 Hz lets an arm of six axes swing along a path in its joints.  Computed torque asks the model for the
efforts that the accelerations of the path need, plus feedback,

$$\\tau = M(q)\\bigl(\\ddot q_r - 2\\omega\\dot e - \\omega^2 e\\bigr) + h(q, \\dot q), \\qquad e = q - q_r,$$

and the deviation $e$ then obeys $\\ddot e + 2\\omega\\dot e + \\omega^2 e = 0$, whatever the arm does.  Independent PD control
of the axes, with the same gains on the inertias of the middle pose, knows neither weight nor coupling.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

# %%
# The arm, of the size of a small industrial robot: name, mass, length, radius, axis of its joint.

X, Y, Z, w, every = (1, 0, 0), (0, -1, 0), (0, 0, 1), 20.0, 2e-3
links = [("column", 12.0, 0.3, 0.10, Z), ("upper arm", 9.0, 0.45, 0.07, Y), ("elbow", 5.0, 0.12, 0.07, Y),
         ("forearm", 4.0, 0.33, 0.05, X), ("wrist", 1.5, 0.08, 0.04, Y), ("hand", 2.0, 0.10, 0.05, X)]
centre, swing = np.array([0.0, 0.6, -1.2, 0.0, 0.8, 0.0]), np.array([0.8, 0.4, 0.5, 1.0, 0.6, 1.5])
speed, offset = np.array([2.0, 3.0, 2.5, 4.0, 3.5, 5.0]), 0.05
m, first, axes = dal.Model("arm", gravity=(0, 0, -9.81)), "ground", range(1, 7)
for k, (name, mass, length, radius, axis) in enumerate(links):
    along = np.array(X if k else Z, float)
    m.add(dal.Body(name, mass=mass, com=along * length / 2, points={"end": along * length},
                   inertia=dal.inertia_cylinder(mass, radius=radius, length=length, axis="x" if k else "z")),
          dal.Revolute(f"axis {k + 1}", first, name, axis=axis, armature=0.05, start=centre[k] + offset,
                       start_rate=swing[k] * speed[k]), dal.Motor(f"motor {k + 1}", f"axis {k + 1}"))
    first = f"{name}.end"


def path(t):
    """Angles, rates and accelerations of the path."""
    s, c = swing * np.sin(np.multiply.outer(t, speed)), swing * np.cos(np.multiply.outer(t, speed))
    return centre + s, speed * c, -speed**2 * s


# %%
# Both laws are plain Python.  The motors stand in `without`, since what they do is what is asked for.

d = dal.Dynamics(m, without=[f"motor {k}" for k in axes])
inertias = np.diag(d.mass_matrix(centre))


def wanted(t, q, qd):
    """Accelerations of the path plus feedback."""
    q_r, qd_r, qdd_r = path(t)
    return qdd_r + 2 * w * (qd_r - qd) + w**2 * (q_r - q)


laws = {"computed torque": lambda t, u: d.inverse_dynamics(u[:6], u[6:], wanted(t, u[:6], u[6:]), t),
        "independent PD": lambda t, u: inertias * wanted(t, u[:6], u[6:])}
inputs, error = [f"axis {k}.angle" for k in axes] + [f"axis {k}.speed" for k in axes], {}
for name, law in laws.items():
    control = dal.Controller(name, inputs=inputs, outputs=[f"motor {k}" for k in axes], law=law, every=every)
    r = dal.run(m.replaced().add(control), until=2.0, record=every)
    q = np.column_stack([r[f"axis {k}.angle"] for k in axes])
    error[name] = q - path(r.t)[0]
    if name == "computed torque":
        steps = np.diff(r[name + ".outputs"], axis=0)
        jumps = [np.linalg.solve(d.mass_matrix(x), dy) for x, dy in zip(q[1:], steps, strict=True)]

for name, e in error.items():
    plt.semilogy(r.t, np.abs(e).max(axis=1), label=name)
exact = offset * (1 + w * r.t) * np.exp(-w * r.t)
plt.semilogy(r.t, exact, "k--", label="critically damped")
plt.legend()
plt.gca().set(xlabel="time [s]", ylabel="largest deviation of an axis [rad]", ylim=(1e-5, 1))
plt.show()
# %%
# The deviation dies away as it should, but for what holding the torques for 2 ms disturbs: accelerations are off by no more
# than their jump at a sample, and $\ddot e + 2\omega\dot e + \omega^2 e = f$ makes at most $|f|/\omega^2$ of it.

assert np.abs(error["computed torque"] - exact[:, None]).max() < np.abs(jumps).max() / w**2
assert np.abs(error["computed torque"][500:]).max() < 0.02 * np.abs(error["independent PD"][500:]).max()
