"""Force elements: efforts on rates, wrenches on bodies, and elastic energy.

Tension of a spring and damper between points a and b: T = k (l - l0) + c l' + law(t, l, l').
Bushing: x, th = displacement and rotation vector of frame b in frame a, V = ½ xᵀKx + ½ thᵀK_t th,
    force on b at its point  -R_a (K x + C x'),                                               (1)
    moment on b              -R_a (T(th)⁻ᵀ K_t th + C_t w_rel),                               (2)
since th' = T(th)⁻¹ w_rel, so that (2) is conservative; the opposite wrench acts on a along the same line.
"""

from math import nan, sqrt

from ...codes import ForceCode, LawCode, Status
from ..algebra.quad import load_columns
from ..algebra.rotation import inverse_tangent_vec, vector_of_matrix
from ..algebra.small import (
    add3,
    axpy3,
    cross,
    dot3,
    load3,
    load9,
    mul33,
    mul33_vec,
    neg3,
    scale3,
    store3,
    sub3,
    tmul33,
    tmul33_vec,
)
from ..compile.jit import kernel, shared
from .laws import check_laws, eval_law, eval_point_law


@kernel
def add_wrench(row, arm, n, f):
    """Add a moment n and a force f, acting at `arm` from the origin, to a body's applied wrench."""
    store3(row.en, add3(load3(row.en), add3(n, cross(arm, f))))
    store3(row.ef, add3(load3(row.ef), f))


@kernel
def point_state(row, u_b):
    """Arm, position and velocity of a point fixed in a body, world axes."""
    arm = mul33_vec(load_columns(row.E_wb), u_b)
    return arm, add3(load3(row.r_w), arm), add3(load3(row.v_w), cross(load3(row.w_w), arm))


@kernel
def times3(a, b):
    """Component by component product."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@kernel
def eval_joint_effort(sys, e, t, q, qd):
    """Effort of a joint spring or motor on its rate."""
    x, v = q[e.q], qd[e.v]
    effort = -e.k[0] * (x - e.rest) - e.c[0] * v
    if e.law >= 0:
        effort += eval_law(sys, e.law, t, x, v, 0)
    return effort


@kernel
def eval_line(e, row_a, row_b):
    """Geometry of a two-point element: arms, unit direction a -> b, length, rate."""
    arm_a, r_a, v_a = point_state(row_a, load3(e.u_a))
    arm_b, r_b, v_b = point_state(row_b, load3(e.u_b))
    line = sub3(r_b, r_a)
    length = sqrt(dot3(line, line))
    unit = scale3(line, 1.0 / length) if length > 0.0 else (0.0, 0.0, 0.0)
    return arm_a, arm_b, unit, length, dot3(unit, sub3(v_b, v_a))


@kernel
def eval_tension(sys, e, t, length, rate):
    """Tension of a spring and damper."""
    tension = e.k[0] * (length - e.rest) + e.c[0] * rate
    if e.law >= 0:
        tension += eval_law(sys, e.law, t, length, rate, 0)
    return tension


@kernel
def eval_bushing(e, row_a, row_b):
    """Displacement x and rotation vector th in frame a, their rates, frame a and the moment and force on b (world)."""
    arm_a, r_a, v_a = point_state(row_a, load3(e.u_a))
    arm_b, r_b, v_b = point_state(row_b, load3(e.u_b))
    R_a = mul33(load_columns(row_a.E_wb), load9(e.R_a))
    R_b = mul33(load_columns(row_b.E_wb), load9(e.R_b))
    line = sub3(r_b, r_a)
    x = tmul33_vec(R_a, line)
    th = vector_of_matrix(tmul33(R_a, R_b))
    xd, w = eval_bushing_rates(e, row_a, row_b)
    f = mul33_vec(R_a, neg3(add3(times3(load3(e.k), x), times3(load3(e.c), xd))))              # (1)
    elastic = inverse_tangent_vec(neg3(th), times3(load3(e.kt), th))
    n = mul33_vec(R_a, neg3(add3(elastic, times3(load3(e.ct), w))))                            # (2)
    return x, th, arm_a, arm_b, line, n, f


@kernel
def eval_bushing_rates(e, row_a, row_b):
    """Rate of the displacement and relative angular velocity of a bushing, in frame a."""
    arm_a, r_a, v_a = point_state(row_a, load3(e.u_a))
    arm_b, r_b, v_b = point_state(row_b, load3(e.u_b))
    R_a = mul33(load_columns(row_a.E_wb), load9(e.R_a))
    w_a = load3(row_a.w_w)
    xd = tmul33_vec(R_a, sub3(sub3(v_b, v_a), cross(w_a, sub3(r_b, r_a))))
    return xd, tmul33_vec(R_a, sub3(load3(row_b.w_w), w_a))


@kernel
def eval_load(sys, e, t, row):
    """Direction (world), point's arm, and magnitude of a force or torque on a body; NaN for an element that is neither."""
    arm, r, v = point_state(row, load3(e.u_b))
    direction = load3(e.dir)
    if e.follow == 1:
        direction = mul33_vec(load_columns(row.E_wb), mul33_vec(load9(e.R_b), direction))
    if e.code == ForceCode.FORCE:
        x, rate = dot3(direction, r), dot3(direction, v)
    elif e.code == ForceCode.TORQUE:
        x, rate = 0.0, dot3(direction, load3(row.w_w))
    else:
        return direction, arm, nan, nan, nan
    if sys.law[e.law].code == LawCode.POINT_FUNCTION:
        size = eval_point_law(sys, e.law, t, r, v)
    else:
        size = eval_law(sys, e.law, t, x, rate, 0)
    return direction, arm, size, x, rate


