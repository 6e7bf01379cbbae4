"""Gaps between pairs of shapes: distance, normal from body a to body b, and point of contact, in any axes.

Shapes are cores thickened by radii, and every row lets the core of body b meet the surface around the core of body a:
    POINT_PLANE      g = n·(c_b - c_a) - r                                                       (1)
    DISC_PLANE       g = n·(c_b - c_a) - R |n - (n·k) k|, the lowest point of a rim about k       (2)
    POINT_POINT      g = |c_b - c_a| - r                                                         (3)
    POINT_SEGMENT    g = |c_b - p| - r, p next to c_b on the segment of a                        (4)
    SEGMENT_SEGMENT  g = |p_b - p_a| - r, p_a, p_b the nearest points of two segments            (5)
    POINT_BOX        g = |c_b - p| - r, p next to c_b on the box; within it the nearest face     (6)
with r the sum of the radii.  The rate of a gap is that of the material points in contact along the normal, since witness
points move across it only:  g' = n·(v_b - v_a).
"""

from math import sqrt

from ...codes import PairCode, Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, axpy3, cross, dot3, load3, load9, mul33, mul33_vec, scale3, store3, sub3, tmul33_vec
from ..compile.jit import kernel

TINY = 1e-300
"""Distance of two centres below which they have no direction [m]."""
FLAT = 1e-12
"""Sine below which an axis counts as perpendicular to a plane."""


@kernel
def core(row, own, u, R):
    """Place of a shape and its axes (columns) in the world."""
    E = load_columns(own.E_wb)
    return add3(load3(own.r_w), mul33_vec(E, u)), mul33(E, R)


@kernel
def column(R, k):
    """Column k of a matrix of nine numbers."""
    if k == 0:
        return (R[0], R[3], R[6])
    if k == 1:
        return (R[1], R[4], R[7])
    return (R[2], R[5], R[8])


@kernel
def apart(p_a, p_b, spare, radius, radius_b):
    """Gap (3), normal and point of contact of two thickened points; `spare` is the normal of coinciding ones."""
    d = sub3(p_b, p_a)
    distance = sqrt(dot3(d, d))
    n = scale3(d, 1.0 / distance) if distance > TINY else spare
    gap = distance - radius
    return gap, n, axpy3(-radius_b - 0.5 * gap, n, p_b)


@kernel
def clamped(x, half):
    """x within -half to half."""
    return min(half, max(-half, x))


@kernel
def along_segment(c, c_a, k, half):
    """Point of the segment of a next to the point c."""
    return axpy3(clamped(dot3(k, sub3(c, c_a)), half), k, c_a)


@kernel
def nearest_of_segments(c_a, k_a, h_a, c_b, k_b, h_b):
    """Places s, t along two segments where they are nearest; of parallel ones in the middle of where they overlap."""
    d = sub3(c_b, c_a)
    f, g, m = dot3(k_a, d), dot3(k_b, d), dot3(k_a, k_b)
    rest = 1.0 - m * m
    if rest < FLAT:
        low, high = max(-h_a, f - h_b), min(h_a, f + h_b)
        s = 0.5 * (low + high) if low <= high else clamped(f, h_a)
    else:
        s = clamped((f - m * g) / rest, h_a)
    t = clamped(m * s - g, h_b)
    return clamped(f + m * t, h_a), t


@kernel
def eval_box(c, p, R, half, radius, radius_b):
    """Gap (6), normal and point of contact of a thickened point and a box."""
    local = tmul33_vec(R, sub3(c, p))
    x = (clamped(local[0], half[0]), clamped(local[1], half[1]), clamped(local[2], half[2]))
    away = sub3(local, x)
    if dot3(away, away) > 0.0:
        return apart(add3(p, mul33_vec(R, x)), c, column(R, 2), radius, radius_b)
    depth, face = half[0] - abs(local[0]), 0
    for k in range(1, 3):
        own = half[k] - abs(local[1] if k == 1 else local[2])
        if own < depth:
            depth, face = own, k
    along = local[0] if face == 0 else local[1] if face == 1 else local[2]
    n = scale3(column(R, face), 1.0 if along >= 0.0 else -1.0)
    gap = -depth - radius
    return gap, n, axpy3(-radius_b - 0.5 * gap, n, c)


