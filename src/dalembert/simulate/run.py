"""Time integration: the one Python time loop, which calls a kernel once per chunk of steps."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from ..codes import Status
from ..errors import ModelError, MultibodyError, StorageError
from ..kernels.jit import prepare
from ..results.provenance import provenance
from ..results.results import Results
from ..results.stats import Stats
from ..results.store import Writer
from ..results.targets import check_target
from .arguments import check_run_arguments, record_times
from .bdf import BdfLoop
from .bdf_loops import LoopedBdf
from .evaluate import evaluate_frames, make_results, refresh_accelerations
from .initial import Start, prepare_start
from .integrators import DORMAND_PRINCE, Bdf, Explicit, Implicit, choose_integrator, stiff_integrator
from .interrupts import Stop
from .jumps import RejectionWatch, jumping_drives
from .loop import Loop
from .massless import complete_frame
from .self_check import unbalanced
from .status import error_of

CHUNK_SECONDS = 0.2
"""Wall-clock time between two looks at progress and store [s], about."""
HELD_BACK = 15
"""Steps in a row that stability holds back, from which on a model is called stiff."""
MORE_PATIENCE = 4
"""Factor of their number each time that implicit steps were no longer than explicit ones."""


def run(model, until: float | None = None, step: float | None = None, accuracy: float | None = None,
        formulation="auto", integrator=None, contact=None, start=None, start_rate=None, record=None, progress=None,
        on_failure: str = "raise", store=None, overwrite: bool = False) -> Results:
    """Simulate a model from time zero.

    Parameters
    ----------
    model : Model
    until : float
        End time [s]; may stand in the model's own `run` block instead, like the other numbers.
    step : float, optional
        Fixed step [s]; without it the step follows from `accuracy`.
    accuracy : float
        Tolerated local error per step, relative to the scale of each coordinate and rate; 1e-6 by default.  With a fixed
        step it bounds the error of the implicit equations' solution alone, 5e-9 by default.
    formulation : str or record
        ``"auto"``, a name of `formulations(model)`, or an object such as ``Recursive()``.
    integrator : str or record
        ``"auto"`` (dopri5, radau where the model proves stiff or has massless directions, sdirk4 there beyond 50 rates;
        generalized-alpha for a fixed step), a name, or an object such as ``GeneralizedAlpha(rho_inf=0.6)``.
    contact : None
        Reserved for models with contacts.
    start, start_rate : mapping, optional
        Coordinates and rates by joint name, instead of the model's; elastic coordinates by the name of a flexible body.  An
        equilibrium, ``start=static(model)``, is a start, too.
    record : float or sequence of float, optional
        Spacing or times of the recorded frames [s], met exactly; by default every fixed step, or 500 intervals.
    progress : callable, optional
        ``progress(t, until, step, steps)``, called a few times a second.
    on_failure : {"raise", "return"}
        With ``"return"`` a failed run returns its frames up to the failure and tells why in `Results.status`.
    store : path, optional
        HDF5 file (.h5) that receives the frames while the run goes on; results of an earlier run in it are replaced.
    overwrite : bool
        Whether `store` may replace a file that does not hold results.

    Returns
    -------
    Results

    Raises
    ------
    ModelError, TopologyError
        The model or an argument is faulty.
    ConvergenceError, SingularError
        The run failed; the error's attribute `results` holds everything up to the failure.
    StorageError
        `store` cannot be written any further, the disk is full for instance; as above, and what was written can be read.
    KeyboardInterrupt
        The user stopped the run (Ctrl-C); as above.
    """
    if contact is not None:
        raise ModelError("contact: this version simulates models without contacts; leave it out")
    if store is not None:
        check_target(store, overwrite, csv_fits=False)
    options = check_run_arguments(model, until, step, accuracy, integrator, on_failure)
    begin = prepare_start(model, start, start_rate, options.formulation if formulation == "auto" else formulation)
    method, may_switch = choose_integrator(options.integrator, options.step, massless=begin.massless > 0,
                                           n_rates=len(begin.qd), loops=begin.has_rows,
                                           projected=getattr(begin.formulation, "projection", None) is not None,
                                           superelements=begin.shown.has_superelements)
    if begin.shown.has_superelements and options.integrator == "auto" and options.step is None:
        begin = replace(begin, messages=(*begin.messages, f"integrator {method.name}: the stretching of flexible bodies in "
                                         "interface coordinates is too stiff for explicit steps"))
    times = record_times(record if record is not None else options.record, options)
    if isinstance(method, Bdf) and not len(begin.q):
        begin = replace(begin, messages=(*begin.messages,
                                           "nothing moves: dopri5 takes the place of bdf, which has no unknowns"))
        method = DORMAND_PRINCE
    if isinstance(method, Bdf):
        loop = (LoopedBdf if begin.has_rows else BdfLoop)(begin, method, options, times)
    else:
        loop = Loop(begin, method, options, times, detect=HELD_BACK if may_switch else 0)
    return _Run(begin, loop, options, progress, store).go(on_failure)


class _Run:
    """One run under way: frames so far, messages, store."""

    def __init__(self, begin: Start, loop: Loop, options, progress, store):
        self.begin, self.loop, self.options, self.progress = begin, loop, options, progress
        self.messages = list(begin.messages)
        self.blocks: list[dict[str, np.ndarray]] = []
        self.compiling = 0.0
        self.unsettled: MultibodyError | None = None
        self.full: StorageError | None = None
        self.patience = HELD_BACK
        self.watch = RejectionWatch()
        self.method = dict(integrator=loop.method.name, accuracy=None if options.step else options.accuracy,
                           step=options.step)
        origin = provenance(model=begin.packed.plan.model.text, formulation=begin.formulation.name, **self.method)
        self.writer = Writer(store, begin.shown.layout, origin) if store is not None else None

    def go(self, on_failure: str) -> Results:
        prepare(self.loop.entries())
        began, error = perf_counter(), None
        try:
            with Stop() as stop:
                error = self._advance(stop)
        except BaseException:
            self._close("failed")
            raise
        self._collect()
        frames = self._frames()
        error = self.full or self.unsettled or error or self._unbalanced(frames)
        stats = self.loop.stats(perf_counter() - began - self.compiling)
        status = "ok" if error is None else f"{type(error).__name__}: {error}"
        self.messages += jumping_drives(self.begin.packed, frames)
        self._close(status, stats)
        error = error or self.full
        results = make_results(self.begin.shown, self.begin.formulation.name, frames, messages=self.messages,
                               stats=stats, status=status, **self.method)
        if error is None or (on_failure == "return" and isinstance(error, MultibodyError)):
            return results
        error.results = results
        raise error

    def _advance(self, stop: Stop) -> BaseException | None:
        """Call the kernel chunk by chunk; returns the error that ended the run, if any."""
        chunk, loop = 200, self.loop
        while True:
            began = perf_counter()
            try:
                status = loop.advance(chunk)
            except MultibodyError as error:
                return error
            self.messages += self.watch.look(self.begin.packed, loop)
            if status == Status.OK:
                return None
            if status == Status.STIFF:
                self._switch_to_implicit()
            elif status == Status.NOT_STIFF:
                self._switch_back()
            elif status not in (Status.RECORD_FULL, Status.CHUNK_DONE):
                found = loop.fastest if status == Status.STEP_TOO_SMALL else loop.failure
                return error_of(status, self.begin.shown, found, loop.t, loop.step)
            took = perf_counter() - began
            if status == Status.RECORD_FULL or took > CHUNK_SECONDS or self.writer:
                self._collect()
            if self.full or self.unsettled:
                return self.full or self.unsettled
            if stop.asked:
                return KeyboardInterrupt(f"stopped by the user at t = {loop.t:.6g} s")
            if self.progress is not None:
                self.progress(loop.t, loop.until, loop.step, loop.steps)
            chunk = int(min(1e6, max(50, chunk * min(4.0, max(0.25, CHUNK_SECONDS / max(took, 1e-9))))))

    def _switch_to_implicit(self) -> None:
        loop = self.loop
        method = stiff_integrator(len(self.begin.qd), loops=self.begin.has_rows)
        self.messages.append(f"stiff at t = {loop.t:.6g} s: stability held the step of {loop.method.name} at "
                             f"{loop.step:.3g} s; went on with {method.name}")
        loop.change_method(method, h_explicit=loop.step)
        self._name_method(method.name)

    def _switch_back(self) -> None:
        self._collect()  # frames of the implicit method
        loop = self.loop
        self.messages.append(f"at t = {loop.t:.6g} s the accuracy asked for keeps implicit steps as short as "
                             f"explicit ones ({loop.step:.3g} s); went on with dopri5")
        self.patience *= MORE_PATIENCE
        loop.change_method(DORMAND_PRINCE, detect=self.patience)
        self._name_method(DORMAND_PRINCE.name)

    def _name_method(self, name: str) -> None:
        began = perf_counter()
        prepare(self.loop.entries())
        self.compiling += perf_counter() - began
        if name not in self.method["integrator"]:
            self.method["integrator"] += f", {name}"

    def _collect(self) -> None:
        """Take the recorded frames out of the kernel's buffer, and store them."""
        block = self.loop.take_frames()
        if not len(block["t"]):
            return
        if self.begin.massless and isinstance(self.loop, Loop):
            block = self._settled(block)
        if self.begin.shown.has_superelements and isinstance(self.loop.method, Implicit):
            refresh_accelerations(self.begin.shown, block)
        self.blocks.append(block)
        if self.writer:
            packed = self.begin.shown
            stored = make_results(packed, self.begin.formulation.name, block, **self.method).frames()
            self._keep(lambda: self.writer.append(stored, evaluate_frames(packed, *stored.values(), block.get("multiplier"))))

    def _keep(self, write) -> None:
        """Write to the store; if that fails, remember why and write no more."""
        try:
            write()
        except StorageError as error:
            self.full, self.writer = error, None

    def _settled(self, block: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Complete massless directions that the kernels left open, up to the first frame where one has no equation."""
        for f in self.loop.open:
            t = float(block["t"][f])
            try:
                completed = complete_frame(self.begin.packed, t, block["q"][f], block["qd"][f])
            except MultibodyError as error:
                self.unsettled = error
                return {name: values[:f] for name, values in block.items()}
            for name, value in zip(("q", "qd", "qdd", "multiplier"), completed, strict=True):
                block[name][f] = value
        return block

    def _unbalanced(self, frames: dict[str, np.ndarray]) -> MultibodyError | None:
        """Return the error of accelerations that are not those of a motion; implicit steps solve for the balance itself."""
        if not isinstance(self.loop.method, Explicit):
            return None
        return unbalanced(self.begin.packed, frames, self.loop.work)

    def _close(self, status: str, stats: Stats | None = None) -> None:
        if self.writer:
            self._keep(lambda: self.writer.close(status, stats or Stats(), tuple(self.messages)))

    def _frames(self) -> dict[str, np.ndarray]:
        if not self.blocks:
            return self.loop.take_frames()
        return {name: np.concatenate([b[name] for b in self.blocks]) for name in self.blocks[0]}


