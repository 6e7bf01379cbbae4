"""Parameters of a model by name, ``"spring.stiffness"``: what each one is, how it is written into a checked model, and which
entries of the tables are copies of it.

A name is the path of a number in the model text: part, field, and the component where there are several.  Fields of flexible
parts, whose bodies are reduced before, have no names here; neither have functions, quaternions and what is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import tables
from ..model.checked import (
    CheckedBody,
    CheckedConstraint,
    CheckedForce,
    CheckedJoint,
    CheckedModel,
    CheckedMotion,
    Place,
)
from ..model.constraints import CONSTRAINT_RECORDS
from ..model.joints import JOINT_RECORDS
from ..model.laws import Ramp
from ..model.records import ConstraintRecord, Direction, LawField, Number
from ..model.values import frozen
from .load_parameters import of_force, of_law, of_motion
from .parameter import XYZ, Copy, Parameter, directions, entries_written, put, written

if TYPE_CHECKING:
    from .pack import Packed

INERTIA = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
TURNS = ("turn_x", "turn_y", "turn_z")
ZERO_MOMENT, PARALLEL = 1e-9, 1e-6
"""Relative size of moments that count as zero; angle [rad] between axes that count as parallel."""


def parameters_of(model: CheckedModel, owner: str | None = None) -> dict[str, Parameter]:
    """Return all parameters of a checked model by name, or those of one part, of ``"ground"`` or ``"gravity"``."""
    found = [*_of_gravity(model)] if owner in (None, "gravity") else []
    for i, body in enumerate(model.bodies):
        if owner in (None, body.name) and not (body.hidden or body.face or body.floating is not None):
            found += _of_body(i, body)
    for section, read in (("joints", _of_joint), ("constraints", _of_constraint), ("forces", of_force),
                          ("motions", of_motion)):
        for i, part in enumerate(getattr(model, section)):
            if owner in (None, part.name) and not (isinstance(part, CheckedJoint) and part.hidden):
                found += read(i, part, model)
    return {p.name: p for p in found}


_ENDS = ("first", "second")


def _move_point(text: str, k: int) -> Callable[[CheckedModel, float], CheckedModel]:
    """Write a coordinate of a named point, wherever it stands."""

    def moved(place: Place, value: float) -> Place:
        if place.text != text:
            return place
        position = np.array(place.position)
        position[k] = value
        return replace(place, position=frozen(position))

    def write(model: CheckedModel, value: float) -> CheckedModel:
        bodies = tuple(replace(b, points={n: moved(p, value) for n, p in b.points.items()}) if b.points else b
                       for b in model.bodies)
        held: dict[str, Any] = {section: tuple(replace(part, **{end: moved(getattr(part, end), value) for end in _ENDS
                                                                if getattr(part, end) is not None})
                                               for part in getattr(model, section))
                                for section in ("joints", "constraints", "forces")}
        return replace(model, bodies=bodies, **held)

    return write


# --- model and bodies ----------------------------------------------------------------------------------------------

def _of_gravity(model: CheckedModel) -> Iterator[Parameter]:
    for k, c in enumerate(XYZ):
        def write(model: CheckedModel, value: float, k: int = k) -> CheckedModel:
            gravity = np.array(model.gravity)
            gravity[k] = value
            return replace(model, gravity=frozen(gravity))

        def copies(packed: Packed, k: int = k) -> list[Copy]:
            return [Copy("constants", 0, "g_w", k)]

        yield Parameter(f"gravity.{c}", "m/s²", float(model.gravity[k]), write, copies, alone=True)


def _of_body(i: int, body: CheckedBody) -> Iterator[Parameter]:
    if i > 0:
        yield Parameter(f"{body.name}.mass", "kg", body.mass, put("bodies", i, written("mass")), least=0.0)
        for k, c in enumerate(XYZ):
            yield Parameter(f"{body.name}.com.{c}", "m", float(body.com[k]), put("bodies", i, entries_written("com", k)),
                            degree=2)
        for c, (a, b) in INERTIA.items():
            yield Parameter(f"{body.name}.inertia.{c}", "kg m²", float(body.inertia[a, b]),
                            put("bodies", i, entries_written("inertia", (a, b), (b, a))))
    for name, place in body.points.items():
        for k, c in enumerate(XYZ):
            yield Parameter(f"{body.name}.points.{name}.{c}", "m", float(place.position[k]), _move_point(place.text, k),
                            degree=2)


# --- joints --------------------------------------------------------------------------------------------------------

def _of_joint(i: int, joint: CheckedJoint, model: CheckedModel) -> Iterator[Parameter]:
    yield from _of_axes(i, joint)
    if JOINT_RECORDS[joint.code].lead is not None:
        yield Parameter(f"{joint.name}.pitch", "m", joint.pitch, put("joints", i, written("pitch")))
    yield from _of_rotors(i, joint)
    yield from _of_starts(i, joint)


def _of_axes(i: int, joint: CheckedJoint) -> Iterator[Parameter]:
    for word, name in zip(JOINT_RECORDS[joint.code].axes, ("axis", "axis2"), strict=False):
        yield from directions("joints", i, joint, word, name)


def _rate_words(joint: CheckedJoint) -> dict[str, tuple[int, ...]]:
    """What rates are called that have rotors of their own, and their numbers; the three of a ball share theirs."""
    record = JOINT_RECORDS[joint.code]
    names: dict[str, tuple[int, ...]] = {f".{c}": (k,) for k, c in enumerate(record.drivable)}
    if record.ball:
        names[".turn"] = tuple(range(record.ball_at, record.ball_at + 3))
    return {"": next(iter(names.values()))} if len(names) == 1 else names


def _of_rotors(i: int, joint: CheckedJoint) -> Iterator[Parameter]:
    count = JOINT_RECORDS[joint.code].sizes[1]
    units = JOINT_RECORDS[joint.code].rate_units
    present = np.broadcast_to(joint.armature, count)
    for word, rates in _rate_words(joint).items():
        def change(part: Any, value: float, rates: tuple[int, ...] = rates) -> Any:
            armature = np.array(np.broadcast_to(part.armature, count), float)
            armature[list(rates)] = value
            return replace(part, armature=frozen(armature))

        def copies(packed: Packed, rates: tuple[int, ...] = rates) -> list[Copy]:
            entry = next((e for e in packed.layout.joints if e.name == joint.name), None)
            return [] if entry is None else [Copy("dof", entry.v + k, "armature", None) for k in rates]

        yield Parameter(f"{joint.name}.armature{word}", "kg" if units[rates[0]] == "m" else "kg m²", float(present[rates[0]]),
                        put("joints", i, change), copies, least=0.0)


def _of_starts(i: int, joint: CheckedJoint) -> Iterator[Parameter]:
    """Starts in the user's coordinates: entries of q and qd, before loops are closed."""
    record = JOINT_RECORDS[joint.code]
    n_q, n_v = record.sizes
    zero = np.zeros(n_q)
    if record.ball:
        zero[record.ball_at] = 1.0
    for k, (c, unit) in enumerate(record.drivable.items()):
        word = "" if n_q == 1 else f".{c}"
        yield Parameter(f"{joint.name}.start{word}", unit, float((zero if joint.start is None else joint.start)[k]),
                        put("joints", i, _start("start", zero, k)), _state("q", joint.name, k), alone=True)
    for k, c in enumerate((*record.drivable, *(TURNS if record.ball else ()))):
        unit = f"{record.rate_units[k]}/s"
        word = "" if n_v == 1 else f".{c}"
        rate = np.zeros(n_v) if joint.start_rate is None else joint.start_rate
        yield Parameter(f"{joint.name}.start_rate{word}", unit, float(rate[k]),
                        put("joints", i, _start("start_rate", np.zeros(n_v), k)), _state("qd", joint.name, k), alone=True)


