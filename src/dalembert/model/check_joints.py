"""Joints: attachments, axes, starts."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from numbers import Real
from typing import Any

import numpy as np

from ..codes import JOINT_SIZES, JointCode
from .checked import CheckedJoint, Place
from .guesses import Guess
from .names import Names
from .parts import Joint
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

COORDINATE_UNITS = {"angle": "rad", "angle1": "rad", "angle2": "rad", "displacement": "m", "x": "m", "y": "m", "z": "m"}
"""Name of a coordinate -> its unit; those of a quaternion have none."""
_NOWHERE = Place(0, ZERO3, EYE3, "")
_PARALLEL = 1e-6
"""Two axes whose cross product is shorter than this count as parallel [rad]."""


def read_joint(faults: Faults, where: str, joint: Joint, names: Names) -> CheckedJoint:
    """Check a joint and resolve its names."""
    first = names.place(faults, where + ".first", joint.first)
    second = names.place(faults, where + ".second", joint.second)
    if first is not None and second is not None and first.body == second.body:
        faults.tell(where, f"connects {joint.first!r} with {joint.second!r} of the same body, expected two bodies; "
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
        code=joint.code,
        first=first or _NOWHERE,
        second=second or _NOWHERE,
        axis=axis,
        axis2=axis2,
        pitch=number(faults, where + ".pitch", joint.pitch, "m") if joint.code == JointCode.SCREW else 0.0,
        start=start,
        start_rate=rate,
        cut=False if joint.cut is None else flag(faults, where + ".cut", joint.cut),
        coordinates=joint.coordinates,
        unsaid_rates=unsaid,
        guessed=guessed,
        armature=_read_armature(faults, where + ".armature", joint),
    )


def _read_armature(faults: Faults, where: str, joint: Joint) -> np.ndarray | float:
    """Return the inertia of the rotor of each rate, zero where there is none."""
    count = JOINT_SIZES[joint.code][1]
    if type(joint.armature) is float and joint.armature == 0.0:
        return 0.0
    if count == 0:
        faults.tell(where, "found a rotor, but a fixed joint has no coordinates; remove it")
        return 0.0
    units = tuple("kg" if COORDINATE_UNITS.get(name) == "m" else "kg m²" for name in joint.coordinates[:count])
    if isinstance(joint.armature, (list, tuple, np.ndarray)):
        what = "one number" if count == 1 else f"one number for all rates, or {count}"
        values = row(faults, where, joint.armature, (count,), units, what)
    else:
        values = (number(faults, where, joint.armature, units[0] if len(set(units)) == 1 else ""),) * count
    if values is None:
        return 0.0
    if any(x < 0 for x in values):
        faults.tell(where, f"found {shown(joint.armature)}, expected inertias of at least zero [kg m² or kg]")
        return 0.0
    turning = values[-3:] if joint.code in (JointCode.SPHERICAL, JointCode.FREE) else ()
    if len(set(turning)) > 1:
        faults.tell(where, f"found {shown(joint.armature)}, expected three equal inertias about the axes of a rotation in "
                           "space, whose rates belong to no rotors of their own; put the others on hinges between bodies")
        return 0.0
    return frozen(values)


def _note_degrees(faults: Faults, where: str, joint: Joint) -> None:
    """Note whole numbers of more than a turn where radians are expected: they look like degrees."""
    said = joint.start if isinstance(joint.start, (list, tuple, np.ndarray)) else [joint.start]
    for name, x in zip(joint.coordinates, said, strict=False):
        if COORDINATE_UNITS.get(name) == "rad" and isinstance(x, Real) and abs(x) > 2 * pi and x == round(x):
            faults.note(where, f"{name} {x:g} is taken in radians, as all angles are, {x / (2 * pi):.3g} turns; write "
                               f"{x:g} * dal.deg, or '{x:g} deg', for degrees")


def _read_axes(faults: Faults, where: str, joint: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit axes; z and x for joints that have none."""
    if joint.code == JointCode.UNIVERSAL:
        before = len(faults)
        axis1 = direction(faults, where + ".axis1", joint.axis1)
        axis2 = direction(faults, where + ".axis2", joint.axis2)
        if len(faults) == before and np.linalg.norm(np.cross(axis1, axis2)) < _PARALLEL:
            faults.tell(where + ".axis2", f"found {shown(joint.axis2)}, parallel to axis1, expected another direction, "
                                          "best perpendicular; a single axis is a Revolute")
        return axis1, axis2
    if hasattr(joint, "axis"):
        return direction(faults, where + ".axis", joint.axis), UNIT_X
    return UNIT_Z, UNIT_X


def _row_of(faults: Faults, where: str, value: Any, lengths: tuple[int, ...], units: tuple[str, ...], what: str
            ) -> tuple[float, ...] | None:
    """Read a start; a single number will do for a single coordinate."""
    if lengths == (1,) and (type(value) is float or not isinstance(value, (list, tuple, np.ndarray))):
        return (number(faults, where, value, units[0]),)
    return row(faults, where, value, lengths, units, what)


def _read_start(faults: Faults, where: str, joint: Joint) -> np.ndarray | None:
    names = joint.coordinates
    units = tuple(COORDINATE_UNITS.get(name, "") for name in names)
    if not names:
        faults.tell(where, "found a start, but a fixed joint has no coordinates; remove it or place the attachments")
        return None
    if joint.code == JointCode.SPHERICAL:
        return _read_ball(faults, where, joint.start)
    if joint.code == JointCode.FREE:
        values = _row_of(faults, where, joint.start, (3, 7), units, "(x, y, z) or (x, y, z, qw, qx, qy, qz)")
        if values is None:
            return None
        turn = quaternion(faults, where, values[3:]) if len(values) == 7 else (1.0, 0.0, 0.0, 0.0)
        return frozen((*values[:3], *turn))
    what = "one number" if len(names) == 1 else f"{len(names)} numbers ({', '.join(names)})"
    values = _row_of(faults, where, joint.start, (len(names),), units, what)
    return None if values is None else frozen(values)


def _read_ball(faults: Faults, where: str, start: Any) -> np.ndarray | None:
    what = "a quaternion (w, x, y, z) or a rotation vector of three numbers [rad]"
    units = ("",) if hasattr(start, "__len__") and len(start) == 4 else ("rad",)
    values = _row_of(faults, where, start, (3, 4), units, what)
    if values is None:
        return None
    return frozen(quaternion(faults, where, values) if len(values) == 4 else quaternion_of_vector(values))


def _read_rate(faults: Faults, where: str, joint: Joint) -> tuple[np.ndarray | None, int]:
    """Return all rates, and how many of them, the last, were not said."""
    count = JOINT_SIZES[joint.code][1]
    if count == 0:
        faults.tell(where, "found a start rate, but a fixed joint has no coordinates; remove it")
        return None, 0
    if joint.code == JointCode.FREE:
        units, lengths, what = ("m/s",) * 3 + ("rad/s",) * 3, (3, 6), "(vx, vy, vz) or (vx, vy, vz, wx, wy, wz)"
    elif joint.code == JointCode.SPHERICAL:
        units, lengths, what = ("rad/s",), (3,), "the angular velocity, three numbers [rad/s]"
    else:
        units = tuple(COORDINATE_UNITS[name] + "/s" for name in joint.coordinates)
        lengths, what = (count,), "one number" if count == 1 else f"{count} numbers, the rates of " + ", ".join(
            joint.coordinates)
    values = _row_of(faults, where, joint.start_rate, lengths, units, what)
    if values is None:
        return None, 0
    unsaid = count - len(values)
    return frozen(values + (0.0,) * unsaid), unsaid
