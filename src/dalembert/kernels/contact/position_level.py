"""Forces of contacts that keep gaps open at the end of an implicit step [GLO (7)-(19), (40)-(43)].

The step is one for the accelerations a of step/stage.py, with forces p along the lines of lines.py,
    residual(q₊, qd₊, a) = Jᵀ p,    q₊ = q moved by dq + cq a,    qd₊ = qd + cv a                 (1)
A gap is positive where shapes are apart, the opposite of that in [GLO].  For given forces (1) is a step of the mechanism by
whatever formulation, and gaps change by s W dp, s = cq.  So the condition of the augmented Lagrangian,
    p = P(λ - r g(p)),   that is   0 <= p  ⟂  g + (p - λ)/r >= 0     [GLO (14), (15), (40), (41)]  (2)
is a small complementarity problem for p, solved by sweeps; (1) again and λ <- p follow until p changes no more.  Then p is
zero where g > 0, and g = 0 where p > 0, whatever r: it is raised to 1000/(cq W_ii), with which λ contracts by 1/1000 a turn.
    multiplier       r = 0 in (1), forces by (2) from the gaps alone:  p <- P(p - rho g), rho = 1/(cq sum_j |W_ij|)  (3)
    penalty          λ = 0: a spring r with a damper c, p = P(-r g - c g'), and s = cq + cv c/r                     (4)
c = 2 zeta sqrt(r/W_ii), with the zeta that gives a mass which meets the spring its restitution (system/pack_contacts.py).  A
contact with a compliance is a spring in all three.

Friction acts likewise on the sliding velocity at the end of the step, by cq/cv, P being the disc of the radius mu p_n: what
sticks has come to rest there.  Velocities of several points of a body in contact never contradict each other, which their ways
across the normal do in the second order of a rotation.  That of a spring acts on the way that the two material points have
gone that touched where the step began; what it has not come back by while it sticks is carried along.
"""

from math import sqrt

from ...codes import ContactMethod, Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, axpy3, dot3, load3, mul33_vec, scale3, store3, sub3, tmul33_vec
from ..compile.jit import kernel
from .accelerations import STILL
from .cones import FREE, ONE_WAY, row_product, solve_cones
from .joint_rows import close_friction, on_joint, rubs, within
from .lines import add_line_load, clear_loads, direction_of, store_found

RAISE = 1e3
"""Least penalty times the change of a gap by a unit of force."""


@kernel
def remember_places(contacts, state, work):
    """Gaps, rates and material points in contact where a step begins, after the rows at the state."""
    for i in range(contacts.row.shape[0]):
        c, own = contacts.row[i], state.row[i]
        own.begin, own.before = own.gap, own.rate[0]
        if own.sprung == 0 or on_joint(c):
            continue
        store3(own.n_0, load3(own.n))
        for side in range(2):
            body = work.body[c.a if side == 0 else c.b]
            local = tmul33_vec(load_columns(body.E_wb), sub3(load3(own.x), load3(body.r_w)))
            store3(own.p_a if side == 0 else own.p_b, local)


@kernel
def eval_ways(contacts, state, work):
    """Ways of the material points of springs across the normal since the step began, with what was held there."""
    for i in range(contacts.row.shape[0]):
        c, own = contacts.row[i], state.row[i]
        if own.sprung == 0 or on_joint(c):
            continue
        a, b = work.body[c.a], work.body[c.b]
        x_a = add3(load3(a.r_w), mul33_vec(load_columns(a.E_wb), load3(own.p_a)))
        x_b = add3(load3(b.r_w), mul33_vec(load_columns(b.E_wb), load3(own.p_b)))
        way = add3(sub3(x_b, x_a), load3(own.held))
        n = load3(own.n)
        store3(own.way, axpy3(-dot3(n, way), n, way))


@kernel
def put_loads(contacts, state, work):
    """Let the forces of the position level act, beside the loads from outside, at the places that were evaluated."""
    clear_loads(contacts, state, work)
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if own.closed == 1 and own.sprung == 0:
            add_line_load(contacts.row[i], own, load3(own.load), work)


