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
by less than the root of eps count as holding nothing.  Drives hold what they drive; their efforts change by J_drivenᵀ s, which
is zero unless there are more drives than degrees of freedom.  See docs/theory/closed_loops.md.
"""

from __future__ import annotations

import numpy as np

from ..kernels.constrained import TURNED
from ..system.pack import Packed, length_scale
from .constraints import Constraints

LOOSE = 1e-6
"""Root of eps of (3), relative to the scaled Jacobian's largest entry; TURNED times a violation if that is more."""
ROUNDING = 1e-12
"""Largest entry of a scaled Jacobian of rows that hold nothing."""
TURNS = 3
"""Solutions of (3): they leave the cube of eps, relative to the square of how much a direction is held."""


def share_reactions(packed: Packed, t: np.ndarray, q: np.ndarray, reaction: np.ndarray, effort: np.ndarray) -> None:
    """Replace reactions (nf, n, 6) and efforts (nf, n_v) of frames in tree coordinates by those of least norm, in place.

    Models without redundant rows are left alone.
    """
    tree = packed.tree or packed
    if not tree.redundant:
        return
    sharing = Sharing(tree)
    for f in range(len(t)):
        loads, efforts, J = sharing.effects(float(t[f]), np.ascontiguousarray(q[f, :tree.layout.n_q]))
        stress = sharing.smallest(reaction[f], loads, J)
        reaction[f] += (loads @ stress).reshape(-1, 6)
        effort[f, :tree.layout.n_v] += efforts @ stress


