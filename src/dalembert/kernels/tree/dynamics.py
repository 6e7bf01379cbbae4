"""Forward dynamics of a tree in O(N), the articulated-body algorithm (ABA): block elimination from the leaves to the ground,
then outward.

Seeds: [ARN (10)-(17)] elimination of the joint loads mu and of the accelerations.  Deviations: K = identity, J stands
for minus [ARN]'s J, the load of a joint is +mu on its own body, and [ARN (15)] misprints a bracket: the term J^T f
is outside of M(...).  The directions of a joint are eliminated one after the other, which is the block
elimination of [ARN (13)] written as rank-one updates; reference point is the joint origin, axes are the world's.

For a direction s of a body with articulated inertia A and applied wrench e, from which the wrench A c of the acceleration c
that velocities cause is taken first (joint load A a - e, a without c):
    U = A s,  D = sᵀU,  u = tau + sᵀe,                                                   (1)
    A <- A - U Uᵀ/D,  e <- e - U u/D,                                                    (2)
    qdd = (u - Uᵀa)/D,  a <- a + s qdd                                                   (3)
(2) and (3) are [ARN (13), (15), (16)] for one direction; c is added after the last one.  With the parent's accelerations
al_p and a_p, (3) of a revolute joint reads
    qdd = u/D - (U_n + d x U_f)ᵀal_p/D - U_fᵀa_p/D                                        (4)
where all but the two products with al_p and a_p is ready before they are; that is all a chain waits for.

A rotor of inertia a that moves with the rate alone, kinetic energy ½ a qd², makes D + a of D in (1)-(3).  What the direction
leaves to the parent is taken in two steps, so that a small a is not lost against D:
    A - U Uᵀ/(D + a) = (A - U Uᵀ/D) + U Uᵀ a/(D (D + a))                                  (5)

Rank-deficient hinges [ARN (18)-(26)]: a direction with D = 0 has U = A s = 0 (A is semi-definite), so that the
pseudo-inverse in (2) leaves A and e as they are, u = 0 is the first-order equation [ARN (20b)], and its own
acceleration is open.  It is set to zero: no other body's load depends on it [ARN (23)], and the accelerations found are
one solution of [ARN (26)], the others differing by motions without inertia (rank.py).  The directions of a joint
with several are taken in the order of falling D, which reveals its rank; [ARN] takes eigenvectors instead.

Elastic coordinates of flexible bodies are eliminated as blocks, see flex/elimination.py.
"""

from ...codes import JointCode, Status
from ..algebra.quad import add4, axpy4, cross4, dot4, load4, mixed, scale4, store4
from ..algebra.small import load3
from ..algebra.spatial import add_inertia, downdated_inertia, inertia_vec, load_inertia, shifted_inertia
from ..compile.jit import kernel, part, shared
from ..flex.elimination import (
    accelerated,
    begin_elimination,
    begin_loads,
    couple_body,
    couple_face,
    downdated_block,
    factor_block,
    forward_block,
    load_face,
    load_heavy_face,
    solve_block,
    wrench_with_block,
)
from ..flex.floating import heavy_element
from ..flex.floating_tables import AT_D, AT_REST

RANK_TOLERANCE = 1e-12
"""A direction has no inertia if D is below this fraction of the articulated inertia that its joint begins with."""


@part
def inertia_along(s_n, s_f, size_n, size_f):
    """Size by which the inertia along (s_n, s_f) is normalised, for the traces of J and M that a joint begins with."""
    return dot4(s_n, s_n) * size_n + dot4(s_f, s_f) * size_f


@part
def trace(S):
    """Trace of a matrix of three quads."""
    return S[0][0] + S[1][1] + S[2][2]


@part
def forget_sizes(sys, rows):
    """Begin with nothing eliminated, in models that have bodies with singular mass matrices."""
    if sys.constants[0].pivot == 1:
        for i in range(rows.shape[0]):
            rows[i].size_n = rows[i].size_f = 0.0


