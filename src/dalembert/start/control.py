"""Controllers and events of a packed model: their channels become signals that kernels evaluate, their functions addresses.

Which number of a frame a channel is, is found by asking for it in a frame whose numbers are all different: a channel that
returns one of them, or its opposite, picks it.  Positions, velocities and orientations of places are evaluated by kernels,
too; what is left follows from accelerations or loads and is given from outside, at the samples of a controller.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..codes import SignalCode
from ..errors import ChannelError, Fault, ModelError
from ..kernels.compile.user_functions import compiled_function, python_function
from ..kernels.control.tables import CONTROLLER, SIGNAL, SWITCH, Control
from ..model.laws import CompiledLaw
from ..results import channels as ch
from ..results.quantity import Quantity
from ..results.tables import frame_shapes
from ..system.layout import ControllerEntry, Layout, PointEntry
from ..system.pack import Packed
from ..system.pack_laws import LawFailure, compiled_once
from ..system.reverse import turned_balls
from .start import Start

TIME = "time"
PLACES = {"position": SignalCode.POSITION, "velocity": SignalCode.VELOCITY, "orientation": SignalCode.ORIENTATION,
          "angular_velocity": SignalCode.ANGULAR_VELOCITY}
"""Channels of places that kernels evaluate."""
SAMPLE_ROUNDING = 1e-12
"""Share of a time by which it may lie before the sample that it means."""
MARK = 0.5
"""Numbers of the frame that tells them apart end in this, times 2^-20 a number."""


class _Marked:
    """A frame in which every number is another one."""

    def __init__(self, layout: Layout):
        self.layout, self.arrays, self.found, first = layout, {}, {}, 1
        for name, shape in frame_shapes(layout).items():
            size = int(np.prod(shape))
            marks = first + np.arange(size) + MARK
            self.arrays[name] = marks.reshape(1, *shape)
            if name in ("q", "qd"):
                code = SignalCode.COORDINATE if name == "q" else SignalCode.RATE
                self.found.update({mark: (code, k) for k, mark in enumerate(marks.tolist())})
            first += size

    def array(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def picked(self, value: float) -> tuple[SignalCode, int, float]:
        """Return what a value picks: code, index and sign; GIVEN for anything else."""
        for sign in (1.0, -1.0):
            if sign * value in self.found:
                return (*self.found[sign * value], sign)
        return SignalCode.GIVEN, 0, 1.0


def _inside(packed: Packed) -> set[int]:
    """Rows of `Layout.bodies` of places inside of bodies between interfaces: they move as the deformed body has them."""
    model, plan = packed.plan.model, packed.plan
    if any(body.floating is not None for body in model.bodies):
        return set()
    places = {row for flexible in model.flexibles for row in flexible.points.values()}
    return {k for k, i in enumerate(i for i in plan.order if i < len(model.bodies)) if i in places}


class Signals:
    """Collects the signals of a packed model; `channels[i]` is (name, component) of signal i."""

    def __init__(self, packed: Packed):
        self.packed = packed
        self.rows: list[Any] = []
        self.channels: list[tuple[str, int]] = []
        self.owners = ch.owners(packed.layout)
        self.marked = _Marked(packed.layout)
        self.inside = _inside(packed)
        self.turned = {k + c for k, _ in turned_balls(packed.layout) for c in (1, 2, 3)}
        self.turned_rates = {v + c for _, v in turned_balls(packed.layout) for c in (0, 1, 2)}

    def add(self, where: str, channels: tuple[str, ...]) -> tuple[int, int]:
        """Append the components of some channels; returns the first row and their number."""
        first = len(self.rows)
        for channel in channels:
            try:
                self._add(channel)
            except ChannelError as error:
                raise ModelError([Fault(where, str(error))]) from error
        return first, len(self.rows) - first

    def _add(self, channel: str) -> None:
        if channel == TIME:
            self._append(channel, 0, SignalCode.TIME)
            return
        (quantity, entry), component = self._find(channel)
        name = channel if component is None else channel.rpartition(".")[0]
        word = name.rpartition(".")[2]
        labels = [label for axis in quantity.components[:1] for label in axis]
        numbers = range(max(1, len(labels))) if component is None else [labels.index(component)]
        if isinstance(entry, PointEntry) and word in PLACES and entry.body not in self.inside:
            for k in numbers:
                self._append(name, k, PLACES[word], k, entry)
            return
        values = np.ravel(quantity.value(self.marked, entry)[0]) if self._is_plain(quantity, entry) else None
        for k in numbers:
            code, index, sign = (SignalCode.GIVEN, 0, 1.0) if values is None else self.marked.picked(float(values[k]))
            if code == SignalCode.COORDINATE and index in self.turned:
                sign = -sign
            if code == SignalCode.RATE and index in self.turned_rates:
                code = SignalCode.GIVEN
            self._append(name, k, code, index, factor=sign)

    def _is_plain(self, quantity: Quantity, entry: Any) -> bool:
        """Tell whether a quantity can be asked for in a frame of marks, which no mechanism can have."""
        with np.errstate(all="ignore"):
            return np.shape(quantity.value(self.marked, entry))[:1] == (1,)

    def _find(self, channel: str) -> tuple[tuple[Quantity, Any], str | None]:
        """Return the quantity of a channel, or of one of its components, and the component's label."""
        name, _, label = channel.rpartition(".")
        try:
            return ch.find(self.owners, channel), None
        except ChannelError:
            try:
                found = ch.find(self.owners, name)
            except ChannelError:
                found = None
            if found is not None and any(label in axis for axis in found[0].components[:1]):
                return found, label
            raise

    def _append(self, channel: str, component: int, code: SignalCode, index: int = 0, place: PointEntry | None = None,
                factor: float = 1.0) -> None:
        row = np.zeros(1, SIGNAL)[0]
        row["code"], row["index"], row["factor"] = code, index, factor
        if place is not None:
            body = self.packed.system.body[self.packed.body_rows[place.body]]
            R = body["R_bu"].reshape(3, 3)
            row["body"] = self.packed.body_rows[place.body]
            row["u_b"] = body["u_b"] + R @ np.array(place.position)
            row["R_b"] = (R @ _rotation(place.rotation)).ravel()
        self.rows.append(row)
        self.channels.append((channel, component))

    def given(self, first: int, count: int) -> list[str]:
        """Return the channels among some signals that kernels do not evaluate."""
        return list(dict.fromkeys(self.channels[i][0] for i in range(first, first + count)
                                  if self.rows[i]["code"] == SignalCode.GIVEN))


