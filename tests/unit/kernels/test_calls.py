"""Calls by address: declared once, refused where they do not fit, and nothing of what they call is loaded for trees."""

import inspect
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.kernels import loop_calls
from dalembert.kernels.compile.calls import VECTOR, by_address, store_addresses
from dalembert.kernels.compile.jit import kernel
from dalembert.kernels.evaluate_loops import ANSWERS
from dalembert.kernels.linked_work import make_linked_work
from dalembert.kernels.tables import make_work
from dalembert.start.initial import prepare_start

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

TREE_RUN = """
import dalembert as dal
from dalembert.kernels import linked_work, evaluate_loops

model = dal.Model("pendulum").add(dal.Body("rod", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1)),
                                  dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=0.1))
for options in (dict(), dict(step=1e-3), dict(integrator="radau")):
    dal.run(model, until=0.01, **options)
assert not linked_work.link_entries.overloads
assert not any(entry.overloads or entry.part.cache_info().currsize for entry in evaluate_loops.ANSWERS.values())
"""


@by_address
def call_motion(sys, x: VECTOR, work) -> int:
    """Declared with other arguments than the kernel has."""


@kernel
def ask_with_a_number(sys, work):
    return loop_calls.call_motion(sys, 0, 1.0, work)


@kernel
def ask_with_too_few(sys, work):
    return loop_calls.call_motion(sys, 0, work)


def test_every_call_has_an_address_of_its_own():
    begin = prepare_start(slider_crank(), formulation="semi-recursive")
    work = make_linked_work(begin.packed.system)
    addresses = [int(work.entries[call.slot][0]) for call in loop_calls.CALLS]
    assert work.entries.dtype.names == tuple(call.slot for call in loop_calls.CALLS)
    assert all(addresses) and len(set(addresses)) == len(loop_calls.CALLS)
    assert make_linked_work(begin.packed.system).entries[0] == work.entries[0]


def test_every_call_is_answered_with_its_own_arguments():
    assert set(ANSWERS) == set(loop_calls.CALLS)
    for call, entry in ANSWERS.items():
        given, declared = (list(inspect.signature(f).parameters) for f in (getattr(entry, "py_func", entry), call.declared))
        assert given == declared


def test_an_answer_with_other_arguments_is_refused():
    with pytest.raises(TypeError, match="motion: found a kernel of sys, rate, x, work, expected sys, x, work as declared"):
        store_addresses({call_motion: ANSWERS[loop_calls.call_motion]})


@compiled
@pytest.mark.parametrize("entry", [ask_with_a_number, ask_with_too_few])
def test_arguments_that_do_not_fit_do_not_compile(entry):
    system = prepare_start(slider_crank(), formulation="semi-recursive").packed.system
    with pytest.raises((numba.core.errors.NumbaError, ValueError)):
        entry(system, make_work(system))


def test_the_scratch_of_a_tree_has_no_addresses():
    model = dal.Model("pendulum").add(dal.Body("rod", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1)),
                                      dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0)))
    work = make_linked_work(prepare_start(model).packed.system)
    assert not np.any([work.entries[name] for name in work.entries.dtype.names])


@compiled
def test_trees_neither_compile_nor_load_what_constrained_mechanisms_need():
    environment = dict(os.environ, MPLBACKEND="Agg")
    done = subprocess.run([sys.executable, "-c", TREE_RUN], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
