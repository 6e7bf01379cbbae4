"""Assembly of mechanisms with loops: positions, then rates, that meet all constraints and keep what the user gave.

Coordinates move by Gauss-Newton steps of least weighted length, W Jw⁺ (-Phi) with Jw = J W and W = 0 for what is held.
First drives and given starts are held and all others follow.  If that cannot be, the spin of a free joint follows if
only its velocity was given; then given starts are let go with a small weight, so that they move no more than they must.
If that fails too, other beginnings of the coordinates that were not given are tried; at last the nearest miss is reported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..codes import FormCode
from ..errors import AssemblyError
from ..kernels.tables import Work
from ..kernels.tree.state import move, normalise
from ..system.pack import Packed, pack
from .constraints import Constraints, least_solution, rank_of
from .constraints import Rows as RowState

MAX_ITERATIONS = 60
TOLERANCE = 1e-11
"""Largest violation of an assembled mechanism relative to the sizes of its rows, and to rounding of its places."""
ROUNDINGS = 16
"""Roundings of a place's distance from the world's origin that a violation may have."""
GIVEN_WEIGHT = 1e-2
"""How easily a given start moves compared with the others, once it has to."""
TRIES = 12
"""Random beginnings of the coordinates that were not given."""
FOLLOWS = 1e-6
"""Part of a unit motion of the mechanism above which a driven coordinate takes part in it."""
SMALL_SINGULAR = 1e-9
"""Directions of the scaled Jacobian below this fraction of its largest, or of one, are left alone."""


@dataclass
class Assembled:
    """Positions found, their largest relative violation and which rows it belongs to."""

    q: np.ndarray
    gap: float
    row: int


def least_step(J: np.ndarray, gap: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the change of least weighted length that removes a gap, as far as the rows allow."""
    step = np.zeros(J.shape[1])
    free = weight > 0
    if np.any(free) and len(gap):
        Jw = J[:, free] * weight[free]
        step[free] = weight[free] * least_solution(Jw, -gap, SMALL_SINGULAR)
    return step


