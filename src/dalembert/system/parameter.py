"""What a parameter of a model is: a named number, how it is written into a checked model, and its copies in the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..model.checked import CheckedModel
from ..model.values import SHORTEST, frozen

if TYPE_CHECKING:
    from .pack import Packed

XYZ = ("x", "y", "z")


class Copy(NamedTuple):
    """An entry of a table that is `factor` times a parameter; `component` of a field that is no single number."""

    table: str
    row: int
    field: str
    component: int | None
    factor: float = 1.0


@dataclass(frozen=True)
class Parameter:
    """A number of a checked model.

    Attributes
    ----------
    name, unit : str
    value : float
        As it is in the model that the parameter was read of.
    write : function (CheckedModel, float) -> CheckedModel
    copies : function (Packed) -> list of Copy, or None
        Entries of tables in joint coordinates that are copies of it; None if it enters otherwise.
    alone : bool
        Whether nothing but its copies depends on it.
    degree : int
        Of the polynomials that the tables are in it; 0 if they are none.
    least, above : float or None
        Bounds of its values.
    whole : function (CheckedModel, three floats) -> CheckedModel, or None
        Of a component of a direction: writes all three.
    """

    name: str
    unit: str
    value: float
    write: Callable[[CheckedModel, float], CheckedModel]
    copies: Callable[[Packed], list[Copy]] | None = None
    alone: bool = False
    degree: int = 1
    least: float | None = None
    above: float | None = None
    whole: Callable[[CheckedModel, Any], CheckedModel] | None = None


def put(section: str, index: int, change: Callable[[Any, float], Any]) -> Callable[[CheckedModel, float], CheckedModel]:
    """Write into one part of a section."""

    def write(model: CheckedModel, value: float) -> CheckedModel:
        parts = list(getattr(model, section))
        parts[index] = change(parts[index], value)
        changes: dict[str, Any] = {section: tuple(parts)}
        return replace(model, **changes)

    return write


def written(name: str) -> Callable[[Any, float], Any]:
    """Write a field."""
    return lambda part, value: replace(part, **{name: value})


def entries_written(name: str, *at: tuple[int, ...] | int) -> Callable[[Any, float], Any]:
    """Write entries of an array."""

    def change(part: Any, value: float) -> Any:
        array = np.array(getattr(part, name), float)
        for k in at:
            array[k] = value
        return replace(part, **{name: frozen(array)})

    return change


def direction_written(name: str) -> Callable[[Any, Any], Any]:
    """Write a direction, which is made a unit vector; None if it has no length."""

    def change(part: Any, values: Sequence[float]) -> Any:
        length = hypot(*values)
        return replace(part, **{name: frozen([x / length for x in values]) if length > SHORTEST else None})

    return change


def directions(section: str, i: int, part: Any, word: str, name: str) -> Iterator[Parameter]:
    """Components of a direction, those of a unit vector before one is changed."""
    whole = put(section, i, direction_written(name))
    for k, c in enumerate(XYZ):
        def change(own: Any, value: float, k: int = k) -> Any:
            values = getattr(own, name).tolist()
            values[k] = value
            return direction_written(name)(own, values)

        yield Parameter(f"{part.name}.{word}.{c}", "", float(getattr(part, name)[k]), put(section, i, change), degree=0,
                        whole=whole)
