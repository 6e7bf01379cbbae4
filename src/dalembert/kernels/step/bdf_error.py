"""Errors of backward differentiation formulas, and whether the next step is to be of a lower order.

With a_i = h/(t1 - t_i) of the states i = 0 .. k in the polynomial P of degree k, A = 1 + 1/2 + .. + 1/k, and e what a new
state is off P, the error of a step is
    e max(a_k, |sum a_i - A|) / sum a_i,                                                         (1)
for equal steps e/(k+1)/(1 + 1/2 + .. + 1/(k+1)).  Rates without inertia of their own (`flow.slack`) are left out of it.

Along stiff directions coordinates are slaved to slow motions, and rates are differences of coordinates with an error of size
h^k, so that they jump where length or order change.  Differences of all orders show a jump, higher ones more; of what a new
state is off because of it the step itself owes the share (1 - c J)⁻¹.  In full the jumps would reject and shorten steps, which
makes the next jump, and hold the order at one.  So (e_d, e_v) of errors and of terms are filtered as in (6) of implicit.py,
    (M + c C + c² K) y = M e_v - c K e_d,   x = e_d + c y,                                       (2)
while that makes a difference.  Whether it does is seen where a step is rejected or the order would fall, and else every few
steps: elsewhere the filter costs nothing.
"""

from ...codes import FormCode, ProjectionCode, Status
from ..compile.jit import kernel, part
from ..loop_calls import call_residual
from ..tree.state import move
from ..tree.tangent import eval_variation
from .implicit import START_FILTERS, with_inertia
from .past import factor_of_equal_steps, find_off
from .step_matrix import solve_factored

DIFFERENCE = 0.2
"""Relative change of what a state is off from which on a filter makes a difference."""
LOOK_EVERY = 10
"""Steps without a filter after which it is tried."""
UP, SAME, DOWN, TWO_DOWN = 3, 2, 1, 0
"""Places of the orders next to the present one in `term`."""


@part
def leading(order):
    """A of (1)."""
    total = 0.0
    for i in range(order):
        total += 1.0 / (i + 1.0)
    return total


@part
def error_share(order):
    """(1) for equal steps, over the size of h^(k+1) times the derivative of order k+1."""
    return 1.0 / ((order + 1.0) * leading(order + 1))


@part
def share_of_off(past, order, h):
    """(1) over e, with the times of the past."""
    total = 0.0
    for i in range(order + 1):
        total -= h / past.s[i]
    return max(-h / past.s[order], abs(total - leading(order))) / total                         # (1)


@kernel
def size_of_off(sys, o, flow, past):
    """Largest of what a state is off, 1 = tolerated; motions without inertia have no say."""
    off, worst = past.off, 0.0
    for k in range(off.shape[1]):
        worst = max(worst, abs(off[0, k]) / flow.dq_scale[k])
        moved, speed = off[1, k], max(abs(flow.qd[k]), abs(flow.qd_new[k]))
        if flow.slack[k] > 0.0:
            if sys.constants[0].form == FormCode.GLOBAL:
                continue
            moved, speed = with_inertia(flow, off[1], k), 0.0
        worst = max(worst, abs(moved) / (flow.qd_scale[k] + speed))
    return worst / (o.accuracy * max(1.0, past.state[0].noise))


@kernel
def eval_loads_of_off(sys, flow, tangent, t1, e_d, e_v, load, work) -> int:
    """Right-hand side of (2) for -c e_d and e_v: exact for trees, else the difference of two residuals."""
    still, a, q = tangent.guess[0], tangent.guess[1], flow.q_stage
    for k in range(still.shape[0]):
        still[k] = 0.0
    if sys.constants[0].form == FormCode.TREE:
        return eval_variation(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, e_d, still, e_v, load, work)
    for k in range(a.shape[0]):
        a[k] = flow.qdd_new[k] + e_v[k]
    move(sys, flow.q_new, e_d, q)
    status = call_residual(sys, 1, t1, q, flow.qd_new, a, flow.tau, load, work)
    if status == Status.OK.value:
        status = call_residual(sys, 1, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, still, work)
    for k in range(still.shape[0]):
        load[k] -= still[k]
    return status