@part
def joint_sizes(sys, own, J, M):
    """Traces by which a joint's D is normalised: of its articulated inertia, and of what was eliminated further out.

    Rounding leaves of an eliminated inertia a fraction of its former size, which must not be taken for inertia.
    """
    size_n, size_f = trace(J), trace(M)
    if sys.constants[0].pivot == 1:
        return max(size_n, own.size_n), max(size_f, own.size_f)
    return size_n, size_f


@part
def hand_sizes(sys, b, d, size_n, size_f, rows):
    """Hand the sizes of what was eliminated to the parent, d from its origin."""
    if sys.constants[0].pivot == 1:
        parent = rows[b.parent]
        parent.size_n = max(parent.size_n, size_n + dot4(d, d) * size_f)
        parent.size_f = max(parent.size_f, size_f)


@part
def note_massless(work, k):
    """Count rate k among those without inertia; returns the pseudo-inverse of its D."""
    work.fail[0].rate = k
    work.rank[0].massless += 1
    return 0.0


@part
def without_direction(J, H, M, U_n, U_f, D, a):
    """Articulated inertia that a direction of inertia D with a rotor a on it leaves, by (2) or (5)."""
    J, H, M = downdated_inertia(J, H, M, U_n, U_f, 1.0 / D)                                    # (2)
    if a > 0.0:
        J, H, M = downdated_inertia(J, H, M, U_n, U_f, -a / (D * (D + a)))                     # (5)
    return J, H, M


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
        s_n, s_f = load4(dof[k].s_n), load4(dof[k].s_f)
        U_n, U_f = inertia_vec(J, H, M, s_n, s_f)
        scale = inertia_along(s_n, s_f, size_n, size_f)
        D = (dot4(s_n, U_n) + dot4(s_f, U_f) + sys.dof[k].armature) / scale if scale > 0.0 else 0.0
        if D > largest or sys.dof[k].drive >= 0:
            best, largest = other, D if sys.dof[k].drive < 0 else 2.0
    chosen = dof[best].order
    dof[best].order = dof[place].order
    dof[place].order = chosen
    return chosen


@part
def without_velocity_terms(own, J, H, M, n, f):
    """Wrench that is left for the accelerations in (3): e <- e - A (ca, cl)."""
    bias_n, bias_f = inertia_vec(J, H, M, load4(own.ca_w), load4(own.cl_w))
    return axpy4(-1.0, bias_n, n), axpy4(-1.0, bias_f, f)


@part
def hand_on(sys, b, own, J, H, M, n, f, size_n, size_f, rows):
    """Add what is left of a row's articulated inertia and wrench to its parent's [ARN (13)]."""
    if b.parent > 0:
        parent, d = rows[b.parent], load4(own.d_w)
        J, H, M = shifted_inertia(J, H, M, d)
        add_inertia(parent, J, H, M)
        hand_sizes(sys, b, d, size_n, size_f, rows)
        store4(parent.en, add4(load4(parent.en), add4(n, cross4(d, f))))
        store4(parent.ef, add4(load4(parent.ef), f))


@part
def eliminate_plain(sys, b, own, tau, work):
    """Steps (1) and (2) for an undriven revolute joint; the rest goes to the parent."""
    J, H, M = load_inertia(own)
    size_n, size_f = joint_sizes(sys, own, J, M)
    n, f = without_velocity_terms(own, J, H, M, load4(own.en), load4(own.ef))
    k = work.dof[b.v]
    s = load4(k.s_n)
    U_n, U_f = mixed(s, J), mixed(s, H)                                                        # (1)
    D, rotor = dot4(s, U_n), sys.dof[b.v].armature
    u = tau[b.v] + dot4(s, n)
    if RANK_TOLERANCE * size_n < D:
        iD = 1.0 / (D + rotor)
        J, H, M = without_direction(J, H, M, U_n, U_f, D, rotor)
    elif rotor > 0.0:
        iD, U_n, U_f = 1.0 / rotor, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    else:
        iD = note_massless(work, b.v)
    store4(k.U_n, U_n)
    store4(k.U_f, U_f)
    k.iD = iD
    k.u = u
    n, f = axpy4(-u * iD, U_n, n), axpy4(-u * iD, U_f, f)
    hand_on(sys, b, own, J, H, M, n, f, size_n, size_f, work.body)


