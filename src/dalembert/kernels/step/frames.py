"""Recorded frames: states at given times, as they were solved at the end of a step or read off the dense output within one."""

from typing import NamedTuple

import numpy as np

from ...codes import FormCode, Status
from ..compile.bundle import bundle
from ..compile.jit import kernel, part, shared
from ..evaluate import eval_accelerations
from .dense_output import state_between
from .flow import copy
from .massless_frames import complete_state


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
    loads: np.ndarray  # (rows, n) outputs of controllers, loads from outside on bodies and on rates


@part
def record_due(sys, flow, frames, limit, work) -> int:
    """Write all frames due up to a time, at most that reached; RECORD_FULL if the buffer has no room for the next one."""
    p = flow.progress[0]
    if p.next < frames.times.shape[0] and frames.times[p.next] <= limit:
        return record_frames(sys, flow, frames, limit, work)
    return Status.OK.value


@kernel
def record_loads(frames, row, control):
    """Outputs of controllers and loads from outside as they are now, one behind the other as in kernels/measure.py."""
    loads, k = frames.loads[row], 0
    for i in range(control.held.shape[0]):
        loads[k] = control.held[i]
        k += 1
    for i in range(control.outer.shape[0]):
        for c in range(control.outer.shape[1]):
            loads[k] = control.outer[i, c]
            k += 1
    for i in range(control.effort.shape[0]):
        loads[k] = control.effort[i]
        k += 1
    for i in range(control.contact.shape[0]):
        for c in range(4):
            loads[k] = control.contact[i, c]
            k += 1


@kernel
def settle_frame(sys, flow, t, row, frames, work):
    """Complete massless directions of a frame, and its multipliers, or mark it as open."""
    copy(frames.qd[row], flow.qd_stage)
    status = complete_state(sys, t, frames.q[row], flow.qd_stage, frames.qdd[row], flow.settling, flow.tau, work)
    frames.open[row] = 0 if status == Status.OK.value else 1
    if status == Status.OK.value:
        copy(flow.qd_stage, frames.qd[row])
        for r in range(work.row.shape[0]):
            frames.multiplier[row, r] = work.row[r].lam


@kernel
def refresh_outputs(sys, flow, t, row, frames, work):
    """Outputs of continuous controllers at a frame; what was evaluated last may be another state."""
    for c in range(sys.control.controller.shape[0]):
        if sys.control.controller[c].every == 0.0:
            eval_accelerations(sys, t, frames.q[row], frames.qd[row], flow.kv[1], flow.tau, work)
            if sys.constants[0].form != FormCode.TREE:
                flow.progress[0].factored = 0
            return


@shared
def record_frames(sys, flow, frames, limit, work) -> int:
    """Write the frames that are due, see `record_due`."""
    p, massless = flow.progress[0], flow.massless.shape[0] > 0
    while p.next < frames.times.shape[0] and frames.times[p.next] <= limit:
        if p.rows == frames.t.shape[0]:
            return Status.RECORD_FULL.value
        t, row = frames.times[p.next], p.rows
        frames.t[row] = t
        if t == p.t or p.steps == 0:
            copy(flow.q, frames.q[row])
            copy(flow.qd, frames.qd[row])
            copy(flow.qdd, frames.qdd[row])
            for r in range(work.row.shape[0]):
                frames.multiplier[row, r] = work.row[r].lam_shown
        else:
            status = state_between(sys, flow, t, frames.qdd[row], work)
            if status != Status.OK.value:
                return status
            copy(flow.q_stage, frames.q[row])
            copy(flow.qd_stage, frames.qd[row])
            for r in range(work.row.shape[0]):
                frames.multiplier[row, r] = work.row[r].lam_now
        if massless:
            settle_frame(sys, flow, t, row, frames, work)
        if sys.constants[0].form != FormCode.TREE and (massless or t != p.t):
            p.factored = 0
        refresh_outputs(sys, flow, t, row, frames, work)
        copy(work.joint_q, frames.joint[row])
        record_loads(frames, row, work.control)
        p.rows += 1
        p.next += 1
    return Status.OK.value
