"""M qdd - Q of mechanisms with constraint rows, in joint or natural coordinates, with or without the multipliers' loads.

Seeds: [DOP (1)] M qdd + Jᵀ (λ + α Phi) = Q.
"""

from ...codes import FormCode, Status
from ..algebra.small import load3, scale3
from ..compile.jit import kernel
from ..flex.superelement_tree import add_tree_superelement_loads, put_mode_loads
from ..flex.superelements import add_superelement_loads
from ..force.elements import eval_forces
from ..natural.coordinates import natural_momentum_product
from ..natural.forces import eval_natural_forces
from ..natural.joints import eval_joint_accelerations
from ..natural.rotors import add_rotor_loads
from ..natural.rows import add3_at
from ..natural.shapes import load3_at
from ..tree.inverse import add_rotors, eval_body_accelerations
from .row_accelerations import eval_row_accelerations
from .rows import add_row_loads, row_load
from .semi_recursive import accumulate_loads
from .state import eval_row_bends, unknown_form

WARM = 1
"""Frames of superelements are searched from those of the last finished step."""


@kernel
def add_natural_loads(sys, needed, work):
    """needed <- needed + Jᵀ (λ + α Phi) with the Jacobian at the state."""
    for r in range(sys.row.shape[0]):
        c = sys.row[r]
        load = row_load(c, work.row[r])
        for k in range(c.first // 3, (c.first + c.count) // 3):
            add3_at(needed, sys.slot[k].column, scale3(load3_at(work.jacobian, 3 * k), load))


@kernel
def eval_natural_needed(sys, t, q, qd, qdd, tau, loaded, needed, work) -> int:
    """`eval_needed` in natural coordinates."""
    forces = work.scratch.loop.force
    status = eval_natural_forces(sys, t, q, work.joint_q, work.joint_qd, forces, tau, work)
    if status != Status.OK.value:
        return status
    natural_momentum_product(sys, qdd, needed)
    for k in range(needed.shape[0]):
        needed[k] -= forces[k]
    if sys.constants[0].rotors > 0:
        status = eval_joint_accelerations(sys, q, qd, qdd, work.joint_qdd, work)
        if status != Status.OK.value:
            return status
        add_rotor_loads(sys, q, work.joint_qdd, needed)
    status = add_superelement_loads(sys.sup, q, qd, qdd, load3(sys.constants[0].g_w), WARM, needed, work.fail, work.sup)
    if loaded == 1:
        add_natural_loads(sys, needed, work)
    return status


@kernel
def eval_needed(sys, t, q, qd, qdd, tau, loaded, needed, work) -> int:
    """needed = M qdd - Q, with Jᵀ (λ + α Phi) if `loaded` is 1, after `eval_gaps`; zero for driven rates."""
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_natural_needed(sys, t, q, qd, qdd, tau, loaded, needed, work)
    if sys.constants[0].form != FormCode.SEMI_RECURSIVE:
        return unknown_form(sys, work)
    status = eval_forces(sys, t, q, qd, tau, work)
    if loaded == 1:
        add_row_loads(sys, q, tau, work)
    eval_body_accelerations(sys, qdd, work)
    if status == Status.OK.value and sys.sup.element.shape[0] > 0:
        status = add_tree_superelement_loads(sys, q, qd, qdd, work)
    accumulate_loads(sys, needed, work)
    if sys.sup.element.shape[0] > 0:
        put_mode_loads(sys, needed, work)
    add_rotors(sys, qdd, needed)
    for k in range(needed.shape[0]):
        needed[k] = 0.0 if sys.dof[k].drive >= 0 else needed[k] - tau[k]
    return status


@kernel
def eval_state_loads(sys, t, q, qd, qdd, tau, needed, work) -> int:
    """`eval_needed` without multipliers, and Phi'' of every row, for which the bodies' accelerations are the same."""
    status = eval_needed(sys, t, q, qd, qdd, tau, 0, needed, work)
    if status != Status.OK.value:
        return status
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_row_bends(sys, t, q, qd, qdd, work)
    return eval_row_accelerations(sys, t, q, qd, qdd, work)
