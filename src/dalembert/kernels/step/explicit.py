"""Explicit Runge-Kutta methods given by their tableau, fixed or error-controlled, and semi-implicit Euler.

Every method ends a step with the accelerations of the new state, which are the first stage of the next step and serve
the error estimate and the dense output.  Error per step: largest ratio of the embedded difference to
accuracy (scale + |y|).

Stiffness: `Options.detect` steps in a row that stability holds back, not accuracy.  Two signs reveal it:
- h |k_end - k_last| / |y_end - y_last|, both at the end of the step, estimates h times the largest eigenvalue; damped
  modes are held at the stability limit 3.25.
- Vibrations are held near the imaginary axis, at 1 to 2, where accuracy might hold them, too.  But then the step is too
  long for a rule of low order: with E h⁶ of dopri5 at the tolerance, the trapezoidal rule's h³/12 is off by some
  accuracy^(-1/2) tolerances.  A vibration that has died out, and that stability keeps at the tolerance, is only 7 to 30 off.
Only trees are judged by the second sign: they have an implicit rule of high order to go on with.
"""

from math import sqrt

from ...codes import FormCode, Status
from ..compile.jit import kernel, part
from ..evaluate import eval_stage, find_projected
from ..tree.state import eval_coordinate_rates, eval_drives, move, normalise
from .flow import copy, is_cut, keep_multipliers

STABLE = 3.25
"""h times an eigenvalue up to which damped modes are stable."""
EASY, EASIER = 40.0, 0.1
"""Tolerances that the trapezoidal rule is off by, at the most, in steps that accuracy does not hold back; the second times
accuracy^(-1/2), a third or less of what it is off by where accuracy does."""
WORKING = 0.01
"""Error, 1 = tolerated, above which steps are as long as their error allows."""
HELD_STEPS = 100
"""Surplus of steps that could not be projected over half of all, from which on a mechanism is called locked."""


@part
def combine(y, k, weights, n, h, out):
    """out = y + h sum_j weights[j] k[j] over n stages."""
    copy(y, out)
    for j in range(n):
        if weights[j] != 0.0:
            c = h * weights[j]
            for i in range(y.shape[0]):
                out[i] += c * k[j, i]


@part
def place_stage(sys, opt, tableau, flow, j, h):
    """Coordinates and rates of stage j, into q_stage, qd_stage; of the new state for j = number of stages."""
    n = opt.stages
    if opt.symplectic == 1:
        for k in range(flow.qd.shape[0]):
            flow.qd_new[k] = flow.qd[k] + h * flow.qdd[k]
        eval_drives(sys, flow.progress[0].t + h, flow.q_stage, flow.qd_new, flow.qdd_new)
        for k in range(flow.qd.shape[0]):
            flow.qd_stage[k] = h * flow.qd_new[k]
        move(sys, flow.q, flow.qd_stage, flow.q_new)
        normalise(sys, flow.q_new)
    elif j < n:
        combine(flow.q, flow.kq, tableau.a[j], j, h, flow.q_stage)
        combine(flow.qd, flow.kv, tableau.a[j], j, h, flow.qd_stage)
    else:
        combine(flow.q, flow.kq, tableau.b, n, h, flow.q_new)
        combine(flow.qd, flow.kv, tableau.b, n, h, flow.qd_new)
        normalise(sys, flow.q_new)


@part
def try_step(sys, opt, tableau, flow, h, work) -> int:
    """One step of size h into q_new, qd_new, qdd_new; stage rates in kq, kv, those of the new state in row `stages`.

    Semi-implicit Euler has one stage: rates first, then coordinates moved with the new rates.
    """
    t, n = flow.progress[0].t, opt.stages
    eval_coordinate_rates(sys, flow.q, flow.qd, flow.kq[0])
    copy(flow.qdd, flow.kv[0])
    for j in range(1, n + 1):
        place_stage(sys, opt, tableau, flow, j, h)
        q, qd, c = (flow.q_stage, flow.qd_stage, tableau.c[j]) if j < n else (flow.q_new, flow.qd_new, 1.0)
        if j == n and sys.constants[0].form != FormCode.TREE:
            status = find_projected(sys, t + h, q, qd, flow.kv[j], flow.tau, work)
        else:
            status = eval_stage(sys, t + c * h, q, qd, flow.kv[j], flow.tau, work)
        if status != Status.OK.value:
            return status
        eval_coordinate_rates(sys, q, qd, flow.kq[j])
    flow.progress[0].evaluations += n
    copy(flow.kv[n], flow.qdd_new)
    return Status.OK.value


