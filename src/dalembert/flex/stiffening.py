"""Geometric stiffening of a floating body: stresses of inertia loads and forces change its stiffness.

Each unit load (acceleration, angular acceleration, product of angular velocities, force and torque at a place) causes a
static stress, and that a geometric stiffness; both are linear in the load.  The body is held at one interface.  The
loads of a motion balance each other, so that only the sum of the unit cases counts and where it is held does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from .assembly import element_vectors
from .continuum import element_nodes
from .fe_model import ElementBlock, FEModel
from .geometric import element_displacements, geometric_stiffness
from .invariants import PRODUCTS
from .isoparametric import VOIGT, elasticity, point_stresses, spatial_gradients
from .sparse_cholesky import SparseCholesky

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

CHUNK = 512
"""Elements whose stresses are held at a time."""


@dataclass(frozen=True, eq=False)
class Stiffening:
    """Stiffness matrices by unit loads, in n elastic coordinates; they are on the left-hand side of the elastic equation.

    Attributes
    ----------
    translation : (3, n, n) float
        By the acceleration of the frame's origin less gravity [per m/s²].
    rotation : (3, n, n) float
        By the angular acceleration [per rad/s²].
    spin : (6, n, n) float
        By products of angular velocities xx yy zz xy yz xz [per rad²/s²].
    force, torque : mapping of str to (3, n, n) float
        By a force [per N] and a torque [per N m] on a place.
    """

    translation: np.ndarray
    rotation: np.ndarray
    spin: np.ndarray
    force: Mapping[str, np.ndarray]
    torque: Mapping[str, np.ndarray]


def stiffening_of(reduced: ReducedBody, shapes: np.ndarray, origin: np.ndarray, held: str) -> Stiffening:
    """Return the geometric stiffening of a body in a floating frame.

    Parameters
    ----------
    reduced : ReducedBody
        Whose model has elements.
    shapes : (n_reduced, n) float
        Coordinates of the reduced body by the elastic ones.
    origin : (3,) float
        Of the frame [m].
    held : str
        Interface at which the body is held.
    """
    fe, n = reduced.model, shapes.shape[1]
    basis = reduced.basis @ shapes
    free = reduced.active.copy()
    free[reduced.slot(held)] = False

    names = [name for name in reduced.places if name != held]
    loads = np.hstack([np.zeros((reduced.n, 0)), *(reduced.places[name].motion.T for name in names)])
    displacements = np.hstack([_inertia_displacements(reduced, inertia_loads(fe, origin), free),
                               _force_displacements(reduced, loads, free)])
    matrices = reduced_geometric_stiffness(fe, displacements, basis)
    by_place = {held: np.zeros((6, n, n))} | {name: matrices[12 + 6 * k:18 + 6 * k] for k, name in enumerate(names)}
    return Stiffening(matrices[:3], matrices[3:6], matrices[6:12], {name: by_place[name][:3] for name in reduced.places},
                      {name: by_place[name][3:] for name in reduced.places})


def reduced_geometric_stiffness(fe: FEModel, displacements: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return basis' K_G basis for each of c displacement fields, (c, n, n), without assembling K_G.

    Parameters
    ----------
    fe : FEModel
        With elements.
    displacements : (N, c) float
        Static displacements whose stresses stiffen [m, rad].
    basis : (N, n) float
        Shapes.
    """
    fields = element_displacements(fe, displacements, "geometric stiffening")
    out = np.zeros((fields.shape[1], basis.shape[1], basis.shape[1]))
    for block in fe.elements:
        if block.kind == "beam2":
            part = replace(fe, elements=(block,))
            out += np.array([basis.T @ (geometric_stiffness(part, u) @ basis) for u in fields.T])
        else:
            _add_continuum(out, fe, block, fields, basis)
    return (out + out.transpose(0, 2, 1)) / 2


def _add_continuum(out: np.ndarray, fe: FEModel, block: ElementBlock, fields: np.ndarray, basis: np.ndarray) -> None:
    """Add ∫ ∂Phi_i/∂x σ ∂Phi_j/∂x dV of one block, a chunk of elements at a time."""
    shape, x = element_nodes(fe.nodes, block)
    law, thickness = elasticity(block.material, shape.dim), block.thickness if shape.dim == 2 else 1.0
    for begin in range(0, len(x), CHUNK):
        part = slice(begin, begin + CHUNK)
        nodes = block.connectivity[part]
        stress = point_stresses(shape, x[part], law, element_vectors(nodes, shape.dim, fields), block.incompatible)
        gradients, volume = spatial_gradients(shape, x[part])
        own = element_vectors(nodes, shape.dim, basis).reshape(len(nodes), -1, shape.dim, basis.shape[1])
        slopes = np.einsum("mqka,mkdn->mqadn", gradients, own, optimize=True)
        tensors = np.einsum("sab,mqsc,mq->cmqab", VOIGT[shape.dim], stress, volume * thickness, optimize=True)
        flat = slopes.reshape(-1, basis.shape[1])
        for k, tensor in enumerate(tensors):
            stretched = np.einsum("mqab,mqbdn->mqadn", tensor, slopes, optimize=True)
            out[k] += flat.T @ stretched.reshape(flat.shape)


def inertia_loads(fe: FEModel, origin: np.ndarray) -> np.ndarray:
    """Return the (N, 12) inertia forces of unit accelerations, angular accelerations and products xx yy zz xy yz xz."""
    place = (fe.nodes - origin)[fe.dof_node]
    spin = np.zeros((fe.n_dof, 6))
    for direction in range(3):
        rows = fe.dof_direction == direction
        for k, (a, b) in enumerate(PRODUCTS):  # w x (w x r) = w (w.r) - w² r
            if a == b:
                spin[rows, k] = (direction == a) * place[rows, a] - place[rows, direction]
            else:
                spin[rows, k] = (direction == a) * place[rows, b] + (direction == b) * place[rows, a]
    out: np.ndarray = -(fe.mass @ np.hstack([fe.rigid_modes(origin), spin]))
    return out


def _inertia_displacements(reduced: ReducedBody, loads: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the static displacements (N, k) of loads on all unknowns, one interface held; exact for the full model."""
    fe, split = reduced.model, reduced.partition
    factor = SparseCholesky(csr_array(split.inner.T @ fe.stiffness @ split.inner), fe.nodes[fe.dof_node[split.kept]])
    n = 6 * len(reduced.interfaces)
    loose = np.flatnonzero(free[:n])
    coordinates = np.zeros((n, loads.shape[1]))
    if loose.size:
        coordinates[loose] = np.linalg.solve(reduced.stiffness[np.ix_(loose, loose)],
                                             (reduced.basis[:, :n].T @ loads)[loose])
    out: np.ndarray = reduced.basis[:, :n] @ coordinates + split.inner @ factor.solve(split.inner.T @ loads)
    return out


def _force_displacements(reduced: ReducedBody, loads: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the static displacements (N, k) of loads (n_reduced, k) on the reduced body, one interface held."""
    loose = np.flatnonzero(free)
    coordinates = np.zeros((reduced.n, loads.shape[1]))
    coordinates[loose] = np.linalg.solve(reduced.stiffness[np.ix_(loose, loose)], loads[loose])
    return reduced.basis @ coordinates
