"""Joints: the classes that users write, each with the record of its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..codes import JointCode
from .records import TURN, Freedom, JointRecord, Lead, Number
from .values import Vector


@dataclass(frozen=True)
class Joint:
    """What all joints share.

    Attributes
    ----------
    name : str
        Unique in the model.
    first, second : str
        Attachments; the joint's axes are given in the first one's frame, its coordinates say how the second
        lies relative to the first, and at coordinate zero the two frames coincide.
    start, start_rate : float or sequence, optional
        Coordinates and rates at the beginning, in the joint's own coordinates; `guess(start)` if it need not be kept.
    cut : bool, optional
        True if the joint is to close a loop rather than carry its second body.
    armature : float or sequence, optional
        Inertia of a rotor geared to the joint, seen from the joint's side, [kg m²] about an angle, [kg] along a displacement:
        one number for all rates, or one per rate.  It adds half of it times the rate's square to the kinetic energy and
        nothing else, neither weight nor gyroscopic moments.  The three of a rotation in space must be equal.
    limits : (float, float) or mapping, optional
        Least and largest coordinate [rad or m], None for none; of a joint with several coordinates by their names,
        ``{"angle": (-1, 1)}``.  The joint is stopped there, and starts within.
    friction : float or mapping
        Largest dry friction, which opposes the rate or holds the joint [N m about an angle, N along a displacement].
    restitution : float
        Speed of a rebound from a limit by that before, 0 to 1.
    """

    name: str
    first: str
    second: str
    start: Any = field(default=None, kw_only=True)
    start_rate: Any = field(default=None, kw_only=True)
    cut: bool | None = field(default=None, kw_only=True)
    armature: Any = field(default=0.0, kw_only=True)
    limits: Any = field(default=None, kw_only=True)
    friction: Any = field(default=0.0, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)

    record: ClassVar[JointRecord] = JointRecord(JointCode.NONE)
    coordinates: ClassVar[tuple[str, ...]] = record.coordinates

    def __init_subclass__(cls) -> None:
        cls.coordinates = cls.record.coordinates


@dataclass(frozen=True)
class Fixed(Joint):
    """Welds the second attachment to the first."""

    record = JointRecord(JointCode.FIXED)


@dataclass(frozen=True)
class Revolute(Joint):
    """Turns about `axis`; coordinate: angle [rad]."""

    axis: Vector = (0.0, 0.0, 1.0)
    record = JointRecord(JointCode.REVOLUTE, (Freedom("angle", turns="z"),), axes=("axis",))


@dataclass(frozen=True)
class Prismatic(Joint):
    """Slides along `axis`; coordinate: displacement [m]."""

    axis: Vector = (0.0, 0.0, 1.0)
    record = JointRecord(JointCode.PRISMATIC, (Freedom("displacement", slides="z"),), axes=("axis",))


@dataclass(frozen=True)
class Screw(Joint):
    """Turns about `axis` and advances by `pitch` metres per turn (right-handed if positive); coordinate: angle [rad]."""

    axis: Vector = (0.0, 0.0, 1.0)
    pitch: float = field(default=0.0, kw_only=True)
    record = JointRecord(JointCode.SCREW, (Freedom("angle", turns="z", slides="z"),), axes=("axis",),
                         lead=Lead(Number("pitch", "m"), per=TURN))


@dataclass(frozen=True)
class Cylindrical(Joint):
    """Turns about and slides along `axis`; coordinates: angle [rad], displacement [m]."""

    axis: Vector = (0.0, 0.0, 1.0)
    record = JointRecord(JointCode.CYLINDRICAL, (Freedom("angle", turns="z"), Freedom("displacement", slides="z")),
                         axes=("axis",))


@dataclass(frozen=True)
class Universal(Joint):
    """Cross joint: turns about `axis1`, fixed in the first frame, then about `axis2`, fixed in the second.

    Both axes are given in the common frame at zero and must not be parallel; coordinates: angle1, angle2 [rad].
    """

    axis1: Vector = (1.0, 0.0, 0.0)
    axis2: Vector = (0.0, 1.0, 0.0)
    record = JointRecord(JointCode.UNIVERSAL, (Freedom("angle1", turns="z"), Freedom("angle2", turns="z")),
                         axes=("axis1", "axis2"), cross=True)


@dataclass(frozen=True)
class Planar(Joint):
    """Slides in the plane normal to `axis` and turns about it; coordinates: x, y [m], angle [rad].

    With ``axis=(0, 0, 1)`` x and y are those of the first frame; for another axis they are the first frame's
    x and y carried along by the shortest rotation that takes z to `axis`.
    """

    axis: Vector = (0.0, 0.0, 1.0)
    record = JointRecord(JointCode.PLANAR, (Freedom("x", slides="x"), Freedom("y", slides="y"), Freedom("angle", turns="z")),
                         axes=("axis",))


@dataclass(frozen=True)
class Spherical(Joint):
    """Ball joint; coordinates: quaternion (w, x, y, z) of the second frame in the first.

    `start` takes a quaternion or a rotation vector [rad]; rates are the relative angular velocity in the first
    frame's axes [rad/s].
    """

    record = JointRecord(JointCode.SPHERICAL, ball=True)


@dataclass(frozen=True)
class Free(Joint):
    """No connection; coordinates: x, y, z [m] and a quaternion (w, x, y, z) in the first frame.

    `start` takes ``(x, y, z)`` or ``(x, y, z, qw, qx, qy, qz)``, `start_rate` ``(vx, vy, vz)`` or
    ``(vx, vy, vz, wx, wy, wz)`` [m/s, rad/s], all in the first frame's axes.
    """

    record = JointRecord(JointCode.FREE, tuple(Freedom(axis, slides=axis, rate=f"v{axis}") for axis in "xyz"), ball=True)


JOINTS = (
    Fixed,
    Revolute,
    Prismatic,
    Screw,
    Cylindrical,
    Universal,
    Planar,
    Spherical,
    Free,
)
"""Joints of the model text."""
ELASTIC = JointRecord(JointCode.ELASTIC)
"""The face of a flexible body, which moves with the body's elastic coordinates."""
JOINT_RECORDS: dict[JointCode, JointRecord] = {record.code: record for record in (*(kind.record for kind in JOINTS), ELASTIC)}
JOINT_KINDS: dict[str, JointRecord] = {record.kind: record for record in JOINT_RECORDS.values()}
"""Records by code, and by their name in layouts and files of results."""
