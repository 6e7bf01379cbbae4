"""How the code of kernels is put together; with Numba's own ways compiling would take twice as long.

- Numba optimises every kernel, translates it to machine code and links the result into its callers, which optimise it
  again: a kernel at the bottom passes the optimiser once for every kernel above it.  Here a kernel that others call stays
  as it was lowered, and an entry links all that it needs, once, and optimises it in one go.
- A large kernel that several entries call is *shared*: it has machine code of its own, which the entries call by its
  symbol.  When such an entry comes from disk, the shared kernels that it calls are loaded before it.
- Numba names a kernel after the types of its arguments, with our tables ten thousand characters wherever it is mentioned;
  here a digest takes their place.
- Next to machine code Numba keeps what would be needed to link it into other kernels, as much again; here the names of its
  symbols do.

All this relies on Numba's internals, which have been the same from 0.63.1 to 0.68.1; `pyproject.toml` asks for these.
"""

from functools import partial
from hashlib import sha1
from importlib import import_module

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.itanium_mangler import mangle


def unique_symbol(name, types, *, abi_tags=(), uid=None):
    """Symbol of a kernel for some types of arguments, used once in a process."""
    digest = sha1("|".join(map(str, (*types, *abi_tags))).encode()).hexdigest()
    return mangle(name, (), abi_tags=(digest,), uid=uid)


def lasting_symbol(name, types, *, abi_tags=(), uid=None):
    """Symbol of a shared kernel, the same in every process.

    The tags, which write a set of options in an order of their own in each process, have no part in it: of two processes that
    compile at the same time, one may keep a kernel and the other one what calls it.
    """
    return unique_symbol(name, types)


def load_shared(module: str, name: str, signature: tuple) -> None:
    """Have the machine code of a shared kernel at hand."""
    getattr(import_module(module), name).compile(signature)


def share(library, function, signature: tuple) -> None:
    """Mark a library as the machine code of a shared kernel."""
    library.loader = partial(load_shared, function.__module__, function.__name__, signature)


class PartLibrary(JITCodeLibrary):
    """Code of a kernel that other kernels call, without machine code of its own."""

    def finalize(self):
        """Leave the code as it is; what it calls is linked by the entry."""
        self._finalized = True


class EntryLibrary(JITCodeLibrary):
    """Machine code of a kernel with all the kernels that it needs and that are not shared."""

    def finalize(self):
        """Link, optimise and translate."""
        needed = below(self._linking_libraries)
        self._linking_libraries = [library for library in needed if not hasattr(library, "loader")]
        self._reload_init.update(library.loader for library in needed if hasattr(library, "loader"))
        super().finalize()

    def serialize_using_object_code(self):
        """Machine code, and empty functions in place of those that it holds."""
        empty = "\n".join(f'define void @"{f.name}"() {{ ret void }}' for f in self.get_defined_functions())
        return self.name, "object", (self._get_compiled_object(), binding.parse_assembly(empty).as_bitcode())


def below(libraries) -> list:
    """All libraries that some need, callers before callees: the linker leaves out what nothing has called so far."""
    found, order = set(), []

    def visit(library):
        if library not in found:
            found.add(library)
            if isinstance(library, PartLibrary):
                for callee in library._linking_libraries:
                    visit(callee)
            order.append(library)

    for library in libraries:
        visit(library)
    return order[::-1]
