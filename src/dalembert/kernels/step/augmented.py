"""Augmented Lagrangian iteration (ALI3-P) of an implicit step or stage with loops, for a = qdd_new and the multipliers.

State and matrices are in stage.py, multipliers in constraint/multipliers.py; they are carried along [DOP (2)].  After the
iteration rates and accelerations are projected [DOP (3), (4)].  Multipliers contract by 1/(1 + α s), s the inverse mass along
the worst direction of the rows: slowly in long chains of loops, and not at all in a singular position, where s vanishes.  A
small violation then moves them, and the state, by the same step in every iteration, for ever.  The iteration is therefore done
when violations are tolerated and the share of the correction that the residual without α Phi makes is small,
    A x = residual(t1, q, qd, a) with λ.                                                         (1)
Where the contraction is slow, and (1) is not what makes it slow, penalties are raised for a violation that is too large.
Where that does not help, violations are tolerated up to a small share of what the guess of the coordinates was off, which
is as large as the error of the step, and multipliers are held, to follow only at its end; the iteration goes on for
[DOP (1)] with them.  Not so without projections, where accelerations would carry violations on, and not for multistep methods:
rates along a direction of weak rows, of entries s, change by a violation over s², which is part of the past for several steps.
"""

from ...codes import FormCode, ProjectionCode, Status
from ..compile.jit import kernel, part
from ..constraint.gaps import POSITION_TOLERANCE, PROJECTED_TOLERANCE, ROUGH_TOLERANCE
from ..constraint.multipliers import add_gap_loads, begin_step, forecast_gaps, scale_penalties, update_multipliers
from ..constraint.projection import projected_share
from ..constraint.rows import eval_jacobian
from ..constraint.saddle import keep_jacobian
from ..loop_calls import call_factor, call_projection, call_residual
from ..tree.inverse import eval_joint_loads
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

FAR = 1e3
"""Multiple of the first correction that one may have: a first one may leave out what multipliers have to learn."""
ROUGH_ACCURACY = 1e-3
"""Accuracy above which rates and accelerations are projected with the poses of the last iteration."""
FINE_ACCURACY = 1e-6
"""Accuracy above which larger violations are tolerated, too, in proportion."""
FIRST_SHARE = 1e-4
"""Tolerated error of the iteration in fixed steps, as a share of the first correction.  The guess extrapolates the
accelerations linearly and is off by h² of their second derivative, rates by h³/2 of it, six times the error of a step."""
DRIVEN_SHARE = 0.1
"""Share of (1) in a correction up to which multipliers are what contracts slowly."""
GUESS_SHARE = 0.01
"""Violation that is tolerated where multipliers contract slowly, as a share of what the guess of the coordinates was off."""
ROUGH = ROUGH_TOLERANCE / POSITION_TOLERANCE
"""Multiple of the tolerated violation up to which penalties are not raised where multipliers contract slowly."""
FINER = POSITION_TOLERANCE / PROJECTED_TOLERANCE
"""By how much less violation is tolerated in states that multistep methods keep; projections settle them then."""
RAISE = 1e3
"""Factor of the penalties of a step whose multipliers contract slowly."""
MOST_RAISES = 2
"""How often the penalties of a step are raised."""


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
def eval_bare_residual(sys, flow, tangent, t1, work) -> int:
    """Residual at the new state into tangent.residual without the part α Phi, and the constraint rows."""
    flow.progress[0].evaluations += 1
    return call_residual(sys, 1, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, tangent.residual, work)


@kernel
def factor_new(sys, exact, flow, tangent, t1, cq, cv, work) -> int:
    """Factor the simple or the exact matrix at the new state, after the residual there."""
    if exact:
        eval_jacobian(sys, flow.q_new, work)
        keep_jacobian(work)
        eval_joint_loads(sys, work)
        status = factor_exact(sys, flow, tangent, t1, cq, cv, work)
    else:
        if sys.constants[0].form != FormCode.GLOBAL:
            eval_joint_part(sys, flow, tangent, t1, cq, cv)
        status = call_factor(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, tangent.add, cq, cv, work)
    if status == Status.OK.value:
        flow.progress[0].factored, flow.progress[0].factor_scale = 1, cv
        flow.progress[0].factorizations += 1
    return status


@kernel
def begin_loop_stage(sys, o, flow, tangent, cq, cv, work):
    """Keep the guess, decide whether factors may serve, and begin the multipliers."""
    p = flow.progress[0]
    if o.projection == ProjectionCode.TANGENT and tangent.matrix.shape[0] > 0:
        p.dense = DENSE_STEPS
    keep_guess(flow, tangent, cv)
    if o.projection == ProjectionCode.STEP or o.projection == ProjectionCode.TANGENT:
        p.factored = 0
    if sys.sup.element.shape[0] > 0 and p.trusted == 0:  # they turn with the bodies, and cost about as much as an iteration
        p.factored = 0
    begin_step(sys, cq, cv, work)


@kernel
def project_new(sys, o, flow, tangent, exact, t1, cq, cv, work) -> int:
    """Project rates and accelerations of the new state onto the constraints."""
    own_matrix = o.projection == ProjectionCode.MASS
    if own_matrix and not exact:
        flow.progress[0].factored = 0
    dense = exact and not own_matrix
    near = o.accuracy > ROUGH_ACCURACY and o.settled == 0 and not own_matrix
    return call_projection(sys, o.projection, 1 if dense else 0, 1 if near else 0, o.settled, o.rate_gap, t1, flow.q_new,
                           flow.qd_new, flow.qdd_new, cq, cv, tangent.matrix, tangent.pivot, work)


