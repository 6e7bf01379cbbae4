"""Laws y(t, x, v), or y(t, r, r') of a point, and their derivatives; functions are called by address.

Six neighbours, dt apart, differentiate a function of time:
    y'  = (45 (y1 - y-1) - 9 (y2 - y-2) + (y3 - y-3)) / (60 dt)                               (1)
    y'' = (270 (y1 + y-1) - 27 (y2 + y-2) + 2 (y3 + y-3) - 490 y0) / (180 dt²)                (2)
both with an error of order dt⁶.
"""

import ctypes
from math import nan, sin

from llvmlite import ir
from numba import cfunc, config, types
from numba.extending import intrinsic

from ...codes import LawCode, Status
from ..algebra.small import add3, sub3
from ..compile.jit import kernel, part

STATE, POINT = 3, 7
"""Arguments of a function at a machine address: (t, x, v), or (t, x, y, z, vx, vy, vz) of a point."""
SLOPE_STEP = 1e-6
"""Relative step over which laws of state are differentiated."""


def _calling(n):
    """Signature and code of a call of double f(n doubles) at a machine address."""
    signature = types.float64(types.int64, *(types.float64,) * n)

    def codegen(context, builder, signature, args):
        double = ir.DoubleType()
        function = ir.FunctionType(double, [double] * n)
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])

    return signature, codegen


@intrinsic
def _call_address(context, address, t, x, v):
    """Call f(t, x, v) at a machine address."""
    return _calling(STATE)


@intrinsic
def _call_point_address(context, address, t, x, y, z, vx, vy, vz):
    """Call f(t, x, y, z, vx, vy, vz) at a machine address."""
    return _calling(POINT)


def prototype(n: int):
    """Type of a C function of n doubles that returns one."""
    return ctypes.CFUNCTYPE(ctypes.c_double, *(ctypes.c_double,) * n)


if config.DISABLE_JIT:

    def call_address(address, t, x, v):
        """Call f(t, x, v) at a machine address."""
        return prototype(STATE)(int(address))(t, x, v)

    def call_point_address(address, t, r, v):
        """Call f(t, x, y, z, vx, vy, vz) at a machine address; r, v = position and velocity of the point."""
        return prototype(POINT)(int(address))(t, *r, *v)
else:

    @kernel
    def call_address(address, t, x, v):
        """Call f(t, x, v) at a machine address."""
        return _call_address(address, t, x, v)

    @kernel
    def call_point_address(address, t, r, v):
        """Call f(t, x, y, z, vx, vy, vz) at a machine address; r, v = position and velocity of the point."""
        return _call_point_address(address, t, r[0], r[1], r[2], v[0], v[1], v[2])


def place_count(n_arguments: int) -> int:
    """Arguments with which kernels call a law of one (t), three (t, x, v) or seven (t, x, y, z, vx, vy, vz)."""
    return POINT if n_arguments == POINT else STATE


def make_callback(function, n_arguments: int):
    """Give a Python function of `place_count` arguments an address; returns (object to keep alive, address)."""
    made = prototype(place_count(n_arguments))(function)
    return made, ctypes.cast(made, ctypes.c_void_p).value


def compile_law(function, n_arguments: int):
    """Compile a law of one (t), three (t, x, v) or seven arguments; returns (object to keep alive, address)."""
    from numba import njit

    if config.DISABLE_JIT:
        return make_callback(lambda *arguments: function(*arguments[:n_arguments]), n_arguments)
    inner = njit(function)
    if n_arguments == 1:
        wrapped = lambda t, x, v: float(inner(t))
    elif n_arguments == STATE:
        wrapped = lambda t, x, v: float(inner(t, x, v))
    else:
        wrapped = lambda t, x, y, z, vx, vy, vz: float(inner(t, x, y, z, vx, vy, vz))
    compiled = cfunc(types.float64(*(types.float64,) * place_count(n_arguments)))(wrapped)
    return compiled, compiled.address


@kernel
def find_knot(knot, first, count, t):
    """Last row of a table that begins no later than t, by bisection."""
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if knot[middle].t <= t:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def eval_table(knot, row, t, order):
    """Piecewise polynomial through knots, its first or its second derivative; constant before the first and after the last."""
    k = knot[find_knot(knot, row.first, row.count, t)]
    s = max(t - k.t, 0.0)
    if order == 0:
        return k.c[0] + s * (k.c[1] + s * (k.c[2] + s * k.c[3]))
    if t < knot[row.first].t:
        return 0.0
    if order == 1:
        return k.c[1] + s * (2.0 * k.c[2] + 3.0 * s * k.c[3])
    return 2.0 * k.c[2] + 6.0 * s * k.c[3]


