"""Penalties of constraint rows, from the masses that they move at a state.

The rows of one kind of a joint (the place of its point, the direction of its axis) are a block J; how its axes are chosen
must not matter.  With the diagonal D of the mass matrix the mass along a block is
    m = tr(J D Jᵀ) / tr((J Jᵀ)²),                                                                 (1)
for a single row j the j D jᵀ / (j jᵀ)² of [SEG (15)] made independent of the row's length.  Both traces keep their values when
the rows of the block are turned among each other, and D is the same for all rates that turn, or that move, in one joint.
Coordinates and rows are normalised by their sizes, so that units do not matter either.  The block may grow while the mechanism
moves, and its penalty with the square of that: (1) takes no length for smaller than SHORTEST.  A block without any length, as
the directions of a planar linkage have but for rounding, says nothing about its mass and takes the median of the others.
"""

from __future__ import annotations

import numpy as np

from ..codes import FormCode, RowCode, Status
from ..kernels.constraint.saddle import STIFFNESS
from ..kernels.linked_work import (
    add_step_tangent,
    eval_constraints,
    eval_gaps,
    eval_mass,
    eval_needed,
    make_linked_work,
)
from ..kernels.tables import System, Work
from ..system.columns import frame_columns
from ..system.edit import changed
from ..system.pack import Packed

SHORTEST = 1e-2
"""Length of a block, normalised, below which (1) no longer grows."""
ROUNDING = 1e-8
"""Length of a block, normalised, below which it is made of rounding errors."""
LIGHT = 1e-6
"""Blocks that move less than this fraction of the largest mass count as moving none."""
ELASTIC_STIFFNESS = 1e3
"""Penalty relative to the stiffness of superelements."""
HANDED_ON = 2
"""Joints over which masses and stiffnesses are handed on."""
_MOVING_ROWS = (RowCode.POSITION, RowCode.DISTANCE, RowCode.SLIDE_SPEED)
_TURNING_ROWS = (RowCode.DIRECTION, RowCode.ANGLE, RowCode.TURN_SPEED)


def with_penalties(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, work: Work | None = None) -> Packed:
    """Return the packed model, in joint or natural coordinates, with penalties from the masses that its rows move at a state.

    Superelements give their interfaces masses, too, and stiffnesses, which are taken likewise; what is joined to an interface
    has to hold as much as the interface.  `work` is scratch that serves, if there is one.
    """
    system = packed.system
    if not len(system.row):
        return packed
    work = work or make_linked_work(system)
    eval_constraints(system, float(t), q, qd, work)
    eval_mass(system, q, work)
    flexible = len(system.sup.element) > 0
    even = _even if flexible and system.constants[0].form == FormCode.GLOBAL else _same_in_joints
    diagonal = work.mass[system.pattern.diagonal]
    blocks = _Blocks(system, work)
    mass, seen = blocks.along(even(system, diagonal))
    heavy = seen & (mass > (0.0 if flexible else LIGHT * np.max(mass[seen], initial=0.0)))
    usual = np.median(mass[heavy]) if np.any(heavy) else 1.0
    columns = {"penalty": STIFFNESS * np.where(heavy, mass, usual) / system.row["size"] ** 2}
    if flexible:
        stiffness, _ = blocks.along(even(system, _stiffness(system, t, q, work)))
        columns["stiffness"] = ELASTIC_STIFFNESS * stiffness / system.row["size"] ** 2
    return changed(packed, row=columns)


