"""Constraint rows in joint coordinates: violation, rate, Jacobian, and the loads of the multipliers.

A row is Phi(t, q) = 0 or, if it binds rates only, Phi'(t, q, qd) = 0.  With points p = r + R u, directions e = R e_local of
the bodies a and b, the prescribed y = c + law(t), and the radius rho of a wheel with centre p_b and axis e_b (zero: a ball),
    POSITION                 Phi  = e_a·(p_b - p_a) - y                                               (1)
    DIRECTION                Phi  = e_a·e_b - y                                                       (2)
    DISTANCE                 Phi  = |p_b - p_a| - y                                                   (3)
    ANGLE                    Phi  = g·e_b,  g = cos y f_a - sin y e_a                                 (4)
    WHEEL_HEIGHT             Phi  = e_a·(p_b - p_a) - rho |k| - y,  k = e_a - (e_a·e_b) e_b           (5)
    WHEEL_SLIP               Phi' = f_a·(v_b(P) - v_a(P)) - law,  P = p_b - rho k/|k|                 (6)
    TURN_SPEED, SLIDE_SPEED  Phi' = e_a·(w_b - w_a) - law,  d(e_a·(p_b - p_a))/dt - law               (7)
Rows of coordinates are in coordinate_rows.py.  None of these changes when a and b move as one body.  Its gradient is
therefore a moment m and a force f, in a point P, on b and the opposite on a: with small rotations phi and displacements dr,
    dPhi = m·(phi_b - phi_a) + f·(dr_b + phi_b x (P - r_b) - dr_a - phi_a x (P - r_a))                (8)
    (1) m = 0, f = e_a, P = p_b;   (2) m = e_b x e_a;   (3) f = unit of p_b - p_a, P = p_b;   (4) m = e_b x g
    (5) f = e_a and (6) f = f_a in the point of contact P;   (7) m = e_a, or as (1)
(5) because d|k| = -(e_a·e_b)/|k| (e_b x e_a)·(phi_b - phi_a), which is the moment of e_a in P about p_b, over -rho.
A distance of zero and a wheel flat on its plane have no direction: their unit vector is taken as zero, so that the row of a
distance vanishes and the wheel touches at its centre.
Seeds: [DOP (1)] the load of the multipliers, M qdd + J^T (lambda + alpha Phi) = Q.
"""

from math import cos, sin, sqrt

from ...codes import RowCode, Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, axpy3, cross, dot3, load3, mul33_vec, neg3, scale3, store3, sub3
from ..compile.jit import kernel, part, shared
from ..flex.faces import face_direction
from ..flex.floating_tables import AT_S
from ..force.laws import eval_law
from ..force.points import point_state
from .coordinate_rows import eval_term_jacobian, eval_term_row, is_term_row, term_factor


@part
def eval_prescribed(sys, c, t, order):
    """Prescribed y = c + law(t) of a row (order 0), or its time derivatives."""
    y = c.c if order == 0 else 0.0
    return y + eval_law(sys, c.law, t, 0.0, 0.0, order) if c.law >= 0 else y


@part
def eval_law_rate(sys, c, t, order):
    """Part of the first (order 1) or second (order 2) time derivative of Phi that the law of a row makes, per unit of y."""
    if c.rate_only == 1:
        return eval_law(sys, c.law, t, 0.0, 0.0, order - 1) if c.law >= 0 else 0.0
    return eval_prescribed(sys, c, t, order)


@kernel
def unit_of(x):
    """Direction and length of a vector; no direction if it is zero."""
    length = sqrt(dot3(x, x))
    return scale3(x, 1.0 / length) if length > 0.0 else (0.0, 0.0, 0.0), length


@kernel
def eval_wheel(e_a, e_b):
    """Direction k/|k| from the point of contact to the wheel's centre, and |k|, of (5)."""
    return unit_of(axpy3(-dot3(e_a, e_b), e_b, e_a))


@kernel
def eval_angle(y, e_a, f_a):
    """Direction g of (4) and its derivative by y."""
    c, s = cos(y), sin(y)
    return axpy3(c, f_a, scale3(e_a, -s)), neg3(axpy3(s, f_a, scale3(e_a, c)))


