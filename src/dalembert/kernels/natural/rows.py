"""Constraint rows in natural coordinates: violation, rate, Jacobian and second time derivative.

A row is made of up to three parts, whose gradients by q are added up:
- a shape of shapes.py between its bodies a and b;
- TURN_SPEED and WHEEL_SLIP: the power of a unit wrench (n, f) in the origins on the velocities, by (3) of coordinates.py,
      TURN_SPEED   n_b = e,  n_a = -e                                                                    (1)
      WHEEL_SLIP   f_b = f in the point of contact P, f_a = -f there:  n = (P - r) x f                   (2)
- its terms: factors times joint coordinates, each a shape between its joint's bodies (joints.py).  COORDINATES,
  COUPLING and COORDINATE_SPEED have nothing else; a screw's advance is a POSITION with its angle as a term.
With the Jacobian J by q the rate is J qd + Phi_t, and the second derivative J qdd + J' qd + time terms:
    shape   J' qd = V·H V, V the rates of its vectors and H its Hessian                                  (3)
    ANGLE   Phi = g(y)·h:  Phi_t = g_y·h y',  time terms  g_y·h y'' - g·h y'² + 2 y' (g_y·h)' at constant y  (4)
    (1)     J' qd = e'·(w_b - w_a), since e_j' x e_j' = 0                                                (5)
    (2)     J' qd = f'·(v_b(P) - v_a(P)) + f·(w_b x (P - r_b)' - w_a x (P - r_a)')                       (6)
The entries of a row come in threes, the components of a slot; `entry.column` gives body and slot, `sys.slot` its weights.
Rows UNIT and SQUARE, more than half of all, have one or two whole axes for slots.  Prescribed values and laws are those of
constraint/rows.py and constraint/coordinate_rows.py.
Seeds: [DOP (1), (4)] what J, J' qd and the time terms are needed for.
"""

from ...codes import RowCode, Status
from ..algebra.small import add3, axpy3, cross, dot3, load3, neg3, scale3, sub3
from ..compile.jit import kernel, part
from ..constraint.coordinate_rows import eval_term_acceleration, eval_term_row, is_term_row, term_factor
from ..constraint.rows import eval_angle, eval_law_rate, eval_prescribed, eval_wheel
from .coordinates import direction_of, origin_of, point_of, slot_load, spin_of
from .joints import coordinate_shape
from .shapes import (
    along,
    eval_shape,
    load3_at,
    row_source,
    row_vectors,
    shape_gradient,
    slot_weights,
    source_vectors,
    vary_gradient,
    vary_wheel,
    weighted,
)


@part
def entry_slot(sys, k):
    """Body row and slot of entry number k."""
    column = sys.entry[k].column
    i = sys.pair[column].body
    return i, (column - sys.body[i].column) // 3


@part
def is_wrench_row(code):
    """True for a row whose gradient is a wrench."""
    return code == RowCode.TURN_SPEED or code == RowCode.WHEEL_SLIP


@part
def is_axes_row(code):
    """True for a row between the axes of a body."""
    return code == RowCode.UNIT or code == RowCode.SQUARE


@part
def is_shape_row(code):
    """True for a row with a shape between its bodies."""
    shape = code == RowCode.POSITION or code == RowCode.DIRECTION or code == RowCode.DISTANCE or code == RowCode.ANGLE
    return (shape or code == RowCode.WHEEL_HEIGHT or code == RowCode.UNIT or code == RowCode.SQUARE
            or code == RowCode.SLIDE_SPEED)


@part
def add3_at(x, k, a):
    """Add a vector to three numbers of an array."""
    x[k] += a[0]
    x[k + 1] += a[1]
    x[k + 2] += a[2]


@part
def store3_at(x, k, a):
    """Write three numbers of an array."""
    x[k], x[k + 1], x[k + 2] = a


@kernel
def add_shape_gradient(sys, c, source, G, factor, jacobian):
    """Add `factor` times the gradient G by d, e, f, h of a source to the entries of a row."""
    for k in range(c.first, c.first + c.count, 3):
        i, s = entry_slot(sys, k)
        add3_at(jacobian, k, scale3(weighted(G, slot_weights(source, i, s)), factor))


@kernel
def contact_arms(sys, c, q):
    """P - r_a and P - r_b of (2), and f."""
    d, e, f, h = source_vectors(sys, row_source(c), q, 1.0)
    point = axpy3(-c.radius, eval_wheel(e, h)[0], point_of(sys, q, c.b, load3(c.u_b), 1.0))
    return sub3(point, origin_of(sys, q, c.a)), sub3(point, origin_of(sys, q, c.b)), f


