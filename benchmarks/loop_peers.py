"""Peers on closed loops: Exudyn's solvers with every setting worth trying, and MuJoCo's equality constraints.

`solve(problem, settings, step)` gives seconds and error of one of Exudyn's runs; the error is `Problem.error`, taken from a
run with sensors, the time from one without.  Run as a script it searches, for each mechanism and error level, the
settings and the step with which Exudyn is quickest, and prints them; `BEST` holds those that won.

Failures are part of the picture: index-3 steps with spectral radius 1 diverge; the index-2 trapezoidal rule often does not
get through the singular position of the four-bars and does not know prescribed offsets (the vehicle's rack).  Redundant
constraints break off unless singular matrices are ignored (dense, index 3 only), which is slower than models without them:
2-D bodies in the plane, one direction left out of Bricard's six joints.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product, starmap
from math import ceil, inf, sqrt
from time import process_time

import exudyn_planar
import exudyn_spatial
import exudyn_trees
import loop_problems
import numpy as np
import steps
from interleave import Report, best_runs, parse, peer
from loop_problems import Problem

INDEX3, INDEX2 = "generalized-alpha", "trapezoidal index 2"
TREE = "tree"
"""In place of a kind of nodes: relative coordinates."""


@dataclass(frozen=True)
class Settings:
    """What Exudyn lets a user choose: linear solver, integrator, Newton's iteration and, in space, coordinates."""

    solver: str = "EXUdense"
    method: str = INDEX3
    rho: float = 0.9
    newton: str = "modified"  # "full": factorizes in each iteration; "once": once a step
    tolerance: float = 1e-8
    nodes: str = ""

    def __str__(self) -> str:
        """Return the settings in one line."""
        method = f"alpha {self.rho:g}" if self.method == INDEX3 else "trapezoidal-2"
        words = (self.solver, method, self.newton, f"{self.tolerance:g}", self.nodes.removeprefix("Rotation"))
        return " ".join(filter(None, words))


class ExudynLoop(steps.Exudyn):
    """Exudyn on a closed loop."""

    def __init__(self, problem: Problem, settings: Settings, per_spacing: int):
        with contextlib.redirect_stdout(io.StringIO()):  # it remarks on inertias
            self.owner, system, self.sensors, self.read = self.built(problem, settings)
        count = per_spacing * (len(problem.times) - 1)
        super().__init__((self.owner, system), "GeneralizedAlpha", settings.solver, count, problem.until / count)
        self.problem = problem
        if hasattr(self.settings, "linearSolver"):  # newer versions
            self.settings.linearSolver.reuseAnalyzedPattern = True
        t = self.settings.timeIntegration
        t.newton.useModifiedNewton, t.newton.relativeTolerance = settings.newton != "full", settings.tolerance
        t.newton.modifiedNewtonJacUpdatePerStep = settings.newton == "once"
        t.generalizedAlpha.spectralRadius = settings.rho
        if settings.method == INDEX2:
            t.generalizedAlpha.useNewmark = t.generalizedAlpha.useIndex2Constraints = True

    def built(self, problem: Problem, settings: Settings):
        """Return Exudyn's model of a mechanism: container, system, sensors and what reads them."""
        kind = problem.name.lstrip("0123456789 ")
        if settings.nodes == TREE:
            return TREES[kind](problem)
        build, spatial = BUILDERS[kind]
        return build(problem, *((settings.nodes,) if spatial else ()))

    def seconds(self) -> float:
        """Return the CPU time of a run without sensors [s]; raises ArithmeticError if it fails."""
        return self() * self.steps

    def error(self) -> float:
        """Return the error of a run, infinite if it fails; its CPU time [s] is kept."""
        out = self.settings.solutionSettings
        out.sensorsWritePeriod = self.problem.spacing
        began = process_time()
        try:
            self.took = self.seconds()
            return self.problem.error(self.read([np.array(self.system.GetSensorStoredData(s)) for s in self.sensors]))
        except (ArithmeticError, NotImplementedError, RuntimeError):
            self.took = process_time() - began
            return inf
        finally:
            out.sensorsWritePeriod = 1e10


BUILDERS: dict[str, tuple[Callable, bool]] = {
    "four-bars": (exudyn_planar.fourbars, False),
    "squeezer": (exudyn_planar.squeezer, False),
    "planar slider-crank": (exudyn_planar.planar_slider_crank, False),
    "Bricard": (exudyn_spatial.bricard, True),
    "spatial slider-crank": (exudyn_spatial.spatial_slider_crank, True),
    "vehicle": (exudyn_spatial.vehicle, True),
}
"""Builder of each mechanism, and whether it takes a kind of rotational coordinates."""
TREES: dict[str, Callable] = {
    "four-bars": exudyn_trees.fourbars,
    "squeezer": exudyn_trees.squeezer,
    "planar slider-crank": exudyn_trees.planar_slider_crank,
    "Bricard": exudyn_trees.bricard,
    "spatial slider-crank": exudyn_trees.spatial_slider_crank,
}
"""Builders in relative coordinates.  A step costs twice as much as with bodies for one four-bar and seven times for ten, since
the tree's Jacobian is numerical and full; that is why the vehicle has none."""


