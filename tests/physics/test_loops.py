"""Closed loops: order of the index-3 steps, what the projections do, agreement of the formulations, energy, reactions."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from physics.closed_mechanisms import closed_mechanism
from physics.loop_models import G, shallow_arch
from promises import CLOSED_GUESS, PROJECTED, PROJECTED_RATES

import dalembert as dal
from dalembert.codes import RowCode
from dalembert.simulate.loop import Loop
from dalembert.start.constraints import Constraints

sys.path.insert(0, str(Path(__file__).parents[1] / "acceptance"))
from mechanisms import bricard, n_fourbar, planar_slider_crank, spatial_slider_crank
from reference import load

WAYS = ["semi-recursive", "global"]
ACCELERATION_TOLERANCE = 1e-9
"""Relative remainder of the augmented Lagrangian iterations that give accelerations to recorded frames."""
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
EPS = np.finfo(float).eps


def slider_crank():
    return spatial_slider_crank(load("p5_spatial_slider_crank")["data"])


@pytest.fixture(scope="module")
def exact():
    """The slider-crank's first half second, to about 1e-10."""
    return dal.run(slider_crank(), until=0.5, accuracy=1e-12, record=0.02)


CHANNELS = ("guide.displacement", "guide.speed", "guide.acceleration", "cross.force")


@pytest.mark.parametrize("formulation", WAYS)
@pytest.mark.parametrize("integrator", ["trapezoidal", "generalized-alpha", "linear-acceleration", dal.Newmark(beta=1 / 12)],
                         ids=str)
def test_positions_rates_accelerations_and_reactions_are_of_second_order(formulation, integrator, exact):
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        r = dal.run(slider_crank(), until=0.5, step=h, record=0.02, integrator=integrator, formulation=formulation)
        errors.append([np.max(np.abs(r[c] - exact[c])) for c in CHANNELS])
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes[-1] - 2.0) < 0.35), dict(zip(CHANNELS, slopes[-1], strict=True))


@pytest.mark.parametrize("kind", [dal.SemiRecursive, dal.Global])
def test_without_projections_rates_leave_the_constraints(kind):
    """[DOP (3)] is what keeps them: the index-3 step itself binds positions only."""
    gaps = [np.max(dal.run(slider_crank(), until=0.2, step=2e-3, integrator="trapezoidal",
                           formulation=kind(projection=p))["constraints.velocity"]) for p in ("step", "tangent", "mass", None)]
    assert max(gaps[:3]) < 1e-8
    assert gaps[3] > 1e4 * max(gaps[:3])


@pytest.mark.parametrize("kind", [dal.SemiRecursive, dal.Global])
@pytest.mark.parametrize("integrator", ["linear-acceleration", dal.Newmark(beta=1 / 12)], ids=str)
def test_without_projections_a_small_beta_is_refused(kind, integrator):
    with pytest.raises(dal.ModelError, match=r"projection=None: found beta.*expected at least.*projection='step'"):
        dal.run(slider_crank(), until=0.2, step=2e-3, integrator=integrator, formulation=kind(projection=None))


@pytest.mark.parametrize("formulation", WAYS)
def test_energy_of_the_bricard_linkage_drifts_no_more_than_the_accuracy(formulation):
    r = dal.run(bricard(load("p5_A04_bricard")["data"]), until=3.0, accuracy=1e-9, formulation=formulation)
    assert np.ptp(r["energy.total"]) < 1e-9 * r.stats.steps * np.ptp(r["energy.kinetic"])


def test_a_linkage_that_should_not_move_by_counting_takes_no_more_steps_in_natural_coordinates():
    """Stages of a step leave the constraints a little, and its redundant row then holds the linkage, as little."""
    steps = [dal.run(bricard(load("p5_A04_bricard")["data"]), until=1.0, accuracy=1e-8, formulation=f).stats for f in WAYS]
    assert steps[1].steps <= 2 * steps[0].steps  # other coordinates, other errors
    assert steps[1].rejected <= 0.1 * steps[1].steps


