"""dalembert's ways to an error on closed loops, and the search for the coarsest run of each that gets there.

Ways: error control by the default integrator and by `tsit5`; the index-3 trapezoidal rule in fixed steps, solved exactly or
roughly; explicit rules in fixed steps, which have no steps to reject.  A search goes from coarse to fine, as far as the order
of the way lets expect, and never back: what a coarser level has ruled out is not tried again at the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, log10
from time import process_time

import dalembert as dal
import dalembert.simulate.run
import dalembert.simulate.simulation

# seconds of our time loops are those of CPU time, as those of the peers
dalembert.simulate.simulation.perf_counter = dalembert.simulate.run.perf_counter = process_time

ROUGHLY = 1e-2
"""Accuracy to which the equations of fixed steps are solved, besides the one that they have by themselves."""
PATIENCE = 25.0
"""CPU time of a run [s] above which a way is left out."""
BUDGET = 40.0
"""CPU time [s] after which the search of a way at one level ends."""
MOST_TRIALS = 30
LONG = 1.0
"""CPU time of a run [s] above which the next is aimed at the level itself; shorter ones creep up to it: errors scatter."""
AIM = 0.85
"""Part of the level that is aimed at."""
CREEP = 0.7
"""Part of the way to the level, in logarithms, that a short run goes."""
LEAST = 1.05
"""Ratio of the numbers of steps of two runs, at least."""


class Ours:
    """dalembert on a closed loop, one run a call."""

    def __init__(self, problem, formulation: str, **how):
        self.problem, self.model = problem, problem.model()
        self.how = dict(formulation=formulation, **how)
        self.deviation, self.took = inf, 0.0

    def __str__(self) -> str:
        """Return step or accuracy."""
        return f"{self.how['step']:.3g} s" if "step" in self.how else f"{self.how['accuracy']:.2g}"

    def run(self, record):
        """Return the results of a run."""
        return dal.run(self.model, until=self.problem.until, record=record, **self.how)

    def error(self) -> float:
        """Return the error, infinite for a run that fails, and keep it and the CPU time of the run [s]."""
        try:
            results = self.run(self.problem.times)
            self.deviation = self.problem.error(self.problem.columns(results))
        except dal.MultibodyError as failure:
            results = failure.results
        self.took = results.stats.seconds
        return self.deviation

    def __call__(self) -> float:
        """Return the seconds of the time loop."""
        return self.run([self.problem.until]).stats.seconds


@dataclass(frozen=True)
class Way:
    """A family of runs, the finer the larger their number n: steps within a compared spacing, or 1 / accuracy."""

    formulation: str
    title: str = ""
    how: Callable[[object, float], dict] = lambda problem, n: dict(accuracy=1 / n)
    coarsest: float = 1e2
    finest: float = 1e9
    order: float = 1.0  # the error falls with n**-order
    cost: float = 0.25  # the time grows with n**cost
    leap: float = 10.0  # ratio of the numbers of two runs, at most
    snap: Callable[[float], float] = lambda n: 10.0 ** (ceil(10 * log10(n)) / 10)  # to the numbers that are tried

    @property
    def name(self) -> str:
        """What the way is called in tables."""
        return ", ".join(filter(None, (self.formulation, self.title)))

    def next(self, n: float, gain: float) -> float:
        """Return the number after n whose error should be smaller by `gain`, infinite for n of a run that failed."""
        return self.snap(n * max(LEAST, min(self.leap, gain ** (1 / self.order))))


def steps(formulation: str, title: str, **how) -> Way:
    """Return fixed implicit steps, whole fractions of the compared spacing."""
    return Way(formulation, title, lambda problem, n: dict(step=problem.spacing / n, integrator="trapezoidal", **how),
               coarsest=2, finest=1000, order=2.0, cost=1.0, leap=4.0, snap=ceil)


def explicit(integrator: str) -> Way:
    """Return error control by an explicit integrator."""
    return Way("semi-recursive", integrator, lambda problem, n: dict(accuracy=1 / n, integrator=integrator))


def explicit_steps(integrator: str, order: int) -> Way:
    """Return fixed explicit steps, whole fractions of the run."""
    return Way("semi-recursive", f"{integrator} step",
               lambda problem, n: dict(step=problem.until / ceil(n * (len(problem.times) - 1)), integrator=integrator),
               coarsest=0.25, finest=20, order=order, cost=1.0, leap=2.0, snap=float)


FORMULATIONS = ("semi-recursive", "global")
WAYS = (*(way for name in FORMULATIONS for way in (
    Way(name), steps(name, "fixed step"), steps(name, "rough fixed step", accuracy=ROUGHLY))),
    explicit("tsit5"), explicit_steps("rk4", 4), explicit_steps("dopri5", 5), explicit_steps("tsit5", 5))


class Search:
    """The search along one way on one mechanism, level by level."""

    def __init__(self, way: Way, problem):
        self.way, self.problem, self.n = way, problem, way.coarsest
        self.ours: Ours | None = None
        self.why = ""
        """Why the way has been left out."""

    def down_to(self, level: float) -> Ours | None:
        """Return the coarsest run whose error is at most a level, finer than the one before; None if there is none."""
        spent = 0.0
        for _ in range(0 if self.why else MOST_TRIALS):
            if self.ours is None:
                self.ours = Ours(self.problem, self.way.formulation, **self.way.how(self.problem, self.n))
                self.ours.error()
                spent += self.ours.took
            if self.ours.deviation <= level:
                return self.ours
            self._go_on(level, spent)
            if self.why:
                break
        self.why = self.why or f"not found by {MOST_TRIALS} runs"
        return None

    def _go_on(self, level: float, spent: float) -> None:
        """Take the next number, unless it is out of reach."""
        gain = self.ours.deviation / level
        n = self.way.next(self.n, gain / AIM if self.ours.took > LONG else gain**CREEP)
        expected = self.ours.took * (n / self.n) ** self.way.cost
        if expected > PATIENCE:
            self.why = f"a run takes more than {PATIENCE:g} s"
        elif spent + expected > BUDGET:
            self.why = f"not found within {BUDGET:g} s"
        elif n > self.way.finest:
            self.why = "its finest run does not get there"
        else:
            self.n, self.ours = n, None
