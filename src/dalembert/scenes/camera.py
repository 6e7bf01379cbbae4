"""A camera with little perspective that sees a whole motion, or goes along with one that leads far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .scene import Scene

FAR = 3.0
"""Motions that lead further than this, relative to the mechanism, are followed."""
DISTANCE = 4.0
"""Of the eye from what it looks at, relative to half of what it sees: perspective."""
MARGIN = 1.08
"""Of the picture around the mechanism."""


@dataclass(frozen=True, eq=False)
class Camera:
    """From where a scene is seen.

    Attributes
    ----------
    axes : (3, 3) float
        To the right, up, and towards the eye, as columns.
    target : (nf, 3) float
        What is in the middle [m].
    reach : (2,) float
        Half of the width and height that must be seen around the target [m].
    """

    axes: np.ndarray
    target: np.ndarray
    reach: np.ndarray

    def seen(self, points: np.ndarray, frame: int, width: int, height: int) -> np.ndarray:
        """Return columns, rows [pixels] and nearness (from 0 far to 1 at the eye) of points (..., 3), (..., 3)."""
        own = (points - self.target[frame]) @ self.axes
        half = float(np.linalg.norm(self.reach))
        eye = DISTANCE * half
        shrink = eye / np.maximum(eye - own[..., 2], 0.05 * eye)
        pixels = min(0.5 * width / self.reach[0], 0.5 * height / self.reach[1])
        return np.stack([0.5 * width + pixels * shrink * own[..., 0], 0.5 * height - pixels * shrink * own[..., 1],
                         shrink], axis=-1)


def camera_for(scene: Scene, follow: bool = True) -> Camera:
    """Return the camera for a scene; `follow` lets it go along with a motion that leads far."""
    z = -scene.look
    x = np.cross(scene.up, z)
    x /= np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(z, x), z])
    if not len(scene):
        return Camera(axes, np.zeros((0, 3)), np.ones(2))
    middle, extent = (scene.low + scene.high) / 2, scene.high - scene.low
    low, high = scene.low.min(axis=0), scene.high.max(axis=0)
    own = float(np.linalg.norm(extent, axis=1).max())
    if follow and np.linalg.norm(high - low) > FAR * own > 0.0:
        target = middle
        corners = np.stack([extent.max(axis=0) / 2, -extent.max(axis=0) / 2])
    else:
        target = np.tile((low + high) / 2, (len(scene), 1))
        corners = np.stack([(high - low) / 2, (low - high) / 2])
    box = np.array([[x, y, z] for x in corners[:, 0] for y in corners[:, 1] for z in corners[:, 2]]) @ axes
    reach = MARGIN * np.maximum(np.abs(box[:, :2]).max(axis=0) * (1 + 0.5 / DISTANCE), 1e-9)
    return Camera(axes, target, np.maximum(reach, 0.05 * reach.max()))
