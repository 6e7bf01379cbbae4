"""What moves during a run: state, last step, recorded frames; and the dense output between steps.

Between two steps a frame is read off the quintic that meets coordinates, velocities and accelerations at both ends;
its error h⁶/46080 max|q⁽⁶⁾| lies below the local error of every integrator here, and no integrator needs its own
interpolation.  Where directions are massless rates and accelerations of both ends are completed first, and those of the frame
afterwards, massless_frames.py; if that fails the quintic is made a cubic, by
    y0'' = (6 (y1 - y0) - h (4 y0' + 2 y1')) / h²,   y1'' = (6 (y0 - y1) + h (2 y0' + 4 y1')) / h²
With s = (t - t0)/h and the ends' values y, y', y'':
    y(s) = y0 + h s y0' + h²s²/2 y0'' + s³ (A + (s - 1) (B + (s - 1) C))                       (1)
    A = y1 - y0 - h y0' - h²/2 y0'',   B = h y1' - h y0' - h² y0'' - 3 A,
    C = (h² y1'' - h² y0'' - 6 A - 6 B) / 2
"""

from typing import NamedTuple

import numpy as np

from ...codes import FormCode, Status
from ..compile.bundle import bundle
from ..compile.jit import kernel, part, shared
from ..evaluate import eval_accelerations, find_projected
from ..tree.state import (
    eval_coordinate_accelerations,
    eval_coordinate_rates,
    normalise,
    rates_of_coordinates,
)
from .massless_frames import complete_state

SHORT_STEPS = 100
"""Steps in a row that an explicit integrator could take, after which a model is no longer called stiff."""
SHORTEST = 1e-6
"""Share of a step that may be left until a recorded time at which it shall end."""

PROGRESS = np.dtype((np.record, [
    ("t", "f8"),  # time reached [s]
    ("t_begin", "f8"),
    ("t_end", "f8"),
    ("h", "f8"),  # step to try next [s]
    ("h_last", "f8"),  # last accepted step
    ("t_last", "f8"),  # where it began
    ("error_last", "f8"),  # its error, 1 = tolerated
    ("steps", "i8"),
    ("rejected", "i8"),
    ("evaluations", "i8"),
    ("iterations", "i8"),
    ("factorizations", "i8"),
    ("fixed", "i8"),  # steps taken with the fixed step since t_begin
    ("next", "i8"),  # next record time
    ("next_break", "i8"),  # next time at which a step must end
    ("rows", "i8"),  # frames in the buffer
    ("stiff", "i8"),  # suspicion counters
    ("smooth", "i8"),
    ("held", "i8"),  # steps that could not be projected, against those that could
    ("started", "i8"),  # 1 once qdd belongs to (t, q, qd)
    ("history", "i8"),  # steps since the start that back values may be taken from
    ("dense", "i8"),  # implicit steps left with the exact tangent
    ("exact", "i8"),  # 1 if the stored factors are those of the exact tangent
    ("factored", "i8"),  # 1 while the stored factors may serve
    ("factor_scale", "f8"),  # step the stored factors were made for
    ("contraction", "f8"),  # of the last iteration in which it was seen
    ("trusted", "i8"),  # steps since then
    ("renewals", "i8"),  # steps that begin with new factors
    ("calm", "i8"),  # steps with simultaneous stages since a start, a rejection or a bend
    ("h_trusted", "f8"),  # step up to which simultaneous stages are believed to converge; 0: no bound known
    ("h_smallest", "f8"),
    ("h_largest", "f8"),
]))

