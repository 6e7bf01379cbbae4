"""Steps in which impulses keep shapes apart: Moreau's time stepping with gaps at the beginning of the step.

A method of time integration in the sense of step/method.py.  With the accelerations a of the state without contacts,
from rates half a step on, a step is
    qd* = qd + h a(q, qd + h a/2),    qd₊ = qd* + M⁻¹ Σ Jᵀ P,    q₊ = q moved by h qd₊ + d       (1)
with impulses P of all touches that keep
    0 <= P_n  ⟂  g/h + n·u₊ + C P_n/h² >= 0                                                      (2)
and Coulomb's cone, sweeps.py: C is a compliance, g the gap where the step began, taken as zero where rigid shapes overlap.
What rebounds takes n·u₊ >= -e n·u instead, unless the rebound would end within two steps.  Displacements d along the same
directions take off what is still overlapping after the step; they have no velocity.  Friction and restitution hold between the
velocities before and after the step, errors of smooth motion are those of semi-implicit Euler.
"""

from math import sqrt

from ...codes import ContactEventCode, MoverCode, Status
from ..algebra.quad import congruent, load4, load_quads
from ..algebra.small import add3, axpy3, cross, dot3, load3, load6, scale3, store3, sub3
from ..compile.jit import kernel
from ..contact.gaps import eval_gap
from ..contact.impacts import SLOW, note_event
from ..contact.lines import add_load, clear_loads
from ..evaluate import eval_accelerations
from ..step.events import eval_switch_places
from ..step.flow import copy
from ..tree.state import eval_drives, move, normalise, unknown_drive
from .grid import find_touches
from .sweeps import MOVES, SPEEDS, sweep_impulses, sweep_lifts
from .touches import add_touch, fill_responses, recall_impulse, relative, remember_impulses, strike
from .trees import lay_strips

SHORT_REBOUND = 2.0
"""Steps within which a rebound that ends is none."""
SHARE = 0.01
"""Share of the largest speed of approach that counts as what a step changes speeds by."""


@kernel
def begin_moreau(sys, opt, method, flow, t1, work) -> int:
    """First accelerations, those without contacts."""
    p = flow.progress[0]
    if p.started == 1:
        return Status.OK.value
    clear_loads(method.contacts, method.contact, work)
    status = eval_accelerations(sys, p.t, flow.q, flow.qd, flow.qdd, flow.tau, work)
    p.evaluations += 1
    p.started = 1
    return status


@kernel
def eval_still(sys, flow, crowd, state, h, work) -> int:
    """Accelerations a of (1); leaves places and velocities of the state evaluated."""
    p, still, middle = flow.progress[0], state.still[0], state.rate[SPEEDS]
    status = eval_accelerations(sys, p.t, flow.q, flow.qd, still, flow.tau, work)
    for _ in range(1, crowd.options[0].turns):
        for k in range(still.shape[0]):
            middle[k] = flow.qd[k] + 0.5 * h * still[k]
        if status == Status.OK.value:
            status = eval_accelerations(sys, p.t, flow.q, middle, still, flow.tau, work)
    p.evaluations += crowd.options[0].turns
    return eval_switch_places(sys, flow.q, flow.qd, work) if status == Status.OK.value else status


@kernel
def place_free(sys, crowd, state, work):
    """Centres of mass of free bodies and the inverses of their inertias, world axes."""
    for i in range(1, sys.body.shape[0]):
        m = crowd.mover[i]
        if m.kind != MoverCode.FREE:
            continue
        own, S = work.body[i], state.inverse[i]
        store3(state.centre[i], axpy3(m.iM, load3(own.h_w), load3(own.r_w)))
        x, y, z = congruent(load_quads(own.E_wb), load6(m.iJ))
        S[0], S[1], S[2], S[3], S[4], S[5] = x[0], x[1], x[2], y[1], y[2], z[2]


@kernel
def twists_of(sys, crowd, state, rate, twist, work):
    """Velocities of free bodies from rates."""
    for i in range(1, sys.body.shape[0]):
        if crowd.mover[i].kind != MoverCode.FREE:
            continue
        b, w, v = sys.body[i], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for k in range(b.v, b.v + b.nv):
            n, f = load4(work.dof[k].s_n), load4(work.dof[k].s_f)
            w = axpy3(rate[k], (n[0], n[1], n[2]), w)
            v = axpy3(rate[k], (f[0], f[1], f[2]), v)
        arm = sub3(load3(state.centre[i]), load3(work.body[i].r_w))
        store3(twist[i, :3], add3(v, cross(w, arm)))
        store3(twist[i, 3:], w)


