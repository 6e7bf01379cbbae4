"""Arguments of a run: checked numbers, with the model's own `run` block behind them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from ..errors import Fault, ModelError
from ..model.model import Model
from ..model.units import parse_quantity

DEFAULT_ACCURACY = 1e-6
FIXED_ACCURACY = 5e-9
"""In fixed steps, where it bounds the error of Newton's iteration alone: a share of it, 1e-10."""
DEFAULT_INTERVALS = 500
MOST_FRAMES = 20_000_000


@dataclass(frozen=True)
class RunOptions:
    """Numbers of a run: `until` [s], fixed `step` [s] or None, `accuracy`, and the names of the methods."""

    until: float
    step: float | None
    accuracy: float
    integrator: object
    formulation: object
    record: object


def check_run_arguments(model: Any, until: Any, step: Any, accuracy: Any, integrator: object, on_failure: object
                        ) -> RunOptions:
    """Return the options of a run; ModelError with all faults at once."""
    own = dict(model.run or {}) if isinstance(model, Model) else {}
    faults: list[Fault] = []
    if until is None:
        until = own.get("until")
    if step is None and accuracy is None:
        step = own.get("step")
    if until is None:
        faults.append(Fault("until", "not given; say how long to simulate, e.g. run(model, until=5.0)"))
    else:
        until = _positive(faults, "until", _in_seconds(until), zero=True)
    step = None if step is None else _positive(faults, "step", _in_seconds(step))
    if accuracy is None:
        accuracy = own.get("accuracy", DEFAULT_ACCURACY) if step is None else FIXED_ACCURACY
    accuracy = _positive(faults, "accuracy", accuracy)
    if accuracy is not None and not 1e-14 <= accuracy <= 0.1:
        faults.append(Fault("accuracy", f"found {accuracy:g}, expected a relative error between 1e-14 and 0.1"))
    if on_failure not in ("raise", "return"):
        faults.append(Fault("on_failure", f"found {on_failure!r}, expected 'raise' or 'return'"))
    if faults:
        raise ModelError(faults, model.name if isinstance(model, Model) else "")
    return RunOptions(until, step, accuracy, own.get("integrator", "auto") if integrator is None else integrator,
                      own.get("formulation", "auto"), own.get("record"))


def check_time(t: Any) -> float:
    """Return the time of an analysis [s] as a float: any other number would have the kernels compiled anew for its type."""
    value = _in_seconds(t)
    if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    raise ModelError([Fault("t", f"found {t!r}, expected a finite time [s]")])


def _in_seconds(value: Any) -> Any:
    """Return the seconds that a text such as ``"500 ms"`` means; anything else as it is."""
    quantity = parse_quantity(value) if isinstance(value, str) else None
    return quantity[0] if quantity is not None and quantity[1] == "s" else value


def _positive(faults: list[Fault], name: str, value: Any, zero: bool = False) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not isfinite(number) or number < 0 or (number == 0 and not zero):
        faults.append(Fault(name, f"found {value!r}, expected a {'non-negative' if zero else 'positive'} number"))
        return None
    return number


def record_times(record: Any, options: RunOptions) -> np.ndarray:
    """Times of the frames [s]: a spacing, given times, every fixed step, or 500 intervals."""
    until = options.until
    if record is None:
        if options.step is not None:
            return _spaced(options.step, until)
        return np.linspace(0.0, until, DEFAULT_INTERVALS + 1) if until > 0 else np.zeros(1)
    if np.ndim(record) == 0:
        faults: list[Fault] = []
        spacing = _positive(faults, "record", _in_seconds(record))
        if spacing is None:
            raise ModelError(faults)
        return _spaced(spacing, until)
    try:
        times = np.asarray([_in_seconds(t) for t in record], float)
    except (TypeError, ValueError):
        times = np.array([np.nan])
    if times.ndim != 1 or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0) or (
            len(times) and (times[0] < 0 or times[-1] > until * (1 + 1e-12))):
        raise ModelError([Fault("record", f"expected growing times between 0 and until = {until:g} s, or a spacing")])
    out: np.ndarray = np.minimum(times, until)
    return out


def _spaced(spacing: float, until: float) -> np.ndarray:
    count = int(np.floor(until / spacing * (1 + 1e-12) + 1e-9))
    if count > MOST_FRAMES:
        raise ModelError([Fault("record", f"{count} frames asked for; give a longer spacing with record=")])
    times = np.arange(count + 1) * spacing
    if until - times[-1] > 1e-9 * spacing:
        return np.append(times, until)
    times[-1] = until
    return times
