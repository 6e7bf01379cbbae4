"""Flexible bodies against Exudyn at equal error, and growth with the number of superelements.

The rod of a slider-crank is compared with Exudyn's ANCF cable and with its reduced bodies in floating frames, an arm with 20
modes whose hinge turns as prescribed with the same reduced body there.  Exudyn runs with the models and settings of
`flexible_peers.py` with which it is quickest at an error level; the error is the r.m.s. deviation of the deflections from the
reference.  dalembert then has to reach that error or a smaller one, in interface coordinates (global) or floating frames
(semi-recursive, recursive), with any number of bodies, of beams in space or of pieces that bend in the plane alone, as the
peer's do, in steps of its own choice or fixed ones whose equations are solved as roughly as the error allows.  Each
contestant's time is that of its time loop.  The quickest of dalembert's ways counts; one line a formulation is shown.

Growth is seen on a hanging beam of 10 to 1000 superelements in fixed steps.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import log
from time import process_time

# isort: off
from interleave import Report, best_runs, equal_turns, parse, peer  # first: allows BLAS one thread before NumPy loads it
import numpy as np
# isort: on

import flexible_peers
import flexible_problems
import loops
from flexible_peers import ARM, BEST, CABLE, FLOATING, FlexibleLoop, first_that_reaches
from flexible_problems import ARM_MODES

import dalembert as dal
from dalembert.codes import Status
from dalembert.simulate.choose import choose_integrator
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import check_run_arguments
from dalembert.start.initial import prepare_start

RATIO = {CABLE: 3.0, FLOATING: 3.0, ARM: 5.0}
EXPONENT = 1.1
ACCURACIES = tuple(10.0 ** (-1 - k / 4) for k in range(25))
ADAPTIVE = "generalized-alpha"
ROUGHLY = 0.1
"""Accuracy with which fixed steps are solved: a five-hundredth of each coordinate's scale."""
OUR_STEPS = (0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 3.5, 3.75, 4, 5, 6, 8, 10, 12, 16)
"""Fixed steps within a compared spacing that are tried."""
FIXED = {"trapezoidal": "trapezoidal", "fox-goodwin": dal.Newmark(beta=1 / 12),
         **{f"generalized-alpha {rho:g}": dal.GeneralizedAlpha(rho_inf=rho) for rho in (0.9, 0.6)}}
MOST_STEPS = 10**6
CHAINS = (10, 30, 100, 300, 1000)
CHAIN_STEP = 1e-3
CHAIN_STEPS = 20
SMOKE_LEVEL = 0.2
"""Error that ours has to reach in the smoke test, with few bodies and long steps."""
ENERGY = 1e-3
"""Change of the chain's energy that is allowed, relative to its largest kinetic energy: the square of a step that resolves
its bending well."""


class Ours(loops.Ours):
    """dalembert on a flexible mechanism; timed without recorded frames, as the peers are without sensors."""

    def __init__(self, problem, formulation: str, **how):
        super().__init__(problem, formulation, **how)
        self.formulation, self.steps_by = formulation, how
        self.begin = None

    def __call__(self) -> float:
        """Return the CPU time of the time loop [s]; raises ArithmeticError if it fails."""
        if self.begin is None:
            self.begin = prepare_start(self.model, formulation=self.formulation)
        begin, p, how = self.begin, self.problem, {"step": None, "accuracy": None, **self.steps_by}
        options = check_run_arguments(self.model, p.until, on_failure="raise", **how)
        method, _ = choose_integrator(options.integrator, options.step, massless=begin.massless > 0,
                                      n_rates=len(begin.qd), loops=begin.has_rows,
                                      superelements=begin.shown.has_superelements, natural=begin.natural is not None)
        loop = Loop(begin, method, options, p.times[[0, -1]])
        loop.advance(0)  # addresses of the tables and first accelerations: set-up, as the peer's
        started = process_time()
        status = loop.advance(MOST_STEPS)
        took = process_time() - started
        if status != Status.OK:
            raise ArithmeticError(f"{Status(status)!r} at t = {loop.t:g} s")
        return took


@dataclass(frozen=True)
class Way:
    """A formulation and a model of the mechanism for it."""

    formulation: str
    words: str
    problem: flexible_problems.Deflection


def ways(kind: str, smoke: bool) -> list[Way]:
    """Return the models of ours that may be quickest."""
    if kind == ARM:
        problem = flexible_problems.arm()
        fit = dal.formulations(problem.model())
        return [Way(name, f"{ARM_MODES} modes", problem) for name in ("semi-recursive", "recursive") if name in fit]
    beams = [("global", n, 0) for n in ((2,) if smoke else (2, 4, 6))]
    beams += [] if smoke else [("semi-recursive", 2, 0), ("semi-recursive", 3, 0)]
    found = [Way(name, f"{n} bodies", flexible_problems.slider_crank(n, modes)) for name, n, modes in beams]
    planar = ((2, 0),) if smoke else ((2, 0), (2, 1), (3, 0), (4, 0))
    found += [Way("semi-recursive", f"{n} planar bodies, {modes} modes", flexible_problems.planar_slider_crank(n, modes))
              for n, modes in planar]
    supported = ((1, 1),) if smoke else ((1, 1), (2, 1), (2, 2))
    return found + [Way("semi-recursive", f"{n} planar bodies, {kept} modes as supported",
                        flexible_problems.planar_slider_crank(n, 1, kept)) for n, kept in supported]


