"""The kernel's side of a run, without running."""

import gc
import weakref

import numpy as np

import dalembert as dal
from dalembert.simulate.integrators import BY_NAME
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start


class Law:
    """A law that can be watched while others let go of it."""

    def __call__(self, t):
        """Return a constant effort."""
        return 1.0


def make_loop(model, name="dopri5"):
    """Return a loop and nothing else that belongs to it."""
    options = RunOptions(1.0, None, 1e-6, name, "auto", None)
    return Loop(prepare_start(model), BY_NAME[name], options, np.zeros(1))


def test_a_loop_owns_the_laws_whose_addresses_it_hands_to_the_kernel():
    """Else the kernel calls a freed function and the interpreter crashes."""
    law = Law()
    m = dal.Model("m").add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b"), dal.Motor("m", "x", effort=law))
    loop, watched = make_loop(m), weakref.ref(law)
    del m, law
    gc.collect()
    assert watched() is not None
    assert loop.t == 0.0


def test_changing_the_method_keeps_the_state():
    m = dal.Model("m").add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b", start=0.3))
    loop = make_loop(m)
    before = loop.flow.q.copy()
    loop.change_method(BY_NAME["generalized-alpha"])
    assert np.array_equal(loop.flow.q, before) and loop.integrator.name == "generalized-alpha"
