"""Blocks of an articulated inertia against dense 6x6 matrices."""

import numpy as np
import pytest

from dalembert.kernels.algebra import spatial
from dalembert.kernels.tables import BODY_WORK

EPS = np.finfo(float).eps


def padded(x):
    """Return a vector as a quad, a matrix as the quads of its rows."""
    if np.ndim(x) == 1:
        return (*np.asarray(x).tolist(), 0.0)
    return tuple(padded(row) for row in x)


def blocks(A):
    """Return J, H, M of a 6x6 matrix."""
    return padded(A[:3, :3]), padded(A[:3, 3:]), padded(A[3:, 3:])


def dense(J, H, M):
    """Return the 6x6 matrix of the blocks."""
    J, H, M = (np.array(block)[:, :3] for block in (J, H, M))
    return np.block([[J, H], [H.T, M]])


@pytest.fixture
def inertia():
    """Return a random positive definite matrix."""
    G = np.random.default_rng(4).normal(size=(6, 6))
    return G @ G.T


def test_the_wrench_of_accelerations_is_the_product(inertia):
    x = np.random.default_rng(3).normal(size=6)
    n, f = spatial.inertia_vec(*blocks(inertia), padded(x[:3]), padded(x[3:]))
    assert np.abs(np.r_[n[:3], f[:3]] - inertia @ x).max() <= 20 * EPS * np.abs(inertia).max() * np.linalg.norm(x)
    assert n[3] == f[3] == 0.0


def test_rank_one_updates_remove_a_direction(inertia):
    """A - U Uᵀ/D with U = A s, D = sᵀ A s has s in its kernel."""
    s = np.random.default_rng(5).normal(size=6)
    U = inertia @ s
    D = s @ U
    left = dense(*spatial.downdated_inertia(*blocks(inertia), padded(U[:3]), padded(U[3:]), 1 / D))
    assert np.abs(left - (inertia - np.outer(U, U) / D)).max() <= 10 * EPS * np.abs(inertia).max()
    assert np.abs(left @ s).max() <= 100 * EPS * np.abs(inertia).max() * np.linalg.norm(s)


def test_shift_is_the_congruence_with_the_velocity_shift(inertia):
    """(al, a) of a point d away is X (al, a) with X = [[1, 0], [-d~, 1]]; inertia moves by Xᵀ A X."""
    d = np.random.default_rng(6).normal(size=3)
    X = np.eye(6)
    X[3:, :3] = -np.cross(d, np.eye(3)).T
    moved = dense(*spatial.shifted_inertia(*blocks(inertia), padded(d)))
    assert np.abs(moved - X.T @ inertia @ X).max() <= 20 * EPS * np.abs(inertia).max() * (1 + d @ d)


def test_inertias_add_up_in_a_row(inertia):
    row = np.zeros(1, BODY_WORK)[0]
    for _ in range(2):
        spatial.add_inertia(row, *blocks(inertia))
    assert np.array_equal(dense(*spatial.load_inertia(row)), 2 * inertia)
