"""Implicit steps of given length with contacts: forces at the level of positions, then rates and accelerations.

A method of time integration in the sense of step/method.py around the steps of step/implicit.py.  Each step
    finds the forces p that keep gaps open at its end, position_level.py [GLO (40), (41)];
    takes what they did to the rates off again and lets impulses act instead,
        q'₊ = q'(p) - cv sum_j p_j R_j + sum_j Λ_j R_j,   0 <= Λ  ⟂  g'₊ + e min(g'₀, 0) >= 0      (1)
    with friction in the disc mu Λ_n;
    and solves for accelerations with the forces of the contacts that stay closed, (1) of accelerations.py, as [GLO] takes
    them from the equations of motion.
The level of positions alone lets rates alternate by twice their normal part, for q₊ fixed means q'₊ = -2 q' in [GLO (28)];
(1) is for contacts what the projections [DOP (3), (4)] are for constraints.  Sprung contacts keep their forces and have no
impacts.
"""

from math import nan, sqrt

from ...codes import ContactEventCode, ContactMethod, FormCode, Status
from ..algebra.small import load3, store3
from ..compile.jit import kernel
from ..step.explicit import place_stage
from ..step.flow import copy, keep_multipliers
from ..step.implicit import finish_alpha, forget_past, keep_implicit, prepare_alpha, solve_anew, update_scales
from ..step.newton import solve_stage
from ..tree.state import eval_coordinate_rates
from .accelerations import STILL, eval_bends, eval_contact_accelerations
from .cones import FREE, ONE_WAY, row_product, solve_cones
from .event_driven import keep_forces
from .impacts import SLOW, note_event, resolve_impacts
from .joint_rows import anchor_friction, close_friction, rubs
from .lines import add_responses, eval_contact_rows, eval_responses, lay_lines
from .position_level import (
    close_passed,
    eval_ways,
    put_loads,
    remember_places,
    shown_ways,
    stiffness_of,
    update_loads,
)

MOST_TURNS = 500
"""Most turns of the forces of a step."""
REFRESH = 3
"""Factor of the turns after which responses are found anew: lines of several points of a body that depend on each other at one
place do not at another, and forces would grow along what remains."""
SLIDING = 1e-6
"""Share of the speed that the largest friction can change by, from which on a contact slides."""


@kernel
def mark_springs(contacts, state):
    """Mark the contacts whose force is that of a spring."""
    for i in range(contacts.row.shape[0]):
        springs = contacts.options[0].method == ContactMethod.PENALTY or contacts.row[i].compliance > 0.0
        state.row[i].sprung = 1 if springs and not rubs(contacts.row[i]) else 0


@kernel
def press_springs(contacts, state):
    """Forces of the springs at a state, without damping, after the rows there."""
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if own.sprung == 1:
            push = max(0.0, -stiffness_of(contacts, contacts.row[i]) * own.gap)
            store3(own.load, (push, 0.0, 0.0))


@kernel
def begin_fixed(sys, opt, method, flow, t1, work) -> int:
    """First accelerations, with the contacts that are closed; those that approach where they touch meet at once."""
    p, contacts, state = flow.progress[0], method.contacts, method.contact
    if p.started == 1 and p.history > 0:
        return Status.OK.value
    status = Status.OK.value
    if p.started == 0:
        mark_springs(contacts, state)
        status = eval_contact_rows(sys, contacts, state, flow.q, flow.qd, work)
        press_springs(contacts, state)
        anchor_friction(contacts, state, 0)
        if status == Status.OK.value:
            status = resolve_impacts(sys, p.t, flow.q, flow.qd, contacts, state, flow.tau, work)
        mark_still(contacts, state)
        if status == Status.OK.value:
            status = eval_contact_accelerations(sys, p.t, flow.q, flow.qd, flow.qdd, contacts, state, flow.tau, 0, work)
        keep_forces(state)
        p.evaluations += 1
        p.started = 1
        p.factored = 0
    keep_multipliers(sys, work)
    forget_past(flow)
    return status


@kernel
def guess_loads(contacts, state):
    """Begin with the forces at the end of the last step."""
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if rubs(contacts.row[i]):
            own.closed = 1
            store3(own.load, load3(own.force))
        elif own.sprung == 0:
            closed = own.closed == 1 and own.force[0] > 0.0
            touching = own.gap <= contacts.options[0].closed_gap * contacts.row[i].size and own.rate[0] <= SLOW
            own.closed = 1 if closed or touching else 0
            store3(own.load, load3(own.force) if closed else (0.0, 0.0, 0.0))
        elif own.load[0] <= 0.0:
            own.closed = 0


@kernel
def solve_with_loads(sys, o, flow, tangent, state, t1, cq, cv, work) -> int:
    """The step for the forces that act, from the accelerations in `guess`."""
    for k in range(flow.qdd_new.shape[0]):
        flow.qdd_new[k] = state.guess[0, k]
    status = solve_stage(sys, o, flow, tangent, t1, cq, cv, work)
    if status == Status.NO_CONVERGENCE.value:
        status = solve_anew(sys, o, flow, tangent, t1, cq, cv, work)
    copy(flow.qdd_new, state.guess[0])
    return status


