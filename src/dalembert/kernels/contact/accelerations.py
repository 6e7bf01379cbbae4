"""Accelerations of a state with closed contacts: their forces as a complementarity problem at the level of accelerations.

    g'' = g''_0 + W f,    0 <= f  ⟂  g'' >= 0                                                    (1)
with the lines of lines.py, and with friction either f_t on the edge of the cone against the direction of sliding, or, where a
contact sticks, within the cone as long as that keeps its tangential accelerations zero.  The second derivatives g''_0 of gaps,
and those of tangential ways, are central differences of velocities along the motion without contact forces,
    g'' = (g'(q₊, q'₊) - g'(q₋, q'₋))/(2 e),   q± = q ± e q' + e² q''/2,   q'± = q' ± e q''     (2)
whose error is e² g''''/6 and the rounding of velocities by e: with e = 1e-5 of the time in which the state changes, 1e-10.
"""

from math import sqrt

from ...codes import FormCode, Status
from ..algebra.small import dot3
from ..compile.jit import kernel, shared
from ..evaluate import eval_accelerations
from ..step.events import eval_switch_places
from ..tree.state import move, normalise
from .cones import ALONG, ONE_WAY, solve_cones
from .gaps import eval_gap, relative_velocity
from .joint_rows import close_friction, line_rate, on_joint
from .lines import (
    add_responses,
    direction_of,
    eval_contact_rows,
    eval_responses,
    lay_lines,
    put_forces,
    store_found,
)

SHARE = 1e-5
"""Share of the time in which a state changes over which (2) is taken."""
LEAST_RATE = 1e-6
"""Least rate of change of a state [1/s]."""
STILL = 1e-9
"""Sliding speed, in sizes a second, up to which a contact counts as one that sticks."""


@kernel
def coordinate_size(sys, contacts, k):
    """Size of an increment of coordinate number k: of a natural one that of a place or of a unit vector."""
    if sys.constants[0].form == FormCode.GLOBAL:
        i = sys.pair[k].body
        return contacts.options[0].length if i > 0 and k - sys.body[i].column < 3 else 1.0
    return sys.dof[k].q_scale


@kernel
def change_rate(sys, contacts, qd, qdd):
    """Largest rate at which the state changes [1/s]: of coordinates by their sizes, or the root of accelerations by them."""
    worst = LEAST_RATE
    for k in range(qd.shape[0]):
        size = coordinate_size(sys, contacts, k)
        worst = max(worst, abs(qd[k]) / size, sqrt(abs(qdd[k]) / size))
    return worst


@kernel
def add_differences(sys, contacts, state, q, qd, qdd, e, weight, work) -> int:
    """Add weight times the velocities along the lines at the time e from the state to `bend` of the rows."""
    for v in range(qd.shape[0]):
        state.qd[v] = qd[v] + e * qdd[v]
        state.moved[v] = e * qd[v] + 0.5 * e * e * qdd[v]
    move(sys, q, state.moved, state.q)
    normalise(sys, state.q)
    status = eval_switch_places(sys, state.q, state.qd, work)
    for k in range(state.progress[0].lines):
        i, axis = state.line[k].row, state.line[k].axis
        c, own = contacts.row[i], state.row[i]
        if on_joint(c):
            own.bend[0] += weight * line_rate(sys, c, state.qd, work)
            continue
        gap, n, x, found = eval_gap(c, work.body[c.a], work.body[c.b])
        if found != Status.OK.value:
            return found
        v = relative_velocity(c, x, work)
        own.bend[axis] += weight * dot3(n if axis == 0 else direction_of(own, axis), v)
    return status


@kernel
def eval_bends(sys, contacts, state, q, qd, qdd, work) -> int:
    """Second derivatives (2) along the lines of the closed contacts for given accelerations; places belong to the state."""
    e = SHARE / change_rate(sys, contacts, qd, qdd)
    for k in range(state.progress[0].lines):
        own = state.row[state.line[k].row]
        own.bend[state.line[k].axis] = 0.0
    status = add_differences(sys, contacts, state, q, qd, qdd, e, 0.5 / e, work)
    if status == Status.OK.value:
        status = add_differences(sys, contacts, state, q, qd, qdd, -e, -0.5 / e, work)
    return status


@kernel
def solve_forces(contacts, state) -> int:
    """Forces (1) into the rows and into `found`; what a contact without force would carry into `slack`."""
    lines = state.progress[0].lines
    close_friction(contacts, state, 1.0)
    for k in range(lines):
        own = state.row[state.line[k].row]
        own.soft = 0.0
        state.right[k] = own.bend[state.line[k].axis]
        state.found[k] = own.force[state.line[k].axis]
    if not solve_cones(contacts, state, state.right, state.found, ONE_WAY, ALONG, STILL):
        return Status.NO_CONTACT_FORCES.value
    store_found(state, state.found, 0)
    for i in range(state.row.shape[0]):
        own = state.row[i]
        own.slack = 0.0
        if own.first >= 0 and own.force[0] <= 0.0 and state.W[own.first, own.first] > 0.0:
            opening = state.right[own.first]
            for j in range(lines):
                opening += state.W[own.first, j] * state.found[j]
            own.slack = -opening / state.W[own.first, own.first]
    return Status.OK.value


@shared
def eval_contact_accelerations(sys, t, q, qd, qdd, contacts, state, tau, known, work) -> int:
    """Accelerations of a state with the forces of the closed contacts, which are left acting; drives are set.

    With `known` = 1 lines and responses are those of the same coordinates.
    """
    status = eval_contact_rows(sys, contacts, state, q, qd, work)
    if status != Status.OK.value:
        return status
    if known == 0:
        close_friction(contacts, state, 1.0)
        lay_lines(contacts, state, 0)
    if state.progress[0].lines == 0:
        store_found(state, state.found, 0)
        put_forces(contacts, state, work)
        return eval_accelerations(sys, t, q, qd, qdd, tau, work)
    status = eval_responses(sys, t, q, qd, contacts, state, tau, known, work)
    if status == Status.OK.value:
        status = eval_switch_places(sys, q, qd, work)
    if status == Status.OK.value:
        status = eval_bends(sys, contacts, state, q, qd, state.still, work)
    if status == Status.OK.value:
        status = solve_forces(contacts, state)
    if status != Status.OK.value:
        return status
    for v in range(qdd.shape[0]):
        qdd[v] = state.still[v]
    add_responses(state, state.found, 1.0, qdd)
    status = eval_switch_places(sys, q, qd, work)
    put_forces(contacts, state, work)
    if sys.constants[0].form != FormCode.TREE and status == Status.OK.value:
        status = eval_accelerations(sys, t, q, qd, qdd, tau, work)
    return status
