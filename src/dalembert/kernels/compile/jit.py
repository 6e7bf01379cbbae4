"""The one decorator of all kernels, with a cache on disk that notices every change of every kernel source.

Numba keys its cache by the file of the kernel alone, so an edited callee in another file would go unnoticed; here the
cache folder is named by a digest of all sources that the kernel hangs on (sources.py).
"""

import gc
import os
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path

import numba
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.types import unliteral
from numba.np import linalg

from .compilers import EntryCompiler, PartCompiler, SharedCompiler
from .linking import share
from .sources import digest
from .typing_memory import operators_remembered


def _load_array_functions() -> None:
    """Load Numba's functions of arrays without SciPy's linear algebra, which takes 0.2 s and which kernels do not use.

    Numba only checks that it is there, which a dependency of ours is, and loads it when a product of matrices is compiled.
    """
    kept = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = kept


_load_array_functions()

on_compile = []
"""Callables ``f(name, done, total)`` called before an entry kernel is compiled (never when it comes from the cache)."""


def _cache_root() -> Path:
    """Folder that takes the compiled kernels: ``DALEMBERT_CACHE_DIR``, else the user's cache folder."""
    given = os.environ.get("DALEMBERT_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "dalembert"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def _usable_root() -> Path:
    root = _cache_root()
    return root if _writable(root) else Path(tempfile.gettempdir()) / "dalembert"


def cache_folder(path: Path) -> Path:
    """Folder of the kernels of a file, compiled from the present sources of all that they hang on."""
    return _usable_root() / f"kernels-{digest(path)}"


FAST = {"contract", "nsz", "arcp", "reassoc"}
"""Freedom of the compiler: fused and reordered sums; NaN and infinity keep their meaning."""


def _compiled(function, fastmath=FAST, shared=False, **options):
    """Compile without reference counting: a kernel that would allocate does not compile, and tables are passed freely.

    A kernel called by another one is compiled without the wrappers through which Python would call it, and is kept on disk
    only as part of its caller.
    """
    options.update(nogil=True, error_model="numpy", fastmath=fastmath, _nrt=False, no_cfunc_wrapper=True)
    entry = numba.njit(pipeline_class=SharedCompiler if shared else EntryCompiler, **options)(function)
    if numba.config.DISABLE_JIT:
        return entry
    entry.compile = _kept(entry, _tuned(entry.compile))
    if shared:
        entry.compile = _sharing(entry, entry.compile)
        entry.get_call_template = _of_any_value(lambda: Dispatcher.get_call_template.__get__(entry))
        return entry

    @cache
    def part():
        made = numba.njit(no_cpython_wrapper=True, pipeline_class=PartCompiler, **options)(function)
        made.compile = _tuned(made.compile)
        return made

    entry.part = part
    entry.get_call_template = _of_any_value(lambda: part().get_call_template)
    entry.get_overload = lambda signature: part().get_overload(signature)
    return entry


def _of_any_value(find_template):
    """Take a constant argument as any of its type; Numba would compile a kernel anew for every constant."""

    def get_call_template(arguments, keywords):
        return find_template()(tuple(map(unliteral, arguments)), keywords)

    return get_call_template


def _kept(entry, compile_kernel):
    """Look for what is compiled on disk, and keep it there."""

    @cache
    def open_cache():
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(cache_folder(Path(entry.py_func.__code__.co_filename).resolve()))
        try:
            entry.enable_caching()
        finally:
            numba.config.CACHE_DIR = before

    def compile_kept(signature):
        open_cache()
        return compile_kernel(signature)

    return compile_kept


@contextmanager
def _garbage_kept():
    """Let the compiler keep its garbage: to search its many objects for some takes a sixth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _tuned(compile_kernel):
    """Let the compiler join the scalar operations of small vectors (12 % of a tree pass), and let it be quick."""

    def compile_tuned(signature):
        with global_compiler_lock, _garbage_kept(), operators_remembered():
            before = numba.config.SLP_VECTORIZE
            numba.config.SLP_VECTORIZE = 1
            try:
                return compile_kernel(signature)
            finally:
                numba.config.SLP_VECTORIZE = before

    return compile_tuned


def _sharing(entry, compile_kernel):
    """Mark what is compiled, or loaded from disk, as shared."""

    def compile_shared(signature):
        found = compile_kernel(signature)
        share(entry.overloads[signature].library, entry.py_func, signature)
        return found

    return compile_shared


def kernel(function):
    """Compile a kernel on first use and keep it on disk: no GIL, NumPy's division, no allocation."""
    return _compiled(function)


def part(function):
    """Compile a small kernel that becomes part of its caller, at every place where it is called."""
    return _compiled(function, forceinline=True)


def shared(function):
    """Compile a large kernel that several call: it has machine code of its own, which they call by its symbol.

    Tables come by address (bundle.py), so that such a call costs a few nanoseconds; the passes of an evaluation are shared.
    """
    return _compiled(function, shared=True)


def kernel_in_order(function):
    """Compile a kernel whose sums must stay in the order that they are written in, since it lives on their rounding."""
    return _compiled(function, fastmath={"contract"})


class _Announcer(event.Listener):
    """Calls the hooks of `on_compile` when an entry kernel is about to be compiled."""

    def __init__(self, name: str, done: int, total: int):
        self.message, self.reported = (name, done, total), False

    def on_start(self, event):
        """Report once; the nested compilations of callees stay silent."""
        if not self.reported:
            self.reported = True
            for hook in on_compile:
                hook(*self.message)

    def on_end(self, event):
        """Nothing to report at the end."""


_READY: set[int] = set()
"""Entry kernels that were prepared: all systems have the same types."""


def direct(entry, arguments):
    """Return an entry kernel that does not look at the types of its arguments again, those of the tuple `arguments()`.

    Numba's own look takes longer than the evaluation of a small mechanism.
    """
    if not hasattr(entry, "compile"):  # JIT switched off
        return entry
    signature = tuple(numba.typeof(a) for a in arguments())
    entry.compile(signature)
    return entry.overloads[signature].entry_point


def called_directly(entry):
    """Return an entry kernel whose first call compiles or loads it, and whose later ones are `direct`."""
    found = []

    def call(*arguments):
        if not found:
            found.append(direct(entry, lambda: arguments))
        return found[0](*arguments)

    return call


def prepare(entries) -> None:
    """Compile (or load from disk) entry kernels for the arguments they will get, telling `on_compile`.

    Parameters
    ----------
    entries : list of (kernel, args)
        The kernels that a run needs, each with a tuple of example arguments.
    """
    with _garbage_kept():
        for done, (entry, args) in enumerate(entries):
            if not hasattr(entry, "compile") or id(entry) in _READY:  # JIT switched off, or known
                continue
            listener = _Announcer(entry.py_func.__name__, done, len(entries))
            with event.install_listener("numba:compile", listener):
                entry.compile(tuple(numba.typeof(a) for a in args))
            _READY.add(id(entry))
