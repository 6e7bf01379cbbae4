"""The scratch of a thread, with the addresses of the kernels of constrained mechanisms where a model needs them."""

import numpy as np

from ..codes import FormCode
from .compile.calls import COUNT, COUNTS, MATRIX, NUMBER, VECTOR, address_of, parameters_of
from .evaluate_loops import ANSWERS
from .loop_calls import CALLS
from .tables import System, Work, make_work

_ADDRESSES: dict[str, int] = {}
"""By call, once they are compiled; all systems have the same types."""


def make_linked_work(system: System) -> Work:
    """Allocate the scratch of one thread; if the system is constrained with addresses, which compiles or loads the kernels."""
    work = make_work(system)
    if system.constants[0].form != FormCode.TREE:
        for call in CALLS:
            if call.slot not in _ADDRESSES:
                _ADDRESSES[call.slot] = address_of(call, ANSWERS[call.slot], system, work)
            work.entries[call.slot] = _ADDRESSES[call.slot]
    return work


def linked_entries(system: System, work: Work) -> list[tuple]:
    """Return the kernels that are called by address with arguments of their types, for `prepare`."""
    example = {COUNT: 0, NUMBER: 0.0, VECTOR: np.zeros(0), MATRIX: np.zeros((0, 0)), COUNTS: np.zeros(0, np.int64)}
    bundles = {"sys": system, "work": work}
    return [(ANSWERS[call.slot], tuple(bundles[name] if name in bundles else example[kind]
                                       for name, kind in parameters_of(call.declared))) for call in CALLS]
