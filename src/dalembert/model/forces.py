"""Force elements: the classes that users write, each with the record of its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..codes import ForceCode
from .laws import LawLike
from .records import (
    DAMPING,
    EFFORT,
    PER_COORDINATE,
    STIFFNESS,
    Channel,
    Direction,
    Flag,
    ForceRecord,
    LawField,
    Number,
    Three,
)
from .values import Vector

_USE_A_LAW = "for a force that grows with the motion give a law f(t, x, v)"
_HOLDS_BACK = "a bushing holds back"
_ON_COORDINATE = (Channel("effort", "N, N m"), Channel("force", "N, N m", "effort"),
                  Channel("coordinate", "rad, m", "length"), Channel("rate", "rad/s, m/s"), Channel("power", "W"))


@dataclass(frozen=True)
class JointSpring:
    """Spring and damper on a joint coordinate: effort = -stiffness (coordinate - rest) - damping rate.

    Attributes
    ----------
    name, joint : str
        Its own name and the joint's.
    stiffness, damping, rest : float
        [N/m, N s/m, m] along a displacement, [N m/rad, N m s/rad, rad] about an angle.
    effort : law, optional
        Added effort on the coordinate as a law ``f(t)`` or ``f(t, coordinate, rate)`` [N or N m].
    coordinate : str or None
        Which one, for a joint with several; see the joint's own list.
    """

    name: str
    joint: str
    stiffness: float = field(default=0.0, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    rest: float = field(default=0.0, kw_only=True)
    effort: LawLike | None = field(default=None, kw_only=True)
    coordinate: str | None = field(default=None, kw_only=True)
    record: ClassVar[ForceRecord] = ForceRecord(
        ForceCode.JOINT_SPRING, "coordinate",
        (Number("stiffness", STIFFNESS, least=0.0, remedy=_USE_A_LAW),
         Number("damping", DAMPING, least=0.0, remedy=_USE_A_LAW), Number("rest", PER_COORDINATE),
         LawField("effort", EFFORT, optional=True)),
        _ON_COORDINATE, "−stiffness (coordinate − rest) − damping · rate + effort on a joint coordinate", rigid="coordinate")


@dataclass(frozen=True)
class Motor:
    """Effort on a joint coordinate, acting on the joint's second body and back on the first.

    `effort` is a law ``f(t)`` or ``f(t, coordinate, rate)`` [N m or N].
    """

    name: str
    joint: str
    effort: LawLike = field(default=0.0, kw_only=True)
    coordinate: str | None = field(default=None, kw_only=True)
    record: ClassVar[ForceRecord] = ForceRecord(
        ForceCode.MOTOR, "coordinate", (LawField("effort", EFFORT),), _ON_COORDINATE, "effort on a joint coordinate")


@dataclass(frozen=True)
class SpringDamper:
    """Spring and damper between two points.

    Attributes
    ----------
    name, first, second : str
        Its own name and the two attachments.
    stiffness, damping : float
        [N/m], [N s/m].
    length : float
        Free length [m].
    force : law, optional
        Added tension (pulling the points together is positive) as ``f(t)`` or ``f(t, length, rate)`` [N].
    """

    name: str
    first: str
    second: str
    stiffness: float = field(default=0.0, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    length: float = field(default=0.0, kw_only=True)
    force: LawLike | None = field(default=None, kw_only=True)
    record: ClassVar[ForceRecord] = ForceRecord(
        ForceCode.SPRING_DAMPER, "places",
        (Number("stiffness", "N/m", least=0.0, remedy=_USE_A_LAW), Number("damping", "N s/m", least=0.0, remedy=_USE_A_LAW),
         Number("length", "m", least=0.0, remedy="it is the free length", into="rest"), LawField("force", "N", optional=True)),
        (Channel("force", "N", "tension"), Channel("length", "m"), Channel("rate", "m/s")),
        "tension stiffness (l − length) + damping l' + force between two points", rigid="length")


@dataclass(frozen=True)
class Bushing:
    """Elastic joint: springs and dampers in all six directions between two frames, in the first one's axes.

    Attributes
    ----------
    name, first, second : str
        Its own name and the two attachments; unloaded when their frames coincide.
    stiffness, damping : float or (3,) float
        Translational [N/m], [N s/m]; one number for all three directions.
    turning_stiffness, turning_damping : float or (3,) float
        Rotational, on the rotation vector of the second frame in the first [N m/rad], [N m s/rad].
    """

    name: str
    first: str
    second: str
    stiffness: Any = field(default=0.0, kw_only=True)
    damping: Any = field(default=0.0, kw_only=True)
    turning_stiffness: Any = field(default=0.0, kw_only=True)
    turning_damping: Any = field(default=0.0, kw_only=True)
    record: ClassVar[ForceRecord] = ForceRecord(
        ForceCode.BUSHING, "places",
        (Three("stiffness", "N/m", least=0.0, remedy=_HOLDS_BACK), Three("damping", "N s/m", least=0.0, remedy=_HOLDS_BACK),
         Three("turning_stiffness", "N m/rad", least=0.0, remedy=_HOLDS_BACK),
         Three("turning_damping", "N m s/rad", least=0.0, remedy=_HOLDS_BACK)),
        (Channel("force", "N"), Channel("torque", "N m")),
        "holds two frames together elastically; one number or three each", rigid="frames", implies_free=True)


@dataclass(frozen=True)
class Force:
    """A force at a point.

    Attributes
    ----------
    name, at : str
        Its own name and the attachment it acts on.
    direction : (3,) float
        Made a unit vector; in world axes, or in the attachment's if `follow`.
    magnitude : law
        [N]: ``f(t)``; ``f(t, x, v)`` with the point's position [m] and velocity [m/s] along the direction; or
        ``f(t, x, y, z, vx, vy, vz)`` with all of them in world axes, whatever `direction` and `follow` are.
    follow : bool
        True if the direction turns with the body.

    Notes
    -----
    The number of parameters decides which of the three a function is; those with a default do not count.

    Examples
    --------
    A wheel without mass on a wavy road, ``h(x) = 0.05 sin(2 x)``:

    >>> from math import cos, sin
    >>> def tyre(t, x, y, z, vx, vy, vz):
    ...     return 2e5 * (0.05 * sin(2 * x) - z) + 1e3 * (0.1 * cos(2 * x) * vx - vz)
    >>> Force("tyre", "wheel", direction=(0, 0, 1), magnitude=tyre).at
    'wheel'
    """

    name: str
    at: str
    direction: Vector = field(default=(1.0, 0.0, 0.0), kw_only=True)
    magnitude: LawLike = field(default=0.0, kw_only=True)
    follow: bool = field(default=False, kw_only=True)
    record: ClassVar[ForceRecord] = ForceRecord(
        ForceCode.FORCE, "place", (Direction("direction"), LawField("magnitude", "N", form="point"), Flag("follow")),
        (Channel("force", "N"),), "force at a point, world axes or turning with the body")


@dataclass(frozen=True)
class Torque:
    """A torque on a body.

    `direction` and `follow` as for `Force`; `magnitude` is a law ``f(t)`` or ``f(t, x, v)`` with v the angular
    velocity about the direction and x always zero [N m].
    """

    name: str
    at: str
    direction: Vector = field(default=(1.0, 0.0, 0.0), kw_only=True)
    magnitude: LawLike = field(default=0.0, kw_only=True)
    follow: bool = field(default=False, kw_only=True)
    record: ClassVar[ForceRecord] = ForceRecord(
        ForceCode.TORQUE, "place", (Direction("direction"), LawField("magnitude", "N m"), Flag("follow")),
        (Channel("torque", "N m"),), "torque on a body")


FORCES = (
    JointSpring,
    Motor,
    SpringDamper,
    Bushing,
    Force,
    Torque,
)
"""Force elements of the model text."""
FORCE_RECORDS: dict[ForceCode, ForceRecord] = {kind.record.code: kind.record for kind in FORCES}
FORCE_KINDS: dict[str, ForceRecord] = {record.kind: record for record in FORCE_RECORDS.values()}
"""Records by code, and by their name in layouts and files of results."""
