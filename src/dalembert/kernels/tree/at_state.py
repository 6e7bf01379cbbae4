"""Dynamics of a tree at single states, in the coordinates of its users: what controllers, estimators and planners ask for.

With coordinates q, rates qd, the mass matrix M and the efforts tau that come on top of all force elements of the model,
    M(q) qdd + bias(q, qd, t) = tau                                                              (1)
where bias = (inverse dynamics of qdd = 0) - (efforts of the force elements): the recursive Newton-Euler algorithm, RNEA.
M comes from the composite-rigid-body algorithm (CRBA), qdd of given tau from the articulated-body algorithm (ABA).

A place P of a body moves with v = J_v qd, w = J_w qd.  Rate k moves the bodies outboard with its directions (s_n, s_f) in the
origin r_k of its own body:
    J_w = s_n,  J_v = s_f + s_n x (p - r_k)                                                      (2)
Constraint rows between bodies have unit wrenches; their products with the same directions are the rows of the constraint
Jacobian, all rates included, driven ones too.

The ball of a joint that is written from the carried body to its parent has other coordinates in the tables than those of the
user (system/reverse.py).  With R that of the tables, rates and accelerations are -R times the user's, hence
    M_user = Tᵀ M T,  tau_user = Tᵀ tau,  J_user = J T,  T = -R in the block of the ball          (3)
"""

from typing import NamedTuple

import numpy as np

from ...codes import DriveCode, FormCode, JointCode, Status
from ..algebra.quad import load_columns
from ..algebra.rotation import matrix_of_quaternion
from ..algebra.small import add3, cross, dot3, load3, load9, mul33, mul33_vec, neg3, store3, tmul33_vec
from ..compile.bundle import bundle
from ..compile.jit import kernel, part, shared
from ..compile.record import record
from ..constraint.coordinate_rows import is_term_row, term_factor
from ..constraint.row_accelerations import eval_row_accelerations
from ..constraint.rows import eval_rows
from ..evaluate import check_finite, eval_state
from ..flex.faces import face_direction
from ..flex.floating_tables import AT_S
from ..force.laws import eval_law
from .dynamics import solve_accelerations
from .inverse import eval_body_accelerations, eval_inverse, eval_mass_matrix
from .kinematics import eval_motion, eval_places
from .state import unknown_drive

PLACE = record(
    ("row", "i8"),  # body row that the place belongs to
    ("u_b", "f8", 3),  # its position in that row's joint frame [m]
    ("R_b", "f8", 9),  # its axes -> joint frame
)

BALL = record(
    ("q", "i8"),  # first of the four coordinates of a ball that turns the other way round
    ("v", "i8"),  # first of its three rates
)


@bundle
class Reader(NamedTuple):
    """Places and reversed balls of a packed model, and the state as its tables have it."""

    place: np.ndarray  # (n_place,) PLACE
    ball: np.ndarray  # (n_ball,) BALL
    q: np.ndarray  # (n_q,)
    qd: np.ndarray  # (n_v,)
    qdd: np.ndarray  # (n_v,)
    tau: np.ndarray  # (n_v,)
    still: np.ndarray  # (n_v,) zeros


@kernel
def take_coordinates(at, q):
    """at.q = the coordinates q of a user."""
    for k in range(q.shape[0]):
        at.q[k] = q[k]
    for i in range(at.ball.shape[0]):
        k = at.ball[i].q
        at.q[k + 1], at.q[k + 2], at.q[k + 3] = -q[k + 1], -q[k + 2], -q[k + 3]


@kernel
def ball_rotation(at, i):
    """Rotation R of (3) of ball number i, after `take_coordinates`."""
    k = at.ball[i].q
    return matrix_of_quaternion((at.q[k], at.q[k + 1], at.q[k + 2], at.q[k + 3]))


@kernel
def take_rates(at, x, out):
    """out = rates or accelerations x of a user, after `take_coordinates`."""
    for k in range(x.shape[0]):
        out[k] = x[k]
    for i in range(at.ball.shape[0]):
        v = at.ball[i].v
        store3(out[v:v + 3], neg3(mul33_vec(ball_rotation(at, i), load3(x[v:v + 3]))))             # (3)


@kernel
def give_efforts(at, x):
    """Change efforts x (n_v,) of the tables to a user's in place; also rates, since T is orthogonal."""
    for i in range(at.ball.shape[0]):
        v = at.ball[i].v
        store3(x[v:v + 3], neg3(tmul33_vec(ball_rotation(at, i), load3(x[v:v + 3]))))              # (3)


