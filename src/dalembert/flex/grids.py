"""Structured meshes of a rectangle or a box: nodes on a grid, cells filled by a repeated pattern of elements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from numbers import Integral
from typing import Any

import numpy as np

from ..model.values import Faults, row, shown
from .shapes import EDGES

_SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
_CUBE = np.vstack([_SQUARE, _SQUARE + (0, 0, 1)])


def _kuhn_tetrahedra() -> np.ndarray:
    """Return the corners (6, 4, 3) of the tetrahedra around a diagonal of the unit cube; neighbours match."""
    unit = np.eye(3, dtype=int)
    out = []
    for order in permutations(range(3)):
        corners = np.vstack([np.zeros((1, 3), int), np.cumsum(unit[list(order)], axis=0)])
        out.append(corners if np.linalg.det(unit[list(order)]) > 0 else corners[[0, 2, 1, 3]])
    return np.array(out)


_CELLS = {"q4": _SQUARE[None], "t3": _SQUARE[[(0, 1, 2), (0, 2, 3)]], "h8": _CUBE[None], "t4": _kuhn_tetrahedra()}
"""Kind -> corners (elements of a cell, k, 3) in the unit cell."""


def _cell(kind: str) -> tuple[np.ndarray, int]:
    """Return the nodes of a cell's elements on a grid, and how many grid steps make one cell."""
    if kind != "t10":
        return _CELLS[kind], 1
    corners = 2 * _CELLS["t4"]
    middles = np.stack([corners[:, list(edge)].sum(axis=1) // 2 for edge in EDGES["t10"]], axis=1)
    return np.concatenate([corners, middles], axis=1), 2


def grid_mesh(kind: str, lengths: Sequence[float], divisions: Sequence[int]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return nodes (n, 3), connectivity (m, k) and the number of elements of one cell.

    Parameters
    ----------
    kind : {"q4", "t3", "h8", "t4", "t10"}
        Of the elements.
    lengths : (d,) float
        Edges [m]; the mesh begins at x = 0 and is centred in the other directions.
    divisions : (d,) int
        Cells along each edge.
    """
    cell, stride = _cell(kind)
    counts = [n * stride + 1 for n in divisions] + [1] * (3 - len(divisions))
    ends = [(0.0, lengths[0])] + [(-h / 2, h / 2) for h in lengths[1:]] + [(0.0, 0.0)] * (3 - len(lengths))
    axes = [np.linspace(*end, count) for end, count in zip(ends, counts, strict=True)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    steps = np.array([counts[1] * counts[2], counts[2], 1])
    origins = np.stack(np.meshgrid(*[np.arange(0, max(c - 1, 1), stride) for c in counts], indexing="ij"), axis=-1)
    connectivity = (origins.reshape(-1, 1, 1, 3) + cell) @ steps
    return nodes, connectivity.reshape(-1, cell.shape[1]), len(cell)


def read_grid(faults: Faults, where: str, lengths: Any, divisions: Any, kind: Any, kinds: Sequence[str], dim: int
              ) -> tuple[float, ...]:
    """Report what is wrong with the arguments of a structured mesh; return its lengths [m]."""
    sizes = row(faults, f"{where}.lengths", lengths, (dim,), ("m",), f"{dim} lengths [m]") or ()
    for i, size in enumerate(sizes):
        if not size > 0:
            faults.flag(f"{where}.lengths[{i}]", f"found {size:g}, expected a length [m] greater than 0")
    counts = list(divisions) if isinstance(divisions, (Sequence, np.ndarray)) else []
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) and int(n) >= 1 for n in counts)
    if len(counts) != dim or isinstance(divisions, str) or not whole:
        faults.flag(f"{where}.divisions", f"found {shown(divisions)}, expected {dim} whole numbers of 1 or more")
    if kind not in kinds:
        faults.flag(f"{where}.kind", f"found {shown(kind)}, expected {' or '.join(map(repr, kinds))}")
    return sizes
