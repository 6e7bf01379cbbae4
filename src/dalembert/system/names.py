"""Names of the entries of coordinates and rates."""

from __future__ import annotations

from ..model.joints import JOINT_KINDS
from .layout import Layout


def coordinate_names(layout: Layout) -> list[str]:
    """Return ``"joint.coordinate"`` of every coordinate."""
    names = {j.q + k: f"{j.name}.{c}" for j in layout.joints for k, c in enumerate(j.coordinates)}
    names |= {f.q + k: f"{f.name}.{c}" for f in layout.flexibles for k, c in enumerate(f.coordinates)}
    return [names[k] for k in sorted(names)]


def rate_names(layout: Layout) -> list[str]:
    """Return ``"joint.coordinate"`` of every rate; rotations of balls are called turn_x, turn_y, turn_z."""
    names: dict[int, str] = {}
    for j in layout.joints:
        record = JOINT_KINDS[j.kind]
        coordinates = (*record.drivable, *(("turn_x", "turn_y", "turn_z") if record.ball else ()))
        names |= {j.v + k: f"{j.name}.{c}" for k, c in enumerate(coordinates)}
    for f in layout.flexibles:
        names |= {f.v + k: f"{f.name}.{c}" for k, c in enumerate(f.coordinates)}
    return [names[v] for v in sorted(names)]
