"""Rotations: orthogonality, quaternions there and back, the exponential and its tangent."""

import numpy as np
import pytest

from dalembert.kernels.algebra import rotation as rot

EPS = np.finfo(float).eps
ANGLES = (0.0, 1e-12, 1e-7, 0.99e-4, 1.01e-4, 1e-3, 0.1, 1.0, 2.5, np.pi - 1e-3, np.pi - 1e-7, np.pi)
IDENTITY = tuple(np.eye(3).ravel())


def unit(seed):
    """Return a random direction."""
    a = np.random.default_rng(seed).normal(size=3)
    return a / np.linalg.norm(a)


AXES = [*np.eye(3), *(unit(seed) for seed in range(3))]


def exponential(th):
    """Return the matrix of a rotation vector by its power series: exp of the skew matrix."""
    K = np.array([[0, -th[2], th[1]], [th[2], 0, -th[0]], [-th[1], th[0], 0]])
    term, total = np.eye(3), np.eye(3)
    for k in range(1, 40):
        term = term @ K / k
        total = total + term
    return total


def matrix(e):
    """Return the matrix of a quaternion as the kernel makes it."""
    return np.reshape(rot.matrix_of_quaternion(tuple(e)), (3, 3))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_a_quaternion_of_any_length_gives_an_orthogonal_matrix(seed, length):
    e = length * np.random.default_rng(seed).normal(size=4)
    R = matrix(e)
    assert np.abs(R.T @ R - np.eye(3)).max() <= 10 * EPS
    assert np.linalg.det(R) == pytest.approx(1.0, abs=10 * EPS)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_by_quaternion_is_the_power_series(axis, angle):
    th = angle * axis
    R = matrix(rot.quaternion_of_vector(tuple(th)))
    assert np.abs(R - exponential(th)).max() <= 50 * EPS  # the series adds terms up to pi^3/6


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_matrix_to_quaternion_and_back(axis, angle):
    R = matrix(rot.quaternion_of_vector(tuple(angle * axis)))
    e = rot.quaternion_of_matrix(tuple(R.ravel()))
    assert np.linalg.norm(e) == pytest.approx(1.0, abs=10 * EPS)
    assert np.abs(matrix(e) - R).max() <= 10 * EPS


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vector_there_and_back(axis, angle):
    """Also near 0 and near pi, where the sign of the axis is free at pi itself."""
    R = matrix(rot.quaternion_of_vector(tuple(angle * axis)))
    th = np.array(rot.vector_of_matrix(tuple(R.ravel())))
    assert np.linalg.norm(th) <= np.pi * (1 + 2 * EPS)
    error = np.abs(th - angle * axis).max()
    if angle > np.pi - 1e-6:
        error = min(error, np.abs(th + angle * axis).max() + 2 * (np.pi - angle))
    assert error <= 20 * EPS


@pytest.mark.parametrize("seed", range(3))
def test_the_product_of_quaternions_is_that_of_their_matrices(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=4), rng.normal(size=4)
    assert np.abs(matrix(rot.multiplied(tuple(a), tuple(b))) - matrix(a) @ matrix(b)).max() <= 20 * EPS


def test_rotated_z_is_a_turn_about_the_local_z():
    R = matrix(np.random.default_rng(7).normal(size=4))
    columns = tuple((*column, 0.0) for column in R.T.tolist())
    turned = np.array(rot.rotated_z(columns, np.cos(0.8), np.sin(0.8)))
    assert np.array_equal(turned[:, 3], np.zeros(3))
    assert np.abs(turned[:, :3].T - R @ exponential(np.array([0, 0, 0.8]))).max() <= 10 * EPS


def test_quaternion_rate_is_the_derivative_of_a_turning_quaternion():
    """e(t) = exp(w t) e has the rate ½ (0, w) e at t = 0; central difference, error (h²/6 + eps/h)."""
    rng = np.random.default_rng(8)
    e, w, h = rng.normal(size=4), rng.normal(size=3), np.cbrt(EPS)
    ends = [np.array(rot.multiplied(rot.quaternion_of_vector(tuple(s * h * w)), tuple(e))) for s in (1, -1)]
    slope = (ends[0] - ends[1]) / (2 * h)
    size = np.linalg.norm(e) * (1 + np.linalg.norm(w)) ** 3
    assert np.abs(rot.quaternion_rate(tuple(e), tuple(w)) - slope).max() <= 2 * EPS ** (2 / 3) * size


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_tangent_is_the_derivative_of_the_exponential(axis, angle):
    """exp(th + x) exp(th)^-1 = exp(T x) to first order; central difference over a step of cbrt(eps)."""
    th, x, h = angle * axis, unit(11), np.cbrt(EPS)
    ahead, behind = exponential(th + h * x), exponential(th - h * x)
    W = (ahead - behind) / (2 * h) @ exponential(th).T
    slope = 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])
    assert np.abs(rot.tangent_vec(tuple(th), tuple(x)) - slope).max() <= 50 * EPS ** (2 / 3)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_inverse_tangent_is_the_inverse(axis, angle):
    """To rounding at every angle up to pi: there |T| <= 1 and |T^-1| <= pi/2."""
    th, x = tuple(angle * axis), unit(12)
    there = rot.tangent_vec(th, tuple(x))
    assert np.abs(np.array(rot.inverse_tangent_vec(th, there)) - x).max() <= 20 * EPS
    back = rot.inverse_tangent_vec(th, tuple(x))
    assert np.abs(np.array(rot.tangent_vec(th, back)) - x).max() <= 20 * EPS


def test_tangent_keeps_the_axis():
    th = 2.0 * unit(13)
    assert np.abs(np.array(rot.tangent_vec(tuple(th), tuple(th))) - th).max() <= 10 * EPS
    assert np.abs(np.array(rot.inverse_tangent_vec(tuple(th), tuple(th))) - th).max() <= 10 * EPS


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-3, 0.0999, 0.1001, 1.0, 3.0])
def test_matrix_of_the_inverse_tangent(axis, angle):
    th, x = tuple(angle * axis), (0.3, -0.7, 0.5)
    H = np.reshape(rot.inverse_tangent_matrix(th, rot.inverse_tangent_factors(th)[0]), (3, 3))
    assert H @ x == pytest.approx(np.array(rot.inverse_tangent_vec(th, x)), abs=20 * EPS)
    assert H @ rot.tangent_vec(th, x) == pytest.approx(np.array(x), abs=50 * EPS)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-3, 0.0999, 0.1001, 1.0, 3.0])
def test_variation_of_the_inverse_tangent_is_its_slope(axis, angle):
    th, x, dth, h = angle * axis, (0.3, -0.7, 0.5), np.array([0.4, 0.2, -0.9]), 1e-4

    def slope(h):
        ahead, back = (np.array(rot.inverse_tangent_vec(tuple(th + s * h * dth), x)) for s in (1, -1))
        return (ahead - back) / (2 * h)

    found = rot.vary_inverse_tangent(tuple(th), rot.inverse_tangent_factors(tuple(th)), x, tuple(dth))
    bound = np.abs(slope(h) - slope(2 * h)).max() + 100 * EPS / h
    assert found == pytest.approx((4 * slope(h) - slope(2 * h)) / 3, abs=bound)
