"""The frame of a reduced body: where it sits, and the six conditions Phi q = 0 that hold it there.

| choice | conditions |
|---|---|
| an interface, a named point, a set of nodes | its mean motion is zero: the frame is tangent to the body there |
| a pair of interfaces | the first is at rest, the second moves along the chord alone, no twist at the first |
| ``"mean-axis"`` | the deformation has no momentum (Buckens) |

Phi is normalised by the rigid motions P about the frame's origin, Phi P = 1, so that the frame follows a rigid motion of the
body exactly.  The nodes of a solid do not turn; the rotation of a point of it, or of a set of nodes, is that of the rigid
motion nearest to theirs (RBE3, interfaces.py), for a single node to that of its neighbours.

Seeds: [ELL §4] the floating frame at a material point.  Deviations: sets of nodes for solids; chord and mean axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, near_names
from ..model.flexible_parts import MEAN_AXIS
from ..model.values import shown
from .body_point import BodyPoint, node_place

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

SHORTEST_CHORD = 1e-9
"""Chords shorter than this part of the body have no direction."""
FOLLOWS = 1e-8
"""What rounding may leave of Phi P - 1, lengths in body sizes."""


@dataclass(frozen=True, eq=False)
class BodyFrame:
    """A frame of a body with n coordinates.

    Attributes
    ----------
    words : str
        What holds it.
    origin : (3,) float
        In the coordinates of the body's model [m]; its axes are the model's.
    motion : (6, n) float
        Phi: displacement and rotation of the frame by the coordinates.
    held : str
        The interface that it is tangent to, or begins at, or the first one.
    """

    words: str
    origin: np.ndarray
    motion: np.ndarray
    held: str


def body_frame(reduced: ReducedBody, frame: Any) -> BodyFrame:
    """Return the frame of a body by its choice.

    Parameters
    ----------
    reduced : ReducedBody
    frame : str or pair of str
        An interface, a named point, a set of nodes of the model or one of its faces (``"+x"``); two interfaces for the chord;
        or ``"mean-axis"``.

    Raises
    ------
    ModelError
        There is no such place, or it determines no frame.
    """
    if isinstance(frame, str) and frame == MEAN_AXIS:
        conditions = reduced.rigid_modes(reduced.com).T @ reduced.mass_matrix
        return _normalised(reduced, "mean axes", reduced.com, conditions, reduced.interfaces[0])
    if isinstance(frame, str):
        place = _place(reduced, frame)
        held = frame if frame in reduced.interfaces else reduced.interfaces[0]
        return _normalised(reduced, f"tangent at {frame}", place.position, place.motion, held)
    if isinstance(frame, Sequence) and len(frame) == 2 and all(name in reduced.interfaces for name in frame) \
            and frame[0] != frame[1]:
        return _chord(reduced, *frame)
    raise ModelError(f"frame: found {shown(frame)}, expected {_choices(reduced)}")


def _choices(reduced: ReducedBody) -> str:
    others = [*reduced.points, *reduced.model.sets]
    return (f"an interface ({', '.join(reduced.interfaces)}), a point or set of nodes ({', '.join(others) or 'it has none'}), "
            f"two interfaces for the chord, or {MEAN_AXIS!r}")


def _place(reduced: ReducedBody, name: str) -> BodyPoint:
    """Return an interface, a named point, or the mean motion of a set of nodes."""
    if name in reduced.places:
        return reduced.places[name]
    try:
        nodes = reduced.model.node_set(name, "frame")
    except ModelError:
        raise ModelError(f"frame: found {shown(name)}, expected {_choices(reduced)}."
                         + near_names(name, [*reduced.places, *reduced.model.sets])) from None
    return node_place(reduced.model, nodes, reduced.basis)


def _chord(reduced: ReducedBody, first: str, second: str) -> BodyFrame:
    """Conditions of a chord: its first end at rest, its second moving along it, no twist at the first."""
    a, b = reduced.places[first], reduced.places[second]
    chord = b.position - a.position
    length = np.linalg.norm(chord)
    if length <= SHORTEST_CHORD * reduced.model.size:
        raise ModelError(f"frame: interfaces {first!r} and {second!r} coincide, expected a chord between them; take a "
                         "tangent frame")
    direction = chord / length
    across = np.linalg.svd(direction[None])[2][1:]
    conditions = np.vstack([a.displacement, across @ b.displacement / length, direction @ a.rotation])
    return _normalised(reduced, f"chord from {first} to {second}", a.position, conditions, first)


def _normalised(reduced: ReducedBody, words: str, origin: np.ndarray, conditions: np.ndarray, held: str) -> BodyFrame:
    """Return the frame of six conditions (6, n); it follows rigid motions, or is refused."""
    rigid = reduced.rigid_modes(origin)
    rigid[~reduced.active] = 0.0
    motion = np.linalg.pinv(conditions @ rigid) @ conditions
    moving = [0, 1, 5] if reduced.model.is_planar else list(range(6))
    scale = np.repeat([1.0, reduced.model.size], 3)[moving]
    rest = (motion @ rigid)[np.ix_(moving, moving)] * np.outer(scale, 1 / scale) - np.eye(len(moving))
    if np.abs(rest).max() > FOLLOWS:
        raise ModelError(f"frame: {words} does not follow the body when that turns, it determines fewer than {len(moving)} "
                         "coordinates of a frame; take nodes that span an area, or an interface")
    return BodyFrame(words, origin, motion, held)
