"""From where a mechanism is looked at best."""

from __future__ import annotations

import numpy as np

FLAT = 0.02
"""Motions thinner than this, relative to the mechanism, are planar, but for the thickness of what is drawn."""
AZIMUTH, ELEVATION = np.radians(-58.0), np.radians(20.0)
TILT_AZIMUTH, TILT_ELEVATION = np.radians(-18.0), np.radians(12.0)
"""Of the eye: for motions in space, and beside the normal of planar ones."""


def best_view(gravity: np.ndarray | None, low: np.ndarray, high: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vectors: upwards in the picture, and along which to look.

    Parameters
    ----------
    gravity : (3,) float or None
        World axes [m/s²].
    low, high : (nf, 3) float
        Box around the mechanism [m].
    size : float
        Of the mechanism [m].
    """
    z = np.array([0.0, 0.0, 1.0])
    strength = 0.0 if gravity is None else float(np.linalg.norm(gravity))
    up = z if gravity is None or not strength > 0.0 else -gravity / strength
    span = high.max(axis=0, initial=-np.inf) - low.min(axis=0, initial=np.inf)
    thin = int(np.argmin(span))
    normal = np.eye(3)[thin]
    planar = len(low) > 0 and span[thin] < (FLAT + 0.08) * size and np.sort(span)[1] > 2.5 * span[thin]
    if planar and abs(normal @ up) > 0.9 and not strength > 0.0:
        up = np.array([0.0, 1.0, 0.0])
    if not planar or abs(normal @ up) > 0.9:
        return up, _looking(up, _across(up), AZIMUTH, ELEVATION)
    side = normal if thin != 1 else -normal  # x to the right where that can be
    return up, _looking(up, np.cross(up, side), TILT_AZIMUTH - np.pi / 2, TILT_ELEVATION)


def _across(up: np.ndarray) -> np.ndarray:
    """Return the horizontal direction that lies nearest to the x axis, or to y."""
    for axis in np.eye(3)[:2]:
        flat = axis - (axis @ up) * up
        if np.linalg.norm(flat) > 0.5:
            break
    out: np.ndarray = flat / np.linalg.norm(flat)
    return out


def _looking(up: np.ndarray, right: np.ndarray, azimuth: float, elevation: float) -> np.ndarray:
    """Return the direction of view from an eye at an azimuth from `right` about `up`, and an elevation [rad]."""
    ahead = np.cross(up, right)
    eye = np.cos(elevation) * (np.cos(azimuth) * right + np.sin(azimuth) * ahead) + np.sin(elevation) * up
    return np.asarray(-eye)
