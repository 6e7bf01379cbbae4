"""Bodies that nothing connects with the ground, by names alone: each group of them gets a free joint."""

from __future__ import annotations

from collections.abc import Iterator

from .dependents import owner_of
from .joints import Free
from .model import Model


def with_free_joints(model: Model) -> Model:
    """Return the model with ``Free("body free", "ground", "body")`` for the first body of each group that flies freely.

    Bodies are of one group if joints or bushings connect them; names that nothing is called count as the ground.
    """
    group: dict[str, str] = {}

    def top(name: str) -> str:
        while group.get(name, name) != name:
            name = group[name]
        return name

    bodies = [part.name for part in (*model.bodies, *model.flexible)]
    group = {name: name for name in bodies}
    for first, second in _connections(model):
        a, b = (top(owner_of(str(place))) for place in (first, second))
        a, b = (end if end in group else "ground" for end in (a, b))
        if a != b:
            group[b if a == "ground" else a] = a if a == "ground" else b
    free = []
    for name in bodies:
        if top(name) != "ground":
            free.append(Free(_unused(f"{name} free", model), "ground", name))
            group[top(name)] = "ground"
    return model.replaced().add(*free) if free else model


def _connections(model: Model) -> Iterator[tuple[str, str]]:
    for joint in model.joints:
        if not joint.cut:
            yield joint.first, joint.second
    for force in model.forces:
        if force.record.implies_free:
            yield force.first, force.second


def _unused(name: str, model: Model) -> str:
    while name in model:
        name += "'"
    return name
