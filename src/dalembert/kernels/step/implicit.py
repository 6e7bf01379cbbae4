"""Implicit steps on joint coordinates, fixed or error-controlled: the generalized-alpha family and diagonally
implicit Runge-Kutta methods, both by Newton's iteration of newton.py.

Generalized-alpha, with algorithmic accelerations aa and finite moves dq (quaternions turn, see tree_state.move):
    (1 - am) aa1 + am aa0 = (1 - af) qdd1 + af qdd0                                              (1)
    dq = h qd0 + h² ((½ - beta) aa0 + beta aa1),   qd1 = qd0 + h ((1 - gamma) aa0 + gamma aa1)   (2)
and the equations of motion at t1.  With loops see constraint/projection.py for qdd in (1).  Local errors of (2), with the time
shift (am - af) h of aa:
    e_q = c_q h² (qdd1 - qdd0),          c_q = beta + (am - af)/2 - 1/6                          (3)
    e_v = c_v h³ d²qdd/dt²,              c_v = gamma (½ + d) + d (am - ½) - 1/6,  d = am - af     (4)
For rates without inertia of their own (`flow.slack`) the accelerations are not smooth, and (3) is taken from rates.

Runge-Kutta with stage i at t + c_i h, increments d' = T(d)⁻¹ qd for quaternions [Munthe-Kaas]:
    d_i = h sum_j a_ij d'_j,   qd_i = qd0 + h sum_j a_ij qdd_j,   equations of motion at (q0 moved by d_i, qd_i)  (5)
the last stage is the new state, so that equations without inertia hold exactly at the end of a step.  The embedded
difference (e_d, e_v) is filtered by the stage's own matrix, (x, y) = (1 - h a_ii J)⁻¹ (e_d, e_v) or
    (M + cv C + cv² K) y = M e_v - cv K e_d,   x = e_d + cv y,   cv = h a_ii                     (6)
which keeps it small in stiff directions; after a start or a failed step it is filtered again, so that a fast layer at
the start can be stepped over.
"""

from ...codes import Status
from ..algebra.rotation import inverse_tangent_vec
from ..compile.jit import kernel, part
from ..evaluate import eval_loaded_residual
from ..tree.tangent import eval_variation
from .beginning import first_step
from .flow import begin, copy, is_cut, keep_multipliers, status_of_length
from .high_order import prepare_parabola
from .newton import DENSE_STEPS, solve_stage
from .step_matrix import solve_factored

START_FILTERS = 4
"""How often the error estimate of a first step may be filtered."""


@part
def prepare_alpha(o, flow, tangent, h):
    """Base values of (2) for qdd1 = 0, and the guess of qdd1; returns cq, cv."""
    p, aa = flow.progress[0], flow.aa
    if o.parabola == 1:
        return prepare_parabola(flow, tangent, h)
    s = (1.0 - o.af) / (1.0 - o.am)
    ratio = min(h / p.h_last, 2.0) if p.history > 0 else 0.0
    for k in range(flow.qd.shape[0]):
        rest = (o.af * aa[2, k] - o.am * aa[0, k]) / (1.0 - o.am)
        tangent.dq_base[k] = h * flow.qd[k] + h * h * ((0.5 - o.beta) * aa[0, k] + o.beta * rest)
        tangent.qd_base[k] = flow.qd[k] + h * ((1.0 - o.gamma) * aa[0, k] + o.gamma * rest)
        flow.qdd_new[k] = flow.qdd[k] + ratio * (flow.qdd[k] - flow.qdd_last[k])
    return h * h * o.beta * s, h * o.gamma * s


@part
def finish_alpha(o, flow):
    """aa1 by (1)."""
    aa = flow.aa
    if o.parabola == 1:
        copy(aa[2], aa[1])
        return
    for k in range(flow.qd.shape[0]):
        aa[1, k] = ((1.0 - o.af) * aa[3, k] + o.af * aa[2, k] - o.am * aa[0, k]) / (1.0 - o.am)


@part
def prepare_stage(o, tableau, flow, tangent, i, h):
    """Base values of stage i of (5) and the guess of its accelerations; returns cq, cv."""
    cv = h * tableau.a[i, i]
    for k in range(flow.qd.shape[0]):
        d, v = 0.0, 0.0
        for j in range(i):
            d += tableau.a[i, j] * tangent.kd[j, k]
            v += tableau.a[i, j] * tangent.kv[j, k]
        tangent.qd_base[k] = flow.qd[k] + h * v
        tangent.dq_base[k] = h * d + cv * tangent.qd_base[k]
        flow.qdd_new[k] = flow.qdd[k] if i == 0 else tangent.kv[i - 1, k]
        if i == 0:
            tangent.dq[k] = 0.0
    return cv * cv, cv


@kernel
def keep_stage(sys, flow, tangent, i):
    """Rates of the increments and accelerations of stage i."""
    dq = tangent.dq
    for k in range(flow.qd.shape[0]):
        tangent.kd[i, k] = flow.qd_new[k]
        tangent.kv[i, k] = flow.qdd_new[k]
    for m in range(sys.quaternion.shape[0]):
        v = sys.quaternion[m].v
        rate = inverse_tangent_vec((dq[v], dq[v + 1], dq[v + 2]),
                                   (flow.qd_new[v], flow.qd_new[v + 1], flow.qd_new[v + 2]))
        tangent.kd[i, v], tangent.kd[i, v + 1], tangent.kd[i, v + 2] = rate


