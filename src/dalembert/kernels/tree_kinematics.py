"""Outward pass over the spanning tree: rotations, velocities and acceleration terms of all bodies, O(N).

Seeds: [ARN (7)-(9)] joint kinematics, solved for the body (K = identity).  Deviations: absolute velocities are the
angular velocity and the velocity of the joint origin in world axes, H is minus the shift by d and J minus the matrix
of the directions s, since here p = r(p_parent, q) stands solved.
"""

from ..codes import JointCode, Status
from .jit import kernel, part
from .rotation import matrix_of_quaternion, rotated_z
from .small import (
    add3,
    axpy3,
    cross,
    load3,
    load6,
    load9,
    mul33,
    mul33_vec,
    rotated_sym,
    scale3,
    store3,
    store6,
    store9,
    sym_vec,
)


@kernel
def eval_joint_pose(b, q, A):
    """Pose that the joint adds: rotation R_wb and displacement in world axes, for the joint frame A at zero."""
    code = b.code
    k = b.q
    zero = (0.0, 0.0, 0.0)
    z = (A[2], A[5], A[8])
    if code == JointCode.FIXED:
        return A, zero, Status.OK.value
    if code == JointCode.REVOLUTE:
        return rotated_z(A, q[k]), zero, Status.OK.value
    if code == JointCode.PRISMATIC:
        return A, scale3(z, q[k]), Status.OK.value
    if code == JointCode.CYLINDRICAL:
        return rotated_z(A, q[k]), scale3(z, q[k + 1]), Status.OK.value
    if code == JointCode.PLANAR:
        return rotated_z(A, q[k + 2]), mul33_vec(A, (q[k], q[k + 1], 0.0)), Status.OK.value
    if code == JointCode.SPHERICAL:
        return mul33(A, matrix_of_quaternion((q[k], q[k + 1], q[k + 2], q[k + 3]))), zero, Status.OK.value
    if code == JointCode.FREE:
        R = mul33(A, matrix_of_quaternion((q[k + 3], q[k + 4], q[k + 5], q[k + 6])))
        return R, mul33_vec(A, (q[k], q[k + 1], q[k + 2])), Status.OK.value
    return A, zero, Status.UNKNOWN_JOINT.value


@kernel
def relative_velocities(b, qd, dof_work):
    """Angular and linear velocity that a body's own rates add, world axes."""
    rel, vel = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(b.v, b.v + b.nv):
        rel = axpy3(qd[k], load3(dof_work[k].s_n), rel)
        vel = axpy3(qd[k], load3(dof_work[k].s_f), vel)
    return rel, vel


@kernel
def eval_directions(sys, b, A, qd, dof_work):
    """Directions of the body's rates in world axes; returns the relative angular and linear velocity."""
    for k in range(b.v, b.v + b.nv):
        store3(dof_work[k].s_n, mul33_vec(A, load3(sys.dof[k].s_n)))
        store3(dof_work[k].s_f, mul33_vec(A, load3(sys.dof[k].s_f)))
    return relative_velocities(b, qd, dof_work)


@part
def eval_motion(sys, q, qd, work) -> int:
    """Fill pose, velocity terms and own inertia of every body row, and the directions of every rate row."""
    body, rows, dof = sys.body, work.body, work.dof
    ground = rows[0]
    store9(ground.R_wb, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    store3(ground.w_w, (0.0, 0.0, 0.0))
    for i in range(1, body.shape[0]):
        b, own, parent = body[i], rows[i], rows[body[i].parent]

        # carried by the parent
        P = load9(parent.R_wb)
        w = load3(parent.w_w)
        d = mul33_vec(P, load3(b.d_p))
        A = mul33(P, load9(b.R_pj))

        # added by the joint                                                                      # [ARN (7), (8)]
        if b.code == JointCode.REVOLUTE:
            z = (A[2], A[5], A[8])
            R = rotated_z(A, q[b.q])
            rel = scale3(z, qd[b.v])
            store3(dof[b.v].s_n, z)
            cl = cross(w, cross(w, d))
        elif b.code == JointCode.SCREW:
            s = sys.dof[b.v]
            R = rotated_z(A, q[b.q])
            d = add3(d, mul33_vec(A, scale3(load3(s.s_f), q[b.q])))
            rel, vel = eval_directions(sys, b, A, qd, dof)
            cl = cross(w, axpy3(2.0, vel, cross(w, d)))
        else:
            R, slide, status = eval_joint_pose(b, q, A)
            if status != Status.OK.value:
                work.fail[0] = i
                return status
            d = add3(d, slide)
            rel, vel = eval_directions(sys, b, A, qd, dof)
            cl = cross(w, axpy3(2.0, vel, cross(w, d)))                                           # [ARN (9)] k^(II)
        store9(own.R_wb, R)
        store3(own.d_w, d)
        store3(own.ca_w, cross(w, rel))
        store3(own.cl_w, cl)
        w = add3(w, rel)
        store3(own.w_w, w)

        # own inertia and gyroscopic load about the origin
        h = mul33_vec(R, load3(b.h_b))
        J = rotated_sym(R, load6(b.J_b))
        store3(own.en, cross(sym_vec(J, w), w))
        store3(own.ef, cross(cross(w, h), w))
        store3(own.h_w, h)
        store6(own.J, J)
    return Status.OK.value


@part
def eval_places(sys, qd, work) -> int:
    """Fill position and velocity of every body's origin after `eval_motion` [m, m/s]."""
    rows = work.body
    store3(rows[0].r_w, (0.0, 0.0, 0.0))
    store3(rows[0].v_w, (0.0, 0.0, 0.0))
    for i in range(1, sys.body.shape[0]):
        b, own, parent = sys.body[i], rows[i], rows[sys.body[i].parent]
        d = load3(own.d_w)
        rel, vel = relative_velocities(b, qd, work.dof)
        store3(own.r_w, add3(load3(parent.r_w), d))
        v = add3(load3(parent.v_w), cross(load3(parent.w_w), d))
        store3(own.v_w, add3(v, vel))
    return Status.OK.value
