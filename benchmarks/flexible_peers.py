"""Exudyn on flexible mechanisms: its elements, numbers of bodies and solver settings, and which of them are quickest.

Run as a script it searches, for each kind of model and error level, the model and the settings with which Exudyn is
quickest, and prints them; `BEST` holds those that won.  The error need not fall with the step, since those of step and
mesh can cancel; where they do, it counts for the peer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import inf

import exudyn_flexible
import flexible_problems
from interleave import Report, best_runs, parse, peer
from loop_peers import INDEX2, INDEX3, ExudynLoop, Settings
from loop_problems import Problem

LEVELS = (0.04, 0.01, 0.003)
STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40)
"""Steps within a compared spacing that are tried."""


@dataclass(frozen=True)
class Design:
    """A model of a mechanism with its numbers of bodies, elements or modes."""

    kind: str
    build: Callable = field(repr=False)
    words: str = ""


CABLE, FLOATING, ARM = "ANCF cable", "floating frames", "arm"


def cable(elements: int) -> Design:
    """Return the slider-crank with a rod of cable elements."""
    return Design(CABLE, partial(exudyn_flexible.cable_slider_crank, elements=elements), f"{elements} elements")


def floating(bodies: int, modes: int = 0) -> Design:
    """Return the slider-crank with a rod of reduced bodies."""
    return Design(FLOATING, partial(exudyn_flexible.floating_slider_crank, bodies=bodies, modes=modes),
                  f"{bodies} bodies, {modes} modes")


def arm() -> Design:
    """Return the arm."""
    return Design(ARM, exudyn_flexible.floating_arm, "20 modes")


class FlexibleLoop(ExudynLoop):
    """Exudyn on one design."""

    def __init__(self, problem: Problem, design: Design, settings: Settings, per_spacing: int):
        self.design = design
        super().__init__(problem, settings, per_spacing)

    def built(self, problem: Problem, settings: Settings):
        """Return Exudyn's model of the design."""
        return self.design.build(problem)


@dataclass(frozen=True)
class Found:
    """A run of Exudyn that reaches an error level."""

    seconds: float
    design: Design
    settings: Settings
    per_spacing: int
    error: float

    def __str__(self) -> str:
        """Return it in one line."""
        return f"{self.design.words}, {self.settings}, {self.per_spacing} steps a spacing"


def first_that_reaches(level: float, tried: Iterable, error_of: Callable[[object], float]) -> tuple[object, float]:
    """Return the first of some choices whose error is at most a level, and the error; (None, inf) if there is none."""
    for choice in tried:
        error = error_of(choice)
        if error <= level:
            return choice, error
    return None, inf


def quickest(problem: Problem, level: float, tried: Iterable[tuple[Design, Settings]], rounds: int = 3,
             steps: Sequence[int] = STEPS) -> list[Found]:
    """Return the runs that reach a level, each with its fewest steps, the quickest first."""
    found = []
    for design, settings in tried:
        k, error = first_that_reaches(level, steps,
                                      lambda k, d=design, s=settings: FlexibleLoop(problem, d, s, k).error())
        if k:
            loop = FlexibleLoop(problem, design, settings, k)
            found.append(Found(best_runs({"": loop.seconds}, rounds=rounds)[""], design, settings, k, error))
    return sorted(found, key=lambda row: row.seconds)


def problem_of(kind: str) -> Problem:
    """Return what a kind of model is compared with."""
    return flexible_problems.arm() if kind == ARM else flexible_problems.slider_crank()


_OWN = Settings("EXUdense", INDEX3, 0.6, "modified", 1e-3)
_LOOSE = Settings("EigenDense", INDEX3, 0.9, "once", 1e-2)
_MODIFIED = Settings("EigenDense", INDEX3, 0.9, "modified", 1e-3)
_DAMPED = Settings("EigenDense", INDEX3, 0.6, "modified", 1e-3)
BEST: dict[tuple[str, float], tuple[tuple[Design, Settings], ...]] = {
    (CABLE, 0.04): ((cable(2), _OWN), (cable(2), Settings("EXUdense", INDEX3, 0.6, "modified", 1e-2)), (cable(2), _LOOSE)),
    (CABLE, 0.01): ((cable(3), _LOOSE), (cable(3), _DAMPED), (cable(3), _MODIFIED)),
    (CABLE, 0.003): ((cable(4), _LOOSE), (cable(4), _MODIFIED),
                     (cable(4), Settings("EigenDense", INDEX2, 1.0, "modified", 1e-3))),
    (FLOATING, 0.04): ((floating(2), _MODIFIED), (floating(2), _DAMPED)),
    (FLOATING, 0.01): ((floating(5), _MODIFIED),),
    (ARM, 0.04): ((arm(), _MODIFIED),),
    (ARM, 0.01): ((arm(), _MODIFIED),),
    (ARM, 0.003): ((arm(), _MODIFIED),),
}
"""Models and settings with which Exudyn was quickest at each level; the quickest one of them counts.

At 0.3 % a rod of floating frames needs ten bodies and seconds for a run; it is left out.
"""


def designs(kind: str, level: float) -> list[Design]:
    """Return the models worth trying at a level."""
    if kind == CABLE:
        return [cable(n) for n in (2, 3, 4, 5, 6)]
    if kind == FLOATING:
        return [floating(*how) for how in (((2, 0), (2, 1), (3, 0)) if level > 0.02 else ((4, 0), (5, 0), (5, 1), (6, 0)))]
    return [arm()]


def candidates() -> list[Settings]:
    """Return the settings worth trying."""
    return [Settings(solver, method, rho, newton, tolerance) for (method, rho), solver, newton, tolerance in product(
        ((INDEX3, 0.9), (INDEX3, 0.6), (INDEX2, 1.0)), ("EigenDense", "EXUdense", "EigenSparse"),
        ("modified", "once", "full"), (1e-3, 1e-2, 1e-5))]


def main(arguments=None) -> int:
    """Search Exudyn's best models and settings."""
    options = parse(__doc__, arguments)
    report = Report("Exudyn on flexible mechanisms: quickest models and settings that reach a relative error",
                    ["model", "level", "design", "settings", "steps", "error", "ms"])
    if peer("exudyn", report):
        settings = candidates()[:1] if options.smoke else candidates()
        for kind, level in BEST:
            if options.smoke and (kind, level) != (CABLE, 0.04):
                continue
            tried = product(designs(kind, level), settings)
            for row in quickest(problem_of(kind), level, tried, options.rounds or 3)[:3]:
                report.add(model=kind, level=f"{level:g}", design=row.design.words, settings=str(row.settings),
                           steps=row.per_spacing, error=row.error, ms=1e3 * row.seconds)
                print(kind, f"{level:g}", row, f"{1e3 * row.seconds:.3g} ms, error {row.error:.2g}", file=sys.stderr,
                      flush=True)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
