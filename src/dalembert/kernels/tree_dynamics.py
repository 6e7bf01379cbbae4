"""Forward dynamics of a tree in O(N): block elimination from the leaves to the ground, then outward.

Seeds: [ARN (10)-(17)] elimination of the joint loads mu and of the accelerations.  Deviations: K = identity, J stands
for minus [ARN]'s J, the load of a joint is +mu on its own body, and [ARN (15)] misprints a bracket: the term J^T f
stands outside of M(...).  The directions of a joint are eliminated one after the other, which is the block
elimination of [ARN (13)] written as rank-one updates; reference point is the joint origin, axes are the world's.

For a direction s of a body with articulated inertia A and applied wrench e (joint load A a - e):
    U = A s,  D = sᵀU,  u = tau + sᵀe,                                                   (1)
    A <- A - U Uᵀ/D,  e <- e - U u/D,                                                    (2)
    qdd = (u - Uᵀa)/D,  a <- a + s qdd                                                   (3)
(2) and (3) are [ARN (13), (15), (16)] for one direction.

Rank-deficient hinges [ARN (18)-(26)]: a direction with D = 0 has U = A s = 0 (A is semi-definite), so that the
pseudo-inverse in (2) leaves A and e as they are, u = 0 is the first-order equation [ARN (20b)], and its own
acceleration is open.  It is set to zero: no other body's load depends on it [ARN (23)], and the accelerations found are
one solution of [ARN (26)], the others differing by motions without inertia (tree_rank.py).  The directions of a joint
with several are taken in the order of falling D, which reveals its rank; [ARN] takes eigenvectors instead.
"""

from ..codes import Status
from .jit import kernel, part
from .small import (
    add3,
    axpy3,
    cross,
    dot3,
    load3,
    load6,
    load9,
    mul33_vec,
    scale3,
    store3,
    store6,
    store9,
    sub3,
    sym_vec,
    tmul33_vec,
)
from .spatial import add6, add9, downdated, downdated_sym, shifted_inertia, tilde, tilde_sym

RANK_TOLERANCE = 1e-12
"""A direction has no inertia if D is below this fraction of the articulated inertia that its joint begins with."""


@part
def inertia_along(s_n, s_f, size_n, size_f):
    """Size that the inertia along (s_n, s_f) is held against, for the traces of J and M that a joint begins with."""
    return dot3(s_n, s_n) * size_n + dot3(s_f, s_f) * size_f


@part
def trace6(S):
    """Trace of a symmetric matrix of six numbers."""
    return S[0] + S[3] + S[5]


@part
def forget_sizes(sys, rows):
    """Begin with nothing eliminated, in models that have bodies with singular mass matrices."""
    if sys.constants[0].pivot == 1:
        for i in range(rows.shape[0]):
            rows[i].size_n = rows[i].size_f = 0.0


@part
def joint_sizes(sys, own, J, M):
    """Traces that a joint's D is held against: of its articulated inertia, and of what was eliminated further out.

    Rounding leaves of an eliminated inertia a fraction of its former size, which must not be taken for inertia.
    """
    size_n, size_f = trace6(J), trace6(M)
    if sys.constants[0].pivot == 1:
        return max(size_n, own.size_n), max(size_f, own.size_f)
    return size_n, size_f


@part
def hand_sizes(sys, b, d, size_n, size_f, rows):
    """Tell the parent the sizes of what was eliminated, d from its origin."""
    if sys.constants[0].pivot == 1:
        parent = rows[b.parent]
        parent.size_n = max(parent.size_n, size_n + dot3(d, d) * size_f)
        parent.size_f = max(parent.size_f, size_f)


@part
def note_massless(work, k):
    """Count rate k among those without inertia; returns the pseudo-inverse of its D."""
    work.fail[0] = k
    work.fail[1] += 1
    return 0.0


