"""Small motions that the constraints of a mechanism leave free, and its equations of motion reduced to them.

With the Jacobian J of the constraint rows, motions are x = Z y with J Z = 0.  Along a motion of the mechanism Z changes, so
that x' = Z y' + Z' y and x'' = Z y'' + 2 Z' y' + Z'' y, and M x'' + C x' + K x + Jᵀ dλ = 0 becomes
    Zᵀ M Z y'' + Zᵀ (C Z + 2 M Z') y' + Zᵀ (K Z + C Z' + M Z'') y = 0                              (1)
    J Z' = -J' Z,   J Z'' = -J'' Z - 2 J' Z'                                                       (2)
K holds the curvature of the rows times their multipliers λ.  Z has unit rows at independent rates, which y therefore are, and
Z', Z'' are zero there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..codes import Status
from ..kernels.evaluate import eval_accelerations, eval_loaded_residual
from ..kernels.linearize import eval_matrices
from ..kernels.linked_work import make_linked_work
from ..kernels.tree.inverse import eval_mass_matrix
from ..kernels.tree.kinematics import eval_motion
from ..kernels.tree.state import move
from ..system.pack import Packed
from .constraints import RANK, Constraints, least_solution, rank_of
from .status import error_of

DIFFERENCE = 2e-3
"""Motion between two neighbours that differentiate a Jacobian, relative to the sizes of the coordinates: an error of fourth
order and rounding in second differences are then equally small."""


class Equations:
    """Residual and matrices of a packed model, with loads Jᵀ λ of its constraint rows for given multipliers λ (m,)."""

    def __init__(self, packed: Packed):
        self.packed, self.system, self.n = packed, packed.system, packed.layout.n_v
        self.work = make_linked_work(packed.system)
        self.free = packed.system.dof["drive"] < 0

    def residual(self, t: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, multipliers: np.ndarray | float
                 ) -> np.ndarray:
        """Return M qdd + bias - efforts + Jᵀ λ (n_v,)."""
        out = np.zeros(self.n)
        self._load(multipliers)
        self._done(eval_loaded_residual(self.system, t, q, qd, qdd, np.zeros(self.n), out, self.work), t)
        return out

    def matrices(self, t: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, multipliers: np.ndarray | float
                 ) -> tuple[np.ndarray, ...]:
        """Return M, C, K (n_v, n_v): derivatives of the residual, rows and columns of driven rates zero."""
        n = self.n
        M, C, K = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        self._load(multipliers)
        self._done(eval_matrices(self.system, t, q, qd, qdd, np.zeros(n), M, C, K, self.work), t)
        return M, C, K

    def accelerations(self, t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations (n_v,) and multipliers (m,) of a state; drives are set in place."""
        qdd = np.zeros(self.n)
        self.work.row["pen"] = self.system.row["penalty"]
        self._done(eval_accelerations(self.system, t, q, qd, qdd, np.zeros(self.n), self.work), t)
        return qdd, self.work.row["lam_now"].copy()

    def _load(self, multipliers: np.ndarray | float) -> None:
        self.work.row["lam"], self.work.row["pen"] = multipliers, 0.0

    def _done(self, status: int, t: float) -> None:
        if status != Status.OK:
            raise error_of(status, self.packed, self.work.fail, t, 0.0)


def scaled(packed: Packed, J: np.ndarray) -> np.ndarray:
    """Return a Jacobian (m, n_v) relative to the sizes of rows and coordinates."""
    out: np.ndarray = J * packed.system.dof["q_scale"] / packed.system.row["size"][:, None]
    return out


def null_space(packed: Packed, J: np.ndarray, free: np.ndarray | None = None) -> np.ndarray:
    """Return an orthonormal basis Z (n_v, f) of the motions with J Z = 0; zero in rates that are not `free` (n_v,)."""
    free = packed.system.dof["drive"] < 0 if free is None else free
    Z = np.eye(len(free))[:, free]
    if not J.size or not Z.size:
        return Z
    _, sizes, right = np.linalg.svd(scaled(packed, J)[:, free])
    rank = rank_of(sizes)
    if rank == 0:
        return Z
    basis, _ = np.linalg.qr(packed.system.dof["q_scale"][free, None] * right[rank:].T)
    out: np.ndarray = Z @ basis
    return out


