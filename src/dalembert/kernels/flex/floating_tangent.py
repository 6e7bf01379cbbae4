"""Exact variations of flexible bodies in floating frames and of their faces, for tree/tangent.py.

In F's axes, with the moments X_l and the weights k of floating.py, a variation (da, dal, dw; dq, dqd, dqdd) gives
    df = m da + dal x s + al x ds + d(w x (w x s) + 2 w x c qd) + c dqdd                              (1)
    dn = ds x a + s x da + dJ al + J dal + d(w x J w + J' w + w x Cr qd) + Cr dqdd + (Gᵀ qdd) dq
         + (G qd + Gᵀ qd) dqd                                                                                (2)
    dQ = X·dk + dw·(G - Gᵀ) qd + K dq + C dqd + Me dqdd,   K = Ke + k·X1,   C = De + w·(G - Gᵀ)               (3)
    ds = c dq,   dJ = J_l dq_l,   dJ' = J_l dqd_l + (2 J2 qd)_l dq_l,   d(Cr qd) = Cr dqd + (Gᵀ qd) dq
and in the world's axes dn_w = phi x n_w + R dn, with R' (dx - phi x x) for a vector's variation in F's axes.
Faces: with d th = phi_l dq_l, the axes of the turns change relative to F by
    da1 = 0,   da2 = dth1 a1 x a2,   da3 = (dth1 a1 + dth2 a2) x a3                                           (4)
and (2), (3) of faces.py are differentiated line by line.  The part of the directions' change that B makes,
(a_c·n) B_c dq for the load (n, f) of a face, is symmetric in q and kept in K.
"""

from ..algebra.quad import load_columns, load_quads, mixed
from ..algebra.small import add3, axpy3, cross, dot3, load3, load6, mul33_vec, scale3, store3, sub3, sym_vec, tmul33_vec
from ..compile.jit import kernel, part
from .faces import contract, face_direction, multiply_curves, six_of, spun
from .floating import moment, moment6, multiply_changes, quads_at, square_product, triple_of, twelve, weights
from .floating_tables import (
    AT_BQD,
    AT_BQDD,
    AT_C,
    AT_CHANGE,
    AT_K,
    AT_PHI,
    AT_S,
    AT_X,
    AT_Y,
    AT_Z,
    MOMENTS,
)

# --- the body ------------------------------------------------------------------------------------------------------

@part
def weighted(k, row):
    """Sum of the twelve components of three quads, each times its weight."""
    total = 0.0
    for c in range(4):
        total += k[c] * row[0][c] + k[4 + c] * row[1][c] + k[8 + c] * row[2][c]
    return total


@kernel
def prepare_element(sys, index, qd, qdd, work):
    """K and C of (3), the products of X1 with qdd and the inertia wrench of one body, without its faces."""
    e, own, constant = sys.floating.element[index], work.floating.element[index], sys.floating.constant
    K, C = work.floating.square[index, AT_K], work.floating.square[index, AT_C]
    n = e.n
    multiply_changes(e, sys.floating.change, qdd, work.floating.flat[index, AT_Z])
    w = load3(own.w_b)
    k = weights((0.0, 0.0, 0.0), load3(own.al_b), w)
    for i in range(n):
        for c in range(n):
            row, at = quads_at(sys.floating.change[e.X1 + c], MOMENTS * i), i * n + c
            K[i, c] = constant[e.Ke + at] + weighted(k, row)                                      # (3)
            C[i, c] = constant[e.De + at] + dot3(w, row[0])

    # inertia wrench, (4) and (5) of floating.py
    X, Y, m = work.floating.moment[index, AT_X], work.floating.moment[index, AT_Y], constant[e.rigid]
    a, al, s, J, p = load3(own.a_b), load3(own.al_b), load3(own.s_b), load6(own.J_b), load3(own.p_b)
    f = add3(axpy3(m, a, cross(al, s)), cross(w, axpy3(2.0, p, cross(w, s))))
    f = add3(f, moment(X, n, qdd, e.v, 0))
    turning = add3(cross(s, a), add3(sym_vec(J, al), cross(w, add3(sym_vec(J, w), load3(own.l_b)))))
    turning = add3(turning, add3(sym_vec(load6(own.Jd_b), w), add3(moment(Y, n, qd, e.v, 3), moment(X, n, qdd, e.v, 3))))
    store3(own.f_b, f)
    store3(own.n_b, turning)


@part
def vary_weights(da, dal, w, dw):
    """Variation of k, see `weights`."""
    return (da[0], da[1], da[2], dal[0], dal[1], dal[2], -w[0] * dw[0], -w[0] * dw[1] - dw[0] * w[1],
            -w[0] * dw[2] - dw[0] * w[2], -w[1] * dw[1], -w[1] * dw[2] - dw[1] * w[2], -w[2] * dw[2])


