"""Quantities of flexible bodies; an entry is a FaceEntry or a FlexibleEntry."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..system.layout import FaceEntry, FlexibleEntry
from . import rotation as rot
from . import tables as tab
from .quantity import XYZ, Quantity, Source, Take


def deflection(source: Source, face: FaceEntry) -> np.ndarray:
    """Return how far a place is from where it would be in the undeformed part, axes of the part's first place [m] (nf, 3)."""
    body = source.array("body")
    base = body[:, face.base]
    away = body[:, face.body, tab.POSITION] - base[:, tab.POSITION]
    out: np.ndarray = rot.rotated(rot.conjugated(base[:, tab.ORIENTATION]), away) - np.asarray(face.position, float)
    return out


FACE = {"deflection": Quantity("m", XYZ, deflection)}


@lru_cache(maxsize=64)
def modal_quantities(coordinates: tuple[str, ...]) -> dict[str, Quantity]:
    """Return the quantities of a flexible body with these elastic coordinates."""
    if not coordinates:
        return {}
    return {"modal": Quantity("1", (coordinates,), _block("q", "q")),
            "modal_rates": Quantity("1/s", (coordinates,), _block("qd", "v"))}


def _block(table: str, first: str) -> Take:
    def take(source: Source, entry: FlexibleEntry) -> np.ndarray:
        begin = getattr(entry, first)
        return source.array(table)[:, begin:begin + entry.n]

    return take
