"""Where joints, constraints, forces and contacts act on each body of a run."""

from __future__ import annotations

import numpy as np

from ..model.joints import JOINT_KINDS
from ..system.layout import Layout, PointEntry
from . import rotation as rot
from .places import origin_of


def place_of(layout: Layout, text: str) -> PointEntry | None:
    """Return the place that a text means, None if it means a joint or nothing."""
    if text in layout.bodies:
        return origin_of(text, layout.bodies.index(text))
    face = next((face for face in layout.faces if face.name == text), None)
    return origin_of(text, face.body) if face else next((point for point in layout.points if point.name == text), None)


def holds(kind: str) -> bool:
    """Tell whether a kind of joint holds anything at all."""
    return bool(JOINT_KINDS[kind].held_places or JOINT_KINDS[kind].held_turns)


def attachments(layout: Layout) -> list[tuple[str, ...]]:
    """Return the texts that joints, constraints, forces and contacts name."""
    return [*((joint.first, joint.second) for joint in layout.joints if not joint.hidden and holds(joint.kind)),
            *((cut.first, cut.second) for cut in layout.cuts), *(constraint.on for constraint in layout.constraints),
            *(force.on for force in layout.forces), *((contact.first, contact.second) for contact in layout.contacts)]


def body_places(layout: Layout) -> dict[int, np.ndarray]:
    """Return where something acts on each body, and its named points: row -> (n, 3) in the body's axes [m]."""
    found: dict[int, list[tuple[float, ...]]] = {}
    named = [place_of(layout, text) for texts in attachments(layout) for text in texts]
    for place in (*named, *layout.points):
        if place is not None and place.body not in layout.hidden:
            found.setdefault(place.body, []).append(place.position)
    return {row: np.unique(np.array(points, float), axis=0) for row, points in found.items()}


def travelled(body: np.ndarray, row: int, points: np.ndarray) -> np.ndarray:
    """Return points (n, 3) of a body in the world over time, (nf, n, 3), from the table `body` (nf, nb, ...)."""
    turns = rot.matrices(body[:, row, 3:7])
    out: np.ndarray = body[:, row, None, :3] + points @ np.swapaxes(turns, 1, 2)
    return out
