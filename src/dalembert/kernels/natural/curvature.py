"""Second derivatives of the constraint rows by natural coordinates, weighted with their loads: part of the tangent.

The loads -Jᵀ(lambda + alpha Phi) of [DOP (1)] change with q by -alpha Jᵀ J and by minus the sum of (lambda + alpha Phi) times
the Hessian of each row, which is added here; of rows that bind rates only, whose J is no gradient, the symmetric part of
the derivative of Jᵀ.  A product of two vectors, weights v and w of the slots, has the Hessian
    (v_i w_j + w_i v_j) 1    for the slots i, j;                                                         (1)
the other shapes and the wrenches of rows.py are varied along each column of theirs.
"""

from math import cos, nan, sin

from ...codes import RowCode, Status
from ..algebra.small import add3, axpy3, cross, neg3, scale3, sub3
from ..compile.jit import kernel, part
from ..constraint.coordinate_rows import eval_function, is_term_row, term_factor
from ..constraint.rows import eval_prescribed
from .coordinates import slot_load
from .joints import coordinate_shape
from .rows import contact_arms, entry_slot, is_axes_row, is_shape_row, is_wrench_row, unit_wrench
from .shapes import (
    row_source,
    shape_gradient,
    slot_weights,
    source_vectors,
    spread,
    vary_gradient,
    vary_wheel,
    weighted,
)


@part
def unit3(c):
    """Unit vector of component c."""
    return (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)


@part
def load4(a):
    """Four numbers."""
    return (a[0], a[1], a[2], a[3])


