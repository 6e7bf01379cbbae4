"""Backward differentiation formulas on mechanisms with loops, against references, closed forms and other integrators."""

import numpy as np
import pytest
from mechanisms import andrews, bricard, n_fourbar, spatial_slider_crank
from physics.loop_models import INERTIA, MOMENT, G, eccentric_roller, parallelogram, slider_crank
from reference import column, load, worst

import dalembert as dal
from dalembert.codes import Status
from dalembert.kernels.step.bdf import recognise_noise
from dalembert.kernels.step.past import PAST
from dalembert.simulate.loop import Loop

ACCURACY = 1e-8
GROWTH = 400
"""Global over local error of a multistep method: some hundred steps, each of which may leave the tolerated error."""


def test_spatial_slider_crank():
    p = load("p5_spatial_slider_crank")
    r = dal.run(spatial_slider_crank(p["data"]), until=1.0, accuracy=ACCURACY, record=0.05, integrator="bdf")
    assert worst(r["guide.displacement"], column(p, "x_slider")[:21]) <= GROWTH * ACCURACY
    assert worst(r["crank axis.angle"], column(p, "theta")[:21]) <= GROWTH * ACCURACY * 10  # ten radians


def test_andrews_squeezer():
    p = load("p5_A03_andrews")
    r = dal.run(andrews(p["data"], p["q0"]), until=0.03, accuracy=ACCURACY, record=0.0005, integrator="bdf")
    for k, name in enumerate(("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")):
        expected = np.array(p["q"])[:61, k]
        assert worst(r[f"{name}.angle"], expected) <= GROWTH * ACCURACY * np.max(abs(expected)), name
    assert np.max(r["constraints.position"]) <= 1e-10 and np.max(r["constraints.velocity"]) <= 1e-6


def test_fourbar():
    p = load("p5_A02_n_fourbar")
    r = dal.run(n_fourbar(p["data"], 1), until=0.5, accuracy=ACCURACY, record=0.1, integrator="bdf")
    assert worst(r["up0.top.position"][:, :2], np.array(p["cases"]["1"]["B0"])[:6, :2]) <= GROWTH * ACCURACY


def test_a_parallelogram_swings_like_its_pendulum():
    mass = 2 * (MOMENT / G) ** 2 / INERTIA  # half of the inertia is that of the mass, half that about its centre
    tree = dal.Model("pendulum", gravity=(0, -G, 0)).add(
        dal.Body("p", mass=mass, com=(0, -MOMENT / G / mass, 0), inertia=(1, 1, INERTIA / 2)),
        dal.Revolute("a", "ground", "p", axis=(0, 0, 1), start=1.2, start_rate=0.5))
    r = dal.run(parallelogram(1.2, 0.5), until=2.0, accuracy=ACCURACY, record=0.1, integrator="bdf")
    exact = dal.run(tree, until=2.0, accuracy=1e-11, record=0.1, integrator="dopri5")
    assert worst(r["a.angle"], exact["a.angle"]) <= GROWTH * ACCURACY
    assert np.ptp(r["energy.total"]) <= GROWTH * ACCURACY * MOMENT


def test_bricard_keeps_a_good_choice_of_its_redundant_rows():
    p = load("p5_A04_bricard")
    r = dal.run(bricard(p["data"]), until=1.0, accuracy=ACCURACY, record=0.1, integrator="bdf")
    assert worst(r["bar3.end.position"], np.array(p["P3"])[:11, :3]) <= GROWTH * ACCURACY


def test_a_driven_mechanism_needs_the_same_effort_as_in_inverse_dynamics():
    law = dal.sine(amplitude=0.9, omega=5.0, offset=0.4)
    m = slider_crank().add(dal.Motion("drive", "main", position=law))
    r = dal.run(m, until=1.0, accuracy=ACCURACY, record=0.1, integrator="bdf")
    exact = dal.kinematics(m, r.t)
    size = np.max(abs(exact["main.effort"]))
    assert worst(r["guide.displacement"], exact["guide.displacement"]) <= GROWTH * ACCURACY
    assert worst(r["main.effort"], exact["main.effort"]) <= 5.0**2 * GROWTH * ACCURACY * size


