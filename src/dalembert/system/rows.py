"""Rows of the body table: each tree joint as one row, or several with massless bodies between.

A row turns or slides about constant directions of its parent.  A joint written from the carried body to its parent
(reversed) moves about the negative axis; a universal and a reversed planar joint become chains of simple rows:
    universal          Rot(a1, q1) Rot(a2, q2)
    its inverse        Rot(-a2, q2) Rot(-a1, q1)
    inverse of planar  Rot(-n, q3), slide (-x, q1), slide (-y, q2)
    inverse of free    ball, slide (-x, q1), slide (-y, q2), slide (-z, q3)
    floating frame     its joint, then a face that the body's inertia belongs to if displacements of second order move it
The ball of a reversed joint turns the other way round; `reverse.py` changes its coordinates to the user's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import JointCode
from ..model.checked import CheckedJoint, Place
from ..model.joints import ELASTIC, JOINT_RECORDS
from ..model.records import TURN, JointRecord
from ..topology.span import Plan

IDENTITY = np.eye(3)
ORIGIN = np.zeros(3)
X, Y, Z = np.eye(3)
VECTORS = {"": ORIGIN, "x": X, "y": Y, "z": Z}


Screw = tuple[np.ndarray, np.ndarray]
"""What turns and what moves of a direction; the moment and the force of a wrench."""
Screws = list[Screw]
Link = tuple[JointCode, np.ndarray, int]


@dataclass
class Row:
    """One row before its numbers are filled in; positions and rotations in the users' body frames.

    `body` is the model's index of the carried body, -1 for bodies between and stand-ins; `place` names the place of its
    parent, a flexible body, that a face follows.
    """

    parent: int
    code: JointCode
    body: int
    joint: int
    q: int
    v: int
    align: np.ndarray
    seat_position: np.ndarray
    seat_rotation: np.ndarray
    tip_position: np.ndarray
    tip_rotation: np.ndarray
    directions: Screws
    efforts: Screws
    place: str = ""


@dataclass
class JointRows:
    """Where a joint went: its first and last row and its block of coordinates and rates.

    `elastic` coordinates of the carried body follow in q[q + nq:] and qd[v + nv:].
    """

    first: int
    last: int
    q: int
    nq: int
    v: int
    nv: int
    reversed: bool
    elastic: int = 0


def alignment(axis: np.ndarray) -> np.ndarray:
    """Shortest rotation that takes z to a unit axis."""
    x, y, z = axis
    across = x * x + y * y
    if z < 0.0 and across == 0.0:
        return np.diag([1.0, -1.0, -1.0])
    c = 1.0 / (1.0 + z) if z > 0.0 else (1.0 - z) / across
    return np.array([[1.0 - c * x * x, -c * x * y, x], [-c * x * y, 1.0 - c * y * y, y], [-x, -y, z]])


def _simple_directions(record: JointRecord, pitch: float) -> tuple[Screws, Screws]:
    """Directions (turning, moving) of the rates and wrenches of unit efforts, joint axis = z."""
    directions, efforts = [], []
    for freedom in record.freedoms:
        turn, slide = VECTORS[freedom.turns], VECTORS[freedom.slides]
        directions.append((turn, slide * pitch / TURN if freedom.turns else slide))
        efforts.append((turn, ORIGIN if freedom.turns else slide))
    ball = [(axis, ORIGIN) for axis in (X, Y, Z)] if record.ball else []
    return directions + ball, efforts + ball


def dual_basis(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vectors in the plane of a and b with products (1, 0) and (0, 1) with them."""
    both = np.array([a, b])
    dual = np.linalg.solve(both @ both.T, both)
    return dual[0], dual[1]


