"""Mass, centre of mass and inertia of MJCF bodies: from ``<inertial>`` or from their geoms."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from ..model.rotation import rotation_between
from .mjcf_meshes import mesh_moments
from .mjcf_values import Pose, Settings, pose_of
from .xml_lines import Element, numbers

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_MASSLESS = ("plane", "hfield")


@dataclass(frozen=True)
class Mass:
    """Mass [kg], centre of mass [m] (3,) and inertia about it [kg m²] (3, 3), axes of the body."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def placed(self, pose: Pose) -> Mass:
        """Return the mass in the frame that `pose` is given in."""
        turn = pose.rotation
        return Mass(self.mass, pose.position + turn @ self.com, turn @ self.inertia @ turn.T)

    def scaled(self, factor: float) -> Mass:
        """Return a mass of the same shape."""
        return Mass(self.mass * factor, self.com, self.inertia * factor)


NO_MASS = Mass(0.0, np.zeros(3), np.zeros((3, 3)))


def joined(masses: list[Mass]) -> Mass:
    """Return the mass of several things together."""
    total = sum(m.mass for m in masses)
    if total == 0.0:
        return NO_MASS
    com = np.sum([m.mass * m.com for m in masses], axis=0) / total
    inertia = np.zeros((3, 3))
    for m in masses:
        d = m.com - com
        inertia += m.inertia + m.mass * ((d @ d) * np.eye(3) - np.outer(d, d))
    return Mass(total, com, inertia)


def read_inertial(element: Element, settings: Settings) -> Mass:
    """Return what an ``<inertial>`` says."""
    element.need("mass")
    mass = numbers(element, "mass", (0.0,))[0]
    pose = pose_of(element, settings)
    if "fullinertia" in element.attributes:
        xx, yy, zz, xy, xz, yz = numbers(element, "fullinertia", (0.0,) * 6)
        return Mass(mass, pose.position, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return Mass(mass, np.zeros(3), np.diag(numbers(element, "diaginertia", (0.0,) * 3))).placed(pose)


def bounded(mass: Mass, settings: Settings) -> Mass:
    """Return a mass after the compiler's balanceinertia, boundmass and boundinertia."""
    least, least_moment = (numbers(settings.compiler, key, (0.0,))[0] for key in ("boundmass", "boundinertia"))
    inertia = mass.inertia
    if least_moment or settings.flag("balanceinertia", "false"):
        moments, axes = np.linalg.eigh(inertia)
        if moments[2] > moments[0] + moments[1] and settings.flag("balanceinertia", "false"):
            moments = np.full(3, moments.mean())
        inertia = axes @ np.diag(np.maximum(moments, least_moment)) @ axes.T
    return Mass(max(mass.mass, least), mass.com, inertia)


def geom_mass(geom: Element, settings: Settings, meshes: dict[str, Element], known: dict[str, Mass]) -> Mass:
    """Return the mass of a geom in the axes of what it belongs to; `known` keeps those of meshes."""
    group = numbers(geom, "group", (0.0,))[0]
    first, last = numbers(settings.compiler, "inertiagrouprange", (0.0, 5.0))
    kind = geom.attributes.get("type", "mesh" if "mesh" in geom.attributes else "sphere")
    if not first <= group <= last or kind in _MASSLESS:
        return NO_MASS
    mass = numbers(geom, "mass", (0.0,))[0] if "mass" in geom.attributes else None
    density = numbers(geom, "density", (1000.0,))[0]
    if mass == 0.0 or (mass is None and density == 0.0):
        return NO_MASS
    if geom.attributes.get("shellinertia", "false") == "true":
        raise geom.fail("shellinertia", "a solid; give the body an <inertial>")
    if kind == "mesh":
        unit, pose = _mesh(geom, settings, meshes, known), pose_of(geom, settings)
    else:
        size, pose = solid_size(geom, kind, settings)
        unit = _shape(kind, size)
    if not unit.mass > 0.0:
        raise geom.fail("no volume", "sizes above zero, or mass=\"0\"")
    return unit.scaled(density if mass is None else mass / unit.mass).placed(pose)


def _mesh(geom: Element, settings: Settings, meshes: dict[str, Element], known: dict[str, Mass]) -> Mass:
    """Return the mass of a mesh with density one."""
    name = geom.need("mesh")
    if name not in meshes:
        raise geom.fail(f"the mesh {name!r}", "a <mesh> of <asset>")
    if name not in known:
        known[name] = Mass(*mesh_moments(meshes[name], settings))
    return known[name]


def solid_size(geom: Element, kind: str, settings: Settings) -> tuple[list[float], Pose]:
    """Return the half sizes of a primitive shape, and its pose."""
    if kind not in _SIZES:
        raise geom.fail(f"the type {kind!r}", f"one of {', '.join((*_SIZES, *_MASSLESS, 'mesh'))}")
    if "mesh" in geom.attributes:
        raise geom.fail(f"a {kind} fitted to a mesh", "sizes; or give the body an <inertial>")
    said = [float(word) for word in geom.attributes.get("size", "").split() if _is_number(word)]
    ends = "fromto" in geom.attributes and kind != "sphere"
    needed = 1 if ends else _SIZES[kind]
    if len(said) < needed or not all(value > 0 and np.isfinite(value) for value in said[:needed]):
        raise geom.fail(f'size="{geom.attributes.get("size", "")}"', f"{needed} numbers above zero for a {kind}")
    if not ends:
        return said[:needed], pose_of(geom, settings)
    values = np.array(numbers(geom, "fromto", (0.0,) * 6))
    along = values[3:] - values[:3]
    length = float(np.linalg.norm(along))
    if not length > 0.0:
        raise geom.fail(f'fromto="{geom.attributes["fromto"]}"', "two different points")
    half = [said[0], length / 2] if _SIZES[kind] == 2 else [said[0], said[0], length / 2]
    return half, Pose((values[:3] + values[3:]) / 2, rotation_between((0.0, 0.0, 1.0), -along))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _shape(kind: str, size: list[float]) -> Mass:
    """Return the mass of a shape along z with half sizes, density one."""
    if kind == "box":
        a, b, c = size[:3]
        return _diagonal(8 * a * b * c, (b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)
    if kind in ("sphere", "ellipsoid"):
        a, b, c = size[:3] if kind == "ellipsoid" else (size[0],) * 3
        return _diagonal(4 / 3 * pi * a * b * c, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)
    r, h = size[:2]
    tube = _diagonal(2 * pi * r * r * h, *(r * r / 4 + h * h / 3,) * 2, r * r / 2)
    if kind == "cylinder":
        return tube
    across = 0.4 * r * r + h * h + 0.75 * r * h
    caps = _diagonal(4 / 3 * pi * r**3, across, across, 0.4 * r * r)
    return Mass(tube.mass + caps.mass, np.zeros(3), tube.inertia + caps.inertia)


def _diagonal(volume: float, x: float, y: float, z: float) -> Mass:
    return Mass(volume, np.zeros(3), volume * np.diag((x, y, z)))
