"""What a run or an analysis begins with: a packed model and its state at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import FormCode
from ..system.pack import Packed
from .formulations import Formulation
from .natural import NaturalStart
from .state import State, state_of


@dataclass(frozen=True)
class Start:
    """A packed model with its state at time `t` [s] (tree coordinates), what the check noted and what had to be moved.

    `natural` holds the same in natural coordinates if the formulation takes them.  `slack` (n_v,) is 1 for rates that can
    change without inertia, `massless_rates` (m,) are the independent ones,
    `motions` (m, n_v) how the others go along, and `fastest` the largest rate of decay along them [1/s].
    """

    packed: Packed
    q: np.ndarray
    qd: np.ndarray
    messages: tuple[str, ...]
    formulation: Formulation
    slack: np.ndarray
    massless_rates: np.ndarray
    motions: np.ndarray
    t: float
    natural: NaturalStart | None = None
    fastest: float = 0.0

    @property
    def has_rows(self) -> bool:
        """True if the formulation carries constraints: superelements between bodies need not."""
        if self.packed.system.constants[0].form == FormCode.TREE:
            return False
        return not self.packed.has_superelements or len(self.packed.system.row) > 0

    @property
    def shown(self) -> Packed:
        """Tables in whose coordinates results are given: those of the tree, with superelements followed by their modes."""
        return self.natural.packed if self.natural and self.natural.packed.has_superelements else self.packed

    def with_modes(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and rates of the tree as results give them; modes are those of the start."""
        count = self.shown.layout.n_q - len(q)
        if not count or self.natural is None:
            return q, qd
        return np.concatenate([q, self.natural.q[-count:]]), np.concatenate([qd, self.natural.qd[-count:]])

    @property
    def state(self) -> State:
        """The state by name."""
        return state_of(self.shown, self.t, *self.with_modes(self.q, self.qd))

    @property
    def massless(self) -> int:
        """Number of independent directions without inertia."""
        return len(self.massless_rates)
