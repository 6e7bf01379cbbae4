"""Which equations project the rates and accelerations after an implicit step, and what becomes of its multipliers.

With the matrix A and penalties α = ζ α' (α' those of multipliers.py; ζ = cq, cv for rows that bind rates, unless the user says
otherwise) rates and accelerations are projected by
    A d = -Jᵀ α Phi',   A d = -Jᵀ α Phi''                                                        (1)
[DOP (3), (4)] in increments, by turns of gaps.py.  A is the matrix that the iteration has at hand (STEP), in which P is M with
some of cv C + cq K; or the same in full, exact and dense, P = M + cv C + cq K with all forces (TANGENT); or M + Jᵀ α J made
anew, P = M (MASS).  The gap is linear in them: it is evaluated once and then follows d with the present J.  The projection of
accelerations acts like a load with multipliers ν,
    P (a - a*) = -Jᵀ ν,   hence   M a + Jᵀ (λ + ν) = Q - (P - M) (a - a*).                       (2)
a is what is recorded, and λ + ν (row.lam_shown) where P = M.  Elsewhere the rest of (2), though of second order, is far larger
than the error of a near a singular position, where a* is far off; multipliers are then found from the state.
The next step begins with the projected rates, and with accelerations between those that solved it and the projected ones.
Along the constraints the trapezoidal rule turns an error of the former over from step to step and never damps it, and
every passage through a singular position adds to it, until the step leaves the branch it is on.  The latter have no such
error, but with them alone the scheme is far from symmetric in time, and the error's part of third order is larger.
Positions that keep to the constraints turn an error e of the accelerations along them into
    e1 = -(½ - beta)/beta e0,                                                                    (3)
which grows for beta < ¼; the share of the projected ones is chosen so that a step takes as much off as with beta = ¼.  The
parabola of step/high_order.py turns it into
    e1 = -(10 e0 - e₋)/3                                                                         (4)
of which a part m is left that takes as much off, x² + (10 m x - m)/3 = 0 at x = -ρ.
"""

from math import nan

from ...codes import ProjectionCode, Status
from ..compile.jit import kernel, part
from ..flex.superelement import keep_frames
from .multipliers import row_factor

PROJECTED_SHARE = 0.15
"""Of the projected accelerations in those that the next step begins with, at least."""


@part
def projected_share(beta, parabola):
    """Share of the projected accelerations in those that the next step begins with, by (3) or, for a parabola, (4)."""
    if parabola == 1:
        rho = 1.0 - PROJECTED_SHARE
        return 1.0 - 3.0 * rho * rho / (10.0 * rho + 1.0)
    return 1.0 - (1.0 - PROJECTED_SHARE) * beta / max(beta, 0.5 - beta)


@kernel
def begin_projection(sys, kind, cq, cv, work) -> int:
    """Keep what the step has found, and scale the penalties for (1).

    The rows keep the penalties of the factors, with which states near this one may be projected, too.
    """
    keep_frames(sys.sup, work.sup)
    if kind == ProjectionCode.STEP or kind == ProjectionCode.TANGENT:
        serves = False
    elif kind == ProjectionCode.MASS or kind == ProjectionCode.NONE:
        serves = True
    else:
        work.fail[0].projection = kind
        return Status.UNKNOWN_PROJECTION.value
    for r in range(sys.row.shape[0]):
        own = work.row[r]
        own.lam_last = own.lam
        own.lam_shown = own.lam if serves else nan
        own.pen *= row_factor(sys.row[r], cq, cv)
    return Status.OK.value
