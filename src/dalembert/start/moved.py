"""Messages on what had to be moved: given starts and rates, and states that drives do not go on from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.checked import CheckedJoint
from ..system.layout import JointEntry, Layout, MotionEntry

ROUNDING = 1e-9
"""Change of a number, relative to one or to itself, that is not reported."""

Pair = tuple[np.ndarray, np.ndarray]
"""Coordinates (n_q,) and rates (n_v,) of the tree."""


def moved(joint: str, word: str, old: np.ndarray, new: np.ndarray, why: str) -> list[str]:
    """Return the message that a quantity of a joint was moved, if it was."""
    if not np.any(abs(new - old) > ROUNDING * (1 + abs(old))):
        return []
    return [f"joint {joint!r}: {word} moved from {_shown(old)} to {_shown(new)}{why}"]


def moved_starts(layout: Layout, joints: Mapping[str, CheckedJoint], before: Pair, after: Pair, why: str) -> list[str]:
    """Return messages on given starts and rates that became other ones."""
    messages = []
    for j in layout.joints:
        if j.hidden:
            continue
        given, q, v = joints[j.name], slice(j.q, j.q + j.nq), slice(j.v, j.v + j.nv)
        old, new = before[1][v], after[1][v]
        said = slice(0, j.nv - unsaid_rates(j, given))
        if given.keeps_start:
            messages += moved(j.name, "start", before[0][q], after[0][q], f", {why}")
        if given.start_rate is not None and moved(j.name, "", old[said], new[said], ""):
            messages += moved(j.name, "start rate", old, new, f", {why}")
    return messages


def moved_by_drives(layout: Layout, joints: Mapping[str, CheckedJoint], before: Pair, after: Pair) -> list[str]:
    """Return messages on given starts and rates that drives overrule."""
    messages = []
    for m in layout.motions:
        words = ("start" * joints[m.joint].keeps_start, "start rate" * (joints[m.joint].start_rate is not None))
        messages += _driven(m, words, before, after)
    return messages


def left_by_drives(layout: Layout, before: Pair, after: Pair) -> list[str]:
    """Return messages on drives that do not go on where a state is."""
    return [text for m in layout.motions for text in _driven(m, ("coordinate", "rate"), before, after)]


def _driven(motion: MotionEntry, words: tuple[str, str], before: Pair, after: Pair) -> list[str]:
    places = (motion.q, motion.v)
    return [text for word, k, old, new in zip(words, places, before, after, strict=True) if word
            for text in moved(motion.joint, word, old[k:k + 1], new[k:k + 1], f" by the drive {motion.name!r}")]


def unsaid_rates(entry: JointEntry, joint: CheckedJoint) -> int:
    """Number of a joint's rates, the last ones, that were not given with the others.

    Written the other way round a velocity depends on the spin: then all count as given.
    """
    return 0 if entry.reversed else joint.unsaid_rates


def _shown(values: np.ndarray) -> str:
    return ", ".join(f"{x:.6g}" for x in values)
