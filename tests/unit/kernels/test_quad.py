"""Quads against NumPy's vectors and matrices; the fourth number stays zero."""

import numpy as np
import pytest

from dalembert.kernels import quad

EPS = np.finfo(float).eps
RNG = np.random.default_rng(1)
A, B = RNG.normal(size=3), RNG.normal(size=3)
M, N = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
S = M + M.T
SIX = S[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def padded(x):
    """Return a vector as a quad, a matrix as the quads of its rows."""
    if np.ndim(x) == 1:
        return (*np.asarray(x).tolist(), 0.0)
    return tuple(padded(row) for row in x)


CASES = {
    "add4": ((padded(A), padded(B)), A + B),
    "scale4": ((padded(A), 2.5), 2.5 * A),
    "axpy4": ((2.5, padded(A), padded(B)), 2.5 * A + B),
    "cross4": ((padded(A), padded(B)), np.cross(A, B)),
    "mixed": ((padded(A), padded(M)), M.T @ A),
    "add_quads": ((padded(M), padded(N)), M + N),
    "axpy_quads": ((2.5, padded(M), padded(N)), 2.5 * M + N),
    "downdated": ((padded(M), padded(A), padded(B)), M - np.outer(A, B)),
    "transposed": ((padded(M),), M.T),
    "tilde_mul": ((padded(A), padded(M)), np.cross(A, M.T).T),
    "columns_mul": ((padded(M.T), tuple(N.ravel())), (M @ N).T),
    "congruent": ((padded(M.T), tuple(SIX)), M @ S @ M.T),
}


@pytest.mark.parametrize("name", CASES)
def test_products_are_numpys(name):
    args, expected = CASES[name]
    found = np.array(getattr(quad, name)(*args))
    assert np.array_equal(found[..., 3], np.zeros(expected.shape[:-1]))
    assert np.abs(found[..., :3] - expected).max() <= 20 * EPS * (1 + np.abs(M).max()) ** 3


def test_tilde_is_the_cross_product():
    T = np.array(quad.tilde(padded(A)))[:, :3]
    assert np.abs(T @ B - np.cross(A, B)).max() <= 4 * EPS * np.linalg.norm(A) * np.linalg.norm(B)
    assert np.array_equal(T, -T.T)


def test_what_is_stored_is_loaded():
    row, rows = np.zeros(4), np.zeros(12)
    quad.store4(row, padded(A))
    assert quad.load4(row) == padded(A)
    quad.store_quads(rows, padded(M.T))
    assert quad.load_quads(rows) == padded(M.T)
    assert quad.load_columns(rows) == tuple(M.ravel())
    quad.store_quads(rows, padded(S))
    assert quad.load_symmetric(rows) == tuple(SIX)
