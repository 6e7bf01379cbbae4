"""Newton's iteration of an implicit step or stage for the accelerations a = qdd_new, and when it is done.

State, residual and the two matrices stand in stage.py.  The simple one serves as long as the iteration contracts well, else
the exact one.  The exact iteration begins at the guess again: corrections by a matrix that lacks the stiff forces on a light
body throw the state far off.

With loops the multipliers are carried along [DOP (2)]; after the iteration rates and accelerations are projected
[DOP (3), (4)].  They contract by 1/(1 + α s), s the inverse mass along the worst direction of the rows: slowly in long chains
of loops, and not at all in a singular position, where s vanishes.  A small violation then moves them, and the state, by the
same step in every iteration, for ever.  The iteration is therefore done when violations are tolerated and the share of the
correction that the residual without α Phi makes is small,
    A x = residual(t1, q, qd, a) with λ.                                                         (1)
Where the contraction is slow, and (1) is not what makes it slow, penalties are raised for a violation that is too large.
Where that does not help, violations are tolerated up to a small share of what the guess of the coordinates was off, which
is as large as the error of the step, and multipliers are held, to follow only at its end; the iteration goes on for
[DOP (1)] with them.  Not so without projections, where accelerations would carry violations on.
"""

from math import isfinite

from ...codes import FormCode, Status, TaskCode
from ..compile.calls import call_door
from ..compile.jit import kernel, part, shared
from ..constraint.constrained import POSITION_TOLERANCE, ROUGH_TOLERANCE
from ..constraint.step import (
    EXACT,
    MASS,
    NEAR,
    NO_PROJECTION,
    STEP,
    TANGENT,
    add_gap_loads,
    begin_step,
    forecast_gaps,
    scale_penalties,
    update_multipliers,
)
from .stage import eval_new_residual, factor_new, place_new
from .step_matrix import solve_factored

MAX_ITERATIONS = 25
GOOD_RATE = 0.15
"""Contraction of the iteration above which old factors are made anew."""
SWITCH_RATE = 0.5
"""Contraction of the simple iteration with fresh factors above which the exact tangent takes over."""
DIVERGENCE = 2.0
"""Contraction of the exact iteration above which a step is given up, once corrections are larger than the first one."""
FAR = 1e3
"""Multiple of the first correction that one may have with loops: a first one may leave out what multipliers have to learn."""
LEAST_RATE = 0.01
"""Contraction that is believed at best: a guess far off along a motion that converges at once makes slow ones look fast."""
ROUGH_ACCURACY = 1e-3
"""Accuracy above which rates and accelerations are projected with the poses of the last iteration."""
FINE_ACCURACY = 1e-6
"""Accuracy above which larger violations are tolerated, too, in proportion."""
DOUBT, MOST_TRUSTED = 2.0, 5
"""Factor by which a contraction may have grown since it was seen, and steps after which it has to be seen again."""
FIRST_SHARE = 1e-4
"""Tolerated error of the iteration in fixed steps with loops, as a share of the first correction.  The guess extrapolates the
accelerations linearly and is off by h² of their second derivative, rates by h³/2 of it, six times the error of a step."""
DRIVEN_SHARE = 0.1
"""Share of (1) in a correction up to which multipliers are what contracts slowly."""
GUESS_SHARE = 0.01
"""Violation that is tolerated where multipliers contract slowly, as a share of what the guess of the coordinates was off."""
ROUGH = ROUGH_TOLERANCE / POSITION_TOLERANCE
"""Multiple of the tolerated violation up to which penalties are not raised where multipliers contract slowly."""
RAISE = 1e3
"""Factor of the penalties of a step whose multipliers contract slowly."""
MOST_RAISES = 2
"""How often the penalties of a step are raised."""
PROJECTED_SHARE = 0.15
"""Of the projected accelerations in those that the next step begins with, at least; see constraint/step.py."""
RENEWALS = 50
"""Steps of a tree that begin with new factors after old ones had become useless within an iteration: they soon would again, as
those of a slender body that spins do, which is much lighter about its own axis."""
DENSE_STEPS = 50
"""Steps that the exact tangent stays in use before the simple iteration is tried again."""


@part
def correction_size(o, flow, x, cq, cv):
    """Largest change of a coordinate or rate that a change x of the accelerations makes, 1 = tolerated error."""
    worst = 0.0
    for k in range(x.shape[0]):
        size = abs(x[k])
        worst = max(worst, size * cv / (flow.qd_scale[k] + abs(flow.qd_new[k])))
        worst = max(worst, size * cq / flow.dq_scale[k])
    return worst / o.accuracy


@part
def move_size(flow, x, cq):
    """Largest change of a coordinate that a change x of the accelerations makes, relative to a unit of its own."""
    worst = 0.0
    for k in range(x.shape[0]):
        worst = max(worst, abs(x[k]) * cq / flow.qd_scale[k])
    return worst


