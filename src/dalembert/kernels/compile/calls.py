"""Calls of kernels by their machine addresses, which compile and load nothing of what they call.

A kernel that calls another one has it compiled into its own code, and one that calls a *shared* kernel has it loaded, whether
the call is ever made or not.  The evaluation of constrained mechanisms is large and called from every integrator, but trees
never need it: the addresses of its kernels are in `Work.entries`, one field each.  A call is declared like a kernel,

    @by_address
    def call_motion(sys, rate: COUNT, x: VECTOR, work) -> int:
        '''Fill the motion x of a rate.'''

and made like one, `status = call_motion(sys, k, x, work)`: it runs the kernel whose address is `work.entries[0].motion`.  What
has no type in the declaration is a bundle (bundle.py) or a table; `work` comes last.  Arguments that do not fit do not
compile.  `by_address_in` names a table of another bundle, such as that of a method of time integration (step/method.py).

The kernels of `work.entries` share one piece of code with all that they need, which comes from disk at once; those of other
tables are entries of their own.
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


def by_address_in(bundle: str, table: str):
    """Return a decorator like `by_address`, for addresses in a table of the argument of this name."""

    def made(declared):
        slot, at = declared.__name__.removeprefix("call_"), list(signature(declared).parameters).index(bundle)
        if not config.DISABLE_JIT:
            return _Call(declared, slot, at, table)

        def call(*arguments):
            return _FUNCTIONS[int(getattr(arguments[at], table)[0][slot])](*arguments)

        call.slot, call.declared, call.__doc__ = slot, declared, declared.__doc__
        return call

    return made


by_address = by_address_in("work", "entries")
"""Make a declaration, a function without a body, a call of the kernel at an address; see the module."""


def check_answer(call, entry) -> None:
    """Refuse a kernel that does not take the arguments that a call is declared with."""
    names, given = (list(signature(each).parameters) for each in (call.declared, getattr(entry, "py_func", entry)))
    if names != given:
        raise TypeError(f"{call.slot}: found a kernel of {', '.join(given)}, expected {', '.join(names)} as declared")


def store_addresses(answers: dict):
    """Make a kernel that stores the addresses of kernels in `work.entries`; they become parts of it, in one piece of code.

    `answers` has calls and the kernels that they run, which take the arguments that are declared.
    """
    for call, entry in answers.items():
        check_answer(call, entry)
    if not config.DISABLE_JIT:
        return _Store(answers)

    def store(sys, work):
        for call, entry in answers.items():
            _FUNCTIONS[id(entry)] = entry
            work.entries[call.slot] = id(entry)
        return 0

    return store


def address_of(entry, arguments: tuple) -> int:
    """Machine address of a kernel compiled (or loaded from disk) for the types of some arguments."""
    if config.DISABLE_JIT:
        _FUNCTIONS[id(entry)] = entry
        return id(entry)
    given = tuple(typeof(a) for a in arguments)
    entry.compile(given)
    compiled = entry.overloads[given]
    if compiled.signature.return_type != types.int64:
        raise TypeError(f"{entry.py_func.__name__} returns {compiled.signature.return_type}, expected int64")
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def parameters_of(declared) -> list[tuple]:
    """Names and types of a declaration's arguments; a bundle has none."""
    return [(each.name, each.annotation) for each in signature(declared).parameters.values()]


def _kinds(call, given: dict) -> list:
    """Types of the arguments of a call, those of bundles as given by name."""
    return [given[name] if kind is Parameter.empty else kind for name, kind in parameters_of(call.declared)]


class _Typed(_Intrinsic):
    """A function that is compiled by hand: `typing(context, *types)` returns its signature and its code."""

    def __init__(self, name: str, arguments, typing):
        typing.__signature__ = Signature([Parameter(each, Parameter.POSITIONAL_ONLY) for each in ("context", *arguments)])
        super().__init__(name, typing)
        self._register()


class _Call(_Typed):
    """A call in compiled code."""

    def __init__(self, declared, slot: str, at: int, table: str):
        self.slot, self.declared = slot, declared
        names = [name for name, _ in parameters_of(declared)]

        def codegen(target, builder, sig, args):
            function_type = target.call_conv.get_function_type(types.int64, sig.args)
            address = builder.load(_place(builder, sig.args[at], args[at], table, slot))
            function = builder.inttoptr(address, function_type.as_pointer())
            _, status = target.call_conv.call_function(builder, function, types.int64, sig.args, args)
            return status

        def typing(context, *args):
            taken = _kinds(self, dict(zip(names, args, strict=True)))
            fits = all(isinstance(kind, BundleType) or context.can_convert(unliteral(given), kind) is not None
                       for given, kind in zip(args, taken, strict=True))
            return (typed(types.int64, *taken), codegen) if fits else None

        super().__init__(declared.__name__, names, typing)


class _Store(_Typed):
    """What `store_addresses` makes, in compiled code."""

    def __init__(self, answers: dict):

        def made(call, entry, bundles):
            kinds = tuple(_kinds(call, bundles))
            part = entry.part()
            part.compile(kinds)
            return part.overloads[kinds]

        def codegen(target, builder, sig, args):
            for call, entry in answers.items():
                part = made(call, entry, dict(zip(("sys", "work"), sig.args, strict=True)))
                target.active_code_library.add_linking_library(part.library)
                function = target.declare_function(builder.module, part.fndesc)
                place = _place(builder, sig.args[1], args[1], "entries", call.slot)
                builder.store(builder.ptrtoint(function, ir.IntType(64)), place)
            return ir.IntType(64)(0)

        def typing(context, sys, work):
            for call, entry in answers.items():
                found = made(call, entry, {"sys": sys, "work": work}).signature.return_type
                if found != types.int64:
                    raise TypeError(f"{call.slot}: found a kernel that returns {found}, expected int64")
            return typed(types.int64, sys, work), codegen

        super().__init__("store_addresses", ("sys", "work"), typing)


def _place(builder, kind: BundleType, bundle, table: str, slot: str):
    """Where an address is in a table of a bundle."""
    word = ir.IntType(64)
    first = load_word(builder, bundle, kind.first[table], word.as_pointer())
    return builder.gep(first, [word(kind.fields[table].dtype.offset(slot) // 8)])
