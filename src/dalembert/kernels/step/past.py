"""The past of a multistep method: states at earlier times, polynomials through them, and what a new state is off these.

Kept are times t_i, coordinates and rates of the last states, i = 0 being the present one.  Polynomials are those of the rates
and of the increments d of the coordinates from the present state; for a ball d_i is the rotation vector of e_i e_0⁻¹, so that
d' = T(d)⁻¹ w [Munthe-Kaas].  Seen from the end t of a step, s_i = t_i - t, the polynomial of degree j through x_0 .. x_j has
    P_j(t) = sum_i L_i x_i,   L_i = prod_{l != i} s_l / (s_l - s_i)                                   (1)
    P_j'(t) = sum_i L_i x_i sum_{l != i} 1/(-s_l)                                                     (2)
and a new value x is off it by the divided difference over t, t_0 .. t_j,
    x - P_j(t) = [t, t_0, .., t_j] prod_{i <= j} (-s_i),                                              (3)
so that with equal steps h it would be h^(j+1) times the derivative of this order, times
    (j+1)! h^(j+1) / prod_{i <= j} (-s_i).                                                            (4)
"""

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from ..algebra.rotation import multiplied
from ..compile.bundle import bundle
from ..compile.jit import kernel, part
from ..compile.record import record

POINTS = 7
"""States kept: formulas of order five have a polynomial through six, and a state to come is put into one more row."""
LARGEST_TURN = 2.5
"""Angle [rad] from the present state up to which the attitude of a ball is part of the past."""

PAST = record(
    ("order", "i8"),
    ("most", "i8"),  # largest order
    ("points", "i8"),  # states kept
    ("newest", "i8"),  # row of the present one
    ("serve", "i8"),  # states that serve this step
    ("guessed", "i8"),  # number of the step while states before the first one are part of the past, else 0
    ("steady", "i8"),  # steps since order or length changed
    ("rising", "i8"),  # 1 from a start on until the errors hold order and length back
    ("failures", "i8"),  # of the step that is tried
    ("noise", "f8"),  # error that rounding makes whatever the step is, 1 = tolerated; see bdf.py
    ("failed", "f8"),  # error of the last try of the step, 0 if there was none
    ("h_failed", "f8"),  # its length, and that of the first try [s]
    ("h_first", "f8"),
    ("skips", "i8"),  # 1 if the step that is tried passes over a layer of massless directions
    ("stiff", "i8"),  # 1 while errors are filtered, bdf_error.py
    ("unseen", "i8"),  # steps since it was seen whether they have to be
    ("falls", "i8"),  # 1 if the next step is to be of a lower order
    ("term", "f8", 4),  # sizes of h^(j+1) times the derivatives of order j+1 for j = order - 2 .. order + 1, 1 = tolerated
)
"""What a multistep method remembers besides states."""


@bundle
class Past(NamedTuple):
    """States at earlier times and polynomials through them."""

    state: np.ndarray  # (1,) PAST, or (0,) for one-step methods
    t: np.ndarray  # (POINTS,) [s]
    q: np.ndarray  # (POINTS, n_q)
    qd: np.ndarray  # (POINTS, n_v)
    s: np.ndarray  # (POINTS,) times from the end of the step, the present one first [s]
    move: np.ndarray  # (POINTS, n_v) increments from the present state, likewise
    rate: np.ndarray  # (POINTS, n_v) rates, likewise
    value: np.ndarray  # (POINTS,) weights of (1)
    slope: np.ndarray  # (POINTS,) weights of (2)
    ahead: np.ndarray  # (4, n_v) increments and their slopes, rates and their slopes at the end of the step
    off: np.ndarray  # (2, n_v) what increments and rates are off


@kernel
def turn_between(e, f):
    """Rotation vector of f e⁻¹ for unit quaternions, of an angle of at most pi."""
    w, x, y, z = multiplied(f, (e[0], -e[1], -e[2], -e[3]))
    sine = sqrt(x * x + y * y + z * z)
    if sine == 0.0:
        return 0.0, 0.0, 0.0
    a = 2.0 * atan2(sine, abs(w)) / sine * (1.0 if w >= 0.0 else -1.0)
    return a * x, a * y, a * z


@part
def move_between(sys, q, other, out):
    """out = increments of the rates from q to another state; returns the largest turn of a ball [rad]."""
    largest = 0.0
    for i in range(sys.pair.shape[0]):
        k = sys.pair[i].q
        out[sys.pair[i].v] = other[k] - q[k]
    for i in range(sys.quaternion.shape[0]):
        k, v = sys.quaternion[i].q, sys.quaternion[i].v
        d = turn_between((q[k], q[k + 1], q[k + 2], q[k + 3]), (other[k], other[k + 1], other[k + 2], other[k + 3]))
        out[v], out[v + 1], out[v + 2] = d
        largest = max(largest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]))
    return largest


@part
def keep_state(past, t, q, qd):
    """Make a state the newest one."""
    own = past.state[0]
    own.newest = (own.newest + 1) % POINTS
    own.points = min(POINTS, own.points + 1)
    row = own.newest
    past.t[row] = t
    for i in range(q.shape[0]):
        past.q[row, i] = q[i]
    for k in range(qd.shape[0]):
        past.qd[row, k] = qd[k]


@kernel
def see_past(sys, past, t1):
    """Times, increments and rates of the states that serve a step to t1, the present one first."""
    own = past.state[0]
    now = own.newest
    own.serve = 0
    for i in range(min(own.points, own.order + 2)):
        row = (now - i + POINTS) % POINTS
        if move_between(sys, past.q[now], past.q[row], past.move[i]) > LARGEST_TURN:
            break
        past.s[i] = past.t[row] - t1
        for k in range(past.qd.shape[1]):
            past.rate[i, k] = past.qd[row, k]
        own.serve = i + 1


@part
def set_weights(past, count):
    """Weights (1), (2) of the polynomial through the first `count` states."""
    for i in range(count):
        value, slope = 1.0, 0.0
        for m in range(count):
            if m != i:
                value *= past.s[m] / (past.s[m] - past.s[i])
                slope -= 1.0 / past.s[m]
        past.value[i], past.slope[i] = value, value * slope


@kernel
def look_ahead(past, count):
    """Polynomials through the first `count` states at the end of the step: increments, rates and their slopes."""
    set_weights(past, count)
    ahead = past.ahead
    for k in range(ahead.shape[1]):
        d, dd, v, vd = 0.0, 0.0, 0.0, 0.0
        for i in range(count):
            d += past.value[i] * past.move[i, k]
            dd += past.slope[i] * past.move[i, k]
            v += past.value[i] * past.rate[i, k]
            vd += past.slope[i] * past.rate[i, k]
        ahead[0, k], ahead[1, k], ahead[2, k], ahead[3, k] = d, dd, v, vd                        # (1), (2)


@kernel
def find_off(past, count, move, rate):
    """What new increments and rates are off the polynomials through the first `count` states, into `off`."""
    set_weights(past, count)
    off = past.off
    for k in range(off.shape[1]):
        d, v = move[k], rate[k]
        for i in range(count):
            d -= past.value[i] * past.move[i, k]
            v -= past.value[i] * past.rate[i, k]
        off[0, k], off[1, k] = d, v                                                              # (3)


@part
def factor_of_equal_steps(past, count, h):
    """(4) for j = count - 1."""
    factor = 1.0
    for i in range(count):
        factor *= (i + 1.0) * h / -past.s[i]
    return factor
