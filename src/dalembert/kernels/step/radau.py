"""Fully implicit Runge-Kutta steps on joint coordinates, fixed or error-controlled: Radau IIA of order five.

The error estimate compares with a method of order three that uses the present state as a further stage
[HairerWanner1996, IV.8]: with kappa = h mu
    e_d = kappa qd0 + sum_i e_i d_i,   e_v = kappa qdd0 + sum_i e_i (qd_i - qd0)                                 (1)
where e_i makes (1) zero for polynomials up to degree three.  It is filtered as in (6) of implicit.py,
    (M + kappa C + kappa² K) y = M e_v - kappa K e_d,   x = e_d + kappa y                                        (2)
which is the real matrix of the stages' iteration.  The estimate is of order h⁴, the local error of the method of h⁶:
that is held at the accuracy if the estimate is held at its power 4/6.
"""

from ...codes import Status
from ..algebra.dense import solve_lu
from ..compile.jit import kernel
from ..linearize import eval_matrices
from .flow import status_of_length
from .implicit import START_FILTERS, update_scales, with_inertia
from .radau_stages import (
    ACCELERATION,
    DAMPING,
    FACTORS,
    LAST,
    MASS,
    MAX_ITERATIONS,
    MOVE,
    RATE,
    SCRATCH,
    STIFFNESS,
    factor_stages,
    solve_stages,
)

ESTIMATE = 0.1
"""Share of accuracy^(2/3) that the estimate may take."""
KEEP_RATE = 0.01
"""Contraction of the iteration above which the next step gets new matrices."""
TRUST_GROWTH = 0.01
"""Growth of the bound on steps after an iteration that did not converge, times the number of steps since."""

SAME_STEP = 1e-9
"""Relative difference of steps that share their factors: rounding of a fixed step."""


@kernel
def filter_error(matrix, pivot, e_d, e_v, y, kappa):
    """Replace (e_d, e_v) by (x, y) of (2)."""
    M, K, n = matrix[MASS], matrix[STIFFNESS], y.shape[0]
    for j in range(n):
        y[j] = 0.0
        for k in range(n):
            y[j] += M[j, k] * e_v[k] - kappa * K[j, k] * e_d[k]
    solve_lu(matrix[FACTORS], pivot, y)
    for k in range(n):
        e_d[k] += kappa * y[k]
        e_v[k] = y[k]


@kernel
def error_size(flow, x, y):
    """Largest estimate relative to the scale of its coordinate or rate; motions without inertia have no say."""
    worst = 0.0
    for k in range(x.shape[0]):
        worst = max(worst, abs(x[k]) / flow.dq_scale[k])
        moved, speed = y[k], max(abs(flow.qd[k]), abs(flow.qd_new[k]))
        if flow.slack[k] > 0.0:
            moved, speed = with_inertia(flow, y, k), 0.0
        worst = max(worst, abs(moved) / (flow.qd_scale[k] + speed))
    return worst


@kernel
def estimate_error(dof, accuracy, method, flow, stages, h):
    """Estimate (1), filtered by (2), 1 = tolerated."""
    e, v, d = method.e, stages.vector[RATE], stages.vector[MOVE]
    e_d, e_v = stages.vector[SCRATCH, 0], stages.vector[SCRATCH, 1]
    kappa = h * method.mu
    for k in range(flow.qd.shape[0]):
        v0 = flow.qd[k]
        e_d[k] = kappa * v0 + e[0] * d[0, k] + e[1] * d[1, k] + e[2] * d[2, k]
        e_v[k] = kappa * flow.qdd[k] + e[0] * (v[0, k] - v0) + e[1] * (v[1, k] - v0) + e[2] * (v[2, k] - v0)
        if dof[k].drive >= 0:
            e_d[k] = e_v[k] = 0.0
    tolerated = ESTIMATE * accuracy ** (2.0 / 3.0)
    error = 0.0
    for _ in range(START_FILTERS):
        filter_error(stages.matrix, stages.pivot[0], e_d, e_v, stages.y, kappa)
        error = error_size(flow, e_d, e_v) / tolerated
        if error <= 1.0 or flow.progress[0].calm > 0:
            break
    return error


