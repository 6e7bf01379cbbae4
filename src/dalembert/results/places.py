"""Quantities of bodies and points; an entry is a PointEntry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..system.layout import Layout, PointEntry
from . import rotation as rot
from . import tables as tab
from .quantity import WXYZ, XYZ, Quantity, Source


def origin_of(name: str, row: int) -> PointEntry:
    """Return the origin of the body of this name and row as a place."""
    return PointEntry(name, row, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def find_place(layout: Layout, text: str) -> PointEntry:
    """Return the place that ``"body"`` or ``"body.point"`` means."""
    if text in layout.bodies:
        return origin_of(text, layout.bodies.index(text))
    return next(point for point in layout.points if point.name == text)


def _turn(source: Source, place: PointEntry) -> np.ndarray:
    """Orientation of the place's body (nf, 4)."""
    return source.array("body")[:, place.body, tab.ORIENTATION]


def _arm(source: Source, place: PointEntry) -> np.ndarray:
    """Vector from the body's origin to the place, world axes [m] (nf, 3)."""
    return rot.rotated(_turn(source, place), np.asarray(place.position, float))


def _column(columns: slice) -> Callable[[Source, PointEntry], np.ndarray]:
    return lambda source, place: source.array("body")[:, place.body, columns]


def position(source: Source, place: PointEntry) -> np.ndarray:
    """Position of a place, world axes [m] (nf, 3)."""
    out: np.ndarray = source.array("body")[:, place.body, tab.POSITION] + _arm(source, place)
    return out


def velocity(source: Source, place: PointEntry) -> np.ndarray:
    """Velocity of a place, world axes [m/s] (nf, 3)."""
    row = source.array("body")[:, place.body]
    return row[:, tab.VELOCITY] + np.cross(row[:, tab.ANGULAR_VELOCITY], _arm(source, place))


def acceleration(source: Source, place: PointEntry) -> np.ndarray:
    """Acceleration of a place, world axes [m/s²] (nf, 3)."""
    row, u = source.array("body")[:, place.body], _arm(source, place)
    w = row[:, tab.ANGULAR_VELOCITY]
    return row[:, tab.ACCELERATION] + np.cross(row[:, tab.ANGULAR_ACCELERATION], u) + np.cross(w, np.cross(w, u))


def orientation(source: Source, place: PointEntry) -> np.ndarray:
    """Quaternion of a place's axes (nf, 4), without jumps of sign."""
    return rot.continued(rot.product(_turn(source, place), np.asarray(place.rotation, float)))


angular_velocity = _column(tab.ANGULAR_VELOCITY)
angular_acceleration = _column(tab.ANGULAR_ACCELERATION)


def _rotation(source: Source, place: PointEntry) -> np.ndarray:
    return rot.matrices(orientation(source, place))


PLACE = {
    "position": Quantity("m", XYZ, position),
    "velocity": Quantity("m/s", XYZ, velocity),
    "acceleration": Quantity("m/s²", XYZ, acceleration),
    "orientation": Quantity("1", WXYZ, orientation),
    "rotation": Quantity("1", (*XYZ, *XYZ), _rotation),
    "angular_velocity": Quantity("rad/s", XYZ, angular_velocity),
    "angular_acceleration": Quantity("rad/s²", XYZ, angular_acceleration),
}
