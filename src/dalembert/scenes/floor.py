"""The grid below a mechanism, which shows where up is and how large things are."""

from __future__ import annotations

import numpy as np

from .scene import Line
from .surfaces import frame_along

GREY = (0.78, 0.80, 0.82)
CELLS, MOST = 8, 60
"""Cells across a mechanism, and the most of a grid."""


def nice(length: float) -> float:
    """Return the number of 1, 2 and 5 times a power of ten that comes next below a length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(factor for factor in (1, 2, 5) if factor * power <= length * (1 + 1e-9)))


def floor(low: np.ndarray, high: np.ndarray, size: float, up: np.ndarray, height: float | None) -> Line:
    """Return a grid across the box (3,), (3,) of a motion, at a height along `up` or below the box [m]."""
    axes = frame_along(up)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]) @ axes
    least, most = corners.min(axis=0), corners.max(axis=0)
    cell = nice(size / CELLS)
    while (most - least)[:2].max() / cell > MOST:
        cell = nice(2.5 * cell)
    first, last = np.floor(least[:2] / cell - 1.0), np.ceil(most[:2] / cell + 1.0)
    level = least[2] - 0.02 * size if height is None else height
    pairs = []
    for k in range(2):
        for n in np.arange(first[k], last[k] + 1):
            for end in (first[1 - k], last[1 - k]):
                point = np.full(3, level)
                point[k], point[1 - k] = n * cell, end * cell
                pairs.append(axes @ point)
    return Line(np.array(pairs), GREY, pairs=True)
