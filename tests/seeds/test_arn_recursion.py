"""[ARN (13)-(17)] evaluated literally with dense 6x6 matrices, against the kernels.

M. Arnold, Algorithmic aspects of singularly perturbed multibody system models, section 3: the recursive formalism for
tree structured systems as a block Gaussian elimination.

Coordinates here: p = (rotation, position) of the joint origin in world axes, so that the joint relation (7) stands
solved for p and K_i = I; H_i = -(shift from the parent's origin), J_i = -(directions of the joint's rates), k_i^(II) =
-(acceleration terms without the parent's and the rates' own).  Efforts on a joint are a pair of wrenches inside f, so
that (11) stays J^T mu = 0.

Errata of the text at hand (found by derivation from (9), (11), (12), confirmed by the comparison below):
    (10)   has lost its number; it is the equilibrium M p'' + K^T mu + sum H_j^T mu_j = f.
    (12)   and (14)-(17) print p-dot where accelerations p'' are meant.
    (14)   right-hand side is -J^T Mbar (H p''_parent + k^(II)) - J^T fbar: the term with fbar stands outside of the
           bracket, and its sign is minus.
    (15)   the same bracket: -(J^T Mbar J)^-1 (J^T Mbar (H p''_parent + k^(II)) + J^T fbar).
(13), (16), (17) are right as printed.

Tolerance: both are direct solutions in double precision; they differ by round-off times the condition of the mass
matrix.
"""

import numpy as np
import pytest
from physics.states import EPS, packed_case
from random_models import random_tree

from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.model import parts

ONE_RATE = (parts.Revolute, parts.Prismatic, parts.Screw)
SEVERAL_RATES = (parts.Free, parts.Spherical, parts.Planar, parts.Cylindrical)


def skew(a):
    """Return the matrix of a x."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def symmetric(six):
    """Return the matrix of (xx, xy, xz, yy, yz, zz)."""
    J = np.zeros((3, 3))
    J[np.triu_indices(3)] = six
    return J + np.triu(J, 1).T


class Recursion:
    """The article's matrices of every body, and its recursion; body 0 is the root."""

    def __init__(self, case, efforts):
        self.case, self.n = case, len(case.sys.body)
        eval_motion(case.sys, case.q, case.qd, case.work)
        self.parent = [int(p) for p in case.sys.body["parent"]]
        bodies = range(1, self.n)
        self.H = [None, *(self.shift(i) for i in bodies)]
        self.J = [None, *(self.jacobian(i) for i in bodies)]
        self.k = [None, *(-np.concatenate([case.work.body[i].ca_w[:3], case.work.body[i].cl_w[:3]]) for i in bodies)]
        self.M = [None, *(self.mass(i) for i in bodies)]
        self.f = [np.zeros(6), *(self.force(i) for i in bodies)]
        for i in bodies:
            wrench = np.linalg.pinv(-self.J[i].T) @ efforts[self.rates(i)]  # does the efforts' work on the rates
            self.f[i] = self.f[i] + wrench
            self.f[self.parent[i]] = self.f[self.parent[i]] + self.H[i].T @ wrench

    def rates(self, i):
        """Return the slice of a body's rates."""
        b = self.case.sys.body[i]
        return slice(int(b.v), int(b.v + b.nv))

    def rotation(self, i):
        """Return the rotation of body i, kept by its columns."""
        return self.case.work.body[i].E_wb.reshape(3, 4)[:, :3].T

    def shift(self, i):
        """Return H of (8): minus the map of the parent's velocity to that of the origin of body i."""
        d = self.case.work.body[i].d_w[:3]
        return -np.block([[np.eye(3), np.zeros((3, 3))], [-skew(d), np.eye(3)]])

    def jacobian(self, i):
        """Return J of (8): minus the directions of the rates; a revolute row keeps no direction of moving."""
        rows = self.case.work.dof[self.rates(i)]
        R = self.rotation(self.parent[i]) @ self.case.sys.body[i].R_pj.reshape(3, 3)
        own = self.case.sys.dof[self.rates(i)]
        assert len(rows) == len(own)
        return -np.array([np.concatenate([R @ s.s_n, R @ s.s_f]) for s in own]).reshape(-1, 6).T

    def mass(self, i):
        """Return M of (10) about the origin of body i."""
        b, R = self.case.sys.body[i], self.rotation(i)
        h = R @ b.h_b
        return np.block([[R @ symmetric(b.J_b) @ R.T, skew(h)], [-skew(h), b.mass * np.eye(3)]])

    def force(self, i):
        """Return f of (10): gravity less gyroscopic terms."""
        b, R = self.case.sys.body[i], self.rotation(i)
        w, h, J = self.case.work.body[i].w_w[:3], R @ b.h_b, R @ symmetric(b.J_b) @ R.T
        g = self.case.sys.constants[0].g_w
        return np.concatenate([np.cross(h, g) - np.cross(w, J @ w), b.mass * g - np.cross(w, np.cross(w, h))])

    def solve(self):
        """Return the joint accelerations by (13), (15), (16), (17)."""
        Mbar, fbar = [m if m is None else m.copy() for m in self.M], [f.copy() for f in self.f]
        D_inv = [None] * self.n
        for j in range(self.n - 1, 0, -1):
            J, H, M, f = self.J[j], self.H[j], Mbar[j], fbar[j]
            D_inv[j] = np.linalg.inv(J.T @ M @ J)
            i = self.parent[j]
            if i > 0:
                Mbar[i] += H.T @ (M - M @ J @ D_inv[j] @ J.T @ M) @ H                              # [ARN (13a)]
                fbar[i] -= H.T @ (np.eye(6) - M @ J @ D_inv[j] @ J.T) @ (f + M @ self.k[j])         # [ARN (13b)]
        p = [np.zeros(6)] * self.n
        qdd = np.zeros(self.case.n_v)
        for i in range(1, self.n):
            J, H, M, f, k, D = self.J[i], self.H[i], Mbar[i], fbar[i], self.k[i], D_inv[i]
            before = p[self.parent[i]]
            qdd[self.rates(i)] = -D @ (J.T @ M @ (H @ before + k) + J.T @ f)                        # [ARN (15)]
            Hbar = (np.eye(6) - J @ D @ J.T @ M) @ H                                                # [ARN (17a)]
            kbar = (np.eye(6) - J @ D @ J.T @ M) @ k - J @ D @ J.T @ f                              # [ARN (17b)]
            p[i] = -Hbar @ before - kbar                                                            # [ARN (16)]
        return qdd


