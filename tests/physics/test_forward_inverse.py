"""Forward dynamics against inverse dynamics, and the mass matrix in three ways, on random trees of all joints.

Forward dynamics eliminates inward, inverse dynamics sums up: two algorithms that share the kinematics only.
"""

import numpy as np
import pytest
from physics.states import EPS, packed_case, random_case
from random_models import random_tree

from dalembert.kernels.linearize import eval_matrices
from dalembert.kernels.tree.factor import factor_tree, solve_tree
from dalembert.kernels.tree.kinematics import eval_motion
from dalembert.start.frame import assemble

SEEDS = range(6)


def sizes(case, qdd):
    """Return the largest effort that the equations of motion add up: inertia and everything else."""
    M = case.mass_matrix()
    return np.abs(M) @ np.abs(qdd) + np.abs(case.residual(np.zeros_like(qdd)))


@pytest.mark.parametrize("t", [0.0, 0.4])
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_of_forward_gives_the_efforts(seed, t):
    """Forces -> accelerations -> efforts, to 1e-12 of the largest effort."""
    case = random_case(seed, 12)
    qdd = case.accelerations(t)
    assert np.abs(case.residual(qdd, t)).max() <= 1e-12 * sizes(case, qdd).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_driven_trees_balance_too(seed):
    """The undriven rates balance under the accelerations of the drives."""
    case = random_case(seed, 10, motions=True)
    qdd = case.accelerations(0.3)
    assert np.abs(case.residual(qdd, 0.3)).max() <= 1e-12 * sizes(case, qdd).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_of_inverse_gives_the_accelerations(seed):
    """Dense solve with the mass matrix; round-off times the condition."""
    case = random_case(seed, 12)
    qdd, M = case.accelerations(), case.mass_matrix()
    dense = np.linalg.solve(M, -case.residual(np.zeros(case.n_v)))
    assert np.abs(dense - qdd).max() <= case.n_v * EPS * np.linalg.cond(M) * np.abs(qdd).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_what_inverse_dynamics_says_column_by_column(seed):
    case = random_case(seed, 12)
    M, rest = case.mass_matrix(), case.residual(np.zeros(case.n_v))
    columns = np.column_stack([case.residual(e) - rest for e in np.eye(case.n_v)])
    assert np.abs(columns - M).max() <= 100 * EPS * (np.abs(M).max() + np.abs(rest).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_the_variation_by_accelerations_symmetric_and_positive(seed):
    case = random_case(seed, 12)
    M, n = case.mass_matrix(), case.n_v
    tangent, C, K = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    assert eval_matrices(case.sys, 0.0, case.q, case.qd, np.zeros(n), np.zeros(n), tangent, C, K, case.work) == 0
    assert np.abs(tangent - M).max() <= 100 * EPS * np.abs(M).max()
    assert np.abs(tangent - tangent.T).max() <= 100 * EPS * np.abs(M).max()
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_is_half_of_the_mass_matrix_on_the_rates(seed):
    model, _, _ = random_tree(np.random.default_rng(seed), 12)
    case = packed_case(model)
    kinetic = assemble(model)["energy.kinetic"][0]
    assert kinetic == pytest.approx(0.5 * case.qd @ case.mass_matrix() @ case.qd, rel=100 * EPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_factors_of_the_tree_solve_what_a_dense_matrix_solves(seed):
    """(M + diag(add)) x = b in O(N), with joint stiffness on some of the rates."""
    case = random_case(seed, 12, forces=False)
    rng = np.random.default_rng(seed)
    add, b, x = rng.uniform(0, 2, case.n_v) * rng.integers(0, 2, case.n_v), rng.normal(size=case.n_v), np.zeros(case.n_v)
    A = case.mass_matrix() + np.diag(add)
    eval_motion(case.sys, case.q, case.qd, case.work)
    assert factor_tree(case.sys, add, 0.0, 0.0, case.work) == 0
    solve_tree(case.sys, b, x, case.work)
    assert np.abs(A @ x - b).max() <= case.n_v * EPS * np.linalg.cond(A) * np.abs(b).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_factors_leave_driven_rates_out(seed):
    case = random_case(seed, 9, forces=False, motions=True)
    free = np.flatnonzero(case.sys.dof["drive"] < 0)
    b, x = np.random.default_rng(seed).normal(size=case.n_v), np.zeros(case.n_v)
    A = case.mass_matrix()[np.ix_(free, free)]
    eval_motion(case.sys, case.q, case.qd, case.work)
    assert factor_tree(case.sys, np.zeros(case.n_v), 0.0, 0.0, case.work) == 0
    solve_tree(case.sys, b, x, case.work)
    assert np.array_equal(np.flatnonzero(x), free)
    assert np.abs(A @ x[free] - b[free]).max() <= case.n_v * EPS * np.linalg.cond(A) * np.abs(b).max()
