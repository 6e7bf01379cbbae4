"""Exact tangents M, C, K against central differences of the residual of the equations of motion.

A central difference over h = cbrt(eps) has an error of about eps^(2/3) times the size of the function and of its third
derivative; forces of the models below change by their own size over moves of about one.
"""

import numpy as np
import pytest
from physics.states import EPS, packed_case, random_case

import dalembert as dal
from dalembert.kernels.linearize import eval_matrices
from dalembert.kernels.tree.state import move

H = np.cbrt(EPS)
LAW_STEP = 1e-6
"""Relative step over which the kernels differentiate laws of state."""


def matrices(case, qdd, t):
    """Return M, C, K of the kernels."""
    n = case.n_v
    M, C, K = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    assert eval_matrices(case.sys, t, case.q, case.qd, qdd, np.zeros(n), M, C, K, case.work) == 0
    return M, C, K


def moved(case, dq):
    """Return the coordinates moved by increments of the rates."""
    q = np.zeros_like(case.q)
    move(case.sys, case.q, np.ascontiguousarray(dq), q)
    return q


def differences(case, qdd, t):
    """Return C and K by central differences, column by column; columns of driven rates are zero."""
    C, K = np.zeros((case.n_v, case.n_v)), np.zeros((case.n_v, case.n_v))
    for k in np.flatnonzero(case.sys.dof["drive"] < 0):
        e = np.zeros(case.n_v)
        e[k] = H
        C[:, k] = (case.residual(qdd, t, qd=case.qd + e) - case.residual(qdd, t, qd=case.qd - e)) / (2 * H)
        K[:, k] = (case.residual(qdd, t, q=moved(case, e)) - case.residual(qdd, t, q=moved(case, -e))) / (2 * H)
    return C, K


def check_tangent(case, t=0.3, growth=1.0):
    """Compare; `growth` is the size of third derivatives against the functions themselves."""
    qdd = case.accelerations(t)
    M, C, K = matrices(case, qdd, t)
    C_found, K_found = differences(case, qdd, t)
    size = max(1.0, np.abs(M).max() * np.abs(qdd).max(), np.abs(K).max(), np.abs(C).max())
    tolerance = (20 * EPS ** (2 / 3) * growth + EPS / LAW_STEP) * size
    assert np.abs(C - C_found).max() <= tolerance
    assert np.abs(K - K_found).max() <= tolerance


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_all_joints_and_forces(seed):
    """Also laws of state, loads that follow, and bushings at whatever angle comes."""
    check_tangent(random_case(seed, 9))


@pytest.mark.parametrize("seed", range(4))
def test_driven_trees(seed):
    check_tangent(random_case(seed, 9, motions=True))


def one_body(*elements, turn=(0.0, 0.0, 0.0), rate=(0.3, -0.2, 0.5, 1.0, -2.0, 1.5)):
    """Return a free body with force elements, turned by a rotation vector."""
    angle = np.linalg.norm(turn)
    e = np.append(np.cos(angle / 2), np.sin(angle / 2) * np.asarray(turn) / max(angle, 1e-300))
    m = dal.Model("one body", gravity=(1.0, 2.0, -9.81), ground={"p": dal.Frame((0.1, 0.2, 0.3), None)})
    m.add(dal.Body("b", mass=1.5, com=(0.1, 0.05, -0.1), inertia=(0.2, 0.3, 0.4), points={"c": (0.2, -0.1, 0.3)}),
          dal.Free("fly", "ground", "b", start=(0.4, -0.2, 0.1, *e), start_rate=rate), *elements)
    return packed_case(m)


BUSHING = dict(stiffness=(50.0, 20.0, 30.0), damping=(1.0, 2.0, 3.0), turning_stiffness=(5.0, 12.0, 8.0),
               turning_damping=(0.3, 0.1, 0.2))


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.9e-4, 1.1e-4, 1e-2, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("ends", [("ground.p", "b.c"), ("b.c", "ground.p")])
def test_bushing_at_small_and_large_rotation(angle, ends):
    """T^-1 bends like 1/(2 pi - angle): its third derivative at 3 rad is some tens of its size."""
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    check_tangent(one_body(dal.Bushing("rubber", *ends, **BUSHING), turn=angle * axis), growth=30.0)


@pytest.mark.parametrize("kind", [dal.Force, dal.Torque])
@pytest.mark.parametrize("follow", [False, True])
def test_loads_with_laws_of_state(kind, follow):
    load = kind("load", "b.c", direction=(1, 2, -1), follow=follow,
                magnitude=lambda t, x, v: 3.0 * np.sin(x + t) - 2.0 * np.tanh(v))
    check_tangent(one_body(load, turn=(0.5, 0.3, -0.8)), growth=10.0)


@pytest.mark.parametrize("follow", [False, True])
def test_force_with_a_law_of_the_whole_point(follow):
    load = dal.Force("load", "b.c", direction=(1, 2, -1), follow=follow, magnitude=lambda t, x, y, z, vx, vy, vz: (
        3.0 * np.sin(x - 2.0 * y + t) * np.cos(z) - 2.0 * np.tanh(vx + 0.5 * vz) + x * vy))
    check_tangent(one_body(load, turn=(0.5, 0.3, -0.8)), growth=10.0)


def test_spring_with_a_law_of_length_and_rate():
    spring = dal.SpringDamper("s", "ground.p", "b.c", stiffness=40.0, damping=3.0, length=0.3,
                              force=lambda t, x, v: 5.0 * x**2 - np.sin(v))
    check_tangent(one_body(spring, turn=(0.5, 0.3, -0.8)), growth=100.0)  # length about 0.5: 1/length^3


def test_joint_elements_with_laws_of_state():
    m = dal.Model("two", gravity=(0, 0, -9.81))
    for k, (first, second) in enumerate((("ground", "a"), ("a", "b"))):
        m.add(dal.Body(second, mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1)),
              dal.Cylindrical(f"j{k}", first, second, axis=(0, 1, 0.2), start=(0.4, 0.1), start_rate=(1.0, -0.5)))
    m.add(dal.Motor("m", "j0", coordinate="angle", effort=lambda t, x, v: np.cos(x) - v**2),
          dal.JointSpring("s", "j1", coordinate="displacement", stiffness=30.0, damping=2.0, rest=0.2,
                          effort=lambda t, x, v: x**3))
    check_tangent(packed_case(m))


def test_stiffness_of_conservative_forces_at_rest_is_symmetric():
    """K of springs and gravity in equilibrium is a second derivative of the energy."""
    m = dal.Model("hanging", gravity=(0, 0, -9.81))
    m.add(dal.Body("a", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02), points={"tip": (0, 0, -1)}),
          dal.Body("b", mass=2.0, com=(0.1, 0, -0.5), inertia=(0.1, 0.12, 0.05)),
          dal.Spherical("ball", "ground", "a"), dal.Universal("cross", "a.tip", "b"),
          dal.SpringDamper("s", "ground", "b", stiffness=100.0, length=0.5))
    rest = dal.static(m)
    linear = dal.linearize(m, start=rest.starts)
    assert np.abs(linear.stiffness - linear.stiffness.T).max() <= 1e-9 * np.abs(linear.stiffness).max()
