"""Events: zeros of switching functions along the dense output of a step, and the stop of an advance at one.

A switch is a signal, or a user's function of signals, less the value that it crosses.  Its sign is looked at at the ends of a
step and at LOOKS places between; where it changes, the crossing is located on the dense output by the Illinois variant of
regula falsi, with bisection as soon as that does not halve the interval.  The state at an event that stops is that of the
dense output, projected onto the constraints, and so are its levels: its error lies below the local error of the step.
"""

from math import nan

from ...codes import FormCode, Status
from ..compile.jit import kernel, shared
from ..compile.user_functions import call_control
from ..control.controllers import eval_signals
from ..control.tables import LOOKS
from ..loop_calls import call_velocities
from ..tree.kinematics import eval_motion, eval_places
from .dense_output import place_between, state_between
from .flow import copy, restart
from .frames import record_due

TURNS = 100
"""Most iterations for one crossing."""
CLOSE = 4e-15
"""Length of the interval in which a crossing is known to lie, relative to the time and the step."""
LEAST = 1e-300
"""A level of zero on one side."""
BEGINNING, WITHIN, END = 0, 1, 2
"""Rows of `ControlWork.level`."""


@kernel
def eval_level(sys, k, t, q, qd, work):
    """Level of switch number k after the evaluation of places; NaN for a signal that is not known."""
    s, control = sys.control.switch[k], work.control
    if eval_signals(sys, s.signal, s.signals, t, q, qd, work) != Status.OK.value:
        return nan
    level = control.inputs[s.signal]
    if s.address != 0:
        call_control(s.address, t, control.inputs[s.signal:s.signal + s.signals], control.memory[:0],
                     control.level[WITHIN, k:k + 1])
        level = control.level[WITHIN, k]
    return level - s.value


@kernel
def eval_switch_places(sys, q, qd, work) -> int:
    """Places and velocities that switches read."""
    if sys.constants[0].form != FormCode.TREE:
        return call_velocities(sys, q, qd, work)
    status = eval_motion(sys, q, qd, work)
    if status == Status.OK.value:
        eval_places(sys, qd, work)
    return status


@kernel
def eval_one(sys, k, t, q, qd, work):
    """Level of switch number k at a state; NaN for one that has no places."""
    if eval_switch_places(sys, q, qd, work) != Status.OK.value:
        return nan
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_level(sys, k, t, work.joint_q, work.joint_qd, work)
    return eval_level(sys, k, t, q, qd, work)


@kernel
def begin_watching(sys, flow, work) -> int:
    """Levels of all switches at the present state, once; a level of zero has no side yet."""
    p = flow.progress[0]
    if p.watched == 1:
        return Status.OK.value
    p.watched = 1
    for k in range(sys.control.switch.shape[0]):
        work.control.level[BEGINNING, k] = eval_one(sys, k, p.t, flow.q, flow.qd, work)
    return Status.OK.value


@kernel
def level_between(sys, flow, k, t, work):
    """Level of switch number k at a time within the last step."""
    p = flow.progress[0]
    if t >= p.t:
        return eval_one(sys, k, p.t, flow.q, flow.qd, work)
    if sys.constants[0].form != FormCode.TREE and sys.control.switch[k].stop == 1:
        p.factored = 0
        if state_between(sys, flow, t, flow.qdd_new, work) != Status.OK.value:
            return nan
    else:
        place_between(sys, flow, t, work)
    return eval_one(sys, k, t, flow.q_stage, flow.qd_stage, work)


@kernel
def locate(sys, flow, k, t0, g0, t1, g1, work):
    """Time within (t0, t1], where switch number k has the levels g0 and g1 of different signs, at which it crosses."""
    p = flow.progress[0]
    for turn in range(TURNS):
        width = t1 - t0
        if width <= CLOSE * max(abs(t1), p.h_last) or g1 == 0.0:
            break
        s, least = g0 / (g0 - g1), 0.5 * CLOSE * max(abs(t1), p.h_last)
        if turn % 3 == 2 or not 0.0 < s < 1.0:
            s = 0.5
        t = min(max(t0 + s * width, t0 + least), t1 - least)  # an end that is a zero already is enclosed at once
        g = level_between(sys, flow, k, t, work)
        if (g < 0.0) == (g0 < 0.0) and g != 0.0:
            t0, g0, g1 = t, g, 0.5 * g1 if s != 0.5 else g1                              # Illinois
        else:
            t1, g1, g0 = t, g, 0.5 * g0 if s != 0.5 else g0
    return t1


