"""Equilibrium: coordinates at which nothing accelerates.

With constraint rows Phi(q) = 0 of Jacobian J the efforts balance up to loads of the rows, r(q) + Jᵀ λ = 0.  Along a basis Z of
the motions that the rows leave free, and with the multipliers λ that balance r best,
    rho = Zᵀ r,   d rho = Zᵀ (K + sum λ Hess Phi) Z dy                                            (1)
is what Levenberg-Marquardt steps dq = Z dy take to zero.  The basis is orthonormal relative to the sizes of coordinates,
so that rho and its derivative are energies whatever moves.  After each step the loops are closed again, so that |rho| measures
the distance to balance on the constraints themselves.  Redundant rows share their loads by least multipliers, which (1) does
not notice.  Where |rho| is least but not zero, the mechanism yields to its efforts instead, dy = -|K|⁻¹ rho, as long as they
do work along the move: that leads to a minimum of the energy, and on from there as before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import AssemblyError, ConvergenceError, ModelError
from ..flex.reductions import has_interfaces
from ..kernels.tree.state import move, normalise
from ..model.check import check
from ..model.model import Model
from ..results.stats import Stats
from ..start.arguments import check_time
from ..start.assembly import Assembler
from ..start.closing import at_time, held_at
from ..start.control import idle_parts
from ..start.deformed import Equilibrium, Starts
from ..start.evaluate import make_results
from ..start.initial import prepare_rigid, prepare_start, start_at
from ..start.reduction import Equations, find_multipliers, null_space
from ..start.start import Start
from ..start.state import State, state_of
from ..system.names import rate_names
from ..system.pack import Packed
from .static_super import find_equilibrium

MAX_ITERATIONS = 200
TOLERANCE = 1e-10
"""Unbalanced effort relative to the effort of the stiffest direction for a move of one."""
NEARLY = 1e-3
"""Likewise, small enough for Newton's iteration to take over."""
MAX_REFINEMENTS = 40
REFINED = 1e-11
"""Last change of a coordinate relative to the size of its kind."""
SOFTEST = 1e-3
"""Least stiffness that a mechanism yields with, relative to the largest."""
LARGEST_MOVE = 0.5
"""Of a coordinate in one iteration, relative to the size of its kind."""
INDIFFERENT = 1e-9
"""Negative stiffness, relative to the largest, that is made of rounding errors."""


class StaticResults(Equilibrium):
    """One frame in equilibrium.

    Attributes
    ----------
    starts : dict
        Coordinates by joint name and elastic coordinates by the name of the flexible body, ready for
        ``run(model, start=...)``.  The elastic ones are those of floating frames in equilibrium: exact in the tree
        formulations.  The result itself, ``run(model, start=static(model))``, is exact in the global formulation, too.
    stable : bool
        True if the energy has a minimum there: the symmetric part of the stiffness, with loops along the motions that the
        constraints leave free, is positive.
    """

    stable: bool
    _state: Callable[[bool], State]

    def state(self, in_faces: bool) -> State:
        """Return the equilibrium of floating frames, or that between faces."""
        return self._state(in_faces)


def static(model: Model, t: float = 0.0, *, start: Starts = None) -> StaticResults:
    """Find the equilibrium near the start.

    Flexible bodies are taken in absolute interface coordinates, and the load is brought on in automatic steps.

    Parameters
    ----------
    model : Model
    t : float
        Time [s] at which laws and drives are taken.
    start : mapping or StaticResults, optional
        Coordinates by joint name, or another equilibrium, to begin the search with.

    Returns
    -------
    StaticResults

    Raises
    ------
    ConvergenceError
        No equilibrium was found; names the joint that is farthest from balance.
    AssemblyError
        With loops: the mechanism cannot be assembled with the drives of that time.
    """
    t = check_time(t)
    if _in_interface_coordinates(model):
        return _static_flexible(model, start, t)
    begin = prepare_start(model, start, None)
    q, _ = at_time(begin, t)
    packed = held_at(begin.packed, t)
    balance = Balance(packed, t)
    found, iterations = _find(balance, q)
    if not found.balanced:
        name = rate_names(packed.layout)[found.worst]
        raise ConvergenceError(f"no equilibrium found after {iterations} iterations: {name} is out of balance by "
                               f"{found.unbalanced:.3g} N or N m. Begin nearer to it with start=, or add a spring "
                               "where nothing holds a joint.")
    if packed.layout.flexibles:
        found = _refined(balance, found) or found
    still = np.zeros(packed.layout.n_v)
    frames: dict[str, Any] = {"t": [t], "q": [found.q], "qd": [still], "qdd": [still]}
    if not found.stable:
        begin = replace(begin, messages=(*begin.messages, _unstable(f"{rate_names(packed.layout)[found.softest]} moves")))
    results = _shown(packed, begin, frames, iterations, found.stable)
    results._state = partial(_in_frames_alone, state_of(packed, t, found.q, still))
    return results