@kernel
def eval_pair(c, row_a, row_b, y):
    """Phi of a row between two bodies, its derivative by y, the moment m, the force f, and P - r_b of (8), world axes."""
    zero = (0.0, 0.0, 0.0)
    R_a, R_b = load_columns(row_a.E_wb), load_columns(row_b.E_wb)
    e_a, e_b = mul33_vec(R_a, load3(c.e_a)), mul33_vec(R_b, load3(c.e_b))
    arm_a, p_a, v_a = point_state(row_a, load3(c.u_a))
    arm_b, p_b, v_b = point_state(row_b, load3(c.u_b))
    line = sub3(p_b, p_a)
    if c.code == RowCode.POSITION or c.code == RowCode.SLIDE_SPEED:
        return dot3(e_a, line) - y, -1.0, zero, e_a, arm_b, Status.OK.value                       # (1)
    if c.code == RowCode.DIRECTION:
        return dot3(e_a, e_b) - y, -1.0, cross(e_b, e_a), zero, arm_b, Status.OK.value            # (2)
    if c.code == RowCode.DISTANCE:
        unit, length = unit_of(line)
        return length - y, -1.0, zero, unit, arm_b, Status.OK.value                               # (3)
    if c.code == RowCode.ANGLE:
        g, g_y = eval_angle(y, e_a, mul33_vec(R_a, load3(c.f_a)))
        return dot3(g, e_b), dot3(g_y, e_b), cross(e_b, g), zero, arm_b, Status.OK.value          # (4)
    if c.code == RowCode.WHEEL_HEIGHT:
        up, size = eval_wheel(e_a, e_b)
        height = dot3(e_a, line) - c.radius * size
        return height - y, -1.0, zero, e_a, axpy3(-c.radius, up, arm_b), Status.OK.value          # (5)
    if c.code == RowCode.WHEEL_SLIP:
        up, size = eval_wheel(e_a, e_b)
        f = mul33_vec(R_a, load3(c.f_a))
        return 0.0, -1.0, zero, f, axpy3(-c.radius, up, arm_b), Status.OK.value                   # (6)
    if c.code == RowCode.TURN_SPEED:
        return 0.0, -1.0, e_a, zero, arm_b, Status.OK.value                                       # (7)
    return 0.0, 0.0, zero, zero, arm_b, Status.UNKNOWN_ROW.value


@kernel
def load_wrench(own):
    """Unit wrench n_a, f_a, n_b, f_b of a row."""
    return load3(own.n_a), load3(own.f_a), load3(own.n_b), load3(own.f_b)


@kernel
def load_velocities(row_a, row_b):
    """Angular velocities and velocities of the origins of two bodies: w_a, v_a, w_b, v_b."""
    return load3(row_a.w_w), load3(row_a.v_w), load3(row_b.w_w), load3(row_b.v_w)


@kernel
def eval_work(wrench, motion):
    """Work (or power) of wrenches n_a, f_a, n_b, f_b in small motions (or velocities) phi_a, dr_a, phi_b, dr_b."""
    n_a, f_a, n_b, f_b = wrench
    phi_a, dr_a, phi_b, dr_b = motion
    return dot3(n_a, phi_a) + dot3(f_a, dr_a) + dot3(n_b, phi_b) + dot3(f_b, dr_b)


@part
def eval_pair_row(sys, c, own, t, work) -> int:
    """Fill the scratch of a row between two bodies."""
    row_a, row_b = work.body[c.a], work.body[c.b]
    value, by_y, m, f, arm, status = eval_pair(c, row_a, row_b, eval_prescribed(sys, c, t, 0))
    reach = add3(arm, sub3(load3(row_b.r_w), load3(row_a.r_w)))
    store3(own.n_b, add3(m, cross(arm, f)))                                                       # (8)
    store3(own.f_b, f)
    store3(own.n_a, neg3(add3(m, cross(reach, f))))
    store3(own.f_a, neg3(f))
    own.Phi = 0.0 if c.rate_only == 1 else value
    own.Phi_t = by_y * eval_law_rate(sys, c, t, 1)
    own.Phid = eval_work(load_wrench(own), load_velocities(row_a, row_b)) + own.Phi_t
    return status


