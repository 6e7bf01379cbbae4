"""Surfaces of the drawings of bodies and of the shapes of contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import FormatError
from ..formats.mesh import load_mesh
from ..model.checked import CheckedShape
from ..model.geometry import SIZES, Drawing
from ..model.text_write import type_name
from ..model.values import Faults, rotation, row, vector
from .surfaces import Surface, box, capsule, cylinder, ellipsoid, frame_along, sphere, thinned


def drawn(drawing: Drawing) -> Surface:
    """Return the surface of a drawing in its body's axes; FormatError if its mesh cannot be read."""
    faults = Faults()
    size = np.asarray(row(faults, "size", drawing.size, (SIZES[drawing.kind],), ("m",), ""), float)
    place = np.asarray(vector(faults, "position", drawing.position, "m"))
    axes = np.eye(3) if drawing.rotation is None else np.asarray(rotation(faults, "rotation", drawing.rotation))
    if drawing.kind == "mesh":
        return thinned(_read(drawing.file, size)).placed(place, axes)
    made = {"box": lambda: box(size), "sphere": lambda: sphere(size[0]), "capsule": lambda: capsule(*size),
            "cylinder": lambda: cylinder(*size), "ellipsoid": lambda: ellipsoid(size)}
    return made[drawing.kind]().placed(place, axes)


def _read(file: str, scale: np.ndarray) -> Surface:
    mesh = load_mesh(file)
    faces = np.asarray(mesh.faces, int)
    return Surface(np.asarray(mesh.vertices, float) * scale, faces[:, ::-1] if np.prod(scale) < 0.0 else faces)


def touching(shape: CheckedShape, said: Any) -> Surface | None:
    """Return the surface of a shape of a contact in its body's axes; `said` is what the user wrote.  Planes have none."""
    made = {
        "sphere": lambda: sphere(shape.radius),
        "capsule": lambda: capsule(shape.radius, shape.length),
        "cylinder": lambda: cylinder(shape.radius, shape.length),
        "box": lambda: box(shape.size),
        "mesh": lambda: Surface(np.asarray(shape.vertices), np.asarray(said.faces, int)),
    }
    kind = type_name(type(said))
    if kind not in made:
        return None
    along = frame_along(shape.direction) if shape.length > 0.0 else np.eye(3)
    return made[kind]().placed(shape.place.position, shape.place.rotation @ along)


def is_plane(said: Any) -> bool:
    """Tell whether what the user wrote as a shape of a contact is a plane."""
    return type_name(type(said)) == "plane"


def why_not(drawing: Drawing, error: FormatError) -> str:
    """Say that a mesh is missing in a picture."""
    return f"{drawing.file}: not drawn: {error}"