def _in_frames_alone(own: State, in_faces: bool) -> State:
    if in_faces and own.elastic:
        raise ModelError("start: the equilibrium was found in floating frames, since a flexible body has no interfaces, which "
                         "formulation 'global' needs; take 'recursive' or 'semi-recursive', or reduce the body with "
                         "flex.craig_bampton")
    return own


def _find(balance: Balance, q: np.ndarray) -> tuple[Place, int]:
    """Look for balance from coordinates q; returns the place, balanced or not, and the number of iterations."""
    found, iterations = _settle(balance, balance.evaluate(q))
    if not found.balanced:
        found, yielded = _yield(balance, found)
        found, settled = _settle(balance, found)
        iterations += yielded + settled
    return found, iterations


def _shown(packed: Packed, begin: Start, frames: Mapping[str, ArrayLike], iterations: int, stable: bool) -> StaticResults:
    """Results of the one frame in equilibrium."""
    results = make_results(packed, begin.formulation.name, frames, integrator="static",
                           messages=(*begin.messages, *idle_parts(packed)),
                           stats=Stats(iterations=iterations, factorizations=iterations), kind=StaticResults)
    results.stable = stable
    return results


def _unstable(what: str) -> str:
    return (f"unstable equilibrium: the energy has no minimum here, {what} away from it at the least push. Begin elsewhere "
            "with start= to find a stable one")


def _in_interface_coordinates(model: Model) -> bool:
    """True for a model with flexible bodies that all have interfaces."""
    flexibles = check(model).flexibles
    return bool(flexibles) and all(map(has_interfaces, flexibles))


def _static_flexible(model: Model, start: Starts, t: float) -> StaticResults:
    """Equilibrium by load steps in absolute interface coordinates, from the start or from the rigid twin's equilibrium."""
    begin = prepare_start(model, start, None, "global")
    try:
        found = find_equilibrium(begin, t)
    except ConvergenceError as error:
        begin = prepare_start(model, _rigid_equilibrium(model, start, t, error), None, "global")
        found = find_equilibrium(begin, t)
    still = np.zeros(found.packed.layout.n_v)
    frames: dict[str, Any] = {"t": [t], "q": [found.q], "qd": [still], "qdd": [still]}
    notes = [f"{found.load_steps} load step{'s' * (found.load_steps > 1)}"]
    if found.critical is not None:
        notes.append(f"the equilibria are unstable beyond the load factor {found.critical:.4g}, about; a small side load or "
                     "another start leads to the buckled ones")
    elif not found.stable:
        notes.append(_unstable("a motion that bends bodies grows"))
    begin = replace(begin, messages=(*begin.messages, *notes))
    results = _shown(found.packed, begin, frames, found.iterations, found.stable)
    faces = state_of(found.packed, t, found.q, still)
    results._state = _InBoth(faces, partial(_in_floating_frames, model, faces))
    return results


class _InBoth:
    """An equilibrium in faces, and in floating frames once that is asked for or the results leave the process."""

    def __init__(self, faces: State, find: Callable[[], State]):
        self.faces, self.find = faces, find
        self.frames: State | None = None

    def __call__(self, in_faces: bool) -> State:
        if in_faces:
            return self.faces
        if self.frames is None:
            self.frames = self.find()
        return self.frames

    def __getstate__(self) -> dict[str, Any]:
        return {"faces": self.faces, "find": None, "frames": self(False)}


