"""Sparse Cholesky factors and block Lanczos against dense LAPACK and ARPACK."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array, eye_array, kron
from scipy.sparse.linalg import eigsh

from dalembert.flex.lowest_modes import lowest_modes, signed
from dalembert.flex.sparse_cholesky import LEAF, SparseCholesky, dissect

EPS = np.finfo(float).eps


def grid(*counts, width=1):
    """Laplacian of a grid of points with some unknowns each, and the points."""
    total, n = csr_array((1, 1)), 1
    for count in counts:
        line = diags_array([-np.ones(count - 1), 2.1 * np.ones(count), -np.ones(count - 1)], offsets=[-1, 0, 1])
        total = kron(total, eye_array(count)) + kron(eye_array(n), line)
        n *= count
    places = np.stack(np.meshgrid(*(np.arange(c, dtype=float) for c in counts), indexing="ij"), -1).reshape(n, -1)
    places = np.hstack([places, np.zeros((n, 3 - places.shape[1]))])
    block = np.eye(width) + 0.1
    return csr_array(kron(total, block)), np.repeat(places, width, axis=0)


@pytest.mark.parametrize("counts, width", [((7,), 1), ((90,), 6), ((20, 15), 2), ((6, 7, 6), 3), ((20, 3, 3), 3)])
def test_solves(counts, width):
    matrix, places = grid(*counts, width=width)
    factor = SparseCholesky(matrix, places)
    load = np.random.default_rng(0).standard_normal((matrix.shape[0], 5))
    dense = matrix.toarray()
    tolerance = 100 * EPS * np.linalg.cond(dense) * np.abs(load).max()
    expected = np.linalg.solve(dense, load)
    assert np.abs(factor.solve(load) - expected).max() < tolerance
    assert np.abs(factor.solve(load[:, 0]) - expected[:, 0]).max() < tolerance


@pytest.mark.parametrize("counts, width, removed", [((90,), 6, (45,)), ((90,), 6, (30, 60)), ((30, 12), 2, (15,)),
                                                    ((20, 5, 5), 3, (0, 10, 19))])
def test_solves_what_falls_apart(counts, width, removed):
    """An interface across a body takes a plane of unknowns away: the rest are parts without couplings."""
    matrix, places = grid(*counts, width=width)
    kept = np.flatnonzero(~np.isin(places[:, 0], removed))
    matrix, places = matrix[kept][:, kept], places[kept]
    load, dense = np.random.default_rng(0).standard_normal((kept.size, 3)), matrix.toarray()
    tolerance = 100 * EPS * np.linalg.cond(dense) * np.abs(load).max()
    assert np.abs(SparseCholesky(matrix, places).solve(load) - np.linalg.solve(dense, load)).max() < tolerance


def test_pieces_are_a_partition_without_couplings_across():
    matrix, places = grid(20, 15, width=2)
    pieces = dissect(matrix, places)
    order = np.concatenate([piece for piece, _ in pieces])
    assert np.array_equal(np.sort(order), np.arange(matrix.shape[0]))
    below = {}  # all unknowns of a subtree
    for k, (piece, children) in enumerate(pieces):
        below[k] = np.concatenate([piece, *(below[c] for c in children)])
        if len(children) == 2:
            first, second = (below[c] for c in children)
            assert matrix[first][:, second].nnz == 0


def test_fill_grows_like_nested_dissection():
    """In the plane, factors grow as n log n, not as n^1.5 like bands: 16 times the unknowns cost far less than 64 times."""
    small, large = (SparseCholesky(*grid(n, n)).entries for n in (24, 96))
    assert large < 16 * 2.5 * small


def test_cliques_may_be_cut():
    """An averaged interface couples all its nodes."""
    matrix, places = grid(60, 4)
    members = np.flatnonzero(places[:, 0] < 30)[::3]
    v = np.zeros((matrix.shape[0], 1))
    v[members] = 1.0
    matrix = csr_array(matrix + csr_array(v @ v.T))
    load = np.ones(matrix.shape[0])
    assert np.abs(matrix @ SparseCholesky(matrix, places).solve(load) - load).max() < 1e4 * EPS * len(members)


def test_one_place_for_all_unknowns():
    rng = np.random.default_rng(3)
    a = rng.standard_normal((2 * LEAF, 2 * LEAF))
    matrix = csr_array(a @ a.T + 2 * LEAF * np.eye(2 * LEAF))
    load = np.ones(2 * LEAF)
    assert np.abs(matrix @ SparseCholesky(matrix, np.zeros((2 * LEAF, 3))).solve(load) - load).max() < 1e4 * EPS


def test_an_indefinite_matrix_tells_its_row():
    matrix, places = grid(30, 20)
    bad = matrix.tolil()
    bad[123, 123] = -1.0
    with pytest.raises(np.linalg.LinAlgError) as error:
        SparseCholesky(csr_array(bad), places)
    assert 0 <= error.value.args[1] < matrix.shape[0]


def test_no_unknowns():
    assert SparseCholesky(csr_array((0, 0)), np.zeros((0, 3))).solve(np.zeros((0, 4))).size == 0


@pytest.mark.parametrize("counts", [(12, 11, 10), (30, 30)])
def test_lowest_modes_agree_with_arpack(counts):
    """A square plate has double eigenvalues."""
    matrix, places = grid(*counts)
    rng = np.random.default_rng(0)
    mass = diags_array(rng.uniform(0.5, 2.0, matrix.shape[0])) if counts[0] != counts[1] else eye_array(matrix.shape[0])
    mass = csr_array(mass)
    values, modes = lowest_modes(SparseCholesky(matrix, places).solve, matrix, mass, 12)
    expected = np.sort(eigsh(matrix, 12, M=mass, sigma=0, return_eigenvectors=False))
    assert values == pytest.approx(expected, rel=1e-12)  # rounding of both
    assert np.abs(modes.T @ (mass @ modes) - np.eye(12)).max() < 1e-10  # orthogonal to rounding of the iteration
    residual = matrix @ modes - (mass @ modes) * values
    assert np.abs(residual).max() < 1e-8 * np.abs(matrix).max()  # tolerance of modes times the condition of K


@pytest.mark.parametrize("counts", [(20, 15), (4, 3)])
def test_a_shift_makes_free_models_definite(counts):
    """Loose graphs: the lowest eigenvalue is zero, iterated or solved densely."""
    matrix, places = grid(*counts)
    matrix = csr_array(matrix - diags_array(np.asarray(matrix.sum(axis=1)).ravel()))
    mass, shift = csr_array(eye_array(matrix.shape[0])), 0.1
    values, _ = lowest_modes(SparseCholesky(matrix + shift * mass, places).solve, matrix, mass, 4, shift=shift)
    expected = eigh(matrix.toarray(), eigvals_only=True)[:4]
    assert np.abs(values - expected).max() < 100 * EPS * np.abs(matrix).max()


def test_small_models_are_solved_densely():
    matrix, places = grid(5, 4)
    values, modes = lowest_modes(SparseCholesky(matrix, places).solve, matrix, csr_array(eye_array(20)), 20)
    assert values == pytest.approx(eigh(matrix.toarray(), eigvals_only=True), rel=1e-12)
    assert np.array_equal(modes, signed(modes))


def test_signs_are_fixed():
    modes = np.array([[0.5, -2.0], [-1.0, 1.0]])
    assert np.array_equal(signed(modes), signed(-modes))
    assert np.array_equal(signed(modes), [[-0.5, 2.0], [1.0, -1.0]])


@pytest.mark.parametrize("bay, bays, count", [(8, 80, 20), (6, 200, 30), (40, 24, 9)])
def test_a_frequency_of_many_equal_parts_is_found_as_often_as_it_occurs(bay, bays, count):
    """Equal bays between interfaces vibrate alike: one eigenvalue, more often than a block has vectors."""
    line, _ = grid(bay)
    matrix = csr_array(kron(eye_array(bays), line))
    places = np.column_stack([np.arange(float(bay * bays)), np.zeros((bay * bays, 2))])
    values, modes = lowest_modes(SparseCholesky(matrix, places).solve, matrix, csr_array(eye_array(bay * bays)), count)
    assert values == pytest.approx(np.full(count, eigh(line.toarray(), eigvals_only=True)[0]), rel=1e-12)  # rounding
    assert np.abs(modes.T @ modes - np.eye(count)).max() < 1e-10  # orthogonal to rounding of the iteration
