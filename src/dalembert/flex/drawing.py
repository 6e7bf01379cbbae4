"""Cells of flexible bodies drawn with matplotlib in three dimensions, without a window system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import unwritable

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D

COLOURS = "viridis"
PALE, PLAIN, RIGID = "0.6", "tab:blue", "0.35"
"""Of undeformed bodies, of bodies without values, of rigid bodies."""
LEAST_DEPTH = 0.15
"""Least edge of the drawn box, relative to its longest one: a planar picture needs some depth to be turned."""
FLAT = 1e-3
"""Pictures thinner than this, relative to their longest edge, are planar."""
VIEWS = ((0, 0), (0, -90), (90, -90))
"""Elevation and azimuth [deg] that look along x, y and z."""
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


@dataclass(frozen=True)
class Scale:
    """Colours of values: largest value, words with a unit, and the factor from SI units to it."""

    largest: float
    label: str
    factor: float


def scale_of(values: Sequence[np.ndarray], words: str, unit: str) -> Scale:
    """Return the colours from zero to the largest of some values [unit], written with a handy prefix."""
    largest = max((float(np.max(v)) for v in values if len(v)), default=0.0)
    size, prefix = next(((s, p) for s, p in PREFIXES if largest >= s), (1.0, ""))
    return Scale(largest / size, f"{words} [{prefix}{unit}]", 1 / size)


def new_axes() -> Axes3D:
    """Return empty axes in three dimensions, in a figure that no window system knows of."""
    from matplotlib.figure import Figure

    ax = Figure(figsize=(8.0, 5.5)).add_subplot(projection="3d", proj_type="ortho", computed_zorder=False)
    ax.figure.subplots_adjust(left=0.06, right=0.92, bottom=0.06, top=0.92)
    return ax


def draw_cells(ax: Axes3D, nodes: np.ndarray, cells: Sequence[np.ndarray], *, values: np.ndarray | None = None,
               scale: Scale | None = None, colour: str = PLAIN) -> None:
    """Draw lines and faces.

    Parameters
    ----------
    ax : Axes3D
    nodes : (n, 3) float
        [m].
    cells : sequence of (m, k) int
        Lines (k = 2), triangles and quadrilaterals; without any, the nodes are drawn as dots.
    values : (n,) float, optional
        Coloured by `scale`.
    scale : Scale, optional
    colour : str
        Without values.
    """
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    pale = colour == PALE
    for corners in cells:
        if corners.shape[1] == 2:
            drawn = Line3DCollection(nodes[corners], linewidths=1.0 if pale else 3.0, capstyle="round",
                                     linestyles="--" if pale else "-")
        else:
            drawn = Poly3DCollection(nodes[corners], linewidths=0.2, edgecolors=colour if pale else "0.2",
                                     alpha=0.15 if pale else None)
        if values is None or scale is None:
            drawn.set_color(colour) if corners.shape[1] == 2 else drawn.set_facecolor(colour)
        else:
            drawn.set_array(values[corners].mean(axis=1) * scale.factor)
            drawn.set_cmap(COLOURS)
            drawn.set_clim(0.0, scale.largest or 1.0)
        drawn.set_zorder(1 if pale else 2)
        ax.add_collection3d(drawn)
    if not cells:
        look: dict[str, Any] = {"color": colour}
        if values is not None and scale is not None:
            look = {"c": values * scale.factor, "cmap": COLOURS, "vmin": 0.0, "vmax": scale.largest or 1.0}
        ax.scatter(*nodes.T, s=12, zorder=1 if pale else 2, **look)


def draw_scale(ax: Axes3D, scale: Scale) -> None:
    """Draw the bar that explains the colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    bar = ScalarMappable(Normalize(0.0, scale.largest or 1.0), COLOURS)
    ax.figure.colorbar(bar, ax=ax, label=scale.label, shrink=0.7, pad=0.12)


def fit_axes(ax: Axes3D, points: np.ndarray, look: bool) -> None:
    """Give all three axes the same scale and room for the points (n, 3) [m]; `look` at a planar picture along its normal."""
    low, high = points.min(axis=0), points.max(axis=0)
    longest = float((high - low).max()) or 1.0
    middle, edges = (low + high) / 2, np.maximum(high - low, LEAST_DEPTH * longest) * 1.05
    flat = high - low < FLAT * longest
    for k, axis in enumerate("xyz"):
        getattr(ax, f"set_{axis}lim")(middle[k] - edges[k] / 2, middle[k] + edges[k] / 2)
        getattr(ax, f"set_{axis}label")(f"{axis} [m]", labelpad=14 if edges[k] > 0.4 * longest else 4)
        getattr(ax, f"{axis}axis").get_major_locator().set_params(nbins=max(1, round(5 * edges[k] / longest)), min_n_ticks=1)
    ax.set_box_aspect(edges)
    if look and flat.sum() == 1:
        _look_along(ax, int(np.argmax(flat)))


def _look_along(ax: Axes3D, normal: int) -> None:
    """Show axes from the side, without the axis that is looked along; labels beside the others would hide their numbers."""
    ax.view_init(*VIEWS[normal])
    getattr(ax, f"set_{'xyz'[normal]}ticks")([])
    for axis in "xyz":
        getattr(ax, f"set_{axis}label")("")
    words = " and ".join(axis for k, axis in enumerate("xyz") if k != normal)
    ax.text2D(0.5, 0.04, f"{words} [m]", transform=ax.transAxes, ha="center")


def finish(ax: Axes3D, given: bool, path: str | Path | None) -> Any:
    """Write the picture if it has a path; return the axes if they were given, else their figure."""
    if path is not None:
        try:
            ax.figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise unwritable(path, error) from error
    return ax if given else ax.figure
