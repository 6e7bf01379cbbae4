"""Forward dynamics of trees with massless bodies against the same trees without, and steps saved by neglecting a mass.

Every fifth body gets no mass and no inertia.  A massless body on a hinge is free to turn without inertia only if what it
carries has none about the hinge either, so its children sit on hinges of the same axis (or slide along the same rail);
its rank is then decided, its rate left open and its children's accelerations found past it.  The tree without massless
bodies has the same joints and frames.  Both are evaluated by `eval_accelerations` in a compiled loop.

The second part runs the small-mass oscillator [ARN (5), (6)], sets B and C of tests/problems, with m1 = 1e-5 and with
m1 = 0 by every error-controlled implicit integrator: steps and seconds.  Fifty times fewer steps are asked for.  Next to
what is found stands what the motion lets expect (docs/theory/massless.md): the radians of the fast oscillation that have
to be followed until it has decayed, over those of the slow one.  In set C that is hundreds, and every stiffly accurate
integrator is held to the requirement.  In set B it is 30 to 40: an integrator that spends nothing on an oscillation which
has died out cannot save fifty times there, whatever it is; `sdirk4` is held to the requirement (README.md says why).

The third part times whole runs of both with default recording, 500 frames, by `radau`: leaving out the light mass must pay in
seconds, too, with all rates and accelerations of the frames completed.

First of all, accelerations must solve M qdd = rhs where M has a say, as many directions must be massless as M has zero
singular values, and runs must agree with the closed form.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from math import pi
from pathlib import Path

import numpy as np
from forward_dynamics import REPEAT
from interleave import Report, best_times, microseconds, parse

import dalembert as dal
from dalembert.kernels.evaluate import eval_residual
from dalembert.kernels.tables import make_work
from dalembert.kernels.tree.inverse import eval_mass_matrix
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.kernels.tree.rank import list_massless
from dalembert.start.initial import prepare_start

LARGEST_RATIO = 1.3
LARGEST_EXPONENT = 1.05
FEWER_STEPS = 50
LARGEST_TIME = 0.8
"""Of a run without the light mass, relative to one with it."""
INTEGRATORS = {"bdf": 6, "radau": 4, "sdirk4": 4, "trapezoidal": 3}
"""Error-controlled, with the power of the step that the error estimate grows with."""
REQUIRED = {"B": ("sdirk4",), "C": ("bdf", "radau", "sdirk4")}
"""Integrators that are held to `FEWER_STEPS` in a set."""
SAME_SIGN = ("trapezoidal",)
"""Methods whose local errors add up instead of changing sign: without damping all of them shift the phase."""
EVERY = 5
SMALL = 1e-5
TOLERANCE = 1e-9
"""Of the equations of motion, relative to the largest load; rounding of hundreds of bodies in a row."""
PROBLEMS = Path(__file__).resolve().parent.parent / "tests" / "problems"


def tree_model(parent, *, kinds, massless: bool, seed: int = 0) -> dal.Model:
    """Return a tree with random bodies on joints of the given kinds; every fifth body is massless if `massless`."""
    rng, n = np.random.default_rng(seed), len(parent)
    light = [i % EVERY == EVERY - 1 for i in range(n)]
    model = dal.Model("benchmark", gravity=(0, 0, -9.81))
    for i, p in enumerate(parent):
        after_light = p >= 0 and light[p]
        angle, place = rng.uniform(-1, 1), tuple(rng.normal(size=3) * 0.3)
        axis, kind = tuple(rng.normal(size=3)), kinds[rng.integers(len(kinds))]
        mass, com, spread = rng.uniform(0.5, 2.0), tuple(rng.normal(size=3) * 0.1), rng.uniform(0.01, 0.05, 3)
        if light[i] or after_light:
            axis, kind = (0, 0, 1), dal.Revolute if kinds[0] is dal.Revolute else dal.Prismatic
        if light[i] and massless:
            mass, com, spread = 0.0, (0.0, 0.0, 0.0), np.zeros(3)
        inertia = tuple(float(spread.sum() - x) for x in spread)
        first = "ground" if p < 0 else f"b{p}" if after_light else f"b{p}.seat"
        model.add(dal.Body(f"b{i}", mass=float(mass), com=com, inertia=inertia, points={"seat": place}),
                  kind(f"j{i}", first, f"b{i}", axis=axis, start=float(angle), start_rate=float(rng.uniform(-1, 1))),
                  dal.JointSpring(f"s{i}", f"j{i}", stiffness=5.0, damping=0.5))
    return model


class Evaluation:
    """A model packed for the kernels, evaluated again and again at its start."""

    def __init__(self, model: dal.Model):
        begin = prepare_start(model)
        self.system, self.massless, n = begin.packed.system, begin.massless, len(begin.qd)
        self.q, self.qd, self.qdd, self.work = begin.q.copy(), begin.qd.copy(), np.zeros(n), make_work(self.system)
        self.work.rank["allowed"] = n

    def __call__(self, n: int) -> None:
        """Evaluate n times."""
        if REPEAT(self.system, self.q, self.qd, self.qdd, np.zeros(len(self.qd)), self.work, n) != 0:
            raise ArithmeticError("eval_accelerations failed")

    def check(self) -> float:
        """Assert rank and equations; return the largest relative residual."""
        n = len(self.qd)
        self(1)
        qdd, count = self.qdd.copy(), list_massless(self.system, self.work, np.zeros(n, np.int64))
        F, free, M = np.zeros(n), np.zeros(n), np.zeros((n, n))
        for a, out in ((qdd, F), (np.zeros(n), free)):
            assert eval_residual(self.system, 0.0, self.q, self.qd, a, np.zeros(n), out, self.work) == 0
        eval_motion(self.system, self.q, self.qd, self.work)
        assert eval_mass_matrix(self.system, M, self.work) == 0
        sizes = np.linalg.svd(M, compute_uv=False)
        zeros = int(np.sum(sizes <= 1e-13 * sizes[0]))
        assert count == zeros, f"{count} massless rates, but M has {zeros} zero singular values"
        worst = float(np.abs(F).max() / np.abs(free).max())
        assert worst < TOLERANCE, f"equations of motion off by {worst:.2g}"
        return worst


def compare(report: Report, cases: dict, rounds: int) -> None:
    """Time trees with and without massless bodies."""
    for name, (parent, kinds) in cases.items():
        light, full = (Evaluation(tree_model(parent, kinds=kinds, massless=m)) for m in (True, False))
        residual = light.check()
        assert light.massless > 0 and full.massless == 0
        best = best_times({"light": light, "full": full}, rounds=rounds)
        ratio = best["light"] / best["full"]
        report.add(case=name, massless=light.massless, light=microseconds(best["light"]), full=microseconds(best["full"]),
                   ratio=ratio, required=f"<= {LARGEST_RATIO}", residual=residual, ok=ratio <= LARGEST_RATIO)


def growth(report: Report, sizes, rounds: int) -> None:
    """Time growing chains with massless bodies and fit the exponent of N."""
    best = best_times({str(n): Evaluation(tree_model(np.arange(n) - 1, kinds=(dal.Revolute,), massless=True)) for n in sizes},
                      rounds=rounds)
    exponent = float(np.polyfit(np.log(sizes), np.log([best[str(n)] for n in sizes]), 1)[0])
    report.add(case=f"growth, chains {sizes[0]} to {sizes[-1]}", ratio=exponent, required=f"<= {LARGEST_EXPONENT}",
               ok=exponent <= LARGEST_EXPONENT)
    report.note("growth: " + ", ".join(f"N = {n}: {best[str(n)] / n * 1e9:.0f} ns per body" for n in sizes))


def oscillator(data: dict, m1: float) -> dal.Model:
    """Return the small-mass oscillator [ARN (5)]."""
    m, x = dal.Model("small-mass oscillator", gravity=(0, 0, 0)), (1, 0, 0)
    m.add(dal.Body("one", mass=m1), dal.Body("two", mass=data["m2"]), dal.Prismatic("p1", "ground", "one", axis=x),
          dal.Prismatic("q2", "one", "two", axis=x),
          dal.JointSpring("wall", "p1", stiffness=data["c1"], damping=data["d1"]),
          dal.JointSpring("link", "q2", stiffness=data["c2"], damping=data["d2"]),
          dal.Force("load", "one", direction=x, magnitude=dal.sine(amplitude=data["F0"], omega=data["W"], phase=pi / 2)))
    return m


def expected_saving(data: dict, exponent: int, until: float) -> float:
    """Ratio of the radians of the fast oscillation that a method has to follow to those of the slow one.

    The light mass begins with the amplitude F0/(c1 + c2) about the reduced solution.  Steps are as short as the accuracy
    relative to the speed asks for until the speed has fallen to 1 m/s, and lengthen by exp(decay t/exponent) afterwards.
    """
    stiffness, damping = data["c1"] + data["c2"], data["d1"] + data["d2"]
    fast, slow = np.sqrt(stiffness / SMALL), np.sqrt(data["c1"] * data["c2"] / stiffness / data["m2"])
    decay, speed = damping / (2 * SMALL), fast * data["F0"] / stiffness
    followed = min(until, (np.log(speed) + exponent) / decay)
    return float(fast * followed / (slow * until))


def saved_steps(report: Report, accuracies, until=None) -> None:
    """Run sets B and C with the small mass and without it; the requirement is checked at the first accuracy."""
    for letter in "BC":
        problem = json.loads((PROBLEMS / f"p2_small_mass_oscillator_{letter}.json").read_text())
        data, times = problem["data"], np.array(problem["t"])
        times = times[times <= (until or data["tend"])]
        for (integrator, exponent), accuracy in product(INTEGRATORS.items(), accuracies):
            runs = {}
            for m1 in (SMALL, 0.0):
                exact = np.array(next(c["values"] for c in problem["cases"] if c["m1"] == m1))[:len(times)]
                r = dal.run(oscillator(data, m1), until=float(times[-1]), accuracy=accuracy, integrator=integrator,
                            record=times)
                error = float(np.abs(r["p1.displacement"] + r["q2.displacement"] - exact[:, 1]).max())
                allowed = 10 * accuracy * r.stats.steps ** (1.0 if integrator in SAME_SIGN else 0.5)
                assert error <= allowed, f"set {letter}, m1 = {m1:g}: error {error:.2g} against {allowed:.2g}"
                runs[m1] = r.stats
            ratio = runs[SMALL].steps / runs[0.0].steps
            required = accuracy == accuracies[0] and integrator in REQUIRED[letter]
            report.add(case=f"steps, set {letter} at {accuracy:g}, {integrator}", light=runs[0.0].steps,
                       full=runs[SMALL].steps, ratio=ratio,
                       required=f">= {FEWER_STEPS}" if required else None, ok=ratio >= FEWER_STEPS if required else None,
                       expected=expected_saving(data, exponent, float(times[-1])))
            report.note(f"set {letter} at {accuracy:g}, {integrator}: {runs[SMALL].seconds:.2f} s with m1 = {SMALL:g}, "
                        f"{runs[0.0].seconds:.2f} s without")


def whole_runs(report: Report, rounds: int) -> None:
    """Time runs with default recording, with the small mass and without it, from the model to its results."""
    for letter in "BC":
        data = json.loads((PROBLEMS / f"p2_small_mass_oscillator_{letter}.json").read_text())["data"]

        def runs(m1, data=data):
            def repeat(n: int) -> None:
                for _ in range(n):
                    frames = len(dal.run(oscillator(data, m1), until=data["tend"], integrator="radau").t)
                    assert frames == 501
            return repeat

        best = best_times({"light": runs(0.0), "full": runs(SMALL)}, rounds=rounds)
        ratio = best["light"] / best["full"]
        report.add(case=f"run with 501 frames, set {letter}, radau", massless=1, light=microseconds(best["light"]),
                   full=microseconds(best["full"]), ratio=ratio, required=f"<= {LARGEST_TIME}", ok=ratio <= LARGEST_TIME)
        report.note(f"set {letter}: a run without the light mass is {1 / ratio:.1f} times as fast")


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("massless bodies; times in us, or steps; ratio: with massless bodies / without, or steps saved",
                    ["case", "massless", "light", "full", "ratio", "required", "expected", "residual"])
    revolute, sliding = (dal.Revolute,), (dal.Prismatic, dal.Revolute)
    if options.smoke:
        cases, sizes, rounds = {"chain of 10": (np.arange(10) - 1, revolute)}, [10, 20], options.rounds or 2
    else:
        cases = {f"chain of {n}": (np.arange(n) - 1, revolute) for n in (30, 100, 300)}
        cases["sliding chain of 100"] = (np.arange(100) - 1, sliding)
        cases["binary tree of 127"] = ((np.arange(127) - 1) // 2, revolute)
        sizes, rounds = [30, 100, 300, 1000], options.rounds or 200
    compare(report, cases, rounds)
    growth(report, sizes, rounds)
    whole_runs(report, 2 if options.smoke else 5)
    saved_steps(report, [1e-5] if options.smoke else [1e-6, 1e-5, 1e-7], until=0.05 if options.smoke else None)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
