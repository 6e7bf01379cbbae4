"""The walk of a mechanism with loops, in joint or natural coordinates: a state's accelerations, an implicit step, projections.

Evaluation   laws of drives -> poses, Phi, Phi' -> J -> loads f, Phi'' -> M, factors of M + Jᵀ α J -> qdd, multipliers
Projected    laws of drives -> q onto Phi = 0 -> J -> M, factors -> qd onto Phi' = 0 -> loads f, Phi'' -> qdd, multipliers
Step         for each turn of step/augmented.py: poses, Phi, Phi' -> residual;  if need be J -> tangent, factors
             at its end: Phi', J -> qd onto Phi' = 0 -> velocities, Phi'' -> qdd onto Phi'' = 0

For trees see evaluate.py.  The rest calls these kernels by address, loop_calls.py.
"""

from ..codes import ProjectionCode, Status
from . import loop_calls as calls
from .algebra.sparse import factor_sparse, status_of_factor
from .compile.jit import kernel
from .constraint.accelerations import solve_loaded
from .constraint.balance import check_balance
from .constraint.conjugate import FURTHEST, SETTLED_FURTHEST, project_accelerations, project_rates
from .constraint.gaps import RATE_TOLERANCE, acceleration_gap, rate_gap
from .constraint.loads import eval_needed, eval_state_loads
from .constraint.massless_rows import find_motion
from .constraint.matrices import add_step_tangent, clear_matrix, eval_mass, factor_mass, factor_with_penalties
from .constraint.positions import bring_onto, settle_positions
from .constraint.projection import begin_projection
from .constraint.saddle import add_penalties, keep_jacobian
from .constraint.state import (
    eval_constraints,
    eval_gaps,
    eval_rate_gaps,
    eval_rates,
    eval_row_bends,
    eval_row_matrix,
    eval_velocities,
)
from .flex.superelement_tree import vary_superelements
from .tree.state import begin_drives


@kernel
def find_accelerations(sys, t, q, qd, qdd, tau, work) -> int:
    """Accelerations qdd and multipliers (row.lam_now) of a state; driven entries of q, qd, qdd are set from their laws."""
    status = begin_drives(sys, t, q, qd, qdd, work)                                # driven q, qd, qdd; the other qdd zero
    if status == Status.OK.value:
        status = eval_constraints(sys, t, q, qd, work)                             # poses, velocities, Phi, Phi', J
    if status == Status.OK.value:  # loads come first: the mass matrix destroys the bodies' inertias
        status = eval_state_loads(sys, t, q, qd, qdd, tau, work.scratch.loop.load, work)    # f = M qdd - Q, Phi''
    if status == Status.OK.value:
        status = factor_mass(sys, q, work)                                         # M, factors of M + Jᵀ α J
    if status == Status.OK.value:
        status = solve_loaded(sys, qdd, work)                                      # M qdd + Jᵀ λ = Q, Phi'' = 0
    return status


@kernel
def find_projected_accelerations(sys, t, q, qd, qdd, tau, work) -> int:
    """Likewise of a state nearly on the constraints, which is brought onto them first, in place, with the factors at hand."""
    status = begin_drives(sys, t, q, qd, qdd, work)
    if status == Status.OK.value:
        status = bring_onto(sys, t, q, qd, work)                                   # Phi = 0
    if status == Status.OK.value:
        status = eval_row_matrix(sys, q, work)                                     # J
    if status == Status.OK.value:
        status = factor_mass(sys, q, work)                                         # M, factors of M + Jᵀ α J
    if status == Status.OK.value:
        rate_gap(sys, work)
        project_rates(sys, qd, RATE_TOLERANCE, FURTHEST, False, work.no_matrix, work.no_pivot, work)   # Phi' = 0
        status = eval_velocities(sys, q, qd, work)                                 # anew, with the inertias
    if status == Status.OK.value:
        status = eval_state_loads(sys, t, q, qd, qdd, tau, work.scratch.loop.load, work)
    if status == Status.OK.value:
        status = solve_loaded(sys, qdd, work)
    return status


@kernel
def check_found(sys, work) -> int:
    """UNBALANCED unless what one of the two has just found satisfies the equations of motion."""
    own = work.scratch.loop
    return check_balance(sys, own.load, own.found, own.right, own.product, work)


