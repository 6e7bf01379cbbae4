"""Pictures of the modes of a reduced body."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..model.values import shown
from . import drawing
from .fe_model import FEModel
from .surface import surface_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

LARGEST = 0.125
"""Largest displacement that is drawn, relative to the size of the body, unless given otherwise."""


def node_fields(fe: FEModel, displacement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return displacements and rotations (..., n, 3) of all nodes [m, rad]; zero where the model has no unknowns.

    Parameters
    ----------
    fe : FEModel
    displacement : (..., N) float
        Of the unknowns.
    """
    padded = np.concatenate([displacement, np.zeros((*displacement.shape[:-1], 1))], axis=-1)
    fields = padded[..., fe.dof_table]
    return fields[..., :3], fields[..., 3:]


def mode_number(number: Any, count: int, what: str) -> int:
    """Return the index of mode `number`, counted from one; ModelError if there is none."""
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or not 1 <= number <= count:
        raise ModelError(f"plot_mode: found mode {shown(number)}, expected 1 to {count}: {what}")
    return int(number) - 1


def draw_mode(fe: FEModel, displacement: np.ndarray, title: str, *, exaggeration: float | None = None,
              ax: Axes3D | None = None, path: str | Path | None = None) -> Axes3D | Figure:
    """Draw a displacement field of a model (N,) above its undeformed shape; see `ReducedBody.plot_mode`."""
    moved, _ = node_fields(fe, displacement)
    size = np.linalg.norm(moved, axis=1)
    if exaggeration is None:
        exaggeration = LARGEST * fe.size / (float(size.max()) or 1.0)
    relative = size / (float(size.max()) or 1.0)
    axes = drawing.new_axes() if ax is None else ax
    cells, nodes = surface_cells(fe), fe.nodes + exaggeration * moved
    scale = drawing.Scale(1.0, "relative displacement", 1.0)
    drawing.draw_cells(axes, fe.nodes, cells, colour=drawing.PALE)
    drawing.draw_cells(axes, nodes, cells, values=relative, scale=scale)
    drawing.draw_scale(axes, scale)
    drawing.fit_axes(axes, np.vstack([fe.nodes, nodes]), ax is None)
    axes.set_title(title)
    return drawing.finish(axes, ax is not None, path)
