"""Reactions of mechanisms that are held more than once: those of least norm among all that balance the motion.

A self-stress is a set of multipliers s with J_freeᵀ s = 0: it moves nothing.  Row r acts with the force f and, about the world's
origin, the moment n on its body b, and with the opposite on a.  What a tree joint k carries is the sum over the bodies
outboard of it, with c = 1 for those and 0 for others; d is the derivative of a row between coordinates by the rate v.  At a
point p the loads of unit multipliers on the second body are therefore
    tree joint         ±(c_b - c_a) (f, n - p x f) ± d e_v      minus if the tree carries the joint's first body     (1)
    cut joint, hold    -(f, n - p x f),   between coordinates -1 on the first of them                                (2)
With the columns S of all self-stresses and the recorded reactions x,
    |W (x + S y)| = min,   W = 1 for forces, 1/L for moments                                                         (3)
where L is the length that slides are scaled with.  Drives hold what they drive: their efforts change by J_drivenᵀ s, which is
zero unless there are more drives than degrees of freedom.  See docs/theory/closed_loops.md.
"""

from __future__ import annotations

import numpy as np

from ..kernels.constrained import TURNED
from ..system.pack import Packed, length_scale
from .constraints import RANK, Constraints


def share_reactions(packed: Packed, t: np.ndarray, q: np.ndarray, reaction: np.ndarray, effort: np.ndarray) -> None:
    """Replace reactions (nf, n, 6) and efforts (nf, n_v) of frames in tree coordinates by those of least norm, in place.

    Models without redundant rows are left alone, and so are frames in which all rows are independent.
    """
    tree = packed.tree or packed
    if not tree.redundant:
        return
    sharing, n = Sharing(tree), reaction[0].size if len(t) else 0
    for f in range(len(t)):
        loads = sharing.self_stresses(float(t[f]), np.ascontiguousarray(q[f, :tree.layout.n_q]))
        if loads.shape[1]:
            change = loads @ sharing.smallest(reaction[f], loads[:n])
            reaction[f] += change[:n].reshape(-1, 6)
            effort[f, :tree.layout.n_v] += change[n:]


