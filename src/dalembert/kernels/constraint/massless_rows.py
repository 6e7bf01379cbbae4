"""Motions of a mechanism with constraint rows that need no inertia, O(N) a vector.

Seeds: [ARN (18)-(26)] for trees.  Such a motion x has M x = 0 and J x = 0.  With as many rates k as there are motions, which
tell them apart, a *gauge* G is added to the mass matrix: inertias μ_k at these rates.  In
    (M + G) qdd + Jᵀ λ = -g,   J qdd = -b                                                        (1)
the product with a motion is x·G qdd = -x·g, and vanishes in a state that meets the motion's own equation x·g = 0 [ARN (20b)]:
then (1) gives the accelerations that are zero at the rates k, with the multipliers of all others.  (1) is regular, and with
-μ_k e_k for g and zero for b its solution is the motion that has one at rate k and zero at the other ones.
"""

from ...codes import Status
from ..compile.jit import kernel
from .saddle import solve_saddle

MOVED = 1e-9
"""What a motion may differ from one at its own rate; else it has inertia now."""


@kernel
def find_motion(sys, rate, x, work) -> int:
    """Fill the motion x (n_v,) of a rate with a gauge, with the factors of (1) at the state; row.lam_now is destroyed."""
    own = work.scratch.loop
    f = own.load
    for k in range(f.shape[0]):
        f[k] = 0.0
    for r in range(sys.row.shape[0]):
        work.row[r].gap = 0.0
    f[rate] = -sys.dof[rate].gauge
    if not solve_saddle(sys, f, x, own.right, own.product, work):
        return Status.SINGULAR.value
    return Status.OK.value if abs(x[rate] - 1.0) <= MOVED else Status.SINGULAR.value
