"""Laws: numbers, sines, tables, ramps and functions of time or state."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .laws import CompiledLaw, Law, Ramp, Sine, Table, argument_count
from .values import LARGEST, Faults, number, row, shown

KINDS = ("cubic", "linear")


class Form(NamedTuple):
    """What a law is a function of: symbol, word and unit of its first argument, and how many arguments it may take."""

    symbol: str
    word: str
    unit: str
    counts: tuple[int, ...]


OF_STATE = Form("t", "time", "s", (1, 3))
"""f(t) or f(t, x, v)."""
OF_POINT = Form("t", "time", "s", (1, 3, 7))
"""f(t), f(t, x, v) or f(t, x, y, z, vx, vy, vz) of a point."""
OF_TIME = Form("t", "time", "s", (1,))
"""f(t)."""
OF_ANGLE = Form("x", "argument", "rad", (1,))
OF_DISPLACEMENT = Form("x", "argument", "m", (1,))
"""f(x) of a joint coordinate; tables, sines and ramps count in x instead of time."""


def read_law(faults: Faults, where: str, law: Any, unit: str, form: Form = OF_STATE) -> Any:
    """Check a law whose values have the unit `unit`; numbers become floats, laws hold floats."""
    if isinstance(law, Sine):
        return Sine(number(faults, where + ".amplitude", law.amplitude, unit),
                    number(faults, where + ".omega", law.omega, "" if form.unit == "rad" else f"rad/{form.unit}"),
                    number(faults, where + ".phase", law.phase, "rad"),
                    number(faults, where + ".offset", law.offset, unit))
    if isinstance(law, Ramp):
        return _read_ramp(faults, where, law, unit, form)
    if isinstance(law, Table):
        return _read_table(faults, where, law, unit, form)
    if isinstance(law, CompiledLaw):
        _check_function(faults, where, law.function, form)
        return law
    if isinstance(law, type) and issubclass(law, Law):
        faults.flag(where, f"found the class {law.__name__}, expected a law; call sine(...), table(...) or ramp(...)")
        return 0.0
    if callable(law):
        _check_function(faults, where, law, form)
        return law
    if isinstance(law, (list, tuple, dict)) or law is None:
        faults.flag(where, f"found {shown(law)}, expected a number, table({form.symbol}, y), sine(...), ramp(...) or "
                           "a function")
        return 0.0
    return number(faults, where, law, unit)


def _read_ramp(faults: Faults, where: str, law: Ramp, unit: str, form: Form) -> Ramp:
    before = len(faults)
    begin = number(faults, where + ".begin", law.begin, form.unit)
    finish = number(faults, where + ".finish", law.finish, form.unit)
    if len(faults) == before and not finish > begin:
        faults.flag(where + ".finish", f"found {shown(law.finish)}, expected {form.symbol} after begin = {begin:g} "
                                       f"{form.unit}")
    return Ramp(begin, finish, number(faults, where + ".start", law.start, unit),
                number(faults, where + ".end", law.end, unit))


def _read_table(faults: Faults, where: str, law: Table, unit: str, form: Form) -> Table:
    if law.kind not in KINDS:
        faults.flag(where + ".kind", f"found {shown(law.kind)}, expected 'cubic' or 'linear'."
                                     f"{faults.near(law.kind, KINDS)}")
    before = len(faults)
    t, y = _column(faults, where + ".t", law.t, form.unit), _column(faults, where + ".y", law.y, unit)
    if len(faults) > before:
        return law
    if len(t) != len(y):
        faults.flag(where, f"found {len(t)} {form.word}s and {len(y)} values, expected as many values as "
                           f"{form.word}s")
    elif len(t) < 2:
        faults.flag(where + ".t", f"found {len(t)} point{'s' * (len(t) != 1)}, expected two or more"
                                  f"{'; for a constant give a number' * (form.symbol == 't')}")
    elif not np.all(np.diff(t) > 0):
        i = int(np.argmin(np.diff(t) > 0))
        faults.flag(where + ".t", f"found {t[i + 1]:g} after {t[i]:g} (entry {i + 1}), expected {form.word}s that grow; "
                                  f"sort them, and let a jump take a short {'time' if form.symbol == 't' else 'way'}")
    return replace(law, t=t, y=y)


def _column(faults: Faults, where: str, values: Any, unit: str) -> tuple[float, ...]:
    """Read a list of numbers of any length; plain floats are checked at once."""
    if isinstance(values, (list, tuple, np.ndarray)) and all(type(x) is float for x in values):
        array = np.asarray(values)
        if np.all(np.abs(array) <= LARGEST):
            return tuple(values)
    length = len(values) if isinstance(values, Sized) else 0
    return row(faults, where, values, (length,), (unit,), "a list of numbers") or ()


def _check_function(faults: Faults, where: str, function: Any, form: Form) -> None:
    x = form.symbol
    forms = {1: f"one parameter, f({x})", 3: "three, f(t, x, v)", 7: "seven, f(t, x, y, z, vx, vy, vz)"}
    expected = ", or ".join(forms[count] for count in form.counts)
    name = getattr(function, "__name__", type(function).__name__)
    if not callable(function):
        faults.flag(where, f"found {shown(function)} in a compiled law, expected a function with {expected}")
        return
    count = argument_count(function)
    if count is None:
        faults.flag(where, f"the parameters of {name!r} cannot be read, expected a function with {expected}; wrap it: "
                           f"lambda {x}: {name}({x})")
    elif count not in form.counts:
        faults.flag(where, f"the function {name!r} takes {count} parameter{'s' * (count != 1)}, expected {expected}")


def functions_of(model: Any) -> list[tuple[str, str]]:
    """Return path and name of every Python function in the laws of a model."""
    found = []
    for section in ("constraints", "forces", "motions"):
        for part in getattr(model, section):
            for key, value in vars(part).items():
                if callable(value):
                    function = value.function if isinstance(value, CompiledLaw) else value
                    found.append((f"{section}.{part.name}.{key}", getattr(function, "__name__", type(value).__name__)))
    return found
