"""Interface coordinates and inner unknowns of a finite-element model: u = boundary q + inner x.

A rigid interface (RBE2) replaces the unknowns of its nodes by six coordinates.  An average interface (RBE3) keeps
them but for six, which follow from the mean motion of the set.  Either way the inner unknowns are free of each other
and both kinds of coupling are reduced alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import coo_array, csr_array

from ..errors import Fault, ModelError
from ..model.values import shown
from .fe_check import check_interfaces
from .fe_model import FEModel
from .interfaces import Interface, average_interface, rigid_interface

COUPLINGS = {"rbe2": rigid_interface, "rbe3": average_interface}


@dataclass(frozen=True, eq=False)
class Partition:
    """A change of unknowns that makes interfaces explicit.

    Attributes
    ----------
    names : tuple of str
        Of the interfaces.
    interfaces : tuple of Interface
        Their nodes and frames.
    boundary : (N, 6 n_interface) csr_array
        Unknowns moved by the interface coordinates (displacement, rotation of each interface).
    inner : (N, n_inner) csr_array
        Unknowns moved by the inner ones.
    kept : (n_inner,) int
        Unknown of the model that each inner one is.
    """

    names: tuple[str, ...]
    interfaces: tuple[Interface, ...]
    boundary: csr_array
    inner: csr_array
    kept: np.ndarray

    @property
    def active(self) -> np.ndarray:
        """(6 n_interface,) bool: coordinates that the model can move; out of a planar model's plane none is."""
        return np.concatenate([np.isin(np.arange(6), face.directions) for face in self.interfaces])


def partition(fe: FEModel, interfaces: Mapping[str, Any], coupling: str = "rbe2") -> Partition:
    """Return the partition of a model for named interfaces.

    Parameters
    ----------
    fe : FEModel
        Free-free.
    interfaces : mapping of str to node set, or to Interface
        Names, node numbers or face names; or what `rigid_interface` and `average_interface` return.
    coupling : {"rbe2", "rbe3"}
        How node sets are coupled to their frame.
    """
    if coupling not in COUPLINGS:
        raise ModelError(f"coupling: found {shown(coupling)}, expected one of {', '.join(COUPLINGS)}")
    if not isinstance(interfaces, Mapping):
        raise ModelError(f"interfaces: found {shown(interfaces)}, expected names and nodes: {{'hub': nodes, 'tip': nodes}}")
    check_interfaces(fe, {name: nodes.nodes if isinstance(nodes, Interface) else nodes
                          for name, nodes in interfaces.items()})
    faces = []
    for name, nodes in interfaces.items():
        try:
            faces.append(nodes if isinstance(nodes, Interface) else COUPLINGS[coupling](fe, nodes))
        except ModelError as error:
            raise ModelError([Fault(f"interfaces.{name}", f.what) for f in error.faults]) from None
    return _partitioned(fe, tuple(interfaces), tuple(faces))


def _partitioned(fe: FEModel, names: tuple[str, ...], faces: tuple[Interface, ...]) -> Partition:
    """Assemble boundary and inner maps interface by interface."""
    inner_of = np.ones(fe.n_dof, dtype=bool)
    parts = []  # (rows, columns, values) of the boundary; the same of the inner unknowns that others follow from
    follow = []
    for k, face in enumerate(faces):
        if face.coupling == "rigid":
            inner_of[np.isin(fe.dof_node, face.nodes)] = False
            moved = face.matrix.tocoo()
            parts.append((moved.row, moved.col + 6 * k, moved.data))
            continue
        given, dependent, by_frame, others, by_others = _solved_average(face)
        inner_of[dependent] = False
        parts.append(_entries(dependent, 6 * k + given, by_frame))
        follow.append(_entries(dependent, others, by_others))
    kept = np.flatnonzero(inner_of)
    number = np.cumsum(inner_of) - 1
    rows, columns, values = (np.concatenate(a) for a in zip(*parts, strict=True))
    boundary = _sparse(rows, columns, values, (fe.n_dof, 6 * len(faces)))
    follow.append((kept, kept, np.ones(kept.size)))
    rows, columns, values = (np.concatenate(a) for a in zip(*follow, strict=True))
    inner = _sparse(rows, number[columns], values, (fe.n_dof, kept.size))
    return Partition(names, faces, boundary, inner, kept)


def _sparse(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> csr_array:
    """Return a matrix with short indices: they double what its products take otherwise."""
    return csr_array(coo_array((values, (rows.astype(np.int32), columns.astype(np.int32))), shape=shape))


def _solved_average(face: Interface) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Solve q = A u for as many unknowns of the set as there are coordinates, the best conditioned ones.

    Returns the moving coordinates, the dependent unknowns, their matrix by the coordinates, the other unknowns of the
    set and the matrix by those.
    """
    given = np.array(face.directions)
    average = face.matrix[given]
    unknowns = np.unique(average.indices)
    dense = average[:, unknowns].toarray()
    *_, order = qr(dense / np.linalg.norm(dense, axis=1, keepdims=True), pivoting=True, mode="r")
    first, rest = np.sort(order[:given.size]), np.sort(order[given.size:])
    by_frame = np.linalg.inv(dense[:, first])
    return given, unknowns[first], by_frame, unknowns[rest], -by_frame @ dense[:, rest]


def _entries(rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r, c = np.nonzero(values)
    return rows[r], columns[c], values[r, c]
