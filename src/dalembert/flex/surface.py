"""What is seen of a finite-element model: lines of beams, faces of plates, outer faces of solids."""

from __future__ import annotations

import numpy as np

from .fe_model import FEModel
from .shapes import H27_FACES

_TETRAHEDRON = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
_WEDGE = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
CELLS = {"beam2": ((0, 1),), "t3": ((0, 1, 2),), "t6": ((0, 1, 2),),
         "q4": ((0, 1, 2, 3),), "q8": ((0, 1, 2, 3),), "q9": ((0, 1, 2, 3),),
         "t4": _TETRAHEDRON, "t10": _TETRAHEDRON, "w6": _WEDGE, "h8": H27_FACES, "h20": H27_FACES, "h27": H27_FACES}
"""Corners of the lines or faces of each kind of element; those of solids turn outwards."""
SOLIDS = ("t4", "t10", "w6", "h8", "h20", "h27")


def surface_cells(fe: FEModel) -> tuple[np.ndarray, ...]:
    """Return the visible cells of a model, by their corners.

    Returns
    -------
    tuple of (m, k) int
        Node numbers of lines (k = 2), triangles (3) and quadrilaterals (4), as far as there are any.  A face that two
        solid elements share is inside and left out; middle nodes of quadratic elements are passed over.
    """
    drawn: dict[int, list[np.ndarray]] = {2: [], 3: [], 4: []}
    faces: dict[int, list[np.ndarray]] = {3: [], 4: []}
    for block in fe.elements:
        found = faces if block.kind in SOLIDS else drawn
        for corners in CELLS[block.kind]:
            found[len(corners)].append(block.connectivity[:, corners])
    for k, parts in faces.items():
        if parts:
            drawn[k].append(_single(np.vstack(parts)))
    return tuple(np.vstack(parts) for parts in drawn.values() if parts and sum(map(len, parts)))


def _single(faces: np.ndarray) -> np.ndarray:
    """Return the faces (m, k) whose corners no other face has."""
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    out: np.ndarray = faces[np.sort(first[count == 1])]
    return out
