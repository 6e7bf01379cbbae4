"""Closed loops against Exudyn at equal error, growth of the global formulation, and the vehicle in real time.

Exudyn runs with the settings and models of `loop_peers.py` with which it is quickest, at the largest step that reaches an
error level; the error is the largest deviation from the reference, relative to the largest value of each column.  dalembert
then has to reach that error or a smaller one: with its default integrator at the loosest accuracy that does, and with
the index-3 trapezoidal rule at the largest fixed step that does, solved exactly or roughly, semi-recursive and global; also
semi-recursively with explicit rules in fixed steps, which have no steps to reject.  Each
contestant's time is that of its time loop without records, errors come from a run with them, which takes the same steps.
The quickest of dalembert's ways counts; all are shown.

Growth is seen on N four-bars in fixed steps.  The real-time factor of the vehicle is simulated over needed time with
steps of one millisecond.  MuJoCo closes loops by soft constraints; it is compared on the slider-cranks, without requirement.
"""

from __future__ import annotations

import sys
from math import inf, log
from time import process_time

import loop_peers
import loop_problems
import mujoco_loops
import numpy as np
from interleave import Report, best_runs, equal_turns, parse, peer
from loop_peers import BEST, ExudynLoop, fewest_steps, quickest

import dalembert as dal
import dalembert.simulate.run
from dalembert.codes import Status
from dalembert.simulate.arguments import FIXED_ACCURACY, RunOptions
from dalembert.simulate.initial import prepare_start
from dalembert.simulate.integrators import choose_integrator
from dalembert.simulate.loop import Loop

dalembert.simulate.run.perf_counter = process_time  # seconds of our time loops in CPU time, as those of the peers

RATIO = 5.0
EXPONENT = 1.2
REAL_TIME = {"semi-recursive": 10.0, "global": 5.0}
WAYS = tuple(REAL_TIME)
FINEST = 28
"""Accuracies are tried on a grid of quarter decades from 1e-2 to 1e-9."""
PATIENCE = 4.0
"""CPU time of a run [s] after which finer ones are not tried."""
EXPLICIT = ("rk4", "dopri5")
GRID = 1.1
"""Ratio of the numbers of steps that are tried with them."""
SLOW = 2.0
"""Multiple of the peer's time above which a way takes turns of its own, fewer and shorter than equal ones would be."""
ROUGHLY = 1e-4
"""Accuracy to which the equations of fixed steps are solved, besides the one that they have by themselves."""
CHAINS = (10, 20, 40, 100, 200, 400)
REAL_TIME_STEP = 1e-3
PARTS = ("growth", "real-time", "mujoco")
"""What is measured besides the comparison at equal error."""


class Ours:
    """dalembert on a closed loop, one run a call."""

    def __init__(self, problem, formulation: str, **how):
        self.problem, self.model = problem, problem.model()
        self.how = dict(formulation=formulation, **how)

    def run(self, record):
        """Return the results of a run."""
        return dal.run(self.model, until=self.problem.until, record=record, **self.how)

    def error(self) -> float:
        """Return the error, infinite for a run that fails."""
        began = process_time()
        try:
            return self.problem.error(self.problem.columns(self.run(self.problem.times)))
        except dal.MultibodyError:
            return inf
        finally:
            self.took = process_time() - began

    def __call__(self) -> float:
        """Return the seconds of the time loop."""
        return self.run([self.problem.until]).stats.seconds


def loosest(problem, formulation: str, target: float) -> Ours | None:
    """Return our run with the loosest accuracy whose error is at most the target: by decades, then by quarters of one."""
    def at(place):
        return Ours(problem, formulation, accuracy=10.0 ** (-2 - place / 4))

    for place in range(0, FINEST + 1, 4):
        ours = at(place)
        if ours.error() <= target:
            finer = (at(k) for k in range(place - 3, place) if k > 0)
            return next((other for other in finer if other.error() <= target), ours)
        if ours.took > PATIENCE:
            return None
    return None


