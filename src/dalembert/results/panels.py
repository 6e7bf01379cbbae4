"""A picture as plain data, axes above each other with lines over time, and how matplotlib draws it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import unwritable
from ..scenes.picture import poses
from ..scenes.scene import Scene
from .targets import DRAWN_BY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARGINS = (0.95, 0.15, 0.55, 0.4)
"""Left, right, lower and upper margin of a picture [inch]: room for an axis label and numbers of eight characters."""
WIDTH = 7.0
"""Of a picture [inch]."""
HIGH = 3.4
"""Height of the picture of a mechanism [inch]."""
PIXELS = (900, 510)
"""Of a mechanism."""


class Panel(NamedTuple):
    """One axes: the label of its vertical axis and its lines by name, each (n,)."""

    label: str
    lines: dict[str, np.ndarray]


class Picture(NamedTuple):
    """Panels above each other over the times t (n,) [s]; above them the mechanism at all frames of its scene."""

    title: str
    t: np.ndarray
    panels: list[Panel]
    mechanism: Scene | None = None

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [inch]."""
        return WIDTH, 1.6 + 2.4 * len(self.panels) + (HIGH if self.mechanism is not None else 0.0)


def fill(ax: Axes, t: np.ndarray, panel: Panel) -> None:
    """Draw the lines of a panel into an axes."""
    for name, y in panel.lines.items():
        ax.plot(t, y, label=name, linewidth=1.4)
    ax.set_xlabel("time [s]")
    ax.set_ylabel(panel.label)
    ax.grid(True, alpha=0.3)
    if 1 < len(panel.lines) <= 16:
        ax.legend(loc="best", fontsize="small")


def paint(figure: Figure, picture: Picture) -> None:
    """Draw all panels into an empty figure."""
    heights = [*([] if picture.mechanism is None else [HIGH]), *[2.4] * len(picture.panels)]
    axes = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    if picture.mechanism is not None:
        axes[0].imshow(poses(picture.mechanism, PIXELS))
        axes[0].set_axis_off()
        axes[0].set_title(picture.title)
        axes = axes[1:]
    for ax, panel in zip(axes, picture.panels, strict=True):
        fill(ax, picture.t, panel)
    for ax in axes[:-1]:
        ax.sharex(axes[-1])
        ax.tick_params(labelbottom=False)
        ax.set_xlabel("")
    if picture.mechanism is None:
        axes[0].set_title(picture.title)


def empty_figure(picture: Picture) -> Figure:
    """Return a figure of matplotlib's that no window system knows of.

    Its margins are fixed, since to find them takes as long as to draw.
    """
    from matplotlib.figure import Figure

    (width, height), (left, right, bottom, top) = picture.size, MARGINS
    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(left=left / width, right=1 - right / width, bottom=bottom / height, top=1 - top / height,
                           hspace=0.12)
    return figure


def write_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file; FormatError where that cannot be."""
    metadata = {"Software": DRAWN_BY} if Path(path).suffix.lower() == ".png" else None
    try:
        figure.savefig(path, dpi=150, metadata=metadata)
    except (OSError, ValueError) as error:  # a ValueError names the endings that are known
        raise unwritable(path, error) from error


def write_picture(picture: Picture, path: str | Path) -> None:
    """Draw a picture and write it to a file."""
    figure = empty_figure(picture)
    paint(figure, picture)
    write_figure(figure, path)
