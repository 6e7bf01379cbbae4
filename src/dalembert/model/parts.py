"""The parts a user builds a model from: frozen dataclasses whose fields are the schema of the model text.

Nothing is checked here; `model/check.py` collects every fault of a model at once.  SI units, radians.
An attachment is ``"body"`` (its origin) or ``"body.point"``; the ground is called ``"ground"``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..codes import ForceCode, JointCode
from .laws import Law

Vector = Sequence[float]
"""Three numbers."""
LawLike = float | Law | Callable
"""A number, a law (`table`, `sine`, `ramp`), a function ``f(t)`` or ``f(t, x, v)``; of a `Force` also one of its point."""


@dataclass(frozen=True)
class Frame:
    """A named place on a body that is also turned.

    Attributes
    ----------
    position : (3,) float
        In the body's axes [m].
    rotation : (3, 3) float, (4,) float, mapping or None
        Axes of the frame in the body's axes: a rotation matrix, a quaternion (w, x, y, z), or
        ``{"axis": (x, y, z), "angle": a}`` [rad]; None for the body's own axes.
    """

    position: Vector = (0.0, 0.0, 0.0)
    rotation: Any = None


@dataclass(frozen=True)
class Body:
    """A rigid body.

    Attributes
    ----------
    name : str
        Unique in the model; no dots.
    mass : float
        [kg]; zero is legal.
    com : (3,) float
        Centre of mass in the body's axes [m].
    inertia : (3, 3) or (3,) float
        About the centre of mass, in body axes [kg m²]; three numbers are the diagonal.  Principal moments below zero are
        a fault; others of which one exceeds the sum of the other two, as no body has them, are told and computed with.
    points : mapping of str to (3,) float or Frame
        Named places in the body's axes [m].
    drawing : sequence of Drawing
        What it looks like, see `dalembert.model.geometry`; nothing else depends on it.
    """

    name: str
    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    points: Mapping[str, Any] = field(default_factory=dict)
    drawing: Sequence[Any] = ()


@dataclass(frozen=True)
class Joint:
    """What all joints share.

    Attributes
    ----------
    name : str
        Unique in the model.
    first, second : str
        Attachments; the joint's axes are given in the first one's frame, its coordinates tell how the second
        lies relative to the first, and at coordinate zero the two frames coincide.
    start, start_rate : float or sequence, optional
        Coordinates and rates at the beginning, in the joint's own coordinates; `guess(start)` if it need not be kept.
    cut : bool, optional
        True if the joint shall close a loop rather than carry its second body.
    armature : float or sequence, optional
        Inertia of a rotor geared to the joint, seen from the joint's side, [kg m²] about an angle, [kg] along a displacement:
        one number for all rates, or one a rate.  It adds half of it times the rate's square to the kinetic energy and
        nothing else, neither weight nor gyroscopic moments.  The three of a rotation in space must be equal.
    """

    name: str
    first: str
    second: str
    start: Any = field(default=None, kw_only=True)
    start_rate: Any = field(default=None, kw_only=True)
    cut: bool | None = field(default=None, kw_only=True)
    armature: Any = field(default=0.0, kw_only=True)

    code: ClassVar[JointCode] = JointCode.NONE
    coordinates: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Fixed(Joint):
    """Welds the second attachment to the first."""

    code = JointCode.FIXED


@dataclass(frozen=True)
class Revolute(Joint):
    """Turns about `axis`; coordinate: angle [rad]."""

    axis: Vector = (0.0, 0.0, 1.0)
    code = JointCode.REVOLUTE
    coordinates = ("angle",)


@dataclass(frozen=True)
class Prismatic(Joint):
    """Slides along `axis`; coordinate: displacement [m]."""

    axis: Vector = (0.0, 0.0, 1.0)
    code = JointCode.PRISMATIC
    coordinates = ("displacement",)


@dataclass(frozen=True)
class Screw(Joint):
    """Turns about `axis` and advances by `pitch` metres a turn (right-handed if positive); coordinate: angle [rad]."""

    axis: Vector = (0.0, 0.0, 1.0)
    pitch: float = field(default=0.0, kw_only=True)
    code = JointCode.SCREW
    coordinates = ("angle",)


@dataclass(frozen=True)
class Cylindrical(Joint):
    """Turns about and slides along `axis`; coordinates: angle [rad], displacement [m]."""

    axis: Vector = (0.0, 0.0, 1.0)
    code = JointCode.CYLINDRICAL
    coordinates = ("angle", "displacement")


@dataclass(frozen=True)
class Universal(Joint):
    """Cross joint: turns about `axis1`, fixed in the first frame, then about `axis2`, fixed in the second.

    Both axes are given in the common frame at zero and must not be parallel; coordinates: angle1, angle2 [rad].
    """

    axis1: Vector = (1.0, 0.0, 0.0)
    axis2: Vector = (0.0, 1.0, 0.0)
    code = JointCode.UNIVERSAL
    coordinates = ("angle1", "angle2")


@dataclass(frozen=True)
class Planar(Joint):
    """Slides in the plane normal to `axis` and turns about it; coordinates: x, y [m], angle [rad].

    With ``axis=(0, 0, 1)`` x and y are those of the first frame; for another axis they are the first frame's
    x and y carried along by the shortest rotation that takes z to `axis`.
    """

    axis: Vector = (0.0, 0.0, 1.0)
    code = JointCode.PLANAR
    coordinates = ("x", "y", "angle")


@dataclass(frozen=True)
class Spherical(Joint):
    """Ball joint; coordinates: quaternion (w, x, y, z) of the second frame in the first.

    `start` takes a quaternion or a rotation vector [rad]; rates are the relative angular velocity in the first
    frame's axes [rad/s].
    """

    code = JointCode.SPHERICAL
    coordinates = ("qw", "qx", "qy", "qz")


@dataclass(frozen=True)
class Free(Joint):
    """No connection; coordinates: x, y, z [m] and a quaternion (w, x, y, z) in the first frame.

    `start` takes ``(x, y, z)`` or ``(x, y, z, qw, qx, qy, qz)``, `start_rate` ``(vx, vy, vz)`` or
    ``(vx, vy, vz, wx, wy, wz)`` [m/s, rad/s], all in the first frame's axes.
    """

    code = JointCode.FREE
    coordinates = ("x", "y", "z", "qw", "qx", "qy", "qz")


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
    code: ClassVar[ForceCode] = ForceCode.JOINT_SPRING


@dataclass(frozen=True)
class Motor:
    """Effort on a joint coordinate, acting on the joint's second body and back on the first.

    `effort` is a law ``f(t)`` or ``f(t, coordinate, rate)`` [N m or N].
    """

    name: str
    joint: str
    effort: LawLike = field(default=0.0, kw_only=True)
    coordinate: str | None = field(default=None, kw_only=True)
    code: ClassVar[ForceCode] = ForceCode.MOTOR


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
    code: ClassVar[ForceCode] = ForceCode.SPRING_DAMPER


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
    code: ClassVar[ForceCode] = ForceCode.BUSHING


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
    The number of parameters tells which of the three a function is; those with a default do not count.

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
    code: ClassVar[ForceCode] = ForceCode.FORCE


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
    code: ClassVar[ForceCode] = ForceCode.TORQUE


@dataclass(frozen=True)
class Motion:
    """Prescribed motion of a joint coordinate; its reaction is recorded.

    Attributes
    ----------
    name, joint : str
        Its own name and the joint's.
    position, speed : law ``f(t)``
        Exactly one of the two: the coordinate itself [rad or m] or its rate [rad/s or m/s].
    coordinate : str or None
        Which one, for a joint with several (not those of a quaternion).

    Notes
    -----
    Functions are differentiated numerically (six neighbours, `derivative_step` apart [s]); `table`, `sine` and
    `ramp` exactly.
    """

    name: str
    joint: str
    position: LawLike | None = field(default=None, kw_only=True)
    speed: LawLike | None = field(default=None, kw_only=True)
    coordinate: str | None = field(default=None, kw_only=True)
    derivative_step: float = field(default=1e-3, kw_only=True)


JOINTS = (Fixed, Revolute, Prismatic, Screw, Cylindrical, Universal, Planar, Spherical, Free)
FORCES = (JointSpring, Motor, SpringDamper, Bushing, Force, Torque)