@kernel
def unsettled_size(sys, o, flow, tangent, exact, cq, cv, work):
    """Size of the share (1) of a correction, with the residual in tangent.direction[0], 1 = tolerated error."""
    x = tangent.direction[1]
    solve_factored(sys, exact, tangent.direction[0], x, tangent.matrix, tangent.pivot, work)
    return correction_size(o, flow, x, cq, cv)


@kernel
def return_to_guess(sys, flow, tangent, cq, cv, work):
    """Begin the iteration anew."""
    for k in range(flow.qdd_new.shape[0]):
        flow.qdd_new[k], tangent.dq[k] = tangent.guess[0, k], tangent.guess[1, k]
    if sys.constants[0].form != FormCode.TREE:
        begin_step(sys, cq, cv, work)


@kernel
def project_new(sys, o, flow, tangent, exact, t1, cq, cv, work) -> int:
    """Project rates and accelerations of the new state onto the constraints."""
    mode = o.projection + (EXACT if exact else 0) + (NEAR if o.accuracy > ROUGH_ACCURACY else 0)
    if o.projection == MASS and not exact:
        flow.progress[0].factored = 0
    return call_door(work.door[0], sys, TaskCode.PROJECTION.value, mode, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau,
                     tangent.residual, cq, cv, tangent.matrix, tangent.pivot, work)


@part
def is_known_to_end(p, size, tolerance):
    """True if the contraction in the last steps tells that a first correction leaves less than is tolerated."""
    rate = DOUBT * p.contraction
    return p.trusted < MOST_TRUSTED and rate < 1.0 and size * rate / (1.0 - rate) <= tolerance


@part
def remember_rate(p, since, known, rate):
    """Keep the contraction of an iteration that ended, if it was seen, for the next steps."""
    if since > 0:
        p.contraction, p.trusted = rate, 0
    elif known:
        p.trusted += 1


@kernel
def begin_stage(sys, o, flow, tangent, cq, cv, work):
    """Keep the guess, decide whether factors may serve, and begin the multipliers."""
    p = flow.progress[0]
    for k in range(flow.qdd_new.shape[0]):
        tangent.guess[0, k], tangent.guess[1, k] = flow.qdd_new[k], tangent.dq[k]
    if abs(cv - p.factor_scale) > 0.2 * cv or (p.renewals > 0 and p.dense == 0):
        p.factored = 0
    p.renewals = max(0, p.renewals - 1)
    if sys.constants[0].form != FormCode.TREE:
        if o.projection == STEP or o.projection == TANGENT:
            p.factored = 0
        begin_step(sys, cq, cv, work)


@part
def projected_share(o):
    """Share of the projected accelerations in those that the next step begins with, by (5) of constraint/step.py."""
    return 1.0 - (1.0 - PROJECTED_SHARE) * o.beta / max(o.beta, 0.5 - o.beta)


@kernel
def finish_stage(sys, o, flow, tangent, exact, raised, t1, cq, cv, work) -> int:
    """Place the new state, project it and keep its accelerations, moved towards the projected ones.

    Penalties that the user's ζ asks for are set before, and raised ones are lowered again: along a direction with the inverse
    mass s projections enlarge what is left of a gap by up to √α/2.
    """
    place_new(sys, o, flow, tangent, t1, cq, cv)
    for k in range(flow.qdd_new.shape[0]):
        flow.aa[3, k] = flow.qdd_new[k]
    if sys.constants[0].form == FormCode.TREE:
        return Status.OK.value
    if raised > 0 or o.zeta > 0.0:
        scale_penalties(work, RAISE ** (-raised) * (o.zeta / cq if o.zeta > 0.0 else 1.0))
        flow.progress[0].factored = 0
    if flow.progress[0].factored == 0 and o.projection != MASS and o.projection != NO_PROJECTION:
        status = eval_new_residual(sys, flow, tangent, t1, work)
        if status == Status.OK.value:
            status = factor_new(sys, exact, flow, tangent, t1, cq, cv, work)
        if status != Status.OK.value:
            return status
    status = project_new(sys, o, flow, tangent, exact, t1, cq, cv, work)
    for k in range(flow.qdd_new.shape[0]):
        flow.aa[3, k] += projected_share(o) * (flow.qdd_new[k] - flow.aa[3, k])
    return status


