"""Ball and free joints that are written from the carried body to its parent: the tree moves the other way round.

With R, x, w, v the pose and rates of one frame in the other (w, v in the other's axes), those of the inverse are
    R' = Rᵀ,  x' = -R' x,  w' = -R' w,  v' = w' x x' - R' v                                    (1)
    wd' = -R' wd,  vd' = wd' x x' + w' x v' - w' x R' v - R' vd                                (2)
and the map is its own inverse.
"""

from __future__ import annotations

import numpy as np

from .layout import JointEntry, Layout
from .quaternion import rotations_of


def turned_around(layout: Layout) -> list[JointEntry]:
    """Return the joints whose tree coordinates are not the user's."""
    return [j for j in layout.joints if j.reversed and j.kind in ("spherical", "free")]


def swap(layout: Layout, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
    """Change frames (nf, ...) from tree coordinates to the user's or back, in place."""
    for j in turned_around(layout):
        shift = 3 if j.kind == "free" else 0
        e, w, wd = (a[:, s:s + n] for a, s, n in ((q, j.q + shift, 4), (qd, j.v + shift, 3), (qdd, j.v + shift, 3)))
        e[:, 1:] *= -1.0
        R = rotations_of(e)
        w[:], wd[:] = -_times(R, w), -_times(R, wd)
        if shift:
            x, v, vd = q[:, j.q:j.q + 3], qd[:, j.v:j.v + 3], qdd[:, j.v:j.v + 3]
            x[:] = -_times(R, x)
            Rv, Rvd = _times(R, v), _times(R, vd)
            v[:] = np.cross(w, x) - Rv                                                           # (1)
            vd[:] = np.cross(wd, x) + np.cross(w, v) - np.cross(w, Rv) - Rvd                     # (2)


def swap_efforts(layout: Layout, q: np.ndarray, effort: np.ndarray) -> None:
    """Change efforts (nf, n_v) from tree coordinates q (nf, n_q) to the user's rates, in place: equal power."""
    for j in turned_around(layout):
        shift = 3 if j.kind == "free" else 0
        R = np.swapaxes(rotations_of(q[:, j.q + shift:j.q + shift + 4]), 1, 2)
        turning = effort[:, j.v + shift:j.v + shift + 3]
        if shift:
            pushing = effort[:, j.v:j.v + 3]
            turning[:] = -_times(R, turning + np.cross(q[:, j.q:j.q + 3], pushing))
            pushing[:] = -_times(R, pushing)
        else:
            turning[:] = -_times(R, turning)


def _times(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    return np.einsum("fab,fb->fa", R, a)
