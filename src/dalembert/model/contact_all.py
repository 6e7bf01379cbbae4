"""Let all bodies of a model touch each other: by the shapes that are given, or by those that they are drawn with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import Fault, ModelError
from .contacts import Box, Capsule, ContactGroup, Cylinder, Sphere
from .geometry import Drawing
from .model import Model
from .parts import Body, Frame

TOUCHABLE = ("box", "sphere", "capsule", "cylinder")


def contact_all(model: Model, shapes: Sequence[Any] | None = None, *, against: Sequence[Any] = (), name: str = "contacts",
                friction: float = 0.0, restitution: float = 0.0, compliance: float = 0.0,
                apart: Sequence[tuple[str, str]] = (), joined: bool = False) -> Model:
    """Let many shapes touch each other: add a `ContactGroup` to a model.

    Parameters
    ----------
    model : Model
        Gets the group, and points where bodies are drawn with shapes off their origins.
    shapes : sequence of shape or str, optional
        As in `Contact`; by default the boxes, balls, capsules and cylinders that the bodies are drawn with.
    against : sequence of shape or str
        A second set; if there is one, only shapes of different sets touch.
    name : str
        Of the group: its channels are ``"name.gap"``, ``"name.normal_force"`` and ``"name.touches"``.
    friction, restitution, compliance : float
        As in `Contact`.
    apart : sequence of (str, str)
        Pairs of bodies that do not touch.
    joined : bool
        Whether bodies with a joint between them touch.

    Returns
    -------
    Model
        The model itself.

    Examples
    --------
    ``contact_all(model, [*balls, Plane("ground")], friction=0.3)``
    """
    if not isinstance(model, Model):
        raise ModelError(f"contact_all: found {model!r}, expected a Model")
    given = _drawn(model) if shapes is None else shapes
    if shapes is None and not given:
        raise ModelError([Fault("contact_all", "no body is drawn with a box, ball, capsule or cylinder; give shapes=[...]")],
                         str(model.name))
    return model.add(ContactGroup(name, _listed(given), _listed(against), friction=friction, restitution=restitution,
                                  compliance=compliance, apart=_listed(apart), joined=joined))


def _listed(values: Any) -> Any:
    """A tuple of what is listed; anything else as it is, for the check to tell."""
    return tuple(values) if isinstance(values, (list, tuple, Iterator)) else values


def _drawn(model: Model) -> list[Any]:
    """Shapes of all drawings that can touch; drawings off the origins get points of their bodies."""
    found: list[Any] = []
    for body in model.bodies:
        drawings = [d for d in body.drawing or () if isinstance(d, Drawing) and d.kind in TOUCHABLE]
        points = dict(body.points) if isinstance(body.points, Mapping) else {}
        before = len(points)
        for drawing in drawings:
            found.append(_shape(drawing, _place(body, drawing, points)))
        if len(points) > before:
            model._parts[:] = list(model.replaced(body.name, points=points))
    return found


def _place(body: Body, drawing: Drawing, points: dict[str, Any]) -> str:
    """Name of the place of a drawing; a point is added where it has none."""
    if drawing.rotation is None and tuple(drawing.position) == (0.0, 0.0, 0.0):
        return body.name
    name = f"shape {len(points) + 1}"
    points[name] = Frame(drawing.position, rotation=drawing.rotation)
    return f"{body.name}.{name}"


def _shape(drawing: Drawing, at: str) -> Any:
    """Return the shape of a drawing, by its sizes."""
    size = drawing.size
    if drawing.kind == "box":
        return Box(at, size=tuple(size))
    if drawing.kind == "sphere":
        return Sphere(at, radius=size[0])
    kind = Capsule if drawing.kind == "capsule" else Cylinder
    return kind(at, radius=size[0], length=size[1])
