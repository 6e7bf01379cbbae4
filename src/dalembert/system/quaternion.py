"""Quaternions (w, x, y, z) of rotation matrices and back, for many frames at once."""

from __future__ import annotations

import numpy as np


def quaternions_of(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (n, 4) of rotation matrices (n, 3, 3), with w >= 0."""
    R = np.asarray(R, float)
    d = R[:, [0, 1, 2], [0, 1, 2]]
    trace = d.sum(axis=1)
    squares = np.column_stack([1 + trace, 1 + 2 * d - trace[:, None]]) / 4  # w², x², y², z²
    k = squares.argmax(axis=1)
    products = np.empty((len(R), 4, 4))  # 4 times the products of components
    products[:, 0, 1:] = products[:, 1:, 0] = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0],
                                                        R[:, 1, 0] - R[:, 0, 1]], axis=1)
    products[:, 1:, 1:] = R + np.swapaxes(R, 1, 2)
    products[:, [0, 1, 2, 3], [0, 1, 2, 3]] = 4 * squares
    n = np.arange(len(R))
    e = products[n, k] / (4 * np.sqrt(squares[n, k]))[:, None] if len(R) else np.zeros((0, 4))
    return np.where(e[:, :1] < 0, -e, e)


def rotations_of(e: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4)."""
    e = e / np.linalg.norm(e, axis=1, keepdims=True)
    w, x, y, z = e.T
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, axis=1).reshape(-1, 3, 3)
