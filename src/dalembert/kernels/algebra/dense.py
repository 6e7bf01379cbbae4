"""Dense LU factors with row pivoting, in place and without allocation."""

from ...codes import Status
from ..compile.jit import kernel


@kernel
def factor_lu(A, pivot) -> int:
    """Overwrite A (n, n) with its factors L\\U; pivot[k] is the row exchanged with row k."""
    n = A.shape[0]
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        pivot[k] = p
        if not abs(A[p, k]) > 0.0:
            return Status.SINGULAR.value
        if p != k:
            for j in range(n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            f = A[i, k] * inverse
            A[i, k] = f
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return Status.OK.value


@kernel
def solve_lu(A, pivot, x):
    """Overwrite the right-hand side x with the solution."""
    n = A.shape[0]
    for k in range(n):
        p = pivot[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for i in range(n):
        s = x[i]
        for j in range(i):
            s -= A[i, j] * x[j]
        x[i] = s
    for i in range(n - 1, -1, -1):
        s = x[i]
        for j in range(i + 1, n):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]
