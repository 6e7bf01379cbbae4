"""Multipliers of frames whose step has none that serve, found from their states: all that measuring needs is then at hand.

Steps whose projections have another matrix than the mass matrix leave multipliers that are no reactions near singular
positions (constraint/projection.py) and record NaN; frames that nobody measures cost nothing.
"""

from math import isnan

from ..codes import Status
from .compile.jit import kernel
from .evaluate import eval_accelerations
from .measure import restore_loads
from .measure_superelements import solve_natural_frame


@kernel
def is_missing(multiplier):
    """Tell whether one of a frame's multipliers is NaN."""
    for r in range(multiplier.shape[0]):
        if isnan(multiplier[r]):
            return True
    return False


@kernel
def find_multipliers(sys, t, q, qd, multiplier, loads, work) -> int:
    """Fill the missing multipliers (nf, m) of frames t (nf,), q, qd; `loads` as in measure.py."""
    own = work.scratch.frame
    for f in range(t.shape[0]):
        if is_missing(multiplier[f]):
            restore_loads(loads[f], work)
            status = eval_accelerations(sys, t[f], q[f], qd[f], own.qdd, own.tau, work)
            if status != Status.OK.value:
                return status
            for r in range(multiplier.shape[1]):
                multiplier[f, r] = work.row[r].lam_now
    return Status.OK.value


@kernel
def find_natural_multipliers(sys, tree, t, q, qd, multiplier, loads, work, tree_work) -> int:
    """Likewise of a model with superelements, in coordinates of its tree with the modes behind."""
    for f in range(t.shape[0]):
        if is_missing(multiplier[f]):
            restore_loads(loads[f], work)
            restore_loads(loads[f], tree_work)
            status = solve_natural_frame(sys, tree, t[f], q[f], qd[f], work.scratch.frame.needed, work, tree_work)
            if status != Status.OK.value:
                return status
            for r in range(multiplier.shape[1]):
                multiplier[f, r] = work.row[r].lam_now
    return Status.OK.value
