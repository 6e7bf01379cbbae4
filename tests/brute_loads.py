"""Laws and force elements for the reference of the tests (brute_force.py): wrenches on bodies, from their definitions.

Laws: numbers, sines, ramps, straight tables and functions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from brute_motion import Z3, rotation_about, rotation_vector, rotation_vector_map, shortest_rotation, vee

from dalembert.codes import ForceCode, JointCode
from dalembert.model.checked import CheckedForce, CheckedJoint, CheckedModel
from dalembert.model.laws import CompiledLaw, Ramp, Sine, Table, argument_count


def law_value(law, t, x=0.0, v=0.0, point=()) -> float:
    """Return y(t, x, v), or y(t, *point) of a law that takes the six numbers of a point."""
    if law is None:
        return 0.0
    if isinstance(law, Table) and law.kind == "linear":
        return float(np.interp(t, law.t, law.y))
    if isinstance(law, (Sine, Ramp, int, float)):
        return law_derivatives(law, t)[0]
    if callable(law):
        function = law.function if isinstance(law, CompiledLaw) else law
        count = argument_count(function)
        return float(function(t) if count == 1 else function(t, x, v) if count == 3 else function(t, *point))
    raise TypeError(f"the reference has no formula for the law {law!r}")


def law_derivatives(law, t, h=1e-3) -> tuple[float, float, float]:
    """Return y, y', y'' of a law of time; a function is differenced over six neighbours, h apart."""
    if isinstance(law, (int, float)):
        return float(law), 0.0, 0.0
    if isinstance(law, Sine):
        phase, w = law.omega * t + law.phase, law.omega
        s, c = law.amplitude * np.sin(phase), law.amplitude * np.cos(phase)
        return law.offset + s, w * c, -w**2 * s
    if isinstance(law, Ramp):
        span = law.finish - law.begin
        s = min(max((t - law.begin) / span, 0.0), 1.0)
        blend, rise = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6]), law.end - law.start
        return law.start + rise * blend(s), rise * blend.deriv()(s) / span, rise * blend.deriv(2)(s) / span**2
    y = np.array([law_value(law, t + k * h) for k in range(-3, 4)])
    return y[3], np.array([-1, 9, -45, 0, 45, -9, 1]) @ y / (60 * h), (
        np.array([2, -27, 270, -490, 270, -27, 2]) @ y / (180 * h**2))


class Wrench(NamedTuple):
    """A force at a point and a torque on body number `body`; world axes."""

    body: int
    point: np.ndarray
    force: np.ndarray
    torque: np.ndarray


def pair(first: int, second: int, point, force, torque) -> list[Wrench]:
    """Return a wrench on the second body and its opposite, in the same line, on the first."""
    return [Wrench(second, point, force, torque), Wrench(first, point, -force, -torque)]


def effort_wrench(joint: CheckedJoint, A, q, effort):
    """Return force and torque on the second body at its point for efforts on the joint's rates; A = first axes."""
    code, axis = joint.code, A @ joint.axis
    if code in (JointCode.REVOLUTE, JointCode.SCREW):
        return Z3, axis * effort[0]
    if code == JointCode.PRISMATIC:
        return axis * effort[0], Z3
    if code == JointCode.CYLINDRICAL:
        return axis * effort[1], axis * effort[0]
    if code == JointCode.UNIVERSAL:
        axis2 = A @ rotation_about(joint.axis, q[0]) @ joint.axis2
        return Z3, np.linalg.pinv(np.array([axis, axis2])) @ effort
    if code == JointCode.PLANAR:
        return A @ shortest_rotation(joint.axis)[:, :2] @ effort[:2], axis * effort[2]
    if code == JointCode.FREE:
        return A @ effort[:3], A @ effort[3:]
    raise ValueError(f"joint {joint.name!r}: no effort on the coordinates of {code!r}")


