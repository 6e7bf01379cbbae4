"""Every kind of joint, force, constraint and row has one record, and nothing but the records knows the kinds by name."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal
from dalembert.codes import ConstraintCode, ForceCode, JointCode, RowCode
from dalembert.kernels import tables
from dalembert.model import constraints, forces, joints
from dalembert.model.checked import CheckedConstraint, CheckedForce
from dalembert.model.constraints import CONSTRAINTS
from dalembert.model.forces import FORCES
from dalembert.model.joints import JOINTS
from dalembert.model.records import TURN, LawField, Number
from dalembert.model.text_write import type_name
from dalembert.results import channels as ch
from dalembert.results.joints import joint_quantities
from dalembert.system.row_records import ROW_RECORDS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "dalembert"
RECORD_FILES = {"model/joints.py", "model/forces.py", "model/constraints.py", "model/records.py", "system/row_records.py"}
FOREIGN = "formats/"
"""Readers of other people's files name kinds in other people's words and make joints of them."""
ROWS_MADE = {"FIXED", "FREE", "ELASTIC", "REVOLUTE", "PRISMATIC", "SPHERICAL"}
"""Joints of which the package itself makes others: frames of flexible bodies, and links of chains."""
DESCRIBED = {"name", "first", "second", "at", "joint", "coordinate", "to", "first_coordinate", "second_coordinate"}
"""Fields that say what a force or constraint acts on, by `on` of its record."""


# --- completeness --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("codes, records, kinds", [
    (JointCode, joints.JOINT_RECORDS, [kind.record for kind in JOINTS] + [joints.ELASTIC]),
    (ForceCode, forces.FORCE_RECORDS, [kind.record for kind in FORCES]),
    (ConstraintCode, constraints.CONSTRAINT_RECORDS, [kind.record for kind in CONSTRAINTS]),
    (RowCode, ROW_RECORDS, list(ROW_RECORDS.values())),
], ids=["joints", "forces", "constraints", "rows"])
def test_every_code_has_exactly_one_record(codes, records, kinds):
    assert sorted(record.code for record in kinds) == sorted(set(codes) - {codes.NONE})
    assert records == {record.code: record for record in kinds}


@pytest.mark.parametrize("kind", JOINTS, ids=type_name)
def test_a_record_of_a_joint_is_complete(kind):
    record = kind.record
    own = {f.name for f in fields(kind)} - {f.name for f in fields(joints.Joint)}
    assert own == {*record.axes, *([record.lead.number.name] if record.lead else [])}, "fields that the record does not know"
    assert len(record.axes) == (2 if record.cross else min(len(record.axes), 1))
    assert bool(record.lead) == (record.led_axis >= 0), "a lead belongs to a freedom that turns and slides"
    for freedom in record.freedoms:
        assert freedom.turns in ("", "z") and freedom.slides in ("", "x", "y", "z") and (freedom.turns or freedom.slides)
    turning = [f for f in record.freedoms if f.turns]
    assert len(turning) + record.ball <= (2 if record.cross else 1)
    if not record.one_axis and not record.cross:
        assert all(not f.turns for f in record.freedoms[:-1]), "slides come before the turning in the first frame's axes"
    held = len(record.held_places) + len(record.held_turns) + record.cross
    assert held == 6 - len(record.rates) + (record.led_axis >= 0 and record.led_axis not in record.held_places)
    assert len(record.units) == len(record.coordinates) and len(record.rate_units) == len(record.rate_axes)


@pytest.mark.parametrize("kind", [*FORCES, *CONSTRAINTS], ids=type_name)
def test_a_record_describes_every_field(kind):
    record, checked = kind.record, CheckedForce if kind in FORCES else CheckedConstraint
    own = {f.name for f in fields(kind)} - DESCRIBED
    described = {f.name for f in record.fields}
    assert described <= own
    assert own - described <= {"derivative_step"} and not (own - described and record.on == "places")
    known = {f.name for f in fields(checked)}
    places = [(f.into or f.name, f.at) for f in record.fields if isinstance(f, Number) and record.on != "coordinate"]
    assert kind in CONSTRAINTS or {into for into, _ in places} <= known
    assert len(places) == len(set(places)), "two numbers go into one place"
    assert sum(isinstance(f, LawField) for f in record.fields) <= 1
    assert record.channels and record.does


@pytest.mark.parametrize("kind", CONSTRAINTS, ids=type_name)
def test_rows_of_a_constraint_exist(kind):
    checked = {f.name for f in fields(CheckedConstraint)}
    assert kind.record.rows
    for spec in kind.record.rows:
        assert spec.code in ROW_RECORDS and set(spec.vectors) <= set(tables.ROW.names)
        assert {said.partition(".")[0] for said in spec.vectors.values()} <= checked
        assert spec.label.format(**dict.fromkeys(spec.vectors, "x"))


def test_every_kind_is_public_and_has_channels():
    for kind in (*JOINTS, *FORCES, *CONSTRAINTS):
        assert getattr(dal, kind.__name__) is kind
    assert set(ch.ELEMENTS) == {kind.record.kind for kind in FORCES}
    assert set(ch.CONSTRAINTS) == {kind.record.kind for kind in CONSTRAINTS}
    for kind in JOINTS:
        assert {"force", "torque", *kind.record.drivable} <= set(joint_quantities(kind.record.kind))


# --- nobody else knows the kinds -----------------------------------------------------------------------------------

def modules():
    """Return path and syntax tree of every module outside the records and the readers of other formats."""
    paths = [path.relative_to(SOURCES).as_posix() for path in sorted(SOURCES.rglob("*.py"))]
    return [(path, ast.parse((SOURCES / path).read_text(encoding="utf-8"))) for path in paths
            if path not in RECORD_FILES and not path.startswith(FOREIGN)]


def kind_names():
    """Return the names of kinds in layouts and in the model text, but those that are names of channels or fields, too."""
    kinds = (*JOINTS, *FORCES, *CONSTRAINTS)
    taken = {channel.name for kind in (*FORCES, *CONSTRAINTS) for channel in kind.record.channels}
    taken |= {f.name for kind in kinds for f in fields(kind)}
    return ({kind.record.kind for kind in kinds} | {type_name(kind) for kind in kinds}) - taken


def asked_words(tree):
    """Return the texts that a module compares with, or looks something up by."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            found += [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            found += [key for key in node.keys if key]
        elif isinstance(node, ast.Subscript):
            found.append(node.slice)
        elif isinstance(node, ast.Assign):
            found.append(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "startswith"):
            found += node.args
    flat = [leaf for node in found for leaf in (node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node])]
    return {leaf.value for leaf in flat if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)}