@kernel
def eval_ramp(p, t, order):
    """Fifth-degree step from p[2] at time p[0] to p[3] at p[1], or a derivative of it."""
    span = p[1] - p[0]
    s = min(max((t - p[0]) / span, 0.0), 1.0)
    rise = p[3] - p[2]
    if order == 0:
        return p[2] + rise * s * s * s * (10.0 + s * (6.0 * s - 15.0))
    if order == 1:
        return rise / span * 30.0 * s * s * (1.0 - s) * (1.0 - s)
    return rise / (span * span) * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


@kernel
def eval_function(row, t, x, v, order):
    """A function, or its numerical time derivative by (1), (2)."""
    f, dt = row.address, row.dt
    if order == 0:
        return call_address(f, t, x, v)
    y1, m1 = call_address(f, t + dt, x, v), call_address(f, t - dt, x, v)
    y2, m2 = call_address(f, t + 2.0 * dt, x, v), call_address(f, t - 2.0 * dt, x, v)
    y3, m3 = call_address(f, t + 3.0 * dt, x, v), call_address(f, t - 3.0 * dt, x, v)
    if order == 1:
        return (45.0 * (y1 - m1) - 9.0 * (y2 - m2) + (y3 - m3)) / (60.0 * dt)
    y0 = call_address(f, t, x, v)
    return (270.0 * (y1 + m1) - 27.0 * (y2 + m2) + 2.0 * (y3 + m3) - 490.0 * y0) / (180.0 * dt * dt)


@kernel
def eval_law(sys, index, t, x, v, order):
    """Value (order 0) or time derivative (order 1, 2) of law number `index`; NaN for a code without such a law."""
    row = sys.law[index]
    if row.code == LawCode.CONSTANT:
        return row.p[0] if order == 0 else 0.0
    if row.code == LawCode.SINE:
        omega = row.p[1]
        y = row.p[0] * omega**order * sin(omega * t + row.p[2] + 1.5707963267948966 * order)
        return y + row.p[3] if order == 0 else y
    if row.code == LawCode.TABLE:
        return eval_table(sys.knot, row, t, order)
    if row.code == LawCode.RAMP:
        return eval_ramp(row.p, t, order)
    if row.code == LawCode.FUNCTION:
        return eval_function(row, t, x, v, order)
    return nan


@part
def check_laws(sys, work) -> int:
    """UNKNOWN_LAW if there is a law of an unknown kind, whose values are NaN."""
    for i in range(sys.law.shape[0]):
        code = sys.law[i].code
        if not (code == LawCode.CONSTANT or code == LawCode.SINE or code == LawCode.TABLE or code == LawCode.FUNCTION
                or code == LawCode.RAMP or code == LawCode.POINT_FUNCTION):
            work.fail[0].law = i
            return Status.UNKNOWN_LAW.value
    return Status.OK.value


@kernel
def slope_step(x):
    """Step of x over which a law of state is differentiated."""
    return SLOPE_STEP * (1.0 + abs(x))


@kernel
def law_slopes(sys, index, t, x, v):
    """Derivatives of a law by x and by v: central differences for functions, zero for laws of time."""
    if sys.law[index].code != LawCode.FUNCTION:
        return 0.0, 0.0
    dx, dv = slope_step(x), slope_step(v)
    f = sys.law[index].address
    return ((call_address(f, t, x + dx, v) - call_address(f, t, x - dx, v)) / (2.0 * dx),
            (call_address(f, t, x, v + dv) - call_address(f, t, x, v - dv)) / (2.0 * dv))


@kernel
def eval_point_law(sys, index, t, r, v):
    """Value of law number `index`, a function of a point at r [m] with the velocity v [m/s], world axes."""
    return call_point_address(sys.law[index].address, t, r, v)


@kernel
def point_difference(f, t, r, v, dr, dv):
    """Half the change of a function of a point from (r - dr, v - dv) to (r + dr, v + dv)."""
    return 0.5 * (call_point_address(f, t, add3(r, dr), add3(v, dv)) - call_point_address(f, t, sub3(r, dr), sub3(v, dv)))


@kernel
def point_slopes(sys, index, t, r, v):
    """Gradients of a law of a point by r and by v: central differences."""
    f, zero = sys.law[index].address, (0.0, 0.0, 0.0)
    a, b, c = slope_step(r[0]), slope_step(r[1]), slope_step(r[2])
    by_r = (point_difference(f, t, r, v, (a, 0.0, 0.0), zero) / a, point_difference(f, t, r, v, (0.0, b, 0.0), zero) / b,
            point_difference(f, t, r, v, (0.0, 0.0, c), zero) / c)
    a, b, c = slope_step(v[0]), slope_step(v[1]), slope_step(v[2])
    by_v = (point_difference(f, t, r, v, zero, (a, 0.0, 0.0)) / a, point_difference(f, t, r, v, zero, (0.0, b, 0.0)) / b,
            point_difference(f, t, r, v, zero, (0.0, 0.0, c)) / c)
    return by_r, by_v
