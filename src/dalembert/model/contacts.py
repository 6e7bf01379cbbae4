"""Contacts: the shapes that touch each other and the pairs of them, each kind of shape with its record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..codes import ShapeCode
from .records import Direction, Number, ShapeRecord, Three
from .values import Vector

_RADIUS = Number("radius", "m", above=0.0, remedy="a geometry without radius is a Point")
_LENGTH = Number("length", "m", above=0.0, remedy="a capsule without length is a Sphere")


@dataclass(frozen=True)
class Point:
    """A point of a body; a bare attachment, ``"body.tip"``, is one."""

    at: str
    record: ClassVar[ShapeRecord] = ShapeRecord(ShapeCode.POINT, (), "a place of a body")


@dataclass(frozen=True)
class Sphere:
    """A ball about a place."""

    at: str
    radius: float = field(kw_only=True)
    record: ClassVar[ShapeRecord] = ShapeRecord(ShapeCode.SPHERE, (_RADIUS,), "a ball about a place")


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of a segment of a `length` along `axis`, whose middle is a place."""

    at: str
    radius: float = field(kw_only=True)
    length: float = field(kw_only=True)
    axis: Vector = field(default=(0.0, 0.0, 1.0), kw_only=True)
    record: ClassVar[ShapeRecord] = ShapeRecord(
        ShapeCode.CAPSULE, (_RADIUS, _LENGTH, Direction("axis")), "a segment about a place, thickened to a radius")


@dataclass(frozen=True)
class Cylinder:
    """A cylinder with flat ends of a `length` along `axis`, whose middle is a place."""

    at: str
    radius: float = field(kw_only=True)
    length: float = field(kw_only=True)
    axis: Vector = field(default=(0.0, 0.0, 1.0), kw_only=True)
    record: ClassVar[ShapeRecord] = ShapeRecord(
        ShapeCode.CYLINDER, (_RADIUS, _LENGTH, Direction("axis")), "a cylinder with flat ends about a place")


@dataclass(frozen=True)
class Box:
    """A box with its middle in a place and edges of the lengths `size` along the place's axes."""

    at: str
    size: Any = field(kw_only=True)
    record: ClassVar[ShapeRecord] = ShapeRecord(
        ShapeCode.BOX, (Three("size", "m", above=0.0, remedy="a box has three edges with a length"),),
        "a box about a place, along its axes")


@dataclass(frozen=True)
class Plane:
    """The half-space below the plane through a place; `normal` points out of it, in the place's axes."""

    at: str
    normal: Vector = field(default=(0.0, 0.0, 1.0), kw_only=True)
    record: ClassVar[ShapeRecord] = ShapeRecord(
        ShapeCode.PLANE, (Direction("normal"),), "the half-space behind a plane through a place")


@dataclass(frozen=True)
class Mesh:
    """A closed surface of triangles.

    Attributes
    ----------
    at : str
        Place in whose axes the vertices are given.
    vertices : (n, 3) float
        [m].
    faces : (m, 3) int
        Vertices of each triangle, counterclockwise seen from outside.
    """

    at: str
    vertices: Any = field(kw_only=True)
    faces: Any = field(kw_only=True)
    record: ClassVar[ShapeRecord] = ShapeRecord(ShapeCode.MESH, (), "a closed surface of triangles", mesh=True)


SHAPES = (Point, Sphere, Capsule, Cylinder, Box, Plane, Mesh)
SHAPE_RECORDS = {kind.record.code: kind.record for kind in SHAPES}


@dataclass(frozen=True)
class Contact:
    """Two shapes that push each other apart where they touch, and rub.

    Attributes
    ----------
    name : str
        Its own name.
    first, second : shape or str
        ``Point, Sphere, Capsule, Cylinder, Box, Plane`` or ``Mesh``; a bare attachment is a point.
    friction : float
        Coefficient of Coulomb's friction, at rest and sliding.
    restitution : float
        Relative speed along the normal after an impact by that before it [Newton], 0 to 1.
    compliance : float
        Approach of the two shapes by a unit of force [m/N]; 0 for rigid ones.
    """

    name: str
    first: Any
    second: Any
    friction: float = field(default=0.0, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)
    compliance: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class ContactGroup:
    """Shapes any two of which may touch, or each of which may touch those of a second set.

    Shapes of the same body do not touch each other, nor do those of two bodies with a joint between them.  Which of
    them are near is found anew in every step, in a time that grows with their number alone.

    Attributes
    ----------
    name : str
        Its own name.
    shapes : sequence of shape or str
        As in `Contact`; a bare attachment is a point.
    against : sequence of shape or str
        A second set; if there is one, only shapes of different sets touch.
    friction, restitution, compliance : float
        Of all these contacts, as in `Contact`.
    apart : sequence of (str, str)
        Pairs of bodies that do not touch.
    joined : bool
        Whether bodies with a joint between them touch.
    """

    name: str
    shapes: Any
    against: Any = ()
    friction: float = field(default=0.0, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)
    compliance: float = field(default=0.0, kw_only=True)
    apart: Any = field(default=(), kw_only=True)
    joined: bool = field(default=False, kw_only=True)
