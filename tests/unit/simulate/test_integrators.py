"""Integrators are numbers: the conditions that give them their order, and what is refused."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.simulate.choose import MOST_STAGE_RATES, choose_integrator
from dalembert.simulate.integrators import BY_NAME, DORMAND_PRINCE, RK4, TSITOURAS, tableau_arrays

EPS = np.finfo(float).eps


def order_conditions(a, b, c):
    """Return the residuals of the conditions up to order four."""
    return [b.sum() - 1, b @ c - 1 / 2, b @ c**2 - 1 / 3, b @ a @ c - 1 / 6, b @ c**3 - 1 / 4, (b * c) @ a @ c - 1 / 8,
            b @ a @ c**2 - 1 / 12, b @ a @ a @ c - 1 / 24]


@pytest.mark.parametrize("method", [RK4, DORMAND_PRINCE, TSITOURAS], ids=lambda m: m.name)
def test_tableaus_satisfy_the_order_conditions(method):
    a, b, c, _ = tableau_arrays(method)
    assert np.abs(a.sum(axis=1) - c).max() <= 20 * EPS
    assert np.abs(order_conditions(a, b, c)).max() <= 20 * EPS
    assert np.array_equal(a, np.tril(a, -1))


def conditions_of_order_five(a, b, c):
    """Return the residuals of the nine conditions of trees with five vertices."""
    ac = a @ c
    return [b @ c**4 - 1 / 5, b @ (c**2 * ac) - 1 / 10, b @ (c * (a @ c**2)) - 1 / 15, b @ (c * (a @ ac)) - 1 / 30,
            b @ ac**2 - 1 / 20, b @ a @ c**3 - 1 / 20, b @ a @ (c * ac) - 1 / 40, b @ a @ a @ c**2 - 1 / 60,
            b @ a @ a @ ac - 1 / 120]


@pytest.mark.parametrize("method", [DORMAND_PRINCE, TSITOURAS], ids=lambda m: m.name)
def test_explicit_pairs_are_of_order_five_with_an_embedded_order_four(method):
    a, b, c, e = tableau_arrays(method)
    size = np.abs(a).max()  # coefficients are rounded
    assert np.abs(conditions_of_order_five(a, b, c)).max() <= 20 * EPS * size
    whole = np.vstack([np.column_stack([a, np.zeros(len(b))]), np.append(b, 0.0)])  # the new state's rates are the last stage
    other, nodes = np.append(b, 0.0) - e, np.append(c, 1.0)
    assert np.abs(order_conditions(whole, other, nodes)).max() <= 20 * EPS * size
    assert np.abs(conditions_of_order_five(whole, other, nodes)).max() > 1e-4


IMPLICIT = ["trapezoidal", "newmark", "linear-acceleration", "hht", "generalized-alpha",
            *(dal.GeneralizedAlpha(rho_inf=r) for r in (0.0, 0.5, 1.0)), *(dal.HHT(alpha=a) for a in (0.0, 1 / 3))]


@pytest.mark.parametrize("method", IMPLICIT, ids=str)
def test_second_order_condition_of_the_alpha_family(method):
    """gamma = 1/2 - am + af."""
    am, af, _, gamma = (BY_NAME[method] if isinstance(method, str) else method).coefficients()
    assert gamma == pytest.approx(0.5 - am + af, abs=4 * EPS)


def radius_at_infinite_frequency(method):
    """Spectral radius of the update of (q, h v, h² a) for x'' = -w² x with w h -> infinity.

    From (1)-(3) of step/implicit.py with q = -a_true/w² -> 0 at both ends.
    """
    am, af, beta, gamma = method.coefficients()
    w2 = 1e12  # (w h)²
    # unknowns new (q, v, aa, a), old likewise, h = 1
    new = np.array([[1, 0, -beta, 0], [0, 1, -gamma, 0], [0, 0, 1 - am, -(1 - af)], [w2, 0, 0, 1.0]])
    old = np.array([[1, 1, 0.5 - beta, 0], [0, 1, 1 - gamma, 0], [0, 0, -am, af], [0, 0, 0, 0.0]])
    return np.abs(np.linalg.eigvals(np.linalg.solve(new, old))).max()


ROOT = 1e-3
"""A threefold root splits by the cube root of 1/w2 and round-off."""


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8, 1.0])
def test_rho_inf_is_the_spectral_radius_at_infinite_frequency(rho):
    assert radius_at_infinite_frequency(dal.GeneralizedAlpha(rho_inf=rho)) == pytest.approx(rho, abs=ROOT)


ALPHA_FAMILY = [dal.Trapezoidal(), dal.LinearAcceleration(), dal.HHT(alpha=0.0), dal.HHT(alpha=1 / 3),
                *(dal.GeneralizedAlpha(rho_inf=r) for r in (0.0, 0.8, 1 - 1e-9, 1.0)),
                *(dal.Newmark(beta=b, gamma=g) for b in (1 / 12, 0.24, 0.25, 0.29, 0.31, 0.4) for g in (0.5, 0.6))]


@pytest.mark.parametrize("method", ALPHA_FAMILY, ids=str)
def test_without_projections_loops_take_what_is_stable_at_infinite_frequency(method):
    """Positions that keep to a constraint are those of an infinitely stiff spring; the rest follows the method."""
    assert choose_integrator(method, 0.01, loops=True)[0] is method
    assert choose_integrator(method, 0.01, projected=False)[0] is method
    if radius_at_infinite_frequency(method) <= 1 + ROOT:
        assert choose_integrator(method, 0.01, loops=True, projected=False)[0] is method
    else:
        with pytest.raises(dal.ModelError, match=f"{method.name}.*projection=None: found beta.*expected.*gamma/2.*'step'"):
            choose_integrator(method, 0.01, loops=True, projected=False)


@pytest.mark.parametrize("method", [dal.GeneralizedAlpha(rho_inf=1.5), dal.GeneralizedAlpha(rho_inf=-0.5),
                                    dal.HHT(alpha=-0.1), dal.HHT(alpha=0.6), dal.Newmark(beta=0.0),
                                    dal.Newmark(gamma=0.4)], ids=str)
def test_unstable_coefficients_are_refused(method):
    with pytest.raises(dal.ModelError, match="unstable or undefined"):
        choose_integrator(method, 0.1)


def test_auto_is_dopri5_or_generalized_alpha():
    method, may_switch = choose_integrator("auto", None)
    assert method.name == "dopri5" and may_switch
    method, may_switch = choose_integrator("auto", 0.01)
    assert method.name == "generalized-alpha" and not may_switch


@pytest.mark.parametrize("n_rates, name", [(1, "radau"), (MOST_STAGE_RATES, "radau"), (MOST_STAGE_RATES + 1, "sdirk4")])
def test_auto_of_massless_models_hangs_on_their_size(n_rates, name):
    method, may_switch = choose_integrator("auto", None, massless=True, n_rates=n_rates)
    assert method.name == name and not may_switch


# --- Radau IIA -----------------------------------------------------------------------------------------------------

def test_radau_satisfies_the_simplifying_conditions():
    """B(5): quadrature of degree four; C(3): stages of order three; D(2), which makes the order five."""
    k = dal.Radau().coefficients()
    a, c = k["a"], k["c"]
    b = a[2]  # stiffly accurate
    for power in range(1, 6):
        assert b @ c**(power - 1) == pytest.approx(1 / power, abs=20 * EPS)
    for power in (1, 2, 3):
        assert np.abs(a @ c**(power - 1) - c**power / power).max() <= 20 * EPS
    for power in (1, 2):
        assert np.abs((b * c**(power - 1)) @ a - b / power * (1 - c**power)).max() <= 20 * EPS


def test_radau_is_stable_and_annihilates_what_is_infinitely_fast():
    """R(z) = 1 + z b (1 - z A)^-1 1: |R| <= 1 on the imaginary axis, R -> 0 at infinity."""
    a = dal.Radau().coefficients()["a"]

    def growth(z):
        return 1 + z * a[2] @ np.linalg.solve(np.eye(3) - z * a, np.ones(3))

    assert max(abs(growth(1j * w)) for w in np.logspace(-3, 6, 200)) <= 1 + 20 * EPS
    assert abs(growth(-1e9)) <= 1e-8


def test_radau_falls_apart_into_its_eigenvectors():
    k = dal.Radau().coefficients()
    pair = k["nu"] * np.outer(k["u"], k["w"])
    assert np.abs(k["mu"] * np.outer(k["r"], k["s"]) + 2 * pair.real - k["a"]).max() <= 100 * EPS
    assert k["s"] @ k["r"] == pytest.approx(1.0, abs=100 * EPS) and k["w"] @ k["u"] == pytest.approx(1.0, abs=100 * EPS)


def test_the_error_estimate_of_radau_is_of_order_three():
    """mu y'(0) + sum e_i (y(c_i) - y(0)) vanishes for polynomials up to degree three, not beyond."""
    k = dal.Radau().coefficients()
    sums = [k["e"] @ k["c"]**power for power in range(1, 5)]
    assert np.abs(np.array(sums[:3]) + [k["mu"], 0, 0]).max() <= 100 * EPS
    assert abs(sums[3]) > 1e-3


def test_near_names_are_offered():
    with pytest.raises(dal.ModelError, match="Did you mean 'trapezoidal'"):
        choose_integrator("trapezodal", None)
