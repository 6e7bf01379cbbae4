"""Points of contact of two boxes: the axis along which they overlap least, and the corners of the faces that meet there.

Boxes are apart if one of 15 axes shows it, the normals of their faces and the products of their edges.  Along the axis with
the largest distance (largest negative one if they overlap)
    a face meets    the face of the other box that looks at it most is cut off at its sides (Sutherland and Hodgman), and
                    every corner left is a point of contact;
    two edges meet  their nearest points are the point of contact.
The distance along that axis is the distance of the boxes if a face meets a corner, an edge or a face, or two edges cross; for
a corner next to a corner or an edge it is less than that, and the boxes' gap is the distance of the points found.
"""

from math import sqrt

from ..algebra.small import add3, axpy3, cross, dot3, load3, scale3, store3, sub3
from ..compile.jit import kernel
from ..contact.gaps import column, nearest_of_segments
from .tables import POINTS

PREFERRED = 0.95
"""Share of an overlap by which two edges have to be better than a face."""
PARALLEL = 1e-6
"""Square of the sine below which two edges have no product."""


@kernel
def entry(half, k):
    """Number k of three."""
    return half[0] if k == 0 else half[1] if k == 1 else half[2]


@kernel
def extent_along(R, half, n):
    """Half the width of a box along a direction."""
    return (half[0] * abs(dot3(column(R, 0), n)) + half[1] * abs(dot3(column(R, 1), n))
            + half[2] * abs(dot3(column(R, 2), n)))


@kernel
def least_overlap(d, R_a, half_a, R_b, half_b):
    """Axis with the largest distance: its number (0-2 and 3-5 faces, 6-14 edges), direction from a to b, and distance."""
    best, gap, n = -1, -1e300, (0.0, 0.0, 1.0)
    for k in range(6):
        axis = column(R_a, k) if k < 3 else column(R_b, k - 3)
        own = abs(dot3(axis, d)) - extent_along(R_a, half_a, axis) - extent_along(R_b, half_b, axis)
        if own > gap + 1e-9 * (half_a[0] + half_b[0]):
            best, gap, n = k, own, axis
    for i in range(3):
        for j in range(3):
            axis = cross(column(R_a, i), column(R_b, j))
            size = dot3(axis, axis)
            if size < PARALLEL:
                continue
            axis = scale3(axis, 1.0 / sqrt(size))
            own = abs(dot3(axis, d)) - extent_along(R_a, half_a, axis) - extent_along(R_b, half_b, axis)
            if own > gap + 1e-6 * (half_a[0] + half_b[0]) and (own > 0.0 or own > PREFERRED * gap):
                best, gap, n = 6 + 3 * i + j, own, axis
    return best, (n if dot3(n, d) >= 0.0 else scale3(n, -1.0)), gap


@kernel
def edge_towards(p, R, half, k, n):
    """Middle of the edge along axis k that lies farthest along n."""
    for i in range(3):
        if i != k:
            axis = column(R, i)
            p = axpy3(entry(half, i) if dot3(axis, n) >= 0.0 else -entry(half, i), axis, p)
    return p


@kernel
def cut(polygon, source, target, count, axis, p, limit):
    """Cut off what of a polygon (its `count` corners in `source`) lies beyond a limit along an axis; returns its corners."""
    found = 0
    for k in range(count):
        here, there = load3(polygon[source + k].x), load3(polygon[source + (k + 1) % count].x)
        f, g = dot3(axis, sub3(here, p)) - limit, dot3(axis, sub3(there, p)) - limit
        if f <= 0.0:
            store3(polygon[target + found].x, here)
            found += 1
        if (f < 0.0 < g) or (g < 0.0 < f):
            store3(polygon[target + found].x, axpy3(f / (f - g), sub3(there, here), here))
            found += 1
    return found


@kernel
def face_towards(p, R, half, n, polygon):
    """Corners of the face of a box that looks most along n into the first rows."""
    face, most = 0, -1.0
    for k in range(3):
        along = abs(dot3(column(R, k), n))
        if along > most:
            face, most = k, along
    out = column(R, face)
    c = axpy3(entry(half, face) if dot3(out, n) >= 0.0 else -entry(half, face), out, p)
    i, j = (face + 1) % 3, (face + 2) % 3
    s, t = scale3(column(R, i), entry(half, i)), scale3(column(R, j), entry(half, j))
    store3(polygon[0].x, add3(c, add3(s, t)))
    store3(polygon[1].x, add3(c, sub3(t, s)))
    store3(polygon[2].x, sub3(c, add3(s, t)))
    store3(polygon[3].x, add3(c, sub3(s, t)))


@kernel
def meet_face(p_a, R_a, half_a, face, out, p_b, R_b, half_b, sign, point, limit):
    """Points of box b near a face of box a that looks along `out`; the normal is sign times that."""
    face_towards(p_b, R_b, half_b, scale3(out, -1.0), point)
    count, source = 4, 0
    for k in range(3):
        if k == face:
            continue
        for side in range(2):
            axis = scale3(column(R_a, k), 1.0 - 2.0 * side)
            count = cut(point, source, POINTS // 2 - source, count, axis, p_a, entry(half_a, k))
            source = POINTS // 2 - source
            if count == 0:
                return 0
    n, found = scale3(out, sign), 0
    for k in range(count):
        x = load3(point[source + k].x)
        gap = dot3(out, sub3(x, p_a)) - entry(half_a, face)
        if gap <= limit:
            own = point[found]
            own.gap, own.feature = gap, k
            store3(own.n, n)
            store3(own.x, axpy3(-0.5 * gap, out, x))
            found += 1
    return found


@kernel
def meet_boxes(p_a, R_a, half_a, p_b, R_b, half_b, point, limit):
    """Points of contact of two boxes; returns how many."""
    best, n, gap = least_overlap(sub3(p_b, p_a), R_a, half_a, R_b, half_b)
    if gap > limit:
        return 0
    if best < 3:
        return meet_face(p_a, R_a, half_a, best, n, p_b, R_b, half_b, 1.0, point, limit)
    if best < 6:
        return meet_face(p_b, R_b, half_b, best - 3, scale3(n, -1.0), p_a, R_a, half_a, -1.0, point, limit)
    i, j = (best - 6) // 3, (best - 6) % 3
    c_a, c_b = edge_towards(p_a, R_a, half_a, i, n), edge_towards(p_b, R_b, half_b, j, scale3(n, -1.0))
    s, t = nearest_of_segments(c_a, column(R_a, i), entry(half_a, i), c_b, column(R_b, j), entry(half_b, j))
    x_a, x_b = axpy3(s, column(R_a, i), c_a), axpy3(t, column(R_b, j), c_b)
    own = point[0]
    own.gap, own.feature = gap, 8 + best % 8
    store3(own.n, n)
    store3(own.x, scale3(add3(x_a, x_b), 0.5))
    return 1
