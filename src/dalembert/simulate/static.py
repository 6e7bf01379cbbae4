"""Equilibrium of a tree: coordinates at which nothing accelerates."""

from __future__ import annotations

import numpy as np

from ..codes import Status
from ..errors import ConvergenceError
from ..kernels.door import make_open_work
from ..kernels.linearize import eval_matrices
from ..kernels.tree_state import eval_drives, move, normalise
from ..results.results import Results
from ..results.stats import Stats
from .evaluate import make_results
from .initial import prepare_start
from .linear import rate_names
from .status import error_of

MAX_ITERATIONS = 200
TOLERANCE = 1e-10
"""Unbalanced effort relative to the effort of the stiffest direction for a move of one."""
LARGEST_MOVE = 0.5
"""Of a coordinate in one iteration [rad or m]."""


class StaticResults(Results):
    """One frame in equilibrium.

    Attributes
    ----------
    starts : dict
        Coordinates by joint name, ready for ``run(model, start=...)``.
    stable : bool
        True if the energy has a minimum there (symmetric part of the stiffness is positive).
    """

    starts: dict
    stable: bool


def static(model, t: float = 0.0, *, start=None) -> StaticResults:
    """Find the equilibrium near the start.

    Parameters
    ----------
    model : Model
    t : float
        Time [s] at which laws and drives are taken.
    start : mapping, optional
        Coordinates by joint name to begin the search with.

    Returns
    -------
    StaticResults

    Raises
    ------
    ConvergenceError
        No equilibrium was found; names the joint that is farthest from balance.
    """
    begin = prepare_start(model, start, None)
    packed, system, n = begin.packed, begin.packed.system, begin.packed.layout.n_v
    work, q = make_open_work(system), begin.q.copy()
    still, rates, ignored = np.zeros(n), np.zeros(n), np.zeros(n)
    eval_drives(system, t, q, rates, ignored)
    free = np.flatnonzero(system.dof["drive"] < 0)

    def residual_and_stiffness(q):
        r, M, C, K = np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        status = eval_matrices(system, t, q, still, still, r, M, C, K, work)
        if status != Status.OK:
            raise error_of(status, packed, work.fail, t, 0.0)
        return r[free], K[np.ix_(free, free)]

    q, r, K, iterations = _settle(system, q, free, residual_and_stiffness)
    if not _balanced(r, K):
        worst = int(free[np.argmax(abs(r))])
        raise ConvergenceError(f"no equilibrium found after {iterations} iterations: {rate_names(packed.layout)[worst]} is "
                               f"out of balance by {abs(r).max():.3g} N or N m. Begin nearer to it with start=, or add "
                               "a spring where nothing holds a joint.")
    frames = {"t": [t], "q": [q], "qd": [still], "qdd": [still]}
    results = make_results(packed, begin.formulation.name, frames, messages=begin.messages, integrator="static",
                           stats=Stats(iterations=iterations, factorizations=iterations), kind=StaticResults)
    coordinates = results.array("q")[0]
    results.starts = {j.name: coordinates[j.q:j.q + j.nq] for j in packed.layout.joints if j.nq}
    results.stable = bool(len(free) == 0 or np.linalg.eigvalsh(0.5 * (K + K.T)).min() >= -1e-9 * max(1, abs(K).max()))
    return results


def _balanced(r: np.ndarray, K: np.ndarray) -> bool:
    return not len(r) or bool(np.all(abs(r) <= TOLERANCE * (np.max(abs(K)) + 1e-300)))


def _settle(system, q, free, evaluate):
    """Levenberg-Marquardt on the unbalanced efforts; each trial moves the coordinates by joint increments."""
    r, K = evaluate(q)
    damping, iterations = 1e-6, 0
    while len(r) and np.max(abs(r)) > 1e-14 * np.max(abs(K)) and iterations < MAX_ITERATIONS:
        iterations += 1
        increments = np.zeros(system.dof.shape[0])
        normal = K.T @ K
        shift = damping * max(np.max(np.diag(normal)), r @ r)
        increments[free] = -np.linalg.solve(normal + shift * np.eye(len(r)), K.T @ r)
        increments *= min(1.0, LARGEST_MOVE / max(np.max(abs(increments)), 1e-300))
        trial = np.empty_like(q)
        move(system, q, increments, trial)
        normalise(system, trial)
        r_new, K_new = evaluate(trial)
        if r_new @ r_new < r @ r:
            q, r, K = trial, r_new, K_new
            damping = max(damping * 0.1, 1e-20)
        else:
            damping *= 10
            if damping > 1e12:
                break
    return q, r, K, iterations
