"""Contacts: their shapes, numbers and places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from .check_fields import read_field
from .checked import CheckedContact, CheckedGroup, CheckedShape
from .contacts import SHAPES, Contact, ContactGroup, Point
from .names import Names
from .records import Number, Three
from .values import UNIT_Z, ZERO3, Faults, frozen, number, row, shown

_FLAT = 1e-12
"""Volume of a mesh, relative to the cube of its extent, below which it encloses nothing."""


def read_contact(faults: Faults, where: str, contact: Contact, names: Names) -> CheckedContact:
    """Check a contact and resolve its names."""
    first = _read_shape(faults, where + ".first", contact.first, names)
    second = _read_shape(faults, where + ".second", contact.second, names)
    if first is not None and second is not None and first.place.body == second.place.body:
        faults.flag(where + ".second", f"found {second.place.text!r}, on the body of the first shape, "
                                       f"{first.place.text!r}; expected two bodies: a body does not touch itself")
    friction, restitution, compliance = _surfaces(faults, where, contact)
    first, second = (cast(CheckedShape, shape) for shape in (first, second))  # a model with faults goes no further
    return CheckedContact(contact.name, first, second, friction, restitution, compliance)


def _surfaces(faults: Faults, where: str, contact: Contact | ContactGroup) -> tuple[float, float, float]:
    """Friction, restitution and compliance."""
    friction = number(faults, where + ".friction", contact.friction, "", least=0.0)
    restitution = number(faults, where + ".restitution", contact.restitution, "", least=0.0)
    if restitution > 1.0:
        faults.flag(where + ".restitution", f"found {shown(contact.restitution)}, expected a number from 0 (no rebound) to 1 "
                                            "(full rebound); above it impacts make energy")
    return friction, restitution, number(faults, where + ".compliance", contact.compliance, "m/N", least=0.0)


def read_group(faults: Faults, where: str, group: ContactGroup, names: Names) -> CheckedGroup:
    """Check a group of shapes and resolve its names."""
    before = len(faults)
    shapes, against = (_read_shapes(faults, f"{where}.{key}", getattr(group, key), names) for key in ("shapes", "against"))
    bodies = {shape.place.body for shape in (*shapes, *against)}
    if len(bodies) < 2 and len(faults) == before:
        faults.flag(where + ".shapes", f"found shapes of {len(bodies)} bodies, expected at least two bodies: a body does not "
                                       "touch itself")
    friction, restitution, compliance = _surfaces(faults, where, group)
    if not isinstance(group.joined, bool):
        faults.flag(where + ".joined", f"found {shown(group.joined)}, expected True or False")
    apart = tuple(_read_apart(faults, f"{where}.apart[{i}]", pair, names)
                  for i, pair in enumerate(_listed(faults, where + ".apart", group.apart, "pairs of bodies")))
    return CheckedGroup(group.name, shapes, against, friction, restitution, compliance, apart, bool(group.joined))


def _listed(faults: Faults, where: str, values: Any, what: str) -> Sequence[Any]:
    """The entries of a list, none of something else."""
    if isinstance(values, (list, tuple)):
        return values
    faults.flag(where, f"found {shown(values)}, expected a list of {what}")
    return ()


def _read_shapes(faults: Faults, where: str, shapes: Any, names: Names) -> tuple[CheckedShape, ...]:
    read = [_read_shape(faults, f"{where}[{i}]", shape, names)
            for i, shape in enumerate(_listed(faults, where, shapes, "shapes"))]
    return tuple(shape for shape in read if shape is not None)


def _read_apart(faults: Faults, where: str, pair: Any, names: Names) -> tuple[int, int]:
    if not (isinstance(pair, (list, tuple)) and len(pair) == 2):
        faults.flag(where, f"found {shown(pair)}, expected the names of two bodies")
        return 0, 0
    places = [names.place(faults, f"{where}[{i}]", each) for i, each in enumerate(pair)]
    first, second = (0 if place is None else place.body for place in places)
    return first, second


def _read_shape(faults: Faults, where: str, shape: Any, names: Names) -> CheckedShape | None:
    if isinstance(shape, str):
        shape = Point(shape)
    if not isinstance(shape, SHAPES):
        kinds = ", ".join(kind.__name__ for kind in SHAPES)
        faults.flag(where, f"found {shown(shape)}, expected the name of a place or a shape: {kinds}")
        return None
    place = names.place(faults, where, shape.at)
    sizes: dict[str, Any] = {}
    for each in shape.record.fields:
        value, path = getattr(shape, each.name), f"{where}.{each.name}"
        if isinstance(each, Three):
            sizes[each.name] = _three(faults, path, value, each)
        elif isinstance(each, Number):
            sizes[each.name] = number(faults, path, value, str(each.unit), above=each.above, remedy=each.remedy)
        else:
            sizes[each.name] = read_field(faults, path, value, each)[1]
    direction = sizes.get("axis", sizes.get("normal", UNIT_Z))
    vertices = _vertices(faults, where, shape) if shape.record.mesh else np.zeros((0, 3))
    if place is None:
        return None
    return CheckedShape(shape.record.code, place, sizes.get("radius", 0.0), sizes.get("length", 0.0),
                        sizes.get("size", ZERO3), direction, vertices)


def _three(faults: Faults, where: str, value: Any, each: Three) -> np.ndarray:
    values = row(faults, where, value, (3,), (str(each.unit),), f"three numbers [{each.unit}]")
    for i, x in enumerate(values or ()):
        number(faults, f"{where}[{i}]", x, str(each.unit), above=each.above, remedy=each.remedy)
    return frozen(values or (1.0, 1.0, 1.0))


def _vertices(faults: Faults, where: str, mesh: Any) -> np.ndarray:
    """Vertices of a mesh whose triangles close a volume."""
    try:
        vertices, faces = np.array(mesh.vertices, float), np.array(mesh.faces)
    except (TypeError, ValueError):
        vertices, faces = np.zeros(0), np.zeros(0)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 4 or not np.all(np.isfinite(vertices)):
        faults.flag(where + ".vertices", f"found {shown(mesh.vertices)}, expected at least four finite places (n, 3) [m]")
        return np.zeros((0, 3))
    whole = faces.ndim == 2 and faces.shape[1] == 3 and faces.dtype.kind in "iu"
    if not whole or np.any((faces < 0) | (faces >= len(vertices))):
        faults.flag(where + ".faces", f"found {shown(mesh.faces)}, expected triangles (m, 3) of numbers of vertices, "
                                      f"0 to {len(vertices) - 1}")
        return np.zeros((0, 3))
    _check_closed(faults, where + ".faces", vertices, faces)
    return frozen(vertices)


def _check_closed(faults: Faults, where: str, vertices: np.ndarray, faces: np.ndarray) -> None:
    edges = Counter((int(a), int(b)) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True))
    twice = next((edge for edge, count in edges.items() if count > 1), None)
    if twice is not None:
        faults.flag(where, f"the edge from vertex {twice[0]} to {twice[1]} belongs to {edges[twice]} triangles in the same "
                           "direction, expected each edge once in each direction; turn triangles the same way round, and "
                           "remove those that lie inside or occur twice")
        return
    alone = next((edge for edge in edges if edge[::-1] not in edges), None)
    if alone is not None:
        faults.flag(where, f"the surface is open at the edge from vertex {alone[0]} to {alone[1]}, expected a closed one")
        return
    corners = vertices[faces] - vertices.mean(axis=0)
    volume = float(np.sum(np.linalg.det(corners))) / 6.0
    if volume < -_FLAT * np.ptp(vertices) ** 3:
        faults.flag(where, "the triangles are clockwise seen from outside (the volume is negative), expected "
                           "counterclockwise ones; turn them round")
    elif volume <= _FLAT * np.ptp(vertices) ** 3:
        faults.flag(where, "the surface encloses no volume, expected a body")
