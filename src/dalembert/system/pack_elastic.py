"""Tables of flexible bodies in floating frames: constants, faces, sizes.

The joint that carries a floating frame is attached at the frame's origin with the frame's axes (topology/flexible.py), so
that the joint frame of its row is the floating frame itself.

Geometric stiffening enters as displacements of second order, u2 = ½ q·B q: the geometric stiffness of a load is minus the
second derivative of its work through u2.  In a place B = -force and B = -torque.  Of the body only the moments of u2 over the
mass are known, from the inertia loads of unit accelerations: ∫B dm = translation, ∫R x B dm = rotation.  The rigid motion b
with the same moments,
    m b_u + b_t x s0 = translation,   s0 x b_u + J0 b_t = rotation,                                      (1)
moves the row that the inertia belongs to.  It does the same work as u2 in all accelerations of the frame; for the centrifugal
loads w x (w x R) the rest of `spin` is added to -J2, half of it off the diagonal, where a product counts twice:
    rest = spin - (w x (w x s0))·b_u - (w x J0 w)·b_t                                                    (2)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codes import JointCode
from ..kernels.flex.floating_tables import FACE, FLOATING, MOMENTS, Floating
from ..model.checked import CheckedModel
from .rows import JointRows, Row

if TYPE_CHECKING:
    from ..flex.floating import FloatingBody

EPS = np.finfo(float).eps
DEFLECTION = 0.01
"""Root mean square of a deflection that an accuracy refers to, as a part of the body's radius of inertia."""


@dataclass
class Rows:
    """A table under way, of rows of some numbers; shorter ones are filled up with zeros."""

    width: int
    blocks: list[np.ndarray] = field(default_factory=list)
    count: int = 0

    def add(self, array: np.ndarray) -> int:
        """Append an array as so many rows; returns the place where they begin."""
        rows = np.zeros((len(array), self.width))
        rows[:, :array.shape[1]] = array
        at, self.count = self.count, self.count + len(rows)
        self.blocks.append(rows)
        return at

    def table(self) -> np.ndarray:
        """Return the whole table (count, width)."""
        return np.concatenate([np.zeros((0, self.width)), *self.blocks])


@dataclass
class ConstantTable:
    """Constants under way; those of equal bodies and places are kept once."""

    change: Rows
    constant: Rows = field(default_factory=lambda: Rows(1))
    curve: Rows = field(default_factory=lambda: Rows(6))
    known: dict[tuple[int, str | None], np.record] = field(default_factory=dict)


def pack_floating(model: CheckedModel, rows: list[Row], joints: list[JointRows], body: np.ndarray) -> Floating:
    """Return the tables of all flexible bodies and faces; marks their rows in the body table."""
    if not any(part.floating is not None for part in model.bodies):
        return _no_floating()
    carried = {j.last: j for j in joints}
    heavy = [(i, row) for i, row in enumerate(rows, start=1) if row.body >= 0 and model.bodies[row.body].floating is not None]
    flexible = [model.bodies[row.body].floating for _, row in heavy]
    element = np.zeros(len(heavy), FLOATING)
    table = ConstantTable(Rows(MOMENTS * max((floating.n for floating in flexible), default=0)))
    e: Any
    for e, (i, row), floating in zip(element, heavy, flexible, strict=True):
        e.body, e.root = i, row.parent if row.code == JointCode.ELASTIC else i
        j = carried[int(e.root)]
        e.q, e.v, e.n, e.damped = j.q + j.nq, j.v + j.nv, floating.n, np.any(floating.damping)
        _pack_constants(table, e, floating)
    body["flex"][element["root"]] = np.arange(len(element))
    elastic = [(i, row) for i, row in enumerate(rows, start=1) if row.code == JointCode.ELASTIC]
    face = np.zeros(len(elastic), FACE)
    f: Any
    for f, (i, row) in zip(face, elastic, strict=True):
        f.body, f.element, f.heavy = i, body["flex"][row.parent], not row.place
        _pack_face(table, f, flexible[f.element], row.place)
    body["flex"][face["body"]] = np.arange(len(face))
    return Floating(element, face, table.constant.table().ravel(), table.change.table(), table.curve.table())


@cache
def _no_floating() -> Floating:
    """Return the tables of a model without flexible bodies."""
    none, six = ConstantTable(Rows(0)), np.zeros((0, 6))
    return Floating(np.zeros(0, FLOATING), np.zeros(0, FACE), np.zeros(0), none.change.table(), six)


def elastic_sizes(floating: FloatingBody) -> tuple[np.ndarray, np.ndarray]:
    """Sizes (n,) of elastic coordinates and rates that an accuracy refers to."""
    constants = floating.constants
    central = constants.shifted(constants.centre).inertia
    amplitude = DEFLECTION * np.sqrt(np.trace(central) / 2)  # of displacement times root of mass
    mass, stiffness = np.diag(constants.modal_mass), np.diag(floating.stiffness)
    size = amplitude / np.sqrt(mass)
    return size, size * np.maximum(np.sqrt(np.maximum(stiffness, 0.0) / mass), 1.0)


