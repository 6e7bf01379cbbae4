"""The superelement of a straight prismatic beam: two end interfaces, shapes and integrals in closed form.

Without load between its ends a beam takes the shapes of the static modes exactly, so 12 coordinates and polynomials of
third degree hold all constants; Gauss points integrate them without error.  Fixed-interface modes, if wanted, are those
of a fine mesh.  Beams of equal segments share one superelement.

Seeds: [ELL §7] chains of beam bodies with the floating frame at mid-length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import dia_array

from ..errors import Fault, ModelError
from ..model.flexible import CrossSection, Material
from ..model.values import Faults, number
from .beam_elements import POINTS, WEIGHTS, beam, beam_stiffness, disc, element_length, interpolation, shear_numbers
from .body_point import BodyPoint
from .fe_model import FEModel
from .invariants import convective_matrices, inertia_constants
from .reduced_body import ReducedBody
from .reduction import craig_bampton
from .superelement import Superelement, about_frame, frame_point

ELEMENTS = 8
"""Elements of a segment: they resolve the tension that stiffens it; matrices and integrals are exact with any number."""
MODE_ELEMENTS = 24
"""Elements where fixed-interface modes are wanted, which they approximate."""


def beam_superelement(*, length: float, section: CrossSection, material: Material, theory: str = "timoshenko",
                      rotary_inertia: bool = True, modes: int = 0, points: Mapping[str, float] | None = None
                      ) -> Superelement:
    """Return one beam segment along x for absolute interface coordinates.

    Parameters
    ----------
    length, section, material, theory, rotary_inertia, modes, points
        As for `reduced_beam`.

    Returns
    -------
    Superelement
        With the frame at mid-length, interfaces ``"start"`` and ``"end"`` and the named points.
    """
    return segment_superelement(reduced_beam(length=length, section=section, material=material, theory=theory,
                                             rotary_inertia=rotary_inertia, modes=modes, points=points))


def segment_superelement(reduced: ReducedBody, frame: Any = None) -> Superelement:
    """Return the constants of what `reduced_beam` made, for absolute interface coordinates.

    Without a choice (`body_frame`) the frame is at mid-length.
    """
    origin, motion = segment_frame(reduced, frame)
    return about_frame(reduced, origin, motion, convective_matrices(*_particles(reduced.model, reduced.basis)),
                       frame is not None)


def segment_frame(reduced: ReducedBody, frame: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return place [m] and motion (6, n) of the frame of what `reduced_beam` made."""
    if frame is not None:
        return frame_point(reduced, frame)
    middle = beam_point(reduced.model, reduced.basis, 0.5 * reduced.model.nodes[-1, 0])
    return middle.position, middle.motion


def is_segment(reduced: ReducedBody) -> bool:
    """Tell whether a reduced body is a single straight beam along x from its first interface to its last."""
    blocks, nodes = reduced.model.elements, reduced.model.nodes
    return (len(blocks) == 1 and blocks[0].kind == "beam2" and reduced.interfaces == ("start", "end")
            and not np.any(nodes[:, 1:]) and nodes[0, 0] == 0.0)


def reduced_beam(*, length: float, section: CrossSection, material: Material, theory: str = "timoshenko",
                 rotary_inertia: bool = True, modes: int = 0, points: Mapping[str, float] | None = None) -> ReducedBody:
    """Return one beam segment along x from its first interface as a reduced body with exact constants.

    Parameters
    ----------
    length : float
        [m].
    section : Circle, Tube, Rectangle or Section
        Constant cross-section.
    material : Material
        Its damping makes the damping matrix proportional to the stiffness.
    theory : {"timoshenko", "euler-bernoulli"}
        With or without shear deformation.
    rotary_inertia : bool
        Whether sections resist tilting.
    modes : int
        Fixed-interface modes besides the 12 interface coordinates.
    points : mapping of str to float, optional
        Places by arc length [m] from the first interface.

    Returns
    -------
    ReducedBody
        With interfaces ``"start"`` and ``"end"`` and the named points.
    """
    fe = beam(length=length, section=section, material=material, elements=MODE_ELEMENTS if modes else ELEMENTS,
              theory=theory, rotary_inertia=rotary_inertia)
    reduced = craig_bampton(fe, interfaces={"start": "start", "end": "end"}, modes=modes)
    basis, stiffness = reduced.basis.copy(), reduced.stiffness.copy()
    basis[:, :12] = _rows(fe.nodes[:, 0] / length, section, material, length, theory).reshape(-1, 12)
    stiffness[:12, :12] = beam_stiffness(section, material, length, theory)
    places = {name: beam_point(fe, basis, x) for name, x in _checked(points or {}, length).items()}
    return replace(reduced, constants=inertia_constants(*_particles(fe, basis)), basis=basis, stiffness=stiffness,
                   damping=material.damping * stiffness, points=places)


