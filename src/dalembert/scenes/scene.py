"""A scene: what a mechanism looks like and how it moves, as arrays; renderers and pages draw it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..system.quaternion import rotations_of
from .surfaces import Surface

Colour = tuple[float, float, float]
"""Red, green, blue from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A rigid surface, its vertices in the axes of the body of that row."""

    name: str
    body: int
    surface: Surface
    colour: Colour


@dataclass(frozen=True, eq=False)
class Link:
    """A surface stretched between two places that move: springs, massless rods, arrows.

    Attributes
    ----------
    name : str
    start, end : (nf, 3) float
        World axes [m]; where the two coincide or are no numbers nothing is drawn.
    vertices : (n, 4) float
        Two coordinates across [m], and along it: part of the length, and a length to be added [m].
    faces : (m, 3) int
    colour : (3,) float
    """

    name: str
    start: np.ndarray
    end: np.ndarray
    vertices: np.ndarray
    faces: np.ndarray
    colour: Colour


@dataclass(frozen=True, eq=False)
class Skin:
    """A surface that deforms: vertices (nf, n, 3) in the world [m], triangles (m, 3)."""

    name: str
    vertices: np.ndarray
    faces: np.ndarray
    colour: Colour


@dataclass(frozen=True, eq=False)
class Line:
    """A line that stays in the world: points (n, 3) [m], joined one after the other, or in pairs."""

    points: np.ndarray
    colour: Colour
    pairs: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """A mechanism over time.

    Attributes
    ----------
    title : str
    t : (nf,) float
        [s]
    bodies : tuple of str
        Names; row 0 is the ground.
    position, orientation : (nf, nb, 3) and (nf, nb, 4) float
        Poses of the bodies [m], quaternions (w, x, y, z).
    solids, links, skins, lines : tuple
        What is drawn.
    up : (3,) float
        Unit vector that points upwards in pictures.
    look : (3,) float
        Unit vector along which it is looked at best.
    low, high : (nf, 3) float
        Box around the mechanism at each time [m].
    notes : tuple of str
        What could not be drawn.
    """

    title: str
    t: np.ndarray
    bodies: tuple[str, ...]
    position: np.ndarray
    orientation: np.ndarray
    solids: tuple[Solid, ...]
    links: tuple[Link, ...]
    skins: tuple[Skin, ...]
    lines: tuple[Line, ...]
    up: np.ndarray
    look: np.ndarray
    low: np.ndarray
    high: np.ndarray
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.t)

    def at(self, frames: np.ndarray) -> Scene:
        """Return the same at some of the frames."""
        return replace(self, t=self.t[frames], position=self.position[frames], orientation=self.orientation[frames],
                       low=self.low[frames], high=self.high[frames],
                       links=tuple(replace(link, start=link.start[frames], end=link.end[frames]) for link in self.links),
                       skins=tuple(replace(skin, vertices=skin.vertices[frames]) for skin in self.skins))

    def rotations(self, frame: int) -> np.ndarray:
        """Return axes (nb, 3, 3) of all bodies at a frame, as columns."""
        return rotations_of(self.orientation[frame])


def moving_box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest coordinates (nf, 3) of points (nf, n, 3), those that are no numbers left out."""
    fine = np.isfinite(points)
    low = np.where(fine, points, np.inf).min(axis=1, initial=np.inf)
    high = np.where(fine, points, -np.inf).max(axis=1, initial=-np.inf)
    nowhere = ~np.isfinite(low)
    return np.where(nowhere, 0.0, low), np.where(nowhere, 0.0, high)
