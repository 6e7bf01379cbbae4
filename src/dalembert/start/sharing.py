"""Reactions of mechanisms that are held more than once: those of least norm among all that balance the motion.

Multipliers s with J_freeᵀ s = 0 are a self-stress: they load joints and move nothing.  Row r acts with the force f and, about
the world's origin, the moment n on its body b, and with the opposite on a.  What a tree joint k carries is the sum over the
bodies outboard of it, with c = 1 for those and 0 for others; d is the derivative of a row between coordinates by a rate of
the joint, e the wrench of a unit effort on it.  In the point p, a unit multiplier changes the reaction on the second body of a
    tree joint         by ±((c_b - c_a) (f, n - p x f) + d e),  minus if the tree carries the joint's first body      (1)
    cut joint, hold    by -(f, n - p x f);  between coordinates by -1                                                 (2)
With these columns T, the reactions x that were found, and weights W, least are
    |W (x + T s)| = min,  J_freeᵀ s = 0:   [TᵀW²T  J; Jᵀ  -eps] [s; u] = [-TᵀW²x; 0]                                   (3)
in turns that remove what eps has left, as an augmented Lagrangian does: u need not be unique, and rows that hold a direction
by less than the root of eps count as holding nothing.  Moments count about the middle of a joint's two attachments, so that it
does not matter which one is called first.  Drives hold what they drive; their efforts change by J_drivenᵀ s, which
is zero unless there are more drives than degrees of freedom.  See docs/theory/closed_loops.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..codes import Status
from ..kernels.constraint.accelerations import TURNED
from ..kernels.linked_work import eval_row_frames
from ..system.extent import length_scale
from ..system.layout import Layout
from ..system.pack import Packed
from .constraints import Constraints
from .status import error_of

LOOSE = 1e-7
"""Root of eps of (3), relative to the scaled Jacobian's largest entry, or one; TURNED times a violation if that is more."""
TURNS = 4
"""Solutions of (3): each leaves eps, relative to the square of how much a direction is held."""
DENSE = 80
"""Unknowns of (3) up to which frames are solved together by dense matrices."""
TOGETHER = 1_000_000
"""Numbers in those matrices."""


def share_reactions(packed: Packed, t: np.ndarray, q: np.ndarray, reaction: np.ndarray, effort: np.ndarray) -> None:
    """Replace reactions (nf, n, 6) and efforts (nf, n_v) of frames in tree coordinates by those of least norm, in place.

    Models without redundant rows are left alone.
    """
    tree = packed.tree or packed
    if not tree.redundant:
        return
    sharing, (n_q, n_v) = Sharing(tree), (tree.layout.n_q, tree.layout.n_v)
    for first in range(0, len(t), sharing.together):
        block = slice(first, first + sharing.together)
        times, states = (np.ascontiguousarray(x) for x in (t[block], q[block, :n_q]))
        sharing.share(times, states, reaction[block], effort[block, :n_v])


