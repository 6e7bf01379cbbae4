"""Starts of the modular formulation: every body flies freely, and all joints are rows between bodies.

Bodies are given the pose and velocity that the assembled mechanism has.  Joints whose own coordinates something acts on, a
spring, a motor or a drive, carry their bodies all the same, for these coordinates; all others close loops, so that what they
are open by is seen.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..codes import FormCode, JointCode
from ..errors import ModelError
from ..model.checked import CheckedJoint, CheckedModel, Place
from ..model.joints import JOINT_RECORDS, Free
from ..model.values import EYE3, UNIT_X, UNIT_Z, ZERO3, frozen
from ..system.edit import changed
from ..system.pack import pack
from ..system.quaternion import quaternions_of
from ..topology.held import with_implied_joints
from ..topology.span import Plan, span, used_joints
from .begin import evaluate_drives, with_constants_of
from .carry import onto
from .formulations import Modular
from .natural import make_natural
from .start import Start
from .state import JointState, State


def modular_plan(checked: CheckedModel) -> Plan:
    """Return the plan of a model whose bodies fly freely.

    Raises
    ------
    ModelError
        Flexible bodies, rotors, or joints with springs, motors or drives that close loops or are universal.
    """
    model = with_implied_joints(checked)
    _refuse(model)
    used = used_joints(model)
    carried = {0}
    joints = list(model.joints)
    for k, joint in enumerate(joints):
        if joint.code == JointCode.FREE or k in used or JOINT_RECORDS[joint.code].lead is not None:
            if joint.second.body in carried:
                raise ModelError(f"formulation 'modular': joint {joint.name!r} has a spring, a motor, a drive or a lead, and "
                                 f"its second body {joint.second.text!r} is carried by another such joint. Exchange the "
                                 "places of one of them, or take 'semi-recursive' or 'global'.")
            carried.add(joint.second.body)
        else:
            joints[k] = replace(joint, cut=True, start=None, start_rate=None)
    ground = Place(0, ZERO3, EYE3, "ground")
    taken = {body.name for body in model.bodies} | {joint.name for joint in model.joints}
    for row, body in enumerate(model.bodies):
        if row not in carried:
            name = f"{body.name} alone"
            while name in taken:
                name += "'"
            place = Place(row, ZERO3, EYE3, body.name)
            joints.append(CheckedJoint(name, Free.record.code, ground, place, UNIT_Z, UNIT_X, 0.0, None, None, False,
                                       Free.coordinates, hidden=True))
    return span(replace(model, joints=tuple(joints)))


def _alone(plan: Plan, state: State) -> dict[str, JointState]:
    """Return the motion of the hidden joints of bodies whose poses a state has."""
    names = {plan.model.bodies[joint.second.body].name: joint.name for joint in plan.model.joints if joint.hidden}
    known = {name: state.bodies[name] for name in names if name in state.bodies}
    if not known:
        return {}
    turns = quaternions_of(np.array([motion.rotation for motion in known.values()]))
    return {names[name]: JointState(Free.record.code, frozen(np.concatenate([motion.position, turn])),
                                    frozen(np.concatenate([motion.velocity, motion.angular_velocity])))
            for (name, motion), turn in zip(known.items(), turns, strict=True)}


def _refuse(model: CheckedModel) -> None:
    if model.flexibles:
        raise ModelError("formulation 'modular' takes rigid bodies only, found flexible "
                         f"{', '.join(repr(f.part) for f in model.flexibles[:4])}; take 'semi-recursive' or 'global'")
    touching = [contact.name for contact in model.contacts] + [group.name for group in model.groups]
    touching += [joint.name for joint in model.joints if joint.limits or joint.friction]
    if touching:
        raise ModelError(f"formulation 'modular' does not find forces of contacts, found {touching[0]!r}; take "
                         "'recursive', 'semi-recursive' or 'global'")
    light = [body.name for body in model.bodies[1:]
             if not (body.mass > 0.0 and np.max(np.linalg.eigvalsh(body.inertia)) > 0.0)]
    if light:
        many = len(light) > 1
        raise ModelError(f"formulation 'modular': bod{'ies' if many else 'y'} {', '.join(map(repr, light[:8]))} lack"
                         f"{'s' * (not many)} mass or inertia, and every body is a component of its own there. Give "
                         f"{'them' if many else 'it'} some, or take 'semi-recursive' or 'global'.")
    rotors = [joint.name for joint in model.joints if np.any(joint.armature)]
    if rotors:
        raise ModelError(f"formulation 'modular' takes no rotors, found armature of joint {rotors[0]!r}, which couples the "
                         "inertias of two bodies; take 'semi-recursive' or 'global'")


def begin_modular(checked: CheckedModel, chosen: Modular, state: State, same: Collection[str] = ()) -> Start:
    """Return the start of a model at a state that is taken as it is."""
    plan = modular_plan(checked)
    packed = pack(plan, FormCode.SEMI_RECURSIVE)
    alone = _alone(plan, state)
    carried = onto(replace(state, joints={**state.joints, **alone}), packed, {*same, *alone})
    q, qd, t = carried.q, carried.qd, state.t
    evaluate_drives(packed, t, q, qd)
    packed, n_v = with_constants_of(packed, t, carried), packed.layout.n_v
    start = Start(packed, q, qd, (*plan.model.notes, *carried.notes), chosen, np.zeros(n_v), np.zeros(0, np.int64),
                  np.zeros((0, n_v)), t)
    natural = make_natural(packed, t, q, qd, {}, penalties=False)
    whole = replace(natural.packed, system=changed(natural.packed.system, constants={"modular": np.ones(1, np.int64)}))
    return replace(start, natural=replace(natural, packed=whole))
