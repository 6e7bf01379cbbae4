"""Coordinates and rates: quaternion kinematics, finite moves, drives."""

from math import sqrt

from ...codes import DriveCode, Status
from ..algebra.rotation import multiplied, quaternion_of_vector, quaternion_rate
from ..compile.jit import kernel, part
from ..force.laws import eval_law


@part
def eval_coordinate_rates(sys, q, qd, out):
    """out = dq/dt for the rates qd."""
    for i in range(sys.pair.shape[0]):
        out[sys.pair[i].q] = qd[sys.pair[i].v]
    for i in range(sys.quaternion.shape[0]):
        k, v = sys.quaternion[i].q, sys.quaternion[i].v
        e = quaternion_rate((q[k], q[k + 1], q[k + 2], q[k + 3]), (qd[v], qd[v + 1], qd[v + 2]))
        out[k], out[k + 1], out[k + 2], out[k + 3] = e


@kernel
def eval_coordinate_accelerations(sys, q, qd, qdd, out):
    """out = d²q/dt² for the rates qd and accelerations qdd."""
    for i in range(sys.pair.shape[0]):
        out[sys.pair[i].q] = qdd[sys.pair[i].v]
    for i in range(sys.quaternion.shape[0]):
        k, v = sys.quaternion[i].q, sys.quaternion[i].v
        e, w = (q[k], q[k + 1], q[k + 2], q[k + 3]), (qd[v], qd[v + 1], qd[v + 2])
        turn = quaternion_rate(e, (qdd[v], qdd[v + 1], qdd[v + 2]))
        again = quaternion_rate(quaternion_rate(e, w), w)
        for c in range(4):
            out[k + c] = turn[c] + again[c]


@kernel
def rates_of_coordinates(sys, q, qdot, qd):
    """qd from coordinates and their time derivatives: the inverse of `eval_coordinate_rates`."""
    for i in range(sys.pair.shape[0]):
        qd[sys.pair[i].v] = qdot[sys.pair[i].q]
    for i in range(sys.quaternion.shape[0]):
        k, v = sys.quaternion[i].q, sys.quaternion[i].v
        e = multiplied((qdot[k], qdot[k + 1], qdot[k + 2], qdot[k + 3]), (q[k], -q[k + 1], -q[k + 2], -q[k + 3]))
        s = 2.0 / (q[k] ** 2 + q[k + 1] ** 2 + q[k + 2] ** 2 + q[k + 3] ** 2)
        qd[v], qd[v + 1], qd[v + 2] = s * e[1], s * e[2], s * e[3]


@part
def move(sys, q, dq, out):
    """out = q moved by the increments dq (n_v,) of its rates; quaternions are turned, not added to."""
    for i in range(sys.pair.shape[0]):
        k = sys.pair[i].q
        out[k] = q[k] + dq[sys.pair[i].v]
    for i in range(sys.quaternion.shape[0]):
        k, v = sys.quaternion[i].q, sys.quaternion[i].v
        turn = quaternion_of_vector((dq[v], dq[v + 1], dq[v + 2]))
        e = multiplied(turn, (q[k], q[k + 1], q[k + 2], q[k + 3]))
        out[k], out[k + 1], out[k + 2], out[k + 3] = e


@part
def normalise(sys, q):
    """Give all quaternions length one."""
    for i in range(sys.quaternion.shape[0]):
        k = sys.quaternion[i].q
        s = 1.0 / sqrt(q[k] ** 2 + q[k + 1] ** 2 + q[k + 2] ** 2 + q[k + 3] ** 2)
        for c in range(4):
            q[k + c] *= s


@part
def eval_drives(sys, t, q, qd, qdd) -> int:
    """Set the driven coordinates, rates and accelerations; a driven speed leaves its coordinate to the integrator."""
    for i in range(sys.drive.shape[0]):
        d = sys.drive[i]
        if d.code == DriveCode.POSITION:
            q[d.q] = eval_law(sys, d.law, t, 0.0, 0.0, 0)
            qd[d.v] = eval_law(sys, d.law, t, 0.0, 0.0, 1)
            qdd[d.v] = eval_law(sys, d.law, t, 0.0, 0.0, 2)
        elif d.code == DriveCode.SPEED:
            qd[d.v] = eval_law(sys, d.law, t, 0.0, 0.0, 0)
            qdd[d.v] = eval_law(sys, d.law, t, 0.0, 0.0, 1)
        else:
            return Status.UNKNOWN_DRIVE.value
    return Status.OK.value


@kernel
def unknown_drive(sys, work) -> int:
    """UNKNOWN_DRIVE of the first drive of an unknown kind, where `eval_drives` has met one."""
    for i in range(sys.drive.shape[0]):
        code = sys.drive[i].code
        if code != DriveCode.POSITION and code != DriveCode.SPEED:
            work.fail[0].drive = i
            break
    return Status.UNKNOWN_DRIVE.value


@part
def begin_drives(sys, t, q, qd, qdd, work) -> int:
    """`eval_drives` with the other accelerations set to zero."""
    for k in range(qdd.shape[0]):
        qdd[k] = 0.0
    status = eval_drives(sys, t, q, qd, qdd)
    return status if status == Status.OK.value else unknown_drive(sys, work)