def _start(name: str, zero: np.ndarray, k: int) -> Callable[[Any, float], Any]:
    def change(part: Any, value: float) -> Any:
        array = np.array(zero if getattr(part, name) is None else getattr(part, name), float)
        array[k] = value
        return replace(part, **{name: frozen(array)})

    return change


def _state(table: str, name: str, k: int) -> Callable[[Packed], list[Copy]]:
    def copies(packed: Packed) -> list[Copy]:
        entry = next((e for e in packed.layout.joints if e.name == name), None)
        return [] if entry is None else [Copy(table, (entry.q if table == "q" else entry.v) + k, "", None)]

    return copies


# --- constraints ---------------------------------------------------------------------------------------------------

def _of_constraint(i: int, part: CheckedConstraint, model: CheckedModel) -> Iterator[Parameter]:
    record = CONSTRAINT_RECORDS[part.code]
    for field in record.fields:
        if isinstance(field, Direction) and np.any(getattr(part, field.name)):
            yield from directions("constraints", i, part, field.name, field.name)
        elif isinstance(field, Number) and isinstance(field.unit, str) and field.name in (tables.ROW.names or ()):
            yield Parameter(f"{part.name}.{field.name}", field.unit, getattr(part, field.name),
                            put("constraints", i, written(field.name)), _column(part, field.name), alone=True,
                            above=field.above)
    said = _prescribed(record)
    if said is not None and part.value is not None and (part.law is None or part.law_of_x):
        yield Parameter(f"{part.name}.{said.name}", part.unit, part.value, put("constraints", i, written("value")),
                        _column(part, "c"), alone=True, above=said.above)
    yield from _of_factors(i, part, record)
    law = next((f.name for f in record.fields if isinstance(f, LawField) and f is not said), None) if part.law_of_x else (
        None if said is None else said.name)
    yield from of_law("constraints", i, part, law, part.unit, lambda packed: int(
        packed.system.row[_rows(packed, part.name)[0]]["law"]), of_time=not part.law_of_x)


