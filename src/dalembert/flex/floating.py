"""A flexible body in a floating frame of reference: six rigid freedoms of the frame and n elastic coordinates.

The coordinates of a reduced body can describe rigid motions, the frame describes them again.  Six conditions C q = 0 take
them out: zero motion of an interface (tangent frame), of a chord's ends (chord frame), or zero momentum of the
deformation (Buckens' mean axes).  With the rigid modes P about the frame's origin,

    q = (1 - P (C P)^-1 C) E p                                                                          (1)

fulfils them, where E drops the six coordinates of one interface.  The vibration modes of the body in its frame are
then taken as elastic coordinates: unit modal mass, diagonal stiffness, ascending frequencies.  A body that moves in a plane
about which it is symmetric needs only the shapes that are symmetric, too (symmetry.py); stiff modes can be left out.

Or vibration modes with other places held than the frame (supports.py) are taken, and seen from the frame by the projector
of (1).  Their stiffness stays diagonal, since a rigid motion changes no strain; their mass matrix does not.

Seeds: [HEL §2] tangent frames; [ELL (5.10)] the projector in (1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

from ..errors import ModelError
from ..model.values import Faults, number
from .body_frame import body_frame
from .body_point import BodyPoint
from .invariants import EPSILON, PRODUCTS, Inertia
from .lowest_modes import signed
from .mode_picture import draw_mode, mode_number
from .stiffening import Stiffening, stiffening_of
from .supports import refuse_loose, supported_coordinates
from .symmetry import symmetric_coordinates

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

    from .fe_model import FEModel
    from .reduced_body import ReducedBody



@dataclass(frozen=True, eq=False, repr=False)
class FloatingBody:
    """Constants of a flexible body in a floating frame with n elastic coordinates q.

    With a the acceleration of the frame's origin less gravity, w the angular velocity and wd its rate, all in the frame's
    axes, the elastic equation reads

        Ct a + Cr(q) wd + Me qdd + w_a (G_a - G_a') qd + w_a w_b (centrifugal)_ab + Ke q + De qd + s = loads

    Attributes
    ----------
    frame : str
        What holds the frame, in words.
    origin : (3,) float
        Of the frame, in the coordinates of the body's model [m].
    names : tuple of str
        Of the elastic coordinates.
    frequencies : (n,) float
        Of the elastic coordinates, with the frame or other supports held [Hz].
    constants : Inertia
        Inertia constants about the frame's origin.
    stiffness, damping : (n, n) float
        Ke and De.
    places : mapping of str to BodyPoint
        Interfaces and points, from the frame's origin; joints and forces act there.
    initial_load : (n,) float
        Elastic forces of initial stress.
    stiffening : Stiffening or None
        Geometric stiffness by unit inertia loads and forces.
    coordinates : (n_reduced, n) float or None
        Coordinates of the reduced body by the elastic ones; None if only the constants are known.
    reduced : ReducedBody or None
        Where the constants come from; it recovers displacements and stresses.
    """

    frame: str
    origin: np.ndarray
    names: tuple[str, ...]
    frequencies: np.ndarray
    constants: Inertia
    stiffness: np.ndarray
    damping: np.ndarray
    places: Mapping[str, BodyPoint]
    initial_load: np.ndarray
    stiffening: Stiffening | None = None
    coordinates: np.ndarray | None = None
    reduced: ReducedBody | None = None

    def __repr__(self) -> str:
        return (f"<FloatingBody: {self.mass:.6g} kg, frame {self.frame}, places {', '.join(self.places)}, {self.n} elastic "
                "coordinates>")

    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.stiffness)

    @property
    def mass(self) -> float:
        """Mass of the body [kg]."""
        return self.constants.mass

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Names of all places where joints can act."""
        return tuple(self.places)

    @property
    def centrifugal_load(self) -> np.ndarray:
        """(n, 6) float: elastic inertia forces of the undeformed body by w_x², w_y², w_z², w_x w_y, w_y w_z, w_x w_z."""
        slope = self.constants.inertia_slope
        return np.stack([-(0.5 if a == b else 1.0) * slope[:, a, b] for a, b in PRODUCTS], axis=1)

    @property
    def centrifugal_stiffness(self) -> np.ndarray:
        """(6, n, n) float: how `centrifugal_load` changes with the deformation, geometric stiffening included."""
        curvature = self.constants.inertia_curvature
        out = np.stack([-(1.0 if a == b else 2.0) * curvature[:, :, a, b] for a, b in PRODUCTS])
        return out if self.stiffening is None else out + self.stiffening.spin

    @property
    def rate_coupling(self) -> np.ndarray:
        """(n, 3, 3) float: torque on the frame by the product of an elastic rate and an angular velocity."""
        out: np.ndarray = self.constants.inertia_slope - np.einsum("icj,lc->lij", EPSILON, self.constants.rotation)
        return out

    def floating(self, frame: object = None, **how: object) -> FloatingBody:
        """Return the body itself: its frame is chosen already."""
        if frame is not None or any(value is not None for value in how.values()):
            raise ModelError(f"floating: the body has its frame already ({self.frame}); choose another when it is "
                             "reduced: reduced.floating(frame)")
        return self

    def displacement(self, q: np.ndarray) -> np.ndarray:
        """Return the displacements (N,) of the whole model for elastic coordinates (n,) [m, rad]."""
        reduced, coordinates = self._origin("displacement")
        return reduced.displacement(coordinates @ q)

    def plot_mode(self, number: int, *, exaggeration: float | None = None, ax: Axes3D | None = None,
                  path: str | Path | None = None) -> Axes3D | Figure:
        """Draw a vibration mode of the body in its frame; arguments as for `ReducedBody.plot_mode`."""
        k = mode_number(number, self.n, "the modes with the frame held")
        return draw_mode(self._model("plot_mode"), self.displacement(np.eye(self.n)[k]),
                         f"mode {number}, frame {self.frame}, {self.frequencies[k]:.4g} Hz", exaggeration=exaggeration, ax=ax,
                         path=path)

    def _model(self, where: str) -> FEModel:
        return self._origin(where)[0].model

    def _origin(self, where: str) -> tuple[ReducedBody, np.ndarray]:
        """Return the reduced body and its coordinates (n_reduced, n) by the elastic ones."""
        if self.reduced is None or self.coordinates is None:
            raise ModelError(f"{where}: the body is known by its constants alone; read the places it has: "
                             f"{', '.join(self.places)}")
        return self.reduced, self.coordinates


def floating_body(reduced: ReducedBody, frame: str | Sequence[str] | None = None, *, stiffening: bool | None = None,
                  plane: str | None = None, max_frequency: float | None = None,
                  supports: Mapping[str, str] | None = None) -> FloatingBody:
    """Return a reduced body in a floating frame; see `ReducedBody.floating`."""
    chosen = body_frame(reduced, reduced.interfaces[0] if frame is None else frame)
    origin, held = chosen.origin, chosen.held
    projector = np.eye(reduced.n) - reduced.rigid_modes(origin) @ chosen.motion
    if supports is None:
        kept = reduced.active.copy()
        kept[reduced.slot(held)] = False
        shapes, frequencies = _vibration_modes(reduced, _of_plane(reduced, projector[:, kept], plane))
    else:
        raw = _of_plane(reduced, np.eye(reduced.n)[:, reduced.active], plane)
        shapes, frequencies = _vibration_modes(reduced, supported_coordinates(reduced, raw, supports))
        refuse_loose(supports, frequencies)
        shapes = projector @ shapes
    if max_frequency is not None:
        shapes, frequencies = _up_to(max_frequency, shapes, frequencies)
    constants = reduced.constants.shifted(origin).projected(shapes)
    if stiffening is None:
        stiffening = bool(reduced.model.elements)
    return FloatingBody(
        frame=chosen.words, origin=origin, names=tuple(f"mode {k + 1}" for k in range(len(frequencies))),
        frequencies=frequencies, constants=constants, stiffness=np.diag((2 * pi * frequencies) ** 2),
        damping=shapes.T @ reduced.damping @ shapes,
        places={name: place.changed(shapes, origin) for name, place in reduced.places.items()},
        initial_load=np.zeros(len(frequencies)),
        stiffening=stiffening_of(reduced, shapes, origin, held) if stiffening else None, coordinates=shapes, reduced=reduced)


def _of_plane(reduced: ReducedBody, raw: np.ndarray, plane: str | None) -> np.ndarray:
    """Return coordinates (n_reduced, n) that the model can move, those symmetric about a plane if it is given."""
    raw[~reduced.active] = 0.0
    return raw if plane is None else raw @ symmetric_coordinates(reduced.model, reduced.basis @ raw, plane)


def _vibration_modes(reduced: ReducedBody, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinates of the vibration modes among those of raw, (n_reduced, n), and their frequencies [Hz]."""
    stiffness, mass = (raw.T @ a @ raw for a in (reduced.stiffness, reduced.mass_matrix))
    try:
        square, shapes = eigh((stiffness + stiffness.T) / 2, (mass + mass.T) / 2)
    except np.linalg.LinAlgError:
        raise ModelError("floating: the reduced mass matrix is not positive definite; two interfaces coincide or the "
                         "modes are not independent of the interfaces: keep fewer modes") from None
    return signed(raw @ shapes), np.sqrt(np.maximum(square, 0.0)) / (2 * pi)


def _up_to(limit: float, shapes: np.ndarray, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the modes up to a frequency [Hz]."""
    faults = Faults()
    limit = number(faults, "floating.max_frequency", limit, "Hz", above=0.0)
    if faults:
        raise ModelError(faults)
    return shapes[:, frequencies <= limit], frequencies[frequencies <= limit]
