"""Linear systems with constraints, solved by augmented Lagrangian iterations on the matrix A = M + Jᵀ α J.

Wanted are x and multipliers y with
    M x + Jᵀ y = -f,   J x = -g.                                                                 (1)
With r1 = -f - M x - Jᵀ y and r2 = -g - J x an iteration is
    A d = r1 + Jᵀ α r2,   x <- x + d,   y <- y + α (J d - r2),                                   (2)
which solves (1) with -1/α in place of the zero block for the remainder; its fixed points are the solutions of (1), and
the remainder shrinks by 1/(1 + α s) along a constraint whose inverse mass is s.  For x = y = 0 at the beginning, (2) is
[SEG (10)-(13)] in increments.  A stays regular for redundant constraints and massless bodies; y begins at zero and all
its increments are α times gaps, which for redundant rows gives the least multipliers, weighted with 1/α.
"""

from ..algebra.sparse import factor_sparse, multiply_sparse, solve_sparse
from ..compile.jit import kernel, part

STIFFNESS = 1e4
"""Penalty of a row relative to the mass that it moves."""
MAX_ITERATIONS = 8
SLOW_RATE = 0.1
"""Contraction above which the iteration is given up: it leaves more than rounding."""
SMALL_CHANGE = 1e-13
"""Relative change of x below which the iteration is done; the next one would change it by the rate of the last two times."""


@part
def row_product(sys, c, J, x):
    """Product of x and the row c of a Jacobian with the entries J; in natural coordinates three at a time, slot by slot."""
    s = 0.0
    if sys.slot.shape[0] > 0:
        for k in range(c.first // 3, (c.first + c.count) // 3):
            p, i = 3 * k, sys.slot[k].column
            s += J[p] * x[i] + J[p + 1] * x[i + 1] + J[p + 2] * x[i + 2]
        return s
    for p in range(c.first, c.first + c.count):
        s += J[p] * x[sys.entry[p].column]
    return s


@part
def add_transposed(sys, r, factor, out, work):
    """out <- out + factor times row r of J."""
    c, J = sys.row[r], work.factored
    if sys.slot.shape[0] > 0:
        for k in range(c.first // 3, (c.first + c.count) // 3):
            p, i = 3 * k, sys.slot[k].column
            a, b, d = out[i] + factor * J[p], out[i + 1] + factor * J[p + 1], out[i + 2] + factor * J[p + 2]
            out[i], out[i + 1], out[i + 2] = a, b, d
        return
    for p in range(c.first, c.first + c.count):
        out[sys.entry[p].column] += factor * J[p]


@kernel
def add_penalties(sys, cq, cv, work):
    """Add Jᵀ α J to the matrix, with α times cq, or times cv for rows that bind rates only."""
    A, J = work.factors.A, work.factored
    at = 0
    for r in range(sys.row.shape[0]):
        c = sys.row[r]
        penalty = work.row[r].pen * (cv if c.rate_only == 1 else cq)
        for p in range(c.first, c.first + c.count):
            f = penalty * J[p]
            for s in range(c.first, p + 1):
                A[sys.row_place[at]] += f * J[s]
                at += 1


@kernel
def factor_saddle(sys, work):
    """Factor A from the mass matrix in work.mass and the Jacobian; returns -1 or the unknown without a pivot."""
    keep_jacobian(work)
    A = work.factors.A
    for p in range(A.shape[0]):
        A[p] = work.mass[p]
    add_penalties(sys, 1.0, 1.0, work)
    return factor_sparse(sys.pattern, work.factors)


@part
def keep_jacobian(work):
    """Keep the Jacobian that factors are about to be made with."""
    for p in range(work.jacobian.shape[0]):
        work.factored[p] = work.jacobian[p]


@part
def largest(x):
    """Largest absolute value."""
    worst = 0.0
    for k in range(x.shape[0]):
        worst = max(worst, abs(x[k]))
    return worst


@part
def largest_entry(x):
    """Number of the entry with the largest absolute value."""
    at = 0
    for k in range(x.shape[0]):
        if abs(x[k]) > abs(x[at]):
            at = k
    return at


@kernel
def solve_saddle(sys, f, x, rhs, product, work) -> bool:
    """Solve (1) with the gaps g in work.row.gap; y goes to work.row.lam_now.  rhs, product: scratch (n,).

    Returns False, with nothing that serves, where the iteration contracts slowly.
    """
    n, rows = x.shape[0], work.row
    for k in range(n):
        x[k] = product[k] = 0.0
    for r in range(rows.shape[0]):
        rows[r].lam_now = 0.0
    last = 0.0
    for iteration in range(MAX_ITERATIONS):
        for k in range(n):
            rhs[k] = -f[k] - product[k]
        for r in range(rows.shape[0]):
            add_transposed(sys, r, -rows[r].lam_now - rows[r].pen * rows[r].gap, rhs, work)
        solve_sparse(sys.pattern, work.factors, rhs, rhs)                                        # (2)
        for r in range(rows.shape[0]):
            rows[r].lam_now += rows[r].pen * rows[r].gap
        change = largest(rhs)
        apply_changes(sys, rhs, work)
        for k in range(n):
            x[k] += rhs[k]
        size = largest(x)
        if change <= SMALL_CHANGE * size or (iteration > 0 and change * change <= SMALL_CHANGE * size * last):
            return True
        if iteration > 1 and change > SLOW_RATE * last:
            return False
        last = change
        multiply_sparse(sys.pattern, work.mass, x, product)
    return False


@part
def apply_changes(sys, d, work):
    """Gaps and multipliers after a change d of x: g <- g + J d, y <- y + α J d."""
    for r in range(sys.row.shape[0]):
        s = row_product(sys, sys.row[r], work.factored, d)
        work.row[r].gap += s
        work.row[r].lam_now += work.row[r].pen * s
