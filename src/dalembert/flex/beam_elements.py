"""Straight beams in space: two nodes, three displacements and three rotations each, along the local x axis.

The section stays plane: u(x, y, z) = (u + z θy - y θz, v - z θx, w + y θx).  The deflections are interpolated by the
exact solution of the unloaded Timoshenko beam, so that the stiffness is exact at any slenderness and nothing locks;
its limit without shear (Φ = 0) is the Euler-Bernoulli beam with Hermite's cubics.  All matrices are integrals of the
same interpolation rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.check_flexible import read_material, read_section
from ..model.flexible import CrossSection, Material
from ..model.values import Faults, flag, number, shown
from .assembly import NodePattern
from .fe_model import ElementBlock, FEModel

THEORIES = ("euler-bernoulli", "timoshenko")
POINTS, WEIGHTS = (np.polynomial.legendre.leggauss(4) + np.array([[1.0], [0.0]])) / 2
"""Gauss points on (0, 1), exact to degree 7: the mass is of degree 6."""


@dataclass(frozen=True)
class Interpolation:
    """Rows (q, 12) that give the beam's fields at q points from its 12 unknowns; suffix `_x` is the derivative.

    Attributes
    ----------
    u, v, w : displacements of the axis [m].
    tx, ty, tz : rotations of the section [rad].
    """

    u: np.ndarray
    v: np.ndarray
    w: np.ndarray
    tx: np.ndarray
    ty: np.ndarray
    tz: np.ndarray
    u_x: np.ndarray
    v_x: np.ndarray
    w_x: np.ndarray
    tx_x: np.ndarray
    ty_x: np.ndarray
    tz_x: np.ndarray


def _deflection(s: np.ndarray, length: float, phi: float) -> list[np.ndarray]:
    """Return rows (q, 4) of v, v', θ, θ' by (v1, θ1, v2, θ2) for the shear number Φ = 12 E I / (k G A L²)."""
    L, f = length, phi
    one = np.ones_like(s)
    v = [1 - 3 * s**2 + 2 * s**3 + f * (1 - s), L * (s - 2 * s**2 + s**3 + f / 2 * (s - s**2)),
         3 * s**2 - 2 * s**3 + f * s, L * (s**3 - s**2 + f / 2 * (s**2 - s))]
    v_x = [(6 * s**2 - 6 * s - f) / L, 1 - 4 * s + 3 * s**2 + f / 2 * (1 - 2 * s),
           (6 * s - 6 * s**2 + f) / L, 3 * s**2 - 2 * s + f / 2 * (2 * s - 1)]
    t = [6 * (s**2 - s) / L, 1 - 4 * s + 3 * s**2 + f * (1 - s), 6 * (s - s**2) / L, 3 * s**2 - 2 * s + f * s]
    t_x = [6 * (2 * s - 1) / L**2, (6 * s - 4 - f) / L, 6 * (1 - 2 * s) / L**2, (6 * s - 2 + f) / L]
    return [np.stack([one * r for r in rows], axis=1) / (1 + f) for rows in (v, v_x, t, t_x)]


def shear_numbers(section: CrossSection, material: Material, length: float, theory: str) -> tuple[float, float]:
    """Return Φ = 12 E I / (k G A L²) of the deflections along y and along z; zero for Euler-Bernoulli."""
    if theory == "euler-bernoulli":
        return 0.0, 0.0
    ky, kz = section.shear_factors(material.poisson)
    ga = material.shear_modulus * section.area * length**2
    return 12 * material.young * section.iz / (ky * ga), 12 * material.young * section.iy / (kz * ga)


def interpolation(s: np.ndarray, length: float, phi_y: float, phi_z: float) -> Interpolation:
    """Return the rows at the places s = x/L, for shear numbers of the deflections along y and z."""
    q = len(s)

    def row(columns: tuple[int, ...], values: np.ndarray) -> np.ndarray:
        out = np.zeros((q, 12))
        out[:, columns] = values
        return out

    linear = np.stack([1 - s, s], axis=1)
    slope = np.tile([-1 / length, 1 / length], (q, 1))
    in_y, in_z = (1, 5, 7, 11), (2, 4, 8, 10)
    v, v_x, tz, tz_x = (row(in_y, r) for r in _deflection(s, length, phi_y))
    # along z the slope is -θy: the rotation columns of w and the displacement columns of θy change sign
    w, w_x, ty, ty_x = (row(in_z, r) for r in _deflection(s, length, phi_z))
    for rows in (w, w_x):
        rows[:, [4, 10]] *= -1
    for rows in (ty, ty_x):
        rows[:, [2, 8]] *= -1
    return Interpolation(row((0, 6), linear), v, w, row((3, 9), linear), ty, tz,
                         row((0, 6), slope), v_x, w_x, row((3, 9), slope), ty_x, tz_x)


def _integral(length: float, *terms: tuple[float | np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Return sum of ∫ c aᵀ b dx over terms (c, a, b), with c a number or (q,) values."""
    total = np.zeros((12, 12))
    for c, a, b in terms:
        total += a.T @ ((c * WEIGHTS * length)[:, None] * b)
    return (total + total.T) / 2


