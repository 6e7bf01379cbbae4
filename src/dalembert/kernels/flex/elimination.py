"""Flexible bodies in the O(N) elimination of a tree: their elastic coordinates are eliminated as one block.

The rows of a floating frame F and of its elastic coordinates read, with the acceleration a of F (al_w, a_w) and the wrench e
applied to it, and for each face k with its directions S_k, articulated inertia A_k and wrench e_k,
    A a + U qdd = e + joint load,   Uᵀ a + D qdd = u                                                     (1)
    D = Me + sum S_kᵀ A_k S_k,   U = C + sum X_k A_k S_k,   u = tau - bias + sum S_kᵀ (e_k - A_k c_k)    (2)
where C = (Cr, c) couples the body with its frame, X_k moves a wrench from the face to F and c_k is the acceleration of the
velocities; a face hands A_k on to F as every body does to its parent.  If the inertia belongs to a face, C is moved to F by
its X, adds Sᵀ C + Cᵀ S to D and takes Cᵀ c_k off u.  With D = L Lᵀ, W = L⁻¹ Uᵀ and y = L⁻¹ u the block is eliminated by
    A <- A - Wᵀ W,   e <- e - Wᵀ y,   qdd = L⁻ᵀ (y - W a)                                                (3)
before the directions of F's joint; (3) outward gives the accelerations of the faces.  D is regular since Me is.  An implicit
step adds cq Ke + cv De to D.
Seeds: [ARN section 6] leaves the extension of its recursion to flexible bodies open; derived here.
"""

from math import sqrt

from ...codes import JointCode, Status
from ..algebra.quad import add4, axpy4, cross4, load4, load_columns
from ..algebra.small import add3, cross, dot3, load3
from ..algebra.spatial import downdated_inertia, inertia_vec
from ..compile.jit import kernel, part
from .faces import face_direction
from .floating_mass import coupling
from .floating_tables import AT_BIAS, AT_D, AT_REST, AT_S, AT_X


@kernel
def begin_elimination(sys, cq, cv, kept, work):
    """D = Me + cq Ke + cv De and U = 0 of every flexible body, those of an implicit step if `kept` is 1."""
    constant = sys.floating.constant
    for index in range(sys.floating.element.shape[0]):
        e, D, U = sys.floating.element[index], work.floating.square[index, AT_D + kept], work.floating.coupling[index, kept]
        for k in range(e.n):
            for c in range(k + 1):
                at = k * e.n + c
                D[k, c] = constant[e.Me + at] + cq * constant[e.Ke + at] + cv * constant[e.De + at]
            for c in range(6):
                U[c, k] = 0.0


@part
def add_coupling(U, k, n, f):
    """Add a wrench to column k of U (6, n)."""
    for c in range(3):
        U[c, k] += f[c]
        U[3 + c, k] += n[c]


@kernel
def couple_body(sys, i, index, kept, work):
    """Add the coupling C of flexible body `index`, whose inertia belongs to row i, by (2)."""
    b, X, R = sys.body[i], work.floating.moment[index, AT_X], load_columns(work.body[i].E_wb)
    D, U = work.floating.square[index, AT_D + kept], work.floating.coupling[index, kept]
    for k in range(sys.floating.element[index].n):
        n, f = coupling(R, X, k)
        if b.code == JointCode.ELASTIC:
            S = work.floating.strip[b.flex, AT_S]
            for c in range(sys.floating.element[index].n):
                s_n, s_f = face_direction(S, c)
                D[max(k, c), min(k, c)] += (dot3(s_n, n) + dot3(s_f, f)) * (2.0 if c == k else 1.0)
            n = add3(n, cross(load3(work.body[i].d_w), f))
        add_coupling(U, k, n, f)


@kernel
def begin_loads(sys, tau, work):
    """u = tau - bias of (2)."""
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        for k in range(e.n):
            work.floating.load[index, AT_REST, k] = tau[e.v + k] - work.floating.load[index, AT_BIAS, k]
            work.dof[e.v + k].iD = 1.0


@part
def quad_direction(S, k):
    """Direction k of a face in quads: turning and moving."""
    return (S[k, 3], S[k, 4], S[k, 5], 0.0), (S[k, 0], S[k, 1], S[k, 2], 0.0)


@kernel
def couple_face(sys, i, J, H, M, kept, work):
    """Add the articulated inertia of row i, a face, to D and U of its flexible body by (2)."""
    if M[0][0] + M[1][1] + M[2][2] + J[0][0] + J[1][1] + J[2][2] == 0.0:
        return
    b, d = sys.body[i], load4(work.body[i].d_w)
    index = sys.floating.face[b.flex].element
    S, D, U = work.floating.strip[b.flex, AT_S], work.floating.square[index, AT_D + kept], work.floating.coupling[index, kept]
    for k in range(sys.floating.element[index].n):
        s_n, s_f = quad_direction(S, k)
        n, f = inertia_vec(J, H, M, s_n, s_f)
        for c in range(k + 1):
            t_n, t_f = face_direction(S, c)
            D[k, c] += dot3(t_n, n) + dot3(t_f, f)
        add_coupling(U, k, add4(n, cross4(d, f)), f)