@shared
def eval_rows(sys, t, q, qd, work) -> int:
    """Fill value, rate, time_rate and the unit wrenches of every row, after `eval_motion` and `eval_places`.

    Entries of terms in `work.jacobian` are filled here, those of bodies by `eval_jacobian`.  q (n_q,), qd (n_v,).
    """
    for i in range(sys.row.shape[0]):
        c, own = sys.row[i], work.row[i]
        if is_term_row(c.code):
            eval_term_row(sys, c, own, t, q, qd)
        else:
            status = eval_pair_row(sys, c, own, t, work)
            if status != Status.OK.value:
                work.fail[0].row = i
                return status
    return Status.OK.value


@kernel
def face_product(sys, index, column, n, f, r, work):
    """Product of a wrench about the point r with the direction that an elastic rate gives to a face; zero without a face."""
    if index < 0:
        return 0.0
    face = sys.floating.face[index]
    s_n, s_f = face_direction(work.floating.strip[index, AT_S], column - sys.floating.element[face.element].v)
    return dot3(s_n, add3(n, cross(sub3(r, load3(work.body[face.body].r_w)), f))) + dot3(s_f, f)


@kernel
def eval_elastic_entry(sys, c, own, entry, work):
    """Derivative of a row by an elastic rate, whose body may move both of its bodies by different faces."""
    of_a = face_product(sys, entry.a, entry.column, load3(own.n_a), load3(own.f_a), load3(work.body[c.a].r_w), work)
    of_b = face_product(sys, entry.b, entry.column, load3(own.n_b), load3(own.f_b), load3(work.body[c.b].r_w), work)
    return of_a + of_b


@shared
def eval_jacobian(sys, q, work) -> int:
    """Fill `work.jacobian` (n_entry,), the derivatives of every row by the rates that move one of its bodies.

    After `eval_rows`.  Rate k moves a body x with its directions (s_n, s_f) in the origin r_k of its own body, hence
        J_k = s_n·(n_x + (r_x - r_k) x f_x) + s_f·f_x
    with the unit wrench (n_x, f_x) of the row.  Rates that move both bodies have no entry: (8) gives zero.
    """
    rows = work.body
    for i in range(sys.row.shape[0]):
        c, own = sys.row[i], work.row[i]
        if is_term_row(c.code):
            eval_term_jacobian(sys, c, q, work.jacobian)
            continue
        for j in range(c.first, c.first + c.count):
            entry = sys.entry[j]
            if entry.side == 0:
                n, f, r = load3(own.n_a), load3(own.f_a), load3(rows[c.a].r_w)
            elif entry.side == 1:
                n, f, r = load3(own.n_b), load3(own.f_b), load3(rows[c.b].r_w)
            elif entry.side == 3:
                work.jacobian[j] = eval_elastic_entry(sys, c, own, entry, work)
                continue
            else:
                continue
            d = work.dof[entry.column]
            reach = sub3(r, load3(rows[sys.dof[entry.column].body].r_w))
            work.jacobian[j] = dot3(load3(d.s_n), add3(n, cross(reach, f))) + dot3(load3(d.s_f), f)
    return Status.OK.value


@kernel
def row_load(c, own):
    """lambda + alpha Phi of a row, with Phi' in place of Phi if it binds rates only."""              # [DOP (1)]
    return own.lam + own.pen * (own.Phid if c.rate_only == 1 else own.Phi)


@kernel
def add_row_loads(sys, q, tau, work):
    """Add the loads -J^T (lambda + alpha Phi) to en, ef of the bodies and to the efforts tau (n_v,), after `eval_rows`."""
    for i in range(sys.row.shape[0]):
        c, own = sys.row[i], work.row[i]
        load = row_load(c, own)
        if is_term_row(c.code):
            for k in range(c.terms):
                tau[sys.term[c.term + k].v] -= load * term_factor(sys, c, k, q)
        else:
            add_load(work.body[c.a], -load, load3(own.n_a), load3(own.f_a))
            add_load(work.body[c.b], -load, load3(own.n_b), load3(own.f_b))


@kernel
def add_load(row, size, n, f):
    """Add `size` times the moment n about the origin and the force f to a body's applied wrench."""
    store3(row.en, axpy3(size, n, load3(row.en)))
    store3(row.ef, axpy3(size, f, load3(row.ef)))
