"""Rows of contacts on joint coordinates: limits, and dry friction.

A limit l of a coordinate q is a gap with one line, the effort on the coordinate,
    g = s (q - l),   s = 1 for a lower limit and -1 for an upper one                             (1)
so that impacts, persistent contact and release are those of shapes.  Dry friction is a line that is always closed, whose
effort z is bounded by f and opposes the rate, or holds the coordinate where it sticks [GLO (15), (41)]:
    |z| <= f,   z = -f sign(q') where q' is not zero                                             (2)
P being the projection onto an interval.  Its gap is the way q - q_0 since sticking began.  An impact lasts no time, in which
a bounded effort has no impulse; in a fixed step friction may change rates by cv f, with cv of step/stage.py.
"""

from math import copysign

from ...codes import FormCode, PairCode
from ..algebra.small import store3
from ..compile.jit import kernel

EDGE = 1.0 - 1e-9
"""Share of the largest friction from which on a coordinate slides."""


@kernel
def on_joint(c):
    """True for a row on a joint coordinate."""
    return c.code == PairCode.LIMIT or c.code == PairCode.JOINT_FRICTION


@kernel
def rubs(c):
    """True for the dry friction of a joint."""
    return c.code == PairCode.JOINT_FRICTION


@kernel
def coordinate(sys, c, q, work):
    """Coordinate of a row, after the evaluation of places at q."""
    return work.joint_q[c.q] if sys.constants[0].form == FormCode.GLOBAL else q[c.q]


@kernel
def line_rate(sys, c, qd, work):
    """Rate along the line of a row, after the evaluation of places with the rates qd."""
    return c.sign * (work.joint_qd[c.v] if sys.constants[0].form == FormCode.GLOBAL else qd[c.v])


@kernel
def eval_joint_row(sys, c, own, q, qd, work):
    """Gap (1), or the way of friction, and its rate."""
    x = coordinate(sys, c, q, work)
    own.gap = x - own.base if rubs(c) else c.sign * (x - c.limit)
    store3(own.rate, (line_rate(sys, c, qd, work), 0.0, 0.0))


@kernel
def anchor_friction(contacts, state, moved):
    """Let friction hold the present coordinates: all of them, or with `moved` = 1 only those that slide."""
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if rubs(contacts.row[i]) and (moved == 0 or own.stick == 0):
            own.base += own.gap
            own.gap = 0.0


@kernel
def close_friction(contacts, state, time):
    """Close the friction of joints, whose bound is f times a time: 1 for efforts, 0 for impacts."""
    for i in range(contacts.row.shape[0]):
        c, own = contacts.row[i], state.row[i]
        if rubs(c):
            own.closed, own.most = 1, c.most * time


@kernel
def within(value, most):
    """P of (2)."""
    return min(most, max(-most, value))


@kernel
def project_friction(w, stiff, z, k, own, sliding, still):
    """Effort (2) of line k: against the rate of a coordinate that slides if `sliding`, else the projection; its change."""
    if sliding and own.stick == 0 and abs(own.rate[0]) > still:
        value = -copysign(own.most, own.rate[0])
    elif stiff <= 0.0:
        return 0.0
    else:
        value = within(z[k] - w / stiff, own.most)
    change = abs(value - z[k])
    z[k] = value
    return change


@kernel
def sticks(z, own):
    """1 where an effort holds its coordinate."""
    return 1 if abs(z) < EDGE * own.most else 0