def test_no_module_names_a_kind_by_a_text():
    named = {path: sorted(asked_words(tree) & kind_names()) for path, tree in modules()}
    assert len(named) > 100 and not {path: words for path, words in named.items() if words}


def test_only_kernels_and_records_name_the_codes():
    """Elsewhere a kind is reached by the fields of its record; the package's own rows have the codes of what they are."""
    for path, tree in modules():
        members = {(node.value.id, node.attr) for node in ast.walk(tree)
                   if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
        if not path.startswith("kernels/"):
            assert not {name for owner, name in members if owner in ("ForceCode", "ConstraintCode")}, path
            assert {name for owner, name in members if owner == "JointCode"} <= ROWS_MADE, path


def test_nothing_asks_for_the_class_of_a_part():
    """`isinstance` on a kind of joint, force or constraint would miss the kinds that come later."""
    kinds = {kind.__name__ for kind in (*JOINTS, *FORCES, *CONSTRAINTS)}
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                asked = {leaf.id for leaf in ast.walk(node.args[1]) if isinstance(leaf, ast.Name)}
                assert not asked & kinds, f"{path}:{node.lineno}"


def test_dispatch_of_the_kernels_is_closed():
    """A force of an unknown code, and a joint of one, end in a status that names the row."""
    from dalembert.codes import Status
    from dalembert.kernels.evaluate import eval_accelerations
    from dalembert.kernels.tables import make_work
    from dalembert.start.initial import prepare_start

    model = dal.Model("m").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Prismatic("j", "ground", "b"),
                               dal.SpringDamper("s", "ground", "b", stiffness=1.0))
    begin = prepare_start(model, {"j": 0.3})
    system, out = begin.packed.system, np.zeros(1)
    for table, status in (("force", Status.UNKNOWN_FORCE), ("body", Status.UNKNOWN_JOINT)):
        rows = getattr(system, table).copy()
        rows["code"][-1] = 99
        changed = system._replace(**{table: rows})
        work = make_work(changed)
        assert eval_accelerations(changed, 0.0, begin.q, begin.qd, out, out.copy(), work) == status
        assert work.fail[table] == len(rows) - 1


