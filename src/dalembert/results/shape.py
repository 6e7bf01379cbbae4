"""Deformed shapes of flexible parts, from the results of a run.

The undeformed part is laid on one of its places or on the chord between two; displacements are given, and exaggerated,
from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError, near_names
from ..flex.reductions import place_of
from ..model.checked import CheckedFlexible
from ..model.flexible_parts import Interfaced
from .recovery import Recovery
from .stress import missing_stress_of, node_stress

if TYPE_CHECKING:
    from ..flex.reduced_body import ReducedBody

SHORTEST_CHORD = 1e-9
"""Chords shorter than this part of the distance of their undeformed ends have no direction."""

Reference = str | Sequence[str] | None
"""A place of a part, or two of them."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A flexible part at an instant.

    Attributes
    ----------
    name : str
        Of the part.
    nodes : (n, 3) float
        Positions of the nodes of its finite elements, in the world, displacements exaggerated [m].  A part that is known by
        Standard Input Data alone has its places as nodes.
    undeformed : (n, 3) float
        Where the nodes would be in the undeformed part [m].
    displacement : (n, 3) float
        From there to the true positions, world axes [m].
    axes : (n, 3, 3) float
        Axes of the sections of a beam as columns, in the world; of solids and plates those of the floating frame.
    cells : tuple of (m, k) int
        Node numbers of lines (k = 2), and of triangles and quadrilaterals of the surface.
    stress : (n,) float or None
        Von Mises stress, or largest axial stress of a beam's section [Pa]; None if it is not known.
    without_stress : str
        Why, and the remedy.
    """

    name: str
    nodes: np.ndarray
    undeformed: np.ndarray
    displacement: np.ndarray
    axes: np.ndarray
    cells: tuple[np.ndarray, ...]
    stress: np.ndarray | None
    without_stress: str = ""


def shapes_of(recovery: Recovery, part: str, exaggeration: float = 1.0, reference: Reference = None) -> list[Shape]:
    """Return a part at all frames of a recovery; see `Results.shape`."""
    found = [_drawn(recovery, flexible) for flexible in recovery.flexibles(part)]
    position, rotation = _reference_pose(recovery, part, reference)
    cells: dict[int, list[np.ndarray]] = {}
    first = 0
    for body in found:
        for corners in body.cells:
            cells.setdefault(corners.shape[1], []).append(corners + first)
        first += len(body.places)
    joined = tuple(np.vstack(parts) for parts in cells.values())
    nodes, axes = (np.concatenate([getattr(body, key) for body in found], axis=1) for key in ("nodes", "axes"))
    undeformed = position[:, None] + np.vstack([body.places for body in found]) @ np.swapaxes(rotation, 1, 2)
    missing = next((body.missing for body in found if body.missing), "")
    stress = None if missing else np.concatenate([body.stress for body in found], axis=1)
    moved = nodes - undeformed
    return [Shape(part, undeformed[f] + exaggeration * moved[f], undeformed[f], moved[f], axes[f], joined,
                  None if stress is None else stress[f], missing) for f in range(len(nodes))]


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A body at all frames: nodes (nf, n, 3), axes (nf, n, 3, 3), undeformed nodes in the part (n, 3), stress (nf, n)."""

    nodes: np.ndarray
    axes: np.ndarray
    places: np.ndarray
    cells: tuple[np.ndarray, ...]
    stress: np.ndarray | None
    missing: str


def _drawn(recovery: Recovery, flexible: CheckedFlexible) -> _Drawn:
    if not isinstance(flexible.source, Interfaced):
        return _drawn_places(recovery, flexible)
    from scipy.spatial.transform import Rotation

    from ..flex.mode_picture import node_fields

    segment = recovery.segment(flexible)
    reduced, frames = segment.reduced, len(segment.position)
    u, theta = node_fields(reduced.model, segment.form @ reduced.basis.T)
    turned = np.swapaxes(segment.rotation, 1, 2)
    nodes = segment.position[:, None] + (reduced.model.nodes - segment.origin + u) @ turned
    local = Rotation.from_rotvec(theta.reshape(-1, 3)).as_matrix().reshape(frames, -1, 3, 3)
    missing = missing_stress_of(flexible)
    return _Drawn(nodes, segment.rotation[:, None] @ local, _in_part(recovery, flexible, reduced.model.nodes),
                  _cells(reduced), None if missing else node_stress(segment), missing)


