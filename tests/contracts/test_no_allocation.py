"""The step loops allocate nothing: Numba's own counters stand still while steps are taken."""

import numpy as np
import pytest
from physics.states import random_case

from dalembert.codes import Status
from dalembert.simulate.arguments import RunOptions
from dalembert.simulate.integrators import BY_NAME
from dalembert.simulate.loop import Loop

numba = pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def counters():
    """Switch Numba's allocation counters on for the test."""
    from numba.core.runtime import _nrt_python

    if numba.config.DISABLE_JIT:
        pytest.skip("counts compiled code only")
    was_on = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not was_on:
        _nrt_python.memsys_disable_stats()


def allocations(loop, steps):
    """Return what the runtime allocates while a number of steps is taken."""
    from numba.core.runtime import rtsys

    before, first = rtsys.get_allocation_stats(), loop.steps
    assert loop.advance(steps) in (Status.CHUNK_DONE, Status.OK)
    assert loop.steps - first == steps
    after = rtsys.get_allocation_stats()
    return after.alloc - before.alloc, after.mi_alloc - before.mi_alloc


def make_loop(name, step):
    """Return a loop over a tree of all joints and forces that records now and then, and what owns its laws."""
    case = random_case(2, 9, motions=True)
    options = RunOptions(10.0, step, 1e-6, name, "auto", None)
    return Loop(case.begin, BY_NAME[name], options, np.linspace(0, 10.0, 100_001)), case


@pytest.mark.parametrize("name, step", [("dopri5", None), ("rk4", 1e-3), ("semi-implicit-euler", 1e-3),
                                        ("generalized-alpha", None), ("generalized-alpha", 1e-3), ("hht", 1e-3),
                                        ("radau", 1e-3)])
def test_twice_the_steps_allocate_the_same(name, step):
    """Whatever a call itself needs (its arguments' wrappers) does not depend on the number of steps."""
    loop, _owner = make_loop(name, step)
    allocations(loop, 5)
    loop.take_frames()
    once = allocations(loop, 20)
    loop.take_frames()
    twice = allocations(loop, 40)
    assert once == twice
