"""Stiff springs and bushings replaced by joints [ARN (4)]: what stands for them, who counts as stiff, and what is gained."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.analyses.perturbation import neglected, perturbation_report

Y = (0, 1, 0)
ROD = dict(mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2), points={"tip": (1, 0, 0)})
BOB = dict(mass=1.0, com=(0, 0, -0.5), inertia=(0.05, 0.05, 0.01))


def clamped(stiffness=5e7, **arm):
    """Pendulum on an arm that a stiff joint spring holds level."""
    return dal.Model("clamped").add(
        dal.Body("arm", **ROD), dal.Body("bob", **BOB), dal.Revolute("root", "ground", "arm", axis=Y),
        dal.Revolute("hinge", "arm.tip", "bob", axis=Y, start=1.0),
        dal.JointSpring("stiff", "root", stiffness=stiffness, damping=1.0, **arm))


def hung(stiffness=1e7):
    """The same arm on a stiff rope."""
    return dal.Model("hung", ground={"up": (0, 0, 1)}).add(
        dal.Body("arm", **ROD), dal.Body("bob", **BOB), dal.Revolute("root", "ground", "arm", axis=Y),
        dal.Revolute("hinge", "arm.tip", "bob", axis=Y, start=1.0),
        dal.SpringDamper("rope", "ground.up", "arm.tip", stiffness=stiffness, damping=5.0, length=np.sqrt(2.0)))


def mounted(stiffness=1e7, turning=1e5):
    """A block on a bushing that carries the pendulum."""
    return dal.Model("mounted").add(
        dal.Body("block", mass=20.0, inertia=(1, 1, 1), points={"eye": (0, 0, -0.2)}), dal.Body("bob", **BOB),
        dal.Free("held", "ground", "block"), dal.Revolute("hinge", "block.eye", "bob", axis=Y, start=1.0),
        dal.Bushing("rubber", "ground", "block", stiffness=stiffness, damping=100.0, turning_stiffness=turning,
                    turning_damping=1.0))


def damped():
    """A rope whose swing dies out within a tenth of the run."""
    return hung(1e6).replaced("rope", damping=150.0)


MODELS = {clamped: "stiff", hung: "rope", mounted: "rubber", damped: "rope"}


@pytest.mark.parametrize("model", MODELS)
def test_stiff_elements_are_named(model):
    report = perturbation_report(model())
    (found,) = report.stiff
    assert report.bodies == found.bodies == (MODELS[model],) and found.what == "compliance"
    assert f"{found.bodies[0]} " in str(report) and "compliance" in str(report)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("accuracy", [1e-5, 1e-7])
def test_the_gain_is_right_within_a_factor_of_two(model, accuracy):
    """Against the steps of whole runs; frequencies alone promise far more than a small amplitude costs."""
    until = 3.0
    report = perturbation_report(model(), until=until, accuracy=accuracy)
    steps = [dal.run(m, until=until, accuracy=accuracy).stats.steps for m in (model(), neglected(model(), report.bodies))]
    assert 0.5 < report.gain / (steps[0] / steps[1]) < 2.0
    assert report.gain < perturbation_report(model()).gain


@pytest.mark.parametrize("model", [clamped, hung, mounted])
def test_the_error_is_of_second_order_in_the_ratio_of_frequencies(model):
    """[ARN (4)]: O(eps²), and eps² goes as the inverse of the stiffness."""
    (name,) = perturbation_report(model()).bodies
    limit = dal.run(neglected(model(), name), until=1.0, accuracy=1e-9, record=0.02)["hinge.angle"]
    soft, firm = (np.max(np.abs(dal.run(m, until=1.0, accuracy=1e-9, record=0.02)["hinge.angle"] - limit))
                  for m in ((model(1e6, 1e5), model(1e7, 1e6)) if model is mounted else (model(1e6), model(1e7))))
    assert 6.0 < soft / firm < 16.0


def test_soft_elements_are_not_stiff():
    assert perturbation_report(clamped(100.0)).stiff == ()
    assert perturbation_report(mounted(1e3, 1e1)).stiff == ()


def test_a_rest_away_from_zero_is_kept():
    m = neglected(clamped(rest=0.2), "stiff")
    assert isinstance(m["stiff"], dal.Motion)
    assert np.allclose(dal.run(m, until=0.1)["root.angle"], 0.2)


@pytest.mark.parametrize("stiffness, turning, kind", [
    (1e6, 1e4, dal.Fixed), (1e6, 0.0, dal.Spherical), (1e6, (1e4, 0.0, 1e4), dal.Revolute),
    ((1e6, 0.0, 1e6), 1e4, dal.Prismatic), ((1e6, 0.0, 1e6), (1e4, 0.0, 1e4), dal.Cylindrical),
    ((0.0, 1e6, 0.0), (1e4, 0.0, 1e4), dal.Planar), ((1e6, 0.0, 1e6), 0.0, dal.PointOnLine),
    ((0.0, 1e6, 0.0), 0.0, dal.PointOnPlane)])
def test_bushings_become_the_joint_that_holds_their_stiff_directions(stiffness, turning, kind):
    """The free direction is y in all of them; a reaction along it would be one that the bushing did not have."""
    m = neglected(mounted(stiffness, turning), "rubber")
    joint = m["rubber"]
    assert isinstance(joint, kind)
    if kind in (dal.Revolute, dal.Prismatic, dal.Cylindrical, dal.Planar, dal.PointOnLine):
        assert tuple(joint.axis) == Y
    dal.assemble(m)


def test_soft_directions_of_a_bushing_stay():
    m = neglected(mounted(1e6, (1e4, 2.0, 1e4)), "rubber")
    rest = m["rubber (soft)"]
    assert isinstance(m["rubber"], dal.Revolute)
    assert rest.turning_stiffness == (0.0, 2.0, 0.0) and rest.stiffness == (0.0, 0.0, 0.0)
    assert rest.turning_damping == (0.0, 1.0, 0.0) and rest.damping == (0.0, 0.0, 0.0)


def test_directions_that_no_joint_holds_are_refused_with_their_names():
    with pytest.raises(dal.ModelError, match=r"bushing 'rubber'.*directions x, y, z and the rotations about x;"):
        neglected(mounted(1e6, (1e4, 0.0, 0.0)), "rubber")


def test_a_spring_without_length_becomes_a_ball_joint():
    assert isinstance(neglected(hung().replaced("rope", length=0.0), "rope")["rope"], dal.Spherical)


def test_light_bodies_come_before_the_springs_that_hold_them():
    """The spring beside a light mass is stiff for it, but carries the slow motion: only the mass is neglected."""
    m = dal.Model("oscillator", gravity=(0, 0, 0)).add(
        dal.Body("one", mass=1e-5, inertia=(1e-5,) * 3), dal.Body("two", mass=1.0, inertia=(1, 1, 1)),
        dal.Prismatic("p1", "ground", "one", axis=(1, 0, 0)), dal.Prismatic("q2", "one", "two", axis=(1, 0, 0)),
        dal.JointSpring("wall", "p1", stiffness=1e3, damping=1e-3), dal.JointSpring("link", "q2", stiffness=1e3, damping=1e-3))
    assert perturbation_report(m).bodies == ("one",)


def test_both_kinds_are_neglected_together():
    m = clamped().add(dal.Body("pin", mass=1e-6, inertia=(1e-9,) * 3), dal.Prismatic("slide", "bob", "pin", axis=(1, 0, 0)),
                      dal.JointSpring("clip", "slide", stiffness=10.0, damping=1e-4))
    report = perturbation_report(m)
    assert set(report.bodies) == {"pin", "stiff"} and "compliance" in report.together.what


@pytest.mark.parametrize("ratio", [0, 1, float("nan"), "stiff"])
def test_a_stiffness_ratio_lies_between_zero_and_one(ratio):
    with pytest.raises(dal.ModelError, match="stiffness_ratio = .*between 0 and 1"):
        perturbation_report(clamped(), stiffness_ratio=ratio)
