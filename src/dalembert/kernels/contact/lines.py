"""Lines of the closed contacts: what forces along them do, and what a motion does along them.

With the force f_j along line j, a unit vector at the point of contact, on body b and the opposite on body a, accelerations are
    a(f) = a_0 + sum_j f_j R_j,      R_j = (a(F e_j) - a_0)/F                                     (1)
exactly: they are affine in loads, in every formulation and with loops.  Velocities along the lines are linear in rates, J qd,
and
    W = J [R_1 ... R_k] = J M⁻¹ Jᵀ                                                               (2)
of the constrained mechanism.  Each column costs an evaluation of the accelerations, O(N) for trees, and only closed contacts
have one.  Impulses change rates by sum_j Λ_j R_j.
"""

from ...codes import Status
from ..algebra.quad import load_columns
from ..algebra.small import axpy3, cross, dot3, load3, mul33_vec, scale3, store3, sub3
from ..compile.jit import kernel, shared
from ..evaluate import eval_accelerations
from ..step.events import eval_switch_places
from .gaps import eval_row, relative_velocity
from .joint_rows import eval_joint_row, line_rate, on_joint


@kernel
def eval_contact_rows(sys, contacts, state, q, qd, work) -> int:
    """Gaps, directions and velocities of all rows at a state."""
    status = eval_switch_places(sys, q, qd, work)
    for i in range(contacts.row.shape[0]):
        if on_joint(contacts.row[i]):
            eval_joint_row(sys, contacts.row[i], state.row[i], q, qd, work)
        elif status == Status.OK.value:
            status = eval_row(contacts.row[i], state.row[i], work)
    return status


@kernel
def lay_lines(contacts, state, springs):
    """Number the lines of the closed contacts, with `springs` = 1 also of those whose force is that of a spring."""
    k = 0
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        own.first = -1
        if own.closed == 1 and (own.sprung == 0 or springs == 1):
            own.first = k
            for axis in range(contacts.row[i].lines):
                state.line[k].row, state.line[k].axis = i, axis
                k += 1
    state.progress[0].lines = k


@kernel
def direction_of(own, axis):
    """Unit vector of a line."""
    if axis == 0:
        return load3(own.n)
    return load3(own.s) if axis == 1 else load3(own.t)


@kernel
def clear_loads(contacts, state, work):
    """Leave the loads from outside alone, and the springs of contacts that have one."""
    outer = work.control.outer
    for i in range(outer.shape[0]):
        for c in range(outer.shape[1]):
            outer[i, c] = state.given[i, c]
    for v in range(work.control.effort.shape[0]):
        work.control.effort[v] = state.effort[v]
    for i in range(contacts.row.shape[0]):
        own = state.row[i]
        if own.sprung == 1:
            add_line_load(contacts.row[i], own, load3(own.load), work)


@kernel
def add_line_load(c, own, force, work):
    """Add the force of a row, components along its lines."""
    if on_joint(c):
        work.control.effort[c.v] += c.sign * force[0]
    else:
        add_load(c, own, force_of(own, force), work)


@kernel
def add_load(c, own, f, work):
    """Add the force f on body b at the point of contact, and its opposite on body a."""
    outer, x = work.control.outer, load3(own.x)
    for side in range(2):
        i, push = (c.b, f) if side == 0 else (c.a, scale3(f, -1.0))
        own_place = mul33_vec(load_columns(work.body[i].E_wb), (outer[i, 6], outer[i, 7], outer[i, 8]))
        moment = cross(sub3(sub3(x, load3(work.body[i].r_w)), own_place), push)
        for k in range(3):
            outer[i, k] += moment[0] if k == 0 else moment[1] if k == 1 else moment[2]
            outer[i, 3 + k] += push[0] if k == 0 else push[1] if k == 1 else push[2]


@kernel
def force_of(own, force):
    """Force on body b in world axes from its components along the lines."""
    return axpy3(force[2], load3(own.t), axpy3(force[1], load3(own.s), scale3(load3(own.n), force[0])))


@kernel
def put_forces(contacts, state, work):
    """Let the forces of the closed contacts act, beside the loads from outside; places belong to the state."""
    clear_loads(contacts, state, work)
    for i in range(contacts.row.shape[0]):
        own, shown = state.row[i], work.control.contact[i]
        for c in range(4):
            shown[c] = 0.0
        if own.closed == 1 or own.sprung == 1:
            f = load3(own.load) if own.sprung == 1 else load3(own.force)
            if own.sprung == 0:
                add_line_load(contacts.row[i], own, f, work)
            shown[0] = f[0]
            if not on_joint(contacts.row[i]):
                store3(shown[1:], force_of(own, (0.0, f[1], f[2])))


@kernel
def eval_image(sys, contacts, state, q, x, out, work) -> int:
    """out = J x along all lines, for rates x (n_v,)."""
    status = eval_switch_places(sys, q, x, work)
    for k in range(state.progress[0].lines):
        i = state.line[k].row
        c, own = contacts.row[i], state.row[i]
        if on_joint(c):
            out[k] = line_rate(sys, c, x, work)
        else:
            out[k] = dot3(direction_of(own, state.line[k].axis), relative_velocity(c, load3(own.x), work))
    return status


@shared
def eval_responses(sys, t, q, qd, contacts, state, tau, known, work) -> int:
    """Accelerations without contact forces, `still`, and the columns of (1) and (2), after the rows at the state.

    With `known` = 1 the columns serve that were found at the same coordinates.
    """
    unit, lines = contacts.options[0].unit, 0 if known == 1 else state.progress[0].lines
    clear_loads(contacts, state, work)
    status = eval_accelerations(sys, t, q, qd, state.still, tau, work)
    for k in range(lines):
        if status != Status.OK.value:
            return status
        i = state.line[k].row
        own = state.row[i]
        clear_loads(contacts, state, work)
        if on_joint(contacts.row[i]):
            add_line_load(contacts.row[i], own, (unit, 0.0, 0.0), work)
        else:
            add_load(contacts.row[i], own, scale3(direction_of(own, state.line[k].axis), unit), work)
        column = state.response[k]
        status = eval_accelerations(sys, t, q, qd, column, tau, work)
        for v in range(column.shape[0]):
            column[v] = (column[v] - state.still[v]) / unit                                    # (1)
    for k in range(lines):
        if status == Status.OK.value:
            status = eval_image(sys, contacts, state, q, state.response[k], state.W[k], work)  # (2)
    clear_loads(contacts, state, work)
    return status


@kernel
def add_responses(state, found, factor, out):
    """out += factor sum_j found_j R_j."""
    for k in range(state.progress[0].lines):
        for v in range(out.shape[0]):
            out[v] += factor * found[k] * state.response[k, v]


@kernel
def store_found(state, found, into):
    """Write a solution to the rows: 0 as forces, 1 as loads of the position level."""
    for i in range(state.row.shape[0]):
        own = state.row[i]
        into_row = own.force if into == 0 else own.load
        store3(into_row, (0.0, 0.0, 0.0))
    for k in range(state.progress[0].lines):
        own = state.row[state.line[k].row]
        if into == 0:
            own.force[state.line[k].axis] = found[k]
        else:
            own.load[state.line[k].axis] = found[k]
