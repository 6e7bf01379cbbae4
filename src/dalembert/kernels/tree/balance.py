"""Whether recorded accelerations of a tree satisfy its equations of motion, which its elimination does not solve in this form.

With the loads b that the state asks for at rest, e = b + M qdd and the load (n, f) that the joint of rate k carries,
    |e_k| <= SHARE (|b_k| + |(M qdd)_k| + |n| or |f|) + ROUNDED max_j(s_j x_j)/x_k                  (1)
where s is the bracket and x the scale of a coordinate: s x is a work, whatever the unit of the rate.
"""

from ...codes import Status
from ..algebra.small import dot3, load3
from ..compile.jit import kernel
from ..evaluate import eval_residual

SHARE = 0.1
"""Far above what the accuracy of a run leaves, far below what is left where nothing moves."""
ROUNDED = 1e-9
"""Of the largest load, below which loads are rounding errors."""


@kernel
def carries(d, body):
    """Square of the load that the joint of a rate carries: its moment if the rate turns, its force if it moves."""
    moves, turns = load3(d.s_f), load3(d.s_n)
    n, f = load3(body.n), load3(body.f)
    square = dot3(f, f) if dot3(moves, moves) > 0.0 else 0.0
    return square + (dot3(n, n) if dot3(turns, turns) > 0.0 else 0.0)


@kernel
def check_tree_balance(sys, t, q, qd, qdd, work) -> int:
    """UNBALANCED and the worst rate if a frame breaks (1); elastic rates have no say."""
    own = work.scratch.balance
    still, tau, rest, left, size = own.still, own.tau, own.rest, own.left, own.size
    for k in range(still.shape[0]):
        still[k] = 0.0
    status = eval_residual(sys, t, q, qd, still, tau, rest, work)
    if status == Status.OK.value:
        status = eval_residual(sys, t, q, qd, qdd, tau, left, work)
    if status != Status.OK.value:
        return status
    largest, worst = 0.0, 0.0
    for k in range(left.shape[0]):
        square = carries(sys.dof[k], work.body[sys.dof[k].body])
        size[k] = square**0.5 + abs(rest[k]) + abs(left[k] - rest[k])
        largest = max(largest, size[k] * sys.dof[k].q_scale)
    for k in range(left.shape[0]):
        over = abs(left[k]) - SHARE * size[k] - ROUNDED * largest / sys.dof[k].q_scale
        d = sys.dof[k]
        rigid = dot3(load3(d.s_f), load3(d.s_f)) + dot3(load3(d.s_n), load3(d.s_n)) > 0.0
        if rigid and not over <= worst:
            worst, work.fail[0].rate = over, k
    return Status.OK.value if worst == 0.0 else Status.UNBALANCED.value
