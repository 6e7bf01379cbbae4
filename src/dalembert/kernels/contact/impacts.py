"""Impacts: rates jump by impulses of all closed contacts, found together.

Newton's restitution along the normals, Coulomb's friction of the impulses:
    q'⁺ = q'⁻ + sum_j Λ_j R_j,    0 <= Λ_n  ⟂  g'⁺ + e min(g'⁻, 0) >= 0                          (1)
    Λ_t in the disc mu Λ_n, against the tangential velocity after the impact, or where that is zero
With the same e everywhere and without friction the energy changes by -(1 - e²)/2 times the square of what (1) projects away;
momentum changes by the sum of the impulses, for R_j is the response of the constrained mechanism.

A rebound that rises less than a tolerated height is none, e = 0: impacts of a ball follow each other ever faster and would
never end.  With the approach g'' before the impact a rebound of the speed u rises u²/(2 |g''|).
"""

from ...codes import ContactEventCode, Status
from ..compile.jit import kernel, shared
from .accelerations import STILL, eval_bends
from .cones import FREE, ONE_WAY, solve_cones
from .joint_rows import close_friction, rubs
from .lines import add_responses, eval_contact_rows, eval_responses, lay_lines

LEAVING = 1e-9
"""Relative speed after an impact, by the largest before it, above which contacts part."""
SLOW = 1e-11
"""Sizes a second below which a speed is rounding."""


@kernel
def note_event(state, code, i, t, x, y, z):
    """Add an event of row i to the table, if it has room."""
    p = state.progress[0]
    if p.events < state.event.shape[0]:
        e = state.event[p.events]
        e.code, e.row, e.t = code, i, t
        e.impulse[0], e.impulse[1], e.impulse[2] = x, y, z
        p.events += 1


@kernel
def close_contacts(contacts, state):
    """Close all contacts whose gap is closed and does not open, beside those that are; returns how many approach."""
    o, approaching = contacts.options[0], 0
    close_friction(contacts, state, 0.0)
    for i in range(contacts.row.shape[0]):
        c, own = contacts.row[i], state.row[i]
        if rubs(c):
            own.before = 0.0
            continue
        if own.gap <= o.closed_gap * c.size and own.rate[0] <= SLOW * c.size and own.sprung == 0:
            own.closed = 1
        own.before = own.rate[0]
        if own.closed == 1 and own.rate[0] < -SLOW * c.size:
            approaching += 1
    return approaching


@kernel
def rebound_of(contacts, i, own):
    """Part e g'⁻ of (1) of row i, zero for a rebound that rises less than is tolerated."""
    c = contacts.row[i]
    speed = -c.restitution * min(own.before, 0.0)
    height = contacts.options[0].resting * c.size
    return 0.0 if own.bend[0] < 0.0 and speed * speed <= 2.0 * height * abs(own.bend[0]) else -speed


@kernel
def solve_impulses(contacts, state) -> int:
    """Impulses (1) into `found`, with what each contact approaches and rebounds with."""
    close_friction(contacts, state, 0.0)
    for k in range(state.progress[0].lines):
        i, axis = state.line[k].row, state.line[k].axis
        own = state.row[i]
        own.soft = 0.0
        state.right[k] = own.rate[axis] + (rebound_of(contacts, i, own) if axis == 0 else 0.0)
        state.found[k] = 0.0
    if not solve_cones(contacts, state, state.right, state.found, ONE_WAY, FREE, STILL):
        return Status.NO_CONTACT_FORCES.value
    return Status.OK.value


@kernel
def note_impacts(contacts, state, t):
    """Add the impacts of all contacts with an impulse to the events."""
    for i in range(contacts.row.shape[0]):
        own, c = state.row[i], contacts.row[i]
        k = own.first
        if k >= 0 and state.found[k] > 0.0 and own.before < -SLOW * c.size:
            x, y = (state.found[k + 1], state.found[k + 2]) if c.lines == 3 else (0.0, 0.0)
            note_event(state, ContactEventCode.IMPACT.value, i, t, state.found[k], x, y)
            state.progress[0].impacts += 1


@kernel
def open_parting(contacts, state):
    """Open the contacts that part after an impact."""
    fastest = 0.0
    for i in range(contacts.row.shape[0]):
        if state.row[i].closed == 1:
            fastest = max(fastest, -state.row[i].before)
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if own.closed == 1 and not rubs(contacts.row[i]) and own.rate[0] > max(LEAVING * fastest, SLOW * contacts.row[i].size):
            own.closed = 0


@shared
def resolve_impacts(sys, t, q, qd, contacts, state, tau, work) -> int:
    """Close contacts at a state and let its rates qd jump where some approach; events are noted."""
    status = eval_contact_rows(sys, contacts, state, q, qd, work)
    if status != Status.OK.value:
        return status
    approaching = close_contacts(contacts, state)
    lay_lines(contacts, state, 0)
    if approaching == 0:
        return Status.OK.value
    status = eval_responses(sys, t, q, qd, contacts, state, tau, 0, work)
    if status == Status.OK.value:
        status = eval_contact_rows(sys, contacts, state, q, qd, work)
    if status == Status.OK.value:
        status = eval_bends(sys, contacts, state, q, qd, state.still, work)
    if status == Status.OK.value:
        status = solve_impulses(contacts, state)
    if status != Status.OK.value:
        return status
    add_responses(state, state.found, 1.0, qd)                                                 # (1)
    note_impacts(contacts, state, t)
    status = eval_contact_rows(sys, contacts, state, q, qd, work)
    open_parting(contacts, state)
    lay_lines(contacts, state, 0)
    return status