def _drawn_places(recovery: Recovery, flexible: CheckedFlexible) -> _Drawn:
    """Return a body known by its constants: its places are its nodes."""
    rows = [*flexible.faces.values(), *flexible.points.values()]
    poses = [recovery.pose(row) for row in rows]
    return _Drawn(np.stack([r for r, _ in poses], axis=1), np.stack([a for _, a in poses], axis=1),
                  np.array([recovery.model.bodies[row].offset for row in rows]), (), None,
                  missing_stress_of(flexible))


def _in_part(recovery: Recovery, flexible: CheckedFlexible, points: np.ndarray) -> np.ndarray:
    """Return points (n, 3) of a body's model in the axes of the undeformed part, from its first place [m].

    A body of any shape begins with the part's first place, and segments of a beam have the beam's axes.
    """
    name, row = next(iter(flexible.faces.items()))
    place = flexible.source.places[name]
    out: np.ndarray = _offset(recovery, row) + (points - place.position) @ place.orientation
    return out


@lru_cache(maxsize=64)
def _cells(reduced: ReducedBody) -> tuple[np.ndarray, ...]:
    from ..flex.surface import surface_cells

    return surface_cells(reduced.model)


# --- where the undeformed part lies --------------------------------------------------------------------------------

def _reference_pose(recovery: Recovery, part: str, reference: Reference) -> tuple[np.ndarray, np.ndarray]:
    """Return position (nf, 3) and axes (nf, 3, 3) of the undeformed part's first place."""
    places = recovery.places(part)
    wanted = [next(iter(places))] if reference is None else [reference] if isinstance(reference, str) else list(reference)
    for name in wanted:
        if name not in places:
            raise ModelError(f"reference: {part!r} has no place {name!r}.{near_names(name, places)}")
    if not 1 <= len(wanted) <= 2 or len(set(wanted)) < len(wanted):
        raise ModelError(f"reference: found {wanted}, expected a place of {part!r} or two for the chord between them")
    row = places[wanted[0]]
    position, axes = recovery.pose(row)
    rotation = axes @ _undeformed_axes(recovery, part, row).T
    offset = _offset(recovery, row)
    if len(wanted) == 2:
        far = places[wanted[1]]
        rotation = _onto(recovery.pose(far)[0] - position, rotation, _offset(recovery, far) - offset, wanted)
    return position - rotation @ offset, rotation


def _offset(recovery: Recovery, row: int) -> np.ndarray:
    """Return where a place lies in the axes of the undeformed part's first place [m]."""
    offset = recovery.model.bodies[row].offset
    assert offset is not None  # only faces of flexible parts are asked for
    return offset


def _undeformed_axes(recovery: Recovery, part: str, row: int) -> np.ndarray:
    """Return the axes of a place in those of the undeformed part's first place."""
    flexible = recovery.flexibles(part)[0]
    names = {own: name for name, own in {**flexible.faces, **flexible.points}.items()}
    if row not in names:  # another segment of a beam
        return np.eye(3)
    first = place_of(flexible, names[recovery.model.bodies[row].base])
    out: np.ndarray = first.orientation.T @ place_of(flexible, names[row]).orientation
    return out


def _onto(chord: np.ndarray, rotation: np.ndarray, undeformed: np.ndarray, names: list[str]) -> np.ndarray:
    """Return rotations (nf, 3, 3) turned the shortest way so that the undeformed direction lies on the chord (nf, 3)."""
    from scipy.spatial.transform import Rotation

    length = np.linalg.norm(chord, axis=1)
    if not (length > SHORTEST_CHORD * np.linalg.norm(undeformed)).all():
        raise ModelError(f"reference: the places {' and '.join(map(repr, names))} coincide, expected a chord between them; "
                         "take one place")
    was = rotation @ (undeformed / np.linalg.norm(undeformed))
    now = chord / length[:, None]
    axis = np.cross(was, now)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, np.einsum("fa,fa->f", was, now))
    out: np.ndarray = Rotation.from_rotvec(axis * (angle / np.where(sine > 0, sine, 1.0))[:, None]).as_matrix() @ rotation
    return out
