"""Multipliers of an implicit step of a mechanism with loops: index-3 augmented Lagrangian [DOP (1), (2)].

With a step affine in the new accelerations a (step/stage.py), residual and matrix of the iteration are
    M a + Jᵀ λ + Jᵀ α' Phi - Q,       M + cv C + cq K + cq Jᵀ α' J                               (1)
and the multipliers follow each correction d of the accelerations,
    λ <- λ + α' (Phi + cq J d),                                                                  (2)
which is [DOP (2)] with the linear forecast of the next violation; (1) and (2) together are Newton's method on the index-3
equations with -1/α' in place of their zero block, so that positions, accelerations and multipliers converge at once.
Factors serve for several steps unless they have to project, too: along the directions of an older state the projections
below would cost the step its order.  The Jacobians of the matrix, of Jᵀ α' Phi and of (2) are then those of the state that
the factors were made at, which is Newton's method with an old matrix on the same equations: its contraction is as large as
the change of J, where a present one in Jᵀ α' Phi would enlarge it by the root of the penalty.  When (2) is left out, the
multipliers being held, the load of a state is that of λ + α' Phi.
Penalties are α' = α/cq (α/cv for rows that bind rates, with Phi' for Phi), where α is a multiple of the mass that a row moves,
and of cq times the stiffness of superelements: the matrix keeps its condition however short or long the step is.
"""

from ..compile.jit import kernel, part
from .gaps import POSITION_TOLERANCE
from .saddle import add_transposed, row_product


@part
def row_factor(c, cq, cv):
    """Factor between an acceleration and what a row binds."""
    return cv if c.rate_only == 1 else cq


@kernel
def begin_step(sys, cq, cv, work):
    """Penalties α' of the step, and the multipliers of the last one."""
    for r in range(sys.row.shape[0]):
        own, c = work.row[r], sys.row[r]
        own.lam = own.lam_last
        own.pen = c.given if c.given > 0.0 else (c.penalty + cq * c.stiffness) / row_factor(c, cq, cv)


@kernel
def scale_penalties(work, factor):
    """Change all penalties; factors have to be made anew."""
    for r in range(work.row.shape[0]):
        work.row[r].pen *= factor


@kernel
def add_gap_loads(sys, residual, work):
    """Add the part Jᵀ α' Phi of (1) with the Jacobian of the factors."""
    for r in range(sys.row.shape[0]):
        add_transposed(sys, r, work.row[r].pen * work.row[r].gap, residual, work)


@kernel
def forecast_gaps(sys, x, cq, cv, work):
    """Violations that (2) forecasts for a correction -x of the accelerations into row.gap; the largest, 1 = tolerated."""
    worst = 0.0
    for r in range(sys.row.shape[0]):
        own, c = work.row[r], sys.row[r]
        own.gap -= row_factor(c, cq, cv) * row_product(sys, c, work.factored, x)
        worst = max(worst, abs(own.gap) / c.size)
    return worst / POSITION_TOLERANCE


@kernel
def update_multipliers(work):
    """(2) after `forecast_gaps`."""
    for r in range(work.row.shape[0]):
        work.row[r].lam += work.row[r].pen * work.row[r].gap
