"""The kernel's side of a run: its arrays, its options, and one call per chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codes import SignalCode, Status
from ..errors import ModelError
from ..kernels.compile.bundle import Bundle
from ..kernels.compile.jit import called_directly
from ..kernels.control.controllers import GIVEN, RUNNING
from ..kernels.linked_work import make_linked_work
from ..kernels.modular.tables import Modular
from ..kernels.step.dense_output import state_between
from ..kernels.step.frames import Frames
from ..kernels.step.loop import integrate
from ..kernels.tables import System, Work
from ..results.stats import Stats
from ..start.arguments import RunOptions
from ..start.control import first_samples, initial_memory
from ..start.formulations import Modular as ModularFormulation
from ..start.identities import moved_rows, only_rows
from ..start.initial import Start
from ..start.massless import complete_frame, complete_in_kernels, completion_entry
from ..start.natural import in_rates, joint_frames, natural_accelerations
from ..start.outer import load_width, place_loads, with_contacts, with_outer
from ..start.status import error_of
from ..system.edit import changed
from .components import make_components
from .flow import make_flow
from .integrators import Componentwise, Driven, Implicit, Integrator, Moreau
from .methods import (
    addresses_of,
    functions_of,
    make_method,
    make_options,
    method_arguments,
    with_crowd,
    with_more_room,
)

BUFFER_BYTES = 4_000_000
NO_SAMPLE = 2**53
"""Number of a sample that does not come."""
SMALLEST_STEP = 1e-13
"""Relative to the time span; an error-controlled step below it is given up."""
ROUNDING = 4 * np.finfo(float).eps
"""Relative to the time itself: a step below it is lost in it."""
FIRMER = 30.0
"""Factor of the penalties of rigid bodies in natural coordinates in implicit steps: iterations and turns of projections then
grow more slowly with the length of a chain of loops.  Steps pass singular positions with 100, too, but some not with 1000."""
SETTLING = 10
"""Steps after a start within which recorded times end a step: layers of massless directions die out in them."""
EVERY_STEP = 2**62
"""Likewise where massless directions decay much faster than frames follow each other, or at once: their rates, which are
the decay times what a coordinate is off its equilibrium, are then known only where a step has solved for them."""
SMOOTH_DECAY = 10.0
"""Decay within the time between two frames up to which frames are read off between steps."""

_integrate = called_directly(integrate)


class Loop:
    """State of a run inside the kernels."""

    def __init__(self, begin: Start, method: Integrator, options: RunOptions, times: np.ndarray, *, detect: int = 0,
                 outer: bool = False):
        self.component_notes: tuple[str, ...] = ()
        self.begin = begin  # owns the laws that the tables point to
        state = begin.natural or begin
        self.options, self.times = options, times
        self.span = max(options.until - begin.t, 0.0)
        work = make_linked_work(state.packed.system)
        self.rows = _rows_to_keep(begin, work)
        self.system, work = only_rows(state.packed.system, self.rows), work._replace(row=work.row[self.rows])
        self.contacts = begin.packed.contacts
        self.touching = begin.packed.touching
        if self.touching:
            self.work = with_contacts(begin.packed, work)
        else:
            self.work = with_outer(state.packed, work) if outer else work
        self.work.control.running[RUNNING] = not isinstance(method, Driven)
        self.work.control.memory[:] = initial_memory(begin.packed)
        self.work.control.samples[:] = NO_SAMPLE if isinstance(method, Driven) else first_samples(begin.packed, begin.t)
        if begin.natural:
            self.work.joint_q[:] = begin.q
        self.work.rank["allowed"] = begin.massless
        self.flow = make_flow(self.system, begin, state, options)
        n_q, n_v = len(state.q), len(state.qd)
        m = len(self.system.row)
        width = load_width(self.work)
        rows = max(1, min(len(times), BUFFER_BYTES // (8 * (1 + n_q + 2 * n_v + m + width))))
        buffer = (np.zeros(rows), np.zeros((rows, n_q)), np.zeros((rows, n_v)), np.zeros((rows, n_v)),
                  np.zeros((rows, len(self.work.joint_q))), np.zeros((rows, m)), np.zeros(rows, np.int64),
                  np.zeros((rows, width)))
        self.frames = Frames(times, np.asarray(begin.packed.breaks, float), *buffer)
        self.change_method(method, detect=detect)
        if begin.massless and isinstance(method, Implicit):  # its first accelerations are never forgotten
            qdd, multipliers = complete_frame(begin.packed, begin.t, begin.q, begin.qd, begin.t)[2:]
            self.flow.qdd[:] = natural_accelerations(begin.packed, begin.q, begin.qd, qdd) if begin.natural else qdd
            if not begin.natural:
                self.work.row["lam_now"] = multipliers
            self.flow.progress[0].started = 1

    def change_method(self, method: Integrator, *, detect: int = 0, h_explicit: float = 0.0) -> None:
        """Go on with another integrator from the present state; `detect` steps held back by stability are called stiff."""
        self.integrator, self.system = method, only_rows(_system_for(method, self.begin), self.rows)
        p, asked = self.flow.progress[0], self.options
        self.opt = opt = make_options(method, self.begin, asked)
        opt[0].h_max = max(self.span / 10, 1e-300)
        opt[0].h_min = max(SMALLEST_STEP * self.span, ROUNDING * max(abs(self.begin.t), abs(asked.until)), 1e-300)
        opt[0].detect, opt[0].h_explicit = detect, h_explicit
        opt[0].settling = self._settling_steps()
        p.history = p.factored = p.dense = p.exact = p.smooth = p.held = p.stiff = p.calm = p.trusted = p.renewals = 0
        p.contraction, p.h_trusted = 1.0, 0.0
        self.work.row["lam_shown"] = np.nan
        bodies = len(self.system.body) if self.touching else 0
        self.functions = functions_of(method, self.touching)
        self.method = make_method(method, len(self.flow.q), len(self.flow.qd), dense=not self.begin.natural,
                                  contacts=self.contacts, bodies=bodies, efforts=len(self.work.control.effort))
        if isinstance(method, Moreau):
            self.method = with_crowd(self.method, method, self.begin.packed)
        own = self._components(method)
        if own is not None:
            self.method = self.method._replace(modular=own)

    def _components(self, method: Integrator) -> Modular | None:
        """Components of the modular formulation, by the scheme of bodies that say nothing."""
        natural, chosen = self.begin.natural, self.begin.formulation
        if not isinstance(method, Componentwise) or natural is None or not isinstance(chosen, ModularFormulation):
            return None
        own, self.component_notes = make_components(natural.packed, chosen, method)
        return own

    def opened(self) -> list[str]:
        """Tell how far penalties let joints open."""
        options = self.method.modular.options
        if not len(options) or options["row"][0] < 0:
            return []
        row = int(options["row"][0])
        way = float(options["open"][0] * self.system.row["size"][row])
        names = self.begin.packed.layout.rows
        which = "joint {!r} ({})".format(*names[row]) if row < len(names) else "a joint that something acts on"
        return [f"modular: joints opened by up to {way:.3g}, {which}; by the square of the step"]

    def _settling_steps(self) -> int:
        """Steps after a start within which recorded times end a step."""
        if self.touching or isinstance(self.integrator, Driven):
            return EVERY_STEP  # forces, or positions on the constraints, are known where a step ends
        if not self.begin.massless:
            return 0
        spacing = float(np.min(np.diff(self.times), initial=self.span))
        return SETTLING if self.begin.fastest * spacing <= SMOOTH_DECAY else EVERY_STEP

    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the time loop."""
        return self.system, self.opt, self.method, self.flow, self.frames, self.work

    def entries(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """The kernels needed, for `prepare`; the addresses of their tables are found here, before the time loop."""
        for argument in self.arguments():
            if isinstance(argument, Bundle):
                argument.words  # noqa: B018 - found once and kept
        arguments = method_arguments(self.system, self.opt, self.method, self.flow, self.work)
        found = [(integrate, self.arguments()), *((function, arguments) for function in self.functions)]
        if self.begin.natural and self.begin.massless:
            return [*found, completion_entry(self.begin.packed)]
        return found

    def advance(self, chunk: int) -> int:
        """Take up to `chunk` steps and return the status."""
        if not self.method.functions[0]["begin"]:
            arguments = method_arguments(self.system, self.opt, self.method, self.flow, self.work)
            self.method.functions[0] = addresses_of(self.functions, arguments)
        self.opt["chunk"] = chunk
        out: int = _integrate(*self.arguments())
        return out

    def go_to(self, until: float) -> None:
        """Set the time at which the next advance ends [s]."""
        self.flow.progress[0].t_end = until

    def set_times(self, times: np.ndarray) -> None:
        """Set the times of the next frames [s]."""
        self.frames = self.frames._replace(times=np.asarray(times, float))
        self.flow.progress[0].next = 0

    def crossings(self) -> list[tuple[int, float, int]]:
        """Return switch, time and direction of the crossings since the last call, and forget them."""
        p = self.flow.progress[0]
        n = int(p["crossings"])
        if not n:
            return []
        p["crossings"] = 0
        return [(int(row["switch"]), float(row["t"]), int(row["direction"])) for row in self.work.control.crossing[:n]]

    def contact_events(self) -> dict[tuple[int, int, float], float]:
        """Return (code, contact, time) of what happened to contacts since the last call with its normal impulse; forget it."""
        progress, rows = self.method.contact.progress, self.contacts.row["contact"]
        found: dict[tuple[int, int, float], float] = {}
        for e in self.method.contact.event[:int(progress["events"][0])]:
            key = int(e["code"]), int(rows[e["row"]]), float(e["t"])
            found[key] = found.get(key, 0.0) + float(e["impulse"][0])
        progress["events"] = 0
        return found

    def sweep_notes(self) -> list[str]:
        """Tell of steps whose sweeps ended before impulses were settled."""
        if not isinstance(self.integrator, Moreau):
            return []
        p = self.method.crowd_state.progress[0]
        if not p["unsettled"]:
            return []
        return [f"contacts: in {p['unsettled']} of {self.steps} steps velocities still changed after {self.integrator.sweeps} "
                f"sweeps, by {p['worst']:.3g} m/s at most; see Moreau(sweeps=, tolerance=)"]

    def make_room(self) -> None:
        """Make room for the touches of the present step; what is known of the last step's impulses is lost."""
        self.method = with_more_room(self.method)

    def give_inputs(self, values: np.ndarray) -> None:
        """Set the signals that are found outside of the kernels."""
        table = self.system.control.signal
        given = table["code"] == SignalCode.GIVEN
        self.work.control.inputs[given] = values[given]
        self.work.control.running[GIVEN] = 1

    def load(self, wrenches: np.ndarray | None, efforts: np.ndarray | None, points: np.ndarray | None = None) -> None:
        """Set the loads from outside; forces jump here."""
        control, packed = self.work.control, self.begin.packed
        if not len(control.outer):
            raise ModelError("loads from outside: the simulation was made without; make it with outer=True")
        held = self.method.contact
        given, effort = (held.given, held.effort) if self.touching else (control.outer, control.effort)
        given[:], effort[:] = 0.0, 0.0
        if wrenches is not None:
            place_loads(packed, given, np.asarray(wrenches, float), points)
        if efforts is not None:
            effort[:] = efforts
        self.restart()

    def restart(self) -> None:
        """Begin anew at the present state, whose forces have changed."""
        p = self.flow.progress[0]
        p.started = p.history = p.calm = p.factored = p.watched = 0

    def stop_at(self, t: float) -> int:
        """Make the state at a time within the last step the present one; returns Status.EVENT."""
        self.flow.progress[0].stop_at = t
        return self.advance(1)

    @property
    def step_began(self) -> float:
        """Time at which the last step began [s]."""
        return float(self.flow.progress[0]["t_last"])

    def present(self) -> dict[str, np.ndarray]:
        """Return the present state as a frame."""
        self.advance(0)
        return self._frame_of(self.t, self.flow.q, self.flow.qd, self.flow.qdd, self.work.row["lam_shown"])

    def between(self, t: float) -> dict[str, np.ndarray]:
        """Return the state at a time within the last step as a frame."""
        if t >= self.t:
            return self.present()
        qdd = np.zeros_like(self.flow.qdd)
        status = state_between(self.system, self.flow, t, qdd, self.work)
        self.flow.progress[0].factored = 0
        if status != Status.OK:
            raise error_of(status, self.begin.shown, self.failure, t, self.step)
        return self._frame_of(t, self.flow.q_stage, self.flow.qd_stage, qdd, self.work.row["lam_now"])

    def _frame_of(self, t: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, multiplier: np.ndarray
                  ) -> dict[str, np.ndarray]:
        control = self.work.control
        loads = np.concatenate([control.held, control.outer.ravel(), control.effort, control.contact.ravel()])
        block = {"t": np.array([t]), **{name: np.array(value)[None] for name, value in
                 (("q", q), ("qd", qd), ("qdd", qdd), ("multiplier", multiplier), ("loads", loads),
                  ("joint", self.work.joint_q))}}
        return self.in_joints(block)

    def take_frames(self) -> dict[str, np.ndarray]:
        """Copy the recorded frames as they are and empty the buffer.

        `joint` holds the coordinates of joints next to which natural ones lie.
        """
        p = self.flow.progress[0]
        n = int(p["rows"])
        p["rows"] = 0
        names = ("t", "q", "qd", "qdd", "multiplier", "loads", "joint")
        self.open = np.flatnonzero(self.frames.open[:n])
        return {name: getattr(self.frames, name)[:n].copy() for name in names}

    def in_joints(self, block: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return frames in joint coordinates; those that are in them already as they are."""
        if "joint" not in block:
            return block
        near = block["joint"]
        block = {name: values for name, values in block.items() if name != "joint"}
        if self.begin.natural:
            loops = len(self.begin.packed.system.row)  # they come first among the rows of natural coordinates
            block = {**joint_frames(self.begin.natural.packed, block, near),
                     "multiplier": block["multiplier"][:, :loops].copy(), "loads": block["loads"]}
            if self.begin.massless:
                self.open = complete_in_kernels(self.begin.packed, block, self.begin.massless)
        elif not np.all(self.rows):
            multiplier = np.zeros((len(block["t"]), len(self.rows)))
            multiplier[:, self.rows] = block["multiplier"]
            block["multiplier"] = multiplier
        return block

    def tree_state(self) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the present coordinates and rates of the tree."""
        state = {name: getattr(self.flow, name)[None].copy() for name in ("q", "qd", "qdd")}
        if self.begin.natural:
            near = self.work.joint_q[None].copy()
            state = joint_frames(self.begin.natural.packed, {"t": np.array([self.t]), **state}, near)
        return state["q"][0], state["qd"][0]

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self.flow.progress[0]["t"])

    @property
    def until(self) -> float:
        """Time at which the advance ends [s]."""
        return float(self.flow.progress[0]["t_end"])

    @property
    def step(self) -> float:
        """Step tried last, or to be tried next [s]."""
        return float(self.options.step or self.flow.progress[0].h)

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.flow.progress[0]["steps"])

    @property
    def failure(self) -> np.ndarray:
        """What `Work.fail` says, in rates of the tree and rows of the model."""
        return self._in_model(self.work.fail)

    @property
    def fastest(self) -> np.ndarray:
        """As `failure`, for the rate that changes most after the last step, relative to the size of its kind."""
        fail, change = self.work.fail.copy(), abs(self.flow.qdd)
        if not self.begin.natural and len(change):
            change = change / self.system.dof["q_scale"]
        fail["rate"] = int(np.argmax(change)) if len(change) else 0
        return self._in_model(fail)

    def _in_model(self, fail: np.ndarray) -> np.ndarray:
        fail = in_rates(self.begin, fail)
        if np.any(self.rows):
            fail["row"] = np.flatnonzero(self.rows)[fail["row"]]
        return fail

    def stats(self, seconds: float) -> Stats:
        """Cost so far."""
        p = self.flow.progress[0]
        counts = {name: int(p[name]) for name in ("steps", "rejected", "iterations", "factorizations", "evaluations")}
        smallest = float(p["h_smallest"]) if counts["steps"] else 0.0
        unknowns = len(self.flow.qd) - len(self.system.drive)
        return Stats(**counts, seconds=seconds, smallest_step=smallest, largest_step=float(p["h_largest"]), unknowns=unknowns,
                     multipliers=len(self.rows))


def _rows_to_keep(begin: Start, work: Work) -> np.ndarray:
    """True for the constraint rows that steps are taken with; `work` is scratch."""
    system = (begin.natural or begin).packed.system
    if begin.natural or begin.massless or not begin.packed.redundant:
        return np.ones(len(system.row), bool)
    return moved_rows(system, begin.t, work)


def _system_for(method: Integrator, begin: Start) -> System:
    """System with the penalties that an integrator takes."""
    system = (begin.natural or begin).packed.system
    if begin.natural is None or not isinstance(method, Implicit) or len(system.sup.element):
        return system
    return changed(system, row={"penalty": FIRMER * system.row["penalty"]})
