"""Outward pass over the spanning tree: rotations, velocities and acceleration terms of all bodies, O(N).

Seeds: [ARN (7)-(9)] joint kinematics, solved for the body (K = identity).  Deviations: absolute velocities are the
angular velocity and the velocity of the joint origin in world axes, H is minus the shift by d and J minus the matrix
of the directions s, since here p = r(p_parent, q) stands solved.
"""

from ...codes import JointCode, Status
from ..algebra.quad import (
    add4,
    axpy4,
    columns_mul,
    congruent,
    cross4,
    load4,
    load_quads,
    mixed,
    scale4,
    store4,
    store_quads,
    tilde,
)
from ..algebra.rotation import matrix_of_quaternion, rotated_z
from ..algebra.small import add3, axpy3, cross, load3, load6, load9, scale3, store3
from ..algebra.turns import eval_turns
from ..compile.jit import kernel, part, shared
from ..flex.faces import eval_face_pose, eval_face_rates
from ..flex.floating import eval_floating_motion, heavy_element


@part
def eval_joint_pose(sys, b, q, A, work):
    """Pose that the joint adds: rotation R_wb (columns) and displacement in world axes, for the joint frame A at zero."""
    code = b.code
    k = b.q
    zero = (0.0, 0.0, 0.0, 0.0)
    if code == JointCode.FIXED:
        return A, zero, Status.OK.value
    if code == JointCode.REVOLUTE:
        return rotated_z(A, work.cosine[k], work.sine[k]), zero, Status.OK.value
    if code == JointCode.PRISMATIC:
        return A, scale4(A[2], q[k]), Status.OK.value
    if code == JointCode.SCREW:
        slide = mixed(scale3(load3(sys.dof[b.v].s_f), q[k]), A)
        return rotated_z(A, work.cosine[k], work.sine[k]), slide, Status.OK.value
    if code == JointCode.CYLINDRICAL:
        return rotated_z(A, work.cosine[k], work.sine[k]), scale4(A[2], q[k + 1]), Status.OK.value
    if code == JointCode.PLANAR:
        return rotated_z(A, work.cosine[k + 2], work.sine[k + 2]), mixed((q[k], q[k + 1], 0.0), A), Status.OK.value
    if code == JointCode.SPHERICAL:
        return columns_mul(A, matrix_of_quaternion((q[k], q[k + 1], q[k + 2], q[k + 3]))), zero, Status.OK.value
    if code == JointCode.FREE:
        R = columns_mul(A, matrix_of_quaternion((q[k + 3], q[k + 4], q[k + 5], q[k + 6])))
        return R, mixed((q[k], q[k + 1], q[k + 2]), A), Status.OK.value
    return A, zero, Status.UNKNOWN_JOINT.value


@kernel
def relative_velocities(b, qd, work):
    """Angular and linear velocity that a body's own rates, or the elastic ones of its face, add, world axes."""
    if b.code == JointCode.ELASTIC:
        face = work.floating.face[b.flex]
        return load3(face.rel), load3(face.vel)
    rel, vel = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(b.v, b.v + b.nv):
        rel = axpy3(qd[k], load3(work.dof[k].s_n), rel)
        vel = axpy3(qd[k], load3(work.dof[k].s_f), vel)
    return rel, vel


@kernel
def eval_directions(sys, b, A, qd, dof_work):
    """Directions of the body's rates in world axes; returns the relative angular and linear velocity."""
    rel, vel = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    for k in range(b.v, b.v + b.nv):
        s_n, s_f = mixed(load3(sys.dof[k].s_n), A), mixed(load3(sys.dof[k].s_f), A)
        store4(dof_work[k].s_n, s_n)
        store4(dof_work[k].s_f, s_f)
        rel, vel = axpy4(qd[k], s_n, rel), axpy4(qd[k], s_f, vel)
    return rel, vel


@part
def eval_body(b, own, w, rel, d, cl, R):
    """Fill a row: pose, velocity terms, own inertia and gyroscopic load about the origin; w is the parent's."""
    store_quads(own.E_wb, R)
    store4(own.d_w, d)
    store4(own.ca_w, cross4(w, rel))
    store4(own.cl_w, cl)
    w = add4(w, rel)
    store4(own.w_w, w)
    m, h = b.mass, mixed(load3(b.h_b), R)
    J = congruent(R, load6(b.J_b))
    store4(own.en, cross4(mixed(w, J), w))
    store4(own.ef, cross4(cross4(w, h), w))
    store4(own.h_w, h)
    store_quads(own.A_J, J)
    store_quads(own.A_H, tilde(h))
    store_quads(own.A_M, ((m, 0.0, 0.0, 0.0), (0.0, m, 0.0, 0.0), (0.0, 0.0, m, 0.0)))


