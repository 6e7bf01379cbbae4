"""Points of contact of two shapes: gaps, normals from the first to the second, places, and features that stay the same.

The gap functions are those of contact/gaps.py; where flat or straight shapes lie on each other several points carry them:
    plane        lowest points of the other shape: ends, corners, four points of each rim
    capsules     nearest points of their segments; of nearly parallel ones both ends of where they overlap
    box, capsule both ends of the segment, and what is nearest between them
    two boxes    box_box.py
What is farther apart than a limit is left out.
"""

from math import sqrt

from ...codes import ShapeCode, Status
from ..algebra.small import add3, axpy3, cross, dot3, load3, load9, mul33_vec, scale3, store3, sub3, tmul33_vec
from ..compile.jit import kernel
from ..contact.gaps import FLAT, along_segment, apart, clamped, column, eval_box, nearest_of_segments
from .box_box import meet_boxes
from .cylinder import eval_cylinder
from .tables import POINTS

ALONG = 1e-3
"""Square of the sine of the angle below which two segments count as parallel."""


@kernel
def put(point, count, gap, n, x, feature, limit):
    """Add a point of contact that is near; returns how many there are.  Where there is no room the highest one gives way."""
    if gap > limit:
        return count
    at = count
    if count == POINTS:
        at = 0
        for k in range(1, POINTS):
            if point[k].gap > point[at].gap:
                at = k
        if point[at].gap <= gap:
            return count
        count -= 1
    own = point[at]
    own.gap, own.feature = gap, feature
    store3(own.n, n)
    store3(own.x, x)
    return count + 1


@kernel
def put_above(point, count, p, n, c, radius, feature, limit):
    """`put` for a thickened point c above the plane through p."""
    gap = dot3(n, sub3(c, p)) - radius
    return put(point, count, gap, n, axpy3(-radius - 0.5 * gap, n, c), feature, limit)


@kernel
def meet_plane(p, n, shape, c, R, corner, point, limit):
    """Points of a shape about c with the axes R that are near the plane through p."""
    count = 0
    if shape.code == ShapeCode.POINT or shape.code == ShapeCode.SPHERE:
        return put_above(point, 0, p, n, c, shape.radius, 0, limit)
    if shape.code == ShapeCode.CAPSULE:
        for k in range(2):
            end = axpy3((2.0 * k - 1.0) * shape.half[2], column(R, 2), c)
            count = put_above(point, count, p, n, end, shape.radius, k, limit)
    elif shape.code == ShapeCode.CYLINDER:
        k = column(R, 2)
        down = axpy3(dot3(n, k), k, scale3(n, -1.0))
        size = sqrt(dot3(down, down))
        down = scale3(down, 1.0 / size) if size > FLAT else column(R, 0)
        side = cross(k, down)
        for end in range(2):
            middle = axpy3((2.0 * end - 1.0) * shape.half[2], k, c)
            for turn in range(4):
                d = down if turn % 2 == 0 else side
                rim = axpy3(shape.half[0] if turn < 2 else -shape.half[0], d, middle)
                count = put_above(point, count, p, n, rim, 0.0, 4 * end + turn, limit)
    elif shape.code == ShapeCode.BOX:
        for k in range(8):
            local = (shape.half[0] * (2 * (k & 1) - 1), shape.half[1] * ((k & 2) - 1), shape.half[2] * (((k & 4) >> 1) - 1))
            count = put_above(point, count, p, n, add3(c, mul33_vec(R, local)), 0.0, k, limit)
    else:
        for k in range(shape.count):
            corner_k = corner[shape.first + k]
            count = put_above(point, count, p, n, add3(c, mul33_vec(R, load3(corner_k))), 0.0, k, limit)
    return count


@kernel
def meet_capsules(a, p_a, k_a, b, p_b, k_b, spare, point, limit):
    """Points of two capsules; k are their axes."""
    radius, m = a.radius + b.radius, dot3(k_a, k_b)
    if 1.0 - m * m > ALONG:
        s, t = nearest_of_segments(p_a, k_a, a.half[2], p_b, k_b, b.half[2])
        gap, n, x = apart(axpy3(s, k_a, p_a), axpy3(t, k_b, p_b), spare, radius, b.radius)
        return put(point, 0, gap, n, x, 0, limit)
    count = 0
    for end in range(2):
        far = axpy3((2.0 * end - 1.0) * b.half[2], k_b, p_b)
        s = clamped(dot3(k_a, sub3(far, p_a)), a.half[2])
        at_a = axpy3(s, k_a, p_a)
        gap, n, x = apart(at_a, along_segment(at_a, p_b, k_b, b.half[2]), spare, radius, b.radius)
        count = put(point, count, gap, n, x, 1 + end, limit)
    return count


