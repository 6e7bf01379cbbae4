"""Backward differentiation formulas: orders, cost against an independent solver, events, loads, starts at any time."""

import numpy as np
import pytest
from physics.loop_models import slider_crank
from physics.states import observed_order
from physics.test_order import MECHANISMS, error_of

import dalembert as dal
from dalembert.kernels.step.past import PAST
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start

ORDERS = (1, 2, 3, 4, 5)
STEPS = {1: (0.004, 0.002, 0.001), 2: (0.004, 0.002, 0.001), 3: (0.005, 0.004, 0.0025), 4: (0.0025, 0.002, 0.00125),
         5: (0.005, 0.004, 0.0025)}
"""Balls turn by a tenth of a radian in them; shorter ones of high order meet rounding."""
LOOP_STEPS = {**STEPS, 4: (0.00125, 0.001, 0.0005)}
"""The slider-crank's leading term of order four is small: other orders make a fifth of its error at 0.0025 s, most at 0.01."""
ROUGH = 1.0
"""An accuracy that no step is too long for."""
FINE = 1e-13
"""Tolerance of the iteration, and accuracy of the reference."""
UNTIL = 0.5


def end_state(results, channels):
    """Return the last frame's channels as one vector."""
    return np.concatenate([np.ravel(results[c][-1]) for c in channels])


def options(integrator, accuracy, until=UNTIL):
    """Return the options of a run."""
    return RunOptions(until=until, step=None, accuracy=accuracy, integrator=integrator, formulation="auto", record=None)


def slider_crank_loop():
    """A mechanism with a loop, and its state."""
    return slider_crank(), ("guide.displacement", "main.speed", "rod.velocity")


def after_equal_steps(mechanism, order, h):
    """Return the state at the end of equal steps of one order, which begin with a past that is exact."""
    model, channels = mechanism()
    begin = prepare_start(model)
    before = Simulation(begin, options("dopri5", FINE), np.arange(order + 1) * h)
    before.advance(order * h)
    before.recorder.collect()
    exact = before.recorder.frames()
    run = Simulation(begin, options(dal.Bdf(max_order=order), ROUGH), np.zeros(0))
    loop = run.loop
    flow, past = loop.flow, loop.method.past
    p, own = flow.progress[0], past.state[0]
    flow.q[:], flow.qd[:] = exact["q"][-1], exact["qd"][-1]
    p.t = p.t_last = order * h
    run.state()  # begins: one state, order one
    for row in range(order + 1):
        past.t[row], past.q[row], past.qd[row] = exact["t"][row], exact["q"][row], exact["qd"][row]
    own.newest, own.points, own.order, own.guessed = order, order + 1, order, 0
    p.history, p.h = order, h
    loop.opt[0].newton = FINE
    loop.opt[0].h_max = h
    assert run.advance(UNTIL).error is None
    assert own.order == order and loop.steps == round(UNTIL / h) - order
    return np.concatenate([np.ravel(run[c]) for c in channels])


@pytest.mark.parametrize("mechanism", [*MECHANISMS, slider_crank_loop], ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", ORDERS)
def test_every_order_is_reached(order, mechanism):
    model, channels = mechanism()
    exact = end_state(dal.run(model, until=UNTIL, accuracy=FINE, integrator="dopri5", record=[UNTIL]), channels)
    steps = (LOOP_STEPS if mechanism is slider_crank_loop else STEPS)[order]
    found = observed_order(lambda h: float(np.max(abs(after_equal_steps(mechanism, order, h) - exact))), steps)
    assert found == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda f: f.__name__)
def test_tightening_the_accuracy_reduces_the_error_accordingly(mechanism):
    """Errors are local ones, of mostly order six, times steps, whose number grows by the sixth root: between 1 - 1/6 and 1."""
    accuracies = np.array([1e-5, 1e-6, 1e-7, 1e-8])
    errors = [error_of(mechanism, accuracy=a, integrator="bdf") for a in accuracies]
    assert np.polyfit(np.log(accuracies), np.log(errors), 1)[0] == pytest.approx(1 - 1 / 12, abs=0.2)


def pendulums(n=3):
    """A chain of point masses."""
    m = dal.Model("pendulums", gravity=(0, 0, -9.81))
    for i in range(n):
        m.add(dal.Body(f"b{i}", mass=1.2, com=(0, 0, -0.5), inertia=(0, 0, 0), points={"end": (0, 0, -0.5)}),
              dal.Revolute(f"j{i}", f"b{i - 1}.end" if i else "ground", f"b{i}", axis=(0, -1, 0),
                           start=1.0 if i == 0 else 0.2))
    return m