def solve(problem: Problem, settings: Settings, step: float) -> tuple[float, float]:
    """Return seconds and error of Exudyn with a step [s] near the one given, a whole fraction of the compared spacing."""
    loop = ExudynLoop(problem, settings, max(1, round(problem.spacing / step)))
    error = loop.error()
    return (loop.seconds(), error) if error < inf else (inf, inf)


MOST_STEPS = 1000
"""Steps within a compared spacing after which a search is given up."""
MOST_TRIALS = 10
"""Runs after which it ends."""
CLOSE = 1.4
"""Multiple of the shortest time up to which settings are timed in turns."""
LONG = 1.0
"""CPU time of a run [s] from which on a search's own runs and one more tell which settings are quickest."""
FAR = 2.5
"""Multiple of the shortest time above which settings are not tried with shorter steps nor at finer levels."""


def fewest_steps(error_of: Callable[[int], float | None], level: float, guess: int = 10) -> tuple[int, float]:
    """Return the fewest steps k, within a few per cent, with error_of(k) below a level, and that error.

    The error falls with the square of the step once the step is small, on the whole: the passage of a singular position adds
    its own, more or less by chance.  (0, inf) if no step gets there.  The search ends where error_of gives None.
    """
    k, best, last, misses = guess, (0, inf), inf, 0
    for _ in range(MOST_TRIALS):
        error = error_of(k)
        if error is None:
            break
        missed = error > level and 0.7 * last < error < inf
        misses += missed
        if misses > 2:
            break  # shorter steps do not help: the iteration is not exact enough
        last = error
        if error <= level and (not best[0] or k < best[0]):
            best = (k, error)
        if 0.9 * level <= error <= level:
            break
        shorter = 2.0 if error == inf or missed else min(4.0, sqrt(error / (0.97 * level)))
        wanted = max(1, ceil(k * shorter))
        if wanted == k or wanted > MOST_STEPS or (best[0] and wanted >= best[0]):
            break
        k = wanted
    return best


def steps_for(problem: Problem, settings: Settings, level: float, guess: int = 10, seconds: float = inf
              ) -> tuple[ExudynLoop | None, int, float]:
    """Return Exudyn with the fewest steps a spacing that bring its error below a level, their number, and the error.

    After a run that missed the level and took longer than `seconds` of CPU no more are tried.
    """
    loops, slow = {}, False

    def error_of(k):
        nonlocal slow
        if slow:
            return None
        loops[k] = ExudynLoop(problem, settings, k)
        error = loops[k].error()
        slow = error > level and loops[k].took > seconds
        return error

    k, error = fewest_steps(error_of, level, guess)
    return loops.get(k), k, error


def candidates(name: str) -> Iterable[Settings]:
    """Return the settings worth trying on a mechanism."""
    kind = name.lstrip("0123456789 ")
    spatial, large = BUILDERS[kind][1], name == "10 four-bars"
    solvers = ("EigenSparse", "EigenSparseSymmetric") if large else ("EXUdense", "EigenDense", "EigenSparse")
    methods = ((INDEX3, 0.9), (INDEX3, 0.95), (INDEX2, 1.0))
    kinds = ("RotationEulerParameters", "RotationRxyz") if spatial else ("",)
    if kind in TREES and not large:
        kinds = (TREE, *kinds)
    for solver, (method, rho), newton, tolerance, nodes in product(
            solvers, methods, ("modified", "once", "full"), (1e-8, 1e-6, 1e-4), kinds):
        yield Settings(solver, method, rho, newton, tolerance, nodes)


def quickest(problem: Problem, level: float, tried: Iterable[Settings], rounds: int = 3,
             guesses: dict[Settings, int] | None = None) -> list[tuple[float, Settings, int, float]]:
    """Return (seconds, settings, steps a spacing, error) of all settings that reach a level, the quickest first.

    A search begins at the guessed number of steps, or at what was found for the settings before.  All settings are timed, and
    those that may be the quickest again, in turns.
    """
    found, guess, least = [], 10, inf
    for settings in tried:
        loop, k, error = steps_for(problem, settings, level, (guesses or {}).get(settings, guess), FAR * least)
        if k:
            seconds = loop.took if loop.took > LONG else min(loop.seconds(), loop.seconds())
            guess, least = k, min(least, seconds)
            found.append((loop, seconds, settings, k, error))
    close = {row[2]: row[0].seconds for row in found if row[1] <= CLOSE * least}
    best = best_runs(close, rounds=1 if least > LONG else rounds)
    return sorted(((min(seconds, best.get(settings, inf)), settings, k, error) for _, seconds, settings, k, error in found),
                  key=lambda row: row[0])


