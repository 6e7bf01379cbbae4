"""The equations of a mechanism as a fully implicit system F(t, y, y') = 0 with y = (q, qd), for multistep solvers.

    dq/dt - N(q) qd = 0,   M(q) dqd/dt + g(t, q, qd) = 0                                          (1)
and for a driven coordinate q - law(t) = 0, qd - law'(t) = 0 in place of its rows.  Directions without inertia need no
special treatment: (1) holds for them as it stands, [ARN (20b)] being its row without dqd/dt.  With loops g holds the loads
Jᵀ λ of the multipliers in work.row; what else they need is in simulate/bdf_loops.py.
"""

from ...codes import DriveCode, Status
from ..algebra.rotation import multiplied
from ..compile.jit import kernel
from ..evaluate import eval_accelerations, eval_loaded_residual
from ..force.laws import eval_law
from ..tree.rank import eval_massless_motion
from ..tree.state import eval_coordinate_rates
from ..tree.tangent import eval_variation


@kernel
def load_state(sys, y, yp, work):
    """Copy y, y' into scratch rows: q, qd, qdd."""
    n_q = sys.constants[0].n_q
    q, qd, qdd = work.scratch.form.q, work.scratch.form.qd, work.scratch.form.qdd
    for i in range(q.shape[0]):
        q[i] = y[i]
    for k in range(qd.shape[0]):
        qd[k], qdd[k] = y[n_q + k], yp[n_q + k]
    return q, qd, qdd


@kernel
def remove_massless(sys, t, q, qd, qdd, basis, work) -> int:
    """Replace z' in qdd by accelerations that differ from the true ones by motions without inertia.

    The unknown rates are z, qd = sum_k x0_k z_k; row k of `basis` (n_v, n_v) is x0_k, a motion without inertia at the start
    for the rates that had none then, else the unit vector.  Less sum_k x_k z'_k over the rates without inertia now, qdd is
    sum_k (x0_k - x_k) z'_k at the other rates and zero at these: the sizes of z'_k, which may be huge, do not drown the
    others.  Which rates have no inertia may change on the way.
    """
    own, allowed = work.scratch.form, work.rank[0].allowed
    found, motion, q_kept, qd_kept, given = own.found, own.motion, own.q_kept, own.qd_kept, own.given
    work.rank[0].allowed = qd.shape[0]
    for i in range(q.shape[0]):
        q_kept[i] = q[i]
    for k in range(qd.shape[0]):
        qd_kept[k] = qd[k]
    status = eval_accelerations(sys, t, q_kept, qd_kept, found, own.tau, work)
    work.rank[0].allowed = allowed
    if status != Status.OK.value:
        return status
    for k in range(qd.shape[0]):
        given[k] = qdd[k]
        qdd[k] = 0.0
    for k in range(qd.shape[0]):
        massless = sys.dof[k].drive < 0 and work.dof[k].iD == 0.0
        if massless:
            eval_massless_motion(sys, k, motion, work)
        for j in range(qd.shape[0]):
            if not massless:
                qdd[j] += given[k] * basis[k, j]
            elif j != k:
                qdd[j] += given[k] * (basis[k, j] - motion[j])
    return Status.OK.value


@kernel
def eval_implicit_form(sys, t, y, yp, basis, out, work) -> int:
    """Fill F (n_q + n_v,); y' holds z' in place of dqd/dt, see `remove_massless`."""
    n_q = sys.constants[0].n_q
    q, qd, qdd = load_state(sys, y, yp, work)
    own = work.scratch.form
    rates, residual = own.coordinate_rates, own.residual
    if basis.shape[0] > 0:
        status = remove_massless(sys, t, q, qd, qdd, basis, work)
        if status != Status.OK.value:
            return status
    eval_coordinate_rates(sys, q, qd, rates)
    for i in range(q.shape[0]):
        out[i] = yp[i] - rates[i]
    status = eval_loaded_residual(sys, t, q, qd, qdd, own.tau, residual, work)
    for k in range(qd.shape[0]):
        out[n_q + k] = residual[k]
    for i in range(sys.drive.shape[0]):
        d = sys.drive[i]
        if d.code == DriveCode.POSITION:
            out[d.q] = q[d.q] - eval_law(sys, d.law, t, 0.0, 0.0, 0)
            out[n_q + d.v] = qd[d.v] - eval_law(sys, d.law, t, 0.0, 0.0, 1)
        elif d.code == DriveCode.SPEED:
            out[n_q + d.v] = qd[d.v] - eval_law(sys, d.law, t, 0.0, 0.0, 0)
        else:
            work.fail[0].drive = i
            return Status.UNKNOWN_DRIVE.value
    return status


