"""Closed loops against Exudyn at equal error, growth of the global formulation, and the vehicle in real time.

Exudyn runs with the settings and models of `loop_peers.py` with which it is quickest, at the largest step that reaches an
error level; the error is the largest deviation from the reference, relative to the largest value of each column.  dalembert
then has to reach that error or a smaller one, in each of the ways of `loop_ways.py` with the coarsest run that does,
semi-recursive and global.  Each contestant's time is that of its time loop without records, errors come from a run with
them, which takes the same steps.  The quickest of dalembert's ways counts; all are shown.

Growth is seen on N four-bars in fixed steps.  The real-time factor of the vehicle is simulated over needed time with
steps of one millisecond.  MuJoCo closes loops by soft constraints; it is compared on the slider-cranks, without requirement.
"""

from __future__ import annotations

import sys
from math import log
from operator import itemgetter
from time import process_time

import loop_peers
import loop_problems
import mujoco_loops
import numpy as np
from interleave import Report, best_runs, equal_turns, parse, peer
from loop_peers import BEST, ExudynLoop, guesses_from, quickest
from loop_ways import FORMULATIONS, LONG, WAYS, Ours, Search, Way

from dalembert.codes import Status
from dalembert.simulate.choose import choose_integrator
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import FIXED_ACCURACY, RunOptions
from dalembert.start.initial import prepare_start

RATIO = 5.0
FIRMER_RATIO = {("1 four-bars", "0.001"): 8.0}
"""Ratios by mechanism and level that are to be larger than the others."""
EXPONENT = 1.2
REAL_TIME = {"semi-recursive": 10.0, "global": 2.0}
"""Simulated over needed time.  Ten for the formulation that a user is given; the global one is measured to be compared, and
two is what a core that is shared with another process still keeps."""
FRONT = 1.5
"""Multiple of our shortest time up to which a way may turn out to be the quickest."""
SPAN, FEWEST, MOST = 3.0, 3, 25
"""CPU time [s] that the turns of a contestant take together, set-up included; how many they are at least and at most."""
CHAINS = (10, 20, 40, 100, 200, 400)
REAL_TIME_STEP = 1e-3
PARTS = ("growth", "real-time", "mujoco")
"""What is measured besides the comparison at equal error."""


def compare(report: Report, problem, levels, rounds: int | None, exudyn) -> None:
    """Time one mechanism at falling error levels."""
    searches = {way.name: Search(way, problem) for way in WAYS}
    found = []
    for level in levels:
        began, turns, target = process_time(), {}, level
        where = f"{problem.name}, {level:g}"
        if exudyn:
            guesses = guesses_from(found, level)
            found = quickest(problem, level, guesses or BEST[problem.name], guesses=guesses)
            if found:
                _, settings, k, target = found[0]
                turns["exudyn"] = ExudynLoop(problem, settings, k).seconds
                report.note(f"{where}: Exudyn with {settings}, steps of {problem.spacing / k:.3g} s")
            else:
                report.note(f"{where}: Exudyn does not get there with any of its settings and steps")
        ours = {name: search.down_to(target) for name, search in searches.items()}
        for name in [name for name, run in ours.items() if run is None]:
            report.note(f"{where}: {name} left out, {searches[name].why}")
            del ours[name]
        assert ours, f"{where}: no way reaches {target:g}"
        times = times_of(turns, ours, rounds)
        add_rows(report, dict(mechanism=problem.name, level=f"{level:g}"), ours, *times, target)
        shown = report.rows[-len(ours)]
        print(f"{where}: {shown['way']}, {shown['ms']:.3g} ms, {shown['peer_ms'] or 0:.3g} ms of the peer; measured in "
              f"{process_time() - began:.0f} s of CPU", file=sys.stderr, flush=True)


def rounds_of(turns: dict) -> int:
    """Return how many turns each contestant takes: many of short ones, which are disturbed more easily."""
    began = process_time()
    for turn in turns.values():
        turn()
    return max(FEWEST, min(MOST, round(SPAN * len(turns) / (process_time() - began))))


