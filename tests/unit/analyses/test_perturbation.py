"""Neglecting small masses: the reduced model, and the report of what it gains."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.analyses.perturbation import neglected, perturbation_report

X = (1, 0, 0)
STIFF = 1000.0


def oscillator(light, damping=1e-3, stiffness=STIFF):
    """[ARN (5)] without load."""
    return dal.Model("oscillator", gravity=(0, 0, 0)).add(
        dal.Body("one", mass=light, inertia=(light, light, light), points={"eye": (1, 0, 0)}),
        dal.Body("two", mass=1.0, inertia=(1, 1, 1)),
        dal.Prismatic("p1", "ground", "one", axis=X), dal.Prismatic("q2", "one", "two", axis=X),
        dal.JointSpring("wall", "p1", stiffness=stiffness, damping=damping),
        dal.JointSpring("link", "q2", stiffness=stiffness, damping=damping))


def rotor(inertia):
    """A heavy drum on a shaft behind a small gear wheel of the same mass."""
    return dal.Model("rotor", gravity=(0, 0, 0)).add(
        dal.Body("gear", mass=1.0, inertia=(inertia,) * 3), dal.Body("drum", mass=1.0, inertia=(1, 1, 1)),
        dal.Revolute("bearing", "ground", "gear"), dal.Revolute("shaft", "gear", "drum"),
        dal.JointSpring("mesh", "bearing", stiffness=1e3, damping=0.01),
        dal.JointSpring("twist", "shaft", stiffness=1e3, damping=0.01))


@pytest.mark.parametrize(("inertia", "mass"), [(True, True), (True, False), (False, True), (False, False)])
def test_neglect_takes_what_it_is_told_and_leaves_the_rest(inertia, mass):
    m = oscillator(0.5)
    body = neglected(m, ["one"], inertia=inertia, mass=mass)["one"]
    assert body.mass == (0.0 if mass else 0.5)
    assert body.inertia == ((0, 0, 0) if inertia else (0.5, 0.5, 0.5))
    assert body.points == m["one"].points


def test_neglect_returns_a_copy():
    m = oscillator(0.5)
    assert neglected(m, []) is not m
    neglected(m, ["one", "two"])
    assert m["one"].mass == 0.5 and m["two"].mass == 1.0


def test_one_name_may_stand_alone():
    assert neglected(oscillator(0.5), "one")["one"].mass == 0.0


def test_unknown_bodies_are_all_told_with_near_names():
    with pytest.raises(dal.ModelError) as caught:
        neglected(oscillator(0.5), ["onee", "p1", "two"])
    assert len(caught.value.faults) == 2
    assert "Did you mean 'one'" in str(caught.value) and "'p1'" in str(caught.value)


def test_the_report_names_the_fast_mode_of_a_light_mass():
    light = 1e-5
    report = perturbation_report(oscillator(light))
    (found,) = report.small
    assert found.bodies == report.bodies == ("one",) and found.what == "mass and inertia"
    assert found.mass_ratio == pytest.approx(light)
    assert abs(found.fast[0].imag) == pytest.approx(np.sqrt(2 * STIFF / light), rel=1e-3)
    slow = np.sqrt(STIFF / 2)
    assert report.gain == pytest.approx(abs(found.fast[0].imag) / slow, rel=1e-3)


def test_the_reduced_mode_decays_with_stiffness_over_damping():
    found = perturbation_report(oscillator(1e-5)).together
    assert np.min(found.eigenvalues.real) == pytest.approx(-STIFF / 1e-3, rel=1e-3)


def test_fast_decay_promises_no_gain():
    report = perturbation_report(oscillator(1e-5, damping=1.0))
    assert not report.small[0].fast[0].imag
    assert report.gain == pytest.approx(1.0, abs=1e-3)


def test_only_the_inertia_of_a_heavy_body_is_neglected():
    inertia = 1e-5
    report = perturbation_report(rotor(inertia))
    (found,) = report.small
    assert found.bodies == ("gear",) and found.what == "inertia"
    assert abs(found.fast[0].imag) == pytest.approx(np.sqrt(2e3 / inertia), rel=1e-2)


def test_inertia_is_compared_with_what_joints_carry():
    m = rotor(1e-5).add(dal.Body("bob", mass=1.0), dal.Fixed("rim", "drum.edge", "bob"))
    m = m.replaced("drum", inertia=(0, 0, 0), points={"edge": (1, 0, 0)})
    (found,) = perturbation_report(m).small
    assert found.bodies == ("gear",) and found.inertia_ratio == pytest.approx(1e-5, rel=1e-3)


def test_what_cannot_be_neglected_is_told_with_the_reason():
    report = perturbation_report(oscillator(1e-5, damping=0.0, stiffness=0.0))
    (found,) = report.small
    assert not found.possible and "'p1'" in found.reason and np.isnan(found.gain)
    assert report.bodies == () and report.gain == 1.0 and report.together is None
    assert "not possible: joint 'p1'" in str(report)


def test_bodies_possible_alone_may_not_be_together():
    m = dal.Model("row", gravity=(0, 0, 0))
    place = "ground"
    for name, mass in (("a", 1e-5), ("b", 1e-5), ("c", 1.0)):
        m.add(dal.Body(name, mass=mass), dal.Prismatic(f"to {name}", place, name, axis=X))
        place = name
    m.add(dal.JointSpring("first", "to a", stiffness=STIFF, damping=1.0),
          dal.SpringDamper("last", "ground", "c", stiffness=STIFF, damping=1.0))
    report = perturbation_report(m.replaced("to c", start=1.0))
    assert [each.possible for each in report.small] == [True, False]
    assert report.bodies == ("a",)


def test_without_small_bodies_the_report_says_none():
    report = perturbation_report(oscillator(0.5))
    assert report.small == () and report.gain == 1.0 and str(report).endswith("none")


def test_bodies_without_mass_are_not_small_but_gone():
    assert perturbation_report(oscillator(0.0)).small == ()


@pytest.mark.parametrize("ratio", [0, 1, -1, float("nan"), "small"])
def test_a_ratio_lies_between_zero_and_one(ratio):
    with pytest.raises(dal.ModelError, match="between 0 and 1"):
        perturbation_report(oscillator(0.5), mass_ratio=ratio)


def test_the_start_decides_about_the_modes():
    pendulum = dal.Model("pendulum").add(
        dal.Body("arm", mass=1.0, com=(0, 0, -1)), dal.Revolute("pivot", "ground", "arm", axis=(0, 1, 0)))
    hanging, upright = (perturbation_report(pendulum, start={"pivot": a}).eigenvalues for a in (0.0, np.pi))
    assert np.max(abs(hanging.imag)) == pytest.approx(np.sqrt(9.81))
    assert np.max(upright.real) == pytest.approx(np.sqrt(9.81))


@pytest.mark.parametrize("light", [1e-5, 0.5])
def test_the_picture_is_written(light, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    perturbation_report(oscillator(light)).plot(tmp_path / "modes.png")
    assert (tmp_path / "modes.png").stat().st_size > 1000