def test_reactions_balance_every_body():
    """Newton and Euler on each body of the slider-crank with the recorded forces of all joints, cut ones included."""
    r = dal.run(slider_crank(), until=0.3, accuracy=1e-9, record=0.05)
    m = slider_crank()
    g = np.array(m.gravity)
    joins = {"crank": [("crank axis", 1), ("ball", -1)], "rod": [("ball", 1), ("cross", 1)],
             "slider": [("guide", 1), ("cross", -1)]}
    for body, joints in joins.items():
        part = m[body]
        R, w = r[f"{body}.rotation"], r[f"{body}.angular_velocity"]
        arm = R @ np.array(part.com)
        al = r[f"{body}.angular_acceleration"]
        a = r[f"{body}.acceleration"] + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
        total = sum(sign * r[f"{j}.force"] for j, sign in joints)
        size = np.max(np.abs(part.mass * a)) + part.mass * 9.81
        assert np.max(np.abs(part.mass * (a - g) - total)) < 1e-8 * size, body


def test_a_driven_loop_gets_the_same_effort_from_power():
    """The drive of a planar slider-crank does the work that kinetic and potential energy gain."""
    m = planar_slider_crank(speed=10.0).add(dal.Motion("drive", "main", speed=10.0))
    r = dal.run(m, until=0.6, accuracy=1e-9, record=1e-3)
    work = np.concatenate([[0], np.cumsum((r["drive.effort"][1:] + r["drive.effort"][:-1]) / 2 * 10.0 * 1e-3)])
    gained = r["energy.total"] - r["energy.total"][0]
    assert np.max(np.abs(work - gained)) < 1e-3 * np.ptp(gained)  # trapezoidal sum: (w h)²/12 of the effort's curvature


@given(seed=st.integers(0, 2**31), n_bodies=st.integers(2, 6), budget=st.integers(1, 4))
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_formulations_agree_on_random_closed_mechanisms(seed, n_bodies, budget):
    """Within the accuracy times the growth of errors, which a run of less accuracy shows; some are all but locked."""
    model = closed_mechanism(np.random.default_rng(seed), n_bodies=n_bodies, budget=budget)
    try:
        one, rough, other = (dal.run(model, until=0.2, accuracy=a, record=[0.0, 0.1, 0.2], formulation=f)
                             for f, a in ((WAYS[0], 1e-9), (WAYS[0], 1e-8), (WAYS[1], 1e-9)))
    except dal.ConvergenceError as error:
        assume("all but locked" not in str(error))
        raise
    for name in (f"{b.name}.position" for b in model.bodies):
        growth = np.max(np.abs(one[name] - rough[name]))
        assert np.max(np.abs(one[name] - other[name])) < 1e-6 * (1 + np.max(np.abs(one[name]))) + 10 * growth, name
    assert max(np.max(r["constraints.position"]) for r in (one, other)) < 1e-8


def opened(r, level):
    """Return how far apart the ends of the slider-crank's joints are in every frame, at a level such as velocity."""
    pairs = (("crank.B", "rod"), ("rod.C", "slider"))
    return np.max([np.linalg.norm(r[f"{a}.{level}"] - r[f"{b}.{level}"], axis=1) for a, b in pairs], axis=0)


