"""Rates and accelerations of a state along motions without inertia that dampers act on, completed in place.

Seeds: [ARN (6), (20b)].  With the motions x of tree/rank.py as rows of X, F = M qdd + g(t, q, qd) and X M = 0, the rates
solve X F = 0 by Newton's iteration with the matrix X C Xᵀ, and the accelerations follow from its derivative by time,
    X (K qd + C qdd + dF/dt) = 0,                                                                (1)
which with the qdd of `solve_accelerations`, zero along massless rates, is linear in the part along the motions.
With constraint rows F holds Jᵀ λ, and the motions, with J x = 0, are those of constraint/massless_rows.py:
X F does not depend on λ.
Motions with stiffness alone need the coordinates and the second derivative of laws: start/massless.py.
"""

from ...codes import FormCode, Status
from ..algebra.dense import factor_lu, solve_lu
from ..compile.jit import kernel
from ..constraint.saddle import largest
from ..evaluate import eval_accelerations, eval_loaded_residual, find_projected
from ..loop_calls import call_motion
from ..tree.rank import eval_massless_motion, list_massless
from ..tree.tangent import eval_variation

RANK = 1e-9
"""Damping along a motion is left to the finer test of start/massless.py below this fraction of its largest entry."""
NOISE = 1e-12
"""Or below this fraction of the largest load of a joint."""
MAX_ITERATIONS = 20
SETTLED = 1e-12
"""Relative change of the rates with which the iteration ends."""
ROUNDED = 1e-6
"""Relative change up to which an iteration that contracts no longer has met rounding."""
LAW_STEP = 1e-6
"""Half the time over which laws are differenced [s], or relative to the time."""


@kernel
def find_motions(sys, t, q, qd, qdd, settle, tau, work) -> int:
    """Accelerations with zeros along massless rates, and the motions; SINGULAR if there are others than at the start."""
    allowed = work.rank[0].allowed
    work.rank[0].allowed = qd.shape[0]
    status = eval_accelerations(sys, t, q, qd, qdd, tau, work)
    work.rank[0].allowed = allowed
    if status != Status.OK.value:
        return status
    if sys.constants[0].form != FormCode.TREE:
        return find_row_motions(sys, qdd, settle, work)
    count, m = 0, settle.motions.shape[0]
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive < 0 and work.dof[k].iD == 0.0:
            count += 1
    if count != m:
        return Status.SINGULAR.value
    list_massless(sys, work, settle.rates)
    for i in range(m):
        eval_massless_motion(sys, settle.rates[i], settle.motions[i], work)
    return Status.OK.value


@kernel
def find_row_motions(sys, qdd, settle, work) -> int:
    """Likewise with constraint rows, after `eval_accelerations`; row.lam takes what they carry."""
    X, m = settle.motions, 0
    for r in range(sys.row.shape[0]):
        work.row[r].lam = work.row[r].lam_now
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].gauge > 0.0:
            settle.rates[m] = k
            status = call_motion(sys, k, X[m], work)
            if status != Status.OK.value:
                return status
            m += 1
    for i in range(m):
        along = qdd[settle.rates[i]]
        for k in range(qdd.shape[0]):
            qdd[k] -= along * X[i, k]
    for r in range(sys.row.shape[0]):
        work.row[r].pen = 0.0
    return Status.OK.value


@kernel
def factor_damping(sys, t, q, qd, qdd, settle, tau, work) -> int:
    """Factors of X C Xᵀ at a state; SINGULAR unless dampers act on all motions."""
    X, A = settle.motions, settle.matrix
    own, size, loads = work.scratch.settling, 0.0, 0.0
    still, column = own.still, own.column
    status = eval_loaded_residual(sys, t, q, qd, qdd, tau, own.force, work)
    if status != Status.OK.value:
        return status
    for b in range(1, work.body.shape[0]):
        for c in range(3):
            loads = max(loads, abs(work.body[b].n[c]), abs(work.body[b].f[c]))
    for k in range(still.shape[0]):
        still[k] = 0.0
    for j in range(X.shape[0]):
        status = eval_variation(sys, t, q, qd, qdd, still, X[j], still, column, work)
        if status != Status.OK.value:
            return status
        size = max(size, largest(column))
        for i in range(X.shape[0]):
            A[i, j] = product_of(X[i], column)
    status = factor_lu(A, settle.pivot)
    for i in range(X.shape[0]):
        if not abs(A[i, i]) > max(RANK * size, NOISE * loads):
            status = Status.SINGULAR.value
    return status


@kernel
def product_of(x, y):
    """Scalar product."""
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k] * y[k]
    return s


