"""The scratch of a thread, with the addresses of the kernels of constrained mechanisms where a model needs them.

What Python itself asks of these kernels is asked here, by address, too.
"""

from ..codes import FormCode, Status
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
def eval_row_motions(sys, t, q, qd, J, work) -> int:
    """Columns of the Jacobian J (m, n_v) by driven rates; leaves the state at rest evaluated, qd is scratch."""
    for k in range(sys.drive.shape[0] + 1):
        for v in range(qd.shape[0]):
            qd[v] = 0.0
        driven = sys.drive[k].v if k < sys.drive.shape[0] else -1
        if driven >= 0:
            qd[driven] = 1.0
        status = call_constraints(sys, t, q, qd, work)
        if status != Status.OK.value:
            return status
        for r in range(sys.row.shape[0]):
            if driven >= 0:
                J[r, driven] = work.row[r].Phid
            else:
                for d in range(sys.drive.shape[0]):
                    J[r, sys.drive[d].v] -= work.row[r].Phid
    return Status.OK.value


@kernel
def eval_row_frames(sys, t, q, qd, J, value, force, moment, place, axes, work) -> int:
    """Rows of frames t (nf,), q (nf, n_q): Jacobians J (nf, m, n_v) by all rates, violations `value` (nf, m).

    `force`, `moment` (nf, m, 3) are what a unit multiplier does to the second body; `place` (nf, n_body, 3) are the bodies'
    origins, `axes` (nf, n_body, 9) the columns of their rotations.
    """
    for f in range(t.shape[0]):
        status = eval_row_motions(sys, t[f], q[f], qd, J[f], work)
        if status != Status.OK.value:
            return status
        for r in range(sys.row.shape[0]):
            c, own = sys.row[r], work.row[r]
            value[f, r] = own.Phi
            for k in range(3):
                force[f, r, k], moment[f, r, k] = own.f_b[k], own.n_b[k]
            for p in range(c.first, c.first + c.count):
                J[f, r, sys.entry[p].column] = work.jacobian[p]
        for i in range(sys.body.shape[0]):
            own = work.body[i]
            for k in range(3):
                place[f, i, k] = own.r_w[k]
                for c in range(3):
                    axes[f, i, 3 * k + c] = own.E_wb[4 * k + c]
    return Status.OK.value


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
