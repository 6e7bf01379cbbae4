"""Interfaces: six coordinates of a frame that a set of nodes is coupled to.

A rigid interface (RBE2) moves all its nodes with the frame: u = R q.  An average interface (RBE3) leaves them free and
takes for the frame the rigid motion nearest to theirs: q = (Rᵀ W R)⁻¹ Rᵀ W u with the nodes' weights W.  As that is a
left inverse of R, a rigid motion of the nodes is reproduced exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ..errors import ModelError
from ..model.values import Faults, shown, vector
from .fe_model import FEModel, Nodes

RANK_TOLERANCE = 1e-6
"""A set thinner than this part of its size counts as lying on a line or in a point."""


@dataclass(frozen=True, eq=False)
class Interface:
    """A set of nodes coupled to a frame.

    Attributes
    ----------
    nodes : (k,) int
        Coupled nodes.
    point : (3,) float
        Origin of the frame [m]; its axes are the model's.
    coupling : {"rigid", "average"}
        RBE2 or RBE3.
    matrix : csr_array
        Rigid: (N, 6), from the frame's displacements and rotations to the unknowns of the nodes.
        Average: (6, N), from the unknowns of all nodes to the frame.
    directions : tuple of int
        Coordinates of the frame that the model moves: 0 to 5, or 0, 1, 5 for a planar one; the others are zero.
    """

    nodes: np.ndarray
    point: np.ndarray
    coupling: str
    matrix: csr_array
    directions: tuple[int, ...]


def rigid_interface(fe: FEModel, nodes: Nodes, *, point: Sequence[float] | np.ndarray | None = None
                    ) -> Interface:
    """Couple nodes rigidly to a frame (RBE2).

    Parameters
    ----------
    fe : FEModel
        The model.
    nodes : str, int or (k,) int
        A named set, ``"+x"`` etc. for a face, or node numbers.
    point : (3,) float, optional
        Origin of the frame [m]; the centroid of the nodes if not given.
    """
    numbers, origin, rows, modes, directions = _coupled(fe, nodes, point, "rigid_interface")
    matrix = csr_array((fe.n_dof, 6)) if not len(rows) else _scattered(modes, rows, fe.n_dof)
    return Interface(numbers, origin, "rigid", matrix, directions)


def average_interface(fe: FEModel, nodes: Nodes, *, point: Sequence[float] | np.ndarray | None = None,
                      weights: Sequence[float] | None = None) -> Interface:
    """Let a frame follow the weighted mean motion of nodes (RBE3).

    Parameters
    ----------
    fe : FEModel
        The model.
    nodes : str, int or (k,) int
        A named set, ``"+x"`` etc. for a face, or node numbers.
    point : (3,) float, optional
        Origin of the frame [m]; the centroid of the nodes if not given.
    weights : (k,) float, optional
        Positive weight of each node, in ascending order of the nodes; equal if not given.
    """
    numbers, origin, rows, modes, directions = _coupled(fe, nodes, point, "average_interface")
    w = _weights(weights, len(numbers))[np.searchsorted(numbers, fe.dof_node[rows])]
    place = fe.nodes[numbers] - fe.nodes[numbers].mean(axis=0)
    displaced = fe.dof_direction[rows] < 3
    if _rank(fe, numbers, rows[displaced], directions) == len(directions):  # displacements decide
        w = np.where(displaced, w, 0.0)
    elif len(numbers) > 1:  # nodes on a line that turn, those of a beam: rotations count as displacements at their reach
        w = np.where(displaced, w, w * np.sum(place**2) / len(numbers))
    moving = modes[:, directions]
    weighted = (moving * w[:, None]).T
    inverse = np.zeros((6, len(rows)))
    inverse[list(directions)] = np.linalg.solve(weighted @ moving, weighted)
    return Interface(numbers, origin, "average", csr_array(_scattered(inverse.T, rows, fe.n_dof).T), directions)


def _coupled(fe: FEModel, nodes: Nodes, point: Sequence[float] | np.ndarray | None, where: str
             ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[int, ...]]:
    """Return node numbers, origin, unknowns of the nodes, their rigid modes (r, 6) and the moving directions."""
    numbers = fe.node_set(nodes, where)
    centroid = fe.nodes[numbers].mean(axis=0)
    origin = centroid if point is None else _point(point, where)
    rows = np.flatnonzero(np.isin(fe.dof_node, numbers))
    directions = (0, 1, 5) if fe.is_planar else (0, 1, 2, 3, 4, 5)
    _check_rank(fe, numbers, rows, directions, where)
    return numbers, origin, rows, fe.rigid_modes(origin)[rows], directions


def _point(point: Any, where: str) -> np.ndarray:
    faults = Faults()
    found = vector(faults, where + ".point", point, "m")
    if faults:
        raise ModelError(faults)
    return np.array(found)


def _weights(weights: Any, count: int) -> np.ndarray:
    if weights is None:
        return np.ones(count)
    w = np.asarray(weights, dtype=float)
    if w.shape != (count,) or not np.isfinite(w).all() or not (w > 0).all():
        raise ModelError(f"average_interface.weights: found {shown(weights)}, expected {count} positive numbers, one a "
                         "node of the set")
    return w


def _check_rank(fe: FEModel, numbers: np.ndarray, rows: np.ndarray, directions: tuple[int, ...], where: str) -> None:
    """Refuse a set whose nodes do not determine a frame."""
    rank = _rank(fe, numbers, rows, directions)
    if rank < len(directions):
        one, in_a_point = len(numbers) == 1, not np.ptp(fe.nodes[numbers], axis=0).any()
        raise ModelError(f"{where}: {len(numbers)} node{'s' * (not one)} without own rotations "
                         f"{'lies' if one else 'lie'} {'in a point' if in_a_point else 'on a line'} and "
                         f"determine{'s' * one} {rank} of {len(directions)} coordinates of a frame; take nodes that "
                         f"span {'a line' if fe.is_planar else 'an area'}")


def _rank(fe: FEModel, numbers: np.ndarray, rows: np.ndarray, directions: tuple[int, ...]) -> int:
    """Return how many of a frame's coordinates some unknowns of its nodes determine."""
    centroid = fe.nodes[numbers].mean(axis=0)
    reach = float(np.abs(fe.nodes[numbers] - centroid).max()) or 1.0
    scaled = fe.rigid_modes(centroid)[rows][:, directions] / np.where(np.array(directions) < 3, 1.0, reach)
    scaled *= np.where(fe.dof_direction[rows] < 3, 1.0, reach)[:, None]
    s = np.linalg.svd(scaled, compute_uv=False) if scaled.size else np.zeros(1)
    return int((s > RANK_TOLERANCE * max(s.max(), 1e-300)).sum())


def _scattered(values: np.ndarray, rows: np.ndarray, n_dof: int) -> csr_array:
    """Return a sparse (n_dof, 6) matrix whose `rows` are `values`."""
    r, c = np.nonzero(values)
    return csr_array((values[r, c], (rows[r], c)), shape=(n_dof, 6))