class Sharing:
    """What the multipliers of a packed model in joint coordinates do to its joints."""

    def __init__(self, packed: Packed):
        system, layout = packed.system, packed.layout
        self.system, self.constraints = system, Constraints(packed)
        self.free, self.between = system.dof["drive"] < 0, system.row["terms"] > 0
        self.joint_of_rate = np.zeros(len(system.dof), int)
        for k, joint in enumerate(system.joint):
            self.joint_of_rate[joint.v:joint.v + joint.nv] = k
        self.joint, self.row, self.carried = self._carried()
        self.hold = np.repeat(np.arange(len(system.hold)), system.hold["count"])
        self.held = np.concatenate([np.arange(h.first, h.first + h.count) for h in system.hold] or [np.zeros(0, int)])
        self.weight = self._weights(layout, length_scale(packed.plan.model)).ravel()

    def _carried(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Joints and rows with c_b - c_a of (1) not zero, and its value."""
        joint, row = self.system.joint, self.system.row
        first, end = joint["last"][:, None], self.system.body["end"][joint["last"]][:, None]
        of_b, of_a = ((first <= body) & (body < end) for body in (row["b"], row["a"]))
        c = np.where(self.between, 0.0, 1.0 * of_b - 1.0 * of_a)
        at = np.nonzero(c)
        return *at, c[at]

    def _weights(self, layout, length: float) -> np.ndarray:
        """Weights (n, 6), times the length; joints inside flexible bodies do not count, efforts do by their coordinate."""
        n = len(layout.joints)
        weight = np.tile(np.repeat([length, 1.0], 3), (n + len(self.system.hold), 1))
        weight[:n][[j.hidden for j in layout.joints]] = 0.0
        for i, hold in enumerate(self.system.hold):
            if hold.count and self.between[hold.first]:
                weight[n + i] = self.system.row["size"][hold.first]
        return weight

    def effects(self, t: float, q: np.ndarray):
        """Return what unit multipliers of a state do to reactions (6 n, m) and efforts (n_v, m), and J (m, n_v)."""
        from scipy.sparse import coo_array, csr_array

        J = self.constraints.full_jacobian(t, q)
        row, v = np.nonzero(np.where(self.between[:, None], J, 0.0))
        n = len(self.system.joint)
        parts = [(self.joint, self.row, self._tree_loads()), (self.joint_of_rate[v], row, self._effort_loads(J[row, v], v)),
                 (n + self.hold, self.held, self._hold_loads())]
        at = np.concatenate([(6 * owner[:, None] + np.arange(6)).ravel() for owner, _, _ in parts])
        columns = np.concatenate([np.repeat(r, 6) for _, r, _ in parts])
        values = np.concatenate([load.ravel() for _, _, load in parts])
        loads = coo_array((values, (at, columns)), shape=(6 * (n + len(self.system.hold)), len(J))).tocsr()
        efforts = np.where(self.free, np.where(self.between[:, None], -J, 0.0), J).T
        return loads, csr_array(efforts), J

    def smallest(self, reaction: np.ndarray, loads, J: np.ndarray) -> np.ndarray:
        """Return the self-stress (m,) that makes reactions (n, 6) least."""                                        # (3)
        from scipy.sparse import block_array, csr_array, diags_array
        from scipy.sparse.linalg import splu

        size = self.constraints.size
        A = csr_array((J * self.system.dof["q_scale"] / size[:, None])[:, self.free])
        T = diags_array(self.weight) @ loads @ diags_array(1.0 / size)
        m, n = A.shape
        violation, largest = np.max(abs(self.constraints.work.row["value"]) / size), np.max(abs(A.data), initial=0.0)
        eps = (max(LOOSE, TURNED * violation) * (largest if largest > ROUNDING else 1.0)) ** 2
        H = (T.T @ T).tocsr()
        K = block_array([[H + LOOSE**2 * diags_array(np.ones(m)), A], [A.T, diags_array(np.full(n, -eps))]], format="csc")
        factors, y, load = splu(K), np.zeros(m + n), T.T @ (self.weight * reaction.ravel())
        for _ in range(TURNS):
            y -= factors.solve(np.concatenate([load + H @ y[:m] + A @ y[m:], A.T @ y[:m]]))
        return y[:m] / size

    def _moved(self, wrench: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Wrenches (n, 6) about the world's origin, about points (n, 3)."""
        return np.concatenate([wrench[:, :3], wrench[:, 3:] - np.cross(point, wrench[:, :3])], axis=1)

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

    def _signs(self, joint: np.ndarray) -> np.ndarray:
        """Signs (n, 1) of (1)."""
        return np.where(self.system.joint["reversed"][joint] == 1, -1.0, 1.0)[:, None]

    def _tree_loads(self) -> np.ndarray:
        """Loads (n, 6) of rows between bodies in (1), for `joint` and `row`."""
        joint, body, place = self.system.joint, self.system.body, self.constraints.work.body["r_w"]
        base = body["parent"][joint["first"]]
        seat = place[base] + self._turned(base, body["d_p"][joint["first"]])
        point = np.where(joint["reversed"][:, None] == 1, seat, place[joint["last"]])
        loads = self.carried[:, None] * self._moved(self._wrenches()[self.row], point[self.joint])
        return self._signs(self.joint) * loads

    def _effort_loads(self, d: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Loads (n, 6) of derivatives d by rates v (n,) in (1)."""
        last = self.system.joint["last"][self.joint_of_rate[v]]
        frame, base = self.system.body["R_pj"][last].reshape(-1, 3, 3), self.system.body["parent"][last]
        unit = [self._turned(base, np.einsum("iab,ib->ia", frame, self.system.dof[name][v])) for name in ("e_f", "e_n")]
        return self._signs(self.joint_of_rate[v]) * d[:, None] * np.concatenate(unit, axis=1)

    def _hold_loads(self) -> np.ndarray:
        """Loads (n, 6) of (2), for `hold` and `held`."""
        row = self.system.row[self.held]
        point = self.constraints.work.body["r_w"][row["b"]] + self._turned(row["b"], row["u_b"])
        wrench = self._moved(self._wrenches()[self.held], point)
        wrench[self.between[self.held], 0] = 1.0
        return -wrench
