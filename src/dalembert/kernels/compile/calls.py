"""Calls of kernels by their machine addresses, which compile and load nothing of what they call.

A kernel that calls another one has it compiled into its own code, and one that calls a *shared* kernel has it loaded, whether
the call is ever made or not.  The evaluation of constrained mechanisms is large and called from every integrator, but trees
never need it: the addresses of its kernels stand in `Work.entries`, one field each.  A call is declared like a kernel,

    @by_address
    def call_motion(sys, rate: COUNT, x: VECTOR, work) -> int:
        '''Fill the motion x of a rate.'''

and made like one, `status = call_motion(sys, k, x, work)`: it runs the kernel whose address is `work.entries[0].motion`.  What
has no type in the declaration is a bundle (bundle.py); `work` comes last.  Arguments that do not fit do not compile.
"""

from inspect import Parameter, Signature, signature

from llvmlite import ir
from numba import config, typeof, types
from numba.core.extending import _Intrinsic
from numba.core.types import unliteral
from numba.core.typing.templates import signature as typed

from .bundle import BundleType, load_word

COUNT, NUMBER = types.int64, types.float64
VECTOR, MATRIX, COUNTS = types.float64[::1], types.float64[:, ::1], types.int64[::1]

_FUNCTIONS: dict[int, object] = {}
"""Address -> Python function, when the compiler is switched off."""


def by_address(declared):
    """Make a declaration, a function without a body, a call of the kernel at an address; see the module."""
    slot = declared.__name__.removeprefix("call_")
    if not config.DISABLE_JIT:
        return _Call(declared, slot)

    def call(*arguments):
        return _FUNCTIONS[int(arguments[-1].entries[0][slot])](*arguments)

    call.slot, call.declared, call.__doc__ = slot, declared, declared.__doc__
    return call


def address_of(call, entry, system, work) -> int:
    """Machine address of a kernel, compiled (or loaded from disk) for the types that a call is declared with."""
    names, given = list(signature(call.declared).parameters), list(signature(python_of(entry)).parameters)
    if names != given:
        raise TypeError(f"{call.slot}: found {', '.join(given)}, expected {', '.join(names)} as declared")
    if config.DISABLE_JIT:
        _FUNCTIONS[id(entry)] = entry
        return id(entry)
    wanted = call_types(call, system, work)
    entry.compile(wanted)
    compiled = entry.overloads[wanted]
    if compiled.signature.return_type != types.int64:
        raise TypeError(f"{call.slot}: found a kernel that returns {compiled.signature.return_type}, expected int64")
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def python_of(entry):
    """Python function of a kernel."""
    return getattr(entry, "py_func", entry)


def call_types(call, system, work) -> tuple:
    """Types of the arguments of a call."""
    bundles = {"sys": system, "work": work}
    return tuple(typeof(bundles[name]) if kind is Parameter.empty else kind for name, kind in parameters_of(call.declared))


def parameters_of(declared) -> list[tuple]:
    """Names and types of a declaration's arguments; a bundle has none."""
    return [(each.name, each.annotation) for each in signature(declared).parameters.values()]


class _Call(_Intrinsic):
    """A call in compiled code."""

    def __init__(self, declared, slot: str):
        self.slot, self.declared = slot, declared
        names, kinds = zip(*parameters_of(declared), strict=True)

        def codegen(target, builder, sig, args):
            function_type = target.call_conv.get_function_type(types.int64, sig.args)
            function = builder.inttoptr(_address(builder, sig.args[-1], args[-1], slot), function_type.as_pointer())
            _, status = target.call_conv.call_function(builder, function, types.int64, sig.args, args)
            return status

        def typing(context, *args):
            taken = [given if kind is Parameter.empty else kind for given, kind in zip(args, kinds, strict=True)]
            fits = all(isinstance(kind, BundleType) or context.can_convert(unliteral(given), kind) is not None
                       for given, kind in zip(args, taken, strict=True))
            return (typed(types.int64, *taken), codegen) if fits else None

        typing.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("context", *names)])
        super().__init__(declared.__name__, typing)
        self._register()


def _address(builder, kind: BundleType, work, slot: str):
    """Read an address out of `work.entries`."""
    word = ir.IntType(64)
    table = load_word(builder, work, kind.first["entries"], word.as_pointer())
    place = builder.gep(table, [word(kind.fields["entries"].dtype.offset(slot) // 8)])
    return builder.load(place)
