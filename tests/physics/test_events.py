"""Events: where and when switches cross, what stops, and that nothing within a step is missed."""

import numpy as np
import pytest
from physics.loop_models import G
from promises import PROJECTED_RATES

import dalembert as dal
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start, start_at
from dalembert.start.state import state_of

Y, Z = (0, 1, 0), (0, 0, 1)
METHODS = [("dopri5", None), ("rk4", 0.01), ("radau", None), ("sdirk4", None), ("generalized-alpha", None),
           ("trapezoidal", 0.01)]


def falling(**event):
    """A ball that is let go at 1 m; it falls with constant acceleration, which all methods and dense output have exactly."""
    return dal.Model("fall", gravity=(0, 0, -10.0)).add(
        dal.Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1)), dal.Free("free", "ground", "ball", start=(0, 0, 1.0)),
        dal.Event("half", **({"inputs": "ball.position.z", "value": 0.5} | event)))


@pytest.mark.parametrize("integrator, step", METHODS)
def test_a_crossing_is_located_to_rounding(integrator, step):
    r = dal.run(falling(), until=1.0, integrator=integrator, step=step, formulation="recursive")
    assert [(e.kind, e.name, e.direction) for e in r.events] == [("crossing", "half", -1)]
    assert r.events[0].t == pytest.approx(np.sqrt(0.1), abs=1e-9)


@pytest.mark.parametrize("integrator, step", METHODS)
def test_a_stop_ends_the_run_in_the_state_of_the_crossing(integrator, step):
    r = dal.run(falling(stop=True), until=1.0, record=0.05, integrator=integrator, step=step, formulation="recursive")
    assert r.t[-1] == r.events[-1].t == pytest.approx(np.sqrt(0.1), abs=1e-9)
    assert np.array_equal(r.t[:-1], np.arange(7) * 0.05)
    assert r["ball.position"][-1, 2] == pytest.approx(0.5, abs=1e-9)
    assert r["ball.velocity"][-1, 2] == pytest.approx(-10.0 * np.sqrt(0.1), abs=1e-8)
    assert "stopped at t = 0.316" in r.messages[-1] and r.status == "ok"


def test_directions_are_kept_apart():
    m = dal.Model("swing", gravity=(0, 0, -9.81)).add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)),
        dal.Revolute("pivot", "ground", "rod", axis=Y, start=0.5),
        *(dal.Event(d, "pivot.angle", direction=d) for d in ("up", "down", "both")))
    r = dal.run(m, until=6.0, accuracy=1e-9)
    found = {d: [e.t for e in r.events if e.name == d] for d in ("up", "down", "both")}
    assert len(found["up"]) >= 3 and sorted(found["up"] + found["down"]) == pytest.approx(found["both"], abs=0)
    period = np.diff(found["up"])
    assert np.ptp(period) < 1e-6 * period[0]  # accuracy of a step times their number
    assert [e.t for e in r.events] == sorted(e.t for e in r.events)


def test_two_crossings_within_one_step_are_both_found():
    """A throw reaches just above a height and falls back; Runge-Kutta steps and the quintic are exact for it."""
    m = dal.Model("throw", gravity=(0, 0, -10.0)).add(
        dal.Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1)),
        dal.Free("free", "ground", "ball", start_rate=(0, 0, 5.0, 0, 0, 0)),
        dal.Event("peak", "ball.position.z", value=1.2), dal.Event("back", "ball.position.z", value=1.2, direction="down"))
    r = dal.run(m, until=1.0, integrator="rk4", step=1.0, formulation="recursive")
    t = 0.5 + np.array([-1, 1]) * np.sqrt(2 * 0.05 / 10.0)
    assert r.stats.steps == 1 and [(e.name, e.direction) for e in r.events] == [("peak", 1), ("peak", -1), ("back", -1)]
    assert [e.t for e in r.events] == pytest.approx([t[0], t[1], t[1]], abs=1e-9)


