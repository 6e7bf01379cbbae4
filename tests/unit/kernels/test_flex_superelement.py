"""Superelements in absolute interface coordinates: floating frame, loads, tangents, inertia and points."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation
from superelement_cases import ELEMENTS, GRAVITY, natural_pose, random_case, solid

from dalembert.codes import Status
from dalembert.kernels.flex import superelement as kin
from dalembert.kernels.flex import superelement_loads as loads

EPS = np.finfo(float).eps
STEP = 1e-4
"""Of differences [rad, m or s]; the error of two is a small part of their distance, and rounding over the step."""
SEEDS = range(2)


@pytest.fixture(scope="module", params=ELEMENTS)
def element(request):
    return ELEMENTS[request.param]()


@pytest.fixture(scope="module")
def soft(element):
    """The same body without much stiffness: weight and inertia count as much as elasticity."""
    scale = 100.0 / np.abs(element.stiffness).max()
    return replace(element, stiffness=scale * element.stiffness, damping=1e3 * scale * element.damping)


@pytest.fixture(scope="module", params=["stiff", "soft"])
def body(request, element, soft):
    return element if request.param == "stiff" else soft


def slope(f, size=1.0):
    """Return the slope of f(h) at h = 0 by two central differences, and a bound of its error for values of the given size."""
    def of(h):
        return (f(h) - f(-h)) / (2 * h)
    near, far = of(STEP), of(2 * STEP)
    return (4 * near - far) / 3, 0.01 * np.abs(near - far).max() + 1e3 * EPS * abs(size) / STEP


def undeformed(element, seed):
    """Return the case without deformation, at rest."""
    case = random_case(element, seed, bend=0.0, turn=0.0)
    return case._replace(V=0 * case.V, A=0 * case.A)


def rigid(case, about=(0.0, 0.0, 0.0)):
    """Return the (n, 6) moves of all interfaces as one body, turning about a place of the world."""
    out = np.zeros((case.element.n, 6))
    for k, r in enumerate(case.r - np.asarray(about)):
        out[6 * k:6 * k + 6] = np.eye(6)
        out[6 * k:6 * k + 3, 3:] = np.cross(np.eye(3), r).T
    return out


def local_rigid(case):
    """Return Phi_rig (n, 6) of the evaluated case: deformed interfaces, frame's axes."""
    return case.element.rigid_modes(case.work.q[:6 * case.n_face].reshape(-1, 6)[:, :3])


# --- frame ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("turn", [0.0, 0.2, 0.8])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_body_does_not_deform_where_its_frame_sits(element, seed, turn):
    case = random_case(element, seed, turn=turn).evaluate()
    assert np.abs(element.frame_motion @ case.work.q).max() <= 100 * EPS * np.abs(element.frame_motion).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_local_coordinates_give_the_interfaces_back(element, seed):
    """r_k = r + R (x_k + u_k) and E_k = R exp(theta_k) R_0k [ELL (3.1), (3.2)]."""
    case = random_case(element, seed).evaluate()
    faces = case.work.q[:6 * case.n_face].reshape(-1, 6)
    own = case.work.frame[0]
    places = own["r_w"] + (element.positions + faces[:, :3]) @ case.frame.T
    assert np.abs(places - case.r).max() <= 10 * EPS * np.abs(case.r).max()
    axes = case.frame @ Rotation.from_rotvec(faces[:, 3:]).as_matrix() @ case.R0
    assert np.abs(axes - case.R).max() <= 50 * EPS


def test_the_frame_follows_a_rigid_motion_and_a_warm_start_finds_it_again(element):
    case = random_case(element, 3).evaluate()
    q, r, R = case.work.q.copy(), case.work.frame[0]["r_w"].copy(), case.frame.copy()
    S, d = Rotation.from_rotvec([1.2, -0.4, 2.0]).as_matrix(), np.array([0.3, -2.0, 1.0])
    moved = case._replace(r=case.r @ S.T + d, R=S @ case.R)
    kin.keep_frames(case.sup, case.work)
    for warm in (0, 1):
        moved.evaluate(warm=warm)
        scale = 100 * EPS * (1 + np.abs(moved.r).max())
        assert np.abs(moved.work.q - q).max() <= scale
        assert np.abs(moved.frame - S @ R).max() <= scale
        assert np.abs(moved.work.frame[0]["r_w"] - (S @ r + d)).max() <= scale


