"""Constants of a flexible body for absolute interface coordinates.

The floating frame sits where the body does not deform in the mean: Phi q = 0 with the (6, n) motion Phi of the frame
point by the coordinates.  The frame then follows from the interfaces alone, and the equations of motion need the
matrices M, K, the interface places x_k, Phi and G_i = ∫Phi' e~_i Phi dm.

Seeds: [ELL (5.1)-(5.10), (6.5)].  Deviations: the frame point's motion is a mass-weighted mean of the whole body unless
a frame is chosen (body_frame.py), as solids have no rotation at a point; fixed-interface modes take part in it; order
displacement, rotation [ELL (2.5)], not that of (4.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.flexible_parts import OWN_FRAME
from .body_frame import body_frame
from .body_point import BodyPoint, rigid_motion
from .invariants import Inertia, convective_matrices
from .planar import spatial

if TYPE_CHECKING:
    from .reduced_body import ReducedBody


@dataclass(frozen=True, eq=False)
class Superelement:
    """A body with n = 6 n_interface + n_modes coordinates, seen from its frame point.

    Attributes
    ----------
    positions : (n_interface, 3) float
        x_k: undeformed interfaces from the frame point [m].
    rotations : (n_interface, 3, 3) float
        Undeformed axes of the interfaces, as columns.
    stiffness, damping : (n, n) float
        K and D.
    constants : Inertia
        About the frame point; its `modal_mass` is M.
    convective : (3, n, n) float
        G_1, G_2, G_3, each antisymmetric; rotary inertia of sections included.
    frame_motion : (6, n) float
        Phi: displacement and rotation of the frame point.
    origin : (3,) float
        Frame point in the coordinates of the body's model [m].
    points : mapping of str to BodyPoint
        Named places from the frame point.
    """

    positions: np.ndarray
    rotations: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    constants: Inertia
    convective: np.ndarray
    frame_motion: np.ndarray
    origin: np.ndarray
    points: Mapping[str, BodyPoint]

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.stiffness)

    @property
    def n_modes(self) -> int:
        """Number of local coordinates besides the interfaces'."""
        return self.n - 6 * len(self.positions)

    @property
    def mass_matrix(self) -> np.ndarray:
        """(n, n) float: M."""
        return self.constants.modal_mass

    def rigid_modes(self, displacements: np.ndarray | None = None) -> np.ndarray:
        """Return the (n, 6) rigid motions about the frame point [ELL (5.9)].

        Parameters
        ----------
        displacements : (n_interface, 3) float, optional
            Of the interfaces [m]; zero if not given.
        """
        places = self.positions if displacements is None else self.positions + displacements
        return np.vstack([*(rigid_motion(x, np.zeros(3)) for x in places), np.zeros((self.n_modes, 6))])

    def frame_rates(self, displacements: np.ndarray | None = None) -> np.ndarray:
        """Return Z (6, n): velocity of the frame by the velocities of the interfaces and modes [ELL (5.7)]."""
        return np.linalg.solve(self.frame_motion @ self.rigid_modes(displacements), self.frame_motion)

    def elastic_projector(self, displacements: np.ndarray | None = None) -> np.ndarray:
        """Return T (n, n): elastic part of the coordinates' velocities [ELL (5.10)]."""
        out: np.ndarray = np.eye(self.n) - self.rigid_modes(displacements) @ self.frame_rates(displacements)
        return out

    def quadratic_forces(self, velocity: np.ndarray, displacements: np.ndarray | None = None) -> np.ndarray:
        """Return the (n,) quadratic inertia forces of velocities (n,) in the frame's axes.

        With the frame's angular velocity w they are w_i (G_i - M E_i) v, where E_i turns displacements and rotations of
        the interfaces by e_i: the part of the acceleration that the frame's turning makes of the velocity field
        itself, less that of the interfaces, which M carries already.
        """
        turning = (self.frame_rates(displacements) @ velocity)[3:]
        turned = np.zeros(self.n)
        faces = velocity[:self.n - self.n_modes].reshape(-1, 3)
        turned[:self.n - self.n_modes] = np.cross(turning, faces).ravel()
        out: np.ndarray = np.einsum("c,clk,k->l", turning, self.convective, velocity) - self.mass_matrix @ turned
        return out


def superelement(reduced: ReducedBody, frame: Any = None) -> Superelement:
    """Return the constants of a reduced body for absolute interface coordinates.

    Parameters
    ----------
    reduced : ReducedBody
        Planar ones get coordinates out of their plane (planar.py).
    frame : str or pair of str, optional
        Of the body, see `body_frame`; without it, the frame follows the mean motion of the whole body, weighted by mass, and
        sits at its centre of mass.
    """
    body = spatial(reduced, frame)
    origin, motion = frame_point(body, frame)
    return about_frame(body, origin, motion, convective_matrices(body.model, body.basis), frame is not None)


def about_frame(reduced: ReducedBody, origin: np.ndarray, motion: np.ndarray, convective: np.ndarray, chosen: bool
                ) -> Superelement:
    """Return the constants of a reduced body about its frame point; a frame that was chosen is one of its places."""
    unit = np.eye(reduced.n)
    places = {name: place.changed(unit, origin) for name, place in reduced.places.items()}
    if chosen:
        places[OWN_FRAME] = BodyPoint(np.zeros(3), np.eye(3), np.zeros((3, reduced.n)), np.zeros((3, reduced.n)))
    return Superelement(reduced.positions - origin, reduced.rotations, reduced.stiffness, reduced.damping,
                        reduced.constants.shifted(origin), convective, motion, origin, places)


def frame_point(reduced: ReducedBody, frame: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return place [m] and motion (6, n) of a body's frame; rigid motions are reproduced exactly.

    Without a choice it is the mean of the whole body, weighted by mass.
    """
    if frame is not None:
        chosen = body_frame(reduced, frame)
        return chosen.origin, chosen.motion
    rigid = reduced.rigid_modes(reduced.com)
    momentum = rigid.T @ reduced.mass_matrix
    return reduced.com, np.linalg.solve(momentum @ rigid, momentum)
