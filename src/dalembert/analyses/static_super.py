"""Equilibrium of models with superelements, in natural coordinates and by load steps.

At a share s of the load, coordinates y and multipliers λ of the rows Phi are in equilibrium if
    r(y, s) + Jᵀ λ = (1 - s) r(y0, 0),     Phi(y, s) = (1 - s) Phi(y0, 0),                       (1)
where r are the loads that elasticity, weight, springs and applied forces leave, gravity and applied forces being scaled by
s and the laws of drives and lengths taken at the share s of the time from the start to t.  What is unbalanced or open at the
start y0 without load (a spring under tension, a drive that begins elsewhere) fades with s: y0 solves (1) for s = 0, and the
model's equilibrium solves it for s = 1.  Newton's matrix is
    [[K + sum λ Hess Phi, Jᵀ], [J, -1/α]]                                                        (2)
with the exact tangent of the superelements, symmetrised, and large α, which redundant rows need; the corrections still
converge to solutions of (1).  What hangs on a joint is held by its load alone: where (2) is singular the iteration begins
with the multipliers that balance r best, and directions that nothing holds at all, such as the spin of a load that hangs on
a ball, are made stiff by ε; they are, too, where the correction is a long turn.  Bodies are moved and
turned by the corrections, not more than a given angle at a time.  A load step that fails is halved; one that takes few
iterations is followed by one of twice its length.  A step that ends far from where the tangent at its beginning leads, or
with more unstable directions than before (negative pivots of K + Jᵀ α J), may have left its path for another: it is halved,
too, until it is short enough to be believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..codes import RowCode, Status
from ..errors import ConvergenceError
from ..kernels.algebra.sparse import factor_sparse
from ..kernels.force.laws import eval_law
from ..kernels.linked_work import add_step_tangent, eval_gaps, eval_mass, eval_needed, make_linked_work
from ..kernels.tables import System
from ..model.forces import FORCE_RECORDS
from ..start.natural import NaturalStart, joint_frames
from ..start.start import Start
from ..system.columns import frame_columns
from ..system.edit import changed, copied
from ..system.extent import length_scale
from ..system.pack import Packed
from ..system.pattern import entries_of

if TYPE_CHECKING:
    from scipy.sparse import sparray

LONGEST_TURN = 0.3
"""Of a body in one iteration [rad]."""
MAX_ITERATIONS = 20
FEW_ITERATIONS = 8
"""A load step that takes no more is followed by a longer one."""
TOLERANCE = 1e-10
"""Last correction, relative to the size of the model or in radians."""
SMALLEST_STEP = 1e-5
"""Share of the load below which a step is given up."""
CRITICAL_STEP = 1e-3
"""Share of the load in which an equilibrium may become unstable, or jump."""
NEAR, SHARE = 0.05, 0.25
"""Distance between the end of a load step and where the tangent at its beginning leads: so much [rad or model sizes], and such
a share of the way."""
FIRMNESS = 1e4
"""α relative to the rows' penalties."""
NEUTRAL = 1e-13
"""ε relative to the largest stiffness."""
ROUNDING = 1e-14
"""Stiffness relative to the largest below which a direction is neutral, not unstable."""


@dataclass(frozen=True)
class Equilibrium:
    """What was found: frame in tree coordinates with the modes behind, whether it is stable, and the cost.

    `critical` is the load factor beyond which the equilibria are unstable, if they are.
    """

    packed: Packed
    q: np.ndarray
    stable: bool
    iterations: int
    load_steps: int
    critical: float | None