def _prescribed(record: ConstraintRecord) -> LawField | Number | None:
    """Field that says what a constraint prescribes: a law of time, or a number in the unit of its coordinate."""
    return next((f for f in record.fields if isinstance(f, LawField) and f.form == "time"
                 or isinstance(f, Number) and not isinstance(f.unit, str)), None)


def _rows(packed: Packed, name: str) -> range:
    entry = next(e for e in packed.layout.constraints if e.name == name)
    return range(entry.row, entry.row + entry.rows)


def _column(part: CheckedConstraint, name: str) -> Callable[[Packed], list[Copy]]:
    """Copies in a column of a constraint's rows."""
    return lambda packed: [Copy("row", r, name, None) for r in _rows(packed, part.name)]


def _of_factors(i: int, part: CheckedConstraint, record: ConstraintRecord) -> Iterator[Parameter]:
    """Ratio of a gear and factors of a coupling: minus the factors of all terms but the first."""
    if record.on == "two coordinates":
        words = [f.name for f in record.fields if isinstance(f, Number) and f.unit == ""]
    elif record.on == "coordinate" and not part.law_of_x:
        words = [f"to.{k}" for k in range(1, len(part.terms))]
    else:
        return
    for k, word in enumerate(words, start=1):
        def change(own: Any, value: float, k: int = k) -> Any:
            joint, coordinate, _ = own.terms[k]
            return replace(own, terms=(*own.terms[:k], (joint, coordinate, -value), *own.terms[k + 1:]))

        def copies(packed: Packed, k: int = k) -> list[Copy]:
            return [Copy("term", int(packed.system.row[_rows(packed, part.name)[0]]["term"]) + k, "c", None, -1.0)]

        yield Parameter(f"{part.name}.{word}", "", -part.terms[k][2], put("constraints", i, change), copies, alone=True)


def faults_of(model: CheckedModel, name: str) -> list[str]:
    """What the part of a written model must not be, beyond the bounds of single parameters."""
    found = []
    for part in (p for section in ("bodies", "joints", "constraints", "forces", "motions") for p in getattr(model, section)):
        if part.name != name:
            continue
        if any(getattr(part, word, 0.0) is None for word in ("axis", "axis2", "normal", "direction")):
            found.append("found a direction of length zero")
            continue
        if isinstance(part, CheckedBody):
            moments = np.linalg.eigvalsh(part.inertia)
            if moments[0] < -ZERO_MOMENT * np.max(abs(moments)):
                found.append(f"found the principal moment {moments[0]:.6g} kg m², expected none below zero")
        if isinstance(part, CheckedJoint) and JOINT_RECORDS[part.code].cross:
            if np.linalg.norm(np.cross(part.axis, part.axis2)) < PARALLEL:
                found.append("found parallel axes, expected two directions")
        if isinstance(part, CheckedConstraint) and any(factor == 0.0 for _, _, factor in part.terms):
            found.append("found the factor zero, expected another number")
        law = part.law if isinstance(part, (CheckedConstraint, CheckedForce, CheckedMotion)) else None
        if isinstance(law, Ramp) and not law.finish > law.begin:
            found.append(f"found a ramp that ends at {law.finish:g}, expected an end after its begin {law.begin:g}")
    return found
