"""Constraints of a packed model seen from Python: violations, Jacobian, mass matrix and ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import Status
from ..kernels.linked_work import eval_constraints, make_linked_work
from ..kernels.tables import Work
from ..system.pack import Packed
from .status import error_of

RANK = 1e-8
"""Singular values of the scaled Jacobian below this fraction of the largest, or of one, count as zero.

Relative to the sizes of rows and coordinates, a row that holds anything has entries of about one, those of small levers less.
Where nothing at all is held, as by the second hinge of a door, the largest one is made of rounding errors itself.
"""


@dataclass(frozen=True)
class Rows:
    """Constraint rows at a state.

    Attributes
    ----------
    value, rate : (m,) float
        Violations and their time derivatives; rows that bind rates only have the value zero.
    time_rate : (m,) float
        Part of the rate that laws and drives make.
    jacobian : (m, n_v) float
        By the undriven rates.
    """

    value: np.ndarray
    rate: np.ndarray
    time_rate: np.ndarray
    jacobian: np.ndarray


class Constraints:
    """Constraint rows of a packed model in joint coordinates."""

    def __init__(self, packed: Packed, work: Work | None = None):
        self.packed, self.system = packed, packed.system
        self.work = work or make_linked_work(self.system)
        self.size = self.system.row["size"].copy()
        self.holonomic = self.system.row["rate_only"] == 0
        self.owner = np.repeat(np.arange(len(self.size)), self.system.row["count"])

    def evaluate(self, t: float, q: np.ndarray, qd: np.ndarray) -> Rows:
        """Evaluate all rows at a state."""
        n, work = len(qd), self.work
        if not len(self.system.row):
            return Rows(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, n)))
        status = eval_constraints(self.system, float(t), q, qd, work)
        if status != Status.OK:
            raise error_of(status, self.packed, work.fail, t, 0.0)
        row = self.system.row
        J = np.zeros((len(row), n))
        J[self.owner, self.system.entry["column"]] = work.jacobian
        free_part = J @ qd
        rate = work.row["Phid"].copy()
        return Rows(work.row["Phi"].copy(), rate, rate - free_part, J)

    def full_jacobian(self, t: float, q: np.ndarray) -> np.ndarray:
        """Return the Jacobian (m, n_v) by all rates, driven ones included."""
        n = self.packed.layout.n_v
        still = self.evaluate(t, q, np.zeros(n))
        J = still.jacobian
        for v in np.flatnonzero(self.system.dof["drive"] >= 0):
            J[:, v] = self.evaluate(t, q, np.eye(n)[v]).rate - still.rate
        return J


def independent_rows(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split rows (m, n), scaled alike, into independent ones and redundant ones, by elimination with pivots.

    Returns
    -------
    independent, redundant : int arrays
        Row numbers, the independent ones in the order of their importance.
    """
    from scipy.linalg import qr

    if J.size == 0:
        return np.zeros(0, int), np.arange(len(J))
    R, pivot = qr(J.T, mode="r", pivoting=True)
    rank = rank_of(abs(np.diag(R)))
    return np.sort(pivot[:rank]), np.sort(pivot[rank:])


def rank_of(sizes: np.ndarray, tolerance: float = RANK) -> int:
    """Return how many singular values or pivots of a scaled Jacobian are not made of rounding errors."""
    return int(np.sum(sizes > tolerance * np.max(sizes, initial=1.0)))


def least_solution(A: np.ndarray, b: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """Return the least x (n, ...) that brings A x next to b, for a scaled Jacobian A (m, n) or its transpose."""
    left, sizes, right = np.linalg.svd(A, full_matrices=False)
    rank = rank_of(sizes, tolerance)
    along = left[:, :rank].T @ b
    out: np.ndarray = right[:rank].T @ (along.T / sizes[:rank]).T
    return out
