"""Block factors of M + diag(add) of a tree, kept for repeated solutions in O(N).

The elimination of dynamics.py without bias, with `add` (joint stiffness and damping of an implicit step) on the
inertia of each direction; the factors are copied to tables of their own, since the pose moves on between solutions.
What a direction with `add` leaves to its parent is taken in two steps,
    A - U Uᵀ/(D + add) = (A - U Uᵀ/D) + U Uᵀ add/(D (D + add))                                   (1)
so that a small `add` is not lost against D; it is all that a massless body further in may feel.  Rotors count as `add`.
Flexible bodies add their own stiffness and damping, flex/elimination.py.
"""

from ...codes import JointCode, Status
from ..algebra.quad import load4, store4
from ..algebra.small import add3, axpy3, cross, dot3, load3, store3
from ..algebra.spatial import add_inertia, inertia_vec, load_inertia, shifted_inertia
from ..compile.jit import kernel, part, shared
from ..flex.elimination import (
    accelerated,
    begin_elimination,
    couple_body,
    couple_face,
    downdated_block,
    factor_block,
    forward_block,
    load_face,
    solve_block,
    wrench_with_block,
)
from ..flex.floating import heavy_element
from ..flex.floating_tables import AT_D, AT_REST, AT_S
from .dynamics import (
    RANK_TOLERANCE,
    forget_sizes,
    hand_sizes,
    inertia_along,
    joint_sizes,
    pick_direction,
    without_direction,
)


@kernel
def factor_flexible(sys, i, J, H, M, work):
    """Inertia of row i, a floating frame, without its elastic coordinates, or that of a face, which is handed to them."""
    b, index = sys.body[i], heavy_element(sys, i)
    if index >= 0:
        couple_body(sys, i, index, 1, work)
    if b.code == JointCode.ELASTIC:
        couple_face(sys, i, J, H, M, 1, work)
        S, kept = work.floating.strip[b.flex, AT_S], work.floating.strip[b.flex, AT_S + 1]
        for k in range(S.shape[0]):
            for c in range(6):
                kept[k, c] = S[k, c]
        return J, H, M, Status.OK.value
    e, U = sys.floating.element[b.flex], work.floating.coupling[b.flex, 1]
    status = factor_block(e.n, work.floating.square[b.flex, AT_D + 1], U)
    if status != Status.OK.value:
        work.fail[0].rate = e.v
        return J, H, M, status
    J, H, M = downdated_block(e.n, U, J, H, M)
    return J, H, M, status


@shared
def factor_tree(sys, add, cq, cv, work) -> int:
    """Factor M + diag(add) at the state of the last `eval_motion`; driven rates are left out.

    Flexible bodies add cq times their stiffness and cv times their damping.
    """
    body, rows, dof = sys.body, work.body, work.dof
    zero = (0.0, 0.0, 0.0, 0.0)
    forget_sizes(sys, rows)
    begin_elimination(sys, cq, cv, 1, work)
    for i in range(body.shape[0] - 1, 0, -1):
        b, own = body[i], rows[i]
        J, H, M = load_inertia(own)
        size_n, size_f = joint_sizes(sys, own, J, M)
        if b.flex >= 0:
            J, H, M, status = factor_flexible(sys, i, J, H, M, work)
            if status != Status.OK.value:
                return status
        for place in range(b.v + b.nv - 1, b.v - 1, -1):
            k = place if b.plain == 1 else pick_direction(sys, b, place, J, H, M, size_n, size_f, dof)
            kept = work.factor_dof[k]
            work.factor_dof[place].order = k
            s_n, s_f = load4(dof[k].s_n), load4(dof[k].s_f)
            if b.plain == 1:
                s_f = zero
            store4(kept.s_n, s_n)
            store4(kept.s_f, s_f)
            if sys.dof[k].drive >= 0:
                kept.iD = 0.0
                continue
            U_n, U_f = inertia_vec(J, H, M, s_n, s_f)
            D, more = dot3(s_n, U_n) + dot3(s_f, U_f), add[k] + sys.dof[k].armature
            if not RANK_TOLERANCE * inertia_along(s_n, s_f, size_n, size_f) < D:
                if more <= 0.0:
                    work.fail[0].rate = k
                    return Status.SINGULAR.value
                kept.iD = 1.0 / more
                store4(kept.U_n, zero)
                store4(kept.U_f, zero)
                continue
            store4(kept.U_n, U_n)
            store4(kept.U_f, U_f)
            kept.iD = 1.0 / (D + more)
            J, H, M = without_direction(J, H, M, U_n, U_f, D, more)                              # (1)
        d = load4(own.d_w)
        store3(work.factor_body[i].d_w, d)
        if b.parent > 0:
            J, H, M = shifted_inertia(J, H, M, d)
            add_inertia(rows[b.parent], J, H, M)
            hand_sizes(sys, b, d, size_n, size_f, rows)
    return Status.OK.value