@kernel
def load_face(sys, i, n, f, factor, kept, work):
    """Add `factor` times the product of a face's directions with a wrench about its origin to the loads that are left."""
    b = sys.body[i]
    index, S = sys.floating.face[b.flex].element, work.floating.strip[b.flex, AT_S + kept]
    u = work.floating.load[index, AT_REST + kept]
    for k in range(sys.floating.element[index].n):
        s_n, s_f = face_direction(S, k)
        u[k] += factor * (dot3(s_n, n) + dot3(s_f, f))


@kernel
def load_heavy_face(sys, i, index, work):
    """Take Cᵀ c_k off the loads that are left, for row i that the inertia of flexible body `index` belongs to."""
    row, u = work.body[i], work.floating.load[index, AT_REST]
    X, R, ca, cl = work.floating.moment[index, AT_X], load_columns(row.E_wb), load3(row.ca_w), load3(row.cl_w)
    for k in range(sys.floating.element[index].n):
        n, f = coupling(R, X, k)
        u[k] -= dot3(n, ca) + dot3(f, cl)


@kernel
def factor_block(n, D, U) -> int:
    """Overwrite D (n, n), lower triangle, by L, and U (6, n) by Wᵀ of (3)."""
    for k in range(n):
        pivot = D[k, k]
        for c in range(k):
            pivot -= D[k, c] * D[k, c]
        if not pivot > 0.0:
            return Status.SINGULAR.value
        root = sqrt(pivot)
        D[k, k] = root
        for i in range(k + 1, n):
            s = D[i, k]
            for c in range(k):
                s -= D[i, c] * D[k, c]
            D[i, k] = s / root
        for a in range(6):
            s = U[a, k]
            for c in range(k):
                s -= D[k, c] * U[a, c]
            U[a, k] = s / root
    return Status.OK.value


@part
def forward_block(n, D, y):
    """Overwrite y (n,) by L⁻¹ y."""
    for k in range(n):
        s = y[k]
        for c in range(k):
            s -= D[k, c] * y[c]
        y[k] = s / D[k, k]


@part
def backward_block(n, D, x, first):
    """Overwrite x[first:first + n] by L⁻ᵀ times it."""
    for k in range(n - 1, -1, -1):
        s = x[first + k]
        for c in range(k + 1, n):
            s -= D[c, k] * x[first + c]
        x[first + k] = s / D[k, k]


@part
def block_row(U, k):
    """Row k of W in quads: moment and force."""
    return (U[3, k], U[4, k], U[5, k], 0.0), (U[0, k], U[1, k], U[2, k], 0.0)


@kernel
def downdated_block(n, U, J, H, M):
    """Articulated inertia without the block by (3)."""
    for k in range(n):
        W_n, W_f = block_row(U, k)
        J, H, M = downdated_inertia(J, H, M, W_n, W_f, 1.0)
    return J, H, M


@kernel
def wrench_with_block(n, U, y, factor, moment, force):
    """Wrench in quads plus `factor` times Wᵀ y of (3)."""
    for k in range(n):
        W_n, W_f = block_row(U, k)
        moment, force = axpy4(factor * y[k], W_n, moment), axpy4(factor * y[k], W_f, force)
    return moment, force


@kernel
def solve_block(sys, index, factor, kept, al, a, x, work):
    """x of the elastic rates of a flexible body = L⁻ᵀ (factor y - W a) of (3)."""
    e, U, y = sys.floating.element[index], work.floating.coupling[index, kept], work.floating.load[index, AT_REST + kept]
    for k in range(e.n):
        W_n, W_f = block_row(U, k)
        x[e.v + k] = factor * y[k] - dot3(W_n, al) - dot3(W_f, a)
    backward_block(e.n, work.floating.square[index, AT_D + kept], x, e.v)


@kernel
def accelerated(sys, b, kept, al, a, x, work):
    """Accelerations of a face, in quads, with those that the elastic accelerations x (n_v,) add."""
    e, S = sys.floating.element[sys.floating.face[b.flex].element], work.floating.strip[b.flex, AT_S + kept]
    for k in range(e.n):
        s_n, s_f = quad_direction(S, k)
        al, a = axpy4(x[e.v + k], s_n, al), axpy4(x[e.v + k], s_f, a)
    return al, a
