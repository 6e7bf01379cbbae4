"""`Dynamics` of flexible bodies in floating frames and of closed loops: matrices, Jacobians, motions of their constraints."""

import floating_cases
import numpy as np
import pytest
from physics.loop_models import Z, parallelogram, slider_crank, slider_crank_inertia

import dalembert as dal
from dalembert.kernels.tree.state import move

EPS = np.finfo(float).eps


# --- flexible bodies -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("model, place", [
    (floating_cases.double_arm("mean-axis"), "rod.p"), (floating_cases.double_arm(), "bob"),
    (floating_cases.double_arm(("start", "end")), "bob"),
    (floating_cases.solid_arm(), "arm.tip"), (floating_cases.solid_arm(True), "arm.tip")])
def test_flexible_bodies_in_floating_frames(model, place):
    dynamics = dal.Dynamics(model)
    rng = np.random.default_rng(1)
    system, size = dynamics._system, dynamics._system.dof["q_scale"]
    q, qd = dynamics.q.copy(), 0.3 * size * rng.normal(size=dynamics.n_v)
    move(system, dynamics.q, 0.1 * size * rng.normal(size=dynamics.n_v), q)
    qdd = size * rng.normal(size=dynamics.n_v)
    M, tau = dynamics.mass_matrix(q), dynamics.inverse_dynamics(q, qd, qdd)
    terms = np.abs(M) @ np.abs(qdd) + np.abs(dynamics.bias(q, qd))
    assert np.all(np.abs(M @ qdd + dynamics.bias(q, qd) - tau) <= 1e-12 * terms.max())
    found = dynamics.forward_dynamics(q, qd, tau)
    Z, _ = dynamics.motions(q)  # with mean axes the rod is held by constraints
    left = Z.T @ (dynamics.inverse_dynamics(q, qd, found) - tau)
    scaled = M * size * size[:, None]
    assert np.abs(left).max() <= 1000 * EPS * np.linalg.cond(scaled) * np.abs(tau).max()
    if not dynamics.constraints:
        assert np.abs((found - qdd) / size).max() <= 100 * EPS * np.linalg.cond(scaled) * np.abs(qdd / size).max()
    else:
        gap = dynamics.constraint_jacobian(q) @ found + dynamics.constraint_acceleration(q, qd)
        assert np.abs(gap).max() <= 1e-9 * np.abs(found).max()
    J, h = dynamics.jacobian(q, place), 1e-4

    def moved(s, x):
        out = np.empty_like(q)
        move(system, q, s * x, out)
        return out

    for k, unit in enumerate(np.eye(dynamics.n_v) * size):
        slope = [(dynamics.position(moved(s * h, unit), place) - dynamics.position(moved(-s * h, unit), place)) / (2 * s * h)
                 for s in (1, 2)]
        assert np.abs((4 * slope[0] - slope[1]) / 3 - J[:3, k] * size[k]).max() < 1e-10
    spherical = [k for k, name in enumerate(dynamics.rates) if ".turn_" in name]
    qd[spherical] = 0.0  # the rates of a ball are no derivatives of coordinates: only others move along qd this way
    path = [dynamics.velocity(moved(s, qd), qd, place) for s in (-2 * h, -h, h, 2 * h)]
    rate = (8 * (path[2] - path[1]) - (path[3] - path[0])) / (12 * h)
    assert np.abs(rate - dynamics.jacobian_rate(q, qd, place)).max() < 1e-8 * max(1.0, np.abs(rate).max())


# --- closed loops --------------------------------------------------------------------------------------------------

DRIVE = dal.Motion("turn", "main", speed=dal.sine(amplitude=2.0, omega=3.0, phase=0.4))


