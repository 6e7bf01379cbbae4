"""Joint coordinates that other parts refer to."""

from __future__ import annotations

from typing import Any, NamedTuple

from .names import Names
from .values import Faults, shown


class Coordinate(NamedTuple):
    """Row of a joint (-1 if there is none), number of the coordinate among its own, unit (empty if faulty)."""

    joint: int
    number: int
    unit: str


def find_coordinate(faults: Faults, where_joint: str, where: str, joint_name: Any, name: Any, names: Names, *,
                    instead: str) -> Coordinate:
    """Resolve the names of a joint and of one of its coordinates.

    Parameters
    ----------
    faults : Faults
        Collects what is wrong.
    where_joint, where : str
        Paths of the two names.
    joint_name, name : str
        The coordinate may be None if the joint has only one.
    names : Names
    instead : str
        What to do if it is a quaternion that is meant.
    """
    found = names.joint(faults, where_joint, joint_name)
    if found is None:
        return Coordinate(-1, 0, "")
    index, joint = found
    known = list(joint.record.drivable)
    what = f"{type(joint).__name__} {joint_name!r}"
    if not known:
        lack = "only a quaternion" if joint.record.ball else "no coordinates"
        remedy = instead if joint.record.ball else "name another joint"
        faults.flag(where_joint, f"{what} has {lack}, expected a joint with an angle or a displacement; {remedy}")
        return Coordinate(index, 0, "")
    if name is None and len(known) == 1 == len(joint.record.coordinates):
        name = known[0]
    if name is None:
        faults.flag(where, f"{what} has several coordinates; name one of them: {', '.join(known)}")
    elif name not in known and name in joint.record.coordinates:
        faults.flag(where, f"{name!r} belongs to the quaternion of {what} and cannot be used alone; {instead}")
    elif name not in known:
        faults.flag(where, f"{what} has no coordinate {shown(name)}.{faults.near(name, known)}")
    else:
        return Coordinate(index, known.index(name), joint.record.drivable[name])
    return Coordinate(index, 0, "")
