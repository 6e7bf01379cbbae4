"""Sparse symmetric systems: pattern, factorization, solution and product against dense algebra."""

import numpy as np
import pytest

from dalembert.kernels.algebra.sparse import factor_sparse, make_factors, make_values, multiply_sparse, solve_sparse
from dalembert.system.pattern import ZEROS, build_pattern

EPS = np.finfo(float).eps


def random_matrix(rng, n, pairs):
    """Return a pattern, its factors with a positive definite matrix, and the matrix dense."""
    i, j = rng.integers(0, n, (2, pairs))
    pattern, place = build_pattern(n, i, j, np.arange(n) // 3)
    factors, dense = make_factors(pattern), np.zeros((n, n))
    for a, b, p in zip(i, j, place, strict=True):
        x = rng.normal()
        factors.A[p] += x
        dense[a, b] += x
        if a != b:
            dense[b, a] += x
    shift = np.abs(dense).sum(axis=1).max() + 1
    factors.A[pattern.diagonal] += shift
    return pattern, factors, dense + shift * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_solution_and_product_are_those_of_the_dense_matrix(n):
    rng = np.random.default_rng(n)
    pattern, factors, A = random_matrix(rng, n, 3 * n)
    b, x, y = rng.normal(size=n), np.zeros(n), np.zeros(n)
    assert factor_sparse(pattern, factors) == -1
    solve_sparse(pattern, factors, b, x)
    tolerance = 10 * n * EPS * np.abs(A).max()
    assert np.max(np.abs(A @ x - b)) <= tolerance * np.abs(x).max()
    multiply_sparse(pattern, factors.A, x, y)
    assert np.max(np.abs(A @ x - y)) <= tolerance * np.abs(x).max()


def test_a_chain_of_blocks_fills_no_more_than_its_neighbours():
    """Twelve unknowns per body, each coupled with the next: the factor holds one block per joint and a triangle per body."""
    bodies, size = 30, 12
    i, j = [], []
    for k in range(bodies - 1):
        block = np.arange(size * k, size * (k + 2))
        a, b = np.meshgrid(block, block)
        i.append(a.ravel())
        j.append(b.ravel())
    pattern, _ = build_pattern(bodies * size, np.concatenate(i), np.concatenate(j), np.arange(bodies * size) // size)
    width, rows = np.diff(pattern.first), np.diff(pattern.row_first)
    blocks = bodies * size * (size + 1) // 2 + (bodies - 1) * size**2
    assert blocks <= np.sum(width * (width + 1) // 2 + width * rows) <= blocks / (1 - ZEROS)


def test_unknowns_that_all_meet_are_one_node():
    n = 20
    i, j = np.triu_indices(n)
    pattern, _ = build_pattern(n, i, j, np.arange(n))
    assert list(pattern.first) == [0, n]
    assert len(pattern.row) == len(pattern.target) == 0


def test_pairs_that_belong_nowhere_share_the_last_place():
    pattern, place = build_pattern(3, [0, -1, 1], [1, 2, -5], [0, 1, 2])
    assert list(place[1:]) == [len(make_values(pattern)) - 1] * 2


def test_a_singular_matrix_tells_its_unknown():
    pattern, place = build_pattern(2, [0, 0, 1], [0, 1, 1], [0, 1])
    factors = make_factors(pattern)
    factors.A[place] = 1.0, 1.0, 1.0
    assert factor_sparse(pattern, factors) in (0, 1)
