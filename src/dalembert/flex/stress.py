"""Stresses at the nodes of a finite-element model from its displacements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ModelError
from ..model.flexible import Section
from .assembly import element_vectors
from .beam_elements import element_length, section_forces
from .continuum import element_nodes
from .fe_model import ElementBlock, FEModel
from .geometric import element_displacements
from .isoparametric import elasticity, point_stresses


@dataclass(frozen=True, eq=False)
class NodalStress:
    """Stresses at the nodes.

    Attributes
    ----------
    components : (n, s) or (n, s, c) float
        Averaged over the elements around each node; linear in the displacements.  Solids: xx, yy, zz, xy, yz, zx
        [Pa]; planes: xx, yy, xy [Pa]; beams: section forces N, Vy, Vz [N], T, My, Mz [N m] on the face towards +x.
    equivalent : (n,) or (n, c) float
        Von Mises stress [Pa]; for beams the largest axial stress of normal force and bending in the section.
    """

    components: np.ndarray
    equivalent: np.ndarray


def nodal_stress(fe: FEModel, displacement: np.ndarray) -> NodalStress:
    """Return the stresses at all nodes.

    Parameters
    ----------
    fe : FEModel
        With elements.
    displacement : (N,) or (N, c) float
        One displacement field [m, rad] or c of them, such as the recovery basis of a reduced body.

    Returns
    -------
    NodalStress
        Stresses at the points of integration are fitted linearly in each element, evaluated at its nodes and averaged.
    """
    components = stress_components(fe, displacement)
    equivalent = equivalent_stress(fe, components)
    flat = np.ndim(displacement) == 1
    return NodalStress(components[..., 0], equivalent[..., 0]) if flat else NodalStress(components, equivalent)


def stress_components(fe: FEModel, displacement: np.ndarray) -> np.ndarray:
    """Return `NodalStress.components` (n, s, c) of displacement fields (N,) or (N, c), also where no fibres are known."""
    u = element_displacements(fe, displacement, "nodal_stress")
    total, count = np.zeros(()), np.zeros(len(fe.nodes))
    for block in fe.elements:
        values = _beam_forces(fe, block, u) if block.kind == "beam2" else _continuum_stresses(fe, block, u)
        summed = np.zeros((len(fe.nodes), *values.shape[2:]))
        np.add.at(summed, block.connectivity, values)
        np.add.at(count, block.connectivity, 1.0)
        total = total + summed
    return total / np.maximum(count, 1.0)[:, None, None]


def missing_stress(fe: FEModel) -> str:
    """Return why a model has no stresses, with the remedy; empty if it has."""
    if not fe.elements:
        return ("the matrices come from another code and there are no elements to take stresses from; mesh the body with "
                "flex.box, flex.plate or flex.read_mesh")
    section = fe.elements[0].section
    if isinstance(section, Section) and section.extent is None:
        return "the Section does not say where its outermost fibres are; give Section(..., extent=(y, z)) [m]"
    return ""


def equivalent_stress(fe: FEModel, components: np.ndarray) -> np.ndarray:
    """Return the von Mises stress, or the largest axial stress of beams, (n, ...) of components (n, s, ...) [Pa]."""
    block = fe.elements[0]
    if block.kind != "beam2":
        return von_mises(components)
    missing = missing_stress(fe)
    if missing:
        raise ModelError(f"nodal_stress: {missing}")
    out: np.ndarray = block.section.extreme_stress(components[:, 0], components[:, 4], components[:, 5])
    return out


def von_mises(stress: np.ndarray) -> np.ndarray:
    """Return the von Mises stress (n, ...) of Voigt stresses (n, 3, ...) in plane stress or (n, 6, ...) [Pa]."""
    if stress.shape[1] == 3:
        xx, yy, xy = np.moveaxis(stress, 1, 0)
        out: np.ndarray = np.sqrt(xx * xx - xx * yy + yy * yy + 3 * xy * xy)
        return out
    xx, yy, zz, xy, yz, zx = np.moveaxis(stress, 1, 0)
    out = np.sqrt(((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (xy * xy + yz * yz + zx * zx))
    return out


def _continuum_stresses(fe: FEModel, block: ElementBlock, u: np.ndarray) -> np.ndarray:
    """Return stresses (m, k, s, c) at the nodes of each element."""
    shape, x = element_nodes(fe.nodes, block)
    own = element_vectors(block.connectivity, shape.dim, u)
    at_points = point_stresses(shape, x, elasticity(block.material, shape.dim), own, block.incompatible)
    out: np.ndarray = np.einsum("kq,mqsc->mksc", shape.extrapolation, at_points)
    return out


def _beam_forces(fe: FEModel, block: ElementBlock, u: np.ndarray) -> np.ndarray:
    """Return section forces (m, 2, 6, c) at both ends of each element."""
    own = np.moveaxis(element_vectors(block.connectivity, 6, u), 2, 1)
    forces = section_forces(block.section, block.material, element_length(fe.nodes, block), block.theory, own)
    return np.moveaxis(forces, 1, 3)