def test_a_kept_frame_is_that_of_a_finished_step_not_of_the_last_search(element):
    """A search elsewhere leaves what is kept alone; a kept frame that leads nowhere is given up for the mean."""
    case = random_case(element, 3).evaluate()
    kin.keep_frames(case.sup, case.work)
    own = case.work.frame[0]
    before = own["d_k"].copy(), own["e_k"].copy()
    random_case(element, 4)._replace(work=case.work, sup=case.sup).evaluate(warm=1)
    assert np.array_equal(own["d_k"], before[0]) and np.array_equal(own["e_k"], before[1])
    q = case.evaluate().work.q.copy()
    own["e_k"] = np.nan
    assert np.abs(case.evaluate(warm=1).work.q - q).max() <= 100 * EPS * (1 + np.abs(case.r).max())


def test_a_frame_that_cannot_be_found_is_told(element):
    case = random_case(element, 0)
    q = natural_pose(np.full_like(case.r, np.nan), case.R, case.eta)
    assert kin.find_frame(case.sup, 0, q, 0, case.work) == Status.NO_FRAME


def test_projectors_in_deformed_states(element):
    """Z Phi_rig = 1, T Phi_rig = 0 and Phi Hb T = 0 [ELL (5.7)-(5.10)]."""
    case = random_case(element, 1).evaluate()
    Z, R = case.work.Z, local_rigid(case)
    H = np.eye(element.n)
    for k in range(case.n_face):
        H[6 * k + 3:6 * k + 6, 6 * k + 3:6 * k + 6] = case.work.H[k].reshape(3, 3)
    T = np.eye(element.n) - R @ Z
    scale = 1e3 * EPS * np.abs(Z).max()
    assert np.abs(Z @ R - np.eye(6)).max() <= scale
    assert np.abs(T @ R).max() <= scale
    assert np.abs(element.frame_motion @ H @ T).max() <= scale * np.abs(element.frame_motion).max()


def test_rates_of_frame_and_local_coordinates(element):
    case = random_case(element, 2)
    qd, bound = slope(lambda h: case.moved(case.V, h).evaluate().work.q.copy())
    r, bound_r = slope(lambda h: case.moved(case.V, h).evaluate().work.frame[0]["r_w"].copy())
    R, bound_R = slope(lambda h: case.moved(case.V, h).evaluate().frame.copy())
    own = case.evaluate().work.frame[0]
    assert np.abs(case.work.qd - qd).max() <= bound
    assert np.abs(case.frame @ own["z_v"] - r).max() <= bound_r
    assert np.abs(case.frame @ np.cross(own["z_w"], np.eye(3)).T - R).max() <= bound_R


# --- loads ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", SEEDS)
def test_no_load_under_any_rigid_motion(element, seed):
    case = undeformed(element, seed)
    case = case._replace(V=rigid(case) @ np.random.default_rng(seed).standard_normal(6))
    size = np.abs(element.stiffness).max() * (1 + np.abs(case.r).max()) + np.abs(element.damping).max() * np.abs(case.V).max()
    assert np.abs(case.internal(g=(0.0, 0.0, 0.0))).max() <= 1e-12 * size


@pytest.mark.parametrize("seed", SEEDS)
def test_loads_of_a_deformed_body_balance_its_weight(element, seed):
    """Force m g, and moment about the frame of the deformed body's centre of mass, -dV/dturn."""
    case = random_case(element, seed).evaluate()
    weight = case.element.constants.mass * np.array(GRAVITY)
    c = element.constants.first_moment + element.constants.translation.T @ case.work.q
    moment = np.cross(case.frame @ c, GRAVITY)
    found = rigid(case, case.work.frame[0]["r_w"]).T @ case.internal()
    size = np.abs(case.work.f).max()
    assert np.abs(found + np.r_[weight, moment]).max() <= 1e3 * EPS * size


