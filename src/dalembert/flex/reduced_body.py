"""A finite-element model reduced to interface coordinates and vibration modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, near_names
from .body_frame import body_frame
from .body_point import BodyPoint, rigid_motion
from .fe_model import FEModel
from .floating import FloatingBody, floating_body
from .interface_partition import Partition
from .invariants import Inertia
from .mode_picture import draw_mode, mode_number
from .reduction_report import reduction_report
from .stress import NodalStress, nodal_stress

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D


@dataclass(frozen=True, eq=False, repr=False)
class ReducedBody:
    """A flexible body in Craig-Bampton coordinates, n = 6 n_interface + n_modes.

    The coordinates are displacement and rotation of each interface in turn [m, rad], then the modes' (with unit modal
    mass).  Origin and axes are those of the finite-element model; six combinations of the coordinates are rigid
    motions, which a floating frame or the interface coordinates of a superelement take over.

    Attributes
    ----------
    interfaces : tuple of str
        Names.
    positions : (n_interface, 3) float
        Undeformed places of the interfaces [m].
    rotations : (n_interface, 3, 3) float
        Undeformed axes of the interfaces, as columns.
    n_modes : int
        Fixed-interface modes kept.
    active : (n,) bool
        Coordinates that the model can move: all but those out of the plane of a planar model.
    stiffness, damping : (n, n) float
        Reduced matrices.
    constants : Inertia
        Inertia constants about the model's origin; its modal mass is the reduced mass matrix.
    frequencies : (n_modes,) float
        Of the modes with all interfaces held [Hz].
    basis : (N, n) float
        Displacements of the whole model by each coordinate.
    points : mapping of str to BodyPoint
        More named places.
    model : FEModel
        What was reduced.
    partition : Partition
        Its interface and inner unknowns.
    """

    interfaces: tuple[str, ...]
    positions: np.ndarray
    rotations: np.ndarray
    n_modes: int
    active: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    constants: Inertia
    frequencies: np.ndarray
    basis: np.ndarray
    points: Mapping[str, BodyPoint]
    model: FEModel
    partition: Partition

    def __repr__(self) -> str:
        return (f"<ReducedBody: {self.mass:.6g} kg, interfaces {', '.join(self.interfaces)} and {self.n_modes} modes: "
                f"{self.n} coordinates>")

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.stiffness)

    @property
    def mass_matrix(self) -> np.ndarray:
        """(n, n) float: reduced mass matrix."""
        return self.constants.modal_mass

    @property
    def mass(self) -> float:
        """Mass of the body [kg]."""
        return self.constants.mass

    @property
    def com(self) -> np.ndarray:
        """(3,) float: centre of mass of the undeformed body [m]."""
        return self.constants.centre

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) float: inertia of the undeformed body about its centre of mass [kg m²]."""
        return self.constants.shifted(self.com).inertia

    def slot(self, interface: str) -> slice:
        """Return where the six coordinates of an interface stand."""
        if interface not in self.interfaces:
            raise ModelError(f"no interface {interface!r}.{near_names(interface, self.interfaces)}")
        begin = 6 * self.interfaces.index(interface)
        return slice(begin, begin + 6)

    def rigid_modes(self, origin: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return the (n, 6) coordinates of unit translations and of unit rotations about `origin` [m].

        Fixed-interface modes take no part in them.
        """
        faces = [rigid_motion(position, origin) for position in self.positions]
        return np.vstack([*faces, np.zeros((self.n_modes, 6))])

    @cached_property
    def places(self) -> dict[str, BodyPoint]:
        """Interfaces and named points, by name."""
        out = {}
        for k, name in enumerate(self.interfaces):
            motion = np.zeros((6, self.n))
            motion[:, self.slot(name)] = np.eye(6)
            out[name] = BodyPoint(self.positions[k], self.rotations[k], motion[:3], motion[3:])
        return out | dict(self.points)

    @cached_property
    def requested(self) -> dict[tuple[Any, ...], Any]:
        """What reductions.py has made of this body so far."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: what was made of the body is made again."""
        return {name: value for name, value in self.__dict__.items() if name != "requested"}

    def frame_place(self, frame: str | Sequence[str]) -> BodyPoint:
        """Return the place of a frame, as `floating` takes them, that follows the body: its origin and its mean motion."""
        chosen = body_frame(self, frame)
        return BodyPoint(chosen.origin, np.eye(3), chosen.motion[:3], chosen.motion[3:])

    def displacement(self, q: np.ndarray) -> np.ndarray:
        """Return the displacements (N,) of the whole model for coordinates (n,) [m, rad]."""
        out: np.ndarray = self.basis @ q
        return out

    def stress(self, q: np.ndarray) -> NodalStress:
        """Return the stresses at all nodes (`NodalStress`) for coordinates (n,) or (n, c); needs elements."""
        return nodal_stress(self.model, self.basis @ q)

    def floating(self, frame: str | Sequence[str] | None = None, *, stiffening: bool | None = None,
                 plane: str | None = None, max_frequency: float | None = None,
                 supports: Mapping[str, str] | None = None) -> FloatingBody:
        """Return the body in a floating frame.

        Parameters
        ----------
        frame : str, pair of str or None
            An interface, a named point, or a set of nodes of the model: the frame is tangent to the body there, in the mean
            of the nodes (default: the first interface).  Two interfaces: the chord, with its origin at the first.
            ``"mean-axis"``: Buckens' frame at the centre of mass, in which the deformation has no momentum.
        stiffening : bool, optional
            Whether to add geometric stiffening by inertia loads and interface forces; by default where the model
            has elements to take stresses from.
        plane : {"xy", "yz", "xz"}, optional
            Keep only the deformations that are symmetric about this plane, for a body that moves within it.  The model has
            to be symmetric about the plane through the origin.
        max_frequency : float, optional
            Keep only the vibration modes up to this frequency, with the frame or the supports held [Hz].
        supports : mapping of str to str, optional
            Interfaces and points that are held instead of the frame while the vibration modes are taken, each with what is
            held there, ``"displacement"``, ``"rotation"`` or ``"all"``: ``{"start": "displacement", "end": "displacement"}``
            for a rod between two hinges.  Few modes with the supports of the mechanism do what many of others do.

        Returns
        -------
        FloatingBody
        """
        return floating_body(self, frame, stiffening=stiffening, plane=plane, max_frequency=max_frequency,
                             supports=supports)

    def plot_mode(self, number: int, *, exaggeration: float | None = None, ax: Axes3D | None = None,
                  path: str | Path | None = None) -> Axes3D | Figure:
        """Draw a fixed-interface mode: the deformed body, coloured by displacement, above the undeformed one.

        Parameters
        ----------
        number : int
            Of the mode, from 1 in the order of `frequencies`.
        exaggeration : float, optional
            Factor of the displacements; by default the largest is drawn as an eighth of the body's size.
        ax : matplotlib Axes3D, optional
            Draw into this one.
        path : str or Path, optional
            Where to write the picture.

        Returns
        -------
        matplotlib Figure, or Axes3D if `ax` was given
        """
        k = mode_number(number, self.n_modes, "the modes with all interfaces held")
        return draw_mode(self.model, self.basis[:, self.n - self.n_modes + k],
                         f"mode {number} with interfaces held, {self.frequencies[k]:.4g} Hz", exaggeration=exaggeration, ax=ax,
                         path=path)

    def report(self, *, full: bool = True) -> str:
        """Return a text with frequencies, effective masses and frequency errors.

        Parameters
        ----------
        full : bool
            Whether to solve the full model for comparison, which costs one more factor of its stiffness.
        """
        return reduction_report(self, full=full)
