"""Quaternions (w, x, y, z) of whole time histories, first axis = frames."""

from __future__ import annotations

import numpy as np


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the Hamilton product a b, (nf, 4)."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                     aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw], axis=-1)


def rotated(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the vector u (3,) or (nf, 3) turned by unit quaternions q (nf, 4)."""
    v = q[:, 1:]
    twice = 2.0 * np.cross(v, u)
    return u + q[:, :1] * twice + np.cross(v, twice)


def matrices(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrices (nf, 3, 3) of unit quaternions q (nf, 4)."""
    return np.stack([rotated(q, axis) for axis in np.eye(3)], axis=-1)


def conjugated(q: np.ndarray) -> np.ndarray:
    """Return the quaternions of the inverse rotations, (nf, 4)."""
    out: np.ndarray = q * np.array([1.0, -1.0, -1.0, -1.0])
    return out


def continued(q: np.ndarray) -> np.ndarray:
    """Return the same rotations with signs chosen so that no component jumps between frames, (nf, 4)."""
    flips = np.where(np.einsum("fc,fc->f", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    out: np.ndarray = q * np.concatenate([np.ones(min(1, len(q))), np.cumprod(flips)])[:, None]
    return out


def unwound(angle: np.ndarray, speed: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return angles that are known up to full turns as continuous ones (nf, n).

    The first one lies within half a turn from zero; from frame to frame the angle grows by what comes nearest to the mean of
    the speeds at both.

    Parameters
    ----------
    angle, speed : (nf, n) float
        [rad], [rad/s]
    t : (nf,) float
        Times of the frames [s].
    """
    turn = 2 * np.pi
    expected = 0.5 * (speed[1:] + speed[:-1]) * np.diff(t)[:, None]
    more = np.round((expected - np.diff(angle, axis=0)) / turn)
    return angle + turn * np.cumsum(np.concatenate([-np.round(angle[:1] / turn), more]), axis=0)
