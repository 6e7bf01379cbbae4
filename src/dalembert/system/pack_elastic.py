"""Tables of flexible bodies in floating frames: constants, faces, sizes.

The joint that carries a floating frame is attached at the frame's origin with the frame's axes (topology/flexible.py), so
that the joint frame of its row is the floating frame itself.

Geometric stiffening enters as displacements of second order, u2 = ½ q·B q: the geometric stiffness of a load is minus the
second derivative of its work through u2.  Hence B = -force, -torque in a place, and with the inertia loads of unit
accelerations the moments of u2 over the mass are Kt = translation, an addition of `rotation` to G, and of -spin to J2
(half of it off the diagonal, where a product of angular velocities counts twice).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.flex_floating_tables import FACE, FLOATING, MOMENTS, TURNED, Floating
from ..model.checked import CheckedModel
from .rows import JointRows, Row

if TYPE_CHECKING:
    from ..flex.floating import FloatingBody

DEFLECTION = 0.01
"""Root mean square of a deflection that an accuracy refers to, as a part of the body's radius of inertia."""


@dataclass
class ConstantTable:
    """Constants under way; those of equal bodies and places are kept once."""

    arrays: list[np.ndarray] = field(default_factory=list)
    size: int = 0
    known: dict[tuple[int, str], np.record] = field(default_factory=dict)

    def add(self, array: np.ndarray) -> int:
        """Append an array; returns the place where it begins."""
        at, self.size = self.size, self.size + array.size
        self.arrays.append(np.ascontiguousarray(array, dtype=float).ravel())
        return at


def pack_floating(model: CheckedModel, rows: list[Row], joints: list[JointRows], body: np.ndarray) -> Floating:
    """Return the tables of all flexible bodies and faces; marks their rows in the body table."""
    carried = {j.last: j for j in joints}
    flexible = {i: model.bodies[row.body].floating for i, row in enumerate(rows, start=1)
                if row.body >= 0 and model.bodies[row.body].floating is not None}
    element, table, place = np.zeros(len(flexible), FLOATING), ConstantTable(), 0
    for k, (i, floating) in enumerate(flexible.items()):
        j = carried[i]
        body["flex"][i] = k
        element[k].body, element[k].q, element[k].v, element[k].n = i, j.q + j.nq, j.v + j.nv, floating.n
        element[k].damped, element[k].place = np.any(floating.damping), place
        _pack_constants(table, element[k], floating)
        place += floating.n * (floating.n + 1) // 2
    elastic = [(i, row) for i, row in enumerate(rows, start=1) if row.place]
    face = np.zeros(len(elastic), FACE)
    for k, (i, row) in enumerate(elastic):
        body["flex"][i] = k
        face[k].body, face[k].element = i, body["flex"][row.parent]
        _pack_face(table, face[k], flexible[row.parent], row.place)
    constant = np.concatenate(table.arrays) if table.arrays else np.zeros(0)
    return Floating(element, face, constant, np.zeros(0, np.int64))


def elastic_pairs(floating: Floating) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (0, 0), (1, 0), (1, 1), ... of the elastic rates of each body."""
    i, j = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for e in floating.element:
        high, low = np.tril_indices(int(e.n))
        i.append(e.v + high)
        j.append(e.v + low)
    return np.concatenate(i), np.concatenate(j)


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
    key = (id(floating), "")
    names = ("rigid", "X0", "X1", "Me", "Ke", "De", "load")
    if key in table.known:
        known = table.known[key]
        for name in (*names, "some"):
            row[name] = known[name]
        return
    rigid, X0, X1 = _moments(floating)
    arrays = (rigid, X0, X1, floating.constants.modal_mass, floating.stiffness, floating.damping, floating.initial_load)
    for name, array in zip(names, arrays, strict=True):
        row[name] = table.add(array)
    row.some = np.any(X1, axis=(1, 2))
    table.known[key] = row.copy()


def _moments(floating: FloatingBody) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass, first moment and inertia (10,), the moments (12, n) and how they change (15, n, n)."""
    from ..flex.invariants import PRODUCTS

    c, n, stiffening = floating.constants, floating.n, floating.stiffening
    translation, G, curvature = np.zeros((3, n, n)), c.gyroscopic, c.inertia_curvature.copy()
    if stiffening is not None:
        translation, G = stiffening.translation, G + stiffening.rotation
        for (a, b), spin in zip(PRODUCTS, stiffening.spin, strict=True):
            curvature[:, :, a, b] -= spin if a == b else spin / 2
            if a != b:
                curvature[:, :, b, a] -= spin / 2
    X0, X1 = np.zeros((MOMENTS, n)), np.zeros((TURNED, n, n))
    X0[:3], X0[3:6], X0[6:] = c.translation.T, c.rotation.T, _six(c.inertia_slope).T
    X1[:3], X1[3:6], X1[6:12] = translation, G, np.moveaxis(2 * _six(curvature), 2, 0)
    X1[12:] = G - np.swapaxes(G, 1, 2)
    return np.concatenate([[c.mass], c.first_moment, _six(c.inertia)]), X0, X1


def _six(matrix: np.ndarray) -> np.ndarray:
    """Components xx, xy, xz, yy, yz, zz (..., 6) of symmetric matrices (..., 3, 3)."""
    return matrix[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def _pack_face(table: ConstantTable, row: np.record, floating: FloatingBody, name: str) -> None:
    """Fill the places of a face's constants."""
    key = (id(floating), name)
    if key not in table.known:
        place, stiffening = floating.places[name], floating.stiffening
        row.Phi = table.add(place.motion)
        if stiffening is not None:
            B = -np.concatenate([stiffening.force[name], stiffening.torque[name]])
            row.B, row.curved = table.add(B), np.any(B, axis=(1, 2))
        table.known[key] = row.copy()
    for field_name in ("Phi", "B", "curved"):
        row[field_name] = table.known[key][field_name]