class Poses(NamedTuple):
    """States of frames: Jacobians (nf, m, n_v), rows' wrenches on their second bodies about the world's origin (nf, m, 6),
    origins (nf, n_body, 3) and axes, one per row, (nf, n_body, 3, 3) of the bodies, largest relative violations (nf,).
    """

    jacobian: np.ndarray
    wrench: np.ndarray
    place: np.ndarray
    axes: np.ndarray
    violation: np.ndarray

    def turned(self, bodies: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Vectors (n, 3) in the axes of rows of bodies (n,), in world axes (nf, n, 3)."""
        out: np.ndarray = np.einsum("fica,ic->fia", self.axes[:, bodies], vectors)
        return out

    def wrench_at(self, rows: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Wrenches of rows (n,) about points (nf, n, 3)."""
        wrench = self.wrench[:, rows]
        wrench[..., 3:] -= np.cross(points, wrench[..., :3])
        return wrench


class Sharing:
    """What the multipliers of a packed model in joint coordinates do to its joints."""

    def __init__(self, packed: Packed):
        system, layout = packed.system, packed.layout
        self.packed, self.system, self.constraints = packed, system, Constraints(packed)
        self.free, self.between = system.dof["drive"] < 0, system.row["terms"] > 0
        self.joint, self.row, self.carried = self._carried()
        self.pushed, self.pushing, self.rate = self._pushed()
        self.n_cut = len(layout.cuts)
        self.hold = np.repeat(np.arange(len(system.hold)), system.hold["count"])
        self.held = np.concatenate([np.arange(h.first, h.first + h.count) for h in system.hold] or [np.zeros(0, int)])
        self.owner = np.concatenate([self.joint, self.pushed, len(system.joint) + self.hold])
        self.column = np.concatenate([self.row, self.pushing, self.held])
        self.weight = self._weights(layout, length_scale(packed.plan.model)).ravel()
        unknowns = len(system.row) + int(np.sum(self.free))
        self.dense = unknowns <= DENSE
        self.together = max(1, TOGETHER // (unknowns * (unknowns + len(self.weight)))) if self.dense else 1

    def _carried(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Joints and rows with c_b - c_a of (1) not zero, and its value."""
        joint, row = self.system.joint, self.system.row
        first, end = joint["last"][:, None], self.system.body["end"][joint["last"]][:, None]
        of_b, of_a = ((first <= body) & (body < end) for body in (row["b"], row["a"]))
        c = np.where(self.between, 0.0, 1.0 * of_b - 1.0 * of_a)
        row, column = np.nonzero(c)
        return row, column, c[row, column]

    def _pushed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Joints, rows between coordinates that act on them, and the rates by which."""
        joint_of_rate = {v: k for k, joint in enumerate(self.system.joint) for v in range(joint.v, joint.v + joint.nv)}
        found = [(joint_of_rate[v], r, v) for r in np.flatnonzero(self.between) for row in [self.system.row[r]]
                 for v in sorted({int(term.v) for term in self.system.term[row.term:row.term + row.terms]})]
        first, second, third = np.array(found, int).reshape(-1, 3).T
        return first, second, third

    def _weights(self, layout: Layout, length: float) -> np.ndarray:
        """Weights (n, 6), times the length; joints inside flexible bodies do not count, efforts do by their coordinate."""
        n = len(layout.joints)
        weight = np.tile(np.repeat([length, 1.0], 3), (n + len(self.system.hold), 1))
        weight[:n][[j.hidden for j in layout.joints]] = 0.0
        for i, hold in enumerate(self.system.hold):
            if hold.count and self.between[hold.first]:
                weight[n + i] = self.system.row["size"][hold.first]
        return weight

    def share(self, t: np.ndarray, q: np.ndarray, reaction: np.ndarray, effort: np.ndarray) -> None:
        """Make the reactions of frames least, in place; one frame only if they are not dense."""
        poses = self._poses(t, q)
        loads = np.concatenate([self._tree_loads(poses), self._effort_loads(poses), self._hold_loads(poses)], axis=1)
        find, offset = self._smallest_dense if self.dense else self._smallest, self._offsets(poses)
        stress, change = find(poses, _about(loads, offset[:, self.owner]), _about(reaction, offset).reshape(len(t), -1))
        reaction += _about(change.reshape(reaction.shape), -offset)
        efforts = np.where(self.free, np.where(self.between[:, None], -poses.jacobian, 0.0), poses.jacobian)
        effort += np.einsum("frv,fr->fv", efforts, stress)

    def _poses(self, t: np.ndarray, q: np.ndarray) -> Poses:
        nf, m, n_body, n_v = len(t), len(self.system.row), len(self.system.body), len(self.system.dof)
        J, value, f, n = np.zeros((nf, m, n_v)), np.zeros((nf, m)), np.zeros((nf, m, 3)), np.zeros((nf, m, 3))
        place, axes, work = np.zeros((nf, n_body, 3)), np.zeros((nf, n_body, 9)), self.constraints.work
        status = eval_row_frames(self.system, t, q, np.zeros(n_v), J, value, f, n, place, axes, work)
        if status != Status.OK:
            raise error_of(status, self.packed, work.fail, float(t[0]), 0.0)
        wrench = np.concatenate([f, n + np.cross(place[:, self.system.row["b"]], f)], axis=2)
        wrench[:, self.between] = 0.0
        violation = np.max(abs(value) / self.constraints.size, axis=1)
        return Poses(J, wrench, place, axes.reshape(nf, n_body, 3, 3), violation)

    def _scaled(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians (nf, m, n_free) relative to the sizes of rows and coordinates, and eps (nf,) of (3)."""
        A = (poses.jacobian * self.system.dof["q_scale"] / self.constraints.size[:, None])[:, :, self.free]
        largest = np.max(abs(A), axis=(1, 2), initial=0.0)
        return A, (np.maximum(LOOSE, TURNED * poses.violation) * np.maximum(largest, 1.0)) ** 2

    def _smallest_dense(self, poses: Poses, loads: np.ndarray, reaction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Self-stresses (nf, m) that make reactions (nf, 6 n) least, and what they add to them."""
        A, eps = self._scaled(poses)
        (nf, m, n), size, weight = A.shape, self.constraints.size, self.weight[:, None]
        T = np.zeros((nf, len(self.weight) // 6, 6, m))
        places: Any = slice(None), self.owner, slice(None), self.column
        np.add.at(T, places, np.swapaxes(loads, 0, 1))
        T = weight / size * T.reshape(nf, -1, m)
        H, K = np.swapaxes(T, 1, 2) @ T, np.zeros((nf, m + n, m + n))
        K[:, :m, :m], K[:, :m, m:], K[:, m:, :m] = H, A, np.swapaxes(A, 1, 2)
        exact, at = K.copy(), np.arange(m + n)
        K[:, at[:m], at[:m]] += LOOSE**2
        K[:, at[m:], at[m:]] -= eps[:, None]
        load, y = np.zeros((nf, m + n, 1)), np.zeros((nf, m + n, 1))
        load[:, :m] = np.swapaxes(T, 1, 2) @ (weight * reaction[:, :, None])
        for _ in range(TURNS):
            y -= np.linalg.solve(K, load + exact @ y)                                                               # (3)
        stress = y[:, :m, 0] / size
        change = np.zeros((nf, len(self.weight) // 6, 6))
        joints: Any = slice(None), self.owner
        np.add.at(change, joints, loads * stress[:, self.column, None])
        return stress, change

    def _smallest(self, poses: Poses, loads: np.ndarray, reaction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Do the same for one frame with sparse matrices."""
        from scipy.sparse import block_array, coo_array, csr_array, diags_array
        from scipy.sparse.linalg import splu

        A, eps = self._scaled(poses)
        A, size = csr_array(A[0]), self.constraints.size
        m, n = A.shape
        at = (6 * self.owner[:, None] + np.arange(6)).ravel(), np.repeat(self.column, 6)
        loads = coo_array((loads[0].ravel(), at), shape=(len(self.weight), m)).tocsr()
        T = diags_array(self.weight) @ loads @ diags_array(1.0 / size)
        H = (T.T @ T).tocsr()
        K = block_array([[H + LOOSE**2 * diags_array(np.ones(m)), A], [A.T, diags_array(np.full(n, -eps[0]))]], format="csc")
        factors, y, load = splu(K), np.zeros(m + n), T.T @ (self.weight * reaction[0])
        for _ in range(TURNS):
            y -= factors.solve(np.concatenate([load + H @ y[:m] + A @ y[m:], A.T @ y[:m]]))                         # (3)
        stress = y[:m] / size
        return stress[None], (loads @ stress)[None]

    def _signs(self, joint: np.ndarray) -> np.ndarray:
        """Signs (n, 1) of (1)."""
        return np.where(self.system.joint["reversed"][joint] == 1, -1.0, 1.0)[:, None]

    def _ends(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """First and second attachments (nf, n, 3) of the tree's joints."""
        joint, body = self.system.joint, self.system.body
        base = body["parent"][joint["first"]]
        seat, carried = poses.place[:, base] + poses.turned(base, body["d_p"][joint["first"]]), poses.place[:, joint["last"]]
        back = joint["reversed"][:, None] == 1
        return np.where(back, carried, seat), np.where(back, seat, carried)

    def _offsets(self, poses: Poses) -> np.ndarray:
        """From the middle of a joint's attachments, where moments count, to the second (nf, n, 3); zero for constraints."""
        first, second = self._ends(poses)
        row = self.system.row[self.system.hold["first"][:self.n_cut]]
        cut = [poses.place[:, row[name]] + poses.turned(row[name], row[f"u_{name}"]) for name in ("a", "b")]
        rest = np.zeros((len(poses.place), len(self.system.hold) - self.n_cut, 3))
        return np.concatenate([0.5 * (second - first), 0.5 * (cut[1] - cut[0]), rest], axis=1)

    def _tree_loads(self, poses: Poses) -> np.ndarray:
        """Loads (nf, n, 6) of rows between bodies in (1), for `joint` and `row`."""
        point = self._ends(poses)[1]
        out: np.ndarray = self._signs(self.joint) * self.carried[:, None] * poses.wrench_at(self.row, point[:, self.joint])
        return out

    def _effort_loads(self, poses: Poses) -> np.ndarray:
        """Loads (nf, n, 6) of rows between coordinates in (1), for `pushed`, `pushing` and `rate`."""
        last, dof = self.system.joint["last"][self.pushed], self.system.dof[self.rate]
        frame, base = self.system.body["R_pj"][last].reshape(-1, 3, 3), self.system.body["parent"][last]
        unit = [poses.turned(base, np.einsum("iab,ib->ia", frame, dof[name])) for name in ("e_f", "e_n")]
        size: np.ndarray = self._signs(self.pushed) * poses.jacobian[:, self.pushing, self.rate, None]
        return np.asarray(size * np.concatenate(unit, axis=2))

    def _hold_loads(self, poses: Poses) -> np.ndarray:
        """Loads (nf, n, 6) of (2), for `hold` and `held`."""
        row = self.system.row[self.held]
        wrench = poses.wrench_at(self.held, poses.place[:, row["b"]] + poses.turned(row["b"], row["u_b"]))
        wrench[:, self.between[self.held], 0] = 1.0
        return -wrench


def _about(wrench: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Wrenches (nf, n, 6) about points at which they are given minus offsets (nf, n, 3)."""
    return np.concatenate([wrench[..., :3], wrench[..., 3:] + np.cross(offset, wrench[..., :3])], axis=-1)