@part
def place_at(sys, first, i, j):
    """Place in the pattern of the pair of entries i >= j of a row, whose places begin at `first`."""
    return sys.row_place[first + i * (i + 1) // 2 + j]


@kernel
def product_weight(code, y, v, w):
    """Factor of 1 in the Hessian (1) between two slots with the weights v and w; NaN for a code without one."""
    if code == RowCode.POSITION or code == RowCode.SLIDE_SPEED:
        return v[0] * w[1] + v[1] * w[0]
    if code == RowCode.DIRECTION:
        return v[1] * w[3] + v[3] * w[1]
    if code == RowCode.ANGLE:
        return cos(y) * (v[2] * w[3] + v[3] * w[2]) - sin(y) * (v[1] * w[3] + v[3] * w[1])
    if code == RowCode.UNIT:
        return v[1] * w[1]
    if code == RowCode.SQUARE:
        return v[1] * w[2] + v[2] * w[1]
    return nan


@part
def is_curved(code):
    """True for a shape that is not a sum of products of two vectors."""
    return code == RowCode.DISTANCE or code == RowCode.COORDINATES or code == RowCode.WHEEL_HEIGHT


@part
def add_axes(sys, c, first, load, values):
    """Add `load` times the Hessian (1) of a row UNIT or SQUARE, which has one slot, or two."""
    for k in range(3):
        values[place_at(sys, first, c.count - 3 + k, k)] += load


@kernel
def add_own_products(sys, c, first, y, load, values):
    """Add `load` times the Hessian (1) of the shape of a row between its bodies."""
    slot = c.first // 3
    for i in range(c.count // 3):
        v = load4(sys.slot[slot + i].weight)
        for j in range(i + 1):
            value = load * product_weight(c.code, y, v, load4(sys.slot[slot + j].weight))
            if value != 0.0:
                for k in range(3):
                    values[place_at(sys, first, 3 * i + k, 3 * j + k)] += value


@kernel
def add_products(sys, c, first, code, source, y, load, values):
    """Add `load` times the Hessian (1) of a shape."""
    for i in range(0, c.count, 3):
        v = slot_weights(source, *entry_slot(sys, c.first + i))
        for j in range(0, i + 3, 3):
            value = load * product_weight(code, y, v, slot_weights(source, *entry_slot(sys, c.first + j)))
            for k in range(3):
                values[place_at(sys, first, i + k, j + k)] += value


@kernel
def add_curved(sys, c, first, code, source, q, load, values):
    """Add `load` times the Hessian of a shape, column by column."""
    X = source_vectors(sys, source, q, 1.0)
    for j in range(c.count):
        w = slot_weights(source, *entry_slot(sys, c.first + j))
        H = vary_gradient(code, X, spread(w, unit3(j % 3)), 0.0, c.radius)
        for i in range(j - j % 3, c.count, 3):
            a = scale3(weighted(H, slot_weights(source, *entry_slot(sys, c.first + i))), load)
            for k in range(3):
                if i + k >= j:
                    values[place_at(sys, first, i + k, j)] += a[k]


@kernel
def vary_unit_wrench(sys, c, q, X, i, s, x):
    """Variation of `unit_wrench` for a variation x of slot s of body row i."""
    zero = (0.0, 0.0, 0.0)
    dX = spread(slot_weights(row_source(c), i, s), x)
    if c.code == RowCode.TURN_SPEED:
        return neg3(dX[1]), dX[1], zero
    arm_a, arm_b, f = contact_arms(sys, c, q)
    dpoint = scale3(vary_wheel(X, dX)[1], -c.radius)
    if i == c.b:
        dpoint = add3(dpoint, x if s == 0 else scale3(x, c.u_b[s - 1]))
    darm_a = sub3(dpoint, x) if i == c.a and s == 0 else dpoint
    darm_b = sub3(dpoint, x) if i == c.b and s == 0 else dpoint
    dn_a, dn_b = add3(cross(darm_a, f), cross(arm_a, dX[2])), add3(cross(darm_b, f), cross(arm_b, dX[2]))
    return neg3(dn_a), dn_b, dX[2]


@kernel
def add_wrench_curvature(sys, c, first, q, load, values):
    """Add `load` times the symmetric part of the derivative of a wrench's generalised forces."""
    X = source_vectors(sys, row_source(c), q, 1.0)
    n_a, n_b, f = unit_wrench(sys, c, q)
    for j in range(c.count):
        body, slot = entry_slot(sys, c.first + j)
        x = unit3(j % 3)
        dn_a, dn_b, df = vary_unit_wrench(sys, c, q, X, body, slot, x)
        for i in range(0, c.count, 3):
            b, s = entry_slot(sys, c.first + i)
            a = slot_load(sys, q, b, s, dn_a, neg3(df)) if b == c.a else slot_load(sys, q, b, s, dn_b, df)
            if i == j - j % 3 and s > 0:
                a = axpy3(0.5, cross(n_a if b == c.a else n_b, x), a)
            for k in range(3):
                half = 1.0 if i + k == j else 0.5
                values[place_at(sys, first, max(i + k, j), min(i + k, j))] += half * load * a[k]


@kernel
def add_gradient_square(sys, c, first, source, G, load, values):
    """Add `load` times the product of a gradient with itself."""
    for i in range(0, c.count, 3):
        a = scale3(weighted(G, slot_weights(source, *entry_slot(sys, c.first + i))), load)
        for j in range(0, i + 3, 3):
            b = weighted(G, slot_weights(source, *entry_slot(sys, c.first + j)))
            for k in range(3):
                for m in range(3 if j < i else k + 1):
                    values[place_at(sys, first, i + k, j + m)] += a[k] * b[m]


@kernel
def add_term_curvature(sys, c, first, q, qj, load, values):
    """Add `load` times the Hessian of a row's terms."""
    for j in range(c.terms):
        term = sys.term[c.term + j]
        code, source = coordinate_shape(sys, term.q, term.v)
        size = load * term_factor(sys, c, j, qj)
        if is_curved(code):
            add_curved(sys, c, first, code, source, q, size, values)
        else:
            add_products(sys, c, first, code, source, 0.0, size, values)
        if c.code == RowCode.COUPLING and j == 1:
            G = shape_gradient(code, source_vectors(sys, source, q, 1.0), 0.0, 0.0)
            bend = eval_function(sys, c, qj, 2)
            add_gradient_square(sys, c, first, source, G, -load * bend, values)


@kernel
def natural_row_curvature(sys, t, q, qj, weight, values, work) -> int:
    """Add `weight` times the sum over the rows of lambda times Hessian to the values of the pattern.

    The part alpha Phi of the loads is left out: at the beginning of an iteration it is large and says nothing of the end.

    After `eval_natural_rows` for natural q (n_q,) and coordinates qj of the tree.
    """
    first = 0
    for r in range(sys.row.shape[0]):
        c = sys.row[r]
        load = weight * work.row[r].lam
        if load != 0.0:
            if is_wrench_row(c.code):
                add_wrench_curvature(sys, c, first, q, load, values)
            elif is_axes_row(c.code):
                add_axes(sys, c, first, load, values)
            elif is_curved(c.code) and is_shape_row(c.code):
                add_curved(sys, c, first, c.code, row_source(c), q, load, values)
            elif is_shape_row(c.code):
                add_own_products(sys, c, first, eval_prescribed(sys, c, t, 0), load, values)
            elif not is_term_row(c.code):
                work.fail[0].row = r
                return Status.UNKNOWN_ROW.value
            add_term_curvature(sys, c, first, q, qj, load, values)
        first += c.count * (c.count + 1) // 2
    return Status.OK.value
