"""Constraints of a model: what the check resolves, what it refuses."""

import math

import numpy as np
import pytest

import dalembert as dal
from dalembert.codes import ConstraintCode
from dalembert.model.laws import Ramp, Sine, Table

EPS = np.finfo(float).eps


def machine(*constraints):
    """Return a model with an arm, a slide, a sleeve, a ball and a loose wheel, and these constraints."""
    return dal.Model("machine", ground={"A": dal.Frame((1, 0, 0), {"axis": (0, 0, 1), "angle": "90 deg"})}).add(
        dal.Body("arm", points={"tip": (0, 0, -1)}), dal.Body("block"), dal.Body("sleeve"), dal.Body("bulb"),
        dal.Body("wheel"),
        dal.Revolute("hinge", "ground", "arm"), dal.Prismatic("slide", "ground", "block"),
        dal.Cylindrical("guide", "ground", "sleeve"), dal.Spherical("socket", "arm.tip", "bulb"),
        dal.Free("loose", "ground", "wheel"), dal.Fixed("weld", "arm.tip", "block", cut=True), *constraints)


HINGE, SLIDE, GUIDE, LOOSE = 0, 1, 2, 4


def checked(constraint):
    """Return the checked form of a constraint of the machine."""
    found, = dal.check(machine(constraint)).constraints
    assert found.name == constraint.name and found.code == constraint.record.code
    return found


def test_the_model_knows_its_constraints():
    """They are counted, found, changed and left out like other parts."""
    model = machine(dal.Distance("rope", "ground", "block", 2.0))
    assert [c.name for c in model.constraints] == ["rope"] and "rope" in model
    assert "5 bodies, 6 joints, 1 constraint," in repr(model)
    assert model.replaced("rope", length=3.0)["rope"].length == 3.0 and model["rope"].length == 2.0
    assert model.without("rope").constraints == ()
    assert dal.check(model.without("rope")).constraints == ()
    with pytest.raises(dal.ModelError, match=r"Distance has no field 'lenght'\. Did you mean 'length'"):
        model.replaced("rope", lenght=1.0)


def test_every_kind_has_its_own_code():
    """Codes distinguish the kinds, none is left over."""
    kinds = (dal.Distance, dal.PointOnLine, dal.PointOnPlane, dal.Gear, dal.CoordinateCoupling, dal.Rolling)
    assert [kind.record.code for kind in kinds] == [code for code in ConstraintCode if code != ConstraintCode.NONE]


def test_a_distance_between_places():
    """A number is the value, a law is added to zero, nothing is the start's."""
    found = checked(dal.Distance("rope", "ground.A", "arm.tip", "30 cm"))
    assert (found.first.body, found.second.body, found.second.text) == (0, 1, "arm.tip")
    assert found.value == pytest.approx(0.3, rel=EPS) and found.law is None and found.unit == "m"
    assert checked(dal.Distance("rope", "ground.A", "arm.tip")).value is None
    jack = checked(dal.Distance("jack", "ground", "arm", dal.sine(amplitude="1 mm", omega=2, offset=1)))
    assert (jack.value, jack.law, jack.law_of_x) == (0.0, Sine(0.001, 2.0, 0.0, 1.0), False)
    pump = checked(dal.Distance("pump", "ground", "arm", lambda t: 1 + t, derivative_step="2 ms"))
    assert pump.law(2.0) == 3.0 and pump.derivative_step == 0.002


def test_lines_and_planes_have_unit_directions():
    """Directions stay in the frame of the first place."""
    line = checked(dal.PointOnLine("slot", "ground.A", "arm.tip", axis=(0, 3, 4)))
    assert line.axis == pytest.approx((0, 0.6, 0.8), abs=EPS)
    assert checked(dal.PointOnLine("slot", "ground.A", "arm.tip")).axis.tolist() == [1, 0, 0]
    plane = checked(dal.PointOnPlane("table", "block", "arm.tip", normal=(0, -2, 0), offset="5 mm"))
    assert plane.normal.tolist() == [0, -1, 0] and plane.value == 0.005
    lift = checked(dal.PointOnPlane("lift", "block", "arm.tip", offset=dal.ramp(begin=0, finish=2)))
    assert lift.law == Ramp(0.0, 2.0, 0.0, 1.0) and lift.value == 0.0


def test_a_gear_is_a_sum_of_two_terms():
    """Second - ratio first = offset."""
    rack = checked(dal.Gear("rack", "hinge", "slide", 0.05))
    assert rack.terms == ((SLIDE, 0, 1.0), (HINGE, 0, -0.05)) and rack.value is None and rack.unit == "m"
    pair = checked(dal.Gear("pair", "guide", "hinge", ratio=-2, offset="90 deg", first_coordinate="angle"))
    assert pair.terms == ((HINGE, 0, 1.0), (GUIDE, 0, 2.0)) and pair.unit == "rad"
    assert pair.value == pytest.approx(np.pi / 2, rel=EPS) and (pair.first, pair.second) == (None, None)


