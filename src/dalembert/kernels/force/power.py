"""Power that drives, dampers, motors and loads supply to a mechanism, by which alone its total energy changes.

Kinetic energy, weight and the elastic energy ½ k x² of springs make up the total.  With the efforts u of the drives, the
multipliers λ of rows whose laws change them by Phi_t, and the load of each element beside its linear spring,
    E' = sum u qd + sum λ Phi_t + sum (load - elastic load) rate - etad·D etad,                    (1)
the third sum over the force elements, the last term for damped flexible bodies.
"""

from ...codes import ForceCode
from ..algebra.small import dot3, load3
from ..compile.jit import kernel
from ..flex.floating import quadratic
from .elements import eval_bushing_rates, eval_joint_effort, eval_line, eval_load, eval_tension, times3


@kernel
def element_power(sys, e, t, q, qd, work):
    """Power of a force element [W] without that of its linear spring."""
    if e.code == ForceCode.JOINT_SPRING or e.code == ForceCode.MOTOR:
        return (eval_joint_effort(sys, e, t, q, qd, work) + e.k[0] * (q[e.q] - e.rest)) * qd[e.v]
    if e.code == ForceCode.SPRING_DAMPER:
        arm_a, arm_b, unit, length, rate = eval_line(e, work.body[e.a], work.body[e.b])
        return -(eval_tension(sys, e, t, length, rate, work) - e.k[0] * (length - e.rest)) * rate
    if e.code == ForceCode.BUSHING:
        xd, w = eval_bushing_rates(e, work.body[e.a], work.body[e.b])
        return -dot3(xd, times3(load3(e.c), xd)) - dot3(w, times3(load3(e.ct), w))
    direction, arm, size, x, rate = eval_load(sys, e, t, work.body[e.b], work)
    return size * rate


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
def supplied_power(sys, t, q, qd, effort, work):
    """(1) of a state [W], with the drives' efforts in `effort` (n_v,), after its evaluation with its multipliers."""
    power = 0.0
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive >= 0:
            power += effort[k] * qd[k]
    for r in range(sys.row.shape[0]):
        power += work.row[r].multiplier * work.row[r].time_rate
    for i in range(sys.force.shape[0]):
        power += element_power(sys, sys.force[i], t, q, qd, work)
    power += outer_power(qd, work)
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        if e.damped == 1:
            power -= quadratic(sys.floating.constant, e.De, e.n, qd, e.v)
    return power
