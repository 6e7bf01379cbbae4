"""What an error-controlled step must not miss, and what it must not count."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.simulate.integrators import BY_NAME

ACCURACY = 1e-6


def cart(**motor):
    return dal.Model("cart", gravity=(0, 0, 0)).add(
        dal.Body("cart", mass=1.0, inertia=(1, 1, 1)), dal.Prismatic("rail", "ground", "cart", axis=(1, 0, 0)),
        *([dal.Motor("push", "rail", **motor)] if motor else []))


@pytest.mark.parametrize("integrator, growth", [("dopri5", 10), ("tsit5", 10), ("sdirk4", 10), ("radau", 10),
                                                ("generalized-alpha", 100), ("bdf", 10)])
def test_a_short_pulse_is_not_stepped_over(integrator, growth):
    """Impulse of a triangle of 10 ms in 10 s of rest: a free step would jump across it; `growth` = steps in the pulse."""
    pulse = dal.table([0, 5, 5.005, 5.01], [0, 0, 200, 0], kind="linear")
    r = dal.run(cart(effort=pulse), until=10.0, accuracy=ACCURACY, integrator=integrator)
    impulse = 0.5 * 0.01 * 200
    assert abs(r["rail.speed"][-1] - impulse) <= growth * ACCURACY * (1 + impulse)


def test_a_ramp_begins_and_ends_a_step():
    r = dal.run(cart(effort=dal.ramp(begin=3.0, finish=3.001, start=0.0, end=2.0)), until=10.0, accuracy=ACCURACY)
    assert r["rail.speed"][-1] == pytest.approx(2.0 * 7.0 - 2.0 * 0.0005, abs=100 * ACCURACY)


def test_driven_coordinates_take_no_part():
    """A driven coordinate is exact; only the longest step allowed limits a model that is driven throughout."""
    m = cart().add(dal.Motion("drive", "rail", position=dal.sine(amplitude=1.0, omega=50.0)))
    r = dal.run(m, until=10.0, accuracy=ACCURACY)
    assert r.stats.steps <= 30 and r.stats.rejected == 0
    assert np.max(abs(r["rail.displacement"] - np.sin(50 * r.t))) <= 4 * np.finfo(float).eps * 500


@pytest.mark.parametrize("integrator", ["trapezoidal", "generalized-alpha"])
def test_steps_after_a_rejected_one_keep_to_the_error(integrator):
    """A double pendulum asks for shorter steps now and then, not every other step: lengths follow the estimate after each."""
    m = dal.Model("double pendulum", gravity=(0, 0, -9.81))
    for name in "ab":
        m.add(dal.Body(name, mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), points={"tip": (0, 0, -1)}))
    m.add(dal.Revolute("shoulder", "ground", "a", axis=(0, 1, 0), start=1.5),
          dal.Revolute("elbow", "a.tip", "b", axis=(0, 1, 0)))
    stats = dal.run(m, until=3.0, accuracy=1e-4, integrator=integrator).stats
    swings = 8  # of both, within the three seconds; the estimate grows fast in each of them
    assert stats.rejected <= 2 * swings < stats.steps / 10


@pytest.fixture(scope="module")
def crane():
    """A boom that bends and slews, with a heavy, compact load on a ball joint.

    The load's inertia about its rope is tiny, and the rope's direction in the equations changes from stage to stage: the
    iteration of simultaneous stages fails in steps that the accuracy would allow.
    """
    steel = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
    return dal.Model("crane", gravity=(0, 0, -9.81)).add(
        dal.Beam("boom", length=10.0, section=dal.Rectangle(width=0.2, height=0.3), material=steel, modes=2),
        dal.Revolute("slew", "ground", "boom.start", axis=(0, 0, 1)),
        dal.Motion("drive", "slew", position=dal.ramp(begin=0.0, finish=4.0, end=1.0)),
        dal.Body("load", mass=5000.0, com=(0, 0, -3), inertia=(1, 1, 1)),
        dal.Spherical("hook", "boom.end", "load"))


def test_a_length_at_which_stages_did_not_converge_is_not_tried_at_once_again(crane):
    """Every second step was rejected, as the error estimate asked for the failed length after each that succeeded."""
    stats = dal.run(crane, until=4.0, integrator="radau").stats
    assert stats.rejected <= 0.15 * stats.steps


def test_an_automatic_run_of_the_crane_costs_what_the_best_method_does(crane):
    cost = {name: dal.run(crane, until=4.0, integrator=name).stats.evaluations for name in ("auto", "dopri5", "sdirk4")}
    assert cost["auto"] <= 1.25 * min(cost["dopri5"], cost["sdirk4"])


def test_an_accuracy_given_wins_over_the_step_of_the_model():
    m = cart(effort=dal.sine(amplitude=1.0, omega=1.0))
    m = m.replaced(run={"until": 1.0, "step": 0.01})
    assert dal.run(m).stats.steps == 100
    assert dal.run(m, accuracy=1e-9).stats.smallest_step != pytest.approx(0.01)


@pytest.mark.parametrize("name", ["trapezoidal", "hht", "generalized-alpha"])
def test_velocity_error_coefficient_of_the_alpha_family(name):
    """(4) of step/implicit.py: one free step of q'' = t²/2 after the scheme has settled errs by c_v h³."""
    am, af, beta, gamma = BY_NAME[name].coefficients()
    h, t, v, aa = 1.0, -30.0, 0.0, 0.0

    def a(t):
        return t * t / 2

    aa = a(t + (am - af) * h)
    errors = []
    for _ in range(30):
        new = ((1 - af) * a(t + h) + af * a(t) - am * aa) / (1 - am)
        step = h * ((1 - gamma) * aa + gamma * new)
        errors.append(step - ((t + h) ** 3 - t**3) / 6)
        aa, t, v = new, t + h, v + step
    shift = am - af
    assert errors[-1] == pytest.approx(gamma * (0.5 + shift) + shift * (am - 0.5) - 1 / 6, rel=1e-6)
