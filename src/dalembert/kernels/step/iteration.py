"""What the iterations of implicit steps have in common, that of trees (newton.py) and that with loops (augmented.py).

An iteration begins at a guess, corrects the accelerations by a matrix that is made anew when it contracts badly, and ends when
what it would still change is tolerated.  The simple matrix serves as long as the iteration contracts well, else the exact one.
The exact iteration begins at the guess again: corrections by a matrix that lacks the stiff forces on a light body throw the
state far off.
"""

from math import isfinite

from ...codes import FormCode, Status
from ..compile.jit import kernel, part

MAX_ITERATIONS = 25
GOOD_RATE = 0.15
"""Contraction of the iteration above which old factors are made anew."""
SWITCH_RATE = 0.5
"""Contraction of the simple iteration with fresh factors above which the exact tangent takes over."""
DIVERGENCE = 2.0
"""Contraction of the exact iteration above which a step is given up, once corrections are larger than the first one."""
LEAST_RATE = 0.01
"""Contraction that is believed at best: a guess far off along a motion that converges at once makes slow ones look fast."""
DOUBT, MOST_TRUSTED = 2.0, 5
"""Factor by which a contraction may have grown since it was seen, and steps after which it has to be seen again."""
DENSE_STEPS = 50
"""Steps that the exact tangent stays in use before the simple iteration is tried again."""


@part
def correction_size(o, flow, x, cq, cv):
    """Largest change of a coordinate or rate that a change x of the accelerations makes, 1 = tolerated error."""
    worst = 0.0
    for k in range(x.shape[0]):
        size = abs(x[k])
        worst = max(worst, size * cv / (flow.qd_scale[k] + abs(flow.qd_new[k])))
        worst = max(worst, size * cq / flow.dq_scale[k])
    return worst / o.accuracy


@part
def keep_guess(flow, tangent, cv):
    """Keep the accelerations and increments that the iteration begins with; decide whether the factors may serve it."""
    p = flow.progress[0]
    for k in range(flow.qdd_new.shape[0]):
        tangent.guess[0, k], tangent.guess[1, k] = flow.qdd_new[k], tangent.dq[k]
    if abs(cv - p.factor_scale) > 0.2 * cv or (p.renewals > 0 and p.dense == 0):
        p.factored = 0
    p.renewals = max(0, p.renewals - 1)


@part
def return_to_guess(flow, tangent):
    """Begin the iteration anew."""
    for k in range(flow.qdd_new.shape[0]):
        flow.qdd_new[k], tangent.dq[k] = tangent.guess[0, k], tangent.guess[1, k]


@kernel
def correct(sys, flow, x, work) -> int:
    """Take the correction x off the accelerations, of undriven rates in joint coordinates."""
    for k in range(x.shape[0]):
        if not isfinite(x[k]):
            work.fail[0].rate = k
            return Status.NOT_FINITE.value
        if sys.constants[0].form == FormCode.GLOBAL or sys.dof[k].drive < 0:
            flow.qdd_new[k] -= x[k]
    return Status.OK.value


@part
def is_known_to_end(p, size, tolerance):
    """True if the contraction in the last steps shows that a first correction leaves less than is tolerated."""
    rate = DOUBT * p.contraction
    return p.trusted < MOST_TRUSTED and rate < 1.0 and size * rate / (1.0 - rate) <= tolerance


@part
def is_small(since, rate, size, tolerance):
    """True if a correction, or what the next ones will add to it, is tolerated."""
    sure = max(rate, LEAST_RATE)
    return size <= tolerance or (since > 0 and rate < 1.0 and size * sure / (1.0 - sure) <= tolerance)


@part
def remember_rate(p, since, known, rate):
    """Keep the contraction of an iteration that ended, if it was seen, for the next steps."""
    if since > 0:
        p.contraction, p.trusted = max(rate, LEAST_RATE), 0
    elif known:
        p.trusted += 1


@part
def keep_accelerations(flow):
    """Keep the accelerations that solved the step."""
    for k in range(flow.qdd_new.shape[0]):
        flow.aa[3, k] = flow.qdd_new[k]