def beam_stiffness(section: CrossSection, material: Material, length: float, theory: str) -> np.ndarray:
    """Return the stiffness (12, 12) of one element; unknowns u, v, w, θx, θy, θz of its two nodes [N/m, N, N m]."""
    f = interpolation(POINTS, length, *shear_numbers(section, material, length, theory))
    E, G = material.young, material.shear_modulus
    terms = [(E * section.area, f.u_x, f.u_x), (G * section.torsion, f.tx_x, f.tx_x),
             (E * section.iy, f.ty_x, f.ty_x), (E * section.iz, f.tz_x, f.tz_x)]
    if theory == "timoshenko":
        ky, kz = section.shear_factors(material.poisson)
        gamma_y, gamma_z = f.v_x - f.tz, f.w_x + f.ty
        terms += [(ky * G * section.area, gamma_y, gamma_y), (kz * G * section.area, gamma_z, gamma_z)]
    return _integral(length, *terms)


def disc(section: CrossSection, material: Material, rotary_inertia: bool = True) -> np.ndarray:
    """Return what a section has per length: thrice its mass [kg/m], its inertias about x, y and z [kg m].

    Without rotary inertia those about y and z, by which it resists to be tilted, are zero; that of torsion stays.
    """
    tilt = np.array([section.iy, section.iz]) * rotary_inertia
    return material.density * np.array([*3 * (section.area,), section.iy + section.iz, *tilt])


def beam_mass(section: CrossSection, material: Material, length: float, theory: str, rotary_inertia: bool = True
              ) -> np.ndarray:
    """Return the consistent mass (12, 12) of one element, with or without rotary inertia [kg, kg m, kg m²]."""
    f = interpolation(POINTS, length, *shear_numbers(section, material, length, theory))
    fields = f.u, f.v, f.w, f.tx, f.ty, f.tz
    return _integral(length, *zip(disc(section, material, rotary_inertia), fields, fields, strict=True))


def section_forces(section: CrossSection, material: Material, length: float, theory: str, u: np.ndarray) -> np.ndarray:
    """Return N, Vy, Vz, T, My, Mz (..., 2, 6) at both ends of elements with unknowns u (..., 12) [N, N m].

    They act on the face whose normal is +x; My and Mz are positive moments about y and z.
    """
    f = interpolation(np.array([0.0, 1.0]), length, *shear_numbers(section, material, length, theory))
    E, G = material.young, material.shear_modulus
    rows = np.zeros((2, 6, 12))
    rows[:, 0] = E * section.area * f.u_x
    rows[:, 3] = G * section.torsion * f.tx_x
    rows[:, 4] = E * section.iy * f.ty_x
    rows[:, 5] = E * section.iz * f.tz_x
    rows[:, 1] = (rows[0, 5] - rows[1, 5]) / length  # Mz' = -Vy
    rows[:, 2] = (rows[1, 4] - rows[0, 4]) / length  # My' = Vz
    out: np.ndarray = np.einsum("efi,...i->...ef", rows, u)
    return out


