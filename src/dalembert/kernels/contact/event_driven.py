"""Explicit steps that end where contacts close: impacts are located, closed contacts push as long as their forces do.

A method of time integration in the sense of step/method.py, around the Runge-Kutta steps of step/explicit.py:
    attempt   impacts that wait at the present state are resolved first (the frames before them are recorded by then); stages
              with the forces of the contacts that are closed; gaps of the others are looked at on the quintic between both
              ends of the step, and where one closes within it the step is cut there;
    keep      contacts whose force has vanished open; an impact waits where an open contact has closed.
A cut step ends at the crossing up to its own local error; if the gap is then still open the next step finds it again, if it is
passed the step is cut once more.  Closed contacts are rows of index 1, their gaps and rates are taken off at the end of each
step along the responses, the nearest state in the norm of the kinetic energy.
"""

from ...codes import ContactEventCode, FormCode, Status
from ..compile.jit import kernel
from ..evaluate import find_projected
from ..step.beginning import first_step
from ..step.dense_output import place_on_quintic
from ..step.explicit import choose_step, largest_error, place_stage, shorten_explicit
from ..step.flow import copy
from ..tree.state import eval_coordinate_rates, move, normalise
from .accelerations import STILL, eval_contact_accelerations
from .cones import BOTH_WAYS, FREE, solve_cones
from .impacts import SLOW, close_contacts, note_event, resolve_impacts
from .lines import add_responses, eval_contact_rows

LOOKS = 4
"""Equal parts of a step at whose ends gaps are looked at."""
TURNS = 60
"""Most iterations for one crossing."""
CLOSE = 1e-13
"""Length of the interval in which a crossing is known to lie, relative to the step."""
REPEAT = 1e30
"""Error of a step that is to be cut."""
MOST_CUTS, RELEASE_CUTS = 40, 12
"""How often a step is cut for an impact, and for a release."""
AT_END = 1e-6
"""Share of a step at its ends within which a vanishing force is not located any closer."""


@kernel
def gap_between(sys, contacts, state, flow, i, h, s, work):
    """Gap of row i at the share s of the step that is tried; all rows are evaluated."""
    if s >= 1.0:
        eval_contact_rows(sys, contacts, state, flow.q_new, flow.qd_new, work)
    else:
        place_on_quintic(sys, flow, h, s, flow.q, flow.qd, flow.qdd, flow.q_new, flow.qd_new, flow.qdd_new, False)
        eval_contact_rows(sys, contacts, state, flow.q_stage, flow.qd_stage, work)
    return state.row[i].gap


@kernel
def locate_closing(sys, contacts, state, flow, i, h, s0, g0, s1, g1, work):
    """Share of the step within (s0, s1] at which the gap of row i closes, from g0 > 0 to g1 < 0: Illinois and bisection."""
    for turn in range(TURNS):
        width = s1 - s0
        if width <= CLOSE or g1 == 0.0:
            break
        share = g0 / (g0 - g1)
        if turn % 3 == 2 or not 0.0 < share < 1.0:
            share = 0.5
        s = min(max(s0 + share * width, s0 + 0.5 * CLOSE), s1 - 0.5 * CLOSE)
        g = gap_between(sys, contacts, state, flow, i, h, s, work)
        if g > 0.0:
            s0, g0, g1 = s, g, 0.5 * g1 if share != 0.5 else g1
        else:
            s1, g1, g0 = s, g, 0.5 * g0 if share != 0.5 else g0
    return s1


@kernel
def find_closing(sys, contacts, state, flow, h, work):
    """Share of the step that is tried at which the first open contact closes; 2 if none does."""
    o, first, before = contacts.options[0], 2.0, 0.0
    for look in range(1, LOOKS + 1):
        s = look / LOOKS
        gap_between(sys, contacts, state, flow, 0, h, s, work)
        for i in range(contacts.row.shape[0]):
            c, own = contacts.row[i], state.row[i]
            if own.closed == 1:
                continue
            g = gap_between(sys, contacts, state, flow, i, h, s, work) if first < 2.0 else own.gap
            if g < -o.closed_gap * c.size <= own.begin:
                found = locate_closing(sys, contacts, state, flow, i, h, before, max(own.begin, 1e-300), s, g, work)
                first = min(first, found)
        if first < 2.0:
            return first
        for i in range(contacts.row.shape[0]):
            state.row[i].begin = state.row[i].gap
        before = s
    return first