@kernel
def lay_and_respond(sys, flow, contacts, state, t1, work) -> int:
    """Lines and responses at the new state; returns the number of lines, or less a status."""
    lay_lines(contacts, state, 1)
    lines = state.progress[0].lines
    if lines == 0:
        return 0
    status = eval_responses(sys, t1, flow.q_new, flow.qd_new, contacts, state, flow.tau, 0, work)
    if sys.constants[0].form != FormCode.TREE:
        flow.progress[0].factored = 0
    if status == Status.OK.value:
        status = eval_contact_rows(sys, contacts, state, flow.q_new, flow.qd_new, work)
    return lines if status == Status.OK.value else -status


@kernel
def solve_positions(sys, o, flow, tangent, contacts, state, t1, cq, cv, work) -> int:
    """Turns of the step and of the forces of the position level; leaves lines and responses at the new state."""
    found, lines = -1, 0  # turn in which responses were found
    copy(flow.qdd_new, state.guess[0])
    for turn in range(MOST_TURNS):
        put_loads(contacts, state, work)
        status = solve_with_loads(sys, o, flow, tangent, state, t1, cq, cv, work)
        if status == Status.OK.value:
            status = eval_contact_rows(sys, contacts, state, flow.q_new, flow.qd_new, work)
        if status != Status.OK.value:
            return status
        eval_ways(contacts, state, work)
        if close_passed(contacts, state) > 0 or found < 0 or turn > REFRESH * (found + 1):
            lines, found = lay_and_respond(sys, flow, contacts, state, t1, work), turn
            if lines < 0:
                return -lines
        if lines == 0:
            return Status.OK.value
        change = update_loads(contacts, state, cq, cv)
        if change < 0.0:
            return Status.NO_CONTACT_FORCES.value
        if turn > 0 and change <= 1.0:
            lines = lay_and_respond(sys, flow, contacts, state, t1, work) if turn > found else lines
            return Status.OK.value if lines >= 0 else -lines
    return Status.NO_CONTACT_FORCES.value


@kernel
def rebound_in_step(contacts, i, own, h):
    """Part e g'₀ of (1); zero for a rebound that ends within the step."""
    speed = -contacts.row[i].restitution * min(own.before, 0.0)
    return 0.0 if speed <= h * max(0.0, -own.bend[0]) else -speed


@kernel
def lay_impulses(contacts, state, cv, h):
    """Right-hand sides of (1), after the rows at rates without contact forces; contacts that do not touch take no part."""
    close_friction(contacts, state, cv)
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if rubs(contacts.row[i]):
            continue
        apart = own.gap > contacts.options[0].closed_gap * contacts.row[i].size and own.load[0] <= 0.0
        if own.first >= 0 and (own.sprung == 1 or apart):
            own.first = -1
    for k in range(state.progress[0].lines):
        i, axis = state.line[k].row, state.line[k].axis
        own = state.row[i]
        own.soft = 0.0
        state.right[k] = own.rate[axis] + (rebound_in_step(contacts, i, own, h) if axis == 0 else 0.0)
        state.found[k] = cv * own.load[axis] if own.first >= 0 else 0.0


@kernel
def is_still(state, k, lines, bound):
    """1 if a contact whose first line is k does not slide after the impulses `found`, whose friction is bounded."""
    speed, stiff = 0.0, 0.0
    for j in range(k if lines == 1 else k + 1, k + lines):
        speed += (state.right[j] + row_product(state.W, j, state.progress[0].lines, state.found)) ** 2
        stiff = max(stiff, state.W[j, j])
    return 1 if sqrt(speed) <= SLIDING * stiff * bound else 0


@kernel
def mark_still(contacts, state):
    """Mark the closed contacts that do not slide where a run begins."""
    for i in range(contacts.row.shape[0]):
        own, c = state.row[i], contacts.row[i]
        speed = abs(own.rate[0]) if rubs(c) else sqrt(own.rate[1] ** 2 + own.rate[2] ** 2)
        own.stick = 1 if own.closed == 1 and speed <= SLOW * c.size else 0


@kernel
def sort_contacts(contacts, state, t, h):
    """Note what impulses show: impacts, releases, contacts that stick or slide; open those without an impulse."""
    for i in range(contacts.row.shape[0]):
        c, own = contacts.row[i], state.row[i]
        if own.sprung == 1:
            continue
        k, was, stuck = own.first, own.kept > 0.0, own.stick
        push = state.found[k] if k >= 0 else 0.0
        if rubs(c):
            own.stick = is_still(state, k, 1, own.most)
            if own.stick != stuck:
                code = ContactEventCode.STICK.value if own.stick == 1 else ContactEventCode.SLIP.value
                note_event(state, code, i, t, 0.0, 0.0, 0.0)
            continue
        x, y = (state.found[k + 1], state.found[k + 2]) if k >= 0 and c.lines == 3 else (0.0, 0.0)
        own.closed = 1 if push > 0.0 and rebound_in_step(contacts, i, own, h) == 0.0 else 0
        own.stick = is_still(state, k, c.lines, c.friction * push) if own.closed == 1 else 0
        if own.closed == 0:
            own.first = -1
            store3(own.force, (0.0, 0.0, 0.0))
        if push <= 0.0:
            if was:
                note_event(state, ContactEventCode.RELEASE.value, i, t, 0.0, 0.0, 0.0)
        elif not was and own.before < -SLOW * c.size:
            note_event(state, ContactEventCode.IMPACT.value, i, t, push, x, y)
            state.progress[0].impacts += 1
            state.progress[0].pending = 1
        elif c.lines == 3 and was and own.stick != stuck:
            code = ContactEventCode.STICK.value if own.stick == 1 else ContactEventCode.SLIP.value
            note_event(state, code, i, t, 0.0, 0.0, 0.0)


