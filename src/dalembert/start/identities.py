"""Constraint rows that no motion of the spanning tree can violate, and tables without them, in which time integration steps.

The closing joint of a planar mechanism has five rows, of which three hold directions in which its tree does not move at all.
The rate of such a row is zero for all coordinates and rates of the tree: its violation stays what it is, its load moves
nothing, and its multiplier, the least of all that serve, is zero.  Rates are analytic in coordinates and rates; one that
vanishes at states without any symmetry vanishes everywhere.
"""

from __future__ import annotations

import numpy as np

from ..codes import FormCode, RowCode, Status
from ..kernels.linked_work import eval_constraints
from ..kernels.tables import System, Work
from ..kernels.tree.state import normalise
from ..system.edit import changed

UNMOVED = 1e-11
"""Rate of a row, relative to its size and for rates as large as theirs, that is a rounding error: what it comes to in a motion
of that size stays below the violations that steps leave."""
STATES = 2
"""States that rates are looked at in."""
SPREAD = np.sqrt(2.0)
"""Numbers k² SPREAD have fractions that follow no rule."""


def moved_rows(system: System, t: float, work: Work) -> np.ndarray:
    """Return True (m,) for the rows that some motion of the tree violates, or that nothing is known of; `work` is scratch."""
    row = system.row
    moved = np.ones(len(row), bool)
    plain = np.isin(row["code"], (RowCode.POSITION, RowCode.DIRECTION)) & (row["law"] < 0) & (row["rate_only"] == 0)
    if system.constants[0].form != FormCode.SEMI_RECURSIVE or not np.any(plain):
        return moved
    largest = np.zeros(len(row))
    for number in range(STATES):
        if eval_constraints(system, float(t), *_state_without_symmetry(system, number), work) != Status.OK:
            return moved
        np.maximum(largest, abs(work.row["Phid"]) / row["size"], out=largest)
    moved[plain] = ~(largest[plain] <= UNMOVED)
    return moved


def _state_without_symmetry(system: System, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates and rates of the tree, between minus and plus their sizes."""
    n_q, n_v = int(system.constants[0].n_q), len(system.dof)
    k = 1.0 + number * (n_q + n_v) + np.arange(n_q + n_v)
    spread = 2.0 * np.modf(SPREAD * k**2)[0] - 1.0
    q, qd = spread[:n_q].copy(), spread[n_q:] * system.dof["q_scale"]
    q[system.pair["q"]] *= system.dof["q_scale"][system.pair["v"]]
    normalise(system, q)
    return q, qd


def only_rows(system: System, kept: np.ndarray) -> System:
    """Return the tables with some of the rows (m,); entries of the Jacobian and the pattern stay."""
    if np.all(kept):
        return system
    count = system.row["count"]
    products = np.repeat(kept, count * (count + 1) // 2)
    return changed(system, row=system.row[kept], row_place=system.row_place[products])
