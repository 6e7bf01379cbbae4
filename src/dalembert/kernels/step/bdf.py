"""Backward differentiation formulas of order one to five with variable steps, for trees and mechanisms with loops.

Source: [BrenanCampbellPetzold1996] formulas with a fixed leading coefficient, and their choice of order.  Deviations: the past
is kept as states, not as divided differences; accelerations are the unknowns; errors are measured by their largest entry.
With the polynomial P of degree k through the last k + 1 states (past.py), the corrector of order k differs from it by a
polynomial that vanishes at t1 - i h, i = 1 .. k.  At the end t1 of a step h its slope is therefore
    x' = P' + (A/h) (x - P),   A = sum_{i=1}^k 1/i                                               (1)
whatever the steps before were.  Taken for rates and for increments d of the coordinates, d' = T(d)⁻¹ qd, with c = h/A:
    qd = P_v + c (a - P_v'),   d = P_d + c (T(d)⁻¹ qd - P_d')                                    (2)
which is the stage of step/stage.py with cv = c, cq = c²: the iterations of newton.py (trees) and augmented.py (loops) serve.
With loops positions end on Phi = 0 and rates are projected onto Phi' = 0, orthogonally with M.  If qd is the projected and
qd + u the rate of (2), M u = Jᵀ ν, then (2) says
    d' = qd + M⁻¹ Jᵀ ν,   M qd' + g + Jᵀ (λ + ν/c) = 0,   J qd + Phi_t = 0,   Phi = 0             (3)
the equations of index two of Gear, Gupta and Leimkuhler, for which these formulas keep their orders.
Local errors, and which order the past asks for, are in bdf_error.py.
With loops an error that does not fall with the step is rounding, next to a singular position, and is tolerated for some steps.
Where massless directions begin off their equilibrium, steps of order one pass over their layer: their error is filtered
as often as need be, and the past begins anew after them.
"""

from math import isfinite, sqrt

from ...codes import FormCode, Status
from ..compile.jit import kernel, part
from ..tree.state import move, normalise
from .bdf_error import DOWN, SAME, UP, error_share, filter_layer, find_error, leading
from .beginning import first_step
from .flow import begin, is_cut, keep_multipliers
from .implicit import count_dense, update_scales
from .newton import solve_stage
from .past import POINTS, keep_state, look_ahead, move_between, see_past

FIRST_SHARE = 0.1
"""Of a cautious first step of an explicit method: the first one here is of order two, or of order one."""
SAFETY = 2.0
"""Factor of an error that the length of a step is chosen for."""
LEAST_GROWTH, MOST_GROWTH = 1.2, 2.0
LEAST_SHRINKING, MOST_SHRINKING = 0.9, 0.25
LARGEST_TURN = 0.4
"""Turn of a ball in a step [rad]: six of them are within the past, and the rotation vector's own equation contracts fast."""
FALL, SHORTER = 0.5, 0.8
"""Share of an error that is left at most, if it is one of the step, by a try of at most this share of the length."""
MOST_NOISE, FADING = 100.0, 0.7
"""Largest error that is taken for rounding, 1 = tolerated, and what is left of it a step later."""


@kernel
def begin_past(flow, past):
    """Forget all states but the present one."""
    own = past.state[0]
    own.points = own.steady = own.failures = own.falls = own.skips = own.stiff = own.unseen = 0
    own.rising = own.guessed = 1
    own.noise = own.failed = 0.0
    own.order = 1 if flow.massless.shape[0] > 0 else min(2, own.most)
    keep_state(past, flow.progress[0].t, flow.q, flow.qd)


@kernel
def guess_past(sys, flow, past, h):
    """States before the first one as its rates, and for order two its accelerations, have them; a step h apart."""
    own, p = past.state[0], flow.progress[0]
    d, square = past.ahead[0], 0.5 if own.order > 1 else 0.0
    for i in range(1, own.order + 1):
        row, back = (own.newest - i + POINTS) % POINTS, -i * h
        past.t[row] = p.t + back
        for k in range(d.shape[0]):
            d[k] = back * (flow.qd[k] + square * back * flow.qdd[k])
            past.qd[row, k] = flow.qd[k] + back * flow.qdd[k]
        move(sys, flow.q, d, past.q[row])
    own.points = own.order + 1