# --- the reference -------------------------------------------------------------------------------------------------

def table_rows(page):
    """Return the cells of all rows of tables of a page of the reference."""
    text = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    return [[cell.strip() for cell in line.strip().strip("|").split(" |")] for line in text.splitlines()
            if line.startswith("| ")]


def text_row(kind):
    """Return the cells of a kind's row in the page of the model text."""
    (row,) = [cells for cells in table_rows("model-text.md") if cells[0] == f"`{type_name(kind)}`"]
    return [cell.strip("| ") for cell in row]


def told_rates(record):
    """Return what the page says of the rates of a joint."""
    if record.ball:
        return ("velocity and " if record.freedoms else "") + "angular velocity, first frame's axes"
    return ("none", "speed")[len(record.rates)] if len(record.rates) < 2 else "theirs"


@pytest.mark.parametrize("kind", JOINTS, ids=type_name)
def test_the_page_of_the_model_text_says_what_a_joint_is(kind):
    record, lead = kind.record, kind.record.lead
    keys = [f"`{axis}`" for axis in record.axes]
    if lead:
        keys.append(f"`{lead.number.name}` [{lead.number.unit}{'/turn' if lead.per == TURN else ''}]")
    assert text_row(kind)[1:] == [", ".join(keys), ", ".join(record.coordinates) or "none", told_rates(record)]


@pytest.mark.parametrize("kind", [*FORCES, *CONSTRAINTS], ids=type_name)
def test_the_page_of_the_model_text_says_what_a_force_or_constraint_is(kind):
    _, keys, does = text_row(kind)
    between = {"first", "second"} if any(f.name == "second" for f in fields(kind)) else set()
    words = {f.name for f in fields(kind)} - {"name", "derivative_step"} - between
    assert set(re.findall(r"`(\w+)`", keys)) == words | ({"between"} if between else set())
    assert does == kind.record.does


def shown_channels():
    """Return owner -> channels of the tables of the page of results."""
    found, owners = {}, []
    for cells in table_rows("results.md"):
        names = re.findall(r"`(\w+)`", cells[1]) if len(cells) > 3 else []
        owners = [owner.replace("-", "").replace(" ", "") for owner in cells[0].strip("| ").split(",")] \
            if cells[0].strip("| ") else owners
        for owner in owners:
            found.setdefault(owner, set()).update(names)
    return found


@pytest.mark.parametrize("kind", [*FORCES, *CONSTRAINTS], ids=type_name)
def test_the_page_of_results_lists_the_channels_of_a_force_or_constraint(kind):
    assert {channel.name for channel in kind.record.channels} <= shown_channels().get(kind.record.kind, set())


def test_the_page_of_results_lists_channels_of_joints_that_have_them():
    words = {kind.record.kind: set(joint_quantities(kind.record.kind)) for kind in JOINTS}
    rows = [cells for cells in table_rows("results.md") if len(cells) == 4 and any(word in cells[3] for word in words)]
    assert len(rows) > 4
    for cells in rows:
        for kind in [word for word in words if re.search(rf"\b{word}\b", cells[3])]:
            assert set(re.findall(r"`(\w+)`", cells[0])) & words[kind], (cells[0], kind)
