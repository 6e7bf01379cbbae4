"""Laws y(t, x, v) and their derivatives; functions are called by address.

Six neighbours, dt apart, differentiate a function of time:
    y'  = (45 (y1 - y-1) - 9 (y2 - y-2) + (y3 - y-3)) / (60 dt)                               (1)
    y'' = (270 (y1 + y-1) - 27 (y2 + y-2) + 2 (y3 + y-3) - 490 y0) / (180 dt²)                (2)
both with an error of order dt⁶.
"""

from math import nan, sin

from llvmlite import ir
from numba import cfunc, config, types
from numba.extending import intrinsic

from ..codes import LawCode
from .jit import kernel

SIGNATURE = types.float64(types.float64, types.float64, types.float64)


@intrinsic
def _call_address(context, address, t, x, v):
    """Call double f(double, double, double) at a machine address."""
    signature = types.float64(types.int64, types.float64, types.float64, types.float64)

    def codegen(context, builder, signature, args):
        double = ir.DoubleType()
        function = ir.FunctionType(double, [double, double, double])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])

    return signature, codegen


if config.DISABLE_JIT:
    import ctypes

    _PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)

    def call_address(address, t, x, v):
        """Call double f(double, double, double) at a machine address."""
        return _PROTOTYPE(int(address))(t, x, v)
else:

    @kernel
    def call_address(address, t, x, v):
        """Call double f(double, double, double) at a machine address."""
        return _call_address(address, t, x, v)


def compile_law(function, n_arguments: int):
    """Compile a law of one (t) or three (t, x, v) arguments; returns (object to keep alive, address)."""
    from numba import njit

    inner = njit(function)
    if config.DISABLE_JIT:
        import ctypes

        wrapped = (lambda t, x, v: function(t)) if n_arguments == 1 else function
        compiled = _PROTOTYPE(wrapped)
        return compiled, ctypes.cast(compiled, ctypes.c_void_p).value
    if n_arguments == 1:
        compiled = cfunc(SIGNATURE)(lambda t, x, v: float(inner(t)))
    else:
        compiled = cfunc(SIGNATURE)(lambda t, x, v: float(inner(t, x, v)))
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
    """Value (order 0) or time derivative (order 1, 2) of law number `index`; NaN for an unknown code."""
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


@kernel
def law_slopes(sys, index, t, x, v):
    """Derivatives of a law by x and by v: central differences for functions, zero for laws of time."""
    if sys.law[index].code != LawCode.FUNCTION:
        return 0.0, 0.0
    dx = 1e-6 * (1.0 + abs(x))
    dv = 1e-6 * (1.0 + abs(v))
    f = sys.law[index].address
    return ((call_address(f, t, x + dx, v) - call_address(f, t, x - dx, v)) / (2.0 * dx),
            (call_address(f, t, x, v + dv) - call_address(f, t, x, v - dv)) / (2.0 * dv))
