"""From a plan to frozen tables: the only place where tables of a system are made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from ..codes import DriveCode, FormCode, JointCode
from ..kernels import tables
from ..kernels.algebra.sparse import Pattern
from ..kernels.compile.record import zeros_in_lines
from ..kernels.contact.tables import Contacts, no_contacts
from ..kernels.control.tables import Control, no_control
from ..kernels.crowd.tables import Crowd, no_crowd
from ..kernels.flex.floating_tables import Floating
from ..kernels.flex.superelement_tables import Superelements, no_superelements
from ..kernels.tables import System
from ..model.checked import CheckedModel, Place
from ..model.joints import JOINT_RECORDS
from ..topology.span import Plan
from .columns import lay_columns
from .extent import length_scale
from .lay_out import lay_out
from .layout import (
    Layout,
)
from .pack_contacts import pack_contacts
from .pack_crowd import pack_crowd
from .pack_elastic import elastic_sizes, pack_floating
from .pack_laws import LawFailure, LawTable, Overheard
from .pack_resistances import resistance_rows
from .pack_rows import RowTable, lay_entries, lay_loop_rows, mass_pairs, row_pairs
from .pack_super import LaidSuperelements, lay_tree_superelements, with_modes
from .pattern import build_pattern
from .rows import JointRows, Row, lay_rows

REFERENCES = {"origin": 0, "centre-of-mass": 1}
"""Where the semi-recursive formulation accumulates masses and forces [DOP section 2]."""


@dataclass(frozen=True)
class Packed:
    """A model ready to run.

    Attributes
    ----------
    system : System
        Frozen tables.
    layout : Layout
        Names and indices.
    plan : Plan
    body_rows : (n_bodies,) int
        Row of each body of `layout.bodies` in the system's body table.
    law_errors : list of LawFailure
        Filled when a Python law raises while a kernel runs.
    law_calls : dict of Overheard
        Python laws with their last calls by the part that they belong to.
    keep : list
        Compiled laws, kept alive as long as their addresses are in use.
    breaks : tuple of float
        Times at which laws bend [s], sorted; an error-controlled step ends there.
    compiled_laws : dict
        Rows of compiled laws, and the parts that they belong to.
    tree : Packed or None
        Of tables in natural coordinates: those of the tree, in whose coordinates, followed by the modes of flexible bodies,
        results are given.
    recovered : (n_point,) int
        Places of superelements without coordinates of their own: rows of `layout.bodies`.
    redundant : int
        Number of constraint rows that depend on others at the assembled start.
    signals : tuple of (str, int)
        Channel and component of each signal of controllers and events.
    contacts : Contacts
        Tables of the contacts.
    crowd : Crowd
        Tables of the groups of shapes that may touch.
    """

    system: System
    layout: Layout
    plan: Plan
    body_rows: np.ndarray
    law_errors: list[LawFailure] = field(default_factory=list)
    law_calls: dict[str, Overheard] = field(default_factory=dict)
    keep: list[Any] = field(default_factory=list)
    breaks: tuple[float, ...] = ()
    compiled_laws: dict[int, str] = field(default_factory=dict)
    tree: Packed | None = None
    recovered: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    redundant: int = 0
    signals: tuple[tuple[str, int], ...] = ()
    contacts: Contacts = field(default_factory=no_contacts)
    crowd: Crowd = field(default_factory=no_crowd)

    @property
    def touching(self) -> bool:
        """True for a model with contacts or groups of shapes that may touch."""
        return len(self.contacts.row) > 0 or len(self.crowd.group) > 0

    @property
    def of_tree(self) -> Packed:
        """The tables in joint coordinates: those of the tree of natural ones, else these."""
        return self.tree or self

    @property
    def has_superelements(self) -> bool:
        """True for tables with flexible bodies between their interfaces, in natural or joint coordinates."""
        return bool(len(self.system.sup.element))


def pack(plan: Plan, form: FormCode = FormCode.TREE, reference: str = "centre-of-mass", *, interfaces: bool = False) -> Packed:
    """Fill and freeze all tables of a plan, in joint coordinates.

    With ``FormCode.SEMI_RECURSIVE`` the pattern of the mass matrix and of the constraints is analysed too, and
    `reference` says where masses and forces are accumulated.  With `interfaces` the flexible bodies of a plan in faces stand
    between these, and their modes follow the coordinates of the joints.
    """
    model = plan.model
    rows, joints, row_of_body = lay_rows(plan)
    body = _pack_bodies(model, rows)
    laws = LawTable()
    n_q, n_v = sum(j.nq + j.elastic for j in joints), sum(j.nv + j.elastic for j in joints)
    floating = pack_floating(model, rows, joints, body)
    joint_rows = dict(zip(plan.carrier[1:], joints, strict=True))
    force = _pack_forces(model, body, row_of_body, joint_rows, laws)
    drive = _pack_drives(model, joint_rows, laws)
    laid = lay_tree_superelements(plan, body, set(drive["v"].tolist()), row_of_body, n_q, n_v) if interfaces else None
    modes = len(laid.group) if laid else 0
    length = max(length_scale(model), laid.size if laid else 0.0)
    dof = _pack_dofs(rows, n_v + modes, drive, length)
    _seat_joint_elements(model, force, body, dof)
    for k, j in joint_rows.items():
        dof["armature"][j.v:j.v + j.nv] = model.joints[k].armature
    _size_elastic(model, rows, floating, dof)
    if laid:
        _size_modes(laid.tables, dof, length)
    _mark_plain(body, dof)
    pair, quaternion = _pack_coordinates(rows, floating)
    if modes:
        behind = [(n_q + k, n_v + k, 0) for k in range(modes)]
        pair, n_q, n_v = np.concatenate([pair, np.array(behind, tables.PAIR)]), n_q + modes, n_v + modes
    constants = np.zeros(1, tables.CONSTANTS)
    constants[0].g_w = model.gravity
    constants[0].n_q, constants[0].n_v = n_q, n_v
    constants[0].form, constants[0].reference = form, REFERENCES[reference]
    constants[0].rotors = np.count_nonzero(dof["armature"])
    constants[0].places = int(form != FormCode.TREE or any(f.joint < 0 for f in model.forces))
    constants[0].pivot = int(_some_singular(model))
    table = RowTable(body, row_of_body, length)
    spans = lay_loop_rows(plan, table, joint_rows, laws)
    row, term = table.tables()
    entry = lay_entries(body, floating, dof, row, term)
    pattern, mass_place, row_place, sup = _pack_pattern(form, body, floating, dof, row, entry, laid)
    law, knot = laws.tables()
    joint = np.zeros(len(joints), tables.JOINT)
    for k, j in enumerate(joints):
        joint[k] = (j.first, j.last, j.v, j.nv, j.reversed)
    hold = np.array(list(spans.values()), tables.HOLD)
    own = (constants, body, dof, pair, quaternion, force, law, knot, drive, joint, row, term, entry, np.zeros(0, tables.SLOT),
           hold)
    for array in own:
        _frozen(array)
    system = System(*own, pattern, _frozen(mass_place), _frozen(row_place), sup,
                    Floating(*map(_frozen, floating)), _no_control())
    layout = lay_out(plan, joints, n_q - modes, n_v - modes, spans, table.names)
    layout = with_modes(layout, model) if laid else layout
    real = [i for i in plan.order if i < len(model.bodies)]
    contacts = pack_contacts(model, body, row_of_body, length, resistance_rows(model, joint_rows, dof, len(model.contacts)))
    packed = Packed(system, layout, plan, row_of_body[real], laws.errors, laws.calls, laws.keep,
                    tuple(sorted(float(t) for t in laws.breaks)), laws.compiled,
                    contacts=contacts,
                    crowd=pack_crowd(model, body, dof, row_of_body, length, len(contacts.row)))
    return replace(packed, recovered=laid.recovered) if laid else packed


def _pack_pattern(form: FormCode, body: np.ndarray, floating: Floating, dof: np.ndarray, row: np.ndarray, entry: np.ndarray,
                  laid: LaidSuperelements | None) -> tuple[Pattern, np.ndarray, np.ndarray, Superelements]:
    """Pattern of M + Jᵀ α J with the places of its parts, those of superelements in their tables; empty for trees."""
    if form == FormCode.TREE:
        return _empty_pattern(), np.zeros(0, np.int64), np.zeros(0, np.int64), no_superelements()
    i, j = mass_pairs(body, floating)
    row_i, row_j = row_pairs(row, entry)
    group = dof["body"].copy()
    own = laid.pairs if laid else np.zeros((0, 2), np.int64)
    if laid:
        group[len(dof) - len(laid.group):] = len(body) + laid.group
    high, low = np.concatenate([i, row_i, own[:, 0]]), np.concatenate([j, row_j, own[:, 1]])
    pattern, place = build_pattern(len(dof), high, low, group)
    split, end = len(i), len(i) + len(row_i)
    sup = laid.tables._replace(place=place[end:].copy()) if laid else no_superelements()
    return (Pattern(*map(_frozen, pattern)), place[:split].copy(), place[split:end].copy(),
            Superelements(*map(_frozen, sup)) if laid else sup)


@cache
def _empty_pattern() -> Pattern:
    """Return the pattern of no unknowns."""
    none = np.zeros(0, np.int64)
    return Pattern(*map(_frozen, build_pattern(0, none, none, none)[0]))


def _some_singular(model: CheckedModel) -> bool:
    """True if a body has no mass or an inertia without a full rank; faces of flexible bodies do not count."""
    bodies = [b for b in model.bodies[1:] if not b.face]
    inertia = np.array([b.inertia for b in bodies]).reshape(-1, 3, 3)
    moments = np.linalg.eigvalsh(inertia)
    return bool(any(b.mass == 0 for b in bodies) or np.any(moments[:, 0] <= 1e-9 * moments[:, 2]))


@cache
def _no_control() -> Control:
    """Return the tables of a model without controllers and events; start/control.py fills them."""
    return Control(*map(_frozen, no_control()))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def _pack_bodies(model: CheckedModel, rows: list[Row]) -> np.ndarray:
    n = len(rows) + 1
    body = zeros_in_lines(n, tables.BODY)
    body["flex"] = -1
    R_bu, u_b = np.zeros((n, 3, 3)), np.zeros((n, 3))
    R_bu[0] = np.eye(3)
    if rows:
        align = np.array([r.align for r in rows])
        R_bu[1:] = np.swapaxes(np.array([r.tip_rotation for r in rows]) @ align, 1, 2)
        u_b[1:] = -np.einsum("iab,ib->ia", R_bu[1:], np.array([r.tip_position for r in rows]))
        parent = np.array([r.parent for r in rows])
        seat = np.array([r.seat_position for r in rows])
        body["d_p"][1:] = u_b[parent] + np.einsum("iab,ib->ia", R_bu[parent], seat)
        R_pj = R_bu[parent] @ np.array([r.seat_rotation for r in rows]) @ align
        body["R_pj"][1:] = R_pj.reshape(-1, 9)
        body["parent"][1:] = parent
        body["code"][1:] = [r.code for r in rows]
        body["q"][1:] = [r.q for r in rows]
        body["v"][1:] = [r.v for r in rows]
        body["nv"][1:] = [len(r.directions) for r in rows]
        body["nq"][1:] = [JOINT_RECORDS[r.code].sizes[0] for r in rows]
    body["R_bu"], body["u_b"] = R_bu.reshape(-1, 9), u_b
    _pack_inertia(model, rows, body, R_bu, u_b)
    body["end"] = _subtree_ends(body["parent"])
    lay_columns(body)
    return body


def _pack_inertia(model: CheckedModel, rows: list[Row], body: np.ndarray, R_bu: np.ndarray, u_b: np.ndarray) -> None:
    """Mass, first moment and inertia about the joint origin, in joint axes."""
    owners = np.array([r.body for r in rows], int)
    at = 1 + np.flatnonzero(owners >= 0)
    bodies = [model.bodies[i] for i in owners[owners >= 0]]
    if not bodies:
        return
    R = R_bu[at]
    mass = np.array([b.mass for b in bodies])
    com = u_b[at] + np.einsum("iab,ib->ia", R, np.array([b.com for b in bodies]))
    central = R @ np.array([b.inertia for b in bodies]) @ np.swapaxes(R, 1, 2)
    steiner = np.einsum("ia,ia,bc->ibc", com, com, np.eye(3)) - np.einsum("ib,ic->ibc", com, com)
    J = central + mass[:, None, None] * steiner
    body["mass"][at] = mass
    body["h_b"][at] = mass[:, None] * com
    body["J_b"][at] = J[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def _subtree_ends(parent: np.ndarray) -> np.ndarray:
    end = np.arange(1, len(parent) + 1)
    for i in range(len(parent) - 1, 0, -1):
        end[parent[i]] = max(end[parent[i]], end[i])
    return end


def _pack_dofs(rows: list[Row], n_v: int, drive: np.ndarray, length: float) -> np.ndarray:
    dof = np.zeros(n_v, tables.DOF)
    dof["drive"] = -1
    at = [k for row in rows for k in range(row.v, row.v + len(row.directions))]
    if at:
        dof["body"][at] = [i for i, row in enumerate(rows, start=1) for _ in row.directions]
        directions = np.array([s for row in rows for s in row.directions])
        efforts = np.array([e for row in rows for e in row.efforts])
        dof["s_n"][at], dof["s_f"][at] = directions[:, 0], directions[:, 1]
        dof["e_n"][at], dof["e_f"][at] = efforts[:, 0], efforts[:, 1]
        dof["axis"][at] = [axis for row in rows for axis in JOINT_RECORDS[row.code].rate_axes]
        dof["q_scale"] = dof["qd_scale"] = np.where(dof["s_n"].any(axis=1), 1.0, length)
    for k, d in enumerate(drive):
        dof[d.v].drive = k
    return dof


def _size_elastic(model: CheckedModel, rows: list[Row], floating: Floating, dof: np.ndarray) -> None:
    """Give elastic rates their bodies and sizes."""
    for e in floating.element:
        at = slice(int(e.v), int(e.v + e.n))
        dof["body"][at] = e.body
        dof["q_scale"][at], dof["qd_scale"][at] = elastic_sizes(model.bodies[rows[e.body - 1].body].floating)


def _size_modes(sup: Superelements, dof: np.ndarray, length: float) -> None:
    """Give the modes of superelements, of unit modal mass, the size that moves their mass by the length in the mean."""
    for e in sup.element:
        at = slice(int(e["eta_v"]), int(e["eta_v"] + e["n_mode"]))
        dof["q_scale"][at] = dof["qd_scale"][at] = length * np.sqrt(sup.constant[e["rigid"]])


def _mark_plain(body: np.ndarray, dof: np.ndarray) -> None:
    """Undriven revolute joints take the short way through the elimination."""
    revolute = np.flatnonzero(body["code"] == JointCode.REVOLUTE)
    undriven = dof["drive"][body["v"][revolute]] < 0
    body["plain"][revolute[undriven]] = 1


def _pack_coordinates(rows: list[Row], floating: Floating) -> tuple[np.ndarray, np.ndarray]:
    pairs, quaternions = [], []
    for row in rows:
        record = JOINT_RECORDS[row.code]
        pairs += [(row.q + c, row.v + c, 0) for c in range(len(record.freedoms))]
        if record.ball:
            quaternions.append((row.q + record.ball_at, row.v + record.ball_at))
    pairs += [(e.q + c, e.v + c, 0) for e in floating.element for c in range(e.n)]
    return np.array(pairs, tables.PAIR), np.array(quaternions, tables.QUATERNION)


def _place(body: np.ndarray, row: int, place: Place) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation of an attachment in the joint frame of its row."""
    R = np.array(body[row].R_bu).reshape(3, 3)
    return body[row].u_b + R @ place.position, (R @ place.rotation).ravel()


