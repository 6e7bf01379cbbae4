"""Records: what a kind of joint, force element or constraint is, said once.

The model text, checks, units, tables of the kernels, channels of the results and the pages of the reference follow from them.
A record is data.  Each is part of the class that users write, beside the fields that it describes, and is closed over a code
of `codes.py`, by which the kernels know the kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import pi

from ..codes import ConstraintCode, ForceCode, JointCode, RowCode, ShapeCode

AXES = "xyz"
"""Axes of a joint's frame; z is the joint's own axis."""
QUATERNION = ("qw", "qx", "qy", "qz")
TURNS = ("wx", "wy", "wz")
"""Rates of a quaternion: the angular velocity."""
TURN = 2 * pi
"""A turn [rad]."""
PER_COORDINATE = {"rad": "rad", "m": "m", "": ""}
EFFORT = {"rad": "N m", "m": "N", "": ""}
STIFFNESS = {"rad": "N m/rad", "m": "N/m", "": "N/m"}
DAMPING = {"rad": "N m s/rad", "m": "N s/m", "": "N s/m"}
"""Units that follow from the unit of the joint coordinate, empty if that is unknown, which an element acts on."""
Unit = str | Mapping[str, str]


# --- fields of a part ----------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Number:
    """A number among the fields of a part.

    Attributes
    ----------
    name : str
        Of the field.
    unit : str or mapping
        SI unit, or units by that of the joint coordinate.
    least, above : float or None
        Bounds: not below, greater than.
    remedy : str
        What to do about a number out of bounds.
    into : str
        Field of `CheckedForce` or `CheckedConstraint`; `name` by default.
    at : int
        Place in it, if it holds three numbers.
    """

    name: str
    unit: Unit = ""
    least: float | None = None
    above: float | None = None
    remedy: str = ""
    into: str = ""
    at: int = 0


@dataclass(frozen=True)
class Three(Number):
    """One number for the three directions, or three of them."""


@dataclass(frozen=True)
class LawField:
    """A law among the fields of a part: a number, `sine`, `table`, `ramp` or a function.

    Attributes
    ----------
    name : str
    unit : str or mapping
        Of its values.
    form : {"state", "point", "time"}
        What functions may depend on: time, coordinate or length and rate; also a point's place and velocity; time alone.
    optional : bool
        Whether None means no law.
    above : float or None
        Bound of its values, as far as they are known beforehand.
    remedy : str
    """

    name: str
    unit: Unit = ""
    form: str = "state"
    optional: bool = False
    above: float | None = None
    remedy: str = ""


@dataclass(frozen=True)
class Direction:
    """A direction among the fields of a part, made a unit vector; `optional` if None means none."""

    name: str
    optional: bool = False


@dataclass(frozen=True)
class Flag:
    """A truth value among the fields of a part."""

    name: str


Field = Number | LawField | Direction | Flag


@dataclass(frozen=True)
class Channel:
    """A channel: its name, unit, and what it shows (`results/channels.py`, `results/constraints.py`); `name` by default."""

    name: str
    unit: str
    shows: str = ""


# --- joints --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Freedom:
    """A coordinate of a joint and its rate: a constant direction in the joint's frame at coordinate zero.

    Attributes
    ----------
    name : str
        Of the coordinate.
    turns, slides : {"", "x", "y", "z"}
        Axis about which it turns and axis along which it slides.  One that does both turns by the coordinate and slides by
        the joint's lead; only z can be turned about, but for the two axes of a cross.
    rate : str
        Name of the rate where coordinates and rates differ in number.
    """

    name: str
    turns: str = ""
    slides: str = ""
    rate: str = ""

    @property
    def unit(self) -> str:
        """Of the coordinate."""
        return "rad" if self.turns else "m"


@dataclass(frozen=True)
class Lead:
    """How far a freedom that turns also slides: `number` metres by `per` radians; `channel` shows the way."""

    number: Number
    per: float = 1.0
    channel: str = "displacement"


@dataclass(frozen=True)
class JointRecord:
    """What a kind of joint is.

    Attributes
    ----------
    code : JointCode
    freedoms : tuple of Freedom
        In the order of the coordinates: first those that slide, then one that turns; one axis serves in any order.
    ball : bool
        Whether a rotation in space, a quaternion with three rates, follows the freedoms.
    axes : tuple of str
        Fields that hold the joint's axis, or the two axes of a cross.
    lead : Lead or None
        Of the freedom that turns and slides.
    cross : bool
        Two freedoms turn about axes of their own, the second one's carried by the first: two rows of the tree with a massless
        body between.
    """

    code: JointCode
    freedoms: tuple[Freedom, ...] = ()
    ball: bool = False
    axes: tuple[str, ...] = ()
    lead: Lead | None = None
    cross: bool = False

    @cached_property
    def kind(self) -> str:
        """Name in layouts and files of results."""
        return kind_of(self.code)

    @cached_property
    def drivable(self) -> dict[str, str]:
        """Name -> unit of the coordinates that springs, motors, drives and gears may act on: not those of a quaternion."""
        return {f.name: f.unit for f in self.freedoms}

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return (*self.drivable, *(QUATERNION if self.ball else ()))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units of the coordinates; empty for those of a quaternion."""
        return (*self.drivable.values(), *([""] * 4 if self.ball else ()))

    @cached_property
    def rates(self) -> tuple[str, ...]:
        """Names of the rates."""
        return (*(f.rate or f.name for f in self.freedoms), *(TURNS if self.ball else ()))

    @cached_property
    def rate_units(self) -> tuple[str, ...]:
        """Units of what the rates are derivatives of, rad or m."""
        return (*self.drivable.values(), *(["rad"] * 3 if self.ball else ()))

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Numbers of coordinates and rates."""
        return len(self.coordinates), len(self.rates)

    @cached_property
    def ball_at(self) -> int:
        """First coordinate of the quaternion, and first of its rates; -1 without one."""
        return len(self.freedoms) if self.ball else -1

    @cached_property
    def rate_axes(self) -> tuple[int, ...]:
        """Number of the axis along which each rate slides; -1 for one that turns, -2 for those of a quaternion."""
        return (*(-1 if f.turns else AXES.index(f.slides) for f in self.freedoms), *([-2] * 3 if self.ball else ()))

    @cached_property
    def held_places(self) -> tuple[int, ...]:
        """Axes along which the joint holds its second place; along that of a lead it holds it at the lead's place."""
        free = {f.slides for f in self.freedoms if not f.turns}
        return tuple(i for i, axis in enumerate(AXES) if axis not in free)

    @cached_property
    def held_turns(self) -> tuple[tuple[int, int], ...]:
        """Pairs (axis of the first frame, axis of the second) that the joint keeps square; a cross has its own."""
        if self.ball or self.cross:
            return ()
        return ((0, 2), (1, 2)) if any(f.turns for f in self.freedoms) else ((0, 1), (1, 2), (2, 0))

    @cached_property
    def led_axis(self) -> int:
        """Number of the axis along which the joint slides by its lead, -1 without one."""
        return next((AXES.index(f.slides) for f in self.freedoms if f.turns and f.slides), -1)

    @cached_property
    def one_axis(self) -> bool:
        """Whether each freedom turns about or slides along the joint's only axis."""
        return len(self.axes) == 1 and not self.ball and all((f.turns or f.slides) == "z" for f in self.freedoms)

    @cached_property
    def mirrors(self) -> bool:
        """Whether the joint seen from its second body is the same one about the opposite axis, or a ball."""
        if self.ball or self.cross:
            return not self.freedoms
        return all(axis in ("", "z") for f in self.freedoms for axis in (f.turns, f.slides))

    @cached_property
    def reversible(self) -> bool:
        """Whether the second body can carry the first: a lead across the axis has no constant direction from there."""
        return self.mirrors or self.lead is None


