"""Every wrong model is reported by name, with what was found, what is expected and the remedy."""

import math

import numpy as np
import pytest

import dalembert as dal
from dalembert.model.laws import Sine


def body(**fields):
    """Return the faults' model with a body that has these fields."""
    return [dal.Body("rod", **fields)]


def hinged(*parts):
    """Return a good rod on a hinge, and further parts."""
    return [dal.Body("rod", mass=1.0, points={"tip": (0, 0, -1)}), dal.Revolute("pivot", "ground", "rod"), *parts]


def joint(kind, **fields):
    """Return a good rod on a joint of a kind."""
    return [dal.Body("rod", mass=1.0), kind("pivot", "ground", "rod", **fields)]


def motor(effort):
    """Return a rod with a motor of this law."""
    return hinged(dal.Motor("drive", "pivot", effort=effort))


def point(place):
    """Return a body with a point."""
    return body(points={"tip": place})


POINT_LAW = lambda t, x, y, z, vx, vy, vz: z


WRONG = {
    # names
    "empty name": ([dal.Body("")], "not empty"),
    "blank at the end": ([dal.Body("rod ")], "'rod '", "without blanks"),
    "name is a number": ([dal.Body(3)], "found 3 as a name", "quotation marks"),
    "dot in a name": ([dal.Body("a.b")], "bodies.a.b", "dot", "'a_b'"),
    "line break in a name": ([dal.Body("a\nb")], "printable"),
    "ground is reserved": ([dal.Body("ground")], "reserved", "ground", "choose another"),
    "energy is reserved": ([dal.Body("energy")], "reserved", "energy.total"),
    "two bodies of one name": ([dal.Body("rod"), dal.Body("rod")], "'rod' is taken by bodies.rod", "choose another"),
    "joint named as a body": ([dal.Body("rod"), dal.Free("rod", "ground", "rod")], "joints.rod", "taken by bodies.rod"),
    "point name is a number": (body(points={1: (0, 0, 0)}), "bodies.rod.points.1", "quotation marks"),
    # numbers
    "negative mass": (body(mass=-2.0), "bodies.rod.mass", "-2.0", "0 or more"),
    "mass is not a number": (body(mass=math.nan), "bodies.rod.mass", "nan", "finite"),
    "mass is infinite": (body(mass=math.inf), "inf", "finite"),
    "mass is gigantic": (body(mass=1e40), "1e+40", "wrong unit?"),
    "mass has thousands of digits": (body(mass=10**5000), "bodies.rod.mass", "wrong unit?"),
    "mass is true": (body(mass=True), "True", "truth value"),
    "mass is a text": (body(mass="heavy"), "'heavy'", "a mass [kg]"),
    "mass in quotation marks": (body(mass="3.0"), "'3.0'", "remove the quotation marks"),
    "mass in degrees": (body(mass="3 deg"), "an angle [rad]", "a mass [kg]"),
    "mass is complex": (body(mass=1j), "1j", "a mass"),
    "mass is nothing": (body(mass=None), "None", "a mass"),
    # vectors
    "com too short": (body(com=(1.0, 2.0)), "bodies.rod.com", "2 values", "three numbers"),
    "com is one number": (body(com=1.0), "bodies.rod.com", "three numbers"),
    "com is a text": (body(com="abc"), "bodies.rod.com", "'abc'", "three numbers"),
    "com holds a list": (body(com=(0, [1], 0)), "bodies.rod.com[1]", "[1]"),
    "points are a list": (body(points=[(0, 0, 1)]), "bodies.rod.points", "names with places"),
    "point too long": (point((0, 0, 1, 2)), "bodies.rod.points.tip", "4 values"),
    # inertia
    "inertia is one number": (body(inertia=1.0), "bodies.rod.inertia", "inertia_box"),
    "inertia of the wrong shape": (body(inertia=np.zeros((2, 2))), "3x3 matrix"),
    "inertia not symmetric": (body(inertia=((1, 0.5, 0), (-0.5, 1, 0), (0, 0, 1))), "not symmetric", "[0][1]", "sign"),
    "inertia negative": (body(inertia=(1, 1, -1)), "none below zero", "centre of mass"),
    "inertia indefinite": (body(inertia=((1, 2, 0), (2, 1, 0), (0, 0, 3))), "(-1, 3, 3)", "none below zero"),
    # rotations
    "rotation not orthonormal": (point(dal.Frame((0, 0, 0), ((1, 0.1, 0), (0, 1, 0), (0, 0, 1)))), "orthonormal",
                                 "axis"),
    "rotation left-handed": (point(dal.Frame((0, 0, 0), np.diag([1.0, 1, -1]))), "left-handed", "columns"),
    "rotation of zeros": (point(dal.Frame((0, 0, 0), (0, 0, 0, 0))), "quaternion of zeros", "(1, 0, 0, 0)"),
    "rotation by three numbers": (point(dal.Frame((0, 0, 0), (0, 0, 1))), "3x3 rotation matrix", "angle"),
    "rotation without an angle": (point(dal.Frame((0, 0, 0), {"axis": (0, 0, 1)})), "both axis and angle"),
    "rotation with a wrong key": (point(dal.Frame((0, 0, 0), {"axis": (0, 0, 1), "angel": 1})), "'angel'", "'angle'"),
    # joints
    "unknown body": (hinged(dal.Fixed("weld", "ground", "rodd")), "joints.weld.second", "'rodd'",
                     "Did you mean 'rod'?"),
    "unknown point": (hinged(dal.Fixed("weld", "rod.tpi", "ground")), "joints.weld.first", "'tpi'",
                      "Did you mean 'tip'?"),
    "unknown point of the ground": (hinged(dal.Fixed("weld", "ground.A", "rod")), "'ground' has no point 'A'"),
    "attachment is no text": (hinged(dal.Fixed("weld", "ground", 3)), "joints.weld.second", "found 3", "body.point"),
    "joint on one body": (hinged(dal.Fixed("weld", "rod", "rod.tip")), "joints.weld", "same body", "ground"),
    "axis of zeros": (joint(dal.Revolute, axis=(0, 0, 0)), "joints.pivot.axis", "not zero"),
    "axis too short": (joint(dal.Revolute, axis=(0, 1)), "joints.pivot.axis", "three numbers"),
    "parallel axes": (joint(dal.Universal, axis2=(-2, 0, 0)), "joints.pivot.axis2", "parallel", "Revolute"),
    "pitch is a text": (joint(dal.Screw, pitch="3 turn"), "joints.pivot.pitch", "an angle", "a length"),
    "start too long": (joint(dal.Revolute, start=(1, 2)), "joints.pivot.start", "one number"),
    "start too short": (joint(dal.Cylindrical, start=1.0), "joints.pivot.start", "angle, displacement"),
    "start of a weld": (joint(dal.Fixed, start=0.0), "joints.pivot.start", "no coordinates"),
    "rate of a weld": (joint(dal.Fixed, start_rate=0.0), "joints.pivot.start_rate", "no coordinates"),
    "start is a length": (joint(dal.Revolute, start="3 mm"), "a length [m]", "an angle [rad]", "deg"),
    "start in an unknown unit": (joint(dal.Revolute, start="3 degrees"), "'3 degrees'", "deg"),
    "displacement is an angle": (joint(dal.Prismatic, start="3 deg"), "an angle [rad]", "a length [m]"),
    "ball start of two numbers": (joint(dal.Spherical, start=(1, 2)), "quaternion", "rotation vector"),
    "ball start of zeros": (joint(dal.Spherical, start=(0, 0, 0, 0)), "quaternion of zeros"),
    "free start of four numbers": (joint(dal.Free, start=(1, 2, 3, 4)), "(x, y, z)", "qw"),
    "free rate of seven numbers": (joint(dal.Free, start_rate=(0,) * 7), "joints.pivot.start_rate", "(vx, vy, vz)"),
    "cut is a text": (joint(dal.Revolute, cut="yes"), "joints.pivot.cut", "true or false"),
    # forces
    "unknown joint": (hinged(dal.Motor("drive", "pivto")), "forces.drive.joint", "Did you mean 'pivot'?"),
    "body instead of a joint": (hinged(dal.Motor("drive", "rod")), "'rod' is a body"),
    "coordinate not named": ([*joint(dal.Cylindrical), dal.JointSpring("spring", "pivot")],
                             "name one of them: angle, disp"),
    "unknown coordinate": ([*joint(dal.Cylindrical), dal.JointSpring("spring", "pivot", coordinate="angel")],
                           "'angle'?"),
    "coordinate of a quaternion": ([*joint(dal.Free), dal.Motor("drive", "pivot", coordinate="qx")], "quaternion",
                                   "Bushing"),
    "motor on a ball joint": ([*joint(dal.Spherical), dal.Motor("drive", "pivot")], "quaternion", "Bushing"),
    "motor on a weld": ([*joint(dal.Fixed), dal.Motor("drive", "pivot")], "no coordinates", "another joint"),
    "negative stiffness": (hinged(dal.JointSpring("spring", "pivot", stiffness=-1.0)), "forces.spring.stiffness",
                           "law"),
    "negative damping": (hinged(dal.SpringDamper("strut", "ground", "rod", damping=-1.0)), "forces.strut.damping",
                         "law"),
    "negative length": (hinged(dal.SpringDamper("strut", "ground", "rod", length=-1.0)), "forces.strut.length", "free"),
    "spring on one point": (hinged(dal.SpringDamper("strut", "rod", "rod")), "forces.strut.second", "two places"),
    "bushing with two numbers": (hinged(dal.Bushing("rubber", "ground", "rod", stiffness=(1, 2))),
                                 "one number or three"),
    "bushing negative": (hinged(dal.Bushing("rubber", "ground", "rod", turning_damping=(1, 2, -3))),
                         "turning_damping[2]"),
    "direction of zeros": (hinged(dal.Force("push", "rod", direction=(0, 0, 0))), "forces.push.direction", "not zero"),
    "force on nothing": (hinged(dal.Torque("twist", "rot")), "forces.twist.at", "Did you mean 'rod'?"),
    "follow is a number": (hinged(dal.Force("push", "rod", follow=1)), "forces.push.follow", "true or false"),
    # laws
    "function of two parameters": (motor(lambda t, x: 0.0), "forces.drive.effort", "2 parameters", "f(t, x, v)"),
    "motor of a point": (motor(POINT_LAW), "7 parameters", "one parameter, f(t), or three, f(t, x, v)"),
    "torque of a point": (hinged(dal.Torque("twist", "rod", magnitude=POINT_LAW)), "forces.twist.magnitude", "7 parameters",
                          "one parameter, f(t), or three, f(t, x, v)"),
    "spring of a point": (hinged(dal.SpringDamper("strut", "ground", "rod", force=POINT_LAW)), "forces.strut.force",
                          "7 parameters"),
    "joint spring of a point": (hinged(dal.JointSpring("coil", "pivot", effort=POINT_LAW)), "7 parameters"),
    "motion of a point": (hinged(dal.Motion("drive", "pivot", speed=POINT_LAW)), "7 parameters", "f(t)"),
    "force of a position only": (hinged(dal.Force("push", "rod", magnitude=lambda t, x, y, z: z)), "forces.push.magnitude",
                                 "4 parameters", "or three, f(t, x, v), or seven, f(t, x, y, z, vx, vy, vz)"),
    "compiled force of two": (hinged(dal.Force("push", "rod", magnitude=dal.law(lambda t, x: x))), "2 parameters",
                              "or seven, f(t, x, y, z, vx, vy, vz)"),
    "function of none": (motor(lambda: 0.0), "0 parameters"),
    "compiled law of two": (motor(dal.law(lambda t, x: 0.0)), "2 parameters"),
    "law is a list": (motor([1, 2]), "forces.drive.effort", "table(t, y)"),
    "law is nothing": (motor(None), "forces.drive.effort", "a number"),
    "law is a class": (motor(Sine), "class Sine", "call"),
    "law is infinite": (motor(math.inf), "finite"),
    "amplitude not finite": (motor(dal.sine(amplitude=math.nan, omega=1.0)), "forces.drive.effort.amplitude", "finite"),
    "table of one point": (motor(dal.table([0], [1])), "1 point", "two or more"),
    "table of unequal lengths": (motor(dal.table([0, 1], [1])), "2 times and 1 values"),
    "table goes back": (motor(dal.table([0, 2, 1], [0, 0, 0])), "found 1 after 2", "grow"),
    "table stands still": (motor(dal.table([0, 1, 1], [0, 0, 0])), "found 1 after 1", "jump"),
    "table not finite": (motor(dal.table([0, 1], [0, math.nan])), "forces.drive.effort.y[1]", "finite"),
    "table without times": (motor(dal.table(3.0, [0, 1])), "forces.drive.effort.t", "list of numbers"),
    "table of an unknown kind": (motor(dal.table([0, 1], [0, 1], kind="cubik")), "'cubik'", "'cubic'"),
    "ramp backwards": (motor(dal.ramp(begin=2.0, finish=1.0)), "forces.drive.effort.finish", "after begin = 2 s"),
    # motions
    "motion with both": (hinged(dal.Motion("drive", "pivot", position=0.0, speed=1.0)), "motions.drive", "both"),
    "motion with neither": (hinged(dal.Motion("drive", "pivot")), "motions.drive", "neither", "exactly one"),
    "motion of the state": (hinged(dal.Motion("drive", "pivot", speed=lambda t, x, v: x)), "3 parameters", "f(t)"),
    "two motions": (hinged(dal.Motion("a", "pivot", speed=1.0), dal.Motion("b", "pivot", speed=1.0)),
                    "driven by 'a'", "one"),
    "motion without a step": (hinged(dal.Motion("drive", "pivot", speed=1.0, derivative_step=0.0)), "derivative_step"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_fault_is_told(name):
    """The text names the place and the remedy, and says nothing else."""
    parts, *fragments = WRONG[name]
    with pytest.raises(dal.ModelError) as error:
        dal.check(dal.Model("wrong").add(*parts))
    assert len(error.value.faults) == 1, str(error.value)
    assert [f for f in fragments if f not in str(error.value)] == []
    assert "!" not in str(error.value)


@pytest.mark.parametrize("inertia", [(1, 1, 5), np.diag([5.0, 1.0, 1.0]), (0, 0, 5), np.ones((3, 3))])
def test_an_inertia_of_no_body_is_noted(inertia):
    """Moments that are not negative are no fault, whatever their sums; public robots have matrices full of ones."""
    checked = dal.check(dal.Model("odd").add(*body(inertia=inertia)))
    assert np.array_equal(checked.bodies[1].inertia, np.diag(inertia) if np.ndim(inertia) == 1 else inertia)
    assert len(checked.notes) == 1
    for part in ("bodies.rod.inertia", "sum of the other two", "computed with as given", "centre of mass"):
        assert part in checked.notes[0]


@pytest.mark.parametrize("inertia", [(1, 1, 2), (1, 1, 2.001), (0, 0, 0), (0, 1, 1)])
def test_an_inertia_that_rounding_explains_is_not_noted(inertia):
    assert dal.check(dal.Model("good").add(*body(inertia=inertia))).notes == ()


@pytest.mark.parametrize("model, fragment", [
    (dal.Model(3), "name: found 3"),
    (dal.Model(""), "not empty"),
    (dal.Model("x", gravity=9.81), "gravity: found 9.81, expected three numbers"),
    (dal.Model("x", gravity=(0, 0, math.inf)), "gravity[2]"),
    (dal.Model("x", ground={"A": (0, 0)}), "ground.A"),
    (dal.Model("x", ground=[(0, 0, 0)]), "ground: found"),
    (dal.Model("x", run={"untill": 1.0}), "Did you mean 'until'?"),
    (dal.Model("x", run={"until": -1.0}), "run.until: found -1.0, expected a time [s] greater than 0"),
    (dal.Model("x", run={"formulation": 3}), "run.formulation"),
    (dal.Model("x", run=[1]), "run: found [1]"),
])
def test_faults_of_the_model_itself(model, fragment):
    """Name, gravity, ground and run are checked like parts."""
    with pytest.raises(dal.ModelError) as error:
        dal.check(model)
    assert fragment in str(error.value) and len(error.value.faults) == 1


@pytest.mark.parametrize("thing, fragment", [
    (3, "found 3 (int)"),
    (dal.Body, "call it, as in Body('name', ...)"),
    ([dal.Body("a")], "add(*parts)"),
    ((part for part in ()), "add(*parts)"),
    (None, "None"),
])
def test_only_parts_can_be_added(thing, fragment):
    """The position of the wrong thing is reported, and nothing is added."""
    model = dal.Model("x")
    with pytest.raises(dal.ModelError) as error:
        model.add(dal.Body("good"), thing)
    assert "argument 2" in str(error.value) and fragment in str(error.value) and len(model) == 0


def test_check_wants_a_model():
    """Anything else is reported."""
    with pytest.raises(dal.ModelError, match="expected a Model"):
        dal.check("model.yaml")


def test_all_faults_are_told_at_once():
    """Ten bad bodies and ten bad joints give at least twenty faults."""
    model = dal.Model("bad").add(*(dal.Body(f"b{i}", mass=-1.0) for i in range(10)),
                             *(dal.Revolute(f"j{i}", "ground", f"b{i}", axis=(0, 0, 0)) for i in range(10)))
    with pytest.raises(dal.ModelError) as error:
        dal.check(model)
    assert len(error.value.faults) == 20


@pytest.mark.parametrize("parts", [
    [],
    [dal.Body("hub", mass=0.0, inertia=(1, 1, 1))],
    [dal.Body("rod", mass=1.0, inertia=(1 / 12, 1 / 12, 0.0))],
    [dal.Body("plate", mass=1.0, inertia=(0.0521, 0.0208, 0.0729))],
    joint(dal.Revolute, start="90 deg", start_rate="60 rpm"),
    joint(dal.Prismatic, start="30 mm"),
    joint(dal.Spherical, start=(0, 0, "90 deg")),
    motor(lambda t, k=3.0: k * t),
    motor(np.float32(3.0)),
    motor(math.sin),
    joint(dal.Screw, pitch=-0.001),
])
def test_legal_models(parts):
    """Massless bodies, rods, rounded plates, texts with units and defaults in functions are no faults."""
    dal.check(dal.Model("good").add(*parts))
