"""Independent reference for the tests: maximal coordinates, Lagrange multipliers, one dense solve, plain NumPy.

Nothing of the package's numerics is used, and no spatial algebra.  Every quantity that moves is a *jet*
(value, rate, second derivative); the relative pose of a joint is written from the definition of its coordinates,
differentiated twice by the chain rule, and poses are chained by the Leibniz rule for matrix products:

    p2 = p1 + A r,  B = A R                                                      (1)  pose of the second frame
    (a b)'' = a'' b + 2 a' b' + a b''                                            (2)

The unknowns are, for every body, the accelerations of its centre of mass and of its rotation, for every joint the
wrench on its second body at the second point, and the accelerations of the joint coordinates.  The equations:

    m a = F,  I wd + w x I w = T                                                 (3)  Newton, Euler
    (p1 + A r - p2)'' = 0,  skew part of ((A R)'' - B'') B^T = 0                 (4)  joints
    S_i . wrench = 0, or qdd_i = given for a driven coordinate                   (5)  free directions

(4) is linear in the accelerations; its coefficients are its values for unit accelerations at rest, its constant term
the value for zero accelerations in motion, so that nothing is differenced and nothing cancels.

Only trees (or loops that are not redundant, with coordinates that close them).  Laws: numbers, sines, ramps, straight
tables and functions.  Use::

    ref = reference_state(check(model), {"elbow": 0.2}, {"elbow": -1.0}, t=0.0)
    ref.joints["elbow"].acceleration, ref.joints["elbow"].force, ref.bodies["lower"].acceleration, ref.kinetic
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.codes import JOINT_SIZES, ForceCode, JointCode
from dalembert.model.checked import CheckedForce, CheckedJoint, CheckedModel, Place
from dalembert.model.laws import CompiledLaw, Ramp, Sine, Table, argument_count

I3 = np.eye(3)
Z3 = np.zeros(3)
QUATERNION_AT = {JointCode.SPHERICAL: 0, JointCode.FREE: 3}
"""Where the quaternion begins among the coordinates of a joint that has one."""


# --- small algebra -------------------------------------------------------------------------------------------------

def skew(a):
    """Return the matrix of the cross product with a."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def vee(M):
    """Return the vector of the skew part of M."""
    return 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])


def rotation_about(axis, angle):
    """Return the matrix of the rotation by `angle` about the unit vector `axis`."""
    return turning(axis, angle, 0.0, 0.0).value


def shortest_rotation(axis):
    """Return the shortest rotation that takes z to `axis` (half a turn about x for -z)."""
    if axis[2] < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    K = skew(np.cross((0.0, 0.0, 1.0), axis))
    return I3 + K + K @ K / (1 + axis[2])


def quaternion_product(p, q):
    """Return the Hamilton product of two quaternions (w, x, y, z)."""
    p, q = np.asarray(p), np.asarray(q)
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + skew(p[1:]) @ q[1:]))


def sandwich(p, q):
    """Return the matrix of v -> vector part of p v q*; bilinear, and the rotation matrix for p = q, |q| = 1."""
    return np.outer(p[1:], q[1:]) + (p[0] * I3 + skew(p[1:])) @ (q[0] * I3 + skew(q[1:]))


def rotation_vector(R):
    """Return the rotation vector of R; good at all angles up to pi (largest eigenvector of Bar-Itzhack's matrix)."""
    M = np.empty((4, 4))
    M[0, 0], M[0, 1:], M[1:, 0] = np.trace(R), 2 * vee(R), 2 * vee(R)
    M[1:, 1:] = R + R.T - np.trace(R) * I3
    q = np.linalg.eigh(M)[1][:, -1]
    q = -q if q[0] < 0 else q
    s = np.linalg.norm(q[1:])
    return 2 * q[1:] if s == 0 else 2 * np.arctan2(s, q[0]) / s * q[1:]


def rotation_vector_map(th):
    """Return T(th) with w = T th', w the angular velocity of exp(skew(th)) in the axes it starts from."""
    a, K = np.linalg.norm(th), skew(th)
    if a < 1e-4:
        return I3 + K / 2 + K @ K / 6
    return I3 + (1 - np.cos(a)) / a**2 * K + (a - np.sin(a)) / a**3 * K @ K


# --- jets ----------------------------------------------------------------------------------------------------------

class Jet(NamedTuple):
    """A vector or matrix in motion: its value, its time derivative and its second one."""

    value: np.ndarray
    rate: np.ndarray
    second: np.ndarray

    def plus(self, other: Jet, sign: float = 1.0) -> Jet:
        """Return self + sign other."""
        return Jet(*(a + sign * b for a, b in zip(self, other, strict=True)))

    def times(self, other: Jet) -> Jet:
        """Return the matrix product, equation (2)."""
        a, b = self, other
        return Jet(a.value @ b.value, a.rate @ b.value + a.value @ b.rate,
                   a.second @ b.value + 2 * a.rate @ b.rate + a.value @ b.second)

    def mapped(self, M) -> Jet:
        """Return self @ M for a constant M."""
        return Jet(*(a @ M for a in self))

    @property
    def transposed(self) -> Jet:
        """The jet of the transposed matrix."""
        return Jet(*(a.T for a in self))


RESTING = Jet(I3, 0 * I3, 0 * I3)
HERE = Jet(Z3, Z3, Z3)


def turning(axis, a, ad, add) -> Jet:
    """Return the rotation about a fixed unit axis by an angle with its derivatives (Rodrigues, differentiated)."""
    K = skew(axis)
    K2, s, c = K @ K, np.sin(a), np.cos(a)
    R_a, R_aa = c * K + s * K2, -s * K + c * K2
    return Jet(I3 + s * K + (1 - c) * K2, R_a * ad, R_a * add + R_aa * ad**2)


