"""Contacts as rows: which pairs of shapes are known, and the points, discs and segments that each is looked at with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import atan2, exp, log, sqrt
from typing import Any

import numpy as np

from ..codes import PairCode, ShapeCode
from ..errors import Fault, ModelError
from ..kernels.contact.tables import CONTACT_OPTIONS, CONTACT_ROW, Contacts, no_contacts
from ..model.checked import CheckedContact, CheckedModel, CheckedShape
from ..model.contacts import SHAPE_RECORDS
from ..model.rotation import rotation_between

CLOSED_GAP = 1e-9
"""Gap, as a share of the model's size, below which a contact is closed."""
Z = np.array([0.0, 0.0, 1.0])
LEAST_REBOUND = 0.02
"""Restitution of a spring below which more damping only slows it down."""
Part = dict[str, Any]
"""Fields of a row that a pair of shapes decides."""


def pack_contacts(model: CheckedModel, body: np.ndarray, row_of_body: np.ndarray, length: float,
                  on_joints: list[np.void]) -> Contacts:
    """Return the tables of the contacts of a model, whose size is `length` [m], with the rows of limits and friction."""
    if not model.contacts and not on_joints:
        return no_contacts()
    rows, faults = [], []
    for number, contact in enumerate(model.contacts):
        found = _pair(contact)
        if found is None:
            faults.append(Fault(f"contacts.{contact.name}", _why_unknown(contact)))
            continue
        maker, surface, other, flip = found
        for part in maker(surface, other):
            rows.append(_row(part, number, contact, surface, other, flip, body, row_of_body, length))
    if faults:
        raise ModelError(faults, model.name)
    for each in on_joints:
        each["damping"] = spring_damping(each["restitution"])
    row = np.array(rows + on_joints, CONTACT_ROW)
    options = np.zeros(1, CONTACT_OPTIONS)
    options[0]["closed_gap"], options[0]["steady"] = CLOSED_GAP, 0.1 * CLOSED_GAP
    options[0]["length"] = length
    options[0]["unit"] = max(1e-12, float(np.sum(body["mass"])))
    for array in (row, options):
        array.setflags(write=False)
    return Contacts(row, options)


def _row(part: Part, number: int, contact: CheckedContact, surface: CheckedShape, other: CheckedShape, flip: bool,
         body: np.ndarray, row_of_body: np.ndarray, length: float) -> np.void:
    row: np.void = np.zeros(1, CONTACT_ROW)[0]
    row["code"], row["contact"], row["flip"] = part["code"], number, flip
    row["lines"] = 3 if contact.friction > 0.0 else 1
    for side, shape in (("a", surface), ("b", other)):
        index = int(row_of_body[shape.place.body])
        R = body["R_bu"][index].reshape(3, 3)
        axes = shape.place.rotation @ part.get(f"axes_{side}", np.eye(3))
        at = shape.place.position + shape.place.rotation @ part.get(f"at_{side}", np.zeros(3))
        row[side] = index
        row[f"u_{side}"], row[f"R_{side}"] = body["u_b"][index] + R @ at, (R @ axes).ravel()
        row[f"half_{side}"] = part.get(f"half_{side}", 0.0)
    row["radius_b"], row["disc"] = part.get("radius_b", other.radius), part.get("disc", 0.0)
    row["radius"] = part.get("radius_a", surface.radius) + row["radius_b"]
    row["friction"], row["restitution"], row["compliance"] = contact.friction, contact.restitution, contact.compliance
    row["damping"], row["size"] = spring_damping(contact.restitution), length
    return row


def rebound(zeta: float) -> float:
    """Return the restitution of a mass that meets a spring with a damper which only push.

    `zeta` is the damping as a share of the critical one.  The force is zero again at the time at which
    x'' = -2 zeta w x' - w² x vanishes, before the spring is unloaded; the speed there by that of the impact is exp(-zeta w t).

    Examples
    --------
    >>> round(rebound(0.0), 12), round(rebound(0.5), 3), round(rebound(2.0), 3)
    (1.0, 0.298, 0.048)
    """
    if abs(zeta - 1.0) < 1e-9:
        return exp(-2.0)
    root = sqrt(abs(1.0 - zeta * zeta))
    if zeta < 1.0:
        return exp(-zeta / root * atan2(2.0 * zeta * root, 2.0 * zeta * zeta - 1.0)) if zeta > 0.0 else 1.0
    return exp(-zeta / root * log((zeta + root) / (zeta - root)))


@cache
def spring_damping(restitution: float) -> float:
    """Return the damping of a spring that rebounds with a restitution, as a share of the critical one; at most for 0.02."""
    low, high, wanted = 0.0, 10.0, max(restitution, LEAST_REBOUND)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rebound(middle) > wanted else (low, middle)
    return 0.0 if wanted >= 1.0 else 0.5 * (low + high)


# --- pairs ---------------------------------------------------------------------------------------------------------

def _axes(direction: np.ndarray) -> np.ndarray:
    """Axes whose z is a direction."""
    return rotation_between(Z, direction)


def _segment(shape: CheckedShape, side: str) -> Part:
    return {f"axes_{side}": _axes(shape.direction), f"half_{side}": np.array([0.0, 0.0, 0.5 * shape.length])}


