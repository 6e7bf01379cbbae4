"""Mechanisms with loops, in joint or natural coordinates: accelerations, and projections onto the constraints.

Accelerations solve M qdd + Jᵀ λ = Q, Phi'' = 0 by the augmented Lagrangian iterations of saddle.py, [SEG (9)-(13)]
without its penalty terms in Phi and Phi': positions and rates are projected instead, by
    A d = -Jᵀ α Phi,   q <- q + d;      A d = -Jᵀ α Phi',   qd <- qd + d                         (1)
repeated until the gap is small, which is [DOP (3)] with P = M (or P = the matrix of an implicit step) in increments.  A turn
leaves 1/(1 + α s) of a gap along a direction with the inverse mass s, much in long chains of loops.  Rates, in which gaps are
linear, are therefore projected by conjugate residuals, a turn for a turn: with B = J A⁻¹ Jᵀ α and sums weighted with α, in
which B is symmetric, the gap g is made least along directions p,
    g <- g - a B p,   a = (g, B p) / (B p, B p);      p <- g - b p,   b = (B g, B p) / (B p, B p)        (2)
    λ <- λ + a α (p - B p),                                                                              (3)
where (3) holds M d + Jᵀ λ = 0 for the changes d, with P = M.  Accelerations are found likewise where saddle.py contracts
slowly, those of the loads first and to the end: they are the free ones without their part across the constraints, no larger
however weak a direction is, and a flat arch stands on it.  A gap asks for accelerations as large as its direction is weak, and
rates that were left along it for a moment would make them; it is left there as theirs is.  A violation c of positions turns
rows by about as much, and those that depend on each other, as in a mechanism that moves although it should not by counting,
then hold a direction that is free with an α s of STIFFNESS c²: along directions so weak loads are left, too.
"""

from math import isfinite

from ...codes import FormCode, Status, TermCode
from ..algebra.sparse import solve_sparse, status_of_factor
from ..compile.calls import call_door
from ..compile.jit import kernel, part
from ..step.step_matrix import solve_factored
from ..tree.state import eval_drives, move, normalise
from .balance import check_balance
from .saddle import (
    SMALL_CHANGE,
    STIFFNESS,
    add_transposed,
    factor_saddle,
    largest,
    largest_entry,
    row_product,
    solve_saddle,
)

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

WEAKEST = 1e9
"""Likewise for loads; beyond it rounding decides."""
TURNED = 30.0
"""Turn of rows that a violation may have made, in violations relative to the rows' sizes."""
STALLED = 1e-12
"""Share of the gap's square that a turn takes off, below which the rest is across all that can move."""

BIAS, STEP, RIGHT, PRODUCT, FOUND = 16, 17, 18, 19, 21
"""Rows of work.vector used here."""
REACHED = 16
"""Row of work.point used here, beside the first."""


@part
def ask(sys, task, t, q, qd, qdd, tau, x, cq, cv, work) -> int:
    """Have terms evaluated by terms.py, behind its own door."""
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
    """Fill work.mass at coordinates q, after `eval_gaps`; with the gauge of motions without inertia, massless_rows.py."""
    for p in range(work.mass.shape[0]):
        work.mass[p] = 0.0
    status = ask(sys, TermCode.MASS.value, 0.0, q, q, q, q, work.mass, 1.0, 1.0, work)
    if sys.constants[0].form == FormCode.SEMI_RECURSIVE:
        for k in range(sys.dof.shape[0]):
            work.mass[sys.pattern.diagonal[k]] += sys.dof[k].gauge
    return status


@kernel
def factor_mass(sys, q, work) -> int:
    """Mass matrix into work.mass and the factors of M + Jᵀ α J, with the rows' own penalties."""
    for r in range(sys.row.shape[0]):
        work.row[r].penalty = sys.row[r].penalty
    return factor_with_penalties(sys, q, work)


@kernel
def factor_with_penalties(sys, q, work) -> int:
    """Likewise with the penalties that the rows have at the moment."""
    status = eval_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    return status_of_factor(factor_saddle(sys, work), work)


