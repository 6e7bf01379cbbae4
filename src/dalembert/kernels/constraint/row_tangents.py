"""Exact variations of the constraint rows of rows.py: their unit wrenches, and the loads of their multipliers.

A body's small rotation phi and displacement dr turn its directions by phi x e and move its points by dr + phi x (p - r), so
that the moment m, the force f and the arm P - r_b of a row vary by
    DIRECTION   dm = de_b x e_a + e_b x de_a;   ANGLE: with g for e_a, dg = phi_a x g + g_y dy           (1)
    DISTANCE    df = (1 - f f^T) (dp_b - dp_a) / |p_b - p_a|                                             (2)
    a wheel     d(P - p_b) = -rho (1 - k^ k^T) dk / |k|,  k^ = k/|k|,                                    (3)
                dk = de_a - d(e_a·e_b) e_b - (e_a·e_b) de_b
and the unit wrench about the bodies' origins by
    dn_b = dm + d(P - r_b) x f + (P - r_b) x df,   dn_a = -(dm + d(P - r_a) x f + (P - r_a) x df)        (4)
Along the velocities of the bodies these are time derivatives; row_accelerations.py uses them so.
"""

from ...codes import RowCode, Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, axpy3, cross, dot3, load3, mul33_vec, neg3, scale3, store3, sub3
from ..compile.jit import kernel, part
from ..force.points import point_state
from .coordinate_rows import is_term_row, vary_term_row
from .rows import (
    eval_angle,
    eval_pair,
    eval_prescribed,
    eval_wheel,
    eval_work,
    load_velocities,
    load_wrench,
    row_load,
    unit_of,
)


@kernel
def vary_unit(unit, length, dx):
    """Variation of the direction of a vector of given length that changes by dx; zero without a direction."""
    return scale3(axpy3(-dot3(unit, dx), unit, dx), 1.0 / length) if length > 0.0 else (0.0, 0.0, 0.0)


@kernel
def vary_wheel(e_a, e_b, de_a, de_b):
    """Variation of the direction from the point of contact to the wheel's centre."""
    up, size = eval_wheel(e_a, e_b)
    x, dx = dot3(e_a, e_b), dot3(de_a, e_b) + dot3(e_a, de_b)
    return vary_unit(up, size, sub3(axpy3(-dx, e_b, de_a), scale3(de_b, x)))                      # (3)


@kernel
def vary_pair(c, row_a, row_b, y, dy, motion):
    """Variations of Phi's derivative by y, of the moment m, the force f and the arm P - r_b of a row; a status."""
    zero = (0.0, 0.0, 0.0)
    phi_a, dr_a, phi_b, dr_b = motion
    R_a, R_b = load_columns(row_a.E_wb), load_columns(row_b.E_wb)
    e_a, e_b = mul33_vec(R_a, load3(c.e_a)), mul33_vec(R_b, load3(c.e_b))
    de_a, de_b = cross(phi_a, e_a), cross(phi_b, e_b)
    arm_a, p_a, v_a = point_state(row_a, load3(c.u_a))
    arm_b, p_b, v_b = point_state(row_b, load3(c.u_b))
    darm = cross(phi_b, arm_b)
    if c.code == RowCode.POSITION or c.code == RowCode.SLIDE_SPEED:
        return 0.0, zero, de_a, darm, Status.OK.value
    if c.code == RowCode.DIRECTION:
        return 0.0, add3(cross(de_b, e_a), cross(e_b, de_a)), zero, darm, Status.OK.value         # (1)
    if c.code == RowCode.DISTANCE:
        unit, length = unit_of(sub3(p_b, p_a))
        dline = sub3(add3(dr_b, darm), add3(dr_a, cross(phi_a, arm_a)))
        return 0.0, zero, vary_unit(unit, length, dline), darm, Status.OK.value                   # (2)
    if c.code == RowCode.ANGLE:
        g, g_y = eval_angle(y, e_a, mul33_vec(R_a, load3(c.f_a)))
        dg, dg_y = axpy3(dy, g_y, cross(phi_a, g)), axpy3(-dy, g, cross(phi_a, g_y))
        return dot3(dg_y, e_b) + dot3(g_y, de_b), add3(cross(de_b, g), cross(e_b, dg)), zero, darm, Status.OK.value
    if c.code == RowCode.WHEEL_HEIGHT:
        return 0.0, zero, de_a, axpy3(-c.radius, vary_wheel(e_a, e_b, de_a, de_b), darm), Status.OK.value
    if c.code == RowCode.WHEEL_SLIP:
        df = cross(phi_a, mul33_vec(R_a, load3(c.f_a)))
        return 0.0, zero, df, axpy3(-c.radius, vary_wheel(e_a, e_b, de_a, de_b), darm), Status.OK.value
    if c.code == RowCode.TURN_SPEED:
        return 0.0, de_a, zero, darm, Status.OK.value
    return 0.0, zero, zero, darm, Status.UNKNOWN_ROW.value


