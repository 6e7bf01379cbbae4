"""Frames hold what a run has solved: measuring solves nothing, and natural coordinates are recorded as they are."""

from dataclasses import replace

import numpy as np
import pytest
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.kernels.natural.coordinates import FRAME
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.evaluate import evaluate_frames
from dalembert.start.initial import prepare_start
from dalembert.start.multipliers import complete_multipliers
from dalembert.start.natural import solve_frames

EPS = np.finfo(float).eps
FRAMES = ("t", "q", "qd", "qdd")
TABLES = ("reaction", "effort", "body", "element")


def simulation(model, integrator="trapezoidal", until=4e-3, step=1e-3, formulation="global"):
    options = RunOptions(until, step, 1e-9, integrator, formulation, None)
    s = Simulation(prepare_start(model, formulation=formulation), options, np.linspace(0.0, until, 5))
    assert s.advance(until).error is None
    s.recorder.collect()
    return s


def beams(loop=False):
    """A hinged beam of two superelements with modes, and perhaps a strut that closes a loop."""
    m = dal.Model("beams", gravity=(0, 0, -9.81), ground={"wall": (1.0, 0, -1.0)}).add(
        dal.Beam("rod", length=1.0, section=dal.Circle(0.02), bodies=2, modes=1, points={"mid": 0.3},
                 material=dal.Material(young=1e8, poisson=0.3, density=1000.0, damping=1e-4)),
        dal.Revolute("hinge", "ground", "rod.start", axis=(0, 1, 0)))
    return m.add(dal.Distance("strut", "ground.wall", "rod.end")) if loop else m


@pytest.mark.parametrize("loop", [False, True])
def test_measured_loads_are_those_of_the_recorded_accelerations(loop):
    """At a given position and rate all loads are affine in accelerations and multipliers; solved anew they would stay."""
    s = simulation(beams(loop), formulation=dal.Global(projection="mass"))
    packed, frames = s.begin.shown, s.recorder.frames()
    rng = np.random.default_rng(0)
    change = {"qdd": rng.normal(size=frames["qdd"].shape), "multiplier": rng.normal(size=frames["multiplier"].shape)}

    def measured(factor):
        states = [frames["t"], frames["q"], frames["qd"], frames["qdd"] + factor * change["qdd"]]
        return evaluate_frames(packed, *states, frames["multiplier"] + factor * change["multiplier"], frames["loads"])

    zero, one, two = (measured(factor) for factor in (0.0, 1.0, 2.0))
    for name in TABLES:
        size = max(1.0, max(np.abs(values[name]).max(initial=0.0) for values in (zero, one, two)))
        assert np.abs(zero[name] - 2 * one[name] + two[name]).max(initial=0.0) <= 1e5 * EPS * size, name
    assert np.abs(one["reaction"] - zero["reaction"]).max() > 1e-3


@pytest.mark.parametrize("integrator", ["trapezoidal", "generalized-alpha"])
@pytest.mark.parametrize("loop", [False, True])
def test_accelerations_of_implicit_steps_balance_the_equations_as_they_are_recorded(integrator, loop):
    """Those of the step, against accelerations that are solved for in the recorded state."""
    s = simulation(beams(loop), integrator, until=2e-3, step=2.5e-4)
    frames = s.recorder.frames()
    anew = solve_frames(s.begin.shown, *(frames[name] for name in ("t", "q", "qd", "loads")))
    size = np.abs(anew).max()
    assert np.abs(frames["qdd"] - anew).max() <= 1e-3 * size


def test_measuring_frames_with_multipliers_evaluates_no_accelerations():
    """A system whose mass matrix cannot be factored is measured all the same."""
    s = simulation(beams(loop=True), formulation=dal.Global(projection="mass"))
    packed, frames = s.begin.shown, s.recorder.frames()
    assert np.all(np.isfinite(frames["multiplier"]))
    states, loads = [frames[name] for name in FRAMES], frames["loads"]
    sound = evaluate_frames(packed, *states, frames["multiplier"], loads)
    spoiled = packed.system.row.copy()
    spoiled["penalty"] = np.nan
    broken = replace(packed, system=packed.system._replace(row=spoiled))
    again = evaluate_frames(broken, *states, frames["multiplier"], loads)
    for name in TABLES:
        size = np.abs(sound[name]).max(initial=1.0)
        assert np.abs(again[name] - sound[name]).max(initial=0.0) <= 10 * EPS * size, name


def test_natural_coordinates_are_recorded_as_they_are():
    s = simulation(slider_crank(0.7, start_rate=3.0), "rk4")
    (block,) = s.recorder.blocks
    n_body = len(s.begin.packed.system.body) - 1
    assert block["q"].shape == (5, FRAME * n_body)
    axes = block["q"].reshape(5, n_body, 4, 3)[:, :, 1:]
    assert np.abs(np.einsum("fbik,fbjk->fbij", axes, axes) - np.eye(3)).max() < 1e-9
    assert np.array_equal(block["q"][-1], s.loop.flow.q) and np.array_equal(block["qdd"][-1], s.loop.flow.qdd)
    shown = s.recorder.frames()
    assert shown["q"].shape == (5, s.begin.packed.layout.n_q)
    state = s.state()
    for name in ("q", "qd", "qdd"):
        assert shown[name][-1] == pytest.approx(state[name][0], rel=0, abs=0)


def test_a_file_takes_the_frames_of_joints(tmp_path):
    m = slider_crank(0.7, start_rate=3.0)
    r = dal.run(m, until=0.05, step=1e-3, formulation="global", store=tmp_path / "out.h5")
    again = dal.load(tmp_path / "out.h5")
    assert np.array_equal(again["main.angle"], r["main.angle"]) and np.array_equal(again["main.force"], r["main.force"])


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
@pytest.mark.parametrize("integrator", ["rk4", "dopri5"])
def test_ends_of_explicit_steps_are_recorded_with_their_multipliers(integrator, formulation):
    """Those of the last evaluation of the step, which is that of its end."""
    s = simulation(slider_crank(0.7, start_rate=3.0), integrator, formulation=formulation, step=None if integrator == "dopri5"
                   else 1e-3)
    frames = s.recorder.frames()
    assert np.all(np.isfinite(frames["multiplier"]))
    anew = complete_multipliers(s.begin.shown, *(frames[name] for name in ("t", "q", "qd")), None, frames["loads"])
    assert frames["multiplier"] == pytest.approx(anew, abs=1e-6 * np.abs(anew).max())


def test_frames_without_multipliers_are_completed_before_they_are_measured():
    """Projections with the matrix of the step leave none; measured tables are then those of the completed ones."""
    s = simulation(slider_crank(0.7, start_rate=3.0), formulation=dal.SemiRecursive(projection="step"))
    packed, frames = s.begin.shown, s.recorder.frames()
    assert not np.all(np.isfinite(frames["multiplier"]))
    states, loads = [frames[name] for name in FRAMES], frames["loads"]
    whole = complete_multipliers(packed, *states[:3], frames["multiplier"], loads)
    known = np.isfinite(frames["multiplier"])
    assert np.all(np.isfinite(whole)) and np.array_equal(whole[known], frames["multiplier"][known])
    one, other = (evaluate_frames(packed, *states, each, loads) for each in (frames["multiplier"], whole))
    for name in TABLES:
        assert np.array_equal(one[name], other[name]), name
