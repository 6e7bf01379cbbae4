"""What functions a law may be: packing counts parameters as the check of the model does."""

from functools import partial
from math import sin

import numpy as np
import pytest

from dalembert.codes import LawCode
from dalembert.kernels.laws import place_count
from dalembert.model.laws import argument_count, law
from dalembert.system.pack_laws import LawTable


class Callable:
    """An object that can be called."""

    def __call__(self, t):
        """Return twice the time."""
        return 2.0 * t


FUNCTIONS = {
    "plain": lambda t: 2.0 * t,
    "a default beside": lambda t, k=2.0: k * t,
    "only a default": lambda t=0.0: 2.0 * t,
    "partial": partial(lambda k, t: k * t, 2.0),
    "partial by name": partial(lambda t, k: k * t, k=2.0),
    "object": Callable(),
    "of state": lambda t, x, v: 2.0 * t + 0.0 * x,
    "of a point": lambda t, x, y, z, vx, vy, vz: 2.0 * t + 0.0 * vz,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_that_the_check_accepts_can_be_called(name):
    function = FUNCTIONS[name]
    assert argument_count(function) in (1, 3, 7)
    table = LawTable()
    assert table._guarded(function)(3.0, *[0.0] * (place_count(argument_count(function)) - 1)) == 6.0
    assert table.errors == []


def test_functions_of_the_library():
    for function in (sin, np.sin):
        assert LawTable()._guarded(function)(0.5, 0.0, 0.0) == sin(0.5)


def test_rows_are_numbered_and_functions_kept_alive():
    table = LawTable()
    assert [table.add(each) for each in (1.0, lambda t: t, law(lambda t: t))] == [0, 1, 2]
    rows, knots = table.tables()
    assert len(rows) == 3 and len(knots) == 0 and len(table.keep) == 2
    assert rows["address"][0] == 0 and all(rows["address"][1:] != 0)


@pytest.mark.parametrize("wrap", [lambda f: f, law], ids=["plain", "compiled"])
def test_the_number_of_parameters_decides_on_the_kind(wrap):
    table = LawTable()
    for function in (lambda t: t, lambda t, x, v: t, lambda t, x, y, z, vx, vy, vz: t):
        table.add(wrap(function))
    assert list(table.tables()[0]["code"]) == [LawCode.FUNCTION, LawCode.FUNCTION, LawCode.POINT_FUNCTION]