def _plane_point(plane: CheckedShape, ball: CheckedShape) -> Iterator[Part]:
    yield {"code": PairCode.POINT_PLANE, "axes_a": _axes(plane.direction)}


def _plane_capsule(plane: CheckedShape, capsule: CheckedShape) -> Iterator[Part]:
    for end in (-0.5, 0.5):
        at = end * capsule.length * capsule.direction
        yield {"code": PairCode.POINT_PLANE, "axes_a": _axes(plane.direction), "at_b": at}


def _plane_points(plane: CheckedShape, points: np.ndarray) -> Iterator[Part]:
    for point in points:
        yield {"code": PairCode.POINT_PLANE, "axes_a": _axes(plane.direction), "at_b": point, "radius_b": 0.0}


def _plane_box(plane: CheckedShape, box: CheckedShape) -> Iterator[Part]:
    signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
    return _plane_points(plane, signs * box.size)


def _plane_mesh(plane: CheckedShape, mesh: CheckedShape) -> Iterator[Part]:
    """The corners of its hull are what touches a plane first."""
    from scipy.spatial import ConvexHull

    return _plane_points(plane, mesh.vertices[ConvexHull(mesh.vertices).vertices])


def _plane_cylinder(plane: CheckedShape, cylinder: CheckedShape) -> Iterator[Part]:
    """Of each rim its lowest point, and four points that carry it when it stands upright."""
    axes = _axes(cylinder.direction)
    for end in (-0.5, 0.5):
        middle = end * cylinder.length * cylinder.direction
        yield {"code": PairCode.DISC_PLANE, "axes_a": _axes(plane.direction), "axes_b": axes, "at_b": middle,
               "radius_b": 0.0, "disc": cylinder.radius}
        yield from _plane_points(plane, middle + cylinder.radius * np.array([axes[:, 0], axes[:, 1], -axes[:, 0],
                                                                              -axes[:, 1]]))


def _point_point(a: CheckedShape, b: CheckedShape) -> Iterator[Part]:
    yield {"code": PairCode.POINT_POINT}


def _capsule_point(capsule: CheckedShape, ball: CheckedShape) -> Iterator[Part]:
    yield {"code": PairCode.POINT_SEGMENT, **_segment(capsule, "a")}


def _capsule_capsule(a: CheckedShape, b: CheckedShape) -> Iterator[Part]:
    yield {"code": PairCode.SEGMENT_SEGMENT, **_segment(a, "a"), **_segment(b, "b")}


def _box_point(box: CheckedShape, ball: CheckedShape) -> Iterator[Part]:
    yield {"code": PairCode.POINT_BOX, "half_a": 0.5 * box.size}


Maker = Callable[[CheckedShape, CheckedShape], Iterator[Part]]
PAIRS: dict[tuple[ShapeCode, ShapeCode], Maker] = {
    (ShapeCode.PLANE, ShapeCode.POINT): _plane_point,
    (ShapeCode.PLANE, ShapeCode.SPHERE): _plane_point,
    (ShapeCode.PLANE, ShapeCode.CAPSULE): _plane_capsule,
    (ShapeCode.PLANE, ShapeCode.CYLINDER): _plane_cylinder,
    (ShapeCode.PLANE, ShapeCode.BOX): _plane_box,
    (ShapeCode.PLANE, ShapeCode.MESH): _plane_mesh,
    (ShapeCode.SPHERE, ShapeCode.SPHERE): _point_point,
    (ShapeCode.SPHERE, ShapeCode.POINT): _point_point,
    (ShapeCode.CAPSULE, ShapeCode.SPHERE): _capsule_point,
    (ShapeCode.CAPSULE, ShapeCode.POINT): _capsule_point,
    (ShapeCode.CAPSULE, ShapeCode.CAPSULE): _capsule_capsule,
    (ShapeCode.BOX, ShapeCode.SPHERE): _box_point,
    (ShapeCode.BOX, ShapeCode.POINT): _box_point,
}
"""Shapes of body a, whose surface gives the normal, and of body b -> the rows of the pair."""


def _pair(contact: CheckedContact) -> tuple[Maker, CheckedShape, CheckedShape, bool] | None:
    """Return what makes the rows, the surface, the other shape, and whether they are turned round; None if unknown."""
    first, second = contact.first, contact.second
    if (first.code, second.code) in PAIRS:
        return PAIRS[first.code, second.code], first, second, False
    if (second.code, first.code) in PAIRS:
        return PAIRS[second.code, first.code], second, first, True
    return None


def _word(code: ShapeCode) -> str:
    return code.name.lower()


def _why_unknown(contact: CheckedContact) -> str:
    codes = contact.first.code, contact.second.code
    fits = [_word(b if a == codes[0] else a) for a, b in PAIRS if codes[0] in (a, b)]
    partners = ", ".join(dict.fromkeys(fits))
    return (f"found a {_word(codes[0])} and a {_word(codes[1])}, which are not a pair that contacts know; a {_word(codes[0])} "
            f"({SHAPE_RECORDS[codes[0]].does}) meets: {partners}")
