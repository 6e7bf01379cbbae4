"""Natural coordinates of random trees: state, mass matrix, and the way to joint coordinates and back."""

from typing import NamedTuple

import numpy as np
import pytest
from physics.states import EPS, Case, packed_case, random_case

import dalembert as dal
from dalembert.codes import FormCode, JointCode, Status
from dalembert.kernels import tables
from dalembert.kernels.algebra.sparse import make_values, multiply_sparse
from dalembert.kernels.measure import measure_system
from dalembert.kernels.natural import coordinates as natural
from dalembert.kernels.natural.forces import eval_natural_forces
from dalembert.kernels.natural.joints import eval_joint_coordinates, joint_state_of_natural
from dalembert.kernels.natural.rows import eval_natural_row_accelerations, eval_natural_rows
from dalembert.kernels.tables import System, Work, make_work
from dalembert.kernels.tree.inverse import eval_body_accelerations
from dalembert.kernels.tree.kinematics import eval_motion, eval_places
from dalembert.system.pack_natural import pack_global

SEEDS = range(3)
N_BODIES = 11


class Natural(NamedTuple):
    """A system in natural coordinates, its state, and the coordinates of the tree that it comes from."""

    sys: System
    work: Work
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    qj: np.ndarray
    keep: object

    @property
    def rounding(self):
        """Units of rounding that a chain of all bodies may gather."""
        return 10 * len(self.sys.body) * EPS

    def joints(self, q=None, qd=None, qdd=None, near=None):
        """Return coordinates, rates and accelerations of the tree."""
        q, qd, qdd = (own if x is None else x for x, own in ((q, self.q), (qd, self.qd), (qdd, self.qdd)))
        qj, qdj, qddj = np.zeros_like(self.qj), np.zeros(len(self.sys.dof)), np.zeros(len(self.sys.dof))
        near = self.qj if near is None else near
        assert joint_state_of_natural(self.sys, q, qd, qdd, near, qj, qdj, qddj, self.work) == 0
        return qj, qdj, qddj

    def rows(self, t, q=None, qd=None):
        """Evaluate the rows at a state; returns copies of their scratch and of the Jacobian's entries."""
        q, qd = self.q if q is None else q, self.qd if qd is None else qd
        qj, qdj, _ = self.joints(q, qd)
        assert eval_natural_rows(self.sys, t, q, qd, qj, qdj, self.work) == 0
        return self.work.row.copy(), self.work.jacobian.copy()

    def row_accelerations(self, t, qdd):
        """Return the second time derivatives of the rows for accelerations qdd at the state."""
        self.rows(t)
        qj, qdj, qddj = self.joints(qdd=qdd)
        assert eval_natural_row_accelerations(self.sys, t, self.q, self.qd, qdd, qj, qdj, qddj, self.work) == 0
        return self.work.row["Phidd"].copy()

    def forces(self, t, q=None, qd=None):
        """Return the generalised forces at a state."""
        q, qd = self.q if q is None else q, self.qd if qd is None else qd
        qj, qdj, _ = self.joints(q, qd)
        out, tau = np.zeros_like(q), np.zeros_like(qdj)
        assert eval_natural_forces(self.sys, t, q, qj, qdj, out, tau, self.work) == 0
        return out

    def dense(self, jacobian):
        """Return the Jacobian (m, n_q) of its entries."""
        J = np.zeros((len(self.sys.row), len(self.q)))
        for i, row in enumerate(self.sys.row):
            at = slice(row.first, row.first + row.count)
            J[i, self.sys.entry["column"][at]] = jacobian[at]
        return J

    def mass_matrix(self):
        """Return M, column by column."""
        M = np.zeros((len(self.q), len(self.q)))
        for x, column in zip(np.eye(len(self.q)), M, strict=True):
            natural.natural_momentum_product(self.sys, x, column)
        return M

    def shaken(self, rng, size=0.1):
        """Return a state off the constraints, where axes are neither square nor of length one."""
        return self._replace(q=self.q + size * rng.normal(size=len(self.q)),
                             qd=self.qd + size * rng.normal(size=len(self.q)))


def natural_of(packed, case: Case, qdd) -> Natural:
    """Change the start of a tree, with accelerations qdd, to natural coordinates."""
    sys = packed.system
    work = make_work(sys)
    assert eval_motion(sys, case.q, case.qd, work) == 0
    eval_places(sys, case.qd, work)
    eval_body_accelerations(sys, qdd, work)
    q, qd, qdd_natural = np.zeros((3, int(sys.constants[0].n_q)))
    natural.natural_state_of_joint(sys, q, qd, qdd_natural, work)
    return Natural(sys, work, q, qd, qdd_natural, case.q.copy(), packed)


