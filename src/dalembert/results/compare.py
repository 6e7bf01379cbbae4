"""Runs side by side: how far channels differ, and what each run cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import MultibodyError, near_names
from .results import Results


@dataclass(frozen=True)
class Difference:
    """One run against the reference, in one channel.

    Attributes
    ----------
    name, channel, unit : str
        The run, the channel and its unit.
    absolute, relative : float
        Largest difference of a component, and the same divided by the reference's largest magnitude.
    time : float
        When it is largest [s].
    steps : int
    seconds : float
        What the run cost.
    """

    name: str
    channel: str
    unit: str
    absolute: float
    relative: float
    time: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """Differences of several runs from one of them; print it to see the table.

    Attributes
    ----------
    reference : str
        Name of the run that the others are compared with.
    rows : tuple of Difference
        One for each run and channel.
    """

    reference: str
    rows: tuple[Difference, ...]

    @property
    def worst(self) -> Difference:
        """The row with the largest relative difference; NaN counts as larger than anything."""
        return max(self.rows, key=lambda row: np.inf if np.isnan(row.relative) else row.relative)

    def __str__(self) -> str:
        head = ("run", "channel", "largest difference", "relative", "at t [s]", "steps", "seconds")
        cells = [head] + [(row.name, row.channel, *_figures(row, row.name == self.reference), str(row.steps),
                           f"{row.seconds:.3g}") for row in self.rows]
        widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
        lines = ["  ".join(text.ljust(width) if k < 2 else text.rjust(width)
                           for k, (text, width) in enumerate(zip(row, widths, strict=True))) for row in cells]
        return "\n".join(lines)


def compare(results: Mapping[str, Results], channel: str | Sequence[str], reference: str | None = None) -> Comparison:
    """Compare channels of several runs with those of one of them.

    Parameters
    ----------
    results : mapping of str to Results
        The runs by name.
    channel : str or sequence of str
        What to compare.
    reference : str, optional
        Name of the run to compare with; the first one by default.

    Returns
    -------
    Comparison
        Runs are compared at the times they have in common; where these are fewer than half of the shorter run's, each
        run is interpolated at the reference's times by cubic Hermite polynomials, within the common span.

    Examples
    --------
    ``print(compare({"rk4": a, "dopri5": b}, "elbow.angle"))``
    """
    if not results:
        raise MultibodyError("compare: no results given, expected a mapping of names to Results")
    reference = next(iter(results)) if reference is None else reference
    if reference not in results:
        raise MultibodyError(f"compare: no run {reference!r} to compare with.{near_names(reference, results)}")
    channels = [channel] if isinstance(channel, str) else list(channel)
    return Comparison(reference, tuple(_difference(name, run, results[reference], c)
                                       for name, run in results.items() for c in channels))


def _difference(name: str, run: Results, reference: Results, channel: str) -> Difference:
    """Return how far a run is from the reference in one channel."""
    t, found, expected = _aligned(run, reference, channel)
    gap = np.abs(found - expected).reshape(len(t), -1).max(axis=1, initial=0.0)
    scale = float(np.abs(expected).max(initial=0.0))
    at = int(np.argmax(np.where(np.isnan(gap), np.inf, gap)))
    largest = float(gap[at])
    relative = largest / scale if scale > 0.0 else (0.0 if largest == 0.0 else np.inf)
    return Difference(name, channel, run.unit(channel), largest, relative, float(t[at]), run.stats.steps,
                      run.stats.seconds)


def _aligned(run: Results, reference: Results, channel: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return common times and both histories there."""
    a, b = run[channel], reference[channel]
    if a.shape[1:] != b.shape[1:]:
        raise MultibodyError(f"compare: channel {channel!r} has {a.shape[1:]} components in {run.layout.model!r} and "
                             f"{b.shape[1:]} in {reference.layout.model!r}")
    i, j = _shared(run.t, reference.t)
    if len(i) and 2 * len(i) >= min(len(run), len(reference)):
        return run.t[i], a[i], b[j]
    if min(len(run), len(reference)) < 2:
        raise MultibodyError(f"compare: channel {channel!r}: the runs have no times in common")
    inside = (reference.t >= run.t[0]) & (reference.t <= run.t[-1])
    if not inside.any():
        raise MultibodyError(f"compare: the runs do not overlap in time: {run.t[0]:g} to {run.t[-1]:g} s and "
                             f"{reference.t[0]:g} to {reference.t[-1]:g} s")
    t = reference.t[inside]
    return t, _interpolated(t, run.t, a), b[inside]


def _shared(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of equal times, up to rounding of the largest."""
    if not len(a) or not len(b):
        return np.zeros(0, int), np.zeros(0, int)
    j = np.clip(np.searchsorted(b, a), 1, max(1, len(b) - 1)) if len(b) > 1 else np.zeros(len(a), int)
    j = np.where((j > 0) & (np.abs(b[j - 1] - a) < np.abs(b[j] - a)), j - 1, j)
    tolerance = 8 * np.finfo(float).eps * max(abs(a[-1]), abs(b[-1]))
    i = np.flatnonzero(np.abs(b[j] - a) <= tolerance)
    return i, j[i]


def _interpolated(at: np.ndarray, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return y at other times by cubic Hermite polynomials with slopes from the neighbours."""
    slope = np.gradient(y, t, axis=0, edge_order=2 if len(t) > 2 else 1)
    k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    column = (slice(None), *(None,) * (y.ndim - 1))
    s, h = ((at - t[k]) / h)[column], h[column]
    out: np.ndarray = ((1 + 2 * s) * (1 - s) ** 2 * y[k] + s * (1 - s) ** 2 * h * slope[k]
                       + s**2 * (3 - 2 * s) * y[k + 1] + s**2 * (s - 1) * h * slope[k + 1])
    return out


def _figures(row: Difference, is_reference: bool) -> tuple[str, str, str]:
    """Return the three numbers of a row as text."""
    if is_reference:
        return "(reference)", "", ""
    return f"{row.absolute:.3g} {'' if row.unit == '1' else row.unit}".strip(), f"{row.relative:.2e}", f"{row.time:g}"
