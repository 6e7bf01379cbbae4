"""Implicit steps of mechanisms with loops: index-3 augmented Lagrangian with projections [DOP (1)-(4)].

With a step affine in the new accelerations a (newton.py), residual and matrix of the iteration are
    M a + Jᵀ (λ + α' Phi) - Q,       M + cv C + cq K + cq Jᵀ α' J                                (1)
and the multipliers follow each correction d of the accelerations,
    λ <- λ + α' (Phi + cq J d),                                                                  (2)
which is [DOP (2)] with the linear forecast of the next violation; (1) and (2) together are Newton's method on the index-3
equations with -1/α' in place of their zero block, so that positions, accelerations and multipliers converge at once.
Penalties are α' = α/cq (α/cv for rows that bind rates, with Phi' for Phi), where α is a multiple of the mass that a row moves,
and of cq times the stiffness of superelements: the matrix keeps its condition however short or long the step is.  Rates and accelerations are projected afterwards by
    A d = -Jᵀ α Phi',   A d = -Jᵀ α Phi''                                                        (3)
[DOP (3), (4)] in increments, repeated until the gap is small; A is the matrix (1) of the step itself, P = M + cv C + cq K,
or M + Jᵀ α J made anew, P = M.  The next step begins with the projected rates, but with the accelerations that solved (1):
with the projected ones Newton's iteration fails at shorter steps and the error's part of third order is larger.
"""

from ..codes import Status, TermCode
from .constrained import (
    MAX_PROJECTIONS,
    POSITION_TOLERANCE,
    RATE_TOLERANCE,
    RIGHT,
    STEP,
    ask,
    eval_correction,
    eval_gaps,
    eval_row_bends,
    eval_row_matrix,
    factor_mass,
    largest_gap,
)
from .flex_superelement import keep_frames
from .jit import kernel, part
from .saddle import add_penalties, keep_jacobian
from .sparse import factor_sparse, status_of_factor
from .step_matrix import solve_factored

NO_PROJECTION, TANGENT, MASS = 0, 1, 2
"""Values of OPTIONS.projection."""
EXACT = 8
"""Added to them if the factors of the step are the dense exact ones."""


@part
def row_factor(c, cq, cv):
    """Factor between an acceleration and what a row binds."""
    return cv if c.rate_only == 1 else cq


@kernel
def begin_step(sys, o, cq, cv, work):
    """Penalties α' of the step, and the multipliers of the last one."""
    for r in range(sys.row.shape[0]):
        own, c = work.row[r], sys.row[r]
        own.multiplier = own.kept
        own.penalty = o.penalty if o.penalty > 0.0 else (c.penalty + cq * c.stiffness) / row_factor(c, cq, cv)


@kernel
def eval_step_residual(sys, bare, t, q, qd, qdd, tau, residual, work) -> int:
    """Residual (1) of a state and accelerations; zero for driven rates.

    If `bare` is 1, violations count as zero: for the exact matrix, whose curvature shall be that of the multipliers alone (at
    the beginning of an iteration α' Phi is large and says nothing of the end).
    """
    status = eval_gaps(sys, t, q, qd, work)
    if status != Status.OK.value:
        return status
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        if bare == 1:
            own.value = own.rate = 0.0
        else:
            own.gap = own.rate if sys.row[r].rate_only == 1 else own.value
    return ask(sys, TermCode.LOADED.value, t, q, qd, qdd, tau, residual, 1.0, 1.0, work)


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
def update_multipliers(sys, x, cq, cv, work):
    """(2) for a correction -x of the accelerations; returns the largest violation forecast, 1 = tolerated."""
    worst = 0.0
    for r in range(sys.row.shape[0]):
        own, c = work.row[r], sys.row[r]
        s = 0.0
        for p in range(c.first, c.first + c.count):
            s += work.factored[p] * x[sys.entry[p].column]
        gap = own.gap - row_factor(c, cq, cv) * s
        own.multiplier += own.penalty * gap
        worst = max(worst, abs(gap) / c.size)
    return worst / POSITION_TOLERANCE


@kernel
def project_step(sys, mode, t, q, qd, qdd, cq, cv, matrix, pivot, work) -> int:
    """Project the rates and accelerations of a new state by (3), in place; `mode` is a kind of projection, plus EXACT.

    The rows keep the penalties of the factors, with which states near this one may be projected, too.
    """
    exact, kind = mode >= EXACT, mode % EXACT
    keep_frames(sys.sup, work.sup)
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.kept = own.multiplier
        own.penalty = own.penalty * row_factor(sys.row[r], cq, cv) if kind != MASS else sys.row[r].penalty
    status = Status.OK.value
    if kind == MASS:
        exact = False
        status = eval_gaps(sys, t, q, qd, work)
        eval_row_matrix(sys, q, work)
        if status == Status.OK.value:
            status = factor_mass(sys, q, work)
    for level in range(1, 3):
        if status == Status.OK.value and kind != NO_PROJECTION:
            status = reduce_gap(sys, level, t, q, qd, qdd, exact, matrix, pivot, work)
    return status


@kernel
def reduce_gap(sys, level, t, q, qd, qdd, exact, matrix, pivot, work) -> int:
    """Corrections (3) of the rates (level 1) or accelerations (level 2) until their gap is small or shrinks no more."""
    x, rhs = work.vector[STEP], work.vector[RIGHT]
    y = qd if level == 1 else qdd
    last = 1e300
    for _ in range(MAX_PROJECTIONS):
        status = eval_gaps(sys, t, q, qd, work)
        if status != Status.OK.value:
            return status
        if level == 2:
            eval_row_bends(sys, t, q, qd, y, work)
        size = 1.0
        for k in range(y.shape[0]):
            size = max(size, abs(y[k]))
        gap = largest_gap(sys, work, level)
        if gap <= RATE_TOLERANCE * size or not gap < 0.5 * last:
            break
        last = gap
        eval_correction(sys, rhs, work)
        solve_factored(sys, exact, rhs, x, matrix, pivot, work)
        for k in range(y.shape[0]):
            y[k] += x[k]
    return Status.OK.value
