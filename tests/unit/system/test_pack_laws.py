"""What functions a law may be: packing counts parameters as the check of the model does."""

import sys
from functools import partial
from math import sin
from typing import NamedTuple

import numba
import numpy as np
import pytest

from dalembert.codes import LawCode
from dalembert.kernels.force.laws import place_count
from dalembert.model.laws import argument_count, law
from dalembert.system.pack_laws import LawTable, _globals_read

SLOPE = 1.0


class Gains(NamedTuple):
    """Values that a law may read."""

    p: float
    d: np.ndarray


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
    """Globals and enclosing variables count, contents of arrays too, and what can change unseen is compiled anew."""
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
    assert compiled(shaken)[0] is kept
    values[0] = 4.0
    assert compiled(shaken)[0] is not kept and value(compiled(shaken)[0], 2.0) == 8.0
    changing = [1.0, 2.0]
    unseen = lambda t: changing[0] * t
    assert _globals_read(unseen) is None


def test_what_a_law_reads_is_described_by_kind_and_contents(monkeypatch):
    """1 is not 1.0, named tuples and compiled functions are known, and comprehensions read from outside as well."""
    here = sys.modules[_slanted.__module__]
    monkeypatch.setattr(here, "SLOPE", 1.0)
    before = _globals_read(_slanted)
    assert _globals_read(_slanted) == before
    monkeypatch.setattr(here, "SLOPE", 1)
    assert _globals_read(_slanted) != before
    inner = lambda t: sum([SLOPE * x for x in (t, t)])
    before = _globals_read(inner)
    monkeypatch.setattr(here, "SLOPE", 7)
    assert _globals_read(inner) != before
    gains, half = Gains(2.0, np.array([3.0])), numba.njit(lambda x: 0.5 * x)
    control = lambda t: half(gains.p * t + gains.d[0])
    before = _globals_read(control)
    assert before is not None and _globals_read(control) == before
    gains.d[0] = 4.0
    assert _globals_read(control) != before


def _slanted(t):
    return SLOPE * t
