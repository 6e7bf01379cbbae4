"""Matrices of the linearised equations of motion M dq̈ + C dq̇ + K dq = 0 about a state, exact, column by column.

With constraint rows, residual and K hold Jᵀ λ and its derivative, for the multipliers λ (and penalties) in work.row.
"""

from ..codes import Status
from .compile.jit import shared
from .evaluate import eval_loaded_residual
from .tree.tangent import eval_variation


@shared
def eval_matrices(sys, t, q, qd, qdd, residual, M, C, K, work) -> int:
    """Fill the residual (n_v,) and M, C, K (n_v, n_v) at a state; rows and columns of driven rates are zero."""
    n = residual.shape[0]
    status = eval_loaded_residual(sys, t, q, qd, qdd, work.scratch.linear.tau, residual, work)
    if status != Status.OK.value:
        return status
    own = work.scratch.linear
    zero, one, column = own.still, own.one, own.column
    for k in range(n):
        zero[k] = one[k] = 0.0
    for k in range(n):
        if sys.dof[k].drive >= 0:
            for j in range(n):
                M[j, k] = C[j, k] = K[j, k] = 0.0
            continue
        one[k] = 1.0
        eval_variation(sys, t, q, qd, qdd, zero, zero, one, column, work)
        for j in range(n):
            M[j, k] = column[j]
        eval_variation(sys, t, q, qd, qdd, zero, one, zero, column, work)
        for j in range(n):
            C[j, k] = column[j]
        eval_variation(sys, t, q, qd, qdd, one, zero, zero, column, work)
        for j in range(n):
            K[j, k] = column[j]
        one[k] = 0.0
    return Status.OK.value
