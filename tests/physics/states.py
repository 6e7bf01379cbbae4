"""Packed models with a state, for tests that call kernels directly; import as ``from physics.states import ...``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from random_models import random_tree

from dalembert.kernels.algebra.sparse import multiply_sparse
from dalembert.kernels.evaluate import eval_accelerations, eval_residual
from dalembert.kernels.tables import System, Work, make_work
from dalembert.kernels.tree.inverse import eval_mass_matrix
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.start.initial import Start, prepare_start
from dalembert.system.pack import Packed

EPS = np.finfo(float).eps


class Case(NamedTuple):
    """A packed model, its start in tree coordinates, and scratch."""

    begin: Start
    packed: Packed
    sys: System
    work: Work
    q: np.ndarray
    qd: np.ndarray

    @property
    def n_v(self) -> int:
        """Number of rates."""
        return len(self.qd)

    def mass_matrix(self) -> np.ndarray:
        """Return M at the start."""
        M = np.zeros((self.n_v, self.n_v))
        eval_motion(self.sys, self.q, self.qd, self.work)
        assert eval_mass_matrix(self.sys, M, self.work) == 0
        return M

    def accelerations(self, t=0.0) -> np.ndarray:
        """Return qdd at the start; driven entries of q and qd are set."""
        qdd = np.zeros(self.n_v)
        assert eval_accelerations(self.sys, t, self.q, self.qd, qdd, np.zeros(self.n_v), self.work) == 0
        return qdd

    def residual(self, qdd, t=0.0, q=None, qd=None) -> np.ndarray:
        """Return M qdd + bias - efforts by inverse dynamics, at the start or at another state."""
        out, tau = np.zeros(self.n_v), np.zeros(self.n_v)
        q, qd = self.q if q is None else q, self.qd if qd is None else qd
        assert eval_residual(self.sys, t, q, qd, np.ascontiguousarray(qdd), tau, out, self.work) == 0
        return out


def packed_case(model) -> Case:
    """Pack a model with its own starts."""
    begin = prepare_start(model)
    return Case(begin, begin.packed, begin.packed.system, make_work(begin.packed.system), begin.q, begin.qd)


def random_case(seed, n_bodies, **options) -> Case:
    """Pack a random tree; options as for `random_tree`."""
    model, _, _ = random_tree(np.random.default_rng(seed), n_bodies, **options)
    return packed_case(model)


def observed_order(error, steps) -> float:
    """Return the slope of log error over log step."""
    return float(np.polyfit(np.log(steps), np.log([error(h) for h in steps]), 1)[0])


def condition(model) -> float:
    """Return the units of round-off that two solves of the tree may differ by: ten a rate, times the condition of M."""
    case = packed_case(model)
    return 10 * (1 + case.n_v) * (float(np.linalg.cond(case.mass_matrix())) if case.n_v else 1.0)


def dense_of(pattern, values):
    """Return the dense symmetric matrix (n, n) of values of a sparse pattern, column by column."""
    n = len(pattern.order)
    A = np.zeros((n, n))
    for column, unit in zip(A, np.eye(n), strict=True):
        multiply_sparse(pattern, values, unit, column)
    return A.T