@kernel
def pick_direction(sys, b, place, J, H, M, size_n, size_f, dof):
    """Rate to eliminate at a place (counted down) of a joint's directions: the one with the largest relative D.

    The order is kept in `dof[place].order`.  Driven directions come first, their order does not matter.
    """
    if place == b.v + b.nv - 1:
        for k in range(b.v, b.v + b.nv):
            dof[k].order = k
    if sys.constants[0].pivot == 0:
        return place
    best, largest = place, -1.0
    for other in range(b.v, place + 1):
        k = dof[other].order
        s_n, s_f = load3(dof[k].s_n), load3(dof[k].s_f)
        U_n, U_f = add3(sym_vec(J, s_n), mul33_vec(H, s_f)), add3(tmul33_vec(H, s_n), sym_vec(M, s_f))
        scale = inertia_along(s_n, s_f, size_n, size_f)
        D = (dot3(s_n, U_n) + dot3(s_f, U_f)) / scale if scale > 0.0 else 0.0
        if D > largest or sys.dof[k].drive >= 0:
            best, largest = other, D if sys.dof[k].drive < 0 else 2.0
    chosen = dof[best].order
    dof[best].order = dof[place].order
    dof[place].order = chosen
    return chosen


@part
def load_articulated(b, i, own):
    """Articulated inertia of row i: its own for a leaf, else what its children have made of it."""
    if b.end == i + 1:
        m = b.mass
        return load6(own.J), tilde(load3(own.h_w)), (m, 0.0, 0.0, m, 0.0, m)
    return load6(own.J), load9(own.H), load6(own.M)


@part
def hand_to_parent(sys, b, d, J, H, M, rows):
    """Add the rest of a body's articulated inertia to its parent's, d from the parent's origin [ARN (13a)]."""
    parent = rows[b.parent]
    G = add9(H, tilde_sym(d, M))
    store6(parent.J, add6(load6(parent.J), shifted_inertia(J, H, G, d)))
    if b.opens == 1:
        m = sys.body[b.parent].mass
        store9(parent.H, add9(tilde(load3(parent.h_w)), G))
        store6(parent.M, (M[0] + m, M[1], M[2], M[3] + m, M[4], M[5] + m))
    else:
        store9(parent.H, add9(load9(parent.H), G))
        store6(parent.M, add6(load6(parent.M), M))


@kernel
def eliminate_directions(sys, b, tau, qdd, J, H, M, n, f, size_n, size_f, work):
    """Steps (1) and (2) for all directions of a joint with any number of them; returns what is left of A and e."""
    dof = work.dof
    for place in range(b.v + b.nv - 1, b.v - 1, -1):
        k = pick_direction(sys, b, place, J, H, M, size_n, size_f, dof)
        own_k = dof[k]
        s_n, s_f = load3(own_k.s_n), load3(own_k.s_f)
        U_n = add3(sym_vec(J, s_n), mul33_vec(H, s_f))                                 # (1)
        U_f = add3(tmul33_vec(H, s_n), sym_vec(M, s_f))
        if sys.dof[k].drive >= 0:
            n, f = axpy3(-qdd[k], U_n, n), axpy3(-qdd[k], U_f, f)
            continue
        D = dot3(s_n, U_n) + dot3(s_f, U_f)
        u = tau[k] + dot3(s_n, n) + dot3(s_f, f)
        if not RANK_TOLERANCE * inertia_along(s_n, s_f, size_n, size_f) < D:
            iD = note_massless(work, k)
        else:
            iD = 1.0 / D
        store3(own_k.U_n, U_n)
        store3(own_k.U_f, U_f)
        own_k.iD = iD
        own_k.u = u
        g_n, g_f = scale3(U_n, iD), scale3(U_f, iD)
        J, H, M = downdated_sym(J, U_n, g_n), downdated(H, U_n, g_f), downdated_sym(M, U_f, g_f)  # (2)
        n, f = axpy3(-u, g_n, n), axpy3(-u, g_f, f)
    return J, H, M, n, f