@part
def set_base(flow, past, tangent, c):
    """Base values of (2) for accelerations of zero, and the guess of them and of the increments."""
    ahead = past.ahead
    for k in range(flow.qd.shape[0]):
        tangent.qd_base[k] = ahead[2, k] - c * ahead[3, k]
        tangent.dq_base[k] = ahead[0, k] + c * (tangent.qd_base[k] - ahead[1, k])
        tangent.dq[k] = ahead[0, k]
        flow.qdd_new[k] = ahead[3, k]


@part
def name_rate(residual, work):
    """Name the rate whose equation is not a number: its correction makes all others so."""
    for k in range(residual.shape[0]):
        if not isfinite(residual[k]):
            work.fail[0].rate = k
            return


@kernel
def begin_bdf(sys, opt, method, flow, t1, work) -> int:
    """First accelerations and first step, of order one."""
    p, o = flow.progress[0], opt[0]
    if p.started == 1 and p.history > 0:
        return Status.OK.value
    new = p.started == 0
    status = begin(sys, flow, work)
    keep_multipliers(sys, work)
    if new or p.h <= 0.0:
        h = FIRST_SHARE * first_step(o, flow)
        p.h = min(h, p.h) if p.h > 0.0 else h
    p.factored = 0
    begin_past(flow, method.past)
    return status


@kernel
def attempt_bdf(sys, opt, method, flow, t1, work) -> int:
    """One step and its error."""
    p, o, past, tangent = flow.progress[0], opt[0], method.past, method.tangent
    own, h, status = past.state[0], t1 - p.t, Status.OK.value
    if p.history == 0 and p.started == 0:
        status = begin_bdf(sys, opt, method, flow, t1, work)
        if status != Status.OK.value:
            return status
    if own.guessed == 1:
        guess_past(sys, flow, past, h)
    see_past(sys, past, t1)
    own.order = max(1, min(own.order, own.serve - 1))
    look_ahead(past, own.order + 1)
    c = h / leading(own.order)
    set_base(flow, past, tangent, c)
    update_scales(sys, flow)
    before = p.iterations
    status = solve_stage(sys, o, flow, tangent, t1, c * c, c, work)
    p.tried_iterations = p.iterations - before
    if status != Status.OK.value:
        if status == Status.NOT_FINITE.value:
            name_rate(tangent.residual, work)
        return status
    normalise(sys, flow.q_new)
    if sys.row.shape[0] > 0:  # positions were brought onto the constraints
        move_between(sys, flow.q, flow.q_new, tangent.dq)
    status = find_error(sys, o, flow, past, tangent, t1, h, c, work)
    own.skips = 0
    if (status == Status.OK.value and p.error > 1.0 and own.guessed == 1 and flow.massless.shape[0] > 0
            and sys.constants[0].form == FormCode.TREE):
        status = filter_layer(sys, o, flow, past, tangent, t1, h, c, work)
    return status


@part
def recognise_noise(own, error, h):
    """Tell whether an error did not fall with the length of the step; it then is rounding, and tolerated for some steps.

    Next to a singular position rounding eps of rows whose entries are s changes rates by eps over s², in every state.
    """
    error *= max(1.0, own.noise)
    same = 0.0 < own.failed and h <= SHORTER * own.h_failed and error > FALL * own.failed
    if own.failed == 0.0:
        own.h_first = h
    found = same and max(error, own.failed) < MOST_NOISE
    if found:
        own.noise = 2.0 * max(error, own.failed)
    own.failed, own.h_failed = error, h
    return found


