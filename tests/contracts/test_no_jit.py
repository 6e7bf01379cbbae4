"""Kernels are plain Python: with the JIT switched off they compute the same, on frozen tables that NumPy guards."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_without_jit(*arguments):
    """Run pytest in a process of its own with NUMBA_DISABLE_JIT=1."""
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1")
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments], cwd=ROOT,
                          env=environment, capture_output=True, text=True)


def test_a_subset_of_the_unit_tests_runs_without_jit():
    done = run_without_jit("tests/unit/kernels/test_small.py", "tests/unit/kernels/test_dense.py",
                           "tests/unit/kernels/test_laws.py", "tests/unit/kernels/test_tree_state.py",
                           "tests/unit/kernels/test_frozen_tables.py")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


@pytest.mark.slow
def test_all_unit_tests_of_kernels_and_system_run_without_jit():
    done = run_without_jit(*(f"tests/unit/{room}" for room in ("kernels", "system", "start", "simulate", "analyses")))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
