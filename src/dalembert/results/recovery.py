"""Flexible bodies recovered from results: their floating frames and reduced coordinates at some frames of a run.

In the tree formulations the floating frame is a body of the run and the elastic coordinates are recorded, so that nothing is
left to find; the interfaces stand where they are recorded.  In the global formulation the interfaces are recorded, and the
frame is where the body between them does not deform in the mean, as the equations of motion have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, near_names
from ..flex.reductions import shapes_at, with_reduction
from ..model.check import check
from ..model.checked import CheckedFlexible, CheckedModel
from ..system.layout import FlexibleEntry
from . import rotation as rot
from . import tables as tab

if TYPE_CHECKING:
    from ..flex.reduced_body import ReducedBody
    from .results import Results


@dataclass(frozen=True, eq=False)
class Segment:
    """A reduced body, or one of a beam's, in its floating frame at nf frames of a run.

    Attributes
    ----------
    flexible : CheckedFlexible
        Its places, with a reduced body as source.
    origin : (3,) float
        Of the frame, in the coordinates of the body's model [m].
    position : (nf, 3) float
        Of the frame, in the world [m].
    rotation : (nf, 3, 3) float
        Axes of the frame as columns, in the world.
    coordinates : (nf, n) float
        Of the reduced body [m, rad]; stresses are linear in them.
    form : (nf, n) float
        The same with displacements and rotations of the interfaces as they are recorded: in a floating frame, places also
        move by terms of second order in the coordinates, which are no strains.
    """

    flexible: CheckedFlexible
    origin: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    coordinates: np.ndarray
    form: np.ndarray

    @property
    def reduced(self) -> ReducedBody:
        """The body."""
        out: ReducedBody = self.flexible.source
        return out


class Recovery:
    """The flexible parts of a model as they are in the results of one of its runs.

    Parameters
    ----------
    results : Results
    model : Model
        That of the run.
    """

    def __init__(self, results: Results, model: Any):
        self.model: CheckedModel = check(model)
        self._layout = results.layout
        self._row_of = {name: row for row, name in enumerate(results.layout.bodies)}
        self._entries = {entry.name: entry for entry in results.layout.flexibles}
        self._body, self._q = results.array("body"), results.array("q")

    def at(self, frames: Sequence[int]) -> Recovery:
        """Return the same at some of the frames."""
        some = copy(self)
        some._body, some._q = self._body[frames], self._q[frames]
        return some

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of all flexible parts."""
        return tuple(dict.fromkeys(flexible.part for flexible in self.model.flexibles))

    def flexibles(self, part: str) -> list[CheckedFlexible]:
        """Return the bodies of a part, with reduced bodies as sources."""
        found = [with_reduction(f) for f in self.model.flexibles if f.part == part]
        if not found:
            raise ModelError(f"no flexible body {part!r}.{near_names(part, self.parts)}")
        return found

    def places(self, part: str) -> dict[str, int]:
        """Return the places of a part, also by their other names: name -> row of `CheckedModel.bodies`."""
        rows = {row for f in self.model.flexibles if f.part == part for row in (*f.faces.values(), *f.points.values())}
        texts = {text: row for row in sorted(rows) for body in [self.model.bodies[row]]
                 for text in (body.name, *(place.text for place in body.points.values()))}
        return {text[len(part) + 1:]: row for text, row in texts.items() if text != part}

    def pose(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return position (nf, 3) [m] and axes (nf, 3, 3), in the world, of a body of the model."""
        return self.named_pose(self.model.bodies[row].name)

    def named_pose(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for a body by its name."""
        if name not in self._row_of:
            raise ModelError(f"the results of {self._layout.model!r} have no body {name!r}, but the model has; expected the "
                             f"model of the run.{near_names(name, self._row_of)}")
        own = self._body[:, self._row_of[name]]
        return own[:, tab.POSITION], rot.matrices(own[:, tab.ORIENTATION])

    def segment(self, flexible: CheckedFlexible) -> Segment:
        """Return a body with a finite-element model in its frame."""
        entry = self._entries.get(flexible.name)
        if entry is not None and entry.body >= 0:
            return self._in_tree(flexible, entry)
        return self._between_faces(flexible, entry)

    def _in_tree(self, flexible: CheckedFlexible, entry: FlexibleEntry) -> Segment:
        """Return a body whose floating frame is a body of the run."""
        from ..flex.interface_frame import interface_coordinates

        floating = shapes_at(flexible, self._entered(flexible, entry))
        position, rotation = self.named_pose(self._layout.bodies[entry.body])
        assert floating.coordinates is not None  # the source has interfaces
        coordinates = self._modal(flexible, entry, floating.n) @ floating.coordinates.T
        faces = interface_coordinates(flexible.source, floating.origin, *self._interfaces(flexible), position, rotation)
        return Segment(flexible, floating.origin, position, rotation, coordinates,
                       np.hstack([faces, coordinates[:, faces.shape[1]:]]))

    def _entered(self, flexible: CheckedFlexible, entry: FlexibleEntry) -> str | None:
        """Return the place by which the tree entered the body; None if its frame is attached to the ground."""
        carrier = next(j for j in self._layout.joints if j.hidden and j.body == entry.body)
        places = {**flexible.faces, **flexible.points}
        return next((name for name, row in places.items() if self.model.bodies[row].name == carrier.first), None)

    def _between_faces(self, flexible: CheckedFlexible, entry: FlexibleEntry | None) -> Segment:
        """Return a body between the recorded poses of its interfaces."""
        from ..flex.interface_frame import interface_frame

        reduced = flexible.source
        modes = None if entry is None else self._modal(flexible, entry, reduced.n_modes)
        found = interface_frame(reduced, *self._interfaces(flexible), modes, flexible.frame)
        return Segment(flexible, found.origin, found.position, found.rotation, found.coordinates, found.coordinates)

    def _interfaces(self, flexible: CheckedFlexible) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (nf, n_interface, 3) and axes (nf, n_interface, 3, 3) of a body's interfaces."""
        poses = [self.pose(flexible.faces[name]) for name in flexible.source.interfaces]
        return np.stack([r for r, _ in poses], axis=1), np.stack([axes for _, axes in poses], axis=1)

    def _modal(self, flexible: CheckedFlexible, entry: FlexibleEntry, expected: int) -> np.ndarray:
        """Return the recorded elastic coordinates (nf, n)."""
        if entry.n != expected:
            raise ModelError(f"flexible body {flexible.name!r}: the results have {entry.n} elastic coordinates, the model "
                             f"{expected}; expected the model of the run")
        return self._q[:, entry.q:entry.q + entry.n]