@kernel
def solve_anew(sys, o, flow, tangent, t, cq, cv, work) -> int:
    """Iterate once more with the exact tangent, from accelerations of zero.

    At the start of a layer that a fixed step does not resolve the accelerations are huge for a short time, and a guess
    that goes on with them lies far off.
    """
    p = flow.progress[0]
    for k in range(flow.qdd_new.shape[0]):
        flow.qdd_new[k], tangent.dq[k] = 0.0, tangent.guess[1, k]
    p.factored = 0
    if tangent.matrix.shape[0] > 0:
        p.dense = DENSE_STEPS
    return solve_stage(sys, o, flow, tangent, t, cq, cv, work)


@part
def try_implicit(sys, o, tableau, flow, tangent, t1, h, work) -> int:
    """One step of either family into q_new, qd_new, qdd_new."""
    for i in range(o.stages):
        if o.turns == 1:
            cq, cv = prepare_stage(o, tableau, flow, tangent, i, h)
            t = flow.progress[0].t + tableau.c[i] * h
        else:
            cq, cv = prepare_alpha(o, flow, tangent, h)
            t = t1
        status = solve_stage(sys, o, flow, tangent, t, cq, cv, work)
        if o.adaptive == 0 and status == Status.NO_CONVERGENCE.value:
            if solve_anew(sys, o, flow, tangent, t, cq, cv, work) == Status.OK.value:
                status = Status.OK.value
        if status != Status.OK.value:
            return status
        if o.turns == 1:
            keep_stage(sys, flow, tangent, i)
        else:
            finish_alpha(o, flow)
    return Status.OK.value


@kernel
def alpha_error(o, flow, h):
    """Local error (3), (4) of the step, 1 = tolerated."""
    p = flow.progress[0]
    shift = o.am - o.af
    c_q = abs(o.beta + 0.5 * shift - 1.0 / 6.0)
    c_v = abs(o.gamma * (0.5 + shift) + shift * (o.am - 0.5) - 1.0 / 6.0)
    worst = 0.0
    for k in range(flow.qd.shape[0]):
        if flow.slack[k] > 0.0:
            if p.history > 0:
                jump = (flow.qd_new[k] - flow.qd[k]) / h - (flow.qd[k] - flow.qd_last[k]) / p.h_last
                worst = max(worst, max(c_q, 1.0 / 12.0) * h**3 * 2.0 * abs(jump) / (h + p.h_last) / flow.dq_scale[k])
            continue
        jump = flow.qdd_new[k] - flow.qdd[k]
        worst = max(worst, c_q * h * h * abs(jump) / flow.dq_scale[k])
        if p.history > 0:
            bend = 2.0 * (jump / h - (flow.qdd[k] - flow.qdd_last[k]) / p.h_last) / (h + p.h_last)
            worst = max(worst, c_v * h**3 * abs(bend) / (flow.qd_scale[k] + abs(flow.qd_new[k])))
    return worst / o.accuracy


@part
def with_inertia(flow, y, k):
    """Part of y that rate k has besides the motions without inertia; zero for a massless rate itself."""
    value = y[k]
    for i in range(flow.massless.shape[0]):
        value -= flow.motions[i, k] * y[flow.massless[i]]
    return value


@kernel
def stage_error(sys, o, tableau, flow, tangent, t1, h, work):
    """Embedded error of a Runge-Kutta step, filtered by (6), 1 = tolerated."""
    e_d, still, e_v, rhs, y = (tangent.direction[0], tangent.direction[1], tangent.direction[2], tangent.residual,
                               tangent.direction[3])
    n = o.stages
    cv = h * tableau.a[n - 1, n - 1]
    for k in range(e_d.shape[0]):
        d, v = 0.0, 0.0
        for j in range(n):
            d += tableau.e[j] * tangent.kd[j, k]
            v += tableau.e[j] * tangent.kv[j, k]
        e_d[k], e_v[k], still[k] = -cv * h * d, h * v, 0.0
        if sys.dof[k].drive >= 0:
            e_d[k] = e_v[k] = 0.0
    if sys.sup.element.shape[0] > 0:
        eval_loaded_residual(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, rhs, work)
    for _ in range(START_FILTERS):
        eval_variation(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, e_d, still, e_v, rhs, work)
        solve_factored(sys, flow.progress[0].dense > 0, rhs, y, tangent.matrix, tangent.pivot, work)
        worst = 0.0
        for k in range(e_d.shape[0]):
            x = -e_d[k] / cv + cv * y[k]
            worst = max(worst, abs(x) / flow.dq_scale[k])
            moved, speed = y[k], max(abs(flow.qd[k]), abs(flow.qd_new[k]))
            if flow.slack[k] > 0.0:
                moved, speed = with_inertia(flow, y, k), 0.0
            worst = max(worst, abs(moved) / (flow.qd_scale[k] + speed))
            e_d[k], e_v[k] = -cv * x, y[k]
        worst /= o.accuracy
        if worst <= 1.0 or flow.progress[0].history > 0:
            return worst
    return worst


