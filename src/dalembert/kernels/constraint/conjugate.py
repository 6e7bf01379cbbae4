"""Gaps of rates and accelerations taken off by conjugate residuals, one turn (correction) of gaps.py per iteration.

A turn by itself leaves 1/(1 + α s) of a gap along a direction with the inverse mass s, much in long chains of loops.  Rates,
in which gaps are linear, are therefore projected with B = J A⁻¹ Jᵀ α and sums weighted with α, in which B is symmetric: the
gap g is made least along directions p,
    g <- g - a B p,   a = (g, B p) / (B p, B p);      p <- g - b p,   b = (B g, B p) / (B p, B p)        (1)
    λ <- λ + a α (p - B p),                                                                              (2)
where (2) holds M d + Jᵀ λ = 0 for the changes d, with P = M.  A gap asks for changes as large as its direction is weak; beyond
a limit of a it is left, and what is left lies along directions that are singular now.
"""

from ..compile.jit import kernel, part
from .gaps import RATE_TOLERANCE, eval_turn, remaining_gap
from .saddle import largest

MAX_TURNS = 20
FURTHEST = 20.0
"""Factor a of (1) above which a gap is left: a turn by itself would take less than its inverse off."""
SETTLED_FURTHEST = 400.0
"""Likewise for states that multistep methods keep: what is left there enters their differences."""
STALLED = 1e-12
"""Share of the gap's square that a turn takes off, below which the rest is across all that can move."""
BEND_TURNS = 2
"""Turns that project accelerations; each leaves about the inverse of the penalty, relative to mass, of a gap."""


@part
def next_direction(sys, work):
    """p of (1) after `eval_turn` into row.along, the turn that it makes into scratch `along`, B p into row.taken.

    Returns a, and the share that it takes off the square of the gap.
    """
    x, d = work.scratch.loop.turn, work.scratch.loop.along
    crossed, square = 0.0, 0.0
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        crossed += own.pen * own.product * own.taken
        square += own.pen * own.taken * own.taken
    b = crossed / square if square > 0.0 else 0.0
    along, square, total = 0.0, 0.0, 0.0
    for k in range(d.shape[0]):
        d[k] = x[k] - b * d[k]
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.along = own.gap - b * own.along
        own.taken = own.product - b * own.taken
        along += own.pen * own.gap * own.taken
        square += own.pen * own.taken * own.taken
        total += own.pen * own.gap * own.gap
    if not square > 0.0:
        return 0.0, 0.0
    return along / square, along / square * along / total


@kernel
def reduce_gap(sys, y, tolerance, furthest, exact, matrix, pivot, work) -> bool:
    """Change y by (1), and row.lam_now by (2), until row.gap is small or a turn by itself would take little off.

    With the Jacobian at the state and the factors at hand.  Returns False if a gap is left that could be taken off.
    """
    d = work.scratch.loop.along
    for k in range(d.shape[0]):
        d[k] = 0.0
    for r in range(sys.row.shape[0]):
        work.row[r].along = work.row[r].taken = 0.0
    for _ in range(MAX_TURNS):
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
            own.lam_now += a * own.pen * (own.along - own.taken)                                # (2)
    return False


@kernel
def project_rates(sys, y, tolerance, furthest, exact, matrix, pivot, work):
    """Project rates y with the gap in row.gap; what is left lies along directions that are singular now.

    `tolerance` is relative to rows' sizes and to the largest rate.
    """
    reduce_gap(sys, y, tolerance * max(1.0, largest(y)), furthest, exact, matrix, pivot, work)


@kernel
def project_accelerations(sys, y, exact, matrix, pivot, work):
    """Project accelerations y by turns, with the gap Phi'' in row.gap, and add what the turns load to row.lam_shown.

    With A = P + Jᵀ α J a turn d says P d = -Jᵀ α (g + J d): it acts like a load with the multiplier α times the gap left.
    Only a few: where rates along a nearly singular direction are left, Phi'' holds their products with the rate of J, and to
    remove all of it would need accelerations as large as the direction is singular.
    """
    x = work.scratch.loop.turn
    for _ in range(BEND_TURNS):
        if remaining_gap(sys, work) <= RATE_TOLERANCE * max(1.0, largest(y)):
            return
        eval_turn(sys, exact, matrix, pivot, work)
        for k in range(y.shape[0]):
            y[k] += x[k]
        for r in range(sys.row.shape[0]):
            own = work.row[r]
            own.gap -= own.product
            own.lam_shown += own.pen * own.gap
