"""Flexible bodies in floating frames: inertia against the finite-element model's own, mass matrices, tangents, elimination."""

import numpy as np
import pytest
from floating_cases import EPS, FRAMES, case_of, closed_arm, double_arm, solid, solid_arm

import dalembert as dal
from dalembert.flex.invariants import PRODUCTS
from dalembert.kernels.algebra.sparse import make_values, multiply_sparse
from dalembert.kernels.constraint.rows import eval_jacobian, eval_rows
from dalembert.kernels.constraint.semi_recursive import accumulate_loads, add_tree_mass
from dalembert.kernels.evaluate import eval_residual
from dalembert.kernels.flex.floating_tables import AT_LOAD
from dalembert.kernels.tree.factor import factor_tree, solve_tree
from dalembert.kernels.tree.inverse import eval_body_accelerations
from dalembert.kernels.tree.kinematics import eval_motion, eval_places, eval_rates
from dalembert.kernels.tree.rank import eval_massless_motion, list_massless

REFERENCES = [dal.SemiRecursive(reference=r) for r in ("origin", "centre-of-mass")]


# --- against the finite-element model ------------------------------------------------------------------------------

def turn(axis, angle):
    """Return the rotation about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def node_positions(body, x):
    """Return the places (nodes, 3) of a solid arm's nodes for angle1, angle2 and elastic coordinates x."""
    model = body.reduced.model
    shape = np.zeros_like(model.nodes)
    shape[model.dof_node, model.dof_direction] = body.displacement(x[2:])
    return (model.nodes - body.origin + shape) @ (turn(2, x[0]) @ turn(1, x[1])).T


def kinetic_energy(body, x, v):
    """Return ½ v M v of the nodes' velocities, by the complex-free central difference of the places along v."""
    model, h = body.reduced.model, 1e-4 / (1.0 + np.max(abs(v)))
    ahead = [node_positions(body, x + k * h * v) for k in (-2, -1, 1, 2)]
    speed = (ahead[0] - 8 * ahead[1] + 8 * ahead[2] - ahead[3]) / (12 * h)
    rates = speed[model.dof_node, model.dof_direction]
    return 0.5 * rates @ (model.mass @ rates)


def lagrange(body, x, v, a):
    """Return d/dt dT/dv - dT/dx along x' = v, v' = a, by central differences of fourth order of the nodes' energy."""
    n, h = len(x), 1e-3

    def momentum(t):
        """dT/dv is exact by differences: T is a quadratic form of v."""
        at, speed = x + t * v + 0.5 * t * t * a, v + t * a
        unit = np.eye(n)
        return np.array([kinetic_energy(body, at, speed + e) - kinetic_energy(body, at, speed - e) for e in unit]) / 2

    rate = (momentum(-2 * h) - 8 * momentum(-h) + 8 * momentum(h) - momentum(2 * h)) / (12 * h)
    unit = h * np.eye(n)
    slope = [kinetic_energy(body, x - 2 * e, v) - 8 * kinetic_energy(body, x - e, v) + 8 * kinetic_energy(body, x + e, v)
             - kinetic_energy(body, x + 2 * e, v) for e in unit]
    return rate - np.array(slope) / (12 * h)


def test_inertia_is_lagranges_of_the_finite_element_model():
    """All coupling terms at once: the energy is summed over the nodes, which know nothing of moments."""
    case = case_of(solid_arm(stiffening=False), deflection=1.0)
    body = next(b.floating for b in case.packed.plan.model.bodies if b.floating is not None)
    still = case.residual(qdd=np.zeros(case.n_v), qd=np.zeros(case.n_v))
    damped = np.zeros(case.n_v)
    damped[2:] = body.damping @ case.qd[2:]
    found = case.residual() - still - damped
    expected = lagrange(body, case.q, case.qd, case.qdd)
    assert found == pytest.approx(expected, abs=1e-8 * np.max(abs(expected)))  # rounding of second differences over 1e-3


def test_a_stress_free_body_in_free_fall_meets_no_load():
    """Weight and acceleration of a translating body cancel in every elastic coordinate."""
    m = dal.Model("fall", gravity=(1.0, -9.81, 0.5)).add(dal.FlexibleBody("arm", solid()), dal.Free("f", "ground", "arm.hub"))
    case = case_of(m)
    q, qd, qdd = np.zeros(len(case.q)), np.zeros(case.n_v), np.zeros(case.n_v)
    q[3], qd[:3], qdd[:3] = 1.0, (1.0, 2.0, 3.0), (1.0, -9.81, 0.5)
    scale = np.max(abs(case.residual(qdd=0 * qdd, q=q, qd=qd)))
    assert np.max(abs(case.residual(qdd=qdd, q=q, qd=qd))) <= 100 * EPS * scale