@kernel
def eval_joint_motion(sys, i, q, qd, work) -> int:
    """Fill row i and its directions, for any joint; those of a flexible body and of its faces with their elastic parts."""
    b, own, parent = sys.body[i], work.body[i], work.body[sys.body[i].parent]
    if b.code == JointCode.ELASTIC:
        w = load4(parent.w_w)
        R, d, rel, vel, ca, cl = eval_face_pose(sys, i, q, qd, work)
        eval_body(b, own, w, rel, d, add4(cl, cross4(w, axpy4(2.0, vel, cross4(w, d)))), R)
        store4(own.ca_w, add4(load4(own.ca_w), ca))
        if sys.floating.face[b.flex].heavy == 1:
            eval_floating_motion(sys, sys.floating.face[b.flex].element, q, qd, work)
        return Status.OK.value
    P, w = load_quads(parent.E_wb), load4(parent.w_w)
    d, A = mixed(load3(b.d_p), P), columns_mul(P, load9(b.R_pj))
    R, slide, status = eval_joint_pose(sys, b, q, A, work)
    if status != Status.OK.value:
        work.fail[0].body = i
        return status
    d = add4(d, slide)
    rel, vel = eval_directions(sys, b, A, qd, work.dof)                                           # [ARN (7), (8)]
    eval_body(b, own, w, rel, d, cross4(w, axpy4(2.0, vel, cross4(w, d))), R)                     # [ARN (9)] k^(II)
    if heavy_element(sys, i) >= 0:
        eval_floating_motion(sys, b.flex, q, qd, work)
    return Status.OK.value


@shared
def eval_motion(sys, q, qd, work) -> int:
    """Fill pose, velocity terms and own inertia of every body row, and the directions of every rate row."""
    body, rows = sys.body, work.body
    ground = rows[0]
    store_quads(ground.E_wb, ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)))
    store4(ground.w_w, (0.0, 0.0, 0.0, 0.0))
    eval_turns(q, work.cosine, work.sine)
    for i in range(1, body.shape[0]):
        b = body[i]
        if b.code == JointCode.REVOLUTE:
            parent = rows[b.parent]
            P, w = load_quads(parent.E_wb), load4(parent.w_w)
            d, A = mixed(load3(b.d_p), P), columns_mul(P, load9(b.R_pj))
            store4(work.dof[b.v].s_n, A[2])
            R = rotated_z(A, work.cosine[b.q], work.sine[b.q])
            eval_body(b, rows[i], w, scale4(A[2], qd[b.v]), d, cross4(w, cross4(w, d)), R)
        else:
            status = eval_joint_motion(sys, i, q, qd, work)
            if status != Status.OK.value:
                return status
    return Status.OK.value


@shared
def eval_places(sys, qd, work) -> int:
    """Fill position and velocity of every body's origin after `eval_motion` [m, m/s]."""
    rows = work.body
    store3(rows[0].r_w, (0.0, 0.0, 0.0))
    store3(rows[0].v_w, (0.0, 0.0, 0.0))
    for i in range(1, sys.body.shape[0]):
        b, own, parent = sys.body[i], rows[i], rows[sys.body[i].parent]
        d = load3(own.d_w)
        rel, vel = relative_velocities(b, qd, work)
        store3(own.r_w, add3(load3(parent.r_w), d))
        v = add3(load3(parent.v_w), cross(load3(parent.w_w), d))
        store3(own.v_w, add3(v, vel))
    return Status.OK.value


@shared
def eval_rates(sys, qd, work) -> int:
    """Velocities and acceleration terms of every body for new rates, after `eval_motion` and `eval_places` at the same pose.

    Inertias stay as they are; gyroscopic loads and the loads of elastic coordinates keep the rates that they were made for.
    """
    rows = work.body
    for i in range(1, sys.body.shape[0]):
        b, own, parent = sys.body[i], rows[i], rows[sys.body[i].parent]
        w, d = load4(parent.w_w), load4(own.d_w)
        if b.code == JointCode.ELASTIC:
            rel, vel, ca, cl = eval_face_rates(sys, b.flex, qd, work)
        else:
            rel = vel = ca = cl = (0.0, 0.0, 0.0, 0.0)
            for k in range(b.v, b.v + b.nv):
                rel = axpy4(qd[k], load4(work.dof[k].s_n), rel)
                vel = axpy4(qd[k], load4(work.dof[k].s_f), vel)
        wd = cross4(w, d)
        store4(own.ca_w, add4(ca, cross4(w, rel)))
        store4(own.cl_w, add4(cl, cross4(w, axpy4(2.0, vel, wd))))
        store4(own.w_w, add4(w, rel))
        store3(own.v_w, add3(load3(parent.v_w), add4(wd, vel)))
    return Status.OK.value