@kernel
def vary_wrench(c, row_a, row_b, y, dy, motion):
    """Derivative of Phi by y, its variation, those (dn_a, df_a, dn_b, df_b) of the unit wrench, and a status.

    `motion` holds small rotations and displacements phi_a, dr_a, phi_b, dr_b of the bodies, dy that of y.
    """
    value, by_y, m, f, arm, status = eval_pair(c, row_a, row_b, y)
    dby_y, dm, df, darm, status = vary_pair(c, row_a, row_b, y, dy, motion)
    reach = add3(arm, sub3(load3(row_b.r_w), load3(row_a.r_w)))
    dreach = add3(darm, sub3(motion[3], motion[1]))
    dn_b = add3(dm, add3(cross(darm, f), cross(arm, df)))                                         # (4)
    dn_a = neg3(add3(dm, add3(cross(dreach, f), cross(reach, df))))
    return by_y, dby_y, (dn_a, neg3(df), dn_b, df), status


@kernel
def add_variation(o, load, dload, n, f, dn, df):
    """Add the variation of `load` times a wrench to the variation of a body's load."""
    store3(o.n, axpy3(load, dn, axpy3(dload, n, load3(o.n))))
    store3(o.f, axpy3(load, df, axpy3(dload, f, load3(o.f))))


@part
def vary_pair_row(sys, c, own, load, t, work) -> int:
    """Take the variation of the applied loads of a row between two bodies off the variations of their loads."""
    row_a, row_b, o_a, o_b = work.body[c.a], work.body[c.b], work.variation[c.a], work.variation[c.b]
    motion = (load3(o_a.phi), load3(o_a.r), load3(o_b.phi), load3(o_b.r))
    wrench = load_wrench(own)
    by_y, dby_y, dwrench, status = vary_wrench(c, row_a, row_b, eval_prescribed(sys, c, t, 0), 0.0, motion)
    if c.rate_only == 1:
        faster = (load3(o_a.w), load3(o_a.v), load3(o_b.w), load3(o_b.v))
        change = eval_work(wrench, faster) + eval_work(dwrench, load_velocities(row_a, row_b))
    else:
        change = eval_work(wrench, motion)
    dload = own.pen * change
    add_variation(o_a, load, dload, wrench[0], wrench[1], dwrench[0], dwrench[1])
    add_variation(o_b, load, dload, wrench[2], wrench[3], dwrench[2], dwrench[3])
    return status


@kernel
def vary_rows(sys, t, q, qd, dq, dqd, dtau, work) -> int:
    """Variations of the loads of `add_row_loads` along (dq, dqd), each (n_v,), after `eval_rows` and `vary_motion`.

    Those on bodies are taken off the bodies' load variations, those on rates are added to dtau (n_v,), as
    `eval_force_variations` does.  The multipliers stay as they are.
    """
    for i in range(sys.row.shape[0]):
        c, own = sys.row[i], work.row[i]
        load = row_load(c, own)
        if is_term_row(c.code):
            vary_term_row(sys, c, own, load, q, dq, dqd, dtau)
        else:
            status = vary_pair_row(sys, c, own, load, t, work)
            if status != Status.OK.value:
                work.fail[0].row = i
                return status
    return Status.OK.value
