"""What Numba works out anew at every place of a kernel, remembered: the types of operators, and which settings are the same.

- The type of `a + b` is found by trying a dozen rules in turn, at every sum of every kernel, and again when it is lowered.
  It depends on the types of a and b alone: kernels have 20 000 such places and 400 different ones.
- Under which settings a function has been typed is found by comparing all settings one by one.  Those of kernels are few and
  hold a handful of values; they are compared as they are.

Together this takes a fifth off a cold compilation.  It is in force only while a kernel is compiled.
"""

import operator
from contextlib import contextmanager

from numba.core.compiler import Flags
from numba.core.types.functions import BaseFunction

OPERATORS = frozenset(function for function in vars(operator).values() if callable(function))

_known: dict = {}
"""(operator, types of its operands) -> signature."""
_find = BaseFunction.get_call_type


def _remembered(self, context, args, kws):
    """Return the signature of a function for some types, in the way of `BaseFunction.get_call_type`."""
    if kws or self.typing_key not in OPERATORS:
        return _find(self, context, args, kws)
    key = self, tuple(args)
    found = _known.get(key)
    if found is None:
        found = _find(self, context, args, kws)
        if self._impl_keys[found.args] is self.typing_key:  # a rule of its own, not a function compiled under some settings
            _known[key] = found
    return found


@contextmanager
def operators_remembered():
    """Look up the types of operators that have been found before."""
    before = BaseFunction.get_call_type
    BaseFunction.get_call_type = _remembered
    try:
        yield
    finally:
        BaseFunction.get_call_type = before


class KernelFlags(Flags):
    """Settings of a kernel's compilation, compared by what is set."""

    __slots__ = ()

    def __eq__(self, other):
        return self._values == other._values if isinstance(other, Flags) else NotImplemented

    def __hash__(self):
        return hash(frozenset(self._values))
