"""Model text: what it says, and the way back."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.model.constraints import CONSTRAINTS
from dalembert.model.parts import FORCES, JOINTS
from dalembert.model.text_write import type_name


def everything():
    """Return a model with a part of every kind and every law."""
    ground = {"A": (1, 2, 3), "B": dal.Frame((0.1, 0.2, 0.3), (1, 0, 0, 1)),
              "C": dal.Frame((0, 0, 0), {"axis": (0, 0, 1), "angle": "90 deg"})}
    model = dal.Model("of everything", np.array([0, 0, -9.81]), ground, run={"until": 5.0, "formulation": "auto"})
    for i, kind in enumerate(JOINTS):
        model.add(dal.Body(f"body {i}", 0.1 + i, com=(1 / 3, 1e-300, -0.0), inertia=np.eye(3) / 3,
                           points={"p": (i, 0, 0)}),
                  kind(f"joint {i}", "ground.B", f"body {i}.p"))
    add_constraints(model)
    ends = {"JointSpring": ("joint 1",), "Motor": ("joint 1",), "Force": ("body 1",), "Torque": ("body 1.p",)}
    model.add(*(kind(f"force {i}", *ends.get(kind.__name__, ("ground.A", "body 2"))) for i, kind in enumerate(FORCES)))
    laws = (2.5, dal.sine(amplitude=2.0, frequency=1 / 3, phase="30 deg"),
            dal.table([0, 0.1, 1 / 3], [1, 2, 3], kind="linear"))
    model.add(*(FORCES[1](f"motor {i}", "joint 2", effort=law) for i, law in enumerate(laws)),
              dal.Motion("drive", "joint 1", position=dal.ramp(begin=0, finish=1 / 3, end=7)),
              dal.Motion("turn", "joint 6", speed=1.0, coordinate="angle"))
    return model


def add_constraints(model):
    """Add a constraint of every kind, with defaults and without, and with every law."""
    ends, cam = ("ground.A", "body 2.p"), dal.table(np.array([0, 1 / 3, 2]), (0, 1 / 7, 0))
    model.add(
        dal.Distance("rope", *ends), dal.Distance("bar", *ends, length=1 / 3, derivative_step="2 ms"),
        dal.Distance("jack", *ends, length=dal.sine(offset=2, frequency=1 / 3)),
        dal.PointOnLine("slot", *ends), dal.PointOnLine("slot 2", *ends, axis=np.array([1, 2, 1 / 3])),
        dal.PointOnPlane("table", *ends), dal.PointOnPlane("lift", *ends, (0, 1, 1), dal.ramp(begin=0, finish=1 / 3)),
        dal.Gear("mesh", "joint 1", "joint 2", -1 / 3),
        dal.Gear("nut", "joint 4", "joint 4", 1e-3, "3 mm", "angle", "displacement"),
        dal.CoordinateCoupling("sum", "joint 1", {"joint 2": 1 / 3, "joint 6.angle": -2}, "30 deg"),
        dal.CoordinateCoupling("cam", "joint 6", "joint 1", 1 / 7, cam, "x"),
        dal.Rolling("ball", *ends, "10 cm"), dal.Rolling("wheel", *ends, 1 / 3, (0, 0, 2), (0, 1, 0)))
    assert {type(each) for each in model.constraints} == set(CONSTRAINTS)


def numbers(thing):
    """Return everything of a checked model as nested plain data, but for what it was made of."""
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if isinstance(thing, (tuple, list)):
        return [numbers(x) for x in thing]
    if hasattr(thing, "__dataclass_fields__"):
        return {key: numbers(getattr(thing, key)) for key in thing.__dataclass_fields__}
    if isinstance(thing, dal.Model):
        return None
    return {key: numbers(x) for key, x in thing.items()} if isinstance(thing, dict) else thing


def test_round_trip_is_exact(tmp_path):
    """Every number comes back to the last bit, in the text and in the checked model."""
    model = everything()
    dal.write(model, tmp_path / "model.yaml")
    again = dal.read(tmp_path / "model.yaml")
    assert dal.to_text(again) == dal.to_text(model)
    assert numbers(dal.check(again)) == numbers(dal.check(model))


def test_the_words_of_the_text():
    """Types, shapes, units, laws and the run block."""
    model = dal.from_text("""
