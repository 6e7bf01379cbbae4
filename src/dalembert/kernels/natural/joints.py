"""Joint coordinates of the tree from natural coordinates: inverse kinematics of every joint, O(N).

An angle or a displacement is a shape of shapes.py between the parent's joint frame A at coordinate zero and the
body's own frame: atan2(y_A·x, x_A·x), or an axis of A times the distance of the origins.  It is defined, with its rate,
also where the joint's rows are violated.  An angle is taken next to a given value, so that it may grow over many turns, and
a quaternion next to a given one.  The rates of a ball are Aᵀ(w - w_p); their derivatives follow from
    w' = w_p' + w_p x (w - w_p) + A qdd.                                                                 (1)
"""

from math import floor, pi, sqrt

from ...codes import RowCode, Status
from ..algebra.quad import load_columns
from ..algebra.rotation import quaternion_of_matrix
from ..algebra.small import cross, dot3, load3, sub3, tmul33
from ..compile.jit import kernel
from .coordinates import direction_of, eval_natural_state, spin_of
from .shapes import along, eval_shape, shape_gradient, source_vectors, vary_gradient

ANGLE, BALL = -1, -2
"""What replaces the axis of a coordinate that does not slide: an angle, or a part of a ball."""


@kernel
def unknown_joint(i, work) -> int:
    """UNKNOWN_JOINT of body row i."""
    work.fail[0].body = i
    return Status.UNKNOWN_JOINT.value


@kernel
def joint_axis(b, c):
    """Axis c = 0, 1, 2 of the joint frame at coordinate zero, axes of the parent."""
    return (b.R_pj[c], b.R_pj[c + 3], b.R_pj[c + 6])


@kernel
def joint_source(sys, i, axis):
    """Source of a joint coordinate of body row i: (a, b, u_a, e_a, f_a, u_b, e_b).

    For the angle (axis < 0) e_a, f_a are the joint's x and y and e_b the body's x; else e_a is that axis of the joint.
    """
    b, zero = sys.body[i], (0.0, 0.0, 0.0)
    if axis < 0:
        return (b.parent, i, load3(b.d_p), joint_axis(b, 0), joint_axis(b, 1), zero, (1.0, 0.0, 0.0))
    return (b.parent, i, load3(b.d_p), joint_axis(b, axis), zero, zero, zero)


@kernel
def coordinate_shape(sys, k, v):
    """Shape (RowCode) and source of coordinate number k, whose rate has number v; not of a quaternion."""
    i, axis = sys.dof[v].body, sys.dof[v].axis
    return RowCode.COORDINATES.value if axis == ANGLE else RowCode.POSITION.value, joint_source(sys, i, axis)


@kernel
def next_to(angle, near):
    """The angle plus the turns that bring it within half a turn of `near` [rad]."""
    return angle + 2.0 * pi * floor((near - angle) / (2.0 * pi) + 0.5)


@kernel
def eval_ball(i, k, v, q, qd, near, qj, qdj, sys, work):
    """Quaternion qj[k : k + 4], of the sign next to `near`, and rates qdj[v : v + 3] of a ball that carries row i."""
    b = sys.body[i]
    x, y, z = joint_axis(b, 0), joint_axis(b, 1), joint_axis(b, 2)
    p = b.parent
    X, Y, Z = direction_of(sys, q, p, x, 1.0), direction_of(sys, q, p, y, 1.0), direction_of(sys, q, p, z, 1.0)
    e = quaternion_of_matrix(tmul33((X[0], Y[0], Z[0], X[1], Y[1], Z[1], X[2], Y[2], Z[2]), load_columns(work.body[i].E_wb)))
    size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    same = e[0] * near[k] + e[1] * near[k + 1] + e[2] * near[k + 2] + e[3] * near[k + 3]
    factor = 1.0 / size if same >= 0.0 else -1.0 / size
    for c in range(4):
        qj[k + c] = factor * e[c]
    w = sub3(load3(work.body[i].w_w), load3(work.body[b.parent].w_w))
    qdj[v], qdj[v + 1], qdj[v + 2] = dot3(X, w), dot3(Y, w), dot3(Z, w)


