"""Cold compilation of all kernels, and warm start of `dalembert run double-pendulum`.

Cold: `dalembert.simulate.warm` in a new process with an empty cache folder; its CPU time counts.  Warm: the command in
a new process with the filled cache, table and picture included; its wall-clock time counts, best of a few.  Python's
byte code is kept, as an installation does, in a folder of its own.

First of all, the warm run must conserve energy and leave the cache as it was, that is compile nothing.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from interleave import Report, parse

COLD_SECONDS = 120.0
WARM_SECONDS = 2.0
ENERGY_TOLERANCE = 1e-4
"""Of the energy, relative to its exchange between the rods: 5 s at the default accuracy 1e-6 a step."""

WARM = "from dalembert.simulate.warm import warm; print(warm())"
ONE_RUN = ("from dalembert.cli.sources import find_model, read_model; from dalembert.simulate.run import run; "
           "run(read_model(find_model('double-pendulum')), until=0.1).tables()")
ENERGY = ("import json, numpy as np; from dalembert.cli.sources import find_model, read_model; import dalembert as dal; "
          "r = dal.run(read_model(find_model('double-pendulum'))); e = r['energy.total']; k = r['energy.kinetic']; "
          "print(json.dumps(float(np.ptp(e) / np.max(k))))")


def started(arguments: list[str], environment: dict, folder: str) -> tuple[float, float, str]:
    """Run Python with arguments and return its wall-clock time, CPU time [s] and output."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run([sys.executable, *arguments], env=environment, cwd=folder, capture_output=True, text=True)
    wall, after = perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def cache_files(folder: str) -> set[Path]:
    """Return all files of a cache folder."""
    return {path for path in Path(folder).rglob("*") if path.is_file()}


def measure(report: Report, smoke: bool, rounds: int) -> None:
    """Compile cold, start warm."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DALEMBERT_CACHE_DIR": cache}
        for name in ("NUMBA_DISABLE_JIT", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        if not smoke:
            wall, cpu, count = started(["-c", WARM], environment, folder)
            size = sum(path.stat().st_size for path in cache_files(cache))
            report.add(work=f"cold compile of all {count.strip()} entry kernels", cpu=cpu, wall=wall,
                       required=f"< {COLD_SECONDS:g} s CPU", ok=cpu < COLD_SECONDS)
            report.note(f"the cache takes {size / 1e6:.1f} MB")
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        before = cache_files(cache)
        wall, cpu, _ = started(["-c", ONE_RUN], environment, folder)
        assert smoke or cache_files(cache) == before, "a run needs a kernel that warm() left out, or sources changed"
        report.add(work="first run" + (", cold" if smoke else " afterwards"), cpu=cpu, wall=wall)
        drift = json.loads(started(["-c", ENERGY], environment, folder)[2])
        assert drift < ENERGY_TOLERANCE, f"energy drifts by {drift:.2g}"

        command = ["-m", "dalembert.cli", "run", "double-pendulum"]
        started(command, environment, folder)  # fills matplotlib's font cache
        before = cache_files(cache)
        runs = [started(command, environment, folder) for _ in range(rounds)]
        assert cache_files(cache) == before, "a warm run compiled something"
        wall, cpu, _ = min(runs)
        report.add(work="warm dalembert run double-pendulum", cpu=cpu, wall=wall, required=f"< {WARM_SECONDS:g} s wall",
                   ok=wall < WARM_SECONDS)
        wall, cpu, _ = min(started([*command, "--no-plot"], environment, folder) for _ in range(rounds))
        report.add(work="the same without a picture", cpu=cpu, wall=wall)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("compilation and start, seconds", ["work", "cpu", "wall", "required"])
    measure(report, options.smoke, options.rounds or (1 if options.smoke else 5))
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
