"""Masses of meshes as MuJoCo takes them: a surface may have holes and overlap itself, and what it encloses is a convention.

Every triangle makes a pyramid with a common point; with its signed volume V, corners D, E, F from that point and their sum S,
    volume = sum V,   centre = sum V S / (4 volume),   P = ∫ x xᵀ dV = sum V (D Dᵀ + E Eᵀ + F Fᵀ + S Sᵀ) / 20          (1)
    convex   of the convex hull
    exact    as it is
    legacy   |V| for V; first the centroid of the surface is the point, which gives the centre, then that is (the default)
    shell    areas for volumes and 12 for 20: the mass lies on the surface
Vertices have single precision there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from .mesh import load_mesh
from .mjcf_values import Settings, matrix_of_quaternion
from .xml_lines import Element, numbers

MODES = ("legacy", "exact", "convex", "shell")


def mesh_name(asset: Element) -> str:
    """Return the name of a ``<mesh>`` of ``<asset>``."""
    return asset.attributes.get("name") or Path(asset.need("file")).stem


def mesh_file(asset: Element, settings: Settings) -> Path:
    """Return where the file of a mesh lies."""
    return settings.folder / settings.word("meshdir", settings.word("assetdir", "")) / asset.need("file")


def mesh_moments(asset: Element, settings: Settings) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume (of a shell: area), centre (3,) and inertia (3, 3) about it of a mesh with density one."""
    mode = asset.attributes.get("inertia", "legacy")
    if mode not in MODES:
        raise asset.fail(f'inertia="{mode}"', f"one of {', '.join(MODES)}")
    points, faces = _placed(asset, *_surface(asset, settings))
    if mode == "convex" or not len(faces):
        faces = _hull(asset, points)
    corners = points[faces]
    areas, _ = _pyramids(corners)
    middle = areas @ corners.mean(axis=1) / areas.sum() if areas.sum() > 0.0 else points.mean(axis=0)
    weight = _weights(corners - middle, mode)
    if not weight.sum() > 0.0:
        raise asset.fail("no volume", "a surface around one; or give the body an <inertial>")
    heights = 3.0 / 4.0  # of the centre of a pyramid; MuJoCo takes it for shells, too
    centre = middle + heights * (weight @ (corners - middle).mean(axis=1)) / weight.sum()
    corners = corners - centre
    weight = _weights(corners, mode)
    total = corners.sum(axis=1)
    spread = np.einsum("i,ika,ikb->ab", weight, corners, corners) + np.einsum("i,ia,ib->ab", weight, total, total)
    spread /= 12.0 if mode == "shell" else 20.0
    return float(weight.sum()), centre, np.trace(spread) * np.eye(3) - spread                                # (1)


def _pyramids(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Areas of triangles (n, 3, 3) and signed volumes of their pyramids with the origin."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.linalg.norm(normal, axis=1) / 2, np.einsum("ia,ia->i", corners.mean(axis=1), normal) / 6


def _weights(corners: np.ndarray, mode: str) -> np.ndarray:
    areas, volumes = _pyramids(corners)
    return areas if mode == "shell" else np.abs(volumes) if mode == "legacy" else volumes


def _surface(asset: Element, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) that a mesh gives in the text or in its file."""
    if "builtin" in asset.attributes:
        raise asset.fail(f'builtin="{asset.attributes["builtin"]}"', "a file or vertices; or give the body an <inertial>")
    if "vertex" in asset.attributes:
        points = _list(asset, "vertex", float)
        return points.astype(np.float32).astype(float), _list(asset, "face", int)
    path = mesh_file(asset, settings)
    if path.suffix.lower() == ".msh" and path.is_file():
        return _read_msh(asset, path)
    mesh = load_mesh(path)
    return np.asarray(mesh.vertices, np.float32).astype(float), np.asarray(mesh.faces, int)


def _list(asset: Element, key: str, kind: type) -> np.ndarray:
    """Read a text of triples."""
    try:
        return np.array([kind(word) for word in asset.attributes.get(key, "").split()]).reshape(-1, 3)
    except ValueError:
        raise asset.fail(f"a faulty {key}", "triples of numbers") from None


def _read_msh(asset: Element, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read MuJoCo's own binary format: four counts, then vertices, normals, texture coordinates and triangles."""
    data = path.read_bytes()
    counts = np.frombuffer(data[:16], "<i4").astype(int) if len(data) >= 16 else np.zeros(4, int)
    vertices, normals, texture, faces = counts
    if np.any(counts < 0) or len(data) != 16 + 12 * (vertices + normals + faces) + 8 * texture:
        raise asset.fail(f"the file {path.name}", "MuJoCo's MSH: four counts and as many numbers")
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).astype(float).reshape(-1, 3)
    return points, np.frombuffer(data, "<i4", 3 * faces, len(data) - 12 * faces).astype(int).reshape(-1, 3)


def _placed(asset: Element, points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Move, turn and scale a mesh; a mirrored one keeps its outer side."""
    if len(points) < 4 or np.any(faces < 0) or np.any(faces >= len(points)):
        raise asset.fail(f"{len(points)} vertices and triangles between others", "triangles between at least four vertices")
    quaternion = np.array(numbers(asset, "refquat", (1.0, 0.0, 0.0, 0.0)))
    if not np.linalg.norm(quaternion) > 0.0:
        raise asset.fail("a refquat of zeros", "a quaternion")
    scale = np.array(numbers(asset, "scale", (1.0,) * 3))
    points = points - numbers(asset, "refpos", (0.0,) * 3)
    points = points @ matrix_of_quaternion(quaternion / np.linalg.norm(quaternion)) * scale
    return points, faces[:, ::-1] if np.prod(scale) < 0.0 else faces


def _hull(asset: Element, points: np.ndarray) -> np.ndarray:
    """Triangles of the convex hull, wound outward."""
    try:
        hull = ConvexHull(points)
    except QhullError:
        raise asset.fail("vertices in a plane", "ones that enclose a volume") from None
    corners = points[hull.simplices]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ia,ia->i", normal, hull.equations[:, :3]) < 0.0
    faces: np.ndarray = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    return faces