@kernel
def eliminate_face(sys, i, work):
    """Hand what row i, a face, carries to the elastic coordinates of its body and to the body itself."""
    b, own = sys.body[i], work.body[i]
    J, H, M = load_inertia(own)
    size_n, size_f = joint_sizes(sys, own, J, M)
    n, f = without_velocity_terms(own, J, H, M, load4(own.en), load4(own.ef))
    couple_face(sys, i, J, H, M, 0, work)
    index = heavy_element(sys, i)
    if index >= 0:
        couple_body(sys, i, index, 0, work)
        load_heavy_face(sys, i, index, work)
    load_face(sys, i, n, f, 1.0, 0, work)
    hand_on(sys, b, own, J, H, M, n, f, size_n, size_f, work.body)


@kernel
def eliminate_block(sys, i, J, H, M, n, f, work):
    """Inertia and wrench of row i, a floating frame, without its elastic coordinates; a status."""
    index = sys.body[i].flex
    if heavy_element(sys, i) >= 0:
        couple_body(sys, i, index, 0, work)
    count, D = sys.floating.element[index].n, work.floating.square[index, AT_D]
    U, y = work.floating.coupling[index, 0], work.floating.load[index, AT_REST]
    status = factor_block(count, D, U)
    if status != Status.OK.value:
        work.fail[0].rate = sys.floating.element[index].v
        return J, H, M, n, f, status
    forward_block(count, D, y)
    J, H, M = downdated_block(count, U, J, H, M)
    n, f = wrench_with_block(count, U, y, -1.0, n, f)
    return J, H, M, n, f, status


@kernel
def eliminate_joint(sys, i, tau, qdd, work) -> int:
    """Steps (1) and (2) for all directions of the joint of row i, any number of them; the rest goes to the parent."""
    b, own, dof = sys.body[i], work.body[i], work.dof
    if b.code == JointCode.ELASTIC:
        eliminate_face(sys, i, work)
        return Status.OK.value
    J, H, M = load_inertia(own)
    size_n, size_f = joint_sizes(sys, own, J, M)
    n, f = load4(own.en), load4(own.ef)
    if b.flex >= 0:
        J, H, M, n, f, status = eliminate_block(sys, i, J, H, M, n, f, work)
        if status != Status.OK.value:
            return status
    n, f = without_velocity_terms(own, J, H, M, n, f)
    for place in range(b.v + b.nv - 1, b.v - 1, -1):
        k = pick_direction(sys, b, place, J, H, M, size_n, size_f, dof)
        own_k = dof[k]
        s_n, s_f = load4(own_k.s_n), load4(own_k.s_f)
        U_n, U_f = inertia_vec(J, H, M, s_n, s_f)                                              # (1)
        if sys.dof[k].drive >= 0:
            n, f = axpy4(-qdd[k], U_n, n), axpy4(-qdd[k], U_f, f)
            continue
        D, rotor = dot4(s_n, U_n) + dot4(s_f, U_f), sys.dof[k].armature
        u = tau[k] + dot4(s_n, n) + dot4(s_f, f)
        if RANK_TOLERANCE * inertia_along(s_n, s_f, size_n, size_f) < D:
            iD = 1.0 / (D + rotor)
            J, H, M = without_direction(J, H, M, U_n, U_f, D, rotor)
        elif rotor > 0.0:
            iD, U_n, U_f = 1.0 / rotor, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
        else:
            iD = note_massless(work, k)
        store4(own_k.U_n, U_n)
        store4(own_k.U_f, U_f)
        own_k.iD = iD
        own_k.u = u
        n, f = axpy4(-u * iD, U_n, n), axpy4(-u * iD, U_f, f)
    hand_on(sys, b, own, J, H, M, n, f, size_n, size_f, work.body)
    return Status.OK.value


