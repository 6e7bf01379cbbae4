"""Scalar functions of points and directions, the shapes that rows and joint coordinates have in natural coordinates.

A source (a, b, u_a, e_a, f_a, u_b, e_b) names two bodies, points and directions fixed in them; four vectors follow,
    d = p_b - p_a,   e = E_a e_a,   f = E_a f_a,   h = E_b e_b,                                          (1)
linear in q: moving slot s of a body (its origin or an axis) by x moves them by weights times x.  A shape phi(d, e, f, h) is
    POSITION, SLIDE_SPEED   e·d                                                                          (2)
    DIRECTION               e·h                                                                          (3)
    DISTANCE                |d|                                                                          (4)
    ANGLE                   (cos y f - sin y e)·h                                                        (5)
    COORDINATES             atan2(f·h, e·h), the angle of a joint                                        (6)
    WHEEL_HEIGHT            e·d - rho |k|,  k = e - (e·h) h                                              (7)
    UNIT                    ½ (e·e - 1)                                                                  (8)
    SQUARE                  e·f                                                                          (9)
Its gradient by q is the gradient (G_d, G_e, G_f, G_h) by the vectors, times the weights; its Hessian is that of the vectors
between the weights.  All but (4), (6), (7) are sums of products of two vectors, with Hessians that are multiples of 1.
A distance of zero and a wheel flat on its plane have no direction; see constraint/rows.py.
"""

from math import atan2, nan

from ...codes import RowCode
from ..algebra.small import add3, axpy3, dot3, load3, scale3, sub3
from ..compile.jit import kernel, part
from ..constraint.rows import eval_angle, eval_wheel, unit_of
from .coordinates import direction_of, point_of

NOWHERE = (nan, nan, nan)
"""Gradient of what is no shape."""


@part
def load3_at(x, k):
    """Three numbers of an array."""
    return (x[k], x[k + 1], x[k + 2])


@kernel
def row_source(c):
    """Source of a row."""
    return (c.a, c.b, load3(c.u_a), load3(c.e_a), load3(c.f_a), load3(c.u_b), load3(c.e_b))


@kernel
def source_vectors(sys, source, x, still):
    """Vectors d, e, f, h of (1); x (n_q,) are coordinates (still = 1) or time derivatives of them (still = 0)."""
    a, b, u_a, e_a, f_a, u_b, e_b = source
    d = sub3(point_of(sys, x, b, u_b, still), point_of(sys, x, a, u_a, still))
    return d, direction_of(sys, x, a, e_a, still), direction_of(sys, x, a, f_a, still), direction_of(sys, x, b, e_b, still)


