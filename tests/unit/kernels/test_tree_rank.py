"""Motions without inertia: which rates have one, that M maps them to zero, products with damping and stiffness."""

import numpy as np
import pytest
from physics.states import EPS

import dalembert as dal
from dalembert.kernels.evaluate import eval_accelerations, eval_residual
from dalembert.kernels.tables import make_work
from dalembert.kernels.tree.inverse import eval_mass_matrix
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.kernels.tree.rank import eval_massless_motion, eval_products, list_massless
from dalembert.kernels.tree.state import move
from dalembert.start.initial import prepare_start

Z = (0, 0, 1)
ROD = dict(mass=1.2, com=(0.1, 0.3, -0.2), inertia=(0.05, 0.06, 0.03))


def hub():
    """Massless hub with two coaxial rods."""
    m = dal.Model("hub")
    m.add(dal.Body("hub"), dal.Body("a", **ROD), dal.Body("b", **ROD),
          dal.Revolute("h", "ground", "hub", axis=Z), dal.Revolute("ja", "hub", "a", axis=Z, start=0.3),
          dal.Revolute("jb", "hub", "b", axis=Z, start=-0.8))
    return m, 1


def row():
    """Two massless sliders in a row under a mass, a massless leaf on top."""
    m, inner = dal.Model("row"), "ground"
    for name, mass in (("a", 0.0), ("b", 0.0), ("c", 2.0), ("d", 0.0)):
        m.add(dal.Body(name, mass=mass), dal.Prismatic(f"j{name}", inner, name, axis=Z))
        inner = name
    return m, 3


def universal():
    """Point mass on the second axis of a universal joint."""
    m = dal.Model("universal")
    m.add(dal.Body("bob", mass=1.0, com=(0, 0, -0.5)),
          dal.Universal("u", "ground", "bob", axis1=(1, 0, 0), axis2=Z, start=(0.4, 0.7)))
    return m, 1


def ball(start):
    """Point mass on a ball joint."""
    m = dal.Model("ball")
    m.add(dal.Body("bob", mass=1.4, com=(0, 0, -0.4)), dal.Spherical("s", "ground", "bob", start=start))
    return m, 1


def whole():
    """A massless body whose hinge carries a mass off its axis: nothing is massless."""
    m = dal.Model("whole")
    m.add(dal.Body("arm", points={"end": (0.5, 0, 0)}), dal.Body("bob", **ROD),
          dal.Revolute("j", "ground", "arm", axis=Z), dal.Revolute("k", "arm.end", "bob", axis=(1, 0, 0), start=0.4))
    return m, 0


CASES = {"hub": hub, "row": row, "universal": universal, "whole": whole, "ball": lambda: ball((1.0, 0.0, 0.0, 0.0)),
         "turned ball": lambda: ball((0.18, 0.13, -0.97, -0.13))}


def supported(model):
    """Return the model with springs and dampers on everything, so that it starts."""
    for joint in model.joints:
        if isinstance(joint, dal.Spherical):
            model.add(dal.Bushing(f"{joint.name} s", "ground", joint.second, turning_stiffness=3.0, turning_damping=0.4))
            continue
        for c in joint.coordinates:
            more = {"coordinate": c} if len(joint.coordinates) > 1 else {}
            model.add(dal.JointSpring(f"{joint.name} {c}", joint.name, stiffness=3.0, damping=0.4, **more))
    return model


class Evaluated:
    """A model after `eval_accelerations` at its start."""

    def __init__(self, make):
        model, self.expected = make()
        begin = prepare_start(supported(model))
        self.sys, self.q, self.qd, self.n = begin.packed.system, begin.q, begin.qd, len(begin.qd)
        self.work, self.qdd = make_work(self.sys), np.zeros(self.n)
        self.work.rank["allowed"] = self.n
        assert eval_accelerations(self.sys, 0.0, self.q, self.qd, self.qdd, np.zeros(self.n), self.work) == 0
        rates = np.zeros(self.n, np.int64)
        self.rates = rates[:list_massless(self.sys, self.work, rates)]

    def motions(self):
        """Return one motion for each massless rate."""
        X = np.zeros((len(self.rates), self.n))
        for x, rate in zip(X, self.rates, strict=True):
            eval_massless_motion(self.sys, rate, x, self.work)
        return X

    def residual(self, q, qd):
        """Return F at another state, same accelerations."""
        out = np.zeros(self.n)
        assert eval_residual(self.sys, 0.0, q, qd, self.qdd, np.zeros(self.n), out, self.work) == 0
        return out


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return Evaluated(request.param)


def test_number_of_massless_rates(case):
    assert len(case.rates) == case.expected
    assert np.all(np.diff(case.rates) > 0)


def test_motions_need_no_inertia(case):
    """M x = 0; one along the own rate, zero along the other massless ones."""
    X, M = case.motions(), np.zeros((case.n, case.n))
    assert len(X) == case.expected
    eval_motion(case.sys, case.q, case.qd, case.work)
    assert eval_mass_matrix(case.sys, M, case.work) == 0
    assert np.abs(X @ M).max(initial=0.0) <= 100 * case.n * EPS * np.abs(M).max() * np.abs(X).max(initial=1.0)
    assert np.array_equal(X[:, case.rates], np.eye(len(X)))


def test_accelerations_along_massless_rates_are_zero(case):
    assert np.all(case.qdd[case.rates] == 0.0)
    assert np.all(np.isfinite(case.qdd))


def test_products_are_derivatives_of_the_residual(case):
    """C x and K x by central differences, whose error is step² and rounding over the step."""
    step = 1e-5
    for x in case.motions():
        C_x, K_x = np.zeros(case.n), np.zeros(case.n)
        case.residual(case.q, case.qd)
        assert eval_products(case.sys, 0.0, case.q, case.qd, case.qdd, x, C_x, K_x, case.work) == 0
        ahead, behind = np.empty_like(case.q), np.empty_like(case.q)
        move(case.sys, case.q, step * x, ahead)
        move(case.sys, case.q, -step * x, behind)
        by_rate = (case.residual(case.q, case.qd + step * x) - case.residual(case.q, case.qd - step * x)) / (2 * step)
        by_move = (case.residual(ahead, case.qd) - case.residual(behind, case.qd)) / (2 * step)
        size = 10 + np.abs(x).max() ** 3
        error = size * (10 * step**2 + 100 * EPS / step)
        assert np.abs(C_x - by_rate).max() <= error
        assert np.abs(K_x - by_move).max() <= error


def test_the_rank_of_a_ball_joint_does_not_hang_on_its_attitude():
    """A point mass on a ball joint never has inertia about the line to it, however rounding falls."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        start = rng.normal(size=4)
        assert len(Evaluated(lambda q=start: ball(tuple(q / np.linalg.norm(q)))).rates) == 1, start
