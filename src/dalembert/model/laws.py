"""Laws y(t), y(t, x, v) or, of a point, y(t, x, y, z, vx, vy, vz) as data: constants, sines, tables, ramps and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from math import pi
from types import FunctionType
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class AsList(Protocol):
    """An array, whatever library it comes from, that gives its numbers as a list."""

    def tolist(self) -> Any:
        """Return the numbers as a list."""


@dataclass(frozen=True)
class Law:
    """Base of the laws that are data."""


LawLike = float | Law | Callable[..., float]
"""A number, a law (`table`, `sine`, `ramp`), a function ``f(t)`` or ``f(t, x, v)``; of a `Force` also one of its point."""


@dataclass(frozen=True)
class Sine(Law):
    """y = offset + amplitude sin(omega t + phase)."""

    amplitude: float
    omega: float
    phase: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class Table(Law):
    """Values y at times t, joined by a twice differentiable cubic spline or by straight lines; constant outside."""

    t: Sequence[float]
    y: Sequence[float]
    kind: str = "cubic"


@dataclass(frozen=True)
class Ramp(Law):
    """From `start` to `end` between two times, by a fifth-degree polynomial with smooth speed and acceleration."""

    begin: float
    finish: float
    start: float
    end: float


@dataclass(frozen=True)
class CompiledLaw(Law):
    """A function that is compiled when a model that holds it is packed; made by `law`."""

    function: Callable[..., float]

    def __call__(self, *args: float) -> float:
        """Call the plain Python function."""
        return self.function(*args)


def sine(*, amplitude: float = 1.0, omega: float | None = None, frequency: float | None = None, phase: float = 0.0,
         offset: float = 0.0) -> Sine:
    """Return ``offset + amplitude sin(omega t + phase)``; give `omega` [rad/s] or `frequency` [Hz]."""
    if omega is not None and frequency is None:
        return Sine(amplitude, omega, phase, offset)
    if frequency is not None and omega is None:
        return Sine(amplitude, 2 * pi * frequency, phase, offset)
    raise TypeError("sine: give exactly one of omega [rad/s] and frequency [Hz]")


def table(t: Sequence[float], y: Sequence[float], *, kind: str = "cubic") -> Table:
    """Return the law through the points (t [s], y); `kind` is ``"cubic"`` or ``"linear"``."""
    return Table(_plain(t), _plain(y), kind)


def _plain(values: Any) -> Any:
    """Return a sequence as a tuple of plain numbers; anything else as it is, for the check to report."""
    values = values.tolist() if isinstance(values, AsList) else values
    return tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else values


def ramp(*, begin: float, finish: float, start: float = 0.0, end: float = 1.0) -> Ramp:
    """Return a smooth change from `start` to `end` between the times `begin` and `finish` [s]."""
    return Ramp(begin, finish, start, end)


def law(function: Callable[..., float]) -> CompiledLaw:
    """Mark a function ``f(t)`` or ``f(t, x, v)`` to run at kernel speed; it may use `math` and NumPy scalars.

    For a `Force` it may also be a function ``f(t, x, y, z, vx, vy, vz)`` of its point, for a `CoordinateCoupling` it
    is a function ``f(x)`` of a joint coordinate.

    Examples
    --------
    >>> from math import sin
    >>> @law
    ... def torque(t):
    ...     return sin(3 * t)
    >>> torque(0.0)
    0.0
    """
    return CompiledLaw(function)


def argument_count(function: Callable[..., object]) -> int | None:
    """Return how many arguments a law's function wants: 1 for ``f(t)``, 3 for ``f(t, x, v)``, 7 for that of a point.

    Parameters with a default do not count, unless there is no other; None if the signature cannot be read.

    Examples
    --------
    >>> argument_count(lambda t, k=2.0: k * t)
    1
    """
    if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        code, defaults = function.__code__, len(function.__defaults__ or ())
        return code.co_argcount - defaults or min(code.co_argcount, 1)
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    places = [p for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in places if p.default is Parameter.empty]
    return len(needed) or len(places[:1])