class Sharing:
    """Self-stresses of a packed model in joint coordinates, and what they do to its joints."""

    def __init__(self, packed: Packed):
        system, layout = packed.system, packed.layout
        self.system, self.constraints = system, Constraints(packed)
        self.free, self.between = system.dof["drive"] < 0, system.row["terms"] > 0
        first, end = system.joint["last"][:, None], system.body["end"][system.joint["last"]][:, None]
        outboard = [(first <= body) & (body < end) for body in (system.row["b"], system.row["a"])]
        self.carried = np.where(self.between, 0.0, 1.0 * outboard[0] - outboard[1])              # c_b - c_a of (1)
        self.sign = np.where(system.joint["reversed"] == 1, -1.0, 1.0)
        self.hold = np.repeat(np.arange(len(system.hold)), system.hold["count"])
        self.held = np.concatenate([np.arange(h.first, h.first + h.count) for h in system.hold] or [np.zeros(0, int)])
        self.weight = self._weights(layout, length_scale(packed.plan.model))

    def _weights(self, layout, length: float) -> np.ndarray:
        """Weights (n, 6) of (3); joints inside flexible bodies do not count, efforts have the unit of their coordinate."""
        n = len(layout.joints)
        weight = np.tile(np.repeat([1.0, 1.0 / length], 3), (n + len(self.system.hold), 1))
        weight[:n][[j.hidden for j in layout.joints]] = 0.0
        for i, hold in enumerate(self.system.hold):
            if hold.count and self.between[hold.first]:
                weight[n + i] = self.system.row["size"][hold.first] / length
        return weight

    def smallest(self, reaction: np.ndarray, loads: np.ndarray) -> np.ndarray:
        """Return the amounts of self-stresses with the loads (6 n, s) that make reactions (n, 6) least."""
        weight = self.weight.ravel()
        return np.linalg.lstsq(weight[:, None] * loads, -weight * reaction.ravel(), rcond=RANK)[0]              # (3)

    def self_stresses(self, t: float, q: np.ndarray) -> np.ndarray:
        """Return the reactions, then the efforts, (6 n + n_v, s) that each of a state's self-stresses makes."""
        J = self.constraints.full_jacobian(t, q)
        size = self.constraints.size
        violation = np.max(abs(self.constraints.work.row["value"]) / size)
        stresses = null_rows((J * self.system.dof["q_scale"] / size[:, None])[:, self.free], max(RANK, TURNED * violation))
        stresses /= size[:, None]
        if not stresses.shape[1]:
            return np.zeros((0, 0))
        between = np.where(self.between[:, None], J, 0.0)
        efforts = np.where(self.free[:, None], -between.T, J.T)
        return np.concatenate([self._tree_loads(between, stresses).reshape(-1, stresses.shape[1]),
                               self._hold_loads(stresses).reshape(-1, stresses.shape[1]), efforts @ stresses])

    def _wrenches(self) -> np.ndarray:
        """Force, and moment about the world's origin, of every row on its second body (m, 6)."""
        row, place = self.constraints.work.row, self.constraints.work.body["r_w"][self.system.row["b"]]
        wrench = np.concatenate([row["f_b"], row["n_b"] + np.cross(place, row["f_b"])], axis=1)
        wrench[self.between] = 0.0
        return wrench

    def _turned(self, bodies: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Vectors (n, 3) in the axes of rows of bodies (n,), in world axes."""
        columns = self.constraints.work.body["E_wb"][bodies].reshape(-1, 3, 4)[:, :, :3]
        return np.einsum("ica,ic->ia", columns, vectors)

    def _tree_loads(self, between: np.ndarray, stresses: np.ndarray) -> np.ndarray:
        """Loads (n_joint, 6, s) of (1)."""
        joint, body, place = self.system.joint, self.system.body, self.constraints.work.body["r_w"]
        base = body["parent"][joint["first"]]
        seat = place[base] + self._turned(base, body["d_p"][joint["first"]])
        point = np.where(joint["reversed"][:, None] == 1, seat, place[joint["last"]])
        loads = np.einsum("kr,rc,rs->kcs", self.carried, self._wrenches(), stresses, optimize=True)
        loads[:, 3:] -= np.cross(point[:, :, None], loads[:, :3], axis=1)
        pushed = between.T @ stresses
        for k in np.flatnonzero([np.any(pushed[j.v:j.v + j.nv]) for j in joint]):
            last = body[joint[k].last]
            for v in range(joint[k].v, joint[k].v + joint[k].nv):
                own = self.system.dof[v]
                axes = last["R_pj"].reshape(3, 3) @ np.stack([own["e_f"], own["e_n"]], axis=1)
                unit = self._turned(np.repeat(last["parent"], 2), axes.T).ravel()
                loads[k] += np.outer(unit, pushed[v])
        return self.sign[:, None, None] * loads

    def _hold_loads(self, stresses: np.ndarray) -> np.ndarray:
        """Loads (n_hold, 6, s) of (2)."""
        held, row = self.held, self.system.row
        body = row["b"][held]
        point = self.constraints.work.body["r_w"][body] + self._turned(body, row["u_b"][held])
        wrench = self._wrenches()[held]
        wrench[:, 3:] -= np.cross(point, wrench[:, :3])
        wrench[self.between[held], 0] = 1.0
        loads = np.zeros((len(self.system.hold), 6, stresses.shape[1]))
        np.add.at(loads, self.hold, -wrench[:, :, None] * stresses[held][:, None])
        return loads


def null_rows(J: np.ndarray, tolerance: float) -> np.ndarray:
    """Return an orthonormal basis (m, s) of the combinations of rows (m, n), scaled alike, that vanish."""
    from scipy.linalg import qr

    if not J.shape[1]:
        return np.eye(len(J))
    Q, R, _ = qr(J, pivoting=True)
    size = abs(np.diag(R))
    return Q[:, int(np.sum(size > tolerance * size[0])):]
