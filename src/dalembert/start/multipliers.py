"""Multipliers of frames: those that a run has found, and for frames without them those of their states."""

from __future__ import annotations

import numpy as np

from ..codes import Status
from ..kernels.missing_multipliers import find_multipliers, find_natural_multipliers
from ..system.pack import Packed
from .outer import loaded_work
from .status import error_of


def complete_multipliers(packed: Packed, t: np.ndarray, q: np.ndarray, qd: np.ndarray, multiplier: np.ndarray | None,
                         loads: np.ndarray) -> np.ndarray:
    """Return the multipliers (nf, m) of the loops' rows of frames in tree coordinates.

    They are the given ones; where these are nan or left out, the states of the frames are solved for them.
    """
    tree = packed.tree if packed.has_superelements and packed.tree else packed
    shape = len(t), len(tree.system.row)
    found = np.full(shape, np.nan) if multiplier is None else np.array(multiplier, float, order="C")
    if np.all(np.isfinite(found)):
        return found
    q, qd, work = q.copy(), qd.copy(), loaded_work(packed, loads)
    if tree is not packed:
        status = find_natural_multipliers(packed.system, tree.system, t, q, qd, found, loads, work, loaded_work(tree, loads))
    else:
        status = find_multipliers(packed.system, t, q, qd, found, loads, work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, float(t[0]), 0.0)
    return found