@shared
def solve_stage(sys, o, flow, tangent, t1, cq, cv, work) -> int:
    """Iterate from the guess in qdd_new; leaves q_new, qd_new, qdd_new and the factors."""
    p = flow.progress[0]
    loops = sys.constants[0].form != FormCode.TREE
    if o.projection == TANGENT and loops and tangent.matrix.shape[0] > 0:
        p.dense = DENSE_STEPS
    exact, fresh, held, since, raised = p.dense > 0, False, False, 0, 0
    last, rate, begun, off, gap, tolerance = 0.0, 1.0, 0.0, 0.0, 0.0, o.newton
    residual, x = tangent.residual, tangent.direction[3]
    extrapolated = o.adaptive == 0 and o.turns == 0 and o.projection != NO_PROJECTION and p.history > 1
    begin_stage(sys, o, flow, tangent, cq, cv, work)
    for _ in range(MAX_ITERATIONS):
        place_new(sys, o, flow, tangent, t1, cq, cv)
        status = Status.OK.value
        if not (exact or loops) and p.factored == 0:
            status = factor_new(sys, False, flow, tangent, t1, cq, cv, work)
            fresh = True
            if status == Status.SINGULAR.value and tangent.matrix.shape[0] > 0:
                exact, p.dense, fresh, status = True, DENSE_STEPS, False, Status.OK.value
        if status == Status.OK.value:
            status = eval_new_residual(sys, flow, tangent, t1, work)
        if status == Status.OK.value and p.factored == 0:
            status = factor_new(sys, exact, flow, tangent, t1, cq, cv, work)
            fresh = True
            if loops and not exact and status == Status.SINGULAR.value and tangent.matrix.shape[0] > 0:
                exact, p.dense = True, DENSE_STEPS  # only forces that the simple matrix lacks hold a massless body
                status = eval_new_residual(sys, flow, tangent, t1, work)
                if status == Status.OK.value:
                    status = factor_new(sys, exact, flow, tangent, t1, cq, cv, work)
        if status != Status.OK.value:
            return status
        if loops:
            for k in range(x.shape[0]):
                tangent.direction[0, k] = residual[k]
            add_gap_loads(sys, residual, work)
        solve_factored(sys, exact, residual, x, tangent.matrix, tangent.pivot, work)
        p.iterations += 1
        for k in range(x.shape[0]):
            if not isfinite(x[k]):
                work.fail[0] = k
                return Status.NOT_FINITE.value
            if sys.constants[0].form == FormCode.GLOBAL or sys.dof[k].drive < 0:
                flow.qdd_new[k] -= x[k]
        if loops:
            gap = tolerance * forecast_gaps(sys, x, cq, cv, work) / max(1.0, o.accuracy / FINE_ACCURACY)
        size = correction_size(o, flow, x, cq, cv)
        if not held:
            size = max(size, gap)
        if since > 0:
            rate = size / last if last > 0.0 else 0.0
        else:
            begun = size
        if loops:
            off = max(off, move_size(flow, x, cq))
            if since == 0 and extrapolated:
                tolerance = max(o.newton, FIRST_SHARE * correction_size(o, flow, x, cq, cv))
        sure = max(rate, LEAST_RATE)
        known = since == 0 and raised == 0 and is_known_to_end(p, size, tolerance)
        done = size <= tolerance or known or (since > 0 and rate < 1.0 and size * sure / (1.0 - sure) <= tolerance)
        if loops:
            own, rough, before, raises = 0.0, 1.0, held, False
            if since > 0 and not done and (held or rate > GOOD_RATE or gap <= tolerance):
                own = unsettled_size(sys, o, flow, tangent, exact, cq, cv, work)
                driven = o.projection != NO_PROJECTION and rate > GOOD_RATE and own <= DRIVEN_SHARE * size
                raises = driven and not held and raised < MOST_RAISES and gap > ROUGH * tolerance
                if held or (driven and not raises):
                    rough = max(ROUGH, GUESS_SHARE * off / POSITION_TOLERANCE)
                held = gap <= tolerance * rough and (held or driven) and not raises
                done = gap <= tolerance * rough and own <= tolerance
            if done or not held:
                update_multipliers(work)
            if raises and not done:
                scale_penalties(work, RAISE)
                raised += 1
                p.factored, fresh, since, last = 0, False, 0, size
                continue
            if held and not before:
                since = 0
        if done:
            remember_rate(p, since, known, sure)
            return finish_stage(sys, o, flow, tangent, exact, raised, t1, cq, cv, work)
        since += 1
        if since > 1 and rate > GOOD_RATE:
            switch = fresh and not exact and rate > SWITCH_RATE and tangent.matrix.shape[0] > 0
            if switch:
                exact, p.dense = True, DENSE_STEPS
            elif fresh and rate > DIVERGENCE and size > begun * (FAR if loops else 1.0):
                return Status.NO_CONVERGENCE.value
            if not (switch or exact or loops or fresh):
                p.renewals = RENEWALS
            if switch or held or not fresh:
                p.factored, fresh = 0, False
            if switch:
                return_to_guess(sys, flow, tangent, cq, cv, work)
                since, held, raised = 0, False, 0
        last = size
    return Status.NO_CONVERGENCE.value
