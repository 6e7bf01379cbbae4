"""Mechanisms whose drives prescribe everything go through the one time loop: events, frames and multipliers as of a run."""

import numpy as np
import pytest
from physics.loop_models import CRANK, ROD, slider_crank, slider_position, slider_slope
from promises import ASSEMBLED

import dalembert as dal
from dalembert.analyses.kinematics import prepare_driven
from dalembert.simulate.integrators import Driven
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions

EPS = np.finfo(float).eps
OMEGA = 2.0


def turning(**law):
    """A slider-crank whose crank turns at a constant speed."""
    return slider_crank().add(dal.Motion("drive", "main", **(law or {"position": lambda t: 0.4 + OMEGA * t})))


def simulation(model, times):
    begin = prepare_driven(model, times)
    return Simulation(begin, RunOptions(float(times[-1]), None, 1e-6, Driven(), "auto", None), times)


def test_a_driven_mechanism_is_advanced_looked_at_and_stopped_like_any_other():
    s = simulation(turning(), np.array([0.0, 0.1]))
    assert s.advance(0.05).t == 0.05 and s["guide.displacement"] == pytest.approx(slider_position(0.5), abs=10 * ASSEMBLED)
    ended = s.advance(0.1, stop=lambda at: at["main.angle"] >= 0.55)
    assert ended.stopped and s.t == pytest.approx(0.075, rel=1e-9)
    assert s["guide.speed"] == pytest.approx(OMEGA * slider_slope(0.55), rel=1e-8)


def test_frames_hold_the_multipliers_that_their_steps_found():
    times = np.linspace(0.0, 0.3, 4)
    s = simulation(turning(), times)
    assert s.advance(0.3).error is None
    s.recorder.collect()
    frames = s.recorder.frames()
    assert np.array_equal(frames["t"], times)
    assert frames["multiplier"].shape[1] > 0 and np.all(np.isfinite(frames["multiplier"]))


def test_kinematics_ends_at_an_event_that_stops():
    """The crank is upright where the slider is sqrt(ROD² - CRANK²) away."""
    m = turning().add(dal.Event("upright", "slider.position.x", value=np.sqrt(ROD**2 - CRANK**2), direction="down", stop=True))
    r = dal.kinematics(m, np.linspace(0.0, 1.0, 11))
    reached = (np.pi / 2 - 0.4) / OMEGA
    (event,) = r.events
    assert event.t == pytest.approx(reached, rel=1e-7) and r.t[-1] <= event.t < r.t[-1] + 0.1


def test_frames_before_time_zero():
    """The start is then that of the first frame."""
    r = dal.kinematics(turning(), [-0.5, -0.1, 0.3])
    assert r["main.angle"] == pytest.approx(0.4 + OMEGA * r.t, abs=10 * EPS)
    assert r["guide.displacement"] == pytest.approx(slider_position(0.4 + OMEGA * r.t), abs=10 * ASSEMBLED)


@pytest.mark.parametrize("kink", [0.1, 0.2345])
def test_a_speed_that_bends_is_integrated_exactly(kink):
    """At a frame and between two; a law in Python says nothing of where it bends."""
    times = np.linspace(0.0, 0.5, 6)
    drive = dal.Motion("drive", "main", speed=lambda t: 1.0 + 3.0 * max(0.0, t - kink))
    r = dal.kinematics(slider_crank(0.4).add(drive), times)
    exact = 0.4 + times + 1.5 * np.maximum(0.0, times - kink) ** 2
    panel = 0.1 / 256
    assert r["main.angle"] == pytest.approx(exact, abs=10 * EPS + 3.0 * panel**2)


def test_controllers_do_not_act():
    m = turning().add(dal.Motor("motor", "main", effort=0.0), dal.Controller(
        "hand", inputs=["main.angle"], outputs=["motor"], law=lambda t, u: [7.0], every=0.05))
    r, bare = dal.kinematics(m, np.linspace(0.0, 0.2, 5)), dal.kinematics(turning(), np.linspace(0.0, 0.2, 5))
    assert any("controllers act in runs only" in text for text in r.messages)
    assert r["main.effort"] == pytest.approx(bare["main.effort"], rel=1e-9)
