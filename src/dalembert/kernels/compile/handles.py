"""Calls of our kernels from functions that users compile, by machine addresses in an array of words, the *handle*.

The handle of a model begins with the addresses of its tables, of a reader's and of a scratch's (bundle.py), and the addresses
of kernels follow.  It is data: a function that gets one is compiled once and serves all models.
"""

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.core.typing import signature as typed
from numba.extending import intrinsic

TABLES, READER, SCRATCH, KERNELS = range(4)
"""Places of the words in a handle; from `KERNELS` on they are addresses of kernels."""
WORD = ir.IntType(64)


def demand(name: str, given, wanted) -> None:
    """Refuse arguments of other types than kernels take: they would read numbers where there are none."""
    for label, have, want in zip(wanted[::2], given, wanted[1::2], strict=True):
        fits = have == want or (isinstance(have, types.Array) and isinstance(want, types.Array)
                                and (have.dtype, have.ndim, have.layout) == (want.dtype, want.ndim, want.layout))
        if not fits:
            raise TypingError(f"{name}: found {label} of type {have}, expected {want}")


@intrinsic
def call_kernel(context, handle, place, arguments):
    """Call kernel(tables, reader, *arguments, scratch), which returns a status, at a word of a handle."""
    pointers = (types.voidptr, types.voidptr, *arguments, types.voidptr)

    def codegen(target, builder, signature, args):
        words = builder.bitcast(target.make_array(signature.args[0])(target, builder, value=args[0]).data, WORD.as_pointer())

        def word(at):
            return builder.load(builder.gep(words, [at]))

        def pointer(at):
            return builder.inttoptr(word(WORD(at)), target.get_value_type(types.voidptr))

        inner = [builder.extract_value(args[2], k) for k in range(len(arguments))]
        function = builder.inttoptr(word(args[1]), target.call_conv.get_function_type(types.int64, pointers).as_pointer())
        _, status = target.call_conv.call_function(builder, function, types.int64, pointers,
                                                   [pointer(TABLES), pointer(READER), *inner, pointer(SCRATCH)])
        return status

    return typed(types.int64, handle, types.int64, arguments), codegen
