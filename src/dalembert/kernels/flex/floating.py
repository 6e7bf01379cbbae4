"""Flexible bodies in floating frames of reference (FFRF): inertia of the deformed body, its elastic loads, energy, momentum.

With v and w the velocity of the frame's origin and its angular velocity, in the frame's axes, the kinetic energy is
    T = ½ m v·v + v·(w x s) + ½ w·J w + v·c qd + w·Cr qd + ½ qd·Me qd                                    (1)
    Cr_l = Cr0_l + G_l q,   J_l = J1_l + 2 J2_l q,   s = s0 + c_l q_l,   J = J0 + ½ (J1_l + J_l) q_l     (2)
since c_l and J_l are the derivatives of s and J by q_l.  With the acceleration a of the origin less gravity, (1) gives
    f = m a + wd x s + w x (w x s) + 2 w x c qd + c qdd                                                  (4)
    n = s x a + J wd + w x J w + J' w + Cr qdd + qd·G qd + w x Cr qd                                     (5)
    Q_l = k·X_l + w·(G - Gᵀ)_l qd + Me_l qdd + Ke_l q + De_l qd + load_l                                 (6)
where X_l = (c_l, Cr_l, J_l) are twelve moments, J_l in the order xx, xy, xz, yy, yz, zz, and
    k = (a, wd, -½ wx², -wx wy, -wx wz, -½ wy², -wy wz, -½ wz²)                                          (7)
Derivation: docs/theory/floating_frame.md.  The first parts of (4) and (5) are those of a rigid body and are left to its row in
the body table.  With geometric stiffening this row is not the floating frame F but a face of it, moved by the mean of the
body's displacements of second order; so every velocity is that of a true motion, and the mass matrix stays definite.
Seeds: [HEL (1), (2)] frame and shapes; derived here in full.
"""

from ...codes import JointCode
from ..algebra.quad import (
    add4,
    axpy4,
    axpy_quads,
    congruent,
    cross4,
    load_columns,
    load_quads,
    mixed,
    store4,
    store_quads,
    tilde,
)
from ..algebra.small import add3, axpy3, cross, dot3, load3, mul33_vec, neg3, scale3, store3, sym_vec, tmul33_vec
from ..compile.jit import kernel, part
from .floating_tables import AT_BIAS, AT_LOAD, AT_X, AT_Y, MOMENTS

ZERO_QUADS = ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))


@part
def weights(a, al, w):
    """k of (7)."""
    return (a[0], a[1], a[2], al[0], al[1], al[2], -0.5 * w[0] * w[0], -w[0] * w[1], -w[0] * w[2], -0.5 * w[1] * w[1],
            -w[1] * w[2], -0.5 * w[2] * w[2])


@part
def row_product(constant, at, n, x, first):
    """Row of a matrix (n, n), which begins at a place of the constants, times x[first:first + n]."""
    total = 0.0
    for k in range(n):
        total += constant[at + k] * x[first + k]
    return total


@part
def square_product(e, constant, at, k, x, first):
    """Row k of Me or Ke, which begin at a place of the constants, times x[first:first + n]."""
    if e.modal == 1:
        return constant[at + k * (e.n + 1)] * x[first + k]
    return row_product(constant, at + k * e.n, e.n, x, first)


@part
def twelve(table, k):
    """Row k of a table (rows, 12) as three quads."""
    return ((table[k, 0], table[k, 1], table[k, 2], table[k, 3]), (table[k, 4], table[k, 5], table[k, 6], table[k, 7]),
            (table[k, 8], table[k, 9], table[k, 10], table[k, 11]))


@part
def quads_at(row, at):
    """Three quads of a row from a place on."""
    return ((row[at], row[at + 1], row[at + 2], row[at + 3]), (row[at + 4], row[at + 5], row[at + 6], row[at + 7]),
            (row[at + 8], row[at + 9], row[at + 10], row[at + 11]))


@part
def store_twelve(table, k, A):
    """Write three quads into row k of a table (rows, 12)."""
    for c in range(4):
        table[k, c], table[k, 4 + c], table[k, 8 + c] = A[0][c], A[1][c], A[2][c]


@part
def triple_of(table, k, column):
    """Three numbers of row k of a table from a column on."""
    return (table[k, column], table[k, column + 1], table[k, column + 2])


@part
def sums_of(A):
    """c, Cr and J (six numbers) of three quads of moments."""
    x, y, z = A
    return (x[0], x[1], x[2]), (x[3], y[0], y[1]), (y[2], y[3], z[0], z[1], z[2], z[3])