OPTIONS = np.dtype((np.record, [
    ("adaptive", "i8"),
    ("accuracy", "f8"),  # tolerated local error, relative
    ("step", "f8"),  # fixed step [s]
    ("h_max", "f8"),
    ("h_min", "f8"),
    ("chunk", "i8"),  # steps per call
    ("detect", "i8"),  # explicit steps held back by stability after which to give up with STIFF; 0: never
    ("h_explicit", "f8"),  # step of the explicit integrator that gave up; 0 if none did
    ("order", "i8"),
    ("stages", "i8"),
    ("symplectic", "i8"),  # 1: semi-implicit Euler
    ("turns", "i8"),  # 1: implicit Runge-Kutta stages, 0: generalized-alpha
    ("am", "f8"),
    ("af", "f8"),
    ("beta", "f8"),
    ("gamma", "f8"),
    ("projection", "i8"),  # after a step with loops, a ProjectionCode
    ("zeta", "f8"),  # factor of the penalties in projections [s²]; 0: that of the step
    ("newton", "f8"),  # tolerated error of the iteration, as a fraction of `accuracy`
    ("settling", "i8"),  # steps since a start or bend up to which recorded times end a step: layers of massless directions
]))


@bundle
class Settling(NamedTuple):
    """Memory of the completion of massless directions, m of them."""

    rates: np.ndarray  # (m,) i8
    motions: np.ndarray  # (m, n_v)
    matrix: np.ndarray  # (m, m) factors of the damping along the motions
    pivot: np.ndarray  # (m,) i8
    along: np.ndarray  # (m,)
    ends: np.ndarray  # (4, n_v) rates and accelerations at the beginning and at the end of the last step


@bundle
class Flow(NamedTuple):
    """State of a run and its step scratch; *_last: at the beginning of the last accepted step."""

    progress: np.ndarray  # (1,) PROGRESS
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    q_last: np.ndarray
    qd_last: np.ndarray
    qdd_last: np.ndarray
    q_new: np.ndarray
    qd_new: np.ndarray
    qdd_new: np.ndarray
    q_stage: np.ndarray
    qd_stage: np.ndarray
    kq: np.ndarray  # (8, n_q) stage rates
    kv: np.ndarray  # (8, n_v)
    aa: np.ndarray  # (4, n_v) algorithmic accelerations, old and new; accelerations of the step, old and new
    tau: np.ndarray
    q_scale: np.ndarray  # (n_q,) sizes that an accuracy refers to
    qd_scale: np.ndarray  # (n_v,)
    dq_scale: np.ndarray  # (n_v,) sizes of increments of the coordinates
    slack: np.ndarray  # (n_v,) 1 for rates that can change without inertia
    turning: np.ndarray  # (n_v,) i8, 1 for rates of quaternions
    massless: np.ndarray  # (m,) i8, rates without inertia at the start
    motions: np.ndarray  # (m, n_v) how the other rates go along
    settling: Settling


@bundle
class Frames(NamedTuple):
    """Times to record, times at which a free step must end, and the buffer of recorded frames."""

    times: np.ndarray
    breaks: np.ndarray
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    joint: np.ndarray  # joint coordinates next to which those of natural ones lie
    multiplier: np.ndarray  # (rows, m) of the constraints; nan where the step has none that serve
    open: np.ndarray  # (rows,) i8, 1 if massless directions of a frame are still to be completed


@part
def copy(a, out):
    """out = a."""
    for i in range(a.shape[0]):
        out[i] = a[i]


@kernel
def interpolate(sys, flow, t, qd0, qdd0, qd1, qdd1, cubic):
    """Coordinates and rates at t within the last step, into q_stage and qd_stage, by (1).

    With rates and accelerations qd0, qdd0 at its beginning and qd1, qdd1 at its end.
    """
    p = flow.progress[0]
    h = p.h_last
    s = (t - p.t_last) / h
    kq = flow.kq
    eval_coordinate_rates(sys, flow.q_last, qd0, kq[2])
    eval_coordinate_accelerations(sys, flow.q_last, qd0, qdd0, kq[3])
    eval_coordinate_rates(sys, flow.q, qd1, kq[4])
    eval_coordinate_accelerations(sys, flow.q, qd1, qdd1, kq[5])
    for i in range(flow.q.shape[0]):
        y0, y1, y0d, y1d = flow.q_last[i], flow.q[i], h * kq[2, i], h * kq[4, i]
        y0dd, y1dd = h * h * kq[3, i], h * h * kq[5, i]
        if cubic:
            y0dd, y1dd = 6.0 * (y1 - y0) - 4.0 * y0d - 2.0 * y1d, 6.0 * (y0 - y1) + 2.0 * y0d + 4.0 * y1d
        A = y1 - y0 - y0d - 0.5 * y0dd
        B = y1d - y0d - y0dd - 3.0 * A
        C = 0.5 * (y1dd - y0dd - 6.0 * A - 6.0 * B)
        r = s - 1.0
        tail = A + r * (B + r * C)
        slope = B + 2.0 * r * C
        flow.q_stage[i] = y0 + s * (y0d + 0.5 * s * y0dd) + s * s * s * tail                     # (1)
        kq[6, i] = (y0d + s * y0dd + 3.0 * s * s * tail + s * s * s * slope) / h
    rates_of_coordinates(sys, flow.q_stage, kq[6], flow.qd_stage)
    normalise(sys, flow.q_stage)


