"""Trial runs: how many steps an error-controlled run takes per time."""

from __future__ import annotations

from ..errors import MultibodyError
from ..model.model import Model
from ..simulate.run import run
from ..start.deformed import Starts

MOST_STEPS = 20_000
"""Steps after which a trial is ended, about: it looks up a few times a second."""


class _EnoughError(Exception):
    """Ends a trial."""


def step_rate(model: Model, until: float, accuracy: float | None, start: Starts = None) -> float:
    """Steps per second of simulated time [1/s] of a default run, ended early if it takes many; nan if it fails at once."""
    reached = [0.0, 0.0]

    def look(t: float, end: float, step: float, steps: int) -> None:
        reached[:] = t, steps
        if steps > MOST_STEPS:
            raise _EnoughError

    try:
        results = run(model, until=until, accuracy=accuracy, start=start, record=[until], progress=look, on_failure="return")
        if results.status == "ok":
            return results.stats.steps / until
    except (_EnoughError, MultibodyError):
        pass
    return reached[1] / reached[0] if reached[0] > 0 else float("nan")