def sliding(axis, x, xd, xdd) -> Jet:
    """Return the displacement along a fixed axis."""
    return Jet(axis * x, axis * xd, axis * xdd)


def tumbling(q, w, wd) -> Jet:
    """Return the rotation of a unit quaternion whose angular velocity in the fixed axes is w: q' = (0, w) q / 2."""
    qd = quaternion_product((0.0, *w), q) / 2
    qdd = (quaternion_product((0.0, *wd), q) + quaternion_product((0.0, *w), qd)) / 2
    return Jet(sandwich(q, q), sandwich(qd, q) + sandwich(q, qd),
               sandwich(qdd, q) + 2 * sandwich(qd, qd) + sandwich(q, qdd))


def joint_jets(joint: CheckedJoint, q, u, ud) -> tuple[Jet, Jet]:
    """Return R and r of equation (1) for coordinates q, rates u and their derivatives ud, by definition."""
    code, axis = joint.code, joint.axis
    if code == JointCode.FIXED:
        return RESTING, HERE
    if code == JointCode.REVOLUTE:
        return turning(axis, q[0], u[0], ud[0]), HERE
    if code == JointCode.PRISMATIC:
        return RESTING, sliding(axis, q[0], u[0], ud[0])
    if code == JointCode.SCREW:
        lead = joint.pitch / (2 * np.pi)
        return turning(axis, q[0], u[0], ud[0]), sliding(lead * axis, q[0], u[0], ud[0])
    if code == JointCode.CYLINDRICAL:
        return turning(axis, q[0], u[0], ud[0]), sliding(axis, q[1], u[1], ud[1])
    if code == JointCode.UNIVERSAL:
        return turning(axis, q[0], u[0], ud[0]).times(turning(joint.axis2, q[1], u[1], ud[1])), HERE
    if code == JointCode.PLANAR:
        C = shortest_rotation(axis)
        return turning(axis, q[2], u[2], ud[2]), Jet(*(C[:, :2] @ x[:2] for x in (q, u, ud)))
    if code == JointCode.SPHERICAL:
        return tumbling(q, u, ud), HERE
    if code == JointCode.FREE:
        return tumbling(q[3:], u[3:], ud[3:]), Jet(q[:3], u[:3], ud[:3])
    raise ValueError(f"joint {joint.name!r}: no formula for {code!r}")


# --- bodies --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class BodyState:
    """Pose and velocity of a body: centre of mass x, v [m, m/s], rotation R, angular velocity w [rad/s]; world axes."""

    com_b: np.ndarray
    x: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray

    def jets(self, a=Z3, wd=Z3) -> tuple[Jet, Jet]:
        """Return the jets of the centre of mass and the rotation for given accelerations."""
        W = skew(self.w)
        return Jet(self.x, self.v, a), Jet(self.R, W @ self.R, (skew(wd) + W @ W) @ self.R)

    def at_rest(self) -> BodyState:
        """Return the same pose without velocity."""
        return BodyState(self.com_b, self.x, self.R, Z3, Z3)

    def place(self, place: Place, a=Z3, wd=Z3) -> tuple[Jet, Jet]:
        """Return the jets of an attachment's point and axes."""
        x, R = self.jets(a, wd)
        return x.plus(R.mapped(place.position - self.com_b)), R.mapped(place.rotation)


def state_from_place(body, place: Place, p: Jet, A: Jet) -> BodyState:
    """Return the state of the body whose attachment `place` has the point p and the axes A."""
    R = A.mapped(place.rotation.T)
    x = p.plus(R.mapped(body.com - place.position))
    return BodyState(body.com, x.value, R.value, x.rate, vee(R.rate @ R.value.T))


def carried_state(model: CheckedModel, joint: CheckedJoint, known: BodyState, forward: bool, q, u) -> BodyState:
    """Return the state of the joint's second body from its first one, or of the first from the second."""
    R, r = joint_jets(joint, q, u, np.zeros(len(u)))
    if forward:
        p, A = known.place(joint.first)
        return state_from_place(model.bodies[joint.second.body], joint.second, p.plus(A.times(r)), A.times(R))
    p, B = known.place(joint.second)
    A = B.times(R.transposed)
    return state_from_place(model.bodies[joint.first.body], joint.first, p.plus(A.times(r), -1.0), A)


def body_states(model: CheckedModel, q, u) -> list[BodyState]:
    """Return the states of all bodies by walking the joints outwards from the ground."""
    states: dict[int, BodyState] = {0: BodyState(Z3, Z3, I3, Z3, Z3)}
    grown = True
    while grown:
        grown = False
        for k, joint in enumerate(model.joints):
            first, second = joint.first.body, joint.second.body
            if (first in states) == (second in states):
                continue
            near, far = (first, second) if first in states else (second, first)
            states[far] = carried_state(model, joint, states[near], near == first, q[k], u[k])
            grown = True
    missing = [b.name for i, b in enumerate(model.bodies) if i not in states]
    if missing:
        raise ValueError(f"no chain of joints leads from the ground to {missing}; give them Free joints")
    return [states[i] for i in range(len(model.bodies))]


# --- laws ----------------------------------------------------------------------------------------------------------

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


# --- forces --------------------------------------------------------------------------------------------------------

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
    sizes = [JOINT_SIZES[joint.code][1] for joint in model.joints]
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
        n_q, n_v = JOINT_SIZES[joint.code]
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
