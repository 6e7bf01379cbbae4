"""The state of a mechanism by name: what its joints, bodies, flexible bodies and open constraints are at a time.

Coordinates and rates belong to a spanning tree, to formulations of flexible bodies and to an order of bodies; a state by name
belongs to the mechanism.  It holds the poses and velocities of all bodies, too, so that the coordinates of any other tree
follow from it (carry.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..codes import JointCode
from ..flex.floating_fit import Moving
from ..kernels.linked_work import make_linked_work
from ..kernels.tree.kinematics import eval_motion, eval_places
from ..model.checked import CheckedConstraint, CheckedJoint, CheckedModel, Place
from ..model.joints import JOINT_RECORDS
from ..model.values import frozen
from ..results.cut_joints import Axes, Relative, motion_seen
from ..system.layout import Layout
from ..system.pack import Packed
from ..system.quaternion import quaternions_of
from ..system.reverse import swap

__all__ = ["Elastic", "JointState", "Moving", "State", "attached", "is_open", "joint_between", "poses_of", "state_of"]


@dataclass(frozen=True)
class JointState:
    """Coordinates (nq,) and rates (nv,) of a joint as the user wrote it, from its first attachment to its second.

    Those of a joint that closes a loop (`cut`) follow from its bodies, angles up to full turns.
    """

    kind: JointCode
    coordinates: np.ndarray
    rates: np.ndarray
    cut: bool = False


@dataclass(frozen=True)
class Elastic:
    """Elastic coordinates of a flexible body.

    Attributes
    ----------
    frame : str or None
        The floating frame that they belong to, in words; None between interfaces, where they are those of the modes.
    coordinates, rates : (n,) float
    modes, mode_rates : (n_modes,) float or None
        The modes between fixed interfaces, which do not depend on the frame; None for bodies that are known by their
        constants alone.
    """

    frame: str | None
    coordinates: np.ndarray
    rates: np.ndarray
    modes: np.ndarray | None = None
    mode_rates: np.ndarray | None = None


@dataclass(frozen=True)
class State:
    """A mechanism at a time.

    Attributes
    ----------
    t : float
        Time [s].
    joints : mapping of str to JointState
        All joints with coordinates, those that close loops and hidden ones of flexible bodies, too.
    bodies : mapping of str to Moving
        Pose and velocity of all bodies, interfaces and floating frames; user's frames, world axes.
    elastic : mapping of str to Elastic
        Flexible bodies, or segments of beams.
    constants : mapping of str to float
        What constraints hold whose constant the start has left open: a distance [m], the offset of a gear [rad or m].
    hidden : frozenset of str
        Joints that the user does not know of.
    notes : tuple of str
        Messages for those who begin here.
    """

    t: float
    joints: Mapping[str, JointState]
    bodies: Mapping[str, Moving]
    elastic: Mapping[str, Elastic] = field(default_factory=dict)
    constants: Mapping[str, float] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def starts(self) -> dict[str, np.ndarray]:
        """Coordinates by joint of the tree and elastic coordinates by flexible body, as `run` takes them."""
        shown = {name: joint.coordinates for name, joint in self.joints.items() if name not in self.hidden and not joint.cut}
        return {**shown, **{name: elastic.coordinates for name, elastic in self.elastic.items()}}


def state_of(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, notes: Iterable[str] = ()) -> State:
    """Return the state of a packed model at a time [s].

    Parameters
    ----------
    packed : Packed
        In joint coordinates, or in natural ones with flexible bodies, whose results are given in those of its tree and modes.
    t : float
    q, qd : (n_q,) and (n_v,) float
        Coordinates and rates of the tree, modes of flexible bodies behind.
    notes : iterable of str
    """
    tree, layout, model = packed.tree or packed, packed.layout, packed.plan.model
    bodies = poses_of(packed, q, qd)
    own_q, own_qd = q[None].copy(), qd[None].copy()
    swap(layout, own_q, own_qd, np.zeros_like(own_qd))
    q, qd, codes = frozen(own_q[0]), frozen(own_qd[0]), {joint.name: joint.code for joint in model.joints}
    joints = {j.name: JointState(codes[j.name], q[j.q:j.q + j.nq], qd[j.v:j.v + j.nv]) for j in layout.joints if j.nq}
    for k in packed.plan.cut:
        joint = model.joints[k]
        if not joint.coordinates:
            continue
        first, second = (attached(bodies[model.bodies[place.body].name], place) for place in (joint.first, joint.second))
        joints[joint.name] = replace(joint_between(joint, first, second), cut=True)
    row = tree.system.row
    constants = {c.name: float(row["c"][entry.row]) for c, entry in zip(model.constraints, layout.constraints, strict=True)
                 if is_open(c)}
    return State(float(t), joints, bodies, _elastic_of(model, layout, q, qd), constants,
                 frozenset(j.name for j in model.joints if j.hidden), tuple(notes))


def is_open(constraint: CheckedConstraint) -> bool:
    """Tell whether a constraint holds what the start gives it to hold."""
    return constraint.value is None and constraint.law is None


def poses_of(packed: Packed, q: np.ndarray, qd: np.ndarray) -> dict[str, Moving]:
    """Return poses and velocities of the bodies by name; places inside of superelements, which follow these, are left out."""
    tree = packed.tree or packed
    system, work = tree.system, make_linked_work(tree.system)
    q, qd = (np.ascontiguousarray(a[:n]) for a, n in ((q, tree.layout.n_q), (qd, tree.layout.n_v)))
    eval_motion(system, q, qd, work)
    eval_places(system, qd, work)
    own, body = work.body[tree.body_rows], system.body[tree.body_rows]
    axes = np.swapaxes(own["E_wb"].reshape(-1, 3, 4)[..., :3], 1, 2)
    arm = np.einsum("iab,ib->ia", axes, body["u_b"])
    spin = own["w_w"][:, :3]
    found = (own["r_w"][:, :3] + arm, axes @ body["R_bu"].reshape(-1, 3, 3), own["v_w"][:, :3] + np.cross(spin, arm), spin)
    inside = {packed.layout.bodies[row] for row in packed.recovered}
    return {name: Moving(*map(frozen, each)) for name, *each in zip(tree.layout.bodies, *found, strict=True)
            if name not in inside}


def _elastic_of(model: CheckedModel, layout: Layout, q: np.ndarray, qd: np.ndarray) -> dict[str, Elastic]:
    floating, found = {body.name: body.floating for body in model.bodies}, {}
    for f in layout.flexibles:
        x, xd = q[f.q:f.q + f.n], qd[f.v:f.v + f.n]
        if f.body < 0:
            found[f.name] = Elastic(None, x, xd, x, xd)
            continue
        body = floating[layout.bodies[f.body]]
        if body.coordinates is None:
            found[f.name] = Elastic(body.frame, x, xd)
            continue
        shapes = body.coordinates[6 * len(body.reduced.interfaces):]
        found[f.name] = Elastic(body.frame, x, xd, frozen(shapes @ x), frozen(shapes @ xd))
    return found


def attached(body: Moving, place: Place) -> Moving:
    """Return how a place of a body moves."""
    arm = body.rotation @ place.position
    return Moving(body.position + arm, body.rotation @ place.rotation, body.velocity + np.cross(body.angular_velocity, arm),
                  body.angular_velocity)


def joint_between(joint: CheckedJoint, first: Moving, second: Moving, near: np.ndarray | None = None) -> JointState:
    """Return a joint's coordinates and rates from its two attachments.

    Angles and quaternions are those next to the coordinates `near` (nq,); without them within half a turn from zero, but for
    a screw's, whose advance gives its turns.
    """
    back, w = first.rotation.T, first.angular_velocity
    r = second.position - first.position
    v = second.velocity - first.velocity - np.cross(w, r)
    turn = quaternions_of((back @ second.rotation)[None])
    still = np.zeros((1, 3))
    seen = Relative((back @ r)[None], turn, (back @ v)[None], (back @ (second.angular_velocity - w))[None], still, still)
    coordinates, rates = motion_seen(seen, Axes(joint.code.name.lower(), joint.axis, joint.axis2))
    coordinates = coordinates[0]
    lead = JOINT_RECORDS[joint.code].lead
    if near is None and lead is not None and joint.pitch:
        near = lead.per / joint.pitch * seen.r @ joint.axis
    angles = [name.startswith("angle") for name in joint.coordinates]
    if any(angles):
        middle = np.zeros(len(coordinates)) if near is None else near
        coordinates = coordinates + np.where(angles, 2 * np.pi * np.round((middle - coordinates) / (2 * np.pi)), 0.0)
    if near is not None and JOINT_RECORDS[joint.code].ball and coordinates[-4:] @ near[-4:] < 0:
        coordinates = np.concatenate([coordinates[:-4], -coordinates[-4:]])
    return JointState(joint.code, frozen(coordinates), frozen(rates[0]))
