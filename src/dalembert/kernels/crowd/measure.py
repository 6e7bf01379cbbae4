"""What results show of groups: the smallest gaps of states."""

from ...codes import Status
from ..compile.jit import kernel
from ..step.events import eval_switch_places
from .grid import find_touches

FAR = 1e300
"""Gap of a group of which no shapes are near each other."""


@kernel
def measure_lowest(sys, crowd, state, q, qd, lowest, work) -> int:
    """Fill lowest (nf, n_group) for frames q, qd (nf, ...); FAR where nothing is near, CONTACTS_FULL without room."""
    p, rows = state.progress[0], crowd.options[0].rows
    for f in range(lowest.shape[0]):
        status = eval_switch_places(sys, q[f], qd[f], work)
        p.touches = p.trees = p.wanted = 0
        if status == Status.OK.value:
            status = find_touches(sys, crowd, state, 0.0, work)
        if status != Status.OK.value:
            return status
        if p.wanted > 0:
            return Status.CONTACTS_FULL.value
        for g in range(lowest.shape[1]):
            lowest[f, g] = FAR
        for k in range(p.touches):
            c = state.touch[k]
            lowest[f, c.group - rows] = min(lowest[f, c.group - rows], c.gap)
    return Status.OK.value
