"""Equilibrium of models with superelements, in natural coordinates and by load steps.

At a share s of the load, coordinates y and multipliers λ of the rows Phi are in equilibrium if
    r(y, s) + Jᵀ λ = (1 - s) r(y0, 0),     Phi(y, s) = (1 - s) Phi(y0, 0),                       (1)
where r are the loads that elasticity, weight, springs and applied forces leave, gravity and applied forces being scaled by
s and the laws of drives and lengths taken at the time s t.  What is unbalanced or open at the start y0 without load (a
spring under tension, a drive that begins elsewhere) fades with s: y0 solves (1) for s = 0, and the model's equilibrium
solves it for s = 1.  Newton's matrix is
    [[K + sum λ Hess Phi, Jᵀ], [J, -1/α]]                                                        (2)
with the exact tangent of the superelements, symmetrised, and large α, which redundant rows need; the corrections still
converge to solutions of (1).  Bodies are moved and turned by the corrections, not more than a given angle at a time.  A
load step that fails is halved; one that takes few iterations is followed by one of twice its length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..codes import ForceCode, RowCode, Status, TaskCode, TermCode
from ..errors import ConvergenceError
from ..kernels.constrained_terms import evaluate_terms
from ..kernels.door import enter, make_open_work
from ..kernels.laws import eval_law
from ..kernels.sparse import factor_sparse
from ..system.pack import Packed
from ..system.pattern import entries_of
from .initial import Start
from .natural import joint_frames

LONGEST_TURN = 0.3
"""Of a body in one iteration [rad]."""
MAX_ITERATIONS = 30
FEW_ITERATIONS = 8
"""A load step that takes no more is followed by a longer one."""
TOLERANCE = 1e-10
"""Last correction, relative to the size of the model or in radians."""
SMALLEST_STEP = 1e-5
"""Share of the load below which a step is given up."""
FIRMNESS = 1e4
"""α relative to the rows' penalties."""


@dataclass(frozen=True)
class Equilibrium:
    """What was found: frame in tree coordinates with the modes behind, whether it is stable, and the cost."""

    packed: Packed
    q: np.ndarray
    stable: bool
    iterations: int
    load_steps: int


def find_equilibrium(begin: Start, t: float) -> Equilibrium:
    """Find the equilibrium of a start of the global formulation with the laws of time t [s].

    Raises
    ------
    ConvergenceError
        Tells the share of the load that was reached.
    """
    balance = _Balance(begin, t)
    y, load, share, step = begin.natural.q.copy(), np.zeros(len(balance.system.row)), 0.0, 1.0
    iterations = load_steps = 0
    while share < 1.0:
        step = min(step, 1.0 - share)
        found = balance.settle(y, load, share + step)
        iterations += found.iterations
        if found.settled:
            y, load, share = found.y, found.load, (1.0 if share + step > 1.0 - 1e-12 else share + step)
            load_steps += 1
            if found.iterations <= FEW_ITERATIONS:
                step *= 2.0
            continue
        step *= 0.5
        if step < SMALLEST_STEP:
            raise ConvergenceError(
                f"no equilibrium found beyond the load factor {share:.4g} after {load_steps} load steps and {iterations} "
                f"iterations: {found.why}. The structure may buckle or snap through there, or nothing holds it; begin nearer "
                "to the equilibrium with start=, take smaller loads, or follow the motion with run() and damping.")
    packed = held(begin.natural.packed, t)
    still = np.zeros((1, len(y)))
    frames = joint_frames(packed, {"t": np.array([t]), "q": y[None], "qd": still, "qdd": still}, begin.q[None])
    return Equilibrium(packed, frames["q"][0], balance.is_stable(y, load), iterations, load_steps)


