"""Where the floating frame of a reduced body stands, and its coordinates, from the poses of its interfaces.

With interfaces at r_k, turned by A_k from their undeformed axes, and a frame (r, R),

    u_k = R'(r_k - r) - x_k,   theta_k = log(R' A_k),   q = (u_1, theta_1, ..., eta),   Phi q = 0.          (1)

A move d = (du, dtheta) of the frame along its own axes changes q by -H P d, where P are the rigid motions about the frame
at the deformed places and H has the inverse tangent operators of the rotation vectors, so that Newton's iteration is

    d = (Phi H P)^-1 Phi q.                                                                                  (2)

Seeds: [ELL (4.3), (5.1), (5.9)].  Deviations: rotation vectors, not the skew part (4.5); modes eta take part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConvergenceError
from .beam_superelement import is_segment, segment_frame
from .planar import spatial
from .superelement import frame_point

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

MOST_ITERATIONS = 30
SMALL_MOVE = 1e-9
"""A move [rad or body sizes] below this is the last: the next one would be its square."""
LONGEST_TURN = 0.5
"""Largest turn of the frame in one iteration [rad]."""
SMALL_ANGLE = 1e-3
"""Below it the last term of H is that of its series, to a part of 1e-8 [rad]."""


@dataclass(frozen=True, eq=False)
class InterfaceFrame:
    """A body in its floating frame at nf instants.

    Attributes
    ----------
    origin : (3,) float
        Frame point in the coordinates of the body's model [m].
    position : (nf, 3) float
        Of the frame point, in the world [m].
    rotation : (nf, 3, 3) float
        Axes of the frame as columns, in the world.
    coordinates : (nf, n) float
        q of (1) [m, rad].
    """

    origin: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    coordinates: np.ndarray


def interface_frame(reduced: ReducedBody, positions: np.ndarray, rotations: np.ndarray, modes: np.ndarray | None = None,
                    frame: Any = None) -> InterfaceFrame:
    """Find the floating frame of a body at nf instants.

    Parameters
    ----------
    reduced : ReducedBody
    positions : (nf, n_interface, 3) float
        Of its interfaces, in the world [m].
    rotations : (nf, n_interface, 3, 3) float
        Their axes as columns.
    modes : (nf, n_modes) float, optional
        Coordinates of the fixed-interface modes; zero if not given.
    frame : str or pair of str, optional
        Of the body, if it was chosen.

    Raises
    ------
    ConvergenceError
        If the body is bent so far that no frame exists in which its deformation is small.
    """
    from scipy.spatial.transform import Rotation

    origin, motion = _frame_point(reduced, frame)
    places = reduced.positions - origin
    turns = rotations @ np.swapaxes(reduced.rotations, 1, 2)
    eta = np.zeros((len(positions), reduced.n_modes)) if modes is None else modes
    size = max(float(np.linalg.norm(np.ptp(reduced.positions, axis=0))), reduced.model.size)
    rotation = _mean_rotation(turns)
    position = (positions - places @ np.swapaxes(rotation, 1, 2)).mean(axis=1)
    for _ in range(MOST_ITERATIONS):
        q = _local(places, positions, turns, eta, position, rotation)
        move = _newton(motion, places, q)
        angle = np.linalg.norm(move[:, 3:], axis=1, keepdims=True)
        if not np.isfinite(angle).all():
            break
        move *= np.minimum(1.0, LONGEST_TURN / np.maximum(angle, LONGEST_TURN))
        position = position + np.einsum("fab,fb->fa", rotation, move[:, :3])
        rotation = rotation @ Rotation.from_rotvec(move[:, 3:]).as_matrix()
        if (angle <= SMALL_MOVE).all() and (np.linalg.norm(move[:, :3], axis=1) <= SMALL_MOVE * size).all():
            return InterfaceFrame(origin, position, rotation, _local(places, positions, turns, eta, position, rotation))
    raise ConvergenceError(f"no floating frame between the interfaces {', '.join(reduced.interfaces)}: the body is bent by "
                           "about a radian or more, expected small deformations in its frame; divide it into more bodies")


def _frame_point(reduced: ReducedBody, frame: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return place and motion (6, n) of the frame point: as the superelements have it."""
    return segment_frame(reduced, frame) if is_segment(reduced) else frame_point(spatial(reduced, frame), frame)


