"""A run that is left at some time and taken up again from its state, as it is, ends where the uninterrupted one does.

Time integration begins at the state's time: laws, drives and loads are those of that time, and nothing is assembled anew.
"""

from dataclasses import replace

import numpy as np
import pytest
from physics.loop_models import Z, parallelogram, slider_crank

import dalembert as dal
from dalembert.codes import Status
from dalembert.kernels.compile.jit import prepare
from dalembert.simulate.choose import choose_integrator
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import RunOptions
from dalembert.start.frame import results_of_state
from dalembert.start.initial import prepare_start, start_at
from dalembert.start.massless import complete_frame
from dalembert.start.natural import natural_accelerations
from dalembert.start.state import state_of

ACCURACY = 1e-9
GROWTH = 10
"""Of the local error of a step, which an unstable mechanism enlarges; those of many add up as random ones do."""
CLOSED = 1e-9
QUASI_STATIC = "tip"
"""Body on a spring without a damper: its rate is no unknown of a step and is found anew for frames."""
STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-4)
STRIP = dal.Rectangle(height=0.02, width=0.01)


def advanced(begin, until, accuracy=ACCURACY):
    """Return the loop of a run from a start to a time, its state there by name, and its steps."""
    options = RunOptions(until, None, accuracy, "auto", "auto", None)
    method, _ = choose_integrator("auto", None, massless=begin.massless > 0, n_rates=len(begin.qd), loops=begin.has_rows,
                                  projected=True, superelements=begin.shown.has_superelements)
    loop = Loop(begin, method, options, np.array([until]))
    progress, flow = loop.flow.progress[0], loop.flow
    progress.t = progress.t_begin = begin.t
    if begin.massless and not begin.natural and progress.started:
        flow.qdd[:] = complete_frame(begin.packed, begin.t, begin.q, begin.qd, begin.t)[2]
    elif progress.started:
        flow.qdd[:] = natural_accelerations(begin.packed, begin.q, begin.qd,
                                            complete_frame(begin.packed, begin.t, begin.q, begin.qd, begin.t)[2])
    prepare(loop.entries())
    while (status := loop.advance(10_000)) != Status.OK:
        assert status in (Status.CHUNK_DONE, Status.RECORD_FULL)
    return state_of(begin.shown, loop.t, *loop.tree_state()), loop.steps


def pushed(t):
    return 3.0 * np.sin(4.0 * t) + t


def tree():
    """Two pendulums, one of them driven, a load that depends on time."""
    rod = dict(mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), points={"tip": (0, 0, -1)})
    return dal.Model("tree").add(
        dal.Body("a", **rod), dal.Body("b", **rod), dal.Body("c", **rod),
        dal.Universal("j", "ground", "a", axis1=(0, 1, 0), axis2=(1, 0, 0), start=(0.4, 0.2), start_rate=(1.0, -2.0)),
        dal.Spherical("k", "a.tip", "b"), dal.Revolute("m", "b.tip", "c", axis=(0, 1, 0)),
        dal.Motion("drive", "m", position=dal.sine(amplitude=0.7, omega=5.0, phase=0.3)),
        dal.Torque("load", "a", direction=(0, 1, 0), magnitude=pushed))


def speed_driven():
    """The coordinate of a joint that is driven by its speed is part of the state."""
    return tree().without("drive").add(dal.Motion("drive", "m", speed=dal.sine(amplitude=0.7, omega=5.0)))


def loop():
    return slider_crank(0.4, start_rate=3.0).add(dal.Torque("load", "crank", direction=Z, magnitude=lambda t: 0.2 * pushed(t)))


def driven_loop():
    """A length that depends on time, and a drive."""
    return slider_crank().replaced("main", start=None).add(
        dal.Motion("engine", "main", position=dal.sine(amplitude=0.5, omega=3.0, offset=0.4)),
        dal.Body("weight", mass=0.4, inertia=(1e-3,) * 3), dal.Free("flight", "ground", "weight", start=(0.4, -0.3, 0)),
        dal.Distance("rope", "slider", "weight", length=dal.sine(amplitude=0.05, omega=6.0, offset=0.35)))


def held_loop():
    """A string whose length is what the first start gives."""
    return parallelogram(0.5, 1.0).add(
        dal.Body("weight", mass=0.4, inertia=(1e-3,) * 3), dal.Free("flight", "ground", "weight", start=(0.3, -0.9, 0.1)),
        dal.Distance("string", "bar", "weight"))


def bent():
    return dal.Model("bent").add(
        dal.Beam("rod", length=1.0, section=STRIP, material=STEEL, bodies=2, modes=1),
        dal.Revolute("pin", "ground", "rod.start", axis=(0, 1, 0), start=0.3, start_rate=2.0),
        dal.Body("load", mass=0.3, inertia=(1e-3,) * 3, points={"eye": (0, 0, 0.1)}),
        dal.Revolute("hook", "rod.end", "load.eye", axis=(0, 1, 0)),
        dal.Force("push", "rod.1", direction=(0, 0, 1), magnitude=pushed))


