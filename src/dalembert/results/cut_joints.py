"""Coordinates of joints that close loops, from the motion of the two bodies they connect.

With A and B the frames of the first and the second attachment, all in the axes of A:
    r = R_Aᵀ (r_B - r_A)                       v = R_Aᵀ (v_B - v_A - w_A x (r_B - r_A))
    R = R_Aᵀ R_B                               w = R_Aᵀ (w_B - w_A)
    a = R_Aᵀ (a_B - a_A - wd_A x (r_B - r_A) - w_A x (w_A x (r_B - r_A)) - 2 w_A x R_A v)
    wd = R_Aᵀ (wd_B - wd_A - w_A x w_B)
v, a and wd are the time derivatives of the components of r, v and w.  Slides are components of r along directions of A.
The angle about an axis n is 2 atan2(n·(x, y, z), w) of the quaternion of R.  A universal joint has R = Rot(n1, q1)
Rot(n2, q2), hence with d = R n2
    q1 = angle about n1 from n2 to d,   q2 = angle about n2 from Rᵀ n1 to n1,   w = n1 q1' + d q2'
    wd = n1 q1'' + d q2'' + q1' q2' n1 x d
where w and wd are taken in the plane of n1 and d.  Angles are known up to full turns, which the speeds decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..model.joints import JOINT_KINDS
from ..model.records import AXES, JointRecord
from ..system.layout import CutEntry, PointEntry
from ..system.rows import alignment
from . import places
from . import rotation as rot
from .quantity import Source


class Relative(NamedTuple):
    """Motion of the second attachment as seen from the first, in its axes; arrays (nf, 3), `turn` (nf, 4)."""

    r: np.ndarray
    turn: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    wd: np.ndarray


def relative_motion(source: Source, cut: CutEntry) -> Relative:
    """Return how the second attachment moves in the frame of the first."""
    first = PointEntry(cut.first, cut.body_a, cut.position_a, cut.rotation_a)
    second = PointEntry(cut.second, cut.body_b, cut.position_b, cut.rotation_b)

    def both(function: Callable[[Source, PointEntry], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        return function(source, first), function(source, second)

    (r_a, r_b), (v_a, v_b), (a_a, a_b) = both(places.position), both(places.velocity), both(places.acceleration)
    (w_a, w_b), (wd_a, wd_b) = both(places.angular_velocity), both(places.angular_acceleration)
    e_a, e_b = both(places.orientation)
    back, r = rot.conjugated(e_a), r_b - r_a
    v = v_b - v_a - np.cross(w_a, r)
    a = a_b - a_a - np.cross(wd_a, r) - np.cross(w_a, np.cross(w_a, r)) - 2.0 * np.cross(w_a, v)
    turned = (rot.rotated(back, u) for u in (r, v, w_b - w_a, a, wd_b - wd_a - np.cross(w_a, w_b)))
    r, v, w, a, wd = turned
    return Relative(r, _begun_positive(rot.continued(rot.product(back, e_b))), v, w, a, wd)


class Axes(NamedTuple):
    """Kind of a joint and its axes in the first attachment's frame: of a `CutEntry` what the formulas need."""

    kind: str
    axis: np.ndarray
    axis2: np.ndarray


def _begun_positive(e: np.ndarray) -> np.ndarray:
    """Return the same rotations with the first w not negative."""
    return -e if len(e) and e[0, 0] < 0.0 else e


def coordinates(source: Source, cut: CutEntry) -> np.ndarray:
    """Coordinates of a cut joint (nf, nq)."""
    seen = relative_motion(source, cut)
    turn = _turned(seen, cut)
    if not JOINT_KINDS[cut.kind].ball and turn.shape[1]:
        turn = rot.unwound(turn, _turning(seen, cut)[0], source.array("t"))
    return _arranged(cut, seen.r, turn)


