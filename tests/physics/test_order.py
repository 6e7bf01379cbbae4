"""Every integrator reaches its order; error control keeps what it promises; record times are met.

References come from dopri5 at an accuracy near rounding, whose own order the tests below establish with a closed form.
"""

from functools import cache

import numpy as np
import pytest
from physics.states import observed_order

import dalembert as dal

ORDERS = [
    ("tsit5", 5),
    ("rk4", 4),
    ("sdirk4", 4),
    ("radau", 5),
    ("semi-implicit-euler", 1),
    ("trapezoidal", 2),
    ("newmark", 2),
    (dal.Newmark(beta=0.3, gamma=0.5), 2),
    (dal.Newmark(beta=1 / 12), 2),
    (dal.Newmark(beta=0.36, gamma=0.7), 1),
    ("linear-acceleration", 2),
    ("hht", 2),
    ("generalized-alpha", 2),
    (dal.GeneralizedAlpha(rho_inf=0.0), 2),
    (dal.GeneralizedAlpha(rho_inf=1.0), 2),
]
STEPS = {5: (0.03125, 0.025, 0.02), 4: (0.01, 0.005, 0.0025), 2: (0.004, 0.002, 0.001), 1: (0.002, 0.001, 0.0005),
         "sdirk4": (0.02, 0.0125, 0.01), "tsit5": (0.003125, 0.0028, 0.0025)}
"""By order; shorter ones of sdirk4 and radau meet the tolerance of Newton's iteration, 1e-10 a step."""
FAST = {("radau", "heavy_top"): (0.015625, 0.0125, 0.01),
        ("tsit5", "tumbling"): (0.00625, 0.005, 0.004), ("tsit5", "driven"): (0.00625, 0.0055, 0.005)}
"""Where bodies turn so far in a longer step that one matrix does not serve its three stages, and where shorter steps of tsit5
leave rounding errors alone."""


def name_of(value):
    """Return a readable test id."""
    return value if isinstance(value, str) else repr(value) if not isinstance(value, int) else f"order {value}"


# --- mechanisms, each with the channels that give its state --------------------------------------------------------

def tumbling():
    """Spinning free body with three different moments of inertia, thrown."""
    m = dal.Model("tumbling", gravity=(0, 0, -9.81))
    m.add(dal.Body("b", mass=2.0, com=(0.1, 0.0, 0.05), inertia=(0.1, 0.2, 0.28), points={"p": (1, 0, 0)}),
          dal.Free("fly", "ground", "b", start=(0, 0, 1), start_rate=(1, 0, 2, 0.3, 6.0, 0.2)))
    return m, ("b.p.position", "b.p.velocity")


def heavy_top():
    """Fast top on a ball joint, leaning."""
    m = dal.Model("top", gravity=(0, 0, -9.81))
    m.add(dal.Body("top", mass=1.0, com=(0, 0, 0.5), inertia=(0.05, 0.05, 0.02), points={"p": (0.2, 0, 1)}),
          dal.Spherical("tip", "ground", "top", start=(0.6, 0.0, 0.0), start_rate=(0.0, -8.0, 12.0)))
    return m, ("top.p.position", "top.p.velocity")


def tree():
    """Universal, planar, screw and cylindrical joints in a branched tree with springs and dampers."""
    m = dal.Model("tree", gravity=(0, 0, -9.81))
    for name in "abcd":
        m.add(dal.Body(name, mass=1.0, com=(0.1, 0.2, -0.3), inertia=(0.1, 0.2, 0.15), points={"p": (0.3, 0, -0.5)}))
    m.add(dal.Universal("cross", "ground", "a", start=(0.3, -0.4), start_rate=(1.0, 2.0)),
          dal.Planar("table", "a.p", "b", axis=(0, 1, 1), start=(0.1, 0.2, 0.3), start_rate=(0.5, 0.0, 1.0)),
          dal.Screw("thread", "b.p", "c", axis=(1, 0, 0), pitch=0.5, start_rate=3.0),
          dal.Cylindrical("rod", "a.p", "d", axis=(0, 0, 1), start_rate=(2.0, 0.3)),
          dal.SpringDamper("s", "ground", "c.p", stiffness=20.0, damping=0.5, length=0.4),
          dal.Bushing("rubber", "b", "d.p", stiffness=30.0, damping=0.3, turning_stiffness=2.0, turning_damping=0.1),
          dal.JointSpring("coil", "cross", coordinate="angle1", stiffness=3.0, damping=0.2))
    return m, ("c.p.position", "d.p.position", "c.p.velocity")


