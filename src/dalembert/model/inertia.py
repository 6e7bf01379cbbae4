"""Inertia of simple homogeneous bodies about their centres of mass, in body axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ModelError
from .parts import Vector
from .values import Faults, direction, flag, number, shown, vector

Inertia = tuple[float, ...] | tuple[tuple[float, ...], ...]
"""Diagonal or matrix [kg m²]."""

_AXES = {"x": 0, "y": 1, "z": 2}


def inertia_rod(mass: float, *, length: float, axis: str | Vector = "z") -> Inertia:
    """Return the inertia of a thin straight rod.

    Parameters
    ----------
    mass : float
        [kg].
    length : float
        [m].
    axis : {"x", "y", "z"} or (3,) float
        Direction of the rod.

    Returns
    -------
    (3,) or (3, 3) tuple
        The diagonal for a named axis, the matrix for a vector [kg m²].

    Examples
    --------
    >>> inertia_rod(12.0, length=1.0, axis="x")
    (0.0, 1.0, 1.0)
    """
    return _made("inertia_rod", "rod", mass, {"length": length, "axis": axis})


def inertia_box(mass: float, size: Vector) -> Inertia:
    """Return the inertia of a box whose edges `size` [m] lie along x, y and z, as a diagonal [kg m²].

    Examples
    --------
    >>> inertia_box(12.0, size=(1, 2, 3))
    (13.0, 10.0, 5.0)
    """
    return _made("inertia_box", "box", mass, {"size": size})


def inertia_cylinder(mass: float, *, radius: float, length: float, axis: str | Vector = "z") -> Inertia:
    """Return the inertia of a solid cylinder of `radius` and `length` [m] along `axis`.

    As for `inertia_rod`: a diagonal for a named axis, a matrix for a vector [kg m²].

    Examples
    --------
    >>> inertia_cylinder(12.0, radius=1.0, length=1.0)
    (4.0, 4.0, 6.0)
    """
    return _made("inertia_cylinder", "cylinder", mass, {"radius": radius, "length": length, "axis": axis})


def inertia_sphere(mass: float, radius: float, *, hollow: bool = False) -> Inertia:
    """Return the inertia of a solid ball, or of a thin spherical shell if `hollow`, as a diagonal [kg m²].

    Examples
    --------
    >>> inertia_sphere(5.0, radius=1.0)
    (2.0, 2.0, 2.0)
    """
    return _made("inertia_sphere", "sphere", mass, {"radius": radius, "hollow": hollow})


SHAPES = {
    "rod": ({"length"}, {"axis"}),
    "box": ({"size"}, set()),
    "cylinder": ({"radius", "length"}, {"axis"}),
    "sphere": ({"radius"}, {"hollow"}),
}
"""Shape -> (its necessary sizes, its optional ones)."""


def shape_inertia(faults: Faults, where: str, shape: str, mass: Any, sizes: Mapping[str, Any]) -> Inertia:
    """Return the inertia of a shape from sizes that may be faulty; zeros if they are."""
    before = len(faults)
    kg = number(faults, where + ".mass", mass, "kg", least=0.0)
    metres = {key: number(faults, f"{where}.{key}", sizes[key], "m", least=0.0)
              for key in ("length", "radius") if key in sizes}
    if shape == "box":
        a, b, c = (edge * edge * kg / 12 for edge in vector(faults, where + ".size", sizes["size"], "m"))
        return (b + c, a + c, a + b)
    if shape == "sphere":
        hollow = flag(faults, where + ".hollow", sizes.get("hollow", False))
        moment = kg * metres["radius"] ** 2 * (2 / 3 if hollow else 2 / 5)
        return (moment, moment, moment)
    radius = metres.get("radius", 0.0)
    along = kg * radius**2 / 2
    across = kg * (3 * radius**2 + metres["length"] ** 2) / 12
    moments = _about_axis(faults, where + ".axis", sizes.get("axis", "z"), along, across)
    return moments if len(faults) == before else (0.0, 0.0, 0.0)


def _about_axis(faults: Faults, where: str, axis: Any, along: float, across: float) -> Inertia:
    """Return the inertia of a body of revolution."""
    if isinstance(axis, str):
        if axis not in _AXES:
            faults.flag(where, f"found {shown(axis)}, expected 'x', 'y', 'z' or a direction of three numbers")
        return tuple(along if i == _AXES.get(axis) else across for i in range(3))
    u = direction(faults, where, axis).tolist()
    return tuple(tuple((across if i == j else 0.0) + (along - across) * u[i] * u[j] for j in range(3))
                 for i in range(3))


def _made(function: str, shape: str, mass: Any, sizes: dict[str, Any]) -> Inertia:
    """Return the inertia of a shape or raise all its faults."""
    faults = Faults()
    inertia = shape_inertia(faults, function, shape, mass, sizes)
    if faults:
        raise ModelError(faults)
    return inertia