# --- force elements ------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class ForceRecord:
    """What a kind of force element is.

    Attributes
    ----------
    code : ForceCode
    on : {"coordinate", "places", "place"}
        What it acts on: a joint's coordinate, the bodies of two places, or of one.
    fields : tuple
        Of the part, in the order in which they are checked.
    channels : tuple of Channel
    does : str
        In a few words, for the reference.
    rigid : {"", "coordinate", "length", "frames"}
        What it holds in the limit of a large stiffness.
    implies_free : bool
        Whether a body that it alone connects with the ground gets the free joint that it needs.
    """

    code: ForceCode
    on: str
    fields: tuple[Field, ...]
    channels: tuple[Channel, ...]
    does: str
    rigid: str = ""
    implies_free: bool = False

    @cached_property
    def kind(self) -> str:
        """Name in layouts and files of results."""
        return kind_of(self.code)


# --- constraints ---------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class RowSpec:
    """A scalar equation of a constraint.

    Attributes
    ----------
    code : RowCode
    label : str
        What it holds; ``{e_a}`` stands for that direction.
    prescribed : bool
        Whether it prescribes the constraint's value and law.
    vectors : mapping of str to str
        Field of the ROW table -> direction of the constraint, ``"axis"``, or an axis of the frame around it, ``"axis.x"``.
    """

    code: RowCode
    label: str
    prescribed: bool = False
    vectors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ConstraintRecord:
    """What a kind of constraint is.

    Attributes
    ----------
    code : ConstraintCode
    on : {"places", "two coordinates", "coordinate"}
        What it binds: two places, the coordinates of two joints, or a joint's coordinate to others.
    rows : tuple of RowSpec
        Scalar equations that it is made of.
    fields : tuple
        Of the part besides what it acts on, in the order in which they are checked.
    channels : tuple of Channel
    does : str
        In a few words, for the reference.
    """

    code: ConstraintCode
    on: str
    rows: tuple[RowSpec, ...]
    fields: tuple[Field, ...]
    channels: tuple[Channel, ...]
    does: str

    @cached_property
    def kind(self) -> str:
        """Name in layouts and files of results."""
        return kind_of(self.code)


# --- shapes --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class ShapeRecord:
    """What a kind of shape is that touches others.

    Attributes
    ----------
    code : ShapeCode
    fields : tuple
        Of the shape besides its place, in the order in which they are checked.
    does : str
        In a few words, for the reference.
    mesh : bool
        Whether it is made of triangles.
    """

    code: ShapeCode
    fields: tuple[Field, ...]
    does: str
    mesh: bool = False


def kind_of(code: JointCode | ForceCode | ConstraintCode) -> str:
    """Return the name of a kind in layouts and files of results.

    Examples
    --------
    >>> kind_of(ForceCode.SPRING_DAMPER)
    'springdamper'
    """
    return code.name.lower().replace("_", "")