def driven():
    """A drive by position, one by speed, and a motor whose law is a function of state."""
    m = dal.Model("driven", gravity=(0, 0, -9.81))
    for name in "abc":
        m.add(dal.Body(name, mass=1.0, com=(0.3, 0, 0), inertia=(0.02, 0.1, 0.1), points={"p": (0.6, 0, 0)}))
    m.add(dal.Revolute("j1", "ground", "a", axis=(0, 1, 0)), dal.Revolute("j2", "a.p", "b", axis=(0, 1, 0)),
          dal.Spherical("j3", "b.p", "c", start=(0.2, 0.1, 0.0)),
          dal.Motion("m1", "j1", position=dal.sine(amplitude=0.5, omega=3.0, phase=0.4)),
          dal.Motion("m2", "j2", speed=dal.sine(amplitude=2.0, omega=2.0, phase=1.0)))
    return m, ("c.p.position", "b.p.velocity")


MECHANISMS = [tumbling, heavy_top, tree, driven]
UNTIL = 0.5


def end_state(results, channels):
    """Return the last frame's channels as one vector."""
    return np.concatenate([results[c][-1] for c in channels])


@cache
def reference(mechanism, until=UNTIL):
    """Return the end of a run near rounding."""
    model, channels = mechanism()
    return end_state(dal.run(model, until=until, accuracy=1e-13, integrator="dopri5", record=[until]), channels)


def error_of(mechanism, until=UNTIL, **options):
    """Return the largest error at the end."""
    model, channels = mechanism()
    found = end_state(dal.run(model, until=until, record=[until], **options), channels)
    return float(np.abs(found - reference(mechanism, until)).max())


# --- fixed steps ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("integrator, order", ORDERS, ids=name_of)
def test_fixed_steps_reach_their_order(integrator, order, mechanism):
    steps = FAST.get((integrator, mechanism.__name__), STEPS.get(integrator, STEPS[order]))
    found = observed_order(lambda h: error_of(mechanism, step=h, integrator=integrator), steps)
    assert found == pytest.approx(order, abs=0.25)


def test_tsit5_errs_by_less_than_half_of_dopri5_at_the_same_price():
    """In the geometric mean over the mechanisms; both have six stages."""
    errors = {name: [error_of(mechanism, step=0.01, integrator=name) for mechanism in MECHANISMS]
              for name in ("tsit5", "dopri5")}
    assert np.mean(np.log(errors["tsit5"])) <= np.mean(np.log(errors["dopri5"])) + np.log(0.5)


def swinging():
    """Masses on springs, one of them nonlinear: forces depend on coordinates alone."""
    m = dal.Model("swinging", gravity=(0, 0, -9.81))
    for name in "ab":
        m.add(dal.Body(name, mass=1.0, inertia=(1, 1, 1)))
    m.add(dal.Prismatic("x", "ground", "a", axis=(1, 0, 0), start=1.0), dal.Prismatic("z", "a", "b", axis=(0, 0, 1)),
          dal.JointSpring("s", "x", stiffness=20.0), dal.SpringDamper("d", "ground", "b", stiffness=30.0, length=0.4))
    return m, ("b.position",)


def test_fox_and_goodwin_is_of_fourth_order_where_forces_do_not_depend_on_rates():
    """Newmark with beta = 1/12 is Numerov's method for the coordinates; its rates are of second order."""
    found = observed_order(lambda h: error_of(swinging, step=h, integrator=dal.Newmark(beta=1 / 12)), (0.02, 0.01, 0.005))
    assert found == pytest.approx(4, abs=0.25)


@pytest.mark.parametrize("integrator, order", [("rk4", 4), ("trapezoidal", 2), ("generalized-alpha", 2)])
def test_a_step_that_does_not_divide_the_end_keeps_the_order(integrator, order):
    """The last step is the shorter rest, and the end is met exactly."""
    steps = np.array(STEPS[order]) * 0.7
    assert np.all(np.abs(UNTIL / steps - np.round(UNTIL / steps)) > 0.1)
    found = observed_order(lambda h: error_of(heavy_top, step=h, integrator=integrator), steps)
    assert found == pytest.approx(order, abs=0.3)


def test_frames_of_a_step_that_does_not_divide_the_end():
    model, _ = heavy_top()
    r = dal.run(model, until=1.0, step=0.3, integrator="rk4")
    assert r.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0], abs=4 * np.finfo(float).eps)
    assert r.t[-1] == 1.0
    assert r.stats.steps == 4