@kernel
def finish_loop_stage(sys, o, flow, tangent, exact, raised, t1, cq, cv, work) -> int:
    """Place the new state, project it and keep its accelerations, moved towards the projected ones.

    Penalties that the user's ζ asks for are set before, and raised ones are lowered again: along a direction with the inverse
    mass s projections enlarge what is left of a gap by up to √α/2.
    """
    place_new(sys, o, flow, tangent, t1, cq, cv)
    keep_accelerations(flow)
    if raised > 0 or o.zeta > 0.0:
        scale_penalties(work, RAISE ** (-raised) * (o.zeta / cq if o.zeta > 0.0 else 1.0))
        flow.progress[0].factored = 0
    if flow.progress[0].factored == 0 and o.projection != ProjectionCode.MASS and o.projection != ProjectionCode.NONE:
        status = eval_bare_residual(sys, flow, tangent, t1, work)
        if status == Status.OK.value:
            status = factor_new(sys, exact, flow, tangent, t1, cq, cv, work)
        if status != Status.OK.value:
            return status
    status = project_new(sys, o, flow, tangent, exact, t1, cq, cv, work)
    share = projected_share(o.beta, o.parabola)
    for k in range(flow.qdd_new.shape[0]):
        flow.aa[3, k] += share * (flow.qdd_new[k] - flow.aa[3, k])
    return status


@kernel
def solve_loop_stage(sys, o, flow, tangent, t1, cq, cv, work) -> int:
    """ALI3-P from the guess in qdd_new; leaves q_new, qd_new, qdd_new, projected, the multipliers and the factors."""
    p = flow.progress[0]
    begin_loop_stage(sys, o, flow, tangent, cq, cv, work)
    exact, fresh, held, since, raised = p.dense > 0, False, False, 0, 0
    last, rate, begun, off, tolerance = 0.0, 1.0, 0.0, 0.0, o.newton
    residual, x = tangent.residual, tangent.direction[3]
    finer = FINER if o.settled == 1 else 1.0
    projected = o.projection != ProjectionCode.NONE
    extrapolated = o.adaptive == 0 and o.turns == 0 and projected and p.history > 1
    for _ in range(MAX_ITERATIONS):
        place_new(sys, o, flow, tangent, t1, cq, cv)
        status = eval_bare_residual(sys, flow, tangent, t1, work)
        if status == Status.OK.value and p.factored == 0:
            status, fresh = factor_new(sys, exact, flow, tangent, t1, cq, cv, work), True
            if not exact and status == Status.SINGULAR.value and tangent.matrix.shape[0] > 0:
                exact, p.dense = True, DENSE_STEPS  # only forces that the simple matrix lacks hold a massless body
                status = eval_bare_residual(sys, flow, tangent, t1, work)
                if status == Status.OK.value:
                    status = factor_new(sys, exact, flow, tangent, t1, cq, cv, work)
        if status != Status.OK.value:
            return status

        # correction, and the violation that it forecasts
        for k in range(x.shape[0]):
            tangent.direction[0, k] = residual[k]
        add_gap_loads(sys, residual, work)
        solve_factored(sys, exact, residual, x, tangent.matrix, tangent.pivot, work)
        p.iterations += 1
        status = correct(sys, flow, x, work)
        if status != Status.OK.value:
            return status
        gap = tolerance * forecast_gaps(sys, x, cq, cv, work) / max(1.0, o.accuracy / FINE_ACCURACY) * finer
        size = correction_size(o, flow, x, cq, cv)
        if since == 0 and extrapolated:
            tolerance = max(o.newton, FIRST_SHARE * size)
        if not held:
            size = max(size, gap)
        if since > 0:
            rate = size / last if last > 0.0 else 0.0
        else:
            begun = size
        off = max(off, move_size(flow, x, cq))
        known = since == 0 and raised == 0 and is_known_to_end(p, size, tolerance)
        done = (known or is_small(since, rate, size, tolerance)) and (held or o.settled == 0 or gap <= tolerance)

        # multipliers: carried along, held where they contract slowly, or with larger penalties
        rough, before, raises = 1.0, held, False
        if since > 0 and not done and (held or rate > GOOD_RATE or gap <= tolerance):
            own = unsettled_size(sys, o, flow, tangent, exact, cq, cv, work)
            driven = projected and rate > GOOD_RATE and own <= DRIVEN_SHARE * size
            raises = driven and not held and raised < MOST_RAISES and gap > max(1.0, ROUGH / finer) * tolerance
            if held or (driven and not raises):
                rough = 1.0 if o.settled == 1 else max(ROUGH, GUESS_SHARE * off / POSITION_TOLERANCE)
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
            remember_rate(p, since, known, rate)
            return finish_loop_stage(sys, o, flow, tangent, exact, raised, t1, cq, cv, work)

        # another matrix where this one contracts badly
        since += 1
        if since > 1 and rate > GOOD_RATE:
            switch = fresh and not exact and rate > SWITCH_RATE and tangent.matrix.shape[0] > 0
            if not switch and fresh and rate > DIVERGENCE and size > FAR * begun:
                return Status.NO_CONVERGENCE.value
            if switch or held or not fresh:
                p.factored, fresh = 0, False
            if switch:
                exact, p.dense, since, held, raised = True, DENSE_STEPS, 0, False, 0
                return_to_guess(flow, tangent)
                begin_step(sys, cq, cv, work)
        last = size
    return Status.NO_CONVERGENCE.value
