"""Laws as rows: constants, sines, ramps, cubic tables, and functions by their machine address."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import nan
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..codes import LawCode
from ..errors import Fault, ModelError
from ..kernels import tables
from ..kernels.compile.user_functions import is_compiled
from ..kernels.force.laws import POINT, STATE, compile_law, make_callback, prototype
from ..model.laws import CompiledLaw, Ramp, Sine, Table, argument_count

SETTLED = (bool, int, str, type(None), type, BuiltinFunctionType, FunctionType, np.ufunc)
"""Kinds of values that stay what they are; a function that compiled code may call is one that Numba knows by itself."""
LIBRARIES = ("math", "cmath", "numpy", "scipy", "numba")
"""Modules whose values nobody changes."""
FEW_KNOTS = 200
"""Smooth tables with more knots than this are taken for dense records, which no step can miss."""
REMEMBERED_CALLS = 64
"""Last calls of a Python law that are kept."""


Calls = deque[tuple[tuple[float, ...], float]]
"""Arguments and values."""
Knot = tuple[float, tuple[float, ...]]
"""Time and coefficients."""


class LawFailure(NamedTuple):
    """What a Python law raised, and the part that it belongs to, e.g. ``"forces.motor"``."""

    owner: str
    cause: Exception

    def error(self, when: str) -> ModelError:
        """Return the error that reports it."""
        error = ModelError([Fault(self.owner, f"its law raised {type(self.cause).__name__}: {self.cause} ({when})")])
        error.__cause__ = self.cause
        return error


class LawTable:
    """Collects the laws of a model.

    `errors` is filled when a Python law raises, `calls` holds Python laws with their last calls by part,
    `compiled` the parts of compiled laws by row, `keep` holds compiled functions, `breaks` the times at which an
    error-controlled step must end, lest it step over what a law does there: knots of tables, both ends of ramps.
    """

    def __init__(self) -> None:
        self.errors: list[LawFailure] = []
        self.calls: dict[str, Overheard] = {}
        self.compiled: dict[int, str] = {}
        self.keep: list[Any] = []
        self.breaks: set[float] = set()
        self._rows: list[tuple[LawCode, tuple[float, ...], int, int, int, float]] = []
        self._knots: list[Knot] = []

    def add(self, law: Any, derivative_step: float = 1e-3, *, of_time: bool = True, owner: str = "") -> int:
        """Append a law of a part, `owner`, and return its row; one that is not of time (a cam's) makes no breaks."""
        p, first, count, address = (0.0,) * 4, 0, 0, 0
        if isinstance(law, Sine):
            code, p = LawCode.SINE, (law.amplitude, law.omega, law.phase, law.offset)
        elif isinstance(law, Ramp):
            code, p = LawCode.RAMP, (law.begin, law.finish, law.start, law.end)
            self.breaks |= {law.begin, law.finish} if of_time else set()
        elif isinstance(law, Table):
            code, first = LawCode.TABLE, len(self._knots)
            self._knots += _knots(law)
            count = len(self._knots) - first
            if of_time and (law.kind == "linear" or count <= FEW_KNOTS):
                self.breaks |= set(law.t)
        elif callable(law):
            code, address = self._function(law, owner)
            if isinstance(law, CompiledLaw):
                self.compiled[len(self._rows)] = owner
        else:
            code, p = LawCode.CONSTANT, (float(law), 0.0, 0.0, 0.0)
        self._rows.append((code, p, first, count, address, derivative_step))
        return len(self._rows) - 1

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the filled LAW and KNOT tables."""
        return np.array(self._rows, tables.LAW), np.array(self._knots, tables.KNOT)

    def _function(self, law: Any, owner: str) -> tuple[LawCode, int]:
        """Make a function callable by kernels; returns its code and address."""
        count = argument_count(law.function if isinstance(law, CompiledLaw) else law)
        if isinstance(law, CompiledLaw):
            try:
                kept, address = compiled_once(law.function, count, compile_law)
            except Exception as error:  # whatever the compiler says
                raise _uncompiled(law.function, owner, error) from error
        else:
            assert count is not None  # the check refuses functions whose parameters cannot be read
            kept, address = make_callback(self._guarded(law, owner), count)
        self.keep.append(kept)
        return LawCode.POINT_FUNCTION if count == POINT else LawCode.FUNCTION, address

    def _guarded(self, law: Callable[..., float], owner: str = "") -> Callable[..., float]:
        """Wrap a Python law: an exception is kept for later and NaN stops the kernel."""
        count = argument_count(law)
        calls: Calls = deque(maxlen=REMEMBERED_CALLS)
        self.calls[owner] = Overheard(law, calls)

        def call(*arguments: float) -> float:
            try:
                value = float(law(*arguments[:count]))
                calls.append((arguments[:count], value))
                return value
            except Exception as error:
                self.errors.append(LawFailure(owner, error))
                return nan

        return call


class Overheard(NamedTuple):
    """A law, callable, and its last calls (arguments, value)."""

    law: Callable[..., float]
    calls: Calls


def overheard(law: np.ndarray, compiled: dict[int, str]) -> tuple[np.ndarray, dict[str, Overheard], list[Any]]:
    """Return a LAW table whose compiled laws are called by way of Python, these by their parts, and what to keep alive."""
    table, heard, keep = law.copy(), {}, []
    for row, owner in compiled.items():
        calls: Calls = deque(maxlen=REMEMBERED_CALLS)
        count = POINT if law[row]["code"] == LawCode.POINT_FUNCTION else STATE
        inner = prototype(count)(int(law[row]["address"]))

        def call(*arguments: float, inner: Callable[..., float] = inner, calls: Calls = calls) -> float:
            value = inner(*arguments)
            calls.append((arguments, value))
            return value

        kept, table[row]["address"] = make_callback(call, count)
        keep.append(kept)
        heard[owner] = Overheard(inner, calls)
    table.setflags(write=False)
    return table, heard, keep


_REMEMBERED: WeakKeyDictionary[Callable[..., Any], dict[Any, tuple[Any, Any]]] = WeakKeyDictionary()
"""Function -> by kind, what it was compiled with, and what came of it."""


def compiled_once(function: Callable[..., Any], kind: Any, compile_function: Callable[[Callable[..., Any], Any], Any]) -> Any:
    """Compile a function, or take what came of it the last time if nothing that it reads has changed since.

    `kind` says how it is compiled, ``compile_function(function, kind)``.
    """
    read = _globals_read(function)
    if read is None:
        return compile_function(function, kind)
    known = _REMEMBERED.setdefault(function, {})
    if kind not in known or known[kind][0] != read:
        known[kind] = read, compile_function(function, kind)
    return known[kind][1]


def _globals_read(function: object) -> list[tuple[str, Any]] | None:
    """Names and values that a function reads from outside, or None if some of them can change unseen."""
    if not isinstance(function, FunctionType):
        return None
    names = _names_read(function.__code__)
    try:
        cells = [("", cell.cell_contents) for cell in function.__closure__ or ()]
        outside = [(name, function.__globals__[name]) for name in names if name in function.__globals__]
        return [(name, _settled(value, names)) for name, value in outside + cells]
    except (_UnsettledError, ValueError):  # an empty cell is a ValueError
        return None


def _names_read(code: CodeType) -> list[str]:
    """Names of a function and of the functions within it, such as comprehensions."""
    inner = [name for c in code.co_consts if isinstance(c, CodeType) for name in _names_read(c)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _settled(value: Any, names: list[str]) -> Any:
    """Something that is equal as long as a value is what the compiler froze; `names` may be attributes of it.

    The compiler takes a copy of arrays, so that their contents count; a compiled function of the user keeps what it read when
    it was compiled itself.
    """
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.dtype, value.shape, value.strides, value.tobytes()
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return value.dtype, value.tobytes()
    if isinstance(value, tuple):
        return type(value), *(_settled(x, names) for x in value)
    if isinstance(value, (float, complex)):
        return type(value), np.asarray(value).tobytes()  # tells -0.0 from 0.0, and takes NaN for what it is
    if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in LIBRARIES:
        return value, *((name, _settled(getattr(value, name), names)) for name in names if hasattr(value, name))
    if isinstance(value, (*SETTLED, ModuleType)) or is_compiled(value):
        return type(value), value
    raise _UnsettledError


class _UnsettledError(Exception):
    """A value that can change unseen."""


def _uncompiled(function: object, owner: str, error: Exception) -> ModelError:
    """Return the error of a law that the compiler refuses, with the line of its report that gives the reason."""
    lines = [line.strip() for line in str(error).splitlines()]
    reason = next((line for line in lines if line and not line.startswith("Failed in")), type(error).__name__)
    name = getattr(function, "__name__", "law")
    return ModelError([Fault(owner, f"its law {name!r} cannot be compiled: {reason}; take away @dal.law to run it as plain "
                                    "Python, or use numbers and functions of math and numpy only")])


def _knots(law: Table) -> list[Knot]:
    """Rows (t, coefficients) of a table; the last one holds the end value for all later times."""
    t, y = np.asarray(law.t, float), np.asarray(law.y, float)
    if law.kind == "linear" or len(t) == 2:
        coefficients = np.column_stack([y[:-1], np.diff(y) / np.diff(t), np.zeros(len(t) - 1), np.zeros(len(t) - 1)])
    else:
        from scipy.interpolate import CubicSpline

        coefficients = CubicSpline(t, y).c[::-1].T
    return [(t0, tuple(c)) for t0, c in zip(t, coefficients, strict=False)] + [(t[-1], (y[-1], 0.0, 0.0, 0.0))]