@kernel
def choose_radau_step(o, p) -> int:
    """Step to try next, by the errors of the last two steps; NOT_STIFF as in flow.py."""
    h = p.h_last
    safety = 0.9 * (2 * MAX_ITERATIONS + 1) / (2 * MAX_ITERATIONS + p.tried_iterations)
    error = max(p.error, 1e-10)
    factor = safety * error**-0.25
    if p.calm > 1:
        factor = min(factor, safety * h / p.h_before * (p.error_last / (error * error)) ** 0.25)
    factor = min(8.0, max(0.2, factor))
    p.error_last = max(error, 1e-2)
    if h < p.h_wish:
        p.h = max(p.h_wish, h * factor)
    elif not 1.0 <= factor <= 1.2:
        p.h = h * factor
    p.h = min(p.h, o.h_max)
    if p.h_trusted > 0.0:
        p.h_trusted *= 1.0 + TRUST_GROWTH * p.calm
        p.h = min(p.h, p.h_trusted)
    return status_of_length(o, p)


@kernel
def shorten_radau(sys, opt, method, flow, t1, work) -> int:
    """Shrink the step after a failure or a large error.

    Where the iteration alone does not converge, the accuracy would ask for the same length again after each step: it is not
    to be tried before many have converged.
    """
    p, o = flow.progress[0], opt[0]
    factor = 0.25
    if p.failure == Status.OK.value:
        factor = max(0.1, 0.9 * min(p.error, 1e9) ** -0.25)
    elif p.failure == Status.NO_CONVERGENCE.value and p.calm > 0:
        factor = 0.5
    p.h, p.calm = (t1 - p.t) * factor, 0
    if p.failure == Status.NO_CONVERGENCE.value:
        p.h_trusted = p.h
    if p.h < o.h_min:
        return p.failure if p.failure != Status.OK.value else Status.STEP_TOO_SMALL.value
    return Status.OK.value


@kernel
def try_radau(sys, o, method, flow, stages, h, work) -> int:
    """One step; with matrices of the present state if those at hand do not serve.  A driven rate has M = 1."""
    p, matrix = flow.progress[0], stages.matrix
    while True:
        if p.dense == 0:
            status = eval_matrices(sys, p.t, flow.q, flow.qd, flow.qdd, stages.y, matrix[MASS], matrix[DAMPING],
                                   matrix[STIFFNESS], work)
            if status != Status.OK.value:
                return status
            for i in range(sys.drive.shape[0]):
                matrix[MASS, sys.drive[i].v, sys.drive[i].v] = 1.0
            p.dense, p.exact, p.factored = 1, 1, 0
        if p.factored == 0 or abs(p.factor_scale - h) > SAME_STEP * h:
            status = factor_stages(method, matrix, stages.pair, stages.pivot, h)
            if status != Status.OK.value:
                return status
            p.factored, p.factor_scale = 1, h
            p.factorizations += 1
        status = solve_stages(sys, o, method, flow, stages, h, work)
        if status == Status.OK.value or p.exact == 1:
            return status
        p.dense = 0


@kernel
def keep_stages(p, vector, bends):
    """Make the stages the past of the next guess, unless a law bends here."""
    for i in range(3):
        for k in range(vector.shape[2]):
            vector[LAST, i, k] = vector[ACCELERATION, i, k]
    p.calm += 1
    p.exact = 0
    if p.contraction > KEEP_RATE:
        p.dense = 0
    if bends:
        p.history = p.calm = 0
        p.h_trusted = 0.0


@kernel
def attempt_radau(sys, opt, method, flow, t1, work) -> int:
    """One step and its error.

    In `progress`, `dense` is 1 while there are matrices, `exact` while they belong to the present state, and `calm` counts
    the steps since the start, a rejection or a bend of a law.
    """
    p, o, coefficients = flow.progress[0], opt[0], method.coefficients[0]
    h, before = t1 - p.t, p.iterations
    update_scales(sys, flow)
    status = try_radau(sys, o, coefficients, flow, method.stages, h, work)
    p.tried_iterations = p.iterations - before
    if o.adaptive == 1 and status == Status.OK.value:
        p.error = estimate_error(sys.dof, o.accuracy, coefficients, flow, method.stages, h)
    return status


@kernel
def keep_radau(sys, opt, method, flow, t1, work) -> int:
    """Step to try next, and the stages as the past of its guess."""
    p, o, status = flow.progress[0], opt[0], Status.OK.value
    if o.adaptive == 1:
        status = choose_radau_step(o, p)
    keep_stages(p, method.stages.vector, p.bends == 1)
    return status