def times_of(turns: dict, ours: dict[str, Ours], rounds: int | None) -> tuple[dict[str, float], dict[str, float]]:
    """Return the best times [s] of the peer and of those of ours that may be the quickest, in equal turns, and of the others.

    The others cannot change the ratio; they have three runs of their own, or the one of the search if that took long.
    """
    first = {name: min(way() for _ in range(3)) if way.took < LONG else way.took for name, way in ours.items()}
    limit = FRONT * min(first.values())
    front = {name: way for name, way in ours.items() if first[name] <= limit}
    equal = equal_turns({**turns, **front})
    even = best_runs(equal, rounds=rounds or rounds_of(equal))
    return even, {name: first[name] for name in ours if name not in front}


def add_rows(report: Report, row: dict, ours: dict[str, Ours], even: dict, others: dict, target: float) -> None:
    """Add the rows of one mechanism at one level, the quickest of the even turns first, which has to meet the requirement."""
    theirs = even.pop("exudyn", None)
    required = FIRMER_RATIO.get((row["mechanism"], row["level"]), RATIO)
    ordered = (item for times in (even, others) for item in sorted(times.items(), key=itemgetter(1)))
    for k, (name, seconds) in enumerate(ordered):
        ratio = theirs / seconds if theirs else None
        report.add(**row, way=name, how=str(ours[name]), ms=1e3 * seconds, error=ours[name].deviation,
                   peer_ms=1e3 * theirs if theirs else None, peer_error=target if theirs else None, ratio=ratio,
                   required="" if k else f">= {required}", ok=None if k or not ratio else ratio >= required)


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
    report.note("global, iterations and factorizations per step: " + ", ".join(
        f"N = {n}: {c.stats.iterations / c.stats.steps:.2f}, {c.stats.factorizations / c.stats.steps:.2f}"
        for n, c in ours.items()))


def real_time(report: Report, rounds: int) -> None:
    """Measure how much faster than real time the vehicle runs."""
    problem = loop_problems.vehicle()
    for formulation in FORMULATIONS:
        ours = Ours(problem, formulation, step=REAL_TIME_STEP)
        error = ours.error()
        factor = problem.until / best_runs({"": ours}, rounds=rounds)[""]
        required = REAL_TIME[formulation]
        report.add(mechanism="vehicle, 1 ms", way=formulation, error=error, ratio=factor,
                   required=f">= {required} x real time", ok=factor >= required)


def mujoco(report: Report, rounds: int) -> None:
    """Compare with MuJoCo's soft loops at its own errors."""
    for problem in (loop_problems.planar_slider_crank(), loop_problems.spatial_slider_crank()):
        search = Search(Way("semi-recursive"), problem)
        for k in mujoco_loops.STEPS[:4]:
            loop = mujoco_loops.MuJoCoLoop(problem, "RK4", k)
            target = loop.error()
            ours = search.down_to(target) if target < 1 else None
            if ours:
                best = best_runs(equal_turns({"ours": ours, "mujoco": loop.seconds}), rounds=rounds)
                report.add(mechanism=problem.name, way="semi-recursive", level="MuJoCo RK4", ms=1e3 * best["ours"],
                           error=ours.deviation, peer_ms=1e3 * best["mujoco"], peer_error=target,
                           ratio=best["mujoco"] / best["ours"])


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments, only="mechanisms, or growth, real-time, mujoco; all if left out")
    report = Report("closed loops at equal error, ms a run; ratio: peer / ours",
                    ["mechanism", "level", "way", "how", "ms", "error", "peer_ms", "peer_error", "ratio", "required"])
    exudyn = peer("exudyn", report)
    parts = options.only or ([*loop_peers.problems(), *PARTS] if not options.smoke else ["1 four-bars", "growth"])
    for problem in loop_peers.problems([part for part in parts if part not in PARTS] or ("none",)).values():
        levels = (1e-2,) if options.smoke else loop_peers.levels(problem.name)
        compare(report, problem, levels, 2 if options.smoke else options.rounds, exudyn)
    if "growth" in parts:
        growth(report, (2, 4) if options.smoke else CHAINS, options.rounds or 3, exudyn)
    if "real-time" in parts:
        real_time(report, options.rounds or 5)
    if "mujoco" in parts and peer("mujoco", report):
        mujoco(report, options.rounds or 5)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