@pytest.mark.parametrize("direction", ["up", "both"])
def test_a_crossing_at_the_end_of_a_step_is_listed_once(direction):
    m = falling(inputs="time", value=0.5, direction=direction)
    r = dal.run(m, until=1.0, integrator="rk4", step=0.25, formulation="recursive")
    assert [(e.t, e.direction) for e in r.events] == [(0.5, 1)]


def test_a_stop_keeps_what_happens_later_in_its_step():
    """The rest of a step that an event has cut is taken anew, with the events in it."""
    m = falling(stop=True).add(dal.Event("low", "ball.position.z", value=0.45))
    s = simulation(m, step=1.0)
    assert s.advance(1.0).stopped and [e.name for e in s.events] == ["half"]
    assert not s.advance(1.0).stopped and [e.name for e in s.events] == ["half", "low"]
    assert s.events[1].t == pytest.approx(np.sqrt(0.11), abs=1e-9)


@pytest.mark.parametrize("compiled", [False, True])
def test_functions_of_several_channels(compiled):
    def distance(t, u):
        return u[0] * u[0] + u[2] * u[2] - 0.25

    m = falling(inputs=["ball.position"], function=dal.law(distance) if compiled else distance, value=0.0)
    r = dal.run(m, until=0.4)
    assert r.events[0].t == pytest.approx(np.sqrt(0.1), abs=1e-9)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_loops_stop_on_their_constraints(formulation):
    """A four-bar that falls is stopped where its crank is level; it keeps its constraints there and its energy."""
    rod = dict(mass=1.0, inertia=(0.1, 0.1, 0.1))
    m = dal.Model("four-bar", ground={"right": (2.0, 0, 0)}, gravity=(0, -G, 0)).add(
        dal.Body("crank", **rod, points={"pin": (0.5, 0, 0)}), dal.Body("coupler", **rod, points={"pin": (2.0, 0, 0)}),
        dal.Body("rocker", **rod, points={"pin": (1.2, 0, 0)}), dal.Revolute("main", "ground", "crank", axis=Z, start=1.0),
        dal.Revolute("a", "crank.pin", "coupler", axis=Z),
        dal.Revolute("b", "ground.right", "rocker", axis=Z, start=dal.guess(1.5)),
        dal.Revolute("c", "coupler.pin", "rocker.pin", axis=Z), dal.Event("turn", "crank.pin.velocity.y", stop=True))
    r = dal.run(m, until=3.0, accuracy=1e-9, formulation=formulation)
    fastest = np.max(abs(r["crank.pin.velocity"]))
    assert r.t[-1] < 3.0 and abs(r["crank.pin.velocity"][-1, 1]) < 10 * PROJECTED_RATES * fastest
    assert r["constraints.position"][-1] < 1e-12 and r["constraints.velocity"][-1] < 1e-8
    assert np.ptp(r["energy.total"]) < 1e-9 * r.stats.steps * np.ptp(r["energy.kinetic"])


def test_events_are_stored(tmp_path):
    r = dal.run(falling(), until=1.0, store=tmp_path / "out.h5")
    assert dal.load(tmp_path / "out.h5").events == r.events
    r.save(tmp_path / "other.h5")
    assert dal.load(tmp_path / "other.h5").events == r.events


@pytest.mark.parametrize("said, text", [
    (dict(inputs="ball.positon"), "ball"), (dict(inputs="ball.position"), "3 numbers, expected one"),
    (dict(inputs="free.force"), "cannot be watched"), (dict(direction="left"), "'both', 'up' or 'down'"),
    (dict(function=lambda t: 0.0), "expected f\\(t, u\\)"),
], ids=lambda x: "")
def test_faults_name_the_event(said, text):
    m = dal.Model("fall").add(dal.Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1)), dal.Free("free", "ground", "ball"),
                              dal.Event("half", **({"inputs": "ball.position.z"} | said)))
    with pytest.raises(dal.ModelError, match=f"events.half(.|\n)*{text}"):
        dal.run(m, until=0.1)


