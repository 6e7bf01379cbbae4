"""A simulation: a state at a time that can be advanced, stopped, loaded from outside and looked at, and what it recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from ..codes import ContactEventCode, SignalCode, Status
from ..errors import MultibodyError
from ..kernels.compile.jit import prepare
from ..results.events import EventRecord
from ..results.results import Results
from ..results.store import Writer
from ..start.arguments import RunOptions
from ..start.evaluate import make_results
from ..start.formulations import Modular, Projected
from ..start.initial import Start
from ..start.status import error_of
from ..system.layout import Layout
from .choose import choose_componentwise, choose_integrator, stiff_integrator
from .integrators import DORMAND_PRINCE, MOREAU, Driven, Integrator, Moreau
from .jumps import RejectionWatch
from .loop import Loop
from .progress import Interrupt, Progress
from .recorder import Recorder
from .unilateral import prepare_contacts

CHUNK_SECONDS = 0.2
"""Wall-clock time between two looks at progress and store [s], about."""
FIRST_CHUNK, LEAST_CHUNK, MOST_CHUNK = 200, 50, 1_000_000
"""Steps of a call of the kernels."""
HELD_BACK = 15
"""Steps in a row that stability holds back, from which on a model is called stiff."""
MORE_PATIENCE = 4
"""Factor of their number each time that implicit steps were no longer than explicit ones."""
HALVINGS = 60
"""Most evaluations of a stop condition within a step."""
CLOSE = 1e-12
"""Interval in which a stop condition becomes true, relative to the time."""


Stop = Callable[["Glance"], Any]
"""``stop(simulation)``: whether to stop."""


@dataclass(frozen=True)
class Advance:
    """How an advance ended: at the time asked for, at an event that stops (`stopped`), or with an error."""

    t: float
    stopped: bool = False
    error: BaseException | None = None


class Simulation:
    """A mechanism under way.

    Parameters
    ----------
    begin : Start
        Packed model and state; see `start.initial.prepare_start`.
    options : RunOptions
        Step, accuracy and names of the methods; `until` is the horizon that the longest step is a tenth of.
    times : (n,) float
        Times to record [s]; see `record_next` for more of them later.
    outer : bool
        Whether loads from outside are accepted, see `load`.
    contact : UnilateralContact, str or None
        How fixed steps find the forces of contacts.
    touched : collection of str
        Contacts that were there before, whose shapes may overlap by what steps leave.

    Attributes
    ----------
    begin, options, loop
        As above, and the state inside the kernels.
    messages : list of str
        What was detected so far.
    events : list of EventRecord
        What happened so far.
    recorder : Recorder
        The frames so far.
    """

    def __init__(self, begin: Start, options: RunOptions, times: np.ndarray, *, outer: bool = False,
                 writer: Writer | None = None, contact: Any = None, touched: Collection[str] = ()):
        integrator, may_switch = _integrator_for(begin, options)
        messages = list(begin.messages)
        if (begin.packed.touching and not isinstance(integrator, Driven)) or isinstance(integrator, Moreau):
            begin, integrator, may_switch = prepare_contacts(begin, integrator, options, contact, touched), integrator, False
        if begin.shown.has_superelements and options.integrator == "auto" and options.step is None:
            messages.append(f"integrator {integrator.name}: the stretching of flexible bodies in interface coordinates is too "
                            "stiff for explicit steps")
        self.begin, self.options, self.messages = replace(begin, messages=tuple(messages)), options, messages
        self.loop = Loop(self.begin, integrator, options, times, detect=HELD_BACK if may_switch else 0, outer=outer)
        messages += self.loop.component_notes
        self.method: dict[str, Any] = dict(integrator=integrator.name, step=options.step,
                                           accuracy=None if options.step else options.accuracy)
        self.recorder = Recorder(self.begin, self.loop, self.method, writer)
        self.events: list[EventRecord] = []
        self.compiling, self.patience, self.watch = 0.0, HELD_BACK, RejectionWatch()
        self._ready = False

    # --- the state ----------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self.loop.t

    def state(self) -> dict[str, np.ndarray]:
        """Return the present frame: ``t`` (1,), ``q``, ``qd``, ``qdd``, ``multiplier``, ``loads`` (1, ...), as a run does."""
        self._prepare()
        return self.loop.present()

    def __getitem__(self, channel: str) -> np.ndarray:
        """Return the present value of a channel."""
        out: np.ndarray = self._shown(self.state())[channel][0]
        return out

    def _shown(self, frames: Mapping[str, np.ndarray]) -> Results:
        out: Results = make_results(self.begin.shown, self.begin.formulation.name, frames, **self.method)
        return out

    # --- loads from outside -------------------------------------------------------------------------------------------

    def load(self, wrenches: np.ndarray | None = None, efforts: np.ndarray | None = None,
             points: np.ndarray | None = None) -> None:
        """Set the loads from outside that act from now on.

        Parameters
        ----------
        wrenches : (n_bodies, 6) float, optional
            Force [N] and moment [N m] on each body of `layout.bodies`, world axes.
        efforts : (n_v,) float, optional
            On the rates of the tree [N m or N].
        points : (n_bodies, 3) float, optional
            Where the forces act, in each body's own axes from its origin [m]; at the origins by default.

        Notes
        -----
        Forces and moments keep their world axes; the places of the forces go with the bodies, as those of a rope do.
        """
        self.loop.load(wrenches, efforts, points)

    @property
    def layout(self) -> Layout:
        """Names and indices of the coordinates, bodies and joints."""
        return self.begin.shown.layout

    # --- advance ------------------------------------------------------------------------------------------------------

    def record_next(self, times: np.ndarray) -> None:
        """Set the times of the next frames [s]; those asked for before and not reached are dropped."""
        self.loop.set_times(times)

    def advance(self, until: float, *, stop: Stop | None = None, progress: Progress | None = None,
                interrupt: Interrupt | None = None) -> Advance:
        """Advance to a time, or until an event that stops.

        Parameters
        ----------
        until : float
            Time to go to [s].
        stop : callable, optional
            ``stop(simulation)``, looked at after every step; the step in which it becomes true ends where it does.
        progress : callable, optional
            ``progress(t, until, step, steps)``, called a few times a second.
        interrupt : object, optional
            Its `asked` is looked at after every call of the kernels.

        Returns
        -------
        Advance
        """
        loop, chunk = self.loop, FIRST_CHUNK
        loop.go_to(until)
        self._prepare()
        while True:
            began, before = perf_counter(), loop.t
            try:
                status = loop.advance(1 if stop is not None else chunk)
            except MultibodyError as error:
                return Advance(loop.t, error=error)
            self.messages += self.watch.look(self.begin.packed, loop)
            self._take_events()
            ended = self._answer(status)
            took = perf_counter() - began
            if status == Status.RECORD_FULL or took > CHUNK_SECONDS or self.recorder.writes:
                self.recorder.collect()
            if ended is not None:
                return ended
            if self.recorder.error:
                return Advance(loop.t, error=self.recorder.error)
            if stop is not None and loop.t > before and stop(Glance(self, loop.t)):
                return self._stop_within(stop)
            if interrupt is not None and interrupt.asked:
                return Advance(loop.t, error=KeyboardInterrupt(f"stopped by the user at t = {loop.t:.6g} s"))
            if progress is not None:
                progress(loop.t, until, loop.step, loop.steps)
            factor = min(4.0, max(0.25, CHUNK_SECONDS / max(took, 1e-9)))
            chunk = int(min(MOST_CHUNK, max(LEAST_CHUNK, chunk * factor)))

    def _prepare(self) -> None:
        if not self._ready:
            began = perf_counter()
            prepare(self.loop.entries())
            self.compiling += perf_counter() - began
            self._ready = True

    def _answer(self, status: int) -> Advance | None:
        """Do what a status asks for; returns how the advance ended if it did."""
        loop = self.loop
        if status == Status.OK:
            return Advance(loop.t)
        if status == Status.EVENT:
            return Advance(loop.t, stopped=True)
        if status == Status.STIFF:
            self._switch_to_implicit()
        elif status == Status.NOT_STIFF:
            self._switch_back()
        elif status == Status.CONTACTS_FULL:
            loop.make_room()
        elif status == Status.SAMPLE:
            self._give_inputs()
        elif status not in (Status.RECORD_FULL, Status.CHUNK_DONE):
            found = loop.fastest if status == Status.STEP_TOO_SMALL else loop.failure
            return Advance(loop.t, error=error_of(status, self.begin.shown, found, loop.t, loop.step))
        return None

    def _stop_within(self, stop: Stop) -> Advance:
        """Go back to where in the last step a condition became true."""
        loop = self.loop
        low, high = loop.step_began, loop.t
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if high - low <= CLOSE * max(abs(high), high - loop.step_began) or not low < middle < high:
                break
            if stop(Glance(self, middle)):
                high = middle
            else:
                low = middle
        self.recorder.forget_after(high)
        ended = loop.stop_at(high)
        self.events.append(EventRecord("stop", loop.t, "condition"))
        if ended != Status.EVENT:
            return Advance(loop.t, error=error_of(ended, self.begin.shown, loop.failure, loop.t, loop.step))
        return Advance(loop.t, stopped=True)

    def _take_events(self) -> None:
        if not (self.begin.packed.plan.model.events or self.begin.packed.layout.contacts):
            return
        names = [event.name for event in self.begin.packed.plan.model.events]
        found = [EventRecord("crossing", t, names[switch], direction) for switch, t, direction in self.loop.crossings()]
        contacts = self.begin.packed.layout.contacts
        if contacts:
            touched = [EventRecord(ContactEventCode(code).name.lower(), t, contacts[k].name, contact=contacts[k].name,
                                   impulse=impulse) for (code, k, t), impulse in self.loop.contact_events().items()]
            found = sorted(found + touched, key=lambda event: event.t)
        self.events += found

    def _give_inputs(self) -> None:
        """Find the inputs of sampled controllers that kernels do not evaluate."""
        signals = self.begin.packed.signals
        table = self.begin.packed.system.control.signal
        shown = self._shown(self.loop.present())
        found: dict[str, np.ndarray] = {}
        values = np.zeros(len(signals))
        for i, (channel, component) in enumerate(signals):
            if table[i]["code"] == SignalCode.GIVEN:
                if channel not in found:
                    found[channel] = np.ravel(shown[channel][0])
                values[i] = found[channel][component]
        self.loop.give_inputs(values)

    # --- methods ------------------------------------------------------------------------------------------------------

    def _switch_to_implicit(self) -> None:
        loop = self.loop
        method = stiff_integrator(len(self.begin.qd), loops=self.begin.has_rows)
        self.messages.append(f"stiff at t = {loop.t:.6g} s: stability held the step of {loop.integrator.name} at "
                             f"{loop.step:.3g} s; went on with {method.name}")
        self.messages += self.watch.look_where_stiff(self.begin.packed, loop)
        loop.change_method(method, h_explicit=loop.step)
        self._name_method(method.name)

    def _switch_back(self) -> None:
        self.recorder.collect()  # frames of the implicit method
        loop = self.loop
        self.messages.append(f"at t = {loop.t:.6g} s the accuracy asked for keeps implicit steps as short as "
                             f"explicit ones ({loop.step:.3g} s); went on with dopri5")
        self.patience *= MORE_PATIENCE
        loop.change_method(DORMAND_PRINCE, detect=self.patience)
        self._name_method(DORMAND_PRINCE.name)

    def _name_method(self, name: str) -> None:
        self._ready = False
        self._prepare()
        if name not in self.method["integrator"]:
            self.method["integrator"] += f", {name}"


def _integrator_for(begin: Start, options: RunOptions) -> tuple[Integrator, bool]:
    """Return the method of a run, and whether it may be switched."""
    if isinstance(begin.formulation, Modular):
        return choose_componentwise(options.integrator), False
    groups = len(begin.packed.layout.groups) > 0
    asked = MOREAU if groups and options.integrator == "auto" and options.step is not None else options.integrator
    return choose_integrator(
        asked, options.step, massless=begin.massless > 0, n_rates=len(begin.qd), loops=begin.has_rows,
        projected=isinstance(begin.formulation, Projected) and begin.formulation.projection is not None,
        superelements=begin.shown.has_superelements, natural=begin.natural is not None)


class Glance:
    """A simulation as it is at a time within its last step, for a stop condition."""

    def __init__(self, simulation: Simulation, t: float):
        self.t, self._simulation = t, simulation
        self._results: Results | None = None

    def __getitem__(self, channel: str) -> np.ndarray:
        if self._results is None:
            self._results = self._simulation._shown(self._simulation.loop.between(self.t))
        out: np.ndarray = self._results[channel][0]
        return out

    def __getattr__(self, name: str) -> Any:
        return getattr(self._simulation, name)
