"""Memory: no allocation in the step loop, and a chain of 1e5 bodies that packs and steps.

Allocation is counted by Numba's own runtime: a chunk of n steps and one of 2 n must allocate equally often (a call
wraps its arguments, a step must not add to that); `tracemalloc` watches Python's side.  The model has every kind of joint,
force and law, and all frames due are recorded.

First of all, in both parts the accelerations must satisfy the equations of motion.
"""

from __future__ import annotations

import resource
import sys
import tracemalloc
from time import perf_counter

import mechanisms
import numpy as np
from interleave import Report, parse

from dalembert.codes import Status
from dalembert.kernels.evaluate import eval_accelerations, eval_residual
from dalembert.kernels.tables import make_work
from dalembert.simulate.choose import choose_integrator
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import Start, prepare_start

STEP = 1e-3
PYTHON_BYTES = 20_000
"""What a chunk may leave on Python's side whatever its length: the call's own objects."""


def check_physics(begin: Start) -> float:
    """Assert that accelerations solve the equations of motion; return the largest relative residual."""
    system, work = begin.packed.system, make_work(begin.packed.system)
    q, qd, n = begin.q.copy(), begin.qd.copy(), len(begin.qd)
    qdd, tau, bias, residual = (np.zeros(n) for _ in range(4))
    assert eval_accelerations(system, 0.0, q, qd, qdd, tau, work) == Status.OK
    assert eval_residual(system, 0.0, q, qd, np.zeros(n), tau, bias, work) == Status.OK
    assert eval_residual(system, 0.0, q, qd, qdd, tau, residual, work) == Status.OK
    worst = float(np.abs(residual).max() / np.abs(bias).max())
    allowed = 1e3 * np.sqrt(n) * np.finfo(float).eps  # rounding of n bodies one after the other, with a margin
    assert worst < allowed, f"residual {worst:.2g} of the equations of motion, allowed {allowed:.2g}"
    return worst


def make_loop(begin: Start, integrator: str, step: float | None, steps: int, spacing: float) -> Loop:
    """Return a loop that could take the given number of steps."""
    method, _ = choose_integrator(integrator, step)
    until = steps * STEP
    options = RunOptions(until, step, 1e-6, integrator, "recursive", None)
    return Loop(begin, method, options, np.arange(0.0, until, spacing))


def counted(call) -> tuple[int, object]:
    """Return the number of allocations of Numba's runtime during a call, and what it returns."""
    from numba.core.runtime import rtsys

    before = rtsys.get_allocation_stats()
    result = call()
    after = rtsys.get_allocation_stats()
    return after.alloc - before.alloc + after.mi_alloc - before.mi_alloc, result


def switch_on() -> None:
    """Make Numba count allocations, and assert that it does."""
    import numba
    from numba.core.runtime import _nrt_python

    _nrt_python.memsys_enable_stats()
    wasteful = numba.njit(lambda n: sum([np.zeros(3 + i).sum() for i in range(n)]))
    wasteful(1)
    few, many = counted(lambda: wasteful(10))[0], counted(lambda: wasteful(20))[0]
    assert many >= few + 10, "Numba's runtime does not count its allocations"


def allocations(loop: Loop, steps: int) -> tuple[int, int]:
    """Return the allocations of Numba's runtime and the bytes Python keeps at most during a chunk of steps."""
    tracemalloc.start()
    count, status = counted(lambda: loop.advance(steps))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert status == Status.CHUNK_DONE, f"{Status(status)!r}"
    return count, peak


def step_loops(report: Report, steps: int) -> None:
    """Count the allocations of every kind of time loop."""
    switch_on()
    begin = prepare_start(mechanisms.all_joints_model())
    check_physics(begin)
    cases = (("rk4", STEP), ("dopri5", None), ("semi-implicit-euler", STEP), ("generalized-alpha", STEP),
             ("generalized-alpha", None))
    for integrator, step in cases:
        loop = make_loop(begin, integrator, step, 40 * steps, 3.7 * STEP)
        loop.advance(5)
        (short, _), (long, peak) = allocations(loop, steps), allocations(loop, 2 * steps)
        name = integrator + (", controlled step" if step is None else "")
        report.add(work=f"{name}: allocations in {steps} and {2 * steps} steps", value=f"{short}, {long}",
                   required="equal", ok=short == long)
        report.add(work=f"{name}: bytes on Python's side", value=str(peak), required=f"< {PYTHON_BYTES}",
                   ok=peak < PYTHON_BYTES)


def long_chain(report: Report, n: int) -> None:
    """Build, pack and step a long chain."""
    begun = perf_counter()
    model = mechanisms.dalembert_model(mechanisms.chain(n))
    built = perf_counter()
    begin = prepare_start(model)
    packed = perf_counter()
    worst = check_physics(begin)
    report.add(work=f"chain of {n}: building the model", value=f"{built - begun:.2f} s")
    report.add(work=f"chain of {n}: check, span and pack", value=f"{packed - built:.2f} s")
    report.add(work=f"chain of {n}: residual of the accelerations", value=f"{worst:.1e}")
    for integrator in ("rk4", "generalized-alpha"):
        loop = make_loop(begin, integrator, 1e-6, 100, 1.0)
        loop.advance(1)
        start = perf_counter()
        status = loop.advance(5)
        took = (perf_counter() - start) / 5
        good = status == Status.CHUNK_DONE and bool(np.isfinite(loop.flow.q).all())
        report.add(work=f"chain of {n}: a step of {integrator}", value=f"{took * 1e3:.1f} ms", required="finite", ok=good)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    report.add(work="peak memory of the process", value=f"{peak / 1e9:.2f} GB")


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("memory", ["work", "value", "required"])
    step_loops(report, 50 if options.smoke else 500)
    long_chain(report, 1000 if options.smoke else 100_000)
    return report.finish(options, timed=False)


if __name__ == "__main__":
    sys.exit(main())
