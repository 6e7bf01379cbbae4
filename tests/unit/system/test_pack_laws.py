"""What functions a law may be: packing counts parameters as the check of the model does."""

import sys
from functools import partial
from math import sin

import numpy as np
import pytest

from dalembert.codes import LawCode
from dalembert.kernels.force.laws import place_count
from dalembert.model.laws import argument_count, law
from dalembert.system.pack_laws import LawTable

SLOPE = 1.0


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


def compiled(function):
    """What a table keeps of a compiled law: the compiled function, and its address."""
    table = LawTable()
    table.add(law(function))
    return table.keep[0], int(table.tables()[0]["address"][0])


def value(kept, t):
    """Value of a kept law of time, with and without the compiler."""
    return getattr(kept, "ctypes", kept)(t, 0.0, 0.0)


def test_a_law_is_compiled_once_unless_what_it_reads_changes(monkeypatch):
    """Globals and enclosing variables count, and what can change unseen is compiled anew."""
    here = sys.modules[_slanted.__module__]
    monkeypatch.setattr(here, "SLOPE", 2.0)
    first, address = compiled(_slanted)
    assert compiled(_slanted) == (first, address) and value(first, 3.0) == 6.0
    monkeypatch.setattr(here, "SLOPE", 5.0)
    again, _ = compiled(_slanted)
    assert again is not first and value(again, 3.0) == 15.0
    values = np.array([1.0])
    shaken = lambda t: values[0] * t
    kept = compiled(shaken)[0]
    values[0] = 4.0
    assert compiled(shaken)[0] is not kept


def _slanted(t):
    return SLOPE * t
