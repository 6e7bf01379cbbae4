"""Coordinates and rates: kinematics there and back, moves, derivatives."""

import numpy as np
import pytest
from physics.states import EPS, random_case

from dalembert.kernels.tree.state import (
    eval_coordinate_accelerations,
    eval_coordinate_rates,
    move,
    normalise,
    rates_of_coordinates,
)
from dalembert.model.parts import Free, Planar, Revolute, Spherical, Universal

JOINTS = (Free, Spherical, Revolute, Planar, Universal)


@pytest.fixture(scope="module")
def case():
    """Return a small tree with quaternions and without forces."""
    return random_case(3, 5, joints=JOINTS, forces=False)


def test_rates_there_and_back(case):
    qdot, again = np.zeros_like(case.q), np.zeros_like(case.qd)
    eval_coordinate_rates(case.sys, case.q, case.qd, qdot)
    rates_of_coordinates(case.sys, case.q, qdot, again)
    assert np.abs(again - case.qd).max() <= 20 * EPS * np.abs(case.qd).max()


def test_rates_keep_quaternions_on_their_sphere(case):
    qdot = np.zeros_like(case.q)
    eval_coordinate_rates(case.sys, case.q, case.qd, qdot)
    for k in case.sys.quaternion["q"]:
        assert abs(case.q[k:k + 4] @ qdot[k:k + 4]) <= 10 * EPS * np.abs(case.qd).max()


def test_move_follows_the_rates(case):
    """d/dh move(q, h qd) = coordinate rates; central difference."""
    h, ahead, behind, qdot = np.cbrt(EPS), *(np.zeros_like(case.q) for _ in range(3))
    move(case.sys, case.q, h * case.qd, ahead)
    move(case.sys, case.q, -h * case.qd, behind)
    eval_coordinate_rates(case.sys, case.q, case.qd, qdot)
    size = (1 + np.abs(case.qd).max()) ** 3
    assert np.abs((ahead - behind) / (2 * h) - qdot).max() <= 10 * EPS ** (2 / 3) * size


def test_move_keeps_the_length_of_quaternions_and_has_an_inverse(case):
    out, back = np.zeros_like(case.q), np.zeros_like(case.q)
    move(case.sys, case.q, 5 * case.qd, out)
    for k in case.sys.quaternion["q"]:
        assert np.linalg.norm(out[k:k + 4]) == pytest.approx(1.0, abs=10 * EPS)
    move(case.sys, out, -5 * case.qd, back)
    assert np.abs(back - case.q).max() <= 20 * EPS * np.abs(5 * case.qd).max()


def test_accelerations_are_the_derivative_of_rates(case):
    """Along q(t) moved by h qd + h²/2 qdd, with the rates qd + h qdd."""
    qdd = np.random.default_rng(4).normal(size=case.n_v)
    h, out, ends = np.cbrt(EPS), np.zeros_like(case.q), []
    for s in (h, -h):
        q, qdot = np.zeros_like(case.q), np.zeros_like(case.q)
        move(case.sys, case.q, s * case.qd + 0.5 * s * s * qdd, q)
        eval_coordinate_rates(case.sys, q, case.qd + s * qdd, qdot)
        ends.append(qdot)
    eval_coordinate_accelerations(case.sys, case.q, case.qd, qdd, out)
    size = (1 + np.abs(case.qd).max() + np.abs(qdd).max()) ** 3
    assert np.abs((ends[0] - ends[1]) / (2 * h) - out).max() <= 10 * EPS ** (2 / 3) * size


def test_normalise_gives_length_one_and_touches_nothing_else(case):
    q = 3.0 * case.q
    normalise(case.sys, q)
    quaternions = np.concatenate([np.arange(k, k + 4) for k in case.sys.quaternion["q"]])
    others = np.setdiff1d(np.arange(len(q)), quaternions)
    assert np.abs(q[quaternions] - case.q[quaternions]).max() <= 4 * EPS
    assert np.array_equal(q[others], 3.0 * case.q[others])
