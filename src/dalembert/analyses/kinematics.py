"""Kinematic analysis: a mechanism whose drives prescribe all that it can do, carried from time to time.

From a frame with coordinates q, rates and accelerations the next one is predicted by q + h qd + h²/2 qdd and corrected
onto the constraints; h is what lies between two frames, or less where the correction is not small.  Steps that shrink to
nothing mean that the drives lead into a singular position or beyond reach.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ..codes import DriveCode
from ..errors import AssemblyError, Fault, HoldsResults, ModelError
from ..kernels.force.laws import eval_law
from ..kernels.tree.state import eval_drives, move, normalise
from ..model.model import Model
from ..results.results import Results
from ..start.assembly import TOLERANCE, Assembler
from ..start.closing import set_drives
from ..start.constraints import Constraints
from ..start.control import idle_controllers
from ..start.deformed import Starts
from ..start.evaluate import make_results
from ..start.initial import Start, prepare_start
from ..start.mobility import find_mobility
from ..start.reduction import Equations, independent_rates, null_space, scaled
from ..system.names import rate_names

LARGEST_STEP = 0.3
"""Largest predicted move of a coordinate relative to its size."""
LARGEST_CORRECTION = 0.05
"""Largest correction of a predicted move; beyond it another branch of the mechanism might be caught."""
SMALLEST_STEP = 1e-6
"""Of the time between two frames; drives that allow no longer steps lead beyond reach."""
SINGULAR = 10 * TOLERANCE**0.5
"""Smallest singular value of the scaled Jacobian, relative to the largest, below which a position is singular: at a dead
centre a move of the loose joints by x opens the loop by x², which the tolerance of closed loops does not resolve."""
NEARLY_SINGULAR = 0.05
"""Likewise below which a position is called close to a singular one."""


def kinematics(model: Model, times: ArrayLike, *, start: Starts = None) -> Results:
    """Move a mechanism through the positions that its drives prescribe.

    Parameters
    ----------
    model : Model
        Its `Motion` drives prescribe as many coordinates as the mechanism has degrees of freedom.
    times : sequence of float
        Frames [s], ascending.
    start : mapping, optional
        Coordinates by joint name at time zero, instead of the model's; they choose between ways to assemble it.

    Returns
    -------
    Results
        All channels as for a run: positions, velocities, accelerations, reactions, and efforts of the drives.

    Raises
    ------
    ModelError
        There are fewer or more drives than degrees of freedom.
    AssemblyError
        The drives lead beyond reach or into a singular position; names joints, gap and time.  The error's attribute
        `results` holds the frames up to there.
    """
    return drive_through(prepare_driven(model, start), check_times(times), "kinematics")


def check_times(times: ArrayLike) -> np.ndarray:
    """Return times of frames as an array; ModelError unless they ascend."""
    try:
        found = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.ndim != 1 or not np.all(np.isfinite(found)) or np.any(np.diff(found) <= 0):
        raise ModelError([Fault("times", "expected a list of ascending finite times [s]")])
    return found


def prepare_driven(model: Model, start: Starts = None) -> Start:
    """Return the start of a mechanism whose drives prescribe everything; ModelError if they are too few or too many."""
    try:
        begin = prepare_start(model, start)
    except AssemblyError as error:
        _refuse_surplus(model, start, error)
        raise
    packed = begin.packed
    J = Constraints(packed).full_jacobian(begin.t, begin.q)
    everything = np.ones(packed.layout.n_v, bool)
    Z = null_space(packed, J)
    freedom, drives = null_space(packed, J, everything).shape[1], len(packed.layout.motions)
    if Z.shape[1]:
        names = rate_names(packed.layout)
        missing = ", ".join(repr(names[k]) for k in independent_rates(packed, Z))
        raise ModelError([Fault("motions", f"the mechanism has {freedom} degree{'s' * (freedom != 1)} of freedom but {drives} "
                                           f"drive{'s' * (drives != 1)}: {Z.shape[1]} left open in its start position. Add a "
                                           f"motion of {missing} (a constant holds it still)")], model.name)
    if drives > freedom:
        raise _surplus(model, freedom, drives)
    return begin


def _refuse_surplus(model: Model, start: Starts, error: AssemblyError) -> None:
    """Tell too many drives if that is why a mechanism cannot be assembled."""
    alone = prepare_start(model.without(*(m.name for m in model.motions)), start)
    freedom = find_mobility(alone.packed, alone.t, alone.q, alone.qd).freedom
    if len(model.motions) > freedom:
        raise _surplus(model, freedom, len(model.motions)) from error


def _surplus(model: Model, freedom: int, drives: int) -> ModelError:
    names = ", ".join(repr(m.name) for m in model.motions)
    return ModelError([Fault("motions", f"the mechanism has {freedom} degree{'s' * (freedom != 1)} of freedom but {drives} "
                                        f"drives: {names}. Remove {drives - freedom} of them")], model.name)


def drive_through(begin: Start, times: np.ndarray, what: str) -> Results:
    """Return the frames of a fully driven mechanism at ascending times [s]."""
    carrier, frames, failure = Carrier(begin), [], None
    for t in times:
        try:
            carrier.go(float(t))
        except AssemblyError as error:
            failure = error
            break
        frames.append((carrier.t, carrier.q, carrier.qd, carrier.qdd))
    layout = begin.packed.layout
    shapes = {"t": (), "q": (layout.n_q,), "qd": (layout.n_v,), "qdd": (layout.n_v,)}
    arrays = {name: np.array([frame[c] for frame in frames]).reshape(len(frames), *shape)
              for c, (name, shape) in enumerate(shapes.items())}
    status = "ok" if failure is None else f"{type(failure).__name__}: {failure}"
    results: Results = make_results(begin.packed, begin.formulation.name, arrays, integrator=what, status=status,
                           messages=(*begin.messages, *idle_controllers(begin.packed)))
    if failure is not None:
        cast(HoldsResults, failure).results = results
        raise failure
    return results


class Carrier:
    """A fully driven mechanism under way: time [s], coordinates, rates and accelerations."""

    def __init__(self, begin: Start):
        self.packed, self.system = begin.packed, begin.packed.system
        self.equations, self.assembler = Equations(begin.packed), Assembler(begin.packed, begin.t)
        self.scale = self.system.dof["q_scale"]
        self.weight = np.where(self.equations.free, self.scale, 0.0)
        self.t = begin.t
        self._accept(begin.t, begin.q.copy(), begin.qd.copy())

    def go(self, until: float) -> None:
        """Carry the mechanism to a time."""
        whole = abs(until - self.t)
        h = until - self.t
        while self.t != until:
            h = min(abs(h), abs(until - self.t)) * np.sign(until - self.t)
            target = until if h == until - self.t else self.t + h
            if not self._step(target):
                h *= 0.5
                if abs(h) < SMALLEST_STEP * whole:
                    raise self._beyond_reach(until)
            else:
                h *= 2.0
        self._refuse_singular()

    def _step(self, t: float) -> bool:
        """Try to go to a time; False if that is too far."""
        h, before = t - self.t, self.t
        dq = h * self.qd + 0.5 * h * h * self.qdd
        if np.max(abs(dq) / self.scale, initial=0.0) > LARGEST_STEP:
            return False
        q = self._driven(t, dq)
        self.assembler.t = t
        closed = self.assembler.close(q, self.weight)
        if closed.gap > self.assembler.tolerance or self._distance(q, closed.q) > LARGEST_CORRECTION:
            self.assembler.t = before
            return False
        try:
            self._accept(t, closed.q, self.qd.copy())
        except AssemblyError:
            self.assembler.t = before
            return False
        return True

    def _driven(self, t: float, dq: np.ndarray) -> np.ndarray:
        """Coordinates moved by increments, driven ones as their laws want at time t."""
        q = np.empty_like(self.q)
        for d in self.system.drive:
            if d.code == DriveCode.SPEED:
                dq[d.v] = self._travelled(d.law, t)
        move(self.system, self.q, dq, q)
        normalise(self.system, q)
        set_drives(self.packed, t, q, np.zeros(len(dq)))
        return q

    def _travelled(self, law: int, t: float) -> float:
        """Integral of a speed law from the present time to t."""
        from scipy.integrate import quad

        low, high = sorted((self.t, t))
        breaks = [b for b in self.packed.breaks if low < b < high] or None
        out: float = quad(lambda s: eval_law(self.system, law, s, 0.0, 0.0, 0), self.t, t, points=breaks, epsabs=1e-13,
                          epsrel=1e-12, limit=200)[0]
        return out

    def _distance(self, a: np.ndarray, b: np.ndarray) -> float:
        """Largest difference of coordinates relative to their sizes."""
        size = np.ones(len(a))
        size[self.system.pair["q"]] = self.scale[self.system.pair["v"]]
        return float(np.max(abs(a - b) / size, initial=0.0))

    def _accept(self, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        """Take coordinates at a time, and find rates and accelerations."""
        set_drives(self.packed, t, q, qd)
        if len(self.system.row):
            qd = self.assembler.rates(q, qd, np.zeros(len(qd), bool))
        qdd = self._accelerations(t, q, qd)
        self.t, self.q, self.qd, self.qdd = t, q, qd, qdd

    def _accelerations(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if np.any(self.equations.free):
            return self.equations.accelerations(t, q, qd)[0]
        qdd = np.zeros(len(qd))
        eval_drives(self.system, t, q, qd, qdd)
        return qdd

    def _jacobian(self) -> np.ndarray:
        J = self.assembler.constraints.evaluate(self.t, self.q, self.qd).jacobian
        return scaled(self.packed, J)[:, self.equations.free]

    def _loose(self) -> tuple[float, str]:
        """How far from singular the position is, and the joints that are about to come loose."""
        J = self._jacobian()
        _, sizes, right = np.linalg.svd(J)
        share = np.zeros(len(self.scale))
        share[self.equations.free] = abs(right[-1])
        layout = self.packed.layout
        names = dict.fromkeys(layout.joint_of_rate(int(v)).name for v in np.argsort(-share) if share[v] > 0.3 * np.max(share))
        return sizes[J.shape[1] - 1] / sizes[0], ", ".join(map(repr, names))

    def _refuse_singular(self) -> None:
        """Raise if rates and accelerations are not determined by the drives."""
        if not np.any(self.equations.free):
            return
        size, names = self._loose()
        if size <= SINGULAR:
            raise AssemblyError(f"singular position at t = {self.t:.6g} s: {names} can move although all drives stand still, "
                                "so that rates and reactions are not determined. Drive another joint, or leave this time out")

    def _beyond_reach(self, until: float) -> AssemblyError:
        """Return the error that says where the way ends and what is missing further on."""
        begin = self._driven(until, np.zeros(len(self.scale)))
        size, names = self._loose()
        nearest = Assembler(self.packed, until)
        told = nearest.missing(nearest.close(begin, self.weight))
        where = f" close to a singular position of {names}" if size <= NEARLY_SINGULAR else ""
        return AssemblyError(f"the drives cannot be followed beyond t = {self.t:.6g} s{where}: at t = {until:.6g} s, in the "
                             f"nearest position found, {told or 'another branch of the mechanism would have to be taken'}. "
                             "Shorten the drives' travel, or check lengths and axes of these joints")
