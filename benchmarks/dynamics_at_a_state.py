"""Mass matrix, inverse dynamics and Jacobian at a state against Pinocchio and MuJoCo.

A controller asks for them once a sample: M by composite rigid bodies, efforts by recursive Newton-Euler, the Jacobian of the
last body.  dalembert is timed twice: called from Python through `Dynamics`, and from a compiled function by its handle, as a
compiled controller does.  The peers are called from Python, which costs about a microsecond; a call on a model of one body is
timed alongside and taken off, so that "net" compares work with work, and "as called" what Python users wait for.
MuJoCo has no function for M alone: `mj_kinematics`, `mj_comPos`, `mj_crb` and `mj_fullM` together make it, as little as does.

First of all, M, efforts and Jacobians must agree with both peers.
"""

from __future__ import annotations

import sys

import mechanisms
import numpy as np
from interleave import Report, best_times, microseconds, parse, peer
from numba import njit

import dalembert as dal

LARGEST_KERNEL = 20.0
"""Microseconds of a compiled call for the six-axis arm."""
LARGEST_CALL = 10.0
"""Microseconds of a call from Python for the same."""
TOLERANCE = 1e-11
"""Of the results, relative to the largest entry: rounding of a tree of 30 bodies with random frames."""
HUMANOID = [-1, 0, 1, 2, 3, 4, 5, 6, 2, 8, 9, 10, 11, 12, 2, 14, 15, 0, 17, 18, 19, 20, 21, 0, 23, 24, 25, 26, 27, 28]
"""Parents: a trunk of three, a head, two arms of six and seven, two legs of six and seven axes, on one axis at the pelvis."""
COMPILED = dal.Dynamics(dal.Model("nothing")).compiled
MASS, INVERSE, JACOBIAN = COMPILED.mass_matrix, COMPILED.inverse_dynamics, COMPILED.jacobian


@njit
def repeat_mass(handle, q, M, n):
    """Fill the mass matrix n times."""
    status = 0
    for _ in range(n):
        status |= MASS(handle, q, M)
    return status


@njit
def repeat_inverse(handle, q, qd, qdd, tau, n):
    """Fill the efforts n times."""
    status = 0
    for _ in range(n):
        status |= INVERSE(handle, 0.0, q, qd, qdd, tau)
    return status


@njit
def repeat_jacobian(handle, place, q, J, n):
    """Fill the Jacobian n times."""
    status = 0
    for _ in range(n):
        status |= JACOBIAN(handle, place, q, J)
    return status


def repeated(function, *arguments):
    """Return a contestant that calls a Python function n times."""
    def call(n: int) -> None:
        for _ in range(n):
            function(*arguments)
    return call


class Ours:
    """A mechanism as dalembert has it; arrays in the order of its rates, `at` those of the mechanism's joints."""

    def __init__(self, mechanism):
        self.dynamics = d = dal.Dynamics(mechanisms.dalembert_model(mechanism))
        self.at = np.array([d.rates.index(f"joint{i}.angle") for i in range(mechanism.n)])
        self.q, self.qd, self.qdd = (np.empty(mechanism.n) for _ in range(3))
        self.q[self.at], self.qd[self.at], self.qdd[self.at] = mechanism.q, mechanism.qd, mechanism.tau
        self.place = f"body{mechanism.n - 1}"
        self.M, self.tau, self.J = np.empty((mechanism.n,) * 2), np.empty(mechanism.n), np.empty((6, mechanism.n))

    def results(self) -> dict:
        """Return M, efforts and Jacobian in the order of the mechanism's joints."""
        d, at = self.dynamics, self.at
        return {"mass matrix": d.mass_matrix(self.q)[np.ix_(at, at)],
                "inverse dynamics": d.inverse_dynamics(self.q, self.qd, self.qdd)[at],
                "Jacobian": d.jacobian(self.q, self.place)[:, at]}

    def python(self) -> dict:
        """Return contestants called from Python."""
        d = self.dynamics
        return {"mass matrix": repeated(d.mass_matrix, self.q),
                "inverse dynamics": repeated(d.inverse_dynamics, self.q, self.qd, self.qdd),
                "Jacobian": repeated(d.jacobian, self.q, self.place)}

    def compiled(self) -> dict:
        """Return contestants called from a compiled function."""
        handle, place = self.dynamics.compiled.handle, self.dynamics.place(self.place)
        calls = {"mass matrix": (repeat_mass, (handle, self.q, self.M)),
                 "inverse dynamics": (repeat_inverse, (handle, self.q, self.qd, self.qdd, self.tau)),
                 "Jacobian": (repeat_jacobian, (handle, place, self.q, self.J))}

        def contestant(function, arguments):
            def call(n: int) -> None:
                if function(*arguments, n) != 0:
                    raise ArithmeticError(f"{function.__name__} failed")
            return call

        return {name: contestant(*call) for name, call in calls.items()}


