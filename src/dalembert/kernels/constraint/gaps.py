"""What is left of the constraints at a level, row.gap: of positions, rates or accelerations; and what takes it off.

With the factors of A = P + Jᵀ α J a turn, one correction of the gap g, is d = -A⁻¹ Jᵀ α g; it takes B g = -J d off the gap.
Seeds: [DOP (3), (4)] with P = M, or P = the matrix of an implicit step, in increments.
"""

from ..compile.jit import kernel, part
from ..step.step_matrix import solve_factored
from .saddle import add_transposed, row_product

POSITION_TOLERANCE = 1e-10
"""Largest violation that an implicit step leaves, relative to the size of the row."""
PROJECTED_TOLERANCE = 1e-13
"""Likewise a projection of positions.  Where rows are dependent for a moment their violation grows with the square of what is
then free, which may be off by the root of this, and stays so after the passage."""
SETTLED_TOLERANCE = 1e-15
"""Likewise a state that multistep methods keep: rates along a direction of weak rows, of entries s, change by it over s²."""
RATE_TOLERANCE = 1e-10
"""Likewise of its rate, relative to the size and to the largest rate; multistep methods ask for less, `Options.rate_gap`."""
ROUGH_TOLERANCE = 1e-9
"""Violation that may be left in a singular position, where corrections converge slowly."""


@part
def position_gap(sys, work):
    """Violations of positions into row.gap; the largest one relative to its row's size."""
    for r in range(sys.row.shape[0]):
        work.row[r].gap = 0.0 if sys.row[r].rate_only == 1 else work.row[r].Phi
    return remaining_gap(sys, work)


@part
def rate_gap(sys, work):
    """Likewise of rates."""
    for r in range(sys.row.shape[0]):
        work.row[r].gap = work.row[r].Phid
    return remaining_gap(sys, work)


@part
def acceleration_gap(sys, work):
    """Likewise of accelerations."""
    for r in range(sys.row.shape[0]):
        work.row[r].gap = work.row[r].Phidd
    return remaining_gap(sys, work)


@part
def remaining_gap(sys, work):
    """Largest row.gap relative to its row's size."""
    worst = 0.0
    for r in range(sys.row.shape[0]):
        worst = max(worst, abs(work.row[r].gap) / sys.row[r].size)
    return worst


@part
def eval_correction(sys, rhs, work):
    """Right-hand side -Jᵀ α g of a turn, one correction of the gap."""
    for k in range(rhs.shape[0]):
        rhs[k] = 0.0
    for r in range(sys.row.shape[0]):
        add_transposed(sys, r, -work.row[r].pen * work.row[r].gap, rhs, work)


@kernel
def eval_turn(sys, exact, matrix, pivot, work):
    """A turn for the gap, and B g into row.product, with the Jacobian at the state."""
    x, rhs = work.scratch.loop.turn, work.scratch.loop.right
    eval_correction(sys, rhs, work)
    solve_factored(sys, exact, rhs, x, matrix, pivot, work)
    for r in range(sys.row.shape[0]):
        work.row[r].product = -row_product(sys, sys.row[r], work.jacobian, x)
