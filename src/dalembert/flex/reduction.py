"""Craig-Bampton reduction: a finite-element model by its interfaces and a few vibration modes.

With the interface coordinates q_b, the inner unknowns x and the stiffness K split alike,

    x = -K_ii^-1 K_ib q_b + X eta,      K_ii X = M_ii X diag(w^2)                                       (1)

the static modes (first term) answer any load on the interfaces exactly, the fixed-interface modes X add inner
vibrations.  One factor of K_ii serves both.

Seeds: [ELL §4] static modes as coordinates, [HEL §2] global shape functions.  Deviations: fixed-interface modes are kept,
which [ELL] leaves out; coordinates are ordered displacement, rotation.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ..errors import ModelError
from ..model.values import Faults, number, shown
from .body_point import BodyPoint, node_place, rigid_motion
from .damping import damping_matrix
from .fe_check import check_fe
from .fe_model import FEModel
from .interface_partition import Partition, partition
from .invariants import inertia_constants
from .lowest_modes import lowest_modes
from .reduced_body import ReducedBody
from .sparse_cholesky import SparseCholesky

DEFAULT_MODES = 6
FIRST_GUESS = 12
"""Modes tried first where a frequency, not a number, limits them."""


def craig_bampton(fe: FEModel, *, interfaces: Mapping[str, Any], modes: int | None = None,
                  max_frequency: float | None = None, coupling: str = "rbe2", damping: Any = None,
                  points: Mapping[str, Any] | None = None, total_mass: float | None = None) -> ReducedBody:
    """Reduce a finite-element model to its interfaces and some fixed-interface modes.

    Parameters
    ----------
    fe : FEModel
        Free-free, in SI units.
    interfaces : mapping of str to node set
        Named places where joints and forces act: node numbers, the name of a set or of a face (``"+x"``), or an
        `Interface`.
    modes : int, optional
        Fixed-interface modes kept; 6 unless `max_frequency` is given.
    max_frequency : float, optional
        Keep modes up to this frequency [Hz]; with `modes`, at most so many.
    coupling : {"rbe2", "rbe3"}
        Whether node sets move rigidly with their interface or the interface follows their mean.
    damping : float, mapping or None
        Damping ratio of all elastic modes; or ``{"mass": a, "stiffness": b}`` for Rayleigh damping a M + b K [1/s, s];
        None takes the material's.
    points : mapping of str to node set, optional
        More named places whose motion is wanted.
    total_mass : float, optional
        What the body weighs [kg], to be checked; confirms massive bodies of more than 1000 t, which otherwise are taken for
        meshes in millimetres.

    Returns
    -------
    ReducedBody
        With coordinates [displacement, rotation of each interface; modes].

    Examples
    --------
    >>> from dalembert.flex.beam_elements import beam
    >>> from dalembert.model.flexible import Circle, Material
    >>> fe = beam(length=1.0, section=Circle(0.02), material=Material(2.1e11, 0.3, 7850.0), elements=10)
    >>> craig_bampton(fe, interfaces={"hub": "start", "tip": "end"}, modes=3).n
    15
    """
    count, limit = _wanted(modes, max_frequency)
    check_fe(fe, mass=_mass(total_mass), thorough=False)
    split = partition(fe, interfaces, coupling)
    factor, static = _static_modes(fe, split)
    square, shapes = _fixed_modes(fe, split, factor, count, limit)
    del factor  # the largest thing of all
    basis = np.hstack([static, split.inner @ shapes])
    inertia = inertia_constants(fe, basis)
    stiffness = _reduced_stiffness(fe, split, static, square)
    faces = split.interfaces
    return ReducedBody(
        interfaces=split.names, positions=np.array([f.point for f in faces]),
        rotations=np.tile(np.eye(3), (len(faces), 1, 1)), n_modes=len(square),
        active=np.concatenate([split.active, np.ones(len(square), dtype=bool)]),
        stiffness=stiffness, damping=damping_matrix(damping, stiffness, inertia.modal_mass, fe), constants=inertia,
        frequencies=np.sqrt(np.maximum(square, 0.0)) / (2 * pi), basis=basis,
        points=_points(fe, points or {}, basis), model=fe, partition=split)


def _mass(total_mass: float | None) -> float | None:
    """Return the mass to be expected [kg], if one is given."""
    faults = Faults()
    found = None if total_mass is None else number(faults, "craig_bampton.total_mass", total_mass, "kg", above=0.0)
    if faults:
        raise ModelError(faults)
    return found


def _wanted(modes: Any, max_frequency: Any) -> tuple[int | None, float | None]:
    """Return how many modes are wanted (None: as many as the frequency asks for) and the frequency's square."""
    faults = Faults()
    if modes is not None and (not isinstance(modes, Integral) or isinstance(modes, bool) or modes < 0):
        faults.flag("modes", f"found {shown(modes)}, expected a whole number of 0 or more")
    if max_frequency is not None:
        max_frequency = number(faults, "max_frequency", max_frequency, "Hz", above=0.0)
    if faults:
        raise ModelError(faults)
    if modes is None and max_frequency is None:
        modes = DEFAULT_MODES
    return modes, None if max_frequency is None else (2 * pi * max_frequency) ** 2


