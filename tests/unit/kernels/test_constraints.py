"""Constraint rows between random bodies and coordinates: values, Jacobian, time derivatives, loads and their variations."""

import numpy as np
import pytest
from physics.constraint_rows import BODY_ROWS, SLOPE_STEP, TERM_ROWS, TIME, random_rows, single_row
from physics.states import EPS

import dalembert as dal
from dalembert.codes import RowCode, Status
from dalembert.kernels.constraint import rows as constraints
from dalembert.kernels.constraint.row_accelerations import eval_row_accelerations
from dalembert.kernels.constraint.row_tangents import vary_rows
from dalembert.kernels.force.elements import eval_forces
from dalembert.kernels.force.laws import eval_law
from dalembert.kernels.tree.inverse import eval_body_accelerations, eval_inverse
from dalembert.kernels.tree.kinematics import eval_motion, eval_places
from dalembert.kernels.tree.tangent import vary_motion

STEP = 1e-5
"""Of central differences [s, rad or m]."""
SEEDS = range(3)


def difference(f, step=STEP):
    """Return the central difference of f at zero, and the bound |D(2h) - D(h)| of its error, three times its h² term."""
    near, far = ((f(h) - f(-h)) / (2 * h) for h in (step, 2 * step))
    return near, np.abs(far - near).max(initial=0.0)


# --- values --------------------------------------------------------------------------------------------------------

def axes_of(body):
    """Return the rotation matrix of a body, whose table holds its columns in quads."""
    return np.array(body.E_wb).reshape(3, 4)[:, :3].T


def geometry(rows, i, t):
    """Return a row's Phi from the poses of its bodies, by words: heights of rims, angles between directions."""
    c, body = rows.sys.row[i], rows.work.body
    R = [axes_of(body[k]) for k in (c.a, c.b)]
    line = body[c.b].r_w + R[1] @ c.u_b - body[c.a].r_w - R[0] @ c.u_a
    e_a, f_a, e_b = R[0] @ c.e_a, R[0] @ c.f_a, R[1] @ c.e_b
    law = 0.0 if c.law < 0 else eval_law(rows.sys, c.law, t, 0.0, 0.0, 0)
    if c.code == RowCode.POSITION:
        return e_a @ line - c.c - law
    if c.code == RowCode.DIRECTION:
        return e_a @ e_b - c.c
    if c.code == RowCode.DISTANCE:
        return np.linalg.norm(line) - c.c - law
    if c.code == RowCode.ANGLE:
        x, y = e_a @ e_b, f_a @ e_b
        return np.hypot(x, y) * np.sin(np.arctan2(y, x) - c.c - law)
    if c.code == RowCode.WHEEL_HEIGHT:
        rim = np.eye(3) if not e_b.any() else np.linalg.svd(e_b[None])[2][1:]  # directions from the centre
        return e_a @ line - c.radius * np.linalg.norm(rim @ e_a) - c.c
    return 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_those_of_the_geometry(seed):
    rows = random_rows(seed)
    found = rows.evaluated()["Phi"]
    for i, code in enumerate(rows.codes):
        if code in BODY_ROWS:
            assert abs(found[i] - geometry(rows, i, TIME)) <= rows.noise[i] * (1 + abs(found[i])), RowCode(code)


def test_a_driven_angle_is_that_of_a_revolute_joint():
    """Phi = sin(angle - prescribed) for directions normal to the joint's axis."""
    x, y, z = np.eye(3)
    hinge = dal.Revolute("j", "ground", "b", axis=z, start=0.7, start_rate=1.3)
    rows = single_row(RowCode.ANGLE, hinge, e_a=x, f_a=y, e_b=x, c=0.2)
    own = rows.evaluated()[0]
    assert abs(own.Phi - np.sin(0.7 - 0.2)) <= 10 * EPS
    assert abs(own.Phid - 1.3 * np.cos(0.7 - 0.2)) <= 10 * EPS