@part
def eliminate_tree(sys, tau, qdd, work) -> int:
    """Inward: eliminate the directions of each joint, hand the rest to the parent [ARN (12), (13)]."""
    work.rank[0].massless = 0
    forget_sizes(sys, work.body)
    if sys.floating.element.shape[0] > 0:
        begin_elimination(sys, 0.0, 0.0, 0, work)
        begin_loads(sys, tau, work)
    for i in range(sys.body.shape[0] - 1, 0, -1):
        b = sys.body[i]
        if b.plain == 1:
            eliminate_plain(sys, b, work.body[i], tau, work)
        else:
            status = eliminate_joint(sys, i, tau, qdd, work)
            if status != Status.OK.value:
                return status
    return Status.OK.value


@kernel
def accelerate_flexible(sys, b, al, a, qdd, work):
    """Accelerations of a face with its elastic part; those of a flexible body as they are, after its elastic ones."""
    if b.code == JointCode.ELASTIC:
        return accelerated(sys, b, 0, al, a, qdd, work)
    solve_block(sys, b.flex, 1.0, 0, al, a, qdd, work)
    return al, a


@part
def accelerate_tree(sys, qdd, work):
    """Outward: the accelerations of all undriven rates and of all bodies [ARN (15), (16)]."""
    body, rows, dof = sys.body, work.body, work.dof
    g = load3(sys.constants[0].g_w)
    store4(rows[0].al_w, (0.0, 0.0, 0.0, 0.0))
    store4(rows[0].a_w, (-g[0], -g[1], -g[2], 0.0))
    for i in range(1, body.shape[0]):
        b, own, parent = body[i], rows[i], rows[body[i].parent]
        al, a, d, ca, cl = load4(parent.al_w), load4(parent.a_w), load4(own.d_w), load4(own.ca_w), load4(own.cl_w)
        if b.plain == 1:
            k = dof[b.v]
            U_n, U_f, s, iD = load4(k.U_n), load4(k.U_f), load4(k.s_n), k.iD
            W_n, W_f = scale4(add4(U_n, cross4(d, U_f)), iD), scale4(U_f, iD)
            acc = k.u * iD - dot4(W_n, al) - dot4(W_f, a)                                      # (4)
            qdd[b.v] = acc
            a = add4(a, add4(cross4(al, d), cl))
            al = axpy4(acc, s, add4(al, ca))
        else:
            a = add4(a, cross4(al, d))
            for place in range(b.v, b.v + b.nv):
                k = dof[place].order
                own_k = dof[k]
                if sys.dof[k].drive < 0:
                    qdd[k] = (own_k.u - dot4(load4(own_k.U_n), al) - dot4(load4(own_k.U_f), a)) * own_k.iD
                al = axpy4(qdd[k], load4(own_k.s_n), al)
                a = axpy4(qdd[k], load4(own_k.s_f), a)
            al, a = add4(al, ca), add4(a, cl)
            if b.flex >= 0:
                al, a = accelerate_flexible(sys, b, al, a, qdd, work)
        store4(own.al_w, al)
        store4(own.a_w, a)


@shared
def solve_accelerations(sys, tau, qdd, work) -> int:
    """Solve M qdd = tau - bias for the undriven rates by the articulated-body algorithm (ABA); driven qdd are given.

    After `eval_motion` and `eval_forces`.

    Rates without inertia get iD = 0 and qdd = 0; `work.fail` names the last of them, `work.rank` holds their number, and the
    status is SINGULAR unless so many are allowed.
    """
    status = eliminate_tree(sys, tau, qdd, work)
    if status != Status.OK.value:
        return status
    accelerate_tree(sys, qdd, work)
    return Status.SINGULAR.value if work.rank[0].massless > work.rank[0].allowed else Status.OK.value
