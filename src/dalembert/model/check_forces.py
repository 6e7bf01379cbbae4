"""Forces and motions: what they act on, their coordinates, numbers and laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codes import ForceCode
from .check_coordinates import Coordinate, find_coordinate
from .check_laws import OF_POINT, OF_STATE, OF_TIME, read_law
from .checked import CheckedForce, CheckedMotion
from .names import Names
from .parts import Motion
from .values import UNIT_X, ZERO3, Faults, direction, flag, frozen, number, row, shown

_USE_A_LAW = "for a force that grows with the motion give a law f(t, x, v)"
_EMPTY = {"joint": -1, "coordinate": 0, "first": None, "second": None, "stiffness": ZERO3, "damping": ZERO3,
          "turning_stiffness": ZERO3, "turning_damping": ZERO3, "rest": 0.0, "law": None, "direction": UNIT_X,
          "follow": False}


def read_force(faults: Faults, where: str, force: Any, names: Names) -> CheckedForce:
    """Check a force element and resolve its names."""
    return CheckedForce(name=force.name, code=force.code, **{**_EMPTY, **_READERS[force.code](faults, where, force,
                                                                                          names)})


def _scalar(faults: Faults, where: str, value: Any, unit: str) -> np.ndarray:
    return frozen((number(faults, where, value, unit, least=0.0, remedy=_USE_A_LAW), 0.0, 0.0))


def _find_coordinate(faults: Faults, where: str, part: Any, names: Names) -> Coordinate:
    """Find the joint coordinate that a force or motion acts on."""
    return find_coordinate(faults, where + ".joint", where + ".coordinate", part.joint, part.coordinate, names,
                           instead="use a Bushing between its two places")


_EFFORT = {"rad": "N m", "m": "N", "": ""}


def _read_joint_spring(faults: Faults, where: str, force: Any, names: Names) -> dict[str, Any]:
    joint, coordinate, unit = _find_coordinate(faults, where, force, names)
    effort = _EFFORT[unit]
    per = f"{effort}/{unit}" if unit == "rad" else "N/m"
    return {
        "joint": joint,
        "coordinate": coordinate,
        "stiffness": _scalar(faults, where + ".stiffness", force.stiffness, per),
        "damping": _scalar(faults, where + ".damping", force.damping, "N m s/rad" if unit == "rad" else "N s/m"),
        "rest": number(faults, where + ".rest", force.rest, unit),
        "law": None if force.effort is None else read_law(faults, where + ".effort", force.effort, effort),
    }


def _read_motor(faults: Faults, where: str, force: Any, names: Names) -> dict[str, Any]:
    joint, coordinate, unit = _find_coordinate(faults, where, force, names)
    return {"joint": joint, "coordinate": coordinate,
            "law": read_law(faults, where + ".effort", force.effort, _EFFORT[unit])}


def _read_ends(faults: Faults, where: str, force: Any, names: Names) -> dict[str, Any]:
    first = names.place(faults, where + ".first", force.first)
    second = names.place(faults, where + ".second", force.second)
    if first is not None and first is second:
        faults.tell(where + ".second", f"found {shown(force.second)} at both ends, expected two places")
    return {"first": first, "second": second}


def _read_spring_damper(faults: Faults, where: str, force: Any, names: Names) -> dict[str, Any]:
    return {
        **_read_ends(faults, where, force, names),
        "stiffness": _scalar(faults, where + ".stiffness", force.stiffness, "N/m"),
        "damping": _scalar(faults, where + ".damping", force.damping, "N s/m"),
        "rest": number(faults, where + ".length", force.length, "m", least=0.0, remedy="it is the free length"),
        "law": None if force.force is None else read_law(faults, where + ".force", force.force, "N"),
    }


def _read_bushing(faults: Faults, where: str, force: Any, names: Names) -> dict[str, Any]:
    units = {"stiffness": "N/m", "damping": "N s/m", "turning_stiffness": "N m/rad", "turning_damping": "N m s/rad"}
    return {**_read_ends(faults, where, force, names),
            **{key: _three(faults, f"{where}.{key}", getattr(force, key), unit) for key, unit in units.items()}}


def _three(faults: Faults, where: str, value: Any, unit: str) -> np.ndarray:
    """Read one number for all directions or three."""
    if not isinstance(value, (list, tuple, np.ndarray)) or isinstance(value, np.ndarray) and value.ndim == 0:
        return frozen((number(faults, where, value, unit, least=0.0, remedy="a bushing holds back"),) * 3)
    values = row(faults, where, value, (3,), (unit,), f"one number or three [{unit}]")
    for i, x in enumerate(values or ()):
        number(faults, f"{where}[{i}]", x, unit, least=0.0, remedy="a bushing holds back")
    return frozen(values or (0.0, 0.0, 0.0))


def _read_load(faults: Faults, where: str, force: Any, names: Names) -> dict[str, Any]:
    unit, form = ("N", OF_POINT) if force.code == ForceCode.FORCE else ("N m", OF_STATE)
    return {
        "first": names.place(faults, where + ".at", force.at),
        "direction": direction(faults, where + ".direction", force.direction),
        "law": read_law(faults, where + ".magnitude", force.magnitude, unit, form),
        "follow": flag(faults, where + ".follow", force.follow),
    }


_READERS = {
    ForceCode.JOINT_SPRING: _read_joint_spring,
    ForceCode.MOTOR: _read_motor,
    ForceCode.SPRING_DAMPER: _read_spring_damper,
    ForceCode.BUSHING: _read_bushing,
    ForceCode.FORCE: _read_load,
    ForceCode.TORQUE: _read_load,
}


def read_motion(faults: Faults, where: str, motion: Motion, names: Names, driven: dict[tuple[int, int], str]
                ) -> CheckedMotion:
    """Check a motion and resolve its names; `driven` holds which motion drives which coordinate so far."""
    joint, coordinate, unit = _find_coordinate(faults, where, motion, names)
    if (motion.position is None) == (motion.speed is None):
        found = "neither" if motion.position is None else "both"
        faults.tell(where, f"found {found} of position and speed, expected exactly one of them")
    speed = motion.position is None
    law = motion.speed if speed else motion.position
    if law is not None:
        law = read_law(faults, f"{where}.{'speed' if speed else 'position'}", law, unit + "/s" * speed if unit else "",
                       OF_TIME)
    if unit and driven.setdefault((joint, coordinate), motion.name) is not motion.name:
        faults.tell(where + ".joint", f"the coordinate is driven by {driven[joint, coordinate]!r} already, expected "
                                      "one motion a coordinate; remove one or add the laws up")
    step = number(faults, where + ".derivative_step", motion.derivative_step, "s", above=0.0)
    return CheckedMotion(motion.name, joint, coordinate, law, speed, step)
