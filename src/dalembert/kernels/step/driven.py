"""Steps of mechanisms whose drives prescribe all that they can do: nothing is integrated but speeds of drives.

From a state with q, qd, qdd the position h later is guessed as
    q o (h qd + h²/2 qdd),                                                                         (1)
driven coordinates as their laws want them, and brought onto the constraints; rates and accelerations follow from these
alone.  The error of a step says whether it was short enough to stay on the branch that the mechanism is on: it is the larger
one of the guessed move over LARGEST_STEP and of the correction over LARGEST_CORRECTION.
"""

from ...codes import DriveCode, FormCode, Status
from ..compile.jit import kernel
from ..evaluate import eval_accelerations, find_projected
from ..force.laws import eval_law
from ..tree.state import eval_drives, move, normalise, unknown_drive
from .flow import begin, copy, is_cut, keep_multipliers

LARGEST_STEP = 0.3
"""Largest guessed move of a coordinate relative to its size."""
LARGEST_CORRECTION = 0.05
"""Largest correction of a guess; beyond it another branch of the mechanism might be caught."""
MOST_PANELS, INTEGRATED = 256, 1e-13
"""Of the integral of a speed over a step, and the change from half as many panels at which they are enough, relative."""
NODES = (-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640)
WEIGHTS = (0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891)
"""Of Gauss' rule with five nodes on (-1, 1)."""


@kernel
def integrate_panels(sys, law, t0, t1, panels):
    """Integral of a law of time over [t0, t1] in equal panels, and its largest value there times the length."""
    half, total, largest = 0.5 * (t1 - t0) / panels, 0.0, 0.0
    for i in range(panels):
        middle = t0 + (2 * i + 1) * half
        for k in range(5):
            y = eval_law(sys, law, middle + NODES[k] * half, 0.0, 0.0, 0)
            total += WEIGHTS[k] * half * y
            largest = max(largest, abs(y))
    return total, largest * (t1 - t0)


@kernel
def integrate_law(sys, law, t0, t1):
    """Integral of a law of time over [t0, t1], with twice as many panels until they make no difference."""
    panels, last = 1, 1e300
    total, size = integrate_panels(sys, law, t0, t1, panels)
    while abs(total - last) > INTEGRATED * size and panels < MOST_PANELS:
        panels *= 2
        last = total
        total, size = integrate_panels(sys, law, t0, t1, panels)
    return total


@kernel
def guess_state(sys, flow, t1) -> int:
    """Guess (1) of the state at t1 into q_stage, with the present rates in qd_new; the error is that of the guessed move."""
    p, dq = flow.progress[0], flow.kv[0]
    h = t1 - p.t
    for k in range(dq.shape[0]):
        dq[k] = h * flow.qd[k] + 0.5 * h * h * flow.qdd[k]
        p.error = max(p.error, abs(dq[k]) / (LARGEST_STEP * sys.dof[k].q_scale))
    for i in range(sys.drive.shape[0]):
        if sys.drive[i].code == DriveCode.SPEED:
            dq[sys.drive[i].v] = integrate_law(sys, sys.drive[i].law, p.t, t1)
    move(sys, flow.q, dq, flow.q_stage)
    normalise(sys, flow.q_stage)
    copy(flow.qd, flow.qd_new)
    return eval_drives(sys, t1, flow.q_stage, flow.qd_new, flow.qdd_new)


@kernel
def correction(sys, flow):
    """Largest difference between q_stage and q_new, relative to the sizes of the coordinates."""
    worst = 0.0
    for i in range(sys.pair.shape[0]):
        k = sys.pair[i].q
        worst = max(worst, abs(flow.q_new[k] - flow.q_stage[k]) / sys.dof[sys.pair[i].v].q_scale)
    for i in range(sys.quaternion.shape[0]):
        for k in range(sys.quaternion[i].q, sys.quaternion[i].q + 4):
            worst = max(worst, abs(flow.q_new[k] - flow.q_stage[k]))
    return worst


@kernel
def begin_driven(sys, opt, method, flow, t1, work) -> int:
    """Accelerations of the first state; the first step is as long as one may be."""
    p = flow.progress[0]
    if p.h <= 0.0:
        p.h = opt[0].h_max
    if p.started == 1:
        return Status.OK.value
    status = begin(sys, flow, work)
    keep_multipliers(sys, work)
    return status


@kernel
def attempt_driven(sys, opt, method, flow, t1, work) -> int:
    """Guess and correct."""
    p = flow.progress[0]
    if guess_state(sys, flow, t1) != Status.OK.value:
        return unknown_drive(sys, work)
    if not p.error <= 1.0:
        return Status.OK.value
    copy(flow.q_stage, flow.q_new)
    p.evaluations += 1
    if sys.constants[0].form == FormCode.TREE:
        return eval_accelerations(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, work)
    status = find_projected(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, work)
    p.error = max(p.error, correction(sys, flow) / LARGEST_CORRECTION)
    return status


@kernel
def shorten_driven(sys, opt, method, flow, t1, work) -> int:
    """Half the step; STEP_TOO_SMALL where none leads on."""
    p = flow.progress[0]
    p.h = 0.5 * (t1 - p.t)
    return Status.STEP_TOO_SMALL.value if p.h < opt[0].h_min else Status.OK.value


@kernel
def keep_driven(sys, opt, method, flow, t1, work) -> int:
    """The next step may be twice as long."""
    p = flow.progress[0]
    keep_multipliers(sys, work)
    p.h = min(max(2.0 * p.h_last, p.h_wish if is_cut(p, p.h_last) else 0.0), opt[0].h_max)
    return Status.OK.value
