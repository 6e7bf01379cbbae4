"""Starts that were prepared lately: runs of one model that differ in their step, accuracy or end pack its tables once.

The text of a model says all of it, with numbers that read back exactly, but for functions and reduced bodies.  Models that
have neither are the same if their texts are; what is kept of them, frozen tables and states, is shared by their runs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace

from ..model.checked import CheckedModel
from .start import Start

MOST, LARGEST = 8, 300
"""Starts that are kept, of up to so many rates: the tables of larger models take a small part of a run."""
UNTOLD = ("{function: ", "{reduced body: ")
"""What the text of a model says where it does not say all."""

_PREPARED: OrderedDict[Hashable, Start] = OrderedDict()


def prepared(checked: CheckedModel, formulation: object, t: float, prepare: Callable[[], Start]) -> Start:
    """Return what `prepare()` returns, which for the same model, formulation and time [s] may be known."""
    key = (checked.text, checked.notes, formulation, t)
    if any(mark in checked.text for mark in UNTOLD) or not _is_hashable(key):
        return prepare()
    known = _PREPARED.get(key)
    if known is None:
        known = prepare()
        if len(known.qd) <= LARGEST:
            _PREPARED[key] = known
            while len(_PREPARED) > MOST:
                _PREPARED.popitem(last=False)
    else:
        _PREPARED[key] = _PREPARED.pop(key, known)
    return _copied(known)


def forget() -> None:
    """Keep no starts."""
    _PREPARED.clear()


def _is_hashable(key: tuple) -> bool:
    """Tell whether a formulation has no mapping of penalties, which may change."""
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _copied(start: Start) -> Start:
    """Return a start with a state of its own."""
    natural = start.natural and replace(start.natural, q=start.natural.q.copy(), qd=start.natural.qd.copy())
    return replace(start, q=start.q.copy(), qd=start.qd.copy(), natural=natural)
