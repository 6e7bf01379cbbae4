"""Time integration of a model from time zero to an end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np

from ..errors import HoldsResults, MultibodyError
from ..model.model import Model
from ..results.provenance import provenance
from ..results.results import Results
from ..results.store import Writer
from ..results.targets import check_target
from ..start.arguments import check_run_arguments, record_times
from ..start.deformed import Starts
from ..start.evaluate import make_results
from ..start.formulations import Formulation
from ..start.initial import prepare_start
from .integrators import Explicit, Integrator
from .interrupts import Stop
from .jumps import jumping_drives
from .progress import Progress
from .self_check import unbalanced
from .simulation import Simulation


def run(model: Model, until: float | None = None, step: float | None = None, accuracy: float | None = None,
        formulation: str | Formulation = "auto", integrator: str | Integrator | None = None, contact: None = None,
        start: Starts = None, start_rate: Mapping[str, Any] | None = None, record: float | Sequence[float] | None = None,
        progress: Progress | None = None, on_failure: str = "raise", store: str | Path | None = None,
        overwrite: bool = False) -> Results:
    """Simulate a model from time zero.

    Parameters
    ----------
    model : Model
    until : float
        End time [s]; may be in the model's own `run` block instead, like the other numbers.
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
    contact : UnilateralContact or str, optional
        How fixed steps find the forces of contacts; error-controlled steps locate impacts.
    start, start_rate : mapping, optional
        Coordinates and rates by joint name, instead of the model's; elastic coordinates by the name of a flexible body.  An
        equilibrium, ``start=static(model)``, is a start, too.
    record : float or sequence of float, optional
        Spacing or times of the recorded frames [s], met exactly; by default every fixed step, or 500 intervals.
    progress : callable, optional
        ``progress(t, until, step, steps)``, called a few times a second.
    on_failure : {"raise", "return"}
        With ``"return"`` a failed run returns its frames up to the failure and says why in `Results.status`.
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
    if store is not None:
        check_target(store, overwrite, csv_fits=False)
    options = check_run_arguments(model, until, step, accuracy, integrator, on_failure)
    begin = prepare_start(model, start, start_rate, cast(Formulation, options.formulation) if formulation == "auto"
                          else formulation)
    times = record_times(record if record is not None else options.record, options)
    simulation = Simulation(begin, options, times, contact=contact)
    if store is not None:
        origin = provenance(model=begin.packed.plan.model.text, formulation=begin.formulation.name, **simulation.method)
        simulation.recorder.writer = Writer(store, begin.shown.layout, origin)
    return _finished(simulation, options.until, progress, on_failure)


def _finished(simulation: Simulation, until: float, progress: Progress | None, on_failure: str) -> Results:
    """Advance to the end and return the results; an error gets those up to the failure."""
    recorder, began = simulation.recorder, perf_counter()
    try:
        with Stop() as stop:
            ended = simulation.advance(until, progress=progress, interrupt=stop)
    except BaseException:
        recorder.close("failed")
        raise
    recorder.collect()
    messages = [*simulation.messages, *simulation.loop.sweep_notes()]
    if ended.stopped:
        recorder.add(simulation.loop.present())
        messages.append(f"stopped at t = {ended.t:.6g} s by the event {simulation.events[-1].name!r}")
    frames = recorder.frames()
    error = recorder.error or ended.error or _unbalanced(simulation, frames)
    stats = simulation.loop.stats(perf_counter() - began - simulation.compiling)
    status = "ok" if error is None else f"{type(error).__name__}: {error}"
    messages += simulation.loop.opened()
    messages += jumping_drives(simulation.begin.packed, frames)
    recorder.close(status, stats, messages, simulation.events)
    error = error or recorder.full
    results = make_results(simulation.begin.shown, simulation.begin.formulation.name, frames, messages=messages, stats=stats,
                           status=status, events=simulation.events, **simulation.method)
    if error is None or (on_failure == "return" and isinstance(error, MultibodyError)):
        out: Results = results
        return out
    cast(HoldsResults, error).results = results
    raise error


def _unbalanced(simulation: Simulation, frames: dict[str, np.ndarray]) -> MultibodyError | None:
    """Return the error of accelerations that are not those of a motion; implicit steps solve for the balance itself."""
    if not isinstance(simulation.loop.integrator, Explicit):
        return None
    return unbalanced(simulation.begin.packed, frames, simulation.loop.work)
