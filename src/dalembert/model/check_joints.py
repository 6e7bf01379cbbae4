"""Joints: attachments, axes, starts."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from .check_limits import read_joint_friction, read_limit_restitution, read_limits
from .checked import CheckedJoint, Place
from .guesses import Guess
from .joints import Joint
from .names import Names
from .records import TURN, JointRecord
from .values import (
    EYE3,
    UNIT_X,
    UNIT_Z,
    ZERO3,
    Faults,
    direction,
    flag,
    frozen,
    number,
    quaternion,
    quaternion_of_vector,
    row,
    shown,
)

_NOWHERE = Place(0, ZERO3, EYE3, "")
_PARALLEL = 1e-6
"""Two axes whose cross product is shorter than this count as parallel [rad]."""


def read_joint(faults: Faults, where: str, joint: Joint, names: Names) -> CheckedJoint:
    """Check a joint and resolve its names."""
    first = names.place(faults, where + ".first", joint.first)
    second = names.place(faults, where + ".second", joint.second)
    if first is not None and second is not None and first.body == second.body:
        faults.flag(where, f"connects {joint.first!r} with {joint.second!r} of the same body, expected two bodies; "
                           "attach one side to another body or to 'ground'")
    axis, axis2 = _read_axes(faults, where, joint)
    start, rate, unsaid = None, None, 0
    guessed = isinstance(joint.start, Guess)
    if guessed:
        joint = replace(joint, start=joint.start.value)
    if joint.start is not None:
        start = _read_start(faults, where + ".start", joint)
        _note_degrees(faults, where + ".start", joint)
    if joint.start_rate is not None:
        rate, unsaid = _read_rate(faults, where + ".start_rate", joint)
    return CheckedJoint(
        name=joint.name,
        code=joint.record.code,
        first=first or _NOWHERE,
        second=second or _NOWHERE,
        axis=axis,
        axis2=axis2,
        pitch=_read_lead(faults, where, joint),
        start=start,
        start_rate=rate,
        cut=False if joint.cut is None else flag(faults, where + ".cut", joint.cut),
        coordinates=joint.record.coordinates,
        unsaid_rates=unsaid,
        guessed=guessed,
        armature=_read_armature(faults, where + ".armature", joint),
        limits=read_limits(faults, where + ".limits", joint),
        friction=read_joint_friction(faults, where + ".friction", joint),
        restitution=read_limit_restitution(faults, where + ".restitution", joint),
    )


def _read_armature(faults: Faults, where: str, joint: Joint) -> np.ndarray | float:
    """Return the inertia of the rotor of each rate, zero where there is none."""
    record = joint.record
    count = len(record.rates)
    if type(joint.armature) is float and joint.armature == 0.0:
        return 0.0
    if count == 0:
        faults.flag(where, "found a rotor, but a fixed joint has no coordinates; remove it")
        return 0.0
    units = tuple("kg" if unit == "m" else "kg m²" for unit in record.rate_units)
    if isinstance(joint.armature, (list, tuple, np.ndarray)):
        what = "one number" if count == 1 else f"one number for all rates, or {count}"
        values = row(faults, where, joint.armature, (count,), units, what)
    else:
        values = (number(faults, where, joint.armature, units[0] if len(set(units)) == 1 else ""),) * count
    if values is None:
        return 0.0
    if any(x < 0 for x in values):
        faults.flag(where, f"found {shown(joint.armature)}, expected inertias of at least zero [kg m² or kg]")
        return 0.0
    turning = values[-3:] if record.ball else ()
    if len(set(turning)) > 1:
        faults.flag(where, f"found {shown(joint.armature)}, expected three equal inertias about the axes of a rotation in "
                           "space, whose rates belong to no rotors of their own; put the others on hinges between bodies")
        return 0.0
    return frozen(values)


def _note_degrees(faults: Faults, where: str, joint: Joint) -> None:
    """Note whole numbers of more than a turn where radians are expected: they look like degrees."""
    said = joint.start if isinstance(joint.start, (list, tuple, np.ndarray)) else [joint.start]
    for name, unit, x in zip(joint.record.coordinates, joint.record.units, said, strict=False):
        if unit == "rad" and isinstance(x, Real) and abs(float(x)) > TURN and float(x).is_integer():
            faults.note(where, f"{name} {x:g} is taken in radians, as all angles are, {x / TURN:.3g} turns; write "
                               f"{x:g} * dal.deg, or '{x:g} deg', for degrees")


def _read_axes(faults: Faults, where: str, joint: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit axes; z and x for joints that have none."""
    before, names = len(faults), joint.record.axes
    axes = [direction(faults, f"{where}.{name}", getattr(joint, name)) for name in names]
    if len(axes) == 2 and len(faults) == before and np.linalg.norm(np.cross(axes[0], axes[1])) < _PARALLEL:
        faults.flag(f"{where}.{names[1]}", f"found {shown(getattr(joint, names[1]))}, parallel to {names[0]}, expected "
                                           "another direction, best perpendicular; a single axis is a Revolute")
    axis, axis2 = (*axes, *(UNIT_Z, UNIT_X)[len(axes):])
    return axis, axis2


