"""Mechanisms with loops, in joint or natural coordinates: accelerations, and projections onto the constraints.

Accelerations solve M qdd + Jᵀ λ = Q, Phi'' = 0 by the augmented Lagrangian iterations of saddle.py, [SEG (9)-(13)]
without its penalty terms in Phi and Phi': positions and rates are projected instead, by
    A d = -Jᵀ α Phi,   q <- q + d;      A d = -Jᵀ α Phi',   qd <- qd + d                         (1)
repeated until the gap is small, which is [DOP (3)] with P = M (or P = the matrix of an implicit step) in increments.  A turn
leaves 1/(1 + α s) of a gap along a direction with the inverse mass s, much in long chains of loops.  Rates, in which gaps are
linear, are therefore projected by conjugate residuals, a turn for a turn: with B = J A⁻¹ Jᵀ α and sums weighted with α, in
which B is symmetric, the gap g is made least along directions p,
    g <- g - a B p,   a = (g, B p) / (B p, B p);      p <- g - b p,   b = (B g, B p) / (B p, B p)        (2)
"""

from math import isfinite

from ..codes import Status, TermCode
from .calls import call_door
from .jit import kernel, part
from .saddle import add_transposed, factor_saddle, largest, largest_entry, row_product, solve_saddle
from .sparse import solve_sparse, status_of_factor
from .step_matrix import solve_factored
from .tree_state import eval_drives, move, normalise

POSITION_TOLERANCE = 1e-10
"""Largest violation that an implicit step leaves, relative to the size of the row."""
PROJECTED_TOLERANCE = 1e-13
"""Likewise a projection of positions.  Where rows are dependent for a moment their violation grows with the square of what is
then free, which may be off by the root of this, and stays so after the passage."""
RATE_TOLERANCE = 1e-10
"""Likewise of its rate, relative to the size and to the largest rate."""
ROUGH_TOLERANCE = 1e-9
"""Violation that may be left in a singular position, where corrections converge slowly."""
MAX_PROJECTIONS = 20
SLOWEST = 0.95
"""Share of a position's gap that a turn leaves, above which it is left."""
BEND_TURNS = 2
"""Turns that project accelerations; each leaves about the inverse of the penalty, relative to mass, of a gap."""
FURTHEST = 20.0
"""Factor a of (2) above which a gap is left: a turn by itself would take less than its inverse off."""

BIAS, STEP, RIGHT, PRODUCT = 16, 17, 18, 19
"""Rows of work.vector used here."""


@part
def ask(sys, task, t, q, qd, qdd, tau, x, cq, cv, work) -> int:
    """Have terms evaluated by constrained_terms.py, behind its own door."""
    return call_door(work.door[1], sys, task, 0, t, q, qd, qdd, tau, x, cq, cv, work.no_matrix, work.no_pivot, work)


@kernel
def eval_gaps(sys, t, q, qd, work) -> int:
    """Poses, velocities and constraint rows at a state."""
    return ask(sys, TermCode.GAPS.value, t, q, qd, qd, qd, qd, 1.0, 1.0, work)


@kernel
def eval_velocities(sys, q, qd, work) -> int:
    """Poses and velocities alone for new rates, or where the bodies' inertias were destroyed."""
    return ask(sys, TermCode.VELOCITIES.value, 0.0, q, qd, qd, qd, qd, 1.0, 1.0, work)


@kernel
def eval_rates(sys, q, qd, work) -> int:
    """Velocities for new rates, after `eval_gaps` at the same coordinates."""
    return ask(sys, TermCode.RATES.value, 0.0, q, qd, qd, qd, qd, 1.0, 1.0, work)


@kernel
def eval_rate_gaps(sys, t, q, qd, work) -> int:
    """Constraint rows for new rates with the poses of the last evaluation, of coordinates near q."""
    return ask(sys, TermCode.RATE_GAPS.value, t, q, qd, qd, qd, qd, 1.0, 1.0, work)


@kernel
def eval_row_matrix(sys, q, work):
    """Jacobian of the rows after `eval_gaps`."""
    return ask(sys, TermCode.MATRIX.value, 0.0, q, q, q, q, q, 1.0, 1.0, work)


@kernel
def eval_row_bends(sys, t, q, qd, qdd, work):
    """Phi'' of every row for accelerations qdd, after `eval_gaps`."""
    return ask(sys, TermCode.BENDS.value, t, q, qd, qdd, qd, qd, 1.0, 1.0, work)


@kernel
def eval_mass(sys, q, work) -> int:
    """Fill work.mass at coordinates q, after `eval_gaps`."""
    for p in range(work.mass.shape[0]):
        work.mass[p] = 0.0
    return ask(sys, TermCode.MASS.value, 0.0, q, q, q, q, work.mass, 1.0, 1.0, work)


@kernel
def factor_mass(sys, q, work) -> int:
    """Mass matrix into work.mass and the factors of M + Jᵀ α J, with the rows' own penalties."""
    for r in range(sys.row.shape[0]):
        work.row[r].penalty = sys.row[r].penalty
    status = eval_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    return status_of_factor(factor_saddle(sys, work), work)


