"""The results of a run: time, named channels, cost, messages and where it all comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..system.layout import Layout
from . import channels as ch
from .events import EventRecord
from .stats import Stats
from .tables import FRAMES, TABLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D
    from pandas import DataFrame
    from xarray import Dataset

    from ..model.model import Model
    from .shape import Reference, Shape

Evaluate = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], Mapping[str, np.ndarray]]


class Results:
    """Time histories of a run, by name: ``r["elbow.angle"]``.

    Parameters
    ----------
    frames : mapping of str to array
        ``t`` (nf,) [s], ``q`` (nf, n_q), ``qd`` and ``qdd`` (nf, n_v).
    layout : Layout
        Names and indices.
    evaluate : callable, optional
        ``evaluate(t, q, qd, qdd)`` returns the arrays named in `tables.TABLES`; called once, when a channel first
        needs one of them.
    tables : mapping of str to array, optional
        The same arrays, where they are there already.
    stats : Stats, optional
        Cost of the run.
    messages : iterable of str
        What was detected: moved starts, redundant constraints, stiffness, massless bodies.
    status : str
        ``"ok"``, or why the run ended early.
    provenance : mapping, optional
        See `provenance.provenance`.
    events : iterable of EventRecord
        What happened at single times, in their order; see `dalembert.results.events.EventRecord`.
    model : Model, optional
        That of the run.

    Attributes
    ----------
    layout, stats, messages, status, provenance, events, model
        As above; `model` is None in results that come from a file or from another process.
    """

    def __init__(self, frames: Mapping[str, np.ndarray], layout: Layout, *, evaluate: Evaluate | None = None,
                 tables: Mapping[str, np.ndarray] | None = None, stats: Stats | None = None,
                 messages: Iterable[str] = (), status: str = "ok", provenance: Mapping[str, Any] | None = None,
                 events: Iterable[EventRecord] = (), model: Model | None = None):
        self._frames = {name: np.asarray(frames[name], float) for name in FRAMES}
        self._tables = None if tables is None else dict(tables)
        self._evaluate = evaluate
        self.layout = layout
        self.stats = stats if stats is not None else Stats()
        self.messages = tuple(messages)
        self.status = status
        self.provenance = dict(provenance or {})
        self.events = tuple(events)
        self.model = model

    @property
    def t(self) -> np.ndarray:
        """Times of the frames [s] (nf,)."""
        return self._frames["t"]

    @cached_property
    def channels(self) -> list[str]:
        """Names of all channels, sorted."""
        return sorted(set(ch.names(self._owners)))

    @cached_property
    def _owners(self) -> ch.Owners:
        return ch.owners(self.layout)

    def array(self, name: str) -> np.ndarray:
        """Return a whole array of the run, one row per frame; for names see `tables.FRAMES` and `tables.TABLES`."""
        return self._frames[name] if name in self._frames else self.tables()[name]

    def tables(self) -> dict[str, np.ndarray]:
        """Return the evaluated arrays; evaluates them on the first call."""
        if self._tables is None:
            if self._evaluate is None:
                raise ValueError("these results hold coordinates only: give Results tables= or evaluate=")
            found = self._evaluate(*(self._frames[name] for name in FRAMES))
            self._tables = {name: np.asarray(found[name], float) for name in TABLES}
        return self._tables

    def frames(self) -> dict[str, np.ndarray]:
        """Return time, coordinates, rates and their derivatives."""
        return dict(self._frames)

    def __getitem__(self, channel: str) -> np.ndarray:
        """Return a channel's time history, (nf,) or (nf, components); `ChannelError` if there is none."""
        quantity, entry = ch.find(self._owners, channel)
        return quantity.value(self, entry)

    def __contains__(self, channel: str) -> bool:
        owner, _, quantity = str(channel).rpartition(".")
        return any(quantity in quantities for quantities, _ in self._owners.get(owner, ()))

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.t)

    def unit(self, channel: str) -> str:
        """Return a channel's unit; ``"1"`` without dimension, several where the components differ."""
        return ch.find(self._owners, channel)[0].unit

    def components(self, channel: str) -> tuple[tuple[str, ...], ...]:
        """Return the labels along each axis after time; empty for a scalar channel."""
        return ch.find(self._owners, channel)[0].components

    def table(self, channels: Sequence[str] | None = None) -> str:
        """Return a printable summary: unit, smallest, largest and last value of each channel's components."""
        from .tabular import printed, summary

        return printed(summary(self, channels))

    def to_xarray(self, channels: Sequence[str] | None = None) -> Dataset:
        """Return an `xarray.Dataset` of the channels (all of them by default); needs the extra ``[tables]``."""
        from .tabular import to_xarray

        return to_xarray(self, channels)

    def to_pandas(self, channels: Sequence[str] | None = None) -> DataFrame:
        """Return a `pandas.DataFrame`, a column per component, index t [s]; needs the extra ``[tables]``."""
        from .tabular import to_pandas

        return to_pandas(self, channels)

    def to_vtk(self, folder: str | Path, model: Model | None = None, *, exaggeration: float = 1.0) -> Path:
        """Write a ParaView series into a folder.

        Parameters
        ----------
        folder : str or Path
            Made if missing.
        model : Model, optional
            That of the run: its flexible bodies are written too, with displacements, stresses and axes at their nodes.
        exaggeration : float
            Factor of their displacements, from where they would be undeformed on their first place.

        Returns
        -------
        Path
            The ``.pvd`` file, to be opened in ParaView.
        """
        from .vtk import write_series

        return write_series(self, folder, model, exaggeration)

    def shape(self, model: Model, name: str, frame: int = -1, *, exaggeration: float = 1.0,
              reference: Reference = None) -> Shape:
        """Return the deformed shape of a flexible part: nodes, surface, displacements and stresses.

        Parameters
        ----------
        model : Model
            That of the run.
        name : str
            Of a beam or flexible body.
        frame : int
            Number of the frame; the last by default.
        exaggeration : float
            Factor of the displacements.
        reference : str or pair of str, optional
            Place of the part that the undeformed shape is laid on, ``"end"``, or two places for the chord between them,
            ``("start", "end")``; its first place by default, as in the channel ``deflection``.

        Returns
        -------
        Shape
            See `dalembert.results.shape.Shape`.
        """
        from .recovery import Recovery
        from .shape import shapes_of
        from .shape_figure import chosen_frames

        return shapes_of(Recovery(self, model).at(chosen_frames(self, [frame])), name, exaggeration, reference)[0]

    def stress(self, model: Model, name: str, *, components: bool = False) -> np.ndarray:
        """Return stresses of a flexible part over time.

        Parameters
        ----------
        model : Model
            That of the run.
        name : str
            ``"arm.tip"``: at a place, that of the nearest node, in beams that of the section there.  ``"arm"``: the largest
            of all nodes.
        components : bool
            Whether to return the components at a place instead of one number.

        Returns
        -------
        (nf,) or (nf, s) float
            Von Mises stress; for beams the largest axial stress of normal force and bending [Pa].  Components are in the
            body's axes: xx, yy, zz, xy, yz, zx of solids and xx, yy, xy of plates [Pa], section forces N, Vy, Vz [N], T, My,
            Mz [N m] of beams.
        """
        from .stress import stress_history

        return stress_history(self, model, name, components)

    def plot_shape(self, model: Model, *names: str, frame: int | Sequence[int] = -1, exaggeration: float = 1.0,
                   colour: str | None = "stress", reference: Reference = None, ax: Axes3D | None = None,
                   path: str | Path | None = None) -> Axes3D | Figure:
        """Draw flexible parts in space above their undeformed shapes.

        Parameters
        ----------
        model : Model
            That of the run.
        *names : str
            Parts to draw; without any all of them, and rigid bodies as lines from their origins to their points.
        frame : int or sequence of int
            Numbers of the frames to draw; the last by default.
        exaggeration : float
            Factor of the displacements.
        colour : {"stress", "displacement", None}
            What colours show.
        reference : str or pair of str, optional
            As for `shape`.
        ax : matplotlib Axes3D, optional
            Draw into this one.
        path : str or Path, optional
            Where to write the picture.

        Returns
        -------
        matplotlib Figure, or Axes3D if `ax` was given
        """
        from .shape_figure import draw_shapes

        return draw_shapes(self, model, names, frame, exaggeration, colour, reference, ax, path)

    def plot(self, *channels: str, path: str | Path | None = None, show: bool | None = None,
             ax: Axes | None = None) -> Axes | Figure:
        """Draw channels over time.

        Parameters
        ----------
        *channels : str
            What to draw; channels of one unit share an axes.
        path : str or Path, optional
            Where to write the picture.
        show : bool, optional
            Open a window; by default if there is a screen and no `path` or `ax` is given.
        ax : matplotlib Axes, optional
            Draw everything into this one.

        Returns
        -------
        matplotlib Figure, or Axes if `ax` was given
        """
        from .figure import draw

        return draw(self, channels, path=path, show=show, ax=ax)

    def picture(self, model: Model | None = None, *, frame: int | Sequence[int] | None = None, forces: bool = True,
                reactions: bool = False, trace: Sequence[str] = (), size: tuple[int, int] = (800, 560),
                path: str | Path | None = None, ax: Axes | None = None) -> Axes | Figure:
        """Draw the mechanism at some frames of the run, earlier ones paler.

        Parameters
        ----------
        model : Model, optional
            That of the run; needed for results from a file if the model has reduced bodies.
        frame : int or sequence of int, optional
            Numbers of frames; by default a few that are spread over the run.
        forces, reactions : bool
            Whether to draw arrows for forces and torques, and for the forces that joints exert on their second body.
        trace : sequence of str
            Bodies and points whose way is drawn, such as ``["lower.tip"]``.
        size : (2,) int
            Width and height [pixels].
        path : str or Path, optional
            Where to write the picture.
        ax : matplotlib Axes, optional
            Draw into this one.

        Returns
        -------
        matplotlib Figure, or Axes if `ax` was given
        """
        from .animation import picture

        return picture(self, model, frame, path, ax, size, forces=forces, reactions=reactions, trace=trace)

    def animate(self, path: str | Path, model: Model | None = None, *, fps: float = 25.0, speed: float | None = None,
                forces: bool = True, reactions: bool = False, trace: Sequence[str] = (),
                size: tuple[int, int] = (800, 600)) -> Path:
        """Write a film of the mechanism, without a screen.

        Parameters
        ----------
        path : str or Path
            ``.gif``: for slides and pages.  ``.mp4``: by the program ffmpeg, where it is installed.  ``.html``: a page that
            needs no network, to be played, stopped and turned in a browser.
        model : Model, optional
            As for `picture`.
        fps : float
            Pictures a second.
        speed : float, optional
            Simulated seconds a second of the film; by default one second, but films take 3 to 12 seconds.
        forces, reactions, trace, size
            As for `picture`.

        Returns
        -------
        Path
            The file.
        """
        from .animation import animate

        return animate(self, path, model, fps, speed, size, forces=forces, reactions=reactions, trace=trace)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write results to a file.

        Parameters
        ----------
        path : str or Path
            ``.h5``: everything, in HDF5, for `load`.  ``.csv``: a table of the joints' coordinates and the energies, a line a
            frame and a column a component.
        overwrite : bool
            Results of an earlier run are replaced in any case; True allows it for any other file.

        Returns
        -------
        Path
            The file.
        """
        from .store import save

        return save(self, path, overwrite)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: all tables, and nothing that belongs to this process."""
        if self._tables is None and self._evaluate is not None:
            self.tables()
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_owners", "channels")}
        return {**kept, "_evaluate": None, "model": None}

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} to {self.t[-1]:g} s" if len(self) else "no frames"
        status = "" if self.status == "ok" else f", ended early: {self.status}"
        method = " ".join(str(self.provenance[key]) for key in ("formulation", "integrator") if key in self.provenance)
        lines = [f"<Results of {self.layout.model!r}: {len(self)} frames, {span}{status}>",
                 f"  {method + ': ' if method else ''}{self.stats}", f"  {self._owned()}"]
        return "\n".join([*lines, *(f"  {message}" for message in self.messages)])

    def _repr_html_(self) -> str:
        """Return what notebooks show: the mechanism, the largest and smallest values, and the messages."""
        from .html import html_of

        return html_of(self)

    def _owned(self) -> str:
        """Say how many channels there are, and of what."""
        layout = self.layout
        joints = sum(not joint.hidden for joint in layout.joints) + len(layout.cuts)
        parts = len({face.base for face in layout.faces})
        shown = [name for name in self._owners if name not in ch.SYSTEM][:8]
        more = ", …" if len(self._owners) - len(ch.SYSTEM) > len(shown) else ""
        bound = f" and {len(layout.constraints)} constraints" if layout.constraints else ""
        bodies = len(layout.bodies) - 1 - len({*layout.hidden, *(face.body for face in layout.faces)})
        flexible = f"{parts} flexible bod{'y' if parts == 1 else 'ies'}, " * bool(parts)
        return (f"{bodies} bodies, {flexible}{joints} joints{bound}, {len(layout.forces)} forces; "
                f"channels of {', '.join(shown)}{more}")
