"""What a reduction kept and what it cost: frequencies, effective masses, frequency errors."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

from .lowest_modes import lowest_modes
from .sparse_cholesky import SparseCholesky

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

COMPARED = 10
"""Elastic frequencies of the free body that are compared, at most."""
ROUNDING = 1e-12
"""Part of the body's size below which a coordinate of its centre of mass is rounding."""
_DIRECTIONS = ("x", "y", "z", "about x", "about y", "about z")


def effective_masses(reduced: ReducedBody) -> np.ndarray:
    """Return the (n_modes, 6) parts of mass and inertia (about the centre of mass) that each mode moves.

    A base that shakes all interfaces feels this part of the mass through the mode; over all modes the parts add up to
    what the held interfaces do not carry themselves.  Motions that a planar model does not know give zero.
    """
    rigid = reduced.rigid_modes(reduced.com)
    momentum = reduced.mass_matrix[-reduced.n_modes or len(rigid):] @ rigid
    whole = np.diag(rigid.T @ reduced.mass_matrix @ rigid)
    out: np.ndarray = np.divide(momentum**2, whole, out=np.zeros_like(momentum), where=whole > 0)
    return out


def free_frequencies(reduced: ReducedBody) -> np.ndarray:
    """Return the elastic frequencies [Hz] of the reduced body without supports."""
    part = np.ix_(reduced.active, reduced.active)
    square = eigh(reduced.stiffness[part], reduced.mass_matrix[part], eigvals_only=True)
    out: np.ndarray = np.sqrt(np.maximum(square[_rigid_count(reduced):], 0.0)) / (2 * pi)
    return out


def full_frequencies(reduced: ReducedBody, count: int) -> np.ndarray:
    """Return the lowest elastic frequencies [Hz] of the full model without supports."""
    fe, rigid = reduced.model, _rigid_count(reduced)
    shift = float((2 * pi * free_frequencies(reduced)[0]) ** 2)  # makes the stiffness definite
    factor = SparseCholesky(fe.stiffness + shift * fe.mass, fe.nodes[fe.dof_node])
    square, _ = lowest_modes(factor.solve, fe.stiffness, fe.mass, min(count + rigid, fe.n_dof), shift=shift)
    out: np.ndarray = np.sqrt(np.maximum(square[rigid:], 0.0)) / (2 * pi)
    return out


def reduction_report(reduced: ReducedBody, *, full: bool = True) -> str:
    """Return the report of a reduction as text."""
    fe, count = reduced.model, len(reduced.interfaces)
    com = np.where(np.abs(reduced.com) > ROUNDING * fe.size, reduced.com, 0.0)
    lines = [f"{fe.n_dof} unknowns reduced to {int(reduced.active.sum())}: {count} interface{'s' * (count != 1)} "
             f"({', '.join(reduced.interfaces)}) with {_coordinates(reduced)}, {reduced.n_modes} modes",
             f"mass {reduced.mass:.6g} kg, centre of mass ({', '.join(f'{c:.6g}' for c in com)}) m"]
    if reduced.n_modes:
        lines += ["", *_mass_table(reduced)]
    if full:
        lines += ["", *_frequency_table(reduced)]
    return "\n".join(lines)


def _coordinates(reduced: ReducedBody) -> str:
    """List the coordinates of an interface."""
    return "3 coordinates each in the plane" if reduced.model.is_planar else "6 coordinates each"


def _mass_table(reduced: ReducedBody) -> list[str]:
    parts = effective_masses(reduced)
    lines = ["modes with all interfaces held: frequency and effective part of mass and inertia",
             f"{'mode':>5} {'Hz':>12}" + "".join(f"{name:>10}" for name in _DIRECTIONS)]
    lines += [f"{k + 1:>5} {f:>12.6g}" + "".join(f"{p:>10.2%}" for p in row)
              for k, (f, row) in enumerate(zip(reduced.frequencies, parts, strict=True))]
    return [*lines, f"{'sum':>5} {'':>12}" + "".join(f"{p:>10.2%}" for p in parts.sum(axis=0))]


def _frequency_table(reduced: ReducedBody) -> list[str]:
    found = free_frequencies(reduced)[:COMPARED]
    if not found.size:
        return ["free body: the reduced one is rigid, one interface and no modes; give it modes or another interface"]
    exact = full_frequencies(reduced, len(found))
    lines = ["free body: elastic frequencies [Hz] of the reduced and of the full model",
             f"{'mode':>5} {'reduced':>12} {'full':>12} {'error':>10}"]
    return lines + [f"{k + 1:>5} {f:>12.6g} {e:>12.6g} {f / e - 1:>10.2%}"
                    for k, (f, e) in enumerate(zip(found, exact, strict=True))]


def _rigid_count(reduced: ReducedBody) -> int:
    return 3 if reduced.model.is_planar else 6