def random_natural(seed, **options) -> tuple[Natural, Case, np.ndarray]:
    """Return a random tree in natural coordinates, the tree itself, and its accelerations at the start."""
    case = random_case(seed, N_BODIES, **options)
    qdd = case.accelerations()
    return natural_of(pack_global(case.packed), case, qdd), case, qdd


def test_tables_of_the_global_formulation():
    made, case, _ = random_natural(0, motions=True)
    constants = made.sys.constants[0]
    assert constants.form == FormCode.GLOBAL
    assert constants.n_q == constants.n_v == 12 * (len(case.sys.body) - 1)
    assert len(made.sys.drive) == len(made.sys.quaternion) == 0
    assert np.array_equal(made.sys.pair["q"], np.arange(constants.n_q))
    with pytest.raises(ValueError, match="read-only"):
        made.sys.row["c"][0] = 1.0


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_move_as_in_the_tree(seed):
    made, case, _ = random_natural(seed)
    eval_motion(case.sys, case.q, case.qd, case.work)
    eval_places(case.sys, case.qd, case.work)
    assert natural.eval_natural_state(made.sys, made.q, made.qd, made.work) == 0
    for name in ("E_wb", "r_w", "w_w", "v_w", "d_w"):
        expected = case.work.body[name][1:]
        size = 1 + np.abs(expected).max()
        assert np.abs(made.work.body[name][1:] - expected).max() <= made.rounding * size, name
    assert not made.work.body["en"].any()
    assert not made.work.body["ef"].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_is_that_of_the_tree(seed):
    made, case, _ = random_natural(seed)
    eval_motion(case.sys, case.q, case.qd, case.work)
    eval_places(case.sys, case.qd, case.work)
    system = np.zeros((1, 9))
    measure_system(case.sys, 0, case.q, case.qd, system, case.work)
    momentum = np.zeros_like(made.qd)
    natural.natural_momentum_product(made.sys, made.qd, momentum)
    assert abs(0.5 * made.qd @ momentum - system[0, 0]) <= made.rounding * system[0, 0]


def test_mass_matrix_is_symmetric_and_lies_in_the_pattern():
    made, _, _ = random_natural(1)
    M, values, product = made.mass_matrix(), make_values(made.sys.pattern), np.zeros_like(made.q)
    natural.add_natural_mass(made.sys, values)
    multiply_sparse(made.sys.pattern, values, made.qd, product)
    size = np.abs(M).max() * np.abs(made.qd).max()
    assert np.array_equal(M, M.T)
    assert np.abs(product - M @ made.qd).max() <= made.rounding * size
    assert values[-1] == 0.0  # nothing belongs nowhere


@pytest.mark.parametrize("seed", SEEDS)
def test_there_and_back(seed):
    made, case, qdd = random_natural(seed, motions=True)
    for found, expected in zip(made.joints(), (case.q, case.qd, qdd), strict=True):
        assert np.abs(found - expected).max() <= made.rounding * (1 + np.abs(expected).max()) ** 2


def test_turns_and_signs_are_those_next_to_given_coordinates():
    """Angles may have made any number of turns, and a quaternion may have either sign."""
    made, case, _ = random_natural(2)
    near = case.q.copy()
    for b in case.sys.body[1:]:
        if b.code in (JointCode.REVOLUTE, JointCode.SCREW, JointCode.CYLINDRICAL):
            near[b.q] += 14 * np.pi
    near[[k for quaternion in case.sys.quaternion for k in range(quaternion.q, quaternion.q + 4)]] *= -1.0
    size = 1 + np.abs(near).max()
    assert np.abs(made.joints(near=near + 0.3 * np.sign(near))[0] - near).max() <= made.rounding * size


def test_an_unknown_joint_is_told():
    """Joints are known by the axes of their rates; there is no fourth axis."""
    made, _, _ = random_natural(0)
    dof = made.sys.dof.copy()
    dof["axis"][-1] = 3
    dof.setflags(write=False)
    sys = made.sys._replace(dof=dof)
    status = eval_joint_coordinates(sys, made.q, made.qd, made.qj, made.qj.copy(), np.zeros(len(sys.dof)), made.work)
    assert status == Status.UNKNOWN_JOINT
    assert made.work.fail["body"] == dof["body"][-1]


def test_a_model_without_bodies_has_no_coordinates():
    packed = pack_global(packed_case(dal.Model("nothing")).packed)
    assert len(packed.system.row) == packed.system.constants[0].n_q == 0
    assert packed.system.row.dtype == tables.ROW
    assert make_work(packed.system).body.shape == (1,)
