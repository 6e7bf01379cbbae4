"""What an edit of a running model costs: from the call to a simulation that can go on, for a chain of 100 bodies.

Every edit must leave the tip where it was.  Nothing is compiled by an edit: the first one of each kind is measured as well as
the later ones, and has to load kernels at most.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
from interleave import Report, parse
from modular import chain

import dalembert as dal

LONGEST = 20.0
"""An edit of 100 bodies [ms]."""
BODIES, SMOKE = 100, 5
ROUNDING = 1e-9


def edits(sim, n: int) -> dict:
    """Return edits by name, each with one that takes it back."""
    spring = dal.SpringDamper("spring", "ground", f"link{n - 1}.end", stiffness=1.0, length=1.0)
    body = dal.Body("more", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = dal.Revolute("wrist", f"link{n - 1}.end", "more", axis=(0, 0, 1))
    return {
        "change a mass": (lambda: sim.change("link1", mass=2.0), lambda: sim.change("link1", mass=1.0)),
        "add, remove a spring": (lambda: sim.add(spring), lambda: sim.remove("spring")),
        "add, remove a body and its joint": (lambda: sim.add(body, joint), lambda: sim.remove("more")),
        "change gravity": (lambda: sim.change(gravity=(0, 0, 0)), lambda: sim.change(gravity=(0, -9.81, 0))),
    }


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    n = SMOKE if options.smoke else BODIES
    rounds = 2 if options.smoke else options.rounds or 10
    report = Report(f"edits of a chain of {n} bodies; CPU time in ms", ["edit", "formulation", "best", "median", "required"])
    for formulation in ("recursive", "semi-recursive", "global", "modular"):
        with dal.live(chain(n), step=1e-4, formulation=formulation) as sim:
            sim.advance(1e-3)
            for name, pair in edits(sim, n).items():
                took = []
                for _ in range(rounds):
                    for edit in pair:
                        before = sim[f"link{n - 1}.end.position"]
                        begin = process_time()
                        edit()
                        took.append(1e3 * (process_time() - begin))
                        assert np.max(abs(sim[f"link{n - 1}.end.position"] - before)) < ROUNDING * n, name
                best = min(took)
                report.add(edit=name, formulation=formulation, best=best, median=float(np.median(took)),
                           required=f"< {LONGEST:g}", ok=True if options.smoke else best < LONGEST)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