@kernel
def unit_wrench(sys, c, q):
    """Moments n_a, n_b in the bodies' origins and force f on b, -f on a, of (1) and (2)."""
    if c.code == RowCode.TURN_SPEED:
        e = direction_of(sys, q, c.a, load3(c.e_a), 1.0)
        return neg3(e), e, (0.0, 0.0, 0.0)
    arm_a, arm_b, f = contact_arms(sys, c, q)
    return neg3(cross(arm_a, f)), cross(arm_b, f), f


@kernel
def add_wrench_gradient(sys, c, q, jacobian):
    """Add the gradient (1) or (2) to the entries of a row."""
    n_a, n_b, f = unit_wrench(sys, c, q)
    for k in range(c.first, c.first + c.count, 3):
        i, s = entry_slot(sys, k)
        add3_at(jacobian, k, slot_load(sys, q, i, s, n_a, neg3(f)) if i == c.a else slot_load(sys, q, i, s, n_b, f))


@kernel
def add_term_gradients(sys, c, q, qj, jacobian):
    """Add the gradients of the terms' joint coordinates to the entries of a row."""
    for j in range(c.terms):
        term = sys.term[c.term + j]
        code, source = coordinate_shape(sys, term.q, term.v)
        G = shape_gradient(code, source_vectors(sys, source, q, 1.0), 0.0, 0.0)
        add_shape_gradient(sys, c, source, G, term_factor(sys, c, j, qj), jacobian)