@kernel
def rates_of(sys, crowd, state, twist, rate, work):
    """Rates of free bodies from their velocities."""
    for i in range(1, sys.body.shape[0]):
        if crowd.mover[i].kind != MoverCode.FREE:
            continue
        b, own = sys.body[i], twist[i]
        w = (own[3], own[4], own[5])
        arm = sub3(load3(state.centre[i]), load3(work.body[i].r_w))
        v = sub3((own[0], own[1], own[2]), cross(w, arm))
        for k in range(b.v, b.v + b.nv):
            n, f = load4(work.dof[k].s_n), load4(work.dof[k].s_f)
            rate[k] = dot3((n[0], n[1], n[2]), w) + dot3((f[0], f[1], f[2]), v)


@kernel
def add_rows(sys, contacts, crowd, state, h, work) -> int:
    """Touches of the rows of contacts that may close within the step."""
    for i in range(contacts.row.shape[0]):
        c = contacts.row[i]
        gap, n, x, status = eval_gap(c, work.body[c.a], work.body[c.b])
        if status != Status.OK.value:
            return status
        a, b = work.body[c.a], work.body[c.b]
        v_a = add3(load3(a.v_w), cross(load3(a.w_w), sub3(x, load3(a.r_w))))
        v_b = add3(load3(b.v_w), cross(load3(b.w_w), sub3(x, load3(b.r_w))))
        swell = h * (sqrt(dot3(v_a, v_a)) + sqrt(dot3(v_b, v_b))) + 2.0 * crowd.options[0].depth
        if gap <= swell:
            add_touch(crowd, state, -1 - i, i, c.a, c.b, gap, n, x, c.friction, c.restitution, c.compliance)
    return Status.OK.value


@kernel
def gather_touches(sys, contacts, crowd, state, h, work) -> int:
    """All touches of a step; CONTACTS_FULL if there is no room for them."""
    p = state.progress[0]
    p.touches = p.trees = p.wanted = p.wanted_pool = 0
    status = add_rows(sys, contacts, crowd, state, h, work)
    if status == Status.OK.value:
        status = find_touches(sys, crowd, state, h, work)
    if status == Status.OK.value and p.wanted == 0:
        for k in range(state.still.shape[1]):
            state.still[1, k] = 0.0
        status = lay_strips(sys, crowd, state, state.still[1], work)
    if status == Status.OK.value and (p.wanted > 0 or p.wanted_pool > 0):
        return Status.CONTACTS_FULL.value
    return status


@kernel
def least_rate(c, free, h):
    """Right-hand side of (2): the least rate of a gap after the step, with the opposite sign."""
    if c.compliance > 0.0:
        return c.gap / h
    approach = -c.speed
    if c.restitution > 0.0 and approach > 0.0 and c.gap <= h * approach:
        rebound = c.restitution * approach
        if rebound > SHORT_REBOUND * max(0.0, c.speed - free):
            return -rebound
    return max(0.0, c.gap) / h


@kernel
def begin_sweeps(sys, crowd, state, flow, h, work):
    """Speeds before and without impulses, what impulses do, and those of the last step; returns the tolerated change."""
    p, twist, rate, g = state.progress[0], state.twist[SPEEDS], state.rate[SPEEDS], load3(sys.constants[0].g_w)
    twists_of(sys, crowd, state, flow.qd, twist, work)
    fastest = 0.0
    for i in range(p.touches):
        c = state.touch[i]
        c.speed = dot3(load3(c.n), relative(c, twist, flow.qd, state.pool))
        fastest = max(fastest, -c.speed)
    twists_of(sys, crowd, state, rate, twist, work)
    for i in range(p.touches):
        c = state.touch[i]
        c.soft = c.compliance / (h * h)
        c.bias = least_rate(c, dot3(load3(c.n), relative(c, twist, rate, state.pool)), h)
        fill_responses(c, state.pool, crowd.mover, state.inverse)
        recall_impulse(state, c)
    for i in range(p.touches):
        c = state.touch[i]
        if c.push > 0.0:
            strike(c, axpy3(c.push, load3(c.n), load3(c.rub)), twist, rate, state.pool, crowd.mover, state.inverse)
    return crowd.options[0].tolerance * (h * sqrt(dot3(g, g)) + SHARE * fastest)


@kernel
def free_rates(sys, flow, state, t1, h, work) -> int:
    """Rates qd* of (1) into `rate`, driven ones from their laws at the end of the step."""
    rate, still = state.rate[SPEEDS], state.still[0]
    for k in range(rate.shape[0]):
        rate[k] = flow.qd[k] + h * still[k]
    if sys.drive.shape[0] == 0:
        return Status.OK.value
    copy(flow.q, flow.q_new)
    return Status.OK.value if eval_drives(sys, t1, flow.q_new, rate, flow.qdd_new) == Status.OK.value else unknown_drive(sys,
                                                                                                                    work)


