"""Deformations that are symmetric about a plane of the body.

A mirror image takes a node to its mirrored place, turns the displacement across the plane round, and of the rotations those
about the axes within it.  A shape x is symmetric if it is its own image, (1 - S) x = 0 with S the images of all unknowns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from ..errors import ModelError
from ..model.values import shown

if TYPE_CHECKING:
    from .fe_model import FEModel

NORMAL = {"xy": 2, "yz": 0, "xz": 1}
"""Axis across each plane."""
SAME_PLACE = 1e-6
"""Distance of a mirrored node from the node that is its image, as a part of the body's size."""
SAME_SHAPE = 1e-8
"""Part of a shape that may change in its mirror image."""


def symmetric_coordinates(fe: FEModel, shapes: np.ndarray, plane: str) -> np.ndarray:
    """Return combinations (n, m) of shapes that are symmetric about a plane through the origin.

    Parameters
    ----------
    fe : FEModel
        Symmetric about the plane.
    shapes : (N, n) float
        By the unknowns of the model.
    plane : {"xy", "yz", "xz"}
    """
    if plane not in NORMAL:
        raise ModelError(f"floating.plane: found {shown(plane)}, expected one of {', '.join(map(repr, NORMAL))}")
    image, sign = _images(fe, plane)
    metric = np.sqrt(np.maximum(fe.stiffness.diagonal(), 0.0))[:, None]  # displacements and rotations by what holds them
    size = np.linalg.norm(metric * shapes, axis=0)
    scaled = shapes / np.where(size > 0.0, size, 1.0)
    _, part, combinations = np.linalg.svd(metric * (scaled - sign[:, None] * scaled[image]) / 2, full_matrices=False)
    kept = combinations[part <= SAME_SHAPE * np.sqrt(shapes.shape[1])].T
    out: np.ndarray = kept / np.where(size > 0.0, size, 1.0)[:, None]
    return out


def _images(fe: FEModel, plane: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the unknown (N,) that each one is the image of, and the sign (N,) with which."""
    axis = NORMAL[plane]
    mirrored = fe.nodes.copy()
    mirrored[:, axis] *= -1.0
    distance, partner = cKDTree(fe.nodes).query(mirrored)
    if np.max(distance) > SAME_PLACE * fe.size:
        worst = int(np.argmax(distance))
        raise ModelError(f"floating.plane: the model is not symmetric about the {plane} plane: node {worst} at "
                         f"{shown(tuple(fe.nodes[worst].tolist()))} m has no mirror image, the next node is "
                         f"{distance[worst]:.3g} m from it; mesh both halves alike or leave `plane` out")
    table = fe.dof_table
    image = table[partner[fe.dof_node], fe.dof_direction]
    if np.any(image < 0):
        raise ModelError(f"floating.plane: the nodes of the two halves about the {plane} plane have not the same unknowns; "
                         "leave `plane` out")
    across = fe.dof_direction == axis
    turned = (fe.dof_direction >= 3) & (fe.dof_direction != 3 + axis)
    return image, np.where(across | turned, -1.0, 1.0)
