"""Methods of time integration as kernels take them: functions with the arguments that their calls are declared with."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.kernels.compile.calls import check_answer
from dalembert.kernels.step.method import CALLS, FUNCTIONS
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.simulate.integrators import BY_NAME
from dalembert.simulate.loop import Loop
from dalembert.simulate.methods import EXPLICIT, IMPLICIT, SIMULTANEOUS, functions_of
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
