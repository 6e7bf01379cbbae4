"""Forces and motions: what they act on, their coordinates, numbers and laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from .check_coordinates import Coordinate, find_coordinate
from .check_fields import read_field, unit_of
from .check_laws import OF_TIME, read_law
from .checked import CheckedForce, CheckedMotion
from .names import Names
from .parts import Motion
from .records import Number, Three
from .values import UNIT_X, ZERO3, Faults, frozen, number, row, shown

_EMPTY: dict[str, Any] = {"joint": -1, "coordinate": 0, "first": None, "second": None, "stiffness": ZERO3, "damping": ZERO3,
                          "turning_stiffness": ZERO3, "turning_damping": ZERO3, "rest": 0.0, "law": None, "direction": UNIT_X,
          "follow": False}
_SCALARS = ("rest",)
"""Fields of `CheckedForce` that hold one number; the other ones for numbers hold three."""


def read_force(faults: Faults, where: str, force: Any, names: Names) -> CheckedForce:
    """Check a force element by its record and resolve its names."""
    record = force.record
    read, unit = _PLACES[record.on](faults, where, force, names)
    for field in record.fields:
        value = getattr(force, field.name)
        if isinstance(field, Number):
            _read_number(faults, f"{where}.{field.name}", value, field, unit, read)
        else:
            key, found = read_field(faults, f"{where}.{field.name}", value, field, unit)
            read[key] = found
    return CheckedForce(name=force.name, code=record.code, **{**_EMPTY, **{key: frozen(x) if isinstance(x, list) else x
                                                                       for key, x in read.items()}})


def _find_coordinate(faults: Faults, where: str, part: Any, names: Names) -> Coordinate:
    """Find the joint coordinate that a force or motion acts on."""
    return find_coordinate(faults, where + ".joint", where + ".coordinate", part.joint, part.coordinate, names,
                           instead="use a Bushing between its two places")


def _read_coordinate(faults: Faults, where: str, force: Any, names: Names) -> tuple[dict[str, Any], str]:
    joint, coordinate, unit = _find_coordinate(faults, where, force, names)
    return {"joint": joint, "coordinate": coordinate}, unit


def _read_ends(faults: Faults, where: str, force: Any, names: Names) -> tuple[dict[str, Any], str]:
    first = names.place(faults, where + ".first", force.first)
    second = names.place(faults, where + ".second", force.second)
    if first is not None and first is second:
        faults.flag(where + ".second", f"found {shown(force.second)} at both ends, expected two places")
    return {"first": first, "second": second}, ""


def _read_place(faults: Faults, where: str, force: Any, names: Names) -> tuple[dict[str, Any], str]:
    return {"first": names.place(faults, where + ".at", force.at)}, ""


_PLACES = {"coordinate": _read_coordinate, "places": _read_ends, "place": _read_place}
"""What an element acts on -> its reader, which also returns the unit of the joint coordinate."""


def _read_number(faults: Faults, where: str, value: Any, field: Number, coordinate: str, read: dict[str, Any]) -> None:
    """Read a number, or three of them, into its place."""
    unit, into = unit_of(field.unit, coordinate), field.into or field.name
    if isinstance(field, Three):
        read[into] = _three(faults, where, value, unit, field)
        return
    found = number(faults, where, value, unit, least=field.least, above=field.above, remedy=field.remedy)
    if into in _SCALARS:
        read[into] = found
    else:
        read.setdefault(into, [0.0, 0.0, 0.0])[field.at] = found


def _three(faults: Faults, where: str, value: Any, unit: str, field: Three) -> np.ndarray:
    """Read one number for all directions or three."""
    bounds: dict[str, Any] = {"least": field.least, "above": field.above, "remedy": field.remedy}
    if not isinstance(value, (list, tuple, np.ndarray)) or isinstance(value, np.ndarray) and value.ndim == 0:
        return frozen((number(faults, where, value, unit, **bounds),) * 3)
    values = row(faults, where, value, (3,), (unit,), f"one number or three [{unit}]")
    for i, x in enumerate(values or ()):
        number(faults, f"{where}[{i}]", x, unit, **bounds)
    return frozen(values or (0.0, 0.0, 0.0))


def read_motion(faults: Faults, where: str, motion: Motion, names: Names, driven: dict[tuple[int, int], str]
                ) -> CheckedMotion:
    """Check a motion and resolve its names; `driven` holds which motion drives which coordinate so far."""
    joint, coordinate, unit = _find_coordinate(faults, where, motion, names)
    if (motion.position is None) == (motion.speed is None):
        found = "neither" if motion.position is None else "both"
        faults.flag(where, f"found {found} of position and speed, expected exactly one of them")
    speed = motion.position is None
    law = motion.speed if speed else motion.position
    if law is not None:
        law = read_law(faults, f"{where}.{'speed' if speed else 'position'}", law, unit + "/s" * speed if unit else "",
                       OF_TIME)
    if unit and driven.setdefault((joint, coordinate), motion.name) is not motion.name:
        faults.flag(where + ".joint", f"the coordinate is driven by {driven[joint, coordinate]!r} already, expected "
                                      "one motion a coordinate; remove one or add the laws up")
    step = number(faults, where + ".derivative_step", motion.derivative_step, "s", above=0.0)
    return CheckedMotion(motion.name, joint, coordinate, law, speed, step)