# --- first derivatives ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_is_the_derivative_of_the_rows(seed):
    """By coordinates or, for rows that bind rates only, by rates; entries left out are zero."""
    rows = random_rows(seed)
    rows.evaluated()
    J, size = rows.jacobian(), 1 + np.abs(rows.evaluated()["Phi"])
    for k, unit in enumerate(np.eye(len(rows.qd))):
        by_q, error = difference(lambda h, unit=unit: rows.evaluated(q=rows.moved(h * unit))["Phi"])
        by_qd = (rows.evaluated(qd=rows.qd + unit)["Phid"] - rows.evaluated(qd=rows.qd - unit)["Phid"]) / 2
        expected = np.where(rows.velocity_rows, by_qd, by_q)
        rounding = (rows.noise + 10 * rows.sys.body.shape[0] * EPS / STEP) * size
        assert np.all(np.abs(J[:, k] - expected) <= error + rounding), k


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_is_jacobian_times_rates_plus_time_rate(seed):
    rows = random_rows(seed)
    own, J = rows.evaluated(), rows.jacobian()
    size = np.abs(J) @ np.abs(rows.qd) + np.abs(own["Phi_t"])
    assert np.all(np.abs(own["Phid"] - J @ rows.qd - own["Phi_t"]) <= rows.noise * (1 + size))


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_is_the_time_derivative_of_the_value(seed):
    rows = random_rows(seed)
    own = rows.evaluated()
    found, error = difference(lambda h: rows.evaluated(TIME + h, rows.moved(h * rows.qd))["Phi"])
    rounding = (rows.noise + 10 * rows.sys.body.shape[0] * EPS / STEP) * (1 + np.abs(own["Phi"]))
    wrong = np.abs(own["Phid"] - found) > error + rounding
    assert not np.any(wrong & ~rows.velocity_rows)


def test_slip_is_the_velocity_of_the_point_of_contact():
    """Of the material points of both bodies, in the direction f_a, from the lowest point of the rim."""
    rows = random_rows(3)
    own = rows.evaluated()
    for i in np.flatnonzero(rows.codes == RowCode.WHEEL_SLIP):
        c = rows.sys.row[i]
        a, b = rows.work.body[c.a], rows.work.body[c.b]
        R_a, R_b = (axes_of(x) for x in (a, b))
        e_a, e_b = R_a @ c.e_a, R_b @ c.e_b
        rim = np.eye(3) if not e_b.any() else np.linalg.svd(e_b[None])[2][1:]
        down = -rim.T @ (rim @ e_a)
        P = b.r_w + R_b @ c.u_b + c.radius * down / np.linalg.norm(down)
        slip = b.v_w + np.cross(b.w_w[:3], P - b.r_w) - a.v_w - np.cross(a.w_w[:3], P - a.r_w)
        size = 1 + np.abs(slip).max()
        assert abs(own[i].Phid - (R_a @ c.f_a) @ slip) <= rows.noise[i] * size / np.linalg.norm(down)


# --- second derivatives --------------------------------------------------------------------------------------------

def accelerations_of(rows, qdd):
    """Return the second derivatives of the rows for accelerations qdd at the state."""
    rows.evaluated()
    eval_body_accelerations(rows.sys, qdd, rows.work)
    assert eval_row_accelerations(rows.sys, TIME, rows.q, rows.qd, qdd, rows.work) == 0
    return rows.work.row["Phidd"].copy()


@pytest.mark.parametrize("seed", SEEDS)
def test_acceleration_is_the_time_derivative_of_the_rate(seed):
    """Along any motion that has the given rates and accelerations at its middle."""
    rows = random_rows(seed)
    qdd = np.random.default_rng(seed + 100).normal(size=len(rows.qd))
    own, J = rows.evaluated(), rows.jacobian()
    found, error = difference(lambda h: rows.evaluated(TIME + h, rows.moved(h * rows.qd), rows.qd + h * qdd)["Phid"])
    size = 1 + np.abs(J) @ np.abs(rows.qd) + np.abs(own["Phi_t"])
    bound = error + rows.noise / STEP * size
    assert np.all(np.abs(accelerations_of(rows, qdd) - found) <= bound)
    assert error <= STEP * np.abs(found).max()  # of order STEP²: the bound above means something


@pytest.mark.parametrize("seed", SEEDS)
def test_acceleration_grows_by_the_jacobian(seed):
    rows = random_rows(seed)
    qdd = np.random.default_rng(seed + 100).normal(size=len(rows.qd))
    rows.evaluated()
    J = rows.jacobian()
    found, bias = accelerations_of(rows, qdd), accelerations_of(rows, np.zeros_like(qdd))
    size = np.abs(J) @ np.abs(qdd) + np.abs(bias) + np.abs(rows.sys.constants[0].g_w).sum()
    assert np.all(np.abs(found - bias - J @ qdd) <= rows.noise * (1 + size))


# --- loads and products --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", SEEDS)
def test_loads_of_the_multipliers_add_the_transposed_jacobian_to_the_residual(seed):
    """M qdd + bias - tau + J^T (lambda + alpha Phi) [DOP (1)]."""
    rows = random_rows(seed)
    n = len(rows.qd)
    qdd, tau, found = np.random.default_rng(seed).normal(size=n), np.zeros(n), []
    for loaded in (False, True):
        own = rows.evaluated()
        eval_forces(rows.sys, TIME, rows.q, rows.qd, tau, rows.work)
        if loaded:
            constraints.add_row_loads(rows.sys, rows.q, tau, rows.work)
        effort = np.zeros(n)
        assert eval_inverse(rows.sys, qdd, effort, rows.work) == 0
        found.append(effort - tau)
    J = rows.jacobian()
    load = own["lam"] + own["pen"] * np.where(rows.velocity_rows, own["Phid"], own["Phi"])
    size = np.abs(J).T @ np.abs(load) + np.abs(found[0]) + np.abs(load).sum()
    rounding = 10 * rows.sys.body.shape[0] * EPS * size
    assert np.all(np.abs(found[1] - found[0] - J.T @ load) <= rounding.max())