@kernel
def find_release(contacts, state):
    """Share of the step that is tried at which the first force vanishes, linearly; 2 if none does."""
    first = 2.0
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if own.closed == 1 and own.before > 0.0 and own.force[0] <= 0.0 and own.slack < 0.0:
            first = min(first, own.before / (own.before - own.slack))
    return first


@kernel
def cut_step(flow, state, share, h):
    """Ask for the step again, up to a share of it."""
    p, c = flow.progress[0], state.progress[0]
    if c.cuts == 0:
        c.h_free = max(p.h_wish, h)
    c.cut, c.at, p.error = 1, p.t + share * h, REPEAT


@kernel
def try_contact_step(sys, opt, tableau, contacts, state, flow, h, work) -> int:
    """One step of size h with the closed contacts into q_new, qd_new, qdd_new."""
    t, n = flow.progress[0].t, opt.stages
    eval_coordinate_rates(sys, flow.q, flow.qd, flow.kq[0])
    copy(flow.qdd, flow.kv[0])
    for j in range(1, n + 1):
        place_stage(sys, opt, tableau, flow, j, h)
        q, qd, c = (flow.q_stage, flow.qd_stage, tableau.c[j]) if j < n else (flow.q_new, flow.qd_new, 1.0)
        status = Status.OK.value
        if j == n and sys.constants[0].form != FormCode.TREE:
            status = find_projected(sys, t + h, q, qd, flow.kv[j], flow.tau, work)
        if status == Status.OK.value:
            status = eval_contact_accelerations(sys, t + c * h, q, qd, flow.kv[j], contacts, state, flow.tau, 0, work)
        if status != Status.OK.value:
            return status
        eval_coordinate_rates(sys, q, qd, flow.kq[j])
        flow.progress[0].evaluations += 1 + state.progress[0].lines
    copy(flow.kv[n], flow.qdd_new)
    return Status.OK.value


@kernel
def close_gaps(sys, contacts, state, flow, level):
    """Take the gaps (level 0) or rates (level 1) of the contacts that carry a force off the new state."""
    for k in range(state.progress[0].lines):
        own = state.row[state.line[k].row]
        state.right[k] = own.gap if level == 0 else own.rate[0]
        state.found[k] = 0.0
    solve_cones(contacts, state, state.right, state.found, BOTH_WAYS, FREE, STILL)
    if level == 1:
        add_responses(state, state.found, 1.0, flow.qd_new)
        return
    for v in range(state.moved.shape[0]):
        state.moved[v] = 0.0
    add_responses(state, state.found, 1.0, state.moved)
    copy(flow.q_new, state.q)
    move(sys, state.q, state.moved, flow.q_new)
    normalise(sys, flow.q_new)


@kernel
def remember_beginning(state):
    """Gaps and forces at the beginning of a step, which may be tried again."""
    for i in range(state.row.shape[0]):
        own = state.row[i]
        own.begin, own.before = own.gap, own.kept


@kernel
def keep_forces(state):
    """Keep the forces of the present state."""
    for i in range(state.row.shape[0]):
        own = state.row[i]
        own.kept = own.force[0] if own.closed == 1 else 0.0
        own.carried = 1 if own.kept > 0.0 or (own.closed == 1 and own.carried == 1) else 0


@kernel
def half_flight(contacts, state, h):
    """Share of a step that the shortest rebound of a contact that has just parted takes to its height."""
    share = 1.0
    for i in range(contacts.row.shape[0]):
        c, own = contacts.row[i], state.row[i]
        if own.closed == 0 and own.gap <= contacts.options[0].closed_gap * c.size and own.bend[0] < 0.0 < own.rate[0]:
            share = min(share, own.rate[0] / (-own.bend[0] * h))
    return share


@kernel
def begin_with_contacts(sys, opt, method, flow, t1, work) -> int:
    """First accelerations, with the contacts that are closed, and first step."""
    p, o, contacts, state = flow.progress[0], opt[0], method.contacts, method.contact
    if p.started == 1:
        return Status.OK.value
    status = eval_contact_rows(sys, contacts, state, flow.q, flow.qd, work)
    if status == Status.OK.value:
        state.progress[0].pending = 1 if close_contacts(contacts, state) > 0 else 0
        status = eval_contact_accelerations(sys, p.t, flow.q, flow.qd, flow.qdd, contacts, state, flow.tau, 0, work)
        keep_forces(state)
    p.evaluations += 1
    p.started = 1
    if p.h <= 0.0 and status == Status.OK.value:
        p.h = first_step(o, flow)
    return status


