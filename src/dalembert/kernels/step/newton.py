"""Newton's iteration of an implicit step or stage of a tree for the accelerations a = qdd_new, and the choice between the two.

State, residual and the two matrices are in stage.py.
"""

from ...codes import FormCode, Status
from ..compile.jit import kernel, part, shared
from ..evaluate import eval_residual
from ..tree.factor import factor_tree
from ..tree.kinematics import eval_motion
from .augmented import solve_loop_stage
from .iteration import (
    DENSE_STEPS,
    DIVERGENCE,
    GOOD_RATE,
    MAX_ITERATIONS,
    SWITCH_RATE,
    correct,
    correction_size,
    is_known_to_end,
    is_small,
    keep_accelerations,
    keep_guess,
    remember_rate,
    return_to_guess,
)
from .stage import eval_joint_part, factor_exact, place_new
from .step_matrix import solve_factored

RENEWALS = 50
"""Steps that begin with new factors after old ones had become useless within an iteration: they soon would again, as those of
a slender body that spins do, which is much lighter about its own axis."""


@part
def note_factors(p, cv):
    """Note that there are factors; their contraction is not known, unless each step has its own, which contract alike."""
    p.factored, p.factor_scale = 1, cv
    p.factorizations += 1
    if p.renewals == 0:
        p.contraction = 1.0


@kernel
def factor_simple(sys, flow, tangent, t1, cq, cv, work) -> int:
    """Factor M + joint springs at the new state, O(N)."""
    eval_joint_part(sys, flow, tangent, t1, cq, cv)
    eval_motion(sys, flow.q_new, flow.qd_new, work)
    status = factor_tree(sys, tangent.add, cq, cv, work)
    if status == Status.OK.value:
        note_factors(flow.progress[0], cv)
    return status


@kernel
def factor_full(sys, flow, tangent, t1, cq, cv, work) -> int:
    """Factor the exact matrix at the new state, after the residual there."""
    status = factor_exact(sys, flow, tangent, t1, cq, cv, work)
    if status == Status.OK.value:
        note_factors(flow.progress[0], cv)
    return status


@kernel
def solve_tree_stage(sys, o, flow, tangent, t1, cq, cv, work) -> int:
    """Iterate from the guess in qdd_new; leaves q_new, qd_new, qdd_new and the factors."""
    p = flow.progress[0]
    exact, fresh, since, last, rate, begun = p.dense > 0, False, 0, 0.0, 1.0, 0.0
    residual, x = tangent.residual, tangent.direction[3]
    keep_guess(flow, tangent, cv)
    for _ in range(MAX_ITERATIONS):
        place_new(sys, o, flow, tangent, t1, cq, cv)
        status = Status.OK.value
        if not exact and p.factored == 0:
            status, fresh = factor_simple(sys, flow, tangent, t1, cq, cv, work), True
            if status == Status.SINGULAR.value and tangent.matrix.shape[0] > 0:
                exact, p.dense, fresh, status = True, DENSE_STEPS, False, Status.OK.value
        if status == Status.OK.value:
            p.evaluations += 1
            status = eval_residual(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, residual, work)
        if status == Status.OK.value and p.factored == 0:
            status, fresh = factor_full(sys, flow, tangent, t1, cq, cv, work), True
        if status != Status.OK.value:
            return status

        # correction
        solve_factored(sys, exact, residual, x, tangent.matrix, tangent.pivot, work)
        p.iterations += 1
        status = correct(sys, flow, x, work)
        if status != Status.OK.value:
            return status
        size = correction_size(o, flow, x, cq, cv)
        if since > 0:
            rate = size / last if last > 0.0 else 0.0
        else:
            begun = size
        known = since == 0 and is_known_to_end(p, size, o.newton)
        if known or is_small(since, rate, size, o.newton):
            remember_rate(p, since, known, rate)
            place_new(sys, o, flow, tangent, t1, cq, cv)
            keep_accelerations(flow)
            return Status.OK.value

        # another matrix where this one contracts badly
        since += 1
        if since > 1 and rate > GOOD_RATE:
            switch = fresh and not exact and rate > SWITCH_RATE and tangent.matrix.shape[0] > 0
            if not switch and fresh and rate > DIVERGENCE and size > begun:
                return Status.NO_CONVERGENCE.value
            if not (switch or exact or fresh):
                p.renewals = RENEWALS
            if switch or not fresh:
                p.factored, fresh = 0, False
            if switch:
                exact, p.dense, since = True, DENSE_STEPS, 0
                return_to_guess(flow, tangent)
        last = size
    return Status.NO_CONVERGENCE.value


@shared
def solve_stage(sys, o, flow, tangent, t1, cq, cv, work) -> int:
    """Solve the step or stage that stage.py states for qdd_new, by the iteration that fits."""
    if sys.constants[0].form == FormCode.TREE:
        return solve_tree_stage(sys, o, flow, tangent, t1, cq, cv, work)
    return solve_loop_stage(sys, o, flow, tangent, t1, cq, cv, work)
