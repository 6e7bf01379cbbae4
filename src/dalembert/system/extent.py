"""Extent of a model: the length that violations, scales of coordinates and moments are measured by."""

from __future__ import annotations

import numpy as np

from ..model.checked import CheckedModel

FEW = 30
"""Points whose distances are found at once."""


def length_scale(model: CheckedModel) -> float:
    """Extent of the largest body [m]: of its centre of mass and of the places of joints, constraints, forces and contacts.

    Neither axes nor origins of bodies and world matter.  Models without extent take the largest radius of gyration, or 1.
    """
    places = {i: [b.com] for i, b in enumerate(model.bodies) if i > 0 and b.mass > 0}
    ends = [(part.first, part.second) for parts in (model.joints, model.constraints, model.forces) for part in parts]
    for both in ends:
        for place in both:
            if place is not None:
                places.setdefault(place.body, []).append(place.position)
    shapes = [shape for contact in model.contacts for shape in (contact.first, contact.second)]
    for shape in [*shapes, *(shape for group in model.groups for shape in (*group.shapes, *group.against))]:
        places.setdefault(shape.place.body, []).append(shape.place.position)
    extent = max((_extent(np.array(found)) for found in places.values()), default=0.0)
    gyration = max((np.trace(b.inertia) / b.mass for b in model.bodies[1:] if b.mass > 0), default=0.0)
    return extent or float(np.sqrt(gyration)) or 1.0


def _extent(points: np.ndarray) -> float:
    """Largest distance between two of the points (n, 3), zero if that is rounding."""
    if len(points) < 2:
        return 0.0
    if len(points) <= FEW:
        distance = float(np.sqrt(np.max(np.sum((points[:, None] - points) ** 2, axis=2))))
    else:
        distance = float(np.sqrt(max(np.max(np.sum((points - point) ** 2, axis=1)) for point in points)))
    return distance if distance > 1e-12 * float(np.max(abs(points))) else 0.0
