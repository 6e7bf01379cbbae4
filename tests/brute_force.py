"""Independent reference for the tests: maximal coordinates, Lagrange multipliers, one dense solve, plain NumPy.

Nothing of the package's numerics is used.  Motions are jets (value, rate, second derivative) by brute_motion.py, applied
forces wrenches by brute_loads.py.

The unknowns are, for every body, the accelerations of its centre of mass and of its rotation, for every joint the
wrench on its second body at the second point, and the accelerations of the joint coordinates.  The equations:

    m a = F,  I wd + w x I w = T                                                 (3)  Newton, Euler
    (p1 + A r - p2)'' = 0,  skew part of ((A R)'' - B'') B^T = 0                 (4)  joints
    S_i . wrench = 0, or qdd_i = given for a driven coordinate                   (5)  free directions

(4) is linear in the accelerations; its coefficients are its values for unit accelerations at rest, its constant term
the value for zero accelerations in motion, so that nothing is differenced and nothing cancels.

Only trees (or loops that are not redundant, with coordinates that close them).  Use::

    ref = reference_state(check(model), {"elbow": 0.2}, {"elbow": -1.0}, t=0.0)
    ref.joints["elbow"].acceleration, ref.joints["elbow"].force, ref.bodies["lower"].acceleration, ref.kinetic
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from brute_loads import Wrench, applied_wrenches, bushing_strain, is_joint_spring, law_derivatives
from brute_motion import I3, Z3, BodyState, body_states, joint_jets, rotation_vector, skew, vee

from dalembert.codes import ForceCode, JointCode
from dalembert.model.checked import CheckedJoint, CheckedModel
from dalembert.model.joints import JOINT_RECORDS

QUATERNION_AT = {JointCode.SPHERICAL: 0, JointCode.FREE: 3}
"""Where the quaternion begins among the coordinates of a joint that has one."""


# --- the dense system ----------------------------------------------------------------------------------------------

class Numbering(NamedTuple):
    """Columns of the unknowns: body i at 6 (i - 1), joint wrench k at `wrench[k]`, accelerations at `rate[k]`."""

    wrench: list[int]
    rate: list[int]
    size: int

    @staticmethod
    def body(i: int) -> slice:
        """Return the columns of body i >= 1."""
        return slice(6 * (i - 1), 6 * i)


def number_unknowns(model: CheckedModel) -> Numbering:
    """Return the numbering of bodies, joint wrenches and joint accelerations, in this order."""
    n_body, n_joint = len(model.bodies) - 1, len(model.joints)
    sizes = [JOINT_RECORDS[joint.code].sizes[1] for joint in model.joints]
    rate = [6 * (n_body + n_joint) + sum(sizes[:k]) for k in range(n_joint)]
    return Numbering([6 * (n_body + k) for k in range(n_joint)], rate, 6 * (n_body + n_joint) + sum(sizes))


def add_newton_euler(model, states, number, wrenches, M, rhs):
    """Fill the rows (3): mass and inertia on the left, applied wrenches and the gyroscopic torque on the right."""
    for i, (body, s) in enumerate(zip(model.bodies, states, strict=True)):
        if i > 0:
            rows, inertia = number.body(i), s.R @ body.inertia @ s.R.T
            M[rows, rows] = np.block([[body.mass * I3, 0 * I3], [0 * I3, inertia]])
            rhs[rows][3:] -= np.cross(s.w, inertia @ s.w)
    for wrench in wrenches:
        if wrench.body > 0:
            arm = wrench.point - states[wrench.body].x
            rhs[number.body(wrench.body)] += np.concatenate((wrench.force, wrench.torque + np.cross(arm, wrench.force)))


def joint_defect(joint: CheckedJoint, first: BodyState, second: BodyState, q, u, accelerations):
    """Return the left side of (4) for accelerations (a1, wd1, a2, wd2, qdd) in one vector."""
    a1, wd1, a2, wd2, ud = np.split(accelerations, (3, 6, 9, 12))
    R, r = joint_jets(joint, q, u, ud)
    (p1, A), (p2, B) = first.place(joint.first, a1, wd1), second.place(joint.second, a2, wd2)
    gap = p1.plus(A.times(r)).plus(p2, -1.0)
    twist = A.times(R).plus(B, -1.0)
    return np.concatenate((gap.second, vee(twist.second @ B.value.T)))


def free_directions(joint: CheckedJoint, A, q, n_rate) -> np.ndarray:
    """Return (6, n_rate): velocity of the second point and angular velocity, relative to the first, of unit rates."""
    S = np.empty((6, n_rate))
    for i, unit in enumerate(np.eye(n_rate)):
        R, r = joint_jets(joint, q, unit, np.zeros(n_rate))
        S[:, i] = np.concatenate((A @ r.rate, A @ vee(R.rate @ R.value.T)))
    return S


def add_joint(model, states, number, k, q, u, M, rhs):
    """Fill the columns of joint k's wrench in (3), on the left side, its rows (4), and (5) as if nothing drove it."""
    joint = model.joints[k]
    i, j, n_rate = joint.first.body, joint.second.body, len(u)
    first, second = states[i], states[j]
    rows = wrench = slice(number.wrench[k], number.wrench[k] + 6)
    rates = slice(number.rate[k], number.rate[k] + n_rate)
    p2, A = second.place(joint.second)[0].value, first.place(joint.first)[1].value
    for body, state, sign in ((j, second, -1.0), (i, first, 1.0)):
        if body > 0:
            M[number.body(body), wrench] = sign * np.block([[I3, 0 * I3], [skew(p2 - state.x), I3]])
    rest = (joint, first.at_rest(), second.at_rest(), q, 0 * u)
    J = np.array([joint_defect(*rest, unit) for unit in np.eye(12 + n_rate)]).T
    for body, columns in ((i, J[:, :6]), (j, J[:, 6:12])):
        if body > 0:
            M[rows, number.body(body)] = columns
    M[rows, rates] = J[:, 12:]
    rhs[rows] = -joint_defect(joint, first, second, q, u, np.zeros(12 + n_rate))
    M[rates, wrench] = free_directions(joint, A, q, n_rate).T


