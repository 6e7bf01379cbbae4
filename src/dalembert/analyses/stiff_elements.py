"""Stiff springs and bushings replaced by joints, the limit of [ARN (4)] for ever stiffer potentials.

With stiff forces -grad U/eps² the smooth motions stay within O(eps²) of those that are held where U is least: a spring at its
free length, a bushing with its frames together, a joint spring at rest.  eps is the ratio of slow and fast frequencies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import Fault, ModelError
from ..model.constraints import Distance, PointOnLine, PointOnPlane
from ..model.model import Model
from ..model.parts import (
    Bushing,
    Cylindrical,
    Fixed,
    Joint,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)
from ..model.records import Number

SOFT = 1e-3
"""A direction of a bushing below this fraction of its stiffest one of the same kind stays elastic."""
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def elastic_elements(model: Model) -> list[str]:
    """Names of springs and bushings that have a stiffness and a rigid limit."""
    return [part.name for part in model.forces if part.record.rigid and any(np.any(x) for x in _stiffness(part))]


def _stiffness(part: Any) -> list[Any]:
    """Values of the fields of an element that are stiffnesses."""
    return [getattr(part, f.name) for f in part.record.fields if isinstance(f, Number) and f.name.endswith("stiffness")]


def made_rigid(model: Model, name: str) -> Model:
    """Return a copy of the model in which a joint or constraint of the same name replaces a spring or bushing.

    Its damping, and a tension or effort that was added to it, go with it: the joint carries them.  What a bushing leaves soft
    stays, as ``"<name> (soft)"``.  A free joint between the same bodies, which holds nothing, goes if a joint takes its place.
    """
    part = model[name]
    if part.record.rigid == "coordinate":
        return model.without(name).add(Motion(name, part.joint, position=part.rest, coordinate=part.coordinate))
    if part.record.rigid == "length":
        rod = (Distance(name, part.first, part.second, length=part.length) if part.length > 0 else
               Spherical(name, part.first, part.second))
        return model.without(name).add(rod)
    held, rest = _holding(part)
    carries = isinstance(held, Joint)
    return model.without(name, *(_idle(model, part) if carries else ())).add(held, *([rest] if rest else []))


def _holding(part: Bushing) -> tuple[Joint | PointOnLine | PointOnPlane, Bushing | None]:
    """Joint or constraint that holds the stiff directions of a bushing, and a bushing for the others, or None."""
    stiffness, damping, turning, turning_damping = (
        np.broadcast_to(np.asarray(values, float), 3).copy()
        for values in (part.stiffness, part.damping, part.turning_stiffness, part.turning_damping))
    places, turns = (values > SOFT * max(np.max(values), 1e-300) for values in (stiffness, turning))
    ends = part.name, part.first, part.second
    free_place, free_turn = (AXES[int(np.argmin(held))] for held in (places, turns))
    kept = AXES[int(np.argmax(places))]
    kinds: dict[tuple[int, int], Callable[[], Joint | PointOnLine | PointOnPlane]] = {
        (3, 3): lambda: Fixed(*ends), (3, 2): lambda: Revolute(*ends, axis=free_turn),
        (3, 0): lambda: Spherical(*ends), (2, 3): lambda: Prismatic(*ends, axis=free_place), 
        (2, 0): lambda: PointOnLine(*ends, axis=free_place), (1, 0): lambda: PointOnPlane(*ends, normal=kept)}
    if free_place == free_turn:
        kinds[2, 2] = lambda: Cylindrical(*ends, axis=free_place)
    if kept == free_turn:
        kinds[1, 2] = lambda: Planar(*ends, axis=kept)
    found = kinds.get((int(np.sum(places)), int(np.sum(turns))))
    if found is None:
        raise ModelError([Fault(f"bushing {part.name!r}", f"no joint holds just the directions {_named(places)} and the "
                                f"rotations about {_named(turns)}; found stiffness {part.stiffness!r} and turning_stiffness "
                                f"{part.turning_stiffness!r}. Model what is stiff by joints of your own.")])
    soft = [np.where(held, 0.0, values) for held, values in ((places, stiffness), (places, damping), (turns, turning),
                                                              (turns, turning_damping))]
    rest = Bushing(f"{part.name} (soft)", part.first, part.second, stiffness=tuple(soft[0]), damping=tuple(soft[1]),
                   turning_stiffness=tuple(soft[2]), turning_damping=tuple(soft[3])) if np.any(soft) else None
    return found(), rest


def _named(held: np.ndarray) -> str:
    return ", ".join(axis for axis, kept in zip("xyz", held, strict=True) if kept) or "none"


def _idle(model: Model, part: Bushing) -> list[str]:
    """Free joints between the bodies of a bushing that no other part names."""
    bodies = {end.partition(".")[0] for end in (part.first, part.second)}
    used = {getattr(other, "joint", None) for other in model}
    return [joint.name for joint in model.joints if len(joint.record.rates) == 6 and joint.name not in used
            and {end.partition(".")[0] for end in (joint.first, joint.second)} == bodies]
