"""Methods of time integration as kernels take them: functions with the arguments that their calls are declared with."""

import numba
import numpy as np
import pytest

import dalembert as dal
from dalembert.kernels.compile.calls import check_answer
from dalembert.kernels.step.method import CALLS, FUNCTIONS
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.simulate.integrators import BY_NAME
from dalembert.simulate.loop import Loop
from dalembert.simulate.methods import EXPLICIT, IMPLICIT, SIMULTANEOUS, functions_of
from dalembert.simulate.unilateral import prepare_contacts
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start


@pytest.mark.parametrize("functions", [EXPLICIT, IMPLICIT, SIMULTANEOUS])
def test_functions_stand_in_the_order_of_their_calls(functions):
    assert FUNCTIONS.names == tuple(call.slot for call in CALLS)
    for call, function in zip(CALLS, functions, strict=True):
        check_answer(call, function)
        assert function.__name__.startswith(call.slot)


def test_a_function_of_other_arguments_is_refused():
    with pytest.raises(TypeError, match="begin: found a kernel of sys, q, qd, work, expected sys, opt, method, flow, t1"):
        check_answer(CALLS[0], eval_motion)


@pytest.mark.parametrize("name", ["dopri5", "generalized-alpha", "radau"])
def test_the_loop_calls_the_functions_of_its_method(name):
    begin = prepare_start(dal.Model("one").add(dal.Body("b", mass=1.0), dal.Prismatic("j", "ground", "b")))
    loop = Loop(begin, BY_NAME[name], RunOptions(0.1, None, 1e-6, name, "auto", None), np.zeros(1))
    assert not any(loop.method.functions[0])
    loop.advance(1)
    found = loop.method.functions[0]
    assert len(set(found.tolist())) == len(functions_of(BY_NAME[name])) and all(found)


def balls(*contacts, **limits):
    """Return two balls, one on a rail, and what is added to them."""
    m = dal.Model("balls")
    for name in ("one", "two"):
        m.add(dal.Body(name, mass=1.0, inertia=dal.inertia_sphere(1.0, 0.1)))
    return m.add(dal.Prismatic("rail", "ground", "one", axis=(0, 0, 1), start=1.0, **limits),
                 dal.Free("free", "ground", "two", start=(1, 0, 1, 1, 0, 0, 0)), *contacts)


FLOOR = dal.Contact("floor", dal.Sphere("one", radius=0.1), dal.Plane("ground"))
GROUP = dal.ContactGroup("both", (dal.Sphere("one", radius=0.1), dal.Sphere("two", radius=0.1)))
PLAIN, TOUCHING = balls(), {"contact": balls(FLOOR), "limit": balls(limits=(-5.0, 5.0)), "group": balls(GROUP)}


def types_of(model, name, step, formulation="auto"):
    """Return the types of what the time loop takes."""
    options = RunOptions(0.1, step, 1e-6, name, formulation, None)
    begin = prepare_start(model, formulation=formulation)
    if begin.packed.touching:
        begin = prepare_contacts(begin, BY_NAME[name], options, None)
    return [numba.typeof(argument) for argument in Loop(begin, BY_NAME[name], options, np.zeros(1)).arguments()]


@pytest.mark.parametrize("kind, name, step, formulation", [
    ("contact", "dopri5", None, "auto"), ("contact", "generalized-alpha", 1e-3, "global"), ("contact", "moreau", 1e-3, "auto"),
    ("limit", "generalized-alpha", 1e-3, "auto"), ("group", "moreau", 1e-3, "auto")])
def test_contacts_change_no_type_so_that_nothing_is_compiled_for_them(kind, name, step, formulation):
    assert types_of(TOUCHING[kind], name, step, formulation) == types_of(PLAIN, "dopri5", None)
    assert types_of(PLAIN, name, step) == types_of(PLAIN, "dopri5", None)