def add_motion(number, motion, t, M, rhs):
    """Replace the row (5) of a driven coordinate by its acceleration."""
    row = number.rate[motion.joint] + motion.coordinate
    derivatives = law_derivatives(motion.law, t, motion.derivative_step)
    M[row] = 0.0
    M[row, row] = 1.0
    rhs[row] = derivatives[1] if motion.speed else derivatives[2]


def solve_balanced(M, rhs) -> tuple[np.ndarray, float]:
    """Solve after scaling rows and columns to unit size, refine once; return also the scaled condition number."""
    row = 1 / np.abs(M).max(axis=1)
    column = 1 / np.abs(M * row[:, None]).max(axis=0)
    scaled = row[:, None] * M * column
    x = np.linalg.solve(scaled, row * rhs)
    x += np.linalg.solve(scaled, row * rhs - scaled @ x)
    return column * x, float(np.linalg.cond(scaled))


# --- results -------------------------------------------------------------------------------------------------------

class BodyMotion(NamedTuple):
    """Motion of a body's own frame (its origin, not its centre of mass); world axes, SI."""

    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    acceleration: np.ndarray
    angular_acceleration: np.ndarray


class JointResult(NamedTuple):
    """Accelerations of the joint's rates; force and torque on its second body at the second point, world axes.

    The reaction leaves out applied efforts (springs, motors) and contains that of a drive.
    """

    acceleration: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    point: np.ndarray


@dataclass(frozen=True)
class Reference:
    """Everything about one state; `rate_of_kinetic` is dT/dt [W], `condition` that of the scaled dense system."""

    bodies: dict[str, BodyMotion]
    joints: dict[str, JointResult]
    kinetic: float
    potential: float
    linear_momentum: np.ndarray
    angular_momentum: np.ndarray
    rate_of_kinetic: float
    applied: list[Wrench]
    condition: float
    unknowns: int

    def power(self, names: list[str]) -> float:
        """Return the power of all applied wrenches [W]; `names` are those of the model's bodies in order."""
        total = 0.0
        for body, point, force, torque in self.applied:
            motion = self.bodies[names[body]]
            v = motion.velocity + np.cross(motion.angular_velocity, point - motion.position)
            total += force @ v + torque @ motion.angular_velocity
        return total