@part
def add_scaled(s, row, n, out):
    """out[:n] <- out[:n] + s row[:n]."""
    for j in range(n):
        out[j] += s * row[j]


@kernel
def multiply_changes(e, change, x, out):
    """out (12 n) = X1 x[e.v:e.v + n]."""
    for j in range(MOMENTS * e.n):
        out[j] = 0.0
    for i in range(e.n):
        add_scaled(x[e.v + i], change[e.X1 + i], MOMENTS * e.n, out)


@part
def moment(X, n, x, first, column):
    """Sum over l of the vector X[l, column:column + 3] times x[first + l]."""
    total = (0.0, 0.0, 0.0)
    for k in range(n):
        total = axpy3(x[first + k], triple_of(X, k, column), total)
    return total


@part
def moment6(X, n, x, first):
    """Sum over l of the symmetric matrix X[l, 6:12] times x[first + l]."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        y = x[first + k]
        s0 += y * X[k, 6]
        s1 += y * X[k, 7]
        s2 += y * X[k, 8]
        s3 += y * X[k, 9]
        s4 += y * X[k, 10]
        s5 += y * X[k, 11]
    return (s0, s1, s2, s3, s4, s5)


@part
def store6(a, x):
    """Write six numbers into a row."""
    for k in range(6):
        a[k] = x[k]


@part
def changed(A, D):
    """Moments A with their change D, of which the first three components are none of c."""
    x, y = A[0], D[0]
    return (x[0], x[1], x[2], x[3] + y[3]), add4(A[1], D[1]), add4(A[2], D[2])


@part
def half_changed(A, D):
    """Moments A with half of their change D."""
    x, y = A[0], D[0]
    return (x[0], x[1], x[2], x[3] + 0.5 * y[3]), axpy4(0.5, D[1], A[1]), axpy4(0.5, D[2], A[2])


@part
def eval_moments(sys, index, w, q, qd, work):
    """Fill X, X1 qd and the elastic loads without those of accelerations; returns X q with half the change of X, X qd, and
    qd·G qd.
    """
    e, constant, change = sys.floating.element[index], sys.floating.constant, sys.floating.change
    n, first, rate, count = e.n, e.q, e.v, MOMENTS * e.n
    X, Y, bias = work.floating.moment[index, AT_X], work.floating.moment[index, AT_Y], work.floating.load[index, AT_BIAS]
    x, y, begun = work.floating.flat[index, AT_X], work.floating.flat[index, AT_Y], change[e.X0]
    k_w = weights((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), w)
    shape, rates, bent = ZERO_QUADS, ZERO_QUADS, (0.0, 0.0, 0.0)
    for j in range(count):
        x[j] = y[j] = 0.0
    for i in range(n):
        add_scaled(q[first + i], change[e.X1 + i], count, x)
        add_scaled(qd[rate + i], change[e.X1 + i], count, y)
    for k in range(n):
        A, D, Dd = quads_at(begun, MOMENTS * k), twelve(X, k), twelve(Y, k)
        shape = axpy_quads(q[first + k], half_changed(A, D), shape)                               # (2)
        A = changed(A, D)
        rates = axpy_quads(qd[rate + k], A, rates)
        bent = axpy3(qd[rate + k], (Dd[0][3], Dd[1][0], Dd[1][1]), bent)
        store_twelve(X, k, A)
        load = constant[e.load + k] + dot3(w, Dd[0]) + square_product(e, constant, e.Ke, k, q, first)  # (6)
        load += k_w[6] * A[1][2] + k_w[7] * A[1][3]
        load += k_w[8] * A[2][0] + k_w[9] * A[2][1] + k_w[10] * A[2][2] + k_w[11] * A[2][3]
        if e.damped == 1:
            load += row_product(constant, e.De + k * n, n, qd, rate)
        bias[k] = load
    return shape, rates, bent


@kernel
def eval_floating_motion(sys, index, q, qd, work):
    """Complete the row of a flexible body after `eval_body`: inertia, gyroscopic loads, loads of elastic coordinates."""
    e, own, constant = sys.floating.element[index], work.floating.element[index], sys.floating.constant
    row = work.body[e.body]
    R = load_columns(row.E_wb)
    w = tmul33_vec(R, load3(row.w_w))
    shape, rates, bent = eval_moments(sys, index, w, q, qd, work)
    s, _, J = sums_of(shape)
    p, spin, Jd = sums_of(rates)
    at = e.rigid
    s = (s[0] + constant[at + 1], s[1] + constant[at + 2], s[2] + constant[at + 3])               # (2)
    J = (J[0] + constant[at + 4], J[1] + constant[at + 5], J[2] + constant[at + 6], J[3] + constant[at + 7],
         J[4] + constant[at + 8], J[5] + constant[at + 9])
    store3(own.s_b, s)
    store6(own.J_b, J)
    store3(own.w_b, w)
    store6(own.Jd_b, Jd)
    store3(own.p_b, p)
    store3(own.l_b, spin)

    # the body's row, world axes
    E = load_quads(row.E_wb)
    h = mixed(s, E)
    w_w = load3(row.w_w)
    store4(row.h_w, h)
    store_quads(row.A_J, congruent(E, J))
    store_quads(row.A_H, tilde(h))
    f = scale3(cross(w, p), 2.0)                                                                  # (4)
    turning = add3(cross(w, sym_vec(J, w)), add3(sym_vec(Jd, w), add3(bent, cross(w, spin))))     # (5)
    store3(row.ef, neg3(add3(cross4(w_w, cross4(w_w, h)), mul33_vec(R, f))))
    store3(row.en, neg3(mul33_vec(R, turning)))


@kernel
def eval_floating_accelerations(sys, index, qdd, work):
    """Elastic loads with those of accelerations, and the wrench of qdd, after the body's accelerations."""
    e, own, constant = sys.floating.element[index], work.floating.element[index], sys.floating.constant
    X, loads, n = work.floating.moment[index, AT_X], work.floating.load[index], e.n
    bias, load = loads[AT_BIAS], loads[AT_LOAD]
    row = work.body[e.body]
    R = load_columns(row.E_wb)
    a, al = tmul33_vec(R, load3(row.a_w)), tmul33_vec(R, load3(row.al_w))
    f, turning = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(n):
        x, c, turn = qdd[e.v + k], triple_of(X, k, 0), triple_of(X, k, 3)
        f, turning = axpy3(x, c, f), axpy3(x, turn, turning)
        load[k] = bias[k] + dot3(a, c) + dot3(al, turn) + square_product(e, constant, e.Me, k, qdd, e.v)  # (6)
    store3(own.a_b, a)
    store3(own.al_b, al)
    store3(own.f_w, mul33_vec(R, f))
    store3(own.n_w, mul33_vec(R, turning))
    own.ready = 0