def motion_seen(seen: Relative, joint: Axes) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates (nf, nq), angles up to full turns, and rates (nf, nv) of a joint whose attachments move so."""
    return _arranged(joint, seen.r, _turned(seen, joint)), _arranged(joint, seen.v, _turning(seen, joint)[0])


def rates(source: Source, cut: CutEntry) -> np.ndarray:
    """Rates of a cut joint (nf, nv)."""
    seen = relative_motion(source, cut)
    return _arranged(cut, seen.v, _turning(seen, cut)[0])


def accelerations(source: Source, cut: CutEntry) -> np.ndarray:
    """Derivatives of the rates of a cut joint (nf, nv)."""
    seen = relative_motion(source, cut)
    return _arranged(cut, seen.a, _turning(seen, cut)[1])


def efforts(source: Source, cut: CutEntry) -> np.ndarray:
    """Efforts on the coordinates of a cut joint (nf, nv): none, as a joint that something acts on is not cut."""
    return np.zeros_like(rates(source, cut))


def _turns(record: JointRecord) -> int:
    """Number of the freedoms that turn."""
    return sum(1 for freedom in record.freedoms if freedom.turns)


def _arranged(cut: CutEntry | Axes, slide: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Columns of a joint in its own order: a vector (nf, 3) along the displacements, and columns of the turning."""
    record, count, columns = JOINT_KINDS[cut.kind], 0, []
    frame = alignment(np.asarray(cut.axis)) if len(record.axes) == 1 else np.eye(3)
    for freedom in record.freedoms:
        if freedom.turns:
            columns.append(turn[:, count])
            count += 1
        else:
            columns.append(slide @ frame[:, AXES.index(freedom.slides)])
    return np.column_stack([*columns, turn[:, count:]])


def _turned(seen: Relative, cut: CutEntry | Axes) -> np.ndarray:
    """Angles of the joint's turning, up to full turns, or the quaternion of a ball (nf, n)."""
    record = JOINT_KINDS[cut.kind]
    if record.ball:
        return seen.turn
    if record.cross:
        return _universal_angles(seen.turn, cut)
    if _turns(record):
        out: np.ndarray = 2.0 * np.arctan2(seen.turn[:, 1:] @ cut.axis, seen.turn[:, 0])[:, None]
        return out
    return np.zeros((len(seen.r), 0))


def _turning(seen: Relative, cut: CutEntry | Axes) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the joint's turning, and their derivatives (nf, n)."""
    record = JOINT_KINDS[cut.kind]
    if record.ball:
        return seen.w, seen.wd
    if record.cross:
        return _universal_rates(seen, cut)
    axes = np.reshape(cut.axis, (3, 1)) if _turns(record) else np.zeros((3, 0))
    return seen.w @ axes, seen.wd @ axes


def _angle_about(axis: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Angles about a unit axis (3,) from the vectors `begin` to the vectors `end`, (3,) or (nf, 3)."""
    across = np.cross(axis, begin)
    out: np.ndarray = np.arctan2(np.sum(across * end, axis=-1), np.sum(across * np.cross(axis, end), axis=-1))
    return out


def _universal_angles(turn: np.ndarray, cut: CutEntry | Axes) -> np.ndarray:
    n1, n2 = np.asarray(cut.axis), np.asarray(cut.axis2)
    return np.stack([_angle_about(n1, n2, rot.rotated(turn, n2)),
                     _angle_about(n2, rot.rotated(rot.conjugated(turn), n1), n1)], axis=1)


def _universal_rates(seen: Relative, cut: CutEntry | Axes) -> tuple[np.ndarray, np.ndarray]:
    n1, d = np.asarray(cut.axis), rot.rotated(seen.turn, np.asarray(cut.axis2))
    speed = _in_plane(n1, d, seen.w)
    twist = np.cross(n1, d) * (speed[:, :1] * speed[:, 1:])
    return speed, _in_plane(n1, d, seen.wd - twist)


def _in_plane(n1: np.ndarray, d: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Components (nf, 2) of vectors u (nf, 3) along the unit vectors n1 (3,) and d (nf, 3), skew or not."""
    c, along, across = d @ n1, u @ n1, np.sum(d * u, axis=1)
    out: np.ndarray = np.stack([along - c * across, across - c * along], axis=1) / (1.0 - c**2)[:, None]
    return out
