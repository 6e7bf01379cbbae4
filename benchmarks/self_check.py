"""What it costs that a run checks its own accelerations.

Mechanisms with loops: the time of `call_balance`, which every kept state goes through, over that of an explicit step of six
evaluations, of which one is kept; implicit steps check their frames only and pay less.  Trees: the time of
`check_tree_balance` of one frame in EVERY over the same, a frame at every step.  The check must first tell sound accelerations
from spoiled ones.  The work supplied, and with it `energy.balance`, is found when it is asked for and costs a run nothing.
"""

from __future__ import annotations

import sys

import numpy as np
from interleave import Report, best_times, microseconds, parse
from loop_problems import bricard, fourbars, module_of_tests, squeezer, vehicle

import dalembert as dal
from dalembert.codes import Status
from dalembert.kernels.compile.jit import kernel
from dalembert.kernels.evaluate import eval_stage
from dalembert.kernels.linked_work import make_linked_work
from dalembert.kernels.loop_calls import call_balance
from dalembert.kernels.tree.balance import check_tree_balance
from dalembert.simulate.self_check import EVERY
from dalembert.start.initial import prepare_start

LARGEST_SHARE = 0.02
EVALUATIONS = 6
"""Of a step of `dopri5`, whose last stage is the first of the next one."""


six_body_chain = module_of_tests("seeds/six_body_chain.py").six_body_chain


def models(smoke: bool) -> dict:
    """Return models by name, of one loop, of many and of none."""
    few = {"four-bar": fourbars(1).model, "six-body chain": six_body_chain}
    more = {"10 four-bars": fourbars(10).model, "squeezer": squeezer().model, "Bricard": bricard().model,
            "vehicle": vehicle().model}
    return {name: make() for name, make in (few if smoke else {**few, **more}).items()}


def evaluate(sys, q, qd, qdd, tau, work, n):
    """Evaluate the accelerations of one state n times, unchecked."""
    status = 0
    for _ in range(n):
        status |= eval_stage(sys, 0.0, q, qd, qdd, tau, work)
    return status


def check_loops(sys, q, qd, qdd, tau, work, n):
    """Check what was found last n times."""
    status = 0
    for _ in range(n):
        status |= call_balance(sys, work)
    return status


def check_tree(sys, q, qd, qdd, tau, work, n):
    """Check a frame of a tree n times."""
    status = 0
    for _ in range(n):
        status |= check_tree_balance(sys, 0.0, q, qd, qdd, work)
    return status


EVALUATE, CHECK_LOOPS, CHECK_TREE = kernel(evaluate), kernel(check_loops), kernel(check_tree)


def measure(report: Report, name: str, model: dal.Model, formulation: str, rounds: int) -> None:
    """Add the row of a mechanism."""
    begin = prepare_start(model, formulation=formulation)
    state = begin.natural or begin
    system, n = state.packed.system, len(state.qd)
    work, closed = make_linked_work(system), begin.has_rows
    arguments = system, state.q.copy(), state.qd.copy(), np.zeros(n), np.zeros(n), work
    check, every = (CHECK_LOOPS, 1) if closed else (CHECK_TREE, EVERY)
    assert EVALUATE(*arguments, 1) == Status.OK and check(*arguments, 1) == Status.OK
    found = work.scratch.loop.found if closed else arguments[3]
    sound = found.copy()
    found += 1.0 + 10.0 * abs(sound)
    assert check(*arguments, 1) == Status.UNBALANCED, f"{name}: spoiled accelerations pass"
    found[:] = sound

    def turns(kernel_):
        def turn(k: int) -> None:
            if kernel_(*arguments, k) != Status.OK:
                raise ArithmeticError(f"{name}: a state that was sound is not")

        return turn

    best = best_times({"check": turns(check)}, rounds=rounds) | best_times({"evaluation": turns(EVALUATE)}, rounds=rounds)
    share = best["check"] / every / (EVALUATIONS * best["evaluation"])
    report.add(case=f"{name}, {formulation}", check=microseconds(best["check"]), every=every,
               evaluation=microseconds(best["evaluation"]), share=share, required=f"<= {LARGEST_SHARE}",
               ok=share <= LARGEST_SHARE)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("self check of a run; times in us", ["case", "check", "every", "evaluation", "share", "required"])
    rounds = 2 if options.smoke else options.rounds or 200
    for name, model in models(options.smoke).items():
        closed = "recursive" not in dal.formulations(model)
        for formulation in ("semi-recursive", "global") if closed else ("recursive",):
            measure(report, name, model, formulation, rounds)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
