"""Bodies that nothing but bushings hold: the free joint that they need is implied."""

from __future__ import annotations

from dataclasses import replace

from ..model.checked import CheckedForce, CheckedJoint, CheckedModel
from ..model.forces import FORCE_RECORDS
from ..model.joints import Free
from ..model.values import UNIT_X, UNIT_Z


def with_implied_joints(model: CheckedModel) -> CheckedModel:
    """Return the model with a free joint between the places of a bushing that alone connects a body with the ground.

    Its coordinates are zero where the bushing is unloaded.  There is a note on each.
    """
    group = _groups(model)
    joints, notes = list(model.joints), list(model.notes)
    sections = (model.bodies, model.joints, model.forces, model.constraints, model.motions, model.flexibles)
    taken = {part.name for parts in sections for part in parts}
    bushings = [force for force in model.forces if FORCE_RECORDS[force.code].implies_free]
    while True:
        bushing = next((b for b in bushings if len({_top(group, end.body) == _top(group, 0) for end in b.ends}) == 2), None)
        if bushing is None:
            break
        first, second = bushing.ends
        group[_top(group, first.body)] = _top(group, second.body)
        name = f"{bushing.name} free"
        while name in taken:
            name += "'"
        taken.add(name)
        joints.append(_free(name, bushing))
        notes.append(f"bushing {bushing.name!r} alone holds {_loose(model, bushing)!r}: Free({name!r}, "
                     f"{first.text!r}, {second.text!r}) is implied; add such a joint to give it a start")
    return model if len(joints) == len(model.joints) else replace(model, joints=tuple(joints), notes=tuple(notes))


def _groups(model: CheckedModel) -> list[int]:
    """Bodies that joints connect, as a forest: body -> another one of its group, or itself."""
    group = list(range(len(model.bodies)))
    pairs = [(joint.first.body, joint.second.body) for joint in model.joints]
    pairs += [(row, body.base) for row, body in enumerate(model.bodies) if body.face and body.base >= 0]
    for a, b in pairs:
        group[_top(group, a)] = _top(group, b)
    return group


def _top(group: list[int], body: int) -> int:
    while group[body] != body:
        group[body] = group[group[body]]
        body = group[body]
    return body


def _free(name: str, bushing: CheckedForce) -> CheckedJoint:
    return CheckedJoint(name, Free.record.code, *bushing.ends, UNIT_Z, UNIT_X, 0.0, None, None, False, Free.coordinates)


def _loose(model: CheckedModel, bushing: CheckedForce) -> str:
    """Name of the body that the bushing holds: the second, unless that is the ground."""
    first, second = bushing.ends
    return model.bodies[second.body or first.body].name