@kernel
def filter_off(sys, flow, tangent, off, t1, c, work) -> int:
    """Replace what a state is off by (x, y) of (2), with the factors at hand."""
    e_d, e_v, load, y = tangent.direction[0], tangent.direction[2], tangent.residual, tangent.direction[3]
    for k in range(e_d.shape[0]):
        free = sys.constants[0].form == FormCode.GLOBAL or sys.dof[k].drive < 0
        e_d[k], e_v[k] = -c * off[0, k] if free else 0.0, off[1, k] if free else 0.0
    status = eval_loads_of_off(sys, flow, tangent, t1, e_d, e_v, load, work)
    if status != Status.OK.value:
        return status
    solve_factored(sys, flow.progress[0].dense > 0, load, y, tangent.matrix, tangent.pivot, work)
    for k in range(y.shape[0]):
        off[0, k], off[1, k] = -e_d[k] / c + c * y[k], y[k]
    return status


@part
def differs(size, whole):
    """Tell whether a filter made a difference."""
    return abs(size - whole) > DIFFERENCE * whole


@part
def last_term(own):
    """Degree of the highest polynomial that there are states for."""
    return min(own.order + 1, own.serve - 1, own.most)


@kernel
def eval_terms(sys, o, flow, past, tangent, t1, h, c, work) -> int:
    """Sizes of the derivatives next to the order in use, the error (1), and whether the order is to fall."""
    own, p = past.state[0], flow.progress[0]
    k, last, status = own.order, last_term(own), Status.OK.value
    for j in range(max(1, k - 2), last + 1):
        find_off(past, j + 1, tangent.dq, flow.qd_new)
        size = size_of_off(sys, o, flow, past)
        if own.stiff == 1:
            whole = size
            status = filter_off(sys, flow, tangent, past.off, t1, c, work)
            if status != Status.OK.value:
                return status
            size = size_of_off(sys, o, flow, past)
            if j == last and not differs(size, whole):
                own.stiff = own.unseen = 0
        own.term[j - k + 2] = size * factor_of_equal_steps(past, j + 1, h)
        if j == k:
            p.error = size * share_of_off(past, k, h)
    own.falls = 0
    if k > 2 and max(own.term[TWO_DOWN], own.term[DOWN]) <= own.term[SAME]:
        own.falls = 1
    elif k == 2 and own.term[DOWN] <= 0.5 * own.term[SAME]:
        own.falls = 1
    return status


@kernel
def look_for_stiffness(sys, o, flow, past, tangent, t1, c, work) -> int:
    """Note whether the filter changes the highest term, to which jumps of rates add most."""
    own = past.state[0]
    own.unseen = 0
    find_off(past, last_term(own) + 1, tangent.dq, flow.qd_new)
    whole = size_of_off(sys, o, flow, past)
    status = filter_off(sys, flow, tangent, past.off, t1, c, work)
    if status == Status.OK.value and differs(size_of_off(sys, o, flow, past), whole):
        own.stiff = 1
    return status


@kernel
def find_error(sys, o, flow, past, tangent, t1, h, c, work) -> int:
    """Terms and error of a step, filtered where that makes a difference and the factors at hand are those of the step."""
    own, p = past.state[0], flow.progress[0]
    status = eval_terms(sys, o, flow, past, tangent, t1, h, c, work)
    own.unseen += 1
    if status != Status.OK.value or own.stiff == 1 or o.projection == ProjectionCode.MASS:
        return status
    if p.error > 1.0 or own.falls == 1 or own.unseen >= LOOK_EVERY:
        status = look_for_stiffness(sys, o, flow, past, tangent, t1, c, work)
        if status == Status.OK.value and own.stiff == 1:
            status = eval_terms(sys, o, flow, past, tangent, t1, h, c, work)
    return status


@kernel
def filter_layer(sys, o, flow, past, tangent, t1, h, c, work) -> int:
    """Error of a first step, of order one, filtered until it is tolerated."""
    p = flow.progress[0]
    find_off(past, 2, tangent.dq, flow.qd_new)
    for _ in range(START_FILTERS):
        status = filter_off(sys, flow, tangent, past.off, t1, c, work)
        if status != Status.OK.value:
            return status
        p.error = share_of_off(past, 1, h) * size_of_off(sys, o, flow, past)
        if p.error <= 1.0:
            past.state[0].skips = 1
            break
    return Status.OK.value