def _rigid_equilibrium(model: Model, start: Starts, t: float, error: ConvergenceError) -> dict[str, np.ndarray]:
    """Coordinates by joint at which the mechanism with rigid bodies is in balance; `error` again if they are of no help."""
    try:
        begin = prepare_rigid(model, start)
    except AssemblyError:
        raise error from None
    packed = held_at(begin.packed, t)
    balance, layout = Balance(packed, t), packed.layout
    begun = at_time(begin, t)[0]
    found, _ = _find(balance, begun)
    if not found.balanced:
        raise ConvergenceError(f"{str(error).partition(':')[0]}, and were the bodies rigid, nothing holds it: "
                               f"{rate_names(layout)[found.worst]} is out of balance by {found.unbalanced:.3g} N or "
                               "N m. Add a spring or a joint there, or begin nearer to the equilibrium with start=.") from None
    if np.max(abs(found.q - begun), initial=0.0) <= 1e-9:
        raise error
    twin = state_of(packed, t, found.q, np.zeros(layout.n_v))
    return {j.name: twin.joints[j.name].coordinates for j in layout.joints if j.nq and not j.hidden}


def _in_floating_frames(model: Model, faces: State) -> State:
    """Equilibrium in floating frames next to that between faces, or that itself, with a note, where there is none."""
    begin = start_at(model, faces)
    balance = Balance(held_at(begin.packed, begin.t), begin.t)
    found = _refined(balance, balance.evaluate(begin.q))
    notes = () if found else ("start: floating frames find no equilibrium next to that of the interfaces and begin as this "
                              "one has them; the body is bent far: take more segments, or formulation='global'",)
    return state_of(begin.packed, begin.t, found.q if found else begin.q, np.zeros_like(begin.qd), notes)


def _refined(balance: Balance, place: Place) -> Place | None:
    """Newton's iteration to the last digit of the softest direction from nearby; None if it does not end."""
    for _ in range(MAX_REFINEMENTS):
        K = place.stiffness
        size = np.sqrt(np.maximum(np.max(abs(K), axis=1, initial=0.0), 1e-300))
        along = np.linalg.lstsq(K / np.outer(size, size), place.efforts / size, rcond=1e-14)[0] / size
        step = -place.motions @ along
        change = np.max(abs(step) / balance.packed.system.dof["q_scale"], initial=0.0)
        trial = balance.moved(place.q, step * min(1.0, LARGEST_MOVE / max(change, LARGEST_MOVE)))
        if trial is None or not np.isfinite(change):
            return None
        place = balance.evaluate(trial)
        if change <= REFINED:
            return place
    return None


@dataclass(frozen=True)
class Place:
    """Coordinates, free motions Z (n_v, f), unbalanced efforts along them (f,) and their derivative (f, f).

    `scale` (n_v,) are the sizes of coordinates that the motions are orthonormal relative to.
    """

    q: np.ndarray
    motions: np.ndarray
    efforts: np.ndarray
    stiffness: np.ndarray
    scale: np.ndarray

    @property
    def size(self) -> float:
        """Largest entry of the stiffness."""
        return float(np.max(abs(self.stiffness), initial=0.0))

    @property
    def balanced(self) -> bool:
        """True if no effort is left that would move a coordinate."""
        return bool(np.all(abs(self.efforts) <= TOLERANCE * (self.size + 1e-300)))

    @property
    def stable(self) -> bool:
        """True if the symmetric part of the stiffness is not negative."""
        K = self.stiffness
        return not len(K) or bool(np.linalg.eigvalsh(0.5 * (K + K.T)).min() >= -INDIFFERENT * self.size)

    @property
    def softest(self) -> int:
        """Rate that has the largest share in the motion of least stiffness."""
        K = self.stiffness
        return int(np.argmax(abs(self.motions @ np.linalg.eigh(0.5 * (K + K.T))[1][:, 0]) / self.scale))

    @property
    def worst(self) -> int:
        """Rate that is farthest from balance."""
        return int(np.argmax(abs(self.motions @ self.efforts) / self.scale))

    @property
    def unbalanced(self) -> float:
        """Effort on that rate [N or N m]."""
        return float(abs(self.motions @ self.efforts)[self.worst] / self.scale[self.worst] ** 2)

    def work(self, step: np.ndarray) -> float:
        """Efforts times a step (n_v,) as far as it is free."""
        return float(self.efforts @ (self.motions.T @ (step / self.scale**2)))


