"""Damping of reduced bodies: Rayleigh's, modal, or the material's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.linalg import eigh

from ..errors import ModelError
from ..model.values import Faults, number, shown
from .fe_model import FEModel

RIGID = 1e-9
"""Eigenvalues below this part of the largest belong to rigid motions, which are not damped."""


def damping_matrix(damping: Any, stiffness: np.ndarray, mass: np.ndarray, fe: FEModel | None = None) -> np.ndarray:
    """Return the damping matrix of a reduced body.

    Parameters
    ----------
    damping : float, mapping or None
        Damping ratio of all elastic modes of the free body; or ``{"mass": a, "stiffness": b}`` for a M + b K [1/s, s];
        None takes the stiffness-proportional damping of the model's materials.
    stiffness, mass : (n, n) float
        Of the reduced body.
    fe : FEModel, optional
        Whose materials count.
    """
    faults = Faults()
    if damping is None:
        return _material_damping(fe) * stiffness
    if isinstance(damping, Mapping):
        for name in set(damping) - {"mass", "stiffness"}:
            faults.flag(f"damping.{name}", "unknown, expected 'mass' [1/s] and 'stiffness' [s]")
        a, b = (number(faults, f"damping.{name}", damping.get(name, 0.0), unit, least=0.0)
                for name, unit in (("mass", "1/s"), ("stiffness", "s")))
        if faults:
            raise ModelError(faults)
        return a * mass + b * stiffness
    ratio = number(faults, "damping", damping, "", least=0.0)
    if faults:
        raise ModelError(faults)
    return modal_damping(ratio, stiffness, mass)


def modal_damping(ratio: float, stiffness: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return M V diag(2 ratio w) V' M, where V are the modes with unit modal mass; rigid motions stay undamped."""
    active = np.diag(mass) > 0
    part = np.ix_(active, active)
    square, shapes = eigh(stiffness[part], mass[part])
    square[square < RIGID * square.max(initial=0.0)] = 0.0
    carried = mass[part] @ shapes
    out = np.zeros_like(stiffness)
    out[part] = (carried * (2 * ratio * np.sqrt(square))) @ carried.T
    return out


def _material_damping(fe: FEModel | None) -> float:
    """Return the damping time [s] that all materials of a model share."""
    found = {block.material.damping for block in fe.elements} if fe is not None else set()
    if len(found) > 1:
        raise ModelError(f"damping: the materials have different ones, {shown(sorted(found))} s; expected one, or a "
                         "damping ratio, or {'mass': a, 'stiffness': b}")
    return found.pop() if found else 0.0
