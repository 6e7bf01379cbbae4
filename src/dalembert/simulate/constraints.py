"""Constraints of a packed model seen from Python: violations, Jacobian, mass matrix, ranks and penalties."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..codes import RowCode, Status, TaskCode, TermCode
from ..kernels.constrained_terms import evaluate_terms
from ..kernels.door import enter, make_open_work
from ..kernels.saddle import STIFFNESS
from ..system.pack import Packed
from .status import error_of

RANK = 1e-8
"""Singular values of the scaled Jacobian below this fraction of the largest count as zero."""
ELASTIC_STIFFNESS = 1e3
"""Likewise relative to the stiffness of superelements."""
HANDED_ON = 2
"""Joints over which masses and stiffnesses are handed on."""
_MOVING_ROWS = (RowCode.POSITION, RowCode.DISTANCE, RowCode.SLIDE_SPEED)
_TURNING_ROWS = (RowCode.DIRECTION, RowCode.ANGLE, RowCode.TURN_SPEED)
LIGHT = 1e-6
"""Rows that move less than this fraction of the largest mass along a row count as moving none."""


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
        self.work = make_open_work(self.system)
        self.size = self.system.row["size"].copy()
        self.holonomic = self.system.row["rate_only"] == 0
        self.owner = np.repeat(np.arange(len(self.size)), self.system.row["count"])

    def evaluate(self, t: float, q: np.ndarray, qd: np.ndarray) -> Rows:
        """Evaluate all rows at a state."""
        n, work = len(qd), self.work
        if not len(self.system.row):
            return Rows(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, n)))
        status = enter(self.system, TaskCode.ROWS, t, q, qd, work)
        if status != Status.OK:
            raise error_of(status, self.packed, work.fail, t, 0.0)
        row = self.system.row
        J = np.zeros((len(row), n))
        J[self.owner, self.system.entry["column"]] = work.jacobian
        free_part = J @ qd
        rate = work.row["rate"].copy()
        return Rows(work.row["value"].copy(), rate, rate - free_part, J)

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
    size = abs(np.diag(R))
    rank = int(np.sum(size > RANK * max(size[0], 1e-300))) if len(size) and size[0] > 0 else 0
    return np.sort(pivot[:rank]), np.sort(pivot[rank:])


def with_penalties(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray) -> Packed:
    """Return the packed model, in joint or natural coordinates, with penalties from the masses that its rows move at a state.

    The mass along a row j is m = j D jᵀ / (j jᵀ)², D the diagonal of the mass matrix: [SEG (15)] made independent of the row's
    length.  Rows that move next to no mass take the median of the others.  Superelements give their interfaces masses, too,
    and stiffnesses, which are taken likewise; what is joined to an interface has to hold as much as the interface.
    """
    system = packed.system
    if not len(system.row):
        return packed
    work = make_open_work(system)
    enter(system, TaskCode.ROWS, t, q, qd, work)
    enter(system, TaskCode.MASS, t, q, qd, work)
    flexible = len(system.sup.element) > 0
    diagonal = work.mass[system.pattern.diagonal]
    mass = _along_rows(system, work, _even(system, diagonal) if flexible else diagonal)
    heavy = mass > (0.0 if flexible else LIGHT * np.max(mass, initial=0.0))
    row = system.row.copy()
    row["penalty"] = STIFFNESS * (np.where(heavy, mass, np.median(mass[heavy])) if np.any(heavy) else 1.0)
    if flexible:
        row["stiffness"] = ELASTIC_STIFFNESS * _along_rows(system, work, _even(system, _stiffness(system, t, q, work)))
    row.setflags(write=False)
    return replace(packed, system=system._replace(row=row))


def _along_rows(system, work, diagonal: np.ndarray) -> np.ndarray:
    """j D jᵀ / (j jᵀ)² of every row of the Jacobian in `work`."""
    owner = np.repeat(np.arange(len(system.row)), system.row["count"])
    square = work.jacobian**2
    length = np.bincount(owner, square, len(system.row))
    moved = np.bincount(owner, square * diagonal[system.entry["column"]], len(system.row))
    return np.divide(moved, length**2, out=np.zeros(len(length)), where=length > 0)


def _even(system, diagonal: np.ndarray) -> np.ndarray:
    """Return the diagonal with equal numbers for the components of a body's origin, and for those of its axes.

    A superelement resists spins only, and so not all components of the axes; their lengths have to be held all the same.
    A light body between an interface and a joint has to hold what the interface does: rows hand numbers on.
    """
    n = 12 * (len(system.body) - 1)
    bodies = diagonal[:n].reshape(-1, 12)
    even = np.zeros((len(system.body), 2))
    even[1:, 0], even[1:, 1] = np.mean(bodies[:, :3], axis=1), np.sum(bodies[:, 3:], axis=1) / 3.0
    handed = np.zeros_like(even)
    handed[system.sup.face] = even[system.sup.face]
    for _ in range(HANDED_ON):
        before = handed.copy()
        for kind, codes in enumerate((_MOVING_ROWS, _TURNING_ROWS)):
            row = system.row[np.isin(system.row["code"], codes) & (system.row["a"] > 0) & (system.row["b"] > 0)]
            np.maximum.at(handed[:, kind], row["a"], before[row["b"], kind])
            np.maximum.at(handed[:, kind], row["b"], before[row["a"], kind])
    handed[system.sup.face] = 0.0
    even = np.maximum(even, handed)
    return np.concatenate([np.repeat(even[1:], (3, 9), axis=1).ravel(), diagonal[n:]])


def _stiffness(system, t: float, q: np.ndarray, work) -> np.ndarray:
    """Diagonal of the stiffness of forces and superelements in natural coordinates, at rest."""
    still = np.zeros_like(q)
    arguments = (t, q, still, still, np.zeros_like(q))
    work.factors.A[:] = 0.0
    for task in (TermCode.GAPS, TermCode.NEEDED, TermCode.TANGENT):
        status = evaluate_terms(system, task.value, 0, *arguments, np.zeros_like(q), 1.0, 0.0, work.no_matrix, work.no_pivot,
                                work)
        if status != Status.OK:
            return still
    return np.maximum(work.factors.A[system.pattern.diagonal] - work.mass[system.pattern.diagonal], 0.0)