def test_stiffening_is_that_of_the_unit_loads():
    """The derivative of the elastic loads by q, undeformed, is the sum of the geometric stiffnesses of all inertia loads."""
    m = dal.Model("flight", gravity=(0, 0, 0)).add(dal.FlexibleBody("arm", solid()), dal.Free("f", "ground", "arm.hub"))
    case = case_of(m, "recursive")
    body = next(b.floating for b in case.packed.plan.model.bodies if b.floating is not None)
    constants, stiffening = body.constants, body.stiffening
    a, al, w = np.array([3.0, -2.0, 5.0]), np.array([0.5, 4.0, -3.0]), np.array([2.0, -1.0, 1.5])
    case.q[:], case.qd[:], case.qdd[:] = 0.0, 0.0, 0.0
    case.q[3], case.qd[3:6], case.qdd[:3], case.qdd[3:6] = 1.0, w, a, al
    none = np.zeros(case.n_v)
    found = np.array([case.variation(e, none, none)[6:] for e in np.eye(case.n_v)[6:]]).T
    by_spin = np.einsum("lkab,a,b->lk", constants.inertia_curvature, w, w)
    products = np.array([w[i] * w[j] for i, j in PRODUCTS])
    expected = body.stiffness + np.tensordot(al, constants.gyroscopic + stiffening.rotation, 1) - by_spin + np.tensordot(
        a, stiffening.translation, 1) + np.tensordot(products, stiffening.spin, 1)
    assert found == pytest.approx(expected, abs=1000 * EPS * np.max(abs(expected)))


# --- one evaluation against another --------------------------------------------------------------------------------

MODELS = {f"arm, {name}": (double_arm, frame) for name, frame in FRAMES.items()} | {
    f"loop, {name}": (closed_arm, frame) for name, frame in FRAMES.items()}


@pytest.fixture(params=list(MODELS), scope="module")
def case(request):
    """A state of a tree or a loop with flexible bodies."""
    make, frame = MODELS[request.param]
    return case_of(make(frame), "semi-recursive")


def residual_mass(case):
    """Return M as the derivative of the residual by the accelerations."""
    still = case.residual(qdd=np.zeros(case.n_v))
    return np.array([case.residual(qdd=e) - still for e in np.eye(case.n_v)]).T


def test_mass_matrix_is_the_residuals_derivative(case):
    expected = residual_mass(case)
    bias = np.max(abs(case.residual(qdd=np.zeros(case.n_v))))
    assert case.mass_matrix() == pytest.approx(expected, abs=100 * EPS * (bias + np.max(abs(expected))))


@pytest.mark.parametrize("form", REFERENCES)
@pytest.mark.parametrize("name", list(MODELS))
def test_both_reference_points_accumulate_the_same(name, form):
    """Mass matrix at the places of the pattern, and loads, against those of the plain recursion."""
    make, frame = MODELS[name]
    case = case_of(make(frame), form)
    sys, work, n = case.sys, case.work, case.n_v
    expected, load = case.mass_matrix(), case.residual()
    values, columns, found = make_values(sys.pattern), [], np.zeros(n)
    eval_residual(sys, 0.0, case.q, case.qd, case.qdd, np.zeros(n), np.zeros(n), work)
    eval_places(sys, case.qd, work)
    accumulate_loads(sys, found, work)
    assert found == pytest.approx(load, abs=1000 * EPS * np.max(abs(load)))
    add_tree_mass(sys, sys.mass_place, values, work)
    for e in np.eye(n):
        columns.append(np.zeros(n))
        multiply_sparse(sys.pattern, values, e, columns[-1])
    assert np.array(columns) == pytest.approx(expected, abs=1000 * EPS * np.max(abs(expected)))


def test_variations_are_exact(case):
    """Differences of fourth order over h = 1e-4 have errors h⁴ and EPS/h."""
    rng, h = np.random.default_rng(3), 1e-4
    for _ in range(3):
        dq, dqd, dqdd = rng.normal(size=(3, case.n_v)) * case.scaled(1.0)

        def at(s, dq=dq, dqd=dqd, dqdd=dqdd):
            return case.residual(case.qdd + s * dqdd, case.moved(s * dq), case.qd + s * dqd)

        expected = (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h)
        scale = np.max(abs(case.residual())) / h
        assert case.variation(dq, dqd, dqdd) == pytest.approx(expected, abs=100 * EPS * scale)


