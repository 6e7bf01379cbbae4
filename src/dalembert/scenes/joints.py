"""What joints look like, about their place with their axis along z."""

from __future__ import annotations

import numpy as np

from ..model.records import JointRecord
from .surfaces import Surface, box, cylinder, sphere

PIN, LENGTH = 0.017, 0.055
"""Radius and length of the pin of a hinge, relative to the mechanism."""


def slides(record: JointRecord) -> bool:
    """Tell whether a joint is a slider and nothing else."""
    return len(record.freedoms) == 1 and not record.ball and not record.freedoms[0].turns


def joint_surface(record: JointRecord, size: float, known_axis: bool) -> Surface | None:
    """Return the surface of a kind of joint, None if it has none.

    Parameters
    ----------
    record : JointRecord
    size : float
        Of the mechanism [m].
    known_axis : bool
        Without, all of them are balls.
    """
    if not record.coordinates or not (record.held_places or record.held_turns) or len(record.held_places) == 1:
        return None
    if record.ball or record.cross or not known_axis:
        return sphere(1.3 * PIN * size)
    if slides(record):
        return box(np.array([2.6 * PIN, 2.6 * PIN, 1.3 * LENGTH]) * size)
    along = any(freedom.slides for freedom in record.freedoms)
    return cylinder(PIN * size, (1.6 if along else 1.0) * LENGTH * size)
