"""Modes of vibration as results and as pictures: the mechanism moved along a mode, about the linearised state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..flex import drawing
from ..kernels.tree.state import move
from ..results.recovery import Recovery
from ..results.results import Results
from ..results.shape import shapes_of
from ..results.shape_figure import draw_rigid
from ..start.closing import held_at
from ..start.evaluate import make_results
from .linearized import Linearized

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

LARGEST = 0.1
"""Largest displacement of a mode that is shown, relative to the extent of the model, unless given otherwise."""
NOT_SIMULATED = "frames are moved along a mode, not simulated: channels of rates and loads have no meaning"
PROBE = 1e-6
"""Part of a unit change of the coordinates by which displacements are measured."""


def swing(linear: Linearized, value: complex, shape: np.ndarray, amplitude: float | None, frames: int) -> Results:
    """Return a mode, its eigenvalue and shape, as results of one period; see `Eigenmodes.swing`."""
    period = 2 * np.pi / abs(value.imag) if value.imag else 1.0
    phase = np.linspace(0.0, 2 * np.pi, frames)
    size = _amplitude(linear, shape) if amplitude is None else float(amplitude)
    return _moved(linear, np.real(np.exp(1j * phase)[:, None] * shape) * size, phase / (2 * np.pi) * period)


def draw_mode(linear: Linearized, model: Any, shape: np.ndarray, title: str, amplitude: float | None,
              ax: Axes3D | None, path: str | Path | None) -> Axes3D | Figure:
    """Draw a mode by its shape above the state that it swings about; see `Eigenmodes.plot`."""
    shape = shape.real
    size = _amplitude(linear, shape) if amplitude is None else float(amplitude)
    results = _moved(linear, np.stack([0 * shape, size * shape]), np.zeros(2))
    recovery = Recovery(results, model)
    pairs = [shapes_of(recovery, part) for part in recovery.parts]
    away = [np.linalg.norm(moved.nodes - still.nodes, axis=1) for still, moved in pairs]
    largest = max((float(d.max()) for d in away), default=0.0) or 1.0
    scale = drawing.Scale(1.0, "relative displacement", 1.0)
    axes = drawing.new_axes() if ax is None else ax
    for (still, moved), distance in zip(pairs, away, strict=True):
        drawing.draw_cells(axes, still.nodes, still.cells, colour=drawing.PALE)
        drawing.draw_cells(axes, moved.nodes, moved.cells, values=distance / largest, scale=scale)
    seen = [one.nodes for pair in pairs for one in pair]
    seen += draw_rigid(axes, results, [0], drawing.PALE) + draw_rigid(axes, results, [1], drawing.RIGID)
    if pairs:
        drawing.draw_scale(axes, scale)
    drawing.fit_axes(axes, np.vstack(seen) if seen else np.zeros((1, 3)), ax is None)
    axes.set_title(f"{results.layout.model}, {title}")
    return drawing.finish(axes, ax is not None, path)


def _moved(linear: Linearized, x: np.ndarray, times: np.ndarray) -> Results:
    """Return results whose frames are the linearised state moved by x (nf, n) along its free directions."""
    return moved_by(linear, x @ linear.motions.T, times)


def moved_by(linear: Linearized, changes: np.ndarray, times: np.ndarray) -> Results:
    """Return results whose frames are the linearised state with all its coordinates changed (nf, n_v)."""
    packed = held_at(linear.begin.packed, linear.t)
    q = np.tile(linear.q, (len(changes), 1))
    for frame, change in zip(q, np.ascontiguousarray(changes), strict=True):
        move(packed.system, linear.q, change, frame)
    still = np.zeros((len(changes), packed.layout.n_v))
    return make_results(packed, linear.begin.formulation.name, {"t": times, "q": q, "qd": still, "qdd": still},
                        messages=(NOT_SIMULATED,), integrator="none")


def _amplitude(linear: Linearized, shape: np.ndarray) -> float:
    """Return the factor of a mode that moves no place farther than LARGEST of the model's extent."""
    results = _moved(linear, np.stack([0 * shape.real, PROBE * shape.real, PROBE * shape.imag]), np.zeros(3))
    layout = results.layout
    names = [name for row, name in enumerate(layout.bodies) if row and row not in layout.hidden]
    places = np.stack([results[f"{name}.position"] for name in (*names, *(p.name for p in layout.points))], axis=1)
    away = np.linalg.norm(places[1:] - places[0], axis=2).max() / PROBE
    extent = np.ptp(np.vstack([places[0], np.zeros((1, 3))]), axis=0).max()
    return LARGEST * (float(extent / away) if away > 0 and extent > 0 else 1.0)
