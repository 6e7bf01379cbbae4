"""No time is special: a run from any time is that from zero with its laws, samples, grid, events and frames moved along."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start, start_at

EPS = np.finfo(float).eps
EVERY, UNTIL = 4e-3, 0.5
KNOTS = [0.0, 0.1, 0.23, 0.31, 2.0]


def machine(begin):
    """A driven arm: a table with bends, a sampled controller, a continuous one, an event, all in the time since `begin`."""
    def held(t, u):
        return -4.0 * u[0] + np.sin(40.0 * (t - begin))

    def damping(t, u):
        return -0.3 * u[0]

    link = dict(mass=1.0, com=(0, 0, -0.25), inertia=(0.02, 0.02, 0.001), points={"tip": (0, 0, -0.5)})
    table = dal.table([begin + t for t in KNOTS], [0.0, 3.0, -2.0, 1.0, 1.0])
    return dal.Model("machine").add(
        dal.Body("upper", **link), dal.Body("lower", **link),
        dal.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0), start=0.4),
        dal.Revolute("elbow", "upper.tip", "lower", axis=(0, 1, 0), start=-0.3),
        dal.Motor("bent", "elbow", effort=table), dal.Motor("sampled", "shoulder"), dal.Motor("brake", "shoulder"),
        dal.Controller("hold", inputs=["shoulder.angle"], outputs=["sampled"], law=held, every=EVERY),
        dal.Controller("damp", inputs=["shoulder.speed"], outputs=["brake"], law=damping),
        dal.Event("through", "elbow.angle"))


def frames_from(model, begin, *, step=None, integrator="dopri5", formulation="auto", until=UNTIL, roundings=0):
    """Return frames and events of a run of `until` seconds from a time, whose state is that of the start at zero.

    Its first coordinate is moved by some roundings.
    """
    start = prepare_start(model, formulation=formulation, t=begin)
    start = start_at(model, replace(start.state, t=begin), formulation)
    options = RunOptions(begin + until, step, 1e-9, integrator, formulation, None)
    s = Simulation(start, options, begin + np.linspace(0.0, until, 26))
    s.loop.flow.q[0] *= 1.0 + roundings * EPS
    ended = s.advance(begin + until)
    assert ended.error is None and s.t == begin + until
    s.recorder.collect()
    return s.recorder.frames(), s


@cache
def scattered_steps(integrator, step):
    """Return mean and deviation of the steps of runs from zero whose starts differ by roundings.

    A sample ends a step, and the law of a controller is differenced, which makes 1e-8 of a rounding: whether the last step
    before a sample just reaches it, and whether matrices of an older state still serve, may differ 125 times.
    """
    steps = [frames_from(machine(0.0), 0.0, integrator=integrator, step=step, roundings=k)[1].loop.steps for k in range(12)]
    return np.mean(steps), np.std(steps, ddof=1)


@pytest.mark.parametrize("begin", [0.7, 1000.0, -3.0, 0.0015])
@pytest.mark.parametrize("integrator, step", [("dopri5", None), ("rk4", 2e-3), ("radau", None), ("generalized-alpha", 2e-3)])
def test_a_run_may_begin_at_any_time(begin, integrator, step):
    """Samples are at multiples of the period: a start between two of them has its first one at once, as one at zero has."""
    if begin == 0.0015:
        begin = 0.7 + 1e-13  # a rounding away from a sample
    (zero, first), (moved, second) = (frames_from(machine(t), t, integrator=integrator, step=step) for t in (0.0, begin))
    assert np.allclose(moved["t"] - begin, zero["t"], rtol=0, atol=4 * EPS * max(abs(begin), 1.0))
    steps = first.loop.steps
    mean, deviation = scattered_steps(integrator, step)
    assert second.loop.steps == pytest.approx(mean, abs=5 * deviation + 2)  # 2: rests before samples and the end
    rounding = 1e4 * EPS * max(abs(begin), 1.0)  # of times, over the time scale of the laws, times the growth in a run
    tolerance = rounding + (1e-9 * steps if step is None else 1e-10 * steps)
    for name in ("q", "qd"):
        assert moved[name] == pytest.approx(zero[name], abs=tolerance * max(1.0, np.abs(zero[name]).max()))
    assert [e.t - begin for e in second.events] == pytest.approx([e.t for e in first.events], abs=10 * tolerance)
    assert first.events


def test_samples_after_a_start_between_two_of_them_are_at_multiples_of_the_period():
    begin, asked = 0.7 + 0.3 * EVERY, []

    def law(t, u):
        asked.append(t)
        return 0.0

    m = dal.Model("m").add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b"), dal.Motor("motor", "x"),
                           dal.Controller("c", inputs=["x.displacement"], outputs=["motor"], law=law, every=EVERY))
    frames_from(m, begin, until=5 * EVERY)
    due = [begin, *(EVERY * k for k in range(176, 181))]
    assert sorted(set(np.round(asked, 9))) == pytest.approx(due, abs=1e-9)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_loops_may_begin_at_any_time(formulation):
    model = slider_crank(0.7, start_rate=3.0)
    (zero, first), (moved, _) = (frames_from(model, t, formulation=formulation, until=0.2) for t in (0.0, 500.0))
    tolerance = 1e-9 * first.loop.steps + 1e4 * EPS * 500.0
    for name in ("q", "qd"):
        assert moved[name] == pytest.approx(zero[name], abs=tolerance * max(1.0, np.abs(zero[name]).max()))


def test_the_longest_step_is_a_share_of_the_time_that_is_left_and_not_of_the_time():
    """A free fall bounds no step by its error."""
    m = dal.Model("fall").add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b", axis=(0, 0, 1)))
    (_, first), (_, second) = (frames_from(m, t) for t in (0.0, 1e4))
    assert first.loop.stats(0.0).largest_step == pytest.approx(UNTIL / 10, rel=1e-6)
    assert second.loop.stats(0.0).largest_step == pytest.approx(UNTIL / 10, rel=1e-6)