@kernel
def settle_rates(sys, flow, contacts, state, t1, cv, h, work) -> int:
    """Rates (1) and accelerations of the new state with the contacts that stay closed."""
    status = eval_bends(sys, contacts, state, flow.q_new, flow.qd_new, state.still, work)
    for k in range(state.progress[0].lines):
        own = state.row[state.line[k].row]
        state.found[k] = own.load[state.line[k].axis] if own.sprung == 0 else 0.0
    add_responses(state, state.found, -cv, flow.qd_new)
    if status == Status.OK.value:
        status = eval_contact_rows(sys, contacts, state, flow.q_new, flow.qd_new, work)
    if status != Status.OK.value:
        return status
    lay_impulses(contacts, state, cv, h)
    if not solve_cones(contacts, state, state.right, state.found, ONE_WAY, FREE, STILL):
        return Status.NO_CONTACT_FORCES.value
    add_responses(state, state.found, 1.0, flow.qd_new)                                       # (1)
    sort_contacts(contacts, state, t1, h)
    return eval_contact_accelerations(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, contacts, state, flow.tau, 1, work)


@kernel
def attempt_fixed(sys, opt, method, flow, t1, work) -> int:
    """One step with contacts."""
    p, o, tangent, contacts, state = flow.progress[0], opt[0], method.tangent, method.contacts, method.contact
    h = t1 - p.t
    update_scales(sys, flow)
    state.progress[0].pending = 0
    status = eval_contact_rows(sys, contacts, state, flow.q, flow.qd, work)
    if status != Status.OK.value:
        return status
    remember_places(contacts, state, work)
    guess_loads(contacts, state)
    cq, cv = prepare_alpha(o, flow, tangent, h)
    status = solve_positions(sys, o, flow, tangent, contacts, state, t1, cq, cv, work)
    if status != Status.OK.value:
        return status
    if state.progress[0].lines > 0:
        status = settle_rates(sys, flow, contacts, state, t1, cv, h, work)
        copy(flow.qdd_new, flow.aa[3])
        if sys.constants[0].form != FormCode.TREE:
            p.factored = 0
            for r in range(sys.row.shape[0]):
                work.row[r].lam_shown = nan
    else:
        sort_contacts(contacts, state, t1, h)
        status = eval_contact_rows(sys, contacts, state, flow.q_new, flow.qd_new, work)
    keep_shown(contacts, state, work)
    shown_ways(state)
    anchor_friction(contacts, state, 1)
    finish_alpha(o, flow)
    return status


@kernel
def keep_shown(contacts, state, work):
    """Forces that results show, of springs as they act."""
    for i in range(contacts.row.shape[0]):
        own, shown = state.row[i], work.control.contact[i]
        if own.sprung == 1:
            own.closed = 1 if own.load[0] > 0.0 else 0
        if own.closed == 0:
            for c in range(4):
                shown[c] = 0.0


@kernel
def keep_fixed(sys, opt, method, flow, t1, work) -> int:
    """Accelerations of the step become those of the last one, which an impact makes worthless."""
    state = method.contact
    status = keep_implicit(sys, opt, method, flow, t1, work)
    keep_forces(state)
    if state.progress[0].pending == 1:
        forget_past(flow)
    full = state.progress[0].events + 3 * state.row.shape[0] > state.event.shape[0]
    return Status.RECORD_FULL.value if full and status == Status.OK.value else status


@kernel
def attempt_sprung(sys, opt, method, flow, t1, work) -> int:
    """One explicit step with the forces that the springs of contacts have where it begins."""
    p, o, tableau, contacts, state = flow.progress[0], opt[0], method.tableau, method.contacts, method.contact
    h = t1 - p.t
    eval_coordinate_rates(sys, flow.q, flow.qd, flow.kq[0])
    copy(flow.qdd, flow.kv[0])
    place_stage(sys, o, tableau, flow, 1, h)
    status = eval_contact_rows(sys, contacts, state, flow.q_new, flow.qd_new, work)
    press_springs(contacts, state)
    if status == Status.OK.value:
        status = eval_contact_accelerations(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, contacts, state, flow.tau, 0, work)
    p.evaluations += 1
    return status


@kernel
def keep_sprung(sys, opt, method, flow, t1, work) -> int:
    """Nothing is remembered of an explicit step."""
    return Status.OK.value