@kernel
def attempt_with_contacts(sys, opt, method, flow, t1, work) -> int:
    """Resolve an impact that waits, then one step and its error; a contact that closes within it cuts it."""
    p, o, tableau, contacts, state = flow.progress[0], opt[0], method.tableau, method.contacts, method.contact
    h, c, status = t1 - p.t, state.progress[0], Status.OK.value
    c.cut = 0
    if c.pending == 1:
        c.pending = 0
        status = resolve_impacts(sys, p.t, flow.q, flow.qd, contacts, state, flow.tau, work)
        if status != Status.OK.value:
            return status
        share = half_flight(contacts, state, h)
        status = eval_contact_accelerations(sys, p.t, flow.q, flow.qd, flow.qdd, contacts, state, flow.tau, 0, work)
        keep_forces(state)
        if share < 1.0 and status == Status.OK.value:
            cut_step(flow, state, share, h)
            return status
    if status == Status.OK.value:
        status = eval_contact_rows(sys, contacts, state, flow.q, flow.qd, work)
        remember_beginning(state)
    if status == Status.OK.value:
        status = try_contact_step(sys, o, tableau, contacts, state, flow, h, work)
    if status != Status.OK.value:
        return status
    n = o.stages
    p.error = max(largest_error(flow.q, flow.q_new, flow.kq, tableau.e, n + 1, h, flow.q_scale, o.accuracy),
                  largest_error(flow.qd, flow.qd_new, flow.kv, tableau.e, n + 1, h, flow.qd_scale, o.accuracy))
    if not p.error <= o.tolerated:
        return status
    if c.lines > 0:
        close_gaps(sys, contacts, state, flow, 0)
        close_gaps(sys, contacts, state, flow, 1)
    release = find_release(contacts, state)
    share = find_closing(sys, contacts, state, flow, h, work)
    if share < 1.0 - CLOSE and c.cuts < MOST_CUTS:
        cut_step(flow, state, share, h)
    elif AT_END < release < 1.0 - AT_END and c.cuts < RELEASE_CUTS:
        cut_step(flow, state, release, h)
    return Status.OK.value


@kernel
def shorten_with_contacts(sys, opt, method, flow, t1, work) -> int:
    """Cut a step where a contact closes or parts, or shorten it for its error."""
    p, c = flow.progress[0], method.contact.progress[0]
    if c.cut == 1 and p.failure == Status.OK.value:
        c.cut = 0
        c.cuts += 1
        p.h = c.at - p.t
        return Status.OK.value
    return shorten_explicit(sys, opt, method, flow, t1, work)


@kernel
def keep_with_contacts(sys, opt, method, flow, t1, work) -> int:
    """Open contacts that part, let impacts wait where others have closed, and choose the next step."""
    p, contacts, state = flow.progress[0], method.contacts, method.contact
    c, o = state.progress[0], contacts.options[0]
    choose_step(opt[0], flow)
    if c.h_free > 0.0:
        p.h, c.h_free = max(p.h, min(c.h_free, opt[0].h_max)), 0.0
    c.cuts = 0
    found = eval_contact_rows(sys, contacts, state, flow.q, flow.qd, work)
    for i in range(contacts.row.shape[0]):
        row, own = contacts.row[i], state.row[i]
        if own.closed == 1 and own.force[0] <= 0.0 and (own.rate[0] > SLOW * row.size or own.slack < 0.0):
            if own.carried == 1:
                share = own.before / (own.before - own.slack) if own.slack < 0.0 else 1.0
                note_event(state, ContactEventCode.RELEASE.value, i, p.t_last + share * p.h_last, 0.0, 0.0, 0.0)
            own.closed = 0
        elif own.closed == 0 and own.gap <= o.closed_gap * row.size and own.rate[0] < -SLOW * row.size:
            c.pending = 1
    keep_forces(state)
    if found == Status.OK.value and c.events + 3 * contacts.row.shape[0] > state.event.shape[0]:
        return Status.RECORD_FULL.value
    return found
