"""Pairs of shapes that are near each other, from cells of several sizes, in a time that grows with their number.

Every shape lies in one cell, that of its place, of the level whose cells are no smaller than the ball about it: two balls that
touch lie in cells of the larger one's level that are the same or neighbours.  Shapes are taken from the largest to the
smallest; each looks at the cells of its own and of larger levels around it, in which those before it lie, and then enters
its own.  Cells are found by a hash of their level and numbers; half-spaces are looked at with all others.
"""

from math import ceil, floor, log2, sqrt

from ...codes import ShapeCode, Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, cross, dot3, load3, load9, mul33, mul33_vec, store3, store9, sub3
from ..compile.jit import kernel, shared
from .pairs import meet
from .tables import LEVELS
from .touches import add_touch


@kernel
def place_shapes(crowd, state, first, end, h, work):
    """Places, axes and balls of shapes at the state whose places and velocities were evaluated, for a step h."""
    depth = crowd.options[0].depth
    for i in range(first, end):
        s, own = crowd.shape[i], state.place[i]
        b = work.body[s.body]
        E, r = load_columns(b.E_wb), load3(b.r_w)
        x = add3(r, mul33_vec(E, load3(s.u_b)))
        store3(own.x, x)
        if s.code != ShapeCode.SPHERE and s.code != ShapeCode.POINT:
            store9(own.R, mul33(E, load9(s.R_b)))
        w = load3(b.w_w)
        v = add3(load3(b.v_w), cross(w, sub3(x, r)))
        own.swell = depth + h * (sqrt(dot3(v, v)) + (sqrt(dot3(w, w)) * s.reach if s.reach > 0.0 else 0.0))


@kernel
def bin_of(state, level, x, y, z):
    """Bin of a cell."""
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791 ^ level * 2654435761) & (state.bin.shape[0] - 1)


@kernel
def sort_levels(crowd, state, group):
    """Levels of the shapes of a group and their order, largest first; returns how many of them are not half-spaces."""
    for k in range(LEVELS):
        state.level[k] = 0
    count = 0
    for i in range(group.first, group.end):
        own, s = state.place[i], crowd.shape[i]
        if s.reach < 0.0:
            continue
        size = 2.0 * (s.reach + own.swell) / group.cell
        own.level = min(LEVELS - 1, int(ceil(log2(size)))) if size > 1.0 else 0
        state.level[own.level] += 1
        count += 1
    at = 0
    for k in range(LEVELS - 1, -1, -1):
        n = state.level[k]
        state.level[k] = at
        at += n
    for i in range(group.first, group.end):
        if crowd.shape[i].reach >= 0.0:
            own = state.place[i]
            state.order[state.level[own.level]] = i
            state.level[own.level] += 1
    for k in range(LEVELS):
        state.level[k] = 0
    return count


@kernel
def look_around(crowd, state, group, number, i, level, n_body):
    """Meet the shapes in the cells of a level around shape i; returns a status."""
    own, cell = state.place[i], group.cell * 2.0 ** level
    reach = crowd.shape[i].reach + own.swell + 0.5 * cell
    low = (int(floor((own.x[0] - reach) / cell)), int(floor((own.x[1] - reach) / cell)), int(floor((own.x[2] - reach) / cell)))
    high = (int(floor((own.x[0] + reach) / cell)), int(floor((own.x[1] + reach) / cell)),
            int(floor((own.x[2] + reach) / cell)))
    for x in range(low[0], high[0] + 1):
        for y in range(low[1], high[1] + 1):
            for z in range(low[2], high[2] + 1):
                j = state.bin[bin_of(state, level, x, y, z)]
                while j >= 0:
                    other = state.place[j]
                    if other.level == level and other.cell[0] == x and other.cell[1] == y and other.cell[2] == z:
                        status = meet_pair(crowd, state, group, number, j, i, n_body)
                        if status != Status.OK.value:
                            return status
                    j = other.next
    return Status.OK.value


@kernel
def enter_cell(state, group, i):
    """Enter shape i into its cell."""
    own = state.place[i]
    cell = group.cell * 2.0 ** own.level
    for c in range(3):
        own.cell[c] = int(floor(own.x[c] / cell))
    k = bin_of(state, own.level, own.cell[0], own.cell[1], own.cell[2])
    own.next = state.bin[k]
    state.bin[k] = i
    state.level[own.level] += 1


@kernel
def skipped(crowd, group, a, b, n_body):
    """Tell whether two bodies are among those that do not touch."""
    key = min(a, b) * n_body + max(a, b)
    low, high = group.skip, group.skip + group.skips
    while low < high:
        middle = (low + high) // 2
        if crowd.skip[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < group.skip + group.skips and crowd.skip[low] == key


@kernel
def meet_pair(crowd, state, group, number, i, j, n_body):
    """Touches of two shapes, if their balls are near; returns a status."""
    a, b, place_a, place_b = crowd.shape[i], crowd.shape[j], state.place[i], state.place[j]
    if a.body == b.body or (group.two == 1 and a.side == b.side):
        return Status.OK.value
    limit = place_a.swell + place_b.swell
    if a.reach >= 0.0 and b.reach >= 0.0:
        d = sub3(load3(place_b.x), load3(place_a.x))
        if dot3(d, d) > (a.reach + b.reach + limit) ** 2:
            return Status.OK.value
    if group.skips > 0 and skipped(crowd, group, a.body, b.body, n_body):
        return Status.OK.value
    count, changed, status = meet(a, place_a, b, place_b, crowd.corner, state.point, limit)
    key = (i * crowd.shape.shape[0] + j) * 256
    for k in range(count):
        point = state.point[k]
        first, second = (b.body, a.body) if changed else (a.body, b.body)
        add_touch(crowd, state, key + point.feature, crowd.options[0].rows + number, first, second, point.gap,
                  load3(point.n), load3(point.x), group.friction, group.restitution, group.compliance)
    return status


@kernel
def meet_half_spaces(crowd, state, group, number, n_body):
    """Touches of the half-spaces of a group with all its other shapes."""
    for i in range(group.first, group.end):
        if crowd.shape[i].reach >= 0.0:
            continue
        for j in range(group.first, group.end):
            if crowd.shape[j].reach >= 0.0:
                status = meet_pair(crowd, state, group, number, i, j, n_body)
                if status != Status.OK.value:
                    return status
    return Status.OK.value


@shared
def find_touches(sys, crowd, state, h, work) -> int:
    """Touches of all groups at the state whose places and velocities were evaluated, for a step h."""
    n_body = sys.body.shape[0]
    for g in range(crowd.group.shape[0]):
        group = crowd.group[g]
        place_shapes(crowd, state, group.first, group.end, h, work)
        status = meet_half_spaces(crowd, state, group, g, n_body)
        if status != Status.OK.value:
            return status
        for k in range(state.bin.shape[0]):
            state.bin[k] = -1
        count = sort_levels(crowd, state, group)
        for k in range(count):
            i = state.order[k]
            for level in range(state.place[i].level, LEVELS):
                if state.level[level] > 0:
                    status = look_around(crowd, state, group, g, i, level, n_body)
                    if status != Status.OK.value:
                        return status
            enter_cell(state, group, i)
    return Status.OK.value
