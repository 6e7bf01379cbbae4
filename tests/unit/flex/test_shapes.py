"""Shape functions and quadrature: identities of every kind."""

from itertools import product
from math import factorial

import numpy as np
import pytest

from dalembert.flex.shapes import KINDS, gauss_rule, shape_of, simplex_rule

EPS = float(np.finfo(float).eps)


@pytest.mark.parametrize("kind", KINDS)
def test_each_function_is_one_at_its_node(kind):
    s = shape_of(kind)
    assert np.abs(s.values(s.nodes) - np.eye(len(s.nodes))).max() <= 100 * EPS


@pytest.mark.parametrize("kind", KINDS)
def test_functions_reproduce_linear_fields_and_their_gradients(kind):
    s = shape_of(kind)
    points = np.random.default_rng(0).uniform(0, 0.3, (5, s.dim))
    c = np.arange(1.0, s.dim + 1)
    assert np.abs(s.values(points) @ (2 + s.nodes @ c) - 2 - points @ c).max() <= 1000 * EPS
    assert np.abs(np.einsum("qkb,k->qb", s.gradients(points), 2 + s.nodes @ c) - c).max() <= 1000 * EPS


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_differences_of_values(kind):
    s, h = shape_of(kind), 1e-6
    x = np.full((1, s.dim), 0.21)
    for b in range(s.dim):
        e = h * np.eye(s.dim)[b]
        difference = (s.values(x + e) - s.values(x - e)) / (2 * h)
        assert np.abs(s.gradients(x)[..., b] - difference).max() <= 100 * EPS / h


@pytest.mark.parametrize("dim, n", [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)])
def test_simplex_rule_is_exact(dim, n):
    """∫ x^a y^b z^c = a! b! c! / (a + b + c + dim)! up to total degree 2 n - 1."""
    points, weights = simplex_rule(dim, n)
    for e in product(range(2 * n), repeat=dim):
        if sum(e) <= 2 * n - 1:
            exact = np.prod([factorial(i) for i in e]) / factorial(sum(e) + dim)
            assert weights @ np.prod(points ** np.array(e), axis=1) == pytest.approx(exact, rel=1000 * EPS)


@pytest.mark.parametrize("kind", ["t3", "t6", "t4", "t10"])
def test_symmetric_rules_are_of_second_degree(kind):
    s = shape_of(kind)
    points, weights = s.mass_rule if kind in ("t3", "t4") else s.rule
    for e in product(range(3), repeat=s.dim):
        if sum(e) <= 2:
            exact = np.prod([factorial(i) for i in e]) / factorial(sum(e) + s.dim)
            assert weights @ np.prod(points ** np.array(e), axis=1) == pytest.approx(exact, rel=1000 * EPS)


@pytest.mark.parametrize("n", [2, 3])
def test_gauss_rule_is_exact(n):
    points, weights = gauss_rule(3, n)
    for e in product(range(2 * n), repeat=3):
        exact = np.prod([0.0 if i % 2 else 2 / (i + 1) for i in e])
        assert weights @ np.prod(points ** np.array(e), axis=1) == pytest.approx(exact, abs=1000 * EPS)


@pytest.mark.parametrize("kind", KINDS)
def test_extrapolation_keeps_what_it_can_represent(kind):
    """Constants for all, linear fields where there are points enough."""
    s = shape_of(kind)
    assert np.abs(s.extrapolation.sum(axis=1) - 1).max() <= 1000 * EPS
    if len(s.rule[0]) > 1:
        assert np.abs(s.extrapolation @ s.rule[0] - s.nodes).max() <= 1000 * EPS
