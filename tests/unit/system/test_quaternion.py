"""Quaternions of many frames at once, and the balls that turn the other way round."""

import numpy as np
import pytest
from random_models import random_rotation

from dalembert.system.layout import JointEntry, Layout
from dalembert.system.quaternion import quaternions_of, rotations_of
from dalembert.system.reverse import swap, swap_efforts

EPS = np.finfo(float).eps
NAMES = ("qw", "qx", "qy", "qz")
LAYOUT = Layout("m", ("ground", "a"), (), (JointEntry("j", "spherical", 1, 0, 4, 0, 3, NAMES, True, "a", "ground"),),
                (), (), 4, 3)


def half_turns():
    """Return rotations by pi about axes of all signs, the hardest for quaternions."""
    axes = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 2], [-3, 1, 1]], float)
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return 2 * axes[:, :, None] * axes[:, None, :] - np.eye(3)


def test_there_and_back():
    rng = np.random.default_rng(1)
    R = np.concatenate([[np.eye(3)], half_turns(), [random_rotation(rng) for _ in range(50)]])
    e = quaternions_of(R)
    assert np.abs(np.linalg.norm(e, axis=1) - 1).max() <= 10 * EPS
    assert np.all(e[:, 0] >= 0)
    assert np.abs(rotations_of(e) - R).max() <= 20 * EPS
    assert quaternions_of(np.zeros((0, 3, 3))).shape == (0, 4)


def frames(seed, n=5):
    """Return random unit quaternions, rates and accelerations."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None], rng.normal(size=(n, 3)), rng.normal(size=(n, 3))


def test_swap_is_its_own_inverse():
    q, qd, qdd = frames(2)
    again = [a.copy() for a in (q, qd, qdd)]
    swap(LAYOUT, *again)
    swap(LAYOUT, *again)
    for a, b in zip((q, qd, qdd), again, strict=True):
        assert np.abs(a - b).max() <= 20 * EPS


def test_swap_inverts_the_rotation_and_its_velocity():
    """R' = R^T, and w' in the other axes is minus w seen from there."""
    q, qd, qdd = frames(3)
    other, w, wd = q.copy(), qd.copy(), qdd.copy()
    swap(LAYOUT, other, w, wd)
    R = rotations_of(q)
    assert np.abs(rotations_of(other) - np.swapaxes(R, 1, 2)).max() <= 10 * EPS
    assert w == pytest.approx(-np.einsum("fba,fb->fa", R, qd), abs=10 * EPS)


def test_efforts_keep_their_power():
    q, qd, _ = frames(4)
    effort = np.random.default_rng(5).normal(size=qd.shape)
    user_q, user_qd, ignored = q.copy(), qd.copy(), np.zeros_like(qd)
    swap(LAYOUT, user_q, user_qd, ignored)
    user = effort.copy()
    swap_efforts(LAYOUT, q, user)
    assert (user * user_qd).sum(axis=1) == pytest.approx((effort * qd).sum(axis=1), abs=20 * EPS)