def _read_lead(faults: Faults, where: str, joint: Joint) -> float:
    """Return how far the joint slides per turn [m]; zero without a lead."""
    lead = joint.record.lead
    if lead is None:
        return 0.0
    n = lead.number
    return TURN / lead.per * number(faults, f"{where}.{n.name}", getattr(joint, n.name), str(n.unit), least=n.least,
                                    above=n.above, remedy=n.remedy)


def _row_of(faults: Faults, where: str, value: Any, lengths: tuple[int, ...], units: tuple[str, ...], what: str
            ) -> tuple[float, ...] | None:
    """Read a start; a single number will do for a single coordinate."""
    if lengths == (1,) and (type(value) is float or not isinstance(value, (list, tuple, np.ndarray))):
        return (number(faults, where, value, units[0]),)
    return row(faults, where, value, lengths, units, what)


def _read_start(faults: Faults, where: str, joint: Joint) -> np.ndarray | None:
    record = joint.record
    names = record.coordinates
    if not names:
        faults.flag(where, "found a start, but a fixed joint has no coordinates; remove it or place the attachments")
        return None
    if record.ball:
        return _read_ball(faults, where, joint.start, record) if record.freedoms else _read_turn(faults, where, joint.start)
    what = "one number" if len(names) == 1 else f"{len(names)} numbers ({', '.join(names)})"
    values = _row_of(faults, where, joint.start, (len(names),), record.units, what)
    return None if values is None else frozen(values)


def _read_ball(faults: Faults, where: str, start: Any, record: JointRecord) -> np.ndarray | None:
    """Read displacements with or without the quaternion that follows them."""
    count, names = record.ball_at, record.coordinates
    values = _row_of(faults, where, start, (count, len(names)), record.units,
                     f"({', '.join(names[:count])}) or ({', '.join(names)})")
    if values is None:
        return None
    turn = quaternion(faults, where, values[count:]) if len(values) == len(names) else (1.0, 0.0, 0.0, 0.0)
    return frozen((*values[:count], *turn))


def _read_turn(faults: Faults, where: str, start: Any) -> np.ndarray | None:
    what = "a quaternion (w, x, y, z) or a rotation vector of three numbers [rad]"
    units = ("",) if isinstance(start, Sized) and len(start) == 4 else ("rad",)
    values = _row_of(faults, where, start, (3, 4), units, what)
    if values is None:
        return None
    return frozen(quaternion(faults, where, values) if len(values) == 4 else quaternion_of_vector(values))


def _read_rate(faults: Faults, where: str, joint: Joint) -> tuple[np.ndarray | None, int]:
    """Return all rates, and how many of them, the last, were not said."""
    record = joint.record
    names = record.rates
    count, units = len(names), tuple(unit + "/s" for unit in record.rate_units)
    if count == 0:
        faults.flag(where, "found a start rate, but a fixed joint has no coordinates; remove it")
        return None, 0
    lengths: tuple[int, ...] = (count,)
    what = "one number" if count == 1 else f"{count} numbers, the rates of {', '.join(names)}"
    if record.ball and record.freedoms:
        begin = record.ball_at
        lengths, what = (begin, count), f"({', '.join(names[:begin])}) or ({', '.join(names)})"
    elif record.ball:
        what = "the angular velocity, three numbers [rad/s]"
    values = _row_of(faults, where, joint.start_rate, lengths, units, what)
    if values is None:
        return None, 0
    unsaid = count - len(values)
    return frozen(values + (0.0,) * unsaid), unsaid
