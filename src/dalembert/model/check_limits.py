"""Limits and dry friction of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, isinf
from typing import Any

from .joints import Joint
from .records import EFFORT
from .values import Faults, number, shown

Limits = tuple[tuple[int, float, float], ...]
"""Number of a coordinate with its lower and upper limit."""
Friction = tuple[tuple[int, float], ...]
"""Number of a coordinate with its largest friction."""


def read_limits(faults: Faults, where: str, joint: Joint) -> Limits:
    """Return the limits of a joint's coordinates [rad or m]; infinite ones are none."""
    found = []
    for k, path, unit, pair in _by_coordinate(faults, where, joint, joint.limits, "limits"):
        if isinstance(pair, (str, Mapping)) or not hasattr(pair, "__len__") or len(pair) != 2:
            faults.flag(path, f"found {shown(pair)}, expected two numbers, lower and upper limit [{unit}]; None for no limit")
            continue
        low, high = (_limit(faults, f"{path}[{i}]", x, unit, none) for i, (x, none) in
                     enumerate(zip(pair, (-inf, inf), strict=True)))
        if not low < high:
            faults.flag(path, f"found {shown(pair)}, expected a lower limit below the upper one; a joint that cannot move is "
                              "Fixed")
        elif not (isinf(low) and isinf(high)):
            found.append((k, low, high))
    return tuple(found)


def read_joint_friction(faults: Faults, where: str, joint: Joint) -> Friction:
    """Return the largest friction of a joint's coordinates [N m or N] where there is some."""
    found = [(k, number(faults, path, value, EFFORT[unit], least=0.0, remedy="friction opposes the motion by itself"))
             for k, path, unit, value in _by_coordinate(faults, where, joint, joint.friction, "friction")]
    return tuple((k, most) for k, most in found if most > 0.0)


def read_limit_restitution(faults: Faults, where: str, joint: Joint) -> float:
    """Return the restitution of a joint's limits."""
    value = number(faults, where, joint.restitution, "", least=0.0)
    if value > 1.0:
        faults.flag(where, f"found {shown(joint.restitution)}, expected a number from 0 (no rebound) to 1 (full rebound)")
    return value


def _limit(faults: Faults, where: str, x: Any, unit: str, none: float) -> float:
    return none if x is None or x == none else number(faults, where, x, unit)


def _by_coordinate(faults: Faults, where: str, joint: Joint, said: Any, what: str) -> Iterator[tuple[int, str, str, Any]]:
    """Run through what is said of the coordinates of a joint: number, path, unit and value."""
    if said is None or (type(said) is float and said == 0.0):
        return
    known = joint.record.drivable
    kind = f"{type(joint).__name__} {joint.name!r}"
    if not known:
        faults.flag(where, f"found {shown(said)}, but {kind} has no angle or displacement; remove it")
    elif isinstance(said, Mapping):
        for name, value in said.items():
            if name in known:
                yield list(known).index(name), f"{where}.{name}", known[name], value
            else:
                faults.flag(f"{where}.{name}", f"{kind} has no coordinate {shown(name)}.{faults.near(name, known)}")
    elif len(joint.record.coordinates) == 1:
        (unit,) = known.values()
        yield 0, where, unit, said
    else:
        first = next(iter(known))
        faults.flag(where, f"found {shown(said)}, but {kind} has several coordinates, {', '.join(known)}; name them: "
                           f"{what}={{{first!r}: ...}}")
