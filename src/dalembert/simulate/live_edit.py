"""Edits of a model under way: from two models and a state to the start of the new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..model.dependents import names_in, owner_of
from ..model.loose import with_free_joints
from ..model.model import Model
from ..start.formulations import Formulation, Modular
from ..start.initial import start_at
from ..start.joining import join
from ..start.start import Start
from ..start.state import State

GROUND = "ground"


@dataclass(frozen=True)
class Differences:
    """What is new in a model: joints that stay as they are, and joints, constraints and drives that have to be joined."""

    same: frozenset[str]
    joined: frozenset[str]


def differences(old: Model, new: Model, known: set[str]) -> Differences:
    """Compare a model with the one that it was made of; `known` are bodies whose poses the state has."""
    before = {part.name: part for part in old}
    moved = {part.name for part in (*new.bodies, *new.flexible) if not _same_places(before.get(part.name), part)}
    shifted = {f"{GROUND}.{name}" for name, place in new.ground.items()
               if name in old.ground and not _equal(old.ground[name], place)}

    def stays(part: Any) -> bool:
        texts = names_in(part)
        return (part is before.get(part.name) and not texts & shifted
                and not any(text != owner_of(text) and owner_of(text) in moved for text in texts))

    same = frozenset(joint.name for joint in new.joints if stays(joint))
    joined = {joint.name for joint in new.joints if joint.name not in same and _binds(joint)
              and {owner_of(text) for text in names_in(joint)} <= known}
    joined |= {part.name for part in (*new.constraints, *new.motions) if not stays(part)}
    return Differences(same, frozenset(joined))


def _binds(joint: Any) -> bool:
    """Tell whether a joint takes any direction away."""
    return bool(joint.record.held_places or joint.record.held_turns)


def _same_places(old: Any, new: Any) -> bool:
    """Tell whether a part, known or not, has its places where they were."""
    if old is new or old is None:
        return True
    if not hasattr(new, "points") or not hasattr(new, "mass"):
        return False  # a flexible part
    points = getattr(old, "points", None)
    return isinstance(points, Mapping) and all(name in new.points and _equal(points[name], new.points[name])
                                               for name in points)


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        return bool(np.array_equal(np.asarray(a, float), np.asarray(b, float)))
    except (TypeError, ValueError):
        return False


def start_edited(old: Model, new: Model, state: State, formulation: str | Formulation) -> Start:
    """Return the start of an edited model: the state carried by name, new joints closed, their impact taken."""
    known = {*state.bodies, GROUND}
    found = differences(old, new, known)
    notes: tuple[str, ...] = ()
    fresh = [joint for joint in new.joints if joint.name not in found.same and joint.name not in found.joined
             and _binds(joint)]
    bodies = sum(part.name not in known for part in (*new.bodies, *new.flexible))
    if found.joined or len(fresh) > bodies or (bodies and asks_for_poses(formulation)):
        held = new.replaced()
        for name in found.joined:
            if name in {joint.name for joint in new.joints}:
                held = held.replaced(name, cut=True)
        joined = join(with_free_joints(held), state, found.same)
        state, notes = joined.state if found.joined else _with_new(state, joined.state), joined.notes
    begin = start_at(with_free_joints(new), state, formulation, found.same)
    return replace(begin, messages=(*notes, *begin.messages))


def asks_for_poses(formulation: str | Formulation) -> bool:
    """Tell whether a formulation takes the poses of new bodies, not the coordinates of their joints."""
    return formulation == Modular.name or isinstance(formulation, Modular)


def _with_new(old: State, new: State) -> State:
    """Return a state with what another one has besides; what was there stays as it is, to the last digit."""
    return replace(old, bodies={**new.bodies, **old.bodies}, joints={**new.joints, **old.joints},
                   elastic={**new.elastic, **old.elastic}, constants={**new.constants, **old.constants})
