"""Start values of mechanisms with flexible bodies: those of the same mechanism with the bodies undeformed and not deforming.

The twin with rigid bodies is assembled, positions and rates; every joint of the flexible mechanism begins as its twin,
hidden free joints where the twin has their faces.  If the twin cannot be assembled, the flexible bodies have to bend from
the start: then the floating frames' own assembly finds how, and of faces only those are moved that drives move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..codes import JointCode
from ..errors import AssemblyError
from ..model.checked import CheckedJoint, CheckedModel
from ..model.values import frozen
from ..results import rotation as rot
from ..results.results import Results
from ..system.quaternion import quaternions_of
from ..topology.flexible import RIGID
from ..topology.span import Plan, span


def undeformed(checked: CheckedModel, plan: Plan, close: Callable[[Plan], Results], *, keep: bool = False) -> Plan:
    """Return a plan whose joints start as those of the rigid twin.

    Parameters
    ----------
    checked : CheckedModel
        With flexible bodies.
    plan : Plan
        Of the same model, its flexible bodies lowered to floating frames or faces.
    close : callable
        Assembles a plan and returns its frame at time zero.
    keep : bool
        Whether given starts stay as they are, since the bodies will be deformed; the twin's rates are taken all the same.
    """
    try:
        twin = close(span(checked, RIGID))
    except AssemblyError:
        if any(body.floating is not None for body in plan.model.bodies):
            return plan
        if not checked.motions:
            raise
        twin = close(span(replace(checked, motions=()), RIGID))
    return as_seen(twin, plan, keep=keep)


def as_seen(twin: Results, plan: Plan, *, keep: bool = False) -> Plan:
    """Return a plan whose joints start as a frame of results of another plan of the same model has them."""
    started = [_started(joint, twin, plan.model) if joint.coordinates else joint for joint in plan.model.joints]
    if keep:
        started = [new if not old.keeps_start else replace(new, start=old.start)
                   for old, new in zip(plan.model.joints, started, strict=True)]
    return replace(plan, model=replace(plan.model, joints=tuple(started)))


def _started(joint: CheckedJoint, twin: Results, model: CheckedModel) -> CheckedJoint:
    """Return a joint with the coordinates and rates of the twin."""
    if joint.hidden:
        return replace(joint, **_free_start(joint, twin, model))
    return replace(joint, start=frozen(twin[f"{joint.name}.coordinates"][0]),
                   start_rate=frozen(twin[f"{joint.name}.rates"][0]))


def _free_start(joint: CheckedJoint, twin: Results, model: CheckedModel) -> dict[str, np.ndarray]:
    """Start of a hidden free joint from the ground, which carries a face or a floating frame."""
    row = joint.second.body
    if model.bodies[row].floating is None:
        face, seat, turn = model.bodies[row].name, np.zeros(3), np.eye(3)
    else:
        elastic = next(j for j in model.joints if j.code == JointCode.ELASTIC and j.first.body == row)
        face, turn = _real_face(model, elastic.second.body), elastic.first.rotation.T
        seat = -turn @ elastic.first.position
    R = rot.matrices(twin[f"{face}.orientation"])[0]
    arm = R @ seat
    w = twin[f"{face}.angular_velocity"][0]
    position = twin[f"{face}.position"][0] + arm
    quaternion = quaternions_of((R @ turn)[None])[0]
    return {"start": frozen([*position, *quaternion]),
            "start_rate": frozen([*(twin[f"{face}.velocity"][0] + np.cross(w, arm)), *w])}


def _real_face(model: CheckedModel, row: int) -> str:
    """Return the name of a face; that of its original for a stand-in."""
    if not model.bodies[row].hidden:
        return model.bodies[row].name
    weld = next(j for j in model.joints if j.hidden and j.code == JointCode.FIXED and j.first.body == row)
    return model.bodies[weld.second.body].name
