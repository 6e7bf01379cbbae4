"""Positions brought onto the constraints, by turns of gaps.py with a Jacobian and factors of a near state."""

from ...codes import Status
from ..algebra.sparse import solve_sparse
from ..compile.jit import kernel
from ..tree.state import move, normalise
from .gaps import PROJECTED_TOLERANCE, ROUGH_TOLERANCE, eval_correction, position_gap
from .matrices import factor_mass
from .saddle import largest_entry
from .state import eval_gaps, eval_row_matrix

MAX_PROJECTIONS = 20
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
