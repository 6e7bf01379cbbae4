"""Steps of the modular formulation of chains of 10, 100 and 1000 bodies, against the global and the recursive formulation.

A step of the same length by each: modular components (Newmark, explicit), the global augmented Lagrangian and the recursive
formulation (both generalized-alpha, implicit).  They must first agree on where the tip of the chain is, within what joints
that give way allow.  A modular step has to cost in proportion to the number of bodies.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
from interleave import Report, best_runs, parse

import dalembert as dal
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start

STEP = 1e-4
LARGEST_EXPONENT = 1.05
BODIES, SMOKE = (10, 100, 1000), (4, 8)
AGREE = 1e-3
"""Difference of the tips' positions after the first steps, relative to the chain's length."""


def chain(n: int) -> dal.Model:
    """Return a hanging chain of n links, a little bent."""
    m = dal.Model(f"chain of {n}", gravity=(0, -9.81, 0))
    place = "ground"
    for k in range(n):
        m.add(dal.Body(f"link{k}", mass=1.0, com=(0, -0.5, 0), inertia=(1 / 12, 1e-2, 1 / 12), points={"end": (0, -1, 0)}),
              dal.Revolute(f"joint{k}", place, f"link{k}", axis=(0, 0, 1), start=0.3 if k == 0 else 0.0))
        place = f"link{k}.end"
    return m


def simulation(n: int, formulation: str) -> Simulation:
    """Return a simulation of a chain that records nothing."""
    options = RunOptions(1e3, STEP, 5e-9, "auto", formulation, None)
    return Simulation(prepare_start(chain(n), formulation=formulation), options, np.zeros(0))


def turn_of(run: Simulation, steps: int):
    """Return a function that gives the time of a step [s], over so many of them."""
    def turn() -> float:
        run.loop.go_to(run.t + 10.0)
        taken, begin = run.loop.steps, process_time()
        run.loop.advance(steps)
        time = process_time() - begin
        assert run.loop.steps == taken + steps
        return time / steps

    return turn


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("steps per second of chains", ["bodies", "modular", "global", "recursive", "global/modular",
                                                   "recursive/modular", "required"])
    rounds = 2 if options.smoke else options.rounds or 7
    sizes, times = (SMOKE if options.smoke else BODIES), []
    for n in sizes:
        runs = {f: simulation(n, f) for f in ("modular", "global", "recursive")}
        tips = {}
        for name, run in runs.items():
            run.advance(20 * STEP)
            tips[name] = run[f"link{n - 1}.end.position"]
        apart = max(np.max(abs(tip - tips["recursive"])) for tip in tips.values())
        assert apart < AGREE * n, f"tips of {n} bodies are {apart:.2g} m apart"
        best = best_runs({name: turn_of(run, max(2, 2000 // n)) for name, run in runs.items()}, rounds=rounds)
        times.append(best["modular"])
        report.add(bodies=n, **{name: 1.0 / best[name] for name in runs}, **{
            f"{name}/modular": best[name] / best["modular"] for name in ("global", "recursive")}, required="")
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    report.add(bodies="growth", modular=exponent, required=f"<= {LARGEST_EXPONENT}",
               ok=True if options.smoke else exponent <= LARGEST_EXPONENT)
    report.note("columns of formulations: steps per second; growth: exponent of a step's time by the number of bodies")
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
