"""Backward differentiation formulas with loops: the stabilised index-2 equations of Gear, Gupta and Leimkuhler.

With tangent rates v of sizes S, quaternion kinematics N and the Jacobian J of the constraint rows,
    q' = N(q) (v + S² Jᵀ μ),   M v' + g(t, q, v) + Jᵀ λ = 0,   Phi'(t, q, v) = 0,   Phi(t, q) = 0   (1)
where μ is zero but for errors of the formulas, which S shares among angles and lengths in any units, and rows that bind
rates only have no Phi and no μ.  Of redundant rows an independent set is kept, chosen by pivoting; when a motion makes it
a bad choice, another one takes over and the solver starts anew.  λ and μ follow from the rest without derivatives and take
no part in the error control.  Where motions need no inertia the rates that the solver sees are z of bdf.py, v and v' are
made of them; what is massless at the start stays so.
The derivative of Phi' by a small motion x with v fixed is (J' + J W) x, J' along the motion and W x = w x phi for balls.  (2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError
from ..kernels.constraint.rows import eval_jacobian
from ..kernels.tree.state import eval_coordinate_rates, normalise, rates_of_coordinates
from ..start.arguments import RunOptions
from ..start.constraints import RANK, Constraints, independent_rows
from ..start.massless import complete_frame
from ..start.reduction import Equations, jacobian_rates, scaled, spin_matrix
from ..start.start import Start
from .bdf import UNCONTROLLED, BdfLoop
from .integrators import Bdf

WORSE = 0.2
"""Smallest singular value of the rows in use, relative to that of a fresh choice, below which this takes over."""


class LoopedBdf(BdfLoop):
    """State of a run of a mechanism with loops inside IDA; unknowns q, v, μ, λ of (1)."""

    def __init__(self, begin: Start, method: Bdf, options: RunOptions, times: np.ndarray):
        if begin.natural:
            raise ModelError("integrator 'bdf' works in joint coordinates; take formulation 'semi-recursive' or 'auto', or "
                             "another integrator")
        self.constraints, self.equations = Constraints(begin.packed), Equations(begin.packed)
        self.holonomic = self.constraints.holonomic
        self.used = self.place = np.zeros(0, int)
        self.no_basis = np.zeros((0, begin.packed.layout.n_v))
        self.shares = begin.packed.system.dof["q_scale"] ** 2
        self._choose(0.0, begin.q)
        super().__init__(begin, method, options, times)

    def _choose(self, t: float, q: np.ndarray) -> bool:
        """Choose independent rows: those of positions first, then those that bind rates only; False if the old ones serve."""
        J = scaled(self.constraints.packed, self.constraints.evaluate(t, q, np.zeros(self.equations.n)).jacobian)
        positions, speeds = np.flatnonzero(self.holonomic), np.flatnonzero(~self.holonomic)
        first = positions[independent_rows(J[positions])[0]]
        basis = np.linalg.qr(J[first].T)[0]
        left = J[speeds] - J[speeds] @ basis @ basis.T
        left[np.linalg.norm(left, axis=1) <= RANK * np.max(abs(J), initial=1.0)] = 0.0
        used = np.concatenate([first, speeds[independent_rows(left)[0]]])
        if len(self.used) == len(used) and _smallest(J[self.used]) >= WORSE * _smallest(J[used]):
            return False
        self.place, self.used = first, used
        return True

    # --- what the solver asks for ---------------------------------------------------------------------------------------

    @property
    def n_more(self) -> int:
        """Number of unknowns besides coordinates and rates."""
        return len(self.place) + len(self.used)

    def _tolerances(self) -> np.ndarray:
        return np.append(super()._tolerances(), np.full(self.n_more, UNCONTROLLED))

    def _unknowns(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if len(self.slack):
            q, qd, qdd, pushes = complete_frame(self.packed, self.t, q, qd)
        else:
            qdd, pushes = self.equations.accelerations(self.t, q, qd)
        J = self.constraints.evaluate(self.t, q, qd).jacobian
        rates, more = np.zeros(self.n_q), np.zeros(self.n_more)
        eval_coordinate_rates(self.system, q, qd, rates)
        more[len(self.place):] = np.linalg.lstsq(J[self.used].T, J.T @ pushes, rcond=None)[0]
        z, zd = (x - x[self.slack] @ self.motions for x in (qd, qdd))
        return np.concatenate([q, z, more]), np.concatenate([rates, zd, np.zeros(self.n_more)])

    def _split(self, y: np.ndarray, yp: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return writable (q, v), (q', v') and μ; λ is loaded into the rows."""
        n = self.n_q + self.n_v
        state, mu, lam = np.split(np.array(y), [n, n + len(self.place)])
        self.work.row["multiplier"] = self.work.row["penalty"] = 0.0
        self.work.row["multiplier"][self.used] = lam
        return self._whole(state), self._whole(np.array(yp[:n])), mu

    def _dense_jacobian(self, q: np.ndarray) -> np.ndarray:
        """Jacobian (m, n_v) by the undriven rates, after an evaluation at q."""
        eval_jacobian(self.system, q, self.work)
        J = np.zeros((len(self.holonomic), self.n_v))
        J[self.constraints.owner, self.system.entry["column"]] = self.work.jacobian
        return J

    def _residual(self, t: float, y: np.ndarray, yp: np.ndarray, res: np.ndarray) -> None:
        n = self.n_q + self.n_v
        self._count(t)
        state, rates, mu = self._split(y, yp)
        out, change = np.zeros(n), np.zeros(self.n_q)
        self._check(self.form(self.system, t, state, rates, self.no_basis, out, self.work), out)
        row, q = self.work.row, state[:self.n_q]
        res[n:] = np.concatenate([row["value"][self.place], row["rate"][self.used]])                # (1)
        eval_coordinate_rates(self.system, q, self.shares * (mu @ self._dense_jacobian(q)[self.place]), change)
        out[:self.n_q] -= change
        res[:n] = out

    def _jacobian(self, t: float, y: np.ndarray, yp: np.ndarray, c: float, A: np.ndarray) -> None:
        n, n_q = self.n_q + self.n_v, self.n_q
        state, rates, _ = self._split(y, yp)
        q, v = state[:n_q].copy(), state[n_q:].copy()
        own = np.zeros((n, n))
        self._check(self.by_y(self.system, t, state, rates, self.no_basis, c, own, self.work))
        J, Jd, _ = jacobian_rates(self.constraints, t, q, v, np.zeros(self.n_v))
        by_all = self.constraints.full_jacobian(t, q)
        back = self._back(q)
        a, b = n + len(self.place), n + self.n_more
        A[:] = 0.0
        A[:n, :n] = own
        A[:n_q, n:a] = own[:n_q, n_q:] @ (self.shares[:, None] * J[self.place].T)
        A[n_q:n, a:b] = J[self.used].T
        A[n:a, :n_q] = by_all[self.place] @ back
        A[a:b, :n_q] = (Jd + J @ spin_matrix(self.packed, v))[self.used] @ back                # (2)
        A[a:b, n_q:n] = by_all[self.used]
        A[:, n_q + self.slack] += A[:, n_q:n] @ self.motions.T

    def _back(self, q: np.ndarray) -> np.ndarray:
        """Small motions (n_v, n_q) that unit changes of the coordinates make."""
        back = np.zeros((self.n_q, self.n_v))
        for unit, motion in zip(np.eye(self.n_q), back, strict=True):
            rates_of_coordinates(self.system, q, unit, motion)
        return back.T

    def entries(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """The kernels needed, for `prepare`."""
        return [*super().entries(), (eval_jacobian, (self.system, np.zeros(self.n_q), self.work))]

    # --- frames ---------------------------------------------------------------------------------------------------------

    def _after_step(self) -> None:
        q, qd = self._state(self.y)
        if len(self.used) < len(self.holonomic) and self._choose(self.t, q):
            self._begin(q, qd)
        else:
            super()._after_step()

    def _state(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, qd = np.split(self._whole(np.array(y[:self.n_q + self.n_v])), [self.n_q])
        normalise(self.system, q)
        return q, qd

    def _rank_changed(self, q: np.ndarray, qd: np.ndarray) -> bool:
        return False


def _smallest(J: np.ndarray) -> float:
    """Smallest singular value of independent rows."""
    return float(np.linalg.svd(J, compute_uv=False)[-1]) if len(J) else 0.0
