"""Variations of the force elements of elements.py, for tree/tangent.py: exact ones, or differences for elements without."""

from math import cos, sin, sqrt

from ...codes import ForceCode, LawCode, Status
from ..algebra.quad import load_columns, load_quads, store_quads
from ..algebra.rotation import SMALL_ANGLE, inverse_tangent_vec, vector_of_matrix
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
from ..compile.jit import kernel, part
from .elements import eval_action, eval_line, eval_load, eval_tension, is_on_joint, times3
from .laws import law_slopes, point_slopes
from .points import point_state

DIFFERENCE = 6e-6
"""Size of a step of central differences, about the third root of the rounding [rad, m, rad/s, m/s]."""


@kernel
def vary_point(row, o, arm):
    """Variations of arm, position and velocity of a point fixed in a body."""
    phi, w = load3(o.phi), load3(row.w_w)
    darm = cross(phi, arm)
    return darm, add3(load3(o.r), darm), add3(load3(o.v), add3(cross(load3(o.w), arm), cross(w, darm)))


@kernel
def subtract_wrench(o, arm, darm, f, dn, df):
    """Take the variation of an applied wrench, force f at `arm`, off the variation of a body's load."""
    moment = add3(dn, add3(cross(darm, f), cross(arm, df)))
    store3(o.n, sub3(load3(o.n), moment))
    store3(o.f, sub3(load3(o.f), df))


@kernel
def vary_inverse_tangent(th, dth, y, dy):
    """Variation of T(th)⁻ᵀ y = y + ½ th x y + c th x (th x y), c = (1 - a/2 cot(a/2)) / a², a = |th|."""
    a2 = dot3(th, th)
    a = sqrt(a2)
    if a < SMALL_ANGLE:
        c, slope = 1.0 / 12.0 + a2 / 720.0, 1.0 / 360.0
    else:
        half = 0.5 * a
        g = half * cos(half) / sin(half)
        g_a = 0.5 * cos(half) / sin(half) - 0.5 * half / sin(half) ** 2
        c = (1.0 - g) / a2
        slope = (-g_a / a2 - 2.0 * c / a) / a
    ty = cross(th, y)
    out = axpy3(0.5, cross(dth, y), inverse_tangent_vec(neg3(th), dy))
    out = axpy3(slope * dot3(th, dth), cross(th, ty), out)
    return axpy3(c, add3(cross(dth, ty), cross(th, cross(dth, y))), out)


@kernel
def vary_tension(e, line, tension, slope, slope_rate, work):
    """Variation of a tension along `line`, that of `eval_line`, for its slopes by the length and by the length's rate."""
    row_a, row_b, o_a, o_b = work.body[e.a], work.body[e.b], work.variation[e.a], work.variation[e.b]
    arm_a, arm_b, unit, length, rate = line
    if length == 0.0:
        return
    arm, r_a, v_a = point_state(row_a, load3(e.u_a))
    arm, r_b, v_b = point_state(row_b, load3(e.u_b))
    darm_a, dr_a, dv_a = vary_point(row_a, o_a, arm_a)
    darm_b, dr_b, dv_b = vary_point(row_b, o_b, arm_b)
    dline = sub3(dr_b, dr_a)
    dlength = dot3(unit, dline)
    dunit = scale3(axpy3(-dlength, unit, dline), 1.0 / length)
    drate = dot3(dunit, sub3(v_b, v_a)) + dot3(unit, sub3(dv_b, dv_a))
    dtension = slope * dlength + slope_rate * drate
    f = scale3(unit, -tension)
    df = axpy3(-tension, dunit, scale3(unit, -dtension))
    zero = (0.0, 0.0, 0.0)
    subtract_wrench(o_b, arm_b, darm_b, f, zero, df)
    subtract_wrench(o_a, arm_a, darm_a, neg3(f), zero, neg3(df))


@kernel
def vary_spring(sys, e, t, work):
    """Variation of a spring and damper between two points."""
    line = eval_line(e, work.body[e.a], work.body[e.b])
    length, rate = line[3], line[4]
    slope, slope_rate = law_slopes(sys, e.law, t, length, rate) if e.law >= 0 else (0.0, 0.0)
    vary_tension(e, line, eval_tension(sys, e, t, length, rate, work), e.k[0] + slope, e.c[0] + slope_rate, work)


