"""Accelerations and multipliers of a state with constraint rows: M qdd + Jᵀ λ = Q, Phi'' = 0, once all terms are evaluated.

They are found by the augmented Lagrangian iterations of saddle.py, [SEG (9)-(13)] without its penalty terms in Phi and Phi':
positions and rates are projected instead.  Where these contract slowly conjugate residuals take over, conjugate.py, those of
the loads first and to the end: the accelerations are the free ones without their part across the constraints, no larger
however weak a direction is, and a flat arch rests on it.  A gap asks for accelerations as large as its direction is weak,
and rates that were left along it for a moment would make them; it is left there as theirs is.  A violation c of positions
turns rows by about as much, and those that depend on each other, as in a mechanism that moves although it should not by
counting, then hold a direction that is free with an α s of STIFFNESS c²: along directions so weak loads are left, too.
"""

from math import isfinite

from ...codes import Status
from ..algebra.sparse import solve_sparse
from ..compile.jit import kernel, part
from .conjugate import FURTHEST, reduce_gap
from .gaps import acceleration_gap, position_gap
from .saddle import SMALL_CHANGE, STIFFNESS, add_transposed, largest, row_product, solve_saddle

WEAKEST = 1e9
"""Factor a of conjugate.py above which loads are left; beyond it rounding decides."""
TURNED = 30.0
"""Turn of rows that a violation may have made, in violations relative to the rows' sizes."""


@part
def weakest(gap):
    """Factor a up to which loads are carried, by the largest violation of positions relative to its row's size."""
    turned = TURNED * gap
    return max(FURTHEST, 1.0 / max(1.0 / WEAKEST, STIFFNESS * turned * turned))


@kernel
def begin_weak(sys, f, gaps, x, work):
    """First iteration of saddle.py for the loads f and `gaps` times row.Phidd: x, the gap that it leaves, and y."""
    for k in range(x.shape[0]):
        x[k] = -f[k]
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.gap = gaps * own.Phidd
        add_transposed(sys, r, -own.pen * own.gap, x, work)
    solve_sparse(sys.pattern, work.factors, x, x)
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.gap += row_product(sys, sys.row[r], work.jacobian, x)
        own.lam_now = own.pen * own.gap


@kernel
def solve_weak(sys, f, x, work):
    """Solve (1) of saddle.py by conjugate residuals; where directions are weak, loads to the end, gaps as far as of rates."""
    furthest = weakest(position_gap(sys, work))
    begin_weak(sys, f, 1.0, x, work)
    if reduce_gap(sys, x, SMALL_CHANGE * largest(x), FURTHEST, False, work.no_matrix, work.no_pivot, work):
        return
    begin_weak(sys, f, 0.0, x, work)
    reduce_gap(sys, x, SMALL_CHANGE * largest(x), furthest, False, work.no_matrix, work.no_pivot, work)
    for r in range(sys.row.shape[0]):
        work.row[r].gap = work.row[r].Phidd + row_product(sys, sys.row[r], work.jacobian, x)
    reduce_gap(sys, x, SMALL_CHANGE * largest(x), FURTHEST, False, work.no_matrix, work.no_pivot, work)


@kernel
def solve_loaded(sys, qdd, work) -> int:
    """Accelerations qdd and multipliers (work.row.lam_now) for scratch `load` and Phi'', with factors made at the state."""
    f, x = work.scratch.loop.load, work.scratch.loop.found
    acceleration_gap(sys, work)
    if not solve_saddle(sys, f, x, work.scratch.loop.right, work.scratch.loop.product, work):
        solve_weak(sys, f, x, work)
    for k in range(qdd.shape[0]):
        if not isfinite(x[k]):
            work.fail[0].rate = k
            return Status.NOT_FINITE.value
        qdd[k] += x[k]
    return Status.OK.value
