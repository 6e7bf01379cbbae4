"""Matrices of mechanisms with constraint rows, in joint or natural coordinates: M, M + Jᵀ α J, that of an implicit step."""

from ...codes import FormCode, Status
from ..algebra.small import load3
from ..algebra.sparse import status_of_factor
from ..compile.jit import kernel
from ..flex.floating_mass import add_elastic_tangent
from ..flex.superelement_tree import add_tree_superelement_masses, add_tree_superelement_tangents
from ..flex.superelements import add_superelement_masses, add_superelement_tangents
from ..natural.coordinates import add_natural_mass
from ..natural.curvature import natural_row_curvature
from ..natural.forces_tangent import natural_force_tangent
from ..natural.rotors import add_rotor_mass, add_rotor_tangent
from .loads import WARM
from .saddle import factor_saddle
from .semi_recursive import add_tree_mass
from .state import unknown_form


@kernel
def add_body_masses(sys, q, values):
    """Add the mass matrix of bodies and rotors in natural coordinates."""
    add_natural_mass(sys, values)
    if sys.constants[0].rotors > 0:
        add_rotor_mass(sys, q, values)


@kernel
def eval_mass(sys, q, work) -> int:
    """Fill work.mass at coordinates q, after `eval_gaps`; in joint coordinates the bodies' own inertias are destroyed.

    These take a gauge of motions without inertia, massless_rows.py.
    """
    for p in range(work.mass.shape[0]):
        work.mass[p] = 0.0
    if sys.constants[0].form == FormCode.GLOBAL:
        add_body_masses(sys, q, work.mass)
        return add_superelement_masses(sys.sup, q, WARM, work.mass, work.fail, work.sup)
    if sys.constants[0].form != FormCode.SEMI_RECURSIVE:
        return unknown_form(sys, work)
    status = add_tree_superelement_masses(sys, q, work.mass, work)
    if status == Status.OK.value:
        status = add_tree_mass(sys, sys.mass_place, work.mass, work)
    for k in range(sys.dof.shape[0]):
        work.mass[sys.pattern.diagonal[k]] += sys.dof[k].gauge
    return status


@kernel
def factor_with_penalties(sys, q, work) -> int:
    """M into work.mass and the factors of M + Jᵀ α J, with the penalties that the rows have at the moment."""
    status = eval_mass(sys, q, work)
    if status != Status.OK.value:
        return status
    return status_of_factor(factor_saddle(sys, work), work)


@kernel
def factor_mass(sys, q, work) -> int:
    """Likewise with the rows' own penalties."""
    for r in range(sys.row.shape[0]):
        work.row[r].pen = sys.row[r].penalty
    return factor_with_penalties(sys, q, work)


@kernel
def clear_matrix(work):
    """Set the matrix to zero."""
    A = work.factors.A
    for p in range(A.shape[0]):
        A[p] = 0.0


@kernel
def add_step_tangent(sys, t, q, qd, qdd, add, cq, cv, work) -> int:
    """Add M + cv C + cq K to the matrix, after `eval_needed` at the state.

    In joint coordinates `add` (n_v,), the joint springs' part, and the flexible bodies' own stiffness and damping, those of
    superelements with the turning of their loads, stand for C and K, and the bodies' own inertias are destroyed; in natural
    ones all forces, superelements and the curvature of the constraints do, their symmetric part.
    """
    A = work.factors.A
    if sys.constants[0].form == FormCode.SEMI_RECURSIVE:
        for k in range(add.shape[0]):
            A[sys.pattern.diagonal[k]] += add[k]
        add_elastic_tangent(sys, cq, cv, A)
        status = add_tree_superelement_tangents(sys, cq, cv, 1.0, A, work)
        if status != Status.OK.value:
            return status
        return add_tree_mass(sys, sys.mass_place, A, work)
    if sys.constants[0].form != FormCode.GLOBAL:
        return unknown_form(sys, work)
    status = natural_row_curvature(sys, t, q, work.joint_q, cq, A, work)
    if status != Status.OK.value:
        return status
    add_body_masses(sys, q, A)
    if sys.constants[0].rotors > 0:
        add_rotor_tangent(sys, q, work.joint_qdd, cq, A)
    status = natural_force_tangent(sys, t, q, qd, work.joint_q, work.joint_qd, cq, cv, A, work)
    if status != Status.OK.value:
        return status
    return add_superelement_tangents(sys.sup, q, qd, qdd, load3(sys.constants[0].g_w), cq, cv, 1.0, WARM, A, work.fail,
                                     work.sup)