@kernel
def gather_flexible(sys, i, n, f, rhs, work):
    """Wrench, in quads, of a floating frame without its elastic coordinates; that of a face is handed to them and kept."""
    b = sys.body[i]
    quad_n, quad_f = (n[0], n[1], n[2], 0.0), (f[0], f[1], f[2], 0.0)
    if b.code == JointCode.ELASTIC:
        load_face(sys, i, n, f, -1.0, 1, work)
        return quad_n, quad_f
    e, y = sys.floating.element[b.flex], work.floating.load[b.flex, AT_REST + 1]
    for k in range(e.n):
        y[k] += rhs[e.v + k]
    forward_block(e.n, work.floating.square[b.flex, AT_D + 1], y)
    quad_n, quad_f = wrench_with_block(e.n, work.floating.coupling[b.flex, 1], y, 1.0, quad_n, quad_f)
    return quad_n, quad_f


@kernel
def spread_flexible(sys, b, al, a, x, work):
    """Accelerations of a face with its elastic part; those of a floating frame as they are, after its elastic unknowns x."""
    quad_al, quad_a = (al[0], al[1], al[2], 0.0), (a[0], a[1], a[2], 0.0)
    if b.code == JointCode.ELASTIC:
        return accelerated(sys, b, 1, quad_al, quad_a, x, work)
    solve_block(sys, b.flex, 1.0, 1, quad_al, quad_a, x, work)
    return quad_al, quad_a


@part
def solve_tree(sys, rhs, x, work):
    """Solve (M + diag(add)) x = rhs with the factors of `factor_tree`; x is zero for driven rates."""
    solve_branch(sys, rhs, x, 1, sys.body.shape[0], work)


@shared
def solve_branch(sys, rhs, x, first, end, work):
    """`solve_tree` for the rows first..end-1 alone, which stand on the ground."""
    body, rows, dof = sys.body, work.factor_body, work.factor_dof
    zero = (0.0, 0.0, 0.0)
    store3(rows[0].n, zero)
    store3(rows[0].f, zero)
    for i in range(first, end):
        store3(rows[i].n, zero)
        store3(rows[i].f, zero)
    for index in range(sys.floating.element.shape[0]):
        y = work.floating.load[index, AT_REST + 1]
        for k in range(y.shape[0]):
            y[k] = 0.0
    for i in range(end - 1, first - 1, -1):
        b, own = body[i], rows[i]
        n, f = load3(own.n), load3(own.f)
        if b.flex >= 0:
            quad_n, quad_f = gather_flexible(sys, i, n, f, rhs, work)
            n, f = (quad_n[0], quad_n[1], quad_n[2]), (quad_f[0], quad_f[1], quad_f[2])
        for place in range(b.v + b.nv - 1, b.v - 1, -1):
            k = dof[place].order
            kept = dof[k]
            u = (rhs[k] - dot3(load3(kept.s_n), n) - dot3(load3(kept.s_f), f)) * kept.iD
            kept.u = u
            if kept.iD != 0.0:
                n, f = axpy3(u, load3(kept.U_n), n), axpy3(u, load3(kept.U_f), f)
        parent = rows[b.parent]
        store3(parent.n, add3(load3(parent.n), add3(n, cross(load3(own.d_w), f))))
        store3(parent.f, add3(load3(parent.f), f))
    store3(rows[0].al, zero)
    store3(rows[0].a, zero)
    for i in range(first, end):
        b, own, parent = body[i], rows[i], rows[body[i].parent]
        al = load3(parent.al)
        a = add3(load3(parent.a), cross(al, load3(own.d_w)))
        for place in range(b.v, b.v + b.nv):
            k = dof[place].order
            kept = dof[k]
            if kept.iD == 0.0:
                x[k] = 0.0
                continue
            x[k] = kept.u - (dot3(load3(kept.U_n), al) + dot3(load3(kept.U_f), a)) * kept.iD
            al = axpy3(x[k], load3(kept.s_n), al)
            a = axpy3(x[k], load3(kept.s_f), a)
        if b.flex >= 0:
            quad_al, quad_a = spread_flexible(sys, b, al, a, x, work)
            al, a = (quad_al[0], quad_al[1], quad_al[2]), (quad_a[0], quad_a[1], quad_a[2])
        store3(own.al, al)
        store3(own.a, a)
