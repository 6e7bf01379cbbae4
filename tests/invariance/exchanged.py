"""The same mechanism with both ends of its joints exchanged; see transformations.py."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from brute_motion import rotation_about, sandwich, shortest_rotation
from invariance.plainly import plain, with_factors
from invariance.transformations import SLIDES, Change
from random_models import start_value

import dalembert as dal
from dalembert.model.guesses import Guess


@dataclass
class Exchanged(Change):
    """First and second of these joints, of spring-dampers and of distances exchanged."""

    joints: frozenset
    given = True

    def write(self, model):
        model = plain(model)
        out = with_factors(model, self._factor)
        for joint in model.joints:
            if joint.name in self.joints:
                out = out.replaced(joint.name, **_inverse_fields(joint))
        for part in (*model.forces, *model.constraints):
            if isinstance(part, (dal.SpringDamper, dal.Distance)):
                out = out.replaced(part.name, first=part.second, second=part.first)
        return out

    def _factor(self, joint, coordinate):
        if joint.name not in self.joints:
            return coordinate, 1.0
        if isinstance(joint, dal.Universal):
            return {"angle1": "angle2", "angle2": "angle1"}[coordinate], -1.0
        return coordinate, -1.0

    def back(self, seen, model):
        seen = dict(seen)
        for motion in model.motions:
            seen["effort", motion.name] = seen["effort", motion.name] * self._factor(model[motion.joint], "angle1")[1]
        for name in self.joints:
            joint, f, arm = plain(model)[name], seen["force", name], seen["arm", name]
            # the load on the other body, about the other attachment
            seen["force", name], seen["arm", name] = -f, -arm
            seen["torque", name] = -seen["torque", name] - np.cross(arm, f)
            if joint.coordinates:
                q, u = seen["coordinates", name], seen["rates", name]
                back = replace(joint, **_inverse_axes(joint))
                both = [inverse_state(back, a, b) for a, b in zip(q, u, strict=True)]
                seen["coordinates", name], seen["rates", name] = (np.array(each) for each in zip(*both, strict=True))
        return seen


def exchangeable(model):
    """Names of the joints whose first and second may be exchanged: no element acts on a slide that would turn with them."""
    model = plain(model)
    acted = [(p.joint, p.coordinate) for p in (*model.forces, *model.motions) if hasattr(p, "joint")]
    for c in model.constraints:
        if isinstance(c, dal.Gear):
            acted += [(c.first, c.first_coordinate), (c.second, c.second_coordinate)]
        elif isinstance(c, dal.CoordinateCoupling):
            to = [c.to] if isinstance(c.to, str) else list(c.to)
            acted += [(c.joint, c.coordinate), *(tuple(key.rpartition(".")[::2]) for key in to)]
    fixed = {j for j, c in acted if isinstance(model[j], (dal.Planar, dal.Free)) and c in SLIDES}
    return [j.name for j in model.joints if j.name not in fixed]


def _inverse_axes(joint):
    return {"axis1": joint.axis2, "axis2": joint.axis1} if isinstance(joint, dal.Universal) else {}


def _inverse_fields(joint):
    """Fields of the joint from second to first, with the start of the inverse motion."""
    said = {"first": joint.second, "second": joint.first, **_inverse_axes(joint)}
    if joint.start is None:
        return said
    guessed = isinstance(joint.start, Guess)
    q = np.atleast_1d(joint.start.value if guessed else joint.start)
    u = np.zeros(_rates(joint)) if joint.start_rate is None else np.atleast_1d(joint.start_rate)
    q, u = inverse_state(joint, q, u)
    said["start"] = dal.guess(start_value(q)) if guessed else start_value(q)
    if joint.start_rate is not None:
        said["start_rate"] = start_value(u)
    return said


def _rates(joint):
    return len(joint.coordinates) - isinstance(joint, (dal.Spherical, dal.Free))


def quaternion_inverse(e):
    """Return the quaternion of the inverse rotation."""
    return np.array([e[0], -e[1], -e[2], -e[3]])


def inverse_state(joint, q, u):
    """Return coordinates and rates of the inverse motion of a joint, which its exchanged twin has."""
    if isinstance(joint, dal.Universal):
        return -q[::-1], -u[::-1]
    if isinstance(joint, dal.Spherical):
        return quaternion_inverse(q), -sandwich(q, q).T @ u
    if isinstance(joint, dal.Free):
        R, w = sandwich(q[3:], q[3:]), u[3:]
        return (np.concatenate([-R.T @ q[:3], quaternion_inverse(q[3:])]),
                np.concatenate([R.T @ (np.cross(w, q[:3]) - u[:3]), -R.T @ w]))
    if isinstance(joint, dal.Planar):
        n = np.asarray(joint.axis, float)
        C = shortest_rotation(n)
        R, r, v, w = rotation_about(n, q[2]), C @ (q[0], q[1], 0), C @ (u[0], u[1], 0), u[2] * n
        back, speed = C.T @ (-R.T @ r), C.T @ (R.T @ (np.cross(w, r) - v))
        return np.array([back[0], back[1], -q[2]]), np.array([speed[0], speed[1], -u[2]])
    return -q, -u
