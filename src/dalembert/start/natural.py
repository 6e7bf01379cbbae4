"""Starts and frames of the global formulation: between joint and natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..codes import Status
from ..kernels.linked_work import make_linked_work
from ..kernels.measure_superelements import measure_natural_frames, solve_natural_frames
from ..kernels.natural.coordinates import natural_state_of_joint
from ..kernels.natural.joints import joint_frames_of_natural
from ..kernels.tree.inverse import eval_body_accelerations
from ..kernels.tree.kinematics import eval_motion, eval_places
from ..system.columns import count_columns, frame_columns
from ..system.pack import Packed
from ..system.pack_natural import pack_global
from .outer import loaded_work
from .penalties import with_penalties
from .state import Elastic
from .status import Begun, error_of


@dataclass(frozen=True)
class NaturalStart:
    """Tables in natural coordinates and the start's state in them, (n_q,) each."""

    packed: Packed
    q: np.ndarray
    qd: np.ndarray


def make_natural(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, modes: Mapping[str, Elastic], *,
                 penalties: bool = True) -> NaturalStart:
    """Return the global formulation of a model packed in joint coordinates, with its state at a time [s].

    `modes` of flexible bodies, by name, are zero if they are left out; without `penalties` the rows have none.
    """
    whole = pack_global(packed)
    n, work = int(whole.system.constants[0].n_q), make_linked_work(packed.system)
    eval_motion(packed.system, q, qd, work)
    eval_places(packed.system, qd, work)
    eval_body_accelerations(packed.system, np.zeros_like(qd), work)
    y, yd, ydd = np.zeros(n), np.zeros(n), np.zeros(n)
    natural_state_of_joint(packed.system, y, yd, ydd, work)
    shift = n - whole.layout.n_q
    for entry in whole.layout.flexibles:
        if entry.name in modes:
            at = slice(shift + entry.q, shift + entry.q + entry.n)
            y[at], yd[at] = modes[entry.name].coordinates, modes[entry.name].rates
    return NaturalStart(with_penalties(whole, t, y, yd) if penalties else whole, y, yd)


def natural_state(packed: Packed, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return natural coordinates of the bodies, their rates and accelerations, (n,) each, for a state of the tree."""
    work = make_linked_work(packed.system)
    eval_motion(packed.system, q, qd, work)
    eval_places(packed.system, qd, work)
    eval_body_accelerations(packed.system, qdd, work)
    found = tuple(np.zeros(count_columns(packed.system)) for _ in range(3))
    natural_state_of_joint(packed.system, *found, work)
    return found


def natural_accelerations(packed: Packed, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the accelerations of natural coordinates for a state of the tree."""
    return natural_state(packed, q, qd, qdd)[2]


def natural_slack(packed: Packed, q: np.ndarray, motions: np.ndarray, n: int) -> np.ndarray:
    """Return 1 for the natural coordinates (n,) of bodies that motions without inertia (m, n_v) move, else 0."""
    slack, still, columns = np.zeros(n), np.zeros(packed.layout.n_v), frame_columns(packed.system)
    for x in motions:
        moved = natural_state(packed, q, x, still)[1][columns]
        slack[columns[np.max(abs(moved), axis=1) > 1e-12]] = 1.0
    return slack


def joint_frames(packed: Packed, frames: dict[str, np.ndarray], near: np.ndarray) -> dict[str, np.ndarray]:
    """Frames in joint coordinates of frames in natural ones; `near` (nf, n_q) are coordinates next to them.

    Modes of superelements follow behind in both.
    """
    n, n_q, n_v = len(frames["t"]), packed.layout.n_q, packed.layout.n_v
    found = {"t": frames["t"], "q": np.zeros((n, n_q)), "qd": np.zeros((n, n_v)), "qdd": np.zeros((n, n_v))}
    work = make_linked_work(packed.system)
    status = joint_frames_of_natural(packed.system, frames["q"], frames["qd"], frames["qdd"], near, found["q"], found["qd"],
                                     found["qdd"], work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, float(frames["t"][0]), 0.0)
    return found


def solve_frames(packed: Packed, t: np.ndarray, q: np.ndarray, qd: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Return the accelerations (nf, n_v) of frames of a model with superelements, tree coordinates with the modes behind."""
    tree, qdd = packed.of_tree, np.zeros_like(qd)
    work, tree_work = loaded_work(packed, loads), loaded_work(tree, loads)
    status = solve_natural_frames(packed.system, tree.system, t, q, qd, qdd, loads, work, tree_work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, float(t[0]), 0.0)
    return qdd


def measure_natural(packed: Packed, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
                    multiplier: np.ndarray, loads: np.ndarray, out: dict[str, np.ndarray]) -> np.ndarray:
    """Fill the tables of frames of a model with superelements; returns `body` (nf, n_body, 19), rows as in the layout.

    `multiplier` (nf, m) are those of the loops' rows.
    """
    tree = packed.of_tree
    work, tree_work = loaded_work(packed, loads), loaded_work(tree, loads)
    body, point = np.zeros((len(t), len(packed.system.body), 19)), np.zeros((len(t), len(packed.recovered), 19))
    status = measure_natural_frames(packed.system, tree.system, t, q, qd, qdd, multiplier, loads, body, point,
                                    out["reaction"], out["effort"], out["element"], out["system"], work, tree_work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, float(t[0]) if len(t) else 0.0, 0.0)
    body = body[:, packed.body_rows]
    body[:, packed.recovered] = point
    return body


def in_rates(begin: Begun, fail: np.ndarray) -> np.ndarray:
    """Return a copy of `Work.fail` whose `rate`, a natural coordinate if the start has them, is a rate of the tree."""
    fail = fail.copy()
    if begin.natural:
        body = begin.natural.packed.system.pair["body"][fail["rate"][0]]
        moved = np.flatnonzero(begin.packed.system.dof["body"] == body)
        fail["rate"] = moved[0] if len(moved) else 0
    return fail