@kernel
def eval_joint_coordinates(sys, q, qd, qj_near, qj, qdj, work) -> int:
    """Fill the coordinates qj and rates qdj of the tree for natural q, qd, after `eval_natural_state`.

    Angles and quaternions are those next to qj_near, which may be qj itself.
    """
    for i in range(1, sys.body.shape[0]):
        b = sys.body[i]
        k = 0
        while k < b.nv:
            axis = sys.dof[b.v + k].axis
            if axis < BALL or axis > 2:
                return unknown_joint(i, work)
            if axis == BALL:
                eval_ball(i, b.q + k, b.v + k, q, qd, qj_near, qj, qdj, sys, work)
                k += 3
                continue
            code, source = coordinate_shape(sys, b.q + k, b.v + k)
            X = source_vectors(sys, source, q, 1.0)
            value = eval_shape(code, X, 0.0, 0.0)
            qj[b.q + k] = next_to(value, qj_near[b.q + k]) if axis == ANGLE else value
            qdj[b.v + k] = along(shape_gradient(code, X, 0.0, 0.0), source_vectors(sys, source, qd, 0.0))
            k += 1
    return Status.OK.value


@kernel
def eval_ball_acceleration(i, v, q, qdd, qddj, sys, work):
    """Accelerations qddj[v : v + 3] of a ball that carries row i, by (1)."""
    b = sys.body[i]
    w, w_p = load3(work.body[i].w_w), load3(work.body[b.parent].w_w)
    al = sub3(sub3(spin_of(sys, q, qdd, i), spin_of(sys, q, qdd, b.parent)), cross(w_p, sub3(w, w_p)))
    for c in range(3):
        qddj[v + c] = dot3(direction_of(sys, q, b.parent, joint_axis(b, c), 1.0), al)


@kernel
def eval_joint_accelerations(sys, q, qd, qdd, qddj, work) -> int:
    """Fill the accelerations qddj (n_v of the tree,) for natural q, qd, qdd, after `eval_natural_state`."""
    for i in range(1, sys.body.shape[0]):
        b, k = sys.body[i], 0
        while k < b.nv:
            axis = sys.dof[b.v + k].axis
            if axis < BALL or axis > 2:
                return unknown_joint(i, work)
            if axis == BALL:
                eval_ball_acceleration(i, b.v + k, q, qdd, qddj, sys, work)
                k += 3
                continue
            code, source = coordinate_shape(sys, b.q + k, b.v + k)
            X, V = source_vectors(sys, source, q, 1.0), source_vectors(sys, source, qd, 0.0)
            bias = along(vary_gradient(code, X, V, 0.0, 0.0), V)
            qddj[b.v + k] = bias + along(shape_gradient(code, X, 0.0, 0.0), source_vectors(sys, source, qdd, 0.0))
            k += 1
    return Status.OK.value


@kernel
def joint_state_of_natural(sys, q, qd, qdd, qj_near, qj, qdj, qddj, work) -> int:
    """Fill coordinates, rates and accelerations of the tree for natural q, qd, qdd; see `eval_joint_coordinates`."""
    eval_natural_state(sys, q, qd, work)
    status = eval_joint_coordinates(sys, q, qd, qj_near, qj, qdj, work)
    return eval_joint_accelerations(sys, q, qd, qdd, qddj, work) if status == Status.OK.value else status


@kernel
def joint_frames_of_natural(sys, q, qd, qdd, near, qj, qdj, qddj, work) -> int:
    """As `joint_state_of_natural` for frames (nf, ...), with the modes of superelements behind the coordinates of the tree."""
    n_q, n_v = near.shape[1], sys.dof.shape[0]
    for f in range(q.shape[0]):
        status = joint_state_of_natural(sys, q[f], qd[f], qdd[f], near[f], qj[f], qdj[f], qddj[f], work)
        if status != Status.OK.value:
            return status
        at = 0
        for i in range(sys.sup.element.shape[0]):
            s = sys.sup.element[i]
            for k in range(s.eta, s.eta + s.n_mode):
                qj[f, n_q + at], qdj[f, n_v + at], qddj[f, n_v + at] = q[f, k], qd[f, k], qdd[f, k]
                at += 1
    return Status.OK.value
