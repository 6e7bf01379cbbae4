"""Modes of a model and of a reduced one: which are lost, and which hold the step of an error-controlled run."""

from __future__ import annotations

import numpy as np

RINGS = 0.5
"""Damping ratio below which a mode swings several times, so that its frequency holds the step."""
STILL = 1e-6
"""An eigenvalue below this fraction of the largest swinging one counts as zero: rigid motion and rounding."""
CHANGED = 2.0
"""A mode whose eigenvalue falls by more than this factor is caused by the neglected body."""


def lost(full: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Eigenvalues of the model whose counterpart in the reduced one is missing, much smaller or does not ring."""
    from scipy.optimize import linear_sum_assignment

    full, left = full[moves(full)], left[moves(left)]
    other_kind = rings(full)[:, None] != rings(left)[None, :]
    size = abs(full)[:, None] + abs(left)[None, :]
    rows, columns = linear_sum_assignment(abs(full[:, None] - left[None, :]) / size + other_kind)
    partner = np.zeros(len(full), complex)
    partner[rows] = left[columns]
    gone = full[(abs(full) > CHANGED * abs(partner)) | (rings(full) & ~rings(partner))]
    out: np.ndarray = gone[np.argsort(-abs(gone))]
    return out


def moves(values: np.ndarray) -> np.ndarray:
    """True for eigenvalues that are not zero to rounding."""
    scale = np.max(abs(values.imag), initial=0.0) or np.max(abs(values), initial=0.0)
    out: np.ndarray = abs(values) > STILL * scale
    return out


def rings(values: np.ndarray) -> np.ndarray:
    """True for modes that swing several times before they have died out."""
    return abs(values.real) < RINGS * abs(values)


def gain(full: np.ndarray, left: np.ndarray) -> float:
    """Ratio of the highest frequencies of modes that ring."""
    before, after = _highest(full), _highest(left)
    return before / after if before > 0 and after > 0 else float("nan")


def _highest(values: np.ndarray) -> float:
    """Largest |Im| [rad/s] among modes that ring; the slowest decay [1/s] if none does, zero if nothing moves."""
    values = values[moves(values)]
    if not len(values):
        return 0.0
    ringing = values[rings(values)]
    return float(np.max(abs(ringing.imag)) if len(ringing) else np.min(abs(values)))
