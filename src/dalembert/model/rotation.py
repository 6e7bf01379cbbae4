"""Rotations that users need to place frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ModelError
from .values import Faults, direction


def rotation_between(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the shortest rotation that takes one direction to another.

    Parameters
    ----------
    a, b : (3,) float
        Directions of any length above zero.

    Returns
    -------
    (3, 3) float
        Takes the unit vector along `a` to that along `b`; half a turn about some axis across `a` if they are opposite.

    Examples
    --------
    >>> rotation_between((1, 0, 0), (0, 2, 0)) @ (1, 0, 0)
    array([0., 1., 0.])
    """
    faults = Faults()
    u, v = (np.asarray(direction(faults, name, x)) for name, x in (("a", a), ("b", b)))
    if faults:
        raise ModelError(faults, "rotation_between")
    c = float(u @ v)
    axis = np.cross(u, v)
    if c < 0.0 and axis @ axis < 1e-20:
        across = np.cross(u, np.eye(3)[int(np.argmin(abs(u)))])
        across /= np.linalg.norm(across)
        return 2.0 * np.outer(across, across) - np.eye(3)
    x, y, z = axis
    tilde = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    factor = 1.0 / (1.0 + c) if c >= 0.0 else (1.0 - c) / (axis @ axis)
    return np.asarray(np.eye(3) + tilde + factor * tilde @ tilde)
