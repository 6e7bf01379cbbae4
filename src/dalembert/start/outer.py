"""Loads that act on a model beside its own: outputs of controllers, and loads from outside on bodies and rates."""

from __future__ import annotations

import numpy as np

from ..kernels.linked_work import make_linked_work
from ..kernels.tables import Work
from ..kernels.tree.kinematics import eval_motion
from ..system.pack import Packed


def with_outer(packed: Packed, work: Work) -> Work:
    """Return scratch that takes loads from outside on all bodies and rates; they are zero."""
    n_body, n_v = len(packed.system.body), len(packed.system.dof)
    control = work.control._replace(outer=np.zeros((n_body, 6)), effort=np.zeros(n_v))
    return work._replace(control=control)


def loaded_work(packed: Packed, loads: np.ndarray) -> Work:
    """Return scratch for frames whose loads (nf, n) were recorded: with those from outside if there are any."""
    work = make_linked_work(packed.system)
    return with_outer(packed, work) if loads.shape[1] > len(work.control.held) else work


def load_width(work: Work) -> int:
    """Return how many numbers the loads of a frame take."""
    control = work.control
    return len(control.held) + control.outer.size + len(control.effort)


def no_loads(packed: Packed, n: int) -> np.ndarray:
    """Return the loads of n frames of a model that nothing acts on from outside, and whose controllers give nothing."""
    return np.zeros((n, 1 + int(np.max(packed.system.force["held"], initial=-1))))


def evaluate_places(packed: Packed, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the vectors from the origins of the kernels' frames to those of the users' (n_rows, 3), world axes [m]."""
    work, body = make_linked_work(packed.system), packed.system.body
    eval_motion(packed.system, q, qd, work)
    axes = work.body["E_wb"].reshape(-1, 3, 4)[:, :, :3]
    out: np.ndarray = np.einsum("ikc,ik->ic", axes, body["u_b"])
    return out
