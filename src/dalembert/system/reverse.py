"""Balls of joints that are written from the carried body to its parent: the tree turns the other way round.

With R and w the rotation of one frame in the other and its angular velocity in the other's axes, those of the inverse
are R' = Rᵀ, w' = -R' w, and w' has the rate -R' wd; the map is its own inverse.
"""

from __future__ import annotations

import numpy as np

from ..model.joints import JOINT_KINDS
from .layout import Layout
from .quaternion import rotations_of


def turned_balls(layout: Layout) -> list[tuple[int, int]]:
    """Return (first of the four coordinates, first of the three rates) of each ball that turns the other way round."""
    balls = [(j, JOINT_KINDS[j.kind].ball_at) for j in layout.joints if j.reversed and JOINT_KINDS[j.kind].ball]
    return [(j.q + at, j.v + at) for j, at in balls]


def swap(layout: Layout, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
    """Change frames (nf, ...) from tree coordinates to the user's or back, in place."""
    for k, v in turned_balls(layout):
        q[:, k + 1:k + 4] *= -1.0
        R = rotations_of(q[:, k:k + 4])
        for rates in (qd, qdd):
            rates[:, v:v + 3] = -np.einsum("fab,fb->fa", R, rates[:, v:v + 3])


def swap_efforts(layout: Layout, q: np.ndarray, effort: np.ndarray) -> None:
    """Change efforts (nf, n_v) from tree coordinates q (nf, n_q) to the user's rates, in place: equal power."""
    for k, v in turned_balls(layout):
        R = rotations_of(q[:, k:k + 4])
        effort[:, v:v + 3] = -np.einsum("fba,fb->fa", R, effort[:, v:v + 3])