@part
def record_due(sys, flow, frames, work) -> int:
    """Write all frames due up to the time reached; RECORD_FULL if the buffer has no room for the next one."""
    p = flow.progress[0]
    if p.next < frames.times.shape[0] and frames.times[p.next] <= p.t:
        return record_frames(sys, flow, frames, work)
    return Status.OK.value


@kernel
def show_projected(sys, t, q, qd, qdd, tau, work) -> int:
    """`find_projected` of a frame between steps; near a singular position with the frame's own factors, or not projected."""
    status = find_projected(sys, t, q, qd, qdd, tau, work)
    if status == Status.NO_CONVERGENCE.value:
        eval_accelerations(sys, t, q, qd, qdd, tau, work)
        status = find_projected(sys, t, q, qd, qdd, tau, work)
    if status == Status.NO_CONVERGENCE.value:
        status = eval_accelerations(sys, t, q, qd, qdd, tau, work)
    return status


@kernel
def settle_ends(sys, flow, work):
    """Complete massless directions at both ends of the last step; False if that fails."""
    p, ends = flow.progress[0], flow.settling.ends
    copy(flow.qd_last, ends[0])
    copy(flow.qdd_last, ends[1])
    copy(flow.qd, ends[2])
    copy(flow.qdd, ends[3])
    status = complete_state(sys, p.t_last, flow.q_last, ends[0], ends[1], flow.settling, flow.tau, work)
    if status == Status.OK.value:
        status = complete_state(sys, p.t, flow.q, ends[2], ends[3], flow.settling, flow.tau, work)
    return status == Status.OK.value


@kernel
def settle_frame(sys, flow, t, row, frames, work):
    """Complete massless directions of a frame, and its multipliers, or mark it as open."""
    copy(frames.qd[row], flow.qd_stage)
    status = complete_state(sys, t, frames.q[row], flow.qd_stage, frames.qdd[row], flow.settling, flow.tau, work)
    frames.open[row] = 0 if status == Status.OK.value else 1
    if status == Status.OK.value:
        copy(flow.qd_stage, frames.qd[row])
        for r in range(work.row.shape[0]):
            frames.multiplier[row, r] = work.row[r].multiplier