@part
def heavy_element(sys, i):
    """Flexible body whose inertia belongs to row i, or -1."""
    b = sys.body[i]
    if b.flex < 0:
        return -1
    if b.code == JointCode.ELASTIC:
        return sys.floating.face[b.flex].element if sys.floating.face[b.flex].heavy == 1 else -1
    return b.flex if sys.floating.element[b.flex].body == i else -1


@part
def with_elastic_wrench(sys, i, n, f, work):
    """The inertia wrench of row i with that of the elastic accelerations."""
    index = heavy_element(sys, i)
    if index < 0:
        return n, f
    own = work.floating.element[index]
    return add3(n, load3(own.n_w)), add3(f, load3(own.f_w))


@kernel
def put_elastic_loads(sys, effort, work):
    """effort of the elastic rates = their loads without those of the faces, after the accelerations."""
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        for i in range(e.n):
            effort[e.v + i] = work.floating.load[index, AT_LOAD, i]


@kernel
def quadratic(constant, at, n, x, first):
    """x·A x for the matrix A (n, n) that begins at a place of the constants."""
    total = 0.0
    for i in range(n):
        line = 0.0
        for k in range(n):
            line += constant[at + i * n + k] * x[first + k]
        total += line * x[first + i]
    return total


@kernel
def elastic_parts(sys, index, qd, work):
    """Kinetic energy, momentum and angular momentum (about the frame's origin) that the elastic rates add, world axes."""
    e, own = sys.floating.element[index], work.floating.element[index]
    row = work.body[e.body]
    R = load_columns(row.E_wb)
    p, spin = mul33_vec(R, load3(own.p_b)), mul33_vec(R, load3(own.l_b))
    kinetic = dot3(load3(row.v_w), p) + dot3(load3(row.w_w), spin)
    return kinetic + 0.5 * quadratic(sys.floating.constant, e.Me, e.n, qd, e.v), p, spin           # (1)


@kernel
def eval_strain_energy(sys, q):
    """Elastic energy of all flexible bodies [J]."""
    energy = 0.0
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        energy += 0.5 * quadratic(sys.floating.constant, e.Ke, e.n, q, e.q)
        for i in range(e.n):
            energy += sys.floating.constant[e.load + i] * q[e.q + i]
    return energy
