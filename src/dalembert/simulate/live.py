"""A simulation whose model is changed while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, cast

import numpy as np

from ..errors import Fault, HoldsResults, ModelError, MultibodyError, near_names
from ..model.dependents import with_dependents
from ..model.loose import with_free_joints
from ..model.model import Model
from ..results.events import EventRecord
from ..results.results import Results
from ..results.segments import joined_segments
from ..start.arguments import RunOptions, check_run_arguments
from ..start.deformed import Starts
from ..start.evaluate import make_results
from ..start.formulations import Formulation
from ..start.initial import prepare_start, start_at
from ..start.start import Start
from ..start.state import State, state_of
from .integrators import Integrator
from .interrupts import Stop
from .live_edit import GROUND, start_edited
from .progress import Progress
from .simulation import Advance, Glance, Simulation
from .unilateral import UnilateralContact

HORIZON = 1000.0
"""Time ahead that the longest step of error control is a tenth of [s]."""
SPACING = 0.01
"""Spacing of the recorded frames if neither it nor a step is given [s]."""
ROOM = 512
"""Frames that the buffer of the kernels has room for."""
LATEST = 1e-9
"""Share of the spacing by which two frames are apart at least."""


@dataclass(frozen=True)
class Snapshot:
    """A live simulation at a time, for `Live.restore`.

    Attributes
    ----------
    t : float
        Time [s].
    model : Model
        What was simulated then.
    state : State
        Coordinates, poses and velocities by name.
    """

    t: float
    model: Model
    state: State
    memory: Mapping[str, Any]
    segments: tuple[Results, ...]


class Live:
    """A simulation that is looked at and changed while it runs; made by `live`.

    ``sim["elbow.angle"]`` is the present value of a channel.  Edits are applied between steps: they leave time, positions and
    velocities as they are, unless a new joint demands otherwise.  An edit that fails raises its error and changes nothing.

    Attributes
    ----------
    messages : list of str
        What edits moved, and what was detected.
    """

    def __init__(self, model: Model, begin: Start, options: RunOptions, formulation: str | Formulation, record: float,
                 contact: Any):
        self._model, self._options, self._formulation, self._contact = model, options, formulation, contact
        self._record = record
        self._segments: tuple[Results, ...] = ()
        self._saved: Snapshot | None = None
        self._ended, self._seconds = False, 0.0
        self._edits: tuple[EventRecord, ...] = ()
        self._present: Results | None = None
        self._simulation = self._simulation_of(begin)

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self._simulation.t

    @property
    def model(self) -> Model:
        """The model as it is now; a copy, changing it changes nothing here."""
        return self._model.replaced()

    @property
    def state(self) -> State:
        """Coordinates, poses and velocities by name."""
        frame = self._simulation.state()
        return state_of(self._simulation.begin.shown, self.t, frame["q"][0], frame["qd"][0])

    @property
    def channels(self) -> list[str]:
        """Names of the channels that there are now, sorted."""
        return self._now().channels

    @property
    def messages(self) -> list[str]:
        """What was detected so far, and what edits moved."""
        return [*(message for segment in self._segments for message in segment.messages), *self._simulation.messages]

    def __getitem__(self, channel: str) -> np.ndarray:
        """Return the present value of a channel; `ChannelError` if there is none."""
        out: np.ndarray = self._now()[channel][0]
        return out

    def _now(self) -> Results:
        if self._present is None:
            found: Results = make_results(self._simulation.begin.shown, self._simulation.begin.formulation.name,
                                          self._simulation.state(), **self._simulation.method)
            self._present = found
        return self._present

    @property
    def results(self) -> Results:
        """Everything recorded so far: `Results` as of a run, `SegmentedResults` once the model has changed."""
        return joined_segments([*self._segments, self._segment()])

    def _segment(self) -> Results:
        """Return what was recorded since the last edit, with a frame of the present."""
        simulation, recorder = self._simulation, self._simulation.recorder
        recorder.collect()
        recorder.add(simulation.loop.present())
        out: Results = make_results(simulation.begin.shown, simulation.begin.formulation.name, recorder.frames(),
                                    messages=[*simulation.messages, *simulation.loop.opened()],
                                    stats=simulation.loop.stats(self._seconds),
                                    events=[*self._edits, *simulation.events], **simulation.method)
        return out

    # --- going on -----------------------------------------------------------------------------------------------------

    def advance(self, dt: float | None = None, *, until: float | None = None, stop: Callable[[Glance], Any] | None = None,
                progress: Progress | None = None) -> Advance:
        """Go on by a time, or up to a time, or until a condition becomes true.

        Parameters
        ----------
        dt : float, optional
            Time to go on by [s].
        until : float, optional
            Time to go to [s]; one of the two is given.
        stop : callable, optional
            ``stop(s)`` with ``s.t`` and ``s["channel"]``, looked at after every step; the step in which it becomes true ends
            where it does.
        progress : callable, optional
            ``progress(t, until, step, steps)``, called a few times a second.

        Returns
        -------
        Advance
            `t`, and whether a condition or an event of the model `stopped` it.

        Raises
        ------
        ConvergenceError, SingularError
            The step failed; the simulation stays where it came to, and may go on once the model was changed.  The error's
            attribute `results` holds everything up to there.
        """
        self._check_running()
        end = self._end_of(dt, until)
        simulation, self._present, began = self._simulation, None, perf_counter()
        simulation.record_next(self._times_up_to(end))
        with Stop() as interrupt:
            ended = simulation.advance(end, stop=stop, progress=progress, interrupt=interrupt)
        simulation.recorder.collect()
        self._seconds += perf_counter() - began
        if ended.error is not None:
            cast(HoldsResults, ended.error).results = self.results
            raise ended.error
        return ended

    def _end_of(self, dt: Any, until: Any) -> float:
        if (dt is None) == (until is None):
            raise ModelError([Fault("advance", "give the time to go on by, advance(0.1), or the time to go to, "
                                               "advance(until=2.0)")])
        name, value = ("dt", dt) if until is None else ("until", until)
        try:
            end = float(value) + (self.t if until is None else 0.0)
        except (TypeError, ValueError):
            end = np.nan
        if isinstance(value, bool) or not np.isfinite(end) or end < self.t:
            raise ModelError([Fault(f"advance, {name}", f"found {value!r}, expected a time of at least "
                                                        f"{0.0 if until is None else self.t:g} s")])
        return end

    def _times_up_to(self, end: float) -> np.ndarray:
        """Return the times of the next frames: the grid since the segment began, and the end."""
        self._simulation.recorder.collect()
        begin, spacing = self._simulation.begin.t, self._record
        first = int(np.ceil((self.t - begin) / spacing - LATEST))
        last = int(np.floor((end - begin) / spacing + LATEST))
        times = begin + spacing * np.arange(first, last + 1)
        recorded = self._last_recorded()
        times = times[times > recorded + LATEST * spacing]
        if not len(times) or times[-1] < end - LATEST * spacing:
            return np.append(times, end)
        times[-1] = end
        return times

    def _last_recorded(self) -> float:
        blocks = self._simulation.recorder.blocks
        return next((float(block["t"][-1]) for block in reversed(blocks) if len(block["t"])), -np.inf)

    # --- changing -----------------------------------------------------------------------------------------------------

    def add(self, *parts: Any) -> None:
        """Add bodies, joints, constraints, forces, motions, contacts, controllers and events.

        New bodies take the places that their joints give them, by `start` and `start_rate` as at the beginning of a run; a
        body without a joint flies freely.  A new joint between bodies that are there is closed: if they do not fit, they move
        as little as they must, and velocities change as by an ideal, plastic impact.
        """
        self._edit(self._model.replaced().add(*parts), "add", [part.name for part in parts if hasattr(part, "name")])

    def remove(self, *names: str) -> None:
        """Remove parts, with all that cannot be without them: joints and forces of a body, springs and motors of a joint."""
        faults = [Fault("remove", f"no part {name!r}." + near_names(str(name), [part.name for part in self._model]))
                  for name in names if name not in self._model]
        if faults:
            raise ModelError(faults, self._model.name)
        gone = with_dependents(self._model, names)
        self._edit(self._model.without(*gone), "remove", gone)

    def change(self, part: str | None = None, /, **changes: Any) -> None:
        """Give the named part, or without a name the model itself, other field values: ``change("spring", stiffness=20.0)``.

        Velocities stay, also if masses change.
        """
        self._edit(self._model.replaced(part, **changes), "change", [self._model.name if part is None else part])

    def ground_point(self, name: str, position: Any) -> None:
        """Add or move a place of the ground, a position [m] or a `Frame`, to be used as ``"ground.name"``."""
        self._edit(self._model.replaced(ground={**self._model.ground, name: position}), "ground point", [f"{GROUND}.{name}"])

    def _edit(self, model: Model, verb: str, names: Any) -> None:
        """Go on with another model, or raise and go on with the present one."""
        self._check_running()
        begin = start_edited(self._model, model, self.state, self._formulation)
        after = self._simulation_of(begin, self._simulation)
        _give_memory(after, _memory(self._simulation))
        after.state()  # fails here, if at all
        self._close_segment()
        self._model = model
        self._edits = (*self._edits, EventRecord("edit", self.t, f"{verb} {', '.join(names)}"))
        self._begin(after)

    def _close_segment(self) -> None:
        """Keep what was recorded since the last edit, unless no time has passed."""
        if self._simulation.t > self._simulation.begin.t:
            self._segments = (*self._segments, self._segment())
            self._edits = ()
        self._seconds = 0.0

    def _simulation_of(self, begin: Start, before: Simulation | None = None) -> Simulation:
        times = begin.t + self._record * np.arange(ROOM)
        touched = () if before is None else before.begin.packed.layout.touching
        return Simulation(begin, self._options, times, contact=self._contact, touched=touched)

    def _begin(self, simulation: Simulation) -> None:
        self._simulation, self._present = simulation, None

    # --- snapshots ----------------------------------------------------------------------------------------------------

    def save(self) -> Snapshot:
        """Return a snapshot of model, state and results, which `restore` goes back to; any number of times."""
        segments = (*self._segments, self._segment()) if self.t > self._simulation.begin.t else self._segments
        self._saved = Snapshot(self.t, self._model, self.state, _memory(self._simulation), segments)
        return self._saved

    def restore(self, snapshot: Snapshot | None = None) -> None:
        """Go back to a snapshot, by default to the last one saved: model, time, state, and results up to there."""
        self._check_running()
        saved = snapshot or self._saved
        if saved is None:
            raise ModelError([Fault("restore", "nothing was saved; call save() before what may be undone")], self._model.name)
        begin = start_at(with_free_joints(saved.model), saved.state, self._formulation, frozenset(saved.state.joints))
        after = self._simulation_of(begin, self._simulation)
        _give_memory(after, saved.memory)
        after.state()
        self._model, self._segments, self._edits, self._seconds = saved.model, saved.segments, (), 0.0
        self._begin(after)

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *failure: object) -> None:
        """End the simulation: it can be looked at, but does not go on."""
        self._ended = True

    def _check_running(self) -> None:
        if self._ended:
            raise MultibodyError(f"the simulation ended with its `with` block, at t = {self.t:g} s: advance and change it "
                                 "within the block, or make another one with dal.live(model)")

    def __repr__(self) -> str:
        return f"<Live {self._model!r} at t = {self.t:g} s, {self._simulation.begin.formulation.name}>"


def _memory(simulation: Simulation) -> dict[str, Any]:
    """Return what controllers remember, by their names: outputs held, memory, samples taken."""
    control, table = simulation.loop.work.control, simulation.loop.system.control.controller
    found = {}
    for entry, row, k in zip(simulation.begin.packed.layout.controllers, table, range(len(table)), strict=True):
        held, memory = slice(row["held"], row["held"] + row["helds"]), slice(row["memory"], row["memory"] + row["memories"])
        found[entry.name] = (float(row["every"]), control.held[held].copy(), control.memory[memory].copy(),
                             int(control.samples[k]))
    return found


def _give_memory(simulation: Simulation, known: Mapping[str, Any]) -> None:
    """Let controllers that go on remember what they did."""
    control, table = simulation.loop.work.control, simulation.loop.system.control.controller
    for entry, row, k in zip(simulation.begin.packed.layout.controllers, table, range(len(table)), strict=True):
        if entry.name not in known:
            continue
        every, held, memory, samples = known[entry.name]
        if every == row["every"] and len(held) == row["helds"] and len(memory) == row["memories"]:
            control.held[row["held"]:row["held"] + row["helds"]] = held
            control.memory[row["memory"]:row["memory"] + row["memories"]] = memory
            control.samples[k] = samples


def live(model: Model, step: float | None = None, accuracy: float | None = None, formulation: str | Formulation = "auto",
         integrator: str | Integrator | None = None, contact: UnilateralContact | str | None = None, start: Starts = None,
         start_rate: Mapping[str, Any] | None = None, record: float | None = None) -> Live:
    """Begin a simulation whose model can be changed while it runs.

    Parameters
    ----------
    model : Model
        May have bodies without joints, which fly freely, or no bodies at all.
    step, accuracy, formulation, integrator, contact, start, start_rate
        As for `run`.
    record : float, optional
        Spacing of the recorded frames [s]; by default the step, or 0.01 s without one.

    Returns
    -------
    Live
        To be used in a ``with`` block.

    Examples
    --------
    >>> import dalembert as dal
    >>> m = dal.Model("pendulum").add(dal.Body("bob", mass=2.0, com=(0, 0, -0.5)),
    ...                               dal.Revolute("pivot", "ground", "bob", axis=(0, 1, 0), start=0.5))
    >>> with dal.live(m) as sim:
    ...     _ = sim.advance(0.2)
    ...     sim.remove("pivot")
    ...     _ = sim.advance(0.1)
    >>> sim.results["pivot.angle"][-1]
    np.float64(nan)
    """
    options = check_run_arguments(model, HORIZON, step, accuracy, integrator, "raise")
    if record is not None and not (isinstance(record, (int, float)) and 0 < record < np.inf):
        raise ModelError([Fault("record", f"found {record!r}, expected a spacing greater than zero [s]")], model.name)
    chosen = cast(Formulation, options.formulation) if formulation == "auto" else formulation
    begin = prepare_start(with_free_joints(model), start, start_rate, chosen)
    return Live(model.replaced(), begin, options, chosen, float(record or options.step or SPACING), contact)
