"""Superelements between interfaces: tables of the flexible bodies of a plan, and their places in the pattern.

The faces of a flexible body are rows of the body table; the row of a face has the axes of the joint that carries it, so
that the undeformed axes R_0 of an interface are turned into those.  Modes follow behind the coordinates of all bodies,
natural ones or those of joints.  Equal bodies whose faces are carried alike share their constants.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..flex.reductions import has_interfaces, superelement_of
from ..kernels.flex.superelement_tables import SUPER, SUPER_LEAD, SUPER_POINT, Superelements, super_constants, super_row
from ..model.checked import CheckedFlexible, CheckedJoint, CheckedModel
from ..topology.span import Plan
from .columns import count_columns, frame_columns
from .layout import FlexibleEntry, Layout

if TYPE_CHECKING:
    from ..flex.superelement import Superelement
    from .pack import Packed


@dataclass(frozen=True)
class LaidSuperelements:
    """Tables without places, the pairs (p, 2) of coordinates that these belong to, and what the modes add.

    Attributes
    ----------
    tables : Superelements
    pairs : (p, 2) int
        Coordinates, or rates of a tree, (0, 0), (1, 0), (1, 1), ... of each superelement.
    group : (n_mode,) int
        Superelement of each mode.
    size : float
        Largest extent of a flexible part [m].
    recovered : (n_point,) int
        Row of each point in `Layout.bodies`.
    """

    tables: Superelements
    pairs: np.ndarray
    group: np.ndarray
    size: float
    recovered: np.ndarray


def lay_superelements(packed: Packed) -> LaidSuperelements:
    """Lay the tables of all flexible bodies of a packed tree of faces, for natural coordinates.

    Raises
    ------
    ModelError
        A source has no interfaces, or something acts on a place that is no interface.
    """
    real = [i for i in packed.plan.order if i < len(packed.plan.model.bodies)]
    row_of = dict(zip(real, (int(row) for row in packed.body_rows), strict=True))
    system = packed.system
    n, frames = count_columns(system), frame_columns(system)
    laid = _lay(packed.plan, system.body, row_of, n, n)
    rows, faces = laid.tables.element.view(np.recarray), laid.tables.face
    columns = [np.concatenate([*(frames[row - 1] for row in faces[e.face:e.face + e.n_face]), e.eta + np.arange(e.n_mode)])
               for e in rows]
    tables = laid.tables._replace(column=system.body["column"][faces])
    return replace(laid, tables=tables, pairs=_pairs_of(rows, columns))


def lay_tree_superelements(plan: Plan, body: np.ndarray, driven: Collection[int], row_of: np.ndarray, n_q: int, n_v: int
                           ) -> LaidSuperelements:
    """Lay the same tables for the joint coordinates of a tree of faces with n_q coordinates and n_v rates but the modes.

    `body` is the table of the tree, `driven` are its driven rates, `row_of` has the rows of the model's bodies.
    """
    laid = _lay(plan, body, row_of, n_q, n_v)
    rows = laid.tables.element.view(np.recarray)
    leads: list[tuple[int, int, int, int]] = []
    moved: list[int] = []
    columns: list[np.ndarray] = []
    owner: dict[int, int] = {}
    for e in rows:
        faces: dict[int, list[int]] = {}
        for k, row in enumerate(laid.tables.face[e.face:e.face + e.n_face]):
            for v, carried in _rates_to(body, int(row)):
                if v not in driven:
                    faces.setdefault(v, []).append(k)
                    owner[v] = carried
        e.lead, e.n_lead = len(leads), len(faces) + e.n_mode
        for v in sorted(faces):
            leads.append((v, owner[v], len(moved), len(faces[v])))
            moved += faces[v]
        leads += [(e.eta_v + m, -1, m, 0) for m in range(e.n_mode)]
        columns.append(np.array([*sorted(faces), *(e.eta_v + np.arange(e.n_mode))], np.int64))
    tables = laid.tables._replace(lead=np.array(leads, SUPER_LEAD), moved=np.array(moved, np.int64))
    return replace(laid, tables=tables, pairs=_pairs_of(rows, columns))


def _rates_to(body: np.ndarray, row: int) -> list[tuple[int, int]]:
    """Rates that move a row of the body table, each with the row that its joint carries."""
    found: list[tuple[int, int]] = []
    while row > 0:
        b = body[row]
        found += [(v, row) for v in range(int(b.v), int(b.v + b.nv))]
        row = int(b.parent)
    return found


def _pairs_of(rows: np.ndarray, columns: list[np.ndarray]) -> np.ndarray:
    """Pairs (p, 2) of the columns of each superelement, whose rows are told where theirs begin."""
    pairs, place = [np.zeros((0, 2), np.int64)], 0
    for row, own in zip(rows, columns, strict=True):
        high, low = np.tril_indices(len(own))
        pairs.append(np.stack([own[high], own[low]], axis=1))
        row.place, place = place, place + len(high)
    return np.concatenate(pairs)


def _lay(plan: Plan, body: np.ndarray, row_of: Mapping[int, int] | np.ndarray, eta: int, eta_v: int) -> LaidSuperelements:
    """Lay what does not depend on the coordinates; the first mode is coordinate `eta` and rate `eta_v`."""
    model = plan.model
    _refuse_loads_on_points(model)
    table, modes = _ConstantTable(), 0
    extents: dict[str, float] = {}
    faces: list[int] = []
    points: list[tuple[int, int, np.ndarray, np.ndarray]] = []
    group: list[int] = []
    recovered: list[int] = []
    rows = np.zeros(len(model.flexibles), SUPER).view(np.recarray)
    for i, flexible in enumerate(model.flexibles):
        element = _element(flexible)
        own = [int(row_of[face]) for face in flexible.faces.values()]
        at = table.add(element, _undeformed_axes(body[own], element))
        super_row(rows[i], n_face=len(own), n_mode=element.n_modes, at=at, constant=table.array())
        rows[i].face, rows[i].eta, rows[i].eta_v, rows[i].mode = len(faces), eta + modes, eta_v + modes, modes
        faces += own
        for name, place in flexible.points.items():
            point = element.points[name]
            points.append((i, table.add_motion(element, name), point.position, point.orientation.ravel()))
            recovered.append(place)
        modes += element.n_modes
        group += [i] * element.n_modes
        extents[flexible.part] = extents.get(flexible.part, 0.0) + 2.0 * float(rows[i].size)
    none = np.zeros(0, np.int64)
    tables = Superelements(rows.view(np.ndarray), np.array(faces, np.int64), none, table.array(),
                           np.array(points, SUPER_POINT), none, np.zeros(0, SUPER_LEAD), none)
    order = {body: i for i, body in enumerate(b for b in plan.order if b < len(model.bodies))}
    return LaidSuperelements(tables, np.zeros((0, 2), np.int64), np.array(group, np.int64),
                             max(extents.values(), default=0.0), np.array([order[b] for b in recovered], np.int64))


def with_modes(layout: Layout, model: CheckedModel) -> Layout:
    """Return the layout of a tree of faces whose coordinates the modes of all flexible bodies follow."""
    n_q, n_v, entries = layout.n_q, layout.n_v, []
    for flexible in model.flexibles:
        n = flexible.source.n_modes
        entries.append(FlexibleEntry(flexible.name, flexible.part, -1, n_q, n_v, n, tuple(f"mode {k + 1}" for k in range(n))))
        n_q, n_v = n_q + n, n_v + n
    return replace(layout, n_q=n_q, n_v=n_v, flexibles=tuple(entries))


class _ConstantTable:
    """Constants under way: equal ones stand once."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = [np.zeros(0)]
        self.length = 0
        self.known: dict[tuple[Any, ...], int] = {}

    def _append(self, key: tuple[Any, ...], part: np.ndarray) -> int:
        if key not in self.known:
            self.known[key] = self.length
            self.parts.append(part)
            self.length += len(part)
        return self.known[key]

    def add(self, element: Superelement, axes: np.ndarray) -> int:
        """Return where the constants of a superelement begin whose faces have these undeformed axes (n_face, 3, 3)."""
        c = element.constants
        return self._append((id(element), axes.tobytes()), super_constants(
            positions=element.positions, rotations=axes, stiffness=element.stiffness, damping=element.damping,
            mass_matrix=element.mass_matrix, convective=element.convective, frame_motion=element.frame_motion,
            translation=c.translation, mass=c.mass, first_moment=c.first_moment.tolist()))

    def add_motion(self, element: Superelement, name: str) -> int:
        """Return where the motion (6, n) of a point begins."""
        return self._append((id(element), name), element.points[name].motion.ravel())

    def array(self) -> np.ndarray:
        """Return all constants."""
        self.parts = [np.concatenate(self.parts)]
        return self.parts[0]