@kernel
def rescale_shift(flow, ratio):
    """Move aa along when the step changes: it approximates the acceleration at t + (am - af) h."""
    for k in range(flow.qdd.shape[0]):
        flow.aa[0, k] = flow.aa[2, k] + ratio * (flow.aa[0, k] - flow.aa[2, k])


@part
def update_scales(sys, flow):
    """Sizes of the coordinates' increments that errors refer to: own scale plus size of the coordinate."""
    for i in range(sys.pair.shape[0]):
        k, v = sys.pair[i].q, sys.pair[i].v
        flow.dq_scale[v] = flow.q_scale[k] + abs(flow.q[k])
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        flow.dq_scale[v] = flow.dq_scale[v + 1] = flow.dq_scale[v + 2] = 1.0


@part
def forgets(o, work):
    """Tell whether a step that is repeated forgets the accelerations before it."""
    return o.turns == 1 or work.rank[0].allowed > 0


@kernel
def shorten_implicit(sys, opt, method, flow, t1, work) -> int:
    """Shorten the step after a failure or a large error.

    The last accelerations are forgotten only where they may mislead, as those of massless directions, which are not smooth:
    without them (4) is not known, and the next step would be accepted and lengthened unseen, to be rejected again.
    """
    p, o = flow.progress[0], opt[0]
    failed = p.failure != Status.OK.value
    factor = 0.25 if failed else max(0.2, 0.8 * min(p.error, 1e9) ** (-1.0 / o.order))
    rescale_shift(flow, factor)
    p.h = (t1 - p.t) * factor
    p.factored = 0
    if failed or forgets(o, work):
        p.history = 0
    p.contraction = 1.0
    if p.h < o.h_min:
        return p.failure if failed else Status.STEP_TOO_SMALL.value
    return Status.OK.value


@kernel
def choose_next(o, flow, h, error) -> int:
    """Step to try next; NOT_STIFF after many steps no longer than an explicit integrator could take."""
    p = flow.progress[0]
    factor = min(2.5, max(0.3, 0.9 * max(error, 1e-8) ** (-1.0 / o.order)))
    if 0.9 <= factor <= 1.2:
        factor = 1.0
    longest = max(h, p.h_wish) if is_cut(p, h) else 0.0
    h_next = min(max(h * factor, longest), o.h_max)
    rescale_shift(flow, h_next / h)
    p.h = h_next
    return status_of_length(o, p)


@kernel
def begin_implicit(sys, opt, method, flow, t1, work) -> int:
    """First accelerations, algorithmic ones and first step."""
    p, o = flow.progress[0], opt[0]
    if p.started == 1 and p.history > 0:
        return Status.OK.value
    status = begin(sys, flow, work)
    keep_multipliers(sys, work)
    for k in range(flow.qdd.shape[0]):
        flow.aa[0, k] = flow.aa[2, k] = flow.qdd[k]
    if o.adaptive == 1 and p.h <= 0.0:
        p.h = 0.1 * first_step(o, flow)
    return status


@kernel
def forget_past(flow):
    """Begin anew where a law bends: what the accelerations did before says nothing about what they do next."""
    flow.progress[0].history = 0
    for k in range(flow.qdd.shape[0]):
        flow.aa[0, k] = flow.aa[2, k] = flow.qdd[k]


@part
def count_dense(p):
    """Count down the steps with the exact tangent; its factors do not serve the simple iteration."""
    p.dense = max(0, p.dense - 1)
    if p.dense == 0 and p.exact == 1:
        p.factored = 0
    p.exact = 1 if p.dense > 0 else 0


@kernel
def attempt_implicit(sys, opt, method, flow, t1, work) -> int:
    """One step of either family and its error."""
    p, o, tableau, tangent = flow.progress[0], opt[0], method.tableau, method.tangent
    h = t1 - p.t
    if o.adaptive == 1 and h != p.h:
        rescale_shift(flow, h / p.h)
        p.h = h
    update_scales(sys, flow)
    status = try_implicit(sys, o, tableau, flow, tangent, t1, h, work)
    if o.adaptive == 1 and status == Status.OK.value:
        p.error = stage_error(sys, o, tableau, flow, tangent, t1, h, work) if o.turns == 1 else alpha_error(o, flow, h)
    return status


@kernel
def keep_implicit(sys, opt, method, flow, t1, work) -> int:
    """Accelerations of the step become those of the last one; step to try next."""
    p, o = flow.progress[0], opt[0]
    for k in range(flow.qdd.shape[0]):
        flow.aa[0, k], flow.aa[2, k] = flow.aa[1, k], flow.aa[3, k]
    count_dense(p)
    if p.bends == 1 and (work.rank[0].allowed == 0 or o.turns == 1):
        forget_past(flow)
    return choose_next(o, flow, p.h_last, p.error) if o.adaptive == 1 else Status.OK.value
