"""LU factors in place against NumPy."""

import numpy as np
import pytest

from dalembert.codes import Status
from dalembert.kernels.algebra.dense import factor_lu, solve_lu

EPS = np.finfo(float).eps


def solved(A, b):
    """Return the status and the solution of A x = b."""
    A, x, pivot = A.copy(), b.copy(), np.zeros(len(A), np.int64)
    status = factor_lu(A, pivot)
    if status == Status.OK:
        solve_lu(A, pivot, x)
    return status, x


@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_solution_is_numpys(n, seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    status, x = solved(A, b)
    assert status == Status.OK
    assert np.abs(x - np.linalg.solve(A, b)).max() <= 10 * n * EPS * np.linalg.cond(A) * np.abs(x).max()


def test_a_permutation_needs_every_exchange():
    A, b = np.eye(6)[[5, 0, 4, 1, 3, 2]], np.arange(6.0)
    status, x = solved(A, b)
    assert status == Status.OK
    assert np.array_equal(A @ x, b)


def test_growth_is_held_by_pivots():
    """A tiny leading pivot does not spoil the solution."""
    A, b = np.array([[1e-20, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0])
    assert np.abs(solved(A, b)[1] - 1.0).max() <= 4 * EPS


@pytest.mark.parametrize("A", [np.zeros((3, 3)), np.ones((3, 3)), np.full((2, 2), np.nan)], ids=["zero", "ones", "nan"])
def test_a_singular_matrix_is_told(A):
    assert solved(A, np.ones(len(A)))[0] == Status.SINGULAR


def test_no_unknowns():
    assert solved(np.zeros((0, 0)), np.zeros(0))[0] == Status.OK
