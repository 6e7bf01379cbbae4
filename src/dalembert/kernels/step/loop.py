"""The time loop, one for all methods: next time -> try a step -> accept or repeat it -> events -> samples -> record.

What a method does at each of these is behind the four functions of method.py.
"""

from ...codes import Status
from ..compile.jit import kernel, part
from ..control.controllers import mark_due, next_sample
from .events import begin_watching, stop_between, watch_step
from .flow import SHORTEST, copy, may_shorten, restart
from .frames import record_due
from .method import call_attempt, call_begin, call_keep, call_shorten

AHEAD = 0.1
"""Share of a step by which a time at which it has to end may lie beyond its end."""
INPUTS_WANTED = 2
"""Answer of `mark_due`."""


@part
def next_on_grid(opt, p, sample):
    """End of the next fixed step: a point of its grid, or a sample before it."""
    p.grid = p.t_begin + (p.fixed + 1) * opt.step
    return sample if p.t < sample < p.grid - SHORTEST * opt.step else p.grid


@part
def next_time(opt, p, frames, sample):
    """End of the next step: on the grid of the fixed step, or t + h; not beyond a break or sample, never just before the end.

    Massless directions may jump at a start; while their layer lasts no polynomial over a step describes it, and frames are
    ends of steps.
    """
    breaks, times = frames.breaks, frames.times
    if opt.adaptive == 0:
        t1 = next_on_grid(opt, p, sample)
    else:
        t1 = p.t + p.h
        while p.next_break < breaks.shape[0] and breaks[p.next_break] <= p.t:
            p.next_break += 1
        if p.next_break < breaks.shape[0] and breaks[p.next_break] < t1 + AHEAD * p.h:
            t1 = breaks[p.next_break]
        if sample < t1 + AHEAD * p.h:
            t1 = min(t1, sample)
        if p.history < opt.settling and p.next < times.shape[0]:
            due = times[p.next]
            if p.t + SHORTEST * p.h < due < t1 + AHEAD * p.h:
                t1 = min(t1, due)
    return p.t_end if t1 > p.t_end - SHORTEST * (t1 - p.t) else t1


@part
def accept(flow, frames, t1):
    """Make the new state the present one and count."""
    p = flow.progress[0]
    h = t1 - p.t
    copy(flow.q, flow.q_last)
    copy(flow.qd, flow.qd_last)
    copy(flow.qdd, flow.qdd_last)
    copy(flow.q_new, flow.q)
    copy(flow.qd_new, flow.qd)
    copy(flow.qdd_new, flow.qdd)
    p.h_before = p.h_last
    p.t_last, p.h_last, p.t = p.t, h, t1
    p.bends = 1 if p.next_break < frames.breaks.shape[0] and frames.breaks[p.next_break] == t1 else 0
    p.ends = 0
    p.steps += 1
    if t1 >= p.grid - SHORTEST * h:
        p.fixed += 1
    p.history += 1
    p.h_smallest = min(p.h_smallest, h)
    p.h_largest = max(p.h_largest, h)


@kernel
def take_samples(sys, opt, method, flow, frames, work) -> int:
    """Run the controllers whose sample is due; SAMPLE if some of their inputs have to be found outside first.

    Frames before the sample are recorded with the outputs that held until then.
    """
    p = flow.progress[0]
    slack = SHORTEST * max(p.h, p.h_last)
    if next_sample(sys, work) > p.t + slack:
        return Status.OK.value
    status = Status.OK.value
    if p.steps > 0:
        status = record_due(sys, flow, frames, p.t - SHORTEST * p.h_last, work)
    if status != Status.OK.value:
        return status
    found = mark_due(sys, p.t + slack, work)
    if found == INPUTS_WANTED:
        return Status.SAMPLE.value
    if found > 0:
        restart(flow)
        status = call_begin(sys, opt, method, flow, p.t, work)
    return status


@kernel
def settle_step(sys, opt, method, flow, frames, work) -> int:
    """What the end of a step asks for: an event that stops, samples of controllers, frames."""
    p = flow.progress[0]
    if p.stop_at <= p.t:
        return stop_between(sys, flow, frames, work)
    if sys.control.controller.shape[0] > 0 and p.t < p.t_end:
        status = take_samples(sys, opt, method, flow, frames, work)
        if status != Status.OK.value:
            return status
    return record_due(sys, flow, frames, p.t, work)


@kernel
def integrate(sys, opt, method, flow, frames, work) -> int:
    """Advance until the end, a full buffer, `opt.chunk` steps, an event that stops, or a status for the caller to answer."""
    p, o = flow.progress[0], opt[0]
    status = call_begin(sys, opt, method, flow, p.t, work)
    if sys.control.switch.shape[0] > 0 and status == Status.OK.value:
        status = begin_watching(sys, flow, work)
    for _ in range(o.chunk):
        if status == Status.OK.value:
            status = settle_step(sys, opt, method, flow, frames, work)
        if status != Status.OK.value or p.t >= p.t_end:
            return status
        t1 = next_time(o, p, frames, next_sample(sys, work))
        p.h_wish, p.error = p.h, 0.0
        status = call_attempt(sys, opt, method, flow, t1, work)
        if status != Status.OK.value and (o.adaptive == 0 or not may_shorten(status)):
            return status
        if status != Status.OK.value or not p.error <= o.tolerated:
            p.failure = status
            p.rejected += 1
            status = call_shorten(sys, opt, method, flow, t1, work)
            continue
        accept(flow, frames, t1)
        status = call_keep(sys, opt, method, flow, t1, work)
        if sys.control.switch.shape[0] > 0 and status == Status.OK.value:
            status = watch_step(sys, flow, work)
    if status == Status.OK.value:
        status = settle_step(sys, opt, method, flow, frames, work)
    return Status.CHUNK_DONE.value if status == Status.OK.value and p.t < p.t_end else status
