"""Runs that begin in the equilibrium of flexible bodies stay there, in every formulation; other starts are reported."""

import numpy as np
import pytest

import dalembert as dal

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
STRIP = dal.Rectangle(height=0.02, width=0.01)
UNTIL = 0.1
"""Nearly a period of the first bending vibration [s]."""
ACCURACY = 5e-9
"""Of the equations' solution in each fixed step, by default."""


def clamped(*parts, **beam):
    return dal.Model("clamped", gravity=(0, 0, -9.81)).add(
        dal.Beam("rod", length=1.0, section=STRIP, material=STEEL, **beam), dal.Fixed("clamp", "ground", "rod.start"), *parts)


def with_load(**beam):
    return clamped(dal.Body("load", mass=0.3, inertia=(1e-3,) * 3, points={"eye": (0, 0, 0.1)}),
                   dal.Revolute("hook", "rod.end", "load.eye", axis=(0, 1, 0)), **beam)


MODELS = {"one segment": lambda: clamped(), "modes": lambda: clamped(modes=2), "two segments": lambda: clamped(bodies=2),
          "hanging load": lambda: with_load(bodies=2), "mean axes": lambda: with_load(frame="mean-axis")}
CASES = [(name, formulation) for name in MODELS for formulation in ("recursive", "semi-recursive", "global")
         if (name, formulation) != ("mean axes", "recursive")]  # which closes loops


def sag_of(rest):
    return abs(rest["rod.end.position"][0, 2])


def swing(model, start, formulation):
    """Largest way of the tip from its start [m], and the results."""
    r = dal.run(model, until=UNTIL, step=1e-3, start=start, formulation=formulation)
    return np.abs(r["rod.end.position"] - r["rod.end.position"][0]).max(), r


@pytest.mark.parametrize(("name", "formulation"), CASES)
def test_a_run_from_equilibrium_stays_at_rest(name, formulation):
    model = MODELS[name]()
    rest = dal.static(model)
    moved, r = swing(model, rest, formulation)
    assert moved <= 10 * ACCURACY * sag_of(rest)
    assert r["rod.end.position"][0, 2] == pytest.approx(-sag_of(rest), rel=10 * sag_of(rest) ** 2)  # per square of length


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive"])
def test_error_controlled_steps_stay_within_their_accuracy(formulation):
    """Which is relative to the length of the beam, a metre."""
    model = with_load(bodies=2)
    r = dal.run(model, until=UNTIL, start=dal.static(model), formulation=formulation, accuracy=1e-7)
    assert np.abs(r["rod.end.position"] - r["rod.end.position"][0]).max() <= 1e-7


@pytest.mark.parametrize(("name", "formulation"), CASES)
def test_coordinates_by_name_are_a_start_too(name, formulation):
    """Exact in floating frames; faces are placed by these, equal up to the square of the deformation."""
    model = MODELS[name]()
    rest = dal.static(model)
    moved, _ = swing(model, rest.starts, formulation)
    assert moved <= (sag_of(rest) / 1.0 if formulation == "global" else 10 * ACCURACY) * sag_of(rest)  # over the length


def test_without_its_load_a_beam_springs_back():
    """The equilibrium of one model starts another: 1 N at the tip, let go, swings through the straight beam."""
    pulled = dal.Model("pulled", gravity=(0, 0, 0)).add(
        dal.Beam("rod", length=1.0, section=STRIP, material=STEEL), dal.Fixed("clamp", "ground", "rod.start"),
        dal.Force("pull", "rod.end", direction=(0, 0, 1), magnitude=1.0))
    rest, free = dal.static(pulled), pulled.without("pull")
    for start in (rest, rest.starts):
        r = dal.run(free, until=UNTIL, start=start)
        z = r["rod.end.position"][:, 2]
        assert z[0] == pytest.approx(rest["rod.end.position"][0, 2], rel=1e-5)
        assert z.min() < -0.9 * z[0]
        assert np.ptp(r["energy.total"]) <= 1e-3 * r["energy.total"][0]


def test_joints_can_be_moved_on_a_bent_beam():
    model = with_load()
    rest = dal.static(model)
    for formulation in ("recursive", "global"):
        r = dal.run(model, until=0.01, start={**rest.starts, "hook": 0.2}, formulation=formulation, step=1e-3)
        assert r["hook.angle"][0] == pytest.approx(0.2, abs=1e-12)
        assert r["rod.end.position"][0] == pytest.approx(rest["rod.end.position"][0], abs=sag_of(rest) ** 2)  # per length


def test_a_run_without_start_still_begins_straight():
    model = clamped()
    for start in (None, {}):
        r = dal.run(model, until=0.002, step=1e-3, start=start)
        assert abs(r["rod.end.deflection"][0]).max() == 0.0