class _Blocks:
    """Jacobian of all rows at a state, normalised by the sizes of rows and coordinates, block by block."""

    def __init__(self, system: System, work: Work):
        row = system.row
        self.owner = np.repeat(np.arange(len(row)), row["count"])
        self.column, self.scale = system.entry["column"], _coordinate_sizes(system)
        self.entries = work.jacobian * self.scale[self.column] / row["size"][self.owner]
        self.block = np.cumsum(_begins(row)) - 1
        self.rows = np.bincount(self.block)
        length = np.bincount(self.owner, self.entries**2, len(row))  # diagonal of J Jᵀ
        across = self._products(len(row))
        self.length = np.bincount(self.block, length)
        self.square = np.bincount(self.block, length**2 + 2.0 * across)

    def _products(self, n_row: int) -> np.ndarray:
        """Squares of the entries of J Jᵀ between a row (n_row,) and those before it in its block, summed."""
        key = self.block[self.owner] * (np.max(self.column, initial=0) + 1) + self.column
        order = np.lexsort((self.owner, key))
        key, owner, entries = key[order], self.owner[order], self.entries[order]
        total = np.zeros(n_row)
        for back in range(1, int(np.max(self.rows, initial=1))):
            product = np.zeros(n_row)
            for apart in range(1, back + 1):
                same = (key[apart:] == key[:-apart]) & (owner[apart:] - owner[:-apart] == back)
                product += np.bincount(owner[apart:][same], (entries[apart:] * entries[:-apart])[same], n_row)
            total += product**2
        return total

    def along(self, diagonal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(1) of every row, normalised, for a diagonal (n,); False where its block is made of rounding errors."""
        moved = np.bincount(self.owner, self.entries**2 * (diagonal * self.scale**2)[self.column], len(self.block))
        moved = np.bincount(self.block, moved)
        seen = self.length > ROUNDING**2 * self.rows
        found = np.divide(moved, np.maximum(self.square, SHORTEST**2 * self.length), out=np.zeros(len(moved)), where=seen)
        return found[self.block], seen[self.block]


def _begins(row: np.ndarray) -> np.ndarray:
    """True for the first row of each block: another kind, other bodies or other places than the row before."""
    new = np.ones(len(row), bool)
    new[1:] = row["terms"][1:] > 0
    for name in ("code", "a", "b"):
        new[1:] |= row[name][1:] != row[name][:-1]
    for name in ("u_a", "u_b"):
        new[1:] |= np.any(row[name][1:] != row[name][:-1], axis=1)
    return new


def _coordinate_sizes(system: System) -> np.ndarray:
    """Sizes of the coordinates that rows depend on: of the joints', or the length and one for points and axes of bodies."""
    if system.constants[0].form != FormCode.GLOBAL:
        return system.dof["q_scale"]
    places = system.row["size"][np.isin(system.row["code"], _MOVING_ROWS)]
    sizes = np.ones(int(system.constants[0].n_v))
    sizes[frame_columns(system)[:, :3]] = np.max(places, initial=0.0) or 1.0
    return sizes


def _same_in_joints(system: System, diagonal: np.ndarray) -> np.ndarray:
    """Return the diagonal with one number for all rates that turn, or that move, in one joint, or one natural body."""
    if system.constants[0].form == FormCode.GLOBAL:
        return diagonal
    turning = system.dof["s_n"].any(axis=1)
    group = 2 * system.dof["body"] + turning
    rigid = system.dof["s_f"].any(axis=1) | turning
    count = np.maximum(np.bincount(group, rigid), 1)
    return np.where(rigid, (np.bincount(group, np.where(rigid, diagonal, 0.0)) / count)[group], diagonal)


def _even(system: System, diagonal: np.ndarray) -> np.ndarray:
    """Return the diagonal with equal numbers for the components of a body's origin, and for those of its axes.

    A superelement resists spins only, and so not all components of the axes; their lengths have to be held all the same.
    A light body between an interface and a joint has to hold what the interface does: rows hand numbers on.
    """
    columns = frame_columns(system)
    bodies = diagonal[columns]
    even = np.zeros((len(system.body), 2))
    even[1:, 0], even[1:, 1] = np.mean(bodies[:, :3], axis=1), np.sum(bodies[:, 3:], axis=1) / 3.0
    handed = np.zeros_like(even)
    handed[system.sup.face] = even[system.sup.face]
    for _ in range(HANDED_ON):
        before = handed.copy()
        for kind, codes in enumerate((_MOVING_ROWS, _TURNING_ROWS)):
            row = system.row[np.isin(system.row["code"], codes) & (system.row["a"] > 0) & (system.row["b"] > 0)]
            np.maximum.at(handed[:, kind], row["a"], before[row["b"], kind])
            np.maximum.at(handed[:, kind], row["b"], before[row["a"], kind])
    handed[system.sup.face] = 0.0
    even = np.maximum(even, handed)
    found = diagonal.copy()
    found[columns] = np.repeat(even[1:], (3, 9), axis=1)
    return found


def _stiffness(system: System, t: float, q: np.ndarray, work: Work) -> np.ndarray:
    """Diagonal of the stiffness of superelements, in natural coordinates also of forces, at rest."""
    still, effort, needed = (np.zeros(int(system.constants[0].n_v)) for _ in range(3))
    work.factors.A[:] = 0.0
    status = eval_gaps(system, t, q, still, work)
    if status == Status.OK:
        status = eval_needed(system, t, q, still, still, effort, 0, needed, work)
    if status == Status.OK:
        status = add_step_tangent(system, t, q, still, still, np.zeros_like(still), 1.0, 0.0, work)
    if status != Status.OK:
        return still
    out: np.ndarray = np.maximum(work.factors.A[system.pattern.diagonal] - work.mass[system.pattern.diagonal], 0.0)
    return out
