"""What joints look like, about their place with their axis along z."""

from __future__ import annotations

import numpy as np

from .surfaces import Surface, box, cylinder, sphere

PIN, LENGTH = 0.017, 0.055
"""Radius and length of the pin of a hinge, relative to the mechanism."""


def joint_surface(kind: str, size: float, known_axis: bool) -> Surface | None:
    """Return the surface of a kind of joint, None if it has none.

    Parameters
    ----------
    kind : str
        As in `JointEntry`.
    size : float
        Of the mechanism [m].
    known_axis : bool
        Without, all of them are balls.
    """
    if kind in ("fixed", "free", "planar", "elastic"):
        return None
    if kind in ("spherical", "universal") or not known_axis:
        return sphere(1.3 * PIN * size)
    if kind == "prismatic":
        return box(np.array([2.6 * PIN, 2.6 * PIN, 1.3 * LENGTH]) * size)
    return cylinder(PIN * size, (1.0 if kind == "revolute" else 1.6) * LENGTH * size)
