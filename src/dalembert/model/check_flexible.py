"""Materials and cross-sections of a model: each reader reports its faults and returns the part in SI units."""

from __future__ import annotations

from typing import Any

from .flexible import Circle, Material, Rectangle, Section, Tube
from .values import Faults, number, row, shown


def read_material(faults: Faults, where: str, material: Any, *, solid: bool = False) -> Material:
    """Read a material.

    Parameters
    ----------
    faults : Faults
        Collects what is wrong.
    where : str
        Path of the material.
    material : Material
        As given.
    solid : bool
        Whether changes of volume matter: an incompressible material (ν = 0.5) is then refused.

    Returns
    -------
    Material
        In SI units; a stand-in if it is faulty.
    """
    if not isinstance(material, Material):
        faults.flag(where, f"found {shown(material)}, expected a Material(young=, poisson=, density=)")
        return Material(1.0, 0.0, 1.0)
    young = number(faults, where + ".young", material.young, "Pa", above=0.0)
    before = len(faults)
    poisson = number(faults, where + ".poisson", material.poisson)
    fits = -1 < poisson < 0.5 if solid else -1 < poisson <= 0.5
    if len(faults) == before and not fits:
        faults.flag(where + ".poisson", f"found {poisson:g}, expected above -1 and "
                    + ("below 0.5; 0.49 for rubber" if solid else "not above 0.5"))
    return Material(young, poisson, number(faults, where + ".density", material.density, "kg/m³", above=0.0),
                    number(faults, where + ".damping", material.damping, "s", least=0.0))


def read_section(faults: Faults, where: str, section: Any) -> Circle | Tube | Rectangle | Section:
    """Read the cross-section of a beam; in SI units, a stand-in if it is faulty."""
    if isinstance(section, Circle):
        return Circle(number(faults, where + ".diameter", section.diameter, "m", above=0.0))
    if isinstance(section, Tube):
        return _read_tube(faults, where, section)
    if isinstance(section, Rectangle):
        return Rectangle(height=number(faults, where + ".height", section.height, "m", above=0.0),
                         width=number(faults, where + ".width", section.width, "m", above=0.0))
    if isinstance(section, Section):
        return _read_constants(faults, where, section)
    faults.flag(where, f"found {shown(section)}, expected a Circle, Tube, Rectangle or Section")
    return Circle(1.0)


def _read_tube(faults: Faults, where: str, tube: Tube) -> Tube:
    before = len(faults)
    outer = number(faults, where + ".outer", tube.outer, "m", above=0.0)
    wall = number(faults, where + ".wall", tube.wall, "m", above=0.0)
    if len(faults) == before and 2 * wall > outer:
        faults.flag(where + ".wall", f"found {wall:g} m, expected at most half the outer diameter, {outer / 2:g} m")
    return Tube(outer=outer, wall=wall)


def _read_constants(faults: Faults, where: str, section: Section) -> Section:
    area = number(faults, where + ".area", section.area, "m²", above=0.0)
    iy, iz, torsion = (number(faults, f"{where}.{name}", getattr(section, name), "m⁴", above=0.0)
                       for name in ("iy", "iz", "torsion"))
    pair = "a shear factor, or two: along y and along z"
    given = (section.shear,) if isinstance(section.shear, (int, float, str)) else section.shear
    shear = row(faults, where + ".shear", given, (1, 2), ("",), pair) or (1.0,)
    if min(shear) <= 0:
        faults.flag(where + ".shear", f"found {shown(section.shear)}, expected {pair}, above zero")
    extent = section.extent
    if extent is not None:
        extent = row(faults, where + ".extent", extent, (2,), ("m",), "two distances [m], along y and along z")
    return Section(area=area, iy=iy, iz=iz, torsion=torsion, shear=(shear[0], shear[-1]), extent=extent)
