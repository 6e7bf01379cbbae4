"""Checks of materials and cross-sections."""

from __future__ import annotations

from typing import Any

from .flexible import Circle, Material, Rectangle, Section, Tube
from .values import Faults, number, row, shown


def check_material(faults: Faults, where: str, material: Any, *, solid: bool = False) -> None:
    """Tell what is wrong with a material.

    Parameters
    ----------
    faults : Faults
        Collects them.
    where : str
        Path of the material.
    material : Material
        To be checked.
    solid : bool
        Whether the volume changes matter: an incompressible material (ν = 0.5) is then refused.
    """
    if not isinstance(material, Material):
        faults.tell(where, f"found {shown(material)}, expected a Material(young=, poisson=, density=)")
        return
    number(faults, where + ".young", material.young, "Pa", above=0.0)
    number(faults, where + ".density", material.density, "kg/m³", above=0.0)
    number(faults, where + ".damping", material.damping, "s", least=0.0)
    before = len(faults)
    poisson = number(faults, where + ".poisson", material.poisson)
    fits = -1 < poisson < 0.5 if solid else -1 < poisson <= 0.5
    if len(faults) == before and not fits:
        faults.tell(where + ".poisson", f"found {poisson:g}, expected above -1 and "
                    + ("below 0.5; 0.49 for rubber" if solid else "not above 0.5"))


def check_section(faults: Faults, where: str, section: Any) -> None:
    """Tell what is wrong with the cross-section of a beam."""
    if isinstance(section, Circle):
        number(faults, where + ".diameter", section.diameter, "m", above=0.0)
    elif isinstance(section, Tube):
        _check_tube(faults, where, section)
    elif isinstance(section, Rectangle):
        number(faults, where + ".height", section.height, "m", above=0.0)
        number(faults, where + ".width", section.width, "m", above=0.0)
    elif isinstance(section, Section):
        _check_constants(faults, where, section)
    else:
        faults.tell(where, f"found {shown(section)}, expected a Circle, Tube, Rectangle or Section")


def _check_tube(faults: Faults, where: str, tube: Tube) -> None:
    before = len(faults)
    outer = number(faults, where + ".outer", tube.outer, "m", above=0.0)
    wall = number(faults, where + ".wall", tube.wall, "m", above=0.0)
    if len(faults) == before and 2 * wall > outer:
        faults.tell(where + ".wall", f"found {wall:g} m, expected at most half the outer diameter, {outer / 2:g} m")


def _check_constants(faults: Faults, where: str, section: Section) -> None:
    number(faults, where + ".area", section.area, "m²", above=0.0)
    for name in ("iy", "iz", "torsion"):
        number(faults, f"{where}.{name}", getattr(section, name), "m⁴", above=0.0)
    pair = "a shear factor, or two: along y and along z"
    shear = section.shear if isinstance(section.shear, (tuple, list)) else (section.shear,)
    for factor in row(faults, where + ".shear", shear, (1, 2), ("", ""), pair) or ():
        if not factor > 0:
            faults.tell(where + ".shear", f"found {factor:g}, expected {pair}, above zero")
    if section.extent is not None:
        row(faults, where + ".extent", section.extent, (2,), ("m", "m"), "two distances [m], along y and along z")