def guesses_from(found: list[tuple[float, Settings, int, float]], level: float) -> dict[Settings, int]:
    """Return numbers of steps with which settings may reach a finer level, for those that were not far from the quickest."""
    return {settings: max(1, round(k * sqrt(error / level))) for seconds, settings, k, error in found
            if seconds <= FAR * found[0][0]}


def family(solvers, method, radii, newton, tolerances, nodes=("",)) -> tuple[Settings, ...]:
    """Return all combinations of settings."""
    return tuple(starmap(Settings, product(solvers, (method,), radii, newton, tolerances, nodes)))


_RXYZ, _EULER = "RotationRxyz", "RotationEulerParameters"
_DENSE, _SPARSE = ("EXUdense", "EigenDense"), ("EigenSparse",)
_TREE = family(_DENSE, INDEX3, (0.9, 0.95), ("once",), (1e-6, 1e-5, 1e-4, 1e-3), (TREE,))
_CHAIN = (*family(_SPARSE, INDEX3, (0.9,), ("once",), (1e-6, 1e-5, 1e-4)),
          Settings("EigenSparse", INDEX3, 0.9, "modified", 1e-6))
BEST: dict[str, tuple[Settings, ...]] = {
    "1 four-bars": (*_TREE, *family(_DENSE, INDEX3, (0.9,), ("once",), (1e-6, 1e-4))),
    "10 four-bars": (*_CHAIN, Settings("EigenSparse", INDEX3, 0.95, "once", 1e-4)),
    "40 four-bars": _CHAIN,
    "squeezer": (*family(_DENSE, INDEX2, (1.0,), ("once",), (1e-10, 1e-9, 1e-8, 1e-6, 1e-4)),
                 *family(_DENSE, INDEX2, (1.0,), ("modified",), (1e-9, 1e-8, 1e-6))),
    "Bricard": (*_TREE, *family(("EigenDense",), INDEX2, (1.0,), ("once",), (1e-6, 1e-4), (_RXYZ,)),
                Settings("EigenSparse", INDEX2, 1.0, "modified", 1e-6, _EULER)),
    "spatial slider-crank": family(("EXUdense", "EigenSparse"), INDEX3, (0.9,), ("once",), (1e-8, 1e-6, 1e-5, 1e-4),
                                   (_RXYZ,)),
    "planar slider-crank": (*_TREE, *family(_DENSE, INDEX2, (1.0,), ("once", "full"), (1e-6, 1e-4))),
    "vehicle": family(_SPARSE, INDEX3, (0.9,), ("once", "modified"), (1e-8, 1e-6, 1e-4, 1e-3), (_EULER, _RXYZ)),
}
"""Settings near those with which Exudyn was quickest at one level or another; all are tried, the quickest one counts."""
LEVELS = (1e-3, 1e-4, 1e-5)
LARGE = ("40 four-bars", "spatial slider-crank", "vehicle")
"""Mechanisms that are left out at the finest level: Exudyn needs minutes for a run of the first and does not get there with
the second; the vehicle's arms have moments of inertia that no body can have, and what a model may hold instead changes its
path by 1e-5."""


def levels(name: str) -> tuple[float, ...]:
    """Return the error levels at which a mechanism is compared."""
    return LEVELS[:2] if name in LARGE else LEVELS


def problems(names: Iterable[str] = ()) -> dict[str, Problem]:
    """Return the mechanisms of the comparison by name."""
    made = [loop_problems.fourbars(1), loop_problems.fourbars(10), loop_problems.fourbars(40), loop_problems.squeezer(),
            loop_problems.bricard(), loop_problems.spatial_slider_crank(), loop_problems.planar_slider_crank(),
            loop_problems.vehicle()]
    return {p.name: p for p in made if not names or p.name in names}


def main(arguments=None) -> int:
    """Search Exudyn's best settings and measure MuJoCo's slider-cranks."""
    import mujoco_loops

    options = parse(__doc__, arguments)
    report = Report("peers on closed loops: quickest settings that reach a relative error",
                    ["mechanism", "level", "peer", "settings", "step [s]", "error", "seconds"])
    if peer("exudyn", report):
        for name, problem in problems(("1 four-bars",) if options.smoke else ()).items():
            if options.smoke:
                tried = [Settings()]
            elif name != "40 four-bars":  # which goes on with the best of ten
                tried = list(candidates(name))
            for level in (1e-2,) if options.smoke else levels(name):
                rows = quickest(problem, level, tried, options.rounds or 3)
                for seconds, settings, k, error in rows[:2]:
                    report.add(mechanism=name, level=f"{level:g}", peer="exudyn", settings=str(settings),
                               error=error, seconds=seconds, **{"step [s]": problem.spacing / k})
                    print(name, f"{level:g}", settings, f"{seconds:.3g} s", f"error {error:.2g}", file=sys.stderr, flush=True)
                tried = [settings for _, settings, _, _ in rows[:3]]  # finer levels only for the best so far
    if peer("mujoco", report):
        mujoco_loops.measure(report, smoke=options.smoke, rounds=options.rounds or 3)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
