"""Runs by `integrator="bdf"` against plain SUNDIALS IDA on equations written by hand.

Both have the same tolerances and return coordinates and rates at the same 501 times; IDA is that of scikit-sundae, and
dalembert's runs begin with the model and return accelerations, too.  By hand are written the small-mass oscillator [ARN
(5), (6)] with m1 = 0 (one rate without inertia, whose size is left out of the error test in both) and with m1 = 1e-3, with
exact Jacobians, and a chain of pendulums in absolute angles, in NumPy, whose Jacobian IDA finds by differences.  Both must
agree first.
"""

from __future__ import annotations

import sys
from math import cos, pi

import numpy as np
from interleave import Report, best_times, microseconds, parse

import dalembert as dal

LARGEST_RATIO = 2.0
ACCURACY = 1e-6
AGREE = 1e-3
"""Of the largest coordinate: both drift by their own local errors."""
UNCONTROLLED = 1e20
OSCILLATOR = {"m2": 1.0, "c1": 1000.0, "c2": 1000.0, "d1": 1.0, "d2": 1.0, "F0": 100.0, "W": 10.0}
UNTIL = {"oscillator": 2.0, "pendulums": 3.0}
GRAVITY, LENGTH, MASS = 9.81, 0.5, 1.2


def oscillator(m1: float) -> dal.Model:
    """Return the small-mass oscillator."""
    d, x = OSCILLATOR, (1, 0, 0)
    return dal.Model("oscillator", gravity=(0, 0, 0)).add(
        dal.Body("one", mass=m1), dal.Body("two", mass=d["m2"]), dal.Prismatic("p1", "ground", "one", axis=x),
        dal.Prismatic("q2", "one", "two", axis=x), dal.JointSpring("wall", "p1", stiffness=d["c1"], damping=d["d1"]),
        dal.JointSpring("link", "q2", stiffness=d["c2"], damping=d["d2"]),
        dal.Force("load", "one", direction=x, magnitude=dal.sine(amplitude=d["F0"], omega=d["W"], phase=pi / 2)))


def plain_oscillator(m1: float, times: np.ndarray) -> np.ndarray:
    """Solve [ARN (5)] in p1, p2 by hand-written residual and Jacobian; returns p1, p2 - p1."""
    from sksundae.ida import IDA

    m2, c1, c2, d1, d2, F0, W = OSCILLATOR.values()

    def residual(t, y, yp, out):
        p1, p2, v1, v2 = y
        link = c2 * (p2 - p1) + d2 * (v2 - v1)
        out[0], out[1] = yp[0] - v1, yp[1] - v2
        out[2] = m1 * yp[2] - F0 * cos(W * t) + d1 * v1 + c1 * p1 - link
        out[3] = m2 * yp[3] + link

    def jacobian(t, y, yp, res, c, J):
        J[0, 0] = J[1, 1] = c
        J[0, 2] = J[1, 3] = -1.0
        J[2] = c1 + c2, -c2, m1 * c + d1 + d2, -d2
        J[3] = -c2, c2, -d2, m2 * c + d2

    atol = np.full(4, ACCURACY)
    start = np.zeros(4)
    slope = np.array([0.0, 0.0, F0 / m1 if m1 else 0.0, 0.0])
    if m1 == 0.0:
        atol[2] = UNCONTROLLED
        v1 = F0 / (d1 + d2)
        start[2] = v1
        a2 = d2 * v1 / m2
        slope = np.array([v1, 0.0, (-(c1 + c2) * v1 + d2 * a2) / (d1 + d2), a2])
    y = IDA(residual, rtol=ACCURACY, atol=atol, jacfn=jacobian, max_num_steps=10**6).solve(times, start, slope).y
    return np.stack([y[:, 0], y[:, 1] - y[:, 0]], axis=1)


def pendulums(n: int) -> dal.Model:
    """Return a chain of point masses on rods, held out straight."""
    model = dal.Model("pendulums", gravity=(0, 0, -GRAVITY))
    for i in range(n):
        model.add(dal.Body(f"b{i}", mass=MASS, com=(0, 0, -LENGTH), inertia=(0, 0, 0), points={"end": (0, 0, -LENGTH)}),
                  dal.Revolute(f"j{i}", f"b{i - 1}.end" if i else "ground", f"b{i}", axis=(0, -1, 0),
                               start=1.0 if i == 0 else 0.2))
    return model


def plain_pendulums(n: int, times: np.ndarray) -> np.ndarray:
    """Solve the chain in absolute angles; returns the joints' angles."""
    from sksundae.ida import IDA

    carried = MASS * (n - np.arange(n))
    weight = LENGTH**2 * np.minimum.outer(carried, carried)

    def dynamics(angle, speed, acceleration):
        apart = angle[:, None] - angle
        return (weight * (np.cos(apart) * acceleration + np.sin(apart) * speed**2)).sum(axis=1) + (
            GRAVITY * LENGTH * carried * np.sin(angle))

    def residual(t, y, yp, out):
        out[:n] = yp[:n] - y[n:]
        out[n:] = dynamics(y[:n], y[n:], yp[n:])

    angle, still = 1.0 + 0.2 * np.arange(n), np.zeros(n)
    M = weight * np.cos(angle[:, None] - angle)
    slope = np.concatenate([still, np.linalg.solve(M, -dynamics(angle, still, still))])
    y = IDA(residual, rtol=ACCURACY, atol=ACCURACY, max_num_steps=10**6).solve(times, np.concatenate([angle, still]), slope).y
    return np.diff(y[:, :n], axis=1, prepend=0.0)


def compare(report: Report, name: str, model: dal.Model, plain, channels, until: float, rounds: int) -> None:
    """Check that both agree, then time them in turns."""
    times = np.linspace(0.0, until, 501)
    r = dal.run(model, until=until, integrator="bdf", accuracy=ACCURACY, record=times)
    ours, theirs = np.stack([r[channel] for channel in channels], axis=1), plain(times)
    off = float(np.max(abs(ours - theirs)) / np.max(abs(theirs)))
    assert off <= AGREE, f"{name}: off by {off:.2g}"

    def run(n: int) -> None:
        for _ in range(n):
            dal.run(model, until=until, integrator="bdf", accuracy=ACCURACY, record=times)

    def solve(n: int) -> None:
        for _ in range(n):
            plain(times)

    best = best_times({"bdf": run, "plain": solve}, rounds=rounds)
    ratio = best["bdf"] / best["plain"]
    report.add(case=name, steps=r.stats.steps, bdf=microseconds(best["bdf"]), plain=microseconds(best["plain"]), ratio=ratio,
               required=f"<= {LARGEST_RATIO}", off=off, ok=ratio <= LARGEST_RATIO)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("runs by bdf against plain IDA on equations by hand; times in us of a whole run",
                    ["case", "steps", "bdf", "plain", "ratio", "required", "off"])
    rounds = 2 if options.smoke else options.rounds or 20
    try:
        import sksundae  # noqa: F401
    except ImportError:
        report.missing.append("scikit-sundae")
        return report.finish(options)
    both = ("p1.displacement", "q2.displacement")
    for m1 in (0.0, 1e-3):
        compare(report, f"oscillator, m1 = {m1:g}", oscillator(m1), lambda times, m1=m1: plain_oscillator(m1, times), both,
                UNTIL["oscillator"], rounds)
    for n in (3, 10):
        compare(report, f"{n} pendulums", pendulums(n), lambda times, n=n: plain_pendulums(n, times),
                [f"j{i}.angle" for i in range(n)], UNTIL["pendulums"] / (1 if n == 3 else 3), rounds)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
