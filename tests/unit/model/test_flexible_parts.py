"""Beams and flexible bodies in a model: places, text, faults."""

import numpy as np
import pytest

import dalembert as dal

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
ROD = dal.Circle(0.01)


def beam(**fields):
    """Return a beam of one metre with some fields changed."""
    return dal.Beam("rod", **{"length": 1.0, "section": ROD, "material": STEEL, **fields})


def clamped(part, *others):
    """Return a model with a flexible part and a clamp at its origin."""
    return dal.Model("m").add(part, dal.Fixed("clamp", "ground", part.name), *others)


def faults(part, *others):
    """Return the text of the faults of a model with a flexible part."""
    with pytest.raises(dal.ModelError) as error:
        dal.check(clamped(part, *others))
    return str(error.value)


def test_a_beam_has_a_face_at_every_node_and_point():
    checked = dal.check(clamped(beam(bodies=4, points={"mid": 0.5, "third": 1 / 3})))
    names = [b.name for b in checked.bodies if b.face]
    assert names == ["rod.start", "rod.1", "rod.2", "rod.3", "rod.end", "rod.third"]
    assert [f.name for f in checked.flexibles] == ["rod 1", "rod 2", "rod 3", "rod 4"]
    assert checked.flexibles[1].points == {"third": names.index("rod.third") + 1}
    mid = next(b for b in checked.bodies if b.name == "rod.2").points["mid"]
    assert mid.text == "rod.mid"


def test_offsets_are_arc_lengths():
    checked = dal.check(clamped(beam(length=2.0, bodies=2, points={"p": 1.7})))
    arcs = {b.name: b.offset[0] for b in checked.bodies if b.face}
    assert arcs == pytest.approx({"rod.start": 0.0, "rod.1": 1.0, "rod.end": 2.0, "rod.p": 1.7}, abs=1e-15)


def test_equal_segments_have_equal_sources():
    checked = dal.check(clamped(beam(bodies=3)))
    assert len({f.source for f in checked.flexibles}) == 1


def test_a_reduced_body_has_a_face_at_every_place():
    fe = dal.flex.beam(length=1.0, section=ROD, material=STEEL, elements=2)
    reduced = dal.flex.craig_bampton(fe, interfaces={"hub": "start", "tip": "end"})
    checked = dal.check(clamped(dal.FlexibleBody("arm", reduced)))
    assert [b.name for b in checked.bodies if b.face] == ["arm.hub", "arm.tip"]
    assert checked.flexibles[0].source is reduced
    np.testing.assert_allclose(checked.bodies[2].offset, (1.0, 0.0, 0.0), atol=1e-15)


def test_a_beam_survives_its_text():
    model = clamped(beam(section=dal.Section(area=1.0, iy=2.0, iz=3.0, torsion=4.0, shear=(0.8, 0.9)), bodies=3, modes=1,
                         theory="euler-bernoulli", rotary_inertia=False, points={"p": 0.1}, frame=("start", "end"),
                         stiffening=False))
    text = dal.to_text(model)
    assert dal.to_text(dal.from_text(text)) == text
    assert dal.from_text(text)["rod"].rotary_inertia is False
    assert dal.from_text(text)["rod"].section == dal.Section(area=1.0, iy=2.0, iz=3.0, torsion=4.0, shear=[0.8, 0.9])


def test_a_reduced_body_cannot_be_written(tmp_path):
    fe = dal.flex.beam(length=1.0, section=ROD, material=STEEL, elements=2)
    reduced = dal.flex.craig_bampton(fe, interfaces={"hub": "start", "tip": "end"})
    model = clamped(dal.FlexibleBody("arm", reduced))
    with pytest.raises(dal.ModelError, match=r"flexible.arm.reduced.*write_sid"):
        dal.write(model, tmp_path / "arm.yaml")
    with pytest.raises(dal.ModelError, match="build the model in Python"):
        dal.from_text(dal.to_text(model))