@part
def largest_error(y, y_new, k, weights, n, h, scale, accuracy):
    """Largest embedded error relative to accuracy (scale + |y|)."""
    worst = 0.0
    for i in range(y.shape[0]):
        s = 0.0
        for j in range(n):
            s += weights[j] * k[j, i]
        worst = max(worst, abs(h * s) / (accuracy * (scale[i] + max(abs(y[i]), abs(y_new[i])))))
    return worst


@kernel
def squared_gap(a, b):
    """Sum of squared differences."""
    s = 0.0
    for i in range(a.shape[0]):
        s += (a[i] - b[i]) ** 2
    return s


@kernel
def trapezoidal_error(y, y_new, k, n, h, scale, accuracy):
    """Largest difference to the trapezoidal rule's step, relative to accuracy (scale + |y|)."""
    worst = 0.0
    for i in range(y.shape[0]):
        gap = y_new[i] - y[i] - 0.5 * h * (k[0, i] + k[n, i])
        worst = max(worst, abs(gap) / (accuracy * (scale[i] + max(abs(y[i]), abs(y_new[i])))))
    return worst


@kernel
def is_easy(opt, flow, h):
    """Tell whether the trapezoidal rule could all but take this step."""
    n = opt.stages
    error = max(trapezoidal_error(flow.q, flow.q_new, flow.kq, n, h, flow.q_scale, opt.accuracy),
                trapezoidal_error(flow.qd, flow.qd_new, flow.kv, n, h, flow.qd_scale, opt.accuracy))
    return error < min(EASY, EASIER / sqrt(opt.accuracy))


@kernel
def looks_stiff(sys, opt, flow, error, h):
    """Count steps that stability holds back; True after `opt.detect` of them."""
    p, n = flow.progress[0], opt.stages
    top = squared_gap(flow.kq[n], flow.kq[n - 1]) + squared_gap(flow.kv[n], flow.kv[n - 1])
    bottom = squared_gap(flow.q_new, flow.q_stage) + squared_gap(flow.qd_new, flow.qd_stage)
    tree = sys.constants[0].form == FormCode.TREE
    if (bottom > 0.0 and h * sqrt(top / bottom) > STABLE) or (tree and error > WORKING and is_easy(opt, flow, h)):
        p.stiff += 1
        p.smooth = 0
    else:
        p.smooth += 1
        if p.smooth >= 6:
            p.stiff = 0
    return p.stiff >= opt.detect


@part
def is_held(p, status):
    """Count steps whose positions could not be projected against those that could; True where half of many could not."""
    if status == Status.NO_CONVERGENCE.value:
        p.held += 2
    return p.held > HELD_STEPS


@kernel
def attempt_explicit(sys, opt, method, flow, t1, work) -> int:
    """One step; STIFF where stability has held back many."""
    p, o, tableau = flow.progress[0], opt[0], method.tableau
    h = t1 - p.t
    status = try_step(sys, o, tableau, flow, h, work)
    if o.adaptive == 0 or status != Status.OK.value:
        return status
    n = o.stages
    p.error = max(largest_error(flow.q, flow.q_new, flow.kq, tableau.e, n + 1, h, flow.q_scale, o.accuracy),
                  largest_error(flow.qd, flow.qd_new, flow.kv, tableau.e, n + 1, h, flow.qd_scale, o.accuracy))
    if p.error <= 1.0 and o.detect > 0 and looks_stiff(sys, o, flow, p.error, h):
        p.stiff = 0
        return Status.STIFF.value
    return Status.OK.value


@kernel
def shorten_explicit(sys, opt, method, flow, t1, work) -> int:
    """Shorten the step; LOCKED where positions could not be projected in most of many."""
    p, o = flow.progress[0], opt[0]
    error = p.error if p.failure == Status.OK.value and p.error < 1e30 else 1e30
    if p.failure != Status.OK.value and is_held(p, p.failure):
        return Status.LOCKED.value
    p.h = (t1 - p.t) * max(0.2, 0.9 * error ** (-1.0 / o.order))
    if p.h < o.h_min:
        return p.failure if p.failure != Status.OK.value else Status.STEP_TOO_SMALL.value
    return Status.OK.value


@kernel
def choose_step(o, flow):
    """Step to try next, with the memory of the error of the step before."""
    p = flow.progress[0]
    if o.adaptive == 1:
        e, h = max(p.error, 1e-10), p.h_last
        factor = 0.9 * e ** (-0.7 / o.order) * max(p.error_last, 1e-4) ** (0.4 / o.order)
        longest = max(h, p.h_wish) if is_cut(p, h) else 0.0
        p.h = min(max(h * min(5.0, max(0.3, factor)), longest), o.h_max)
        p.error_last = e
        p.held = max(0, p.held - 1)


@kernel
def keep_explicit(sys, opt, method, flow, t1, work) -> int:
    """The multipliers of the new state, and the step to try next."""
    keep_multipliers(sys, work)
    choose_step(opt[0], flow)
    return Status.OK.value
