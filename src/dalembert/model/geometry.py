"""What bodies look like: shapes to draw, without mass and without contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .values import Faults, rotation, row, shown, vector

SIZES = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "mesh": 3}
"""Kind of a shape -> how many numbers give its size."""


@dataclass(frozen=True)
class Drawing:
    """A shape that a body is drawn with.

    Attributes
    ----------
    kind : {"box", "sphere", "capsule", "cylinder", "ellipsoid", "mesh"}
    size : sequence of float
        [m]: three edges of a box, the radius of a sphere, radius and length (without its ends) of a capsule, radius and
        length of a cylinder, three half axes of an ellipsoid; a mesh has three factors from its own unit to metres.
    position : (3,) float
        Of its centre, or of the mesh's origin, in the body's axes [m].
    rotation : (3, 3) float, (4,) float, mapping or None
        Its axes in the body's axes, as in `Frame`; capsules and cylinders lie along z.
    file : str
        Of a mesh.
    """

    kind: str
    size: Sequence[float] = (1.0, 1.0, 1.0)
    position: Sequence[float] = field(default=(0.0, 0.0, 0.0), kw_only=True)
    rotation: Any = field(default=None, kw_only=True)
    file: str = field(default="", kw_only=True)


def check_drawings(faults: Faults, where: str, drawings: Any) -> None:
    """Report what is wrong with the drawings of a body."""
    if isinstance(drawings, (str, Mapping)) or not isinstance(drawings, Sequence):
        faults.flag(where, f"found {shown(drawings)}, expected a list of Drawing")
        return
    for i, each in enumerate(drawings):
        path = f"{where}[{i}]"
        if not isinstance(each, Drawing):
            faults.flag(path, f"found {shown(each)}, expected a Drawing, such as Drawing('sphere', (0.1,))")
            continue
        if each.kind not in SIZES:
            faults.flag(path, f"unknown kind {shown(each.kind)}.{faults.near(each.kind, SIZES)}")
            continue
        n = SIZES[each.kind]
        size = row(faults, f"{path}.size", each.size, (n,), ("m",), f"{n} number{'s' * (n > 1)} [m]")
        if size is not None and each.kind != "mesh" and not all(x > 0 for x in size):
            faults.flag(f"{path}.size", f"found {shown(each.size)}, expected sizes above zero")
        if each.kind == "mesh" and not (isinstance(each.file, str) and each.file):
            faults.flag(f"{path}.file", f"found {shown(each.file)}, expected the file of the mesh")
        vector(faults, f"{path}.position", each.position, "m")
        rotation(faults, f"{path}.rotation", each.rotation)