def longest_step(problem, formulation: str, target: float, **how) -> Ours | None:
    """Return our run with the largest fixed step whose error is at most the target."""
    impatient = False

    def error(k):
        nonlocal impatient
        if impatient:
            return inf
        ours = at(k)
        found, impatient = ours.error(), ours.took > PATIENCE
        return found

    def at(k):
        return Ours(problem, formulation, step=problem.spacing / k, integrator="trapezoidal", **how)

    k, _ = fewest_steps(error, target)
    return at(k) if k else None


def fewest_explicit_steps(problem, integrator: str, target: float) -> Ours | None:
    """Return our run with the fewest fixed steps of an explicit rule whose error is at most the target."""
    spacings = len(problem.times) - 1
    count = spacings / 4
    while count < 20 * spacings:
        ours = Ours(problem, "semi-recursive", step=problem.until / round(count), integrator=integrator)
        if ours.error() <= target:
            return ours
        if ours.took > PATIENCE:
            return None
        count *= GRID
    return None


def contestants(problem, target: float) -> dict[str, Ours]:
    """Return our ways to an error by name."""
    found = {}
    for formulation in WAYS:
        found[formulation] = loosest(problem, formulation, target)
        found[f"{formulation}, fixed step"] = longest_step(problem, formulation, target)
        found[f"{formulation}, rough fixed step"] = longest_step(problem, formulation, target, accuracy=ROUGHLY)
    for integrator in EXPLICIT:
        found[f"semi-recursive, {integrator} step"] = fewest_explicit_steps(problem, integrator, target)
    return {name: ours for name, ours in found.items() if ours is not None}


def compare(report: Report, problem, level: float, rounds: int, exudyn) -> None:
    """Time one mechanism at one error level."""
    row = dict(mechanism=problem.name, level=f"{level:g}")
    turns, target = {}, level
    if exudyn:
        found = quickest(problem, level, BEST[problem.name])
        if found:
            _, settings, k, target = found[0]
            turns["exudyn"] = ExudynLoop(problem, settings, k).seconds
            report.note(f"{problem.name}, {level:g}: Exudyn with {settings}, steps of {problem.spacing / k:.3g} s")
        else:
            report.note(f"{problem.name}, {level:g}: Exudyn does not get there with any of its settings and steps")
    ours = contestants(problem, target)
    assert ours, f"{problem.name}: no way reaches {target:g}"
    slow = {name: way for name, way in ours.items() if turns and way() > SLOW * turns["exudyn"]()}
    quick = {name: way for name, way in ours.items() if name not in slow}
    best = {**best_runs(equal_turns({**turns, **quick}), rounds=rounds), **best_runs(slow, rounds=2)}
    theirs = best.pop("exudyn", None)
    for name, seconds in sorted(best.items(), key=lambda item: item[1]):
        first = name == min(best, key=best.get)
        ratio = theirs / seconds if theirs else None
        report.add(**row, way=name, how=_told(ours[name].how), ms=1e3 * seconds, error=ours[name].error(),
                   peer_ms=1e3 * theirs if theirs else None, peer_error=target if theirs else None, ratio=ratio,
                   required=f">= {RATIO}" if first else "", ok=ratio >= RATIO if ratio and first else None)


def _told(how: dict) -> str:
    """Return step or accuracy of a way."""
    return f"{how['step']:.3g} s" if "step" in how else f"{how['accuracy']:.2g}"


class Chain:
    """Fixed steps of N four-bars in the global formulation, assembled once."""

    def __init__(self, n: int, step: float = 0.01):
        self.begin = prepare_start(loop_problems.fourbars(n, until=1.0).model(), None, None, "global")
        self.method, _ = choose_integrator("trapezoidal", step, loops=True)
        self.options = RunOptions(1.0, step, FIXED_ACCURACY, "trapezoidal", "global", None)
        self.stats = None

    def __call__(self) -> float:
        """Return the CPU time of a step [s]."""
        loop = Loop(self.begin, self.method, self.options, np.zeros(0))
        began = process_time()
        status = loop.advance(1_000_000)
        took = process_time() - began
        assert status == Status.OK, status
        self.stats = loop.stats(took)
        return took / self.stats.steps


