"""Constraints beyond joints: between two points, between joint coordinates, and of rolling.

As with the other parts nothing is checked here; SI units, radians.  A constraint takes directions away without
carrying a body, so that it may close loops, and it may repeat what a joint or another constraint demands already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ..codes import ConstraintCode, RowCode
from .laws import Law, LawLike
from .records import PER_COORDINATE, Channel, ConstraintRecord, Direction, LawField, Number, RowSpec
from .values import Vector

_WRENCH = (Channel("force", "N"), Channel("torque", "N m"))
_EFFORT_ALONE = (Channel("effort", "N, N m"),)
_SPACING = Number("derivative_step", "s", above=0.0)
_WHEEL = {"e_a": "normal.z", "e_b": "axis"}


@dataclass(frozen=True)
class Distance:
    """Keeps two points at a distance, like a massless rod with a ball at each end.

    Attributes
    ----------
    name, first, second : str
        Its own name and the two attachments, on different bodies.
    length : law ``f(t)`` or None
        Greater than zero [m]; None for the distance at the assembled start.
    derivative_step : float
        Spacing of the numerical derivatives of a Python function [s]; see `Motion`.
    """

    name: str
    first: str
    second: str
    length: LawLike | None = None
    derivative_step: float = field(default=1e-3, kw_only=True)
    record: ClassVar[ConstraintRecord] = ConstraintRecord(
        ConstraintCode.DISTANCE, "places", (RowSpec(RowCode.DISTANCE, "length", prescribed=True),),
        (_SPACING, LawField("length", "m", form="time", optional=True, above=0.0,
                            remedy="to hold two points together use a Spherical joint")),
        (*_WRENCH, Channel("tension", "N"), Channel("length", "m")),
        "two points stay at a length, a number or a law; without one at that of the assembled start")


@dataclass(frozen=True)
class PointOnLine:
    """Keeps the second point on the line through the first attachment along `axis`; both bodies may turn.

    Attributes
    ----------
    name, first, second : str
        Its own name and the two attachments, on different bodies.
    axis : (3,) float
        Direction of the line in the first attachment's frame.
    """

    name: str
    first: str
    second: str
    axis: Vector = (1.0, 0.0, 0.0)
    record: ClassVar[ConstraintRecord] = ConstraintRecord(
        ConstraintCode.POINT_ON_LINE, "places",
        tuple(RowSpec(RowCode.POSITION, "moving along {e_a}", vectors={"e_a": across}) for across in ("axis.x", "axis.y")),
        (Direction("axis"),), _WRENCH,
        "the second point stays on the line through the first place along `axis`, x by default")


@dataclass(frozen=True)
class PointOnPlane:
    """Keeps the second point in a plane that is fixed to the first attachment.

    Attributes
    ----------
    name, first, second : str
        Its own name and the two attachments, on different bodies.
    normal : (3,) float
        Of the plane, in the first attachment's frame.
    offset : law ``f(t)``
        Distance of the plane from the first attachment along the normal [m].
    derivative_step : float
        Spacing of the numerical derivatives of a Python function [s]; see `Motion`.
    """

    name: str
    first: str
    second: str
    normal: Vector = (0.0, 0.0, 1.0)
    offset: LawLike = 0.0
    derivative_step: float = field(default=1e-3, kw_only=True)
    record: ClassVar[ConstraintRecord] = ConstraintRecord(
        ConstraintCode.POINT_ON_PLANE, "places",
        (RowSpec(RowCode.POSITION, "moving along {e_a}", prescribed=True, vectors={"e_a": "normal"}),),
        (Direction("normal"), LawField("offset", "m", form="time"), _SPACING), _WRENCH,
        "the second point stays in the plane `offset` above the first place, a number or a law; `normal` is z by default")


@dataclass(frozen=True)
class Gear:
    """Couples two joint coordinates: coordinate of second = ratio * coordinate of first + offset.

    Attributes
    ----------
    name, first, second : str
        Its own name and those of two joints; one joint will do if it has two coordinates.
    ratio : float
        Not zero; negative for wheels that mesh outside.  [m/rad] or [rad/m] between an angle and a displacement, as
        with a rack and its pinion.
    offset : float or None
        [rad or m, as the second coordinate]; None for what the start gives.
    first_coordinate, second_coordinate : str or None
        Which ones, for joints with several (not those of a quaternion).
    """

    name: str
    first: str
    second: str
    ratio: float
    offset: float | None = None
    first_coordinate: str | None = None
    second_coordinate: str | None = None
    record: ClassVar[ConstraintRecord] = ConstraintRecord(
        ConstraintCode.GEAR, "two coordinates", (RowSpec(RowCode.COORDINATES, "coordinate", prescribed=True),),
        (Number("ratio"), Number("offset", PER_COORDINATE)), _EFFORT_ALONE,
        "second coordinate = ratio · first coordinate + offset; without an offset what the start gives")


@dataclass(frozen=True)
class CoordinateCoupling:
    """Makes a joint coordinate a sum of other ones, or a function of another one.

    Attributes
    ----------
    name, joint : str
        Its own name and that of the joint whose coordinate is given by the others.
    to : mapping of str to float, or str
        ``{"joint": factor, "joint.coordinate": factor, ...}``: coordinate = offset + sum of factor times coordinate, as
        in a differential.  With `function` the name of one other: coordinate = offset + function(x), as in a cam.
    offset : float
        [rad or m, as the coordinate].
    function : law ``f(x)``, optional
        ``table(x, y)``, `sine`, `ramp` (in x instead of time) or a function of one parameter, plain or by `law`.
    coordinate : str or None
        Which one of `joint`, if it has several (not those of a quaternion).
    derivative_step : float
        Spacing of the numerical derivatives of a Python function ``f(x)`` [rad or m, as x].
    """

    name: str
    joint: str
    to: Mapping[str, float] | str
    offset: float = 0.0
    function: Law | Callable[[float], float] | None = None
    coordinate: str | None = None
    derivative_step: float = field(default=1e-3, kw_only=True)
    record: ClassVar[ConstraintRecord] = ConstraintRecord(
        ConstraintCode.COORDINATE_COUPLING, "coordinate", (RowSpec(RowCode.COORDINATES, "coordinate", prescribed=True),),
        (Number("offset", PER_COORDINATE), LawField("function", PER_COORDINATE, form="coordinate", optional=True)),
        _EFFORT_ALONE, "coordinate = offset + a sum of others, or offset + function(x)")


@dataclass(frozen=True)
class Rolling:
    """A wheel, a thin disc or a ball, that rolls on a plane without slipping.

    The second attachment is its centre.  One equation holds its lowest point in the plane, two forbid that the material
    there slips; turning about the normal and tilting stay free.

    Attributes
    ----------
    name, first, second : str
        Its own name, an attachment in the plane, and the wheel's centre on another body.
    radius : float
        Of the wheel [m]; greater than zero.
    normal : (3,) float
        Of the plane, towards the wheel, in the first attachment's frame.
    axis : (3,) float or None
        Of the wheel, in the second attachment's frame; None for a ball.  A wheel that lies flat, its axis along the
        normal, has no lowest point and cannot roll.
    """

    name: str
    first: str
    second: str
    radius: float
    normal: Vector = (0.0, 0.0, 1.0)
    axis: Vector | None = None
    record: ClassVar[ConstraintRecord] = ConstraintRecord(
        ConstraintCode.ROLLING, "places",
        (RowSpec(RowCode.WHEEL_HEIGHT, "height", vectors=_WHEEL),
         RowSpec(RowCode.WHEEL_SLIP, "slip in the first direction of the plane", vectors={**_WHEEL, "f_a": "normal.x"}),
         RowSpec(RowCode.WHEEL_SLIP, "slip in the second direction of the plane", vectors={**_WHEEL, "f_a": "normal.y"})),
        (Direction("normal"), Direction("axis", optional=True),
         Number("radius", "m", above=0.0, remedy="for a point that stays in the plane use a PointOnPlane")),
        (*_WRENCH, Channel("normal_force", "N")), "a wheel rolls on a plane without slipping")


CONSTRAINTS = (
    Distance,
    PointOnLine,
    PointOnPlane,
    Gear,
    CoordinateCoupling,
    Rolling,
)
"""Constraints of the model text."""
CONSTRAINT_RECORDS: dict[ConstraintCode, ConstraintRecord] = {kind.record.code: kind.record for kind in CONSTRAINTS}
CONSTRAINT_KINDS: dict[str, ConstraintRecord] = {record.kind: record for record in CONSTRAINT_RECORDS.values()}
"""Records by code, and by their name in layouts and files of results."""
