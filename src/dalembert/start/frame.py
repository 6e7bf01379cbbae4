"""A single state as results of one frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from warnings import warn

import numpy as np

from ..model.model import Model
from ..results.results import Results
from .arguments import check_time
from .closing import at_time
from .control import idle_parts
from .deformed import Starts
from .evaluate import make_results, solve_state
from .initial import prepare_start
from .massless import complete_frame
from .start import Start


def results_of_state(begin: Start, t: float) -> Results:
    """One frame: the state of a start with the drives and laws of time t [s], loops closed; as it is at its own time."""
    q, qd = begin.with_modes(*at_time(begin, t))
    if begin.massless:
        q, qd, qdd, multiplier = complete_frame(begin.packed, t, q, qd, begin.t)
    else:
        qdd, multiplier = solve_state(begin.shown, t, q, qd), np.full(len(begin.shown.system.row), np.nan)
    frames: dict[str, list[Any]] = {"t": [t], "q": [q], "qd": [qd], "qdd": [qdd], "multiplier": [multiplier]}
    return make_results(begin.shown, begin.formulation.name, frames, integrator="none",
                        messages=(*begin.messages, *idle_parts(begin.shown)))


def evaluate_state(model: Model, coordinates: Mapping[str, Any] | None = None, rates: Mapping[str, Any] | None = None,
                   t: float = 0.0) -> Results:
    """Return one frame of a model for given coordinates and rates; the former name of `assemble` at a time.

    .. deprecated:: 0.1
       ``assemble(model, t, start=coordinates, start_rate=rates)`` returns the same.
    """
    warn("dal.evaluate_state(model, coordinates, rates, t) is dal.assemble(model, t, start=coordinates, start_rate=rates) now",
         DeprecationWarning, stacklevel=2)
    return assemble(model, t, start=coordinates, start_rate=rates)


def assemble(model: Model, t: float = 0.0, *, start: Starts = None, start_rate: Mapping[str, Any] | None = None) -> Results:
    """Assemble a mechanism and return the single frame: positions, velocities, accelerations, reactions and all channels.

    Parameters
    ----------
    model : Model
    t : float
        Time [s] at which drives and laws are taken; loops that drives then pull open are closed again.
    start, start_rate : mapping, optional
        Coordinates and rates by joint name, instead of the model's; `start` as for `run`.

    Returns
    -------
    Results
        One frame with all channels; `messages` says what had to be moved.

    Raises
    ------
    AssemblyError
        The mechanism cannot be assembled at that time.
    """
    t = check_time(t)
    return results_of_state(prepare_start(model, start, start_rate), t)