@kernel
def give_columns(at, A):
    """A <- A T for the rows of A (m, n_v)."""
    if at.ball.shape[0] > 0:
        for r in range(A.shape[0]):
            give_efforts(at, A[r])


@kernel
def eval_mass_matrix_at(sys, at, q, M, work) -> int:
    """Fill the mass matrix (n_v, n_v) at the coordinates q (n_q,) of a user."""
    take_coordinates(at, q)
    status = eval_motion(sys, at.q, at.still, work)
    if status != Status.OK.value:
        return status
    eval_mass_matrix(sys, M, work)
    give_columns(at, M)
    for i in range(at.ball.shape[0]):
        R, v = ball_rotation(at, i), at.ball[i].v
        for c in range(M.shape[1]):
            x = neg3(tmul33_vec(R, (M[v, c], M[v + 1, c], M[v + 2, c])))                          # (3)
            M[v, c], M[v + 1, c], M[v + 2, c] = x
    return Status.OK.value


@kernel
def eval_inverse_at(sys, at, t, q, qd, qdd, effort, work) -> int:
    """effort = M qdd + bias of (1) for a user's q (n_q,), qd, qdd (n_v,); driven rates are no exception."""
    take_coordinates(at, q)
    take_rates(at, qd, at.qd)
    take_rates(at, qdd, at.qdd)
    status = eval_state(sys, t, at.q, at.qd, at.tau, work)
    if status != Status.OK.value:
        return status
    eval_inverse(sys, at.qdd, effort, work)
    for k in range(effort.shape[0]):
        effort[k] -= at.tau[k]
    give_efforts(at, effort)
    return Status.OK.value


@kernel
def eval_forward_at(sys, at, t, q, qd, tau, qdd, work) -> int:
    """Accelerations qdd that (1) gives for efforts tau, all (n_v,); driven rates have those of their laws.  Trees only."""
    if sys.constants[0].form != FormCode.TREE:
        work.fail[0].form = sys.constants[0].form
        return Status.UNKNOWN_FORM.value
    take_coordinates(at, q)
    take_rates(at, qd, at.qd)
    for i in range(sys.drive.shape[0]):
        d = sys.drive[i]
        if d.code == DriveCode.POSITION:
            qdd[d.v] = eval_law(sys, d.law, t, 0.0, 0.0, 2)
        elif d.code == DriveCode.SPEED:
            qdd[d.v] = eval_law(sys, d.law, t, 0.0, 0.0, 1)
        else:
            return unknown_drive(sys, work)
    status = eval_state(sys, t, at.q, at.qd, at.tau, work)
    if status != Status.OK.value:
        return status
    take_rates(at, tau, at.qdd)
    for k in range(qdd.shape[0]):
        at.tau[k] += at.qdd[k]
    status = solve_accelerations(sys, at.tau, qdd, work)
    if status != Status.OK.value:
        return status
    give_efforts(at, qdd)
    return check_finite(qdd, work)


@kernel
def add_directions(sys, i, n, f, out, work):
    """Add to out (n_v,) the products of a wrench about the origin of row i with the directions of all rates of that row."""
    b = sys.body[i]
    if b.code == JointCode.ELASTIC:
        e, S = sys.floating.element[sys.floating.face[b.flex].element], work.floating.strip[b.flex, AT_S]
        for k in range(e.n):
            s_n, s_f = face_direction(S, k)
            out[e.v + k] += dot3(s_n, n) + dot3(s_f, f)
        return
    for k in range(b.v, b.v + b.nv):
        out[k] += dot3(load3(work.dof[k].s_n), n) + dot3(load3(work.dof[k].s_f), f)


@kernel
def add_path(sys, i, last, n, f, out, work):
    """Likewise of all rates from row i inward to row `last`, which is left out, for a wrench about the origin of row i."""
    while i > last:
        add_directions(sys, i, n, f, out, work)
        n = add3(n, cross(load3(work.body[i].d_w), f))
        i = sys.body[i].parent


@part
def put_column(J, k, s_n, s_f, arm):
    """Add to column k of J (6, n_v) by (2), for a place `arm` from the origin that the direction belongs to."""
    v = add3(s_f, cross(s_n, arm))
    for c in range(3):
        J[c, k] += v[c]
        J[3 + c, k] += s_n[c]