class Balance:
    """Unbalanced efforts of a mechanism that stands still."""

    def __init__(self, packed: Packed, t: float):
        self.packed, self.t = packed, t
        self.equations, self.assembler = Equations(packed), Assembler(packed, t)
        self.scale = packed.system.dof["q_scale"]
        self.weight = np.where(self.equations.free, self.scale, 0.0)
        self.still = np.zeros(packed.layout.n_v)

    def evaluate(self, q: np.ndarray) -> Place:
        """Efforts and stiffness (1) at q."""
        state = self.t, q, self.still, self.still
        J = self.assembler.constraints.evaluate(*state[:3]).jacobian
        Z = self.scale[:, None] * np.linalg.qr(null_space(self.packed, J) / self.scale[:, None])[0]
        r = self.equations.residual(*state, 0.0)
        K = self.equations.matrices(*state, find_multipliers(self.packed, J, r))[2]
        return Place(q, Z, Z.T @ r, Z.T @ K @ Z, self.scale)                                     # (1)

    def moved(self, q: np.ndarray, increments: np.ndarray) -> np.ndarray | None:
        """Coordinates moved by increments (n_v,) and closed again; None if they do not close."""
        system, trial = self.packed.system, np.empty_like(q)
        move(system, q, increments, trial)
        normalise(system, trial)
        if not len(system.row):
            return trial
        closed = self.assembler.close(trial, self.weight)
        return closed.q if closed.gap <= self.assembler.tolerance else None


def _yield(balance: Balance, place: Place) -> tuple[Place, int]:
    """Give way to the unbalanced efforts until they are nearly gone; returns the place and the number of iterations."""
    for iteration in range(MAX_ITERATIONS):
        if np.max(abs(place.efforts)) <= NEARLY * place.size:
            return place, iteration
        sizes, axes = np.linalg.eigh(0.5 * (place.stiffness + place.stiffness.T))
        sizes = np.maximum(abs(sizes), max(SOFTEST * np.max(abs(sizes)), 1e-300))
        step = -place.motions @ axes @ (axes.T @ place.efforts / sizes)
        step *= min(1.0, LARGEST_MOVE / np.max(abs(step) / place.scale))
        new = _downhill(balance, place, step)
        if new is None:
            break
        place = new
    return place, iteration + 1


def _downhill(balance: Balance, place: Place, step: np.ndarray) -> Place | None:
    """Move along a step (n_v,), or a part of it at whose end the efforts do not push back hard; None if there is none."""
    for _ in range(20):
        trial = balance.moved(place.q, step)
        new = None if trial is None else balance.evaluate(trial)
        if new is not None and new.work(step) <= -0.5 * place.work(step):
            return new
        step = 0.5 * step
    return None


def _settle(balance: Balance, place: Place) -> tuple[Place, int]:
    """Levenberg-Marquardt on the unbalanced efforts; returns the best place and the number of iterations."""
    damping, iterations = 1e-6, 0
    while np.max(abs(place.efforts), initial=0.0) > 1e-14 * place.size and iterations < MAX_ITERATIONS:
        iterations += 1
        r, K = place.efforts, place.stiffness
        normal = K.T @ K
        shift = damping * max(np.max(np.diag(normal)), r @ r)
        increments = -place.motions @ np.linalg.solve(normal + shift * np.eye(len(r)), K.T @ r)
        increments *= min(1.0, LARGEST_MOVE / max(np.max(abs(increments) / place.scale), 1e-300))
        trial = balance.moved(place.q, increments)
        new = None if trial is None else balance.evaluate(trial)
        if new is not None and new.efforts @ new.efforts < r @ r:
            place = new
            damping = max(damping * 0.1, 1e-20)
        else:
            damping *= 10
            if damping > 1e12:
                break
    return place, iterations