def test_a_roller_keeps_rolling():
    radius = 0.3
    r = dal.run(eccentric_roller(0.9, radius), until=2.0, accuracy=ACCURACY, record=0.1, integrator="bdf")
    x, turn = r["plane.coordinates"][:, 0], r["plane.coordinates"][:, 2]
    assert worst(x - x[0], -radius * (turn - turn[0])) <= GROWTH * ACCURACY
    assert np.ptp(r["energy.total"]) <= GROWTH * ACCURACY * 2.0 * G * radius


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
@pytest.mark.parametrize("accuracy", [1e-5, 1e-7, 1e-9])
def test_formulations_agree_whatever_the_accuracy(formulation, accuracy):
    """Local errors add up in some hundred steps; with violations of rates in the past the finest ones never ended."""
    m = slider_crank()
    r = dal.run(m, until=1.0, accuracy=accuracy, record=0.1, integrator="bdf", formulation=formulation)
    exact = dal.run(m, until=1.0, accuracy=1e-12, record=0.1, integrator="dopri5")
    assert worst(r["guide.displacement"], exact["guide.displacement"]) <= GROWTH * accuracy
    assert worst(r["main.angle"], exact["main.angle"]) <= GROWTH * accuracy * max(1.0, np.max(abs(exact["main.angle"])))
    assert r.stats.rejected <= 0.1 * r.stats.steps


def test_a_linkage_passes_where_pairs_of_its_rows_are_useless():
    """A plate on three equal rods moves like a point on a circle; each pair of rods is useless in some position."""
    length, speed = 0.5, 6.0
    feet = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.0, 1.0, 0.0)}
    m = dal.Model("plate", gravity=(0, -G, 0), ground={k: (x, y + length, z) for k, (x, y, z) in feet.items()}).add(
        dal.Body("plate", mass=2.0, com=(0.2, 0.3, 0), inertia=(0.1, 0.1, 0.1), points=feet),
        dal.Planar("plane", "ground", "plate", axis=(0, 0, 1), start=(0, 0, 0), start_rate=(speed, 0, 0)),
        *(dal.Distance(f"rod {k}", f"ground.{k}", f"plate.{k}", length=length) for k in feet))
    point = dal.Model("point", gravity=(0, -G, 0)).add(
        dal.Body("p", mass=1.0, com=(0, -length, 0), inertia=(0, 0, 0)),
        dal.Revolute("pin", "ground", "p", axis=(0, 0, 1), start=0.0, start_rate=speed / length))
    r = dal.run(m, until=1.0, accuracy=ACCURACY, record=0.1, integrator="bdf")
    exact = dal.run(point, until=1.0, accuracy=1e-11, record=0.1, integrator="dopri5")["pin.angle"]
    assert exact[-1] > 2 * np.pi
    circle = length * np.stack([np.sin(exact), 1 - np.cos(exact)], axis=1)
    assert worst(r["plane.coordinates"][:, :2], circle) <= GROWTH * ACCURACY
    assert worst(r["plane.coordinates"][:, 2], 0.0) <= GROWTH * ACCURACY


def table_near_its_dead_point(seed):
    """A plate on two or three equal parallel arms, whose feet lie on a line that the arms come to lie along within 0.3 s."""
    rng = np.random.default_rng(seed)
    arm, feet = rng.uniform(0.3, 0.8), rng.uniform(-1, 1, (rng.integers(2, 4), 2))
    along = feet[1] - feet[0]
    if len(feet) == 3:
        feet[2] = feet[0] + rng.uniform(0.2, 0.9) * along
    start = np.arctan2(along[0], -along[1]) - rng.uniform(0.02, 0.3)
    points = {f"f{i}": (*foot, 0) for i, foot in enumerate(feet)}
    m = dal.Model("table", gravity=rng.uniform(-10, 10, 3), ground=points).add(
        dal.Body("table", mass=3.0, com=(0.1, 0.2, 0.1), inertia=(0.3, 0.4, 0.5), points=points))
    for i, n in enumerate(points):
        rate = {"start_rate": rng.uniform(0.5, 6.0)} if i == 0 else {}
        m.add(dal.Body(f"arm {n}", mass=1.0, com=(0, -arm / 2, 0), inertia=(0.1, 0.02, 0.1), points={"tip": (0, -arm, 0)}),
              dal.Revolute(f"foot {n}", f"ground.{n}", f"arm {n}", start=start, **rate),
              dal.Revolute(f"top {n}", f"arm {n}.tip", f"table.{n}", **({"start": -start} if i == 0 else {})))
    return m


