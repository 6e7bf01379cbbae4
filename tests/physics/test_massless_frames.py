"""Frames of models with massless directions: completed between steps, in the kernels; and which formulations run them."""

from math import pi

import numpy as np
import pytest

import dalembert as dal
from dalembert.simulate import recorder as recorder_module
from dalembert.start.initial import prepare_start
from dalembert.start.massless import complete

SPRING, DAMPER, OMEGA = 1000.0, 1.0, 10.0


def oscillator(damping=DAMPER) -> dal.Model:
    """Massless body between a wall and a mass [ARN (6)]."""
    m, x = dal.Model("oscillator", gravity=(0, 0, 0)), (1, 0, 0)
    m.add(dal.Body("one"), dal.Body("two", mass=1.0), dal.Prismatic("p1", "ground", "one", axis=x),
          dal.Prismatic("q2", "one", "two", axis=x), dal.JointSpring("wall", "p1", stiffness=SPRING, damping=damping),
          dal.JointSpring("link", "q2", stiffness=SPRING, damping=damping),
          dal.Force("load", "one", direction=x, magnitude=dal.sine(amplitude=100.0, omega=OMEGA, phase=pi / 2)))
    return m


def nodes_on_ball() -> dal.Model:
    """A swinging ball joint that carries a massless arm and a mass on it: motions that turn with the state."""
    m = dal.Model("turning", gravity=(0, 0, -9.81))
    m.add(dal.Body("bob", mass=1.0, com=(0, 0, -0.5), inertia=(0.02, 0.03, 0.04), points={"tip": (0, 0, -1)}),
          dal.Body("node", points={"end": (0.3, 0, 0)}), dal.Spherical("ball", "ground", "bob", start_rate=(1.0, 2.0, 0.5)),
          dal.Prismatic("rail", "bob.tip", "node", axis=(1, 0, 0)),
          dal.JointSpring("soft", "rail", stiffness=50.0, damping=5.0),
          dal.SpringDamper("tie", "ground", "node", stiffness=20.0, damping=1.0, length=0.5))
    return m


@pytest.mark.parametrize("model", [oscillator, nodes_on_ball])
@pytest.mark.parametrize("integrator", ["radau", "sdirk4"])
def test_frames_are_what_the_equations_ask_for(model, integrator, monkeypatch):
    """Completed by the kernels alone, and equal to the completion of a single state by start/massless.py."""
    def never(*_):
        raise AssertionError("a frame was left to Python")

    m, accuracy = model(), 1e-8
    begin = prepare_start(m)
    monkeypatch.setattr(recorder_module, "complete_frame", never)
    r = dal.run(m, until=0.5, integrator=integrator, accuracy=accuracy)
    frames = r.frames()
    for f in range(0, len(r.t), 7):
        qd, qdd = complete(begin.packed, r.t[f], frames["q"][f], frames["qd"][f])
        size = np.max(abs(frames["qd"]))
        assert np.max(abs(qd - frames["qd"][f])) <= 1e-10 * size  # rounding of forces over damping
        assert np.max(abs(qdd - frames["qdd"][f])) <= 1e-6 * np.max(abs(frames["qdd"]))  # laws differenced over 1e-6 s


@pytest.mark.parametrize("integrator", ["radau", "sdirk4"])
def test_frames_between_steps_are_as_exact_as_those_at_their_ends(integrator):
    accuracy, times = 1e-7, np.linspace(0.0, 1.0, 2001)
    between = dal.run(oscillator(), until=1.0, integrator=integrator, accuracy=accuracy, record=times)
    assert between.stats.steps < 0.9 * len(times)  # else nothing was read off between steps
    fine = dal.run(oscillator(), until=1.0, integrator="radau", accuracy=1e-11, record=times)
    for channel in ("p1.displacement", "q2.displacement"):
        assert np.max(abs(between[channel] - fine[channel])) <= 10 * accuracy * between.stats.steps**0.5


def test_all_of_a_fast_decay_is_known_at_recorded_times():
    """Decay within nanoseconds: rates are known where a step ends, and there to the accuracy."""
    r = dal.run(oscillator(damping=1e-6), until=0.2, integrator="radau")
    late = r.t > 0.01
    fine = dal.run(oscillator(damping=1e-6), until=0.2, integrator="radau", accuracy=1e-9)
    assert np.max(abs(r["p1.speed"] - fine["p1.speed"])[late]) <= 1e-4 * np.max(abs(fine["p1.speed"][late]))


def test_formulations_lists_what_runs_and_says_why_not():
    m = oscillator()
    reasons = dal.formulations(m, why=True)
    assert list(reasons) == ["recursive", "semi-recursive", "interface", "global", "modular"]
    assert dal.formulations(m) == [name for name, reason in reasons.items() if reason is None]
    assert dal.formulations(m) == ["recursive", "semi-recursive", "global"]
    for name in dal.formulations(m):
        assert dal.run(m, until=0.01, formulation=name).status == "ok"


def test_formulations_of_a_body_without_any_equation_say_which_joint_lacks_it():
    m = oscillator().without("wall", "link")
    reasons = dal.formulations(m, why=True)
    assert dal.formulations(m) == []
    assert "no flexible bodies" in reasons.pop("interface")
    for reason in reasons.values():
        assert "'p1'" in reason and "neither damping nor stiffness" in reason


def test_the_reason_of_a_loop_names_it():
    m = dal.Model("triangle")
    m.add(dal.Body("a", mass=1.0, inertia=(1, 1, 1), points={"end": (1, 0, 0)}),
          dal.Body("b", mass=1.0, inertia=(1, 1, 1), points={"end": (1, 0, 0)}),
          dal.Revolute("first", "ground", "a", axis=(0, 0, 1)),
          dal.Revolute("second", "a.end", "b", axis=(0, 0, 1), start=2.0),
          dal.Distance("rod", "ground", "b.end"))
    reasons = dal.formulations(m, why=True)
    assert reasons["semi-recursive"] is None and reasons["global"] is None
    assert "'rod'" in reasons["recursive"]


def test_semi_recursive_runs_the_semi_recursive_method_on_massless_trees():
    r = dal.run(oscillator(), until=0.01, formulation="semi-recursive")
    assert r.provenance["formulation"] == "semi-recursive"
    assert not any("semi-recursive" in message for message in r.messages)