@kernel
def vary_bushing(e, work):
    """Variation of a bushing."""
    row_a, row_b, o_a, o_b = work.body[e.a], work.body[e.b], work.variation[e.a], work.variation[e.b]
    arm_a, r_a, v_a = point_state(row_a, load3(e.u_a))
    arm_b, r_b, v_b = point_state(row_b, load3(e.u_b))
    darm_a, dr_a, dv_a = vary_point(row_a, o_a, arm_a)
    darm_b, dr_b, dv_b = vary_point(row_b, o_b, arm_b)
    R_a = mul33(load_columns(row_a.E_wb), load9(e.R_a))
    R_b = mul33(load_columns(row_b.E_wb), load9(e.R_b))
    phi, w_a, dw_a = load3(o_a.phi), load3(row_a.w_w), load3(o_a.w)

    # translation in frame a
    line, dline = sub3(r_b, r_a), sub3(dr_b, dr_a)
    slip = sub3(sub3(v_b, v_a), cross(w_a, line))
    dslip = sub3(sub3(dv_b, dv_a), add3(cross(dw_a, line), cross(w_a, dline)))
    x, xd = tmul33_vec(R_a, line), tmul33_vec(R_a, slip)
    dx = tmul33_vec(R_a, sub3(dline, cross(phi, line)))
    dxd = tmul33_vec(R_a, sub3(dslip, cross(phi, slip)))
    f = mul33_vec(R_a, neg3(add3(times3(load3(e.k), x), times3(load3(e.c), xd))))
    df = sub3(cross(phi, f), mul33_vec(R_a, add3(times3(load3(e.k), dx), times3(load3(e.c), dxd))))

    # rotation in frame a
    th = vector_of_matrix(tmul33(R_a, R_b))
    turn = sub3(load3(row_b.w_w), w_a)
    dturn = sub3(sub3(load3(o_b.w), dw_a), cross(phi, turn))
    dth = inverse_tangent_vec(th, tmul33_vec(R_a, sub3(load3(o_b.phi), phi)))
    y, dy = times3(load3(e.kt), th), times3(load3(e.kt), dth)
    elastic = inverse_tangent_vec(neg3(th), y)
    n = mul33_vec(R_a, neg3(add3(elastic, times3(load3(e.ct), tmul33_vec(R_a, turn)))))
    delastic = vary_inverse_tangent(th, dth, y, dy)
    dn = sub3(cross(phi, n), mul33_vec(R_a, add3(delastic, times3(load3(e.ct), tmul33_vec(R_a, dturn)))))

    subtract_wrench(o_b, arm_b, darm_b, f, dn, df)
    subtract_wrench(o_a, add3(arm_a, line), add3(darm_a, dline), neg3(f), neg3(dn), neg3(df))


@kernel
def vary_size(sys, e, t, row, o, direction, ddirection, x, rate, dr, dv):
    """Variation of the magnitude of a force or torque whose direction and point vary by ddirection, dr and dv."""
    arm, r, v = point_state(row, load3(e.u_b))
    if sys.law[e.law].code == LawCode.POINT_FUNCTION:
        by_r, by_v = point_slopes(sys, e.law, t, r, v)
        return dot3(by_r, dr) + dot3(by_v, dv)
    if e.code == ForceCode.FORCE:
        dx = dot3(ddirection, r) + dot3(direction, dr)
        drate = dot3(ddirection, v) + dot3(direction, dv)
    else:
        dx = 0.0
        drate = dot3(ddirection, load3(row.w_w)) + dot3(direction, load3(o.w))
    slope, slope_rate = law_slopes(sys, e.law, t, x, rate)
    return slope * dx + slope_rate * drate


@kernel
def vary_load(sys, e, t, work):
    """Variation of a force or torque on a body."""
    row, o = work.body[e.b], work.variation[e.b]
    direction, arm, size, x, rate = eval_load(sys, e, t, row, work)
    darm, dr, dv = vary_point(row, o, arm)
    zero = (0.0, 0.0, 0.0)
    ddirection = cross(load3(o.phi), direction) if e.follow == 1 else zero
    dsize = vary_size(sys, e, t, row, o, direction, ddirection, x, rate, dr, dv)
    change = axpy3(size, ddirection, scale3(direction, dsize))
    if e.code == ForceCode.FORCE:
        subtract_wrench(o, arm, darm, scale3(direction, size), zero, change)
    else:
        subtract_wrench(o, arm, darm, zero, change, zero)