@pytest.mark.parametrize("accuracy", [1e-6, 1e-8])
@pytest.mark.parametrize("seed", range(8))
def test_dead_points_are_passed(seed, accuracy):
    """Rows are useless for a moment; violations left before and after would be amplified in the past, and steps shrink."""
    check_passage(seed, accuracy)


def test_dead_points_are_passed_up_to_rounding():
    """At 1e-9 what rounding leaves of positions is as large as what is tolerated: one passage in many ends in an error."""
    refused = 0
    for seed in range(8):
        try:
            check_passage(seed, 1e-9)
        except dal.ConvergenceError:
            refused += 1
    assert refused <= 1


def check_passage(seed, accuracy):
    """Compare a run through a dead point with one of another method."""
    m = table_near_its_dead_point(seed)
    bdf, exact = (dal.run(m, until=0.3, accuracy=a, record=[0.3], integrator=name)
                  for name, a in (("bdf", accuracy), ("dopri5", 1e-11)))
    steps = bdf.stats.steps
    assert worst(bdf["foot f0.angle"], exact["foot f0.angle"]) <= steps * accuracy
    assert bdf.stats.rejected <= 0.1 * steps


@pytest.mark.parametrize("away", [1.0, 10.0])
def test_a_dead_point_away_from_the_origin_is_passed(away):
    m = table_near_its_dead_point(6)
    far = m.replaced(ground={n: np.add(place, (away, -away, 0)) for n, place in m.ground.items()})
    bdf, exact = (dal.run(model, until=0.3, accuracy=a, record=[0.3], integrator=name)
                  for model, name, a in ((far, "bdf", 1e-9), (m, "dopri5", 1e-11)))
    assert worst(bdf["foot f0.angle"], exact["foot f0.angle"]) <= 1e-9 * bdf.stats.steps


@pytest.mark.parametrize("first, then, found", [(5.0, 4.0, True), (5.0, 20.0, True), (5.0, 2.0, False), (5.0, 150.0, False)])
def test_errors_that_do_not_fall_with_the_step_are_rounding(first, then, found):
    """Half the step leaves at most half of an error that is its own; a far larger one is no rounding."""
    own = np.zeros(1, PAST)[0]
    assert not recognise_noise(own, first, 1e-3)
    assert recognise_noise(own, then, 5e-4) == found
    assert own.noise == (2 * max(first, then) if found else 0.0)


def test_a_law_that_is_not_a_number_names_its_joint():
    """In loops as in trees: the solver's own failure, a step that shrank, would say nothing of it."""
    m = slider_crank().add(dal.Motor("push", "big end", effort=lambda t: np.nan if t > 0.1 else 1.0))
    r = dal.run(m, until=0.2, accuracy=ACCURACY, record=0.01, integrator="bdf", on_failure="return")
    assert r.status.startswith("ConvergenceError: joint 'big end'") and "not a finite number" in r.status
    assert 0 < r.t[-1] <= 0.1


def test_a_step_that_becomes_too_small_tells_which_joint_is_fastest(monkeypatch):
    monkeypatch.setattr(Loop, "advance", lambda self, chunk: Status.STEP_TOO_SMALL)
    with pytest.raises(dal.MultibodyError, match="joint"):
        dal.run(parallelogram(start=0.5), until=0.1, integrator="bdf")