def beam_point(fe: FEModel, basis: np.ndarray, x: float) -> BodyPoint:
    """Return the place at arc length x [m] of a beam model and its shape functions.

    Parameters
    ----------
    fe : FEModel
        Of one beam along x.
    basis : (N, n) float
        Shapes of the model.
    x : float
        Between the ends of the beam.
    """
    block = fe.elements[0]
    h = element_length(fe.nodes, block)
    element = min(int(x / h), len(block.connectivity) - 1)
    fields = _fields(fe, basis, np.array([x / h - element]), np.array([element]))[0, 0]
    return BodyPoint(np.array([x, 0.0, 0.0]), np.eye(3), fields[:3], fields[3:])


def _fields(fe: FEModel, basis: np.ndarray, s: np.ndarray, elements: np.ndarray) -> np.ndarray:
    """Return displacements and rotations (e, q, 6, n) at the places s in (0, 1) of some elements."""
    block = fe.elements[0]
    h = element_length(fe.nodes, block)
    rows = _rows(s, block.section, block.material, h, block.theory)
    own = basis[fe.dof_table[block.connectivity[elements]].reshape(len(elements), 12)]
    out: np.ndarray = np.einsum("qfi,ein->eqfn", rows, own)
    return out


def _rows(s: np.ndarray, section: CrossSection, material: Material, length: float, theory: str) -> np.ndarray:
    """Return displacements and rotations (q, 6, 12) at the places s in (0, 1) of one element by its unknowns."""
    f = interpolation(s, length, *shear_numbers(section, material, length, theory))
    return np.stack([f.u, f.v, f.w, f.tx, f.ty, f.tz], axis=1)


def _particles(fe: FEModel, basis: np.ndarray) -> tuple[FEModel, np.ndarray]:
    """Return the beam as discs at its Gauss points, and the shapes there: integrals become sums, without error."""
    block = fe.elements[0]
    h, count = element_length(fe.nodes, block), len(block.connectivity)
    shapes = _fields(fe, basis, POINTS, np.arange(count)).reshape(-1, basis.shape[1])
    x = (np.arange(count)[:, None] + POINTS).ravel() * h
    nodes = np.column_stack([x, np.zeros((x.size, 2))])
    mass = (np.tile(WEIGHTS * h, count)[:, None] * disc(block.section, block.material, block.rotary_inertia)).ravel()
    size = mass.size
    return FEModel(nodes, np.repeat(np.arange(x.size), 6), np.tile(np.arange(6), x.size), dia_array((size, size)).tocsr(),
                   dia_array((mass[None], [0]), shape=(size, size)).tocsr()), shapes


def _checked(points: Mapping[str, float], length: float) -> dict[str, float]:
    """Return the points' arc lengths, or refuse them."""
    faults, out = Faults(), {}
    for name, x in points.items():
        out[name] = number(faults, f"points.{name}", x, "m", least=0.0)
        if out[name] > length:
            faults.append(Fault(f"points.{name}", f"found {x:g} m, expected 0 to {length:g}, the length of the beam"))
        if name in ("start", "end"):
            faults.append(Fault(f"points.{name}", "the ends of a beam have this name already; take another"))
    if faults:
        raise ModelError(faults)
    return out