def ida_run(n, accuracy, until):
    """Steps and joint angles of SUNDIALS IDA on the chain in absolute angles, written by hand."""
    from sksundae.ida import IDA

    carried = 1.2 * (n - np.arange(n))
    weight = 0.25 * np.minimum.outer(carried, carried)

    def dynamics(angle, speed, acceleration):
        apart = angle[:, None] - angle
        turning = weight * (np.cos(apart) * acceleration + np.sin(apart) * speed**2)
        return turning.sum(axis=1) + 9.81 * 0.5 * carried * np.sin(angle)

    def residual(t, y, yp, out):
        out[:n], out[n:] = yp[:n] - y[n:], dynamics(y[:n], y[n:], yp[n:])

    angle, still = 1.0 + 0.2 * np.arange(n), np.zeros(n)
    M = weight * np.cos(angle[:, None] - angle)
    solver = IDA(residual, rtol=accuracy, atol=accuracy, max_num_steps=10**6)
    y, t, steps = np.concatenate([angle, still]), 0.0, 0
    solver.init_step(0.0, y, np.concatenate([still, np.linalg.solve(M, -dynamics(angle, still, still))]))
    while t < until:
        found = solver.step(until, method="onestep", tstop=until)
        t, y, steps = float(np.ravel(found.t)[-1]), np.ravel(found.y), steps + 1
    return steps, np.diff(y[:n], prepend=0.0)


def test_as_many_steps_as_an_independent_solver_for_the_same_error():
    """Steps for an error, by straight lines through five runs of each in logarithms: the same formulas, other choices."""
    pytest.importorskip("sksundae")
    until, accuracies = 3.0, 10.0 ** -np.arange(5, 10)
    channels = [f"j{i}.angle" for i in range(3)]
    exact = end_state(dal.run(pendulums(), until=until, accuracy=1e-12, integrator="dopri5", record=[until]), channels)
    ours, theirs = [], []
    for accuracy in accuracies:
        r = dal.run(pendulums(), until=until, accuracy=accuracy, integrator="bdf", record=[until])
        ours.append((np.max(abs(end_state(r, channels) - exact)), r.stats.steps))
        steps, angles = ida_run(3, accuracy, until)
        theirs.append((np.max(abs(angles - exact)), steps))

    def steps_for(runs, error):
        errors, steps = np.log(np.array(runs)).T
        return np.exp(np.polyval(np.polyfit(errors, steps, 1), np.log(error)))

    for error in (1e-5, 1e-6, 1e-7):
        assert steps_for(ours, error) <= 1.3 * steps_for(theirs, error)


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive", "global"])
def test_events_and_stops_are_found_in_steps_of_many_orders(formulation):
    """The pendulum's passages; states between steps are as good as steps are."""
    m = pendulums(1).add(dal.Event("passage", "j0.angle"), dal.Event("end", "j0.angle", value=0.5, direction="up", stop=True))
    accuracy = 1e-8
    bdf, exact = (dal.run(m, until=6.0, integrator=name, accuracy=a, formulation=formulation)
                  for name, a in (("bdf", accuracy), ("dopri5", 1e-11)))
    assert [e.name for e in bdf.events] == [e.name for e in exact.events] and len(exact.events) > 1
    assert exact.events[-1].name == "end"
    allowed = 10 * accuracy * bdf.stats.steps
    assert [e.t for e in bdf.events] == pytest.approx([e.t for e in exact.events], abs=allowed)
    assert bdf.t[-1] == bdf.events[-1].t
    assert bdf["j0.angle"][-1] == pytest.approx(0.5, abs=1e-9)


def test_a_run_begins_at_any_time_and_goes_on_under_new_loads():
    """From the state of one run at 0.4 s; a load from outside is set at 0.7 s, where the past begins anew."""
    ends = {}
    for name, accuracy in (("bdf", 1e-8), ("dopri5", 1e-11)):
        first = dal.run(pendulums(2), until=0.4, integrator=name, accuracy=accuracy)
        start = {j: float(first[f"{j}.angle"][-1]) for j in ("j0", "j1")}
        rates = {j: float(first[f"{j}.speed"][-1]) for j in ("j0", "j1")}
        begin = prepare_start(pendulums(2), start, rates)
        run = Simulation(begin, options(name, accuracy, 1.0), np.zeros(0), outer=True)
        run.loop.flow.progress[0].t = run.loop.flow.progress[0].t_last = 0.4
        assert run.advance(0.7).t == 0.7
        run.load(efforts=np.array([3.0, -1.0]))
        assert run.advance(1.0).t == 1.0
        ends[name] = run["j0.angle"], run["j1.angle"], run.loop.steps
    assert ends["bdf"][:2] == pytest.approx(ends["dopri5"][:2], abs=1e-8 * ends["bdf"][2])


def test_other_methods_keep_no_past():
    begin = prepare_start(pendulums(1))
    kept = [Simulation(begin, options(name, 1e-6), np.zeros(0)).loop.method.past for name in ("dopri5", "radau", "bdf")]
    assert [len(past.state) for past in kept] == [0, 0, 1] and kept[2].state.dtype == PAST
