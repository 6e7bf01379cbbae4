"""Moving and still pictures of a run: films, pages, and poses in a figure of matplotlib's."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from ..errors import FormatError, ModelError, near_names
from ..model.values import shown
from ..scenes.film import ffmpeg, film_frames, film_speed, write_film
from ..scenes.page import MOST, write_page
from ..scenes.picture import poses
from ..scenes.scene import Scene
from .figure import show_windows
from .panels import write_figure
from .results import Results
from .scene import scene_of
from .shape_figure import chosen_frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..model.model import Model

ENDINGS = (".gif", ".mp4", ".html")
POSES = 4
"""Of a still picture."""


def animate(results: Results, path: str | Path, model: Model | None, fps: float, speed: float | None,
            size: tuple[int, int], **drawn: Any) -> Path:
    """Write a film or a page; see `Results.animate`."""
    path = _target(path)
    _check(fps, speed, size)
    if not len(results):
        raise ModelError(f"{path}: the results of {results.layout.model!r} have no frames to be shown")
    if path.suffix.lower() == ".mp4":
        ffmpeg(path)  # before anything is drawn
    frames = film_frames(results.t, fps, speed)
    if path.suffix.lower() == ".html":
        frames = np.unique(frames[np.linspace(0, len(frames) - 1, min(len(frames), MOST)).astype(int)])
    scene = with_warnings(scene_of(results, model, frames=frames, **drawn))
    if path.suffix.lower() == ".html":
        write_page(scene, path, film_speed(results.t) if speed is None else speed)
    else:
        write_film(scene, path, fps, *(2 * round(pixels / 2) for pixels in size))
    return path


def show_page(results: Results, path: str | Path | None, model: Model | None, **options: Any) -> Path:
    """Write a page, into a folder for passing files if no path is given, and open it where there is a screen."""
    if path is None:
        path = Path(mkdtemp(prefix="dalembert-")) / "mechanism.html"
    elif Path(path).suffix.lower() != ".html":
        raise FormatError(f"{path}: found the ending {Path(path).suffix!r}, expected .html")
    written = results.animate(path, model, **options)
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(written.absolute().as_uri())
    return written


def _target(path: str | Path) -> Path:
    """Refuse a path that no film can be written to."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise FormatError(f"{path}: found the ending {path.suffix!r}, expected one of {', '.join(ENDINGS)}."
                          f"{near_names(path.suffix, ENDINGS)}")
    if path.is_dir() or not path.parent.is_dir():
        found = "is a folder" if path.is_dir() else f"there is no folder {str(path.parent)!r}"
        raise FormatError(f"{path}: {found}, expected the name of a file in a folder that exists")
    return path


def _check(fps: float, speed: float | None, size: Sequence[int]) -> None:
    """Refuse numbers that make no film."""
    for name, value in (("fps", fps), ("speed", 1.0 if speed is None else speed)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < np.inf:
            raise ModelError(f"{name}: found {shown(value)}, expected a number above zero")
    fits = isinstance(size, Sequence) and len(size) == 2 and all(isinstance(n, int) and 16 <= n <= 8192 for n in size)
    if not fits:
        raise ModelError(f"size: found {shown(size)}, expected width and height in pixels, 16 to 8192, such as (800, 600)")


def with_warnings(scene: Scene) -> Scene:
    """Return a scene after warnings of what it lacks."""
    for note in scene.notes:
        warn(note, stacklevel=4)
    return scene


def picture(results: Results, model: Model | None, frame: int | Sequence[int] | None, path: str | Path | None,
            ax: Axes | None, size: tuple[int, int], **drawn: Any) -> Axes | Figure:
    """Draw the mechanism at some frames into one picture; see `Results.picture`."""
    _check(1.0, None, size)
    if not len(results):
        raise ModelError(f"the results of {results.layout.model!r} have no frames to be shown")
    frames = poses_of(results) if frame is None else [n % len(results) for n in chosen_frames(results, frame)]
    pixels = poses(with_warnings(scene_of(results, model, frames=frames, **drawn)), size)
    figure = None if ax is not None else _figure(size, path is None)
    axes = figure.add_subplot() if figure is not None else ax
    assert axes is not None  # one of the two
    axes.imshow(pixels)
    axes.set_axis_off()
    times = ", ".join(f"{results.t[n]:.3g}" for n in frames)
    axes.set_title(f"{results.layout.model}, t = {times} s", fontsize="medium")
    if figure is None:
        return axes
    if path is not None:
        write_figure(figure, path)
    else:
        show_windows()
    return figure


def poses_of(results: Results) -> list[int]:
    """Return a few frames that are spread over a run, each one once."""
    times = np.linspace(results.t[0], results.t[-1], POSES)
    return sorted({int(np.abs(results.t - time).argmin()) for time in times})


def _figure(size: tuple[int, int], on_screen: bool) -> Figure:
    from matplotlib.figure import Figure

    inches = (size[0] / 100, size[1] / 100 + 0.3)
    if on_screen:
        try:
            import matplotlib.pyplot as plt

            return plt.figure(figsize=inches, layout="constrained")
        except ImportError:  # a backend was asked for whose toolkit is missing
            pass
    return Figure(figsize=inches, layout="constrained")
