"""A scene as one page of HTML that needs no network: played, stopped, turned and zoomed in any browser."""

from __future__ import annotations

import base64
import json
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import unwritable
from .camera import DISTANCE, camera_for
from .scene import Link, Scene
from .surfaces import Surface, corner_normals

MOST = 600
"""Frames of a page; it interpolates between them."""


def write_page(scene: Scene, path: Path, speed: float) -> None:
    """Write a scene as a page; `speed` are simulated seconds a second."""
    try:
        path.write_text(page(scene, speed), encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from error


def page(scene: Scene, speed: float) -> str:
    """Return a scene as a page."""
    said = json.dumps(data_of(scene, speed), separators=(",", ":")).replace("<", "\\u003c")
    folder = files(__package__)
    template = (folder / "viewer.html").read_text(encoding="utf-8")
    script = (folder / "viewer.js").read_text(encoding="utf-8")
    return template.replace("TITLE", escape(scene.title)).replace("/*DATA*/", said).replace("/*SCRIPT*/", script)


def data_of(scene: Scene, speed: float) -> dict[str, Any]:
    """Return what the page draws, arrays as texts of little-endian numbers of four bytes."""
    camera = camera_for(scene)
    half = float(np.linalg.norm(camera.reach))
    poses = np.concatenate([scene.position, scene.orientation], axis=2)
    return {
        "title": scene.title, "speed": speed, "frames": len(scene), "bodies": list(scene.bodies), "t": _floats(scene.t),
        "poses": _floats(poses), "up": scene.up.tolist(), "look": scene.look.tolist(), "half": half, "far": DISTANCE,
        "reach": camera.reach.tolist(), "target": _floats(camera.target),
        "solids": [{"name": solid.name, "body": solid.body, "colour": list(solid.colour), **_mesh(solid.surface)}
                   for solid in scene.solids],
        "links": [{"name": link.name, "colour": list(link.colour), "ends": _floats(np.hstack([link.start, link.end])),
                   **_stretched(link)} for link in scene.links],
        "skins": [{"name": skin.name, "colour": list(skin.colour), "count": skin.vertices.shape[1],
                   "vertices": _floats(skin.vertices), "faces": _numbers(skin.faces)} for skin in scene.skins],
        "lines": [{"colour": list(line.colour), "points": _floats(_pairs(line.points, line.pairs))} for line in scene.lines],
    }


def _mesh(surface: Surface) -> dict[str, str]:
    corners = surface.vertices[surface.faces].reshape(-1, 3)
    return {"corners": _floats(corners), "normals": _floats(corner_normals(surface).reshape(-1, 3))}


def _stretched(link: Link) -> dict[str, str]:
    """Return corners with four numbers, and normals as the link has them at its first length."""
    along = np.linalg.norm(link.end - link.start, axis=1)
    length = float(along[along > 0.0][0]) if (along > 0.0).any() else 1.0
    z = link.vertices[:, 2] * length + link.vertices[:, 3]
    normals = corner_normals(Surface(np.column_stack([link.vertices[:, :2], z]), link.faces))
    return {"corners": _floats(link.vertices[link.faces].reshape(-1, 4)), "normals": _floats(normals.reshape(-1, 3))}


def _pairs(points: np.ndarray, pairs: bool) -> np.ndarray:
    return points if pairs else np.stack([points[:-1], points[1:]], axis=1).reshape(-1, 3)


def _floats(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def _numbers(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "<u4").tobytes()).decode()