@kernel
def moved_columns(E, phi, h):
    """Columns of a rotation that turns by h phi, to first order in h, as the differences below need it."""
    x, y, z = (E[0], E[1], E[2]), (E[4], E[5], E[6]), (E[8], E[9], E[10])
    x, y, z = axpy3(h, cross(phi, x), x), axpy3(h, cross(phi, y), y), axpy3(h, cross(phi, z), z)
    return (x[0], x[1], x[2], 0.0), (y[0], y[1], y[2], 0.0), (z[0], z[1], z[2], 0.0)


@kernel
def move_body(row, o, h):
    """Move pose and velocity of a body by h times its variation; returns what they were."""
    E, r, v, w = load_quads(row.E_wb), load3(row.r_w), load3(row.v_w), load3(row.w_w)
    store_quads(row.E_wb, moved_columns(row.E_wb, load3(o.phi), h))
    store3(row.r_w, axpy3(h, load3(o.r), r))
    store3(row.v_w, axpy3(h, load3(o.v), v))
    store3(row.w_w, axpy3(h, load3(o.w), w))
    return E, r, v, w


@kernel
def put_back(row, kept):
    """Give a body the pose and velocity that `move_body` returned."""
    store_quads(row.E_wb, kept[0])
    store3(row.r_w, kept[1])
    store3(row.v_w, kept[2])
    store3(row.w_w, kept[3])


@kernel
def variation_size(o):
    """Size of a body's variation."""
    phi, r, v, w = load3(o.phi), load3(o.r), load3(o.v), load3(o.w)
    return sqrt(dot3(phi, phi) + dot3(r, r) + dot3(v, v) + dot3(w, w))


@kernel
def moved_action(sys, e, t, h, work):
    """Moments about both bodies' origins and force of an element on bodies moved by h times their variations."""
    row_a, row_b = work.body[e.a], work.body[e.b]
    kept_a, kept_b = move_body(row_a, work.variation[e.a], h), move_body(row_b, work.variation[e.b], h)
    status, arm, n, f, size, length, rate, stored, supplied = eval_action(sys, e, t, work)
    n_b = add3(n, cross(arm, f))
    n_a = add3(n, cross(add3(arm, sub3(load3(row_b.r_w), load3(row_a.r_w))), f))
    put_back(row_b, kept_b)
    put_back(row_a, kept_a)
    return status, n_a, n_b, f


@kernel
def vary_by_differences(sys, e, t, work) -> int:
    """Variation of an element that has none of its own: central differences of its wrench, good to about nine digits."""
    o_a, o_b = work.variation[e.a], work.variation[e.b]
    size = variation_size(o_a) + variation_size(o_b)
    if size == 0.0:
        return eval_action(sys, e, t, work)[0]
    h = DIFFERENCE / size
    status, n_a, n_b, f = moved_action(sys, e, t, h, work)
    status, m_a, m_b, g = moved_action(sys, e, t, -h, work)
    per = 0.5 / h
    store3(o_b.n, axpy3(-per, sub3(n_b, m_b), load3(o_b.n)))
    store3(o_b.f, axpy3(-per, sub3(f, g), load3(o_b.f)))
    if e.a > 0:
        store3(o_a.n, axpy3(per, sub3(n_a, m_a), load3(o_a.n)))
        store3(o_a.f, axpy3(per, sub3(f, g), load3(o_a.f)))
    return status


@part
def vary_action(sys, e, t, work) -> int:
    """Take the variation of an element's wrenches off the loads of its bodies."""
    if e.code == ForceCode.SPRING_DAMPER:
        vary_spring(sys, e, t, work)
    elif e.code == ForceCode.BUSHING:
        vary_bushing(e, work)
    elif e.code == ForceCode.FORCE or e.code == ForceCode.TORQUE:
        vary_load(sys, e, t, work)
    else:  # no variation of its own
        return vary_by_differences(sys, e, t, work)
    return Status.OK.value


@kernel
def eval_force_variations(sys, t, q, qd, dq, dqd, dtau, work) -> int:
    """Fill the variations dtau of the efforts and take those of the applied wrenches off the bodies' loads."""
    for k in range(dtau.shape[0]):
        dtau[k] = 0.0
    for i in range(sys.force.shape[0]):
        e = sys.force[i]
        if is_on_joint(e):
            slope, slope_rate = law_slopes(sys, e.law, t, q[e.q], qd[e.v]) if e.law >= 0 else (0.0, 0.0)
            dtau[e.v] += (slope - e.k[0]) * dq[e.v] + (slope_rate - e.c[0]) * dqd[e.v]
            continue
        status = vary_action(sys, e, t, work)
        if status != Status.OK.value:
            work.fail[0].force = i
            return status
    return Status.OK.value
