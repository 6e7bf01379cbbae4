"""Superelements of the global formulation: tables of the flexible bodies of a plan, and their places in the pattern.

The faces of a flexible body are rows of the body table; the row of a face has the axes of the joint that carries it, so
that the undeformed axes R_0 of an interface are turned into those.  Modes follow behind the coordinates of all bodies.
Equal bodies whose faces are carried alike share their constants.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..flex.reductions import has_interfaces, superelement_of
from ..kernels.flex.superelement_tables import SUPER, SUPER_POINT, Superelements, super_constants, super_row
from ..model.checked import CheckedFlexible, CheckedJoint, CheckedModel
from .columns import count_columns, frame_columns
from .layout import FlexibleEntry, Layout
from .pack import Packed

if TYPE_CHECKING:
    from ..flex.superelement import Superelement


@dataclass(frozen=True)
class LaidSuperelements:
    """Tables without places, the pairs (p, 2) of coordinates that these belong to, and what the modes add.

    Attributes
    ----------
    tables : Superelements
    pairs : (p, 2) int
        Natural coordinates (0, 0), (1, 0), (1, 1), ... of each superelement.
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
    """Lay the tables of all flexible bodies of a packed tree of faces.

    Raises
    ------
    ModelError
        A source has no interfaces, or something acts on a place that is no interface.
    """
    model = packed.plan.model
    _refuse_loads_on_points(model)
    row_of = _rows(packed)
    table, count = _ConstantTable(), len(model.flexibles)
    extents: dict[str, float] = {}
    faces: list[int] = []
    points: list[tuple[int, int, np.ndarray, np.ndarray]] = []
    pairs: list[np.ndarray] = []
    group: list[int] = []
    recovered: list[int] = []
    rows = np.zeros(count, SUPER).view(np.recarray)
    place, eta, frames = 0, count_columns(packed.system), frame_columns(packed.system)
    for i, flexible in enumerate(model.flexibles):
        element = _element(flexible)
        own = [row_of[face] for face in flexible.faces.values()]
        at = table.add(element, _undeformed_axes(packed, element, own))
        super_row(rows[i], n_face=len(own), n_mode=element.n_modes, at=at, constant=table.array())
        rows[i].face, rows[i].eta, rows[i].place = len(faces), eta, place
        faces += own
        for name, body in flexible.points.items():
            point = element.points[name]
            points.append((i, table.add_motion(element, name), point.position, point.orientation.ravel()))
            recovered.append(body)
        columns = np.concatenate([*(frames[row - 1] for row in own), eta + np.arange(element.n_modes)])
        high, low = np.tril_indices(len(columns))
        pairs.append(np.stack([columns[high], columns[low]], axis=1))
        place, eta = place + len(high), eta + element.n_modes
        group += [i] * element.n_modes
        extents[flexible.part] = extents.get(flexible.part, 0.0) + 2.0 * float(rows[i].size)
    tables = Superelements(rows.view(np.ndarray), np.array(faces, np.int64), packed.system.body["column"][faces],
                           table.array(), np.array(points, SUPER_POINT), np.zeros(0, np.int64))
    order = {body: i for i, body in enumerate(b for b in packed.plan.order if b < len(model.bodies))}
    return LaidSuperelements(tables, np.concatenate([np.zeros((0, 2), np.int64), *pairs]), np.array(group, np.int64),
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


def _rows(packed: Packed) -> dict[int, int]:
    """Body of the model -> row of the body table."""
    real = [i for i in packed.plan.order if i < len(packed.plan.model.bodies)]
    return dict(zip(real, (int(row) for row in packed.body_rows), strict=True))


def _element(flexible: CheckedFlexible) -> Superelement:
    if not has_interfaces(flexible):
        raise ModelError(f"flexible body {flexible.name!r}: Standard Input Data hold a body in one floating frame, not "
                         "between its interfaces, which formulation 'global' needs; take 'recursive' or 'semi-recursive', or "
                         "reduce the body with flex.craig_bampton")
    return superelement_of(flexible.source, flexible.frame)


def _undeformed_axes(packed: Packed, element: Superelement, rows: list[int]) -> np.ndarray:
    """R_0 (n_face, 3, 3) of the faces' joint frames; these and the faces have the same origins."""
    body = packed.system.body[rows]
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
                                 f"formulation 'global' has coordinates at interfaces only. Make {name!r} an interface of "
                                 f"{owner!r} (a beam: choose bodies= so that the point is a node), or take formulation "
                                 "'recursive' or 'semi-recursive'")