@pytest.mark.parametrize("seed", SEEDS)
def test_the_load_is_the_gradient_of_the_energy(body, seed):
    case = random_case(body, seed, turn=0.4)
    case = case._replace(V=0 * case.V)

    def energy(state):
        work = state.evaluate().work
        return loads.elastic_energy(case.sup, 0, work) + loads.weight_energy(case.sup, 0, GRAVITY, work)

    load = case.internal()
    for x in np.random.default_rng(seed).standard_normal((4, body.n)):
        expected, bound = slope(lambda h, x=x: energy(case.moved(x, h)), energy(case))
        assert abs(load @ x - expected) <= bound
        assert bound <= 1e-6 * np.abs(load) @ np.abs(x)


def test_damping_takes_the_power_of_the_local_rates(element):
    case = random_case(element, 1).evaluate()
    qd, still = case.work.qd.copy(), case._replace(V=0 * case.V)
    power = case.V @ (case.internal() - still.internal())
    size = np.abs(case.V).max() * np.abs(case.evaluate().work.f).max()
    assert abs(power - qd @ element.damping @ qd) <= 1e3 * EPS * size
    assert power > 0 or not element.damping.any()


@pytest.mark.parametrize("seed", SEEDS)
def test_tangents_are_the_slopes_of_all_loads(body, seed):
    """By moves and spins at constant velocities and accelerations, and by velocities; axes of the world."""
    case = random_case(body, seed, turn=0.4)
    K, C = case.tangents()

    def load(state):
        return state.internal() + state.inertia()

    size = np.abs(load(case)).max()
    for x in np.random.default_rng(seed).standard_normal((3, case.element.n)):
        found, bound = slope(lambda h, x=x: load(case.moved(x, h)), size)
        assert bound <= 1e-6 * np.abs(found).max()
        assert np.abs(K @ x - found).max() <= bound
        found, bound = slope(lambda h, x=x: load(case._replace(V=case.V + h * x)), size)
        assert np.abs(C @ x - found).max() <= bound


def test_the_tangent_is_symmetric_but_for_the_moments(soft):
    """K - Kᵀ of conservative loads is the -n~ that exchanging two spins leaves."""
    case = random_case(soft, 0)
    case = case._replace(V=0 * case.V, A=0 * case.A)
    K, f = case.tangents()[0], case.internal()
    skew = np.zeros_like(K)
    for k in range(case.n_face):
        turns = slice(6 * k + 3, 6 * k + 6)
        skew[turns, turns] = np.cross(f[turns], np.eye(3))
    assert np.abs(K - K.T - skew).max() <= 1e3 * EPS * np.abs(K).max()


# --- inertia -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_loads_take_the_rate_of_the_kinetic_energy(element, seed):
    case = random_case(element, seed, speed=3.0)

    def energy(h):
        state = case.moved(case.V, h)._replace(V=case.V + h * case.A).evaluate()
        return loads.kinetic_energy(case.sup, 0, state.work)

    power, bound = slope(energy, energy(0.0))
    assert abs(case.V @ case.inertia() - power) <= bound
    assert bound <= 1e-6 * abs(power)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_resultant_of_inertia_loads_is_the_rate_of_momentum(element, seed):
    """Force on a rigid translation: d/dt of R Ctᵀ v, also while the body deforms."""
    case = random_case(element, seed, speed=3.0)

    def momentum(h):
        state = case.moved(case.V, h)._replace(V=case.V + h * case.A).evaluate()
        return state.frame @ element.constants.translation.T @ state.work.v

    rate, bound = slope(momentum, np.abs(momentum(0.0)).max())
    assert np.abs(rigid(case)[:, :3].T @ case.inertia() - rate).max() <= bound
    assert bound <= 1e-6 * np.abs(rate).max()