@kernel
def eval_jacobian_at(sys, at, place, q, J, work) -> int:
    """Fill J (6, n_v): velocity of a place and angular velocity of its body, world axes, by the rates of a user; (2)."""
    take_coordinates(at, q)
    status = eval_motion(sys, at.q, at.still, work)
    if status != Status.OK.value:
        return status
    for c in range(6):
        for k in range(J.shape[1]):
            J[c, k] = 0.0
    i = at.place[place].row
    arm = mul33_vec(load_columns(work.body[i].E_wb), load3(at.place[place].u_b))
    while i > 0:
        b = sys.body[i]
        if b.code == JointCode.ELASTIC:
            e, S = sys.floating.element[sys.floating.face[b.flex].element], work.floating.strip[b.flex, AT_S]
            for k in range(e.n):
                s_n, s_f = face_direction(S, k)
                put_column(J, e.v + k, s_n, s_f, arm)
        for k in range(b.v, b.v + b.nv):
            put_column(J, k, load3(work.dof[k].s_n), load3(work.dof[k].s_f), arm)
        arm = add3(arm, load3(work.body[i].d_w))
        i = b.parent
    give_columns(at, J)
    return Status.OK.value


@kernel
def eval_place_at(sys, at, place, q, qd, qdd, out, work) -> int:
    """Fill out (24,): position, axes (3 x 3, by rows), velocity, angular velocity and their derivatives for qd, qdd (n_v,)."""
    take_coordinates(at, q)
    take_rates(at, qd, at.qd)
    take_rates(at, qdd, at.qdd)
    status = eval_motion(sys, at.q, at.qd, work)
    if status != Status.OK.value:
        return status
    eval_places(sys, at.qd, work)
    eval_body_accelerations(sys, at.qdd, work)
    p = at.place[place]
    own, R = work.body[p.row], load_columns(work.body[p.row].E_wb)
    arm, w, al = mul33_vec(R, load3(p.u_b)), load3(own.w_w), load3(own.al_w)
    a = add3(add3(load3(own.a_w), load3(sys.constants[0].g_w)), add3(cross(al, arm), cross(w, cross(w, arm))))
    axes = mul33(R, load9(p.R_b))
    store3(out, add3(load3(own.r_w), arm))
    for k in range(9):
        out[3 + k] = axes[k]
    store3(out[12:], add3(load3(own.v_w), cross(w, arm)))
    store3(out[15:], w)
    store3(out[18:], a)
    store3(out[21:], al)
    return Status.OK.value


@kernel
def common_row(sys, a, b):
    """Last row that the paths of two rows to the ground share; a parent's number is lower than its children's."""
    while a != b:
        if a > b:
            a = sys.body[a].parent
        else:
            b = sys.body[b].parent
    return a


@shared
def eval_constraints_at(sys, at, t, q, qd, qdd, J, motion, work) -> int:
    """Fill the Jacobian J (m, n_v) of the rows by all rates, and motion (m, 3): their values, rates and accelerations.

    A row that binds rates only has the value zero, and in place of its acceleration the derivative of its rate.
    """
    take_coordinates(at, q)
    take_rates(at, qd, at.qd)
    take_rates(at, qdd, at.qdd)
    status = eval_motion(sys, at.q, at.qd, work)
    if status == Status.OK.value:
        eval_places(sys, at.qd, work)
        eval_body_accelerations(sys, at.qdd, work)
        status = eval_rows(sys, t, at.q, at.qd, work)
    if status == Status.OK.value:
        status = eval_row_accelerations(sys, t, at.q, at.qd, at.qdd, work)
    if status != Status.OK.value:
        return status
    for r in range(sys.row.shape[0]):
        c, own, out = sys.row[r], work.row[r], J[r]
        motion[r, 0], motion[r, 1], motion[r, 2] = own.Phi, own.Phid, own.Phidd
        for k in range(out.shape[0]):
            out[k] = 0.0
        if is_term_row(c.code):
            for k in range(c.terms):
                out[sys.term[c.term + k].v] += term_factor(sys, c, k, at.q)
        else:
            last = common_row(sys, c.a, c.b)
            add_path(sys, c.a, last, load3(own.n_a), load3(own.f_a), out, work)
            add_path(sys, c.b, last, load3(own.n_b), load3(own.f_b), out, work)
    give_columns(at, J)
    return Status.OK.value
