"""Forward dynamics of revolute trees against `pinocchio.aba` and MuJoCo's `mj_forward`, and its growth with size.

The time of dalembert is that of `eval_accelerations`, everything that a run evaluates for one state, called in a
compiled loop, since a run's time loop stands inside the kernel.  The peers are called from Python, as their users do;
that costs them about a microsecond a call.  So that this is no part of the claim, the time of a call on a model of one
body is measured alongside and taken off (with it the peer's work on one body, in its favour); the required ratio is
checked against this corrected time, both ratios are shown.  Of Pinocchio's two conventions the faster one counts;
MuJoCo runs without contacts and constraints.

First of all, accelerations must agree with both peers for random frames, inertias, states and efforts.
"""

from __future__ import annotations

import sys

import mechanisms
import numpy as np
from interleave import Report, best_times, microseconds, parse, peer

from dalembert.kernels.compile.jit import kernel
from dalembert.kernels.evaluate import eval_accelerations
from dalembert.kernels.tables import make_work
from dalembert.start.initial import prepare_start

PINOCCHIO_RATIO = 2.5
MUJOCO_RATIO = 2.0
LARGEST_EXPONENT = 1.05
TOLERANCE = 1e-9
"""Of accelerations, relative to the largest; rounding of 300 bodies in a row with random frames."""


def repeat(sys, q, qd, qdd, tau, work, n):
    """Evaluate the accelerations of one state n times."""
    status = 0
    for _ in range(n):
        status |= eval_accelerations(sys, 0.0, q, qd, qdd, tau, work)
    return status


REPEAT = kernel(repeat)


class Ours:
    """A mechanism packed for the kernels."""

    def __init__(self, mechanism, *, efforts: bool = False):
        begin = prepare_start(mechanisms.dalembert_model(mechanism, efforts=efforts))
        self.at = mechanisms.rates_of_joints(begin.packed.layout)
        system = begin.packed.system
        n = len(begin.qd)
        self.qdd = np.zeros(n)
        self.arguments = (system, begin.q.copy(), begin.qd.copy(), self.qdd, np.zeros(n), make_work(system))

    def __call__(self, n: int) -> None:
        """Evaluate n times."""
        if REPEAT(*self.arguments, n) != 0:
            raise ArithmeticError("eval_accelerations failed")

    def accelerations(self) -> np.ndarray:
        """Return accelerations in the order of the mechanism's joints."""
        self(1)
        return self.qdd[self.at]


def pinocchio_calls(mechanism) -> dict:
    """Return the contestants of Pinocchio, one for each of its conventions."""
    import pinocchio as pin

    model, data = mechanisms.pinocchio_model(mechanism)
    q, qd, tau = mechanism.q, mechanism.qd, np.zeros(mechanism.n)

    def calls(convention):
        aba = pin.aba

        def call(n: int) -> None:
            for _ in range(n):
                aba(model, data, q, qd, tau, convention)

        return call

    return {"pinocchio local": calls(pin.Convention.LOCAL), "pinocchio world": calls(pin.Convention.WORLD)}


def mujoco_calls(mechanism):
    """Return the contestant of MuJoCo."""
    import mujoco

    model, data, _ = mechanisms.mujoco_model(mechanism)
    forward = mujoco.mj_forward

    def call(n: int) -> None:
        for _ in range(n):
            forward(model, data)

    return call


def check_physics(mechanism, pin, mujoco) -> float:
    """Assert that all agree on the accelerations, with efforts; return the largest relative difference."""
    mine = Ours(mechanism, efforts=True).accelerations()
    others = {}
    if pin:
        model, data = mechanisms.pinocchio_model(mechanism)
        others["pinocchio"] = pin.aba(model, data, mechanism.q, mechanism.qd, mechanism.tau)
    if mujoco:
        model, data, at = mechanisms.mujoco_model(mechanism)
        data.qfrc_applied[at] = mechanism.tau
        mujoco.mj_forward(model, data)
        others["mujoco"] = data.qacc[at]
    worst = 0.0
    for name, theirs in others.items():
        difference = float(np.abs(mine - theirs).max() / np.abs(mine).max())
        assert difference < TOLERANCE, f"accelerations differ from those of {name} by {difference:.2g}"
        worst = max(worst, difference)
    return worst


def compare(report: Report, cases: dict, pin, mujoco, rounds: int) -> None:
    """Time all cases against the peers; each peer's call on one body is timed along with each case."""
    one = mechanisms.chain(1)
    idle = {}
    if pin:
        idle |= {f"{name} idle": call for name, call in pinocchio_calls(one).items()}
    if mujoco:
        idle["mujoco idle"] = mujoco_calls(one)
    for name, mechanism in cases.items():
        difference = check_physics(mechanism, pin, mujoco)
        contestants = {"ours": Ours(mechanism), **idle}
        if pin:
            contestants |= pinocchio_calls(mechanism)
        if mujoco:
            contestants["mujoco"] = mujoco_calls(mechanism)
        best = best_times(contestants, rounds=rounds)
        mine = best["ours"]
        if not idle:
            report.add(mechanism=name, ours=microseconds(mine), per_body=round(mine / mechanism.n * 1e9))
        for label, required in (("pinocchio", PINOCCHIO_RATIO), ("mujoco", MUJOCO_RATIO)):
            calls = [k for k in best if k.startswith(label) and not k.endswith("idle")]
            if not calls:
                continue
            fastest = min(calls, key=lambda k: best[k] - best[f"{k} idle"])
            theirs, call = best[fastest], best[f"{fastest} idle"]
            ratio = (theirs - call) / mine
            report.add(mechanism=name, ours=microseconds(mine), per_body=round(mine / mechanism.n * 1e9), peer=fastest,
                       peer_us=microseconds(theirs), call=microseconds(call), as_called=theirs / mine, ratio=ratio,
                       required=f">= {required}", difference=difference, ok=ratio >= required)


def growth(report: Report, sizes, rounds: int) -> None:
    """Time growing chains and fit the exponent of N."""
    contestants = {str(n): Ours(mechanisms.chain(n)) for n in sizes}
    best = best_times(contestants, rounds=rounds)
    exponent = float(np.polyfit(np.log(sizes), np.log([best[str(n)] for n in sizes]), 1)[0])
    report.add(mechanism=f"growth, chains {sizes[0]} to {sizes[-1]}", ratio=exponent, required=f"<= {LARGEST_EXPONENT}",
               ok=exponent <= LARGEST_EXPONENT)
    report.note("growth: " + ", ".join(f"N = {n}: {best[str(n)] / n * 1e9:.0f} ns per body" for n in sizes))


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("forward dynamics, times in us; ratio: peer without its call / ours",
                    ["mechanism", "ours", "per_body", "peer", "peer_us", "call", "as_called", "ratio", "required",
                     "difference"])
    pin, mujoco = peer("pinocchio", report), peer("mujoco", report)
    if options.smoke:
        cases, sizes, rounds = {"chain of 5": mechanisms.chain(5)}, [5, 10], options.rounds or 2
    else:
        cases = {f"chain of {n}": mechanisms.chain(n) for n in (30, 100, 300)}
        cases["binary tree of 127"] = mechanisms.binary_tree(127)
        sizes, rounds = [30, 100, 300, 1000], options.rounds or 200
    compare(report, cases, pin, mujoco, rounds)
    growth(report, sizes, rounds)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
