"""Planar finite-element models as bodies in space: what they do out of their plane.

A plane-stress model has no unknowns out of its plane.  In floating frames (trees) it is rigid there: its places are displaced
and turned within the plane alone, and the frame carries the mass of the mid-plane with all its inertia.  Superelements have
six coordinates at every interface, and nothing may be without mass or stiffness.  Therefore the plane follows its interfaces,

    u_z(x, y) = sum_k w_k(x, y) (u_zk + theta_xk (y - y_k) - theta_yk (x - x_k)),   w_k = d_k^-2 / sum_l d_l^-2      (1)

with the distances d_k from the interfaces.  As the weights add up to one, rigid motions are reproduced exactly, and (1) is a
velocity field, so that all inertia constants are those of a true motion.  Deformations out of the plane, M-orthogonal to the
rigid motions R, are stiff: with the mass matrix M of (1)

    K = w² (M - M R (R' M R)^-1 R' M)                                                                         (2)

they all vibrate at the highest frequency w of the reduced body in its plane, and no faster, so that steps need not be
smaller.  A mechanism that moves in the plane knows nothing of (1) and (2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_array

from ..model.flexible_parts import MEAN_AXIS
from .body_point import BodyPoint
from .fe_model import FEModel
from .invariants import inertia_constants

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

OUT = np.array([2, 3, 4])
"""Displacement and rotations of an interface out of the plane."""
SAME_PLACE = 1e-9
"""Distance from an interface, as a part of the body's size, below which a node is there."""


def spatial(reduced: ReducedBody, frame: Any = None) -> ReducedBody:
    """Return a planar reduced body with coordinates out of its plane, one for equal requests; others as they are.

    If the frame is a set of nodes, that is one of its points: in space, nodes on a line determine none.
    """
    if reduced.active.all():
        return reduced
    if ("spatial",) not in reduced.requested:
        reduced.requested["spatial",] = _lifted(reduced)
    body = cast("ReducedBody", reduced.requested["spatial",])
    if not isinstance(frame, str) or frame in body.places or frame == MEAN_AXIS:
        return body
    return replace(body, points={**body.points, frame: _lifted_point(reduced, reduced.frame_place(frame))})


def _lifted(reduced: ReducedBody) -> ReducedBody:
    """Return the body with (1) and (2)."""
    fe, n_face = lifted_model(reduced.model), len(reduced.interfaces)
    out = (6 * np.arange(n_face)[:, None] + OUT).ravel()
    basis = np.zeros((fe.n_dof, reduced.n))
    basis[:reduced.model.n_dof] = reduced.basis
    basis[reduced.model.n_dof:] = _heights(reduced, fe.nodes[fe.dof_node[reduced.model.n_dof:]])
    constants = inertia_constants(fe, basis)

    square, shapes = eigh(reduced.stiffness[np.ix_(reduced.active, reduced.active)],
                          reduced.mass_matrix[np.ix_(reduced.active, reduced.active)])
    fastest = shapes[:, -1]
    damping = fastest @ reduced.damping[np.ix_(reduced.active, reduced.active)] @ fastest / square[-1]
    mass, rigid = constants.modal_mass[np.ix_(out, out)], reduced.rigid_modes(reduced.com)[np.ix_(out, OUT)]
    moved = mass @ rigid
    stiff = square[-1] * (mass - moved @ np.linalg.solve(rigid.T @ moved, moved.T))                       # (2)
    added = np.zeros_like(reduced.stiffness)
    added[np.ix_(out, out)] = (stiff + stiff.T) / 2
    return replace(reduced, model=fe, basis=basis, constants=constants, active=np.ones_like(reduced.active),
                   stiffness=reduced.stiffness + added, damping=reduced.damping + damping * added,
                   points={name: _lifted_point(reduced, point) for name, point in reduced.points.items()})


def lifted_model(fe: FEModel) -> FEModel:
    """Return a planar model whose nodes have an unknown along z besides, with their mass and without stiffness."""
    rows = np.flatnonzero(fe.dof_direction == 0)
    mass = csr_array(block_diag([fe.mass, fe.mass[rows][:, rows]]))
    stiffness = csr_array(block_diag([fe.stiffness, csr_array((rows.size, rows.size))]))
    return FEModel(fe.nodes, np.concatenate([fe.dof_node, fe.dof_node[rows]]),
                   np.concatenate([fe.dof_direction, np.full(rows.size, 2)]), stiffness, mass, fe.sets)


def _weights(reduced: ReducedBody, places: np.ndarray) -> np.ndarray:
    """Return the weights w (p, n_interface) of the interfaces in places (p, 3)."""
    away = np.linalg.norm(places[:, None] - reduced.positions, axis=2) / reduced.model.size
    away = np.maximum(away, SAME_PLACE)
    return np.asarray(away**-2 / (away**-2).sum(axis=1, keepdims=True))


def _heights(reduced: ReducedBody, places: np.ndarray) -> np.ndarray:
    """Return u_z (p, n) of (1) in places (p, 3) by the coordinates."""
    found, w = np.zeros((len(places), reduced.n)), _weights(reduced, places)
    for k, face in enumerate(reduced.positions):
        found[:, 6 * k + 2] = w[:, k]
        found[:, 6 * k + 3] = w[:, k] * (places[:, 1] - face[1])
        found[:, 6 * k + 4] = -w[:, k] * (places[:, 0] - face[0])
    return found


def _lifted_point(reduced: ReducedBody, point: BodyPoint) -> BodyPoint:
    """Return a place with its motion out of the plane: it turns with the interfaces, weighted alike."""
    displacement, rotation = point.displacement.copy(), point.rotation.copy()
    displacement[2] += _heights(reduced, point.position[None])[0]
    w = _weights(reduced, point.position[None])[0]
    for k in range(len(reduced.interfaces)):
        rotation[0, 6 * k + 3] += w[k]
        rotation[1, 6 * k + 4] += w[k]
    return replace(point, displacement=displacement, rotation=rotation)
