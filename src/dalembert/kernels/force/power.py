"""Power that drives, dampers, motors and loads supply to a mechanism, by which alone its total energy changes.

Kinetic energy, weight and the elastic energy ½ k x² of springs make up the total.  With the efforts u of the drives, the
multipliers λ of rows whose laws change them by Phi_t, and the load of each element beside its linear spring,
    E' = sum u qd + sum λ Phi_t + sum (load - elastic load) rate - etad·D etad,                    (1)
the third sum over the force elements (`supplied` of elements.py), the last term for damped flexible bodies.
"""

from ..algebra.small import dot3, load3
from ..compile.jit import kernel
from ..flex.floating import quadratic


@kernel
def outer_power(qd, work):
    """Power of the loads from outside [W]."""
    outer, effort, power = work.control.outer, work.control.effort, 0.0
    for i in range(outer.shape[0]):
        own = work.body[i]
        power += dot3((outer[i, 0], outer[i, 1], outer[i, 2]), load3(own.w_w))
        power += dot3((outer[i, 3], outer[i, 4], outer[i, 5]), load3(own.v_w))
    for k in range(effort.shape[0]):
        power += effort[k] * qd[k]
    return power


@kernel
def supplied_power(sys, qd, effort, work):
    """(1) of a state [W] without the force elements, with the drives' efforts in `effort` (n_v,), after its evaluation."""
    power = 0.0
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive >= 0:
            power += effort[k] * qd[k]
    for r in range(sys.row.shape[0]):
        power += work.row[r].multiplier * work.row[r].time_rate
    power += outer_power(qd, work)
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        if e.damped == 1:
            power -= quadratic(sys.floating.constant, e.De, e.n, qd, e.v)
    return power