def _chain(joint: CheckedJoint, is_reversed: bool) -> tuple[list[Link], dict[int, Screw]]:
    """Simple links of a joint: (code, alignment, offset of its coordinates) each, and wrenches of unit efforts by offset.

    The wrenches are given in the axes of the attachment, which are those of the last link up to its alignment.
    """
    record, sign = JOINT_RECORDS[joint.code], -1.0 if is_reversed else 1.0
    revolute, slide = JointCode.REVOLUTE, JointCode.PRISMATIC
    if record.cross:
        axes = sign * joint.axis, sign * joint.axis2
        links = [(revolute, alignment(axis), offset) for offset, axis in enumerate(axes)]
        efforts = {offset: (e, ORIGIN) for offset, e in enumerate(dual_basis(*axes))}
        return (links[::-1] if is_reversed else links), efforts
    C = alignment(joint.axis) if record.axes else IDENTITY
    turns: list[Link] = []
    slides: list[Link] = []
    efforts = {}
    for offset, freedom in enumerate(record.freedoms):
        axis = -C @ VECTORS[freedom.slides] if freedom.slides else -joint.axis
        link = (slide if freedom.slides else revolute, alignment(axis), offset)
        (slides if freedom.slides else turns).append(link)
        efforts[offset] = (ORIGIN, axis) if freedom.slides else (axis, ORIGIN)
    if record.ball:
        turns.append((JointCode.SPHERICAL, IDENTITY, record.ball_at))
        efforts |= {record.ball_at + k: (ORIGIN, ORIGIN) for k in range(3)}  # no element acts on a quaternion
    return turns + slides, efforts


def _is_chain(joint: CheckedJoint, is_reversed: bool) -> bool:
    record = JOINT_RECORDS[joint.code]
    return record.cross or (is_reversed and not record.mirrors)


def lay_rows(plan: Plan) -> tuple[list[Row], list[JointRows], np.ndarray]:
    """Lay out the rows of a plan.

    Returns
    -------
    rows : list of Row
        Row 0 (the ground) is not in the list; ``rows[i - 1]`` is row i.
    joints : list of JointRows
        In tree order, one for each carried body.
    row_of_body : (n_model_bodies + n_stand_ins,) int
    """
    rows: list[Row] = []
    joints: list[JointRows] = []
    n_bodies = len(plan.model.bodies)
    row_of_body = np.zeros(n_bodies + len(plan.split), np.int64)
    q = v = 0
    for body, k, is_reversed in zip(plan.order[1:], plan.carrier[1:], plan.reversed[1:], strict=True):
        joint = plan.model.joints[k]
        seat, tip = (joint.second, joint.first) if is_reversed else (joint.first, joint.second)
        parent = int(row_of_body[seat.body])
        record = JOINT_RECORDS[joint.code]
        nq, nv = record.sizes
        first = len(rows) + 1
        owner = body if body < n_bodies else -1
        if _is_chain(joint, is_reversed):
            _lay_chain(rows, joint, is_reversed, parent, owner, k, q, v, seat, tip)
        else:
            align = alignment(-joint.axis if is_reversed else joint.axis) if record.axes else IDENTITY
            directions, efforts = _simple_directions(record, joint.pitch)
            rows.append(Row(parent, joint.code, owner, k, q, v, align, seat.position, seat.rotation, tip.position,
                            tip.rotation, directions, efforts, joint.place if record is ELASTIC else ""))
        row_of_body[body] = last = len(rows)
        floating = plan.model.bodies[body].floating if owner >= 0 else None
        elastic = 0 if floating is None else floating.n
        if floating is not None and floating.stiffening is not None:
            rows[-1].body = -1
            rows.append(Row(last, JointCode.ELASTIC, owner, k, q, v, IDENTITY, ORIGIN, IDENTITY, ORIGIN, IDENTITY, [], []))
        joints.append(JointRows(first, last, q, nq, v, nv, is_reversed, elastic))
        q, v = q + nq + elastic, v + nv + elastic
    return rows, joints, row_of_body


def _lay_chain(rows: list[Row], joint: CheckedJoint, is_reversed: bool, parent: int, body: int, k: int, q: int, v: int,
               seat: Place, tip: Place) -> None:
    links, efforts = _chain(joint, is_reversed)
    last_align = links[-1][1]
    previous = None
    for number, (code, align, offset) in enumerate(links):
        ends = number == len(links) - 1
        directions, _ = _simple_directions(JOINT_RECORDS[code], 0.0)
        wrenches = [(last_align.T @ turn, last_align.T @ slide) for turn, slide in
                    (efforts[offset + i] for i in range(len(directions)))]
        rows.append(Row(parent, code, body if ends else -1, k, q + offset, v + offset, align,
                        seat.position if previous is None else ORIGIN,
                        seat.rotation if previous is None else previous.T,
                        tip.position if ends else ORIGIN, tip.rotation if ends else align.T,
                        directions, wrenches))
        parent, previous = len(rows), align
