"""Positions brought onto the constraints, by turns of gaps.py with a Jacobian and factors of a near state."""

from ...codes import Status
from ..algebra.sparse import solve_sparse
from ..compile.jit import kernel
from ..tree.state import move, normalise
from .conjugate import SETTLED_FURTHEST, reduce_gap
from .gaps import PROJECTED_TOLERANCE, ROUGH_TOLERANCE, SETTLED_TOLERANCE, eval_correction, position_gap
from .matrices import factor_mass
from .saddle import largest_entry
from .state import eval_gaps, eval_row_matrix

MAX_PROJECTIONS = 20
MAX_SETTLINGS = 2
SLOWEST = 0.95
"""Share of a position's gap that a turn leaves, above which it is left."""


@kernel
def project_positions(sys, t, q, qd, work) -> int:
    """Bring q onto the constraints with factors and Jacobian of a near state; qd serves the evaluation only."""
    x, moved = work.scratch.loop.right, work.scratch.loop.moved
    gap, last = 0.0, 1e300
    for turn in range(MAX_PROJECTIONS + 1):
        status = eval_gaps(sys, t, q, qd, work)
        if status != Status.OK.value:
            return status
        gap = position_gap(sys, work)
        if gap <= PROJECTED_TOLERANCE or not gap < SLOWEST * last or turn == MAX_PROJECTIONS:
            break
        last = gap
        eval_correction(sys, x, work)
        solve_sparse(sys.pattern, work.factors, x, x)
        move(sys, q, x, moved)
        for k in range(q.shape[0]):
            q[k] = moved[k]
        normalise(sys, q)
    if gap <= ROUGH_TOLERANCE:
        return Status.OK.value
    work.fail[0].rate = largest_entry(x)
    return Status.NO_CONVERGENCE.value


@kernel
def bring_onto(sys, t, q, qd, work) -> int:
    """`project_positions`, once more with factors and Jacobian of the state reached if they then serve better.

    Those at hand are of another state, and off a singular position it is this that keeps a gap open.
    """
    status = project_positions(sys, t, q, qd, work)
    if status != Status.OK.value or position_gap(sys, work) <= PROJECTED_TOLERANCE:
        return status
    eval_row_matrix(sys, q, work)
    status = factor_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    reached = work.scratch.loop.reached
    for k in range(q.shape[0]):
        reached[k] = q[k]
    if project_positions(sys, t, q, qd, work) == Status.OK.value and position_gap(sys, work) <= PROJECTED_TOLERANCE:
        return Status.OK.value
    for k in range(q.shape[0]):
        q[k] = reached[k]
    return eval_gaps(sys, t, q, qd, work)


@kernel
def settle_positions(sys, exact, t, q, qd, matrix, pivot, work) -> int:
    """Bring q, whose gaps and Jacobian are at hand, to rounding of the constraints by the factors at hand; evaluate both anew.

    By the directions of conjugate.py: turns by themselves leave much along weak ones.  What is singular now is left.
    """
    x, moved = work.scratch.loop.change, work.scratch.loop.moved
    for _ in range(MAX_SETTLINGS):
        if position_gap(sys, work) <= SETTLED_TOLERANCE:
            return Status.OK.value
        for k in range(x.shape[0]):
            x[k] = 0.0
        reduce_gap(sys, x, SETTLED_TOLERANCE, SETTLED_FURTHEST, exact, matrix, pivot, work)
        move(sys, q, x, moved)
        for k in range(q.shape[0]):
            q[k] = moved[k]
        normalise(sys, q)
        status = eval_gaps(sys, t, q, qd, work)
        if status == Status.OK.value:
            status = eval_row_matrix(sys, q, work)
        if status != Status.OK.value:
            return status
    return Status.OK.value
