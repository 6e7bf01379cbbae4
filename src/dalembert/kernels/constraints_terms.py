"""Constraint rows between coordinates: violation, rate, derivatives and second time derivative.

With the terms' coordinates q_i, their rates and factors c_i, the prescribed y = c + law(t) and f(t, x) = law(t, x, 0),
    COORDINATES       Phi  = sum c_i q_i - y                                                          (1)
    COORDINATE_SPEED  Phi' = sum c_i qd_i - law(t)                                                    (2)
    COUPLING          Phi  = q_0 - f(t, q_1) - c                                                      (3)
                      Phi'  = qd_0 - f_x qd_1 - f_t
                      Phi'' = qdd_0 - f_x qdd_1 - f_xx qd_1² - 2 f_xt qd_1 - f_tt
Four neighbours, d = 1e-3 (1 + |x|) apart, give the last derivatives of a function:
    f_xx = (16 (f_1 + f_-1) - (f_2 + f_-2) - 30 f_0) / (12 d²),   f_xt = (8 (f_t1 - f_t-1) - (f_t2 - f_t-2)) / (12 d)   (4)
with errors d⁴/90 of the sixth and d⁴/30 of the fifth derivative by x; rounding of f adds 64/12 eps/d² |f|, about 1e-9 |f|.
"""

from ..codes import LawCode, RowCode
from .jit import kernel, part
from .laws import eval_law, law_slopes

SPACING = 1e-3
"""Of the neighbours in (4), relative to 1 + |x|."""


@kernel
def is_term_row(code):
    """True for a row between coordinates."""
    return code == RowCode.COORDINATES or code == RowCode.COORDINATE_SPEED or code == RowCode.COUPLING


@kernel
def eval_bends(sys, law, t, x):
    """f_xx and f_xt of (4); zero for laws of time."""
    if sys.law[law].code != LawCode.FUNCTION:
        return 0.0, 0.0
    d = SPACING * (1.0 + abs(x))
    even = -30.0 * eval_law(sys, law, t, x, 0.0, 0)
    odd = 0.0
    for k in range(1, 3):
        weight, slope_weight = (16.0, 8.0) if k == 1 else (-1.0, -1.0)
        ahead, behind = x + k * d, x - k * d
        even += weight * (eval_law(sys, law, t, ahead, 0.0, 0) + eval_law(sys, law, t, behind, 0.0, 0))
        odd += slope_weight * (eval_law(sys, law, t, ahead, 0.0, 1) - eval_law(sys, law, t, behind, 0.0, 1))
    return even / (12.0 * d * d), odd / (12.0 * d)


@part
def term_factor(sys, c, k, t, q):
    """Derivative of a row by the coordinate (of a speed row: by the rate) of its term number k."""
    if c.code != RowCode.COUPLING:
        return sys.term[c.term + k].c
    if k == 0:
        return 1.0
    return -law_slopes(sys, c.law, t, q[sys.term[c.term + 1].q], 0.0)[0]


@part
def eval_term_law(sys, c, t, q, order):
    """What the law takes off a row (order 0), and the part of the time derivatives that time itself makes."""
    if c.law < 0:
        return 0.0
    x = q[sys.term[c.term + 1].q] if c.code == RowCode.COUPLING else 0.0
    return eval_law(sys, c.law, t, x, 0.0, order)


@part
def eval_term_row(sys, c, own, t, q, qd, jacobian):
    """Fill value, rate and time_rate of a row between coordinates, and its entries of the Jacobian."""
    for j in range(c.first, c.first + c.count):
        jacobian[j] = 0.0
    value, rate = 0.0, 0.0
    for k in range(c.terms):
        term, factor = sys.term[c.term + k], term_factor(sys, c, k, t, q)
        rate += factor * qd[term.v]
        if k == 0 or c.code != RowCode.COUPLING:
            value += factor * q[term.q]
        for j in range(c.first, c.first + c.count):
            if sys.entry[j].column == term.v:
                jacobian[j] += factor
    first = 0 if c.rate_only == 1 else 1
    own.time_rate = -eval_term_law(sys, c, t, q, first)
    own.rate = rate + own.time_rate
    own.value = 0.0 if c.rate_only == 1 else value - c.c - eval_term_law(sys, c, t, q, 0)


@part
def eval_term_acceleration(sys, c, t, q, qd, qdd):
    """Second time derivative of a row between coordinates, or the first one of a rate."""
    total = -eval_term_law(sys, c, t, q, 1 if c.rate_only == 1 else 2)
    for k in range(c.terms):
        total += term_factor(sys, c, k, t, q) * qdd[sys.term[c.term + k].v]
    if c.code == RowCode.COUPLING:
        driver = sys.term[c.term + 1]
        f_xx, f_xt = eval_bends(sys, c.law, t, q[driver.q])
        total -= (f_xx * qd[driver.v] + 2.0 * f_xt) * qd[driver.v]                                # (3)
    return total


@part
def vary_term_row(sys, c, own, load, t, q, dq, dqd, dtau):
    """Add the variation of the efforts -J^T (lambda + alpha Phi) of a row between coordinates to dtau (n_v,)."""
    change = 0.0
    for k in range(c.terms):
        v = sys.term[c.term + k].v
        change += term_factor(sys, c, k, t, q) * (dqd[v] if c.rate_only == 1 else dq[v])
    for k in range(c.terms):
        dtau[sys.term[c.term + k].v] -= own.penalty * change * term_factor(sys, c, k, t, q)
    if c.code == RowCode.COUPLING:
        driver = sys.term[c.term + 1]
        f_xx, f_xt = eval_bends(sys, c.law, t, q[driver.q])
        dtau[driver.v] += load * f_xx * dq[driver.v]
