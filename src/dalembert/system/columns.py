"""Where natural coordinates stand: the first column and the number of columns of every body, and the columns of modes.

Kernels and packing take these from the tables, so that columns may lie in any order and belong to other things as well.
"""

from __future__ import annotations

import numpy as np

from ..kernels.natural.coordinates import FRAME
from ..kernels.tables import System


def lay_columns(body: np.ndarray) -> None:
    """Give the rows of a body table but the ground the columns of a frame, one body after the other, in place."""
    body["column"], body["columns"] = FRAME * (np.arange(len(body)) - 1), FRAME
    body["column"][0], body["columns"][0] = -1, 0


def frame_columns(system: System) -> np.ndarray:
    """Return the columns (n_body - 1, 12) of the bodies' frames: origin, then axes."""
    return system.body["column"][1:, None] + np.arange(FRAME)


def count_columns(system: System) -> int:
    """Return how many columns the bodies have."""
    return int(system.body["columns"].sum())


def mode_columns(system: System) -> np.ndarray:
    """Return the columns of the modes of superelements, one superelement after the other."""
    element = system.sup.element
    return np.concatenate([np.zeros(0, np.int64), *(e["eta"] + np.arange(e["n_mode"]) for e in element)])
