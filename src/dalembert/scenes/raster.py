"""Shaded triangles and lines on a grid of pixels, by depth; NumPy alone.

Every triangle proposes its pixels.  Of the proposals for a pixel the nearest wins, found by one minimum over keys that hold
the distance above the number of the proposal.
"""

from __future__ import annotations

import numpy as np

LIGHTS = ((np.array([-0.35, 0.55, 0.76]), 0.62), (np.array([0.75, -0.15, 0.64]), 0.22))
"""Directions to the lights in the axes of the camera, with their strengths."""
AMBIENT = 0.30
SHINE, HARDNESS = 0.16, 24
BLOCK = 2_000_000
"""Pixels that are proposed at a time, about."""


def shade(normals: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """Return lit colours (n, 3) for unit normals (n, 3) in the axes of the camera; both sides of a face are lit."""
    facing = np.where(normals[:, 2:] < 0.0, -normals, normals)
    light = np.full(len(facing), AMBIENT)
    for direction, strength in LIGHTS:
        light += strength * np.maximum(facing @ (direction / np.linalg.norm(direction)), 0.0)
    half = LIGHTS[0][0] / np.linalg.norm(LIGHTS[0][0]) + (0, 0, 1)
    glint = SHINE * np.maximum(facing @ (half / np.linalg.norm(half)), 0.0) ** HARDNESS
    return np.asarray(np.clip(colours * light[:, None] + glint[:, None], 0.0, 1.0))


def draw(image: np.ndarray, corners: np.ndarray, normals: np.ndarray, colours: np.ndarray, lit: np.ndarray) -> None:
    """Draw triangles into an image, in place.

    Parameters
    ----------
    image : (height, width, 3) float
        Colours from 0 to 1; the background at first.
    corners : (m, 3, 3) float
        Column, row [pixels] and nearness of each corner.
    normals : (m, 3, 3) float
        At the corners, in the axes of the camera.
    colours : (m, 3) float
    lit : (m,) bool
        Whether a triangle is shaded.
    """
    height, width = image.shape[:2]
    nearest = np.full(height * width, np.iinfo(np.int64).max)
    area = _edge(corners[:, 0], corners[:, 1], corners[:, 2, 0], corners[:, 2, 1])
    rows = _Rows(corners, area, width, height)
    for first, last in rows.blocks():
        pixel, key = rows.proposals(first, last)
        np.minimum.at(nearest, pixel, key)
    hit = np.flatnonzero(nearest < np.iinfo(np.int64).max)
    triangle = (nearest[hit] & 0xFFFFFFFF).astype(int)
    weights = _weights(corners[triangle], area[triangle], hit % width + 0.5, hit // width + 0.5)
    normal = np.einsum("ic,ica->ia", weights, normals[triangle])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    own = colours[triangle]
    image[hit // width, hit % width] = np.where(lit[triangle, None], shade(normal, own), own)


class _Rows:
    """The rows of pixels that triangles cross.

    Of each: row and triangle, the first column, the number of columns, how near the triangle is there, and how that
    changes from column to column.
    """

    def __init__(self, corners: np.ndarray, area: np.ndarray, width: int, height: int):
        y = corners[..., 1]
        low = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(int)
        high = np.clip(np.floor(y.max(axis=1) - 0.5) + 1, 0, height).astype(int)
        count = np.where(np.abs(area) > 1e-9, np.maximum(high - low, 0), 0)
        triangle = np.repeat(np.arange(len(corners)), count)
        row = low[triangle] + np.arange(len(triangle)) - np.repeat(np.cumsum(count) - count, count)
        left, right = _crossings(corners, triangle, row + 0.5)
        begin = np.maximum(np.ceil(left - 0.5), 0)
        columns = np.minimum(np.floor(right - 0.5), width - 1) - begin + 1
        some = np.flatnonzero(columns > 0)
        self.triangle, self.row, self.begin = triangle[some], row[some], begin[some].astype(int)
        self.columns, self.width = columns[some].astype(int), width
        along, down = _slopes(corners, np.where(np.abs(area) > 1e-9, area, 1.0))
        own = self.triangle
        self.slope = along[own]
        self.near = (corners[own, 0, 2] + along[own] * (self.begin + 0.5 - corners[own, 0, 0])
                     + down[own] * (self.row + 0.5 - corners[own, 0, 1]))
        self.end = np.cumsum(self.columns)

    def blocks(self) -> list[tuple[int, int]]:
        """Return ranges of rows that propose about `BLOCK` pixels."""
        if not len(self.end):
            return []
        limits = np.arange(BLOCK, self.end[-1] + BLOCK, BLOCK)
        cuts = np.unique(np.concatenate([[0], np.searchsorted(self.end, limits), [len(self.end)]]))
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    def proposals(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return pixels of some rows, and keys that are least for the nearest triangle."""
        columns = self.columns[first:last]
        own = np.repeat(np.arange(first, last), columns)
        step = np.arange(len(own)) - np.repeat(np.cumsum(columns) - columns, columns)
        depth = self.near[own] + self.slope[own] * step
        far = np.clip((4.0 - depth) * 2.0**28, 0, 2.0**31 - 1).astype(np.int64)
        return self.row[own] * self.width + self.begin[own] + step, far << 32 | self.triangle[own]


def _crossings(corners: np.ndarray, triangle: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last column at which lines y (n,) cross triangles."""
    left, right = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    for k in range(3):
        a, b = corners[triangle, k], corners[triangle, (k + 1) % 3]
        rise = b[:, 1] - a[:, 1]
        part = (y - a[:, 1]) / np.where(rise == 0.0, 1.0, rise)
        x = a[:, 0] + part * (b[:, 0] - a[:, 0])
        on = (rise != 0.0) & (part >= 0.0) & (part <= 1.0)
        left = np.where(on, np.minimum(left, x), left)
        right = np.where(on, np.maximum(right, x), right)
    return left, right


def _slopes(corners: np.ndarray, area: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how nearness changes along columns and rows, two arrays (m,)."""
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return (b[:, 2] * c[:, 1] - c[:, 2] * b[:, 1]) / area, (c[:, 2] * b[:, 0] - b[:, 2] * c[:, 0]) / area


def _weights(corners: np.ndarray, area: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return barycentric coordinates (n, 3) of points in triangles (n, 3, 3)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    out: np.ndarray = np.column_stack([_edge(b, c, x, y), _edge(c, a, x, y), _edge(a, b, x, y)]) / area[:, None]
    return out


def _edge(a: np.ndarray, b: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out: np.ndarray = (b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])
    return out


def ribbons(starts: np.ndarray, ends: np.ndarray, width: float) -> np.ndarray:
    """Return triangles (2 n, 3, 3) that make lines of a width [pixels] out of their seen ends (n, 3) and (n, 3)."""
    along = ends[:, :2] - starts[:, :2]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = np.zeros_like(starts)
    across[:, :2] = 0.5 * width * np.column_stack([-along[:, 1], along[:, 0]]) / np.where(length > 0.0, length, 1.0)
    a, b, c, d = starts + across, starts - across, ends - across, ends + across
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
