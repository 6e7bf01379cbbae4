"""Geoms as drawings of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.geometry import Drawing
from .mjcf_masses import solid_size
from .mjcf_meshes import mesh_file
from .mjcf_values import Pose, Settings, pose_of
from .xml_lines import Element, numbers


def geom_drawing(geom: Element, at: Pose, settings: Settings, meshes: dict[str, Element]) -> Drawing | None:
    """Return the drawing of a geom in the axes of its body; None for planes, fields and shapes fitted to meshes."""
    kind = geom.attributes.get("type", "mesh" if "mesh" in geom.attributes else "sphere")
    if kind == "mesh":
        asset = meshes.get(geom.attributes.get("mesh", ""))
        if asset is None or "file" not in asset.attributes:
            return None
        pose, size = at.then(pose_of(geom, settings)), numbers(asset, "scale", (1.0,) * 3)
        return Drawing("mesh", tuple(size), file=str(mesh_file(asset, settings)), **_place(pose))
    if kind in ("plane", "hfield", "sdf") or "mesh" in geom.attributes:
        return None
    size, pose = solid_size(geom, kind, settings)
    whole = {"box": (2.0, 2.0, 2.0), "capsule": (1.0, 2.0), "cylinder": (1.0, 2.0)}.get(kind, (1.0,) * len(size))
    return Drawing(kind, tuple(float(a * b) for a, b in zip(size, whole, strict=False)), **_place(at.then(pose)))


def _place(pose: Pose) -> dict[str, Any]:
    turned = None if np.array_equal(pose.rotation, np.eye(3)) else pose.rotation.tolist()
    return {"position": tuple(pose.position.tolist()), "rotation": turned}
