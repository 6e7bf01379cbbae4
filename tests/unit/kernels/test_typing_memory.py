"""What the compiler remembers is what it would find, and it remembers only while a kernel is compiled."""

import operator
from itertools import product

import pytest
from numba import types
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from dalembert.kernels.compile.typing_memory import KernelFlags, operators_remembered

OPERANDS = (types.int64, types.float64, types.boolean, types.literal(3), types.Array(types.float64, 1, "C"))


def typed(function, operands):
    """Signature that Numba finds, or None."""
    context = cpu_target.typing_context
    context.refresh()
    kind = context.resolve_value_type(function)
    try:
        return kind.get_call_type(context, operands, {})
    except Exception:  # whatever Numba raises for operands that do not fit
        return None


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.truediv, operator.lt, operator.getitem])
def test_operators_have_the_types_that_the_compiler_finds(function):
    """The first time and when they are remembered; operands that do not fit stay a failure."""
    for operands in product(OPERANDS, repeat=2):
        found = typed(function, operands)
        with operators_remembered():
            assert typed(function, operands) == found
            assert typed(function, operands) == found


def test_nothing_is_left_behind():
    """Numba types in its own way outside of kernels, also after a failure."""
    before = BaseFunction.get_call_type
    with pytest.raises(ArithmeticError), operators_remembered():
        assert BaseFunction.get_call_type is not before
        raise ArithmeticError
    assert BaseFunction.get_call_type is before


def test_settings_are_equal_if_the_same_is_set():
    """Copies are equal and of the same kind; a setting more or another value makes a difference."""
    plain = KernelFlags(Flags())
    set_one, set_other = plain.copy(), plain.copy()
    set_one.nrt, set_other.nrt = True, False
    assert isinstance(set_one, KernelFlags) and set_one.copy() == set_one and hash(set_one.copy()) == hash(set_one)
    assert len({plain, set_one, set_other}) == 3
    assert set_one == Flags(set_one)