def held(packed: Packed, t: float) -> Packed:
    """Return tables in natural coordinates with all drives and lengths standing still as they are at time t [s]."""
    system = packed.system
    row = system.row.copy()
    for c in row:
        if c.law >= 0 and c.code != RowCode.COUPLING:
            if c.rate_only == 0:
                c.c += eval_law(system, c.law, t, 0.0, 0.0, 0)
            c.law = -1
    row.setflags(write=False)
    return replace(packed, system=system._replace(row=row))


@dataclass(frozen=True)
class _Found:
    """End of Newton's iteration: coordinates, multipliers, and why it is not settled, if it is not."""

    y: np.ndarray
    load: np.ndarray
    iterations: int
    why: str = ""

    @property
    def settled(self) -> bool:
        return not self.why


class _Balance:
    """Equations (1) of a model."""

    def __init__(self, begin: Start, t: float):
        self.t, self.begin = t, begin
        self.system = begin.natural.packed.system
        self.work = make_open_work(self.system)
        self.work.joint_q[:] = begin.q
        self.n_body, self.n = len(self.system.body) - 1, int(self.system.constants[0].n_q)
        row = self.system.row
        self.entries = entries_of(self.system.pattern)
        self.owner = np.repeat(np.arange(len(row)), row["count"])
        lengths = row["size"][row["code"] == RowCode.POSITION]
        self.length = float(lengths[0]) if len(lengths) else 1.0
        firm = row["stiffness"] if np.any(row["stiffness"]) else np.ones(len(row))
        self.firmness = FIRMNESS * np.where(firm > 0, firm, np.median(firm[firm > 0]))
        self.r0, self.gap0 = np.zeros(self.n), np.zeros(len(row))
        status, r, gap = self.evaluate(begin.natural.q, 0.0)
        if status == Status.OK:
            self.r0, self.gap0 = r, gap

    def scaled(self, share: float):
        """Return the tables with a share of gravity and of the applied forces."""
        constants, force = self.system.constants.copy(), self.system.force.copy()
        constants["g_w"] *= share
        applied = np.isin(force["code"], (ForceCode.FORCE, ForceCode.TORQUE))
        force["dir"][applied] *= share
        for table in (constants, force):
            table.setflags(write=False)
        return self.system._replace(constants=constants, force=force)

    def _ask(self, system, task: TermCode, t: float, y: np.ndarray, x: np.ndarray) -> int:
        still, work = np.zeros(self.n), self.work
        return evaluate_terms(system, task.value, 0, float(t), y, still, still, still, x, 1.0, 0.0, work.no_matrix,
                              work.no_pivot, work)

    def evaluate(self, y: np.ndarray, share: float):
        """Return status, r and Phi of (1), without the start's part; rows that bind rates hold what they bind."""
        system, r = self.scaled(share), np.zeros(self.n)
        status = self._ask(system, TermCode.GAPS, share * self.t, y, r)
        if status == Status.OK:
            status = self._ask(system, TermCode.NEEDED, self.t, y, r)
        gap = np.where(self.system.row["rate_only"] == 1, 0.0, self.work.row["value"])
        return status, r - (1.0 - share) * self.r0, gap - (1.0 - share) * self.gap0

    def matrix(self, y: np.ndarray, load: np.ndarray, share: float):
        """Return status and (2), after `evaluate`."""
        from scipy.sparse import bmat, csc_array, diags_array

        work = self.work
        work.row["multiplier"] = load
        work.factors.A[:] = 0.0
        status = self._ask(self.scaled(share), TermCode.TANGENT, self.t, y, np.zeros(self.n))
        if status != Status.OK:
            return status, None
        enter(self.system, TaskCode.MASS, self.t, y, np.zeros(self.n), work)
        i, j, place = self.entries
        K = csc_array(((work.factors.A - work.mass)[place], (i, j)), shape=(self.n, self.n))
        K = K + K.T - diags_array(K.diagonal())
        J = csc_array((work.jacobian, (self.owner, self.system.entry["column"])), shape=(len(load), self.n))
        return status, bmat([[K, J.T], [J, diags_array(-1.0 / self.firmness)]], format="csc")

    def settle(self, y: np.ndarray, load: np.ndarray, share: float) -> _Found:
        """Newton's iteration for (1) from coordinates and multipliers near its solution."""
        from scipy.sparse.linalg import splu

        y, load = y.copy(), load.copy()
        for iteration in range(1, MAX_ITERATIONS + 1):
            status, r, gap = self.evaluate(y, share)
            if status == Status.OK:
                J = self.work.jacobian.copy()
                status, A = self.matrix(y, load, share)
            if status != Status.OK:
                return _Found(y, load, iteration, self._why(status))
            r = r + np.bincount(self.system.entry["column"], J * load[self.owner], self.n)
            try:
                x = splu(A).solve(-np.concatenate([r, gap]))
            except RuntimeError:
                return _Found(y, load, iteration, "the tangent is singular")
            if not np.all(np.isfinite(x)):
                return _Found(y, load, iteration, "the tangent is singular")
            size, turn = self._sizes(y, x[:self.n])
            shorter = min(1.0, LONGEST_TURN / max(turn, 1e-300))
            y, load = self._moved(y, shorter * x[:self.n]), load + shorter * x[self.n:]
            if max(size, turn) <= TOLERANCE:
                return _Found(y, load, iteration)
        return _Found(y, load, MAX_ITERATIONS, f"Newton's iteration still moves by {max(size, turn):.2g} rad or model sizes")

    def _why(self, status: int) -> str:
        if status == Status.NO_FRAME:
            name = self.begin.shown.layout.flexibles[int(self.work.fail[3])].name
            return f"flexible body {name!r} is bent by more than a radian and has no floating frame; take more bodies"
        return f"an evaluation ended with {Status(status).name}"

    def _spins(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Spins (n_body, 3) of the bodies for changes x of the coordinates."""
        axes, change = (a[:12 * self.n_body].reshape(-1, 4, 3)[:, 1:] for a in (y, x))
        return 0.5 * np.sum(np.cross(axes, change), axis=1)

    def _sizes(self, y: np.ndarray, x: np.ndarray) -> tuple[float, float]:
        """Largest move relative to the size of the model, and largest turn [rad]."""
        moves = x[:12 * self.n_body].reshape(-1, 12)[:, :3]
        return float(np.max(abs(moves), initial=0.0)) / self.length, float(np.max(abs(self._spins(y, x)), initial=0.0))

    def _moved(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Coordinates moved and turned by a correction."""
        new = y + x
        body, spin = new[:12 * self.n_body].reshape(-1, 4, 3), self._spins(y, x)
        axes = y[:12 * self.n_body].reshape(-1, 4, 3)[:, 1:]
        angle = np.linalg.norm(spin, axis=1)[:, None, None]
        n = spin[:, None, :] / np.maximum(angle, 1e-300)
        along = np.sum(n * axes, axis=2, keepdims=True) * n
        turned = along + np.cos(angle) * (axes - along) + np.sin(angle) * np.cross(np.broadcast_to(n, axes.shape), axes)
        body[:, 1:] = turned
        return new

    def is_stable(self, y: np.ndarray, load: np.ndarray) -> bool:
        """True if the energy has a minimum: K + Jᵀ α J has positive pivots only."""
        work = self.work
        status, _, _ = self.evaluate(y, 1.0)
        J = work.jacobian.copy()
        if status != Status.OK or self.matrix(y, load, 1.0)[0] != Status.OK:
            return False
        A = work.factors.A
        A -= work.mass
        first = 0
        for r, c in enumerate(self.system.row):
            own = J[c.first:c.first + c.count]
            i, j = np.tril_indices(c.count)
            np.add.at(A, self.system.row_place[first:first + len(i)], self.firmness[r] / FIRMNESS * own[i] * own[j])
            first += len(i)
        failed = factor_sparse(self.system.pattern, work.factors)
        return bool(failed < 0 and np.all(work.factors.D > 0.0))
