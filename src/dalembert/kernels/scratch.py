"""Vectors that evaluations scribble on, a bundle for each of them: one that calls another finds its own untouched."""

from typing import NamedTuple

import numpy as np

from .compile.bundle import bundle


@bundle
class LoopVectors(NamedTuple):
    """Of the evaluation of constrained mechanisms."""

    load: np.ndarray  # (n_v,) f of constraint/saddle.py: what the state asks for with undriven accelerations of zero
    found: np.ndarray  # accelerations that were found for it
    turn: np.ndarray  # change of rates or accelerations that takes a gap off
    along: np.ndarray  # combination of such changes
    right: np.ndarray  # right-hand side of a linear system
    product: np.ndarray  # M times accelerations
    force: np.ndarray  # generalised forces of natural coordinates
    moved: np.ndarray  # (n_q,) coordinates after a turn
    reached: np.ndarray  # (n_q,) coordinates to return to


@bundle
class SettlingVectors(NamedTuple):
    """Of step/massless_frames.py."""

    still: np.ndarray  # (n_v,) zeros
    column: np.ndarray  # damping along a motion
    force: np.ndarray  # residual
    before: np.ndarray  # residual a moment earlier
    after: np.ndarray  # residual a moment later
    kept: np.ndarray  # rates that are being completed


@bundle
class BalanceVectors(NamedTuple):
    """Of tree/balance.py."""

    still: np.ndarray  # (n_v,) zeros
    tau: np.ndarray
    rest: np.ndarray  # residual without accelerations
    left: np.ndarray  # residual
    size: np.ndarray  # loads that it is compared with


@bundle
class LinearVectors(NamedTuple):
    """Of linearize.py and of products with a motion, tree/rank.py."""

    still: np.ndarray  # (n_v,) zeros
    one: np.ndarray  # unit vector
    column: np.ndarray  # of a matrix
    tau: np.ndarray


@bundle
class FormVectors(NamedTuple):
    """Of step/implicit_form.py."""

    q: np.ndarray  # (n_q,)
    coordinate_rates: np.ndarray  # (n_q,)
    q_kept: np.ndarray  # (n_q,)
    qd: np.ndarray  # (n_v,)
    qdd: np.ndarray
    qd_kept: np.ndarray
    given: np.ndarray  # accelerations before motions without inertia are taken off
    found: np.ndarray  # accelerations of the state
    motion: np.ndarray  # one without inertia
    tau: np.ndarray
    residual: np.ndarray
    still: np.ndarray  # zeros
    turned: np.ndarray  # direction of coordinates or rates
    scaled: np.ndarray  # direction of accelerations
    column: np.ndarray  # of the Jacobian


@bundle
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
    form: FormVectors
    frame: FrameVectors


POINTS = {"q", "moved", "reached", "coordinate_rates", "q_kept"}
"""Fields with an entry per coordinate; the others have one per rate."""


def make_scratch(n_q: int, n_v: int) -> Scratch:
    """Allocate the vectors for so many coordinates and rates."""
    kinds = LoopVectors, SettlingVectors, BalanceVectors, LinearVectors, FormVectors, FrameVectors
    return Scratch(*(kind(*(np.zeros(n_q if name in POINTS else n_v) for name in kind._fields)) for kind in kinds))