WRONG_BEAMS = {
    "length zero": ({"length": 0.0}, "flexible.rod.length", "greater than 0"),
    "length not finite": ({"length": float("nan")}, "flexible.rod.length", "nan"),
    "no section": ({"section": 3.0}, "flexible.rod.section", "Circle"),
    "no material": ({"material": "steel"}, "flexible.rod.material", "Material("),
    "negative diameter": ({"section": dal.Circle(-1.0)}, "flexible.rod.section.diameter", "-1"),
    "unknown theory": ({"theory": "timoschenko"}, "flexible.rod.theory", "Did you mean 'timoshenko'?"),
    "rotary inertia is a number": ({"rotary_inertia": 1.5}, "flexible.rod.rotary_inertia", "1.5"),
    "no segments": ({"bodies": 0}, "flexible.rod.bodies", "1 to"),
    "half a segment": ({"bodies": 1.5}, "flexible.rod.bodies", "whole number"),
    "negative modes": ({"modes": -1}, "flexible.rod.modes", "0 to"),
    "point beyond the end": ({"points": {"p": 1.2}}, "flexible.rod.points.p", "0 to 1 m"),
    "point called start": ({"points": {"start": 0.2}}, "flexible.rod.points.start", "taken"),
    "point called as a node": ({"points": {"1": 0.2}, "bodies": 2}, "flexible.rod.points.1", "taken"),
    "points without names": ({"points": [0.2]}, "flexible.rod.points", "arc lengths"),
    "unknown frame": ({"frame": "middle"}, "flexible.rod.frame", "mean-axis"),
    "chord of one end": ({"frame": ("start", "start")}, "flexible.rod.frame", "chord"),
    "stiffening is a number": ({"stiffening": 2}, "flexible.rod.stiffening", "2"),
}


@pytest.mark.parametrize("case", WRONG_BEAMS)
def test_a_wrong_beam_is_told(case):
    fields, *words = WRONG_BEAMS[case]
    text = faults(beam(**fields))
    assert all(word in text for word in words), text


def test_a_finite_element_model_is_no_reduced_body():
    fe = dal.flex.beam(length=1.0, section=ROD, material=STEEL, elements=2)
    text = faults(dal.FlexibleBody("arm", fe))
    assert "flexible.arm.reduced" in text and "craig_bampton" in text


def test_near_misses_of_places_are_told():
    text = faults(beam(points={"mid": 0.5}), dal.Force("push", "rod.mit", direction=(0, 0, 1), magnitude=1.0))
    assert "'rod' has no point 'mit'" in text and "'mid'" in text


def test_one_name_a_part():
    text = faults(beam(), dal.Body("rod"))
    assert "is taken by" in text


@pytest.mark.parametrize("text, words", [
    ("rod: {type: beam}", ("lacks 'length'", "lacks 'section'", "lacks 'material'")),
    ("rod: {type: beem, length: 1}", ("unknown type 'beem'",)),
    ("rod: {type: beam, length: 1, section: {circle: {radius: 1}}, material: {young: 1, poisson: 0, density: 1}}",
     ("unknown key 'radius'", "lacks diameter")),
    ("rod: {type: beam, length: 1, section: {circle: {diameter: 1}}, material: {young: 1}}", ("lacks density and poisson",)),
])
def test_a_wrong_text_is_told_with_its_line(text, words):
    with pytest.raises(dal.ModelError) as error:
        dal.from_text("flexible:\n  " + text)
    assert all(word in str(error.value) for word in (*words, "text:2")), str(error.value)


def test_rotation_between_takes_one_direction_to_the_other():
    rng = np.random.default_rng(0)
    for a, b in [*rng.normal(size=(20, 2, 3)), ((1, 0, 0), (-1, 1e-9, 0)), ((0, 1, 0), (0, 1, 0)), ((0, 0, 2), (0, 0, -1))]:
        R = dal.rotation_between(a, b)
        a, b = np.array(a) / np.linalg.norm(a), np.array(b) / np.linalg.norm(b)
        np.testing.assert_allclose(R @ a, b, atol=1e-7 if a @ b < -0.999 else 1e-14)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-6 if a @ b < -0.999 else 1e-14)
        assert np.linalg.det(R) > 0


def test_a_zero_direction_has_no_rotation():
    with pytest.raises(dal.ModelError, match="not zero"):
        dal.rotation_between((0, 0, 0), (1, 0, 0))
