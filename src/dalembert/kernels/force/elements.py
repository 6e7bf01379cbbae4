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
from ..compile.jit import kernel, part, shared
from ..control.controllers import eval_controllers
from .laws import check_laws, eval_law, eval_point_law
from .points import add_wrench, point_state


@kernel
def held_output(e, work):
    """What a controller adds to a force element."""
    return work.control.held[e.held] if e.held >= 0 else 0.0


@kernel
def times3(a, b):
    """Component by component product."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@kernel
def eval_joint_effort(sys, e, t, q, qd, work):
    """Effort of a joint spring or motor on its rate."""
    x, v = q[e.q], qd[e.v]
    effort = held_output(e, work) - e.k[0] * (x - e.rest) - e.c[0] * v
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
def eval_tension(sys, e, t, length, rate, work):
    """Tension of a spring and damper."""
    tension = held_output(e, work) + e.k[0] * (length - e.rest) + e.c[0] * rate
    if e.law >= 0:
        tension += eval_law(sys, e.law, t, length, rate, 0)
    return tension


@kernel
def eval_bushing(e, row_a, row_b):
    """Displacement x and rotation vector th in frame a, their rates xd and w, moment and force on b (world)."""
    arm_a, r_a, v_a = point_state(row_a, load3(e.u_a))
    arm_b, r_b, v_b = point_state(row_b, load3(e.u_b))
    R_a = mul33(load_columns(row_a.E_wb), load9(e.R_a))
    R_b = mul33(load_columns(row_b.E_wb), load9(e.R_b))
    line, w_a = sub3(r_b, r_a), load3(row_a.w_w)
    x = tmul33_vec(R_a, line)
    th = vector_of_matrix(tmul33(R_a, R_b))
    xd = tmul33_vec(R_a, sub3(sub3(v_b, v_a), cross(w_a, line)))
    w = tmul33_vec(R_a, sub3(load3(row_b.w_w), w_a))
    f = mul33_vec(R_a, neg3(add3(times3(load3(e.k), x), times3(load3(e.c), xd))))              # (1)
    elastic = inverse_tangent_vec(neg3(th), times3(load3(e.kt), th))
    n = mul33_vec(R_a, neg3(add3(elastic, times3(load3(e.ct), w))))                            # (2)
    return x, th, xd, w, arm_b, n, f


@kernel
def eval_load(sys, e, t, row, work):
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
    return direction, arm, size + held_output(e, work), x, rate


@kernel
def add_outer_loads(sys, tau, work):
    """Add the loads that come from outside of the model."""
    outer, effort = work.control.outer, work.control.effort
    for i in range(outer.shape[0]):
        own, load = work.body[i], outer[i]
        f = (load[3], load[4], load[5])
        arm = mul33_vec(load_columns(own.E_wb), (load[6], load[7], load[8]))
        store3(own.en, add3(load3(own.en), add3((load[0], load[1], load[2]), cross(arm, f))))
        store3(own.ef, add3(load3(own.ef), f))
    for k in range(effort.shape[0]):
        tau[k] += effort[k]


@kernel
def is_on_joint(e):
    """True for an element that acts on a joint coordinate."""
    return e.code == ForceCode.JOINT_SPRING or e.code == ForceCode.MOTOR


@part
def eval_action(sys, e, t, work):
    """What an element between places does: (status, arm, n, f, size, length, rate, stored, supplied).

    A moment n and a force f act on the second body at `arm` from its origin, and the opposite ones on the first body, unless
    that is the ground, at the same place.  Results show size, length and rate.  `stored` is the elastic energy [J], `supplied`
    the power of the wrench beyond what the energy loses [W].
    """
    zero = (0.0, 0.0, 0.0)
    row_a, row_b = work.body[e.a], work.body[e.b]
    if e.code == ForceCode.SPRING_DAMPER:
        arm_a, arm, unit, length, rate = eval_line(e, row_a, row_b)
        tension, stretch = eval_tension(sys, e, t, length, rate, work), length - e.rest
        supplied = -(tension - e.k[0] * stretch) * rate
        return (Status.OK.value, arm, zero, scale3(unit, -tension), tension, length, rate, 0.5 * e.k[0] * stretch ** 2,
                supplied)
    if e.code == ForceCode.BUSHING:
        x, th, xd, w, arm, n, f = eval_bushing(e, row_a, row_b)
        stored = 0.5 * (dot3(x, times3(load3(e.k), x)) + dot3(th, times3(load3(e.kt), th)))
        supplied = -dot3(xd, times3(load3(e.c), xd)) - dot3(w, times3(load3(e.ct), w))
        return Status.OK.value, arm, n, f, sqrt(dot3(f, f)), sqrt(dot3(x, x)), 0.0, stored, supplied
    if e.code == ForceCode.FORCE:
        direction, arm, size, x, rate = eval_load(sys, e, t, row_b, work)
        return Status.OK.value, arm, zero, scale3(direction, size), size, x, rate, 0.0, size * rate
    if e.code == ForceCode.TORQUE:
        direction, arm, size, x, rate = eval_load(sys, e, t, row_b, work)
        return Status.OK.value, arm, scale3(direction, size), zero, size, x, rate, 0.0, size * rate
    return Status.UNKNOWN_FORCE.value, zero, zero, zero, 0.0, 0.0, 0.0, 0.0, 0.0


@shared
def eval_forces(sys, t, q, qd, tau, work) -> int:
    """Fill the efforts tau of the rates and add the wrenches on the bodies to en, ef, after `eval_motion`."""
    rows = work.body
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    status = check_laws(sys, work)
    if status == Status.OK.value and sys.control.controller.shape[0] > 0:
        status = eval_controllers(sys, t, q, qd, work)
    if status != Status.OK.value:
        return status
    add_outer_loads(sys, tau, work)
    for i in range(sys.force.shape[0]):
        e = sys.force[i]
        if is_on_joint(e):
            tau[e.v] += eval_joint_effort(sys, e, t, q, qd, work)
            continue
        status, arm, n, f, size, length, rate, stored, supplied = eval_action(sys, e, t, work)
        if status != Status.OK.value:
            work.fail[0].force = i
            return status
        add_wrench(rows[e.b], arm, n, f)
        if e.a > 0:
            arm_a = add3(arm, sub3(load3(rows[e.b].r_w), load3(rows[e.a].r_w)))
            add_wrench(rows[e.a], arm_a, neg3(n), neg3(f))
    return Status.OK.value


@kernel
def eval_element(sys, e, t, q, qd, work):
    """Force and moment on an element's second body, size, length, rate, `stored` and `supplied` of `eval_action`; a status."""
    zero = (0.0, 0.0, 0.0)
    if is_on_joint(e):
        x, effort = q[e.q] - e.rest, eval_joint_effort(sys, e, t, q, qd, work)
        stored, supplied = 0.5 * e.k[0] * x ** 2, (effort + e.k[0] * x) * qd[e.v]
        return zero, zero, effort, q[e.q], qd[e.v], stored, supplied, Status.OK.value
    status, arm, n, f, size, length, rate, stored, supplied = eval_action(sys, e, t, work)
    return f, n, size, length, rate, stored, supplied, status


@kernel
def without_effort(sys, k, effort, A, n, f):
    """The load (n, f) of a joint without the wrench of an effort on rate k; A is the joint frame at zero."""
    d = sys.dof[k]
    n = axpy3(-effort, mul33_vec(A, load3(d.e_n)), n)
    f = axpy3(-effort, mul33_vec(A, load3(d.e_f)), f)
    return n, f