def _static_modes(fe: FEModel, split: Partition) -> tuple[SparseCholesky, np.ndarray]:
    """Return the factor of K_ii and the static modes (N, 6 n_interface) of (1)."""
    inner = split.inner
    try:
        factor = SparseCholesky(_inner(fe.stiffness, split), fe.nodes[fe.dof_node[split.kept]])
    except np.linalg.LinAlgError as error:
        unknown = split.kept[error.args[1]]
        raise ModelError(f"fe.stiffness: not positive with all interfaces held, seen at node {fe.dof_node[unknown]}; "
                         "expected a body without inner mechanisms: look for loose parts, hinges without stiffness "
                         "and negative elements") from None
    coupling = (inner.T @ (fe.stiffness @ split.boundary)).toarray()
    static = split.boundary.toarray() - inner @ factor.solve(coupling)
    rigid = _rigid_coordinates(split)
    static += (fe.rigid_modes() - static @ rigid) @ np.linalg.pinv(rigid)  # rigid motions free of rounding
    return factor, static


def _inner(matrix: csr_array, split: Partition) -> csr_array:
    """Return the part of a matrix that belongs to the inner unknowns."""
    return csr_array(split.inner.T @ matrix @ split.inner)


def _fixed_modes(fe: FEModel, split: Partition, factor: SparseCholesky, count: int | None, limit: float | None
                 ) -> tuple[np.ndarray, np.ndarray]:
    """Return squared frequencies and shapes of the modes with all interfaces held."""
    n, mass = split.kept.size, _inner(fe.mass, split)

    def stiffness() -> csr_array:
        return _inner(fe.stiffness, split)

    if count is not None and count > n:
        raise ModelError(f"modes: found {count}, expected at most {n}: the model has no more inner unknowns")
    if limit is None:
        return lowest_modes(factor.solve, stiffness, mass, n if count is None else count)
    tried = min(count if count is not None else FIRST_GUESS, n)
    while True:
        square, shapes = lowest_modes(factor.solve, stiffness, mass, tried)
        if tried in (count, n) or square[-1] > limit:
            keep = square <= limit
            return square[keep], shapes[:, keep]
        tried = min(2 * tried, n)


def _reduced_stiffness(fe: FEModel, split: Partition, static: np.ndarray, square: np.ndarray) -> np.ndarray:
    """Return the stiffness by interface coordinates and modes; rigid motions are freed of rounding.

    Static modes are orthogonal to the others by (1).  Interface stiffness is a small difference of large numbers; its
    part along rigid motions is known to be zero and taken out.
    """
    n = static.shape[1]
    stiffness = np.zeros((n + square.size, n + square.size))
    boundary = static.T @ (fe.stiffness @ static)
    rigid = _rigid_coordinates(split)
    held = np.eye(n) - rigid @ np.linalg.pinv(rigid)
    boundary = held.T @ boundary @ held
    boundary[~split.active] = 0.0
    boundary[:, ~split.active] = 0.0
    stiffness[:n, :n] = (boundary + boundary.T) / 2
    stiffness[np.arange(n, n + square.size), np.arange(n, n + square.size)] = square
    return stiffness


def _rigid_coordinates(split: Partition) -> np.ndarray:
    """Return the (6 n_interface, 6) interface coordinates of rigid motions about the origin."""
    rigid = np.vstack([rigid_motion(face.point, np.zeros(3)) for face in split.interfaces])
    if not split.active.all():  # a plane at any height moves within itself
        rigid[~split.active] = 0.0
        rigid[:, 2:5] = 0.0
    return rigid


def _points(fe: FEModel, points: Mapping[str, Any], basis: np.ndarray) -> dict[str, BodyPoint]:
    """Return named places with their shape functions."""
    out = {}
    for name, nodes in points.items():
        chosen = fe.node_set(nodes, f"points.{name}")
        out[name] = node_place(fe, chosen, basis)
    return out