def pinocchio_calls(m) -> tuple[dict, dict]:
    """Return contestants of Pinocchio, and its results."""
    import pinocchio as pin

    model, data = mechanisms.pinocchio_model(m)
    frame = model.addFrame(pin.Frame("end", m.n, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    data = model.createData()
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    calls = {"mass matrix": (pin.crba, model, data, m.q), "inverse dynamics": (pin.rnea, model, data, m.q, m.qd, m.tau),
             "Jacobian": (pin.computeFrameJacobian, model, data, m.q, frame, world)}
    upper = np.triu(pin.crba(model, data, m.q))
    results = {"mass matrix": upper + np.triu(upper, 1).T, "inverse dynamics": pin.rnea(model, data, m.q, m.qd, m.tau),
               "Jacobian": pin.computeFrameJacobian(model, data, m.q, frame, world)}
    return {name: repeated(*call) for name, call in calls.items()}, {name: np.array(x) for name, x in results.items()}


def mujoco_calls(m) -> tuple[dict, dict]:
    """Return contestants of MuJoCo, and its results."""
    import mujoco as mj

    model, data, at = mechanisms.mujoco_model(m)
    data.qacc[at] = m.tau
    mj.mj_forward(model, data)
    data.qacc[at] = m.tau
    M, J, body = np.zeros((m.n, m.n)), np.zeros((6, m.n)), model.body(f"body{m.n - 1}").id
    point = data.xpos[body].copy()

    def mass():
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_crb(model, data)
        mj.mj_fullM(model, data, M)

    def jacobian():
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_jac(model, data, J[:3], J[3:], point, body)

    mass()
    jacobian()
    mj.mj_inverse(model, data)
    results = {"mass matrix": M[np.ix_(at, at)], "inverse dynamics": data.qfrc_inverse[at].copy(), "Jacobian": J[:, at]}
    return {"mass matrix": repeated(mass), "inverse dynamics": repeated(mj.mj_inverse, model, data),
            "Jacobian": repeated(jacobian)}, results


def compare(report: Report, model: str, mechanism, peers: dict, rounds: int, bounded: bool) -> None:
    """Assert that all agree, then time all three quantities against the peers."""
    ours, one = Ours(mechanism), mechanisms.chain(1)
    mine, compiled, python = ours.results(), ours.compiled(), ours.python()
    theirs = {name: calls(mechanism) for name, calls in peers.items()}
    idle = {name: calls(one)[0] for name, calls in peers.items()}
    for what, value in mine.items():
        for name, (_, results) in theirs.items():
            difference = np.abs(value - results[what]).max() / np.abs(value).max()
            assert difference < TOLERANCE, f"{what} of the {model} differs from that of {name} by {difference:.2g}"
        contestants = {"compiled": compiled[what], "python": python[what]}
        for name, (calls, _) in theirs.items():
            contestants |= {name: calls[what], f"{name} idle": idle[name][what]}
        best = best_times(contestants, rounds=rounds)
        kernel, call = best["compiled"], best["python"]
        row = {"model": model, "quantity": what, "compiled": microseconds(kernel), "from_python": microseconds(call)}
        for name in theirs:
            row |= {name: microseconds(best[name]), f"{name}_net": (best[name] - best[f"{name} idle"]) / kernel,
                    f"{name}_called": best[name] / call}
        ok = kernel * 1e6 < LARGEST_KERNEL and call * 1e6 < LARGEST_CALL if bounded else None
        report.add(**row, required=f"< {LARGEST_KERNEL:g}, < {LARGEST_CALL:g}" if bounded else None, ok=ok)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    known = {"pinocchio": pinocchio_calls, "mujoco": mujoco_calls}
    columns = ["model", "quantity", "compiled", "from_python"]
    columns += [column for name in known for column in (name, f"{name}_net", f"{name}_called")]
    report = Report("dynamics at a state, times in us; ratios: peer net of its call / compiled, peer as called / from Python",
                    [*columns, "required"])
    peers = {name: calls for name, calls in known.items() if peer(name, report)}
    rounds = options.rounds or (2 if options.smoke else 200)
    compare(report, "six-axis arm", mechanisms.chain(6), peers, rounds, True)
    if not options.smoke:
        compare(report, "humanoid tree of 30", mechanisms.random_mechanism(HUMANOID), peers, rounds, False)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
