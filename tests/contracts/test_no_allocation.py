"""The step loops allocate nothing: a kernel that would allocate does not compile, and there is no other way to a kernel.

Numba's own counters of allocations cannot show it: without its runtime they stand still whatever a kernel does.
"""

import ast
from pathlib import Path

import numpy as np
import pytest

import dalembert

numba = pytest.importorskip("numba")
KERNELS = Path(dalembert.__file__).parent / "kernels"
COMPILING = {"jit.py", "laws.py", "user_functions.py"}
"""Files that may compile: that of the decorators, and those that hand users' functions over by address."""


def temporary(x):
    return np.zeros(3)[0] + x


def listed(x):
    return [x, 2.0 * x][0]


def copied(x):
    return x.copy()[0]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("name", ["kernel", "part", "shared", "kernel_in_order"])
@pytest.mark.parametrize("function, argument", [(temporary, 1.0), (listed, 1.0), (copied, np.ones(2))])
def test_a_kernel_that_allocates_does_not_compile(name, function, argument):
    from dalembert.kernels.compile import jit

    assert numba.njit(function)(argument) == function(argument)  # Numba by itself would have it
    with pytest.raises(numba.core.errors.NumbaError):
        getattr(jit, name)(function)(argument)


def calls_of_compiler(path):
    """Return the lines on which a file asks Numba for compiled code by itself."""
    names = {"jit", "njit", "cfunc", "vectorize", "guvectorize", "generated_jit"}
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        named = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if named in names:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=lambda path: path.name)
def test_kernels_are_compiled_by_the_decorators_alone(path):
    assert path.name in COMPILING or not calls_of_compiler(path)


def test_the_search_finds_what_it_looks_for():
    assert calls_of_compiler(KERNELS / "compile" / "jit.py")