@kernel
def vary_element(sys, index, dq, dqd, dqdd, work):
    """Variation of the inertia wrench of a flexible body, into its row, and of the loads of its elastic coordinates."""
    e, own, constant = sys.floating.element[index], work.floating.element[index], sys.floating.constant
    X, Y, Z, n = work.floating.moment[index, AT_X], work.floating.moment[index, AT_Y], work.floating.moment[index, AT_Z], e.n
    row, o, m = work.body[e.body], work.variation[e.body], constant[e.rigid]
    R, phi = load_columns(row.E_wb), load3(o.phi)
    w, al, a, s = load3(own.w_b), load3(own.al_b), load3(own.a_b), load3(own.s_b)
    J, Jd, p, turning = load6(own.J_b), load6(own.Jd_b), load3(own.p_b), load3(own.l_b)

    # variations in the frame's axes
    da = tmul33_vec(R, sub3(load3(o.a), cross(phi, load3(row.a_w))))
    dal = tmul33_vec(R, sub3(load3(o.al), cross(phi, load3(row.al_w))))
    dw = tmul33_vec(R, sub3(load3(o.w), cross(phi, load3(row.w_w))))
    ds, dJ = moment(X, n, dq, e.v, 0), moment6(X, n, dq, e.v)
    dJd, slower = moment6(X, n, dqd, e.v), moment6(Y, n, dq, e.v)
    dp = moment(X, n, dqd, e.v, 0)
    dl = add3(moment(X, n, dqd, e.v, 3), sub3(moment(Y, n, dq, e.v, 3), moment(Y, n, dq, e.v, 0)))

    # the force
    spin = add3(cross(dw, axpy3(2.0, p, cross(w, s))), cross(w, axpy3(2.0, dp, add3(cross(dw, s), cross(w, ds)))))
    df = add3(axpy3(m, da, add3(cross(dal, s), cross(al, ds))), spin)
    df = add3(df, moment(X, n, dqdd, e.v, 0))

    # the moment
    dn = add3(add3(cross(ds, a), cross(s, da)), add3(sym_vec(dJ, al), sym_vec(J, dal)))
    dn = add3(dn, cross(dw, add3(sym_vec(J, w), turning)))
    dn = add3(dn, cross(w, add3(add3(sym_vec(dJ, w), sym_vec(J, dw)), dl)))
    dn = add3(dn, add3(add3(sym_vec(dJd, w), sym_vec(slower, w)), sym_vec(Jd, dw)))
    dn = add3(dn, add3(moment(X, n, dqdd, e.v, 3), sub3(moment(Z, n, dq, e.v, 3), moment(Z, n, dq, e.v, 0))))
    dn = add3(dn, sub3(scale3(moment(Y, n, dqd, e.v, 3), 2.0), moment(Y, n, dqd, e.v, 0)))
    store3(o.f, add3(cross(phi, mul33_vec(R, load3(own.f_b))), mul33_vec(R, df)))
    store3(o.n, add3(cross(phi, mul33_vec(R, load3(own.n_b))), mul33_vec(R, dn)))

    # elastic loads (3)
    out, K, C = work.floating.load[index, AT_CHANGE], work.floating.square[index, AT_K], work.floating.square[index, AT_C]
    dk = vary_weights(da, dal, w, dw)
    for i in range(n):
        total = dot3(dw, triple_of(Y, i, 0)) + weighted(dk, twelve(X, i)) + square_product(e, constant, e.Me, i, dqdd, e.v)
        for c in range(n):
            total += K[i, c] * dq[e.v + c] + C[i, c] * dqd[e.v + c]
        out[i] = total


# --- its faces -----------------------------------------------------------------------------------------------------

@part
def load_axes(own):
    """Axes a1, a2, a3 of a face's turns, world, in quads."""
    x = own.axes
    return (x[0], x[1], x[2], 0.0), (x[3], x[4], x[5], 0.0), (x[6], x[7], x[8], 0.0)


@kernel
def prepare_face(sys, index, qd, qdd, work):
    """B qdd of a face, its accelerations relative to F, and what its load adds to K of its body."""
    face, own = sys.floating.face[index], work.floating.face[index]
    e, n = sys.floating.element[face.element], sys.floating.element[face.element].n
    strip, K = work.floating.strip[index], work.floating.square[face.element, AT_K]
    row, P, axes = work.body[face.body], load_quads(work.body[e.root].E_wb), load_axes(own)
    multiply_curves(face, sys.floating.curve, n, qdd, e.v, strip[AT_BQDD])
    slow, fast = contract(strip[AT_BQD], qd, n, e.v), contract(strip[AT_PHI], qdd, n, e.v)
    thdd = add3(fast[1], slow[1])
    store3(own.thdd, thdd)
    store3(own.turn, add3(spun(axes[0], axes[1], axes[2], load3(own.thd)), mixed(thdd, axes)))
    store3(own.slide, mixed(add3(fast[0], slow[0]), P))
    if face.curved == 1:
        f, t = load3(row.f), load3(row.n)
        along, about = (dot3(P[0], f), dot3(P[1], f), dot3(P[2], f)), (dot3(axes[0], t), dot3(axes[1], t), dot3(axes[2], t))
        for i in range(n):
            for c in range(n):
                u, th = six_of(sys.floating.curve, face.B + i * n + c)
                K[i, c] += dot3(along, u) + dot3(about, th)


