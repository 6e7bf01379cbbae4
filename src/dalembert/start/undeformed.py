"""Start values of mechanisms with flexible bodies: those of the same mechanism with the bodies undeformed and not deforming.

The twin with rigid bodies is assembled, positions and rates; every joint of the flexible mechanism begins as its twin,
hidden free joints where the twin has their faces.  If the twin cannot be assembled, the flexible bodies have to bend from
the start: then the floating frames' own assembly finds how, and of faces only those are moved that drives move.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..codes import JointCode
from ..errors import AssemblyError
from ..flex.floating_fit import frame_on
from ..model.checked import CheckedJoint, CheckedModel
from ..model.values import frozen
from ..system.quaternion import quaternions_of
from ..topology.flexible import RIGID
from ..topology.span import Plan, span
from .begin import begin_plan
from .formulations import of_tree
from .reduction import calmest_rates
from .state import Moving, State


def undeformed(checked: CheckedModel, plan: Plan, t: float, *, keep: bool = False) -> Plan:
    """Return a plan whose joints start as those of the rigid twin.

    Parameters
    ----------
    checked : CheckedModel
        With flexible bodies.
    plan : Plan
        Of the same model, its flexible bodies lowered to floating frames or faces.
    t : float
        Time [s].
    keep : bool
        Whether given starts stay as they are, since the bodies will be deformed; the twin's rates are taken all the same.
    """
    try:
        twin = close_undeformed(span(checked, RIGID), t)
    except AssemblyError:
        if any(body.floating is not None for body in plan.model.bodies):
            return plan
        if not checked.motions:
            raise
        twin = close_undeformed(span(replace(checked, motions=()), RIGID), t)
    return as_seen(twin, plan, keep=keep)


def close_undeformed(plan: Plan, t: float) -> State:
    """Close the loops of a plan with its flexible bodies undeformed; returns the state at time t [s].

    What loops leave undecided, such as the spin of a rod between two ball joints, begins with the least kinetic energy.
    """
    begin = begin_plan(plan, of_tree(plan), t)
    if not plan.has_loops:
        return begin.state
    given = np.zeros(len(begin.qd), bool)
    joints = {j.name: j for j in plan.model.joints}
    for entry in begin.packed.layout.joints:
        given[entry.v:entry.v + entry.nv] = joints[entry.name].start_rate is not None
    return replace(begin, qd=calmest_rates(begin.packed, t, begin.q, begin.qd, given)).state


def as_seen(twin: State, plan: Plan, *, keep: bool = False) -> Plan:
    """Return a plan whose joints start as a state of another plan of the same model has them."""
    started = [_started(joint, twin, plan) if joint.coordinates else joint for joint in plan.model.joints]
    if keep:
        started = [new if not old.keeps_start else replace(new, start=old.start)
                   for old, new in zip(plan.model.joints, started, strict=True)]
    return replace(plan, model=replace(plan.model, joints=tuple(started)))


def _started(joint: CheckedJoint, twin: State, plan: Plan) -> CheckedJoint:
    """Return a joint with the coordinates and rates of the twin."""
    if not joint.hidden:
        found = twin.joints[joint.name]
        return replace(joint, start=found.coordinates, start_rate=found.rates)
    seen = _seen(joint, twin, plan.model)
    quaternion = quaternions_of(seen.rotation[None])[0]
    return replace(joint, start=frozen([*seen.position, *quaternion]),
                   start_rate=frozen([*seen.velocity, *seen.angular_velocity]))


def _seen(joint: CheckedJoint, twin: State, model: CheckedModel) -> Moving:
    """Return how a face, or the floating frame of an undeformed body, moves that a hidden free joint carries."""
    row = joint.second.body
    floating = model.bodies[row].floating
    if floating is None:
        return twin.bodies[model.bodies[row].name]
    elastic = next(j for j in model.joints if j.code == JointCode.ELASTIC and j.first.body == row)
    return frame_on(floating, elastic.place, twin.bodies[_real_face(model, elastic.second.body)])


def _real_face(model: CheckedModel, row: int) -> str:
    """Return the name of a face; that of its original for a stand-in."""
    if not model.bodies[row].hidden:
        return model.bodies[row].name
    weld = next(j for j in model.joints if j.hidden and j.code == JointCode.FIXED and j.first.body == row)
    return model.bodies[weld.second.body].name
