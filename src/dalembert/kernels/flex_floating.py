"""Flexible bodies in floating frames: inertia of the deformed body, loads of its elastic coordinates, energy and momentum.

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

from ..codes import JointCode
from .flex_floating_tables import CHANGES, MOMENTS
from .jit import kernel, part
from .quad import congruent, cross4, load_columns, load_quads, mixed, store4, store_quads, tilde
from .small import add3, axpy3, cross, dot3, load3, load6, mul33_vec, neg3, scale3, store3, sym_vec, tmul33_vec


@part
def weights(a, al, w):
    """k of (7)."""
    return (a[0], a[1], a[2], al[0], al[1], al[2], -0.5 * w[0] * w[0], -w[0] * w[1], -w[0] * w[2], -0.5 * w[1] * w[1],
            -w[1] * w[2], -0.5 * w[2] * w[2])


@kernel
def multiply(constant, at, n, x, first, out):
    """out (n,) <- out + A x[first:first + n] for the matrix A (n, n) that begins at a place of the constants."""
    for row in range(n):
        base, total = at + row * n, 0.0
        for k in range(n):
            total += constant[base + k] * x[first + k]
        out[row] += total


@kernel
def multiply_moments(e, constant, x, first, begin, end, out):
    """Rows begin..end-1 of out (12, n) = X1 x[first:first + n]."""
    n = e.n
    for a in range(begin, end):
        for k in range(n):
            out[a, k] = 0.0
        if e.some[a] == 1:
            multiply(constant, e.X1 + a * n * n, n, x, first, out[a])


@part
def moment(X, n, x, first, row):
    """Sum over l of the vector X[row:row + 3, l] times x[first + l]."""
    total = (0.0, 0.0, 0.0)
    for k in range(n):
        total = axpy3(x[first + k], (X[row, k], X[row + 1, k], X[row + 2, k]), total)
    return total


@part
def moment6(X, n, x, first, row):
    """Sum over l of the symmetric matrix X[row:row + 6, l] times x[first + l]."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        y = x[first + k]
        s0 += y * X[row, k]
        s1 += y * X[row + 1, k]
        s2 += y * X[row + 2, k]
        s3 += y * X[row + 3, k]
        s4 += y * X[row + 4, k]
        s5 += y * X[row + 5, k]
    return (s0, s1, s2, s3, s4, s5)


@part
def store6(a, x):
    """Write six numbers into a row."""
    for k in range(6):
        a[k] = x[k]


@kernel
def eval_shape(e, own, constant, q, X):
    """Moments, first moment and inertia (2) of the deformed body."""
    n = e.n
    for a in range(MOMENTS):
        base, total = e.X0 + a * n, 0.0
        for k in range(n):
            X[a, k] = 0.0
        if a >= 3 and e.some[a - 3] == 1:
            multiply(constant, e.X1 + (a - 3) * n * n, n, q, e.q, X[a])
        for k in range(n):
            total += (constant[base + k] + 0.5 * X[a, k]) * q[e.q + k]
            X[a, k] += constant[base + k]
        if a < 3:
            own.s_b[a] = constant[e.rigid + 1 + a] + total                                        # (2)
        elif a >= 6:
            own.J_b[a - 6] = constant[e.rigid + a - 2] + total


@kernel
def eval_floating_motion(sys, index, q, qd, work):
    """Complete the row of a flexible body after `eval_body`: inertia, gyroscopic loads, loads of elastic coordinates."""
    e, own, constant = sys.floating.element[index], work.floating.element[index], sys.floating.constant
    X, Y, bias, n = work.floating.X[index], work.floating.Y[index], work.floating.bias[index], e.n
    row = work.body[e.body]
    eval_shape(e, own, constant, q, X)
    multiply_moments(e, constant, qd, e.v, 0, CHANGES, Y)

    # moments and velocities in the frame's axes
    R = load_columns(row.E_wb)
    w = tmul33_vec(R, load3(row.w_w))
    s, J, Jd = load3(own.s_b), load6(own.J_b), moment6(X, n, qd, e.v, 6)
    p, spin = moment(X, n, qd, e.v, 0), moment(X, n, qd, e.v, 3)
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
    moments = add3(cross(w, sym_vec(J, w)), add3(sym_vec(Jd, w), add3(moment(Y, n, qd, e.v, 0), cross(w, spin))))  # (5)
    store3(row.ef, neg3(add3(cross4(w_w, cross4(w_w, h)), mul33_vec(R, f))))
    store3(row.en, neg3(mul33_vec(R, moments)))

    # elastic loads without those of accelerations
    k = weights((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), w)
    for i in range(n):
        bias[i] = constant[e.load + i] + w[0] * Y[9, i] + w[1] * Y[10, i] + w[2] * Y[11, i]       # (6)
        for a in range(6, MOMENTS):
            bias[i] += k[a] * X[a, i]
    multiply(constant, e.Ke, n, q, e.q, bias)
    if e.damped == 1:
        multiply(constant, e.De, n, qd, e.v, bias)


@kernel
def eval_floating_accelerations(sys, index, qdd, work):
    """Elastic loads with those of accelerations, and the wrench of qdd, after the body's accelerations."""
    e, own, constant = sys.floating.element[index], work.floating.element[index], sys.floating.constant
    X, bias, load, n = work.floating.X[index], work.floating.bias[index], work.floating.load[index], e.n
    row = work.body[e.body]
    R = load_columns(row.E_wb)
    a, al = tmul33_vec(R, load3(row.a_w)), tmul33_vec(R, load3(row.al_w))
    store3(own.a_b, a)
    store3(own.al_b, al)
    store3(own.f_w, mul33_vec(R, moment(X, n, qdd, e.v, 0)))
    store3(own.n_w, mul33_vec(R, moment(X, n, qdd, e.v, 3)))
    own.ready = 0
    for i in range(n):
        load[i] = bias[i] + a[0] * X[0, i] + a[1] * X[1, i] + a[2] * X[2, i]                      # (6)
        load[i] += al[0] * X[3, i] + al[1] * X[4, i] + al[2] * X[5, i]
    multiply(constant, e.Me, n, qdd, e.v, load)


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
            effort[e.v + i] = work.floating.load[index, i]


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
