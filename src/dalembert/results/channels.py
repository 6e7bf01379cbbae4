"""Named channels: which quantities a body, point, joint, force element, motion and the system have.

A quantity is a unit, the labels of its components and a small function of the run's arrays and the named thing's
entry in the layout.  Adding a quantity is adding a line to a table below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import Any, Protocol

import numpy as np

from ..errors import ChannelError, near_names
from ..system.layout import JointEntry, Layout, MotionEntry, PointEntry
from . import rotation as rot
from . import tables as tab

XYZ = (("x", "y", "z"),)
WXYZ = (("w", "x", "y", "z"),)
SPEED_NAMES = {"spherical": ("wx", "wy", "wz"), "free": ("vx", "vy", "vz", "wx", "wy", "wz")}


class Source(Protocol):
    """Where the arrays of a run come from: ``array(name)`` has one row a frame."""

    layout: Layout

    def array(self, name: str) -> np.ndarray:
        """Return an array of `tables.FRAMES` or `tables.TABLES`."""


@dataclass(frozen=True)
class Quantity:
    """Unit, labels of the components along each axis after the first, and ``value(source, entry)``."""

    unit: str
    components: tuple[tuple[str, ...], ...]
    value: Callable[[Source, Any], np.ndarray]


Owners = dict[str, list[tuple[dict[str, Quantity], Any]]]
"""Name of a thing -> its tables of quantities, each with the entry that the quantities take."""


def owners(layout: Layout) -> Owners:
    """Return everything that has channels."""
    found: Owners = {}
    for row, name in enumerate(layout.bodies):
        if row > 0:
            found.setdefault(name, []).append((PLACE, PointEntry(name, row, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))))
    for point in layout.points:
        found.setdefault(point.name, []).append((PLACE, point))
    for row, joint in enumerate(layout.joints):
        quantities = joint_quantities(joint.kind, joint.coordinates, joint.nv)
        found.setdefault(joint.name, []).append((quantities, (row, joint)))
    for force in layout.forces:
        found.setdefault(force.name, []).append((ELEMENTS[force.kind], force))
    for motion in layout.motions:
        found.setdefault(motion.name, []).append((MOTION, motion))
    for name, quantities in SYSTEM.items():
        found.setdefault(name, []).append((quantities, None))
    return found


def names(known: Owners) -> Iterator[str]:
    """Run through the names of all channels."""
    for owner, tables in known.items():
        for quantities, _ in tables:
            yield from (f"{owner}.{quantity}" for quantity in quantities)


def find(known: Owners, name: str) -> tuple[Quantity, Any]:
    """Return the quantity of this name and the entry it takes; ChannelError names the near misses."""
    owner, _, quantity = str(name).rpartition(".")
    for quantities, entry in known.get(owner, ()):
        if quantity in quantities:
            return quantities[quantity], entry
    if owner in known:
        have = sorted(key for quantities, _ in known[owner] for key in quantities)
        raise ChannelError(f"{name!r}: {owner!r} has no channel {quantity!r}.{near_names(quantity, have)}")
    if name in known:
        have = sorted(f"{name}.{key}" for quantities, _ in known[name] for key in quantities)
        raise ChannelError(f"{name!r} is a part, not a channel. Its channels: {', '.join(have)}.")
    raise ChannelError(f"no channel {name!r}.{near_names(owner or name, sorted(known))}")


# bodies and points


def _turn(source: Source, place: PointEntry) -> np.ndarray:
    """Orientation of the place's body (nf, 4)."""
    return source.array("body")[:, place.body, tab.ORIENTATION]


def _arm(source: Source, place: PointEntry) -> np.ndarray:
    """Vector from the body's origin to the place, world axes [m] (nf, 3)."""
    return rot.rotated(_turn(source, place), np.asarray(place.position, float))


def _column(columns: slice) -> Callable[[Source, PointEntry], np.ndarray]:
    return lambda source, place: source.array("body")[:, place.body, columns]


def _position(source: Source, place: PointEntry) -> np.ndarray:
    return source.array("body")[:, place.body, tab.POSITION] + _arm(source, place)


