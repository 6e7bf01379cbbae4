"""Contacts of frames: gaps of states, and their forces as they were recorded."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..codes import Status
from ..errors import ModelError
from ..kernels.contact.measure import measure_gaps
from ..kernels.crowd.measure import FAR, measure_lowest
from ..kernels.crowd.tables import make_crowd_state
from ..kernels.linked_work import make_linked_work
from ..system.extent import length_scale
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
    gap, force = row_gaps(packed, q, qd), _recorded(packed, loads)
    out[:, :, 0] = np.inf
    for i, row in enumerate(rows):
        own = out[:, row["contact"]]
        own[:, 0] = np.minimum(own[:, 0], gap[:, i])
        own[:, 1] += force[:, i, 0] * (row["sign"] or 1.0)
        own[:, 2:] += (-1.0 if row["flip"] else 1.0) * force[:, i, 1:]
    return out


def _recorded(packed: Packed, loads: np.ndarray) -> np.ndarray:
    """Return what was recorded of rows and groups (nf, n, 4), one behind the other at the end of the loads."""
    n = len(packed.contacts.row) + len(packed.crowd.group)
    return loads[:, -4 * n:].reshape(-1, n, 4) if loads.shape[1] >= 4 * n else np.zeros((len(loads), n, 4))


def group_table(packed: Packed, q: np.ndarray, qd: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Return smallest gap, sum of normal forces and points of contact of every group (nf, n, 3)."""
    groups = len(packed.crowd.group)
    out = np.zeros((len(q), groups, 3))
    if groups:
        out[:, :, 0] = group_gaps(packed, q, qd)
        out[:, :, 1:] = _recorded(packed, loads)[:, -groups:, :2]
    return out


def group_gaps(packed: Packed, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the smallest gaps (nf, n) of all groups in frames of tree coordinates [m], infinite where nothing is near."""
    crowd, touches = packed.crowd, 0
    out = np.zeros((len(q), len(crowd.group)))
    if not out.size:
        return out
    work = make_linked_work(packed.system)
    while True:
        state = make_crowd_state(crowd, len(packed.system.dof), len(packed.contacts.row), touches)
        status = measure_lowest(packed.system, crowd, state, q, qd, out, work)
        if status == Status.OK:
            return np.where(out < FAR, out, np.inf)
        if status != Status.CONTACTS_FULL:
            raise error_of(status, packed, work.fail, 0.0, 0.0)
        touches = 4 * len(state.touch)


def check_apart(packed: Packed, q: np.ndarray, qd: np.ndarray, t: float, touched: Collection[str] = ()) -> None:
    """Raise ModelError if shapes overlap at the start, but for those of contacts that `touched` before."""
    gap = row_gaps(packed, q[None], qd[None])[0]
    faults: dict[str, float] = {}
    beyond: list[str] = []
    for row, g in zip(packed.contacts.row, gap, strict=True):
        entry = packed.layout.contacts[row["contact"]]
        if g < -OVERLAP * row["size"] and entry.name not in touched:
            if entry.kind == "shapes":
                faults[entry.name] = min(g, faults.get(entry.name, 0.0))
            else:
                side = "lower" if row["sign"] > 0 else "upper"
                beyond.append(f"{entry.name!r}: {q[row['q']]:.6g} is beyond the {side} limit {row['limit']:.6g}")
    if beyond:
        raise ModelError(f"joints that begin beyond their limits at t = {t:g} s: {'; '.join(beyond)}. Give starts within the "
                         "limits; those of joints without a start follow from loops, or are zero.")
    groups = zip(packed.layout.groups, group_gaps(packed, q[None], qd[None])[0], strict=True)
    limit = OVERLAP * length_scale(packed.plan.model)
    faults |= {group.name: float(g) for group, g in groups if g < -limit and group.name not in touched}
    if faults:
        deep = "; ".join(f"{name!r} by {-g:.3g} m" for name, g in faults.items())
        raise ModelError(f"contacts that overlap at t = {t:g} s: {deep}. Give starts in which the shapes touch at most, and "
                         "see that a plane's normal points out of it.")