def test_a_gear_between_two_coordinates_of_one_joint():
    """A cylindrical joint with a thread."""
    nut = checked(dal.Gear("nut", "guide", "guide", 1e-3, first_coordinate="angle", second_coordinate="displacement"))
    assert nut.terms == ((GUIDE, 1, 1.0), (GUIDE, 0, -1e-3))


def test_a_coupling_of_several_coordinates():
    """Coordinate - sum of factor times coordinate = offset."""
    found = checked(dal.CoordinateCoupling("differential", "hinge", {"slide": 2, "guide.angle": -0.5, "loose.z": 3}, 0.1))
    assert found.terms == ((HINGE, 0, 1.0), (SLIDE, 0, -2.0), (GUIDE, 0, 0.5), (LOOSE, 2, -3.0))
    assert (found.value, found.law, found.law_of_x, found.unit) == (0.1, None, False, "rad")


@pytest.mark.parametrize("function, value", [
    (dal.table(["0 deg", "180 deg"], ["0 mm", "20 mm"]), None),
    (dal.sine(amplitude="20 mm", omega=2.0, phase="90 deg"), None),
    (dal.ramp(begin="0 deg", finish="90 deg", end="2 cm"), None),
    (lambda x: 0.02 * math.sin(x), 0.02 * math.sin(0.5)),
    (dal.law(lambda x, h=0.02: h * x * x), 0.02 * 0.25),
])
def test_a_cam_is_a_law_of_a_coordinate(function, value):
    """Tables, sines and ramps count in the unit of x; functions take x alone."""
    cam = checked(dal.CoordinateCoupling("cam", "slide", "guide.angle", 0.1, function, derivative_step="1 deg"))
    assert cam.terms == ((SLIDE, 0, 1.0), (GUIDE, 0, -1.0)) and cam.law_of_x and (cam.value, cam.unit) == (0.1, "m")
    assert cam.derivative_step == pytest.approx(np.pi / 180, rel=EPS)
    if value is not None:
        assert cam.law(0.5) == value
    elif isinstance(function, Table):
        assert cam.law == Table((0.0, np.pi), (0.0, 0.02), "cubic")
    elif isinstance(function, Ramp):
        assert cam.law == Ramp(0.0, np.pi / 2, 0.0, 0.02)


def test_a_wheel_and_a_ball():
    """A ball has no axis; how a wheel's axis lies to the normal is a matter of the pose."""
    wheel = checked(dal.Rolling("roll", "ground.A", "wheel", radius="30 cm", normal=(0, 0, 5), axis=(0, 2, 0)))
    assert wheel.radius == pytest.approx(0.3, rel=EPS) and wheel.axis.tolist() == [0, 1, 0]
    assert wheel.normal.tolist() == [0, 0, 1] and (wheel.first.text, wheel.second.text) == ("ground.A", "wheel")
    assert checked(dal.Rolling("roll", "ground", "wheel", 0.3)).axis.tolist() == [0, 0, 0]
    assert checked(dal.Rolling("roll", "ground", "wheel", 0.3, axis=(0, 0, 1))).axis.tolist() == [0, 0, 1]


def test_a_joint_that_closes_a_loop_may_be_driven():
    """By position or by speed."""
    model = dal.Model("ring").add(
        dal.Body("a"), dal.Body("b"), dal.Revolute("j", "ground", "a"), dal.Revolute("k", "a", "b"),
        dal.Cylindrical("l", "b", "ground", cut=True), dal.Motion("turn", "l", position=dal.sine(omega=1),
                                                                 coordinate="angle"),
        dal.Motion("push", "l", speed=1.0, coordinate="displacement"))
    assert [(m.joint, m.coordinate, m.speed) for m in dal.check(model).motions] == [(2, 0, False), (2, 1, True)]


def coupling(to, **fields):
    """Return a coupling of the hinge."""
    return dal.CoordinateCoupling("sum", "hinge", to, **fields)


def cam(function, to="slide"):
    """Return the hinge as a function of the slide."""
    return coupling(to, function=function)


