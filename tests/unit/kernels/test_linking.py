"""Kernels are linked once, shared ones are called by their symbol, also by an entry that comes from disk."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba import types

from dalembert.kernels.compile import linking

SOURCE = Path(__file__).resolve().parents[3] / "src"
KERNELS = """
from dalembert.kernels.compile.jit import kernel, shared

@kernel
def squared(x):
    return x * x

@shared
def polynomial(x, y):
    return squared(x) + 3.0 * y

@kernel
def middle(x, y):
    return polynomial(x, y) - squared(y)

@kernel
def entry(x, y):
    return middle(x, y) + polynomial(y, x)
"""
RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from numba.core import event
import kernels_here as k
names = []
class Compiled(event.Listener):
    def on_start(self, event):
        names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass
with event.install_listener("numba:compile", Compiled()):
    value = k.entry(2.0, 5.0)
print(json.dumps([value, sorted(set(names)), k.polynomial(1.0, 1.0), len(k.polynomial.overloads)]))
"""


def test_symbols_are_short_and_tell_types_apart():
    """A symbol depends on the types, but not on their names' lengths; that of a shared kernel not on the process."""
    wide = types.UniTuple(types.Array(types.float64, 2, "C"), 400)
    a, b = (linking.unique_symbol("a.b.f", (t,), uid=1) for t in (wide, types.float64))
    assert a != b and len(a) == len(b) < 100
    assert linking.unique_symbol("a.b.f", (wide,), uid=2) != a
    assert linking.lasting_symbol("a.b.f", (wide,), uid=1) == linking.lasting_symbol("a.b.f", (wide,), uid=2)


class Library(linking.PartLibrary):
    """A library with callees and nothing else."""

    def __init__(self, *callees):
        self._linking_libraries = list(callees)


def test_callers_come_before_callees():
    """Every library once, after all that need it, whatever the way it was found by."""
    bottom = Library()
    low = Library(bottom)
    side = Library(bottom, low)
    top = Library(low, side)
    order = linking.below([bottom, low, top, low])
    assert len(order) == 4 and set(order) == {bottom, low, side, top}
    assert order.index(top) < order.index(side) < order.index(low) < order.index(bottom)


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="the compiler is switched off")
def test_an_entry_from_disk_finds_its_shared_kernel(tmp_path):
    """The first process compiles, the second one loads and computes the same."""
    (tmp_path / "kernels_here.py").write_text(KERNELS)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "DALEMBERT_CACHE_DIR": str(tmp_path / "cache")}
    expected = (2.0**2 + 15.0 - 25.0) + (25.0 + 6.0)
    for compiled in (["entry", "middle", "polynomial", "squared"], []):
        done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        value, names, shared, overloads = json.loads(done.stdout)
        assert (value, shared, overloads) == (expected, 4.0, 1)
        assert names == compiled


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="the compiler is switched off")
def test_processes_that_compile_at_the_same_time_keep_what_fits(tmp_path):
    """An entry kept by one process finds the shared kernel that another one kept, whatever the order of their sets."""
    (tmp_path / "kernels_here.py").write_text(KERNELS)
    for seed in "12":
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "DALEMBERT_CACHE_DIR": str(tmp_path / seed),
                       "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], env=environment, capture_output=True, check=True)
    kept = list((tmp_path / "2").rglob("*polynomial*"))
    assert kept
    for path in kept:
        shutil.copy(path, tmp_path / "1" / path.relative_to(tmp_path / "2"))
    done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], capture_output=True, text=True,
                          env={**environment, "DALEMBERT_CACHE_DIR": str(tmp_path / "1")})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[:2] == [(2.0**2 + 15.0 - 25.0) + (25.0 + 6.0), []]