@part
def vary_axes(axes, dth):
    """da2 and da3 of (4)."""
    a1, a2, a3 = axes
    return scale3(cross(a1, a2), dth[0]), cross(axpy3(dth[0], a1, scale3(a2, dth[1])), a3)


@part
def combined(x, axes, da2, da3, dx):
    """Variation of x1 a1 + x2 a2 + x3 a3."""
    return axpy3(x[1], da2, axpy3(x[2], da3, mixed3(dx, axes)))


@part
def mixed3(x, axes):
    """x1 a1 + x2 a2 + x3 a3."""
    return axpy3(x[0], axes[0], axpy3(x[1], axes[1], scale3(axes[2], x[2])))


@part
def vary_spun(axes, da2, da3, thd, dthd):
    """Variation of `spun`."""
    a1, a2, a3 = axes
    turn = axpy3(thd[0], a1, scale3(a2, thd[1]))
    dturn = axpy3(dthd[0], a1, axpy3(dthd[1], a2, scale3(da2, thd[1])))
    out = axpy3(dthd[0] * thd[1] + thd[0] * dthd[1], cross(a1, a2), scale3(cross(a1, da2), thd[0] * thd[1]))
    return axpy3(dthd[2], cross(turn, a3), axpy3(thd[2], add3(cross(dturn, a3), cross(turn, da3)), out))


@kernel
def vary_face(sys, b, dq, dqd, dqdd, work):
    """Variations relative to F of a face, world axes.

    They are those of turn and displacement, of their rates and of their accelerations, and the accelerations themselves.
    """
    own, e = work.floating.face[b.flex], sys.floating.element[sys.floating.face[b.flex].element]
    strip, n = work.floating.strip[b.flex], e.n
    phi, Bqd, Bqdd = strip[AT_PHI], strip[AT_BQD], strip[AT_BQDD]
    P, axes, thd, thdd = load_quads(work.body[b.parent].E_wb), load_axes(own), load3(own.thd), load3(own.thdd)
    du, dth = contract(phi, dq, n, e.v)
    rates, bends = contract(phi, dqd, n, e.v), contract(Bqd, dq, n, e.v)
    dud, dthd = add3(rates[0], bends[0]), add3(rates[1], bends[1])
    rates, bends, slow = contract(phi, dqdd, n, e.v), contract(Bqdd, dq, n, e.v), contract(Bqd, dqd, n, e.v)
    dudd, dthdd = axpy3(2.0, slow[0], add3(rates[0], bends[0])), axpy3(2.0, slow[1], add3(rates[1], bends[1]))
    da2, da3 = vary_axes(axes, dth)                                                               # (4)
    faster = add3(combined(thdd, axes, da2, da3, dthdd), vary_spun(axes, da2, da3, thd, dthd))
    return (mixed3(dth, axes), mixed3(du, P), combined(thd, axes, da2, da3, dthd), mixed3(dud, P),
            faster, mixed3(dudd, P), load3(own.turn), load3(own.slide))


@kernel
def add_face_variation(sys, b, n, f, dn, df, turn, dq, out, work):
    """Add the variation of the product of a face's directions with its load (n, f) to out; `turn` is that of F."""
    e, S = sys.floating.element[sys.floating.face[b.flex].element], work.floating.strip[b.flex, AT_S]
    phi = work.floating.strip[b.flex, AT_PHI]
    da2, da3 = vary_axes(load_axes(work.floating.face[b.flex]), contract(phi, dq, e.n, e.v)[1])
    along2, along3 = dot3(da2, n), dot3(da3, n)
    dn, df = add3(dn, cross(n, turn)), add3(df, cross(f, turn))
    for k in range(e.n):
        s_n, s_f = face_direction(S, k)
        out[e.v + k] += dot3(s_n, dn) + dot3(s_f, df) + along2 * phi[k, 4] + along3 * phi[k, 5]


# --- all -----------------------------------------------------------------------------------------------------------

@kernel
def prepare_tangent(sys, qd, qdd, work):
    """All that variations need of the state and of its loads, once; after `eval_joint_loads`."""
    elements = work.floating.element
    for index in range(elements.shape[0]):
        if elements[index].ready == 0:
            prepare_element(sys, index, qd, qdd, work)
    for index in range(sys.floating.face.shape[0]):
        if elements[sys.floating.face[index].element].ready == 0:
            prepare_face(sys, index, qd, qdd, work)
    for index in range(elements.shape[0]):
        elements[index].ready = 1


@kernel
def put_load_variations(sys, out, work):
    """out of the elastic rates = variation of their loads minus out, as the other rates have it."""
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        for k in range(e.n):
            out[e.v + k] = work.floating.load[index, AT_CHANGE, k] - out[e.v + k]
