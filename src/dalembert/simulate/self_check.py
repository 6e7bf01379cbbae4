"""A run checks itself: recorded accelerations are put into the equations of motion, see kernels/tree/balance.py.

Frames of mechanisms with loops are checked where they are solved, in kernels/constraint/balance.py.
"""

from __future__ import annotations

import numpy as np

from ..codes import FormCode, Status
from ..errors import MultibodyError
from ..kernels.compile.jit import called_directly
from ..kernels.control.controllers import RUNNING
from ..kernels.measure import restore_loads
from ..kernels.tables import Work
from ..kernels.tree.balance import check_tree_balance
from ..start.status import error_of
from ..system.pack import Packed

_restore, _check = called_directly(restore_loads), called_directly(check_tree_balance)
EVERY = 1024
"""Frames of which one is checked, and the last: a check costs about as much as a step."""


def unbalanced(packed: Packed, frames: dict[str, np.ndarray], work: Work) -> MultibodyError | None:
    """Return the error of the first frame looked at whose accelerations are not those of a motion, or None.

    `frames` are those of a tree; `work` is scratch.
    """
    n = len(frames["t"])
    if packed.system.constants[0].form != FormCode.TREE or packed.has_superelements or not n:
        return None
    work.control.running[RUNNING] = 0  # outputs of controllers are those of the frames
    for f in (*range(EVERY - 1, n - 1, EVERY), n - 1):
        t = float(frames["t"][f])
        _restore(frames["loads"][f], work)
        if _check(packed.system, t, *(frames[x][f] for x in ("q", "qd", "qdd")), work) == Status.UNBALANCED:
            return error_of(Status.UNBALANCED, packed, work.fail, t, 0.0)
    return None
