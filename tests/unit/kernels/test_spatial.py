"""Blocks of an articulated inertia against dense 6x6 matrices."""

import numpy as np

from dalembert.kernels import spatial

EPS = np.finfo(float).eps
SYMMETRIC = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])


def symmetric(rng):
    """Return a random symmetric matrix."""
    A = rng.normal(size=(3, 3))
    return A + A.T



def test_tilde_is_the_cross_product():
    rng = np.random.default_rng(2)
    d, x = rng.normal(size=3), rng.normal(size=3)
    T = np.reshape(spatial.tilde(tuple(d)), (3, 3))
    assert np.abs(T @ x - np.cross(d, x)).max() <= 4 * EPS * np.linalg.norm(d) * np.linalg.norm(x)
    assert np.array_equal(T, -T.T)


def test_sums_are_by_component():
    rng = np.random.default_rng(3)
    for n, add in ((6, spatial.add6), (9, spatial.add9)):
        a, b = rng.normal(size=n), rng.normal(size=n)
        assert np.array_equal(add(tuple(a), tuple(b)), a + b)


def test_rank_one_updates_remove_a_direction():
    """A - U Uᵀ/D with U = A s, D = sᵀ A s has s in its kernel."""
    rng = np.random.default_rng(4)
    G = rng.normal(size=(6, 6))
    A = G @ G.T
    s = rng.normal(size=6)
    U = A @ s
    g = U / (s @ U)
    J, H, M = A[:3, :3], A[:3, 3:], A[3:, 3:]
    J = spatial.downdated_sym(tuple(J[SYMMETRIC]), tuple(U[:3]), tuple(g[:3]))
    H = spatial.downdated(tuple(H.ravel()), tuple(U[:3]), tuple(g[3:]))
    M = spatial.downdated_sym(tuple(M[SYMMETRIC]), tuple(U[3:]), tuple(g[3:]))
    full = np.zeros((6, 6))
    full[:3, :3][SYMMETRIC] = J
    full[3:, 3:][SYMMETRIC] = M
    full[:3, 3:] = np.reshape(H, (3, 3))
    full = np.triu(full) + np.triu(full, 1).T
    assert np.abs(full - (A - np.outer(U, g))).max() <= 10 * EPS * np.abs(A).max()
    assert np.abs(full @ s).max() <= 100 * EPS * np.abs(A).max() * np.linalg.norm(s)


def test_shift_is_the_congruence_with_the_velocity_shift():
    """(al, a) of a point d away is X (al, a) with X = [[1, 0], [-d~, 1]]; inertia moves by Xᵀ A X."""
    rng = np.random.default_rng(5)
    J, M, H, d = symmetric(rng), symmetric(rng), rng.normal(size=(3, 3)), rng.normal(size=3)
    A = np.block([[J, H], [H.T, M]])
    D = np.reshape(spatial.tilde(tuple(d)), (3, 3))
    X = np.block([[np.eye(3), np.zeros((3, 3))], [-D, np.eye(3)]])
    expected = X.T @ A @ X
    DM = spatial.tilde_sym(tuple(d), tuple(M[SYMMETRIC]))
    G = spatial.add9(tuple(H.ravel()), DM)
    moved = spatial.shifted_inertia(tuple(J[SYMMETRIC]), tuple(H.ravel()), G, tuple(d))
    tolerance = 20 * EPS * np.abs(A).max() * (1 + d @ d)
    assert np.abs(np.reshape(DM, (3, 3)) - D @ M).max() <= tolerance
    assert np.abs(np.reshape(G, (3, 3)) - expected[:3, 3:]).max() <= tolerance
    assert np.abs(np.array(moved) - expected[:3, :3][SYMMETRIC]).max() <= tolerance