def find_equilibrium(begin: Start, t: float) -> Equilibrium:
    """Find the equilibrium of a start of the global formulation with the laws of time t [s].

    Raises
    ------
    ConvergenceError
        Says which share of the load was reached.
    """
    balance = _Balance(begin, t)
    y, load, share, step = natural_of(begin).q.copy(), np.zeros(len(balance.system.row)), 0.0, 1.0
    iterations = load_steps = 0
    unstable, critical = balance.unstable(y, load, share), None
    while share < 1.0:
        step = min(step, 1.0 - share)
        found = balance.settle(y, load, share + step)
        iterations += found.iterations
        if found.settled:
            after = balance.unstable(found.y, found.load, share + step)
            if (after <= unstable and found.strayed <= 1.0) or step <= CRITICAL_STEP:
                critical = share + step if after > unstable and critical is None else critical
                y, load, share, unstable = found.y, found.load, share + step, after
                share = 1.0 if share > 1.0 - 1e-12 else share
                load_steps += 1
                step *= 2.0 if found.iterations <= FEW_ITERATIONS else 1.0
                continue
        step *= 0.5
        if step < SMALLEST_STEP:
            raise ConvergenceError(
                f"no equilibrium found beyond the load factor {share:.4g} after {load_steps} load steps and {iterations} "
                f"iterations: {found.why}. The structure may buckle or snap through there, or nothing holds it; begin nearer "
                "to the equilibrium with start=, take smaller loads, or follow the motion with run() and damping.")
    packed = held(natural_of(begin).packed, t)
    still = np.zeros((1, len(y)))
    frames = joint_frames(packed, {"t": np.array([t]), "q": y[None], "qd": still, "qdd": still}, begin.q[None])
    return Equilibrium(packed, frames["q"][0], unstable == 0, iterations, load_steps, critical)


def held(packed: Packed, t: float) -> Packed:
    """Return tables in natural coordinates with all drives and lengths standing still as they are at time t [s]."""
    system = packed.system
    row = copied(system.row)
    for c in row:
        if c.law >= 0 and c.code != RowCode.COUPLING:
            if c.rate_only == 0:
                c.c += eval_law(system, c.law, t, 0.0, 0.0, 0)
            c.law = -1
    return changed(packed, row=row)


@dataclass(frozen=True)
class _Found:
    """End of Newton's iteration: coordinates, multipliers, and why it is not settled, if it is not.

    `strayed` is how far the first correction was off, 1 = tolerated.
    """

    y: np.ndarray
    load: np.ndarray
    iterations: int
    why: str = "its path is lost"
    strayed: float = np.inf

    @property
    def settled(self) -> bool:
        return self.strayed < np.inf


def _products(row: np.ndarray) -> tuple[np.ndarray, ...]:
    """Entries (i, j) of each row's products (0, 0), (1, 0), (1, 1), ..., and the row, in the order of `row_place`."""
    found = []
    for r, (first, count) in enumerate(zip(row["first"], row["count"], strict=True)):
        i, j = np.tril_indices(count)
        found.append((first + i, first + j, np.full(len(i), r)))
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


def natural_of(begin: Start) -> NaturalStart:
    """Return a start of the global formulation in natural coordinates."""
    assert begin.natural is not None
    return begin.natural


def _solved(A: sparray, b: np.ndarray) -> np.ndarray | None:
    """Solution of A x = b, or None if A is singular."""
    from scipy.sparse.linalg import splu

    try:
        x = splu(A.tocsc()).solve(b)
    except RuntimeError:
        return None
    return x if np.all(np.isfinite(x)) else None


