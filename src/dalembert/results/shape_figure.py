"""Deformed shapes drawn with matplotlib, without a window system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..flex import drawing
from ..model.values import shown
from .recovery import Recovery
from .results import Results
from .shape import Reference, Shape, shapes_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

COLOURS = ("stress", "displacement", None)


def chosen_frames(results: Results, frame: int | Sequence[int]) -> list[int]:
    """Return the numbers of the wanted frames; ModelError for those that the run does not have."""
    wanted = list(frame) if isinstance(frame, (Sequence, np.ndarray)) else [frame]
    for number in wanted:
        if not isinstance(number, (int, np.integer)) or not -len(results) <= number < len(results):
            raise ModelError(f"frame: found {shown(number)}, expected whole numbers from {-len(results)} to "
                             f"{len(results) - 1}: the run has {len(results)} frames")
    return [int(number) for number in wanted]


def draw_shapes(results: Results, model: Any, names: Sequence[str], frame: int | Sequence[int], exaggeration: float,
                colour: str | None, reference: Reference, ax: Axes3D | None, path: str | Path | None) -> Axes3D | Figure:
    """Draw flexible parts; see `Results.plot_shape`."""
    if colour not in COLOURS:
        raise ModelError(f"colour: found {shown(colour)}, expected 'stress', 'displacement' or None")
    frames = chosen_frames(results, frame)
    recovery = Recovery(results, model).at(frames)
    shapes = [shape for name in names or recovery.parts for shape in shapes_of(recovery, name, exaggeration, reference)]
    values = [_values(shape, colour) for shape in shapes]
    axes = drawing.new_axes() if ax is None else ax
    scale = None
    if colour is not None and shapes:
        scale = drawing.scale_of([value for value in values if value is not None], colour, "Pa" if colour == "stress" else "m")
        drawing.draw_scale(axes, scale)
    for shape, value in zip(shapes, values, strict=True):
        drawing.draw_cells(axes, shape.undeformed, shape.cells, colour=drawing.PALE)
        drawing.draw_cells(axes, shape.nodes, shape.cells, values=value, scale=scale)
    seen = [points for shape in shapes for points in (shape.nodes, shape.undeformed)]
    if not names:
        seen += draw_rigid(axes, results, frames)
    drawing.fit_axes(axes, np.vstack(seen) if seen else np.zeros((1, 3)), ax is None)
    axes.set_title(_title(results, frames, exaggeration if shapes else 1.0))
    return drawing.finish(axes, ax is not None, path)


def _values(shape: Shape, colour: str | None) -> np.ndarray | None:
    """Return what colours a shape, (n,)."""
    if colour == "stress" and shape.stress is None:
        raise ModelError(f"stress of {shape.name!r}: {shape.without_stress}; or draw with colour='displacement'")
    if colour == "displacement":
        return np.asarray(np.linalg.norm(shape.displacement, axis=1))
    return shape.stress if colour == "stress" else None


def draw_rigid(axes: Axes3D, results: Results, frames: list[int], colour: str = drawing.RIGID) -> list[np.ndarray]:
    """Draw rigid bodies as lines from their origins to their points; returns all points drawn."""
    layout = results.layout
    flexible = {*layout.hidden, *(face.body for face in layout.faces)}
    origins = {row: results[f"{name}.position"][frames] for row, name in enumerate(layout.bodies)
               if row and row not in flexible}
    drawn = list(origins.values())
    for point in layout.points:
        if point.body in flexible:
            continue
        drawn.append(results[f"{point.name}.position"][frames])
        for start, end in zip(origins.get(point.body, ()), drawn[-1], strict=False):
            axes.plot(*np.stack([start, end]).T, color=colour, linewidth=1.5, zorder=3)
    if drawn:
        axes.scatter(*np.vstack(drawn).T, s=8, color=colour, zorder=3)
    return drawn


def _title(results: Results, frames: list[int], exaggeration: float) -> str:
    times = ", ".join(f"{results.t[frame]:.4g}" for frame in frames)
    factor = "" if exaggeration == 1.0 else f", displacements × {exaggeration:g}"
    return f"{results.layout.model}, t = {times} s{factor}"
