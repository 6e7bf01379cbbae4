"""The walk of one evaluation: state -> accelerations, and state and accelerations -> residual of the equations of motion.

For trees; mechanisms with loops are handed to evaluate_loops.py.
"""

from math import isfinite

from ..codes import FormCode, Status
from .compile.jit import part, shared
from .force.elements import eval_forces
from .loop_calls import call_accelerations, call_balance, call_projected, call_residual
from .tree.dynamics import solve_accelerations
from .tree.inverse import eval_inverse, eval_joint_loads
from .tree.kinematics import eval_motion, eval_places
from .tree.state import eval_drives, unknown_drive


@part
def eval_state(sys, t, q, qd, tau, work) -> int:
    """Poses, velocities, applied forces and efforts of a state."""
    status = eval_motion(sys, q, qd, work)
    if status != Status.OK.value:
        return status
    if sys.constants[0].places == 1:
        eval_places(sys, qd, work)
    return eval_forces(sys, t, q, qd, tau, work)


@part
def check_finite(x, work) -> int:
    """NOT_FINITE and the first such rate if x holds an infinity or NaN, each of which makes 0 x a NaN."""
    trace = 0.0
    for k in range(x.shape[0]):
        trace += 0.0 * x[k]
    if trace == 0.0:
        return Status.OK.value
    for k in range(x.shape[0]):
        if not isfinite(x[k]):
            work.fail[0].rate = k
            break
    return Status.NOT_FINITE.value


@shared
def eval_accelerations(sys, t, q, qd, qdd, tau, work) -> int:
    """Accelerations qdd of a state, for trees in O(N); driven entries of q, qd, qdd are set from their laws."""
    if sys.constants[0].form != FormCode.TREE:
        status = call_accelerations(sys, t, q, qd, qdd, tau, work)
        return call_balance(sys, work) if status == Status.OK.value else status
    if eval_drives(sys, t, q, qd, qdd) != Status.OK.value:
        return unknown_drive(sys, work)
    status = eval_state(sys, t, q, qd, tau, work)
    if status != Status.OK.value:
        return status
    status = solve_accelerations(sys, tau, qdd, work)
    if status != Status.OK.value:
        return status
    return check_finite(qdd, work)


@part
def eval_stage(sys, t, q, qd, qdd, tau, work) -> int:
    """`eval_accelerations` of a state within a step, which nobody sees: its balance is not checked."""
    if sys.constants[0].form == FormCode.TREE:
        return eval_accelerations(sys, t, q, qd, qdd, tau, work)
    return call_accelerations(sys, t, q, qd, qdd, tau, work)


@part
def find_projected(sys, t, q, qd, qdd, tau, work) -> int:
    """Bring a state of a constrained mechanism, nearly on its constraints, onto them in place; then its accelerations."""
    status = call_projected(sys, t, q, qd, qdd, tau, work)
    return call_balance(sys, work) if status == Status.OK.value else status


@shared
def eval_residual(sys, t, q, qd, qdd, tau, residual, work) -> int:
    """residual = M qdd + bias - tau for a state and accelerations; zero for driven rates."""
    if sys.sup.element.shape[0] > 0:
        status = call_residual(sys, 0, t, q, qd, qdd, tau, residual, work)
        eval_joint_loads(sys, work)
        return status
    status = eval_state(sys, t, q, qd, tau, work)
    if status != Status.OK.value:
        return status
    eval_inverse(sys, qdd, residual, work)
    for k in range(residual.shape[0]):
        residual[k] = 0.0 if sys.dof[k].drive >= 0 else residual[k] - tau[k]
    return Status.OK.value


@shared
def eval_loaded_residual(sys, t, q, qd, qdd, tau, residual, work) -> int:
    """`eval_residual` plus Jᵀ (λ + α Phi) of the constraint rows, with λ and α of work.row; ready for `eval_variation`."""
    if sys.constants[0].form == FormCode.TREE:
        return eval_residual(sys, t, q, qd, qdd, tau, residual, work)
    status = call_residual(sys, 0, t, q, qd, qdd, tau, residual, work)
    eval_joint_loads(sys, work)
    return status
