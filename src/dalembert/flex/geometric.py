"""Geometric stiffness: how the stress of a static displacement stiffens or softens a finite-element model."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from ..errors import ModelError
from .assembly import NodePattern, element_vectors
from .beam_elements import beam_geometric_stiffness, element_length, section_forces, shear_numbers
from .continuum import element_nodes
from .fe_model import ElementBlock, FEModel
from .isoparametric import elasticity, element_geometric_stiffness, point_stresses


def geometric_stiffness(fe: FEModel, displacement: np.ndarray) -> csr_array:
    """Return the geometric stiffness of the stresses that a displacement causes.

    Parameters
    ----------
    fe : FEModel
        With elements.
    displacement : (N,) float
        Small static displacement [m, rad]; the result is linear in it.

    Returns
    -------
    (N, N) csr_array
        K_G [N/m, N, N m]: under λ times the load the stiffness is K + λ K_G; it is singular at a buckling load.
    """
    u = element_displacements(fe, displacement, "geometric_stiffness")
    total = csr_array((fe.n_dof, fe.n_dof))
    for block in fe.elements:
        width = fe.n_dof // len(fe.nodes)
        own = element_vectors(block.connectivity, width, u)[:, :, 0]
        pattern = NodePattern(block.connectivity, len(fe.nodes))
        total = total + (pattern.assembled(_beams(fe, block, own)) if block.kind == "beam2" else
                         pattern.assembled_alike(_continuum(fe, block, own), width))
    return csr_array(total)


def element_displacements(fe: FEModel, displacement: np.ndarray, where: str) -> np.ndarray:
    """Return displacements as (N, c), or refuse them if their shape or the model does not fit."""
    u = np.asarray(displacement, dtype=float)
    if u.ndim not in (1, 2) or u.shape[0] != fe.n_dof:
        raise ModelError(f"{where}: found displacements of shape {u.shape}, expected ({fe.n_dof},): one a unknown")
    if not fe.elements:
        raise ModelError(f"{where}: the model has matrices but no elements, so stresses are unknown; build it by beam, "
                         "plate, box or read_mesh")
    return u.reshape(fe.n_dof, -1)


def _beams(fe: FEModel, block: ElementBlock, u: np.ndarray) -> np.ndarray:
    length = element_length(fe.nodes, block)
    args = block.section, block.material, length, block.theory
    phi = shear_numbers(*args)
    return np.array([beam_geometric_stiffness(block.section, length, phi, forces)
                     for forces in section_forces(*args, u)])


def _continuum(fe: FEModel, block: ElementBlock, u: np.ndarray) -> np.ndarray:
    shape, x = element_nodes(fe.nodes, block)
    stress = point_stresses(shape, x, elasticity(block.material, shape.dim), u[:, :, None], block.incompatible)
    thickness = block.thickness if shape.dim == 2 else 1.0
    return element_geometric_stiffness(shape, x, stress[..., 0], thickness)
