"""A Newton step for the forces of the contacts that push, between the sweeps of cones.py.

Where it is settled which contacts push, stick and slide, (1) and (2) of cones.py are linear but for directions of sliding:
w = 0 along the normals of those that push and along the tangents of those that stick, z_t = mu z_n u with the direction
u of those that slide.  Sweeps settle it within some turns but converge slowly where contacts share a load; this solves
    (A + d I) dz = -w,    A = W + soft, with mu W u added to the columns of normals that slide                 (1)
in which the small d keeps forces that are not unique next to those at hand.  A force that would pull shortens the step.
"""

from math import sqrt

from ...codes import Status
from ..algebra.dense import factor_lu, solve_lu
from ..compile.jit import kernel
from .joint_rows import rubs, sticks, within

SMALL = 1e-11
"""d of (1), relative to the largest element of the diagonal."""
EDGE = 1.0 - 1e-9
"""Share of the largest friction from which on a contact slides."""
NONE, PUSHES, STICKS = 0, 1, 2
"""What is unknown of a line."""


@kernel
def mark_unknowns(contacts, state, z):
    """Mark the lines that are unknown in (1), and set the directions of those that slide; returns the largest diagonal."""
    largest, o = 0.0, state.unknown
    for k in range(state.progress[0].lines):
        o[k] = NONE
        state.slide[k] = 0.0
    for i in range(contacts.row.shape[0]):
        k, c = state.row[i].first, contacts.row[i]
        if k >= 0 and rubs(c):
            o[k] = STICKS if sticks(z[k], state.row[i]) == 1 else NONE
            largest = max(largest, state.W[k, k])
            continue
        if k < 0 or not z[k] > 0.0:
            continue
        o[k] = PUSHES
        largest = max(largest, state.W[k, k])
        if c.lines == 3:
            size, bound = sqrt(z[k + 1] ** 2 + z[k + 2] ** 2), c.friction * z[k]
            if size < EDGE * bound:
                o[k + 1] = o[k + 2] = STICKS
            elif size > 0.0:
                state.slide[k + 1], state.slide[k + 2] = c.friction * z[k + 1] / size, c.friction * z[k + 2] / size
    return largest


@kernel
def fill_active(state, right, z, d):
    """Fill the matrix and right-hand side of (1); what is known has a row of the unit matrix."""
    A, x, W, o, lines = state.active, state.image, state.W, state.unknown, state.progress[0].lines
    for i in range(A.shape[0]):
        for j in range(A.shape[0]):
            A[i, j] = 0.0
        A[i, i] = 1.0
        if i < lines:
            x[i] = 0.0
    for i in range(lines):
        if o[i] == NONE:
            continue
        soft = state.row[state.line[i].row].soft
        x[i] = -right[i] - soft * z[i]
        for j in range(lines):
            x[i] -= W[i, j] * z[j]
            A[i, j] = W[i, j] if o[j] != NONE else 0.0
        for j in range(lines):
            if o[j] == PUSHES:
                k = state.row[state.line[j].row].first
                for t in range(1, 3):
                    if k + t < lines and state.slide[k + t] != 0.0 and state.line[k + t].row == state.line[j].row:
                        A[i, j] += state.slide[k + t] * W[i, k + t]
        A[i, i] += soft + d


@kernel
def longest_step(state, z, x):
    """Share of the step x that all normal forces can take without pulling."""
    share = 1.0
    for k in range(state.progress[0].lines):
        if state.unknown[k] == PUSHES and z[k] + x[k] < 0.0:
            share = min(share, z[k] / -x[k])
    return share


@kernel
def improve_active(contacts, state, right, z):
    """Take the step (1), or as much of it as leaves no force pulling."""
    d = SMALL * mark_unknowns(contacts, state, z)
    if d <= 0.0:
        return
    fill_active(state, right, z, d)
    if factor_lu(state.active, state.pivot) != Status.OK.value:
        return
    x = state.image
    solve_lu(state.active, state.pivot, x)
    share = longest_step(state, z, x)
    for k in range(state.progress[0].lines):
        if state.unknown[k] != NONE:
            z[k] += share * x[k]
    for i in range(contacts.row.shape[0]):
        k, c = state.row[i].first, contacts.row[i]
        if k >= 0 and rubs(c):
            z[k] = within(z[k], state.row[i].most)
        if k < 0 or c.lines != 3 or state.unknown[k] == NONE:
            continue
        if state.unknown[k + 1] == NONE:
            z[k + 1], z[k + 2] = state.slide[k + 1] * z[k], state.slide[k + 2] * z[k]
        size, bound = sqrt(z[k + 1] ** 2 + z[k + 2] ** 2), c.friction * z[k]
        if size > bound:
            z[k + 1], z[k + 2] = z[k + 1] * bound / size, z[k + 2] * bound / size
