"""Whatever a model text holds, reading it gives a model or a ModelError."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dalembert as dal

VALID = """
name: everything
gravity: [0, 0, -9.81]
ground: {A: [1, 0, 0], B: {position: [0, 0, 1], rotation: {axis: [0, 0, 1], angle: 90 deg}}}
bodies:
  crank: {mass: 1.0, com: [0.5, 0, 0], inertia: {rod: {length: 1.0, axis: x}}, points: {pin: [1, 0, 0]}}
  block:
  ball: {mass: 200 g, inertia: {sphere: {radius: 1 cm}}}
joints:
  main: {type: revolute, between: [ground.A, crank], axis: [0, 0, 1], start: 30 deg}
  slide: {type: prismatic, between: [ground, block]}
  socket: {type: spherical, between: [crank.pin, ball], start: [1, 0, 0, 0]}
constraints:
  rod: {type: distance, between: [ground.B, ball], length: {sine: {amplitude: 0.1, frequency: 2, offset: 1}}}
  mesh: {type: gear, between: [main, slide], ratio: -2.0, offset: 1 mm}
  cam: {type: coordinate-coupling, joint: slide, to: main.angle, function: {table: {t: [0, 90 deg], y: [0, 1 cm]}}}
  sum: {type: coordinate-coupling, joint: main, to: {slide: 3.0}}
  wheel: {type: rolling, between: [ground, ball], radius: 1 cm}
forces:
  strut: {type: spring-damper, between: [ground.B, ball], stiffness: 1e3, damping: 2.0, length: 0.1}
  engine: {type: motor, joint: main, effort: {sine: {amplitude: 2.0, frequency: 3}}}
  push: {type: force, at: crank.pin, direction: [0, 1, 0], magnitude: {table: {t: [0, 1], y: [0, 5]}}}
motions:
  drive: {joint: main, position: {ramp: {begin: 0, finish: 1, end: 2}}}
run: {until: 5.0, step: 1e-3}
"""
WORDS = ["name", "gravity", "ground", "bodies", "joints", "constraints", "forces", "motions", "run", "type", "between",
         "mass", "com", "inertia", "points", "revolute", "free", "motor", "force", "bushing", "start", "axis", "rod",
         "table", "sine", "t", "y", "position", "rotation", "joint", "effort", "until", "gear", "rolling",
         "ratio", "to", "function", "length", "a", "a.b", "ground.a", "90 deg"]
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS), st.text(max_size=5))
TREES = st.recursive(SCALARS, lambda inner: st.one_of(
    st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(WORDS), inner, max_size=5)), max_leaves=30)
BOUNDED = settings(max_examples=150, deadline=None, derandomize=True,
                   suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def is_told(text):
    """Read a text; a fault must be reported as a ModelError with a line."""
    try:
        model = dal.from_text(text)
    except dal.ModelError as error:
        assert error.faults and all(fault.place for fault in error.faults)
    else:
        assert isinstance(model, dal.Model)


def test_the_valid_text_is_valid():
    """Otherwise the mutations below would say little."""
    assert len(dal.from_text(VALID)) == 15


@BOUNDED
@given(st.text(max_size=200))
def test_any_text(text):
    """Arbitrary characters."""
    is_told(text)


@BOUNDED
@given(st.text(alphabet="abc:{}[]-,&*!|>'\"#%@`?~ \n\t<=.019", max_size=60))
def test_any_punctuation(text):
    """Arbitrary characters that mean something in YAML."""
    is_told(text)


@BOUNDED
@given(st.integers(0, len(VALID)), st.integers(0, 20), st.text(max_size=8))
def test_a_mutated_text(place, count, inserted):
    """A valid text with something cut out and something put in."""
    is_told(VALID[:place] + inserted + VALID[place + count:])


@BOUNDED
@given(st.integers(0, len(VALID)))
def test_a_truncated_text(place):
    """A valid text that breaks off."""
    is_told(VALID[:place])


@BOUNDED
@given(TREES)
def test_any_structure(tree):
    """Arbitrary nested data with the words of a model."""
    is_told(json.dumps(tree))


@BOUNDED
@given(st.sampled_from(["bodies", "joints", "constraints", "forces", "motions"]), TREES, st.sampled_from(WORDS))
def test_any_entry(section, tree, key):
    """Arbitrary data at every depth of a section."""
    is_told(json.dumps({section: {"part": tree}}))
    is_told(json.dumps({section: {"part": {key: tree}}}))
    for kind in ("revolute", "free", "motor", "bushing", "force", "spherical", "distance", "gear", "rolling",
                 "point-on-plane", "coordinate-coupling"):
        is_told(json.dumps({"bodies": {"b": {"points": tree}},
                            section: {"part": {"type": kind, "between": ["ground", "b"], key: tree}}}))


@BOUNDED
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory, data):
    """Arbitrary bytes in a file."""
    path = tmp_path_factory.getbasetemp() / "bytes.yaml"
    path.write_bytes(data)
    try:
        dal.read(path)
    except dal.ModelError as error:
        assert "bytes.yaml:" in str(error)


@pytest.mark.parametrize("text", [
    "bodies: &a {b: *a}",
    "a: &a [x, x]\nb: &b [*a, *a, *a]\n" + "\n".join(f"n{i}: &n{i} [{', '.join([f'*n{i - 1}' if i else '*b'] * 9)}]"
                                                    for i in range(12)),
    "[" * 5000,
    "a: " * 5000,
    "{" * 3000 + "}" * 3000,
    "bodies: {b: {mass: 1" + "0" * 10000 + "}}",
    "bodies: {b: {mass: 0x" + "f" * 500 + "}}",
    "? [a, b]\n: 1",
    "? {a: b}\n: 1",
    "<<: *x",
    "a: !!binary aGVsbG8=",
    "bodies: !!set {a, b}",
    "bodies: !!omap [a: 1]",
    "bodies: !thing {a: {mass: 1}}",
    "--- {a: 1}\n--- {b: 2}",
    "%YAML 1.1\n---\nbodies: {a: {mass: 1:30, com: [yes, no, 010]}}",
    "bodies: {a: {mass: 2020-01-01}}",
    "name: \"\\uD800\"",
    "\ufeffname: x",
    "name: x\r\nbodies: {}\r\n",
    "bodies: {null: {mass: 1}, true: {mass: 1}, 1.5: {mass: 1}, ~: }",
    "bodies: {.nan: {mass: 1}, .nan: {mass: 2}}",
])
def test_known_traps(text):
    """Cycles, bombs, depth, tags, directives, odd keys."""
    is_told(text)


@BOUNDED
@given(st.lists(st.floats(-1e29, 1e29), min_size=3, max_size=3), st.floats(0, 1e29), st.text(max_size=10))
def test_numbers_and_names_survive(vector, mass, name):
    """What can be checked reads back as it was, to the last bit."""
    model = dal.Model("x", gravity=vector).add(dal.Body(name, mass=mass, com=vector, points={name: vector}))
    try:
        text = dal.check(model).text
    except dal.ModelError:
        return
    again = dal.from_text(text)
    assert again.gravity == vector and again.bodies[0] == dal.Body(name, mass, vector, points={name: vector})
    assert dal.to_text(again) == text