def calmest_rates(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return rates of least kinetic energy among those that meet the rows as qd (n_v,) does.

    Drives, rates that are `given` (n_v,) and those that no row binds stay.
    """
    J = Constraints(packed).evaluate(t, q, qd).jacobian
    free = (packed.system.dof["drive"] < 0) & ~given & np.any(J, axis=0)
    Z = null_space(packed, J, free)
    if not np.any(free) or not Z.shape[1]:
        return qd
    M, work = np.zeros((len(qd), len(qd))), make_linked_work(packed.system)
    eval_motion(packed.system, q, qd, work)
    eval_mass_matrix(packed.system, M, work)
    inertia = Z.T @ M @ Z
    out: np.ndarray = qd - Z @ np.linalg.lstsq(inertia, Z.T @ M @ qd, rcond=RANK)[0]
    return out


def find_multipliers(packed: Packed, J: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Return the least multipliers (m,), relative to the sizes of their rows, that balance a residual (n_v,) best."""
    if not J.size:
        return np.zeros(len(J))
    size, scale = packed.system.row["size"], packed.system.dof["q_scale"]
    out: np.ndarray = least_solution(scaled(packed, J).T, -scale * residual) / size
    return out


def independent_rates(packed: Packed, Z: np.ndarray) -> np.ndarray:
    """Return the rates (f,), ascending, that tell the motions Z (n_v, f) apart best."""
    from scipy.linalg import qr

    if Z.shape[1] == 0:
        return np.zeros(0, int)
    _, pivot = qr((Z / packed.system.dof["q_scale"][:, None]).T, mode="r", pivoting=True)
    return np.sort(pivot[:Z.shape[1]])


def spin_matrix(packed: Packed, rates: np.ndarray) -> np.ndarray:
    """Return W (n_v, n_v) with (W x) = w x phi for every ball, w its part of the rates and phi its part of x.

    The rates of a ball change by phi' - w x phi when it turns by phi in its fixed axes.
    """
    W = np.zeros((len(rates), len(rates)))
    for v in packed.system.quaternion["v"]:
        x, y, z = rates[v:v + 3]
        W[v:v + 3, v:v + 3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return W


def jacobian_rates(constraints: Constraints, t: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
                   ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return J, J' and J'' (m, n_v) along a motion, by central differences of fourth order.

    Two derivatives of a Jacobian depend on position, rates and accelerations of the motion only: any path will do that
    shares them.
    """
    system, still = constraints.system, np.zeros(len(qd))
    scale = system.dof["q_scale"]
    pace = max(np.max(abs(qd) / scale, initial=0.0), np.sqrt(np.max(abs(qdd) / scale, initial=0.0)))
    J = constraints.evaluate(t, q, still).jacobian
    if pace == 0.0:
        return J, np.zeros_like(J), np.zeros_like(J)
    h = DIFFERENCE / pace

    def near(s: float) -> np.ndarray:
        moved = np.empty_like(q)
        move(system, q, s * qd + 0.5 * s * s * qdd, moved)
        return constraints.evaluate(t + s, moved, still).jacobian

    a, b, c, d = near(-2 * h), near(-h), near(h), near(2 * h)
    return J, (8 * (c - b) - (d - a)) / (12 * h), (16 * (c + b) - (d + a) - 30 * J) / (12 * h * h)


def reduced(packed: Packed, matrices: Sequence[np.ndarray], jacobians: Sequence[np.ndarray]
            ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the matrices of (1), Z and the independent rates, for M, C, K and J, J', J''."""
    (M, C, K), (J, Jd, Jdd) = matrices, jacobians
    Z = null_space(packed, J)
    rates = independent_rates(packed, Z)
    Z = Z @ np.linalg.inv(Z[rates])
    dependent = packed.system.dof["drive"] < 0
    dependent[rates] = False
    Zd = _following(packed, J, dependent, Jd @ Z)                                                # (2)
    Zdd = _following(packed, J, dependent, Jdd @ Z + 2 * Jd @ Zd)
    return Z.T @ M @ Z, Z.T @ (C @ Z + 2 * M @ Zd), Z.T @ (K @ Z + C @ Zd + M @ Zdd), Z, rates   # (1)


def _following(packed: Packed, J: np.ndarray, dependent: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Changes (n_v, f) of dependent rates that remove gaps (m, f)."""
    out, scale = np.zeros((J.shape[1], gap.shape[1])), packed.system.dof["q_scale"][dependent]
    if np.any(dependent) and len(J):
        inner = scaled(packed, J)[:, dependent]
        right = -gap / packed.system.row["size"][:, None]
        out[dependent] = scale[:, None] * least_solution(inner, right)
    return out