def _element(flexible: CheckedFlexible) -> Superelement:
    if not has_interfaces(flexible):
        raise ModelError(f"flexible body {flexible.name!r}: Standard Input Data hold a body in one floating frame, not "
                         "between its interfaces, which formulations 'interface' and 'global' need; take 'recursive' or "
                         "'semi-recursive', or reduce the body with flex.craig_bampton")
    return superelement_of(flexible.source, flexible.frame)


def _undeformed_axes(body: np.ndarray, element: Superelement) -> np.ndarray:
    """R_0 (n_face, 3, 3) of the joint frames of the faces' rows `body`; these and the faces have the same origins."""
    return element.rotations @ np.swapaxes(body["R_bu"].reshape(-1, 3, 3), 1, 2)


def _refuse_loads_on_points(model: CheckedModel) -> None:
    """Refuse joints, constraints and forces on places that are no interfaces: they have no coordinates of their own."""
    names = {row: (flexible.part, name) for flexible in model.flexibles for name, row in flexible.points.items()}
    parts = [(kind, part) for kind, some in (("joint", model.joints), ("constraint", model.constraints),
                                             ("force", model.forces)) for part in some]
    for kind, part in parts:
        for place in (part.first, part.second):
            if place is not None and place.body in names and not (isinstance(part, CheckedJoint) and part.hidden):
                owner, name = names[place.body]
                raise ModelError(f"{kind} {part.name!r}: it acts on {place.text!r}, a place inside of a body, but "
                                 "formulations 'interface' and 'global' have coordinates at interfaces only. Make "
                                 f"{name!r} an interface of {owner!r} (a beam: choose bodies= so that the point is a node), "
                                 "or take formulation 'recursive' or 'semi-recursive'")
