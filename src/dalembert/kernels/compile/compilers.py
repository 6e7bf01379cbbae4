"""Numba's compiler as kernels need it: its passes, its settings, and the library that the code goes to (linking.py).

Numba's pipeline has passes for what kernels do not have: closures, `with` blocks, functions that are inlined or that depend
on the value of an argument, expressions of whole arrays.  They are left out, which takes a twentieth off a cold compilation.
"""

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import FixupArgs, GenericRewrites, IRProcessing, ReconstructSSA, TranslateByteCode

from .linking import EntryLibrary, PartLibrary, lasting_symbol, unique_symbol
from .typing_memory import KernelFlags

PASSES = {
    TranslateByteCode: "read the byte code",
    FixupArgs: "take the arguments",
    IRProcessing: "follow the variables",
    GenericRewrites: "find constant places of tuples",
    ReconstructSSA: "give every assignment its variable",
    NopythonTypeInference: "find the types",
    PreLowerStripPhis: "join the variables again",
    IRLegalization: "end the lives of variables",
    AnnotateTypes: "note the types",
    NativeLowering: "lower",
    NoPythonBackend: "hand over the result",
}


class _Compiler(CompilerBase):
    """Compiles into a library of ours."""

    library_class, symbol = JITCodeLibrary, staticmethod(unique_symbol)

    def define_pipelines(self):
        """Return the one way that a kernel takes."""
        passes = PassManager("kernel")
        for each, what in PASSES.items():
            passes.add_pass(each, what)
        passes.finalize()
        return [passes]

    def compile_extra(self, func):
        """Compile a Python function."""
        state = self.state
        state.flags = KernelFlags(state.flags)
        state.targetctx.mangler = self.symbol
        state.library = self.library_class(state.targetctx.codegen(), func.__qualname__)
        state.library.enable_object_caching()
        return super().compile_extra(func)


class EntryCompiler(_Compiler):
    """Compiles a kernel that Python calls."""

    library_class = EntryLibrary


class SharedCompiler(EntryCompiler):
    """Compiles a shared kernel."""

    symbol = staticmethod(lasting_symbol)


class PartCompiler(_Compiler):
    """Compiles a kernel that other kernels call."""

    library_class = PartLibrary

    def compile_extra(self, func):
        """Lower a Python function and make it known to callers, by a key that cannot be called."""
        self.state.flags.no_compile = True
        result = super().compile_extra(func)
        fndesc, library = result.fndesc, result.library
        key = _dynfunc.make_function(fndesc.lookup_module(), func.__name__, "", 0, result.environment, (library,))
        result.target_context.insert_user_function(key, fndesc, [library])
        return result._replace(entry_point=key)
