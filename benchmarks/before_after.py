"""Whole runs of a fixed set of models with two versions of the package, interleaved.

    python benchmarks/before_after.py --against PATH

PATH is another checkout of the repository.  Each version runs in a process of its own; they take turns, every other round
backwards, and each keeps its best turn, in CPU time.  A turn is a whole call of `dal.run`, set-up, frames and results
included, on models that are built beforehand by the functions of this folder.

First of all both versions must make the same motion: positions of all bodies at the end agree within what the accuracy of
the runs lets expect.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from interleave import Report, parse

SLOWER, SHORT = 1.05, 0.5
"""Largest ratio of times after over before that is asked of every run, and of the shortest one."""
SAME_MOTION = 1e-4
"""Deviation of the last positions [m], relative to the largest of them, of runs at the default accuracy or equal steps."""
HERE = Path(__file__).resolve()


@dataclass(frozen=True)
class Case:
    """A model and the arguments of its run; `least` is the largest ratio of times that is asked of it."""

    model: Callable
    options: dict = field(default_factory=dict)
    least: float = SLOWER
    stored: bool = False


def cases() -> dict[str, Case]:
    """Return all cases by name."""
    from flexible_problems import slider_crank
    from loop_problems import planar_slider_crank, vehicle
    from mechanisms import dalembert_model, pendulum

    import dalembert as dal
    from dalembert.cli.sources import find_model, read_model

    def bundled(name: str):
        return lambda: read_model(find_model(name))

    two, coarse = bundled("double-pendulum"), {"until": 1.0, "step": 2e-3}
    crank, car = planar_slider_crank(0.1).model, vehicle().model
    return {
        "two bodies, 1 s": Case(two, {"until": 1.0}, least=SHORT),
        "two bodies, 5 s": Case(two, {"until": 5.0}),
        "chain of 30, implicit, 1 s": Case(lambda: dalembert_model(pendulum(30)), {
            "until": 1.0, "step": 1e-3, "integrator": "generalized-alpha"}),
        "robot, 2 s": Case(bundled("robot"), {"until": 2.0}),
        "vehicle, semi-recursive, 1 s": Case(car, {**coarse, "formulation": "semi-recursive"}),
        "vehicle, global, 1 s": Case(car, {**coarse, "formulation": "global"}),
        "slider-crank, semi-recursive, 2 s": Case(crank, {"until": 2.0}),
        "slider-crank, global, 2 s": Case(crank, {"until": 2.0, "formulation": "global"}),
        "two bodies, 500 frames to a file": Case(two, {"until": 5.0, "record": 0.01}, stored=True),
        "slider-crank, 500 frames to a file": Case(crank, {"until": 2.0, "record": 0.004}, stored=True),
        "slider-crank, global, 500 frames to a file": Case(crank, {"until": 2.0, "record": 0.004, "formulation": "global"},
                                                           stored=True),
        "flexible slider-crank, 0.02 s": Case(slider_crank(2).model, {
            "until": 0.02, "step": 1e-4, "formulation": "global", "integrator": dal.GeneralizedAlpha(rho_inf=0.8)}),
    }


def work() -> None:
    """Answer requests on standard input, a line each: a name and how many turns, or nothing to end."""
    from time import process_time

    import dalembert as dal

    known, models = cases(), {}
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(list(known)), flush=True)
        for line in sys.stdin:
            name, turns = json.loads(line)
            case = known[name]
            if name not in models:
                models[name] = case.model()
            options = dict(case.options)
            if case.stored:
                options["store"] = Path(folder) / "run.h5"
            best, r = float("inf"), None
            for _ in range(turns):
                begin = process_time()
                r = dal.run(models[name], **options)
                best = min(best, process_time() - begin)
            last = [r[f"{body}.position"][-1].tolist() for body in r.layout.bodies[1:]]
            print(json.dumps([best, last, r.stats.steps]), flush=True)


class Worker:
    """A version of the package in a process of its own."""

    def __init__(self, checkout: Path, numbers: dict[str, str]):
        environment = {**os.environ, **numbers, "PYTHONPATH": str(checkout / "src"), "MPLBACKEND": "Agg"}
        self._process = subprocess.Popen([sys.executable, str(HERE), "--work"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, env=environment)
        self.names = json.loads(self._process.stdout.readline())

    def run(self, name: str, turns: int) -> tuple[float, list, int]:
        """Return the best time [s] of some turns, the last positions and the number of steps."""
        self._process.stdin.write(json.dumps([name, turns]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """Let the process end."""
        self._process.stdin.close()
        self._process.wait()


def deviation(one: list, other: list) -> float:
    """Return the largest difference of two lists of positions, relative to the largest component."""
    size = max(abs(x) for place in one for x in place)
    return max(abs(x - y) for a, b in zip(one, other, strict=True) for x, y in zip(a, b, strict=True)) / size


def compare(report: Report, before: Worker, after: Worker, name: str, rounds: int, asked: float) -> None:
    """Add the row of a case."""
    (_, one, steps_one), (_, other, steps_other) = before.run(name, 2), after.run(name, 2)
    assert deviation(one, other) < SAME_MOTION, f"{name}: the versions make different motions"
    best = [float("inf")] * 2
    for k in range(rounds):
        for side in (0, 1) if k % 2 else (1, 0):
            best[side] = min(best[side], (before, after)[side].run(name, 3)[0])
    ratio = best[1] / best[0]
    report.add(run=name, before_ms=1e3 * best[0], after_ms=1e3 * best[1], ratio=ratio, steps=f"{steps_one}, {steps_other}",
               required=f"<= {asked:g}", ok=ratio <= asked)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments, against="checkout of another version; this one without it",
                    only="words that names of runs contain")
    against = Path(options.against[0]).resolve() if options.against else HERE.parents[1]
    report = Report("whole runs, before and after", ["run", "before_ms", "after_ms", "ratio", "steps", "required"])
    before, after = Worker(against, {}), Worker(HERE.parents[1], {})
    asked = {name: case.least for name, case in cases().items()}
    for name in before.names[:1] if options.smoke else before.names:
        if all(word in name for word in options.only):
            compare(report, before, after, name, 1 if options.smoke else options.rounds or 12, asked[name])
    before.end()
    after.end()
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(work() if sys.argv[1:] == ["--work"] else main())
