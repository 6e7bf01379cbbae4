"""Time histories drawn with matplotlib, with or without a screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ChannelError
from ..scenes.scene import Scene
from .panels import Panel, Picture, empty_figure, fill, paint, write_figure
from .results import Results
from .tabular import labelled, left_out, overview

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(results: Results, channels: Sequence[str] = (), *, path: str | Path | None = None, show: bool | None = None,
         ax: Axes | None = None) -> Axes | Figure:
    """Draw channels over time; see `Results.plot`.

    Channels of one unit share a panel; panels are stacked.  Without channels the joints' coordinates and the
    energies are drawn.
    """
    if ax is not None:
        groups = _by_unit(results, channels or overview(results))
        fill(ax, results.t, _panel(results, [c for group in groups.values() for c in group], " | ".join(groups)))
        return ax
    picture = picture_of(results, channels)
    wanted = path is None if show is None else show
    figure = _new_figure(picture, wanted)
    paint(figure, picture)
    if path is not None:
        write_figure(figure, path)
    if wanted:
        show_windows()
    return figure


def picture_of(results: Results, channels: Sequence[str] = (), mechanism: Scene | None = None) -> Picture:
    """Return what `draw` draws, as plain data, perhaps below the mechanism."""
    groups = _by_unit(results, channels or overview(results))
    more = "" if channels else left_out(results).partition(":")[0]
    title = f"{results.layout.model} ({more})" if more else results.layout.model
    return Picture(title, results.t, [_panel(results, group, unit) for unit, group in groups.items()], mechanism)


def _by_unit(results: Results, channels: Sequence[str]) -> dict[str, list[str]]:
    """Return the channels grouped by unit, in the order given."""
    groups: dict[str, list[str]] = {}
    for channel in channels:
        if not isinstance(channel, str):
            raise ChannelError(f"a channel is a name, found {channel!r}; pass several as plot('a.angle', 'b.angle')")
        groups.setdefault(results.unit(channel), []).append(channel)
    return groups


def _panel(results: Results, channels: Sequence[str], unit: str) -> Panel:
    """Return channels of one unit as lines of one axes."""
    lines = {label: y for channel in channels for label, y in labelled(results, channel).items()}
    shown = "" if unit == "1" else f" [{unit}]"
    return Panel(f"{channels[0]}{shown}" if len(channels) == 1 else shown.strip(), lines)


def _new_figure(picture: Picture, on_screen: bool) -> Figure:
    """Return an empty figure: of pyplot if it is to be shown, whose margins follow the window, or one without a window."""
    if on_screen:
        try:
            import matplotlib.pyplot as plt

            return plt.figure(figsize=picture.size, layout="constrained")
        except ImportError:  # a backend was asked for whose toolkit is missing
            pass
    return empty_figure(picture)


def show_windows() -> None:
    """Open the window if the backend has one."""
    import matplotlib

    if matplotlib.get_backend().lower() not in {"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"}:
        import matplotlib.pyplot as plt

        plt.show()
