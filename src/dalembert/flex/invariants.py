"""Inertia constants of a deformable body: what a floating frame needs to know of the mass distribution.

A body moves with its frame (velocity v, angular velocity w, both in the frame's axes) and deforms by u = Phi q.
Its kinetic energy is a polynomial in q whose coefficients are integrals over the undeformed body,

    T = 1/2 m v.v + v.(w x s(q)) + 1/2 w.J(q) w + v.Ct' qd + w.Cr(q)' qd + 1/2 qd.Me qd                (1)
    s(q) = s0 + Ct' q,  Cr(q)_a = Cr_a + G_a q,  J(q) = J0 + J1.q + q.J2.q                             (2)

with Ct = ∫Phi' dm, Cr_a = ∫Phi'(e_a x R) dm, G_a = ∫Phi' (e_a x Phi) dm, J1 = ∫2 (R.Phi) 1 - R Phi - Phi R dm and
J2 = ∫(Phi.Phi) 1 - Phi Phi dm.  The equations of motion follow from (1) by Lagrange and need nothing else.

The integrals are nodal sums with the consistent mass matrix: exact for isoparametric elements, and converging with the
square of the element length for beams, whose deflection has slopes at the nodes.  Nodes with rotations carry rotary
inertia that turns with the node, to second order in the rotation: discs of rotors get their gyroscopic couples.

Seeds: [HEL (1), (2)] the frame and its shape functions.  Deviations: J2 is kept, which Standard Input Data leave out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fe_model import FEModel

EPSILON = np.zeros((3, 3, 3))
"""Permutation symbol: (a x b)_i = EPSILON[i, j, k] a_j b_k."""
EPSILON[0, 1, 2] = EPSILON[1, 2, 0] = EPSILON[2, 0, 1] = 1.0
EPSILON[0, 2, 1] = EPSILON[2, 1, 0] = EPSILON[1, 0, 2] = -1.0
EPSILON.setflags(write=False)
PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
"""Order of the six products of angular velocities: xx yy zz xy yz xz."""


@dataclass(frozen=True, eq=False)
class Inertia:
    """Inertia constants of a body with n elastic coordinates, in the axes of its frame.

    Attributes
    ----------
    mass : float
        m [kg].
    first_moment : (3,) float
        s0 = m times the centre of mass of the undeformed body [kg m].
    inertia : (3, 3) float
        J0 about the frame's origin [kg m²].
    translation : (n, 3) float
        Ct: momentum of each coordinate's rate.
    rotation : (n, 3) float
        Cr: angular momentum of each coordinate's rate about the origin, undeformed.
    gyroscopic : (3, n, n) float
        G: change of Cr with the coordinates; antisymmetric in its last two indices but for rotary inertia that differs
        between axes.
    inertia_slope : (n, 3, 3) float
        J1: change of the inertia with each coordinate.
    inertia_curvature : (n, n, 3, 3) float
        J2: change of the inertia with each pair of coordinates.
    modal_mass : (n, n) float
        Me.
    """

    mass: float
    first_moment: np.ndarray
    inertia: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    gyroscopic: np.ndarray
    inertia_slope: np.ndarray
    inertia_curvature: np.ndarray
    modal_mass: np.ndarray

    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.modal_mass)

    @property
    def centre(self) -> np.ndarray:
        """(3,) float: centre of mass of the undeformed body [m]."""
        return self.first_moment / self.mass

    def shifted(self, origin: np.ndarray) -> Inertia:
        """Return the constants about a new origin [m], in the same axes and coordinates."""
        c, ct = np.asarray(origin, dtype=float), self.translation
        s = self.first_moment
        unit = np.eye(3)
        inertia = self.inertia - 2 * (s @ c) * unit + np.outer(s, c) + np.outer(c, s) \
            + self.mass * ((c @ c) * unit - np.outer(c, c))
        turned = np.einsum("a,lb->lab", c, ct)
        slope = self.inertia_slope - 2 * (ct @ c)[:, None, None] * unit + turned + turned.transpose(0, 2, 1)
        return Inertia(self.mass, s - self.mass * c, inertia, ct, self.rotation - np.cross(c, ct), self.gyroscopic,
                       slope, self.inertia_curvature, self.modal_mass)

    def projected(self, basis: np.ndarray) -> Inertia:
        """Return the constants in new coordinates p with q = basis p, basis (n, n_new)."""
        b = np.asarray(basis, dtype=float)
        return Inertia(self.mass, self.first_moment, self.inertia, b.T @ self.translation, b.T @ self.rotation,
                       b.T @ self.gyroscopic @ b, np.einsum("lab,lk->kab", self.inertia_slope, b),
                       np.einsum("ij,imab,mk->jkab", b, self.inertia_curvature, b, optimize=True),
                       b.T @ self.modal_mass @ b)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Return the (6 + n, 6 + n) mass matrix of (1) for the rates (v, w, qd), in the frame's axes."""
        moment, inertia, rotation = self.deformed(q)
        matrix = np.empty((6 + self.n, 6 + self.n))
        matrix[:3, :3] = self.mass * np.eye(3)
        matrix[:3, 3:6] = -_skew(moment)
        matrix[3:6, 3:6] = inertia
        matrix[:3, 6:], matrix[3:6, 6:] = self.translation.T, rotation.T
        matrix[6:, 6:] = self.modal_mass
        matrix[3:6, :3] = matrix[:3, 3:6].T
        matrix[6:, :6] = matrix[:6, 6:].T
        return matrix

    def quadratic_forces(self, q: np.ndarray, qd: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the (6 + n,) forces h of M (a, wd, qdd) + h, where a is the acceleration of the origin.

        All in the frame's axes; a includes w x v.
        """
        moment, inertia, rotation = self.deformed(q)
        momentum = self.translation.T @ qd
        slope = self.inertia_slope + 2 * np.einsum("lkab,k->lab", self.inertia_curvature, q)
        translation = np.cross(w, np.cross(w, moment)) + 2 * np.cross(w, momentum)
        turning = np.cross(w, inertia @ w) + np.einsum("lab,l,b->a", slope, qd, w) \
            + np.cross(w, rotation.T @ qd) + np.einsum("l,alk,k->a", qd, self.gyroscopic, qd)
        coriolis = self.gyroscopic - self.gyroscopic.transpose(0, 2, 1)
        elastic = np.einsum("a,alk,k->l", w, coriolis, qd) - 0.5 * np.einsum("lab,a,b->l", slope, w, w)
        return np.concatenate([translation, turning, elastic])

    def deformed(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return s(q) (3,), J(q) (3, 3) and Cr(q) (n, 3) of (2)."""
        moment = self.first_moment + self.translation.T @ q
        inertia = self.inertia + np.einsum("lab,l->ab", self.inertia_slope, q) \
            + np.einsum("lkab,l,k->ab", self.inertia_curvature, q, q)
        return moment, inertia, self.rotation + np.einsum("alk,k->la", self.gyroscopic, q)


def inertia_constants(fe: FEModel, basis: np.ndarray) -> Inertia:
    """Return the inertia constants of a finite-element model that deforms in given shapes.

    Parameters
    ----------
    fe : FEModel
        Origin and axes of its nodes are those of the frame.
    basis : (N, n) float
        Shapes, one a column.

    Returns
    -------
    Inertia
    """
    carried = fe.mass @ basis
    shapes, loads = (_nodal(fe, a) for a in (basis, carried))  # (nodes, 2 kinds, 3, n)
    rigid = fe.rigid_modes()
    translation = rigid[:, :3].T @ carried
    rotation = rigid[:, 3:].T @ carried
    if fe.is_planar:  # rotations about axes of the plane move what lies above or below the origin within it
        for a, b, sign in ((0, 1, -1.0), (1, 0, 1.0)):
            rows = fe.dof_direction == b
            rotation[a] += sign * fe.nodes[fe.dof_node[rows], 2] @ carried[rows]
    mass, first, inertia = _rigid_constants(fe)
    slope = _inertia_slope(fe, carried)
    moments = _moments(shapes, loads)
    products = (moments + moments.transpose(1, 0, 2, 3)).transpose(2, 3, 0, 1) / 2
    modal_mass = basis.T @ carried
    modal_mass = (modal_mass + modal_mass.T) / 2
    curvature = np.einsum("lk,ab->lkab", modal_mass, np.eye(3)) - products
    turned = _rotary(fe, shapes[:, 1])
    return Inertia(mass, first, inertia, translation.T, rotation.T, _crossed(moments) + turned[0], slope + turned[1],
                   curvature + turned[2], modal_mass)


def _nodal(fe: FEModel, vectors: np.ndarray) -> np.ndarray:
    """Return (n_node, 2, 3, n): displacements and rotations of each node, zero where there is no unknown."""
    out = np.zeros((len(fe.nodes), 6, vectors.shape[1]))
    out[fe.dof_node, fe.dof_direction] = vectors
    return out.reshape(len(fe.nodes), 2, 3, vectors.shape[1])


def _rigid_constants(fe: FEModel) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, first moment and inertia about the origin; planar models lie in their plane."""
    if not fe.is_planar:
        m = fe.rigid_mass
        return m[0, 0], np.array([m[1, 5], m[2, 3], m[0, 4]]), (m[3:, 3:] + m[3:, 3:].T) / 2
    rows = np.flatnonzero(fe.dof_direction == 0)
    x = np.column_stack([np.ones(len(rows)), fe.nodes[fe.dof_node[rows]]])
    moments = x.T @ (fe.mass[rows][:, rows] @ x)
    second = moments[1:, 1:]
    inertia = np.trace(second) * np.eye(3) - second
    inertia[2, 2] = fe.rigid_mass[5, 5]
    return moments[0, 0], moments[0, 1:], inertia


def _inertia_slope(fe: FEModel, carried: np.ndarray) -> np.ndarray:
    """Return ∫2 (R.Phi) 1 - R Phi - Phi R dm, (n, 3, 3), from the fields R_b e_a at the nodes."""
    moments = np.zeros((carried.shape[1], 3, 3))  # ∫Phi_a R_b dm
    for a in range(3):
        rows = fe.dof_direction == a
        moments[:, a] = carried[rows].T @ fe.nodes[fe.dof_node[rows]]
    trace = np.einsum("laa->l", moments)
    out: np.ndarray = 2 * trace[:, None, None] * np.eye(3) - moments - moments.transpose(0, 2, 1)
    return out


def convective_matrices(fe: FEModel, basis: np.ndarray) -> np.ndarray:
    """Return (3, n, n) antisymmetric matrices of the inertia forces that a turning velocity field causes.

    A field Phi v that turns with unit angular velocity about axis c is accelerated by e_c x Phi v and loads the
    coordinates by ∫Phi' (e_c x Phi) dm v; sections with rotary inertia I add Psi' (I e_c~ + e_c~ I) Psi, the change of
    their angular momentum.
    """
    shapes, loads = (_nodal(fe, a) for a in (basis, fe.mass @ basis))
    out: np.ndarray = _crossed(_moments(shapes, loads)) + _crossed(_moments(shapes[:, 1], loads[:, 1]))
    return out


def _moments(shapes: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Return ∫Phi_a Phi_b dm, (3, 3, n, n).

    It is half of M P + P M, where P moves component b of a node to a: M need not commute with rotations.
    """
    n = shapes.shape[-1]
    first, second = (a.reshape(-1, 3, n) for a in (shapes, loads))
    moments = np.empty((3, 3, n, n))
    for a in range(3):
        for b in range(3):
            moments[a, b] = (second[:, a].T @ first[:, b] + first[:, a].T @ second[:, b]) / 2
    return moments


def _crossed(moments: np.ndarray) -> np.ndarray:
    """Return ∫Phi.(e_c x Phi) dm, (3, n, n), antisymmetric."""
    crossed = np.einsum("acb,ablk->clk", EPSILON, moments)
    out: np.ndarray = (crossed - crossed.transpose(0, 2, 1)) / 2
    return out


def _rotary(fe: FEModel, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what rotary inertia of nodes, turned by (n_node, 3, n), adds to G, J1 and J2.

    A node that has turned by θ sees the angular velocity w + w x θ + 1/2 θ x (θ x w) + θd - 1/2 θ x θd in its own axes.
    Sums over shapes treat rotations like displacements: right for θd and, where the inertia is the same about all
    axes, for w x θ.  The rest is added here.
    """
    n = turns.shape[-1]
    if not (fe.dof_direction >= 3).any():
        return np.zeros((3, n, n)), np.zeros((n, 3, 3)), np.zeros((n, n, 3, 3))

    def carried(vectors: np.ndarray) -> np.ndarray:
        """Angular momentum of rotation rates (n_node, 3, k)."""
        unknowns = np.zeros((fe.n_dof, vectors.shape[-1]))
        rows = fe.dof_direction >= 3
        unknowns[rows] = vectors[fe.dof_node[rows], fe.dof_direction[rows] - 3]
        return _nodal(fe, fe.mass @ unknowns)[:, 1]

    p = carried(np.tile(np.eye(3), (len(fe.nodes), 1, 1)))  # (nodes, 3, axis): of unit angular velocities
    crossed = np.einsum("icj,xjl->xicl", EPSILON, turns)  # e_c x θ
    moved = np.stack([carried(crossed[:, :, c]) for c in range(3)], axis=2)
    coupling = np.einsum("xil,xick->clk", turns, moved, optimize=True)
    second = -0.5 * np.einsum("xic,ijk,xjm,xkl->clm", p, EPSILON, turns, turns, optimize=True)  # - w.I (θ x θd) / 2
    slope = np.einsum("xia,xibl->lab", p, crossed, optimize=True)

    moments = _moments(turns, carried(turns))
    counted = np.einsum("aalk,bc->lkbc", moments, np.eye(3)) - moments.transpose(2, 3, 0, 1)
    curvature = np.einsum("xial,xibk->lkab", crossed, moved, optimize=True) - counted \
        + np.einsum("xia,xil,xbk->lkab", p, turns, turns, optimize=True) \
        - np.einsum("xba,xil,xik->lkab", p, turns, turns, optimize=True)
    curvature = (curvature + curvature.transpose(1, 0, 2, 3)) / 2
    return ((coupling + coupling.transpose(0, 2, 1)) / 2 + second, slope + slope.transpose(0, 2, 1),
            (curvature + curvature.transpose(0, 1, 3, 2)) / 2)


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
