"""Parameters of force elements and motions, and those of laws: numbers themselves, sines, ramps and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.checked import CheckedForce, CheckedModel, CheckedMotion
from ..model.forces import FORCE_RECORDS
from ..model.joints import JOINT_RECORDS
from ..model.laws import Ramp, Sine, Table
from ..model.records import Direction, LawField, Number, Three, Unit
from .parameter import XYZ, Copy, Parameter, directions, entries_written, put, written

if TYPE_CHECKING:
    from .pack import Packed

LISTED_KNOTS = 200
"""Tables with more points than this are records: their single values have no names."""
_COLUMNS = {"stiffness": "k", "damping": "c", "turning_stiffness": "kt", "turning_damping": "ct", "rest": "rest"}
"""Field of `CheckedForce` -> column of the table."""


def _unit(model: CheckedModel, part: CheckedForce | CheckedMotion) -> str:
    """Unit of the joint coordinate that a part acts on."""
    return JOINT_RECORDS[model.joints[part.joint].code].units[part.coordinate]


def of_force(i: int, force: CheckedForce, model: CheckedModel) -> Iterator[Parameter]:
    """Yield the parameters of a force element."""
    moved = _unit(model, force) if force.joint >= 0 else ""
    for field in FORCE_RECORDS[force.code].fields:
        if isinstance(field, Direction):
            yield from directions("forces", i, force, field.name, field.name)
        elif isinstance(field, LawField):
            yield from of_law("forces", i, force, field.name, _in(field.unit, moved),
                               lambda packed: int(packed.system.force[i]["law"]))
        elif isinstance(field, Number):
            yield from _of_number(i, force, field, _in(field.unit, moved))


def _in(unit: Unit, moved: str) -> str:
    """Unit of a field of an element that acts on a coordinate of the unit `moved`."""
    return unit if isinstance(unit, str) else unit[moved]


def _of_number(i: int, force: CheckedForce, field: Number, unit: str) -> Iterator[Parameter]:
    """A number of a force element, or its three."""
    into = field.into or field.name
    values, several = np.array(getattr(force, into)), isinstance(field, Three)
    for at, c in enumerate(XYZ) if several else [(field.at, "")]:
        def copies(packed: Packed, at: int = at) -> list[Copy]:
            return [Copy("force", i, _COLUMNS[into], at if values.ndim else None)]

        yield Parameter(f"{force.name}.{field.name}{'.' * several}{c}", unit, float(values[at] if values.ndim else values),
                        put("forces", i, entries_written(into, at) if values.ndim else written(into)), copies, alone=True,
                        least=field.least, above=field.above)


def of_motion(i: int, motion: CheckedMotion, model: CheckedModel) -> Iterator[Parameter]:
    """Yield the constants of the law of a motion."""
    unit = _unit(model, motion) + "/s" * motion.speed
    yield from of_law("motions", i, motion, "speed" if motion.speed else "position", unit,
                       lambda packed: int(packed.system.drive[i]["law"]))


def of_law(section: str, i: int, part: Any, word: str | None, unit: str, row: Callable[[Packed], int], of_time: bool = True
            ) -> Iterator[Parameter]:
    """Constants of a part's law: of a number itself, of a sine, ramp or table; functions have none."""
    law, name = part.law, f"{part.name}.{word}"

    def copied(k: int) -> Callable[[Packed], list[Copy]]:
        return lambda packed: [Copy("law", row(packed), "p", k)]

    if isinstance(law, float):
        yield Parameter(name, unit, law, put(section, i, written("law")), copied(0), alone=True)
    elif isinstance(law, (Sine, Ramp)):
        x = "s" if of_time else ""
        units = {"begin": x, "finish": x, "start": unit, "end": unit}
        if isinstance(law, Sine):
            units = {"amplitude": unit, "omega": "rad/s" * of_time, "phase": "rad", "offset": unit}
        for k, constant in enumerate(units):
            def change(own: Any, value: float, constant: str = constant) -> Any:
                return replace(own, law=replace(own.law, **{constant: value}))

            yield Parameter(f"{name}.{constant}", units[constant], getattr(law, constant), put(section, i, change), copied(k),
                            alone=not (of_time and constant in ("begin", "finish")))
    elif isinstance(law, Table) and len(law.y) <= LISTED_KNOTS:
        for k, y in enumerate(law.y):
            def bend(own: Any, value: float, k: int = k) -> Any:
                return replace(own, law=replace(own.law, y=(*own.law.y[:k], value, *own.law.y[k + 1:])))

            yield Parameter(f"{name}.y.{k}", unit, float(y), put(section, i, bend))