def _velocity(source: Source, place: PointEntry) -> np.ndarray:
    row = source.array("body")[:, place.body]
    return row[:, tab.VELOCITY] + np.cross(row[:, tab.ANGULAR_VELOCITY], _arm(source, place))


def _acceleration(source: Source, place: PointEntry) -> np.ndarray:
    row, u = source.array("body")[:, place.body], _arm(source, place)
    w = row[:, tab.ANGULAR_VELOCITY]
    return row[:, tab.ACCELERATION] + np.cross(row[:, tab.ANGULAR_ACCELERATION], u) + np.cross(w, np.cross(w, u))


def _orientation(source: Source, place: PointEntry) -> np.ndarray:
    return rot.continued(rot.product(_turn(source, place), np.asarray(place.rotation, float)))


def _rotation(source: Source, place: PointEntry) -> np.ndarray:
    return rot.matrices(_orientation(source, place))


PLACE = {
    "position": Quantity("m", XYZ, _position),
    "velocity": Quantity("m/s", XYZ, _velocity),
    "acceleration": Quantity("m/s²", XYZ, _acceleration),
    "orientation": Quantity("1", WXYZ, _orientation),
    "rotation": Quantity("1", (*XYZ, *XYZ), _rotation),
    "angular_velocity": Quantity("rad/s", XYZ, _column(tab.ANGULAR_VELOCITY)),
    "angular_acceleration": Quantity("rad/s²", XYZ, _column(tab.ANGULAR_ACCELERATION)),
}


# joints; an entry is (row of the reaction table, JointEntry)


def _unit_of(coordinate: str) -> str:
    """Return the unit of a joint coordinate by its name."""
    if coordinate.startswith("angle"):
        return "rad"
    return "1" if coordinate.startswith("q") else "m"


def _mixed(units) -> str:
    return ", ".join(dict.fromkeys(units))


def _rate_units(kind: str, coordinates: tuple[str, ...]) -> list[str]:
    """Units of a joint's rates without the ``/s``."""
    if kind in SPEED_NAMES:
        return ["m" if name.startswith("v") else "rad" for name in SPEED_NAMES[kind]]
    return [_unit_of(c) for c in coordinates]


def _block(source: Source, table: str, joint: JointEntry) -> np.ndarray:
    """Return the joint's columns of q, qd, qdd or effort, in the joint's own coordinates."""
    begin, count = (joint.q, joint.nq) if table == "q" else (joint.v, joint.nv)
    return source.array(table)[:, begin : begin + count]


def _coordinate(index: int) -> Callable:
    return lambda source, entry: _block(source, "q", entry[1])[:, index]


def _coordinates(source: Source, entry: tuple[int, JointEntry]) -> np.ndarray:
    return _block(source, "q", entry[1])


def _quaternion(source: Source, entry: tuple[int, JointEntry]) -> np.ndarray:
    return _block(source, "q", entry[1])[:, -4:]


def _advance(source: Source, entry: tuple[int, JointEntry]) -> np.ndarray:
    joint = entry[1]
    return source.array("q")[:, joint.q] * (joint.pitch / (2 * pi))


def _per_rate(table: str) -> Callable:
    """Take all rates' columns of a table (nf, nv)."""
    return lambda source, entry: _block(source, table, entry[1])


def _single_rate(table: str) -> Callable:
    """Take the only rate's column of a table (nf,)."""
    return lambda source, entry: _block(source, table, entry[1])[:, 0]


def _reaction(columns: slice) -> Callable:
    return lambda source, entry: source.array("reaction")[:, entry[0], columns]