@kernel
def eval_loads(sys, t, q, qd, qdd, tau, work) -> int:
    """Loads that the state asks for into BIAS and Phi'' into row.gap, with driven qdd set and the others zero."""
    for k in range(qdd.shape[0]):
        qdd[k] = 0.0
    eval_drives(sys, t, q, qd, qdd)
    status = ask(sys, TermCode.STATE_LOADS.value, t, q, qd, qdd, tau, work.vector[BIAS], 1.0, 1.0, work)
    largest_gap(sys, work, 2)
    return status


@kernel
def solve_loaded(sys, qdd, work) -> int:
    """Accelerations qdd and multipliers (work.row.push) after `eval_loads`, with factors made at the state."""
    bias, x = work.vector[BIAS], work.vector[FOUND]
    if not solve_saddle(sys, bias, x, work.vector[RIGHT], work.vector[PRODUCT], work):
        solve_weak(sys, bias, x, work)
    for k in range(qdd.shape[0]):
        if not isfinite(x[k]):
            work.fail[0] = k
            return Status.NOT_FINITE.value
        qdd[k] += x[k]
    return Status.OK.value


@kernel
def check_found(sys, work) -> int:
    """UNBALANCED unless what `find_constrained` has just found satisfies the equations of motion."""
    return check_balance(sys, work.vector[BIAS], work.vector[FOUND], work.vector[RIGHT], work.vector[PRODUCT], work)


@kernel
def solve_state(sys, t, q, qd, qdd, tau, work) -> int:
    """Likewise of a state whose rows and Jacobian are evaluated; loads come first: the mass matrix destroys inertias."""
    status = eval_loads(sys, t, q, qd, qdd, tau, work)
    if status == Status.OK.value:
        status = factor_mass(sys, q, work)
    return solve_loaded(sys, qdd, work) if status == Status.OK.value else status


@kernel
def find_constrained(sys, projected, t, q, qd, qdd, tau, work) -> int:
    """Accelerations qdd and multipliers (work.row.push) of a state; driven entries of q, qd, qdd are set from their laws.

    With `projected` a state that is nearly on the constraints is brought onto them first, in place, with the factors at hand.
    """
    eval_drives(sys, t, q, qd, qdd)
    status = bring_onto(sys, t, q, qd, work) if projected else eval_gaps(sys, t, q, qd, work)
    if status != Status.OK.value:
        return status
    eval_row_matrix(sys, q, work)
    if not projected:
        return solve_state(sys, t, q, qd, qdd, tau, work)
    status = factor_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    largest_gap(sys, work, 1)
    project_rates(sys, qd, False, work.no_matrix, work.no_pivot, work)
    status = eval_velocities(sys, q, qd, work)
    if status == Status.OK.value:
        status = eval_loads(sys, t, q, qd, qdd, tau, work)
    return solve_loaded(sys, qdd, work) if status == Status.OK.value else status


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
def bring_onto(sys, t, q, qd, work) -> int:
    """`project_positions`, once more with factors and Jacobian of the state reached if they then serve better.

    Those at hand are of another state, and off a singular position it is this that keeps a gap open.
    """
    status = project_positions(sys, t, q, qd, work)
    if status != Status.OK.value or largest_gap(sys, work, 0) <= PROJECTED_TOLERANCE:
        return status
    eval_row_matrix(sys, q, work)
    status = factor_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    reached = work.point[REACHED]
    for k in range(q.shape[0]):
        reached[k] = q[k]
    if project_positions(sys, t, q, qd, work) == Status.OK.value and largest_gap(sys, work, 0) <= PROJECTED_TOLERANCE:
        return Status.OK.value
    for k in range(q.shape[0]):
        q[k] = reached[k]
    return eval_gaps(sys, t, q, qd, work)


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
    """p of (2) after `eval_turn` into row.along, the turn that it makes into PRODUCT, B p into row.taken.

    Returns a, and the share that it takes off the square of the gap.
    """
    x, d = work.vector[STEP], work.vector[PRODUCT]
    crossed, square = 0.0, 0.0
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        crossed += own.penalty * own.product * own.taken
        square += own.penalty * own.taken * own.taken
    b = crossed / square if square > 0.0 else 0.0
    along, square, total = 0.0, 0.0, 0.0
    for k in range(d.shape[0]):
        d[k] = x[k] - b * d[k]
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.along = own.gap - b * own.along
        own.taken = own.product - b * own.taken
        along += own.penalty * own.gap * own.taken
        square += own.penalty * own.taken * own.taken
        total += own.penalty * own.gap * own.gap
    if not square > 0.0:
        return 0.0, 0.0
    return along / square, along / square * along / total


