"""Quantities of constraints; an entry is (row of the reaction table, ConstraintEntry)."""

from __future__ import annotations

import numpy as np

from ..model.constraints import CONSTRAINT_KINDS
from ..system.layout import ConstraintEntry
from . import places
from . import rotation as rot
from . import tables as tab
from .quantity import XYZ, Quantity, Shown, Source, reaction

Entry = tuple[int, ConstraintEntry]

_force = reaction(tab.FORCE)


def _line(source: Source, entry: Entry) -> np.ndarray:
    """Vector from the first place to the second, world axes [m] (nf, 3)."""
    first, second = (places.position(source, places.find_place(source.layout, text)) for text in entry[1].on)
    out: np.ndarray = second - first
    return out


def _length(source: Source, entry: Entry) -> np.ndarray:
    out: np.ndarray = np.linalg.norm(_line(source, entry), axis=1)
    return out


def _tension(source: Source, entry: Entry) -> np.ndarray:
    """Pull on the second place towards the first one [N] (nf,)."""
    line, length = _line(source, entry), _length(source, entry)
    pull = -np.sum(_force(source, entry) * line, axis=1)
    out: np.ndarray = np.divide(pull, length, out=np.zeros_like(pull), where=length > 0.0)
    return out


def _normal_force(source: Source, entry: Entry) -> np.ndarray:
    """Force on the second body along the plane's normal [N] (nf,)."""
    plane = places.orientation(source, places.find_place(source.layout, entry[1].on[0]))
    out: np.ndarray = np.sum(_force(source, entry) * rot.rotated(plane, np.asarray(entry[1].normal)), axis=1)
    return out


_SHOWN: dict[str, Shown] = {
    "force": (XYZ, _force),
    "torque": (XYZ, reaction(tab.TORQUE)),
    "effort": ((), reaction(0)),
    "tension": ((), _tension),
    "length": ((), _length),
    "normal_force": ((), _normal_force),
}
"""What a channel of a constraint may show -> labels of its components, and its function."""
CONSTRAINTS = {kind: {channel.name: Quantity(channel.unit, *_SHOWN[channel.shows or channel.name])
                      for channel in record.channels} for kind, record in CONSTRAINT_KINDS.items()}
