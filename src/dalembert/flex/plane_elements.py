"""Plates loaded in their plane: structured plane-stress meshes."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ModelError
from ..model.check_flexible import read_material
from ..model.flexible import Material
from ..model.values import Faults, flag, number
from .continuum import continuum_model
from .fe_model import ElementBlock, FEModel
from .grids import grid_mesh, read_grid


def plate(lengths: Sequence[float], *, thickness: float, divisions: Sequence[int], material: Material,
          kind: str = "q4", incompatible: bool = True) -> FEModel:
    """Return a rectangular plate in the x-y plane under plane stress, with the unknowns x and y at each node.

    Parameters
    ----------
    lengths : (2,) float
        Edges lx, ly [m]; the plate reaches from (0, -ly/2) to (lx, ly/2).
    thickness : float
        Along z [m].
    divisions : (2,) int
        Cells along x and y.
    material : Material
        Of the plate.
    kind : {"q4", "t3"}
        Quadrilaterals, or two triangles of constant strain a cell.
    incompatible : bool
        Whether quadrilaterals have incompatible bending modes; without them they are too stiff in bending.

    Returns
    -------
    FEModel
        Free of supports; ``fe.face("-x")`` etc. give its edges.

    Examples
    --------
    >>> steel = Material(young=2.1e11, poisson=0.3, density=7850.0)
    >>> fe = plate((1.0, 0.1), thickness=0.01, divisions=(20, 2), material=steel)
    >>> len(fe.nodes), fe.n_dof, round(fe.total_mass, 6)
    (63, 126, 7.85)
    """
    faults = Faults()
    sizes = read_grid(faults, "plate", lengths, divisions, kind, ("q4", "t3"), 2)
    depth = number(faults, "plate.thickness", thickness, "m", above=0.0)
    material = read_material(faults, "plate.material", material)
    flag(faults, "plate.incompatible", incompatible)
    if faults:
        raise ModelError(faults)
    nodes, connectivity, repeated = grid_mesh(kind, sizes, divisions)
    block = ElementBlock(kind, connectivity, material, thickness=depth,
                         incompatible=bool(incompatible) and kind == "q4")
    return continuum_model(nodes, (block,), {}, repeated=repeated)
