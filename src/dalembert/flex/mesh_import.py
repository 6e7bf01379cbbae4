"""Finite-element models of arbitrary meshes: gmsh, Abaqus and CalculiX, Nastran, VTK and more (extra ``[flex]``)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, ModelError
from ..model.check_flexible import read_material
from ..model.flexible import Material
from ..model.values import Faults, flag, number, shown
from .continuum import check_volumes, continuum_model
from .fe_model import PLANE_TOLERANCE, ElementBlock, FEModel

SOLIDS = {"tetra": "t4", "tetra10": "t10", "hexahedron": "h8", "hexahedron20": "h20", "hexahedron27": "h27",
          "wedge": "w6"}
PLANES = {"triangle": "t3", "triangle6": "t6", "quad": "q4", "quad8": "q8", "quad9": "q9"}
"""Name in meshio -> kind of element."""
_LOW = ("vertex", "line", "line3", *PLANES)
"""Cells that may name node sets beside solid elements."""
_SOFTENED = ("q4", "h8")


def read_mesh(path: str | PathLike[str], *, material: Material, scale: float = 1.0, thickness: float | None = None,
              incompatible: bool = True, drop_loose: bool = False) -> FEModel:
    """Return a finite-element model of a mesh file.

    Parameters
    ----------
    path : str or path
        gmsh ``.msh``, Abaqus or CalculiX ``.inp``, Nastran ``.bdf``, ``.vtk``, ``.vtu``, ...
    material : Material
        Of all elements.
    scale : float
        Metres per unit of the mesh; 0.001 for a mesh in millimetres.
    thickness : float, optional
        Of a mesh of triangles and quadrilaterals in the x-y plane [m].
    incompatible : bool
        Whether q4 and h8 have incompatible bending modes.
    drop_loose : bool
        Whether to leave out nodes that belong to no element instead of refusing them.

    Returns
    -------
    FEModel
        Its sets are the node sets, element sets and physical groups of the file.

    Raises
    ------
    FormatError
        If meshio is missing, or the file is no mesh or holds no elements that are known.
    ModelError
        If elements have no volume or nodes are loose.
    """
    faults = Faults()
    material = read_material(faults, "read_mesh.material", material, solid=thickness is None)
    scale = number(faults, "read_mesh.scale", scale, "", above=0.0)
    flag(faults, "read_mesh.incompatible", incompatible)
    flag(faults, "read_mesh.drop_loose", drop_loose)
    if thickness is not None:
        thickness = number(faults, "read_mesh.thickness", thickness, "m", above=0.0)
    if faults:
        raise ModelError(faults)
    file = fspath(path)
    mesh = _load(file)
    kinds = _kinds(mesh, file, thickness)
    nodes = _positions(mesh, file, scale)
    blocks = [ElementBlock(kinds[t], data, material, thickness=thickness or 0.0,
                           incompatible=bool(incompatible) and kinds[t] in _SOFTENED)
              for t, data in _merged(mesh.cells).items() if t in kinds]
    nodes, blocks, sets = _without_loose(file, nodes, blocks, _node_sets(mesh), drop_loose)
    if thickness is not None:
        _check_plane(nodes, file)
    check_volumes(nodes, blocks, file)
    return continuum_model(nodes, blocks, sets)


def _load(file: str) -> Any:
    try:
        import meshio
    except ImportError:
        raise FormatError(f"{file}: reading a mesh needs meshio; install it with pip install 'dalembert[flex]'") from None
    if not Path(file).is_file():
        raise FormatError(f"{file}: no such file, expected a mesh")
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            return meshio.read(file)
    except (Exception, SystemExit) as error:  # its readers raise whatever their format suggests, and print and exit
        why = "no reader of its ending knows it" if isinstance(error, SystemExit) else error or type(error).__name__
        raise FormatError(f"{file}: cannot be read as a mesh: {why}; expected gmsh .msh, Abaqus .inp, Nastran .bdf or VTK"
                          ) from None


def _positions(mesh: Any, file: str, scale: float) -> np.ndarray:
    """Return the nodes (n, 3) in metres."""
    nodes = np.zeros((len(mesh.points), 3))
    nodes[:, :mesh.points.shape[1]] = np.asarray(mesh.points, dtype=float) * scale
    bad = np.flatnonzero(~np.isfinite(nodes).all(axis=1))
    if bad.size:
        raise FormatError(f"{file}: node {bad[0]} lies at {nodes[bad[0]].tolist()}, expected finite coordinates"
                          f"{f' ({bad.size - 1} more)' if bad.size > 1 else ''}")
    return nodes


def _check_plane(nodes: np.ndarray, file: str) -> None:
    if np.ptp(nodes[:, 2]) > PLANE_TOLERANCE * np.ptp(nodes, axis=0).max():
        raise ModelError(f"{file}: the triangles and quadrilaterals do not lie in an x-y plane (z from "
                         f"{nodes[:, 2].min():g} to {nodes[:, 2].max():g} m), expected a plane mesh; surfaces in space "
                         "need a solid mesh")


def _kinds(mesh: Any, file: str, thickness: float | None) -> dict[str, str]:
    """Return which cells are elements: the solids, or the plane ones if there are none."""
    present = {c.type for c in mesh.cells if len(c.data)}
    strange = sorted(present - set(SOLIDS) - set(_LOW))
    if strange:
        raise FormatError(f"{file}: found cells of kind {', '.join(strange)}, expected {', '.join(SOLIDS)} or "
                          f"{', '.join(PLANES)}; mesh again without them")
    if present & set(SOLIDS):
        if thickness is not None:
            raise ModelError(f"read_mesh.thickness: found {shown(thickness)} for a mesh of solid elements, expected none")
        return {t: SOLIDS[t] for t in sorted(present & set(SOLIDS))}
    if present & set(PLANES):
        if thickness is None:
            raise ModelError(f"read_mesh.thickness: {file} holds plane elements only "
                             f"({', '.join(sorted(present & set(PLANES)))}); give their thickness [m], or a mesh of "
                             "solid elements")
        return {t: PLANES[t] for t in sorted(present & set(PLANES))}
    raise FormatError(f"{file}: found no elements ({', '.join(sorted(present)) or 'no cells'}), expected "
                      f"{', '.join(SOLIDS)} or {', '.join(PLANES)}")


def _merged(cells: Iterable[Any]) -> dict[str, np.ndarray]:
    """Return all cells (m, k) of each type of a file."""
    found = {t: [np.asarray(c.data, dtype=np.int64) for c in cells if c.type == t and len(c.data)]
             for t in dict.fromkeys(c.type for c in cells)}
    return {t: np.vstack(parts) for t, parts in found.items() if parts}


def _node_sets(mesh: Any) -> dict[str, np.ndarray]:
    """Return the named node sets: point sets, nodes of cell sets, nodes of physical groups."""
    sets = {name: np.unique(np.asarray(found, dtype=np.int64)) for name, found in mesh.point_sets.items()}
    for name, per_block in mesh.cell_sets.items():
        if name.startswith("gmsh:"):
            continue
        parts = [np.asarray(block.data)[np.asarray(which, dtype=np.int64)].ravel()
                 for block, which in zip(mesh.cells, per_block, strict=True) if which is not None and len(which)]
        if parts:
            sets.setdefault(name, np.unique(np.concatenate(parts)))
    groups = mesh.cell_data.get("gmsh:physical")
    for name, (tag, dim) in mesh.field_data.items() if groups is not None else ():
        parts = [np.asarray(block.data)[np.asarray(tags) == tag].ravel()
                 for block, tags in zip(mesh.cells, groups, strict=True) if block.dim == dim]
        if any(p.size for p in parts):
            sets.setdefault(name, np.unique(np.concatenate(parts)))
    return sets


def _without_loose(file: str, nodes: np.ndarray, blocks: list[ElementBlock], sets: dict[str, np.ndarray], drop: bool
                   ) -> tuple[np.ndarray, list[ElementBlock], dict[str, np.ndarray]]:
    """Return nodes, blocks and sets without nodes that belong to no element; refuse these unless `drop`."""
    used = np.unique(np.concatenate([b.connectivity.ravel() for b in blocks]))
    if used.size and used[-1] >= len(nodes):
        raise FormatError(f"{file}: an element names node {used[-1]}, the file has {len(nodes)} nodes")
    loose = np.setdiff1d(np.arange(len(nodes)), used)
    if loose.size == 0:
        return nodes, blocks, sets
    if not drop:
        listed = ", ".join(map(str, loose[:8])) + (", …" if loose.size > 8 else "")
        raise ModelError(f"{file}: {loose.size} of {len(nodes)} nodes belong to no element ({listed}); delete them, or "
                         "leave them out by drop_loose=True")
    new = np.full(len(nodes), -1)
    new[used] = np.arange(len(used))
    moved = [ElementBlock(b.kind, new[b.connectivity], b.material, thickness=b.thickness, incompatible=b.incompatible)
             for b in blocks]
    kept = {name: new[found][new[found] >= 0] for name, found in sets.items()}
    return nodes[used], moved, {name: found for name, found in kept.items() if found.size}
