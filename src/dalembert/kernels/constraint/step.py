"""Implicit steps of mechanisms with loops: index-3 augmented Lagrangian with projections [DOP (1)-(4)].

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
and of cq times the stiffness of superelements: the matrix keeps its condition however short or long the step is.  Rates and
accelerations are projected afterwards by
    A d = -Jᵀ α Phi',   A d = -Jᵀ α Phi''                                                        (3)
[DOP (3), (4)] in increments, by turns of constrained.py, where α = ζ α' with ζ = cq (cv for rows that bind rates) unless the
user says otherwise.  A is the matrix (1) that the iteration has at hand, in which P is M with some of cv C + cq K; or (1) in
full, exact and dense, P = M + cv C + cq K with all forces; or M + Jᵀ α J made anew, P = M.  The gap is linear in them: it is
evaluated once and then follows d with the present J.  The projection of accelerations acts like a load with multipliers ν,
    P (a - a*) = -Jᵀ ν,   hence   M a + Jᵀ (λ + ν) = Q - (P - M) (a - a*).                       (4)
a is what is recorded, and λ + ν (row.total) where P = M.  Elsewhere the rest of (4), though of second order, is far larger
than the error of a near a singular position, where a* is far off; multipliers are then found from the state.
The next step begins with the projected rates, and with accelerations between those that solved (1) and the projected ones.
Along the constraints the trapezoidal rule turns an error of the former over from step to step and never damps it, and
every passage through a singular position adds to it, until the step leaves the branch it is on.  The latter have no such
error, but with them alone the scheme is far from symmetric in time, and the error's part of third order is larger.
Positions that keep to the constraints turn an error e of the accelerations along them into
    e1 = -(½ - beta)/beta e0,                                                                    (5)
which grows for beta < ¼; the share of the projected ones is chosen so that a step takes as much off as with beta = ¼.
"""

from math import nan

from ...codes import Status, TermCode
from ..algebra.sparse import factor_sparse, status_of_factor
from ..compile.jit import kernel, part
from ..flex.superelement import keep_frames
from .constrained import (
    POSITION_TOLERANCE,
    ask,
    eval_gaps,
    eval_rate_gaps,
    eval_rates,
    eval_row_bends,
    eval_row_matrix,
    factor_with_penalties,
    largest_gap,
    project_rates,
    reduce_bend,
)
from .saddle import add_penalties, add_transposed, keep_jacobian, row_product

NO_PROJECTION, STEP, MASS, TANGENT = 0, 1, 2, 3
"""Values of OPTIONS.projection."""
EXACT = 8
"""Added to them if the factors of the step are the dense exact ones."""
NEAR = 16
"""Added to them if the pose of the last iteration serves: it differs by the guess's error, a high power of the step."""


@part
def row_factor(c, cq, cv):
    """Factor between an acceleration and what a row binds."""
    return cv if c.rate_only == 1 else cq


@kernel
def begin_step(sys, cq, cv, work):
    """Penalties α' of the step, and the multipliers of the last one."""
    for r in range(sys.row.shape[0]):
        own, c = work.row[r], sys.row[r]
        own.multiplier = own.kept
        own.penalty = c.given if c.given > 0.0 else (c.penalty + cq * c.stiffness) / row_factor(c, cq, cv)


@kernel
def scale_penalties(work, factor):
    """Change all penalties; factors have to be made anew."""
    for r in range(work.row.shape[0]):
        work.row[r].penalty *= factor


@kernel
def eval_step_residual(sys, bare, t, q, qd, qdd, tau, residual, work) -> int:
    """Residual (1) of a state and accelerations; zero for driven rates.

    If `bare` is 1, without the part α' Phi, which goes to row.gap.  Violations then count as zero: also in the exact matrix,
    whose curvature shall be that of the multipliers alone (at the beginning of an iteration α' Phi is large and says nothing
    of the end).
    """
    status = eval_gaps(sys, t, q, qd, work)
    if status != Status.OK.value:
        return status
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.gap = own.rate if sys.row[r].rate_only == 1 else own.value
        if bare == 1:
            own.value = own.rate = 0.0
    return ask(sys, TermCode.LOADED.value, t, q, qd, qdd, tau, residual, 1.0, 1.0, work)


@kernel
def add_gap_loads(sys, residual, work):
    """Add the part Jᵀ α' Phi of (1) with the Jacobian of the factors."""
    for r in range(sys.row.shape[0]):
        add_transposed(sys, r, work.row[r].penalty * work.row[r].gap, residual, work)


@kernel
def factor_step(sys, t, q, qd, qdd, add, cq, cv, work) -> int:
    """Factor the matrix (1), after `eval_step_residual` at the state; `add` (n_v,) is the joint springs' part."""
    eval_row_matrix(sys, q, work)
    keep_jacobian(work)
    A = work.factors.A
    for p in range(A.shape[0]):
        A[p] = 0.0
    status = ask(sys, TermCode.TANGENT.value, t, q, qd, qdd, qd, add, cq, cv, work)
    if status != Status.OK.value:
        return status
    add_penalties(sys, cq, cv, work)
    return status_of_factor(factor_sparse(sys.pattern, work.factors), work)


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
        work.row[r].multiplier += work.row[r].penalty * work.row[r].gap


@kernel
def project_step(sys, mode, t, q, qd, qdd, cq, cv, matrix, pivot, work) -> int:
    """Project the rates and accelerations of a new state by (3), in place; `mode` is a kind of projection + EXACT + NEAR.

    The rows keep the penalties of the factors, with which states near this one may be projected, too.
    """
    kind = mode % EXACT
    exact, near = mode % NEAR >= EXACT, mode >= NEAR and kind != MASS
    keep_frames(sys.sup, work.sup)
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.kept = own.multiplier
        own.total = nan if kind == STEP or kind == TANGENT else own.multiplier
        own.penalty *= row_factor(sys.row[r], cq, cv)
    status = Status.OK.value
    if kind == MASS:
        exact = False
    if kind != NO_PROJECTION:
        status = eval_rate_gaps(sys, t, q, qd, work) if near else eval_gaps(sys, t, q, qd, work)
        eval_row_matrix(sys, q, work)
    if status == Status.OK.value and kind == MASS:
        status = factor_with_penalties(sys, q, work)
    if status == Status.OK.value and kind != NO_PROJECTION:
        largest_gap(sys, work, 1)
        project_rates(sys, qd, exact, matrix, pivot, work)
        status = Status.OK.value if near else eval_rates(sys, q, qd, work)
        eval_row_bends(sys, t, q, qd, qdd, work)
        largest_gap(sys, work, 2)
        reduce_bend(sys, qdd, exact, matrix, pivot, work)
    return status
