"""Tuples of 3 and 9 numbers against NumPy's vectors and matrices."""

import numpy as np
import pytest

from dalembert.kernels.algebra import small

EPS = np.finfo(float).eps
RNG = np.random.default_rng(1)
A, B = RNG.normal(size=3), RNG.normal(size=3)
M, N = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
S = M + M.T
PACKED = S[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def flat(x):
    """Return a vector or matrix as the kernels take it."""
    return tuple(np.ravel(x))


def close(found, expected, scale=10.0):
    """Assert equality up to rounding of products of a few numbers of size `scale`."""
    assert np.abs(np.array(found) - np.ravel(expected)).max() <= 20 * EPS * scale


CASES = {
    "add3": ((A, B), A + B),
    "sub3": ((A, B), A - B),
    "neg3": ((A,), -A),
    "cross": ((A, B), np.cross(A, B)),
    "mul33_vec": ((M, A), M @ A),
    "tmul33_vec": ((M, A), M.T @ A),
    "sym_vec": ((PACKED, A), S @ A),
    "mul33": ((M, N), M @ N),
    "tmul33": ((M, N), M.T @ N),
}


@pytest.mark.parametrize("name", CASES)
def test_products_are_numpys(name):
    args, expected = CASES[name]
    close(getattr(small, name)(*map(flat, args)), expected, 10 * (1 + np.abs(expected).max()))


def test_scalars_times_vectors():
    close(small.scale3(flat(A), 2.5), 2.5 * A)
    close(small.axpy3(2.5, flat(A), flat(B)), 2.5 * A + B)
    assert small.dot3(flat(A), flat(B)) == pytest.approx(A @ B, abs=10 * EPS)


@pytest.mark.parametrize("n", [3, 9])
def test_what_is_stored_is_loaded(n):
    row, x = np.zeros(n), tuple(RNG.normal(size=n))
    getattr(small, f"store{n}")(row, x)
    assert getattr(small, f"load{n}")(row) == x
