"""The comparison that [DOP] announces: both methods of accumulation and the global formulation, for time and accuracy.

One integrator, the trapezoidal rule in fixed steps with projections, carries the same mechanisms in joint coordinates with
masses and forces accumulated at the global origin or at the centres of mass, and in natural coordinates: the six-body chain of
the article's figure, a hanging chain of forty links with the rope of an anchor, a spatial slider-crank and the full vehicle.
Errors are largest deviations from a reference relative to the largest value of each column; the reference is that of
`loop_problems.py`, of chains the recursive formulation's at an accuracy of 1e-12.  CPU times per step are those of the time
loop without records.  What is lost in rounding far from the origin is shown by the first accelerations of the six-body
chain.
"""

from __future__ import annotations

import sys

import loop_ways  # noqa: F401 - has run times measured in CPU time
import numpy as np
from interleave import Report, best_runs, microseconds, parse
from loop_problems import Problem, module_of_tests, spatial_slider_crank, vehicle

import dalembert as dal

WAYS = {"origin": dal.SemiRecursive(reference="origin"), "centre-of-mass": dal.SemiRecursive(reference="centre-of-mass"),
        "global": dal.Global()}
PLACES = (1e2, 1e4, 1e6)
"""Distances from the origin along each axis [m]."""
DIGITS = 1e3
"""Error of accelerations, in units of rounding times the distance over the size of the chain, that is allowed."""
NEAR_ORDER = (3.2, 5.0)
"""Ratio of the errors of two runs whose steps differ by two: four for a method of second order, but for higher terms."""
ALIKE = 1.1
"""Largest ratio of the errors of the two accumulations: they are the same equations."""
BESIDE = 5.0
"""Largest ratio of the errors of the global formulation and of the others: its coordinates bend, and steps are straight."""
FASTER = 1.0
"""Time of a step of the global formulation over that of the slower accumulation, at least."""
ACCURACY = 1e-12
six_body_chain = module_of_tests("seeds/six_body_chain.py").six_body_chain


def chain(name: str, model, until: float, channels) -> Problem:
    """Problem of an open chain with a reference of its own."""
    times = np.linspace(0.0, until, 26)
    exact = dal.run(model(), until=until, record=times, accuracy=ACCURACY, formulation="recursive", integrator="dopri5")

    def columns(r):
        return np.column_stack([r[c] for c in channels])

    return Problem(name, {}, times, columns(exact), model, columns)


def anchor_chain(n: int):
    """Chain of n links on universal joints, its lower end pulled by a rope."""
    m = dal.Model("anchor chain", gravity=(0, 0, -9.81), ground={"winch": (1.0, 0, 0)})
    for k in range(n):
        m.add(dal.Body(f"link {k}", mass=1.0, com=(0, 0, -0.05), inertia=(1e-3, 1e-3, 5e-4), points={"end": (0, 0, -0.1)}),
              dal.Universal(f"joint {k}", f"link {k - 1}.end" if k else "ground", f"link {k}", start=(0.02, 0.01)))
    return m.add(dal.SpringDamper("rope", "ground.winch", f"link {n - 1}.end", stiffness=50.0, damping=1.0, length=0.08 * n))


def problems(smoke: bool) -> list[tuple[Problem, float]]:
    """Mechanisms with the longer of the two steps that they are run with [s]."""
    motion = ("link 6.end.velocity", "3.rates", "5.rates")
    found = [(chain("six-body chain", six_body_chain, 1.0, ("link 6.end.position", *motion)), 2e-3)]
    if smoke:
        return found
    n = 40
    return [*found,
            (chain(f"anchor chain of {n}", lambda: anchor_chain(n), 0.5, (f"link {n - 1}.end.position",)), 1e-3),
            (spatial_slider_crank(), 2.5e-4), (vehicle(), 1e-3)]


def compare(report: Report, problem: Problem, step: float, rounds: int) -> None:
    """Errors with two steps, times per step, and what is required of them."""
    errors, turns = {}, {}
    for name, way in WAYS.items():
        how = dict(until=problem.until, formulation=way, integrator="trapezoidal")
        errors[name] = [problem.error(problem.columns(dal.run(problem.model(), step=h, record=problem.times, **how)))
                        for h in (step, step / 2)]
        model = problem.model()

        def turn(model=model, how=how):
            stats = dal.run(model, step=step, record=[problem.until], **how).stats
            return stats.seconds / stats.steps

        turns[name] = turn
    times = best_runs(turns, rounds=rounds)
    for name, (coarse, fine) in errors.items():
        other = errors["centre-of-mass"][1]
        ratio = times["global"] / times[name]
        ok = NEAR_ORDER[0] < coarse / fine < NEAR_ORDER[1]
        if name == "global":
            ok = ok and 1 / BESIDE < fine / other < BESIDE
        else:
            ok = ok and 1 / ALIKE < fine / other < ALIKE and ratio >= FASTER
        report.add(mechanism=problem.name, way=name, step=f"{step:g} s", error=coarse, half=fine,
                   order=float(np.log2(coarse / fine)), us=microseconds(times[name]), ratio=ratio, ok=ok)


def far_off(report: Report) -> None:
    """Relative errors of the first accelerations of the six-body chain by its distance from the origin.

    At the origin J_G + m g² is accumulated: rounding is magnified by the square of the distance over the size of the chain,
    at centres of mass by the distance itself, as that of the places is.
    """
    def accelerations(way, distance):
        model = six_body_chain((distance, -distance, distance), spring=False)
        return dal.run(model, until=1e-6, step=1e-6, formulation=way, integrator="trapezoidal").array("qdd")[0]

    for name, way in WAYS.items():
        exact = accelerations(way, 0.0)
        errors = [float(np.max(np.abs(accelerations(way, x) - exact)) / np.max(np.abs(exact))) for x in PLACES]
        power = 2 if name == "origin" else 1
        ok = all(error < DIGITS * np.finfo(float).eps * x**power for error, x in zip(errors, PLACES, strict=True))
        report.add(mechanism="six-body chain, far off", way=name, step="rounding", ok=ok,
                   **dict(zip(("error", "half", "order"), map("{:.1e}".format, errors), strict=True)))
    report.note(f"far off: relative errors of accelerations at {', '.join(f'{x:g} m' for x in PLACES)} along each axis")


def main(arguments=None) -> int:
    """Run the comparison; returns the exit code."""
    options = parse(__doc__, arguments)
    report = Report("accumulation at the origin, at centres of mass, and the global formulation: trapezoidal rule",
                    ["mechanism", "way", "step", "error", "half", "order", "us", "ratio"])
    for problem, step in problems(options.smoke):
        compare(report, problem, step, options.rounds or (1 if options.smoke else 7))
    far_off(report)
    report.note("half: error with half the step; us: CPU time of a step [µs]; ratio: time of the global formulation over it")
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
