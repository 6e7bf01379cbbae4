"""Mass, centre of mass and inertia of a closed surface, from STL, OBJ, PLY and other meshes (extra ``[mesh]``)."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..errors import FormatError, ModelError
from ..model.parts import Body
from ..model.values import Faults, number


def body_from_mesh(name: str, path: str | PathLike[str], *, density: float, scale: float = 1.0,
                   points: Mapping[str, Any] | None = None) -> Body:
    """Return a rigid body of constant density whose surface is a mesh.

    Parameters
    ----------
    name : str
        Of the body.
    path : str or path
        STL, OBJ, PLY, ...; the body's axes are the mesh's.
    density : float
        [kg/m³].
    scale : float
        Metres per unit of the mesh; 0.001 for a drawing in millimetres.
    points : mapping, optional
        Named places of the body [m].

    Raises
    ------
    FormatError
        If the file is no mesh, or its surface has holes, is turned inside out or encloses nothing.
    """
    faults = Faults()
    density = number(faults, "density", density, "kg/m³", above=0.0)
    scale = number(faults, "scale", scale, "", above=0.0)
    if faults:
        raise ModelError(faults, name)
    mesh = load_mesh(path)
    _check_closed(mesh, fspath(path))
    mesh.apply_scale(scale)
    mesh.density = density
    found = mesh.mass_properties
    return Body(name, mass=float(found.mass), com=tuple(found.center_mass.tolist()), inertia=found.inertia.tolist(),
                points={} if points is None else points)


def load_mesh(path: str | PathLike[str]) -> Any:
    """Return the triangles of a file as trimesh knows them."""
    try:
        import trimesh
    except ImportError:
        raise FormatError(f"{fspath(path)}: reading a mesh needs trimesh; install it with "
                          "pip install 'dalembert[mesh]'") from None
    file = fspath(path)
    if not Path(path).is_file():
        raise FormatError(f"{file}: no such file, expected a mesh")
    try:
        mesh = trimesh.load(file, force="mesh")
    except Exception as error:  # the readers of trimesh raise whatever their format suggests
        raise FormatError(f"{file}: cannot be read as a mesh: {error}; expected STL, OBJ or PLY") from None
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        raise FormatError(f"{file}: found no triangles, expected a closed surface")
    return mesh


def _check_closed(mesh: Any, file: str) -> None:
    """Refuse a surface that does not enclose a volume."""
    if not mesh.is_watertight:
        raise FormatError(f"{file}: the surface has holes ({len(mesh.faces)} triangles), expected a closed one; "
                          "repair it, or give mass, com and inertia yourself")
    if not mesh.is_winding_consistent:
        raise FormatError(f"{file}: neighbouring triangles are wound in opposite senses, expected outward normals "
                          "everywhere; recalculate the normals")
    if not mesh.volume > 0:
        raise FormatError(f"{file}: found the volume {mesh.volume:g}, expected one above zero; the surface is inside "
                          "out: flip its normals")
