"""Constraint rows of a plan: loop-closing joints, stand-ins and the user's constraints as scalar equations.

A joint is held in the axes of its first attachment, z being the joint's own axis: rows POSITION hold the second
attachment's place along an axis, rows DIRECTION hold an axis of the second frame perpendicular to one of the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codes import JointCode, RowCode
from ..kernels import tables
from ..kernels.flex.floating_tables import Floating
from ..model.checked import CheckedConstraint, CheckedJoint, Place
from ..model.constraints import CONSTRAINT_RECORDS
from ..model.joints import JOINT_RECORDS, Fixed
from ..model.records import AXES, RowSpec
from ..topology.span import Plan
from .pack_laws import LawTable
from .row_records import ROW_RECORDS
from .rows import JointRows, alignment

X, Y, Z = np.eye(3)


Seat = tuple[int, np.ndarray, np.ndarray]
"""Row, position and rotation of an attachment."""


@dataclass
class RowTable:
    """Rows under way: records as dicts, terms, and what each row is called."""

    body: np.ndarray
    row_of_body: np.ndarray
    length: float
    records: list[dict[str, Any]] = field(default_factory=list)
    terms: list[tuple[int, int, float]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)

    def add(self, owner: str, label: str, code: RowCode, **fields: Any) -> None:
        """Append a row; places and directions are given in the joint frames of its bodies."""
        size = 1.0 if ROW_RECORDS[code].of_angle else self.length
        self.records.append({"code": code, "law": -1, "size": size, **fields})
        self.names.append((owner, label))

    def add_terms(self, terms: list[tuple[int, int, float]]) -> dict[str, int]:
        """Append coordinate terms; returns the fields that point to them."""
        first = len(self.terms)
        self.terms += terms
        return {"term": first, "terms": len(terms)}

    def seat(self, place: Place) -> Seat:
        """Row, position and rotation of an attachment in its row's joint frame."""
        row = int(self.row_of_body[place.body])
        R = np.array(self.body[row].R_bu).reshape(3, 3)
        return row, self.body[row].u_b + R @ place.position, R @ place.rotation

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ROW and TERM tables; entries are laid by the formulation."""
        if not self.records:
            return np.zeros(0, tables.ROW), np.zeros(0, tables.TERM)
        rows = np.zeros(len(self.records), tables.ROW)
        for row, record in zip(rows, self.records, strict=True):
            for key, value in record.items():
                row[key] = value
            row.rate_only = ROW_RECORDS[record["code"]].binds_rates
        return rows, np.array(self.terms, tables.TERM)


def _said(direction: np.ndarray) -> str:
    """A direction in words: x, -y or its components."""
    x, y, z = direction.tolist()
    for name, along, across in (("x", x, abs(y) + abs(z)), ("y", y, abs(z) + abs(x)), ("z", z, abs(x) + abs(y))):
        if across < 1e-9 and abs(abs(along) - 1.0) < 1e-9:
            return name if along > 0.0 else f"-{name}"
    return f"({x:.3g}, {y:.3g}, {z:.3g})"


def lay_loop_rows(plan: Plan, table: RowTable, joint_rows: dict[int, JointRows], laws: LawTable) -> dict[str, tuple[int, int]]:
    """Lay the rows of all cut joints, stand-ins and constraints; returns name -> (first row, number of rows)."""
    model, spans = plan.model, {}
    for k in plan.cut:
        first = len(table.records)
        _lay_joint(table, model.joints[k])
        spans[model.joints[k].name] = (first, len(table.records) - first)
    for i, k in enumerate(plan.split):
        _lay_weld(table, model.joints[k], int(table.row_of_body[len(model.bodies) + i]))
    for constraint in model.constraints:
        first = len(table.records)
        _lay_constraint(table, constraint, joint_rows, laws)
        spans[constraint.name] = (first, len(table.records) - first)
    return spans


def _hold(table: RowTable, owner: str, a: Seat, b: Seat, axes: np.ndarray, places: Iterable[int],
          turns: Iterable[tuple[int, int]]) -> None:
    """Rows that hold seat b to seat a along `places` and about `turns` of the axes (columns, in both frames)."""
    (row_a, u_a, R_a), (row_b, u_b, R_b) = a, b
    e_a, e_b = R_a @ axes, R_b @ axes
    for i in places:
        table.add(owner, f"moving along {_said(axes[:, i])}", RowCode.POSITION, a=row_a, b=row_b, u_a=u_a, u_b=u_b,
                  e_a=e_a[:, i])
    for i, j in turns:
        about = np.cross(axes[:, i], axes[:, j])
        table.add(owner, f"turning about {_said(np.abs(about) if np.count_nonzero(about) == 1 else about)}",
                  RowCode.DIRECTION, a=row_a, b=row_b, u_a=u_a, u_b=u_b, e_a=e_a[:, i], e_b=e_b[:, j])


def _lay_joint(table: RowTable, joint: CheckedJoint) -> None:
    """Rows of a joint that carries nothing."""
    a, b = table.seat(joint.first), table.seat(joint.second)
    record = JOINT_RECORDS[joint.code]
    axes = alignment(joint.axis) if len(record.axes) == 1 else np.eye(3)
    _hold(table, joint.name, a, b, axes, record.held_places, record.held_turns)
    if record.cross:
        across = np.cross(joint.axis, joint.axis2)
        table.add(joint.name, f"turning about {_said(across / np.linalg.norm(across))}", RowCode.DIRECTION, a=a[0], b=b[0],
                  u_a=a[1], u_b=b[1], e_a=a[2] @ joint.axis, e_b=b[2] @ joint.axis2, c=float(joint.axis @ joint.axis2))


def _lay_weld(table: RowTable, joint: CheckedJoint, stand_in: int) -> None:
    """Rows that weld a stand-in to the body it stands for, at the joint's second attachment."""
    a = table.seat(joint.second)
    R = np.array(table.body[stand_in].R_bu).reshape(3, 3)
    b = stand_in, table.body[stand_in].u_b + R @ joint.second.position, R @ joint.second.rotation
    _hold(table, joint.name, a, b, np.eye(3), Fixed.record.held_places, Fixed.record.held_turns)