def test_steady_rotation_has_the_inertia_loads_of_a_rigid_body(element):
    """m w x v and w x J w about the frame, in the undeformed body."""
    case = undeformed(element, 2)
    origin = case.evaluate().work.frame[0]["r_w"].copy()
    v, w = np.array([0.2, 0.4, -0.1]), np.array([0.3, -0.5, 0.9])
    modes = rigid(case, origin)
    V = modes @ np.r_[v, w]
    A = np.zeros_like(V)
    for k in range(case.n_face):
        A[6 * k:6 * k + 3] = np.cross(w, V[6 * k:6 * k + 3])
    found = modes.T @ case._replace(V=V, A=A).inertia()
    c, R = element.constants, case.frame
    s, J = R @ c.first_moment, R @ c.inertia @ R.T
    expected = np.r_[np.cross(w, c.mass * v + np.cross(w, s)), np.cross(w, J @ w) + np.cross(s, np.cross(w, v))]
    assert np.abs(found - expected).max() <= 1e5 * EPS * c.mass


def test_projectors_and_inertia_are_those_of_the_offline_constants():
    """In a state without local rotations Hb = 1, and Z, T and Q_v are the constants' own."""
    element = solid()
    case = undeformed(element, 0)
    keep = [j for j in range(element.n) if j >= 6 * case.n_face or j % 6 < 3]
    q = np.zeros(element.n)
    q[keep] = 0.02 * null_space(element.frame_motion[:, keep])[:, 0]
    R, r = case.evaluate().frame.copy(), case.work.frame[0]["r_w"].copy()
    u = q[:6 * case.n_face].reshape(-1, 6)[:, :3]
    case = case._replace(r=r + (element.positions + u) @ R.T, eta=q[6 * case.n_face:],
                         V=np.random.default_rng(1).standard_normal(element.n))
    case.evaluate()
    assert np.abs(case.work.q - q).max() <= 100 * EPS * np.abs(case.r).max()
    scale = 1e3 * EPS * np.abs(case.work.Z).max()
    assert np.abs(case.work.Z - element.frame_rates(u)).max() <= scale
    expected = element.quadratic_forces(case.work.v, u)
    assert np.abs(case.work.inertia - expected).max() <= scale * np.abs(element.convective).max() * np.abs(case.V).sum() ** 2
    elastic = element.elastic_projector(u).T @ element.stiffness @ q
    found = case._replace(V=0 * case.V).evaluate(g=(0.0, 0.0, 0.0)).work.f
    assert np.abs(found - elastic).max() <= scale * np.abs(element.stiffness).max() * np.abs(case.r).max()


# --- natural coordinates -------------------------------------------------------------------------------------------

def rigid_axes(case):
    """Return the natural rates (n_q, n) of unit moves and spins of each interface and of unit rates of the modes."""
    return np.column_stack([case._replace(V=x).qd for x in np.eye(case.element.n)])


def test_natural_loads_have_the_power_of_the_wrenches(element):
    case = random_case(element, 0)
    expected = case.internal() + case.inertia()
    found = rigid_axes(case).T @ case.natural_loads()
    assert np.abs(found - expected).max() <= 100 * EPS * np.abs(expected).max()


def test_natural_mass_matrix_has_the_kinetic_energy(element):
    case = random_case(element, 0)
    M = case.natural_matrix(0.0, 0.0, 1.0)
    energy = loads.kinetic_energy(case.sup, 0, case.evaluate().work)
    assert 0.5 * case.qd @ M @ case.qd == pytest.approx(energy, rel=100 * EPS)
    accelerated = case.natural_loads() - case.natural_loads((case.q, case.qd, 0 * case.qdd))
    scale = np.abs(M).max() * np.abs(case.qdd).sum() + np.abs(case.evaluate().work.f).max()
    assert np.abs(M @ case.qdd - accelerated).max() <= 100 * EPS * scale


