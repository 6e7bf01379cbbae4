"""Rotations: about the local z axis, from quaternions (w, x, y, z), rotation vectors and their tangent operators."""

from math import atan2, cos, sin, sqrt

from ..compile.jit import kernel
from .quad import axpy4, scale4
from .small import add3, axpy3, cross, scale3

SMALL_ANGLE = 1e-4
"""Below this angle [rad] series of two terms are exact to rounding."""
SERIES_ANGLE = 0.1
"""Below this angle [rad] the series of c and c'/a in `inverse_tangent_factors` are; above it their closed forms lose no digit
that counts."""


@kernel
def rotated_z(R, c, s):
    """Columns of R Rot(z, angle) for the columns R, in quads, and the cosine and sine of the angle."""
    return axpy4(c, R[0], scale4(R[1], s)), axpy4(c, R[1], scale4(R[0], -s)), R[2]


@kernel
def matrix_of_quaternion(e):
    """Rotation matrix of a quaternion of any length but zero."""
    w, x, y, z = e
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w),
            s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w),
            s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y))


@kernel
def quaternion_of_matrix(R):
    """Unit quaternion of a rotation matrix, taken from its largest component."""
    trace = R[0] + R[4] + R[8]
    if trace > R[0] and trace > R[4] and trace > R[8]:
        s = 2.0 * sqrt(1.0 + trace)
        return (0.25 * s, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s)
    if R[0] >= R[4] and R[0] >= R[8]:
        s = 2.0 * sqrt(1.0 + R[0] - R[4] - R[8])
        return ((R[7] - R[5]) / s, 0.25 * s, (R[1] + R[3]) / s, (R[2] + R[6]) / s)
    if R[4] >= R[8]:
        s = 2.0 * sqrt(1.0 + R[4] - R[0] - R[8])
        return ((R[2] - R[6]) / s, (R[1] + R[3]) / s, 0.25 * s, (R[5] + R[7]) / s)
    s = 2.0 * sqrt(1.0 + R[8] - R[0] - R[4])
    return ((R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, 0.25 * s)


@kernel
def multiplied(a, b):
    """Product of two quaternions."""
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


@kernel
def quaternion_rate(e, w):
    """½ (0, w) e: rate of a quaternion for the angular velocity w in the fixed axes."""
    return multiplied((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), e)


@kernel
def quaternion_of_vector(th):
    """exp(½ th): quaternion of the rotation vector th [rad]."""
    angle = sqrt(th[0] * th[0] + th[1] * th[1] + th[2] * th[2])
    f = 0.5 - angle * angle / 48.0 if angle < SMALL_ANGLE else sin(0.5 * angle) / angle
    return (cos(0.5 * angle), f * th[0], f * th[1], f * th[2])


@kernel
def vector_of_matrix(R):
    """Rotation vector [rad] of a rotation matrix, angle at most pi."""
    e = quaternion_of_matrix(R)
    sign = 1.0 if e[0] >= 0.0 else -1.0
    v = (sign * e[1], sign * e[2], sign * e[3])
    s = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if s < SMALL_ANGLE:
        return scale3(v, 2.0 + s * s / 3.0)
    return scale3(v, 2.0 * atan2(s, sign * e[0]) / s)


@kernel
def tangent_vec(th, x):
    """T(th) x: rotation (fixed axes) that an increment x of the rotation vector th makes.

    exp(th + x) = exp(T x) exp(th) to first order; T = 1 + (1 - cos a)/a² th~ + (a - sin a)/a³ th~².
    """
    a2 = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
    a = sqrt(a2)
    if a < SMALL_ANGLE:
        b, c = 0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0
    else:
        b, c = 0.5 * (sin(0.5 * a) / (0.5 * a)) ** 2, (a - sin(a)) / (a2 * a)
    y = cross(th, x)
    return add3(x, axpy3(b, y, scale3(cross(th, y), c)))


@kernel
def inverse_tangent_vec(th, x):
    """T(th)⁻¹ x: increment of the rotation vector th for a rotation x in the fixed axes; T⁻¹ = 1 - ½ th~ + c th~²."""
    a2 = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
    a = sqrt(a2)
    c = 1.0 / 12.0 + a2 / 720.0 if a < SMALL_ANGLE else (1.0 - 0.5 * a * cos(0.5 * a) / sin(0.5 * a)) / a2
    y = cross(th, x)
    return add3(x, axpy3(-0.5, y, scale3(cross(th, y), c)))


@kernel
def inverse_tangent_factors(th):
    """Factors c and c'/a of T(th)⁻¹ = 1 - ½ th~ + c th~² and of its variation; c' is the slope by the angle a = |th|."""
    a2 = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
    if a2 < SERIES_ANGLE * SERIES_ANGLE:
        return (1.0 / 12.0 + a2 * (1.0 / 720.0 + a2 * (1.0 / 30240.0 + a2 * (1.0 / 1209600.0 + a2 / 47900160.0))),
                1.0 / 360.0 + a2 * (1.0 / 7560.0 + a2 * (1.0 / 201600.0 + a2 / 5987520.0)))
    a = sqrt(a2)
    s, h = sin(0.5 * a), 0.5 * a
    c = (1.0 - h * cos(h) / s) / a2
    return c, ((h / (s * s) - cos(h) / s) / (2.0 * a) - 2.0 * c) / a2


@kernel
def inverse_tangent_matrix(th, c):
    """T(th)⁻¹ = 1 - ½ th~ + c th~² as nine numbers, row by row, for the factor c of `inverse_tangent_factors`."""
    x, y, z = th
    d = 1.0 - c * (x * x + y * y + z * z)
    return (d + c * x * x, c * x * y + 0.5 * z, c * x * z - 0.5 * y,
            c * x * y - 0.5 * z, d + c * y * y, c * y * z + 0.5 * x,
            c * x * z + 0.5 * y, c * y * z - 0.5 * x, d + c * z * z)


@kernel
def vary_inverse_tangent(th, factors, x, dth):
    """Variation of T(th)⁻¹ x with th by dth, for the factors of `inverse_tangent_factors`."""
    y = cross(th, x)
    bent = add3(cross(dth, y), cross(th, cross(dth, x)))
    along = factors[1] * (th[0] * dth[0] + th[1] * dth[1] + th[2] * dth[2])
    return axpy3(-0.5, cross(dth, x), axpy3(factors[0], bent, scale3(cross(th, y), along)))