def _law(constraint: CheckedConstraint, laws: LawTable) -> dict[str, Any]:
    if constraint.law is None:
        return {}
    return {"law": laws.add(constraint.law, constraint.derivative_step, of_time=not constraint.law_of_x,
                            owner=f"constraints.{constraint.name}")}


def _lay_constraint(table: RowTable, constraint: CheckedConstraint, joint_rows: dict[int, JointRows], laws: LawTable) -> None:
    """Rows of a constraint, as its record says."""
    between = _lay_coordinates if constraint.first is None else _lay_places
    for spec in CONSTRAINT_RECORDS[constraint.code].rows:
        prescribed = {"c": constraint.value or 0.0, **_law(constraint, laws)} if spec.prescribed else {}
        between(table, constraint, spec, joint_rows, prescribed)


def _lay_places(table: RowTable, constraint: CheckedConstraint, spec: RowSpec, joint_rows: dict[int, JointRows],
                prescribed: dict[str, Any]) -> None:
    (row_a, u_a, R_a), (row_b, u_b, R_b) = map(table.seat, constraint.ends)
    vectors = {name: _direction(constraint, said) for name, said in spec.vectors.items()}
    label = spec.label.format(**{name: _said(vector) for name, vector in vectors.items()})
    turned = {name: (R_a if name.endswith("_a") else R_b) @ vector for name, vector in vectors.items()}
    table.add(constraint.name, label, spec.code, a=row_a, b=row_b, u_a=u_a, u_b=u_b, radius=constraint.radius, **turned,
              **prescribed)


def _direction(constraint: CheckedConstraint, said: str) -> np.ndarray:
    """Direction of a constraint, or an axis of the frame whose z it is: ``"normal"``, ``"normal.x"``."""
    name, _, axis = said.partition(".")
    direction = getattr(constraint, name)
    return alignment(direction)[:, AXES.index(axis)] if axis else direction


def _lay_coordinates(table: RowTable, constraint: CheckedConstraint, spec: RowSpec, joint_rows: dict[int, JointRows],
                     prescribed: dict[str, Any]) -> None:
    terms = [(joint_rows[j].q + i, joint_rows[j].v + i, factor) for j, i, factor in constraint.terms]
    code = RowCode.COUPLING if constraint.law_of_x else spec.code
    table.add(constraint.name, spec.label, code, **table.add_terms(terms), **prescribed)
    table.records[-1]["size"] = 1.0 if constraint.unit == "rad" else table.length