def _mean_rotation(turns: np.ndarray) -> np.ndarray:
    """Return the mean (nf, 3, 3) of the interfaces' rotations (nf, n_interface, 3, 3)."""
    from scipy.spatial.transform import Rotation

    e = Rotation.from_matrix(turns.reshape(-1, 3, 3)).as_quat().reshape(*turns.shape[:2], 4)
    signs = np.where(np.einsum("fkc,fc->fk", e, e[:, 0]) < 0.0, -1.0, 1.0)
    out: np.ndarray = Rotation.from_quat(np.einsum("fk,fkc->fc", signs, e)).as_matrix()
    return out


def interface_coordinates(reduced: ReducedBody, origin: np.ndarray, positions: np.ndarray, rotations: np.ndarray,
                          position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return displacements and rotation vectors (nf, 6 n_interface) of (1) in a frame that is known [m, rad].

    Parameters
    ----------
    reduced : ReducedBody
    origin : (3,) float
        Of the frame, in the coordinates of the body's model [m].
    positions, rotations
        Of the interfaces, as for `interface_frame`.
    position, rotation : (nf, 3) and (nf, 3, 3) float
        Of the frame, in the world.
    """
    turns = rotations @ np.swapaxes(reduced.rotations, 1, 2)
    return _local(reduced.positions - origin, positions, turns, np.zeros((len(positions), 0)), position, rotation)


def _local(places: np.ndarray, positions: np.ndarray, turns: np.ndarray, eta: np.ndarray, position: np.ndarray,
           rotation: np.ndarray) -> np.ndarray:
    """Return q of (1), (nf, n)."""
    from scipy.spatial.transform import Rotation

    u = (positions - position[:, None]) @ rotation - places
    local = np.swapaxes(rotation, 1, 2)[:, None] @ turns
    theta = Rotation.from_matrix(local.reshape(-1, 3, 3)).as_rotvec().reshape(u.shape)
    return np.hstack([np.concatenate([u, theta], axis=2).reshape(len(u), -1), eta])


def _newton(motion: np.ndarray, places: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the move (nf, 6) of the frame by (2)."""
    nf, n_face = len(q), len(places)
    pairs = q[:, :6 * n_face].reshape(nf, n_face, 6)
    rigid = np.zeros((nf, q.shape[1], 6))
    faces = rigid[:, :6 * n_face].reshape(nf, n_face, 6, 6)
    faces[..., :3, :3] = np.eye(3)
    faces[..., :3, 3:] = -_spin(places + pairs[..., :3])
    faces[..., 3:, 3:] = _inverse_tangent(pairs[..., 3:])
    return np.linalg.solve(motion @ rigid, (q @ motion.T)[..., None])[..., 0]


def _spin(a: np.ndarray) -> np.ndarray:
    """Return the matrices (..., 3, 3) of the cross products with vectors (..., 3)."""
    return np.cross(a[..., None, :], np.eye(3)).swapaxes(-1, -2)


def _inverse_tangent(theta: np.ndarray) -> np.ndarray:
    """Return H (..., 3, 3) with log(exp(-d) exp(theta)) = theta - H d to first order in d, for theta (..., 3)."""
    angle = np.linalg.norm(theta, axis=-1)[..., None, None]
    small = angle < SMALL_ANGLE
    safe = np.where(small, 1.0, angle)
    factor = np.where(small, 1 / 12, (1 - safe / 2 / np.tan(safe / 2)) / safe**2)
    spin = _spin(theta)
    out: np.ndarray = np.eye(3) - spin / 2 + factor * spin @ spin
    return out
