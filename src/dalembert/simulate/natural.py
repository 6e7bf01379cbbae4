"""Starts and frames of the global formulation: between joint and natural coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import Status
from ..kernels.door import make_open_work
from ..kernels.natural import natural_state_of_joint
from ..kernels.natural_joints import joint_state_of_natural
from ..kernels.tree_inverse import eval_body_accelerations
from ..kernels.tree_kinematics import eval_motion, eval_places
from ..system.pack import Packed
from ..system.pack_natural import pack_global
from .constraints import with_penalties
from .status import error_of


@dataclass(frozen=True)
class NaturalStart:
    """Tables in natural coordinates and the state at time zero in them, (n_q,) each."""

    packed: Packed
    q: np.ndarray
    qd: np.ndarray


def make_natural(packed: Packed, q: np.ndarray, qd: np.ndarray) -> NaturalStart:
    """Return the global formulation of a model packed in joint coordinates, with its state."""
    whole = pack_global(packed)
    n, work = int(whole.system.constants[0].n_q), make_open_work(packed.system)
    eval_motion(packed.system, q, qd, work)
    eval_places(packed.system, qd, work)
    eval_body_accelerations(packed.system, np.zeros_like(qd), work)
    y, yd, ydd = np.zeros(n), np.zeros(n), np.zeros(n)
    natural_state_of_joint(packed.system, y, yd, ydd, work)
    return NaturalStart(with_penalties(whole, 0.0, y, yd), y, yd)


def joint_frames(packed: Packed, frames: dict[str, np.ndarray], near: np.ndarray) -> dict[str, np.ndarray]:
    """Frames in joint coordinates of frames in natural ones; `near` (nf, n_q) are coordinates next to them."""
    system, work = packed.system, make_open_work(packed.system)
    n, (n_q, n_v) = len(frames["t"]), (packed.layout.n_q, packed.layout.n_v)
    found = {"t": frames["t"], "q": np.zeros((n, n_q)), "qd": np.zeros((n, n_v)), "qdd": np.zeros((n, n_v))}
    for f in range(n):
        status = joint_state_of_natural(system, frames["q"][f], frames["qd"][f], frames["qdd"][f], near[f], found["q"][f],
                                        found["qd"][f], found["qdd"][f], work)
        if status != Status.OK:
            raise error_of(status, packed, work.fail, float(frames["t"][f]), 0.0)
    return found