def _rotation(turn: tuple[float, ...]) -> np.ndarray:
    w, x, y, z = turn
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def with_control(packed: Packed) -> Packed:
    """Return the packed model with the signals, controllers and switches of its model; itself if there are none."""
    model = packed.plan.model
    if not (model.controllers or model.events):
        return packed
    signals, force = Signals(packed), packed.system.force.copy()
    controller, switch = np.zeros(len(model.controllers), CONTROLLER), np.zeros(len(model.events), SWITCH)
    keep, entries, held, memories = list(packed.keep), [], 0, 0
    for row, c in zip(controller, model.controllers, strict=True):
        first, count = signals.add(f"controllers.{c.name}.inputs", c.inputs)
        missing = signals.given(first, count)
        if missing and c.every is None:
            raise ModelError([Fault(f"controllers.{c.name}.inputs", f"{missing[0]!r} follows from accelerations, loads or a "
                                    "closed loop and cannot be read while forces are evaluated; expected coordinates, rates, "
                                    "positions, velocities and orientations, or a sampled controller: give every=")])
        sizes = (count, len(c.memory), len(c.outputs))
        kept, address = _address(packed, f"controllers.{c.name}", c.law, sizes, writes_memory=bool(c.memory))
        keep.append(kept)
        row["signal"], row["signals"], row["held"], row["helds"] = first, count, held, len(c.outputs)
        row["memory"], row["memories"], row["address"] = memories, len(c.memory), address
        row["every"], row["given"] = c.every or 0.0, bool(missing)
        force["held"][list(c.outputs)] = held + np.arange(len(c.outputs))
        names = tuple(packed.layout.forces[k].name for k in c.outputs)
        entries.append(ControllerEntry(c.name, held, names, c.every or 0.0))
        held, memories = held + len(c.outputs), memories + len(c.memory)
    for row, e in zip(switch, model.events, strict=True):
        first, count = signals.add(f"events.{e.name}.inputs", e.inputs)
        missing = signals.given(first, count)
        if missing:
            raise ModelError([Fault(f"events.{e.name}.inputs", f"{missing[0]!r} cannot be watched within a step; expected "
                                    "coordinates of joints in the tree, rates, positions, velocities and orientations")])
        if e.function is None and count != 1:
            raise ModelError([Fault(f"events.{e.name}.inputs", f"found {count} numbers, expected one, such as "
                                    f"'{e.inputs[0]}.x', or a function of them")])
        row["signal"], row["signals"], row["value"] = first, count, e.value
        row["direction"], row["stop"] = e.direction, e.stop
        if e.function is not None:
            kept, row["address"] = _address(packed, f"events.{e.name}", e.function, (count, 0, 1), writes_memory=False)
            keep.append(kept)
    constants = packed.system.constants.copy()
    constants["places"] = 1
    signal = np.array(signals.rows, SIGNAL) if signals.rows else np.zeros(0, SIGNAL)
    for array in (signal, controller, switch, force, constants):
        array.setflags(write=False)
    system = packed.system._replace(control=Control(signal, controller, switch), force=force, constants=constants)
    return replace(packed, system=system, keep=keep, layout=replace(packed.layout, controllers=tuple(entries)),
                   signals=tuple(signals.channels))


