"""What the equations of a constrained mechanism are made of, in joint or natural coordinates, behind one entry.

Poses and constraint rows, their Jacobian and second derivatives, M qdd - Q with or without the multipliers' loads, the mass
matrix, and the matrix of an implicit step.
"""

from ...codes import FormCode, Status, TermCode
from ..algebra.small import load3, scale3
from ..compile.jit import kernel
from ..flex.floating_mass import add_elastic_tangent
from ..flex.superelements import add_superelement_loads, add_superelement_masses, add_superelement_tangents
from ..force.elements import eval_forces
from ..natural.coordinates import add_natural_mass, eval_natural_state, natural_momentum_product
from ..natural.curvature import natural_row_curvature
from ..natural.forces import eval_natural_forces
from ..natural.forces_tangent import natural_force_tangent
from ..natural.joints import eval_joint_accelerations, eval_joint_coordinates
from ..natural.rotors import add_rotor_loads, add_rotor_mass, add_rotor_tangent
from ..natural.rows import add3_at, eval_natural_row_accelerations, eval_natural_rows
from ..natural.shapes import load3_at
from ..tree.inverse import add_rotors, eval_body_accelerations
from ..tree.kinematics import eval_motion, eval_places
from ..tree.kinematics import eval_rates as eval_tree_rates
from .row_accelerations import eval_row_accelerations
from .rows import add_row_loads, eval_jacobian, eval_rows, row_load
from .semi_recursive import accumulate_loads, add_tree_mass

FORCES = 20
"""Row of work.vector used here."""
WARM = 1
"""Frames of superelements are searched from those of the last finished step."""


@kernel
def eval_gaps(sys, t, q, qd, work) -> int:
    """Poses, velocities and constraint rows at a state."""
    status = eval_velocities(sys, q, qd, work)
    if status != Status.OK.value:
        return status
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_natural_rows(sys, t, q, qd, work.joint_q, work.joint_qd, work)
    return eval_rows(sys, t, q, qd, work)


@kernel
def eval_velocities(sys, q, qd, work) -> int:
    """Poses and velocities at a state."""
    if sys.constants[0].form == FormCode.GLOBAL:
        eval_natural_state(sys, q, qd, work)
        return eval_joint_coordinates(sys, q, qd, work.joint_q, work.joint_q, work.joint_qd, work)
    status = eval_motion(sys, q, qd, work)
    eval_places(sys, qd, work)
    return status


@kernel
def eval_rates(sys, q, qd, work) -> int:
    """Velocities for new rates where poses and inertias are those of the coordinates already."""
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_velocities(sys, q, qd, work)
    return eval_tree_rates(sys, qd, work)


@kernel
def eval_rate_gaps(sys, t, q, qd, work) -> int:
    """Constraint rows for new rates, poses as they are."""
    if sys.constants[0].form == FormCode.GLOBAL:
        return eval_gaps(sys, t, q, qd, work)
    eval_tree_rates(sys, qd, work)
    return eval_rows(sys, t, q, qd, work)


@kernel
def eval_row_matrix(sys, q, work):
    """Jacobian of the rows after `eval_gaps`, which for natural coordinates has filled it."""
    if sys.constants[0].form != FormCode.GLOBAL:
        eval_jacobian(sys, q, work)


@kernel
def eval_row_bends(sys, t, q, qd, qdd, work):
    """Phi'' of every row for accelerations qdd, after `eval_gaps` at q and `eval_velocities`."""
    if sys.constants[0].form == FormCode.GLOBAL:
        if sys.term.shape[0] > 0:
            eval_joint_accelerations(sys, q, qd, qdd, work.joint_qdd, work)
        eval_natural_row_accelerations(sys, t, q, qd, qdd, work.joint_q, work.joint_qd, work.joint_qdd, work)
    else:
        eval_body_accelerations(sys, qdd, work)
        eval_row_accelerations(sys, t, q, qd, qdd, work)


@kernel
def eval_needed(sys, t, q, qd, qdd, tau, loaded, needed, work) -> int:
    """needed = M qdd - Q, with Jᵀ (λ + α Phi) if `loaded`, after `eval_gaps`; zero for driven rates."""
    if sys.constants[0].form == FormCode.GLOBAL:
        forces = work.vector[FORCES]
        status = eval_natural_forces(sys, t, q, work.joint_q, work.joint_qd, forces, tau, work)
        if status != Status.OK.value:
            return status
        natural_momentum_product(sys, qdd, needed)
        for k in range(12 * (sys.body.shape[0] - 1)):
            needed[k] -= forces[k]
        for k in range(12 * (sys.body.shape[0] - 1), needed.shape[0]):
            needed[k] = 0.0
        if sys.constants[0].rotors > 0:
            eval_joint_accelerations(sys, q, qd, qdd, work.joint_qdd, work)
            add_rotor_loads(sys, q, work.joint_qdd, needed)
        status = add_superelement_loads(sys.sup, q, qd, qdd, load3(sys.constants[0].g_w), WARM, needed, work.fail[3:],
                                        work.sup)
        if loaded:
            add_natural_loads(sys, needed, work)
        return status
    status = eval_forces(sys, t, q, qd, tau, work)
    if loaded:
        add_row_loads(sys, q, tau, work)
    eval_body_accelerations(sys, qdd, work)
    accumulate_loads(sys, needed, work)
    add_rotors(sys, qdd, needed)
    for k in range(needed.shape[0]):
        needed[k] = 0.0 if sys.dof[k].drive >= 0 else needed[k] - tau[k]
    return status