@part
def row_vectors(sys, c, x, still):
    """Vectors d, e, f, h of a row from its slots; x and still as in `source_vectors`."""
    zero = (0.0, 0.0, 0.0)
    d, e, f, h = zero, zero, zero, zero
    if c.a == 0:
        d, e, f = scale3(load3(c.u_a), -still), scale3(load3(c.e_a), still), scale3(load3(c.f_a), still)
    if c.b == 0:
        d, h = axpy3(still, load3(c.u_b), d), scale3(load3(c.e_b), still)
    for k in range(c.first // 3, (c.first + c.count) // 3):
        o = sys.slot[k]
        v = load3_at(x, o.column)
        d, e = axpy3(o.weight[0], v, d), axpy3(o.weight[1], v, e)
        f, h = axpy3(o.weight[2], v, f), axpy3(o.weight[3], v, h)
    return d, e, f, h


@kernel
def slot_weights(source, i, s):
    """Weights of d, e, f, h for slot s of body row i; zero if it is not one of the source's two."""
    a, b, u_a, e_a, f_a, u_b, e_b = source
    if i == a:
        if s == 0:
            return (-1.0, 0.0, 0.0, 0.0)
        return (-u_a[s - 1], e_a[s - 1], f_a[s - 1], 0.0)
    if i != b:
        return (0.0, 0.0, 0.0, 0.0)
    if s == 0:
        return (1.0, 0.0, 0.0, 0.0)
    return (u_b[s - 1], 0.0, 0.0, e_b[s - 1])


@part
def weighted(G, weights):
    """Gradient by a slot for the gradient G by d, e, f, h."""
    return axpy3(weights[0], G[0], axpy3(weights[1], G[1], axpy3(weights[2], G[2], scale3(G[3], weights[3]))))


@part
def spread(weights, x):
    """Variations of d, e, f, h for a variation x of a slot."""
    return scale3(x, weights[0]), scale3(x, weights[1]), scale3(x, weights[2]), scale3(x, weights[3])


@part
def along(G, X):
    """Sum of the products of the four vectors of G and X."""
    return dot3(G[0], X[0]) + dot3(G[1], X[1]) + dot3(G[2], X[2]) + dot3(G[3], X[3])


@kernel
def angle_factors(X):
    """(e·h, f·h) over the sum of their squares; the angle (6) has the differential c d(f·h) - s d(e·h)."""
    c, s = dot3(X[1], X[3]), dot3(X[2], X[3])
    size = c * c + s * s
    return c / size, s / size, size


@kernel
def eval_shape(code, X, y, radius):
    """Value of a shape, NaN for a code without one; y is the prescribed angle of (5), radius that of a wheel."""
    d, e, f, h = X
    if code == RowCode.POSITION or code == RowCode.SLIDE_SPEED:
        return dot3(e, d)
    if code == RowCode.DIRECTION:
        return dot3(e, h)
    if code == RowCode.DISTANCE:
        return unit_of(d)[1]
    if code == RowCode.ANGLE:
        return dot3(eval_angle(y, e, f)[0], h)
    if code == RowCode.COORDINATES:
        return atan2(dot3(f, h), dot3(e, h))
    if code == RowCode.WHEEL_HEIGHT:
        return dot3(e, d) - radius * eval_wheel(e, h)[1]
    if code == RowCode.UNIT:
        return 0.5 * (dot3(e, e) - 1.0)
    if code == RowCode.SQUARE:
        return dot3(e, f)
    return nan


@kernel
def shape_gradient(code, X, y, radius):
    """Gradient (G_d, G_e, G_f, G_h) of a shape; NaN for a code without one."""
    zero = (0.0, 0.0, 0.0)
    d, e, f, h = X
    if code == RowCode.POSITION or code == RowCode.SLIDE_SPEED:
        return e, d, zero, zero
    if code == RowCode.DIRECTION:
        return zero, h, zero, e
    if code == RowCode.DISTANCE:
        return unit_of(d)[0], zero, zero, zero
    if code == RowCode.ANGLE:
        g, g_y = eval_angle(y, e, f)
        g_e, g_f = eval_angle(y, h, zero)[0], eval_angle(y, zero, h)[0]
        return zero, g_e, g_f, g
    if code == RowCode.COORDINATES:
        c, s, size = angle_factors(X)
        return zero, scale3(h, -s), scale3(h, c), axpy3(c, f, scale3(e, -s))
    if code == RowCode.WHEEL_HEIGHT:
        unit, size = eval_wheel(e, h)
        m, n = dot3(unit, h), dot3(e, h)
        return e, axpy3(-radius, axpy3(-m, h, unit), d), zero, scale3(axpy3(m, e, scale3(unit, n)), radius)
    if code == RowCode.UNIT:
        return zero, e, zero, zero
    if code == RowCode.SQUARE:
        return zero, f, e, zero
    return NOWHERE, NOWHERE, NOWHERE, NOWHERE


@kernel
def vary_angle_gradient(X, dX):
    """Variation of the gradient of (6)."""
    d, e, f, h = X
    dd, de, df, dh = dX
    c, s, size = angle_factors(X)
    dcos, dsin = dot3(de, h) + dot3(e, dh), dot3(df, h) + dot3(f, dh)
    shrink = 2.0 * (c * dcos + s * dsin)
    dc, ds = dcos / size - c * shrink, dsin / size - s * shrink
    by_h = add3(axpy3(dc, f, scale3(e, -ds)), axpy3(c, df, scale3(de, -s)))
    return (0.0, 0.0, 0.0), axpy3(-ds, h, scale3(dh, -s)), axpy3(dc, h, scale3(dh, c)), by_h


@kernel
def vary_wheel(X, dX):
    """Unit vector k/|k| of (7), its variation, e·h and its variation."""
    d, e, f, h = X
    dd, de, df, dh = dX
    unit, size = eval_wheel(e, h)
    n = dot3(e, h)
    dn = dot3(de, h) + dot3(e, dh)
    dk = sub3(de, axpy3(dn, h, scale3(dh, n)))
    inverse = 1.0 / size if size > 0.0 else 0.0
    return unit, scale3(axpy3(-dot3(unit, dk), unit, dk), inverse), n, dn


@kernel
def vary_gradient(code, X, dX, y, radius):
    """Variation of `shape_gradient` for variations dX of the four vectors: the Hessian times dX; NaN without a shape."""
    zero = (0.0, 0.0, 0.0)
    d, e, f, h = X
    dd, de, df, dh = dX
    if code == RowCode.POSITION or code == RowCode.SLIDE_SPEED or code == RowCode.DIRECTION:
        return shape_gradient(code, dX, y, radius)
    if code == RowCode.ANGLE or code == RowCode.UNIT or code == RowCode.SQUARE:
        return shape_gradient(code, dX, y, radius)
    if code == RowCode.DISTANCE:
        unit, length = unit_of(d)
        inverse = 1.0 / length if length > 0.0 else 0.0
        return scale3(axpy3(-dot3(unit, dd), unit, dd), inverse), zero, zero, zero
    if code == RowCode.COORDINATES:
        return vary_angle_gradient(X, dX)
    if code != RowCode.WHEEL_HEIGHT:
        return NOWHERE, NOWHERE, NOWHERE, NOWHERE
    unit, dunit, n, dn = vary_wheel(X, dX)
    m = dot3(unit, h)
    dm = dot3(dunit, h) + dot3(unit, dh)
    by_e = sub3(dunit, axpy3(dm, h, scale3(dh, m)))
    by_h = add3(axpy3(dm, e, scale3(de, m)), axpy3(dn, unit, scale3(dunit, n)))
    return de, axpy3(-radius, by_e, dd), zero, scale3(by_h, radius)