@kernel
def solve_touches(sys, crowd, state, flow, h, work):
    """Impulses and displacements of a step, and the rates after it."""
    p = state.progress[0]
    if p.touches == 0:
        return
    place_free(sys, crowd, state, work)
    for i in range(p.touches):
        c = state.touch[i]
        store3(c.r_a, sub3(load3(c.x), load3(state.centre[c.a])))
        store3(c.r_b, sub3(load3(c.x), load3(state.centre[c.b])))
    tolerated = begin_sweeps(sys, crowd, state, flow, h, work)
    sweeps = sweep_impulses(crowd, state, tolerated)
    if sweeps < 0:
        p.unsettled += 1
        sweeps = -sweeps
    p.sweeps += sweeps
    p.most = max(p.most, sweeps)
    rates_of(sys, crowd, state, state.twist[SPEEDS], state.rate[SPEEDS], work)
    for k in range(state.rate.shape[1]):
        state.rate[MOVES, k] = 0.0
    for i in range(state.twist.shape[1]):
        for k in range(6):
            state.twist[MOVES, i, k] = 0.0
    if sweep_lifts(crowd, state, h) > 0:
        rates_of(sys, crowd, state, state.twist[MOVES], state.rate[MOVES], work)


@kernel
def finish_step(sys, flow, state, t1, h, work) -> int:
    """The new state (1)."""
    moved, lifted = flow.kv[0], state.progress[0].touches > 0
    for k in range(moved.shape[0]):
        flow.qd_new[k] = state.rate[SPEEDS, k]
        flow.qdd_new[k] = (flow.qd_new[k] - flow.qd[k]) / h
        moved[k] = h * flow.qd_new[k] + (state.rate[MOVES, k] if lifted else 0.0)
    move(sys, flow.q, moved, flow.q_new)
    normalise(sys, flow.q_new)
    if eval_drives(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new) != Status.OK.value:
        return unknown_drive(sys, work)
    return Status.OK.value


@kernel
def show_impulses(contacts, own, state, t1, h, work):
    """Forces of the step as loads and in channels, and the events of the rows."""
    clear_loads(contacts, own, work)
    shown = work.control.contact
    for i in range(shown.shape[0]):
        for k in range(4):
            shown[i, k] = 0.0
    for i in range(contacts.row.shape[0]):
        own.row[i].force[0] = 0.0
    for k in range(state.progress[0].touches):
        c = state.touch[k]
        if c.push <= 0.0:
            continue
        f = scale3(axpy3(c.push, load3(c.n), load3(c.rub)), 1.0 / h)
        add_load(c, c, f, work)
        shown[c.group, 0] += c.push / h
        if c.group < contacts.row.shape[0]:
            store3(shown[c.group, 1:], scale3(load3(c.rub), 1.0 / h))
            own.row[c.group].force[0] = c.push / h
            if own.row[c.group].kept <= 0.0 and c.speed < -SLOW * contacts.row[c.group].size:
                note_event(own, ContactEventCode.IMPACT.value, c.group, t1, c.push, c.rub[0], c.rub[1])
        else:
            shown[c.group, 1] += 1.0
    for i in range(contacts.row.shape[0]):
        row = own.row[i]
        if row.kept > 0.0 and row.force[0] <= 0.0:
            note_event(own, ContactEventCode.RELEASE.value, i, t1, 0.0, 0.0, 0.0)


@kernel
def attempt_moreau(sys, opt, method, flow, t1, work) -> int:
    """One step (1)."""
    p, crowd, state, contacts, own = flow.progress[0], method.crowd, method.crowd_state, method.contacts, method.contact
    h = t1 - p.t
    clear_loads(contacts, own, work)
    status = eval_still(sys, flow, crowd, state, h, work)
    if status == Status.OK.value:
        status = gather_touches(sys, contacts, crowd, state, h, work)
    if status == Status.OK.value:
        status = free_rates(sys, flow, state, t1, h, work)
    if status != Status.OK.value:
        return status
    solve_touches(sys, crowd, state, flow, h, work)
    show_impulses(contacts, own, state, t1, h, work)
    p.error = 0.0
    return finish_step(sys, flow, state, t1, h, work)


@kernel
def keep_moreau(sys, opt, method, flow, t1, work) -> int:
    """Impulses of the step are what the next one begins with."""
    own = method.contact
    remember_impulses(method.crowd_state)
    for i in range(own.row.shape[0]):
        own.row[i].kept = own.row[i].force[0]
    full = own.progress[0].events + 2 * own.row.shape[0] > own.event.shape[0]
    return Status.RECORD_FULL.value if full else Status.OK.value
