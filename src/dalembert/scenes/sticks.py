"""Stick figures: what bodies look like of which only masses and the places of joints and forces are known."""

from __future__ import annotations

import numpy as np

from .surfaces import Surface, box, hull, joined, rod, sphere

ROD, BALL, PLATE = 0.011, 0.028, 0.008
"""Radius of rods and balls, half the thickness of plates, relative to the mechanism."""


def inertia_box(mass: float, inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return edges (3,) [m] and axes (3, 3) of the homogeneous box that has a mass [kg] and an inertia (3, 3) [kg m²]."""
    moments, axes = np.linalg.eigh(inertia)
    if not mass > 0.0 or not moments[-1] > 0.0:
        return None
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
    edges = np.sqrt(np.maximum(squares, 0.0))
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return np.maximum(edges, 0.05 * edges.max()), axes


def stick_figure(places: np.ndarray, com: np.ndarray | None, solid: tuple[np.ndarray, np.ndarray] | None, size: float,
                 most: float) -> Surface:
    """Return what a body is drawn as.

    Parameters
    ----------
    places : (n, 3) float
        Where joints and forces act, in the body's axes [m].
    com : (3,) float or None
        Centre of mass, if it has one that is known.
    solid : edges and axes, or None
        See `inertia_box`.
    size : float
        Of the whole mechanism [m].
    most : float
        Longest edge of the box [m]; larger ones become smaller.
    """
    places = _distinct(places, 2 * ROD * size)
    if len(places) == 0:
        places = np.zeros((1, 3)) if com is None else com[None]
    if len(places) == 1:
        return _hung(places[0], com, solid, size, most)
    plate = hull(places, PLATE * size)
    parts = [plate] if plate is not None else [rod(places[i], places[j], ROD * size) for i, j in _edges(places)]
    if com is not None and plate is None:
        gaps = np.linalg.norm(places - com, axis=1)
        if _off_line(places, com) > 0.05 * size:
            parts += [rod(places[gaps.argmin()], com, 0.7 * ROD * size), sphere(BALL * size).placed(com)]
    return joined(parts)


def _hung(place: np.ndarray, com: np.ndarray | None, solid: tuple[np.ndarray, np.ndarray] | None, size: float,
          most: float) -> Surface:
    """Return a body that is held at one place: a rod to its centre of mass, and a ball or its box there."""
    centre = place if com is None else com
    own = sphere(BALL * size)
    if solid is not None and solid[0].max() > 2 * BALL * size:
        own = box(solid[0] * min(1.0, most / solid[0].max())).placed((0, 0, 0), solid[1])
    far = np.linalg.norm(centre - place) > 0.03 * size
    return joined([own.placed(centre), rod(place, centre, ROD * size)] if far else [own.placed(centre)])


def _distinct(points: np.ndarray, grain: float) -> np.ndarray:
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > grain for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 3)


def _edges(points: np.ndarray) -> list[tuple[int, int]]:
    """Return the shortest tree that joins points (n, 3)."""
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    reached, found = [0], []
    while len(reached) < len(points):
        rest = [j for j in range(len(points)) if j not in reached]
        i, j = min(((i, j) for i in reached for j in rest), key=lambda pair: gaps[pair])
        found.append((i, j))
        reached.append(j)
    return found


def _off_line(points: np.ndarray, centre: np.ndarray) -> float:
    """Return the distance of a point from the tree between others."""
    best = np.inf
    for i, j in _edges(points):
        along = points[j] - points[i]
        part = np.clip((centre - points[i]) @ along / (along @ along), 0.0, 1.0)
        best = min(best, float(np.linalg.norm(centre - points[i] - part * along)))
    return best