def _pack_constants(table: ConstantTable, row: np.record, floating: FloatingBody) -> None:
    """Fill the places of a body's constants."""
    key = (id(floating), None)
    if key not in table.known:
        rigid, X0, X1 = _moments(floating)
        row.X0, row.X1 = table.change.add(X0.reshape(1, -1)), table.change.add(X1.reshape(floating.n, -1))
        arrays = dict(rigid=rigid, Me=floating.constants.modal_mass, Ke=floating.stiffness, De=floating.damping,
                      load=floating.initial_load)
        for name, array in arrays.items():
            row[name] = table.constant.add(array.reshape(-1, 1))
        row.modal = _is_diagonal(floating.constants.modal_mass) and _is_diagonal(floating.stiffness)
        table.known[key] = row.copy()
    for name in ("rigid", "X0", "X1", "Me", "Ke", "De", "load", "modal"):
        row[name] = table.known[key][name]


def _is_diagonal(matrix: np.ndarray) -> bool:
    """Tell whether a matrix is diagonal up to rounding."""
    return bool(np.all(abs(matrix - np.diag(np.diag(matrix))) <= len(matrix) * EPS * np.max(abs(matrix), initial=0.0)))


def _moments(floating: FloatingBody) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass, first moment and inertia (10,), the moments (n, 12) and how each coordinate changes them (n, n, 12)."""
    c, n, G = floating.constants, floating.n, np.moveaxis(floating.constants.gyroscopic, 0, 2)
    curvature = c.inertia_curvature if floating.stiffening is None else _curvature(floating)
    X0 = np.concatenate([c.translation, c.rotation, _six(c.inertia_slope)], axis=1)
    X1 = np.swapaxes(np.concatenate([G - np.swapaxes(G, 0, 1), G, 2 * _six(curvature)], axis=2), 0, 1)
    assert X0.shape == (n, MOMENTS) and X1.shape == (n, n, MOMENTS)
    return np.concatenate([[c.mass], c.first_moment, _six(c.inertia)]), X0, X1


def mean_curves(floating: FloatingBody) -> np.ndarray:
    """Return b (6, n, n) of (1): displacement of the frame's origin, then rotation."""
    n, stiffening = floating.n, floating.stiffening
    assert stiffening is not None
    matrix = floating.constants.mass_matrix(np.zeros(n))[:6, :6]
    moments = np.concatenate([stiffening.translation, stiffening.rotation]).reshape(6, -1)
    out: np.ndarray = (np.linalg.pinv(matrix, hermitian=True) @ moments).reshape(6, n, n)
    return out


def _curvature(floating: FloatingBody) -> np.ndarray:
    """Return J2 (n, n, 3, 3) with the rest (2) of the stiffening by centrifugal loads."""
    from ..flex.invariants import PRODUCTS

    c, b, stiffening = floating.constants, mean_curves(floating), floating.stiffening
    assert stiffening is not None

    def work(w: np.ndarray) -> np.ndarray:
        """Second derivative of the work of the centrifugal load through the rigid motion."""
        load = np.concatenate([np.cross(w, np.cross(w, c.first_moment)), np.cross(w, c.inertia @ w)])
        return np.asarray(np.einsum("a,alk->lk", load, b))

    out, unit = c.inertia_curvature.copy(), np.eye(3)
    for (i, j), spin in zip(PRODUCTS, stiffening.spin, strict=True):
        if i == j:
            out[:, :, i, i] -= spin - work(unit[i])                                              # (2)
        else:
            rest = spin - (work(unit[i] + unit[j]) - work(unit[i]) - work(unit[j]))
            out[:, :, i, j] -= rest / 2
            out[:, :, j, i] -= rest / 2
    return out


def _six(matrix: np.ndarray) -> np.ndarray:
    """Components xx, xy, xz, yy, yz, zz (..., 6) of symmetric matrices (..., 3, 3)."""
    return matrix[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def _pack_face(table: ConstantTable, row: np.record, floating: FloatingBody, name: str) -> None:
    """Fill the places of a face's constants; without a name it is the one that the body's inertia belongs to."""
    key = (id(floating), name)
    if key not in table.known:
        stiffening = floating.stiffening
        row.Phi = table.curve.add(floating.places[name].motion.T if name else np.zeros((floating.n, 6)))
        if stiffening is not None:
            B = -np.concatenate([stiffening.force[name], stiffening.torque[name]]) if name else mean_curves(floating)
            row.B, row.curved = table.curve.add(np.moveaxis(B, 0, 2).reshape(-1, 6)), np.any(B)
        table.known[key] = row.copy()
    for field_name in ("Phi", "B", "curved"):
        row[field_name] = table.known[key][field_name]