def reaching(way: Way, target: float) -> dict[str, Ours]:
    """Return our runs in this way that reach an error, in steps of their own choice and in fixed ones, by name."""
    problem, found = way.problem, {}

    def chosen(a):
        return Ours(problem, way.formulation, accuracy=a, integrator=ADAPTIVE)

    accuracy = None
    if way.formulation != "global":
        accuracy, _ = first_that_reaches(target, ACCURACIES, lambda a: chosen(a).error())
    if accuracy:
        found[f"{way.words}, accuracy {accuracy:.2g}"] = chosen(accuracy)
    for name, integrator in FIXED.items():
        def fixed(k, integrator=integrator):
            return Ours(problem, way.formulation, step=problem.spacing / k, integrator=integrator, accuracy=ROUGHLY)

        k, _ = first_that_reaches(target, OUR_STEPS, lambda k, fixed=fixed: fixed(k).error())
        if k:
            found[f"{way.words}, {name}, {k} steps a spacing"] = fixed(k)
    return found


def quickest_ways(kind: str, target: float, smoke: bool) -> dict[str, tuple[str, Ours]]:
    """Return the quickest run of each formulation that reaches an error, with what it is in words."""
    best = {}
    for way in ways(kind, smoke):
        for words, ours in reaching(way, target).items():
            seconds = best_runs({"": ours}, rounds=3)[""]
            if way.formulation not in best or seconds < best[way.formulation][0]:
                best[way.formulation] = (seconds, words, ours)
    return {name: (words, ours) for name, (_, words, ours) in best.items()}


def compare(report: Report, kind: str, level: float, rounds: int, exudyn, smoke: bool) -> None:
    """Time one kind of model at one error level."""
    problem = flexible_peers.problem_of(kind)
    turns, target = {}, level
    if exudyn:
        found = flexible_peers.quickest(problem, level, BEST[kind, level], rounds)
        assert found, f"{kind}: Exudyn does not reach {level:g}"
        target = found[0].error
        turns["exudyn"] = FlexibleLoop(problem, found[0].design, found[0].settings, found[0].per_spacing).seconds
        report.note(f"{kind}, {level:g}: Exudyn with {found[0]}")
    ours = quickest_ways(kind, SMOKE_LEVEL if smoke else target, smoke)
    assert ours, f"{kind}: no way reaches {target:g}"
    best = best_runs(equal_turns({**turns, **{name: run for name, (_, run) in ours.items()}}), rounds=rounds)
    theirs = best.pop("exudyn", None)
    for place, (name, seconds) in enumerate(sorted(best.items(), key=lambda item: item[1])):
        words, run = ours[name]
        ratio = theirs / seconds if theirs else None
        report.add(peer=kind, level=f"{level:g}", way=name, ms=1e3 * seconds, error=run.error(),
                   peer_ms=1e3 * theirs if theirs else None, peer_error=target if theirs else None, ratio=ratio,
                   required="" if place else f">= {RATIO[kind]}", ok=None if place or not ratio else ratio >= RATIO[kind])
        report.note(f"{kind}, {level:g}: {name} with {words}")


def growth(report: Report, sizes, rounds: int) -> None:
    """Measure the time of a step of a beam of N superelements and the exponent of its growth."""
    times = {}
    for n in sizes:
        model = flexible_problems.hanging_beam(n)

        def run(model=model):
            return dal.run(model, until=CHAIN_STEPS * CHAIN_STEP, step=CHAIN_STEP, formulation="global",
                           integrator="trapezoidal", record=CHAIN_STEPS * CHAIN_STEP)

        r = run()
        change, scale = np.ptp(r["energy.total"]), r["energy.kinetic"].max()
        assert change < ENERGY * scale, f"energy of {n} bodies changes by {change / scale:.2g} of the kinetic one"
        times[n] = best_runs({"": lambda run=run: run().stats.seconds}, rounds=rounds)[""] / CHAIN_STEPS
    small, large = min(sizes), max(sizes)
    exponent = log(times[large] / times[small]) / log(large / small)
    report.add(peer=f"{small} to {large} superelements", way="global", ratio=exponent, required=f"exponent <= {EXPONENT}",
               ok=exponent <= EXPONENT)
    report.note("us a step: " + ", ".join(f"N = {n}: {t * 1e6:.4g}" for n, t in times.items()))


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("flexible bodies at equal error, ms a run; ratio: peer / ours",
                    ["peer", "level", "way", "ms", "error", "peer_ms", "peer_error", "ratio", "required"])
    exudyn = peer("exudyn", report)
    for kind, level in [(CABLE, 0.04)] if options.smoke else BEST:
        compare(report, kind, level, options.rounds or (2 if options.smoke else 7), exudyn, options.smoke)
    growth(report, (2, 4) if options.smoke else CHAINS, options.rounds or 3)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
