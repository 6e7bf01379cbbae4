"""How a run reports its progress, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Progress = Callable[[float, float, float, int], Any]
"""``progress(t, until, step, steps)``."""


class Interrupt(Protocol):
    """What may ask a simulation to stop."""

    @property
    def asked(self) -> bool:
        """Whether it does."""
