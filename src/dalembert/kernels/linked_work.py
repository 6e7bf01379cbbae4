"""The scratch of a thread, with the addresses of the kernels of constrained mechanisms where a model needs them.

What Python itself asks of these kernels is asked here, by address, too.
"""

from ..codes import FormCode
from .compile.calls import store_addresses
from .compile.jit import kernel
from .evaluate_loops import ANSWERS
from .loop_calls import call_constraints, call_gaps, call_mass, call_needed, call_tangent
from .tables import System, Work, make_work

_store = store_addresses(ANSWERS)


@kernel
def link_entries(sys, work) -> int:
    """Fill `work.entries`."""
    return _store(sys, work)


def make_linked_work(system: System) -> Work:
    """Allocate the scratch of one thread; if the system is constrained with addresses, which compiles or loads the kernels."""
    work = make_work(system)
    if system.constants[0].form != FormCode.TREE:
        link_entries(system, work)
    return work


@kernel
def eval_constraints(sys, t, q, qd, work) -> int:
    """Poses, velocities, Phi, Phi' and the Jacobian of a state."""
    return call_constraints(sys, t, q, qd, work)


@kernel
def eval_gaps(sys, t, q, qd, work) -> int:
    """Likewise without the Jacobian, which natural coordinates have anyway."""
    return call_gaps(sys, t, q, qd, work)


@kernel
def eval_needed(sys, t, q, qd, qdd, tau, loaded, needed, work) -> int:
    """M qdd - Q, with Jᵀ (λ + α Phi) if `loaded` is 1, after one of these two at the state."""
    return call_needed(sys, t, q, qd, qdd, tau, loaded, needed, work)


@kernel
def eval_mass(sys, q, work) -> int:
    """Mass matrix into work.mass, likewise; in joint coordinates the bodies' own inertias are destroyed."""
    return call_mass(sys, q, work)


@kernel
def add_step_tangent(sys, t, q, qd, qdd, add, cq, cv, work) -> int:
    """M + cv C + cq K added to the matrix, after `eval_needed` at the state."""
    return call_tangent(sys, t, q, qd, qdd, add, cq, cv, work)