@kernel
def eval_disc(c, k, p, n, radius):
    """Gap (2), normal and point of contact of the rim of a disc and a plane."""
    across = dot3(n, k)
    down = axpy3(-across, k, n)
    length = sqrt(dot3(down, down))
    rim = axpy3(-radius / length, down, c) if length > FLAT else c
    gap = dot3(n, sub3(c, p)) - radius * length
    return gap, n, axpy3(-0.5 * gap, n, rim)


@kernel
def eval_gap(c, own_a, own_b):
    """Gap, normal, point of contact and status of a row for the poses of its two bodies."""
    p_a, R_a = core(c, own_a, load3(c.u_a), load9(c.R_a))
    p_b, R_b = core(c, own_b, load3(c.u_b), load9(c.R_b))
    n = column(R_a, 2)
    if c.code == PairCode.POINT_PLANE:
        gap = dot3(n, sub3(p_b, p_a)) - c.radius
        return gap, n, axpy3(-c.radius_b - 0.5 * gap, n, p_b), Status.OK.value
    if c.code == PairCode.DISC_PLANE:
        gap, n, x = eval_disc(p_b, column(R_b, 2), p_a, n, c.disc)
        return gap, n, x, Status.OK.value
    if c.code == PairCode.POINT_POINT:
        gap, n, x = apart(p_a, p_b, n, c.radius, c.radius_b)
        return gap, n, x, Status.OK.value
    if c.code == PairCode.POINT_SEGMENT:
        gap, n, x = apart(along_segment(p_b, p_a, n, c.half_a[2]), p_b, column(R_a, 0), c.radius, c.radius_b)
        return gap, n, x, Status.OK.value
    if c.code == PairCode.SEGMENT_SEGMENT:
        k_b = column(R_b, 2)
        s, t = nearest_of_segments(p_a, n, c.half_a[2], p_b, k_b, c.half_b[2])
        gap, n, x = apart(axpy3(s, n, p_a), axpy3(t, k_b, p_b), column(R_a, 0), c.radius, c.radius_b)
        return gap, n, x, Status.OK.value
    if c.code == PairCode.POINT_BOX:
        gap, n, x = eval_box(p_b, p_a, R_a, load3(c.half_a), c.radius, c.radius_b)
        return gap, n, x, Status.OK.value
    return 0.0, n, p_b, Status.UNKNOWN_CONTACT.value


@kernel
def tangents(n):
    """Two directions across n and each other."""
    k = (1.0, 0.0, 0.0) if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]) else (
        (0.0, 1.0, 0.0) if abs(n[1]) <= abs(n[2]) else (0.0, 0.0, 1.0))
    s = cross(n, k)
    s = scale3(s, 1.0 / sqrt(dot3(s, s)))
    return s, cross(n, s)


@kernel
def relative_velocity(c, x, work):
    """Velocity at the place x of body b's material relative to body a's."""
    a, b = work.body[c.a], work.body[c.b]
    v_a = add3(load3(a.v_w), cross(load3(a.w_w), sub3(x, load3(a.r_w))))
    v_b = add3(load3(b.v_w), cross(load3(b.w_w), sub3(x, load3(b.r_w))))
    return sub3(v_b, v_a)


@kernel
def eval_row(c, own, work) -> int:
    """Gap, directions, point of contact and velocities of a row, after the evaluation of places."""
    gap, n, x, status = eval_gap(c, work.body[c.a], work.body[c.b])
    s, t = tangents(n)
    own.gap = gap
    store3(own.n, n)
    store3(own.s, s)
    store3(own.t, t)
    store3(own.x, x)
    v = relative_velocity(c, x, work)
    store3(own.rate, (dot3(n, v), dot3(s, v), dot3(t, v)))
    return status
