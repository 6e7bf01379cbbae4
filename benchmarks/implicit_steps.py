"""Generalized-alpha steps (rho_inf = 0.8, 1 ms) of an N-link pendulum against Exudyn's.

Exudyn takes part with its kinematic tree (minimal coordinates) and with 2-D rigid bodies and joints (redundant
coordinates, sparse), each with its dense and sparse solvers, modified Newton, build without range checks, one thread,
its set-up left out; the fastest counts.  dalembert's steps are one kernel call, iterated to a relative 1e-10.

First of all, both must be about equally accurate: the largest error of an absolute angle against RK4 after the timed
steps may not be larger than `ALLOWED` times the fastest peer's.
"""

from __future__ import annotations

import sys

import mechanisms
import numpy as np
from interleave import Report, best_runs, equal_turns, microseconds, parse, peer
from steps import Exudyn, Ours

from dalembert.simulate.integrators import GeneralizedAlpha

RATIO = 3.0
ALLOWED = 1.5


def tree_solvers(n: int) -> tuple[str, ...]:
    """Return Exudyn's linear solvers worth trying on its kinematic tree."""
    return ("EXUdense", "EigenDense") if n < 100 else ("EXUdense",)


def body_solvers(n: int) -> tuple[str, ...]:
    """Return Exudyn's linear solvers worth trying on 2-D bodies: a dense one only for few unknowns."""
    return ("EXUdense", "EigenSparse") if n < 30 else ("EigenSparse",)


def compare(report: Report, n: int, steps: int, exudyn, rounds: int) -> None:
    """Time one pendulum."""
    pendulum = mechanisms.pendulum(n)
    ours = Ours(pendulum, GeneralizedAlpha(rho_inf=0.8), steps)
    turns = {"ours": ours}
    angles = {"reference": np.cumsum(Ours(pendulum, "rk4", steps).angles()), "ours": np.cumsum(ours.angles())}
    if exudyn:
        for solver in tree_solvers(n):
            tree = turns[f"tree {solver}"] = Exudyn(mechanisms.exudyn_tree(pendulum), "GeneralizedAlpha", solver, steps)
            angles[f"tree {solver}"] = np.cumsum(tree.coordinates())
        for solver in body_solvers(n):
            bodies = turns[f"2-D {solver}"] = Exudyn(mechanisms.exudyn_bodies(n), "GeneralizedAlpha", solver, steps)
            angles[f"2-D {solver}"] = bodies.coordinates()[2::3]
    errors = {name: float(np.abs(a - angles["reference"]).max()) for name, a in angles.items()}
    best = best_runs(equal_turns(turns), rounds=rounds)
    p = ours.loop.flow.progress[0]
    row = dict(N=str(n), ours=microseconds(best["ours"]), iterations=p.iterations / steps,
               factors=p.factorizations / steps, error=errors["ours"])
    peers = {name: time for name, time in best.items() if name != "ours"}
    if not peers:
        report.add(**row)
        return
    fastest = min(peers, key=peers.get)
    assert errors["ours"] <= ALLOWED * errors[fastest], f"N = {n}: error {errors['ours']:.2g}, {errors[fastest]:.2g}"
    ratio = best[fastest] / best["ours"]
    report.add(**row, peer=fastest, peer_us=microseconds(best[fastest]), peer_error=errors[fastest], ratio=ratio,
               required=f">= {RATIO}", ok=ratio >= RATIO)
    report.note(f"N = {n}, us a step: " + ", ".join(f"{k} {v * 1e6:.4g}" for k, v in peers.items()))


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("generalized-alpha steps of an N-link pendulum, us a step; ratio: peer / ours",
                    ["N", "ours", "iterations", "factors", "error", "peer", "peer_us", "peer_error", "ratio", "required"])
    exudyn = peer("exudyn", report)
    for n, rounds in ((3, 2),) if options.smoke else ((10, 30), (30, 15), (100, 5)):
        compare(report, n, 20 if options.smoke else 500, exudyn, options.rounds or rounds)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
