"""Fields of parts as their records describe them: laws, directions and truth values."""

from __future__ import annotations

from typing import Any

from .check_laws import OF_POINT, OF_STATE, OF_TIME, Form, read_law
from .records import Direction, Flag, LawField, Unit
from .values import ZERO3, Faults, direction, flag

FORMS: dict[str, Form] = {"state": OF_STATE, "point": OF_POINT, "time": OF_TIME}
"""Word of a record -> what functions may depend on."""


def unit_of(unit: Unit, coordinate: str) -> str:
    """Return the unit of a field for that of the joint coordinate it refers to."""
    return unit if isinstance(unit, str) else unit[coordinate]


def read_field(faults: Faults, where: str, value: Any, field: LawField | Direction | Flag, coordinate: str = ""
               ) -> tuple[str, Any]:
    """Return the field of the checked part that a value belongs to, and the value."""
    if isinstance(field, LawField):
        none = field.optional and value is None
        return "law", None if none else read_law(faults, where, value, unit_of(field.unit, coordinate), FORMS[field.form])
    if isinstance(field, Direction):
        return field.name, ZERO3 if field.optional and value is None else direction(faults, where, value)
    return field.name, flag(faults, where, value)
