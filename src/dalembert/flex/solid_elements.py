"""Boxes of solid elements: structured meshes of hexahedra or tetrahedra."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ModelError
from ..model.check_flexible import read_material
from ..model.flexible import Material
from ..model.values import Faults, flag
from .continuum import continuum_model
from .fe_model import ElementBlock, FEModel
from .grids import grid_mesh, read_grid


def box(lengths: Sequence[float], *, divisions: Sequence[int], material: Material, kind: str = "h8",
        incompatible: bool = True) -> FEModel:
    """Return a box of solid elements, with the unknowns x, y and z at each node.

    Parameters
    ----------
    lengths : (3,) float
        Edges lx, ly, lz [m]; the box reaches from (0, -ly/2, -lz/2) to (lx, ly/2, lz/2).
    divisions : (3,) int
        Cells along x, y and z.
    material : Material
        Of the box.
    kind : {"h8", "t4", "t10"}
        Hexahedra, or six tetrahedra a cell: of constant strain (far too stiff in bending) or quadratic.
    incompatible : bool
        Whether hexahedra have incompatible bending modes; without them they are too stiff in bending.

    Returns
    -------
    FEModel
        Free of supports; ``fe.face("-x")`` etc. give its faces.

    Examples
    --------
    >>> steel = Material(young=2.1e11, poisson=0.3, density=7850.0)
    >>> fe = box((1.0, 0.1, 0.1), divisions=(10, 1, 1), material=steel)
    >>> len(fe.nodes), len(fe.face("-x")), round(fe.total_mass, 6)
    (44, 4, 78.5)
    """
    faults = Faults()
    sizes = read_grid(faults, "box", lengths, divisions, kind, ("h8", "t4", "t10"), 3)
    material = read_material(faults, "box.material", material, solid=True)
    flag(faults, "box.incompatible", incompatible)
    if faults:
        raise ModelError(faults)
    nodes, connectivity, repeated = grid_mesh(kind, sizes, divisions)
    block = ElementBlock(kind, connectivity, material, incompatible=bool(incompatible) and kind == "h8")
    return continuum_model(nodes, (block,), {}, repeated=repeated)
