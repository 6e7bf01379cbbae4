"""Cosines and sines of many angles against the standard library, which rounds correctly to half a unit or so."""

import numpy as np
import pytest

from dalembert.kernels.algebra.turns import FARTHEST, eval_turns

EPS = np.finfo(float).eps
DIFFERENCE = 1.5 * EPS
"""2⁻⁵² of the kernel and half of it of the library."""


def turns(x):
    """Return cosines and sines of the kernel."""
    cosine, sine = np.zeros_like(x), np.zeros_like(x)
    eval_turns(x, cosine, sine)
    return cosine, sine


@pytest.mark.parametrize("size", [1.0, 10.0, 1e3, FARTHEST, 1e12])
def test_cosine_and_sine_are_exact_to_rounding(size):
    x = np.random.default_rng(1).uniform(-size, size, 1003)
    cosine, sine = turns(x)
    assert np.abs(cosine - np.cos(x)).max() <= DIFFERENCE
    assert np.abs(sine - np.sin(x)).max() <= DIFFERENCE


def test_quarters_of_a_turn_keep_their_signs():
    """Around multiples of pi/4 the octant changes, and small values keep their digits."""
    nearest = np.arange(-40, 41) * (np.pi / 4)
    for x in (nearest, np.nextafter(nearest, 1e9), np.nextafter(nearest, -1e9)):
        cosine, sine = turns(x)
        assert np.all(np.abs(cosine - np.cos(x)) <= 4 * EPS * np.abs(np.cos(x)))
        assert np.all(np.abs(sine - np.sin(x)) <= 4 * EPS * np.abs(np.sin(x)))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 31])
def test_every_place_of_any_length_is_filled(n):
    x = np.linspace(-3.0, 3.0, n)
    cosine, sine = turns(x)
    assert np.abs(cosine**2 + sine**2 - 1).max(initial=0.0) <= 4 * EPS
    assert np.abs(np.arctan2(sine, cosine) - x).max(initial=0.0) <= 4 * EPS


def test_what_is_no_angle_has_no_cosine():
    with np.errstate(invalid="ignore"):
        cosine, sine = turns(np.array([np.nan, 0.5]))
    assert np.isnan(cosine[0]) and np.isnan(sine[0])
    assert cosine[1] == pytest.approx(np.cos(0.5), abs=DIFFERENCE)