def check(model):
    """Compare the article's recursion with forward dynamics and with inverse dynamics."""
    case = packed_case(model)
    efforts = np.zeros(case.n_v)
    for element in case.packed.plan.model.forces:  # motors with constant efforts
        joint = next(j for j in case.packed.layout.joints if j.name == case.packed.plan.model.joints[element.joint].name)
        efforts[joint.v + element.coordinate] += element.law
    qdd = Recursion(case, efforts).solve()
    loss = 10 * case.n_v * EPS * np.linalg.cond(case.mass_matrix())
    found = case.accelerations()
    assert np.abs(found - qdd).max() <= loss * np.abs(qdd).max()


def with_motors(model, rng):
    """Return the model with constant efforts on every coordinate that takes one."""
    for joint in model.joints:
        if isinstance(joint, (parts.Spherical, parts.Free, parts.Fixed)):
            continue
        for c in joint.coordinates:
            model.add(parts.Motor(f"{joint.name} {c}", joint.name, effort=float(rng.normal()),
                                  coordinate=c if len(joint.coordinates) > 1 else None))
    return model


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("joints", [ONE_RATE, SEVERAL_RATES, parts.JOINTS], ids=["one rate", "several", "all"])
def test_the_articles_recursion_gives_the_kernels_accelerations(joints, seed):
    rng = np.random.default_rng(seed)
    model, _, _ = random_tree(rng, 8, joints=joints, forces=False)
    check(with_motors(model, rng))


def test_the_tree_of_figure_3():
    """Root, pi = (0, 1, 2, 2, 4): bodies 3 and 5 are leaves, body 2 is a ramification."""
    rng = np.random.default_rng(9)
    model, _, _ = random_tree(rng, 5, joints=(parts.Revolute, parts.Universal), forces=False, reverse=0.0)
    tree = [(1, 0), (2, 1), (3, 2), (4, 2), (5, 4)]
    for child, parent in tree:
        model = model.replaced(f"j{child}", first="ground" if parent == 0 else f"b{parent}.a", second=f"b{child}")
    check(model)