@kernel
def close_passed(contacts, state):
    """Close the contacts that overlap; returns how many were open."""
    found = 0
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if own.closed == 0 and own.gap < -contacts.options[0].steady * contacts.row[i].size:
            own.closed = 1
            store3(own.load, (0.0, 0.0, 0.0))
            found += 1
    return found


@kernel
def stiffness_of(contacts, c):
    """Stiffness of the spring of a contact [N/m]."""
    return 1.0 / c.compliance if c.compliance > 0.0 else contacts.options[0].penalty


@kernel
def lay_problem(contacts, state, cq, cv):
    """Right-hand sides and diagonals of (2) or (4), divided by s; forces as they are into `found`."""
    lines = state.progress[0].lines
    for k in range(lines):
        own = state.row[state.line[k].row]
        state.found[k] = own.load[state.line[k].axis]
    for k in range(lines):
        i, axis = state.line[k].row, state.line[k].axis
        c, own = contacts.row[i], state.row[i]
        stiff = max(state.W[own.first, own.first], 1e-300)
        if axis == 0:
            value = own.gap
        elif own.sprung == 1:
            value = dot3(direction_of(own, axis), load3(own.way))
        else:
            value = cq / cv * own.rate[axis]
        held = 0.0
        if own.sprung == 1:
            r = stiffness_of(contacts, c)
            late = 2.0 * c.damping / sqrt(r * stiff)                          # c/r of (4)
            own.share = cq + cv * late
            own.soft = 1.0 / (r * own.share)
            value += late * own.rate[axis]
        else:
            own.share = cq
            own.soft = 1.0 / (cq * max(contacts.options[0].penalty, RAISE / (cq * stiff)))
            held = own.soft * own.load[axis]
        state.right[k] = value / own.share - row_product(state.W, k, lines, state.found) - held


@kernel
def step_multipliers(contacts, state):
    """Multipliers (3) into `found`, from right-hand sides as `lay_problem` leaves them."""
    lines = state.progress[0].lines
    for k in range(lines):
        own = state.row[state.line[k].row]
        state.image[k] = (row_product(state.W, k, lines, state.found) + state.right[k]
                          + own.soft * own.load[state.line[k].axis])                           # g/cq
    for i in range(contacts.row.shape[0]):
        own, c = state.row[i], contacts.row[i]
        k = own.first
        if k < 0 or own.sprung == 1:
            continue
        sums = 0.0
        for j in range(lines):
            sums += abs(state.W[k, j])
        if rubs(c):
            state.found[k] = within(state.found[k] - state.image[k] / max(sums, 1e-300), own.most)
            continue
        state.found[k] = max(0.0, state.found[k] - state.image[k] / max(sums, 1e-300))
        if c.lines == 3:
            x, y = (state.found[k + 1] - state.image[k + 1] / max(sums, 1e-300),
                    state.found[k + 2] - state.image[k + 2] / max(sums, 1e-300))
            size, bound = sqrt(x * x + y * y), c.friction * state.found[k]
            shrink = bound / size if size > bound else 1.0
            state.found[k + 1], state.found[k + 2] = x * shrink, y * shrink


@kernel
def update_loads(contacts, state, cq, cv):
    """Forces by (2), (3) or (4) from the gaps at the new state; returns the largest change of a gap by that, 1 = tolerated.

    Negative if the sweeps found none.
    """
    close_friction(contacts, state, 1.0)
    lay_problem(contacts, state, cq, cv)
    if contacts.options[0].method == ContactMethod.MULTIPLIER:
        step_multipliers(contacts, state)
    elif not solve_cones(contacts, state, state.right, state.found, ONE_WAY, FREE, STILL):
        return -1.0
    worst = 0.0
    for k in range(state.progress[0].lines):
        i, axis = state.line[k].row, state.line[k].axis
        own = state.row[i]
        change = abs(state.found[k] - own.load[axis]) * state.W[k, k] * own.share
        worst = max(worst, change / (contacts.options[0].steady * contacts.row[i].size))
    store_found(state, state.found, 1)
    return worst


@kernel
def shown_ways(state):
    """What the springs of sticking contacts have not come back by is held for the next step."""
    for i in range(state.row.shape[0]):
        own = state.row[i]
        keep = 1.0 if own.closed == 1 and own.stick == 1 else 0.0
        store3(own.held, scale3(load3(own.way), keep))
    return Status.OK.value
