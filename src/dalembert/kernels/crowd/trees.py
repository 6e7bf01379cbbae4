"""Strips of touches with bodies of trees: velocities by rates, and rates by impulses, [ARN (10)-(17)] once a direction.

For a point x of a body and a rate k on the way to the ground, with directions s and the joint origin r_k,
    J_k = s_f + s_n x (x - r_k),                                                                 (1)
and R = M⁻¹ Jᵀ by the factors of tree/factor.py within the body's own tree.
"""

from ...codes import MoverCode, Status
from ..algebra.quad import load4
from ..algebra.small import add3, cross, load3, sub3
from ..compile.jit import kernel, shared
from ..tree.factor import factor_tree, solve_branch


@kernel
def add_point(sys, state, i, x, sign, work):
    """Add sign times (1) of a point x of row i to the right-hand sides of the three directions."""
    right = state.right
    while i > 0:
        b = sys.body[i]
        arm = sub3(x, load3(work.body[i].r_w))
        for k in range(b.v, b.v + b.nv):
            n, f = load4(work.dof[k].s_n), load4(work.dof[k].s_f)
            J = add3((f[0], f[1], f[2]), cross((n[0], n[1], n[2]), arm))
            right[0, k] += sign * J[0]
            right[1, k] += sign * J[1]
            right[2, k] += sign * J[2]
        i = b.parent


@kernel
def lay_strip(sys, crowd, state, tree, strip, work):
    """Write the strip of the right-hand sides that were added to, within a tree."""
    m = crowd.mover[tree]
    for c in range(3):
        solve_branch(sys, state.right[c], state.still[1], m.row, m.end, work)
        for k in range(m.nv):
            state.pool[strip + 6 * k + c] = state.right[c, m.v + k]
            state.pool[strip + 6 * k + 3 + c] = state.still[1, m.v + k]


@kernel
def clear_right(crowd, state, tree):
    """Forget the right-hand sides within a tree."""
    m = crowd.mover[tree]
    for c in range(3):
        for k in range(m.v, m.v + m.nv):
            state.right[c, k] = 0.0


@kernel
def take_strip(crowd, state, tree):
    """First number of a new strip of a tree; -1 if there is no room for it, which is counted."""
    p, size = state.progress[0], 6 * crowd.mover[tree].nv
    if p.pool + size > state.pool.shape[0]:
        p.wanted_pool += size
        return -1
    first = p.pool
    p.pool += size
    return first


@kernel
def lay_side(sys, crowd, state, c, tree, sign, other, work):
    """Strip of the body of a tree, and with `other` > 0 also of that body, with the opposite sign; returns its beginning."""
    strip = take_strip(crowd, state, tree)
    if strip < 0:
        return strip
    clear_right(crowd, state, tree)
    add_point(sys, state, tree, load3(c.x), sign, work)
    if other > 0:
        add_point(sys, state, other, load3(c.x), -sign, work)
    lay_strip(sys, crowd, state, tree, strip, work)
    return strip


@shared
def lay_strips(sys, crowd, state, add, work) -> int:
    """Strips of all touches with trees, after the evaluation of motion and places; add (n_v,) is zero."""
    p, mover = state.progress[0], crowd.mover
    p.pool = 0
    if p.trees == 0:
        return Status.OK.value
    status = factor_tree(sys, add, 0.0, 0.0, work)
    if status != Status.OK.value:
        return status
    for i in range(p.touches):
        c = state.touch[i]
        tree_a, tree_b = mover[c.a].kind == MoverCode.TREE, mover[c.b].kind == MoverCode.TREE
        same = tree_a and tree_b and mover[c.a].row == mover[c.b].row
        if tree_a and not same:
            c.strip_a, c.v_a, c.n_a = lay_side(sys, crowd, state, c, c.a, -1.0, 0, work), mover[c.a].v, mover[c.a].nv
        if tree_b:
            other = c.a if same else 0
            c.strip_b, c.v_b, c.n_b = lay_side(sys, crowd, state, c, c.b, 1.0, other, work), mover[c.b].v, mover[c.b].nv
    return Status.OK.value