@kernel
def eval_own_shape(sys, c, own, t, q, qj, jacobian):
    """Value, time_rate and gradient of a row's shape, with the terms that are added to its value."""
    y = eval_prescribed(sys, c, t, 0)
    X = row_vectors(sys, c, q, 1.0)
    own.Phi = eval_shape(c.code, X, y, c.radius)
    own.Phi_t = -eval_law_rate(sys, c, t, 1)
    if c.code == RowCode.ANGLE:
        own.Phi_t *= -dot3(eval_angle(y, X[1], X[2])[1], X[3])                                # (4)
    elif c.code != RowCode.UNIT and c.code != RowCode.SQUARE:
        own.Phi -= y
    for j in range(c.terms):
        term = sys.term[c.term + j]
        own.Phi += term.c * qj[term.q]
    if c.rate_only == 1:
        own.Phi = 0.0
    G = shape_gradient(c.code, X, y, c.radius)
    for k in range(c.first // 3, (c.first + c.count) // 3):
        store3_at(jacobian, 3 * k, weighted(G, sys.slot[k].weight))


@part
def eval_axes(sys, c, own, q, jacobian):
    """Value and gradient of a row UNIT or SQUARE."""
    x = load3_at(q, sys.slot[c.first // 3].column)
    own.Phi_t = 0.0
    if c.code == RowCode.UNIT:
        own.Phi = 0.5 * (dot3(x, x) - 1.0)
        store3_at(jacobian, c.first, x)
    else:
        y = load3_at(q, sys.slot[c.first // 3 + 1].column)
        own.Phi = dot3(x, y)
        store3_at(jacobian, c.first, y)
        store3_at(jacobian, c.first + 3, x)


@part
def axes_bias(sys, c, qd):
    """J' qd of a row UNIT or SQUARE, by (3)."""
    x = load3_at(qd, sys.slot[c.first // 3].column)
    if c.code == RowCode.UNIT:
        return dot3(x, x)
    return 2.0 * dot3(x, load3_at(qd, sys.slot[c.first // 3 + 1].column))


@part
def entries_times(sys, c, x, jacobian):
    """Product of a row of the Jacobian and x (n_q,)."""
    total = 0.0
    for k in range(c.first // 3, (c.first + c.count) // 3):
        total += dot3(load3_at(jacobian, 3 * k), load3_at(x, sys.slot[k].column))
    return total


@kernel
def eval_natural_rows(sys, t, q, qd, qj, qdj, work) -> int:
    """Fill value, rate, time_rate of every row and `work.jacobian` (n_entry,) for natural q, qd (n_q,).

    After `eval_joint_coordinates`, which gives qj and qdj, the coordinates and rates of the tree.
    """
    jacobian = work.jacobian
    for r in range(sys.row.shape[0]):
        c, own = sys.row[r], work.row[r]
        if is_axes_row(c.code):
            eval_axes(sys, c, own, q, jacobian)
        elif is_shape_row(c.code):
            eval_own_shape(sys, c, own, t, q, qj, jacobian)
        else:
            for k in range(c.first, c.first + c.count):
                jacobian[k] = 0.0
            if is_term_row(c.code):
                eval_term_row(sys, c, own, t, qj, qdj)
            elif is_wrench_row(c.code):
                own.Phi, own.Phi_t = 0.0, -eval_law_rate(sys, c, t, 1)
                add_wrench_gradient(sys, c, q, jacobian)
            else:
                work.fail[0].row = r
                return Status.UNKNOWN_ROW.value
        if c.terms > 0:
            add_term_gradients(sys, c, q, qj, jacobian)
        own.Phid = entries_times(sys, c, qd, jacobian) + own.Phi_t
    return Status.OK.value


@kernel
def shape_bias(sys, c, t, q, qd):
    """J' qd and time terms of a row's shape, by (3) and (4)."""
    y, ydd = eval_prescribed(sys, c, t, 0), eval_law_rate(sys, c, t, 2)
    V = row_vectors(sys, c, qd, 0.0)
    if c.code == RowCode.POSITION or c.code == RowCode.SLIDE_SPEED:
        return 2.0 * dot3(V[0], V[1]) - ydd
    if c.code == RowCode.DIRECTION:
        return 2.0 * dot3(V[1], V[3]) - ydd
    X = row_vectors(sys, c, q, 1.0)
    bias = along(vary_gradient(c.code, X, V, y, c.radius), V)
    if c.code != RowCode.ANGLE:
        return bias - ydd
    yd = eval_law_rate(sys, c, t, 1)
    g, g_y = eval_angle(y, X[1], X[2])
    turning = dot3(eval_angle(y, V[1], V[2])[1], X[3]) + dot3(g_y, V[3])
    return bias + dot3(g_y, X[3]) * ydd - dot3(g, X[3]) * yd * yd + 2.0 * yd * turning


@kernel
def wrench_bias(sys, c, t, q, qd):
    """J' qd and time terms of a row whose gradient is a wrench, by (5) and (6)."""
    ydd = eval_law_rate(sys, c, t, 2)
    w_a, w_b = spin_of(sys, q, qd, c.a), spin_of(sys, q, qd, c.b)
    if c.code == RowCode.TURN_SPEED:
        return dot3(direction_of(sys, qd, c.a, load3(c.e_a), 0.0), sub3(w_b, w_a)) - ydd
    source = row_source(c)
    X, V = source_vectors(sys, source, q, 1.0), source_vectors(sys, source, qd, 0.0)
    arm_a, arm_b, f = contact_arms(sys, c, q)
    v_a, v_b = origin_of(sys, qd, c.a), origin_of(sys, qd, c.b)
    slip = sub3(add3(v_b, cross(w_b, arm_b)), add3(v_a, cross(w_a, arm_a)))
    point = axpy3(-c.radius, vary_wheel(X, V)[1], point_of(sys, qd, c.b, load3(c.u_b), 0.0))
    turn = sub3(cross(w_b, sub3(point, v_b)), cross(w_a, sub3(point, v_a)))
    return dot3(V[2], slip) + dot3(f, turn) - ydd


@kernel
def eval_natural_row_accelerations(sys, t, q, qd, qdd, qj, qdj, qddj, work) -> int:
    """Fill the acceleration of every row for natural qdd (n_q,), after `eval_natural_rows`.

    qddj are the accelerations of the tree, see `eval_joint_accelerations`; with qdd = 0 the rest of [DOP (4)] remains.
    """
    for r in range(sys.row.shape[0]):
        c, own = sys.row[r], work.row[r]
        if is_term_row(c.code):
            own.Phidd = eval_term_acceleration(sys, c, t, qj, qdj, qddj)
            continue
        if is_axes_row(c.code):
            bias = axes_bias(sys, c, qd)
        elif is_shape_row(c.code):
            bias = shape_bias(sys, c, t, q, qd)
        elif is_wrench_row(c.code):
            bias = wrench_bias(sys, c, t, q, qd)
        else:
            work.fail[0].row = r
            return Status.UNKNOWN_ROW.value
        for j in range(c.terms):
            bias += sys.term[c.term + j].c * coordinate_bias(sys, sys.term[c.term + j], q, qd)
        own.Phidd = bias + entries_times(sys, c, qdd, work.jacobian)
    return Status.OK.value


@kernel
def coordinate_bias(sys, term, q, qd):
    """Second time derivative of a term's joint coordinate for qdd = 0, by (3)."""
    code, source = coordinate_shape(sys, term.q, term.v)
    V = source_vectors(sys, source, qd, 0.0)
    return along(vary_gradient(code, source_vectors(sys, source, q, 1.0), V, 0.0, 0.0), V)