@kernel
def eval_state_loads(sys, t, q, qd, qdd, tau, needed, work) -> int:
    """`eval_needed` without multipliers, and Phi'' of every row, for which the bodies' accelerations are the same."""
    status = eval_needed(sys, t, q, qd, qdd, tau, False, needed, work)
    if sys.constants[0].form == FormCode.GLOBAL:
        eval_row_bends(sys, t, q, qd, qdd, work)
    else:
        eval_row_accelerations(sys, t, q, qd, qdd, work)
    return status


@kernel
def add_natural_loads(sys, needed, work):
    """needed <- needed + Jᵀ (λ + α Phi) with the Jacobian at the state."""
    for r in range(sys.row.shape[0]):
        c = sys.row[r]
        load = row_load(c, work.row[r])
        for k in range(c.first // 3, (c.first + c.count) // 3):
            add3_at(needed, sys.slot[k].column, scale3(load3_at(work.jacobian, 3 * k), load))


@kernel
def add_mass(sys, q, values, work) -> int:
    """Add the mass matrix to values of the pattern; in joint coordinates the bodies' own inertias are destroyed."""
    if sys.constants[0].form == FormCode.GLOBAL:
        add_natural_mass(sys, values)
        if sys.constants[0].rotors > 0:
            add_rotor_mass(sys, q, values)
        return add_superelement_masses(sys.sup, q, WARM, values, work.fail[3:], work.sup)
    return add_tree_mass(sys, sys.mass_place, values, work)


@kernel
def add_step_tangent(sys, t, q, qd, qdd, add, cq, cv, work) -> int:
    """Add M + cv C + cq K to the matrix, after `eval_needed` at the state.

    In joint coordinates `add` (n_v,), the joint springs' part, and the flexible bodies' own stiffness and damping stand for C
    and K, and the bodies' own inertias are destroyed; in natural ones all forces, superelements and the curvature of the
    constraints do, their symmetric part.
    """
    A = work.factors.A
    if sys.constants[0].form == FormCode.GLOBAL:
        natural_row_curvature(sys, t, q, work.joint_q, cq, A, work)
        add_natural_mass(sys, A)
        if sys.constants[0].rotors > 0:
            add_rotor_mass(sys, q, A)
            add_rotor_tangent(sys, q, work.joint_qdd, cq, A)
        status = natural_force_tangent(sys, t, q, qd, work.joint_q, work.joint_qd, cq, cv, A, work)
        if status != Status.OK.value:
            return status
        return add_superelement_tangents(sys.sup, q, qd, qdd, load3(sys.constants[0].g_w), cq, cv, 1.0, WARM, A, work.fail[3:],
                                         work.sup)
    for k in range(add.shape[0]):
        A[sys.pattern.diagonal[k]] += add[k]
    add_elastic_tangent(sys, cq, cv, A)
    return add_tree_mass(sys, sys.mass_place, A, work)


@kernel
def evaluate_terms(sys, task, mode, t, q, qd, qdd, tau, x, cq, cv, matrix, pivot, work) -> int:
    """Do a task of TermCode and return its status.

    NEEDED, LOADED and STATE_LOADS fill x, MASS adds to it, TANGENT takes `add` in it.
    """
    if task == TermCode.GAPS:
        return eval_gaps(sys, t, q, qd, work)
    if task == TermCode.VELOCITIES:
        return eval_velocities(sys, q, qd, work)
    if task == TermCode.RATES:
        return eval_rates(sys, q, qd, work)
    if task == TermCode.RATE_GAPS:
        return eval_rate_gaps(sys, t, q, qd, work)
    if task == TermCode.MATRIX:
        eval_row_matrix(sys, q, work)
    elif task == TermCode.BENDS:
        eval_row_bends(sys, t, q, qd, qdd, work)
    elif task == TermCode.MASS:
        return add_mass(sys, q, x, work)
    elif task == TermCode.TANGENT:
        return add_step_tangent(sys, t, q, qd, qdd, x, cq, cv, work)
    elif task == TermCode.STATE_LOADS:
        return eval_state_loads(sys, t, q, qd, qdd, tau, x, work)
    elif task == TermCode.NEEDED or task == TermCode.LOADED:
        return eval_needed(sys, t, q, qd, qdd, tau, task == TermCode.LOADED, x, work)
    else:
        work.fail[0] = task
        return Status.UNKNOWN_TASK.value
    return Status.OK.value
