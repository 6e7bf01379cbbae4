"""Constraints of a packed model seen from Python: violations, Jacobian, mass matrix, ranks and penalties."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..codes import Status
from ..kernels.constrained import eval_constrained_state
from ..kernels.semi_recursive import add_tree_mass
from ..kernels.tables import make_work
from ..system.pack import Packed
from .status import error_of

RANK = 1e-8
"""Singular values of the scaled Jacobian below this fraction of the largest count as zero."""
STIFFNESS = 1e6
"""Penalty of a row relative to the mass that it moves."""


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

    def __init__(self, packed: Packed):
        self.packed, self.system = packed, packed.system
        self.work = make_work(self.system)
        self.size = self.system.row["size"].copy()
        self.holonomic = self.system.row["rate_only"] == 0

    def evaluate(self, t: float, q: np.ndarray, qd: np.ndarray) -> Rows:
        """Evaluate all rows at a state."""
        n, work = len(qd), self.work
        status = eval_constrained_state(self.system, t, q, qd, np.zeros(n), work)
        if status != Status.OK:
            raise error_of(status, self.packed, work.fail, t, 0.0)
        row = self.system.row
        J = np.zeros((len(row), n))
        owner = np.repeat(np.arange(len(row)), row["count"])
        J[owner, self.system.entry["column"]] = work.jacobian
        free_part = J @ qd
        rate = work.row["rate"].copy()
        return Rows(work.row["value"].copy(), rate, rate - free_part, J)

    def mass_matrix(self) -> np.ndarray:
        """Return the mass matrix (n_v, n_v) at the state evaluated last; driven rates have those of the identity."""
        pattern, place = self.system.pattern, self.system.mass_place
        values = np.zeros(len(pattern.A_row) + 1)
        add_tree_mass(self.system, place, values, self.work)
        n = len(pattern.order)
        M = np.zeros((n, n))
        column = np.repeat(np.arange(n), np.diff(pattern.A_first))
        i, j = pattern.order[pattern.A_row], pattern.order[column]
        M[i, j] = values[:-1]
        M[j, i] = values[:-1]
        return M


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
    size = abs(np.diag(R))
    rank = int(np.sum(size > RANK * max(size[0], 1e-300))) if len(size) and size[0] > 0 else 0
    return np.sort(pivot[:rank]), np.sort(pivot[rank:])


def with_penalties(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray) -> Packed:
    """Return the packed model with penalties from the masses that its rows move at a state.

    The mass along a row j is m = j M jᵀ / (j jᵀ)² [SEG (15), made independent of the row's length]; rows that move nothing with
    mass take the largest.
    """
    if not len(packed.system.row):
        return packed
    constraints = Constraints(packed)
    J = constraints.evaluate(t, q, qd).jacobian
    M = constraints.mass_matrix()
    length = np.einsum("rk,rk->r", J, J)
    moved = np.einsum("rk,rk->r", J @ M, J)
    with np.errstate(divide="ignore", invalid="ignore"):
        mass = np.where(length > 0, moved / length**2, 0.0)
    top = max(float(mass.max()), 1e-300) if np.any(mass > 0) else 1.0
    row = packed.system.row.copy()
    row["penalty"] = STIFFNESS * np.where(mass > 1e-6 * top, mass, np.median(mass[mass > 1e-6 * top]) if np.any(mass > 0) else top)
    row.setflags(write=False)
    return replace(packed, system=packed.system._replace(row=row))
