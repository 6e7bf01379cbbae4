"""Mechanisms with flexible bodies in floating frames, packed with a state; import as ``from floating_cases import ...``."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

import dalembert as dal
from dalembert.kernels.evaluate import eval_accelerations, eval_residual
from dalembert.kernels.linked_work import make_linked_work
from dalembert.kernels.tables import System, Work
from dalembert.kernels.tree.inverse import eval_mass_matrix
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.kernels.tree.state import move
from dalembert.kernels.tree.tangent import eval_variation
from dalembert.start.initial import prepare_start
from dalembert.system.pack import Packed

EPS = float(np.finfo(float).eps)
SOFT = dal.Material(young=2.1e8, poisson=0.3, density=7850.0, damping=1e-4)
FRAMES = {"tangent": None, "chord": ("start", "end"), "mean axes": "mean-axis"}


@lru_cache
def solid(modes=2):
    """Return a soft block of few elements, not symmetric, reduced to two interfaces."""
    fe = dal.flex.box((0.6, 0.1, 0.05), divisions=(4, 2, 1), material=SOFT)
    return dal.flex.craig_bampton(fe, interfaces={"hub": fe.face("-x"), "tip": fe.face("+x")}, modes=modes)


def double_arm(frame=None, bodies=2, **fields):
    """Return a beam on a cross joint that carries a rigid bob on a ball joint; a spring pulls at a point of the beam."""
    m = dal.Model("double arm", gravity=(0.3, -9.81, 1.0))
    m.add(dal.Beam("rod", length=1.0, section=dal.Rectangle(height=0.04, width=0.02), material=SOFT, bodies=bodies,
                   points={"p": 0.3}, frame=frame, **fields),
          dal.Body("bob", mass=0.7, com=(0.1, 0.05, 0.02), inertia=(0.01, 0.02, 0.015)),
          dal.Universal("hinge", "ground", "rod.start", axis1=(0, 0, 1), axis2=(0, 1, 0)),
          dal.Spherical("ball", "rod.end", "bob"),
          dal.SpringDamper("spring", "ground", "rod.p", stiffness=30.0, damping=1.0, length=0.1))
    return m


def solid_arm(stiffening=None):
    """Return a solid arm on a cross joint, without weight."""
    m = dal.Model("solid arm", gravity=(0, 0, 0))
    m.add(dal.FlexibleBody("arm", solid(), stiffening=stiffening),
          dal.Universal("hinge", "ground", "arm.hub", axis1=(0, 0, 1), axis2=(0, 1, 0)))
    return m


def closed_arm(frame=None):
    """Return a loop: two flexible rods that meet in a ball joint, each on a hinge."""
    rod = dict(section=dal.Circle(0.02), material=SOFT, frame=frame)
    m = dal.Model("closed arm", gravity=(0, -9.81, 0), ground={"A": (1.0, 0, 0)})
    m.add(dal.Beam("left", length=0.8, **rod), dal.Beam("right", length=0.7, bodies=2, **rod),
          dal.Revolute("hinge", "ground", "left.start", axis=(0, 0, 1), start=0.9),
          dal.Revolute("pin", "ground.A", "right.start", axis=(0, 0, 1), start=2.2),
          dal.Spherical("ball", "left.end", "right.end"))
    return m


class Case(NamedTuple):
    """A packed model with a state and scratch."""

    packed: Packed
    sys: System
    work: Work
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray

    @property
    def n_v(self) -> int:
        """Number of rates."""
        return len(self.qd)

    def residual(self, qdd=None, q=None, qd=None) -> np.ndarray:
        """Return M qdd + bias - efforts by inverse dynamics."""
        out, tau = np.zeros(self.n_v), np.zeros(self.n_v)
        q, qd, qdd = (own if given is None else given for own, given in ((self.q, q), (self.qd, qd), (self.qdd, qdd)))
        assert eval_residual(self.sys, 0.0, q, qd, np.ascontiguousarray(qdd), tau, out, self.work) == 0
        return out

    def mass_matrix(self) -> np.ndarray:
        """Return M by composite bodies."""
        M = np.zeros((self.n_v, self.n_v))
        eval_motion(self.sys, self.q, self.qd, self.work)
        assert eval_mass_matrix(self.sys, M, self.work) == 0
        return M

    def accelerations(self) -> np.ndarray:
        """Return qdd of the state."""
        qdd = np.zeros(self.n_v)
        status = eval_accelerations(self.sys, 0.0, self.q.copy(), self.qd.copy(), qdd, np.zeros(self.n_v), self.work)
        assert status == 0
        return qdd

    def moved(self, increments) -> np.ndarray:
        """Return the coordinates moved by increments of the rates."""
        out = np.empty_like(self.q)
        move(self.sys, self.q, np.ascontiguousarray(increments), out)
        return out

    def variation(self, dq, dqd, dqdd) -> np.ndarray:
        """Return the directional derivative of the residual."""
        out = np.zeros(self.n_v)
        self.residual()
        assert eval_variation(self.sys, 0.0, self.q, self.qd, self.qdd, dq, dqd, dqdd, out, self.work) == 0
        return out

    def scaled(self, size: float) -> np.ndarray:
        """Return factors (n_v,): one for joints' rates, `size` times the coordinate's own size for elastic ones."""
        out = np.ones(self.n_v)
        for e in self.sys.floating.element:
            out[e.v:e.v + e.n] = size * self.sys.dof["q_scale"][e.v:e.v + e.n]
        return out


def case_of(model, formulation="auto", seed=1, deflection=0.2) -> Case:
    """Pack a model in a random state whose elastic coordinates are small, so that its mass matrix stays definite."""
    packed = prepare_start(model, formulation=formulation).packed
    rng, n = np.random.default_rng(seed), packed.layout.n_v
    q = np.zeros(packed.layout.n_q)
    q[packed.system.quaternion["q"]] = 1.0
    case = Case(packed, packed.system, make_linked_work(packed.system), q, rng.normal(size=n), rng.normal(size=n))
    case.qd[:] *= case.scaled(100.0)
    case.q[:] = case.moved(0.5 * rng.normal(size=n) * case.scaled(2 * deflection))
    return case
