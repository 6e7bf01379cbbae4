"""Energy balance of a run: what its drives, dampers, motors and loads supplied against the change of its energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..model.forces import FORCE_KINDS
from . import tables as tab
from .quantity import Source

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

SAMPLE_ROUNDING = 1e-9
"""Share of the time between two samples within which a frame is at one."""


def power(source: Source, _: object) -> np.ndarray:
    """Power supplied [W] (nf,), see kernels/force/power.py."""
    return source.array("system")[:, tab.POWER]


def work(source: Source, _: object) -> np.ndarray:
    """Work supplied since the first frame [J] (nf,): the integral of the power by a cubic spline through the frames.

    Its error falls with the fourth power of the frames' spacing where the power is smooth.  What sampled controllers supply
    jumps; it is taken out and integrated from sample to sample.
    """
    t, supplied = source.array("t"), power(source, _)
    if not np.any(supplied) or len(t) < 2:
        return np.zeros(len(t))
    if not np.all(np.isfinite(supplied)):
        return np.full(len(t), np.nan)
    out = np.zeros(len(t))
    for held in _held_outputs(source):
        supplied = supplied - held.effort * held.rate
        out += _held_work(t, held)
    whole = _integral(t, supplied)
    out += whole(t) - whole(t[0])
    return out


@dataclass(frozen=True)
class _Held:
    """An output of a sampled controller (nf,), the rate that it does work at, its integral if it is known, and its spacing."""

    effort: np.ndarray
    rate: np.ndarray
    path: np.ndarray | None
    every: float


def _held_outputs(source: Source) -> Iterator[_Held]:
    rows = {force.name: force for force in source.layout.forces}
    for controller in source.layout.controllers:
        if controller.every > 0.0:
            for i, name in enumerate(controller.outputs):
                force, acts_on = rows[name], FORCE_KINDS[rows[name].kind].on
                sign = -1.0 if acts_on == "places" else 1.0  # a tension does work against the growth of the length
                element = source.array("element")[:, force.row]
                path = None if acts_on == "place" else sign * element[:, tab.LENGTH]
                effort = source.array("held")[:, controller.column + i]
                yield _Held(effort, sign * element[:, tab.RATE], path, controller.every)


def _held_work(t: np.ndarray, held: _Held) -> np.ndarray:
    """Work since the first frame [J] (nf,): y_k times the path to the next sample, at which the next frame's output begins.

    Where several samples lie between two frames their outputs count as the mean of those at the frames.
    """
    along = _integral(t, held.rate)
    path = along(t) if held.path is None else held.path
    now, then = t[:-1], t[1:]
    slack = SAMPLE_ROUNDING * held.every
    sample = (np.floor(now / held.every + SAMPLE_ROUNDING) + 1.0) * held.every
    count = np.ceil((then - slack - sample) / held.every)  # samples between the frames
    before = np.where(count <= 0, path[1:] - path[:-1], along(np.minimum(sample, then)) - along(now))
    before = np.where(count > 1, 0.5 * (path[1:] - path[:-1]), before)
    y = held.effort
    steps = y[:-1] * before + y[1:] * (path[1:] - path[:-1] - before)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _integral(t: np.ndarray, values: np.ndarray) -> PPoly:
    """Return the integral of a cubic spline through frames."""
    from scipy.interpolate import CubicSpline

    times, where = np.unique(t, return_index=True)
    return CubicSpline(times, values[where]).antiderivative()


def balance(source: Source, _: object) -> np.ndarray:
    """Change of the total energy since the first frame less the work supplied [J] (nf,): zero but for errors of the run."""
    total = source.array("system")[:, [tab.KINETIC, tab.GRAVITY, tab.ELASTIC]].sum(axis=1)
    out: np.ndarray = total - total[:1] - work(source, _)
    return out
