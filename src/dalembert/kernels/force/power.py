"""Power that drives, dampers, motors and loads supply to a mechanism, by which alone its total energy changes.

Kinetic energy, weight and the elastic energy ½ k x² of springs make up the total.  With the efforts u of the drives, the
multipliers λ of rows whose laws change them by Phi_t, and the load of each element beside its linear spring,
    E' = sum u qd + sum λ Phi_t + sum (load - elastic load) rate - etad·D etad,                    (1)
the third sum over the force elements, the last term for damped flexible bodies.
"""

from ...codes import ForceCode, Status
from ..algebra.small import dot3, load3
from ..compile.jit import kernel
from ..flex.floating import quadratic
from .elements import eval_bushing_rates, eval_joint_effort, eval_line, eval_load, eval_tension, times3


@kernel
def element_power(sys, e, t, q, qd, work):
    """Power of a force element [W] without that of its linear spring; and a status."""
    if e.code == ForceCode.JOINT_SPRING or e.code == ForceCode.MOTOR:
        return (eval_joint_effort(sys, e, t, q, qd) + e.k[0] * (q[e.q] - e.rest)) * qd[e.v], Status.OK.value
    if e.code == ForceCode.SPRING_DAMPER:
        arm_a, arm_b, unit, length, rate = eval_line(e, work.body[e.a], work.body[e.b])
        return -(eval_tension(sys, e, t, length, rate) - e.k[0] * (length - e.rest)) * rate, Status.OK.value
    if e.code == ForceCode.BUSHING:
        xd, w = eval_bushing_rates(e, work.body[e.a], work.body[e.b])
        return -dot3(xd, times3(load3(e.c), xd)) - dot3(w, times3(load3(e.ct), w)), Status.OK.value
    direction, arm, size, x, rate = eval_load(sys, e, t, work.body[e.b])
    known = e.code == ForceCode.FORCE or e.code == ForceCode.TORQUE
    return size * rate, Status.OK.value if known else Status.UNKNOWN_FORCE.value


@kernel
def supplied_power(sys, t, q, qd, effort, work):
    """(1) of a state [W], with the drives' efforts in `effort` (n_v,), after its evaluation with its multipliers; a status."""
    power = 0.0
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive >= 0:
            power += effort[k] * qd[k]
    for r in range(sys.row.shape[0]):
        power += work.row[r].multiplier * work.row[r].time_rate
    for i in range(sys.force.shape[0]):
        supplied, status = element_power(sys, sys.force[i], t, q, qd, work)
        if status != Status.OK.value:
            work.fail[0].force = i
            return power, status
        power += supplied
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        if e.damped == 1:
            power -= quadratic(sys.floating.constant, e.De, e.n, qd, e.v)
    return power, Status.OK.value