class Recorded:
    """Rows of a run's frames as the kernels leave them, before they are given in joint coordinates: (frames, rows) each."""

    def __init__(self, monkeypatch):
        self.value, self.rate, self.largest = [], [], []
        take = Loop.take_frames
        monkeypatch.setattr(Loop, "take_frames", lambda loop: self.keep(loop) or take(loop))

    def keep(self, loop):
        packed, frames = (loop.begin.natural or loop.begin).packed, loop.frames
        self.row, constraints = packed.system.row, Constraints(packed)
        for f in range(int(loop.flow.progress[0].rows)):
            rows = constraints.evaluate(frames.t[f], frames.q[f].copy(), frames.qd[f].copy())
            self.value.append(np.abs(rows.value))
            self.rate.append(np.abs(rows.rate))
            self.largest.append(max(1.0, np.max(np.abs(frames.qd[f]))))

    def reach(self, arm):
        """How far a unit violation of each row may open a loop of a length `arm` [m].

        A body's own row stretches it, and enters the direction rows of its joints, of which none has more than four.
        """
        codes = self.row["code"]
        return np.select([codes == RowCode.POSITION, codes == RowCode.DIRECTION], [1.0, arm], 5 * arm)


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6])
@pytest.mark.parametrize("formulation", WAYS)
def test_loops_stay_closed_at_all_levels_for_a_hundred_seconds(formulation, accuracy, monkeypatch):
    """Every row keeps to the tolerance of its projection, relative to its size and to the largest rate of the coordinates.

    Frames are given in joint coordinates, and the joint that closes the loop opens by what all rows leave, no more.
    """
    recorded, data = Recorded(monkeypatch), load("p5_spatial_slider_crank")["data"]
    r = dal.run(slider_crank(), until=100.0, record=0.5, formulation=formulation, accuracy=accuracy)
    largest, size = np.array(recorded.largest)[:, None], recorded.row["size"]
    rounding = 100 * EPS
    assert np.all(recorded.value <= (PROJECTED + rounding) * size)
    assert np.all(recorded.rate <= (PROJECTED_RATES + rounding) * size * largest)
    reach = recorded.reach(data["lAB"] + data["lBC"])
    for level, gap in (("position", recorded.value), ("velocity", recorded.rate)):
        left = gap @ reach + rounding * largest[:, 0]
        assert np.all(opened(r, level) <= left), level
        assert np.all(r[f"constraints.{level}"] <= gap @ recorded.reach(1.0) + rounding * largest[:, 0]), level
    bend = np.max(np.abs(r["crank.B.acceleration"]))
    assert np.max(opened(r, "acceleration")) <= 3 * ACCELERATION_TOLERANCE * bend  # three rows


def test_iterations_of_a_step_hardly_grow_with_the_length_of_a_chain():
    """Four-bars through their singular position: four times as many take at most a tenth more iterations per step."""
    p = load("p5_A02_n_fourbar")
    short, long = (dal.run(n_fourbar(p["data"], n), until=1.0, step=0.01, integrator="trapezoidal", formulation="global",
                           record=[1.0]).stats.iterations for n in (10, 40))
    assert long <= 1.1 * short


@pytest.mark.parametrize("formulation", WAYS)
def test_fixed_steps_get_through_a_singular_position_with_their_order(formulation):
    """Two four-bars fall through the horizontal at about 0.7 s; against the reference at 1 s."""
    p = load("p5_A02_n_fourbar")
    exact = np.array(p["cases"]["2"]["B0"])[p["t"].index(1.0), :2]

    def error(step):
        r = dal.run(n_fourbar(p["data"], 2), until=1.0, step=step, integrator="trapezoidal", formulation=formulation)
        return np.max(np.abs(r["up0.top.position"][-1, :2] - exact))

    assert np.log2(error(0.01) / error(0.005)) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("formulation", WAYS)
def test_a_fixed_step_of_many_fourbars_needs_few_iterations(formulation):
    """Multipliers contract slowly in long chains, and not at all in the singular position at 0.7 s; steps are done before."""
    r = dal.run(n_fourbar(load("p5_A02_n_fourbar")["data"], 40), until=1.0, step=0.01, integrator="trapezoidal",
                formulation=formulation)
    assert r.stats.iterations <= 3.5 * r.stats.steps


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 10])
@pytest.mark.parametrize("formulation", WAYS)
def test_fixed_steps_pass_singular_positions_for_a_hundred_seconds(formulation, n):
    """All uprights stay parallel, and the energy varies by the square of the step.

    Where multipliers contract slowly a step leaves violations up to a share of what its guess was off, h²/4 of the change of
    the accelerations, at most twice the largest one.  A passage changes rates by h times that, and the energy by its square.
    """
    step = 0.005
    r = dal.run(n_fourbar(load("p5_A02_n_fourbar")["data"], n), until=100.0, step=step, integrator="trapezoidal",
                formulation=formulation)
    bend = np.max(np.abs(r["up0.angular_acceleration"]))
    assert np.max(r["constraints.position"]) <= CLOSED_GUESS * step**2 / 4 * 2 * bend
    apart = [np.max(np.abs(r[f"base{i}.angle"] - r["base0.angle"])) for i in range(1, n + 1)]
    assert max(apart) <= step**2 * bend
    energy, passages = r["energy.total"], np.count_nonzero(np.diff(np.sign(np.cos(r["base0.angle"]))))
    first = np.ptp(energy[r.t <= 2.0])
    assert passages > 50
    assert np.ptp(energy) <= 2 * first + passages * step**2 * np.ptp(r["energy.kinetic"])


