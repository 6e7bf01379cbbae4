"""Gap between a thickened point and a cylinder with flat ends.

With the distance rho of the point from the axis and its height z above the middle, the nearest point of the cylinder is
(min(rho, R), clamped z) in the plane of both; a point within meets the nearest face, the mantle or an end.
"""

from math import sqrt

from ..algebra.small import add3, axpy3, mul33_vec, scale3, sub3, tmul33_vec
from ..compile.jit import kernel
from ..contact.gaps import TINY, apart, clamped, column


@kernel
def eval_cylinder(c, p, R, half, radius, radius_b):
    """Gap, normal and point of contact of a thickened point c and a cylinder about p; half = (radius, radius, half length)."""
    x, y, z = tmul33_vec(R, sub3(c, p))
    rho = sqrt(x * x + y * y)
    out = (x / rho, y / rho, 0.0) if rho > TINY else (1.0, 0.0, 0.0)
    inner, height = min(rho, half[0]), clamped(z, half[2])
    if rho > half[0] or abs(z) > half[2]:
        near = add3(p, mul33_vec(R, (inner * out[0], inner * out[1], height)))
        return apart(near, c, column(R, 2), radius, radius_b)
    up = half[2] - abs(z)
    across = half[0] - rho
    if up < across:
        n, gap = scale3(column(R, 2), 1.0 if z >= 0.0 else -1.0), -up - radius
    else:
        n, gap = mul33_vec(R, out), -across - radius
    return gap, n, axpy3(-radius_b - 0.5 * gap, n, c)
