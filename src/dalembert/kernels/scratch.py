"""Scratch vectors of evaluations, a bundle for each of them: one that calls another finds its own untouched."""

from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from .compile.bundle import bundle, vectors


@vectors
class LoopVectors(NamedTuple):
    """Of the evaluation of constrained mechanisms."""

    load: np.ndarray  # (n_v,) f of constraint/saddle.py: what the state asks for with undriven accelerations of zero
    found: np.ndarray  # accelerations that were found for it
    turn: np.ndarray  # change of rates or accelerations that takes a gap off
    along: np.ndarray  # combination of such changes
    right: np.ndarray  # right-hand side of a linear system
    product: np.ndarray  # M times accelerations
    force: np.ndarray  # generalised forces of natural coordinates
    change: np.ndarray  # of positions that are settled, in increments
    moved: np.ndarray  # (n_q,) coordinates after a turn
    reached: np.ndarray  # (n_q,) coordinates to return to


@vectors
class SettlingVectors(NamedTuple):
    """Of step/massless_frames.py."""

    still: np.ndarray  # (n_v,) zeros
    column: np.ndarray  # damping along a motion
    force: np.ndarray  # residual
    before: np.ndarray  # residual a moment earlier
    after: np.ndarray  # residual a moment later
    kept: np.ndarray  # rates that are being completed


@vectors
class BalanceVectors(NamedTuple):
    """Of tree/balance.py."""

    still: np.ndarray  # (n_v,) zeros
    tau: np.ndarray
    rest: np.ndarray  # residual without accelerations
    left: np.ndarray  # residual
    size: np.ndarray  # loads that it is compared with


@vectors
class LinearVectors(NamedTuple):
    """Of linearize.py and of products with a motion, tree/rank.py."""

    still: np.ndarray  # (n_v,) zeros
    one: np.ndarray  # unit vector
    column: np.ndarray  # of a matrix
    tau: np.ndarray


@vectors
class FrameVectors(NamedTuple):
    """Of measure.py and measure_superelements.py: a frame, its accelerations and its efforts."""

    q: np.ndarray  # (n_q,)
    qd: np.ndarray  # (n_v,)
    qdd: np.ndarray
    tau: np.ndarray  # applied efforts
    needed: np.ndarray  # efforts of inverse dynamics
    still: np.ndarray  # zeros


@bundle
class Scratch(NamedTuple):
    """Vectors of one thread."""

    loop: LoopVectors
    settling: SettlingVectors
    balance: BalanceVectors
    linear: LinearVectors
    frame: FrameVectors


POINTS = {"q", "moved", "reached"}
"""Fields with an entry per coordinate; the others have one per rate."""


KINDS = LoopVectors, SettlingVectors, BalanceVectors, LinearVectors, FrameVectors


@cache
def _places(n_q: int, n_v: int) -> tuple[list, int]:
    """Where the vectors of each bundle begin and end in the block, and its length."""
    end, places = 0, []
    for kind in KINDS:
        ends = list(accumulate((n_q if name in POINTS else n_v for name in kind._fields), initial=end))
        places.append(tuple(pairwise(ends)))
        end = ends[-1]
    return places, end


def make_scratch(n_q: int, n_v: int) -> Scratch:
    """Allocate the vectors for so many coordinates and rates, in one block."""
    places, length = _places(n_q, n_v)
    block = np.zeros(length)
    address = block.ctypes.data
    return Scratch(*(kind.within(block, address, own) for kind, own in zip(KINDS, places, strict=True)))
