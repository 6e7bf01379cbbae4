"""Whether accelerations and multipliers satisfy the equations of motion, M x + Jᵀ y + f = 0, before anyone uses them.

Augmented Lagrangian iterations (saddle.py) hold this sum at zero to the rounding of their linear solutions, at every turn and
in singular positions, too: what is left there is left in the constraints.  A sum that is not zero means that the solutions
themselves are lost, as with penalties so large that rounding swallows the masses; the accelerations along free directions are
then anything, mostly zero.  With the inertia m_k of rate k the sum e is tolerated up to
    |e_k| <= BALANCED (√m_k max_j (|f_j| + |M x|_j)/√m_j + |f_k| + |M x|_k) + CANCELLED sum_r |J_rk y_r|       (1)
Forces over the root of inertia have the same unit for turning and moving, so that (1) does not depend on units, and little on
axes.  Rates without inertia, whose equations are not those of a free motion, have no say.  An inertia is none if it is a
rounding error of those beside it, of the same kind and of the same body or joint: moments of a rod about its axis are.
"""

from math import sqrt

from ...codes import FormCode, Status
from ..algebra.sparse import multiply_sparse
from ..compile.jit import kernel
from .saddle import add_transposed

NO_INERTIA = 1e-13
"""Inertia that is none, over the largest one beside it: moments in turned axes are good to some roundings."""
BALANCED = 1e-6
"""Share of the loads that accelerations may leave; rounding leaves 1e-12 with the penalties of saddle.py."""
CANCELLED = 1e-9
"""Likewise of multipliers, which may be large and cancel each other near singular positions."""


@kernel
def add_sizes(sys, r, out, work):
    """out <- out + |J_rk y_r| for the entries of row r."""
    c = sys.row[r]
    for p in range(c.first, c.first + c.count):
        column = sys.slot[p // 3].column + p % 3 if sys.slot.shape[0] > 0 else sys.entry[p].column
        out[column] += abs(work.factored[p] * work.row[r].lam_now)


@kernel
def is_turn(d):
    """True for a rate that turns."""
    return d.s_n[0] != 0.0 or d.s_n[1] != 0.0 or d.s_n[2] != 0.0


@kernel
def felt_inertia(sys, k, work):
    """Inertia of rate k, or zero if it is none."""
    diagonal, mass = sys.pattern.diagonal, work.mass
    own, largest = mass[diagonal[k]], 0.0
    if sys.constants[0].form == FormCode.GLOBAL:
        i = sys.pair[k].body
        first = sys.body[i].column
        if i > 0 and k - first >= 3:
            for slot in range(1, 4):
                largest = max(largest, mass[diagonal[first + 3 * slot + (k - first) % 3]])
    else:
        b, turns = sys.body[sys.dof[k].body], is_turn(sys.dof[k])
        for v in range(b.v, b.v + b.nv):
            if k < b.v + b.nv and is_turn(sys.dof[v]) == turns:  # elastic rates come behind, with a mass of their own
                largest = max(largest, mass[diagonal[v]])
    return own if own > NO_INERTIA * largest else 0.0


@kernel
def check_balance(sys, f, x, left, product, work) -> int:
    """UNBALANCED and the worst rate if x and row.lam_now break (1) for loads f (n,); left, product: scratch (n,)."""
    n = x.shape[0]
    multiply_sparse(sys.pattern, work.mass, x, product)
    load = 0.0
    for k in range(n):
        left[k] = f[k] + product[k]
        product[k] = abs(f[k]) + abs(product[k])
        inertia = felt_inertia(sys, k, work)
        if inertia > 0.0:
            load = max(load, product[k] / sqrt(inertia))
    for r in range(sys.row.shape[0]):
        add_transposed(sys, r, work.row[r].lam_now, left, work)
    worst = 0.0
    for k in range(n):
        inertia = felt_inertia(sys, k, work)
        allowed = BALANCED * (load * sqrt(inertia) + product[k])
        if inertia > 0.0 and not abs(left[k]) <= allowed and not abs(left[k]) <= worst:
            worst, work.fail[0].rate = abs(left[k]), k
    if worst == 0.0:
        return Status.OK.value
    return check_cancelled(sys, f, x, load, left, product, work)


@kernel
def check_cancelled(sys, f, x, load, left, product, work) -> int:
    """Likewise with the last term of (1), which is seldom needed."""
    for k in range(x.shape[0]):
        product[k] *= BALANCED / CANCELLED
    for r in range(sys.row.shape[0]):
        add_sizes(sys, r, product, work)
    for k in range(x.shape[0]):
        inertia = felt_inertia(sys, k, work)
        allowed = BALANCED * load * sqrt(inertia) + CANCELLED * product[k]
        if inertia > 0.0 and not abs(left[k]) <= allowed:
            work.fail[0].rate = k
            return Status.UNBALANCED.value
    return Status.OK.value