def joint_element_wrenches(model: CheckedModel, states, q, u, force: CheckedForce, t) -> list[Wrench]:
    """Return the wrenches of a joint spring or a motor."""
    joint, c = model.joints[force.joint], force.coordinate
    x, v = q[force.joint][c], u[force.joint][c]
    effort = np.zeros(len(u[force.joint]))
    effort[c] = -force.stiffness[0] * (x - force.rest) - force.damping[0] * v if is_joint_spring(force) else 0.0
    effort[c] += law_value(force.law, t, x, v)
    A = states[joint.first.body].place(joint.first)[1].value
    p2 = states[joint.second.body].place(joint.second)[0].value
    return pair(joint.first.body, joint.second.body, p2, *effort_wrench(joint, A, q[force.joint], effort))


def is_joint_spring(force: CheckedForce) -> bool:
    """Tell a joint spring from a motor."""
    return force.code == ForceCode.JOINT_SPRING


def spring_damper_wrenches(states, force: CheckedForce, t) -> list[Wrench]:
    """Return the pulls of a spring and damper between two points."""
    p1, p2 = (states[place.body].place(place)[0] for place in (force.first, force.second))
    d, dd = p2.value - p1.value, p2.rate - p1.rate
    length = np.linalg.norm(d)
    e = d / length
    tension = (force.stiffness[0] * (length - force.rest) + force.damping[0] * (e @ dd)
               + law_value(force.law, t, length, e @ dd))
    return pair(force.first.body, force.second.body, p2.value, -tension * e, Z3)


def bushing_strain(states, force: CheckedForce):
    """Return jets of the displacement and the rotation of the second frame, in the first one's axes."""
    (p1, A), (p2, B) = (states[place.body].place(place) for place in (force.first, force.second))
    return A.transposed.times(p2.plus(p1, -1.0)), A.transposed.times(B)


def bushing_wrenches(states, force: CheckedForce) -> list[Wrench]:
    """Return the wrenches of a bushing; the elastic torque is the gradient of 1/2 th.Kt th."""
    x, R = bushing_strain(states, force)
    th, w = rotation_vector(R.value), vee(R.rate @ R.value.T)
    f = -force.stiffness * x.value - force.damping * x.rate
    tau = -np.linalg.solve(rotation_vector_map(th).T, force.turning_stiffness * th) - force.turning_damping * w
    A = states[force.first.body].place(force.first)[1].value
    p2 = states[force.second.body].place(force.second)[0].value
    return pair(force.first.body, force.second.body, p2, A @ f, A @ tau)


def load_wrenches(states, force: CheckedForce, t) -> list[Wrench]:
    """Return the wrench of a force or a torque from outside."""
    state, place = states[force.first.body], force.first
    p, A = state.place(place)
    d = A.value @ force.direction if force.follow else force.direction
    if force.code == ForceCode.TORQUE:
        return [Wrench(place.body, p.value, Z3, d * law_value(force.law, t, 0.0, d @ state.w))]
    size = law_value(force.law, t, d @ p.value, d @ p.rate, (*p.value, *p.rate))
    return [Wrench(place.body, p.value, d * size, Z3)]


def applied_wrenches(model: CheckedModel, states, q, u, t) -> list[Wrench]:
    """Return the wrenches of gravity and all force elements on all bodies (the ground's too)."""
    wrenches = [Wrench(i, s.x, b.mass * model.gravity, Z3)
                for i, (b, s) in enumerate(zip(model.bodies, states, strict=True)) if i > 0]
    for force in model.forces:
        if force.code in (ForceCode.JOINT_SPRING, ForceCode.MOTOR):
            wrenches += joint_element_wrenches(model, states, q, u, force, t)
        elif force.code == ForceCode.SPRING_DAMPER:
            wrenches += spring_damper_wrenches(states, force, t)
        elif force.code == ForceCode.BUSHING:
            wrenches += bushing_wrenches(states, force)
        elif force.code in (ForceCode.FORCE, ForceCode.TORQUE):
            wrenches += load_wrenches(states, force, t)
        else:
            raise ValueError(f"force {force.name!r}: no formula for {force.code!r}")
    return wrenches