@shared
def eval_forces(sys, t, q, qd, tau, work) -> int:
    """Fill the efforts tau of the rates and add the wrenches on the bodies to en, ef, after `eval_motion`."""
    rows = work.body
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    status = check_laws(sys, work)
    if status != Status.OK.value:
        return status
    for i in range(sys.force.shape[0]):
        e = sys.force[i]
        if e.code == ForceCode.JOINT_SPRING or e.code == ForceCode.MOTOR:
            tau[e.v] += eval_joint_effort(sys, e, t, q, qd)
        elif e.code == ForceCode.SPRING_DAMPER:
            row_a, row_b = rows[e.a], rows[e.b]
            arm_a, arm_b, unit, length, rate = eval_line(e, row_a, row_b)
            f = scale3(unit, -eval_tension(sys, e, t, length, rate))
            add_wrench(row_b, arm_b, (0.0, 0.0, 0.0), f)
            add_wrench(row_a, arm_a, (0.0, 0.0, 0.0), neg3(f))
        elif e.code == ForceCode.BUSHING:
            row_a, row_b = rows[e.a], rows[e.b]
            x, th, arm_a, arm_b, line, n, f = eval_bushing(e, row_a, row_b)
            add_wrench(row_b, arm_b, n, f)
            add_wrench(row_a, add3(arm_a, line), neg3(n), neg3(f))
        elif e.code == ForceCode.FORCE:
            direction, arm, size, x, rate = eval_load(sys, e, t, rows[e.b])
            add_wrench(rows[e.b], arm, (0.0, 0.0, 0.0), scale3(direction, size))
        elif e.code == ForceCode.TORQUE:
            direction, arm, size, x, rate = eval_load(sys, e, t, rows[e.b])
            add_wrench(rows[e.b], arm, scale3(direction, size), (0.0, 0.0, 0.0))
        else:
            work.fail[0].force = i
            return Status.UNKNOWN_FORCE.value
    return Status.OK.value


@kernel
def eval_elastic_energy(sys, q, work):
    """Energy stored in springs and bushings [J], after `eval_motion` and `eval_places`; and a status."""
    energy = 0.0
    for i in range(sys.force.shape[0]):
        e = sys.force[i]
        if e.code == ForceCode.JOINT_SPRING:
            energy += 0.5 * e.k[0] * (q[e.q] - e.rest) ** 2
        elif e.code == ForceCode.SPRING_DAMPER:
            arm_a, arm_b, unit, length, rate = eval_line(e, work.body[e.a], work.body[e.b])
            energy += 0.5 * e.k[0] * (length - e.rest) ** 2
        elif e.code == ForceCode.BUSHING:
            x, th, arm_a, arm_b, line, n, f = eval_bushing(e, work.body[e.a], work.body[e.b])
            energy += 0.5 * (dot3(x, times3(load3(e.k), x)) + dot3(th, times3(load3(e.kt), th)))
        elif not (e.code == ForceCode.MOTOR or e.code == ForceCode.FORCE or e.code == ForceCode.TORQUE):  # which store none
            work.fail[0].force = i
            return energy, Status.UNKNOWN_FORCE.value
    return energy, Status.OK.value


@kernel
def eval_element(sys, e, t, q, qd, work):
    """What a force element does now: force and moment on its (second) body, effort, length, rate; and a status."""
    zero = (0.0, 0.0, 0.0)
    rows = work.body
    if e.code == ForceCode.JOINT_SPRING or e.code == ForceCode.MOTOR:
        return zero, zero, eval_joint_effort(sys, e, t, q, qd), q[e.q], qd[e.v], Status.OK.value
    if e.code == ForceCode.SPRING_DAMPER:
        arm_a, arm_b, unit, length, rate = eval_line(e, rows[e.a], rows[e.b])
        tension = eval_tension(sys, e, t, length, rate)
        return scale3(unit, -tension), zero, tension, length, rate, Status.OK.value
    if e.code == ForceCode.BUSHING:
        x, th, arm_a, arm_b, line, n, f = eval_bushing(e, rows[e.a], rows[e.b])
        return f, n, sqrt(dot3(f, f)), sqrt(dot3(x, x)), 0.0, Status.OK.value
    direction, arm, size, x, rate = eval_load(sys, e, t, rows[e.b])
    if e.code == ForceCode.FORCE:
        return scale3(direction, size), zero, size, x, rate, Status.OK.value
    if e.code == ForceCode.TORQUE:
        return zero, scale3(direction, size), size, x, rate, Status.OK.value
    return zero, zero, nan, nan, nan, Status.UNKNOWN_FORCE.value


@kernel
def without_effort(sys, k, effort, A, n, f):
    """The load (n, f) of a joint without the wrench of an effort on rate k; A is the joint frame at zero."""
    d = sys.dof[k]
    n = axpy3(-effort, mul33_vec(A, load3(d.e_n)), n)
    f = axpy3(-effort, mul33_vec(A, load3(d.e_f)), f)
    return n, f