@pytest.mark.parametrize("name", list(FRAMES))
def test_constraint_jacobian_has_the_elastic_columns(name):
    """Rates of the rows for unit rates, whose bodies hang on faces of one and of several flexible bodies."""
    case = case_of(closed_arm(FRAMES[name]), "semi-recursive")
    sys, work, n = case.sys, case.work, case.n_v

    def rates(qd):
        eval_motion(sys, case.q, qd, work)
        eval_places(sys, qd, work)
        assert eval_rows(sys, 0.0, case.q, qd, work) == 0
        return work.row["Phid"].copy()

    expected = np.array([rates(e) for e in np.eye(n)]).T
    eval_jacobian(sys, case.q, work)
    J = np.zeros((len(sys.row), n))
    for row, line in zip(sys.row, J, strict=True):
        for entry, value in zip(sys.entry[row.first:row.first + row.count],
                                work.jacobian[row.first:row.first + row.count], strict=True):
            line[entry.column] += value
    assert J == pytest.approx(expected, abs=100 * EPS * np.max(abs(expected)))


# --- elimination in O(N) -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("fields", [{}, {"bodies": 3}, {"modes": 2}, {"stiffening": False}], ids=str)
def test_elimination_solves_the_equations_of_motion(fields):
    case = case_of(double_arm(**fields), "recursive")
    qdd = case.accelerations()
    M = case.mass_matrix()
    bound = 100 * EPS * np.linalg.cond(M) * np.max(abs(qdd))
    assert qdd == pytest.approx(np.linalg.solve(M, -case.residual(qdd=np.zeros(case.n_v))), abs=bound)


def test_factors_of_an_implicit_step_hold_stiffness_and_damping():
    case, cq, cv = case_of(double_arm(), "recursive"), 1e-6, 1e-3
    sys, work, n = case.sys, case.work, case.n_v
    A, add, rhs, x = case.mass_matrix(), np.linspace(0.0, 1.0, n), np.linspace(-1.0, 1.0, n), np.zeros(n)
    for e in sys.floating.element:
        add[e.v:e.v + e.n] = 0.0
        body = next(b.floating for b in case.packed.plan.model.bodies if b.floating is not None)
        A[e.v:e.v + e.n, e.v:e.v + e.n] += cq * body.stiffness + cv * body.damping
    eval_motion(sys, case.q, case.qd, work)
    assert factor_tree(sys, add, cq, cv, work) == 0
    solve_tree(sys, rhs, x, work)
    A += np.diag(add)
    assert x == pytest.approx(np.linalg.solve(A, rhs), abs=100 * EPS * np.linalg.cond(A) * np.max(abs(x)))


def test_accelerations_may_be_evaluated_again_at_a_state():
    """The loads of the velocities stay as they are when the accelerations change."""
    case = case_of(double_arm(), "recursive")
    case.residual()
    first = case.work.floating.load[:, AT_LOAD].copy()
    eval_body_accelerations(case.sys, np.ascontiguousarray(-case.qdd), case.work)
    eval_body_accelerations(case.sys, case.qdd, case.work)
    assert case.work.floating.load[:, AT_LOAD] == pytest.approx(first, abs=100 * EPS * np.max(abs(first)))


def test_massless_motions_pass_through_flexible_bodies():
    """A massless link on the tip: its own motion needs no inertia, and takes nothing of the arm along."""
    m = double_arm().add(dal.Body("link", mass=0.0, points={"end": (0.2, 0, 0)}),
                         dal.Revolute("knee", "bob", "link", axis=(0, 0, 1)),
                         dal.JointSpring("damper", "knee", damping=0.1, stiffness=1.0))
    case = case_of(m, "recursive")
    case.work.rank["allowed"] = case.n_v
    case.accelerations()
    rates, x = np.zeros(case.n_v, np.int64), np.zeros(case.n_v)
    assert list_massless(case.sys, case.work, rates) == 1
    eval_massless_motion(case.sys, rates[0], x, case.work)
    M = case.mass_matrix()
    assert x[rates[0]] == 1.0
    assert M @ x == pytest.approx(0.0, abs=100 * EPS * np.max(abs(M)))


@pytest.mark.parametrize("make", [double_arm, closed_arm])
def test_rates_alone_are_those_of_the_whole_motion(make):
    """What a projection asks for when only the rates have changed."""
    case = case_of(make())
    rows, fresh = case.work.body, np.ascontiguousarray(0.7 * case.qd[::-1] + 0.1)
    names = ("w_w", "v_w", "ca_w", "cl_w", "d_w")
    eval_motion(case.sys, case.q, fresh, case.work)
    eval_places(case.sys, fresh, case.work)
    expected = {name: rows[name].copy() for name in names}
    eval_motion(case.sys, case.q, case.qd, case.work)
    eval_places(case.sys, case.qd, case.work)
    eval_rates(case.sys, fresh, case.work)
    for name in names:
        scale = np.max(abs(expected[name]))
        assert rows[name] == pytest.approx(expected[name], abs=100 * EPS * scale), name