def _pack_forces(model: CheckedModel, body: np.ndarray, row_of_body: np.ndarray, joint_rows: dict[int, JointRows],
                 laws: LawTable) -> np.ndarray:
    force = zeros_in_lines(len(model.forces), tables.FORCE)
    for e, f in zip(force, model.forces, strict=True):
        e.code, e.follow = f.code, f.follow
        e.k, e.c, e.kt, e.ct = f.stiffness, f.damping, f.turning_stiffness, f.turning_damping
        e.rest, e.dir, e.held = f.rest, f.direction, -1
        e.law = -1 if f.law is None else laws.add(f.law, owner=f"forces.{f.name}")
        if f.joint >= 0:
            e.q, e.v = joint_rows[f.joint].q + f.coordinate, joint_rows[f.joint].v + f.coordinate
            continue
        for end, place in (("b" if f.second is None else "a", f.first), ("b", f.second)):
            if place is None:
                continue
            row = int(row_of_body[place.body])
            e[end] = row
            e[f"u_{end}"], e[f"R_{end}"] = _place(body, row, place)
    return force


def _seat_joint_elements(model: CheckedModel, force: np.ndarray, body: np.ndarray, dof: np.ndarray) -> None:
    """Give elements on joint coordinates the two bodies that their effort acts on."""
    on_joints = [i for i, f in enumerate(model.forces) if f.joint >= 0]
    force["b"][on_joints] = dof["body"][force["v"][on_joints]]
    force["a"][on_joints] = body["parent"][force["b"][on_joints]]


def _pack_drives(model: CheckedModel, joint_rows: dict[int, JointRows], laws: LawTable) -> np.ndarray:
    drive = np.zeros(len(model.motions), tables.DRIVE)
    for d, m in zip(drive, model.motions, strict=True):
        d.code = DriveCode.SPEED if m.speed else DriveCode.POSITION
        d.q, d.v = joint_rows[m.joint].q + m.coordinate, joint_rows[m.joint].v + m.coordinate
        d.law = laws.add(m.law, m.derivative_step, owner=f"motions.{m.name}")
    return drive
