"""What other kernels need of mechanisms with loops: calls by address, so that trees neither compile nor load it.

The functions behind the calls are in evaluate_loops.py and have the same arguments; linked_work.py joins the two.
"""

from .compile.calls import COUNT, COUNTS, MATRIX, NUMBER, VECTOR, by_address


@by_address
def call_accelerations(sys, t: NUMBER, q: VECTOR, qd: VECTOR, qdd: VECTOR, tau: VECTOR, work) -> int:
    """Accelerations qdd and multipliers (row.lam_now) of a state; driven entries of q, qd, qdd are set from their laws."""


@by_address
def call_projected(sys, t: NUMBER, q: VECTOR, qd: VECTOR, qdd: VECTOR, tau: VECTOR, work) -> int:
    """Likewise of a state nearly on the constraints, which is brought onto them first, in place, with the factors at hand."""


@by_address
def call_balance(sys, work) -> int:
    """UNBALANCED unless what one of the two has just found satisfies the equations of motion."""


@by_address
def call_residual(sys, bare: COUNT, t: NUMBER, q: VECTOR, qd: VECTOR, qdd: VECTOR, tau: VECTOR, residual: VECTOR, work) -> int:
    """Residual of a state, accelerations and the multipliers in work.row; `bare` = 1 leaves the part α Phi in row.gap."""


@by_address
def call_factor(sys, t: NUMBER, q: VECTOR, qd: VECTOR, qdd: VECTOR, add: VECTOR, cq: NUMBER, cv: NUMBER, work) -> int:
    """Factors of an implicit step's matrix, after `call_residual` at the state; `add` (n_v,) is the joint springs' part."""


@by_address
def call_projection(sys, kind: COUNT, exact: COUNT, near: COUNT, settled: COUNT, tolerance: NUMBER, t: NUMBER, q: VECTOR,
                    qd: VECTOR, qdd: VECTOR, cq: NUMBER, cv: NUMBER, matrix: MATRIX, pivot: COUNTS, work) -> int:
    """Project the rates and accelerations of a new state, in place; `kind` is a ProjectionCode."""


@by_address
def call_motion(sys, rate: COUNT, x: VECTOR, work) -> int:
    """Motion x (n_v,) of a rate without inertia, after `call_accelerations` at the state."""


@by_address
def call_constraints(sys, t: NUMBER, q: VECTOR, qd: VECTOR, work) -> int:
    """Poses, velocities, Phi, Phi' and the Jacobian of a state."""


@by_address
def call_velocities(sys, q: VECTOR, qd: VECTOR, work) -> int:
    """Poses and velocities of the bodies, and in natural coordinates the joints' coordinates and rates."""


@by_address
def call_gaps(sys, t: NUMBER, q: VECTOR, qd: VECTOR, work) -> int:
    """Likewise without the Jacobian, which natural coordinates have anyway."""


@by_address
def call_needed(sys, t: NUMBER, q: VECTOR, qd: VECTOR, qdd: VECTOR, tau: VECTOR, loaded: COUNT, needed: VECTOR, work) -> int:
    """M qdd - Q, with Jᵀ (λ + α Phi) if `loaded` is 1, after one of these two at the state."""


@by_address
def call_mass(sys, q: VECTOR, work) -> int:
    """Mass matrix into work.mass, likewise; in joint coordinates the bodies' own inertias are destroyed."""


@by_address
def call_tangent(sys, t: NUMBER, q: VECTOR, qd: VECTOR, qdd: VECTOR, add: VECTOR, cq: NUMBER, cv: NUMBER, work) -> int:
    """M + cv C + cq K added to the matrix, after `call_needed` at the state."""


@by_address
def call_variation(sys, q: VECTOR, qd: VECTOR, qdd: VECTOR, dq: VECTOR, dqd: VECTOR, dqdd: VECTOR, out: VECTOR, work) -> int:
    """Variations of the loads of superelements in joint coordinates, for those of the bodies' motion in work.variation."""


CALLS = (call_accelerations, call_projected, call_balance, call_residual, call_factor, call_projection, call_motion,
         call_constraints, call_velocities, call_gaps, call_needed, call_mass, call_tangent,
         call_variation)