@kernel
def distance_along(c, k, s, p, R, half):
    """Half the derivative by s of the squared distance between c + s k and a box, and the distance."""
    local = tmul33_vec(R, sub3(axpy3(s, k, c), p))
    away = sub3(local, (clamped(local[0], half[0]), clamped(local[1], half[1]), clamped(local[2], half[2])))
    return dot3(away, tmul33_vec(R, k)), sqrt(dot3(away, away))


@kernel
def meet_box_capsule(box, p, R, capsule, c, k, point, limit):
    """Points of a box and a capsule: its ends, and where its segment is nearest between them."""
    half, h, count = load3(box.half), capsule.half[2], 0
    for end in range(2):
        gap, n, x = eval_box(axpy3((2.0 * end - 1.0) * h, k, c), p, R, half, capsule.radius, capsule.radius)
        count = put(point, count, gap, n, x, end, limit)
    low, high = -h, h
    if distance_along(c, k, low, p, R, half)[0] >= 0.0 or distance_along(c, k, high, p, R, half)[0] <= 0.0:
        return count
    for _ in range(60):
        s = 0.5 * (low + high)
        if distance_along(c, k, s, p, R, half)[0] > 0.0:
            high = s
        else:
            low = s
    s = 0.5 * (low + high)
    if distance_along(c, k, s, p, R, half)[1] == 0.0:
        s = deepest_along(c, k, h, p, R, half)
    gap, n, x = eval_box(axpy3(s, k, c), p, R, half, capsule.radius, capsule.radius)
    return put(point, count, gap, n, x, 2, limit)


@kernel
def deepest_along(c, k, h, p, R, half):
    """Place along a segment that is deepest in a box, by golden section: the depth is concave along a line."""
    low, high = -h, h
    for _ in range(60):
        left, right = low + 0.381966 * (high - low), high - 0.381966 * (high - low)
        if depth_in_box(axpy3(left, k, c), p, R, half) < depth_in_box(axpy3(right, k, c), p, R, half):
            low = left
        else:
            high = right
    return 0.5 * (low + high)


@kernel
def depth_in_box(c, p, R, half):
    """Depth of a point in a box, negative outside."""
    local = tmul33_vec(R, sub3(c, p))
    return min(half[0] - abs(local[0]), half[1] - abs(local[1]), half[2] - abs(local[2]))


@kernel
def meet(a, place_a, b, place_b, corner, point, limit):
    """Points of contact of two shapes into `point`: how many, whether a and b change their parts, and a status.

    The normal points from the first shape to the second, or the other way round where they change.
    """
    if rank_of(a.code) < rank_of(b.code):
        count, status = meet_ordered(b, place_b, a, place_a, corner, point, limit)
        return count, True, status
    count, status = meet_ordered(a, place_a, b, place_b, corner, point, limit)
    return count, False, status


@kernel
def rank_of(code):
    """Order in which shapes are the first of a pair."""
    return 8 if code == ShapeCode.PLANE else code


@kernel
def meet_ordered(a, place_a, b, place_b, corner, point, limit):
    """`meet` for shapes in their order."""
    p_a, p_b, R_a, R_b, ok = load3(place_a.x), load3(place_b.x), load9(place_a.R), load9(place_b.R), Status.OK.value
    if a.code == ShapeCode.PLANE:
        return meet_plane(p_a, column(R_a, 2), b, p_b, R_b, corner, point, limit), ok
    round_b = b.code == ShapeCode.POINT or b.code == ShapeCode.SPHERE
    if a.code == ShapeCode.POINT or a.code == ShapeCode.SPHERE:
        gap, n, x = apart(p_a, p_b, (0.0, 0.0, 1.0), a.radius + b.radius, b.radius)
        return put(point, 0, gap, n, x, 0, limit), ok
    if a.code == ShapeCode.CAPSULE:
        k_a = column(R_a, 2)
        if round_b:
            gap, n, x = apart(along_segment(p_b, p_a, k_a, a.half[2]), p_b, column(R_a, 0), a.radius + b.radius, b.radius)
            return put(point, 0, gap, n, x, 0, limit), ok
        return meet_capsules(a, p_a, k_a, b, p_b, column(R_b, 2), column(R_a, 0), point, limit), ok
    if a.code == ShapeCode.CYLINDER and round_b:
        gap, n, x = eval_cylinder(p_b, p_a, R_a, load3(a.half), b.radius, b.radius)
        return put(point, 0, gap, n, x, 0, limit), ok
    if a.code == ShapeCode.BOX:
        if round_b:
            gap, n, x = eval_box(p_b, p_a, R_a, load3(a.half), b.radius, b.radius)
            return put(point, 0, gap, n, x, 0, limit), ok
        if b.code == ShapeCode.CAPSULE:
            return meet_box_capsule(a, p_a, R_a, b, p_b, column(R_b, 2), point, limit), ok
        if b.code == ShapeCode.BOX:
            return meet_boxes(p_a, R_a, load3(a.half), p_b, R_b, load3(b.half), point, limit), ok
    return 0, Status.UNKNOWN_CONTACT.value
