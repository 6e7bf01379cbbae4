"""Superelements with states for kernel tests: packed tables, natural coordinates, loads and matrices as arrays."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from dalembert.codes import Status
from dalembert.flex.beam_superelement import beam_superelement
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.flex.superelement import Superelement, superelement
from dalembert.kernels.flex import superelement_loads as loads
from dalembert.kernels.flex import superelement_tangent as tangent
from dalembert.kernels.flex.superelement_tables import (
    SUPER,
    SUPER_LEAD,
    SUPER_POINT,
    Superelements,
    SuperWork,
    make_super_work,
    super_constants,
    super_row,
)
from dalembert.kernels.flex.superelements import eval_superelement
from dalembert.model.flexible import Material, Rectangle

STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-4)
UNDAMPED = Material(young=2.1e11, poisson=0.3, density=7850.0)
SECTION = Rectangle(height=0.04, width=0.02)
GRAVITY = (1.5, -4.0, -9.0)


def solid() -> Superelement:
    """Return a box with three interfaces and three modes, the frame at its mean motion."""
    fe = box((0.5, 0.08, 0.05), divisions=(6, 2, 1), material=STEEL)
    middle = fe.nodes_where(lambda x, y, z: (0.2 < x) & (x < 0.3))
    faces = {"hub": "-x", "tip": "+x", "side": [int(middle[0]), int(middle[1]), int(middle[-1])]}
    reduced = craig_bampton(fe, interfaces=faces, modes=3, coupling="rbe3", points={"mid": middle})
    return superelement(reduced)


def beam(modes: int = 0, material: Material = STEEL) -> Superelement:
    """Return a beam with a point at a third of its length."""
    return beam_superelement(length=0.8, section=SECTION, material=material, modes=modes, points={"third": 0.8 / 3})


def packed(element: Superelement, faces, turned=None) -> Superelements:
    """Return tables of equal superelements, one for each row of `faces` (n_super, n_face) of body rows.

    Modes follow the natural coordinates of all bodies; `turned` (n_face, 3, 3) replaces the undeformed axes.
    """
    faces = np.asarray(faces, dtype=np.int64)
    count, n_face = faces.shape
    n_mode, n_body = element.n_modes, int(faces.max())
    constant = super_constants(
        positions=element.positions, rotations=element.rotations if turned is None else turned, stiffness=element.stiffness,
        damping=element.damping, mass_matrix=element.mass_matrix, convective=element.convective,
        frame_motion=element.frame_motion, translation=element.constants.translation, mass=element.constants.mass,
        first_moment=element.constants.first_moment)
    at, names = len(constant), list(element.points)
    motions = np.concatenate([constant, *(element.points[name].motion.ravel() for name in names)])
    rows = np.zeros(count, SUPER).view(np.recarray)
    pairs = (12 * n_face + n_mode) * (12 * n_face + n_mode + 1) // 2
    for i in range(count):
        super_row(rows[i], n_face=n_face, n_mode=n_mode, at=0, constant=constant)
        rows[i].face, rows[i].eta, rows[i].place = n_face * i, 12 * n_body + n_mode * i, pairs * i
    points = np.zeros(len(names) * count, SUPER_POINT)
    for i in range(count):
        for j, name in enumerate(names):
            place = element.points[name]
            points[len(names) * i + j] = (i, at + 6 * element.n * j, place.position, place.orientation.ravel())
    tables = Superelements(rows.view(np.ndarray), faces.ravel(), 12 * (faces.ravel() - 1), motions, points,
                           np.arange(count * pairs), np.zeros(0, SUPER_LEAD), np.zeros(0, np.int64))
    for table in tables:
        table.setflags(write=False)
    return tables


def natural_pose(r, R, eta=()) -> np.ndarray:
    """Return natural coordinates of frames at r (N, 3) with axes R (N, 3, 3) and of modes."""
    return np.concatenate([*(np.concatenate([r[k], R[k].T.ravel()]) for k in range(len(r))), np.asarray(eta, float)])


def natural_rates(R, v, w, etad=()) -> np.ndarray:
    """Return rates of frames with axes R (N, 3, 3) that move with v and turn with w (N, 3), and of modes."""
    return np.concatenate([*(np.concatenate([v[k], np.cross(w[k], R[k].T).ravel()]) for k in range(len(R))),
                           np.asarray(etad, float)])


class Case(NamedTuple):
    """One superelement in a state; all vectors of spins and moves are (n,) in world axes, the modes last."""

    element: Superelement
    sup: Superelements
    work: SuperWork
    R0: np.ndarray  # (N, 3, 3) undeformed axes of the interfaces
    r: np.ndarray  # (N, 3)
    R: np.ndarray  # (N, 3, 3)
    eta: np.ndarray
    V: np.ndarray  # (n,) velocities
    A: np.ndarray  # (n,) accelerations

    @property
    def n_face(self) -> int:
        return len(self.r)

    def moved(self, x, h=1.0) -> "Case":
        """Return the case with its interfaces moved and turned, and its modes changed, by h x (n,)."""
        faces = h * np.asarray(x)[:6 * self.n_face].reshape(-1, 6)
        R = Rotation.from_rotvec(faces[:, 3:]).as_matrix() @ self.R
        return self._replace(r=self.r + faces[:, :3], R=R, eta=self.eta + h * np.asarray(x)[6 * self.n_face:])

    @property
    def q(self) -> np.ndarray:
        return natural_pose(self.r, self.R, self.eta)

    @property
    def qd(self) -> np.ndarray:
        faces = self.V[:6 * self.n_face].reshape(-1, 6)
        return natural_rates(self.R, faces[:, :3], faces[:, 3:], self.V[6 * self.n_face:])

    @property
    def qdd(self) -> np.ndarray:
        faces, accelerations = (x[:6 * self.n_face].reshape(-1, 6) for x in (self.V, self.A))
        w, al = faces[:, 3:], accelerations[:, 3:]
        R = self.R
        second = [np.cross(al[k], R[k].T) + np.cross(w[k], np.cross(w[k], R[k].T)) for k in range(self.n_face)]
        return np.concatenate([*(np.concatenate([accelerations[k, :3], second[k].ravel()]) for k in range(self.n_face)),
                               self.A[6 * self.n_face:]])

    def evaluate(self, g=GRAVITY, state=None, warm=0) -> "Case":
        """Fill the scratch for the case's state, or for natural (q, qd, qdd)."""
        q, qd, qdd = (self.q, self.qd, self.qdd) if state is None else state
        assert eval_superelement(self.sup, 0, q, qd, qdd, g, warm, self.work) == Status.OK
        return self

    @property
    def frame(self) -> np.ndarray:
        return self.work.frame[0]["R"].reshape(3, 3)

    def world(self, x) -> np.ndarray:
        """Return (n, ...) rows of the frame's axes in world axes."""
        x, count = np.asarray(x), 6 * self.n_face
        faces = np.einsum("ab,kb...->ka...", self.frame, x[:count].reshape(-1, 3, *x.shape[1:]))
        return np.concatenate([faces.reshape(x[:count].shape), x[count:]])

    def internal(self, g=GRAVITY) -> np.ndarray:
        return self.world(self.evaluate(g).work.f)

    def inertia(self) -> np.ndarray:
        return self.world(self.evaluate().work.inertia)

    def tangents(self, g=GRAVITY) -> tuple[np.ndarray, np.ndarray]:
        """Return K and C (n, n) in world axes."""
        tangent.eval_tangents(self.sup, 0, self.evaluate(g).work)
        return tuple(self.world(self.world(A.copy()).T).T for A in (self.work.K, self.work.C))

    def natural_loads(self, state=None, g=GRAVITY) -> np.ndarray:
        q = self.q if state is None else state[0]
        self.evaluate(g, state)
        out = np.zeros(len(q))
        loads.add_natural_loads_of(self.sup, 0, q, self.work.f + self.work.inertia, out, self.work)
        return out

    def natural_matrix(self, cq, cv, cm, g=GRAVITY) -> np.ndarray:
        """Return the symmetric matrix that `add_superelement_matrix` adds up, dense."""
        self.evaluate(g)
        if cq or cv:
            tangent.eval_tangents(self.sup, 0, self.work)
        size = len(self.q)
        values = np.zeros(size * (size + 1) // 2)
        tangent.add_superelement_matrix(self.sup, 0, self.q, self.qd, self.qdd, cq, cv, cm, values, self.work)
        low = np.zeros((size, size))
        low[np.tril_indices(size)] = values
        return low + low.T - np.diag(np.diag(low))


ELEMENTS = {"beam": beam, "undamped beam": lambda: beam(material=UNDAMPED), "beam with modes": lambda: beam(2),
            "solid": solid}


def random_case(element: Superelement, seed: int, *, bend=0.1, turn=0.2, speed=1.0) -> Case:
    """Return a superelement anywhere in space, bent by displacements of `bend` sizes and rotations of `turn` rad."""
    rng = np.random.default_rng(seed)
    N, m = len(element.positions), element.n_modes
    R0 = Rotation.random(N, random_state=rng).as_matrix()
    R, r = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
    size = np.abs(element.positions).max()
    u, theta = bend * size * rng.uniform(-1, 1, (N, 3)), turn * rng.uniform(-1, 1, (N, 3))
    sup = packed(element, [range(1, N + 1)], R0)
    return Case(element, sup, make_super_work(sup), R0, r + (element.positions + u) @ R.T,
                R @ Rotation.from_rotvec(theta).as_matrix() @ R0, bend * size * rng.normal(size=m),
                speed * rng.normal(size=6 * N + m), speed * rng.normal(size=6 * N + m))