def controlled(begin: Start) -> Start:
    """Return a start with the controllers and events of its model."""
    packed = with_control(begin.packed)
    if packed is begin.packed:
        return begin
    for controller in packed.plan.model.controllers:
        if begin.massless and controller.every is None:
            raise ModelError([Fault(f"controllers.{controller.name}", "the model has directions without inertia, in which a "
                                    "continuous law would act on rates that it reads; expected a sampled one: give every=")])
    natural = begin.natural and replace(begin.natural, packed=share_control(packed, begin.natural.packed))
    return replace(begin, packed=packed, natural=natural)


def idle_parts(packed: Packed) -> tuple[str, ...]:
    """Say in an analysis other than a run that controllers, contacts, limits and friction do not act."""
    controllers = ", ".join(repr(controller.name) for controller in packed.layout.controllers)
    contacts = ", ".join(repr(contact.name) for contact in packed.layout.contacts)
    return ((f"controllers act in runs only; here the outputs are zero: {controllers}",) if controllers else ()) + (
        (f"contacts, limits and friction of joints act in runs only; here they are left out: {contacts}",) if contacts else ())


def share_control(packed: Packed, natural: Packed) -> Packed:
    """Return tables in natural coordinates with the control of those of their tree."""
    if not packed.layout.controllers and not len(packed.system.control.switch):
        return natural
    force = natural.system.force.copy()
    force["held"] = packed.system.force["held"]
    force.setflags(write=False)
    system = natural.system._replace(control=packed.system.control, force=force)
    layout = replace(natural.layout, controllers=packed.layout.controllers)
    return replace(natural, system=system, layout=layout, signals=packed.signals, keep=[*natural.keep, *packed.keep],
                   tree=packed if natural.tree is not None else None)


def _address(packed: Packed, owner: str, law: Any, sizes: tuple[int, int, int], *, writes_memory: bool
             ) -> tuple[Any, int]:
    """Make a function callable by kernels; returns (object to keep alive, address)."""
    if isinstance(law, CompiledLaw):
        try:
            kept, address = compiled_once(law.function, sizes, compiled_function)
            return kept, address
        except Exception as error:  # whatever the compiler says
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            reason = next((line for line in lines if not line.startswith("Failed in")), type(error).__name__)
            raise ModelError([Fault(owner, f"its function cannot be compiled: {reason}; take away @dal.law to run it as plain "
                                           "Python")]) from error
    n = sizes[2]

    def call(t: float, u: np.ndarray, memory: np.ndarray, y: np.ndarray) -> None:
        try:
            found = np.ravel(law(t, u.copy(), memory) if writes_memory else law(t, u.copy())).astype(float)
            if found.shape != (n,):
                raise ValueError(f"it returned {len(found)} numbers, expected {n}")
            y[:] = found
        except Exception as error:
            packed.law_errors.append(LawFailure(owner, error))
            y[:] = np.nan

    kept, address = python_function(call, sizes)
    return kept, address


def first_samples(packed: Packed, t: float) -> np.ndarray:
    """Return how many samples of each controller, at the multiples of its period, lie before a start at time t [s].

    The last of them at the latest is taken at the start, so that there are outputs from then on.
    """
    every = packed.system.control.controller["every"]
    periods = np.floor(t / np.where(every > 0.0, every, 1.0) * (1.0 + np.sign(t) * SAMPLE_ROUNDING))
    return np.where(every > 0.0, periods, 0.0).astype(np.int64)


def initial_memory(packed: Packed) -> np.ndarray:
    """Return what the memories of all controllers hold at the start."""
    return np.array([x for c in packed.plan.model.controllers for x in c.memory], float)