def simulation(model, step=None, **settings):
    options = RunOptions(10.0, step, 1e-9, "auto", "auto", None)
    return Simulation(prepare_start(model), options, np.zeros(0), **settings)


@pytest.mark.parametrize("step", [None, 0.013])
def test_a_condition_stops_within_the_step_in_which_it_becomes_true(step):
    s = simulation(falling(), step)
    ended = s.advance(1.0, stop=lambda sim: sim["ball.position"][2] < 0.5)
    assert ended.stopped and s.t == pytest.approx(np.sqrt(0.1), abs=1e-9)
    assert s.advance(0.4).t == 0.4 and not s.advance(0.5).stopped
    assert s["ball.position"][2] == pytest.approx(1.0 - 5.0 * 0.25, abs=1e-8)


def test_an_advance_in_pieces_is_the_whole():
    m = dal.Model("swing").add(dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)),
                               dal.Revolute("pivot", "ground", "rod", axis=Y, start=1.0))
    whole = dal.run(m, until=2.0, accuracy=1e-9)
    s = simulation(m)
    for t in np.linspace(0.0, 2.0, 41)[1:]:
        assert s.advance(t).t == t
    assert s["pivot.angle"] == pytest.approx(whole["pivot.angle"][-1], abs=1e-9 * whole.stats.steps)


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive", "global"])
def test_a_simulation_begins_at_a_state_at_any_time(formulation):
    """Interrupted at 0.7 s, and begun anew at the state found there, with a law of time that goes on."""
    m = dal.Model("swing").add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)),
        dal.Revolute("pivot", "ground", "rod", axis=Y, start=1.0),
        dal.Motor("motor", "pivot", effort=dal.sine(amplitude=3.0, omega=5.0)))
    options = RunOptions(2.0, None, 1e-9, "auto", "auto", None)
    whole, first = (Simulation(prepare_start(m, formulation=formulation), options, np.zeros(0)) for _ in range(2))
    whole.advance(2.0)
    first.advance(0.7)
    frame = first.state()
    state = state_of(first.begin.shown, 0.7, frame["q"][0], frame["qd"][0])
    second = Simulation(start_at(m, state, formulation), options, np.zeros(0))
    assert second.t == 0.7 and second["pivot.angle"] == pytest.approx(first["pivot.angle"], abs=4 * np.finfo(float).eps)
    assert second.advance(2.0).t == 2.0
    steps = whole.loop.steps + second.loop.steps
    assert second["pivot.angle"] == pytest.approx(whole["pivot.angle"], abs=1e-9 * steps)


def test_loads_from_outside_act_like_forces():
    """A constant force and moment on a free body, and their power, against Newton and Euler."""
    m = dal.Model("free", gravity=(0, 0, 0)).add(dal.Body("ball", mass=2.0, inertia=(0.5, 0.5, 0.5), com=(0.0, 0.0, 0.0)),
                                                 dal.Free("free", "ground", "ball", start=(1.0, 2.0, 3.0)))
    s = simulation(m, outer=True)
    wrench = np.zeros((2, 6))
    wrench[1] = (4.0, 0.0, -2.0, 0.0, 0.5, 0.0)
    s.load(wrench)
    s.advance(1.0)
    assert s["ball.position"] == pytest.approx((1.0 + 1.0, 2.0, 3.0 - 0.5), abs=1e-9)
    assert s["ball.angular_velocity"] == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
    assert s["energy.power"] == pytest.approx(4.0 * 2.0 + 2.0 * 1.0 + 0.5 * 1.0, abs=1e-8)
    s.load()
    s.advance(2.0)
    assert s["ball.velocity"] == pytest.approx((2.0, 0.0, -1.0), abs=1e-9)
