"""What a simulation asks of what carries its state: a loop inside the kernels, or a solver with a long past."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..kernels.tables import Work
from ..results.stats import Stats
from .integrators import Integrator

Progress = Callable[[float, float, float, int], Any]
"""``progress(t, until, step, steps)``."""


class Interrupt(Protocol):
    """What may ask a simulation to stop."""

    @property
    def asked(self) -> bool:
        """Whether it does."""


class Carrier(Protocol):
    """A state on its way, and the frames that it has recorded."""

    work: Work

    @property
    def integrator(self) -> Integrator:
        """The method."""

    @property
    def t(self) -> float:
        """Time reached [s]."""

    @property
    def step(self) -> float:
        """The last step [s]."""

    @property
    def steps(self) -> int:
        """Number of steps."""

    @property
    def failure(self) -> np.ndarray:
        """Where a failure arose, as `Work.fail`."""

    @property
    def fastest(self) -> np.ndarray:
        """What the smallest step belongs to, as `Work.fail`."""

    def entries(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """Return the kernels needed, with arguments of their types."""

    def go_to(self, until: float) -> None:
        """Set the time at which the next advance ends [s]."""

    def advance(self, chunk: int) -> int:
        """Take up to `chunk` steps and return the status."""

    def present(self) -> dict[str, np.ndarray]:
        """Return the present state as a frame."""

    def take_frames(self) -> dict[str, np.ndarray]:
        """Return the frames recorded since the last call."""

    def crossings(self) -> list[tuple[int, float, int]]:
        """Return switch, time and direction of the crossings since the last call."""

    def stats(self, seconds: float) -> Stats:
        """Return the counts of the run."""
