"""Flexible bodies in the graph: what is between the faces of a flexible body, for each family of formulations.

FLOATING (tree formulations): a body F, the floating frame, and a hidden joint from it to each face.  The tree enters F by
one of its faces; by default the frame is tangent there and that joint welds F to the face, all others are elastic and
carry their faces.  A frame that no face stands still in (chord, mean axes, a tangent frame elsewhere) is carried by a
hidden free joint from the ground, all faces are attached to it, and the user's joints close loops; beams made of several such
bodies are welded at stand-ins.
RIGID: the same with welds in place of elastic joints, the body as it is undeformed.
FACES (global formulation): the faces alone, those without a joint of their own on hidden free joints from the ground;
places that are no interfaces are welded to the first face, results are given for where the deformed body has them.
What a body is reduced to comes from flex/reductions.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..codes import JointCode
from ..flex.reductions import floating_at, place_of, stands_still, with_reductions
from ..model.checked import CheckedBody, CheckedFlexible, CheckedJoint, CheckedModel, Place
from ..model.joints import JOINT_RECORDS
from ..model.values import EYE3, UNIT_X, UNIT_Z, ZERO3, frozen

FLOATING, RIGID, FACES = "floating", "rigid", "faces"
NO_INERTIA = frozen(np.zeros((3, 3)))

Reach = Callable[[CheckedModel], dict[int, int]]
"""Grows a tree from the ground: body -> carrying joint."""


def lower(model: CheckedModel, reach: Reach, kind: str = FLOATING) -> tuple[CheckedModel, dict[int, int]]:
    """Return a model without flexible bodies but with their frames, faces and hidden joints, and its tree.

    Parameters
    ----------
    model : CheckedModel
    reach : callable
        Grows the tree of a model: body -> carrying joint.  It follows hidden joints before all others, but those that
        join a face to the ground last.
    kind : {FLOATING, RIGID, FACES}

    Returns
    -------
    model : CheckedModel
        Its `flexibles` have reduced bodies as sources; CheckedBody.floating is set on floating frames.
    carrier : dict of int to int
    """
    model = with_reductions(model)
    return _lower_faces(model, reach) if kind == FACES else _lower_frames(model, reach, kind)


def _hidden(name: str, code: JointCode, first: Place, second: Place) -> CheckedJoint:
    return CheckedJoint(name, code, first, second, UNIT_Z, UNIT_X, 0.0, None, None, False, JOINT_RECORDS[code].coordinates,
                        hidden=True)


def _origin(row: int, text: str) -> Place:
    return Place(row, ZERO3, EYE3, text)


# --- faces alone ---------------------------------------------------------------------------------------------------

def _lower_faces(model: CheckedModel, reach: Reach) -> tuple[CheckedModel, dict[int, int]]:
    joints, names = list(model.joints), [b.name for b in model.bodies]
    for flexible in model.flexibles:
        first = next(iter(flexible.faces))
        base = flexible.source.places[first]
        for name, row in flexible.points.items():
            place = place_of(flexible, name)
            seat = Place(flexible.faces[first], frozen(base.orientation.T @ (place.position - base.position)),
                         frozen(base.orientation.T @ place.orientation), names[row])
            joints.append(_hidden(f"{names[row]} (recovered)", JointCode.FIXED, seat, _origin(row, names[row])))
    faces = {row for flexible in model.flexibles for row in flexible.faces.values()}
    free = range(len(joints), len(joints) + len(faces))
    joints += [_hidden(f"{names[row]} (free)", JointCode.FREE, _origin(0, "ground"), _origin(row, names[row]))
               for row in sorted(faces)]
    carrier = reach(replace(model, joints=tuple(joints)))
    return _without(replace(model, joints=tuple(joints)), carrier, [k for k in free if k not in set(carrier.values())])


def _without(model: CheckedModel, carrier: dict[int, int], unused: list[int]) -> tuple[CheckedModel, dict[int, int]]:
    """Drop joints at the end of the list that carry nothing."""
    gone = set(unused)
    kept = [k for k in range(len(model.joints)) if k not in gone]
    new = {k: i for i, k in enumerate(kept)}
    return (replace(model, joints=tuple(model.joints[k] for k in kept)), {body: new[k] for body, k in carrier.items()})


# --- floating frames -----------------------------------------------------------------------------------------------

def _lower_frames(model: CheckedModel, reach: Reach, kind: str) -> tuple[CheckedModel, dict[int, int]]:
    """Hang frames into the tree; those that no entered face stands still in are hung on the ground, and again."""
    hung: set[int] = set()
    while True:
        hanged, frame_row, links = _hang(model, hung)
        carrier = reach(hanged)
        entered = {i: _entered(links, carrier.get(row)) for i, row in frame_row.items() if i not in hung}
        wrong = {i for i, face in entered.items() if face is not None and not _fits(model.flexibles[i], face, kind)}
        if not wrong:
            break
        hung |= wrong
    floating = [floating_at(flexible, entered.get(i)) for i, flexible in enumerate(model.flexibles)]
    bodies, joints = list(hanged.bodies), list(hanged.joints)
    for i, flexible in enumerate(model.flexibles):
        bodies[frame_row[i]] = _frame_body(flexible, floating[i], kind)
    for k, (i, face) in links.items():
        if face not in floating[i].places:  # the place of the frame itself
            joints[k] = replace(joints[k], code=JointCode.FIXED)
            continue
        joints[k] = _settled(joints[k], face, floating[i].places[face], entered.get(i) == face, kind)
    return replace(hanged, bodies=tuple(bodies), joints=tuple(joints)), carrier


def _places(flexible: CheckedFlexible) -> dict[str, int]:
    return {**flexible.faces, **flexible.points}


Links = dict[int, tuple[int, str]]
"""Hidden joint -> flexible body and its place."""


def _hang(model: CheckedModel, hung: set[int]) -> tuple[CheckedModel, dict[int, int], Links]:
    """Add a row and hidden joints for every floating frame; returns also flexible -> row, and the joints' places.

    A frame that is attached to the ground carries stand-ins of the faces it shares with others, each welded to the face.
    """
    bodies, joints, frame_row, links = list(model.bodies), list(model.joints), {}, {}
    names = [b.name for b in bodies]
    shared = Counter(row for flexible in model.flexibles for row in _places(flexible).values())
    for i, flexible in enumerate(model.flexibles):
        row = frame_row[i] = len(bodies)
        name = f"{flexible.name} (frame)"
        bodies.append(CheckedBody(name, 0.0, ZERO3, NO_INERTIA, {}, hidden=True))
        if i in hung:
            joints.append(_hidden(f"{name} (free)", JointCode.FREE, _origin(0, "ground"), _origin(row, name)))
        for place, face in _places(flexible).items():
            text, tip = f"{flexible.name}: {names[face]}", _origin(face, names[face])
            if i in hung and shared[face] > 1:
                stand_in = _origin(len(bodies), text)
                bodies.append(CheckedBody(text, 0.0, ZERO3, NO_INERTIA, {}, face=True, hidden=True))
                joints.append(_hidden(f"{text} (weld)", JointCode.FIXED, stand_in, tip))
                tip = stand_in
            links[len(joints)] = i, place
            joints.append(_hidden(text, JointCode.ELASTIC, _origin(row, name), tip))
    return replace(model, bodies=tuple(bodies), joints=tuple(joints)), frame_row, links


def _entered(links: Links, joint: int | None) -> str | None:
    """Return the place by which the tree enters a body; None if it is not reached."""
    return None if joint is None else links[joint][1]


def _fits(flexible: CheckedFlexible, face: str, kind: str) -> bool:
    """Tell whether a body may be entered by a face: its frame must be tangent there."""
    return kind == RIGID or stands_still(flexible, face)


def _frame_body(flexible: CheckedFlexible, floating: Any, kind: str) -> CheckedBody:
    """Return the row of a floating frame: mass, centre and inertia are those of the undeformed body."""
    constants = floating.constants
    centre = constants.centre
    return CheckedBody(f"{flexible.name} (frame)", float(constants.mass), frozen(centre),
                       frozen(constants.shifted(centre).inertia), {}, floating=None if kind == RIGID else floating,
                       hidden=True)


def _settled(joint: CheckedJoint, name: str, place: Any, entered: bool, kind: str) -> CheckedJoint:
    """Return a hidden joint between the place in the frame's axes and its face.

    The one entered welds the frame to the face; its attachment on the frame is the frame's own origin and axes.
    """
    if entered:
        back = place.orientation.T
        seat = replace(joint.second, position=frozen(-back @ place.position), rotation=frozen(back))
        return replace(joint, code=JointCode.FIXED, first=seat, second=joint.first)
    seat = replace(joint.first, position=frozen(place.position), rotation=frozen(place.orientation))
    return replace(joint, code=JointCode.FIXED if kind == RIGID else JointCode.ELASTIC, first=seat, place=name)
