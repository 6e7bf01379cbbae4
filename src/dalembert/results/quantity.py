"""What a channel is made of: a unit, labels of components, and a function of the run's arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..system.layout import Layout

XYZ = (("x", "y", "z"),)
WXYZ = (("w", "x", "y", "z"),)


class Source(Protocol):
    """Where the arrays of a run come from: ``array(name)`` has one row per frame."""

    layout: Layout

    def array(self, name: str) -> np.ndarray:
        """Return an array of `tables.FRAMES` or `tables.TABLES`."""


Take = Callable[[Source, Any], np.ndarray]
"""Function of a run's arrays and an entry, (nf, ...)."""
Shown = tuple[tuple[tuple[str, ...], ...], Take]
"""Labels of the components along each axis after the first, and the function."""


@dataclass(frozen=True)
class Quantity:
    """Unit, labels of the components along each axis after the first, and ``value(source, entry)``."""

    unit: str
    components: tuple[tuple[str, ...], ...]
    value: Take


def reaction(columns: slice | int) -> Take:
    """Take columns of the reaction table; an entry begins with the number of its row there."""
    return lambda source, entry: source.array("reaction")[:, entry[0], columns]