WRONG = {
    "name taken": (dal.Distance("arm", "ground", "arm"), "constraints.arm", "taken by bodies.arm"),
    "unknown body": (dal.Distance("c", "ground", "amr"), "constraints.c.second", "'amr'", "Did you mean 'arm'?"),
    "unknown point": (dal.PointOnLine("c", "arm.tpi", "ground"), "constraints.c.first", "Did you mean 'tip'?"),
    "one body": (dal.Distance("c", "arm", "arm.tip"), "constraints.c:", "same body", "ground"),
    "one place": (dal.Rolling("c", "ground", "ground.A", 1.0), "constraints.c:", "same body"),
    "length zero": (dal.Distance("c", "ground", "arm", 0.0), "constraints.c.length", "greater than 0", "Spherical"),
    "length negative": (dal.Distance("c", "ground", "arm", -1), "constraints.c.length", "-1", "greater than 0"),
    "length is an angle": (dal.Distance("c", "ground", "arm", "3 deg"), "an angle [rad]", "a length [m]"),
    "length is true": (dal.Distance("c", "ground", "arm", True), "truth value", "a length"),
    "length is a list": (dal.Distance("c", "ground", "arm", [1, 2]), "constraints.c.length", "table(t, y)"),
    "length falls to zero": (dal.Distance("c", "ground", "arm", dal.ramp(begin=0, finish=1, start=1, end=0)), "lowest 0"),
    "length swings to zero": (dal.Distance("c", "ground", "arm", dal.sine(omega=1, offset=0.5)), "lowest -0.5"),
    "length by a bad table": (dal.Distance("c", "ground", "arm", dal.table([0, 1], [1, "x"])), "constraints.c.length.y[1]"),
    "length of the state": (dal.Distance("c", "ground", "arm", lambda t, x, v: 1.0), "3 parameters", "f(t)"),
    "step of zero": (dal.Distance("c", "ground", "arm", derivative_step=0), "constraints.c.derivative_step", "0"),
    "step in metres": (dal.PointOnPlane("c", "ground", "arm", derivative_step="1 m"), "derivative_step", "a time [s]"),
    "line along nothing": (dal.PointOnLine("c", "ground", "arm", (0, 0, 0)), "constraints.c.axis", "not zero"),
    "plane without a normal": (dal.PointOnPlane("c", "ground", "arm", (0, 0, 0)), "constraints.c.normal", "not zero"),
    "offset in degrees": (dal.PointOnPlane("c", "ground", "arm", offset="3 deg"), "constraints.c.offset", "a length"),
    "offset is nothing": (dal.PointOnPlane("c", "ground", "arm", offset=None), "constraints.c.offset", "a number"),
    "radius zero": (dal.Rolling("c", "ground", "wheel", 0.0), "constraints.c.radius", "greater than 0", "PointOnPlane"),
    "radius negative": (dal.Rolling("c", "ground", "wheel", -0.1), "constraints.c.radius", "-0.1"),
    "wheel without an axis": (dal.Rolling("c", "ground", "wheel", 1.0, axis=(0, 0, 0)), "constraints.c.axis", "not zero"),
    "wheel on no normal": (dal.Rolling("c", "ground", "wheel", 1.0, normal=(0, 0)), "constraints.c.normal", "2 values"),
    "unknown joint": (dal.Gear("c", "hinge", "slid", 1.0), "constraints.c.second", "Did you mean 'slide'?"),
    "gear of bodies": (dal.Gear("c", "arm", "slide", 1.0), "constraints.c.first", "'arm' is a body"),
    "gear of one joint": (dal.Gear("c", "hinge", "hinge", 1.0), "constraints.c.second", "with itself", "another joint"),
    "gear of one coordinate": (dal.Gear("c", "guide", "guide", 1.0, None, "angle", "angle"), "with itself"),
    "ratio zero": (dal.Gear("c", "hinge", "slide", 0.0), "constraints.c.ratio", "other than zero", "Motion"),
    "ratio with a unit": (dal.Gear("c", "hinge", "slide", "5 mm"), "constraints.c.ratio", "a length [m]", "plain number"),
    "ratio is nothing": (dal.Gear("c", "hinge", "slide", None), "constraints.c.ratio", "None"),
    "offset of a rack in degrees": (dal.Gear("c", "hinge", "slide", 1.0, "3 deg"), "constraints.c.offset", "a length"),
    "coordinate not named": (dal.Gear("c", "guide", "hinge", 1.0), "constraints.c.first_coordinate",
                             "angle, displacement"),
    "unknown coordinate": (dal.Gear("c", "hinge", "guide", 1.0, second_coordinate="angel"),
                           "constraints.c.second_coordinate", "Did you mean 'angle'?"),
    "gear on a ball": (dal.Gear("c", "hinge", "socket", 1.0), "constraints.c.second", "only a quaternion"),
    "gear on a quaternion": (dal.Gear("c", "loose", "hinge", 1.0, first_coordinate="qx"), "quaternion", "angles"),
    "gear on a weld": (dal.Gear("c", "weld", "hinge", 1.0), "constraints.c.first", "no coordinates", "another joint"),
    "coupling to nothing": (coupling({}), "constraints.sum.to", "{'joint': factor"),
    "coupling to a name": (coupling("slide"), "constraints.sum.to", "found 'slide'", "function="),
    "coupling to a list": (coupling(["slide"]), "constraints.sum.to", "factor"),
    "factor zero": (coupling({"slide": 0}), "constraints.sum.to.slide", "other than zero", "leave the joint out"),
    "factor is a text": (coupling({"slide": "x"}), "constraints.sum.to.slide", "'x'", "a number"),
    "other joint unknown": (coupling({"slidde": 1}), "constraints.sum.to.slidde", "Did you mean 'slide'?"),
    "other coordinate unknown": (coupling({"guide.angel": 1}), "constraints.sum.to.guide.angel", "Did you mean 'angle'?"),
    "other coordinate not named": (coupling({"guide": 1}), "constraints.sum.to.guide", "angle, displacement"),
    "other is a number": (coupling({3: 1.0}), "constraints.sum.to.3", "no joint 3"),
    "other coordinate twice": (coupling({"slide": 1, "slide.displacement": 2}), "to.slide.displacement", "add the factors"),
    "coupled to itself": (coupling({"hinge.angle": 2}), "constraints.sum.to.hinge.angle", "expected another one"),
    "coupled to a quaternion": (coupling({"loose.qw": 2}), "quaternion of Free 'loose'"),
    "coupling of an unknown joint": (dal.CoordinateCoupling("sum", "hing", {"slide": 1}, "3 mm"), "constraints.sum.joint",
                                     "Did you mean 'hinge'?"),
    "coupling with an offset in metres": (coupling({"slide": 1}, offset="3 mm"), "constraints.sum.offset", "an angle"),
    "function of a sum": (cam(math.sin, to={"slide": 1}), "constraints.sum.to", "one joint"),
    "function of itself": (cam(math.sin, to="hinge"), "constraints.sum.to", "expected another one"),
    "function of no joint": (cam(math.sin, to="slid"), "constraints.sum.to", "Did you mean 'slide'?"),
    "function of a list": (cam(math.sin, to=["slide"]), "constraints.sum.to", "no joint"),
    "function of three": (cam(lambda t, x, v: x), "constraints.sum.function", "3 parameters", "f(x)"),
    "compiled function of two": (cam(dal.law(lambda x, y: x)), "constraints.sum.function", "2 parameters", "f(x)"),
    "function is a number": (cam(3.0), "constraints.sum.function", "table(x, y)", "factor"),
    "function is a class": (cam(Sine), "class Sine", "call"),
    "cam in the wrong unit": (cam(dal.table([0, "90 deg"], [0, 1])), "function.t[1]", "a length [m]"),
    "cam goes back": (cam(dal.table([0, 2, 1], [0, 0, 0])), "found 1 after 2", "arguments that grow"),
    "cam of unequal columns": (cam(dal.table([0, 2], [0, 0, 0])), "2 arguments and 3 values"),
    "cam of time": (cam(dal.ramp(begin="0 s", finish="1 m")), "constraints.sum.function.begin", "a length [m]"),
    "cam turning in time": (cam(dal.sine(omega="3 rpm")), "constraints.sum.function.omega", "[rad/m]"),
    "cam ramp backwards": (cam(dal.ramp(begin=2.0, finish=1.0)), "constraints.sum.function.finish", "after begin = 2 m"),
    "cam with a step in seconds": (coupling("slide", function=math.sin, derivative_step="1 s"), "derivative_step",
                                   "a length [m]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_fault_is_told(name):
    """The text names the place and the remedy, and says nothing else."""
    constraint, *fragments = WRONG[name]
    with pytest.raises(dal.ModelError) as error:
        dal.check(machine(constraint))
    assert len(error.value.faults) == 1, str(error.value)
    assert [f for f in fragments if f not in str(error.value)] == [], str(error.value)
    assert "!" not in str(error.value)


def test_all_faults_are_told_at_once():
    """Several of one constraint, and those of others."""
    with pytest.raises(dal.ModelError) as error:
        dal.check(machine(dal.Rolling("a", "ground", "weel", -1.0, (0, 0, 0), (0, 0, 0)),
                          dal.Gear("b", "hing", "slid", 0.0), dal.Distance("c", "arm", "bulb", -1.0)))
    assert [fault.where for fault in error.value.faults] == [
        "constraints.a.second", "constraints.a.normal", "constraints.a.axis", "constraints.a.radius",
        "constraints.b.first", "constraints.b.second", "constraints.b.ratio", "constraints.c.length"]
