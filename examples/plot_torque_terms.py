"""
Terms of a computed torque
==========================

A controller that wants the accelerations $\\ddot q$ of its reference has to ask the motors of a robot for

$$\\tau = M(q)\\,\\ddot q + h(q, \\dot q, t),$$

the mass matrix times the accelerations and the *bias*: weight, Coriolis and centrifugal loads, and what springs and dampers
take.  `Dynamics` gives each of them within microseconds, at any state, as flat arrays.  Here they are drawn along a quick
motion of an arm with three axes that carries a load, and the Jacobian of its hand shows what a push there adds.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

# %%
# The arm: a column that turns, an upper arm and a forearm; a damper stands for the friction of the elbow.

m = dal.Model("arm", gravity=(0, 0, -9.81))
m.add(dal.Body("column", mass=10.0, com=(0, 0, 0.2), inertia=dal.inertia_cylinder(10.0, radius=0.1, length=0.4, axis="z"),
               points={"shoulder": (0, 0, 0.4)}),
      dal.Body("upper arm", mass=6.0, com=(0.25, 0, 0), inertia=dal.inertia_rod(6.0, length=0.5, axis="x"),
               points={"elbow": (0.5, 0, 0)}),
      dal.Body("forearm", mass=4.0, com=(0.3, 0, 0), inertia=dal.inertia_rod(4.0, length=0.4, axis="x"),
               points={"hand": (0.4, 0, 0)}),
      dal.Revolute("axis 1", "ground", "column", axis=(0, 0, 1), armature=0.2),
      dal.Revolute("axis 2", "column.shoulder", "upper arm", axis=(0, -1, 0), armature=0.2),
      dal.Revolute("axis 3", "upper arm.elbow", "forearm", axis=(0, -1, 0), armature=0.1),
      dal.JointSpring("friction", "axis 3", damping=1.5))
d = dal.Dynamics(m)
print(d.rates, d.places)

# %%
# The reference: half a swing between two poses, twice differentiable.  The terms at each time:

t = np.linspace(0.0, 0.8, 161)
begin, end = np.array([-1.2, 1.3, -2.0]), np.array([1.2, 0.2, -0.3])
s, sd, sdd = (1 - np.cos(np.pi * t / 0.8)) / 2, np.sin(np.pi * t / 0.8), np.cos(np.pi * t / 0.8)
q = begin + np.outer(s, end - begin)
qd = np.outer(sd, end - begin) * np.pi / 1.6
qdd = np.outer(sdd, end - begin) * np.pi**2 / 1.28
still = np.zeros(3)

inertia = np.array([d.mass_matrix(x) @ a for x, a in zip(q, qdd, strict=True)])
weight = np.array([d.bias(x, still) for x in q])
motion = np.array([d.bias(x, v) for x, v in zip(q, qd, strict=True)]) - weight
push = np.array([-d.jacobian(x, "forearm.hand")[:3].T @ (0, 0, -50.0) for x in q])

figure, axes = plt.subplots(1, 3, figsize=(10.0, 3.6), sharey=True, layout="constrained")
for k, ax in enumerate(axes):
    for term, label in ((inertia, "inertia"), (weight, "weight"), (motion, "Coriolis, friction"), (push, "5 kg in the hand")):
        ax.plot(t, term[:, k], label=label)
    ax.plot(t, (inertia + weight + motion)[:, k], "k--", label="sum without load")
    ax.set(title=d.rates[k], xlabel="time [s]")
    ax.grid(alpha=0.3)
axes[0].set(ylabel="torque [N m]")
axes[0].legend(fontsize="small")
plt.show()

# %%
# The sum is inverse dynamics, the arm accelerates under it as the reference asks for, and its power is what the arm gains of
# kinetic and potential energy and what the friction takes.

tau = inertia + weight + motion
assert np.allclose(tau, [d.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)], atol=1e-10)
assert np.allclose(qdd, [d.forward_dynamics(*state) for state in zip(q, qd, tau, strict=True)], atol=1e-9)
kinetic = np.array([0.5 * v @ d.mass_matrix(x) @ v for x, v in zip(q, qd, strict=True)])
gain = np.gradient(kinetic, t) + np.sum(weight * qd, axis=1) + 1.5 * qd[:, 2] ** 2
power = np.sum(tau * qd, axis=1)
assert np.abs(power - gain)[1:-1].max() < 2e-3 * np.abs(power).max()  # second-order differences of 5 ms
