"""Spherical and free joints seen from the other side.

A tree may carry a joint's first body by its second.  The coordinates of most joints stay the joint's own then; those
of spherical and free joints tell how the first frame lies in the second and are turned over here, by

    q' = q*,   x' = -Rᵀ x,   w' = -Rᵀ w,   v' = -Rᵀ (v - w × x)

with R of the quaternion q, position x, angular velocity w and velocity v, and by the derivatives of these.
Each map is its own inverse.  Blocks are (nf, 4) or (nf, 7) of coordinates, (nf, 3) or (nf, 6) of the others.
"""

from __future__ import annotations

import numpy as np

from .rotation import conjugated, rotated


def coordinates(q: np.ndarray) -> np.ndarray:
    """Return the quaternion, or position [m] and quaternion, of the second frame in the first."""
    turn = conjugated(q[:, -4:])
    return turn if q.shape[1] == 4 else np.hstack([-rotated(turn, q[:, :3]), turn])


def rates(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the relative velocity [m/s] (free joints) and angular velocity [rad/s], first frame's axes."""
    turn, w = conjugated(q[:, -4:]), qd[:, -3:]
    if qd.shape[1] == 3:
        return -rotated(turn, w)
    return np.hstack([-rotated(turn, qd[:, :3] - np.cross(w, q[:, :3])), -rotated(turn, w)])


def accelerations(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the derivatives of the rates."""
    turn, w, wd = conjugated(q[:, -4:]), qd[:, -3:], qdd[:, -3:]
    if qd.shape[1] == 3:
        return -rotated(turn, wd)
    x, v, a = q[:, :3], qd[:, :3], qdd[:, :3]
    moved = a - np.cross(wd, x) - 2.0 * np.cross(w, v) + np.cross(w, np.cross(w, x))
    return np.hstack([-rotated(turn, moved), -rotated(turn, wd)])


def efforts(q: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """Return the efforts [N, N m] that do the same work on the turned rates."""
    turn = conjugated(q[:, -4:])
    if effort.shape[1] == 3:
        return -rotated(turn, effort)
    force, moment = effort[:, :3], effort[:, 3:]
    return np.hstack([-rotated(turn, force), -rotated(turn, moment + np.cross(q[:, :3], force))])
