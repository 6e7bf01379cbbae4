"""Energy balance of a run: what its drives, dampers, motors and loads supplied against the change of its energy."""

from __future__ import annotations

import numpy as np

from . import tables as tab
from .quantity import Source


def power(source: Source, _: object) -> np.ndarray:
    """Power supplied [W] (nf,), see kernels/force/power.py."""
    return source.array("system")[:, tab.POWER]


def work(source: Source, _: object) -> np.ndarray:
    """Work supplied since the first frame [J] (nf,): the integral of the power by a cubic spline through the frames.

    Its error falls with the fourth power of the frames' spacing where the power is smooth.
    """
    t, supplied = source.array("t"), power(source, _)
    if not np.any(supplied) or len(t) < 2:
        return np.zeros(len(t))
    if not np.all(np.isfinite(supplied)):
        return np.full(len(t), np.nan)
    from scipy.interpolate import CubicSpline

    times, where = np.unique(t, return_index=True)
    whole = CubicSpline(times, supplied[where]).antiderivative()
    out: np.ndarray = whole(t) - whole(t[0])
    return out


def balance(source: Source, _: object) -> np.ndarray:
    """Change of the total energy since the first frame less the work supplied [J] (nf,): zero but for errors of the run."""
    total = source.array("system")[:, [tab.KINETIC, tab.GRAVITY, tab.ELASTIC]].sum(axis=1)
    out: np.ndarray = total - total[:1] - work(source, _)
    return out
