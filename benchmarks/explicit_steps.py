"""RK4 steps of an N-link pendulum against Exudyn's ObjectKinematicTree (RK44) and MuJoCo (RK4).

All take the same steps of 1 ms from the same start with their time loop in compiled code: dalembert one kernel call,
Exudyn `SolveSteps` (without its set-up, build without range checks), MuJoCo `mj_step(nstep=...)` without contacts and
constraints.  The requirement is against Exudyn as it comes: its own dense solver and accelerations at the end of each
step, which dalembert gives too.  For information a second line shows its tuned settings: Eigen's dense solver and no
accelerations at the end of a step.

First of all, the angles after the steps must agree, since all use the same tableau.
"""

from __future__ import annotations

import sys

import mechanisms
import numpy as np
from interleave import Report, best_runs, equal_turns, microseconds, parse, peer
from steps import Exudyn, MuJoCo, Ours

EXUDYN_RATIOS = {10: 5.0, 30: 15.0}
MUJOCO_RATIO = 2.5
TOLERANCE = 1e-9
"""Of angles [rad] after half a second: rounding, grown by the pendulum's sensitivity."""


def compare(report: Report, n: int, steps: int, exudyn, mujoco, rounds: int) -> None:
    """Time one pendulum."""
    pendulum = mechanisms.pendulum(n)
    turns = {"ours": Ours(pendulum, "rk4", steps)}
    angles = {"ours": turns["ours"].angles()}
    if exudyn:
        for name, solver, tuned in (("exudyn", "EXUdense", False), ("exudyn, tuned", "EigenDense", True)):
            turns[name] = Exudyn(mechanisms.exudyn_tree(pendulum), "RK44", solver, steps, end_accelerations=not tuned)
            angles[name] = turns[name].coordinates()
    if mujoco:
        turns["mujoco"] = MuJoCo(pendulum, "RK4", steps)
        angles["mujoco"] = turns["mujoco"].angles()
    differences = {name: float(np.abs(a - angles["ours"]).max()) for name, a in angles.items()}
    for name, difference in differences.items():
        assert difference < TOLERANCE, f"N = {n}: angles differ from those of {name} by {difference:.2g} rad"
    best = best_runs(equal_turns(turns), rounds=rounds)
    mine = best["ours"]
    if len(turns) == 1:
        report.add(N=str(n), ours=microseconds(mine))
    for name, required in (("exudyn", EXUDYN_RATIOS.get(n)), ("exudyn, tuned", None), ("mujoco", MUJOCO_RATIO)):
        if name in best:
            ratio = best[name] / mine
            report.add(N=str(n), ours=microseconds(mine), peer=name, peer_us=microseconds(best[name]), ratio=ratio,
                       required=f">= {required}" if required else None, difference=differences[name],
                       ok=ratio >= required if required else None)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("RK4 steps of an N-link pendulum, us a step; ratio: peer / ours",
                    ["N", "ours", "peer", "peer_us", "ratio", "required", "difference"])
    exudyn, mujoco = peer("exudyn", report), peer("mujoco", report)
    for n in (3,) if options.smoke else (10, 30):
        steps = 20 if options.smoke else 500
        compare(report, n, steps, exudyn, mujoco, options.rounds or (2 if options.smoke else 60))
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
