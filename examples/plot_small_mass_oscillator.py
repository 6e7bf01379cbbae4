r"""
Small mass on stiff springs
===========================

A light mass between a wall and a heavy mass, on two stiff springs: the example with which Arnold begins his article on
singularly perturbed multibody systems ([ARN], Figures 1 and 2).  The lighter it is, the faster it swings, and an
integrator that controls its error follows every swing.  Without any mass its equation of motion becomes one of first order,

.. math::

   0 = F(t) - d_1 \dot p_1 - c_1 p_1 + d_2 (\dot p_2 - \dot p_1) + c_2 (p_2 - p_1),

the fast swing is gone, and large steps do.  Here :math:`m_2 = 1` kg, :math:`c_1 = c_2 = 1000` N/m,
:math:`d_1 = d_2 = 10^{-3}` N s/m and :math:`F = 100 \cos 10 t` N.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

X = (1, 0, 0)
SPRING = dict(stiffness=1000.0, damping=1e-3)


def oscillator(light):
    """Return the two masses; the joint of the second one measures its distance from the first."""
    m = dal.Model("small-mass oscillator", gravity=(0, 0, 0))
    return m.add(dal.Body("one", mass=light), dal.Body("two", mass=1.0),
                 dal.Prismatic("p1", "ground", "one", axis=X), dal.Prismatic("q2", "one", "two", axis=X),
                 dal.JointSpring("wall", "p1", **SPRING), dal.JointSpring("link", "q2", **SPRING),
                 dal.Force("load", "one", direction=X, magnitude=dal.sine(amplitude=100.0, omega=10.0, phase=np.pi / 2)))


# %%
# What a small mass does can be foreseen without a run: the modes with and without it.

report = dal.perturbation_report(oscillator(1e-5))
print(report)
report.plot()

# %%
# The same run for falling mass ratios, and for none.  With weak dampers the massless point returns to its equilibrium at a
# rate of :math:`(c_1 + c_2)/(d_1 + d_2) = 10^6` 1/s.  Its speed is known where a step ends and nowhere else, so each recorded
# time ends a step.  Steps that the accuracy asks for are therefore counted in a run with ten frames.


def run(model, record=5e-4):
    """Return the results of 0.2 s."""
    return dal.run(model, until=0.2, integrator="bdf", accuracy=1e-6, record=record)


ratios = 10.0 ** -np.arange(1, 7)
runs = [run(oscillator(ratio)) for ratio in ratios]
without = dal.neglected(oscillator(1e-3), ["one"])
reduced, counted = run(without), run(without, record=0.02)
print("\n".join(reduced.messages))
steps, reduced_steps = np.array([r.stats.steps for r in runs]), counted.stats.steps

figure, (cost, paths) = plt.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained")
cost.loglog(ratios, steps, "o-", label="small mass")
cost.axhline(reduced_steps, color="tab:red", label="no mass")
cost.set(xlabel="mass ratio $m_1/m_2$", ylabel="steps", title="BDF, accuracy $10^{-6}$")
cost.invert_xaxis()
cost.legend()
paths.plot(runs[2].t, runs[2]["one.position"][:, 0], color="tab:blue", linewidth=0.8, label="light, $10^{-3}$ kg")
paths.plot(reduced.t, reduced["one.position"][:, 0], color="tab:red", label="light, no mass")
paths.plot(reduced.t, reduced["two.position"][:, 0], "k--", label="heavy, light one without mass")
paths.set(xlabel="time [s]", ylabel="position [m]", title="what is smoothed away", xticks=np.arange(5) * 0.05)
paths.legend()
plt.show()

# %%
# The heavy mass hardly notices: the reduced solution is approached in proportion to the mass ratio.

off = [np.max(np.abs(r["two.position"] - reduced["two.position"])) for r in runs[:4]]
order = -np.polyfit(np.arange(4), np.log10(off), 1)[0]
print(f"{steps[4] / reduced_steps:.0f} times fewer steps than at ratio 1e-5; order of convergence {order:.2f}")
assert abs(order - 1) < 0.15
assert steps[4] > 50 * reduced_steps
