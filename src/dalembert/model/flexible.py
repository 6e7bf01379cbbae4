"""What flexible bodies are made of: materials and cross-sections of beams.

A section lies in the local y-z plane; its height is along y, its width along z.  ``iy`` = ∫z² dA resists bending about
the local y axis (deflection along z), ``iz`` = ∫y² dA bending about z.  Nothing is checked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, pi
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np

_ODD_FIFTH_POWERS = 31 / 32 * 1.0369277551433699
"""Sum of 1/n⁵ over odd n: 31/32 of Riemann's zeta(5)."""


@dataclass(frozen=True)
class Material:
    """A homogeneous, isotropic, linear-elastic material.

    Attributes
    ----------
    young : float
        Young's modulus [Pa].
    poisson : float
        Poisson's ratio.
    density : float
        [kg/m³].
    damping : float
        Stiffness-proportional damping: damping matrix over stiffness matrix [s].
    """

    young: float
    poisson: float
    density: float
    damping: float = 0.0

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + ν)) [Pa]."""
        return self.young / (2 * (1 + self.poisson))


Load = TypeVar("Load", float, "np.ndarray")
"""A normal force or a bending moment: one, or many at once."""


@dataclass(frozen=True)
class Circle:
    """A solid circular section of `diameter` [m]."""

    diameter: float

    @property
    def area(self) -> float:
        """Area [m²]."""
        return pi * self.diameter**2 / 4

    @property
    def iy(self) -> float:
        """Second moment about the local y axis [m⁴]."""
        return pi * self.diameter**4 / 64

    @property
    def iz(self) -> float:
        """Second moment about the local z axis [m⁴]."""
        return self.iy

    @property
    def torsion(self) -> float:
        """Torsion constant [m⁴]: the polar moment, as the section does not warp."""
        return 2 * self.iy

    def shear_factors(self, poisson: float) -> tuple[float, float]:
        """Return the shear correction factors along y and z (Cowper 1966)."""
        k = 6 * (1 + poisson) / (7 + 6 * poisson)
        return k, k

    def extreme_stress(self, axial: Load, moment_y: Load, moment_z: Load) -> Load:
        """Return the largest absolute axial stress [Pa] of a normal force [N] and two bending moments [N m]."""
        return _round_extreme_stress(self, self.diameter / 2, axial, moment_y, moment_z)


@dataclass(frozen=True, kw_only=True)
class Tube:
    """A circular tube.

    Attributes
    ----------
    outer : float
        Outer diameter [m].
    wall : float
        Thickness of the wall [m]; at most half the outer diameter.
    """

    outer: float
    wall: float

    @property
    def inner(self) -> float:
        """Inner diameter [m]."""
        return self.outer - 2 * self.wall

    @property
    def area(self) -> float:
        """Area [m²]."""
        return pi * self.wall * (self.outer - self.wall)

    @property
    def iy(self) -> float:
        """Second moment about the local y axis [m⁴]."""
        # (D⁴ - d⁴) without cancellation: (D - d)(D + d)(D² + d²)
        return self.area * (self.outer**2 + self.inner**2) / 16

    @property
    def iz(self) -> float:
        """Second moment about the local z axis [m⁴]."""
        return self.iy

    @property
    def torsion(self) -> float:
        """Torsion constant [m⁴]: the polar moment, as the section does not warp."""
        return 2 * self.iy

    def shear_factors(self, poisson: float) -> tuple[float, float]:
        """Return the shear correction factors along y and z (Cowper 1966)."""
        m = (self.inner / self.outer) ** 2
        s = (1 + m) ** 2
        k = 6 * (1 + poisson) * s / ((7 + 6 * poisson) * s + (20 + 12 * poisson) * m)
        return k, k

    def extreme_stress(self, axial: Load, moment_y: Load, moment_z: Load) -> Load:
        """Return the largest absolute axial stress [Pa] of a normal force [N] and two bending moments [N m]."""
        return _round_extreme_stress(self, self.outer / 2, axial, moment_y, moment_z)


@dataclass(frozen=True, kw_only=True)
class Rectangle:
    """A solid rectangular section.

    Attributes
    ----------
    height : float
        Along the local y axis [m].
    width : float
        Along the local z axis [m].
    """

    height: float
    width: float

    @property
    def area(self) -> float:
        """Area [m²]."""
        return self.height * self.width

    @property
    def iy(self) -> float:
        """Second moment about the local y axis [m⁴]."""
        return self.height * self.width**3 / 12

    @property
    def iz(self) -> float:
        """Second moment about the local z axis [m⁴]."""
        return self.width * self.height**3 / 12

    @property
    def torsion(self) -> float:
        """Torsion constant [m⁴], Saint-Venant's series summed to rounding."""
        a, b = max(self.height, self.width), min(self.height, self.width)
        # J = a b³/3 (1 - 192/π⁵ b/a sum tanh(n π a / 2 b)/n⁵), n odd; 1 - tanh(x) = 2/(exp(2 x) + 1) decays at once
        rest = sum(2 / ((exp(n * pi * a / b) + 1) * n**5) for n in range(1, 16, 2) if n * a / b < 200)
        return a * b**3 / 3 * (1 - 192 / pi**5 * b / a * (_ODD_FIFTH_POWERS - rest))

    def shear_factors(self, poisson: float) -> tuple[float, float]:
        """Return the shear correction factors along y and z (Cowper 1966)."""
        k = 10 * (1 + poisson) / (12 + 11 * poisson)
        return k, k

    def extreme_stress(self, axial: Load, moment_y: Load, moment_z: Load) -> Load:
        """Return the largest absolute axial stress [Pa] of a normal force [N] and two bending moments [N m]."""
        return _edged_extreme_stress(self, (self.height / 2, self.width / 2), axial, moment_y, moment_z)


