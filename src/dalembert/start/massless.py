"""Directions without inertia: their equations, their kind, consistent starts and their rates.

A motion x with M x = 0 turns the equations of motion F = M qdd + g(t, q, qd) = 0 into x·g = 0 [ARN (20b)]:
- a first-order equation where damping acts on it (x·C x regular), solved for the rate along x;
- an algebraic, quasi-static one where only stiffness does, solved for the coordinate along x;
- no equation at all otherwise: SingularError.
On a solution F = 0 holds at all times, so that d/dt (x·F) = x·F' with
    F' = K qd + C qdd + dF/dt,                                                                  (1)
which gives the acceleration of the first kind and the rate of the second.  The acceleration of the second kind is the
slope of that rate along the motion: with qd(s) settled at states a time s ahead, and weights w that differentiate
polynomials of degree four,
    qdd = sum_k w_k qd(k dt) / dt .                                                             (2)
With constraint rows F holds Jᵀ λ, and the motions have J x = 0 (rank.py), so that x·F does not depend on λ; states that were
moved along them are brought back onto the rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import FormCode, Status
from ..errors import ConvergenceError
from ..kernels.compile.jit import called_directly
from ..kernels.evaluate import eval_accelerations, eval_loaded_residual
from ..kernels.linearize import eval_matrices
from ..kernels.linked_work import make_linked_work
from ..kernels.step.flow import Settling
from ..kernels.step.massless_frames import complete_frames
from ..kernels.tables import Work
from ..kernels.tree.rank import eval_massless_motion, eval_products, list_massless
from ..kernels.tree.state import move, normalise
from ..kernels.tree.tangent import eval_variation
from ..system.pack import Packed
from .constraints import Constraints
from .massless_texts import unsupported
from .natural import in_rates
from .rank import inertia_sizes, massless_motions, with_gauge
from .reduction import scaled
from .status import Begun, error_of

_eval_accelerations, _list_massless = called_directly(eval_accelerations), called_directly(list_massless)
RANK = 1e-10
"""Damping or stiffness along a motion counts as zero below this fraction of the largest entry."""
NOISE = 1e-13
"""Or below this fraction of the largest load of a joint: what rounding leaves of forces that cancel."""
MAX_ITERATIONS = 50
CLOSED = 1e-13
"""Violation of constraint rows that is left, relative to their sizes."""
MAX_CLOSINGS = 8
RANK_OF_ROWS = 1e-8
"""Singular values of the scaled Jacobian below this fraction of the largest count as zero."""
PATH_STEP = 1e-4
"""Spacing dt of (2) [s]: the rates are good to 1e-10, as the laws' differences, the slope to 1e-6 and (dt/time scale)⁴."""
CENTRAL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
FORWARD = {0: -25 / 12, 1: 4.0, 2: -3.0, 3: 4 / 3, 4: -1 / 4}
"""Weights of (2); laws need not be defined before the start."""


@dataclass(frozen=True)
class Massless:
    """Motions without inertia at a state.

    Attributes
    ----------
    rates : (m,) int
        Rate numbers, one for each motion.
    basis : (m, n_v) float
        The motion of each rate: one there, zero at the other massless rates.
    motions : (m, n_v) float
        Another basis: the first-order ones before the algebraic ones.
    tests : (m, n_v) float
        The vectors that the equations of motion are multiplied with, in the same order.
    first_order : int
        Number of motions with damping.
    jacobian : (m, m) float
        Derivative of the equations by the rates of the first kind and the coordinates of the second.
    qdd : (n_v,) float
        Accelerations, zero along the massless rates.
    fastest : float
        Largest rate of decay along the motions [1/s]; infinite if there are algebraic ones.
    """

    rates: np.ndarray
    basis: np.ndarray
    motions: np.ndarray
    tests: np.ndarray
    first_order: int
    jacobian: np.ndarray
    qdd: np.ndarray
    fastest: float