@kernel
def shorten_bdf(sys, opt, method, flow, t1, work) -> int:
    """Shorten the step and perhaps lower its order after a failure or a large error."""
    p, o, own = flow.progress[0], opt[0], method.past.state[0]
    factor = MOST_SHRINKING
    own.failures += 1
    own.rising = own.steady = 0
    if p.failure == Status.OK.value:
        order = own.order - own.falls
        if own.failures == 1 or own.order == 1:
            error = max(1.0, min(1e9, own.term[SAME - own.falls] * error_share(order)))
            factor = min(LEAST_SHRINKING, max(MOST_SHRINKING, LEAST_SHRINKING * (SAFETY * error) ** (-1.0 / (order + 1))))
        own.order = order if own.failures < 3 else 1
        if sys.row.shape[0] > 0 and recognise_noise(own, p.error, t1 - p.t):
            factor, own.failures, own.failed = own.h_first / (t1 - p.t), 0, 0.0
    elif own.failures > 2:
        own.order = 1
    p.h = (t1 - p.t) * factor
    p.factored, p.contraction = 0, 1.0
    if p.h < o.h_min:
        return p.failure if p.failure != Status.OK.value else Status.STEP_TOO_SMALL.value
    return Status.OK.value


@part
def forget_guesses(own):
    """Leave guessed states out once there are enough others for the order in use."""
    if own.guessed > 0:
        own.points = min(own.points, max(own.order, own.guessed) + 1)
        own.guessed = own.guessed + 1 if own.guessed < own.order else 0


@kernel
def choose_order(own, error):
    """Order of the next step, and the error that a step of this order and of the same length would have."""
    k = own.order
    ready = own.points > k + 1 and k < own.most
    if own.rising == 1:
        if own.falls == 1 or k == own.most:
            own.rising = 0
        elif ready:
            own.order = k + 1
            return error
    if own.falls == 1:
        own.order = k - 1
        return own.term[DOWN] * error_share(k - 1)
    if not ready or own.steady <= k or own.serve < k + 2:
        return error
    raised = own.term[UP] < own.term[SAME] * (0.5 if k == 1 else 1.0)
    if k > 1 and own.term[DOWN] <= min(own.term[SAME], own.term[UP]):
        own.order = k - 1
        return own.term[DOWN] * error_share(k - 1)
    if raised:
        own.order = k + 1
        return own.term[UP] * error_share(k + 1)
    return error


@kernel
def longest_turning(sys, flow):
    """Step in which no ball turns by more than LARGEST_TURN [s]."""
    fastest = 0.0
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        fastest = max(fastest, flow.qd[v] ** 2 + flow.qd[v + 1] ** 2 + flow.qd[v + 2] ** 2)
    return LARGEST_TURN / sqrt(fastest) if fastest > 0.0 else 1e300


@kernel
def keep_bdf(sys, opt, method, flow, t1, work) -> int:
    """Keep the state; order and length of the next step."""
    p, o, past = flow.progress[0], opt[0], method.past
    own, h = past.state[0], p.h_last
    own.failures, own.failed = 0, 0.0
    own.noise = FADING * own.noise if own.noise > 1.0 else 0.0
    own.steady += 1
    if own.skips == 1:
        begin_past(flow, past)
    else:
        keep_state(past, p.t, flow.q, flow.qd)
        forget_guesses(own)
    count_dense(p)
    if p.bends == 1:
        p.history = p.started = 0
        return Status.OK.value
    cut, before = is_cut(p, h), own.order
    error = p.error if cut else choose_order(own, p.error)
    factor = (SAFETY * error + 1e-6) ** (-1.0 / (own.order + 1))
    longest = h
    if factor >= LEAST_GROWTH and (own.steady > own.order or own.rising == 1):
        longest = h * min(MOST_GROWTH, factor)
    elif factor < 1.0:
        longest = h * max(0.5, min(LEAST_SHRINKING, factor))
        own.rising = 0
    if cut:
        longest = max(longest, p.h_wish)
    elif longest != h or own.order != before:
        own.steady = 0
    p.h = min(longest, o.h_max, longest_turning(sys, flow))
    return Status.OK.value