# --- error control -------------------------------------------------------------------------------------------------

def harmonic():
    """Mass on a spring at one radian a second, x = cos t."""
    m = dal.Model("harmonic", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Prismatic("x", "ground", "b", start=1.0),
          dal.JointSpring("s", "x", stiffness=1.0))
    return m


@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_dopri5_stays_below_the_sum_of_its_local_errors(accuracy):
    """The oscillator neither damps nor grows errors; scale of x and of its rate is 1 + 1."""
    r = dal.run(harmonic(), until=20.0, accuracy=accuracy, integrator="dopri5")
    assert np.abs(r["x.displacement"] - np.cos(r.t)).max() <= r.stats.steps * accuracy * 2


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("integrator, exponent", [("dopri5", 1.0), ("generalized-alpha", 2 / 3)])
def test_tightening_the_accuracy_reduces_the_error_accordingly(integrator, exponent, mechanism):
    """Local errors of order 5 (3) are held at the accuracy, the global one is of order 5 (2).

    Steps are free to follow where the accuracy makes them shorter than a tenth of the run.
    """
    accuracies = np.array([1e-5, 1e-6, 1e-7, 1e-8]) * (1e-2 if integrator == "dopri5" else 1.0)
    errors = [error_of(mechanism, accuracy=a, integrator=integrator) for a in accuracies]
    assert np.polyfit(np.log(accuracies), np.log(errors), 1)[0] == pytest.approx(exponent, abs=0.2)


@pytest.mark.parametrize("integrator", ["trapezoidal", "newmark", "linear-acceleration", "hht", "generalized-alpha"])
def test_every_implicit_integrator_controls_its_error(integrator):
    errors = [error_of(heavy_top, accuracy=a, integrator=integrator) for a in (1e-5, 1e-7)]
    assert np.log10(errors[0] / errors[1]) / 2 == pytest.approx(2 / 3, abs=0.2)


def test_steps_without_error_estimate_need_a_step():
    with pytest.raises(dal.ModelError, match="rk4.*fixed step"):
        dal.run(harmonic(), until=1.0, integrator="rk4")


# --- recording -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("integrator", ["dopri5", "generalized-alpha"])
def test_record_times_are_met_exactly_and_cost_no_steps(integrator):
    model, channels = heavy_top()
    times = np.sort(np.random.default_rng(5).uniform(0, 1, 200))
    few = dal.run(model, until=1.0, accuracy=1e-6, integrator=integrator, record=[1.0])
    many = dal.run(model, until=1.0, accuracy=1e-6, integrator=integrator, record=times)
    assert np.array_equal(many.t, times)
    assert many.stats.steps == few.stats.steps


def test_a_record_spacing_ends_at_the_end():
    r = dal.run(harmonic(), until=1.0, record=0.3)
    assert r.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("integrator", ["dopri5", "generalized-alpha"])
def test_dense_output_is_as_good_as_the_steps(integrator, accuracy, mechanism):
    """Between steps no error exceeds some of that at the end plus the tolerated local error of a step.

    A rate is the slope of the interpolated coordinate, which divides the coordinate's local error by the step: one
    order below the local error of the rate, the order of its global one.
    """
    model, _ = mechanism()
    times = np.linspace(0, UNTIL, 501)[1:]
    exact = dal.run(model, until=UNTIL, accuracy=1e-13, integrator="dopri5", record=times)
    found = dal.run(model, until=UNTIL, accuracy=accuracy, integrator=integrator, record=times)
    for table in ("q", "qd"):
        error = np.abs(found.array(table) - exact.array(table)).max(axis=1)
        assert error.max() <= 3 * error[-1] + 2 * accuracy * (1 + np.abs(exact.array(table)).max()), table


def test_frames_between_steps_obey_the_equations_of_motion():
    """Accelerations of interpolated frames are solved for, quaternions have length one."""
    model, _ = heavy_top()
    r = dal.run(model, until=1.0, accuracy=1e-5, record=0.0037)
    assert r["constraints.position"].max() <= 4 * np.finfo(float).eps
    state = dal.assemble(model, r.t[100], start={"tip": r["tip.coordinates"][100]}, start_rate={"tip": r["tip.rates"][100]})
    assert state["top.acceleration"][0] == pytest.approx(r["top.acceleration"][100], rel=1e-12)
