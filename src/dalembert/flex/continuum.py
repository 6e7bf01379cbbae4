"""Finite-element models of plane and solid elements, from nodes and connectivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array

from ..errors import ModelError
from ..model.values import Faults
from .assembly import NodePattern
from .fe_model import ElementBlock, FEModel
from .isoparametric import determinants, elasticity, element_mass, element_stiffness
from .shapes import Shape, shape_of

FLAT = 1e-12
"""Elements whose det J is below this part of their size to the power of the dimension have no volume."""


def continuum_model(nodes: np.ndarray, blocks: Sequence[ElementBlock], sets: Mapping[str, np.ndarray], *,
                    repeated: int = 0) -> FEModel:
    """Assemble plane or solid elements.

    Parameters
    ----------
    nodes : (n, 3) float
        [m].
    blocks : sequence of ElementBlock
        All plane or all solid.
    sets : mapping of str to (k,) int
        Named node sets.
    repeated : int
        If not zero, elements ``i`` and ``i + repeated`` are equal up to a translation, for every i: only the first
        ones are integrated.
    """
    width = shape_of(blocks[0].kind).dim
    stiffness = mass = None
    for block in blocks:
        k, m = _block_matrices(nodes, block, repeated, width)
        stiffness, mass = (k, m) if stiffness is None else (stiffness + k, mass + m)
    n = len(nodes)
    return FEModel(nodes, np.repeat(np.arange(n), width), np.tile(np.arange(width), n), stiffness, mass, dict(sets),
                   tuple(blocks))


def _block_matrices(nodes: np.ndarray, block: ElementBlock, repeated: int, width: int) -> tuple[csr_array, csr_array]:
    shape, x = element_nodes(nodes, block)
    x = x[:repeated] if repeated else x
    thickness = block.thickness if width == 2 else 1.0
    pattern = NodePattern(block.connectivity, len(nodes))
    stiffness = element_stiffness(shape, x, elasticity(block.material, width), thickness, block.incompatible)
    mass = element_mass(shape, x, block.material.density, thickness)
    return pattern.assembled(stiffness), pattern.assembled_alike(mass, width)


def element_nodes(nodes: np.ndarray, block: ElementBlock) -> tuple[Shape, np.ndarray]:
    """Return the shape of a block and the positions (m, k, dim) of its elements' nodes [m]."""
    shape = shape_of(block.kind)
    return shape, nodes[block.connectivity][:, :, :shape.dim]


def check_volumes(nodes: np.ndarray, blocks: Sequence[ElementBlock], where: str) -> None:
    """Refuse elements that are flat, folded or inside out.

    Raises
    ------
    ModelError
        With the numbers of the worst elements of each kind.
    """
    faults = Faults()
    for block in blocks:
        shape, x = element_nodes(nodes, block)
        det = determinants(shape, x, np.vstack([shape.rule[0], shape.mass_rule[0]])).min(axis=1)
        size = np.ptp(x, axis=1).max(axis=1) ** shape.dim
        bad = np.flatnonzero(~(det > FLAT * size))
        if bad.size:
            worst = bad[np.argsort(det[bad])][:5]
            listed = ", ".join(f"{i} ({det[i] / size[i]:.2g})" for i in worst)
            faults.flag(where, f"{bad.size} of {len(det)} {block.kind} elements have a zero or negative volume somewhere "
                          f"inside; worst (det J over size): {listed}; expected positive everywhere; "
                          "renumber their nodes or repair the mesh")
    if faults:
        raise ModelError(faults)