class MasslessState:
    """A state in tree coordinates whose massless directions are looked at."""

    def __init__(self, packed: Packed, t: float, q: np.ndarray, qd: np.ndarray):
        self.packed, self.t, self.q, self.qd = packed, t, q.copy(), qd.copy()
        self.work = make_linked_work(packed.system)
        self.n = packed.layout.n_v
        self.work.rank["allowed"] = self.n
        self.has_rows = packed.system.constants[0].form != FormCode.TREE
        self.multipliers = np.zeros(len(packed.system.row))

    def residual(self, qdd: np.ndarray, t: float | None = None) -> np.ndarray:
        """Return F (n_v,)."""
        out = np.zeros(self.n)
        self._load()
        self._done(eval_loaded_residual(self.packed.system, self.t if t is None else t, self.q, self.qd, qdd,
                                        np.zeros(self.n), out, self.work))
        return out

    def accelerations(self) -> np.ndarray:
        """Return the accelerations (n_v,), zero along massless rates; with rows it finds their multipliers, too."""
        qdd = np.zeros(self.n)
        self._done(_eval_accelerations(self.packed.system, self.t, self.q, self.qd, qdd, np.zeros(self.n), self.work))
        self.multipliers = self.work.row["lam_now"].copy()
        return qdd

    def _load(self) -> None:
        self.work.row["lam"], self.work.row["pen"] = self.multipliers, 0.0

    def close(self) -> None:
        """Bring coordinates and rates that are nearly on the constraint rows onto them."""
        if not len(self.packed.system.row):
            return
        constraints = Constraints(self.packed, self.work)
        scale, size = self.packed.system.dof["q_scale"], self.packed.system.row["size"]
        for _ in range(MAX_CLOSINGS):
            rows = constraints.evaluate(self.t, self.q, self.qd)
            back = np.linalg.pinv(scaled(self.packed, rows.jacobian), rcond=RANK_OF_ROWS)
            if np.max(abs(rows.value) / size) > CLOSED:
                self.move(-scale * (back @ (rows.value / size)))
                continue
            self.qd = self.qd - scale * (back @ (rows.rate / size))
            return

    def _find_with_rows(self) -> Massless | None:
        """As `find` for mechanisms with constraint rows; from then on the tables have the gauge of the motions found."""
        n = self.n
        J = Constraints(self.packed, self.work).evaluate(self.t, self.q, self.qd).jacobian
        M = self._matrices(np.zeros(n))[0]
        sizes = inertia_sizes(self.packed, self.q, self.qd, M, self.work)
        rates, X = massless_motions(self.packed, M, J, sizes)
        if not len(rates):
            return None
        self.packed = with_gauge(self.packed, rates, sizes)
        qdd = self.accelerations()
        qdd = qdd - qdd[rates] @ X
        _, C, K = self._matrices(qdd)
        loads = max(np.max(abs(self.work.body["n"]), initial=0.0), np.max(abs(self.work.body["f"]), initial=0.0))
        return _classified(self, rates, X, X @ C.T, X @ K.T, qdd, NOISE * loads)

    def _matrices(self, qdd: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return M, C, K (n_v, n_v)."""
        n, out = self.n, tuple(np.zeros((self.n, self.n)) for _ in range(3))
        self._load()
        self._done(eval_matrices(self.packed.system, self.t, self.q, self.qd, qdd, np.zeros(n), *out, self.work))
        return out

    def find(self) -> Massless | None:
        """Return the motions without inertia, or None."""
        if self.has_rows:
            return self._find_with_rows()
        system, work, n = self.packed.system, self.work, self.n
        qdd, rates = self.accelerations(), np.zeros(n, np.int64)
        m = _list_massless(system, work, rates)
        if m == 0:
            return None
        rates, X = rates[:m].copy(), np.zeros((m, n))
        for x, rate in zip(X, rates, strict=True):
            eval_massless_motion(system, rate, x, work)
        self.residual(qdd)
        CX, KX = np.zeros((m, n)), np.zeros((m, n))
        for x, c, k in zip(X, CX, KX, strict=True):
            self._done(eval_products(system, self.t, self.q, self.qd, qdd, x, c, k, work))
        loads = max(np.max(abs(work.body["n"]), initial=0.0), np.max(abs(work.body["f"]), initial=0.0))
        return _classified(self, rates, X, CX, KX, qdd, NOISE * loads)

    def rate_of_residual(self, qdd: np.ndarray) -> np.ndarray:
        """Return F' (n_v,) by (1); the time derivative of laws by central differences."""
        system, out, still = self.packed.system, np.zeros(self.n), np.zeros(self.n)
        step = 1e-6 * max(1.0, abs(self.t))
        by_time = (self.residual(qdd, self.t + step) - self.residual(qdd, self.t - step)) / (2 * step)
        self.residual(qdd)
        self._done(eval_variation(system, self.t, self.q, self.qd, qdd, self.qd, qdd, still, out, self.work))
        found: np.ndarray = out + by_time
        return found

    def move(self, increments: np.ndarray) -> None:
        """Move the coordinates by increments of their rates."""
        moved = np.empty_like(self.q)
        move(self.packed.system, self.q, increments, moved)
        normalise(self.packed.system, moved)
        self.q = moved

    def settled(self) -> Massless | None:
        """Give the rates along massless motions what their equations ask for, and return the motions there."""
        found = self.find()
        if found is None:
            return None
        _settle_rates(self, found)
        return self.find()

    def rates_ahead(self, qdd: np.ndarray, dt: float) -> np.ndarray:
        """Return the rates (n_v,) a time dt [s] ahead on the motion with accelerations qdd, massless ones settled."""
        ahead = MasslessState(self.packed, self.t + dt, self.q, self.qd + dt * qdd)
        ahead.move(dt * self.qd + 0.5 * dt * dt * qdd)
        ahead.close()
        ahead, _ = make_consistent(self.packed, ahead.t, ahead.q, ahead.qd)
        ahead.settled()
        return ahead.qd

    def _done(self, status: int) -> None:
        if status != Status.OK:
            raise error_of(status, self.packed, self.work.fail, self.t, 0.0)


def _classified(state: MasslessState, rates: np.ndarray, X: np.ndarray, CX: np.ndarray, KX: np.ndarray, qdd: np.ndarray,
                noise: float) -> Massless:
    """Split the motions into those with damping and those with stiffness only; `noise` is what rounding leaves."""
    C, K = X @ CX.T, X @ KX.T
    left, sizes, right = np.linalg.svd(C)
    first = int(np.sum(sizes > max(RANK * np.max(abs(CX), initial=0.0), noise))) if len(sizes) else 0
    motions, tests = right @ X, left.T @ X
    jacobian = np.hstack([(left.T @ C @ right.T)[:, :first], (left.T @ K @ right.T)[:, first:]])
    stiff = jacobian[first:, first:]
    if stiff.size:
        _, stiff_sizes, stiff_right = np.linalg.svd(stiff)
        if stiff_sizes[-1] <= max(RANK * np.max(abs(KX), initial=0.0), noise):
            open_motion = stiff_right[-1] @ motions[first:]
            raise unsupported(state.packed, state.t, int(rates[np.argmax(abs(open_motion[rates]))]), rates)
    fastest = float(np.max(abs(np.linalg.eigvals(np.linalg.solve(C, K))))) if first == len(rates) else np.inf
    return Massless(rates, X, motions, tests, first, jacobian, qdd, fastest)


def make_consistent(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray
                    ) -> tuple[MasslessState, Massless | None]:
    """Return (state, massless) with rates and coordinates along massless motions that meet their equations."""
    state = MasslessState(packed, t, q, qd)
    found = state.find()
    if found is None:
        return state, None
    for _ in range(MAX_ITERATIONS):
        gap = found.tests @ state.residual(found.qdd)
        step = -np.linalg.solve(found.jacobian, gap)
        first = found.first_order
        rates, moves = step[:first] @ found.motions[:first], step[first:] @ found.motions[first:]
        moves *= min(1.0, 0.5 / max(np.max(abs(moves), initial=0.0), 1e-300))
        state.qd = state.qd + rates
        state.move(moves)
        if np.any(moves):
            state.close()
        small = np.max(abs(rates), initial=0.0) <= 1e-12 * (1 + np.max(abs(state.qd), initial=0.0))
        if small and np.max(abs(moves), initial=0.0) <= 1e-12:
            break
        found = state.find()
        if found is None:
            return state, None
    else:
        raise ConvergenceError(f"start values of massless directions did not converge at t = {t:.6g} s; give starts nearer "
                               f"to equilibrium for {', '.join(_joint_names(packed, found.rates))}")
    _settle_rates(state, found)
    return state, found


def _settle_rates(state: MasslessState, found: Massless) -> None:
    """Rates along first-order motions by their equations, along algebraic ones by (1)."""
    first = found.first_order
    block = found.jacobian[:first, :first]
    for _ in range(MAX_ITERATIONS if first else 0):
        step = np.linalg.solve(block, found.tests[:first] @ state.residual(found.qdd)) @ found.motions[:first]
        state.qd = state.qd - step
        if np.max(abs(step)) <= 1e-12 * (1 + np.max(abs(state.qd))):
            break
    if first < len(found.rates):
        gap = found.tests[first:] @ state.rate_of_residual(found.qdd)
        state.qd = state.qd - np.linalg.solve(found.jacobian[first:, first:], gap) @ found.motions[first:]


def complete(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, since: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return rates and accelerations of a frame with their massless parts: by (1), along algebraic motions by (2).

    The accelerations belong to the rates that were settled, so that a frame meets the equations of motion to rounding.
    """
    _, rates, accelerations, _ = complete_frame(packed, t, q, qd, since)
    return rates, accelerations


def complete_frame(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, since: float = 0.0
                   ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return coordinates, brought onto constraint rows that they are near to, rates, accelerations, and multipliers (m,).

    Before the time `since` [s], that of the start, laws need not be defined.
    """
    state = MasslessState(packed, t, q, qd)
    state.close()
    found = state.settled()
    qdd = state.accelerations() if found is None else _accelerations(state, found, since)
    return state.q, state.qd, qdd, state.multipliers


def make_settling(m: int, n_v: int) -> Settling:
    """Memory of the completion of m massless directions in kernels."""
    return Settling(np.zeros(m, np.int64), np.zeros((m, n_v)), np.zeros((m, m)), np.zeros(m, np.int64), np.zeros(m),
                    np.zeros((4, n_v)))


def complete_in_kernels(packed: Packed, frames: dict[str, np.ndarray], massless: int, work: Work | None = None) -> np.ndarray:
    """Complete frames (a dict of t, q, qd, qdd, multiplier) of a model with so many massless directions, in place.

    Returns the numbers of those that are left to `complete_frame`.
    """
    work, n_v = work or make_linked_work(packed.system), packed.layout.n_v
    work.rank["allowed"] = massless
    left = np.zeros(len(frames["t"]), np.int64)
    complete_frames(packed.system, *(frames[name] for name in ("t", "q", "qd", "qdd", "multiplier")), left,
                    make_settling(massless, n_v), np.zeros(n_v), work)
    return np.flatnonzero(left)


def completion_entry(packed: Packed) -> tuple[Any, tuple[Any, ...]]:
    """The kernel that `complete_in_kernels` needs, for `prepare`."""
    block, v = np.zeros((1, 1)), np.zeros(1)
    return complete_frames, (packed.system, v, block, block, block, block, np.zeros(1, np.int64), make_settling(0, 0), v,
                             make_linked_work(packed.system))


def _accelerations(state: MasslessState, found: Massless, since: float) -> np.ndarray:
    """Accelerations (n_v,) of a settled state of a motion that began at a time [s]."""
    first = found.first_order
    gap = found.tests[:first] @ state.rate_of_residual(found.qdd)
    along = np.linalg.solve(found.jacobian[:first, :first], gap) if first else np.zeros(0)
    qdd = found.qdd - along @ found.motions[:first]
    if first == len(found.rates):
        out: np.ndarray = qdd
        return out
    past = state.t - 2 * PATH_STEP >= since
    change = sum(w * state.rates_ahead(qdd, k * PATH_STEP) for k, w in (CENTRAL if past else FORWARD).items())  # (2)
    missing = (change / PATH_STEP - qdd)[found.rates]
    out = qdd + np.linalg.solve(found.motions[:, found.rates].T, missing)[first:] @ found.motions[first:]
    return out


def check_inertia(begin: Begun) -> None:
    """Raise SingularError if the equations of a start (`start.Start`) lack inertia that its formulation needs."""
    if begin.natural and begin.massless:
        return  # its equations were looked at in joint coordinates
    state = begin.natural or begin
    work = make_linked_work(state.packed.system)
    work.rank["allowed"] = begin.massless
    if begin.natural:
        work.joint_q[:] = begin.q
    v = np.zeros(len(state.qd))
    status = eval_accelerations(state.packed.system, begin.t, state.q.copy(), state.qd.copy(), v, v.copy(), work)
    if status != Status.OK:
        raise error_of(status, begin.shown, in_rates(begin, work.fail), begin.t, 0.0)


def _joint_names(packed: Packed, rates: Iterable[int]) -> list[str]:
    return sorted({repr(packed.layout.joint_of_rate(int(r)).name) for r in rates})
