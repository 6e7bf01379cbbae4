"""From a plan to the names of its tables: the layout of bodies, points, joints, forces, motions and constraints."""

from __future__ import annotations

import numpy as np

from ..model.checked import CheckedJoint, CheckedModel, Place
from ..model.constraints import CONSTRAINT_RECORDS
from ..model.forces import FORCE_RECORDS
from ..model.joints import JOINT_RECORDS
from ..model.values import EYE3
from ..topology.span import Plan
from .layout import (
    ConstraintEntry,
    ContactEntry,
    CutEntry,
    FaceEntry,
    FlexibleEntry,
    ForceEntry,
    GroupEntry,
    JointEntry,
    Layout,
    MotionEntry,
    PointEntry,
)
from .pack_resistances import resistances
from .quaternion import quaternions_of
from .rows import JointRows

UNTURNED = (1.0, 0.0, 0.0, 0.0)


def lay_out(plan: Plan, joints: list[JointRows], n_q: int, n_v: int, spans: dict[str, tuple[int, int]],
            row_names: list[tuple[str, str]]) -> Layout:
    """Return the layout of a plan's tables with the places of its joints; `spans` are first row and rows of constraints."""
    model = plan.model
    real = [i for i in plan.order if i < len(model.bodies)]
    place_in_order = {body: i for i, body in enumerate(real)}
    named = [(place.text, place_in_order[i], place) for i, b in enumerate(model.bodies) for place in b.points.values()]
    turns = _turns([place for _, _, place in named])
    points = tuple(PointEntry(name, row, tuple(map(float, place.position)), turn)
                   for (name, row, place), turn in zip(named, turns, strict=True))
    entries = []
    for body, k, j in zip(plan.order[1:], plan.carrier[1:], joints, strict=True):
        joint = model.joints[k]
        carried = place_in_order[body if body in place_in_order else joint.second.body]
        entries.append(JointEntry(joint.name, JOINT_RECORDS[joint.code].kind, carried, j.q, j.nq, j.v, j.nv, joint.coordinates,
                                  j.reversed, joint.first.text, joint.second.text, float(joint.pitch), joint.hidden))
    names = [j.name for j in model.joints]
    forces = tuple(ForceEntry(f.name, FORCE_RECORDS[f.code].kind, i,
                              (names[f.joint],) if f.first is None else
                              tuple(p.text for p in (f.first, f.second) if p is not None))
                   for i, f in enumerate(model.forces))
    by_name = {e.name: e for e in entries}
    motions = tuple(MotionEntry(m.name, names[m.joint], by_name[names[m.joint]].v + m.coordinate,
                                by_name[names[m.joint]].q + m.coordinate) for m in model.motions)
    cuts = tuple(_cut_entry(model.joints[k], place_in_order, spans) for k in plan.cut)
    constraints = tuple(ConstraintEntry(c.name, CONSTRAINT_RECORDS[c.code].kind,
                                        tuple(names[j] for j, _, _ in c.terms) if c.first is None else
                                        tuple(end.text for end in c.ends), *spans[c.name],
                                        normal=tuple(map(float, c.normal)))
                        for c in model.constraints)
    faces = tuple(FaceEntry(name, place_in_order[i], place_in_order[b.base], tuple(map(float, b.offset)))
                  for i, b in enumerate(model.bodies) if b.base >= 0 and b.offset is not None
                  for name in (b.name, *(place.text for place in b.points.values())))
    hidden = tuple(place_in_order[i] for i in real if model.bodies[i].hidden)
    return Layout(model.name, tuple(model.bodies[i].name for i in real), points, tuple(entries), forces,
                  motions, n_q, n_v, cuts, constraints, tuple(row_names), faces,
                  _flexible_entries(plan, joints, place_in_order), hidden,
                  contacts=_contact_entries(model),
                  groups=tuple(GroupEntry(g.name, i) for i, g in enumerate(model.groups)))


def _contact_entries(model: CheckedModel) -> tuple[ContactEntry, ...]:
    """Entries of contacts, and behind them of limits and friction of joints."""
    ends = [(c.name, c.first.place.text, c.second.place.text, "shapes", "N") for c in model.contacts]
    ends += [(r.name, r.joint.first.text, r.joint.second.text, r.kind, r.unit) for r in resistances(model)]
    return tuple(ContactEntry(name, i, first, second, kind, unit) for i, (name, first, second, kind, unit) in enumerate(ends))


def _flexible_entries(plan: Plan, joints: list[JointRows], place_in_order: dict[int, int]) -> tuple[FlexibleEntry, ...]:
    """Entries of the flexible bodies in floating frames, in tree order."""
    model = plan.model
    parts = {f"{f.name} (frame)": f for f in model.flexibles}
    carried = [(i, j, model.bodies[i]) for i, j in zip(plan.order[1:], joints, strict=True) if i < len(model.bodies)]
    return tuple(FlexibleEntry(parts[b.name].name, parts[b.name].part, place_in_order[i], j.q + j.nq, j.v + j.nv, j.elastic,
                               b.floating.names)
                 for i, j, b in carried if b.floating is not None)


def _turns(places: list[Place]) -> list[tuple[float, ...]]:
    """Quaternions of attachments."""
    if all(place.rotation is EYE3 for place in places):
        return [UNTURNED] * len(places)
    turns = quaternions_of(np.array([place.rotation for place in places]).reshape(-1, 3, 3))
    return [tuple(map(float, turn)) for turn in turns]


def _cut_entry(joint: CheckedJoint, place_in_order: dict[int, int], spans: dict[str, tuple[int, int]]
               ) -> CutEntry:
    turn_a, turn_b = _turns([joint.first, joint.second])
    return CutEntry(joint.name, JOINT_RECORDS[joint.code].kind, joint.coordinates, place_in_order[joint.first.body],
                    place_in_order[joint.second.body], tuple(map(float, joint.first.position)), turn_a,
                    tuple(map(float, joint.second.position)), turn_b, tuple(map(float, joint.axis)),
                    tuple(map(float, joint.axis2)), joint.first.text, joint.second.text, *spans[joint.name])