def lay_entries(body: np.ndarray, floating: Floating, dof: np.ndarray, rows: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Fill `first` and `count` of the rows and return the ENTRY table in joint coordinates.

    A row between two bodies has an entry for every undriven rate that moves one of them and not the other.
    """
    entries: list[tuple[int, int, int, int]] = []
    free, rate, parent = (dof["drive"] < 0).tolist(), terms["v"].tolist(), body["parent"].tolist()
    rates = [[v for v in range(first, first + count) if free[v]] for first, count in zip(
        body["v"].tolist(), body["nv"].tolist(), strict=True)]
    fields = (rows[name].tolist() for name in ("a", "b", "term", "terms"))
    for k, (first_body, second_body, term, count) in enumerate(zip(*fields, strict=True)):
        rows["first"][k] = len(entries)
        if count:
            entries += [(v, 2, -1, -1) for v in dict.fromkeys(rate[term:term + count]) if free[v]]
        else:
            a, b = _path(parent, first_body), _path(parent, second_body)
            for side, own, other in ((0, a, set(b)), (1, b, set(a))):
                entries += [(v, side, -1, -1) for i in own if i not in other for v in rates[i]]
            if len(floating.face):
                entries += _elastic_entries(body, floating, a, b)
        rows["count"][k] = len(entries) - rows["first"][k]
    return np.array(entries, tables.ENTRY)


def _elastic_entries(body: np.ndarray, floating: Floating, a: list[int], b: list[int]) -> list[tuple[int, int, int, int]]:
    """Entries of the elastic rates that move rows a or b of two paths by faces that are not common to both."""
    faces: dict[int, list[int]] = {}
    for side, own, other in ((0, a, set(b)), (1, b, set(a))):
        for i in own:
            if i not in other and body[i].code == JointCode.ELASTIC:
                faces.setdefault(int(floating.face[body[i].flex].element), [-1, -1])[side] = int(body[i].flex)
    return [(v, 3, both[0], both[1]) for k, both in faces.items() for v in _elastic_rates(floating.element[k])]


def _path(parent: list[int], row: int) -> list[int]:
    """Rows from one to the ground, the ground left out."""
    path = []
    while row > 0:
        path.append(row)
        row = parent[row]
    return path


def _joint_rates(b: np.record) -> range:
    return range(int(b.v), int(b.v + b.nv))


def _elastic_rates(e: np.record) -> range:
    return range(int(e.v), int(e.v + e.n))


def _moving_rates(body: np.ndarray, floating: Floating) -> list[tuple[int, ...]]:
    """Rates whose directions each row feels, in the order of kernels/flex_floating_mass.add_inner."""
    found: list[tuple[int, ...]] = [()]
    for parent, code, v, nv, flex in zip(*(body[name][1:].tolist() for name in ("parent", "code", "v", "nv", "flex")),
                                         strict=True):
        elastic = code == JointCode.ELASTIC
        own = _elastic_rates(floating.element[floating.face[flex].element]) if elastic else range(v, v + nv)
        found.append((*own, *found[parent]) if len(own) else found[parent])
    return found


def mass_pairs(body: np.ndarray, floating: Floating) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of rates with an entry in the mass matrix, in the order of kernels/constraint/semi_recursive.py.

    Says for flexible bodies where those of their own inertia begin.
    """
    i: list[int] = []
    j: list[int] = []
    heavy = {int(e.body): e for e in floating.element}
    moving = _moving_rates(body, floating)

    def add(rates: range, inner: tuple[int, ...]) -> None:
        for k in rates:
            columns = [*range(rates[0], k + 1), *inner]
            i.extend(columns)
            j.extend([k] * len(columns))

    for row in range(len(body) - 1, 0, -1):
        b = body[row]
        inner = moving[int(b.parent)]
        add(_joint_rates(b), inner)
        if b.code == JointCode.ELASTIC:
            add(_elastic_rates(floating.element[floating.face[b.flex].element]), inner)
        if row in heavy:
            heavy[row].pair, heavy[row].inner = len(i), len(moving[row])
            add(_elastic_rates(heavy[row]), moving[row])
    return np.array(i, np.int64), np.array(j, np.int64)


def row_pairs(rows: np.ndarray, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of columns of each row: (0, 0), (1, 0), (1, 1), (2, 0), ..."""
    i, j = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for row in rows:
        columns = entries["column"][row.first:row.first + row.count]
        high, low = np.tril_indices(len(columns))
        i.append(columns[high])
        j.append(columns[low])
    return np.concatenate(i), np.concatenate(j)
