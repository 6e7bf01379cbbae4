"""Starts of one model are prepared once, and never taken for those of another."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.start import initial, prepared
from dalembert.start.initial import prepare_start


@pytest.fixture
def packs(monkeypatch):
    """Return a list that grows by one with every start that is prepared."""
    prepared.forget()
    made, begin_plan = [], initial.begin_plan
    monkeypatch.setattr(initial, "begin_plan", lambda *a, **k: made.append(1) or begin_plan(*a, **k))
    yield made
    prepared.forget()


def swing(**body):
    rod = dict(mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), points={"tip": (0, 0, -1.0)}) | body
    return dal.Model("swing").add(dal.Body("rod", **rod), dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=0.3))


def test_equal_models_are_packed_once_and_share_their_tables(packs):
    one, other = prepare_start(swing()), prepare_start(swing())
    assert len(packs) == 1 and one.packed is other.packed
    assert one.q is not other.q and np.array_equal(one.q, other.q)
    other.q[:], other.qd[:] = 9.0, 9.0
    assert prepare_start(swing()).q[0] == 0.3


@pytest.mark.parametrize("change", [
    {"start": {"pivot": 0.3 + 1e-16 * 2**10}}, {"start_rate": {"pivot": 1.0}}, {"t": 1.0}, {"formulation": "global"}])
def test_other_starts_times_and_formulations_are_other_starts(packs, change):
    prepare_start(swing())
    prepare_start(swing(), **change)
    assert len(packs) == 2


def test_a_model_that_changes_in_place_is_another_one(packs):
    """Its points are in a dictionary that users can write to."""
    model = swing()
    assert prepare_start(model).packed.layout.points[0].position == (0.0, 0.0, -1.0)
    model["rod"].points["tip"] = (0, 0, -2.0)
    assert prepare_start(model).packed.layout.points[0].position == (0.0, 0.0, -2.0)
    inertia = np.diag([0.1, 0.2, 0.3])
    model = swing(inertia=inertia)
    prepare_start(model)
    inertia[0, 0] = inertia[1, 1] = 0.15
    assert np.max(prepare_start(model).packed.system.body["J_b"][1]) != 0.2 and len(packs) == 4


@pytest.mark.parametrize("parts", [
    lambda f: [dal.Motor("m", "pivot", effort=f)],
    lambda f: [dal.Motor("m", "pivot"), dal.Controller("c", inputs=["pivot.angle"], outputs=["m"], law=lambda t, u: f(t),
                                                       every=0.1)]])
def test_functions_are_never_taken_for_others_of_their_name(packs, parts):
    efforts = []
    for size in (1.0, 2.0):
        def law(t, size=size):
            return size

        r = dal.run(swing().add(*parts(law)), until=0.01)
        efforts.append(r["pivot.acceleration"][-1])
    assert len(packs) == 2 and efforts[0] != efforts[1]


def test_what_the_check_notes_is_told_every_time(packs):
    model = swing().replaced("pivot", start=30.0)
    notes = [r.messages for r in (dal.run(model, until=0.01), dal.run(model, until=0.01))]
    assert notes[0] == notes[1] and any("radians" in text for text in notes[0]) and len(packs) == 1


def test_penalties_in_a_mapping_are_not_remembered(packs):
    penalty = {"pivot": 1e6}
    found = []
    for size in (1e6, 1e7):
        penalty["pivot"] = size
        found.append(prepare_start(swing(), formulation=dal.Global(penalty=penalty)).natural.packed.system.row["given"].max())
    assert found[1] > found[0] and len(packs) == 2


def test_few_starts_are_kept(packs):
    for k in range(prepared.MOST + 1):
        prepare_start(swing(), start={"pivot": 0.1 * k})
    prepare_start(swing(), start={"pivot": 0.1 * prepared.MOST})
    assert len(packs) == prepared.MOST + 1
    prepare_start(swing(), start={"pivot": 0.0})
    assert len(packs) == prepared.MOST + 2
