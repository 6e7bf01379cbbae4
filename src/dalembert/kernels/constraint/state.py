"""Poses, velocities and constraint rows of a state, in joint or natural coordinates, with their derivatives."""

from ...codes import FormCode, Status
from ..compile.jit import kernel, part
from ..natural.coordinates import eval_natural_state
from ..natural.joints import eval_joint_accelerations, eval_joint_coordinates
from ..natural.rows import eval_natural_row_accelerations, eval_natural_rows
from ..tree.inverse import eval_body_accelerations
from ..tree.kinematics import eval_motion, eval_places
from ..tree.kinematics import eval_rates as eval_tree_rates
from .row_accelerations import eval_row_accelerations
from .rows import eval_jacobian, eval_rows


@part
def unknown_form(sys, work) -> int:
    """UNKNOWN_FORM of a model whose formulation has no equations with constraints."""
    work.fail[0].form = sys.constants[0].form
    return Status.UNKNOWN_FORM.value


@kernel
def eval_velocities(sys, q, qd, work) -> int:
    """Poses, velocities and inertias of the bodies; again where `eval_mass` destroyed the inertias."""
    if sys.constants[0].form == FormCode.GLOBAL:
        eval_natural_state(sys, q, qd, work)
        return eval_joint_coordinates(sys, q, qd, work.joint_q, work.joint_q, work.joint_qd, work)
    if sys.constants[0].form == FormCode.SEMI_RECURSIVE:
        status = eval_motion(sys, q, qd, work)
        eval_places(sys, qd, work)
        return status
    return unknown_form(sys, work)


@kernel
def eval_gaps(sys, t, q, qd, work) -> int:
    """Likewise, and Phi and Phi' of every row."""
    status = eval_velocities(sys, q, qd, work)
    if status != Status.OK.value:
        return status
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_natural_rows(sys, t, q, qd, work.joint_q, work.joint_qd, work)
    return eval_rows(sys, t, q, qd, work)


@kernel
def eval_rates(sys, q, qd, work) -> int:
    """Velocities for new rates, where poses and inertias are those of the coordinates already."""
    if sys.constants[0].form == FormCode.SEMI_RECURSIVE:
        return eval_tree_rates(sys, qd, work)
    return eval_velocities(sys, q, qd, work)


@kernel
def eval_rate_gaps(sys, t, q, qd, work) -> int:
    """Constraint rows for new rates with the poses of the last evaluation, of coordinates near q."""
    if sys.constants[0].form == FormCode.SEMI_RECURSIVE:
        eval_tree_rates(sys, qd, work)
        return eval_rows(sys, t, q, qd, work)
    return eval_gaps(sys, t, q, qd, work)


@part
def eval_row_matrix(sys, q, work) -> int:
    """Jacobian of the rows after `eval_gaps`, which for natural coordinates has filled it."""
    if sys.constants[0].form == FormCode.GLOBAL:
        return Status.OK.value
    return eval_jacobian(sys, q, work) if sys.constants[0].form == FormCode.SEMI_RECURSIVE else unknown_form(sys, work)


@kernel
def eval_constraints(sys, t, q, qd, work) -> int:
    """Poses, velocities, Phi, Phi' and the Jacobian."""
    status = eval_gaps(sys, t, q, qd, work)
    return eval_row_matrix(sys, q, work) if status == Status.OK.value else status


@kernel
def eval_natural_bends(sys, t, q, qd, qdd, work) -> int:
    """`eval_row_bends` in natural coordinates."""
    if sys.term.shape[0] > 0:
        status = eval_joint_accelerations(sys, q, qd, qdd, work.joint_qdd, work)
        if status != Status.OK.value:
            return status
    return eval_natural_row_accelerations(sys, t, q, qd, qdd, work.joint_q, work.joint_qd, work.joint_qdd, work)


@kernel
def eval_row_bends(sys, t, q, qd, qdd, work) -> int:
    """Phi'' of every row for accelerations qdd, after `eval_gaps` at q and `eval_velocities`."""
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_natural_bends(sys, t, q, qd, qdd, work)
    if sys.constants[0].form != FormCode.SEMI_RECURSIVE:
        return unknown_form(sys, work)
    eval_body_accelerations(sys, qdd, work)
    return eval_row_accelerations(sys, t, q, qd, qdd, work)
