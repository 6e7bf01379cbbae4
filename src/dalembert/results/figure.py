"""Time histories drawn with matplotlib, with or without a screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import ChannelError
from .results import Results
from .tabular import labelled, overview

MARGINS = (0.95, 0.15, 0.55, 0.4)
"""Left, right, lower and upper margin of a picture [inch]: room for an axis label and numbers of eight characters."""


def draw(results: Results, channels: Sequence[str] = (), *, path: str | Path | None = None, show: bool | None = None,
         ax=None):
    """Draw channels over time; see `Results.plot`.

    Channels of one unit share an axes, axes stand above each other.  Without channels the joints' coordinates and
    the energies are drawn.
    """
    groups = _by_unit(results, channels or overview(results))
    if ax is not None:
        _fill(ax, results, [c for group in groups.values() for c in group], " | ".join(groups))
        return ax
    wanted = path is None if show is None else show
    figure = _new_figure(len(groups), wanted)
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (unit, group) in zip(panels, groups.items(), strict=True):
        _fill(panel, results, group, unit)
    for panel in panels[:-1]:
        panel.set_xlabel("")
    panels[0].set_title(results.layout.model)
    if path is not None:
        figure.savefig(path, dpi=150)
    if wanted:
        _show()
    return figure


def _by_unit(results: Results, channels: Sequence[str]) -> dict[str, list[str]]:
    """Return the channels grouped by unit, in the order given."""
    groups: dict[str, list[str]] = {}
    for channel in channels:
        if not isinstance(channel, str):
            raise ChannelError(f"a channel is a name, found {channel!r}; pass several as plot('a.angle', 'b.angle')")
        groups.setdefault(results.unit(channel), []).append(channel)
    return groups


def _fill(ax, results: Results, channels: Sequence[str], unit: str) -> None:
    """Draw channels of one unit into an axes."""
    lines = {label: y for channel in channels for label, y in labelled(results, channel).items()}
    for label, y in lines.items():
        ax.plot(results.t, y, label=label, linewidth=1.4)
    shown = "" if unit == "1" else f" [{unit}]"
    ax.set_xlabel("time [s]")
    ax.set_ylabel(f"{channels[0]}{shown}" if len(channels) == 1 else shown.strip())
    ax.grid(True, alpha=0.3)
    if 1 < len(lines) <= 16:
        ax.legend(loc="best", fontsize="small")


def _new_figure(panels: int, on_screen: bool):
    """Return an empty figure: of pyplot if it shall be shown, otherwise one that no window system knows of.

    The margins of a window follow its size; those of a picture are fixed, since to find them takes as long as to draw.
    """
    width, height = 7.0, 1.6 + 2.4 * panels
    if on_screen:
        try:
            import matplotlib.pyplot as plt

            return plt.figure(figsize=(width, height), layout="constrained")
        except ImportError:  # a backend was asked for whose toolkit is missing
            pass
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    left, right, bottom, top = MARGINS
    figure.subplots_adjust(left=left / width, right=1 - right / width, bottom=bottom / height, top=1 - top / height,
                           hspace=0.12)
    return figure


def _show() -> None:
    """Open the window if the backend has one."""
    import matplotlib

    if matplotlib.get_backend().lower() not in {"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"}:
        import matplotlib.pyplot as plt

        plt.show()