@shared
def record_frames(sys, flow, frames, work) -> int:
    """Write the frames that are due, see `record_due`."""
    p, ends = flow.progress[0], flow.settling.ends
    massless, settled, looked = flow.massless.shape[0] > 0, False, False
    while p.next < frames.times.shape[0] and frames.times[p.next] <= p.t:
        if p.rows == frames.t.shape[0]:
            return Status.RECORD_FULL.value
        t, row, status = frames.times[p.next], p.rows, Status.OK.value
        frames.t[row] = t
        if t == p.t or p.steps == 0:
            copy(flow.q, frames.q[row])
            copy(flow.qd, frames.qd[row])
            copy(flow.qdd, frames.qdd[row])
            for r in range(work.row.shape[0]):
                frames.multiplier[row, r] = work.row[r].total
        else:
            if massless and not looked:
                settled, looked = settle_ends(sys, flow, work), True
            if settled:
                interpolate(sys, flow, t, ends[0], ends[1], ends[2], ends[3], False)
            else:
                interpolate(sys, flow, t, flow.qd_last, flow.qdd_last, flow.qd, flow.qdd, massless)
            if massless and sys.constants[0].form == FormCode.SEMI_RECURSIVE:
                eval_accelerations(sys, t, flow.q_stage, flow.qd_stage, frames.qdd[row], flow.tau, work)
            if sys.constants[0].form != FormCode.TREE and not (massless and sys.constants[0].form == FormCode.GLOBAL):
                status = show_projected(sys, t, flow.q_stage, flow.qd_stage, frames.qdd[row], flow.tau, work)
            elif not settled and sys.constants[0].form == FormCode.TREE:
                status = eval_accelerations(sys, t, flow.q_stage, flow.qd_stage, frames.qdd[row], flow.tau, work)
            if status != Status.OK.value:
                return status
            copy(flow.q_stage, frames.q[row])
            copy(flow.qd_stage, frames.qd[row])
            for r in range(work.row.shape[0]):
                frames.multiplier[row, r] = work.row[r].push
        if massless:
            settle_frame(sys, flow, t, row, frames, work)
        if sys.constants[0].form != FormCode.TREE and (massless or t != p.t):
            p.factored = 0
        copy(work.joint_q, frames.joint[row])
        p.rows += 1
        p.next += 1
    return Status.OK.value


@kernel
def begin(sys, flow, work) -> int:
    """Accelerations of the first state, once."""
    p = flow.progress[0]
    if p.started == 1:
        return Status.OK.value
    status = eval_accelerations(sys, p.t, flow.q, flow.qd, flow.qdd, flow.tau, work)
    p.evaluations += 1
    p.started = 1
    return status


@part
def may_shorten(status):
    """Tell whether a step failed in a state that a shorter one may not reach: the one that it began with was sound."""
    return (status == Status.NO_CONVERGENCE.value or status == Status.NOT_FINITE.value or status == Status.SINGULAR.value
            or status == Status.NO_FRAME.value or status == Status.UNBALANCED.value)


@part
def next_time(opt, p, frames):
    """End of the next step: on the grid of the fixed step, or t + h but not beyond a break; never just before the end.

    Massless directions may jump at a start; while their layer lasts no polynomial over a step describes it, and frames are
    ends of steps.
    """
    breaks, times = frames.breaks, frames.times
    if opt.adaptive == 0:
        t1 = p.t_begin + (p.fixed + 1) * opt.step
    else:
        t1 = p.t + p.h
        while p.next_break < breaks.shape[0] and breaks[p.next_break] <= p.t:
            p.next_break += 1
        if p.next_break < breaks.shape[0] and breaks[p.next_break] < t1 + 0.1 * p.h:
            t1 = breaks[p.next_break]
        if p.history < opt.settling and p.next < times.shape[0]:
            due = times[p.next]
            if p.t + SHORTEST * p.h < due < t1 + 0.1 * p.h:
                t1 = min(t1, due)
    return p.t_end if t1 > p.t_end - 1e-6 * (t1 - p.t) else t1


@part
def status_of_length(opt, p) -> int:
    """NOT_STIFF after many steps no longer than an explicit integrator could take."""
    if opt.h_explicit > 0.0:
        p.smooth = p.smooth + 1 if p.h < 2.0 * opt.h_explicit else 0
        if p.smooth > SHORT_STEPS:
            p.smooth = 0
            return Status.NOT_STIFF.value
    return Status.OK.value


@part
def accept(flow, t1):
    """Make the new state the present one and count."""
    p = flow.progress[0]
    h = t1 - p.t
    copy(flow.q, flow.q_last)
    copy(flow.qd, flow.qd_last)
    copy(flow.qdd, flow.qdd_last)
    copy(flow.q_new, flow.q)
    copy(flow.qd_new, flow.qd)
    copy(flow.qdd_new, flow.qdd)
    p.t_last, p.h_last, p.t = p.t, h, t1
    p.steps += 1
    p.fixed += 1
    p.history += 1
    p.h_smallest = min(p.h_smallest, h)
    p.h_largest = max(p.h_largest, h)