def test_quadratic_forces_are_consistent_with_energy_in_natural_coordinates(element):
    """qd.Q_v = ½ qd.M' qd, where M' is the rate of the natural mass matrix."""
    case = random_case(element, 1, speed=3.0)
    without = case._replace(A=0 * case.A)
    quadratic = without.natural_loads((case.q, case.qd, 0 * case.qdd))
    work = without.evaluate(state=(case.q, case.qd, 0 * case.qdd)).work
    internal = np.zeros_like(quadratic)
    loads.add_natural_loads_of(case.sup, 0, case.q, work.f, internal, work)
    power = case.qd @ (quadratic - internal)
    rate, bound = slope(lambda h: case.qd @ case.moved(case.V, h).natural_matrix(0.0, 0.0, 1.0) @ case.qd, abs(power))
    rounding = EPS * np.abs(case.qd) @ np.abs(internal)
    assert abs(power - 0.5 * rate) <= bound + 10 * rounding


@pytest.mark.parametrize("by_rates", [False, True])
def test_natural_tangent_is_the_symmetric_slope_of_the_loads(body, by_rates):
    """As a form of moves that keep the axes rigid, at constant rates of the coordinates or constant coordinates."""
    case = random_case(body, 2)
    q, qd, qdd = case.q, case.qd, case.qdd
    X = rigid_axes(case) @ np.random.default_rng(0).standard_normal((case.element.n, 3))
    size, slopes, error = np.abs(case.natural_loads()).max(), [], 0.0
    moved, spun = (0.0, 1.0) if by_rates else (1.0, 0.0)
    for x in X.T:
        found, bound = slope(lambda h, x=x: case.natural_loads((q + moved * h * x, qd + spun * h * x, qdd)), size)
        slopes.append(found)
        error = max(error, bound)
    expected = np.array(slopes) @ X
    found = X.T @ case.natural_matrix(moved, spun, 0.0) @ X
    assert error <= 1e-6 * np.abs(slopes).max() + 1e3 * EPS * size / STEP
    assert np.abs(found - 0.5 * (expected + expected.T)).max() <= np.abs(X).sum(axis=0).max() * error


def test_the_natural_matrix_is_a_sum(soft):
    case = random_case(soft, 0)
    K, C, M = (case.natural_matrix(*c) for c in np.eye(3))
    both = case.natural_matrix(2.0, 3.0, 5.0)
    assert np.abs(both - 2 * K - 3 * C - 5 * M).max() <= 1e3 * EPS * np.abs(both).max()


# --- points --------------------------------------------------------------------------------------------------------

def test_interfaces_as_points_are_where_their_frames_are(element):
    case = random_case(element, 1).evaluate()
    names = list(element.points)
    for k in range(case.n_face):
        j = k if case.n_face == 2 else ["hub", "tip", "side"].index(names[k])
        r, _ = kin.point_pose(case.sup, j, case.work)
        v, w = kin.point_rates(case.sup, j, case.work)
        assert r == pytest.approx(case.r[k], abs=10 * EPS * np.abs(case.r).max())
        assert np.r_[v, w] == pytest.approx(case.V[6 * k:6 * k + 6], abs=1e3 * EPS * np.abs(case.work.Z).max())


def test_rates_of_points_are_those_of_their_places(element):
    case = random_case(element, 2)
    for j in range(len(element.points)):
        def pose(h, j=j):
            r, R = kin.point_pose(case.sup, j, case.moved(case.V, h).evaluate().work)
            return np.r_[r, R]
        found, bound = slope(pose)
        case.evaluate()
        v, w = kin.point_rates(case.sup, j, case.work)
        R = np.reshape(kin.point_pose(case.sup, j, case.work)[1], (3, 3))
        expected = np.r_[v, np.cross(w, R.T).T.ravel()]
        assert np.abs(found - expected).max() <= bound
