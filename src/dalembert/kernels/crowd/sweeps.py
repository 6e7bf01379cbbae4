"""Projected Gauss-Seidel sweeps over the touches of a step: impulses, and displacements that take overlaps off.

    u = u_free + sum W P,    0 <= P_n  ⟂  n·u + bias + soft P_n >= 0                             (1)
    |P_t| <= mu P_n,  against the sliding velocity, or what makes it vanish                      (2)
in the way of contact/cones.py, (3) there, one touch after the other; velocities of the bodies are kept up to date, so that a
sweep costs as many operations as there are touches.  With every sweep the sum of the kinetic energy and of the work of the
bias does not grow, and momentum is kept whenever the sweeps end.
"""

from math import sqrt

from ..algebra.small import add3, axpy3, dot3, load3, load6, scale3, store3, sub3, sym_vec
from ..compile.jit import kernel, shared
from .touches import relative, strike

SPEEDS, MOVES = 0, 1
"""Levels of `CrowdState.twist` and `CrowdState.rate`."""
MOST_LIFTS = 30
"""Most sweeps that take overlaps off."""
SETTLED_LIFT = 0.1
"""Share of the tolerated overlap that such a sweep may change a gap by at the end."""


@kernel
def sweep_touch(c, twist, rate, pool, mover, inverse):
    """Project the impulse of one touch; returns the change of velocity that it made."""
    n, W = load3(c.n), load6(c.W)
    u = relative(c, twist, rate, pool)
    push = max(0.0, c.push - (dot3(n, u) + c.bias + c.soft * c.push) * c.share_n)
    d = push - c.push
    change = abs(d) / c.share_n if c.share_n > 0.0 else 0.0
    P = scale3(n, d)
    c.push = push
    if c.friction > 0.0:
        if d != 0.0:
            u = add3(u, sym_vec(W, P))
        across, old = axpy3(-dot3(n, u), n, u), load3(c.rub)
        rub = axpy3(-c.share_t, across, old)
        size, bound = sqrt(dot3(rub, rub)), c.friction * push
        if size > bound:
            rub = scale3(rub, bound / size)
        turn = sub3(rub, old)
        store3(c.rub, rub)
        if c.share_t > 0.0:
            change = max(change, sqrt(dot3(turn, turn)) / c.share_t)
        P = add3(P, turn)
    if change > 0.0:
        strike(c, P, twist, rate, pool, mover, inverse)
    return change


@shared
def sweep_impulses(crowd, state, tolerated) -> int:
    """Sweeps (1), (2) until no velocity changes by more than is tolerated; returns their number, or minus it if they go on."""
    p, o = state.progress[0], crowd.options[0]
    twist, rate, pool, mover, inverse = state.twist[SPEEDS], state.rate[SPEEDS], state.pool, crowd.mover, state.inverse
    count, worst = p.touches, 0.0
    for turn in range(o.sweeps):
        worst = 0.0
        for k in range(count):
            c = state.touch[k if turn % 2 == 0 else count - 1 - k]
            worst = max(worst, sweep_touch(c, twist, rate, pool, mover, inverse))
        if worst <= tolerated:
            return turn + 1
    p.worst = max(p.worst, worst)
    return -o.sweeps


@kernel
def lift_touch(c, h, twist, rate, pool, mover, inverse):
    """Displacement that takes the overlap of one touch off, after its gap was put into `bias`; returns its change."""
    n = load3(c.n)
    gap = c.bias + dot3(n, relative(c, twist, rate, pool))
    lift = max(0.0, c.lift - gap * c.share_n)
    d = lift - c.lift
    if d == 0.0:
        return 0.0
    c.lift = lift
    strike(c, scale3(n, d), twist, rate, pool, mover, inverse)
    return abs(d) / c.share_n


@shared
def sweep_lifts(crowd, state, h) -> int:
    """Displacements so that no gap is negative at the end of the step; returns the number of sweeps."""
    p, depth = state.progress[0], crowd.options[0].depth
    lowest = 0.0
    for k in range(p.touches):
        c = state.touch[k]
        u = relative(c, state.twist[SPEEDS], state.rate[SPEEDS], state.pool)
        c.bias = c.gap + h * dot3(load3(c.n), u)
        if c.compliance > 0.0:
            c.bias = 1e300
        lowest = min(lowest, c.bias)
    if lowest > -depth:
        return 0
    twist, rate = state.twist[MOVES], state.rate[MOVES]
    for k in range(p.touches):
        state.touch[k].bias += 0.5 * depth
    for turn in range(MOST_LIFTS):
        worst = 0.0
        for k in range(p.touches):
            c = state.touch[k if turn % 2 == 0 else p.touches - 1 - k]
            worst = max(worst, lift_touch(c, h, twist, rate, state.pool, crowd.mover, state.inverse))
        if worst <= SETTLED_LIFT * depth:
            return turn + 1
    return MOST_LIFTS
