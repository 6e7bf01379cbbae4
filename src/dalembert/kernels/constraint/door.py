"""The door to constrained mechanisms: every task of theirs behind one entry, which other kernels call by its address.

Behind it the terms of their equations stand behind another one, so that each piece is compiled once.
"""

import numpy as np

from ...codes import FormCode, Status, TaskCode
from ..compile.calls import address_of
from ..compile.jit import kernel
from ..tables import System, Work, make_work
from .constrained import check_found, eval_gaps, eval_mass, eval_row_matrix, find_constrained
from .massless_rows import find_motion
from .step import eval_step_residual, factor_step, project_step
from .terms import evaluate_terms


@kernel
def door(sys, task, mode, t, q, qd, qdd, tau, x, cq, cv, matrix, pivot, work) -> int:
    """Do a task and return its status.

    ACCELERATIONS, PROJECTED and STAGE fill qdd, the second after projecting q and qd in place, the third without a look
    at the balance; RESIDUAL fills x; FACTOR takes the
    joint springs' part in x; ROWS fills the rows and their Jacobian, MASS work.mass after it; PROJECTION changes qd and qdd,
    `mode` is its kind, plus EXACT for dense factors matrix, pivot; MOTION fills x for the rate `mode`, after ACCELERATIONS.
    """
    if task == TaskCode.STAGE:
        return find_constrained(sys, False, t, q, qd, qdd, tau, work)
    if task == TaskCode.ACCELERATIONS or task == TaskCode.PROJECTED:
        status = find_constrained(sys, task == TaskCode.PROJECTED, t, q, qd, qdd, tau, work)
        return check_found(sys, work) if status == Status.OK.value else status
    if task == TaskCode.RESIDUAL:
        return eval_step_residual(sys, mode, t, q, qd, qdd, tau, x, work)
    if task == TaskCode.FACTOR:
        return factor_step(sys, t, q, qd, qdd, x, cq, cv, work)
    if task == TaskCode.ROWS:
        status = eval_gaps(sys, t, q, qd, work)
        eval_row_matrix(sys, q, work)
        return status
    if task == TaskCode.MASS:
        return eval_mass(sys, q, work)
    if task == TaskCode.PROJECTION:
        return project_step(sys, mode, t, q, qd, qdd, cq, cv, matrix, pivot, work)
    if task == TaskCode.MOTION:
        return find_motion(sys, mode, x, work)
    work.fail[0] = task
    return Status.UNKNOWN_TASK.value


_ADDRESSES: list[int] = []
"""Of the two doors, once they are compiled; all systems have the same types."""


def make_open_work(system: System) -> Work:
    """Allocate the scratch of one thread, with the address of the door if the system is constrained."""
    work = make_work(system)
    if system.constants[0].form != FormCode.TREE:
        if not _ADDRESSES:
            arguments = door_arguments(system, work)
            _ADDRESSES.extend((address_of(door, arguments), address_of(evaluate_terms, arguments)))
        work.door[:] = _ADDRESSES
    return work


def door_arguments(system, work) -> tuple:
    """Arguments of the types that the door takes."""
    n_q, n_v = int(system.constants[0].n_q), int(system.constants[0].n_v)
    v = np.zeros(n_v)
    return system, 0, 0, 0.0, np.zeros(n_q), v, v, v, v, 1.0, 1.0, work.no_matrix, work.no_pivot, work


def enter(system: System, task: TaskCode, t: float, q: np.ndarray, qd: np.ndarray, work: Work) -> int:
    """Do a task that needs a state only; returns its status."""
    v = np.zeros_like(qd)
    return door(system, int(task), 0, float(t), q, qd, v, v, v, 1.0, 1.0, work.no_matrix, work.no_pivot, work)
