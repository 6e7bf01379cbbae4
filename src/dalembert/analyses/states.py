"""States by the names of joints, as arrays in the order of a model that is packed already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model.check import check
from ..model.model import Model
from ..start.assembly import Assembler
from ..start.closing import set_drives
from ..start.deformed import split_starts
from ..start.initial import with_starts
from ..system.pack import Packed
from ..system.reverse import swap


def state_by_name(model: Model, packed: Packed, start: tuple[np.ndarray, np.ndarray], coordinates: Mapping[str, Any] | None,
                  rates: Mapping[str, Any] | None, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates and rates of the tables.

    Parameters
    ----------
    model : Model
        That was packed.
    packed : Packed
        Of its tree, constants filled in.
    start : pair of arrays
        Coordinates (n_q,) and rates (n_v,) of a user where none are given.
    coordinates, rates : mapping or None
        By joint name, as `start` and `start_rate` of joints; elastic coordinates by flexible body.  Those named are kept where
        loops have to be closed, all others follow.
    t : float
        Time [s] at which drives are taken; loops are closed.
    """
    layout = packed.layout
    q, qd = (np.array(x)[None] for x in start)
    given, elastic = split_starts(model, coordinates)
    joints = {j.name: j for j in check(with_starts(model, given, rates)).joints}
    held, paced = np.zeros(layout.n_v, bool), np.zeros(layout.n_v, bool)
    for j in layout.joints:
        joint = joints.get(j.name)
        if joint is None:
            continue
        if joint.start is not None and (not coordinates or j.name in given):
            held[j.v:j.v + j.nv] = joint.keeps_start
            if coordinates:
                q[0, j.q:j.q + j.nq] = joint.start
        if joint.start_rate is not None and (not rates or j.name in rates):
            paced[j.v:j.v + j.nv] = True
            if rates:
                qd[0, j.v:j.v + j.nv] = joint.start_rate
    for f in layout.flexibles:
        if f.name in elastic:
            q[0, f.q:f.q + f.n], held[f.v:f.v + f.n] = elastic[f.name], True
    swap(layout, q, qd, np.zeros_like(qd))
    set_drives(packed, t, q[0], qd[0])
    if not len(packed.system.row):
        return q[0], qd[0]
    assembler = Assembler(packed, t)
    closed = assembler.positions(q[0], held)
    return closed, assembler.rates(closed, qd[0], paced)