gravity: [0, 0, 0]
bodies:
  rod: {mass: 12, inertia: {rod: {length: 100 cm, axis: x}}, points: {tip: {rotation: [1, 0, 0, 0]}}}
  dot:
joints:
  pivot: {type: Revolute, between: [ground, rod], start: -90 deg}
  fly: {type: free, between: [ground, dot]}
forces:
  strut: {type: spring_damper, between: [ground, rod.tip], stiffness: 3}
  drive: {type: motor, joint: pivot, effort: {sine: {frequency: 2 Hz}}}
run: {until: 100 ms}
""", name="words")
    assert model.name == "words" and model["rod"].inertia == (0.0, 1.0, 1.0)
    checked = dal.check(model)
    assert checked.run == {"until": 0.1} and checked.joints[0].start[0] == pytest.approx(-np.pi / 2, rel=1e-15)
    assert model["drive"].effort == dal.sine(frequency=2.0) and model["strut"].second == "rod.tip"


def test_anchors_are_values():
    """A value that is named once can be used again."""
    model = dal.from_text("bodies:\n  a: &rod {mass: 1.0, com: [0, 0, 1]}\n  b: *rod\n")
    assert model["a"].com == model["b"].com == [0, 0, 1]


@pytest.mark.parametrize("text, line, fragment", [
    ("bodies:\n  a: {mas: 1}", 2, "unknown key 'mas'. Did you mean 'mass'?"),
    ("body:\n  a: {}", 1, "Did you mean 'bodies'?"),
    ("bodies:\n  a:\n    mass: 1\n    com: [0, 0]", 4, "bodies.a.com"),
    ("bodies:\n  a:\n    com:\n      - 0\n      - x\n      - 0", 5, "bodies.a.com[1]"),
    ("bodies: {a: }\njoints:\n  j:\n    type: revolute\n    between:\n      - ground\n      - b", 7, "no body 'b'"),
    ("bodies: {a: }\njoints:\n  j: {between: [ground, a]}", 3, "lacks 'type'"),
    ("joints:\n  j: {type: revolute}", 2, "lacks 'between'"),
    ("joints:\n  j: {type: revolute, between: ground}", 2, "expected two places"),
    ("bodies: {a: }\njoints:\n  j: {type: fixed, between: [ground, a], first: a}", 3, "unknown key 'first'"),
    ("forces:\n  f: {type: motor}", 2, "lacks 'joint'"),
    ("forces:\n  f: {type: force}", 2, "lacks 'at'"),
    ("forces:\n  f: {type: wind}", 2, "unknown type 'wind'"),
    ("constraints:\n  c: {between: [a, b]}", 2, "lacks 'type', expected one of distance, point-on-line"),
    ("constraints:\n  c: {type: distance, length: 1}", 2, "lacks 'between', expected two places"),
    ("constraints:\n  c: {type: gear, ratio: 2}", 2, "lacks 'between', expected two joints"),
    ("bodies: {a: }\nconstraints:\n  c: {type: rolling, between: [ground, a]}", 3, "lacks 'radius'; give radius: length"),
    ("bodies: {a: }\nconstraints:\n  c: {type: distance, between: [ground, a], lenght: 1}", 3, "mean 'length'?"),
    ("bodies: {a: }\nconstraints:\n  c:\n    type: distance\n    between:\n      - ground\n      - b", 7, "no body 'b'"),
    ("bodies: {a: }\nconstraints:\n  c:\n    type: distance\n    between: [ground, a]\n    length:\n      table:\n"
     "        t: [0, 1]\n        y: [1, -1]", 6, "lowest -1 m"),
    ("bodies: {a: }\njoints:\n  j: {type: revolute, between: [ground, a]}\nconstraints:\n  c:\n"
     "    type: coordinate-coupling\n    joint: j\n    to:\n      k: 2", 9, "no joint 'k'"),
    ("bodies:\n  a:\n    inertia: {cone: {}}", 3, "expected a shape"),
    ("bodies:\n  a:\n    mass: 1\n    inertia: {rod: {axis: x}}", 4, "lacks length"),
    ("bodies:\n  a:\n    mass: 1\n    inertia: {rod: {length: 3 kg}}", 4, "a mass [kg], expected a length [m]"),
    ("bodies: {a: }\nforces:\n  f: {type: force, at: a, magnitude: {function: g}}", 3, "a text cannot hold"),
    ("bodies: {a: }\nforces:\n  f: {type: force, at: a, magnitude: {sine: {phase: 1}}}", 3, "exactly one"),
    ("bodies: {a: }\nforces:\n  f:\n    type: force\n    at: a\n    magnitude:\n      table:\n        t: [1, 0]\n"
     "        y: [0, 0]", 8, "found 0 after 1"),
    ("name: x\nname: y", 2, "stands twice (first in line 1)"),
    ("bodies: [a, b]", 1, "names with their data"),
    ("bodies:\n  a: 3", 2, "found 3"),
    ("run:\n  untill: 3", 2, "Did you mean 'until'?"),
    ("gravity: [0, 0,\n\nname: x", 3, "not YAML"),
    ("bodies:\n  a: {mass: !!python/name:os.system x}", 2, "remove the tag"),
])
def test_each_fault_has_its_line(text, line, fragment):
    """One fault, its line and its remedy."""
    with pytest.raises(dal.ModelError) as error:
        dal.from_text(text)
    fault, = error.value.faults
    assert fault.place == f"text:{line}" and fragment in str(fault), str(fault)


def test_faults_come_in_the_order_of_lines():
    """Schema and check faults are mixed."""
    with pytest.raises(dal.ModelError) as error:
        dal.from_text("bodies:\n  a: {mass: -1}\n  b: {mas: 1}\n  c: {com: 1}\n")
    assert [fault.place for fault in error.value.faults] == ["text:2", "text:3", "text:4"]


def test_missing_and_unreadable_files(tmp_path):
    """The path and the near miss are reported."""
    (tmp_path / "pendulum.yaml").write_text("name: x")
    for path, fragment in ((tmp_path / "pendulm.yaml", "Did you mean 'pendulum.yaml'?"),
                           (tmp_path / "none" / "x.yaml", "no folder"), (tmp_path, "cannot read"), ("a\0b", "null")):
        with pytest.raises(dal.ModelError) as error:
            dal.read(path)
        assert fragment in str(error.value)
    with pytest.raises(dal.ModelError, match="expected the path"):
        dal.read(3)


def test_bytes_that_are_no_text(tmp_path):
    """Encoding faults have a line."""
    (tmp_path / "latin.yaml").write_bytes("name: x\n# Träger\n".encode("latin-1"))
    with pytest.raises(dal.ModelError, match=r"latin\.yaml:2 .*UTF-8"):
        dal.read(tmp_path / "latin.yaml")


def test_functions_are_shown_but_not_written(tmp_path):
    """The provenance names a function; a file cannot hold it."""
    model = dal.Model("x").add(dal.Body("b"), FORCES[4]("push", "b", magnitude=lambda t: t),
                               dal.Distance("jack", "ground", "b", lambda t: 1 + t))
    assert dal.check(model).text.count('{function: "') == 2
    with pytest.raises(dal.ModelError, match="forces.push.magnitude: a text cannot hold the function"):
        dal.write(model, tmp_path / "x.yaml")
    with pytest.raises(dal.ModelError, match="constraints.jack.length: a text cannot hold the function"):
        dal.write(model, tmp_path / "x.yaml")


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    """Writing fails with the path."""
    with pytest.raises(dal.ModelError, match="cannot write"):
        dal.write(dal.Model("x"), tmp_path / "none" / "x.yaml")


def test_type_names():
    """The words for types."""
    assert [type_name(kind) for kind in FORCES[:4]] == ["joint-spring", "motor", "spring-damper", "bushing"]