@kernel
def project_rates(sys, y, exact, matrix, pivot, work):
    """Project rates y with the gap in row.gap; what is left lies along directions that are singular now."""
    reduce_gap(sys, y, RATE_TOLERANCE * max(1.0, largest(y)), FURTHEST, exact, matrix, pivot, work)


@kernel
def reduce_gap(sys, y, tolerance, furthest, exact, matrix, pivot, work):
    """Change y by (2), and row.push by (3), until row.gap is small or a turn by itself would take little off.

    With the Jacobian at the state and the factors at hand.  Returns False if a gap is left that could be taken off.
    """
    d = work.vector[PRODUCT]
    for k in range(d.shape[0]):
        d[k] = 0.0
    for r in range(sys.row.shape[0]):
        work.row[r].along = work.row[r].taken = 0.0
    for _ in range(MAX_PROJECTIONS):
        if remaining_gap(sys, work) <= tolerance:
            return True
        eval_turn(sys, exact, matrix, pivot, work)
        a, share = next_direction(sys, work)
        if share <= STALLED:
            return True
        if not 0.0 < a < furthest:
            return False
        for k in range(y.shape[0]):
            y[k] += a * d[k]
        for r in range(sys.row.shape[0]):
            own = work.row[r]
            own.gap -= a * own.taken
            own.push += a * own.penalty * (own.along - own.taken)                                # (3)
    return False


@part
def weakest(gap):
    """Factor a of (2) up to which loads are carried, by the largest violation of positions relative to its row's size."""
    turned = TURNED * gap
    return max(FURTHEST, 1.0 / max(1.0 / WEAKEST, STIFFNESS * turned * turned))


@kernel
def begin_weak(sys, f, gaps, x, work):
    """First iteration of saddle.py for the loads f and `gaps` times row.acceleration: x, the gap that it leaves, and y."""
    for k in range(x.shape[0]):
        x[k] = -f[k]
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.gap = gaps * own.acceleration
        add_transposed(sys, r, -own.penalty * own.gap, x, work)
    solve_sparse(sys.pattern, work.factors, x, x)
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.gap += row_product(sys, sys.row[r], work.jacobian, x)
        own.push = own.penalty * own.gap


@kernel
def solve_weak(sys, f, x, work):
    """Solve (1) of saddle.py by (2) and (3); where directions are weak, loads to the end, gaps as far as those of rates."""
    furthest = weakest(largest_gap(sys, work, 0))
    begin_weak(sys, f, 1.0, x, work)
    if reduce_gap(sys, x, SMALL_CHANGE * largest(x), FURTHEST, False, work.no_matrix, work.no_pivot, work):
        return
    begin_weak(sys, f, 0.0, x, work)
    reduce_gap(sys, x, SMALL_CHANGE * largest(x), furthest, False, work.no_matrix, work.no_pivot, work)
    for r in range(sys.row.shape[0]):
        work.row[r].gap = work.row[r].acceleration + row_product(sys, sys.row[r], work.jacobian, x)
    reduce_gap(sys, x, SMALL_CHANGE * largest(x), FURTHEST, False, work.no_matrix, work.no_pivot, work)


@kernel
def reduce_bend(sys, y, exact, matrix, pivot, work):
    """Project accelerations y by turns (1), with the gap Phi'' in row.gap, and add what the turns load to row.total.

    With A = P + Jᵀ α J a turn d says P d = -Jᵀ α (g + J d): it acts like a load with the multiplier α times the gap left.
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
            own = work.row[r]
            own.gap -= own.product
            own.total += own.penalty * own.gap