def loads_of(rows, q, qd):
    """Return the loads of the multipliers on every body and rate, in one array."""
    rows.evaluated(TIME, q, qd)
    tau = np.zeros(len(rows.qd))
    for name in ("en", "ef"):
        rows.work.body[name] = 0.0
    constraints.add_row_loads(rows.sys, q, tau, rows.work)
    return np.concatenate([rows.work.body["en"][:, :3].ravel(), rows.work.body["ef"][:, :3].ravel(), tau])


@pytest.mark.parametrize("only", [None, *BODY_ROWS, *TERM_ROWS], ids=lambda code: RowCode(code).name if code else "all")
@pytest.mark.parametrize("seed", SEEDS)
def test_variations_are_derivatives_of_the_loads(seed, only):
    rows, rng = random_rows(seed), np.random.default_rng(seed + 200)
    if only is not None:
        for name in ("lam", "pen"):
            rows.work.row[name][rows.codes != only] = 0.0
    dq, dqd = rng.normal(size=(2, len(rows.qd)))
    found, error = difference(lambda h: loads_of(rows, rows.moved(h * dq), rows.qd + h * dqd))
    size = 1 + np.abs(loads_of(rows, rows.q, rows.qd)).max()
    zero, dtau = np.zeros_like(dq), np.zeros_like(dq)
    vary_motion(rows.sys, rows.qd, zero, dq, dqd, zero, rows.work)
    for name in ("n", "f"):
        rows.work.variation[name] = 0.0
    assert vary_rows(rows.sys, TIME, rows.q, rows.qd, dq, dqd, dtau, rows.work) == 0
    variation = rows.work.variation
    varied = np.concatenate([-variation["n"].ravel(), -variation["f"].ravel(), dtau])
    noise = 10 * rows.sys.body.shape[0] * EPS if only not in (None, RowCode.COUPLING) else EPS / SLOPE_STEP
    assert np.abs(varied - found).max() <= error + noise / STEP * size
    assert error <= STEP * max(size, np.abs(found).max())  # of order STEP²: the bound above means something


# --- edges ---------------------------------------------------------------------------------------------------------

def test_a_distance_of_zero_has_a_zero_row():
    rows = single_row(RowCode.DISTANCE, c=0.4)
    own = rows.evaluated()[0]
    assert (own.Phi, own.Phid) == (-0.4, 0.0)
    assert not rows.jacobian().any()
    assert accelerations_of(rows, np.ones(6))[0] == 0.0


def test_a_wheel_flat_on_its_plane_touches_at_its_centre():
    z = (0, 0, 1)
    rows = single_row(RowCode.WHEEL_HEIGHT, e_a=z, e_b=z, radius=0.3)
    own = rows.evaluated()[0]
    assert own.Phi == 0.0
    assert np.array_equal(own.f_b, z)
    assert not own.n_b.any()


@pytest.mark.parametrize("tilt", [0.0, 0.5, 1.2])
def test_a_tilted_coin_stands_at_the_height_of_its_rim(tilt):
    axis = (np.cos(tilt), 0, np.sin(tilt))
    rows = single_row(RowCode.WHEEL_HEIGHT, e_a=(0, 0, 1), e_b=axis, radius=0.3)
    assert abs(rows.evaluated()[0].Phi + 0.3 * np.cos(tilt)) <= 10 * EPS


def test_a_rolling_ball_does_not_slip():
    """Centre at height rho, velocity w x (up rho)."""
    rows = single_row(RowCode.WHEEL_SLIP, e_a=(0, 0, 1), f_a=(1, 0, 0), radius=0.3)
    velocity, turning = np.array([0.6, 0, 0]), np.array([0.4, 2.0, -1.0])  # v_x = w_y rho
    own = rows.evaluated(qd=np.concatenate([velocity, turning]))[0]
    assert abs(own.Phid) <= 10 * EPS


@pytest.mark.parametrize("code", [RowCode.NONE, RowCode.UNIT, RowCode.SQUARE], ids=str)
def test_rows_of_other_coordinates_are_refused(code):
    rows = single_row(code)
    eval_motion(rows.sys, rows.q, rows.qd, rows.work)
    eval_places(rows.sys, rows.qd, rows.work)
    rows.work.fail["row"] = -1
    assert constraints.eval_rows(rows.sys, 0.0, rows.q, rows.qd, rows.work) == Status.UNKNOWN_ROW
    assert rows.work.fail["row"] == 0
