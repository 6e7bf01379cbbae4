"""Contacts of frames: gaps of states, and their forces as they were recorded."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..codes import Status
from ..errors import ModelError
from ..kernels.contact.measure import measure_gaps
from ..kernels.linked_work import make_linked_work
from ..system.pack import Packed
from .status import error_of

OVERLAP = 1e-6
"""Overlap of two shapes at the start, relative to the size of the model, that is let pass."""


def row_gaps(packed: Packed, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the gaps of all rows (nf, m) of frames in tree coordinates [m]."""
    gap, work = np.zeros((len(q), len(packed.contacts.row))), make_linked_work(packed.system)
    status = measure_gaps(packed.system, packed.contacts, q, qd, gap, work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, 0.0, 0.0)
    return gap


def contact_table(packed: Packed, q: np.ndarray, qd: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Return smallest gap, normal force and friction of every contact (nf, n, 5); the loads end with those of contacts."""
    rows, count = packed.contacts.row, len(packed.layout.contacts)
    out = np.zeros((len(q), count, 5))
    if not count:
        return out
    gap, m = row_gaps(packed, q, qd), len(rows)
    force = loads[:, -4 * m:].reshape(-1, m, 4) if loads.shape[1] >= 4 * m else np.zeros((len(q), m, 4))
    out[:, :, 0] = np.inf
    for i, row in enumerate(rows):
        own = out[:, row["contact"]]
        own[:, 0] = np.minimum(own[:, 0], gap[:, i])
        own[:, 1] += force[:, i, 0]
        own[:, 2:] += (-1.0 if row["flip"] else 1.0) * force[:, i, 1:]
    return out


def check_apart(packed: Packed, q: np.ndarray, qd: np.ndarray, t: float, touched: Collection[str] = ()) -> None:
    """Raise ModelError if shapes overlap at the start, but for those of contacts that `touched` before."""
    gap = row_gaps(packed, q[None], qd[None])[0]
    faults: dict[str, float] = {}
    for row, g in zip(packed.contacts.row, gap, strict=True):
        entry = packed.layout.contacts[row["contact"]]
        if g < -OVERLAP * row["size"] and entry.name not in touched:
            faults[entry.name] = min(g, faults.get(entry.name, 0.0))
    if faults:
        deep = "; ".join(f"{name!r} by {-g:.3g} m" for name, g in faults.items())
        raise ModelError(f"contacts that overlap at t = {t:g} s: {deep}. Give starts in which the shapes touch at most, and "
                         "see that a plane's normal points out of it.")
