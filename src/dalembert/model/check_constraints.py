"""Constraints: what they hold together, their coordinates, numbers and laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .check_coordinates import Coordinate, find_coordinate
from .check_fields import read_field, unit_of
from .check_laws import OF_ANGLE, OF_DISPLACEMENT, read_law
from .checked import CheckedConstraint
from .constraints import CoordinateCoupling, Gear
from .laws import Law, Ramp, Sine, Table
from .names import Names
from .records import LawField, Number
from .values import UNIT_X, UNIT_Z, Faults, number, shown

_EMPTY = {"first": None, "second": None, "axis": UNIT_X, "normal": UNIT_Z, "value": 0.0, "law": None, "law_of_x": False,
          "derivative_step": 1e-3, "terms": (), "radius": 0.0, "unit": "m"}
_FORMS = {"rad": OF_ANGLE, "m": OF_DISPLACEMENT}
_INSTEAD = "couple angles or displacements, of a chain of simple joints for example"


def read_constraint(faults: Faults, where: str, constraint: Any, names: Names) -> CheckedConstraint:
    """Check a constraint by its record and resolve its names."""
    record = constraint.record
    return CheckedConstraint(name=constraint.name, code=record.code,
                             **{**_EMPTY, **_READERS[record.on](faults, where, constraint, names)})


def _read_ends(faults: Faults, where: str, constraint: Any, names: Names) -> dict[str, Any]:
    first = names.place(faults, where + ".first", constraint.first)
    second = names.place(faults, where + ".second", constraint.second)
    if first is not None and second is not None and first.body == second.body:
        faults.flag(where, f"connects {constraint.first!r} with {constraint.second!r} of the same body, which cannot "
                           "move against each other, expected two bodies; attach one side to another body or to "
                           "'ground'")
    return {"first": first, "second": second}


def _read_between(faults: Faults, where: str, constraint: Any, names: Names) -> dict[str, Any]:
    """Read a constraint between two places; how its directions lie depends on the pose and is nothing to check here."""
    read = _read_ends(faults, where, constraint, names)
    for field in constraint.record.fields:
        path, value = f"{where}.{field.name}", getattr(constraint, field.name)
        if isinstance(field, Number):
            read[field.into or field.name] = number(faults, path, value, unit_of(field.unit, ""), least=field.least,
                                                    above=field.above, remedy=field.remedy)
        elif isinstance(field, LawField):
            read |= _read_prescribed(faults, path, value, field)
        else:
            key, found = read_field(faults, path, value, field)
            read[key] = found
    return read


def _read_prescribed(faults: Faults, where: str, law: Any, field: LawField) -> dict[str, Any]:
    """Read a prescribed length [m] as a law: a number is the value itself, and none is that of the assembled start."""
    before = len(faults)
    _, read = read_field(faults, where, law, field)
    if read is None:
        return {"value": None}
    lowest = _lowest(read) if len(faults) == before else None
    if lowest is not None and field.above is not None and lowest <= field.above:
        faults.flag(where, f"found {shown(law)}, lowest {lowest:g} m, expected {field.name}s greater than {field.above:g}; "
                           f"{field.remedy}")
    return {"value": read} if isinstance(read, float) else {"law": read}


def _read_spacing(faults: Faults, where: str, constraint: Any, unit: str) -> dict[str, float]:
    return {"derivative_step": number(faults, where + ".derivative_step", constraint.derivative_step, unit, above=0.0)}


def _lowest(law: Any) -> float | None:
    """Return the lowest value of a law at its knots; None for a function."""
    if isinstance(law, float):
        return law
    if isinstance(law, Sine):
        return law.offset - abs(law.amplitude)
    if isinstance(law, Ramp):
        return min(law.start, law.end)
    return min(law.y) if isinstance(law, Table) else None


def _read_offset(faults: Faults, where: str, offset: Any, unit: str) -> float:
    """Read an offset in the unit of a coordinate; not if the coordinate is unknown, as the unit would be a guess."""
    return number(faults, where + ".offset", offset, unit) if unit else 0.0


def _read_factor(faults: Faults, where: str, factor: Any, remedy: str) -> float:
    before = len(faults)
    read = number(faults, where, factor)
    if len(faults) == before and read == 0.0:
        faults.flag(where, f"found {shown(factor)}, expected a number other than zero; {remedy}")
    return read


def _read_gear(faults: Faults, where: str, constraint: Gear, names: Names) -> dict[str, Any]:
    first, second = (find_coordinate(faults, f"{where}.{side}", f"{where}.{side}_coordinate",
                                     getattr(constraint, side), getattr(constraint, side + "_coordinate"), names,
                                     instead=_INSTEAD) for side in ("first", "second"))
    if first.unit and first == second:
        faults.flag(where + ".second", f"couples the coordinate of {shown(constraint.second)} with itself, expected "
                                       "another joint or another coordinate of it")
    ratio = _read_factor(faults, where + ".ratio", constraint.ratio,
                         "to hold the second joint still use a Motion or a Fixed joint")
    value = None if constraint.offset is None else _read_offset(faults, where, constraint.offset, second.unit)
    return {"value": value, "unit": second.unit,
            "terms": ((second.joint, second.number, 1.0), (first.joint, first.number, -ratio))}


def _read_coupling(faults: Faults, where: str, constraint: CoordinateCoupling, names: Names) -> dict[str, Any]:
    dependent = find_coordinate(faults, where + ".joint", where + ".coordinate", constraint.joint, constraint.coordinate,
                                names, instead=_INSTEAD)
    read = _read_sum if constraint.function is None else _read_function
    return {"value": _read_offset(faults, where, constraint.offset, dependent.unit), "unit": dependent.unit,
            **read(faults, where, constraint, names, dependent)}


def _find_other(faults: Faults, where: str, text: Any, names: Names, dependent: Coordinate) -> Coordinate:
    """Resolve ``"joint"`` or ``"joint.coordinate"``, which must not be the dependent coordinate."""
    joint, _, coordinate = text.partition(".") if isinstance(text, str) else (text, "", "")
    found = find_coordinate(faults, where, where, joint, coordinate or None, names, instead=_INSTEAD)
    if found.unit and found == dependent:
        faults.flag(where, f"{shown(text)} is the dependent coordinate itself, expected another one")
    return found


def _read_sum(faults: Faults, where: str, constraint: CoordinateCoupling, names: Names, dependent: Coordinate
              ) -> dict[str, Any]:
    path, to = where + ".to", constraint.to
    terms = [(dependent.joint, dependent.number, 1.0)]
    if not isinstance(to, Mapping) or not to:
        faults.flag(path, f"found {shown(to)}, expected factors of other coordinates, {{'joint': factor, ...}}, or one "
                          "joint with function=")
        return {"terms": tuple(terms)}
    taken: dict[Coordinate, Any] = {}
    for text, factor in to.items():
        other = _find_other(faults, f"{path}.{text}", text, names, dependent)
        if other.unit and taken.setdefault(other, text) is not text:
            faults.flag(f"{path}.{text}", f"names the same coordinate as {shown(taken[other])}, expected each once; add "
                                          "the factors up")
        read = _read_factor(faults, f"{path}.{text}", factor, "leave the joint out if it has no influence")
        terms.append((other.joint, other.number, -read))
    return {"terms": tuple(terms)}


def _read_function(faults: Faults, where: str, constraint: CoordinateCoupling, names: Names, dependent: Coordinate
                   ) -> dict[str, Any]:
    to, law = constraint.to, constraint.function
    other = Coordinate(-1, 0, "")
    if isinstance(to, Mapping):
        faults.flag(where + ".to", f"found {shown(to)} together with a function, expected one joint, 'joint' or "
                                   "'joint.coordinate', whose coordinate is the function's argument")
    else:
        other = _find_other(faults, where + ".to", to, names, dependent)
    if not callable(law) and not isinstance(law, Law):
        faults.flag(where + ".function", f"found {shown(law)}, expected table(x, y), sine(...), ramp(...) or a function "
                                         "f(x); for a proportional coordinate use to={'joint': factor}")
    elif dependent.unit and other.unit:
        law = read_law(faults, where + ".function", law, dependent.unit, _FORMS[other.unit])
    spacing = _read_spacing(faults, where, constraint, other.unit) if other.unit else {}
    return {**spacing, "law": law, "law_of_x": True,
            "terms": ((dependent.joint, dependent.number, 1.0), (other.joint, other.number, -1.0))}


_READERS = {"places": _read_between, "two coordinates": _read_gear, "coordinate": _read_coupling}
"""What a constraint binds -> its reader."""
