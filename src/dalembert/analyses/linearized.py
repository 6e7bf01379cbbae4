"""Linearised equations of motion about a state, and what their coordinates are called."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..start.start import Start
from ..system.layout import Layout


@dataclass(frozen=True)
class Linearized:
    """Linearised equations of motion M x'' + C x' + K x = 0 about a state.

    Attributes
    ----------
    mass, damping, stiffness : (n, n) float
        In the free rates of the tree (driven ones are left out), with loops in as many independent ones as there are degrees
        of freedom; x are small changes of their coordinates, for ball and free joints small rotations in the joint's fixed
        axes.
    names : tuple of str
        ``"joint.coordinate"`` of each row.
    t : float
        Time [s].
    layout : Layout
    free : (n,) int
        Rate numbers of the rows.
    motions : (n_v, n) float
        How all rates go along with a unit change of each x.
    begin : Start
        The packed model.
    q : (n_q,) float
        Coordinates of the tree at the state.
    """

    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    names: tuple[str, ...]
    t: float
    layout: Layout = field(repr=False)
    free: np.ndarray
    motions: np.ndarray
    begin: Start = field(repr=False)
    q: np.ndarray = field(repr=False)

    @property
    def state_matrix(self) -> np.ndarray:
        """A (2n, 2n) of d/dt (x, x') = A (x, x'); needs inertia in every direction."""
        n = len(self.names)
        inverse = np.linalg.solve(self.mass, np.hstack([-self.stiffness, -self.damping])) if n else np.zeros((0, 0))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), inverse])
