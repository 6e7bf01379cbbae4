"""Quads against NumPy's vectors and matrices; the fourth number stays zero."""

import numpy as np
import pytest

from dalembert.kernels.algebra import quad
from dalembert.kernels.compile.jit import kernel

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


def compiled(function, n):
    """Return a function of n arguments as kernels call it."""
    return kernel({1: lambda a: function(a), 2: lambda a, b: function(a, b), 3: lambda a, b, c: function(a, b, c)}[n])


@pytest.mark.parametrize("name", CASES)
def test_instructions_do_what_python_says(name):
    """Each sum of three products may be rounded in its own order."""
    args, _ = CASES[name]
    function = getattr(quad, name)
    found, expected = np.array(compiled(function, len(args))(*args)), np.array(getattr(function, "py_func", function)(*args))
    assert np.abs(found - expected).max() <= 20 * EPS * (1 + np.abs(M).max()) ** 3


def test_scalar_product():
    for call in (quad.dot4, compiled(quad.dot4, 2)):
        assert abs(call(padded(A), padded(B)) - A @ B) <= 4 * EPS * np.linalg.norm(A) * np.linalg.norm(B)


def test_tuples_are_taken_for_quads_and_lanes_are_numbers():
    @kernel
    def lanes(a, pick):
        x = (0.0, 0.0, 0.0, 0.0)
        if pick >= 0:
            x = quad.cross4(a, (0.0, 0.0, 1.0))
        return x[0], x[2], x[pick], x

    assert lanes(padded(A), 1) == (A[1], 0.0, -A[0], (A[1], -A[0], 0.0, 0.0))


def test_compiled_rows_are_stored_and_loaded():
    @kernel
    def exchanged(row, rows):
        x, X = quad.load4(row), quad.load_quads(rows)
        quad.store4(row, X[1])
        quad.store_quads(rows, (x, quad.tilde(X[2])[0], X[0]))

    row, rows = np.arange(1.0, 5.0), np.array([*padded(M[0]), *padded(M[1]), *padded(M[2])])
    exchanged(row, rows)
    assert np.array_equal(row, padded(M[1]))
    assert np.array_equal(rows.reshape(3, 4), [[1, 2, 3, 4], [0, -M[2, 2], M[2, 1], 0], padded(M[0])])


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
