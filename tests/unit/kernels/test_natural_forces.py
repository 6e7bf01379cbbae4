"""Forces in natural coordinates: equations of motion against the recursion of the tree, tangent against differences."""

import numpy as np
import pytest
from physics.states import EPS, condition, dense_of, packed_case
from random_models import random_tree
from unit.kernels.test_constraints import SLOPE_STEP, difference
from unit.kernels.test_natural import N_BODIES, natural_of, random_natural

import dalembert as dal
from dalembert.codes import ForceCode
from dalembert.kernels.algebra.sparse import make_values
from dalembert.kernels.natural.forces_tangent import natural_force_tangent
from dalembert.system.pack_natural import pack_global

SEEDS = range(3)
STEP = 1e-5
"""Of central differences [rad or m]."""
TIME = 0.2


def solve_motion(made):
    """Return accelerations and multipliers: M qdd + Jᵀ lambda = Q, J qdd = -(J' qd + time terms), densely."""
    Q, J, M = made.forces(0.0), made.dense(made.rows(0.0)[1]), made.mass_matrix()
    bias = made.row_accelerations(0.0, np.zeros_like(made.q))
    matrix = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    solution = np.linalg.solve(matrix, np.concatenate([Q, -bias]))
    return np.split(solution, [len(Q)])


@pytest.mark.parametrize("motions", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_equations_of_motion_are_those_of_the_tree(seed, motions):
    """With every kind of joint, force element and drive; universal joints have massless bodies between."""
    made, case, qdd = random_natural(seed, motions=motions)
    found = made.joints(qdd=solve_motion(made)[0])[2]
    model, _, _ = random_tree(np.random.default_rng(seed), N_BODIES, motions=False)
    bound = condition(model) * EPS
    assert bound <= 1e-9
    assert np.abs(found - qdd).max() <= bound * np.abs(qdd).max()


def test_multiplier_of_a_drive_is_minus_its_effort():
    made, case, qdd = random_natural(1, motions=True)
    dof = case.sys.dof.copy()
    dof["drive"] = -1  # so that the residual is that of driven rates, too
    dof.setflags(write=False)
    needed = case._replace(sys=case.sys._replace(dof=dof)).residual(qdd)
    multipliers = solve_motion(made)[1][-len(case.sys.drive):]
    bound = 1e-9 * (1 + np.abs(needed).max())
    assert np.abs(multipliers + needed[case.sys.drive["v"]]).max() <= bound


# --- tangent -------------------------------------------------------------------------------------------------------

def rigid_motions(made):
    """Return the moves (n_q, 6 a body) that keep the axes of all bodies rigid: three shifts and three turns each."""
    n = len(made.sys.body) - 1
    T = np.zeros((n, 12, n, 6))
    for i in range(n):
        T[i, :3, i, :3] = np.eye(3)
        for s in range(1, 4):
            T[i, 3 * s:3 * s + 3, i, 3:] = np.cross(np.eye(3), made.q[12 * i + 3 * s:12 * i + 3 * s + 3]).T
    return T.reshape(12 * n, 6 * n)


def tangent(made, cq, cv):
    """Return the symmetric matrix that `natural_force_tangent` adds up, dense."""
    pattern = made.sys.pattern
    qj, qdj, _ = made.joints()
    values = make_values(pattern)
    assert natural_force_tangent(made.sys, TIME, made.q, made.qd, qj, qdj, cq, cv, values, made.work) == 0
    return dense_of(pattern, values)


def check_tangent(made, seed, by_rates):
    """Compare as a form of random rigid motions, at constant rates of the coordinates or constant coordinates."""
    T = rigid_motions(made)
    X = T @ np.random.default_rng(seed).normal(size=(T.shape[1], 4))
    slopes, error = [], 0.0
    for x in X.T:
        slope, bound = difference(lambda h, x=x: made.forces(TIME, qd=made.qd + h * x) if by_rates else
                                  made.forces(TIME, q=made.q + h * x))
        slopes.append(-slope)
        error = max(error, bound)
    expected = np.array(slopes) @ X
    found = X.T @ tangent(made, *((0.0, 1.0) if by_rates else (1.0, 0.0))) @ X
    size = np.abs(made.forces(TIME)).max()
    rounding = (made.rounding / STEP + EPS / SLOPE_STEP) * size  # of forces, and of laws that are differenced
    assert np.abs(found - 0.5 * (expected + expected.T)).max() <= np.abs(X).sum(axis=0).max() * (error + rounding)
    assert error <= 1e-4 * np.abs(slopes).max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("by_rates", [False, True])
def test_tangent_is_the_symmetric_derivative_of_the_forces(seed, by_rates):
    check_tangent(random_natural(seed)[0], seed, by_rates)


@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("by_rates", [False, True])
def test_tangent_of_a_force_of_its_whole_point(follow, by_rates):
    load = dal.Force("load", "b.c", direction=(1, 2, -1), follow=follow, magnitude=lambda t, x, y, z, vx, vy, vz: (
        3.0 * np.sin(x - 2.0 * y + t) * np.cos(z) - 2.0 * np.tanh(vx + 0.5 * vz) + x * vy))
    m = dal.Model("one body").add(
        dal.Body("b", mass=1.5, com=(0.1, 0.05, -0.1), inertia=(0.2, 0.3, 0.4), points={"c": (0.2, -0.1, 0.3)}), load,
        dal.Free("fly", "ground", "b", start=(0.4, -0.2, 0.1, 0.5, -0.1, 0.7, 0.5),
                 start_rate=(0.3, -0.2, 0.5, 1.0, -2.0, 1.5)))
    case = packed_case(m)
    check_tangent(natural_of(pack_global(case.packed), case, np.zeros(6)), 0, by_rates)


def test_tangent_is_a_sum_of_stiffness_and_damping():
    made, _, _ = random_natural(0)
    K, C, both = tangent(made, 1.0, 0.0), tangent(made, 0.0, 1.0), tangent(made, 2.0, 3.0)
    assert np.abs(both - 2 * K - 3 * C).max() <= made.rounding * (2 * np.abs(K).max() + 3 * np.abs(C).max())


def test_a_joint_spring_at_rest_is_stiff_about_its_axis_alone():
    """K = k g gᵀ with the gradient g of the angle, of which a turn about the axis makes one radian a radian."""
    m = dal.Model("spring").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
                                dal.Revolute("j", "ground", "b", axis=(0, 0, 1), start=0.4),
                                dal.JointSpring("k", "j", stiffness=7.0, rest=0.4))
    case = packed_case(m)
    made = natural_of(pack_global(case.packed), case, np.zeros(1))
    T = rigid_motions(made)
    expected = np.zeros((6, 6))
    expected[5, 5] = 7.0
    assert made.sys.force["code"][0] == ForceCode.JOINT_SPRING
    assert np.abs(T.T @ tangent(made, 1.0, 0.0) @ T - expected).max() <= 7.0 * made.rounding