def massless():
    """A node between springs and dampers, of first order, and one on a spring alone, of order zero, beside a pendulum."""
    return dal.Model("light").add(
        dal.Body("a", mass=1.0, com=(0, 0, -0.5), inertia=(0.1,) * 3),
        dal.Revolute("j", "ground", "a", axis=(0, 1, 0), start=0.9),
        dal.Body("node"), dal.Prismatic("x", "a", "node", axis=(1, 0, 0), start=0.2),
        dal.JointSpring("s", "x", stiffness=20.0, damping=4.0), dal.Force("f", "node", direction=(1, 0, 0), magnitude=pushed),
        dal.Body("tip"), dal.Prismatic("y", "a", "tip", axis=(0, 1, 0)),
        dal.JointSpring("u", "y", stiffness=50.0), dal.Force("g", "tip", direction=(0, 1, 0), magnitude=pushed))


def massless_loop():
    return slider_crank(0.4, start_rate=3.0).add(
        dal.Body("node"), dal.Prismatic("x", "slider", "node", axis=(1, 0, 0), start=0.1),
        dal.JointSpring("s", "x", stiffness=20.0, damping=4.0), dal.Force("f", "node", direction=(1, 0, 0), magnitude=pushed))


CASES = [(tree, "auto"), (speed_driven, "auto"), (tree, "semi-recursive"), (loop, "semi-recursive"), (loop, "global"),
         (driven_loop, "semi-recursive"), (driven_loop, "global"), (held_loop, "semi-recursive"), (held_loop, "global"),
         (bent, "recursive"), (bent, "semi-recursive"), (bent, "global"), (massless, "auto"),
         (massless_loop, "semi-recursive"), (massless_loop, "global")]


def worst(state, other, names):
    """Largest difference of poses and of velocities, and the largest velocity."""
    moved = sped = 0.0
    for name in names:
        a, b = state.bodies[name], other.bodies[name]
        moved = max(moved, np.abs(a.position - b.position).max(), np.abs(a.rotation - b.rotation).max())
        if name == QUASI_STATIC:
            continue
        sped = max(sped, np.abs(a.velocity - b.velocity).max(), np.abs(a.angular_velocity - b.angular_velocity).max())
    return moved, sped, max(np.abs([m.velocity, m.angular_velocity]).max() for m in state.bodies.values())


def shown_bodies(state, model):
    return [name for name in state.bodies if "(" not in name and ":" not in name]


@pytest.mark.parametrize(("make", "formulation"), CASES)
def test_a_continued_run_ends_where_the_uninterrupted_one_does(make, formulation):
    model, middle, until = make(), 0.17, 0.4
    begin = prepare_start(model, formulation=formulation)
    whole, _ = advanced(begin, until)
    left, first = advanced(begin, middle)
    again = start_at(model, left, formulation)
    assert again.t == middle
    assert not [text for text in again.messages if text.startswith("state")]
    moved, sped, pace = worst(left, again.state, shown_bodies(left, model))
    assert moved <= CLOSED and sped <= CLOSED * max(1.0, pace)
    end, second = advanced(again, until)
    moved, sped, pace = worst(whole, end, shown_bodies(left, model))
    assert end.t == until
    allowed = GROWTH * ACCURACY * np.sqrt(first + second)
    assert moved <= allowed and sped <= allowed * max(1.0, pace)


@pytest.mark.parametrize(("make", "formulation"), CASES)
def test_time_zero_is_no_special_time(make, formulation):
    """All laws are late by two seconds, and the start, too: the same motion."""
    model = make()
    late, gap = later(model), 2.0
    a, b = prepare_start(model, formulation=formulation), prepare_start(late, formulation=formulation, t=gap)
    assert b.t == gap and b.messages == a.messages
    assert b.q == pytest.approx(a.q, abs=CLOSED) and b.qd == pytest.approx(a.qd, abs=CLOSED * max(1.0, abs(a.qd).max()))
    r, s = (results_of_state(begin, begin.t) for begin in (a, b))
    size = max(1.0, abs(r.array("qdd")).max())
    assert s.array("qdd")[0] == pytest.approx(r.array("qdd")[0], abs=1e-6 * size)  # of laws' numerical derivatives


def later(model, gap=2.0):
    """Return a model whose laws of time are late."""
    model = model.replaced()
    for part in (*model.forces, *model.motions, *model.constraints):
        for field in ("magnitude", "position", "speed", "length"):
            law = getattr(part, field, None)
            if callable(law):
                model = model.replaced(part.name, **{field: lambda t, law=law: law(t - gap)})
            elif hasattr(law, "phase"):
                model = model.replaced(part.name, **{field: dal.sine(
                    amplitude=law.amplitude, omega=law.omega, phase=law.phase - law.omega * gap, offset=law.offset)})
    return model


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_frame_shows_a_state_as_it_is(formulation):
    """One that violates its loops by a little is not closed; at another time it is."""
    state = prepare_start(driven_loop()).state
    flight = replace(state.joints["flight"], coordinates=state.joints["flight"].coordinates + 1e-7)
    off = replace(state, t=0.1, bodies={}, joints={**state.joints, "flight": flight})
    begin = start_at(driven_loop(), off, formulation)
    r = results_of_state(begin, begin.t)
    assert r.t[0] == 0.1 and np.array_equal(r["flight.coordinates"][0][:3], off.joints["flight"].coordinates[:3])
    assert results_of_state(begin, 0.2)["constraints.position"][0] <= CLOSED < r["constraints.position"][0]
