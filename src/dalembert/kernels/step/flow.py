"""What moves during a run: its state, the last step, the step that is tried, and the numbers that describe them."""

from typing import NamedTuple

import numpy as np

from ...codes import Status
from ..compile.bundle import bundle
from ..compile.jit import kernel, part
from ..evaluate import eval_accelerations

SHORT_STEPS = 100
"""Steps in a row that an explicit integrator could take, after which a model is no longer called stiff."""
SHORTEST = 1e-6
"""Share of a step that may be left until a recorded time at which it shall end."""
CUT = 0.999
"""Share of the step that a method asked for, below which it was cut by a time at which it had to end."""

PROGRESS = np.dtype((np.record, [
    ("t", "f8"),  # time reached [s]
    ("t_begin", "f8"),  # where the grid of a fixed step begins
    ("t_end", "f8"),
    ("h", "f8"),  # step to try next [s]
    ("h_wish", "f8"),  # what it was before a time at which it has to end cut it
    ("h_last", "f8"),  # last accepted step
    ("h_before", "f8"),  # the one before
    ("t_last", "f8"),  # where the last one began
    ("error", "f8"),  # local error of the step tried last, 1 = tolerated; 0 of a fixed step
    ("error_last", "f8"),  # of the last accepted step
    ("failure", "i8"),  # Status of the step tried last
    ("tried_iterations", "i8"),  # iterations that it took
    ("bends", "i8"),  # 1 if a law bends where the last step ended
    ("steps", "i8"),
    ("rejected", "i8"),
    ("evaluations", "i8"),
    ("iterations", "i8"),
    ("factorizations", "i8"),
    ("fixed", "i8"),  # points of the grid of a fixed step passed since t_begin
    ("grid", "f8"),  # the next one [s]
    ("crossings", "i8"),  # rows used in `ControlWork.crossing`
    ("watched", "i8"),  # 1 once the switches' levels belong to (t, q, qd)
    ("stop_at", "f8"),  # time within the last step at which an event stops the advance [s]; infinite without one
    ("next", "i8"),  # next record time
    ("next_break", "i8"),  # next time at which a step must end
    ("rows", "i8"),  # frames in the buffer
    ("ends", "i8"),  # massless directions at the ends of the last step: 1 completed, 2 left open, 0 not looked at yet
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
    ("tolerated", "f8"),  # error from which on a step is repeated, 1 = accuracy
    ("step", "f8"),  # fixed step [s]
    ("h_max", "f8"),
    ("h_min", "f8"),
    ("chunk", "i8"),  # steps per call
    ("detect", "i8"),  # explicit steps held back by stability after which to give up with STIFF; 0: never
    ("h_explicit", "f8"),  # step of the explicit integrator that gave up; 0 if none did
    ("order", "i8"),
    ("stages", "i8"),
    ("symplectic", "i8"),  # 1: semi-implicit Euler
    ("parabola", "i8"),  # 1: accelerations of a step of the alpha family follow a parabola, step/high_order.py
    ("turns", "i8"),  # 1: implicit Runge-Kutta stages, 0: generalized-alpha
    ("am", "f8"),
    ("af", "f8"),
    ("beta", "f8"),
    ("gamma", "f8"),
    ("projection", "i8"),  # after a step with loops, a ProjectionCode
    ("zeta", "f8"),  # factor of the penalties in projections [s²]; 0: that of the step
    ("settled", "i8"),  # 1: positions at the end of a step are brought to rounding of the constraints
    ("rate_gap", "f8"),  # violation of rates that a projection leaves, relative to rows' sizes and to the largest rate
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


@part
def copy(a, out):
    """out = a."""
    for i in range(a.shape[0]):
        out[i] = a[i]


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
def keep_multipliers(sys, work):
    """Keep the multipliers that were found last as those of the present state."""
    for r in range(sys.row.shape[0]):
        work.row[r].lam_last = work.row[r].lam_shown = work.row[r].lam_now


@kernel
def restart(flow):
    """Begin anew at the present state: forces jump here, and past accelerations say nothing about the next step."""
    p = flow.progress[0]
    p.started = p.history = p.calm = p.factored = p.watched = 0


@part
def may_shorten(status):
    """Tell whether a step failed in a state that a shorter one may not reach: the one that it began with was sound."""
    return (status == Status.NO_CONVERGENCE.value or status == Status.NOT_FINITE.value or status == Status.SINGULAR.value
            or status == Status.NO_FRAME.value or status == Status.UNBALANCED.value)


@part
def is_cut(p, h):
    """Tell whether a step is shorter than its method asked for, since it has to end at a given time."""
    return h < CUT * p.h_wish


@part
def status_of_length(opt, p) -> int:
    """NOT_STIFF after many steps no longer than an explicit integrator could take."""
    if opt.h_explicit > 0.0:
        p.smooth = p.smooth + 1 if p.h < 2.0 * opt.h_explicit else 0
        if p.smooth > SHORT_STEPS:
            p.smooth = 0
            return Status.NOT_STIFF.value
    return Status.OK.value
