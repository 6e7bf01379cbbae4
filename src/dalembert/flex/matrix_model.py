"""Finite-element models from the matrices of other codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse

from ..errors import ModelError
from ..formats.fe_matrices import MatrixFile, read_matrix
from ..model.values import Faults, number, shown
from .fe_check import check_fe, stored_half
from .fe_model import FEModel

_WIDTHS = {2: (0, 1), 3: (0, 1, 2), 6: (0, 1, 2, 3, 4, 5)}


def matrices(stiffness: Any, mass: Any, nodes: Any, *, dofs: Any = None, sets: Mapping[str, Sequence[int]] | None = None,
             labels: Sequence[int] | None = None, total_mass: float | None = None) -> FEModel:
    """Return a finite-element model from a free-free stiffness and mass matrix, in SI units.

    Parameters
    ----------
    stiffness, mass : (N, N) array, sparse array or path
        [N/m, N, N m] and [kg, kg m, kg m²]; a file may be Matrix Market or Abaqus ``.mtx``, or ``.npz``.  If only one
        triangle is stored, it is mirrored.
    nodes : (n, 3) float
        Positions [m].
    dofs : int or (N, 2) int, optional
        Unknowns of each node (2: x y, 3: x y z, 6: with rotations), node by node; or the node (counted from 0) and
        direction (0 to 5) of each row.  By default N / n decides; files that name nodes and directions need none.
    sets : mapping of str to (k,) int, optional
        Named node sets; node numbers as in `labels` if these are given, otherwise counted from 0.
    labels : (n,) int, optional
        Numbers of the nodes in the other code; 1 to n if a file names nodes and this is not given.
    total_mass : float, optional
        What the body weighs [kg], to find wrong units.

    Returns
    -------
    FEModel
        Without elements: stresses are unknown.

    Raises
    ------
    ModelError
        If the model is not symmetric, semi-definite and free, see `check_fe`.
    FormatError
        If a file is not what it claims to be.
    """
    if total_mass is not None:
        faults = Faults()
        total_mass = number(faults, "matrices.total_mass", total_mass, "kg", above=0.0)
        if faults:
            raise ModelError(faults)
    k, m = _read(stiffness, "stiffness"), _read(mass, "mass")
    x = _positions(nodes)
    own = np.arange(1, len(x) + 1) if labels is None else _labels(labels, len(x))
    k, m = _aligned(k, m) if k.labels is not None and m.labels is not None else (k, m)
    rows = m.labels if k.labels is None else k.labels
    if rows is None:
        node, direction = _unknowns(dofs, len(x), k.matrix.shape[0])
    elif dofs is None:
        node, direction = _numbered(rows[:, 0], own, "dofs"), rows[:, 1]
    else:
        raise ModelError("matrices.dofs: the file names node and direction of each row; leave dofs out, or give labels= "
                         "if the nodes are not numbered 1 to n")
    named = {name: np.asarray(values) if labels is None else _numbered(np.asarray(values), own, f"sets.{name}")
             for name, values in (sets or {}).items()}
    fe = FEModel(x, node, direction, _mirrored(k.matrix), _mirrored(m.matrix), named)
    for name in named:
        fe.node_set(name, f"matrices.sets.{name}")
    check_fe(fe, mass=total_mass, where="matrices")
    return fe


def _read(source: Any, name: str) -> MatrixFile:
    if isinstance(source, (str, PathLike)):
        return read_matrix(fspath(source))
    found = source if issparse(source) else np.asarray(source)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or found.dtype.kind not in "fiu":
        raise ModelError(f"matrices.{name}: found {found.dtype} of shape {found.shape}, expected a square matrix of "
                         "real numbers or the path of a file")
    return MatrixFile(csr_array(found, dtype=float), None)


def _positions(nodes: Any) -> np.ndarray:
    try:
        x = np.array(nodes, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.ndim != 2 or x.shape[1] != 3 or not len(x) or not np.isfinite(x).all():
        raise ModelError(f"matrices.nodes: found {shown(nodes)}, expected (n, 3) finite positions [m]")
    return x


def _labels(labels: Any, count: int) -> np.ndarray:
    found = np.asarray(labels)
    if found.shape != (count,) or found.dtype.kind not in "iu" or len(np.unique(found)) < count:
        raise ModelError(f"matrices.labels: found {shown(labels)}, expected {count} different whole numbers, one per node")
    return found.astype(np.int64)


def _numbered(found: np.ndarray, labels: np.ndarray, what: str) -> np.ndarray:
    """Return the positions of node labels among `labels`."""
    order = np.argsort(labels)
    at = np.minimum(np.searchsorted(labels[order], found), len(labels) - 1)
    missing = np.unique(found[labels[order][at] != found])
    if missing.size:
        raise ModelError(f"matrices.{what}: node {missing[0]} is not among the {len(labels)} nodes given"
                         f"{f' ({missing.size - 1} more)' if missing.size > 1 else ''}; give its position, and labels= "
                         "if the nodes are not numbered 1 to n")
    return order[at]


def _aligned(k: MatrixFile, m: MatrixFile) -> tuple[MatrixFile, MatrixFile]:
    """Return two labelled matrices in the order of the unknowns of both."""
    if k.labels is None or m.labels is None:
        return k, m
    rows, at = np.unique(np.vstack([k.labels, m.labels]), axis=0, return_inverse=True)

    def spread(matrix: csr_array, index: np.ndarray) -> MatrixFile:
        coo = matrix.tocoo()
        return MatrixFile(csr_array((coo.data, (index[coo.row], index[coo.col])), shape=(len(rows), len(rows))), rows)

    return spread(k.matrix, at.ravel()[:len(k.labels)]), spread(m.matrix, at.ravel()[len(k.labels):])


def _unknowns(dofs: Any, n: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return node and direction of each row."""
    if dofs is None or np.ndim(dofs) == 0:
        width = size / n if dofs is None else dofs
        if width not in _WIDTHS or width * n != size:
            asked = "" if dofs is None else f", dofs = {shown(dofs)}"
            raise ModelError(f"matrices.dofs: found {size} rows for {n} nodes{asked}, expected 2, 3 or 6 a node; give "
                             "dofs= (node, direction) of each row")
        return np.repeat(np.arange(n), int(width)), np.tile(_WIDTHS[int(width)], n)
    pairs = np.asarray(dofs)
    faults = Faults()
    if pairs.shape != (size, 2) or pairs.dtype.kind not in "iu":
        faults.flag("matrices.dofs", f"found {pairs.dtype} of shape {pairs.shape}, expected whole numbers of shape "
                    f"({size}, 2): node and direction of each row")
        raise ModelError(faults)
    return pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)


def _mirrored(matrix: csr_array) -> csr_array:
    """Return the full matrix if only one triangle is stored."""
    if not stored_half(matrix):
        return matrix
    return csr_array(matrix + matrix.T - diags_array(matrix.diagonal()))
