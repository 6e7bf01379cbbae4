"""Steps of the modular formulation: joints give loads, bodies find their accelerations and take their own steps [SEG 5.2].

A method of time integration in the sense of step/method.py.  A step is divided into the substeps of the finest body; after
each of them those bodies that are due end a step of their own:
    1  states of all bodies at that time, predicted from their last ones;
    2  rows, forces, penalties for the step, loads of the joints                          (joints.py);
    3  accelerations of the bodies that are due, and their corrections                    (bodies.py).
With error control the perturbation of the accelerations by the joints, [SEG (23)], bounds the step: the change of
G_rr lambda_r in a step times h², relative to the size of the row, is at most the accuracy.
Seeds: [SEG 5.2, (22)-(24)].  Deviation: not the perturbation itself but its change is bounded, since a joint that carries a
weight has one at any step; h² makes it a way, which has a size.
"""

from math import isfinite

from ...codes import Status
from ..algebra.small import dot3, load3
from ..compile.jit import kernel
from ..constraint.state import eval_gaps
from ..natural.forces import eval_natural_forces
from ..step.flow import copy
from .bodies import correct_body, predict_body, solve_body
from .joints import add_joint_loads, eval_blocks

LONGER, SHORTER = 1.5, 0.5
"""Factors of a step after a small and after a large perturbation [SEG (24)]."""
EASY = 0.1
"""Squared perturbation, 1 = tolerated, below which steps grow."""
FIRST = 1e-3
"""First step relative to the longest one."""


@kernel
def eval_loads(sys, modular, t, h, dt, q, qd, tau, work) -> int:
    """Generalised forces of everything on all bodies at a state, into `modular.force`; h is the finest step."""
    status = eval_gaps(sys, t, q, qd, work)
    if status == Status.OK.value:
        status = eval_natural_forces(sys, t, q, work.joint_q, work.joint_qd, modular.force, tau, work)
    if status != Status.OK.value:
        return status
    eval_blocks(sys, modular, q, work)
    return add_joint_loads(sys, modular, h, dt, modular.force, work)


@kernel
def check_numbers(x, work) -> int:
    """NOT_FINITE and the first such number if x holds one."""
    for k in range(x.shape[0]):
        if not isfinite(x[k]):
            work.fail[0].rate = k
            return Status.NOT_FINITE.value
    return Status.OK.value


@kernel
def begin_modular(sys, opt, method, flow, t1, work) -> int:
    """Accelerations of a state that was given, and a first step."""
    p, o, modular = flow.progress[0], opt[0], method.modular
    if p.h <= 0.0:
        p.h = o.step if o.adaptive == 0 else min(FIRST * o.h_max, o.h_max)
    if p.started == 1:
        return Status.OK.value
    h = (o.step if o.adaptive == 0 else p.h) / modular.options[0].substeps
    status = eval_loads(sys, modular, p.t, h, 0.0, flow.q, flow.qd, flow.tau, work)
    for i in range(1, sys.body.shape[0]):
        if status == Status.OK.value:
            status = solve_body(sys, modular, i, h * modular.component[i].due, flow.qd, modular.force, flow.qdd, work)
    p.evaluations += 1
    p.started = 1
    return status


@kernel
def take_substep(sys, modular, flow, t, dt, h, k, work) -> int:
    """Substep number k of length dt, which ends at time t: all bodies predicted, those that are due corrected.

    Penalties are those of a finest step h, which is dt but where a step was cut short.
    """
    q, qd = modular.q, modular.qd
    for i in range(1, sys.body.shape[0]):
        predict_body(sys, modular, i, t, flow.q_new, flow.qd_new, flow.qdd_new, q, qd)
    status = eval_loads(sys, modular, t, h, dt, q, qd, flow.tau, work)
    for i in range(1, sys.body.shape[0]):
        c = modular.component[i]
        if status != Status.OK.value or (k + 1) % c.due != 0:
            continue
        own, first = t - c.t, sys.body[i].column
        status = solve_body(sys, modular, i, h * c.due, qd, modular.force, flow.qd_stage, work)
        correct_body(sys, modular, i, own, flow.qdd_new, flow.qd_stage, q, qd)
        for j in range(first, first + sys.body[i].columns):
            flow.q_new[j], flow.qd_new[j], flow.qdd_new[j] = q[j], qd[j], flow.qd_stage[j]
        c.t = t
    return status


@kernel
def remember_loads(modular, kept):
    """Keep the loads of the joints at the beginning of a step, or take them back (kept = 1)."""
    for r in range(modular.row.shape[0]):
        own = modular.row[r]
        if kept == 1:
            own.load, own.slip, own.kept = own.before[0], own.before[1], own.before[2]
        else:
            own.before[0], own.before[1], own.before[2] = own.load, own.slip, own.kept
    for j in range(modular.joint.shape[0]):
        joint = modular.joint[j]
        if kept == 1:
            joint.k, joint.h = joint.before[0], joint.before[1]
        else:
            joint.before[0], joint.before[1] = joint.k, joint.h


@kernel
def perturbation(sys, modular, h):
    """Largest squared way that the change of a joint's load makes in a step, relative to the size of its row."""
    worst = 0.0
    for e in range(modular.end.shape[0]):
        own = modular.end[e]
        row, f = modular.row[own.row], load3(own.f)
        give = dot3(f, f) / modular.component[own.body].mass + dot3(load3(own.n), load3(own.turn))
        way = h * h * give * (row.load - row.before[0]) / sys.row[own.row].size                    # [SEG (23)]
        worst = max(worst, way * way)
    return worst


@kernel
def attempt_modular(sys, opt, method, flow, t1, work) -> int:
    """One step to t1."""
    p, o, modular = flow.progress[0], opt[0], method.modular
    n = modular.options[0].substeps
    dt = (t1 - p.t) / n
    h = (o.step if o.adaptive == 0 else max(t1 - p.t, p.h_wish)) / n
    copy(flow.q, flow.q_new)
    copy(flow.qd, flow.qd_new)
    copy(flow.qdd, flow.qdd_new)
    remember_loads(modular, 0)
    for i in range(modular.component.shape[0]):
        modular.component[i].t = p.t
    status = Status.OK.value
    for k in range(n):
        if status == Status.OK.value:
            status = take_substep(sys, modular, flow, t1 if k + 1 == n else p.t + (k + 1) * dt, dt, h, k, work)
    p.evaluations += n
    if status == Status.OK.value:
        status = check_numbers(flow.q_new, work)
    p.error = perturbation(sys, modular, h) / (o.accuracy * o.accuracy) if o.adaptive == 1 else 0.0
    return status


@kernel
def shorten_modular(sys, opt, method, flow, t1, work) -> int:
    """Half the step [SEG (24-b)]."""
    p, o = flow.progress[0], opt[0]
    remember_loads(method.modular, 1)
    p.h = SHORTER * (t1 - p.t)
    if p.h < o.h_min:
        return p.failure if p.failure != Status.OK.value else Status.STEP_TOO_SMALL.value
    return Status.OK.value


@kernel
def keep_modular(sys, opt, method, flow, t1, work) -> int:
    """A longer step after a small perturbation [SEG (24-a)]."""
    p, o = flow.progress[0], opt[0]
    if o.adaptive == 1:
        wish = max(p.h, p.h_wish) if p.h_last < p.h_wish else p.h_last
        p.h = min(o.h_max, LONGER * wish if p.error <= EASY else wish)
    return Status.OK.value
