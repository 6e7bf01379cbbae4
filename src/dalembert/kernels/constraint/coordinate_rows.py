"""Constraint rows between coordinates: violation, rate, derivatives and second time derivative.

With the terms' coordinates q_i, their rates and factors c_i, the prescribed y = c + law(t) and f(x) a law taken at t := x,
    COORDINATES       Phi  = sum c_i q_i - y                                                          (1)
    COORDINATE_SPEED  Phi' = sum c_i qd_i - law(t)                                                    (2)
    COUPLING          Phi  = q_0 - f(q_1) - c                                                         (3)
                      Phi'  = qd_0 - f' qd_1,   Phi'' = qdd_0 - f' qdd_1 - f'' qd_1²
"""

from ...codes import RowCode
from ..compile.jit import kernel, part
from ..force.laws import eval_law


@kernel
def is_term_row(code):
    """True for a row between coordinates."""
    return code == RowCode.COORDINATES or code == RowCode.COORDINATE_SPEED or code == RowCode.COUPLING


@part
def eval_function(sys, c, q, order):
    """f(x) of a coupling (order 0), or its derivatives by x."""
    x = q[sys.term[c.term + 1].q]
    return eval_law(sys, c.law, x, x, 0.0, order)


@part
def term_factor(sys, c, k, q):
    """Derivative of a row by the coordinate (of a speed row: by the rate) of its term number k."""
    if c.code != RowCode.COUPLING:
        return sys.term[c.term + k].c
    return 1.0 if k == 0 else -eval_function(sys, c, q, 1)


@part
def eval_term_law(sys, c, t, order):
    """What the law takes off a row (order 0), and the part of the time derivatives that time itself makes."""
    if c.law < 0 or c.code == RowCode.COUPLING:
        return 0.0
    return eval_law(sys, c.law, t, 0.0, 0.0, order)


@part
def eval_term_row(sys, c, own, t, q, qd):
    """Fill value, rate and time_rate of a row between coordinates."""
    value, rate = 0.0, 0.0
    for k in range(c.terms):
        term, factor = sys.term[c.term + k], term_factor(sys, c, k, q)
        rate += factor * qd[term.v]
        if c.code != RowCode.COUPLING:
            value += factor * q[term.q]
    if c.code == RowCode.COUPLING:
        value = q[sys.term[c.term].q] - eval_function(sys, c, q, 0)
    first = 0 if c.rate_only == 1 else 1
    own.Phi_t = -eval_term_law(sys, c, t, first)
    own.Phid = rate + own.Phi_t
    own.Phi = 0.0 if c.rate_only == 1 else value - c.c - eval_term_law(sys, c, t, 0)


@part
def eval_term_jacobian(sys, c, q, jacobian):
    """Fill the entries of a row between coordinates; terms that share a rate add up."""
    for j in range(c.first, c.first + c.count):
        jacobian[j] = 0.0
    for k in range(c.terms):
        factor = term_factor(sys, c, k, q)
        for j in range(c.first, c.first + c.count):
            if sys.entry[j].column == sys.term[c.term + k].v:
                jacobian[j] += factor


@part
def eval_term_acceleration(sys, c, t, q, qd, qdd):
    """Second time derivative of a row between coordinates, or the first one of a rate."""
    total = -eval_term_law(sys, c, t, 1 if c.rate_only == 1 else 2)
    for k in range(c.terms):
        total += term_factor(sys, c, k, q) * qdd[sys.term[c.term + k].v]
    if c.code == RowCode.COUPLING:
        speed = qd[sys.term[c.term + 1].v]
        total -= eval_function(sys, c, q, 2) * speed * speed                                      # (3)
    return total


@part
def vary_term_row(sys, c, own, load, q, dq, dqd, dtau):
    """Add the variation of the efforts -J^T (lambda + alpha Phi) of a row between coordinates to dtau (n_v,)."""
    change = 0.0
    for k in range(c.terms):
        v = sys.term[c.term + k].v
        change += term_factor(sys, c, k, q) * (dqd[v] if c.rate_only == 1 else dq[v])
    for k in range(c.terms):
        dtau[sys.term[c.term + k].v] -= own.pen * change * term_factor(sys, c, k, q)
    if c.code == RowCode.COUPLING:
        driver = sys.term[c.term + 1].v
        dtau[driver] += load * eval_function(sys, c, q, 2) * dq[driver]
