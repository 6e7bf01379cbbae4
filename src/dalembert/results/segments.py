"""The results of a run whose model changed: a segment per model, channels by name across all of them.

Each segment has all channels of its model.  Where a segment ends and the next one begins there are two frames of one time, the
last of the old model and the first of the new one; in the whole the new one counts, so that times grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ChannelError, MultibodyError
from . import channels as ch
from .quantity import WXYZ, Quantity
from .results import Results
from .stats import Stats
from .tables import FRAMES

SUMMED = ("energy.work", "energy.balance")
"""Channels that count from the first frame: in the whole they go on where the segment before ended."""


class SegmentedResults(Results):
    """Time histories of a run whose model changed, by name: ``r["elbow.angle"]``, nan while there was no elbow.

    Parameters
    ----------
    segments : sequence of Results
        In the order of time, each from where the one before ended.

    Attributes
    ----------
    segments : tuple of Results
        As above; ``r.segments[0]`` is a result like that of a run, with its own model in its provenance.
    """

    def __init__(self, segments: Sequence[Results]):
        self.segments = tuple(segments)
        begins = [segment.t[0] for segment in self.segments[1:]] + [np.inf]
        self._counts = [int(np.searchsorted(segment.t, begin)) for segment, begin in zip(self.segments, begins, strict=True)]
        last = self.segments[-1]
        t = np.concatenate([segment.t[:n] for segment, n in zip(self.segments, self._counts, strict=True)])
        empty = np.zeros((len(t), 0))
        super().__init__({name: t if name == "t" else empty for name in FRAMES}, last.layout, tables={},
                         stats=_sum([segment.stats for segment in self.segments]),
                         messages=[message for segment in self.segments for message in segment.messages],
                         status=last.status, provenance=last.provenance,
                         events=[event for segment in self.segments for event in segment.events])

    @cached_property
    def channels(self) -> list[str]:
        """Names of the channels of all segments, sorted."""
        return sorted({name for segment in self.segments for name in segment.channels})

    @cached_property
    def _owners(self) -> ch.Owners:
        """Everything that has channels in some segment; the last one that has it counts."""
        found: ch.Owners = {}
        for segment in self.segments:
            found.update(ch.owners(segment.layout))
        return found

    def __getitem__(self, channel: str) -> np.ndarray:
        """Return a channel's time history, nan where its owner was not there; `ChannelError` if no segment has it."""
        quantity = self._quantity(channel)
        shape = tuple(map(len, quantity.components))
        parts: list[np.ndarray] = []
        begun = 0.0
        for segment, n in zip(self.segments, self._counts, strict=True):
            if channel not in segment:
                parts.append(np.full((n, *shape), np.nan))
                continue
            whole = segment[channel]
            if whole.shape[1:] != shape:
                raise ChannelError(f"{channel!r} has {whole.shape[1:]} components at t = {segment.t[0]:g} s and {shape} "
                                   f"later. Take it out of the segments: r.segments[k][{channel!r}].")
            if channel in SUMMED:
                whole, begun = whole + begun, begun + (float(whole[-1]) if len(whole) else 0.0)
            if quantity.components == WXYZ and parts and len(parts[-1]) and n and whole[0] @ parts[-1][-1] < 0.0:
                whole = -whole
            parts.append(whole[:n])
        return np.concatenate(parts)

    def _quantity(self, channel: str) -> Quantity:
        """Return the quantity of a channel in the last segment that has it."""
        last = next((segment for segment in reversed(self.segments) if channel in segment), None)
        return ch.find(self._owners if last is None else ch.owners(last.layout), channel)[0]

    def __contains__(self, channel: str) -> bool:
        return any(channel in segment for segment in self.segments)

    def unit(self, channel: str) -> str:
        """Return a channel's unit; ``"1"`` without dimension, several where the components differ."""
        return self._quantity(channel).unit

    def components(self, channel: str) -> tuple[tuple[str, ...], ...]:
        """Return the labels along each axis after time; empty for a scalar channel."""
        return self._quantity(channel).components

    def array(self, name: str) -> np.ndarray:
        """Return the times; other arrays belong to a model each, and so to a segment."""
        if name == "t":
            return self.t
        raise self._several(f"the array {name!r}")

    def tables(self) -> dict[str, np.ndarray]:
        """Refuse: tables belong to a model each."""
        raise self._several("tables")

    def frames(self) -> dict[str, np.ndarray]:
        """Refuse: coordinates belong to a model each."""
        raise self._several("coordinates")

    def _several(self, what: str) -> MultibodyError:
        spans = ", ".join(f"{s.t[0]:g} to {s.t[-1]:g} s" for s in self.segments[:6])
        return MultibodyError(f"{what} of a run whose model changed: each model has its own. Take one of r.segments "
                              f"({spans}), or channels by name, r[...].")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_owners", "channels")}

    def __repr__(self) -> str:
        inner = super().__repr__().splitlines()
        return "\n".join([inner[0], f"  {len(self.segments)} models, one after the other", *inner[1:]])


def joined_segments(segments: Sequence[Results]) -> Results:
    """Return the results of segments; those of a single one as they are."""
    kept = [segment for segment in segments if len(segment)]
    if len(kept) <= 1:
        return kept[0] if kept else segments[-1]
    return SegmentedResults(kept)


def _sum(stats: Sequence[Stats]) -> Stats:
    taken = [s for s in stats if s.steps]
    counts = {name: sum(getattr(s, name) for s in stats)
              for name in ("steps", "rejected", "iterations", "factorizations", "evaluations", "seconds")}
    return Stats(**counts, smallest_step=min((s.smallest_step for s in taken), default=0.0),
                 largest_step=max((s.largest_step for s in taken), default=0.0))