@kernel
def find_crossings(sys, flow, k, first, work):
    """Write the crossings of switch number k in the last step, from a row of `crossing` on; returns the row behind them.

    A level of zero belongs to the side that it was crossed to, at once.
    """
    p, s, control = flow.progress[0], sys.control.switch[k], work.control
    t0, g0, row = p.t_last, control.level[BEGINNING, k], first
    for look in range(1, LOOKS + 1):
        t1 = p.t if look == LOOKS else p.t_last + look * p.h_last / LOOKS
        g1 = level_between(sys, flow, k, t1, work)
        direction = 0
        if g0 < 0.0 <= g1 and s.direction >= 0:
            direction = 1
        elif g0 > 0.0 >= g1 and s.direction <= 0:
            direction = -1
        if direction != 0:
            control.crossing[row].t = locate(sys, flow, k, t0, g0, t1, g1, work)
            control.crossing[row].switch, control.crossing[row].direction = k, direction
            row += 1
        if g1 != 0.0:
            t0, g0 = t1, g1
        elif direction != 0:
            t0, g0 = t1, LEAST * direction
    control.level[END, k] = g0
    return row


@shared
def watch_step(sys, flow, work) -> int:
    """Note the crossings of the last step up to the first one that stops; RECORD_FULL if those of another step may not fit."""
    p, control = flow.progress[0], work.control
    last = p.crossings
    for k in range(sys.control.switch.shape[0]):
        first, last = last, find_crossings(sys, flow, k, last, work)
        control.level[BEGINNING, k] = control.level[END, k]
        if sys.control.switch[k].stop == 1 and last > first:
            p.stop_at = min(p.stop_at, control.crossing[first].t)
    keep_crossings(flow, last - p.crossings, work)
    full = p.crossings + LOOKS * sys.control.switch.shape[0] > control.crossing.shape[0]
    return Status.RECORD_FULL.value if full else Status.OK.value


@kernel
def keep_crossings(flow, found, work):
    """Sort the crossings of a step by time and drop those after a stop."""
    p, row = flow.progress[0], work.control.crossing
    first = p.crossings
    for i in range(first + 1, first + found):
        for j in range(i, first, -1):
            if row[j].t < row[j - 1].t:
                a, b = row[j], row[j - 1]
                switch, t, direction = a.switch, a.t, a.direction
                a.switch, a.t, a.direction = b.switch, b.t, b.direction
                b.switch, b.t, b.direction = switch, t, direction
    for i in range(first, first + found):
        if row[i].t <= p.stop_at:
            p.crossings += 1


@shared
def stop_between(sys, flow, frames, work) -> int:
    """Record the frames before an event that stops, and make the state at it the present one; EVENT if that is done."""
    p = flow.progress[0]
    t = p.stop_at
    status = record_due(sys, flow, frames, t, work)
    if status != Status.OK.value:
        return status
    if t < p.t:
        status = state_between(sys, flow, t, flow.qdd_new, work)
        if status != Status.OK.value:
            return status
        copy(flow.q_stage, flow.q)
        copy(flow.qd_stage, flow.qd)
        if p.fixed > 0 and p.t >= p.grid:
            p.fixed -= 1
        p.h_last, p.t = t - p.t_last, t
    restart(flow)
    p.watched = 0
    status = begin_watching(sys, flow, work)  # others cross later in the step that has been cut
    for i in range(p.crossings):
        if work.control.crossing[i].t == t:  # on the side that it crossed to, whatever rounding says
            k, direction = work.control.crossing[i].switch, work.control.crossing[i].direction
            work.control.level[BEGINNING, k] = LEAST * direction
    p.stop_at = 1e300
    return Status.EVENT.value if status == Status.OK.value else status
