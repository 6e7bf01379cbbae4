"""Users' functions of arrays, called by kernels at an address: void f(double t, double *u, double *memory, double *y)."""

import ctypes

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, config, njit, types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from .jit import kernel

POINTER = ctypes.POINTER(ctypes.c_double)
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, POINTER, POINTER, POINTER)
SIGNATURE = types.void(types.float64, *(types.CPointer(types.float64),) * 3)


@intrinsic
def _call(context, address, t, u, memory, y):
    """Call a function at a machine address with the data of three arrays."""
    signature = types.void(types.int64, types.float64, u, memory, y)

    def codegen(context, builder, signature, args):
        double = ir.DoubleType()
        function = ir.FunctionType(ir.VoidType(), [double, *(double.as_pointer(),) * 3])
        data = [context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[2:], args[2:], strict=True)]
        builder.call(builder.inttoptr(args[0], function.as_pointer()), [args[1], *data])
        return context.get_dummy_value()

    return signature, codegen


if config.DISABLE_JIT:

    def call_control(address, t, u, memory, y):
        """Call a function of arrays at a machine address."""
        PROTOTYPE(int(address))(t, *(a.ctypes.data_as(POINTER) for a in (u, memory, y)))
else:

    @kernel
    def call_control(address, t, u, memory, y):
        """Call a function of arrays at a machine address."""
        _call(address, t, u, memory, y)


def is_compiled(function) -> bool:
    """Tell whether a function is one that the user compiled with Numba."""
    return isinstance(function, Dispatcher)


def python_function(function, sizes: tuple[int, int, int]):
    """Give ``function(t, u, memory, y)`` of arrays of some sizes an address; returns (object to keep alive, address)."""
    views: dict[tuple, np.ndarray] = {}

    def view(pointer, n: int) -> np.ndarray:
        if n == 0:
            return np.zeros(0)
        place = ctypes.addressof(pointer.contents)
        if (place, n) not in views:
            views[place, n] = np.ctypeslib.as_array(pointer, (n,))
        return views[place, n]

    def called(t, *pointers):
        function(t, *(view(pointer, n) for pointer, n in zip(pointers, sizes, strict=True)))

    made = PROTOTYPE(called)
    return made, ctypes.cast(made, ctypes.c_void_p).value


def compiled_function(function, sizes: tuple[int, int, int]):
    """Compile ``function(t, u)`` or, with memory, ``function(t, u, memory)``, which returns a number or several.

    Returns (object to keep alive, address); the sizes are those of u, memory and the outputs.
    """
    n_u, n_memory, n_y = sizes
    inner = njit(function)

    if n_memory:
        def several(t, u, memory, y):
            values, out = inner(t, carray(u, (n_u,)), carray(memory, (n_memory,))), carray(y, (n_y,))
            for i in range(n_y):
                out[i] = values[i]

        def single(t, u, memory, y):
            carray(y, (1,))[0] = inner(t, carray(u, (n_u,)), carray(memory, (n_memory,)))
    else:
        def several(t, u, memory, y):
            values, out = inner(t, carray(u, (n_u,))), carray(y, (n_y,))
            for i in range(n_y):
                out[i] = values[i]

        def single(t, u, memory, y):
            carray(y, (1,))[0] = inner(t, carray(u, (n_u,)))

    try:
        made = cfunc(SIGNATURE)(several)
    except NumbaError:
        if n_y != 1:
            raise
        made = cfunc(SIGNATURE)(single)
    return made, made.address