class Assembler:
    """Finds positions and rates of a packed model at a time."""

    def __init__(self, packed: Packed, t: float, skip: np.ndarray | None = None, work: Work | None = None):
        self.packed, self.t = packed, t
        self.constraints = Constraints(packed, work)
        self.use = self.constraints.holonomic.copy()
        if skip is not None:
            self.use[skip] = False
        self.scale = packed.system.dof["q_scale"]
        self.tolerance = TOLERANCE + self._rounding()

    def _rounding(self) -> float:
        """Rounding of the largest distance from the world's origin, relative to the smallest size of a row."""
        far = max((float(np.max(abs(p.position))) for j in self.packed.plan.model.joints for p in (j.first, j.second)
                   if p.body == 0), default=0.0)
        return ROUNDINGS * np.finfo(float).eps * far / float(np.min(self.constraints.size, initial=np.inf))

    def positions(self, q: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Return coordinates that meet the constraints; `given` (n_v,) marks rates whose coordinates are to be kept.

        Raises
        ------
        AssemblyError
            Names the joints of the nearest miss and the gap that is left.
        """
        driven = self.packed.system.dof["drive"] >= 0
        held = np.where(given | driven, 0.0, self.scale)
        eased = np.where(driven, 0.0, np.where(given, GIVEN_WEIGHT, 1.0) * self.scale)
        best: Assembled | None = None
        for weight in (held, eased):
            best = self._better(best, self.close(q, weight))
            if best.gap <= self.tolerance:
                return best.q
        rng = np.random.default_rng(0)
        for _ in range(TRIES):
            begin = self._moved(q, np.where(given | driven, 0.0, self.scale) * rng.uniform(-2.0, 2.0, len(held)))
            for weight in (held, eased):
                best = self._better(best, self.close(begin, weight))
                if best.gap <= self.tolerance:
                    return best.q
        assert best is not None
        raise self._over_driven(q) or self.failure(best)

    def rates(self, q: np.ndarray, qd: np.ndarray, given: np.ndarray, unsaid: np.ndarray | bool = False) -> np.ndarray:
        """Return rates that meet the constraints at q and keep the given ones where possible, the `unsaid` ones last."""
        driven = self.packed.system.dof["drive"] >= 0
        size, n, said = self.constraints.size, len(qd), given & ~np.asarray(unsaid)
        for weight in (np.where(given | driven, 0.0, self.scale), np.where(said | driven, 0.0, self.scale),
                       np.where(driven, 0.0, np.where(said, GIVEN_WEIGHT, 1.0) * self.scale)):
            found = np.where(driven | given, qd, 0.0)
            for _ in range(3):
                rows = self.constraints.evaluate(self.t, q, found)
                found = found + least_step(rows.jacobian / size[:, None], rows.rate / size, weight)
            gap = abs(self.constraints.evaluate(self.t, q, found).rate) / size
            if not len(gap) or np.max(gap) <= 1e-9 * (1 + np.max(abs(found), initial=0.0)):
                return found
        over_driven = self._over_driven(q)
        if over_driven is not None:
            raise over_driven
        owner, label = self.packed.layout.rows[int(np.argmax(gap))]
        raise AssemblyError(f"rates cannot meet the constraints at t = {self.t:.6g} s: {owner!r} ({label}) keeps a rate of "
                            f"{np.max(gap * size):.3g}. Drives contradict each other or the mechanism is in a singular "
                            f"position; change a drive or the start ({n} rates).")

    def _moved(self, q: np.ndarray, increments: np.ndarray) -> np.ndarray:
        moved = np.empty_like(q)
        move(self.packed.system, q, increments, moved)
        normalise(self.packed.system, moved)
        return moved

    def _gap(self, rows: RowState) -> np.ndarray:
        return np.where(self.use, rows.value / self.constraints.size, 0.0)

    def close(self, q: np.ndarray, weight: np.ndarray) -> Assembled:
        """Damped Gauss-Newton from q; a coordinate moves the more easily the larger its weight (n_v,)."""
        still = np.zeros(len(weight))
        rows = self.constraints.evaluate(self.t, q, still)
        gap = self._gap(rows)
        for _ in range(MAX_ITERATIONS):
            norm = np.linalg.norm(gap)
            if np.max(abs(gap), initial=0.0) <= 0.01 * self.tolerance:
                break
            J = np.where(self.use[:, None], rows.jacobian / self.constraints.size[:, None], 0.0)
            step = least_step(J, gap, weight)
            step *= min(1.0, 0.5 / max(np.max(abs(step) / self.scale), 1e-300))
            for _ in range(6):
                trial = self._moved(q, step)
                rows_new = self.constraints.evaluate(self.t, trial, still)
                gap_new = self._gap(rows_new)
                if np.linalg.norm(gap_new) < norm:
                    break
                step = 0.4 * step
            else:
                break
            q, rows, gap = trial, rows_new, gap_new
        worst = int(np.argmax(abs(gap))) if len(gap) else 0
        return Assembled(q, float(np.max(abs(gap), initial=0.0)), worst)

    @staticmethod
    def _better(best: Assembled | None, new: Assembled) -> Assembled:
        return new if best is None or new.gap < best.gap else best

    def _over_driven(self, q: np.ndarray) -> AssemblyError | None:
        """Return the error of drives that are more than the mechanism can follow, found at a position that ignores them."""
        driven = np.flatnonzero(self.packed.system.dof["drive"] >= 0)
        if not len(driven):
            return None
        plan = self.packed.plan
        undriven = pack(replace(plan, model=replace(plan.model, motions=())), FormCode.SEMI_RECURSIVE,
                        interfaces=self.packed.has_superelements)
        free = Assembler(undriven, self.t, ~self.use)
        loose = free._closed_anyhow(q)
        if loose is None:
            return None
        rows = free.constraints.evaluate(self.t, loose.q, np.zeros(len(self.scale)))
        J = np.where(self.use[:, None], rows.jacobian / free.constraints.size[:, None], 0.0) * self.scale
        sizes, motions = np.linalg.svd(J)[1:]
        rank = rank_of(sizes, SMALL_SINGULAR)
        freedom = motions.shape[0] - rank
        parts, reached = np.linalg.svd(motions[rank:, driven].T)[:2]
        independent = int(np.sum(reached > FOLLOWS))
        if independent == len(driven):
            return None
        rates = driven[np.max(abs(parts[:, independent:]), axis=1) > FOLLOWS]
        names = [repr(m.name) for m in self.packed.layout.motions if m.v in rates]
        only = len(names) == 1
        return AssemblyError(
            f"the mechanism is over-driven at t = {self.t:.6g} s: it has {freedom} degree{'s' * (freedom != 1)} of freedom, "
            f"and the drive{'s' * (not only)} {', '.join(names)} prescribe{'s' * only} more than it can follow. Leave "
            f"{'it' if only else f'{len(driven) - independent} of them'} out, or make {'it' if only else 'one'} a motor.")

    def _closed_anyhow(self, q: np.ndarray) -> Assembled | None:
        """Return a position that meets the constraints, whatever was given; None if none is found."""
        rng = np.random.default_rng(1)
        for size in (0.0, *[2.0] * TRIES):
            found = self.close(self._moved(q, size * self.scale * rng.uniform(-1.0, 1.0, len(self.scale))), self.scale)
            if found.gap <= TOLERANCE:
                return found
        return None

    def missing(self, best: Assembled) -> str:
        """Say which joints lack how much in a nearest miss."""
        rows = self.constraints.evaluate(self.t, best.q, np.zeros(len(self.scale)))
        gap = abs(self._gap(rows))
        names: dict[str, tuple[str, float]] = {}
        for r in np.argsort(-gap):
            if gap[r] > 0.1 * best.gap:
                owner, label = self.packed.layout.rows[r]
                names.setdefault(owner, (label, abs(rows.value[r])))
        return "; ".join(f"{owner!r} lacks {size:.4g}{' m' * label.startswith('moving')} ({label})"
                         for owner, (label, size) in list(names.items())[:6])

    def failure(self, best: Assembled) -> AssemblyError:
        """Return the error of a nearest miss."""
        return AssemblyError(f"the mechanism cannot be assembled at t = {self.t:.6g} s: in the nearest position found "
                             f"{self.missing(best)}. Check lengths and axes of these joints, or give starts nearer to an "
                             "assembled position.")