@part
def solve_accelerations(sys, tau, qdd, work) -> int:
    """Solve M qdd = tau - bias for the undriven rates after `eval_motion` and `eval_forces`; driven qdd are given.

    Rates without inertia get iD = 0 and qdd = 0; `work.fail[0]` is the last of them, `work.fail[1]` their number, and the
    status is SINGULAR unless `work.fail[2]` allows them.
    """
    body, rows, dof = sys.body, work.body, work.dof
    work.fail[1] = 0
    forget_sizes(sys, rows)

    # inward: eliminate the directions of each joint, hand the rest to the parent              # [ARN (12), (13)]
    for i in range(body.shape[0] - 1, 0, -1):
        b, own = body[i], rows[i]
        J, H, M = load_articulated(b, i, own)
        size_n, size_f = joint_sizes(sys, own, J, M)
        n, f = load3(own.en), load3(own.ef)
        if b.plain == 1:
            k = dof[b.v]
            s = load3(k.s_n)
            U_n, U_f = sym_vec(J, s), tmul33_vec(H, s)                                         # (1)
            D = dot3(s, U_n)
            u = tau[b.v] + dot3(s, n)
            if not RANK_TOLERANCE * size_n < D:
                iD = note_massless(work, b.v)
            else:
                iD = 1.0 / D
            store3(k.U_n, U_n)
            store3(k.U_f, U_f)
            k.iD = iD
            k.u = u
            g_n, g_f = scale3(U_n, iD), scale3(U_f, iD)
            J, H, M = downdated_sym(J, U_n, g_n), downdated(H, U_n, g_f), downdated_sym(M, U_f, g_f)  # (2)
            n, f = axpy3(-u, g_n, n), axpy3(-u, g_f, f)
        else:
            J, H, M, n, f = eliminate_directions(sys, b, tau, qdd, J, H, M, n, f, size_n, size_f, work)
        if b.parent > 0:
            parent = rows[b.parent]
            ca, cl, d = load3(own.ca_w), load3(own.cl_w), load3(own.d_w)
            n = sub3(n, add3(sym_vec(J, ca), mul33_vec(H, cl)))
            f = sub3(f, add3(tmul33_vec(H, ca), sym_vec(M, cl)))
            hand_to_parent(sys, b, d, J, H, M, rows)
            hand_sizes(sys, b, d, size_n, size_f, rows)
            store3(parent.en, add3(load3(parent.en), add3(n, cross(d, f))))
            store3(parent.ef, add3(load3(parent.ef), f))

    # outward, the accelerations of all bodies                                                  # [ARN (15), (16)]
    g = load3(sys.constants[0].g_w)
    store3(rows[0].al_w, (0.0, 0.0, 0.0))
    store3(rows[0].a_w, (-g[0], -g[1], -g[2]))
    for i in range(1, body.shape[0]):
        b, own, parent = body[i], rows[i], rows[body[i].parent]
        al = load3(parent.al_w)
        a = add3(add3(load3(parent.a_w), cross(al, load3(own.d_w))), load3(own.cl_w))
        al = add3(al, load3(own.ca_w))
        if b.plain == 1:
            k = dof[b.v]
            acc = (k.u - dot3(load3(k.U_n), al) - dot3(load3(k.U_f), a)) * k.iD                # (3)
            qdd[b.v] = acc
            al = axpy3(acc, load3(k.s_n), al)
        else:
            for place in range(b.v, b.v + b.nv):
                k = dof[place].order
                own_k = dof[k]
                if sys.dof[k].drive < 0:
                    qdd[k] = (own_k.u - dot3(load3(own_k.U_n), al) - dot3(load3(own_k.U_f), a)) * own_k.iD
                al = axpy3(qdd[k], load3(own_k.s_n), al)
                a = axpy3(qdd[k], load3(own_k.s_f), a)
        store3(own.al_w, al)
        store3(own.a_w, a)
    return Status.SINGULAR.value if work.fail[1] > work.fail[2] else Status.OK.value
