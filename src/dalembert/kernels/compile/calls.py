"""Calls of one compiled kernel from another by its machine address, so that the callee is compiled once and for itself.

A kernel that calls another in the usual way has it compiled, too; the evaluation of constrained mechanisms is large and called
from every integrator, but trees never need it.  Its address stands in `Work.door` instead (constraint/door.py puts it there).
"""

from llvmlite import ir
from numba import config, typeof, types
from numba.core import typing
from numba.extending import intrinsic

from .jit import kernel

_FUNCTIONS: dict[int, object] = {}
"""Address -> Python function, when the compiler is switched off."""


@intrinsic
def _call_address(context, address, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13):
    """Call a kernel that returns a status at a machine address."""
    arguments = (a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13)
    signature = typing.signature(types.int64, types.int64, *arguments)

    def codegen(context, builder, signature, args):
        function_type = context.call_conv.get_function_type(types.int64, arguments)
        function = builder.inttoptr(args[0], ir.PointerType(function_type))
        _, value = context.call_conv.call_function(builder, function, types.int64, arguments, args[1:])
        return value

    return signature, codegen


@intrinsic
def _call_method(context, address, sys, opt, method, flow, t1, work):
    """Call a function of a method of time integration, which returns a status, at a machine address."""
    arguments = (sys, opt, method, flow, t1, work)
    signature = typing.signature(types.int64, types.int64, *arguments)

    def codegen(context, builder, signature, args):
        function_type = context.call_conv.get_function_type(types.int64, arguments)
        function = builder.inttoptr(args[0], ir.PointerType(function_type))
        _, value = context.call_conv.call_function(builder, function, types.int64, arguments, args[1:])
        return value

    return signature, codegen


if config.DISABLE_JIT:

    def call_method(address, sys, opt, method, flow, t1, work):
        """Call a function of a method of time integration at a machine address; see step/method.py."""
        return _FUNCTIONS[int(address)](sys, opt, method, flow, t1, work)
else:

    @kernel
    def call_method(address, sys, opt, method, flow, t1, work):
        """Call a function of a method of time integration at a machine address; see step/method.py."""
        return _call_method(address, sys, opt, method, flow, t1, work)


if config.DISABLE_JIT:

    def call_door(address, *arguments):
        """Call a kernel that returns a status at a machine address."""
        return _FUNCTIONS[int(address)](*arguments)
else:

    @kernel
    def call_door(address, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13):
        """Call a kernel that returns a status at a machine address."""
        return _call_address(address, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13)


def address_of(entry, arguments: tuple) -> int:
    """Machine address of a kernel compiled (or loaded from disk) for the types of some arguments."""
    if config.DISABLE_JIT:
        _FUNCTIONS[id(entry)] = entry
        return id(entry)
    signature = tuple(typeof(a) for a in arguments)
    entry.compile(signature)
    compiled = entry.overloads[signature]
    if compiled.signature.return_type != types.int64:
        raise TypeError(f"{entry.py_func.__name__} returns {compiled.signature.return_type}, expected int64")
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