@lru_cache(maxsize=64)
def joint_quantities(kind: str, coordinates: tuple[str, ...], nv: int) -> dict[str, Quantity]:
    """Return the quantities of a kind of joint; `nv` is its number of rates."""
    found = {
        "force": Quantity("N", XYZ, _reaction(tab.FORCE)),
        "torque": Quantity("N m", XYZ, _reaction(tab.TORQUE)),
    }
    for index, name in enumerate(coordinates):
        if not name.startswith("q"):
            found[name] = Quantity(_unit_of(name), (), _coordinate(index))
    if kind in SPEED_NAMES:
        found["orientation"] = Quantity("1", WXYZ, _quaternion)
    if kind == "screw":
        found["displacement"] = Quantity("m", (), _advance)
    if nv == 0:
        return found

    units = _rate_units(kind, coordinates)
    labels = (SPEED_NAMES.get(kind, coordinates),)
    efforts = ["N" if unit == "m" else "N m" for unit in units]
    found["coordinates"] = Quantity(_mixed(_unit_of(c) for c in coordinates), (coordinates,), _coordinates)
    found["rates"] = Quantity(_mixed(f"{unit}/s" for unit in units), labels, _per_rate("qd"))
    one = nv == 1
    pick, inner = (_single_rate, ()) if one else (_per_rate, labels)
    if one:
        found["speed"] = Quantity(f"{units[0]}/s", (), _single_rate("qd"))
    found["acceleration"] = Quantity(_mixed(f"{unit}/s²" for unit in units), inner, pick("qdd"))
    found["effort"] = Quantity(_mixed(efforts), inner, pick("effort"))
    return found


# force elements; an entry is a ForceEntry


def _element(columns: slice | int) -> Callable:
    return lambda source, force: source.array("element")[:, force.row, columns]


def _power(source: Source, force) -> np.ndarray:
    row = source.array("element")[:, force.row]
    return row[:, tab.SCALAR] * row[:, tab.RATE]


_EFFORT = Quantity("N, N m", (), _element(tab.SCALAR))
_FORCE = Quantity("N", XYZ, _element(tab.FORCE))
_TORQUE = Quantity("N m", XYZ, _element(tab.TORQUE))
_ON_JOINT = {
    "effort": _EFFORT,
    "force": _EFFORT,
    "coordinate": Quantity("rad, m", (), _element(tab.LENGTH)),
    "rate": Quantity("rad/s, m/s", (), _element(tab.RATE)),
    "power": Quantity("W", (), _power),
}
ELEMENTS = {
    "jointspring": _ON_JOINT,
    "motor": _ON_JOINT,
    "springdamper": {
        "force": Quantity("N", (), _element(tab.SCALAR)),
        "length": Quantity("m", (), _element(tab.LENGTH)),
        "rate": Quantity("m/s", (), _element(tab.RATE)),
    },
    "bushing": {"force": _FORCE, "torque": _TORQUE},
    "force": {"force": _FORCE},
    "torque": {"torque": _TORQUE},
}


# motions and the system


def _drive(source: Source, motion: MotionEntry) -> np.ndarray:
    """Effort of the drive alone: the table holds it, without springs and motors, for driven rates."""
    return source.array("effort")[:, motion.v]


MOTION = {"effort": Quantity("N, N m", (), _drive)}


def _system(columns: slice | int) -> Callable:
    return lambda source, _: source.array("system")[:, columns]


def _total(*columns: int) -> Callable:
    return lambda source, _: source.array("system")[:, list(columns)].sum(axis=1)


def _violation(source: Source, _) -> np.ndarray:
    """Largest violation of a constraint, or deviation of a quaternion's norm from one (nf,)."""
    q, worst = source.array("q"), source.array("system")[:, tab.POSITION_GAP].copy()
    for joint in source.layout.joints:
        if joint.kind in SPEED_NAMES:
            norm = np.linalg.norm(q[:, joint.q + joint.nq - 4 : joint.q + joint.nq], axis=1)
            np.maximum(worst, np.abs(norm - 1.0), out=worst)
    return worst


SYSTEM = {
    "energy": {
        "kinetic": Quantity("J", (), _system(tab.KINETIC)),
        "potential": Quantity("J", (), _total(tab.GRAVITY, tab.ELASTIC)),
        "gravity": Quantity("J", (), _system(tab.GRAVITY)),
        "elastic": Quantity("J", (), _system(tab.ELASTIC)),
        "total": Quantity("J", (), _total(tab.KINETIC, tab.GRAVITY, tab.ELASTIC)),
    },
    "momentum": {
        "linear": Quantity("kg m/s", XYZ, _system(tab.LINEAR_MOMENTUM)),
        "angular": Quantity("kg m²/s", XYZ, _system(tab.ANGULAR_MOMENTUM)),
    },
    "constraints": {
        "position": Quantity("1", (), _violation),
        "velocity": Quantity("1/s", (), _system(tab.VELOCITY_GAP)),
    },
}
