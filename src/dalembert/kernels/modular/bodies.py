"""Body components: accelerations of one body in natural coordinates under given loads, and its own step.

With the constant mass matrix M and the body's own rows h(q) = 0 (lengths and angles of its axes), the acceleration-based
augmented Lagrangian iterates
    M_alpha qdd_{i+1} = M qdd_i - alpha Hᵀ f~,   M_alpha = M + alpha Hᵀ H,   M qdd_0 = Q                           (1)
    f~ = H' qd + v h' + p h                                                                                       (2)
whose limit has H qdd + f~ = 0 exactly, so that every row follows h'' + v h' + p h = 0, stable by itself.
Seeds: [SEG (25)-(28)], [SEG (12), (13)].
"""

from math import sqrt

from ...codes import RowCode, Status
from ..algebra.small import axpy3, load3, load6, scale3
from ..compile.jit import kernel
from ..natural.coordinates import FRAME, slot_at, store_slot_at
from ..natural.rows import axes_bias
from ..natural.shapes import load3_at

INNER = 6
"""Rows of a body's own."""


@kernel
def pseudo_inertia_of(c):
    """Mass matrix of a component without its factor 1, lower triangle by rows, as `pseudo_inertia`."""
    h, J = load3(c.h_b), load6(c.J_b)
    half = 0.5 * (J[0] + J[3] + J[5])
    return (c.mass, h[0], half - J[0], h[1], -J[1], half - J[3], h[2], -J[2], -J[4], half - J[5])


@kernel
def mass_product(m, x, k, out):
    """out (12,) = M times the twelve numbers of x from place k on."""
    a, b, c, d = slot_at(x, k, 0), slot_at(x, k, 1), slot_at(x, k, 2), slot_at(x, k, 3)
    store_slot_at(out, 0, 0, axpy3(m[0], a, axpy3(m[1], b, axpy3(m[3], c, scale3(d, m[6])))))
    store_slot_at(out, 0, 1, axpy3(m[1], a, axpy3(m[2], b, axpy3(m[4], c, scale3(d, m[7])))))
    store_slot_at(out, 0, 2, axpy3(m[3], a, axpy3(m[4], b, axpy3(m[5], c, scale3(d, m[8])))))
    store_slot_at(out, 0, 3, axpy3(m[6], a, axpy3(m[7], b, axpy3(m[8], c, scale3(d, m[9])))))


@kernel
def fill_matrix(sys, c, m, k, A, work):
    """A = M + alpha Hᵀ H of a component whose columns begin at k."""
    for i in range(FRAME):
        for j in range(i + 1):
            A[i, j] = 0.0
    at = 0
    for i in range(4):
        for j in range(i + 1):
            for x in range(3):
                A[3 * i + x, 3 * j + x] = m[at]
            at += 1
    for r in range(c.inner, c.inner + INNER):
        row = sys.row[r]
        first = row.first // 3
        for a in range(first, first + row.count // 3):
            g, i = scale3(load3_at(work.jacobian, 3 * a), c.alpha), sys.slot[a].column - k
            for b in range(first, first + row.count // 3):
                f, j = load3_at(work.jacobian, 3 * b), sys.slot[b].column - k
                if j <= i:
                    for x in range(3):
                        for y in range(3):
                            A[i + x, j + y] += g[x] * f[y]


@kernel
def factor_frame(A) -> int:
    """Cholesky's factor of A (12, 12) in its lower triangle, the inverse of its diagonal there."""
    for j in range(FRAME):
        s = A[j, j]
        for k in range(j):
            s -= A[j, k] * A[j, k]
        if not s > 0.0:
            return Status.SINGULAR.value
        inverse = 1.0 / sqrt(s)
        A[j, j] = inverse
        for i in range(j + 1, FRAME):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s * inverse
    return Status.OK.value


@kernel
def solve_frame(A, x):
    """Overwrite x (12,) with the solution."""
    for i in range(FRAME):
        s = x[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s * A[i, i]
    for j in range(FRAME):
        i = FRAME - 1 - j
        s = x[i]
        for k in range(i + 1, FRAME):
            s -= A[k, i] * x[k]
        x[i] = s * A[i, i]


@kernel
def add_inner_load(sys, modular, c, k, h, qd, out, work):
    """out (12,) -= alpha Hᵀ f~ of the component's own rows, by (2), for its own step h."""
    o = modular.options[0]
    p, v = o.inner_stiffness / (h * h), 2.0 * o.inner_damping * sqrt(o.inner_stiffness) / h
    for r in range(c.inner, c.inner + INNER):
        row, own = sys.row[r], work.row[r]
        load = c.alpha * (axes_bias(sys, row, qd) + v * own.Phid + p * own.Phi)              # [SEG (27)]
        for j in range(row.first // 3, (row.first + row.count) // 3):
            i = sys.slot[j].column - k
            g = load3_at(work.jacobian, 3 * j)
            for x in range(3):
                out[i + x] -= load * g[x]


@kernel
def solve_body(sys, modular, i, h, qd, force, qdd, work) -> int:
    """Accelerations qdd of body row i with the generalised forces on it, by (1); h is its own step."""
    c, k = modular.component[i], sys.body[i].column
    right, found, product = modular.vector[0], modular.vector[1], modular.vector[2]
    m = pseudo_inertia_of(c)
    fill_matrix(sys, c, m, k, modular.matrix, work)
    if factor_frame(modular.matrix) != Status.OK.value:
        work.fail[0].rate = k
        return Status.NOT_FINITE.value
    for j in range(FRAME):
        product[j], found[j] = force[k + j], 0.0                                   # M qdd_0 = Q
    for _ in range(modular.options[0].iterations):
        for j in range(FRAME):
            right[j] = product[j]
        add_inner_load(sys, modular, c, k, h, qd, right, work)
        solve_frame(modular.matrix, right)
        change, size = 0.0, 0.0
        for j in range(FRAME):
            change, size = max(change, abs(right[j] - found[j])), max(size, abs(right[j]))
            found[j] = right[j]
        if change <= modular.options[0].small * size:
            break
        mass_product(m, found, 0, product)
    for j in range(FRAME):
        qdd[k + j] = found[j]
    return Status.OK.value


@kernel
def predict_body(sys, modular, i, t, q, qd, qdd, q_out, qd_out):
    """State of body row i at time t from its last one: q + h qd + lead h² qdd, qd + h qdd."""
    c, k = modular.component[i], sys.body[i].column
    h = t - c.t
    for j in range(k, k + FRAME):
        q_out[j] = q[j] + h * (qd[j] + c.lead * h * qdd[j])
        qd_out[j] = qd[j] + h * qdd[j]


@kernel
def correct_body(sys, modular, i, h, qdd_before, qdd_new, q, qd):
    """Newmark's correction of the predicted state of body row i, in place."""
    c, k = modular.component[i], sys.body[i].column
    for j in range(k, k + FRAME):
        change = h * (qdd_new[j] - qdd_before[j])
        q[j] += c.beta * h * change
        qd[j] += c.gamma * change


@kernel
def is_inner(code):
    """True for a row of a body's own."""
    return code == RowCode.UNIT or code == RowCode.SQUARE