@kernel
def solve_state(sys, t, q, qd, qdd, tau, work) -> int:
    """Accelerations qdd and multipliers (work.row.push) of a state with rows and factors made at its q; driven qdd are set."""
    bias, x = work.vector[BIAS], work.vector[STEP]
    for k in range(qdd.shape[0]):
        qdd[k] = 0.0
    eval_drives(sys, t, q, qd, qdd)
    status = eval_velocities(sys, q, qd, work)
    if status != Status.OK.value:
        return status
    status = ask(sys, TermCode.NEEDED.value, t, q, qd, qdd, tau, bias, 1.0, 1.0, work)
    if status != Status.OK.value:
        return status
    eval_row_bends(sys, t, q, qd, qdd, work)
    for r in range(sys.row.shape[0]):
        work.row[r].gap = work.row[r].acceleration
    solve_saddle(sys, bias, x, work.vector[RIGHT], work.vector[PRODUCT], work)
    for k in range(qdd.shape[0]):
        if not isfinite(x[k]):
            work.fail[0] = k
            return Status.NOT_FINITE.value
        qdd[k] += x[k]
    return Status.OK.value


@kernel
def find_constrained(sys, projected, t, q, qd, qdd, tau, work) -> int:
    """Accelerations qdd and multipliers (work.row.push) of a state; driven entries of q, qd, qdd are set from their laws.

    With `projected` a state that is nearly on the constraints is brought onto them first, in place, with the factors at hand.
    """
    eval_drives(sys, t, q, qd, qdd)
    status = project_positions(sys, t, q, qd, work) if projected else eval_gaps(sys, t, q, qd, work)
    if status != Status.OK.value:
        return status
    eval_row_matrix(sys, q, work)
    status = factor_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    if projected:
        largest_gap(sys, work, 1)
        reduce_gap(sys, qd, False, work.no_matrix, work.no_pivot, work)
    return solve_state(sys, t, q, qd, qdd, tau, work)


@part
def largest_gap(sys, work, level):
    """Largest violation relative to its row's size: of position (level 0), rate (1) or acceleration (2), into row.gap."""
    for r in range(sys.row.shape[0]):
        own, c = work.row[r], sys.row[r]
        if level == 0:
            own.gap = 0.0 if c.rate_only == 1 else own.value
        elif level == 1:
            own.gap = own.rate
        else:
            own.gap = own.acceleration
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
    """Right-hand side -Jᵀ α gap of (1)."""
    for k in range(rhs.shape[0]):
        rhs[k] = 0.0
    for r in range(sys.row.shape[0]):
        add_transposed(sys, r, -work.row[r].penalty * work.row[r].gap, rhs, work)


@kernel
def project_positions(sys, t, q, qd, work) -> int:
    """Bring q onto the constraints by (1) with factors and Jacobian of a near state; qd serves the evaluation only."""
    x, moved = work.vector[RIGHT], work.point[0]
    gap, last = 0.0, 1e300
    for turn in range(MAX_PROJECTIONS + 1):
        status = eval_gaps(sys, t, q, qd, work)
        if status != Status.OK.value:
            return status
        gap = largest_gap(sys, work, 0)
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
    work.fail[0] = largest_entry(x)
    return Status.NO_CONVERGENCE.value


@kernel
def eval_turn(sys, exact, matrix, pivot, work):
    """Turn d = -A⁻¹ Jᵀ α g for the gap g into STEP and B g = -J d into row.product, with the Jacobian at the state."""
    x, rhs = work.vector[STEP], work.vector[RIGHT]
    eval_correction(sys, rhs, work)
    solve_factored(sys, exact, rhs, x, matrix, pivot, work)
    for r in range(sys.row.shape[0]):
        work.row[r].product = -row_product(sys, sys.row[r], work.jacobian, x)


@part
def next_direction(sys, work):
    """p of (2) after `eval_turn`: the turn that it makes into PRODUCT, B p into row.push; returns a."""
    x, d = work.vector[STEP], work.vector[PRODUCT]
    crossed, square = 0.0, 0.0
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        crossed += own.penalty * own.product * own.push
        square += own.penalty * own.push * own.push
    b = crossed / square if square > 0.0 else 0.0
    along, square = 0.0, 0.0
    for k in range(d.shape[0]):
        d[k] = x[k] - b * d[k]
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.push = own.product - b * own.push
        along += own.penalty * own.gap * own.push
        square += own.penalty * own.push * own.push
    return along / square if square > 0.0 else 0.0


@kernel
def reduce_gap(sys, y, exact, matrix, pivot, work):
    """Project rates y by (2) until their gap in row.gap is small or a turn by itself would take little off.

    With the Jacobian at the state and the factors at hand.  What is left lies along a direction that is singular now: no rate
    can change it.  row.push and row.product are scratch.
    """
    d, tolerance = work.vector[PRODUCT], RATE_TOLERANCE * max(1.0, largest(y))
    for k in range(d.shape[0]):
        d[k] = 0.0
    for r in range(sys.row.shape[0]):
        work.row[r].push = 0.0
    for _ in range(MAX_PROJECTIONS):
        if remaining_gap(sys, work) <= tolerance:
            return
        eval_turn(sys, exact, matrix, pivot, work)
        a = next_direction(sys, work)
        if not 0.0 < a < FURTHEST:
            return
        for k in range(y.shape[0]):
            y[k] += a * d[k]
        for r in range(sys.row.shape[0]):
            work.row[r].gap -= a * work.row[r].push


@kernel
def reduce_bend(sys, y, exact, matrix, pivot, work):
    """Project accelerations y by turns (1), with the gap Phi'' in row.gap.

    Only a few: where rates along a nearly singular direction are left, Phi'' holds their products with the rate of J, and to
    remove all of it would need accelerations as large as the direction is singular.
    """
    x = work.vector[STEP]
    for _ in range(BEND_TURNS):
        if remaining_gap(sys, work) <= RATE_TOLERANCE * max(1.0, largest(y)):
            return
        eval_turn(sys, exact, matrix, pivot, work)
        for k in range(y.shape[0]):
            y[k] += x[k]
        for r in range(sys.row.shape[0]):
            work.row[r].gap -= work.row[r].product
