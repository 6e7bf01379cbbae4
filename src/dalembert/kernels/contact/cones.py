"""Complementarity problems of forces along the lines of closed contacts, by projected Gauss-Seidel sweeps.

    w = W z + right,    0 <= z_n  ⟂  w_n >= 0                                                    (1)
    |z_t| <= mu z_n,    z_t = -mu z_n w_t/|w_t| where w_t is not zero                            (2)

Each sweep is the projection P of [GLO (15)] applied to one contact after the other,
    z <- P(z - rho w),   rho = 1/W_ii for a normal, 1/the largest eigenvalue of its block for two tangents,  (3)
so that z_n is that of a minimum along it, and z_t the point of the disc next to what (3) asks for.  W is symmetric and not
negative: without friction the sweeps converge; forces that are not unique (a box on four corners) end next to those that they
began with.  A diagonal `soft` is added to W, the inverse of a penalty.
"""

from math import inf, sqrt

from ..compile.jit import kernel, shared
from .active import improve_active
from .joint_rows import project_friction, rubs

SWEEPS = 10000
"""Most sweeps."""
SETTLED = 8
"""Sweeps after which it is looked whether it is settled which contacts push, stick and slide, active.py."""
CLOSE = 1e-13
"""Change of a force in a sweep, relative to the largest one, at which the sweeps end."""
MISSES = 6
"""Newton steps that do not halve the changes of forces, from which on there are sweeps alone: where several contacts share a
load in many ways, a step may leave the cones again and again."""
LOOSE = 1e-9
"""Likewise CLOSE after that."""
BOTH_WAYS, ONE_WAY = 0, 1
"""Forces that also pull, of contacts that carry a force, and those that only push."""
FREE, ALONG = 0, 1
"""Friction in any direction within the cone, or on it along a given one for contacts that slide."""


@kernel
def row_product(W, k, lines, z):
    """Row k of W times z."""
    s = 0.0
    for j in range(lines):
        s += W[k, j] * z[j]
    return s


@kernel
def project_normal(W, right, z, k, lines, soft, kind):
    """Projection (3) of a normal force; returns its change."""
    w = row_product(W, k, lines, z) + right[k] + soft * z[k]
    stiff = W[k, k] + soft
    if stiff <= 0.0:
        return 0.0
    value = z[k] - w / stiff
    if kind == ONE_WAY:
        value = max(0.0, value)
    change = value - z[k]
    z[k] = value
    return abs(change)


@kernel
def project_tangents(W, right, z, k, lines, bound, soft):
    """Projection (3) of two tangential forces behind the normal of line k onto a disc; returns their change."""
    i, j = k + 1, k + 2
    a, b, c = W[i, i], W[j, j], 0.5 * (W[i, j] + W[j, i])
    largest = 0.5 * (a + b) + sqrt(0.25 * (a - b) ** 2 + c * c) + soft
    if largest <= 0.0:
        return 0.0
    x = z[i] - (row_product(W, i, lines, z) + right[i] + soft * z[i]) / largest
    y = z[j] - (row_product(W, j, lines, z) + right[j] + soft * z[j]) / largest
    size = sqrt(x * x + y * y)
    if size > bound:
        x, y = x * bound / size, y * bound / size
    change = max(abs(x - z[i]), abs(y - z[j]))
    z[i], z[j] = x, y
    return change


@kernel
def slide(z, k, bound, dx, dy):
    """Friction of a bound against the direction (dx, dy) of sliding; returns the change."""
    x, y = -bound * dx, -bound * dy
    change = max(abs(x - z[k + 1]), abs(y - z[k + 2]))
    z[k + 1], z[k + 2] = x, y
    return change


@kernel
def sweep(contacts, state, right, z, kind, sliding, still):
    """One sweep over all closed contacts; returns the largest change and the largest force."""
    lines, change, size = state.progress[0].lines, 0.0, 0.0
    for i in range(contacts.row.shape[0]):
        own, c = state.row[i], contacts.row[i]
        k = own.first
        if k < 0 or (kind == BOTH_WAYS and (own.force[0] <= 0.0 or rubs(c))):
            continue
        if rubs(c):
            w = row_product(state.W, k, lines, z) + right[k] + own.soft * z[k]
            stiff = state.W[k, k] + own.soft
            change = max(change, project_friction(w, stiff, z, k, own, sliding == ALONG, still * c.size))
            size = max(size, abs(z[k]))
            continue
        change = max(change, project_normal(state.W, right, z, k, lines, own.soft, kind))
        size = max(size, abs(z[k]))
        if c.lines == 3:
            bound = c.friction * max(0.0, z[k])
            speed = sqrt(own.rate[1] ** 2 + own.rate[2] ** 2)
            if sliding == ALONG and own.stick == 0 and speed > still * c.size:
                change = max(change, slide(z, k, bound, own.rate[1] / speed, own.rate[2] / speed))
            else:
                change = max(change, project_tangents(state.W, right, z, k, lines, bound, own.soft))
            size = max(size, abs(z[k + 1]), abs(z[k + 2]))
    return change, size


@shared
def solve_cones(contacts, state, right, z, kind, sliding, still):
    """Sweeps until forces z (k,) change no more; False if they still do."""
    change, size, last, misses = 0.0, 0.0, inf, 0
    for turn in range(SWEEPS):
        change, size = sweep(contacts, state, right, z, kind, sliding, still)
        state.progress[0].turns = turn + 1
        if change <= (CLOSE if misses < MISSES else LOOSE) * size or size == 0.0:
            return True
        if turn % SETTLED == SETTLED - 1 and kind == ONE_WAY and misses < MISSES:
            misses += 1 if change > 0.5 * last else 0
            last = change
            improve_active(contacts, state, right, z)
    return change <= 1e-6 * size
