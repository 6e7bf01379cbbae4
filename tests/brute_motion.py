"""Motion of joints and bodies for the reference of the tests (brute_force.py): plain NumPy, no spatial algebra.

Every quantity that moves is a *jet* (value, rate, second derivative); the relative pose of a joint is written from the
definition of its coordinates, differentiated twice by the chain rule, and poses are chained by the Leibniz rule for matrix
products:

    p2 = p1 + A r,  B = A R                                                      (1)  pose of the second frame
    (a b)'' = a'' b + 2 a' b' + a b''                                            (2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.codes import JointCode
from dalembert.model.checked import CheckedJoint, CheckedModel, Place

I3 = np.eye(3)
Z3 = np.zeros(3)


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
    versine = 1 + axis[2] if axis[2] > 0 else (axis[0] ** 2 + axis[1] ** 2) / (1 - axis[2])
    return I3 + K + K @ K / versine


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
