"""A linear finite-element model: nodes, unknowns, stiffness and mass, free of supports.

Whatever made the matrices, the reduction reads this one noun.  Unknown number i belongs to node ``dof_node[i]`` and is
its displacement along x, y, z (0, 1, 2) or its rotation about x, y, z (3, 4, 5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ..errors import ModelError, near_names
from ..model.flexible import Material
from ..model.values import shown

PLANE_TOLERANCE = 1e-9
"""Nodes this near to a bounding plane, relative to the size of the model, lie on it."""
_FACES = {sign + axis: (column, sign == "+") for column, axis in enumerate("xyz") for sign in "-+"}


@dataclass(frozen=True, eq=False)
class ElementBlock:
    """Elements of one kind and one material, for pictures, stresses and geometric stiffness.

    Attributes
    ----------
    kind : str
        ``"beam2"``, ``"t3"``, ``"t6"``, ``"q4"``, ``"q8"``, ``"q9"``, ``"t4"``, ``"t10"``, ``"h8"``, ``"h20"``,
        ``"h27"`` or ``"w6"``.
    connectivity : (m, k) int
        Nodes of each element, in the order of VTK.
    material : Material
        Of all its elements.
    section : Circle, Tube, Rectangle, Section or None
        Of beams.
    theory : str
        Of beams: ``"timoshenko"`` or ``"euler-bernoulli"``.
    rotary_inertia : bool
        Of beams: whether their sections resist tilting.
    thickness : float
        Of plane elements [m].
    incompatible : bool
        Whether bending modes inside the element (q4, h8) soften its stiffness.
    """

    kind: str
    connectivity: np.ndarray
    material: Material
    section: Any = None
    theory: str = ""
    rotary_inertia: bool = True
    thickness: float = 0.0
    incompatible: bool = False


Nodes = str | int | Sequence[int] | np.ndarray
"""The name of a set, one node or several."""


@dataclass(frozen=True, eq=False, repr=False)
class FEModel:
    """A free-free finite-element model in SI units.

    Attributes
    ----------
    nodes : (n, 3) float
        Positions [m].
    dof_node : (N,) int
        Node of each unknown.
    dof_direction : (N,) int
        0, 1, 2 displacement along x, y, z [m]; 3, 4, 5 rotation about x, y, z [rad].
    stiffness, mass : (N, N) csr_array
        Symmetric, both triangles stored; the mass is consistent.
    sets : mapping of str to (k,) int
        Named node sets.
    elements : tuple of ElementBlock
        Empty if the matrices come from another code.
    """

    nodes: np.ndarray
    dof_node: np.ndarray
    dof_direction: np.ndarray
    stiffness: csr_array
    mass: csr_array
    sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    elements: tuple[ElementBlock, ...] = ()

    def __repr__(self) -> str:
        kinds = ", ".join(f"{len(b.connectivity)} {b.kind}" for b in self.elements)
        return f"<FEModel: {len(self.nodes)} nodes, {self.n_dof} unknowns, {kinds or 'matrices alone'}>"

    @property
    def n_dof(self) -> int:
        """Number of unknowns N."""
        return len(self.dof_node)

    @cached_property
    def size(self) -> float:
        """Diagonal of the box around all nodes [m]."""
        return float(np.linalg.norm(np.ptp(self.nodes, axis=0))) if len(self.nodes) else 0.0

    @cached_property
    def dof_table(self) -> np.ndarray:
        """(n, 6) int: number of the unknown of each node and direction, -1 where there is none."""
        table = np.full((len(self.nodes), 6), -1)
        table[self.dof_node, self.dof_direction] = np.arange(self.n_dof)
        return table

    @property
    def is_planar(self) -> bool:
        """Whether only x and y displacements and rotations about z are unknown."""
        return not np.isin(self.dof_direction, (2, 3, 4)).any()

    def face(self, side: str) -> np.ndarray:
        """Return the nodes on a bounding plane.

        Parameters
        ----------
        side : {"-x", "+x", "-y", "+y", "-z", "+z"}
            Outward normal of the plane.

        Returns
        -------
        (k,) int
            Node numbers, ascending.
        """
        if side not in _FACES:
            raise ModelError(f"face: found {shown(side)}, expected one of {', '.join(_FACES)}")
        column, upper = _FACES[side]
        x = self.nodes[:, column]
        edge = x.max() if upper else x.min()
        return np.flatnonzero(np.abs(x - edge) <= PLANE_TOLERANCE * self.size)

    def nodes_where(self, condition: Callable[[np.ndarray], Any]) -> np.ndarray:
        """Return the nodes whose coordinates fulfil a condition.

        Parameters
        ----------
        condition : callable
            ``condition(x, y, z)`` of three (n,) arrays [m], returning (n,) bool.

        Returns
        -------
        (k,) int
            Node numbers, ascending.

        Examples
        --------
        >>> from dalembert.flex.solid_elements import box
        >>> from dalembert.model.flexible import Material
        >>> fe = box((1, 1, 1), divisions=(2, 2, 2), material=Material(1e9, 0.3, 1000.0))
        >>> len(fe.nodes_where(lambda x, y, z: x > 0.9))
        9
        """
        mask = np.asarray(condition(*self.nodes.T))
        if mask.shape != (len(self.nodes),) or mask.dtype != bool:
            raise ModelError(f"nodes_where: the condition gave {mask.dtype} of shape {mask.shape}, expected bool of "
                             f"shape ({len(self.nodes)},); combine conditions by & and |")
        return np.flatnonzero(mask)

    def node_set(self, nodes: Nodes, where: str = "nodes") -> np.ndarray:
        """Return node numbers from the name of a set, one number or a list of numbers.

        Parameters
        ----------
        nodes : str, int or (k,) int
            What names the nodes.
        where : str
            Stands in the error text.

        Returns
        -------
        (k,) int
            Node numbers, ascending, each once; never empty.
        """
        found = self._numbers(nodes, where)
        if found.size == 0:
            raise ModelError(f"{where}: the node set is empty, expected one node or more")
        if found.min() < 0 or found.max() >= len(self.nodes):
            bad = found.min() if found.min() < 0 else found.max()
            raise ModelError(f"{where}: found node {bad}, expected 0 to {len(self.nodes) - 1}")
        return np.unique(found)

    def _numbers(self, nodes: Any, where: str) -> np.ndarray:
        if isinstance(nodes, str):
            if nodes in self.sets:
                return np.asarray(self.sets[nodes], dtype=np.int64)
            if nodes in _FACES:
                return self.face(nodes)
            raise ModelError(f"{where}: no node set {nodes!r}.{near_names(nodes, [*self.sets, *_FACES])}")
        if isinstance(nodes, Integral) and not isinstance(nodes, bool):
            return np.array([nodes], dtype=np.int64)
        found = np.asarray(nodes)
        if found.ndim != 1 or (found.size and not np.issubdtype(found.dtype, np.integer)):
            raise ModelError(f"{where}: found {shown(nodes)}, expected the name of a node set or node numbers; a condition "
                             "gives them by fe.nodes_where(lambda x, y, z: ...), a mask by np.flatnonzero")
        return found.astype(np.int64)

    def rigid_modes(self, point: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return the displacements of six rigid motions.

        Parameters
        ----------
        point : (3,) float
            Point the rotations turn about [m].

        Returns
        -------
        (N, 6) float
            Unit translations along x, y, z, then unit rotations about x, y, z through `point`.  Motions that the
            model has no unknowns for (out of the plane of a planar model) are zero columns.
        """
        r = (self.nodes - np.asarray(point, dtype=float))[self.dof_node]
        modes = np.zeros((self.n_dof, 6))
        modes[np.arange(self.n_dof), self.dof_direction] = 1.0
        for axis in range(3):
            turned = np.cross(np.eye(3)[axis], r)
            for direction in range(3):
                rows = self.dof_direction == direction
                modes[rows, 3 + axis] = turned[rows, direction]
        if self.is_planar:
            modes[:, 2:5] = 0.0
        return modes

    @cached_property
    def rigid_mass(self) -> np.ndarray:
        """(6, 6) float: mass matrix of the rigid motions about the origin [kg, kg m, kg m²]."""
        modes = self.rigid_modes()
        out: np.ndarray = modes.T @ (self.mass @ modes)
        return out

    @property
    def total_mass(self) -> float:
        """Mass that a translation along x moves [kg]."""
        return float(self.rigid_mass[0, 0])

    @property
    def centre(self) -> np.ndarray:
        """(3,) float: centre of mass [m]; its z is 0 for a planar model."""
        m = self.rigid_mass
        x, y, z = m[1, 5], -m[0, 5], m[0, 4]  # a rotation about z moves the centre by (-y, x), one about y by z along x
        out: np.ndarray = np.array([x, y, z]) / m[0, 0]
        return out

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) float: inertia about the centre of mass, in the model's axes [kg m²]; zz alone for a planar model."""
        c = self.centre
        about_centre = self.rigid_mass[3:, 3:] - self.total_mass * (c @ c * np.eye(3) - np.outer(c, c))
        if self.is_planar:
            about_centre[:2] = about_centre[:, :2] = 0.0
        out: np.ndarray = about_centre
        return out
