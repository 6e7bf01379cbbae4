"""Computed torque of a six-axis arm at 500 Hz, against real time.

The arm follows a path in its joints.  Every 2 ms the law asks for the mass matrix and the bias at the present state and
commands the efforts

    tau = M(q) (qdd_r + 2 w (qd_r - qd) + w² (q_r - q)) + bias(q, qd),

once as plain Python with the methods of `Dynamics`, once compiled with the functions of `Dynamics.compiled`.  Whole calls of
`dal.run` are timed by the clock, set-up, frames and results included, after a first one that compiles.  Both laws must make
the same motion, and the deviation from the path, which begins with an offset, must die away as that of the law does.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
from interleave import Report, best_runs, parse

import dalembert as dal

EVERY = 2e-3
W = 20.0
"""Natural frequency of the deviation, critically damped [rad/s]."""
OFFSET = 0.1
"""First deviation of all axes [rad]."""
CENTRE = np.array([0.0, 0.6, -1.2, 0.0, 0.8, 0.0])
SWING = np.array([0.8, 0.4, 0.5, 1.0, 0.6, 1.5])
SPEED = np.array([2.0, 3.0, 2.5, 4.0, 3.5, 5.0])
LEAST = {"plain Python": 2.0, "compiled": 20.0}
"""Times faster than real time."""
COMPILED = dal.Dynamics(dal.Model("nothing")).compiled
INVERSE = COMPILED.inverse_dynamics


def arm() -> dal.Model:
    """Return an arm with six axes of the size of a small industrial robot, and a motor on each."""
    y, z, rods = (0, -1, 0), (0, 0, 1), dal.inertia_cylinder
    m = dal.Model("six-axis arm", gravity=(0, 0, -9.81))
    m.add(dal.Body("column", mass=12.0, com=(0, 0, 0.15), inertia=rods(12.0, radius=0.1, length=0.3, axis="z"),
                   points={"out": (0.1, 0, 0.3)}),
          dal.Body("upper arm", mass=9.0, com=(0.2, 0, 0), inertia=rods(9.0, radius=0.07, length=0.45, axis="x"),
                   points={"out": (0.45, 0, 0)}),
          dal.Body("elbow", mass=5.0, com=(0.05, 0, 0), inertia=rods(5.0, radius=0.07, length=0.2, axis="x"),
                   points={"out": (0.1, 0, 0)}),
          dal.Body("forearm", mass=4.0, com=(0.15, 0, 0), inertia=rods(4.0, radius=0.05, length=0.35, axis="x"),
                   points={"out": (0.32, 0, 0)}),
          dal.Body("wrist", mass=1.5, com=(0.03, 0, 0), inertia=rods(1.5, radius=0.04, length=0.1, axis="x"),
                   points={"out": (0.07, 0, 0)}),
          dal.Body("flange", mass=2.0, com=(0.05, 0, 0.03), inertia=rods(2.0, radius=0.05, length=0.1, axis="x")))
    bodies = ["ground", "column.out", "upper arm.out", "elbow.out", "forearm.out", "wrist.out"]
    names = ["column", "upper arm", "elbow", "forearm", "wrist", "flange"]
    for k, (first, second, axis) in enumerate(zip(bodies, names, [z, y, y, (1, 0, 0), y, (1, 0, 0)], strict=True)):
        m.add(dal.Revolute(f"axis {k + 1}", first, second, axis=axis, armature=0.05, start=CENTRE[k] + OFFSET,
                           start_rate=SWING[k] * SPEED[k]), dal.Motor(f"motor {k + 1}", f"axis {k + 1}"))
    return m


def python_law(d: dal.Dynamics):
    """Return the law as a plain Python function."""
    def law(t, u):
        q, qd = u[:6], u[6:]
        s, c = np.sin(SPEED * t), np.cos(SPEED * t)
        a = (-SWING * SPEED**2 * s + 2 * W * (SWING * SPEED * c - qd) + W**2 * (CENTRE + SWING * s - q))
        return d.mass_matrix(q) @ a + d.bias(q, qd, t)

    return law


def compiled_law(d: dal.Dynamics):
    """Return the law compiled; M a + bias in one call, which is inverse dynamics."""
    handle = d.compiled.handle

    @dal.law
    def law(t, u):
        q, qd, tau = u[:6], u[6:], np.empty(6)
        s, c = np.sin(SPEED * t), np.cos(SPEED * t)
        a = (-SWING * SPEED**2 * s + 2 * W * (SWING * SPEED * c - qd) + W**2 * (CENTRE + SWING * s - q))
        if INVERSE(handle, t, q, qd, a, tau) != 0:
            tau[:] = np.nan
        return tau

    return law


def controlled(m: dal.Model, law) -> dal.Model:
    """Return the arm with its controller."""
    axes = range(1, 7)
    inputs = [f"axis {k}.angle" for k in axes] + [f"axis {k}.speed" for k in axes]
    return m.replaced().add(dal.Controller("computed torque", inputs=inputs, outputs=[f"motor {k}" for k in axes], law=law,
                                           every=EVERY))


def angles(r: dal.Results) -> np.ndarray:
    """Return the angles of all axes (n, 6)."""
    return np.column_stack([r[f"axis {k}.angle"] for k in range(1, 7)])


def deviation(r: dal.Results) -> np.ndarray:
    """Return how far each axis is from its path (n, 6)."""
    return angles(r) - CENTRE - SWING * np.sin(SPEED * r.t[:, None])


def check(results: dict, d: dal.Dynamics) -> None:
    """Assert that both laws make one motion, and that it is the one that the law asks for but for holding the efforts."""
    one, other = results.values()
    assert np.abs(angles(one) - angles(other)).max() < 1e-9, "plain and compiled law make different motions"
    exact = OFFSET * (1 + W * one.t) * np.exp(-W * one.t)  # (D + w)² e = 0
    error = np.abs(deviation(one) - exact[:, None]).max()
    jumps = [np.linalg.solve(d.mass_matrix(q), dy) for q, dy in
             zip(angles(one)[1:], np.diff(one["computed torque.outputs"], axis=0), strict=True)]
    bound = np.abs(jumps).max() / W**2  # accelerations are off by no more than the jump of what is held
    assert error < bound, f"the deviation differs from that of the law by {error:.2g} rad, expected {bound:.2g}"



def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    until, rounds = (0.1, 1) if options.smoke else (2.0, options.rounds or 7)
    m = arm()
    d = dal.Dynamics(m, without=[f"motor {k}" for k in range(1, 7)])
    models = {"plain Python": controlled(m, python_law(d)), "compiled": controlled(m, compiled_law(d))}
    results = {}

    def turn(name):
        def run() -> float:
            begin = perf_counter()
            results[name] = dal.run(models[name], until=until)
            return perf_counter() - begin
        return run

    first = {name: turn(name)() for name in models}
    check(results, d)
    best = best_runs({name: turn(name) for name in models}, rounds=rounds)
    report = Report(f"computed torque of a six-axis arm at {1 / EVERY:g} Hz, {until:g} s",
                    ["law", "first_run_s", "run_ms", "steps", "real_time_factor", "required"])
    for name, seconds in best.items():
        factor = until / seconds
        report.add(law=name, first_run_s=first[name], run_ms=1e3 * seconds, steps=results[name].stats.steps,
                   real_time_factor=factor, required=LEAST[name], ok=factor >= LEAST[name])
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