@kernel
def fill_kinematics(sys, q, qd, c, A):
    """Rows of A for dq/dt - N(q) qd."""
    n_q = sys.constants[0].n_q
    for i in range(q.shape[0]):
        A[i, i] = c
    for i in range(sys.pair.shape[0]):
        A[sys.pair[i].q, n_q + sys.pair[i].v] = -1.0
    for i in range(sys.quaternion.shape[0]):
        k, v = sys.quaternion[i].q, sys.quaternion[i].v
        e, w = (q[k], q[k + 1], q[k + 2], q[k + 3]), (0.0, -0.5 * qd[v], -0.5 * qd[v + 1], -0.5 * qd[v + 2])
        for b in range(4):
            one = (1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0, 1.0 if b == 3 else 0.0)
            by_e = multiplied(w, one)
            by_w = multiplied((-0.5 * one[0], -0.5 * one[1], -0.5 * one[2], -0.5 * one[3]), e)
            for a in range(4):
                A[k + a, k + b] += by_e[a]
                if b > 0:
                    A[k + a, n_q + v + b - 1] = by_w[a]


@kernel
def fill_dynamics(sys, t, q, qd, qdd, basis, c, A, work) -> int:
    """Rows of A for M dqd/dt + g, after `eval_loaded_residual`: columns of K, turned to coordinates, and of C + c M by z."""
    n_q = sys.constants[0].n_q
    own = work.scratch.form
    still, turned, scaled, column = own.still, own.turned, own.scaled, own.column
    n = qd.shape[0]
    for k in range(n):
        still[k] = turned[k] = scaled[k] = 0.0
    for k in range(n):
        turned[k] = 1.0
        status = eval_variation(sys, t, q, qd, qdd, turned, still, still, column, work)
        if status != Status.OK.value:
            return status
        for j in range(n):
            add_turned_column(sys, q, k, column[j], A, n_q + j)
        scaled[k] = c
        if basis.shape[0] > 0 and sys.dof[k].drive < 0 and work.dof[k].iD == 0.0:
            eval_massless_motion(sys, k, scaled, work)
            for j in range(n):
                scaled[j] = c * (basis[k, j] - scaled[j])
        elif basis.shape[0] > 0:
            for j in range(n):
                scaled[j] = c * basis[k, j]
        if basis.shape[0] > 0:
            for j in range(n):
                turned[j] = basis[k, j]
        status = eval_variation(sys, t, q, qd, qdd, still, turned, scaled, column, work)
        if status != Status.OK.value:
            return status
        for j in range(n):
            A[n_q + j, n_q + k] = column[j]
            turned[j] = scaled[j] = 0.0
    return Status.OK.value


@kernel
def add_turned_column(sys, q, k, value, A, row):
    """Put a derivative by the increment of rate k into the columns of the coordinates that it moves."""
    for i in range(sys.pair.shape[0]):
        if sys.pair[i].v == k:
            A[row, sys.pair[i].q] = value
            return
    for i in range(sys.quaternion.shape[0]):
        e, v = sys.quaternion[i].q, sys.quaternion[i].v
        if v <= k < v + 3:
            back = (q[e], -q[e + 1], -q[e + 2], -q[e + 3])
            for b in range(4):
                one = (1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0, 1.0 if b == 3 else 0.0)
                turn = multiplied(one, back)
                A[row, e + b] += 2.0 * turn[1 + k - v] * value


@kernel
def eval_implicit_jacobian(sys, t, y, yp, basis, c, A, work) -> int:
    """Fill A = dF/dy + c dF/dy' (n_q + n_v square), exact; the rows of dq/dt are still by qd, not by z."""
    n_q = sys.constants[0].n_q
    q, qd, qdd = load_state(sys, y, yp, work)
    own = work.scratch.form
    if basis.shape[0] > 0:
        status = remove_massless(sys, t, q, qd, qdd, basis, work)
        if status != Status.OK.value:
            return status
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0
    fill_kinematics(sys, q, qd, c, A)
    status = eval_loaded_residual(sys, t, q, qd, qdd, own.tau, own.residual, work)
    if status == Status.OK.value:
        status = fill_dynamics(sys, t, q, qd, qdd, basis, c, A, work)
    for i in range(sys.drive.shape[0]):
        d = sys.drive[i]
        for j in range(A.shape[1]):
            A[n_q + d.v, j] = 0.0
            if d.code == DriveCode.POSITION:
                A[d.q, j] = 0.0
        A[n_q + d.v, n_q + d.v] = 1.0
        if d.code == DriveCode.POSITION:
            A[d.q, d.q] = 1.0
        elif d.code != DriveCode.SPEED:
            work.fail[0].drive = i
            return Status.UNKNOWN_DRIVE.value
    return status
