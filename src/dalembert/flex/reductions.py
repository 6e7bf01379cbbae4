"""What flexible bodies are reduced to on request, each once: reduced bodies, floating frames, superelements.

A beam's segment is reduced once for all equal ones, as long as one of them is in use.  What is made of a reduced body is kept
with it and goes with it.  This module is light; what reduces is loaded when a flexible body asks for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from ..model.checked import BeamSegment, CheckedFlexible, CheckedModel
from ..model.flexible_parts import OWN_FRAME, Interfaced

if TYPE_CHECKING:
    from .body_point import BodyPoint
    from .floating import FloatingBody
    from .reduced_body import ReducedBody
    from .superelement import Superelement

STILL = 1e-12
"""A place stands still in a frame if its unit motions are below this."""
MOST_KEPT = 256
"""Segments reduced last that are kept for the next run, besides those in use."""

_of_segment: WeakValueDictionary[BeamSegment, ReducedBody] = WeakValueDictionary()
_lately: deque[ReducedBody] = deque(maxlen=MOST_KEPT)


def with_reductions(model: CheckedModel) -> CheckedModel:
    """Return the model with reduced bodies as sources of all flexible bodies; itself if it has them already."""
    if not any(isinstance(flexible.source, BeamSegment) for flexible in model.flexibles):
        return model
    return replace(model, flexibles=tuple(with_reduction(flexible) for flexible in model.flexibles))


def with_reduction(flexible: CheckedFlexible) -> CheckedFlexible:
    """Return a flexible body with a reduced body as source."""
    return replace(flexible, source=_reduced(flexible.source)) if isinstance(flexible.source, BeamSegment) else flexible


def _reduced(segment: BeamSegment) -> ReducedBody:
    """Return the reduced body of a segment, one for equal segments."""
    from .beam_superelement import reduced_beam

    found = _of_segment.get(segment)
    if found is None:
        found = reduced_beam(length=segment.length, section=segment.section, material=segment.material, theory=segment.theory,
                             rotary_inertia=segment.rotary_inertia, modes=segment.modes, points=dict(segment.points))
        _of_segment[segment] = found
        _lately.append(found)
    return found


def floating_at(flexible: CheckedFlexible, face: str | None) -> FloatingBody:
    """Return a body, whose source is reduced, in the frame asked for, or tangent at the face by which it is entered.

    One for equal requests.
    """
    source = flexible.source
    if not has_interfaces(flexible):  # constants alone, in the frame that they were made for
        out: FloatingBody = source.floating(None, stiffening=None)
        return out
    frame = _frame(flexible, face)
    out = _kept(source, ("floating", frame, flexible.stiffening),
                              lambda: source.floating(frame, stiffening=flexible.stiffening))
    return out


def shapes_at(flexible: CheckedFlexible, face: str | None) -> FloatingBody:
    """Return the same for its shapes alone, which stiffening does not change: one that was made before will do."""
    if not has_interfaces(flexible):
        return floating_at(flexible, face)
    wanted = ("floating", _frame(flexible, face))
    found = next((made for request, made in flexible.source.requested.items() if request[:2] == wanted), None)
    return floating_at(replace(flexible, stiffening=False), face) if found is None else found


def _frame(flexible: CheckedFlexible, face: str | None) -> Any:
    return flexible.frame if flexible.frame is not None else face if face in flexible.faces else None


def superelement_of(source: ReducedBody, frame: Any = None) -> Superelement:
    """Return the constants of a reduced body for absolute interface coordinates, in a frame or in that of the formulation.

    One for equal requests.
    """
    from .beam_superelement import is_segment, segment_superelement
    from .superelement import superelement

    out: Superelement = _kept(source, ("superelement", frame), lambda: segment_superelement(source, frame)
                              if is_segment(source) else superelement(source, frame))
    return out


def _kept(source: ReducedBody, request: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """Return what was made of a body for a request before, or make it."""
    known = source.requested
    if request not in known:
        known[request] = make()
    return known[request]


def has_interfaces(flexible: CheckedFlexible) -> bool:
    """Tell whether a body has interfaces, reduced or about to be; one of Standard Input Data has a single floating frame."""
    return isinstance(flexible.source, BeamSegment) or isinstance(flexible.source, Interfaced)


def place_of(flexible: CheckedFlexible, name: str) -> BodyPoint:
    """Return an undeformed place of a body, in the coordinates of its model; its own frame is one if it was chosen."""
    place: BodyPoint = flexible.source.places.get(name)
    return flexible.source.frame_place(flexible.frame) if place is None and name == OWN_FRAME else place


def stands_still(flexible: CheckedFlexible, face: str) -> bool:
    """Tell whether the frame of a body that is entered by a face is tangent there."""
    return bool(np.max(abs(floating_at(flexible, face).places[face].motion), initial=0.0) <= STILL)