@pytest.mark.parametrize("way", [dal.SemiRecursive, dal.Global])
def test_factors_serve_for_several_steps_without_projections(way):
    r = dal.run(slider_crank(), until=0.2, step=1e-3, integrator="trapezoidal", formulation=way(projection=None))
    assert r.stats.factorizations <= r.stats.steps / 3


@pytest.mark.parametrize("formulation", WAYS)
def test_passages_of_a_singular_position_cost_a_chain_no_accuracy(formulation):
    """Ten four-bars, which could part in ways of their own there, are as exact as one, but for a factor of their number."""
    p, errors = load("p5_A02_n_fourbar"), {}
    for n in (1, 10):
        r = dal.run(n_fourbar(p["data"], n), until=10.0, accuracy=1e-8, record=0.1, formulation=formulation)
        errors[n] = np.max(np.abs(r["up0.top.position"][:, :2] - np.array(p["cases"][str(n)]["B0"])[:, :2]))
    assert errors[10] <= 10 * errors[1]


@pytest.mark.slow
def test_fourbars_pass_their_singular_position_again_and_again():
    """Where rows are dependent for a moment, rates along them are left as they are; positions stay on the constraints."""
    p = load("p5_A02_n_fourbar")
    r = dal.run(n_fourbar(p["data"], 2), until=100.0, accuracy=1e-6, record=0.5)
    assert np.max(r["constraints.position"]) < 1e-8
    assert np.ptp(r["energy.total"]) < 1e-2 * np.ptp(r["energy.kinetic"])


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(10))
def test_redundant_and_singular_mechanisms_run_alike_in_both_formulations(chunk):
    """200 random mechanisms with as many or more constraints than freedoms; a third of them are locked and stay."""
    accuracy, moved = 1e-7, 0
    for seed in range(20 * chunk, 20 * chunk + 20):
        rng = np.random.default_rng(1000 + seed)
        model = closed_mechanism(rng, n_bodies=2 + seed % 4, budget=4 + seed % 14)
        one, other = (dal.run(model, until=0.05, accuracy=accuracy, record=0.01, formulation=way) for way in WAYS)
        for name in (f"{b.name}.position" for b in model.bodies):
            assert np.max(np.abs(one[name] - other[name])) <= 100 * accuracy, (seed, name)  # of some tens of steps
        assert max(np.max(r["constraints.position"]) for r in (one, other)) < 1e-8, seed
        moved += max(np.max(np.ptp(one[f"{b.name}.position"], axis=0)) for b in model.bodies) > 1e-3
    assert 5 <= moved < 20


@pytest.mark.parametrize("formulation", WAYS)
def test_a_straight_arch_is_told_to_be_locked(formulation):
    """Its middle may begin to sink and may not go on: steps shrank for ever, each followed by one that failed."""
    with pytest.raises(dal.ConvergenceError, match=r"'middle'.*locked.*position"):
        dal.run(shallow_arch(0.0), until=0.5, accuracy=1e-6, formulation=formulation)


def test_an_arch_too_flat_for_rounding_names_its_joint():
    with pytest.raises((dal.SingularError, dal.ConvergenceError), match=r"'middle'.*lock"):
        dal.run(shallow_arch(1e-9), until=0.5, accuracy=1e-6, formulation="semi-recursive")


@pytest.mark.parametrize("rise", [0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("formulation", WAYS)
def test_an_arch_stands(formulation, rise):
    """A gap at its ends moves its top by the inverse of its slope; the moments about its top give the thrust.

    In natural coordinates no row by itself shows how weakly the top is held, and loads have to be carried all the same.
    """
    r = dal.run(shallow_arch(rise), until=0.5, accuracy=1e-6, formulation=formulation)
    assert np.max(np.ptp(r["two.position"], axis=0)) < PROJECTED / rise
    thrust = G / (2 * rise)
    assert np.max(np.abs(r["left.force"][:, 0] - thrust)) < PROJECTED / rise**2 * thrust