def test_an_equilibrium_is_an_equilibrium_again():
    model = with_load(bodies=2)
    rest = dal.static(model)
    again = dal.static(model, start=rest)
    assert again["rod.end.position"] == pytest.approx(rest["rod.end.position"], abs=1e-9)


def test_far_bent_beams_have_starts():
    """A quarter of a circle by a moment: floating frames find their own balance next to that of the faces."""
    moment = 0.5 * np.pi * STEEL.young * STRIP.iy
    model = dal.Model("roll", gravity=(0, 0, 0)).add(
        dal.Beam("rod", length=1.0, section=STRIP, material=STEEL, bodies=8, theory="euler-bernoulli"),
        dal.Fixed("clamp", "ground", "rod.start"),
        dal.Torque("turn", "rod.end", direction=(0, 1, 0), magnitude=moment))
    rest = dal.static(model)
    frame = dal.assemble(model, start=rest.starts)
    turned_by_each = 0.5 * np.pi / 8
    assert np.abs(frame["rod.end.position"] - rest["rod.end.position"]).max() <= turned_by_each**2


def test_rigid_models_take_their_equilibrium():
    model = dal.Model("pendulum", gravity=(0, 0, -9.81)).add(
        dal.Body("rod", mass=1.0, com=(1, 0, 0), inertia=(0.1,) * 3), dal.Revolute("pin", "ground", "rod", axis=(0, 1, 0)))
    rest = dal.static(model)
    r = dal.run(model, until=0.1, start=rest)
    assert r["pin.angle"] == pytest.approx(np.full(len(r.t), rest["pin.angle"][0]), abs=1e-9)


@pytest.mark.parametrize(("start", "words"), [
    ({"rod": [0.0, 0.0]}, ("start.rod", "expected the 6 elastic coordinates", "rod.modal")),
    ({"rod": "bent"}, ("start.rod", "'bent'", "6 elastic")),
    ({"rod": [np.nan] * 6}, ("start.rod", "6 elastic")),
    ({"rood": [0.0] * 6}, ("no joint or flexible body 'rood'", "'rod'")),
    ({"hok": 0.1}, ("no joint or flexible body 'hok'", "'hook'")),
    ({"load": 0.1}, ("no joint or flexible body 'load'",)),
])
def test_wrong_starts_are_told(start, words):
    with pytest.raises(dal.ModelError) as told:
        dal.run(with_load(), until=0.1, start=start)
    assert all(word in str(told.value) for word in words)


def test_segments_are_named():
    with pytest.raises(dal.ModelError, match="'rod' has 2 segments, .*'rod 1', 'rod 2'"):
        dal.run(clamped(bodies=2), until=0.1, start={"rod": np.zeros(12)})


def test_an_equilibrium_of_another_model_is_refused():
    rest = dal.static(with_load())
    for formulation in ("recursive", "global"):
        with pytest.raises(dal.ModelError, match="equilibrium of a model with other joints .*hook"):
            dal.run(clamped(), until=0.1, start=rest, formulation=formulation)


def test_closed_loops_with_bent_beams_stay_at_rest():
    model = dal.Model("bridge", gravity=(0, 0, -9.81), ground={"far": (1, 0, 0)}).add(
        dal.Beam("rod", length=1.0, section=STRIP, material=STEEL, bodies=2),
        dal.Revolute("near", "ground", "rod.start", axis=(0, 1, 0)), dal.Body("slider", mass=0.1, inertia=(1e-4,) * 3),
        dal.Prismatic("guide", "ground.far", "slider", axis=(1, 0, 0)),
        dal.Revolute("seat", "slider", "rod.end", axis=(0, 1, 0)))
    rest = dal.static(model)
    sag = abs(rest["rod.1.position"][0, 2])
    for start in (rest, rest.starts):
        z = dal.run(model, until=0.02, step=1e-3, start=start)["rod.1.position"][:, 2]
        assert np.abs(z - z[0]).max() <= 10 * ACCURACY * sag and z[0] == pytest.approx(-sag, rel=sag)


def test_bodies_without_interfaces_stay_at_rest_in_their_frames():
    mesh = dal.flex.box((0.5, 0.04, 0.01), divisions=(10, 2, 1), material=STEEL)
    reduced = dal.flex.craig_bampton(mesh, interfaces={"hub": "-x", "tip": "+x"}, modes=3)
    model = dal.Model("arm", gravity=(0, 0, -9.81)).add(dal.FlexibleBody("arm", reduced.floating("hub", plane="xz")),
                                                        dal.Fixed("clamp", "ground", "arm.hub"))
    rest = dal.static(model)
    z = dal.run(model, until=0.02, step=1e-3, start=rest)["arm.tip.position"][:, 2]
    assert np.abs(z - rest["arm.tip.position"][0, 2]).max() <= 10 * ACCURACY * abs(z[0])
    with pytest.raises(dal.ModelError, match="take 'recursive' or 'semi-recursive'"):
        dal.run(model, until=0.1, start=rest, formulation="global")