@pytest.mark.parametrize("model", [parallelogram(0.3, 0.5), slider_crank(0.7, start_rate=1.3), slider_crank(0.7).add(DRIVE)])
def test_closed_loops(model):
    dynamics = dal.Dynamics(model)
    q, qd, t = dynamics.q, dynamics.qd, 0.0
    J = dynamics.constraint_jacobian(q)
    assert J.shape == (len(dynamics.constraints), dynamics.n_v)
    assert np.abs(dynamics.constraint_violation(q)).max() < 1e-10
    qdd = dynamics.forward_dynamics(q, qd, t=t)
    assert np.abs(J @ qdd + dynamics.constraint_acceleration(q, qd, t)).max() < 1e-9 * max(1.0, np.abs(qdd).max())
    expected = dal.assemble(model).array("qdd")[0]
    assert np.abs(qdd - expected).max() < 1e-8 * max(1.0, np.abs(expected).max())  # theirs is iterated
    h = 1e-4
    for k, unit in enumerate(np.eye(dynamics.n_v)):
        ends = [dynamics.constraint_violation(q + s * h * unit) for s in (-2, -1, 1, 2)]
        slope = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * h)
        assert np.abs(slope - J[:, k]).max() < 1e-10


def test_motions_of_a_slider_crank_give_its_inertia():
    for angle in (0.3, 1.2, 2.5):
        model = slider_crank(angle)
        dynamics = dal.Dynamics(model)
        q, _ = dynamics.state({"main": angle})
        motions, independent = dynamics.motions(q)
        assert motions.shape == (dynamics.n_v, 1) and np.abs(dynamics.constraint_jacobian(q) @ motions).max() < 1e-12
        main = dynamics.rates.index("main.angle")
        motions = motions / motions[main]
        inertia = (motions.T @ dynamics.mass_matrix(q) @ motions)[0, 0]
        assert inertia == pytest.approx(slider_crank_inertia(angle), rel=1e-12)
        assert independent[0] in dynamics.rates


def test_states_of_a_loop_keep_what_is_named():
    dynamics = dal.Dynamics(slider_crank(0.4, start_rate=2.0))
    q, qd = dynamics.state({"main": 1.1}, {"main": -0.5})
    at, rate = dynamics.coordinates.index("main.angle"), dynamics.rates.index("main.angle")
    assert q[at] == 1.1 and qd[rate] == -0.5
    assert np.abs(dynamics.constraint_violation(q)).max() < 1e-10
    assert np.abs(dynamics.constraint_jacobian(q) @ qd).max() < 1e-9


def test_rows_of_rolling_wheels_and_gears():
    model = dal.Model("gears").add(
        dal.Body("a", mass=1.0, inertia=(1, 1, 1)), dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
        dal.Body("ball", mass=2.0, inertia=(0.2, 0.2, 0.2)),
        dal.Revolute("j", "ground", "a", axis=Z), dal.Revolute("k", "ground", "b", axis=Z),
        dal.Gear("gear", "j", "k", ratio=-2.0),
        dal.Free("free", "ground", "ball", start=(0, 0, 0.1)), dal.Rolling("roll", "ground", "ball", radius=0.1),
        dal.Motor("m", "j", effort=3.0))
    dynamics = dal.Dynamics(model)
    q, qd = dynamics.state(rates={"j": 0.4})
    J = dynamics.constraint_jacobian(q)
    gear = J[[name.startswith("gear") for name in dynamics.constraints]][0]
    assert gear[dynamics.rates.index("k.angle")] == 1.0 and gear[dynamics.rates.index("j.angle")] == 2.0
    assert np.abs(J @ qd).max() < 1e-12
    qdd = dynamics.forward_dynamics(q, qd)
    assert qdd[dynamics.rates.index("j.angle")] == pytest.approx(3.0 / (1.0 + 4.0))
    push = np.zeros(dynamics.n_v)
    push[dynamics.rates.index("free.x")] = 1.4
    rolled = dynamics.forward_dynamics(q, qd, push)
    assert rolled[dynamics.rates.index("free.x")] == pytest.approx(1.4 / (2.0 + 0.2 / 0.1**2))
    assert rolled[dynamics.rates.index("free.turn_y")] == pytest.approx(1.4 / (2.0 + 0.2 / 0.1**2) / 0.1)