def growth(report: Report, sizes, rounds: int, exudyn) -> None:
    """Measure the time of a step of N four-bars and the exponent of its growth; all sizes take turns of equal length."""
    ours = {n: Chain(n) for n in sizes}
    turns = {("global", n): chain for n, chain in ours.items()}
    if exudyn:
        for n in sizes:
            loop = ExudynLoop(loop_problems.fourbars(n, until=1.0), BEST["40 four-bars"][0], 10)
            turns["exudyn", n] = loop  # a call of it gives the time of a step
    best = best_runs(equal_turns(turns), rounds=rounds)
    small, large = min(sizes), max(sizes)
    for name, required in (("global", EXPONENT), ("exudyn", None)):
        times = {n: seconds for (who, n), seconds in best.items() if who == name}
        if times:
            exponent = log(times[large] / times[small]) / log(large / small)
            report.add(mechanism=f"{small} to {large} four-bars", way=name, ratio=exponent,
                       required=f"exponent <= {required}" if required else "exponent",
                       ok=exponent <= required if required else None)
            report.note(f"{name}, us a step: " + ", ".join(f"N = {n}: {t * 1e6:.4g}" for n, t in times.items()))
    report.note("global, iterations and factorizations a step: " + ", ".join(
        f"N = {n}: {c.stats.iterations / c.stats.steps:.2f}, {c.stats.factorizations / c.stats.steps:.2f}"
        for n, c in ours.items()))


def real_time(report: Report, rounds: int) -> None:
    """Measure how much faster than real time the vehicle runs."""
    problem = loop_problems.vehicle()
    for formulation in WAYS:
        ours = Ours(problem, formulation, step=REAL_TIME_STEP)
        error = ours.error()
        factor = problem.until / best_runs({"": ours}, rounds=rounds)[""]
        required = REAL_TIME[formulation]
        report.add(mechanism="vehicle, 1 ms", way=formulation, error=error, ratio=factor,
                   required=f">= {required} x real time", ok=factor >= required)


def mujoco(report: Report, rounds: int) -> None:
    """Compare with MuJoCo's soft loops at its own errors."""
    for problem in (loop_problems.planar_slider_crank(), loop_problems.spatial_slider_crank()):
        for k in mujoco_loops.STEPS[:4]:
            loop = mujoco_loops.MuJoCoLoop(problem, "RK4", k)
            target = loop.error()
            ours = loosest(problem, "semi-recursive", target) if target < 1 else None
            if ours:
                best = best_runs(equal_turns({"ours": ours, "mujoco": loop.seconds}), rounds=rounds)
                report.add(mechanism=problem.name, way="semi-recursive", level="MuJoCo RK4", ms=1e3 * best["ours"],
                           error=ours.error(), peer_ms=1e3 * best["mujoco"], peer_error=target,
                           ratio=best["mujoco"] / best["ours"])


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments, only="mechanisms, or growth, real-time, mujoco; all if left out")
    report = Report("closed loops at equal error, ms a run; ratio: peer / ours",
                    ["mechanism", "level", "way", "how", "ms", "error", "peer_ms", "peer_error", "ratio", "required"])
    exudyn = peer("exudyn", report)
    parts = options.only or ([*loop_peers.problems(), *PARTS] if not options.smoke else ["1 four-bars", "growth"])
    for problem in loop_peers.problems([part for part in parts if part not in PARTS] or ("none",)).values():
        for level in (1e-2,) if options.smoke else loop_peers.levels(problem.name):
            compare(report, problem, level, options.rounds or (2 if options.smoke else 7), exudyn)
    if "growth" in parts:
        growth(report, (2, 4) if options.smoke else CHAINS, options.rounds or 3, exudyn)
    if "real-time" in parts:
        real_time(report, options.rounds or 5)
    if "mujoco" in parts and peer("mujoco", report):
        mujoco(report, options.rounds or 5)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