@dataclass(frozen=True, kw_only=True)
class Section:
    """Any section, symmetric about its local y and z axes, by its constants.

    Attributes
    ----------
    area : float
        [m²].
    iy, iz : float
        Second moments about the local y and z axes [m⁴].
    torsion : float
        Torsion constant [m⁴].
    shear : float or (2,) float
        Shear correction factor: sheared area over area, one for both directions or along y and along z.
    extent : (2,) float, optional
        Distance of the outermost fibre from the centre along y and z [m]; for bending stresses only.
    """

    area: float
    iy: float
    iz: float
    torsion: float
    shear: float | Sequence[float] = 1.0
    extent: Sequence[float] | None = None

    def shear_factors(self, poisson: float) -> tuple[float, float]:
        """Return the shear correction factors along y and z as given; `poisson` is not used."""
        ky, kz = self.shear if isinstance(self.shear, Sequence) else (self.shear, self.shear)
        return float(ky), float(kz)

    def extreme_stress(self, axial: Load, moment_y: Load, moment_z: Load) -> Load:
        """Return the largest absolute axial stress [Pa] that could occur at a corner of `extent`."""
        if self.extent is None:
            raise ValueError("a section without extent has no largest stress; give Section(extent=(y, z))")
        return _edged_extreme_stress(self, self.extent, axial, moment_y, moment_z)


SECTIONS = (Circle, Tube, Rectangle, Section)
CrossSection = Circle | Tube | Rectangle | Section


def _round_extreme_stress(section: Circle | Tube, radius: float, axial: Load, moment_y: Load, moment_z: Load) -> Load:
    bending: Load = (moment_y * moment_y + moment_z * moment_z) ** 0.5
    stress: Load = abs(axial) / section.area + bending * radius / section.iy
    return stress


def _edged_extreme_stress(section: Rectangle | Section, extent: Sequence[float], axial: Load, moment_y: Load,
                          moment_z: Load) -> Load:
    y, z = extent
    stress: Load = abs(axial) / section.area + abs(moment_y) * z / section.iy + abs(moment_z) * y / section.iz
    return stress