class _Balance:
    """Equations (1) of a model."""

    def __init__(self, begin: Start, t: float):
        self.t, self.begin = t, begin
        self.system = natural_of(begin).packed.system
        self.work = make_linked_work(self.system)
        self.work.joint_q[:] = begin.q
        self.frames, self.n = frame_columns(self.system), int(self.system.constants[0].n_q)
        row = self.system.row
        self.entries = entries_of(self.system.pattern)
        self.owner = np.repeat(np.arange(len(row)), row["count"])
        lengths = row["size"][row["code"] == RowCode.POSITION]
        self.length = float(lengths[0]) if len(lengths) else length_scale(begin.packed.plan.model)
        firm = row["stiffness"] if np.any(row["stiffness"]) else np.ones(len(row))
        self.firmness = FIRMNESS * np.where(firm > 0, firm, np.median(firm[firm > 0]))
        self.products = _products(row)
        self.r0, self.gap0 = np.zeros(self.n), np.zeros(len(row))
        status, r, gap = self.evaluate(natural_of(begin).q, 0.0)
        if status == Status.OK:
            self.r0, self.gap0 = r, gap

    def scaled(self, share: float) -> System:
        """Return the tables with a share of gravity and of the applied forces."""
        constants, force = self.system.constants, self.system.force
        applied = np.isin(force["code"], [code for code, record in FORCE_RECORDS.items() if record.on == "place"])
        return changed(self.system, constants={"g_w": share * constants["g_w"]},
                       force={"dir": np.where(applied[:, None], share, 1.0) * force["dir"]})

    def evaluate(self, y: np.ndarray, share: float) -> tuple[int, np.ndarray, np.ndarray]:
        """Return status, r and Phi of (1), without the start's part; rows that bind rates hold what they bind."""
        system, r, still = self.scaled(share), np.zeros(self.n), np.zeros(self.n)
        status = eval_gaps(system, float(self.begin.t + share * (self.t - self.begin.t)), y, still, self.work)
        if status == Status.OK:
            status = eval_needed(system, float(self.t), y, still, still, np.zeros(self.n), 0, r, self.work)
        gap = np.where(self.system.row["rate_only"] == 1, 0.0, self.work.row["Phi"])
        return status, r - (1.0 - share) * self.r0, gap - (1.0 - share) * self.gap0

    def matrix(self, y: np.ndarray, load: np.ndarray, share: float) -> tuple[int, sparray | None]:
        """Return status and (2), after `evaluate`."""
        from scipy.sparse import bmat, csc_array, diags_array

        work = self.work
        work.row["lam"] = load
        work.factors.A[:] = 0.0
        still = np.zeros(self.n)
        status = add_step_tangent(self.scaled(share), float(self.t), y, still, still, np.zeros(self.n), 1.0, 0.0, work)
        if status != Status.OK:
            return status, None
        eval_mass(self.system, y, work)
        i, j, place = self.entries
        K = csc_array(((work.factors.A - work.mass)[place], (i, j)), shape=(self.n, self.n))
        K = K + K.T - diags_array(K.diagonal())
        J = csc_array((work.jacobian, (self.owner, self.system.entry["column"])), shape=(len(load), self.n))
        return status, bmat([[K, J.T], [J, diags_array(-1.0 / self.firmness)]], format="csc")

    def settle(self, y: np.ndarray, load: np.ndarray, share: float) -> _Found:
        """Newton's iteration for (1) from coordinates and multipliers near its solution."""
        y, load, begun, first, balanced, why = y.copy(), load.copy(), y, None, False, ""
        for iteration in range(1, MAX_ITERATIONS + 1):
            status, r, gap = self.evaluate(y, share)
            if status == Status.OK:
                J = self.work.jacobian.copy()
                status, A = self.matrix(y, load, share)
            if status != Status.OK:
                return _Found(y, load, iteration, why or self._why(status))
            r = r + np.bincount(self.system.entry["column"], J * load[self.owner], self.n)
            x = _solved(A, -np.concatenate([r, gap]))
            if x is None and not balanced:
                balanced, load = True, load + self._balancing(A, r)
                continue
            if x is None or self._sizes(y, x[:self.n])[1] > LONGEST_TURN:
                why = "the tangent is singular" if x is None else why
                x = _solved(self._with_neutral(A), -np.concatenate([r, gap]))
            if x is None:
                return _Found(y, load, iteration, why)
            first = x[:self.n] if first is None else first
            size, turn = self._sizes(y, x[:self.n])
            shorter = min(1.0, LONGEST_TURN / max(turn, 1e-300))
            y, load = self._moved(y, shorter * x[:self.n]), load + shorter * x[self.n:]
            if max(size, turn) <= TOLERANCE:
                strayed = self._distance(y - begun - first) / (NEAR + SHARE * self._distance(y - begun))
                return _Found(y, load, iteration, strayed=strayed)
        why = why or f"Newton's iteration still moves by {max(size, turn):.2g} rad or model sizes"
        return _Found(y, load, MAX_ITERATIONS, why)

    def _balancing(self, A: sparray, r: np.ndarray) -> np.ndarray:
        """Multipliers that balance r best; redundant rows share."""
        from scipy.sparse import diags_array

        J = A[self.n:, :self.n]
        squares = (J @ J.T).tocsc()
        found = _solved(squares + diags_array(np.full(len(self.firmness), 1e-12 * squares.diagonal().max())), -(J @ r))
        return np.zeros(len(self.firmness)) if found is None else found

    def _with_neutral(self, A: sparray) -> sparray:
        """The matrix (2) with a little stiffness in all directions."""
        from scipy.sparse import diags_array

        stiffness = np.zeros(A.shape[0])
        stiffness[:self.n] = NEUTRAL * np.max(abs(A.diagonal()[:self.n]))
        return (A + diags_array(stiffness)).tocsc()

    def _why(self, status: int) -> str:
        if status == Status.NO_FRAME:
            name = self.begin.shown.layout.flexibles[int(self.work.fail["superelement"][0])].name
            return f"flexible body {name!r} is bent by more than a radian and has no floating frame; take more bodies"
        return f"an evaluation ended with {Status(status).name}"

    def _spins(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Spins (n_body, 3) of the bodies for changes x of the coordinates."""
        axes, change = (a[self.frames].reshape(-1, 4, 3)[:, 1:] for a in (y, x))
        out: np.ndarray = 0.5 * np.sum(np.cross(axes, change), axis=1)
        return out

    def _sizes(self, y: np.ndarray, x: np.ndarray) -> tuple[float, float]:
        """Largest move relative to the size of the model, and largest turn [rad]."""
        moves = x[self.frames[:, :3]]
        return float(np.max(abs(moves), initial=0.0)) / self.length, float(np.max(abs(self._spins(y, x)), initial=0.0))

    def _distance(self, x: np.ndarray) -> float:
        """Largest component of a change of origins, relative to the size of the model, and axes."""
        bodies = x[self.frames]
        return float(max(np.max(abs(bodies[:, :3]), initial=0.0) / self.length, np.max(abs(bodies[:, 3:]), initial=0.0)))

    def _moved(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Coordinates moved and turned by a correction."""
        new = y + x
        spin, axes = self._spins(y, x), y[self.frames].reshape(-1, 4, 3)[:, 1:]
        angle = np.linalg.norm(spin, axis=1)[:, None, None]
        n = spin[:, None, :] / np.maximum(angle, 1e-300)
        along = np.sum(n * axes, axis=2, keepdims=True) * n
        turned = along + np.cos(angle) * (axes - along) + np.sin(angle) * np.cross(np.broadcast_to(n, axes.shape), axes)
        new[self.frames[:, 3:]] = turned.reshape(-1, 9)
        out: np.ndarray = new
        return out

    def unstable(self, y: np.ndarray, load: np.ndarray, share: float) -> int:
        """Number of negative pivots of K + Jᵀ α J: directions in which the energy has no minimum."""
        work = self.work
        status, _, _ = self.evaluate(y, share)
        J = work.jacobian.copy()
        if status != Status.OK or self.matrix(y, load, share)[0] != Status.OK:
            return self.n
        A = work.factors.A
        A -= work.mass
        first, second, owner = self.products
        np.add.at(A, self.system.row_place, self.firmness[owner] / FIRMNESS * J[first] * J[second])
        i, j, place = self.entries
        A[place[i == j]] += ROUNDING * np.max(abs(A[place[i == j]]))
        if factor_sparse(self.system.pattern, work.factors) >= 0:
            return self.n
        return int(np.sum(work.factors.D < 0.0))
