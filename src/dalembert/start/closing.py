"""Positions and rates of a mechanism at a time other than that of its start."""

from __future__ import annotations

import numpy as np

from ..codes import RowCode
from ..errors import ModelError
from ..kernels.force.laws import eval_law
from ..kernels.tree.state import eval_drives
from ..system.edit import changed, copied
from ..system.pack import Packed
from .assembly import Assembler
from .start import Start


def at_time(begin: Start, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates and rates of a start with the drives and laws of time t [s]; loops are closed again.

    Raises
    ------
    AssemblyError
        The mechanism cannot be assembled at that time.
    """
    packed, q, qd = begin.packed, begin.q.copy(), begin.qd.copy()
    if t == begin.t:
        return q, qd
    before = q.copy(), qd.copy()
    set_drives(packed, t, q, qd)
    unmoved = np.array_equal(q, before[0]) and np.array_equal(qd, before[1])
    if not len(packed.system.row) or (unmoved and np.all(packed.system.row["law"] < 0)):
        return q, qd
    assembler, nothing = Assembler(packed, t), np.zeros(len(qd), bool)
    q = assembler.positions(q, nothing)
    return q, assembler.rates(q, qd, ~nothing)


def set_drives(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray) -> None:
    """Give driven coordinates and rates the values of their laws at time t [s]; ModelError if a law fails."""
    eval_drives(packed.system, t, q, qd, np.zeros_like(qd))
    if packed.law_errors:
        raise packed.law_errors[0].error(f"at t = {t:.6g} s")
    for motion in packed.layout.motions:
        if not np.isfinite(q[motion.q] + qd[motion.v]):
            raise ModelError(f"motion {motion.name!r}: its law or the law's rate is not a finite number at t = {t:.6g} s")


def held_at(packed: Packed, t: float) -> Packed:
    """Return the model with all drives and lengths standing still as they are at time t [s]."""
    system = packed.system
    row = copied(system.row)
    for c in row:
        if c.law >= 0 and c.rate_only == 0 and c.code != RowCode.COUPLING:
            c.c, c.law = c.c + eval_law(system, c.law, t, 0.0, 0.0, 0), -1
    return changed(packed, row=row, drive=system.drive[:0])