def joint_vectors(model: CheckedModel, coordinates, rates):
    """Return the lists of coordinates and rates of all joints; missing ones are zero, quaternions made unit."""
    q, u = [], []
    for joint in model.joints:
        n_q, n_v = JOINT_RECORDS[joint.code].sizes
        zero, at = np.zeros(n_q), QUATERNION_AT.get(joint.code)
        if at is not None:
            zero[at] = 1.0
        own = np.array(np.atleast_1d(coordinates.get(joint.name, zero)), dtype=float)
        if at is not None:
            own[at:] /= np.linalg.norm(own[at:])
        q.append(own)
        u.append(np.array(np.atleast_1d(rates.get(joint.name, np.zeros(n_v))), dtype=float))
        if (len(q[-1]), len(u[-1])) != (n_q, n_v):
            raise ValueError(f"joint {joint.name!r}: {n_q} coordinates and {n_v} rates expected")
    return q, u


def potential_energy(model: CheckedModel, states, q) -> float:
    """Return the energy of gravity (zero at the world's origin) and of all springs [J]."""
    total = -sum(b.mass * model.gravity @ s.x for b, s in zip(model.bodies, states, strict=True))
    for force in model.forces:
        if is_joint_spring(force):
            total += 0.5 * force.stiffness[0] * (q[force.joint][force.coordinate] - force.rest) ** 2
        elif force.code == ForceCode.SPRING_DAMPER:
            p1, p2 = (states[place.body].place(place)[0].value for place in (force.first, force.second))
            total += 0.5 * force.stiffness[0] * (np.linalg.norm(p2 - p1) - force.rest) ** 2
        elif force.code == ForceCode.BUSHING:
            x, R = bushing_strain(states, force)
            total += 0.5 * (force.stiffness @ x.value**2 + force.turning_stiffness @ rotation_vector(R.value) ** 2)
    return float(total)


def body_motion(state: BodyState, a, wd) -> BodyMotion:
    """Return the motion of the body's origin from that of its centre of mass."""
    x, R = state.jets(a, wd)
    origin = x.plus(R.mapped(state.com_b), -1.0)
    return BodyMotion(origin.value, R.value, origin.rate, state.w, origin.second, wd)


def system_sums(model: CheckedModel, states, accelerations) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Return kinetic energy, linear momentum, angular momentum about the world's origin, rate of kinetic energy."""
    energy, rate, linear, angular = 0.0, 0.0, np.zeros(3), np.zeros(3)
    for body, s, (a, wd) in zip(model.bodies, states, accelerations, strict=True):
        inertia = s.R @ body.inertia @ s.R.T
        spin, p = inertia @ s.w, body.mass * s.v
        energy += 0.5 * (s.v @ p + s.w @ spin)
        rate += a @ p + wd @ spin
        linear += p
        angular += spin + np.cross(s.x, p)
    return energy, linear, angular, rate


def reference_state(model: CheckedModel, coordinates: dict, rates: dict, t: float = 0.0) -> Reference:
    """Return motion, reactions, energy and momentum of a checked model in one state.

    Parameters
    ----------
    model : CheckedModel
    coordinates, rates : dict
        Joint name -> its own coordinates and rates, in the order of the joint's definition; missing ones are zero.
        Driven ones are taken as given; a drive only sets the acceleration.
    t : float
        Time for the laws [s].
    """
    q, u = joint_vectors(model, coordinates, rates)
    states = body_states(model, q, u)
    applied = applied_wrenches(model, states, q, u, t)
    number = number_unknowns(model)
    M, rhs = np.zeros((number.size, number.size)), np.zeros(number.size)
    add_newton_euler(model, states, number, applied, M, rhs)
    for k in range(len(model.joints)):
        add_joint(model, states, number, k, q[k], u[k], M, rhs)
    for motion in model.motions:
        add_motion(number, motion, t, M, rhs)
    solution, condition = solve_balanced(M, rhs)

    accelerations = [(Z3, Z3)] + [tuple(np.split(solution[number.body(i)], 2)) for i in range(1, len(states))]
    bodies = {b.name: body_motion(s, *a) for b, s, a in zip(model.bodies, states, accelerations, strict=True)}
    joints = {}
    for k, joint in enumerate(model.joints):
        f, tau = np.split(solution[number.wrench[k]:number.wrench[k] + 6], 2)
        point = states[joint.second.body].place(joint.second)[0].value
        joints[joint.name] = JointResult(solution[number.rate[k]:number.rate[k] + len(u[k])], f, tau, point)
    kinetic, linear, angular, rate = system_sums(model, states, accelerations)
    return Reference(bodies, joints, kinetic, potential_energy(model, states, q), linear, angular, rate,
                     applied, condition, number.size)