def beam_geometric_stiffness(section: CrossSection, length: float, phi: tuple[float, float], forces: np.ndarray) -> np.ndarray:
    """Return the geometric stiffness (12, 12) of one element under section forces [N/m, N, N m].

    The second-order work of the stresses σxx, σxy, σxz on Green's strains of the section's motion, and on the second-order
    displacements ½ θ × (θ × r) of finite rotation vectors; of the latter the ends alone remain, as My' = Vz, Mz' = -Vy.

    Parameters
    ----------
    section : Circle, Tube, Rectangle or Section
        Symmetric about y and z: third moments are zero.
    length : float
        [m].
    phi : (2,) float
        From `shear_numbers`.
    forces : (2, 6) float
        N, Vy, Vz, T, My, Mz at both ends, from `section_forces`; moments vary linearly between.
    """
    f = interpolation(POINTS, length, *phi)
    N, Vy, Vz, T, My, Mz = ((1 - POINTS)[:, None] * forces[0] + POINTS[:, None] * forces[1]).T
    ry, rz = section.iy / section.area, section.iz / section.area
    inside = _integral(
        length,
        (N, f.u_x, f.u_x), (N, f.v_x, f.v_x), (N, f.w_x, f.w_x),
        (N * ry, f.ty_x, f.ty_x), (N * rz, f.tz_x, f.tz_x), (N * (ry + rz), f.tx_x, f.tx_x),
        (2 * My, f.u_x, f.ty_x), (2 * Mz, f.u_x, f.tz_x), (-2 * My, f.tx_x, f.v_x), (-2 * Mz, f.tx_x, f.w_x),
        (2 * Vy, f.tx, f.w_x), (-2 * Vy, f.tz, f.u_x), (2 * Vz, f.ty, f.u_x), (-2 * Vz, f.tx, f.v_x),
        (T, f.tz, f.ty_x), (-T, f.ty, f.tz_x))
    ends = np.zeros((12, 12))
    for node, sign in ((0, -1.0), (1, 1.0)):
        x, y, z = 6 * node + 3, 6 * node + 4, 6 * node + 5
        ends[x, z] = ends[z, x] = sign * forces[node, 4] / 2
        ends[x, y] = ends[y, x] = -sign * forces[node, 5] / 2
    return inside + ends


def element_length(nodes: np.ndarray, block: ElementBlock) -> float:
    """Return the length of the equal elements of a beam block [m]."""
    first, second = nodes[block.connectivity[0]]
    return float(np.linalg.norm(second - first))


def beam(*, length: float, section: CrossSection, material: Material, elements: int, theory: str = "timoshenko",
         rotary_inertia: bool = True) -> FEModel:
    """Return a straight beam along x from the origin, with six unknowns at each node.

    Parameters
    ----------
    length : float
        [m].
    section : Circle, Tube, Rectangle or Section
        Its local axes are the model's y and z.
    material : Material
        Of the beam.
    elements : int
        Number of equal elements.
    theory : {"timoshenko", "euler-bernoulli"}
        With or without shear deformation.
    rotary_inertia : bool
        Whether sections resist tilting; without, the Euler-Bernoulli beam is that of the textbooks.

    Returns
    -------
    FEModel
        Free of supports; node sets ``"start"`` and ``"end"``.

    Examples
    --------
    >>> from dalembert.model.flexible import Circle
    >>> fe = beam(length=1.0, section=Circle(0.02), material=Material(2.1e11, 0.3, 7850.0), elements=4)
    >>> fe.n_dof, fe.sets["end"].tolist()
    (30, [4])
    """
    length, section, material = _checked(length, section, material, elements, theory, rotary_inertia)
    n = int(elements) + 1
    nodes = np.zeros((n, 3))
    nodes[:, 0] = np.linspace(0.0, length, n)
    connectivity = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    pattern = NodePattern(connectivity, n)
    args = section, material, length / elements, theory
    return FEModel(nodes, np.repeat(np.arange(n), 6), np.tile(np.arange(6), n),
                   pattern.assembled(beam_stiffness(*args)[None]), pattern.assembled(beam_mass(*args, rotary_inertia)[None]),
                   {"start": np.array([0]), "end": np.array([n - 1])},
                   (ElementBlock("beam2", connectivity, material, section=section, theory=theory,
                                 rotary_inertia=rotary_inertia),))


def _checked(length: Any, section: Any, material: Any, elements: Any, theory: Any, rotary_inertia: Any
             ) -> tuple[float, CrossSection, Material]:
    """Return length, section and material in SI units, or raise all faults."""
    faults = Faults()
    found = (number(faults, "beam.length", length, "m", above=0.0), read_section(faults, "beam.section", section),
             read_material(faults, "beam.material", material))
    if not isinstance(elements, Integral) or isinstance(elements, bool) or elements < 1:
        faults.flag("beam.elements", f"found {shown(elements)}, expected a whole number of 1 or more")
    if theory not in THEORIES:
        faults.flag("beam.theory", f"found {shown(theory)}, expected {' or '.join(map(repr, THEORIES))}")
    flag(faults, "beam.rotary_inertia", rotary_inertia)
    if faults:
        raise ModelError(faults)
    return found
