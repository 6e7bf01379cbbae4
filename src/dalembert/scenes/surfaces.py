"""Closed surfaces of triangles: the solids that mechanisms are drawn with.

All lie about the origin with their axis along z; faces turn outwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

SIDES = 20
"""Of round things."""
CREASE = np.cos(np.radians(40.0))
"""Faces that meet at a larger angle keep their edge."""
LARGEST = 4000
"""Triangles that a mesh is thinned to, about."""


class Surface(NamedTuple):
    """Vertices (n, 3) [m] and triangles (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray

    def placed(self, position: Sequence[float] | np.ndarray, rotation: np.ndarray | None = None) -> Surface:
        """Return it turned by a rotation matrix, then moved."""
        turned = self.vertices if rotation is None else self.vertices @ np.asarray(rotation, float).T
        return Surface(turned + np.asarray(position, float), self.faces)


def joined(parts: Sequence[Surface]) -> Surface:
    """Return several surfaces as one."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Surface(np.vstack([part.vertices for part in parts]),
                   np.vstack([part.faces + n for part, n in zip(parts, first[:-1], strict=True)]))


def box(size: Sequence[float] | np.ndarray) -> Surface:
    """Return a box with edges of three lengths [m]."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return Surface(corners * size, np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def turned(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Surface:
    """Return the surface that a profile of (radius, z) sweeps about the z axis, upwards; the ends are closed."""
    rows = [(0.0, profile[0][1]), *profile, (0.0, profile[-1][1])]
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.vstack([np.column_stack([r * ring, np.full(sides, z)]) for r, z in rows])
    k, j = np.meshgrid(np.arange(len(rows) - 1), np.arange(sides), indexing="ij")
    a, b = (k * sides + j).ravel(), (k * sides + (j + 1) % sides).ravel()
    return _cleaned(vertices, np.vstack([np.column_stack([a, b, b + sides]), np.column_stack([a, b + sides, a + sides])]))


def cylinder(radius: float, length: float) -> Surface:
    """Return a cylinder."""
    return turned([(radius, -length / 2), (radius, length / 2)])


def capsule(radius: float, length: float) -> Surface:
    """Return a cylinder of a length with half balls at its ends."""
    angle = np.linspace(-np.pi / 2, 0.0, SIDES // 4 + 1)
    lower = [(radius * np.cos(a), radius * np.sin(a) - length / 2) for a in angle]
    return turned([*lower, *((r, -z) for r, z in lower[::-1])])


def sphere(radius: float) -> Surface:
    """Return a ball."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, SIDES // 2 + 1)
    return turned([(radius * np.cos(a), radius * np.sin(a)) for a in angle])


def ellipsoid(half_axes: Sequence[float] | np.ndarray) -> Surface:
    """Return an ellipsoid of three half axes."""
    ball = sphere(1.0)
    return Surface(ball.vertices * np.asarray(half_axes, float), ball.faces)


def rod(start: np.ndarray, end: np.ndarray, radius: float) -> Surface:
    """Return a capsule between two points (3,)."""
    along = np.asarray(end, float) - start
    length = float(np.linalg.norm(along))
    return capsule(radius, length).placed((np.asarray(start) + end) / 2, frame_along(along))


def coil(radius: float, wire: float, turns: int = 9) -> Surface:
    """Return a helical spring of the length one along z, from zero, with straight ends on the axis."""
    angle = np.linspace(0.0, 2 * np.pi * turns, 10 * turns + 1)
    z = 0.12 + 0.76 * angle / angle[-1]
    helix = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    return tube(np.vstack([(0, 0, 0), (0, 0, 0.1), helix, (0, 0, 0.9), (0, 0, 1)]), wire)


def tube(points: np.ndarray, radius: float, sides: int = 5) -> Surface:
    """Return a tube of a radius around a line of points (n, 3)."""
    along = np.gradient(points, axis=0)
    frames = np.stack([frame_along(direction) for direction in along])
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(sides)])
    vertices = (points[:, None] + np.einsum("nab,sb->nsa", frames, ring)).reshape(-1, 3)
    return Surface(vertices, sleeve(len(points), sides))


def sleeve(rings: int, sides: int) -> np.ndarray:
    """Return triangles (m, 3) between rings of vertices that follow each other, without caps."""
    k, j = np.meshgrid(np.arange(rings - 1), np.arange(sides), indexing="ij")
    a, b = (k * sides + j).ravel(), (k * sides + (j + 1) % sides).ravel()
    return np.vstack([np.column_stack([a, b, b + sides]), np.column_stack([a, b + sides, a + sides])])


def frame_along(direction: np.ndarray) -> np.ndarray:
    """Return axes (3, 3), as columns, whose z points along a direction; those of the world if it has no length."""
    length = np.linalg.norm(direction)
    if not length > 0.0:
        return np.eye(3)
    z = np.asarray(direction, float) / length
    x = np.cross(np.eye(3)[1 if abs(z[1]) < 0.9 else 0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def thinned(surface: Surface, largest: int = LARGEST) -> Surface:
    """Return a mesh of about so many triangles at most; vertices within a cell of a grid become one."""
    found, cells = surface, 256
    while len(found.faces) > largest and cells > 4:
        low, span = surface.vertices.min(axis=0), float(np.ptp(surface.vertices, axis=0).max())
        cell = np.floor((surface.vertices - low) / (span / cells)).astype(int)
        _, first, number = np.unique(cell, axis=0, return_index=True, return_inverse=True)
        found = _cleaned(surface.vertices[first], number.ravel()[surface.faces])
        cells = cells * 3 // 4
    return found


def _cleaned(vertices: np.ndarray, faces: np.ndarray) -> Surface:
    """Return a surface whose coinciding vertices are one, without triangles that have two of the same corners."""
    grain = 1e-9 * (float(np.ptp(vertices, axis=0).max()) or 1.0)
    _, first, number = np.unique(np.round(vertices / grain), axis=0, return_index=True, return_inverse=True)
    merged = number.ravel()[faces]
    a, b, c = merged.T
    return Surface(vertices[first], merged[(a != b) & (b != c) & (c != a)])


def face_normals(corners: np.ndarray) -> np.ndarray:
    """Return unit normals (m, 3) of triangles with corners (m, 3, 3); zeros where they have no area."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    out: np.ndarray = normal / np.where(length > 0.0, length, 1.0)
    return out


def corner_normals(surface: Surface) -> np.ndarray:
    """Return unit normals at the corners of the triangles, (m, 3, 3): those of round places are shared, edges stay edges."""
    faces = surface.faces
    flat = face_normals(surface.vertices[faces])
    order = np.argsort(faces.ravel(), kind="stable")
    count = np.bincount(faces.ravel(), minlength=len(surface.vertices))
    first = np.cumsum(count) - count
    per = count[faces.ravel()]  # corners that meet in each corner's vertex
    corner = np.repeat(np.arange(faces.size), per)
    step = np.arange(len(corner)) - np.repeat(np.cumsum(per) - per, per)
    other = order[first[faces.ravel()[corner]] + step]
    mine, its = flat[corner // 3], flat[other // 3]
    kept = np.einsum("ia,ia->i", mine, its) > CREASE
    total = np.zeros((faces.size, 3))
    np.add.at(total, corner[kept], its[kept])
    length = np.linalg.norm(total, axis=1, keepdims=True)
    out: np.ndarray = (total / np.where(length > 0.0, length, 1.0)).reshape(-1, 3, 3)
    return out


def arrow(shaft: float, head: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 4) and triangles of an arrow as a `Link` has them: radius of its shaft, length of its head [m]."""
    profile = np.array([(shaft, 0.0, 0.0), (shaft, 1.0, -head), (2.5 * shaft, 1.0, -head), (0.0, 1.0, 0.0)])
    found = turned([(r, float(k)) for k, (r, *_) in enumerate(profile)], sides=10)
    along = profile[np.rint(found.vertices[:, 2]).astype(int), 1:]
    return np.column_stack([found.vertices[:, :2], along]), found.faces


def stretched(surface: Surface) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 4) and triangles of a `Link` from a surface with the length one along z, from zero."""
    return np.column_stack([surface.vertices, np.zeros(len(surface.vertices))]), surface.faces


def hull(points: np.ndarray, thickness: float) -> Surface | None:
    """Return the convex hull of points (n, 3), a plate if they lie in a plane; None if they lie on a line."""
    from scipy.spatial import ConvexHull, QhullError

    middle = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - middle)
    if len(points) < 3 or spread[1] <= 2 * thickness:
        return None
    if len(points) < 4 or spread[2] <= thickness:
        points = np.vstack([points + thickness * axes[2], points - thickness * axes[2]])
    try:
        found = ConvexHull(points)
    except QhullError:
        return None
    faces = found.simplices
    inward = np.einsum("ia,ia->i", face_normals(points[faces]), found.equations[:, :3]) < 0.0
    return _cleaned(points, np.where(inward[:, None], faces[:, ::-1], faces))
