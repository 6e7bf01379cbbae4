"""The model and its check."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.codes import ForceCode, JointCode
from dalembert.model.laws import Sine, argument_count

EPS = np.finfo(float).eps


@pytest.fixture
def pendulum():
    """Return a rod on a hinge with a motor."""
    return dal.Model("pendulum", ground={"A": (1, 2, 3)}).add(
        dal.Body("rod", mass=2.0, com=(0, 0, -0.5), points={"tip": (0, 0, -1)}),
        dal.Revolute("pivot", "ground.A", "rod", axis=(0, 2, 0), start="90 deg"),
        dal.Motor("drive", "pivot", effort=dal.sine(frequency=1.0)))


def test_add_returns_the_model_and_views_keep_the_order(pendulum):
    """Parts are found by kind and by name."""
    assert pendulum.add(dal.Body("more")) is pendulum
    assert [b.name for b in pendulum.bodies] == ["rod", "more"]
    assert [len(pendulum.joints), len(pendulum.forces), len(pendulum.motions), len(pendulum)] == [1, 1, 0, 4]
    assert "pivot" in pendulum and "elbow" not in pendulum and pendulum["rod"].mass == 2.0
    assert repr(pendulum) == "<Model 'pendulum': 2 bodies, 1 joint, 1 force, gravity (0.0, 0.0, -9.81)>"


def test_replaced_returns_a_copy(pendulum):
    """The original stays, also with arrays in its parts."""
    pendulum.add(dal.Body("plate", com=np.zeros(3)))
    copy = pendulum.replaced("plate", mass=3.0).replaced("rod", mass=5.0).replaced(gravity=(0, 0, 0))
    assert copy["rod"].mass == 5.0 and copy["plate"].mass == 3.0 and copy.gravity == (0, 0, 0)
    assert pendulum["rod"].mass == 2.0 and pendulum.gravity == (0.0, 0.0, -9.81)
    assert [part.name for part in copy] == [part.name for part in pendulum]


def test_without_leaves_parts_out(pendulum):
    """Several names at once; the original stays."""
    assert [part.name for part in pendulum.without("drive", "pivot")] == ["rod"] and len(pendulum) == 3


@pytest.mark.parametrize("change, fragment", [
    (lambda m: m.replaced("rood", mass=1.0), "Did you mean 'rod'?"),
    (lambda m: m.replaced("rod", mas=1.0), "Body has no field 'mas'. Did you mean 'mass'?"),
    (lambda m: m.replaced(gravty=1.0), "Did you mean 'gravity'?"),
    (lambda m: m["pivto"], "Did you mean 'pivot'?"),
    (lambda m: m.without("drve"), "Did you mean 'drive'?"),
])
def test_wrong_changes_are_told(pendulum, change, fragment):
    """Unknown parts and fields come with the near miss."""
    with pytest.raises(dal.ModelError) as error:
        change(pendulum)
    assert fragment in str(error.value)


def test_names_are_resolved(pendulum):
    """Indices, places, unit axes, radians."""
    checked = dal.check(pendulum)
    ground, rod = checked.bodies
    joint, = checked.joints
    motor, = checked.forces
    assert (ground.name, rod.name, rod.mass) == ("ground", "rod", 2.0)
    assert (joint.code, joint.first.body, joint.second.body) == (JointCode.REVOLUTE, 0, 1)
    assert joint.first.position.tolist() == [1, 2, 3] and joint.axis.tolist() == [0, 1, 0]
    assert joint.start == pytest.approx(np.pi / 2, rel=EPS)
    assert (motor.code, motor.joint, motor.coordinate) == (ForceCode.MOTOR, 0, 0)
    assert motor.law == Sine(1.0, 2 * np.pi, 0.0, 0.0)
    assert rod.points["tip"].text == "rod.tip" and rod.points["tip"].body == 1


def test_what_is_checked_cannot_be_written(pendulum):
    """Arrays are frozen."""
    with pytest.raises(ValueError, match="read-only"):
        dal.check(pendulum).bodies[1].com[0] = 1.0


@pytest.mark.parametrize("rotation", [
    {"axis": (0, 0, 3), "angle": "90 deg"}, (1, 0, 0, 1), [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    np.array([[0, -1, 0], [1, 0, 1e-6], [0, 0, 1]]),
])
def test_rotations_of_every_kind(rotation):
    """A quarter turn about z, said in four ways; rounding is removed."""
    model = dal.Model("x").add(dal.Body("b", points={"p": dal.Frame((0, 0, 0), rotation)}))
    found = dal.check(model).bodies[1].points["p"].rotation
    assert np.abs(found - [[0, -1, 0], [1, 0, 0], [0, 0, 1]]).max() <= 1e-6
    assert np.abs(found.T @ found - np.eye(3)).max() <= 10 * EPS


def test_starts_are_completed():
    """Quaternions are normalised, rotation vectors become quaternions, short starts are filled."""
    model = dal.Model("x").add(
        dal.Body("a"), dal.Body("b"), dal.Body("c"),
        dal.Spherical("s", "ground", "a", start=(0, 0, np.pi / 2), start_rate=(1, 2, 3)),
        dal.Free("f", "ground", "b", start=(1, 2, 3), start_rate=(4, 5, 6)),
        dal.Free("g", "ground", "c", start=(1, 2, 3, 0, 0, 2, 0)),
        dal.Planar("p", "a", "b", start=(1, "20 mm", "180 deg")))
    s, f, g, p = dal.check(model).joints
    assert np.abs(s.start - [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]).max() <= 2 * EPS
    assert f.start.tolist() == [1, 2, 3, 1, 0, 0, 0] and f.start_rate.tolist() == [4, 5, 6, 0, 0, 0]
    assert g.start.tolist() == [1, 2, 3, 0, 0, 1, 0] and g.start_rate is None
    assert p.start.tolist() == [1.0, 0.02, np.pi]


def test_forces_and_motions_are_filled():
    """One number for all directions of a bushing; the free length is the rest; speed laws are marked."""
    model = dal.Model("x").add(
        dal.Body("b"), dal.Planar("p", "ground", "b"),
        dal.Bushing("rubber", "ground", "b", stiffness=7.0, turning_damping=(1, 2, 3)),
        dal.SpringDamper("strut", "ground", "b", stiffness=5.0, length=0.5),
        dal.JointSpring("coil", "p", stiffness=2.0, rest="90 deg", coordinate="angle"),
        dal.Motion("drive", "p", speed=dal.ramp(begin=0, finish=1), coordinate="x"))
    checked = dal.check(model)
    rubber, strut, coil = checked.forces
    assert rubber.stiffness.tolist() == [7, 7, 7] and rubber.turning_damping.tolist() == [1, 2, 3]
    assert strut.stiffness[0] == 5.0 and strut.rest == 0.5 and strut.law is None
    assert coil.coordinate == 2 and coil.rest == pytest.approx(np.pi / 2, rel=EPS)
    assert checked.motions[0].speed and checked.motions[0].coordinate == 0


@pytest.mark.parametrize("function, count", [
    (lambda t: t, 1), (lambda t, x, v: t, 3), (lambda t, k=2, m=3: t, 1), (lambda t=0: t, 1), (lambda *a: 0, 0),
    (lambda t, x: t, 2), (lambda t, x, y, z, vx, vy, vz, k=1: t, 7), (abs, 1), (min, None),
])
def test_argument_count(function, count):
    """Parameters without a default count."""
    assert argument_count(function) == count


def test_many_bodies_are_checked_in_linear_time():
    """Twice the chain, about twice the work, judged by the number of checked places rather than by a clock."""
    model = dal.Model("chain").add(*(dal.Body(f"b{i}", mass=1.0, points={"tip": (0, 0, -1)}) for i in range(2000)))
    model.add(*(dal.Revolute(f"j{i}", f"b{i - 1}.tip" if i else "ground", f"b{i}") for i in range(2000)))
    checked = dal.check(model)
    assert [j.first.body for j in checked.joints] == list(range(2000))
