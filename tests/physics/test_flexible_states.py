"""States of flexible bodies go from floating frames to interfaces and back, to other frames, and from the rigid twin.

Interfaces keep their poses and velocities; so do the modes between them.  What a frame cannot describe is reported.
"""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as dal
from dalembert.flex.reductions import with_reductions
from dalembert.start.begin import begin_plan
from dalembert.start.formulations import of_tree
from dalembert.start.initial import prepare_rigid, prepare_start, start_at
from dalembert.topology.span import span

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
STRIP = dal.Rectangle(height=0.02, width=0.01)
BENT = 3e-3
"""Elastic coordinates, of unit modal mass, that bend the beams by some centimetres a metre."""
KEPT = 1e-9
"""Of poses [m] and velocities [m/s, relative to the largest]: what the iteration leaves, its matrices have elements of 1e3."""


def beam(*parts, bodies=2, modes=1, **fields):
    return dal.Model("beam", ground={"far": (1, 0, 0)}).add(
        dal.Beam("rod", length=1.0, section=STRIP, material=STEEL, bodies=bodies, modes=modes, **fields), *parts)


def arm(frame=None, entered="start"):
    """A rotating beam that carries a load, by a frame tangent at its hub or another one."""
    return beam(dal.Revolute("hub", "ground", f"rod.{entered}", axis=(0, 1, 0), start=0.3, start_rate=2.0),
                dal.Body("load", mass=0.3, inertia=(1e-3,) * 3),
                dal.Spherical("eye", "rod.end" if entered == "start" else "rod.start", "load"), frame=frame)


def bent(model):
    """A start in floating frames with random elastic coordinates and rates, and its state."""
    begin = prepare_start(model)
    rng = np.random.default_rng(1)
    q, qd = begin.q.copy(), begin.qd.copy()
    for f in begin.packed.layout.flexibles:
        q[f.q:f.q + f.n] = BENT * rng.uniform(-1, 1, f.n) / np.arange(1, f.n + 1)
        qd[f.v:f.v + f.n] = rng.uniform(-1, 1, f.n)
    return replace(begin, q=q, qd=qd).state


def places(state):
    return [name for name in state.bodies if "(" not in name and ":" not in name]


def off(state, other):
    """Largest differences of poses and of velocities, relative to the largest one."""
    pairs = [(state.bodies[name], other.bodies[name]) for name in places(state) if name in other.bodies]
    assert len(pairs) > 2
    fastest = max(1.0, *(np.abs([a.velocity, a.angular_velocity]).max() for a, _ in pairs))
    return (max(np.abs(a.position - b.position).max() + np.abs(a.rotation - b.rotation).max() for a, b in pairs),
            max(np.abs(a.velocity - b.velocity).max() + np.abs(a.angular_velocity - b.angular_velocity).max()
                for a, b in pairs) / fastest)


def told(begin):
    return [text for text in begin.messages if text.startswith("state")]


def test_between_interfaces_and_back():
    model = arm()
    state = bent(model)
    deflected = state.bodies["rod.end"].position - state.bodies["rod.start"].position
    assert abs(np.linalg.norm(deflected) - 1.0) > 1e-6  # it is bent indeed
    faces = start_at(model, state, "global")
    assert not told(faces) and max(off(state, faces.state)) <= KEPT
    back = start_at(model, faces.state)
    assert not told(back) and max(off(state, back.state)) <= KEPT
    for name, elastic in state.elastic.items():
        assert back.state.elastic[name].coordinates == pytest.approx(elastic.coordinates, abs=KEPT)
        assert back.state.elastic[name].rates == pytest.approx(elastic.rates, abs=KEPT * 1e3)
        assert np.array_equal(faces.state.elastic[name].coordinates, elastic.modes)
        assert np.array_equal(faces.state.elastic[name].rates, elastic.mode_rates)


@pytest.mark.parametrize("frame", [("start", "end"), "mean-axis", "end"])
def test_other_frames_of_the_same_body(frame):
    state = bent(arm())
    begin = start_at(arm(frame), state)
    assert not told(begin) and max(off(state, begin.state)) <= KEPT
    back = start_at(arm(), begin.state)
    assert max(off(state, back.state)) <= KEPT
    for name, elastic in state.elastic.items():
        assert back.state.elastic[name].coordinates == pytest.approx(elastic.coordinates, abs=KEPT)


def test_a_tree_that_enters_from_the_other_end():
    """Welded at one end, and carried there or by what hangs on the other: frames tangent at other interfaces."""
    model = beam(dal.Fixed("clamp", "ground", "rod.start"), dal.Body("load", mass=0.3, inertia=(1e-3,) * 3),
                 dal.Fixed("seat", "rod.end", "load"), dal.Free("flight", "ground", "load"))
    state = bent(model.without("flight"))
    other = start_at(model.without("clamp"), state)
    frames = [f.frame for f in other.state.elastic.values()]
    assert frames == ["tangent at end"] * 2 and [f.frame for f in state.elastic.values()] == ["tangent at start"] * 2
    assert not told(other) and max(off(state, other.state)) <= KEPT


def test_a_loop_of_a_bent_beam_is_closed_by_any_joint():
    def bridge(cut):
        return beam(dal.Revolute("near", "ground", "rod.start", axis=(0, 1, 0), cut=cut == "near"),
                    dal.Body("slider", mass=0.1, inertia=(1e-4,) * 3),
                    dal.Prismatic("guide", "ground.far", "slider", axis=(1, 0, 0), cut=cut == "guide"),
                    dal.Revolute("seat", "slider", "rod.end", axis=(0, 1, 0), cut=cut == "seat"))

    rest = dal.static(bridge("seat"))
    state = rest.state(False)
    for cut in ("near", "guide", "seat"):
        begin = start_at(bridge(cut), state)
        assert begin.has_rows and not told(begin) and off(state, begin.state)[0] <= KEPT


def test_a_rigid_twin_becomes_flexible():
    model = arm()
    twin = prepare_rigid(model).state
    for formulation in ("recursive", "global"):
        begin = start_at(model, twin, formulation)
        assert not told(begin) and max(off(twin, begin.state)) <= KEPT
        assert not any(np.any(e.coordinates) or np.any(e.rates) for e in begin.state.elastic.values())


def test_a_bent_body_made_rigid_is_told():
    """Its interfaces cannot stay where they are."""
    state = bent(arm())
    checked = with_reductions(dal.check(arm()))
    plan = span(checked, "rigid")
    assert any("could not be kept" in text for text in start_at(plan, state).messages)
    straight = begin_plan(plan, of_tree(plan), 0.0).state
    assert not any("could not be kept" in text for text in start_at(plan, straight).messages)


def test_fewer_modes_are_told():
    """A beam without the mode between its interfaces loses that part of its shape; the interfaces stay."""
    state = bent(arm())
    begin = start_at(arm().replaced("rod", modes=0), state, "global")
    assert any("deformation of flexible body 'rod 1' could not be kept" in text for text in begin.messages)
    assert max(off(state, begin.state)) <= KEPT
