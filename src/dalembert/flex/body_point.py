"""A named place of a flexible body and how it moves with the body's coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .fe_model import FEModel
from .interfaces import average_interface

NEAREST = 12
"""Nodes whose mean rotation is taken for that of a node without rotations."""


@dataclass(frozen=True, eq=False)
class BodyPoint:
    """A place of a body with n coordinates.

    Attributes
    ----------
    position : (3,) float
        Undeformed, from the origin of the body's frame [m].
    orientation : (3, 3) float
        Its axes as columns, undeformed, in the frame's axes.
    displacement : (3, n) float
        Displacement by each coordinate.
    rotation : (3, n) float
        Small rotation by each coordinate.
    """

    position: np.ndarray
    orientation: np.ndarray
    displacement: np.ndarray
    rotation: np.ndarray

    @property
    def motion(self) -> np.ndarray:
        """(6, n) float: displacement, then rotation, by each coordinate."""
        return np.vstack([self.displacement, self.rotation])

    def changed(self, basis: np.ndarray, origin: np.ndarray) -> BodyPoint:
        """Return the place seen from a new origin [m], in coordinates p with q = basis p."""
        return BodyPoint(self.position - origin, self.orientation, self.displacement @ basis, self.rotation @ basis)


def node_place(fe: FEModel, chosen: np.ndarray, basis: np.ndarray) -> BodyPoint:
    """Return the mean motion of some nodes; around a single node without rotations, its neighbours turn it.

    Parameters
    ----------
    fe : FEModel
    chosen : (k,) int
        Nodes.
    basis : (N, n) float
        Shapes of the model by the coordinates.
    """
    place = fe.nodes[chosen].mean(axis=0)
    turning = fe.dof_table[chosen[0], 5] >= 0
    if chosen.size == 1 and not turning:
        near = np.argsort(np.linalg.norm(fe.nodes - place, axis=1), kind="stable")[:NEAREST]
        motion = average_interface(fe, near, point=place).matrix @ basis
        rows = fe.dof_table[chosen[0], :3]
        motion[:3] = np.where(rows[:, None] >= 0, basis[rows], 0.0)
    else:
        motion = average_interface(fe, chosen, point=place).matrix @ basis
    return BodyPoint(place, np.eye(3), motion[:3], motion[3:])


def rigid_motion(position: ArrayLike, origin: ArrayLike) -> np.ndarray:
    """Return the (6, 6) displacement and rotation of a place under unit translations and rotations about `origin`."""
    x, y, z = np.asarray(position, dtype=float) - np.asarray(origin, dtype=float)
    motion = np.eye(6)
    motion[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return motion