@kernel
def take_off(settle, force, out):
    """Take off `out` its part along the motions that the equations X force = 0 ask for; returns the largest change."""
    X, y = settle.motions, settle.along
    for i in range(X.shape[0]):
        y[i] = product_of(X[i], force)
    solve_lu(settle.matrix, settle.pivot, y)
    worst = 0.0
    for k in range(out.shape[0]):
        change = 0.0
        for i in range(X.shape[0]):
            change += y[i] * X[i, k]
        out[k] -= change
        worst = max(worst, abs(change))
    return worst


@kernel
def settle_rates(sys, t, q, qd, qdd, settle, tau, work) -> int:
    """Newton's iteration for the rates along the motions, until they are settled or rounding changes them.

    Where damping is weak a rounded force moves rates by more than SETTLED.
    """
    force, last = work.scratch.settling.force, 0.0
    for iteration in range(MAX_ITERATIONS):
        status = eval_loaded_residual(sys, t, q, qd, qdd, tau, force, work)
        if status != Status.OK.value:
            return status
        change, size = take_off(settle, force, qd), 1.0 + largest(qd)
        if change <= SETTLED * size or (iteration > 1 and change > 0.5 * last and change <= ROUNDED * size):
            return Status.OK.value
        last = change
    return Status.NO_CONVERGENCE.value


@kernel
def settle_accelerations(sys, t, q, qd, qdd, settle, tau, work) -> int:
    """Accelerations along the motions by (1), after `factor_damping` at the state."""
    own = work.scratch.settling
    still, force, before, after = own.still, own.force, own.before, own.after
    dt = LAW_STEP * max(1.0, abs(t))
    status = eval_loaded_residual(sys, t - dt, q, qd, qdd, tau, before, work)
    if status == Status.OK.value:
        status = eval_loaded_residual(sys, t + dt, q, qd, qdd, tau, after, work)
    if status == Status.OK.value:
        status = eval_loaded_residual(sys, t, q, qd, qdd, tau, force, work)
    for k in range(still.shape[0]):
        still[k] = 0.0
    if status == Status.OK.value:
        status = eval_variation(sys, t, q, qd, qdd, qd, qdd, still, force, work)
    for k in range(force.shape[0]):
        force[k] += (after[k] - before[k]) / (2.0 * dt)
    if status == Status.OK.value:
        take_off(settle, force, qdd)
    return status


@kernel
def complete_state(sys, t, q, qd, qdd, settle, tau, work) -> int:
    """Complete qd along the motions without inertia and fill qdd; any failure leaves them to start/massless.py.

    So do natural coordinates, in which there is no fixed rate for a gauge.
    """
    if sys.constants[0].form == FormCode.GLOBAL:
        return Status.SINGULAR.value
    status = find_motions(sys, t, q, qd, qdd, settle, tau, work)
    if status == Status.OK.value:
        status = factor_damping(sys, t, q, qd, qdd, settle, tau, work)
    if status == Status.OK.value:
        status = settle_rates(sys, t, q, qd, qdd, settle, tau, work)
    if status == Status.OK.value:
        status = find_motions(sys, t, q, qd, qdd, settle, tau, work)
    if status == Status.OK.value:
        status = factor_damping(sys, t, q, qd, qdd, settle, tau, work)
    if status == Status.OK.value:
        status = settle_accelerations(sys, t, q, qd, qdd, settle, tau, work)
    return status


@kernel
def complete_frames(sys, t, q, qd, qdd, multiplier, left, settle, tau, work) -> int:
    """Complete frames t (nf,), q, qd, qdd (nf, ...) in place, and fill qdd and multipliers (nf, m); left[f] = 1 if it fails.

    Frames that are nearly on the constraint rows are brought onto them first.
    """
    kept = work.scratch.settling.kept
    for f in range(t.shape[0]):
        status = eval_accelerations(sys, t[f], q[f], qd[f], qdd[f], tau, work)
        if status == Status.OK.value and sys.row.shape[0] > 0:
            status = find_projected(sys, t[f], q[f], qd[f], qdd[f], tau, work)
        for r in range(sys.row.shape[0]):
            multiplier[f, r] = work.row[r].lam_now
        for k in range(qd.shape[1]):
            kept[k] = qd[f, k]
        if status == Status.OK.value and settle.motions.shape[0] > 0:
            status = complete_state(sys, t[f], q[f], kept, qdd[f], settle, tau, work)
            for r in range(sys.row.shape[0]):
                multiplier[f, r] = work.row[r].lam
        left[f] = 0 if status == Status.OK.value else 1
        for k in range(qd.shape[1]):
            if left[f] == 0:
                qd[f, k] = kept[k]
    return Status.OK.value