@kernel
def eval_loop_residual(sys, bare, t, q, qd, qdd, tau, residual, work) -> int:
    """Residual M qdd + Jᵀ (λ + α Phi) - Q of a state and accelerations; zero for driven rates.

    If `bare` is 1, without the part α Phi, which goes to row.gap.  Violations then count as zero: also in the exact matrix,
    whose curvature shall be that of the multipliers alone (at the beginning of an iteration α Phi is large and says nothing
    of the end).
    """
    status = eval_gaps(sys, t, q, qd, work)                                        # poses, velocities, Phi, Phi'
    if status != Status.OK.value:
        return status
    if bare == 1:
        for r in range(sys.row.shape[0]):
            own = work.row[r]
            own.gap = own.Phid if sys.row[r].rate_only == 1 else own.Phi
            own.Phi = own.Phid = 0.0
    return eval_needed(sys, t, q, qd, qdd, tau, 1, residual, work)


@kernel
def factor_step(sys, t, q, qd, qdd, add, cq, cv, work) -> int:
    """Factors of the step's matrix, (1) of constraint/multipliers.py, after `eval_loop_residual` at the state.

    `add` (n_v,) is the joint springs' part of cv C + cq K in joint coordinates.
    """
    status = eval_row_matrix(sys, q, work)                                         # J
    if status != Status.OK.value:
        return status
    keep_jacobian(work)
    clear_matrix(work)
    status = add_step_tangent(sys, t, q, qd, qdd, add, cq, cv, work)               # M + cv C + cq K
    if status != Status.OK.value:
        return status
    add_penalties(sys, cq, cv, work)                                               # cq Jᵀ α J
    return status_of_factor(factor_sparse(sys.pattern, work.factors), work)


@kernel
def project_step(sys, kind, exact, near, settled, tolerance, t, q, qd, qdd, cq, cv, matrix, pivot, work) -> int:
    """Project the rates and accelerations of a new state by (1) of constraint/projection.py, in place.

    `kind` is a ProjectionCode; `exact` = 1 takes the dense factors (matrix, pivot).  With `near` = 1 the poses of the last
    iteration serve: they differ by the guess's error, a high power of the step.  `tolerance` is that of rates; with
    `settled` = 1 positions are brought to rounding of Phi = 0 before.
    """
    status = begin_projection(sys, kind, cq, cv, work)                             # keeps λ
    if status != Status.OK.value or kind == ProjectionCode.NONE:
        return status
    status = eval_rate_gaps(sys, t, q, qd, work) if near == 1 else eval_gaps(sys, t, q, qd, work)   # Phi'
    if status == Status.OK.value:
        status = eval_row_matrix(sys, q, work)                                     # J
    if status == Status.OK.value and kind == ProjectionCode.MASS:
        status = factor_with_penalties(sys, q, work)                               # M + Jᵀ α J
    if status == Status.OK.value and settled == 1:
        status = settle_positions(sys, exact == 1, t, q, qd, matrix, pivot, work)  # Phi = 0, Phi', J
    if status == Status.OK.value:
        rate_gap(sys, work)
        furthest = SETTLED_FURTHEST if settled == 1 else FURTHEST
        project_rates(sys, qd, tolerance, furthest, exact == 1, matrix, pivot, work)    # Phi' = 0
    if status == Status.OK.value and near == 0:
        status = eval_rates(sys, q, qd, work)                                      # velocities
    if status == Status.OK.value:
        status = eval_row_bends(sys, t, q, qd, qdd, work)                          # Phi''
    if status == Status.OK.value:
        acceleration_gap(sys, work)
        project_accelerations(sys, qdd, exact == 1, matrix, pivot, work)           # Phi'' = 0
    return status


ANSWERS = {
    calls.call_accelerations: find_accelerations,
    calls.call_projected: find_projected_accelerations,
    calls.call_balance: check_found,
    calls.call_residual: eval_loop_residual,
    calls.call_factor: factor_step,
    calls.call_projection: project_step,
    calls.call_motion: find_motion,
    calls.call_constraints: eval_constraints,
    calls.call_velocities: eval_velocities,
    calls.call_gaps: eval_gaps,
    calls.call_needed: eval_needed,
    calls.call_mass: eval_mass,
    calls.call_tangent: add_step_tangent,
    calls.call_variation: vary_superelements,
}
"""What each call of loop_calls.py runs."""
