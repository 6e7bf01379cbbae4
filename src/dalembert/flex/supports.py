"""Vibration modes of a body as its joints hold it, instead of its frame.

A body whose joints hold it otherwise than its frame does needs many modes of the latter to bend as it does in the mechanism.
Its modes with the places held as the joints hold them, D q = 0, need less: coordinates are taken from the null space of D.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import null_space

from ..errors import ModelError, near_names
from ..model.values import shown
from .symmetry import SAME_SHAPE

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

HELD = {"displacement": "displacement", "rotation": "rotation", "all": "motion"}
"""What a support may hold, and the shapes of a place that are then zero."""
LOOSE = 1e-6
"""Frequency relative to the highest one below which a mode is a rigid motion; rounding leaves its root there."""


def supported_coordinates(reduced: ReducedBody, raw: np.ndarray, supports: Mapping[str, str]) -> np.ndarray:
    """Return combinations (n_reduced, m) of coordinates (n_reduced, n) that the supports allow.

    Parameters
    ----------
    reduced : ReducedBody
    raw : (n_reduced, n) float
        Rigid motions included.
    supports : mapping of str to str
        Places and what is held there.
    """
    if not isinstance(supports, Mapping) or not supports:
        raise ModelError(f"floating.supports: found {shown(supports)}, expected places and what is held there: "
                         "{'start': 'displacement', 'end': 'rotation'}")
    held = np.vstack([_held(reduced, name, what) for name, what in supports.items()])
    size = np.linalg.norm(held, axis=1, keepdims=True)
    out: np.ndarray = raw @ null_space(held / np.where(size > 0.0, size, 1.0) @ raw, rcond=SAME_SHAPE)
    return out


def _held(reduced: ReducedBody, name: Any, what: Any) -> np.ndarray:
    """Return the rows of D of one support."""
    if name not in reduced.places:
        raise ModelError(f"floating.supports: found {shown(name)}." + near_names(name, list(reduced.places)))
    if not isinstance(what, str) or what not in HELD:
        raise ModelError(f"floating.supports.{name}: found {shown(what)}, expected one of {', '.join(map(repr, HELD))}")
    out: np.ndarray = getattr(reduced.places[name], HELD[what])
    return out


def refuse_loose(supports: Mapping[str, str], frequencies: np.ndarray) -> None:
    """Raise ModelError if one of the frequencies says that the supports let the body move without deformation."""
    if len(frequencies) and frequencies[0] <= LOOSE * frequencies[-1]:
        raise ModelError(f"floating.supports: {shown(dict(supports))} leave the body free to move; hold more of it, or keep "
                         "the shapes of a plane alone with `plane`")
