"""`Dynamics`: mass matrix, bias, Jacobians, inverse and forward dynamics at single states against independent ways to them.

Mass matrices are held to the kinetic energies of the reference formulation, bias to its accelerations, Jacobians to its
velocities, so that none of the package's own numerics is on both sides.
"""

import gc

import numpy as np
import pytest
from brute_force import joint_vectors, reference_state
from brute_motion import body_states
from random_models import random_rotation, random_tree

import dalembert as dal
from dalembert.kernels.tree import handle as handles
from dalembert.model.check import check
from dalembert.model.parts import JOINTS

EPS = np.finfo(float).eps
SEEDS = range(4)
ROTOR = 0.3


def case(seed, n_bodies=9, armature=False, **options):
    """Return a random tree, its Dynamics, a state in flat arrays and by joint names."""
    rng = np.random.default_rng(seed)
    model, coordinates, rates = random_tree(rng, n_bodies, **options)
    if armature:
        for joint in model.joints:
            if joint.record.sizes[1]:
                model = model.replaced(joint.name, armature=ROTOR)
    dynamics = dal.Dynamics(model)
    q, qd = dynamics.state(coordinates, rates)
    return model, dynamics, q, qd, coordinates, rates


def rate_indices(dynamics, model):
    """Return the number in `Dynamics.rates` of each rate of the joints in the order of the model."""
    found = []
    for joint in model.joints:
        own = [k for k, name in enumerate(dynamics.rates) if name.rpartition(".")[0] == joint.name]
        assert len(own) == joint.record.sizes[1]
        found += own
    return np.array(found, int)


def unit_states(model, coordinates):
    """Return the reference's states of all bodies for each unit rate at rest, rates in the order of the model's joints."""
    checked = check(model)
    q, u = joint_vectors(checked, coordinates, {})
    sizes = [len(x) for x in u]
    states = []
    for k in range(sum(sizes)):
        unit = np.split(np.eye(sum(sizes))[k], np.cumsum(sizes)[:-1])
        states.append(body_states(checked, q, unit))
    return checked, states


def momentum(body, state):
    """Return the generalised momentum of a body, to be multiplied by velocities of its centre and angular velocities."""
    return np.concatenate([body.mass * state.v, state.R @ body.inertia @ state.R.T @ state.w])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("armature", [False, True])
def test_mass_matrix_is_that_of_the_kinetic_energy(seed, armature):
    model, dynamics, q, _, coordinates, _ = case(seed, armature=armature, forces=False)
    checked, states = unit_states(model, coordinates)
    at = rate_indices(dynamics, model)
    expected = ROTOR * np.eye(len(at)) if armature else np.zeros((len(at), len(at)))
    for body, *moved in zip(checked.bodies, *states, strict=True):
        V = np.array([np.concatenate([s.v, s.w]) for s in moved])
        expected += V @ np.array([momentum(body, s) for s in moved]).T
    M = dynamics.mass_matrix(q)
    scale = np.abs(expected).max()
    assert np.abs(M[np.ix_(at, at)] - expected).max() <= 100 * len(at) * EPS * scale
    assert np.array_equal(M, M.T) or np.abs(M - M.T).max() <= 10 * EPS * scale
    assert np.linalg.eigvalsh(M)[0] > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_bias_balances_the_accelerations_of_the_reference(seed):
    """With all force elements, and no efforts on top: M qdd + bias = 0, and forward dynamics finds the same qdd."""
    model, dynamics, q, qd, coordinates, rates = case(seed)
    t = 0.3
    ref = reference_state(check(model), coordinates, rates, t)
    qdd = np.zeros(dynamics.n_v)
    qdd[rate_indices(dynamics, model)] = np.concatenate([ref.joints[j.name].acceleration for j in model.joints])
    M, bias = dynamics.mass_matrix(q), dynamics.bias(q, qd, t)
    rounded = 2 * ref.unknowns * EPS * ref.condition
    assert np.abs(M @ qdd + bias).max() <= rounded * max(np.abs(bias).max(), np.abs(M).max() * np.abs(qdd).max())
    assert np.abs(dynamics.forward_dynamics(q, qd, t=t) - qdd).max() <= rounded * np.abs(qdd).max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("armature", [False, True])
def test_forward_dynamics_of_inverse_dynamics_is_the_identity(seed, armature):
    _, dynamics, q, qd, _, _ = case(seed, armature=armature)
    rng = np.random.default_rng(seed + 100)
    qdd, t = rng.normal(size=dynamics.n_v), 0.7
    tau = dynamics.inverse_dynamics(q, qd, qdd, t)
    M = dynamics.mass_matrix(q)
    scale = np.abs(tau).max()
    assert np.abs(M @ qdd + dynamics.bias(q, qd, t) - tau).max() <= 100 * dynamics.n_v * EPS * scale
    tolerance = 100 * dynamics.n_v * EPS * np.linalg.cond(M) * np.abs(qdd).max()
    assert np.abs(dynamics.forward_dynamics(q, qd, tau, t) - qdd).max() <= tolerance


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_are_the_velocities_of_the_reference(seed):
    model, dynamics, q, _, coordinates, _ = case(seed, forces=False)
    checked, states = unit_states(model, coordinates)
    at = rate_indices(dynamics, model)
    for i, body in enumerate(checked.bodies):
        for place in body.points.values():
            J = dynamics.jacobian(q, place.text)[:, at]
            for k, moved in enumerate(states):
                p, A = moved[i].place(place)
                expected = np.concatenate([p.rate, moved[i].w])
                assert np.abs(J[:, k] - expected).max() <= 1000 * EPS * max(1.0, np.abs(expected).max())
            position, axes = dynamics.pose(q, place.text)
            p, A = states[0][i].place(place)
            assert np.abs(position - p.value).max() <= 1000 * EPS * max(1.0, np.abs(position).max())
            assert np.abs(axes - A.value).max() <= 1000 * EPS
            assert np.array_equal(position, dynamics.position(q, place.text))


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_of_places_are_those_of_the_reference(seed):
    """J qdd + J' qd with the accelerations found, at origins of bodies."""
    model, dynamics, q, qd, coordinates, rates = case(seed)
    ref = reference_state(check(model), coordinates, rates, 0.0)
    qdd = dynamics.forward_dynamics(q, qd)
    moving = {name: body for name, body in ref.bodies.items() if name != "ground"}
    scale = max(np.abs(np.concatenate([b.acceleration, b.angular_acceleration])).max() for b in moving.values())
    for name, body in moving.items():
        expected = np.concatenate([body.acceleration, body.angular_acceleration])
        found = dynamics.jacobian(q, name) @ qdd + dynamics.jacobian_rate(q, qd, name)
        tolerance = 2 * ref.unknowns * EPS * ref.condition * scale
        assert np.abs(found - expected).max() <= tolerance
        assert np.abs(dynamics.acceleration(q, qd, qdd, name) - expected).max() <= tolerance
        velocity = np.concatenate([body.velocity, body.angular_velocity])
        assert np.abs(dynamics.velocity(q, qd, name) - velocity).max() <= tolerance
        assert np.abs(dynamics.jacobian(q, name) @ qd - velocity).max() <= tolerance


@pytest.mark.parametrize("seed", SEEDS)
def test_a_quaternion_may_have_any_length(seed):
    model, dynamics, q, qd, _, _ = case(seed)
    longer = q.copy()
    for joint in model.joints:
        if joint.record.ball:
            own = [k for k, name in enumerate(dynamics.coordinates) if name in {f"{joint.name}.q{c}" for c in "wxyz"}]
            longer[own] *= 3.0
    assert np.any(longer != q)
    for evaluate in (dynamics.mass_matrix, lambda x: dynamics.bias(x, qd)):
        one, other = evaluate(q), evaluate(longer)
        assert np.abs(one - other).max() <= 1000 * EPS * np.abs(one).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_turned_axes_of_the_world_change_nothing_but_directions(seed):
    """Gravity, the ground's points and what is said in the world's axes turn together: M and bias stay, Jacobians turn."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in JOINTS if kind not in (dal.Planar, dal.Free, dal.Spherical)]
    model, coordinates, rates = random_tree(rng, 7, joints=kinds, forces=False, frames=False, reverse=0.0)
    A = random_rotation(rng)
    ground = {name: dal.Frame(A @ np.array(p), A) for name, p in model.ground.items()}
    turned = dal.Model(model.name, gravity=tuple(A @ model.gravity), ground=ground | {"o": dal.Frame((0, 0, 0), A)})
    for part in model:
        on_origin = getattr(part, "first", None) == "ground"
        turned.add(model.replaced(part.name, first="ground.o")[part.name] if on_origin else part)
    one, other = dal.Dynamics(model), dal.Dynamics(turned)
    q, qd = one.state(coordinates, rates)
    assert one.rates == other.rates and np.array_equal(other.state(coordinates, rates)[0], q)
    M, bias = one.mass_matrix(q), one.bias(q, qd)
    assert np.abs(M - other.mass_matrix(q)).max() <= 1000 * EPS * np.abs(M).max()
    assert np.abs(bias - other.bias(q, qd)).max() <= 1000 * EPS * np.abs(bias).max()
    J, turned_J = one.jacobian(q, "b7.c"), other.jacobian(q, "b7.c")
    assert np.abs(np.vstack([A @ J[:3], A @ J[3:]]) - turned_J).max() <= 1000 * EPS * max(1.0, np.abs(J).max())


def test_states_by_name_are_those_of_assemble():
    for seed in SEEDS:
        model, dynamics, q, qd, coordinates, rates = case(seed)
        r = dal.assemble(model, start=coordinates, start_rate=rates)
        assert np.array_equal(r.array("q")[0], q) and np.array_equal(r.array("qd")[0], qd)
        qdd = dynamics.forward_dynamics(q, qd)
        assert np.abs(r.array("qdd")[0] - qdd).max() <= 1e-9 * np.abs(qdd).max()  # two orders of summation
        assert np.abs(dal.mass_matrix(model, coordinates) - dynamics.mass_matrix(q)).max() == 0.0
        assert np.array_equal(dal.bias(dynamics, coordinates, rates), dynamics.bias(q, qd))
        assert np.array_equal(dal.jacobian(model, "b3.c", coordinates), dynamics.jacobian(q, "b3.c"))


def test_inverse_dynamics_is_that_of_given_laws():
    """At a frame of `inverse_dynamics` with its laws the efforts are the same."""
    model = dal.Model("arm", gravity=(0, 0, -9.81)).add(
        dal.Body("upper", mass=2.0, com=(0, 0, -0.3), inertia=(0.1, 0.2, 0.05), points={"tip": (0, 0, -0.6)}),
        dal.Body("lower", mass=1.0, com=(0, 0.1, -0.2), inertia=(0.03, 0.02, 0.01)),
        dal.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0), armature=0.1),
        dal.Revolute("elbow", "upper.tip", "lower", axis=(1, 1, 0)),
        dal.JointSpring("spring", "elbow", stiffness=5.0, damping=0.3, rest=0.2))
    laws = {"shoulder": dal.sine(amplitude=1.0, omega=2.0), "elbow": dal.sine(amplitude=0.7, omega=3.0, phase=0.5)}
    r = dal.inverse_dynamics(model, laws, times=[0.4])
    tau = dal.Dynamics(model).inverse_dynamics(r.array("q")[0], r.array("qd")[0], r.array("qdd")[0])
    expected = [r["shoulder.effort"][0], r["elbow.effort"][0]]
    assert np.abs(tau - expected).max() <= 100 * EPS * np.abs(expected).max()


def test_drives_give_driven_rates_the_accelerations_of_their_laws():
    for seed in SEEDS:
        model, coordinates, rates = random_tree(np.random.default_rng(seed), 8, motions=True)
        dynamics = dal.Dynamics(model)
        q, qd = dynamics.state(coordinates, rates)
        r = dal.assemble(model, start=coordinates, start_rate=rates)
        qdd = dynamics.forward_dynamics(q, qd)
        assert np.abs(r.array("qdd")[0] - qdd).max() <= 1e-9 * np.abs(qdd).max()
        ref = reference_state(check(model), coordinates, rates)
        for motion in model.motions:
            at = dynamics.rates.index(f"{motion.joint}.{motion.coordinate or model[motion.joint].coordinates[0]}")
            k = [c for c in model[motion.joint].coordinates].index(dynamics.rates[at].rpartition(".")[2])
            assert qdd[at] == pytest.approx(ref.joints[motion.joint].acceleration[k], abs=1e-9 * np.abs(qdd).max())


def test_elements_that_a_controller_commands_are_left_out():
    model = dal.Model("arm").add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5)), dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0)),
        dal.Motor("motor", "pivot", effort=7.0), dal.JointSpring("spring", "pivot", stiffness=3.0, damping=0.5))
    q, qd = np.array([0.4]), np.array([0.2])
    weight = 9.81 * 0.5 * np.sin(0.4)
    assert dal.Dynamics(model).bias(q, qd)[0] == pytest.approx(weight + 3.0 * 0.4 + 0.5 * 0.2 - 7.0)
    assert dal.Dynamics(model, without=["motor"]).bias(q, qd)[0] == pytest.approx(weight + 3.0 * 0.4 + 0.5 * 0.2)
    assert dal.Dynamics(model, without=["motor", "spring"]).bias(q, qd)[0] == pytest.approx(weight)
    with pytest.raises(dal.ModelError, match="no force element 'moter'.*Did you mean 'motor'"):
        dal.Dynamics(model, without=["moter"])


# --- arrays, errors, compiled code ---------------------------------------------------------------------------------

def test_results_are_written_where_they_are_wanted():
    _, dynamics, q, qd, _, _ = case(0)
    M, tau, J = np.empty((dynamics.n_v,) * 2), np.empty(dynamics.n_v), np.empty((6, dynamics.n_v))
    assert dynamics.mass_matrix(q, out=M) is M and np.array_equal(M, dynamics.mass_matrix(list(q)))
    assert dynamics.bias(q, qd, out=tau) is tau and np.array_equal(tau, dynamics.bias(q[::-1].copy()[::-1], qd))
    assert dynamics.jacobian(q, "b2", out=J) is J
    before = q.copy(), qd.copy()
    dynamics.forward_dynamics(q, qd, tau)
    assert np.array_equal(q, before[0]) and np.array_equal(qd, before[1])
    frozen = q.copy()
    frozen.setflags(write=False)
    assert np.array_equal(dynamics.mass_matrix(frozen), M)


@pytest.mark.parametrize("call, message", [
    (lambda d: d.mass_matrix(np.zeros(3)), r"q: found an array of shape \(3,\), expected 1 number, one for each of"),
    (lambda d: d.mass_matrix("no"), "q: found 'no', expected 1 number"),
    (lambda d: d.bias([0.0], [[0.0]]), "qd: found .*, expected 1 number, one for each of Dynamics.rates"),
    (lambda d: d.mass_matrix([0.0], out=np.zeros(1)), r"out: found an array of float64 of shape \(1,\), expected .* \(1, 1\)"),
    (lambda d: d.bias([0.0], [0.0], out=np.zeros(1, np.float32)), "out: found an array of float32"),
    (lambda d: d.jacobian([0.0], "rod.tup"), "no body or point 'rod.tup'.*Did you mean 'rod.tip'"),
    (lambda d: d.state({"pivat": 0.1}), "pivat"),
])
def test_faults_are_named(call, message):
    model = dal.Model("m").add(dal.Body("rod", mass=1.0, com=(0, 0, -1), points={"tip": (0, 0, -2)}),
                               dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0)))
    with pytest.raises(dal.ModelError, match=message):
        call(dal.Dynamics(model))


def test_errors_of_laws_and_missing_inertia_are_told_and_the_next_call_is_well():
    def law(t, x, v):
        if t > 1:
            raise ValueError("broken")
        return -x

    model = dal.Model("m").add(dal.Body("rod", mass=1.0, com=(0, 0, -1)),
                               dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0)), dal.Motor("motor", "pivot", effort=law))
    dynamics = dal.Dynamics(model)
    for evaluate in (dynamics.bias, lambda q, qd, t: dynamics.forward_dynamics(q, qd, t=t)):
        with pytest.raises(dal.ModelError, match="motor.*broken"):
            evaluate([0.1], [0.0], 2.0)
        assert np.all(np.isfinite(evaluate([0.1], [0.0], 0.0)))
    massless = dal.Model("m").add(dal.Body("a"), dal.Prismatic("slide", "ground", "a"),
                                  dal.JointSpring("k", "slide", stiffness=1.0, damping=1.0))
    assert dal.Dynamics(massless).mass_matrix([0.0])[0, 0] == 0.0
    with pytest.raises(dal.SingularError, match="slide"):
        dal.Dynamics(massless).forward_dynamics([0.0], [0.0])


def test_what_a_handle_leads_to_lives_as_long_as_the_handle():
    """A law that closes over the handle needs no `Dynamics` beside it, and nothing is kept once the handle is gone."""
    handle = dal.Dynamics(dal.Model("m").add(dal.Body("bob", mass=2.0, com=(0, 0, -0.5)),
                                             dal.Revolute("pivot", "ground", "bob", axis=(0, 1, 0)))).compiled.handle
    gc.collect()
    address, M = int(handle[0]), np.empty((1, 1))
    assert handles.mass_matrix(handle, np.zeros(1), M) == 0 and abs(M[0, 0] - 0.5) < 1e-15
    del handle
    gc.collect()
    assert address not in handles._OPEN


def test_compiled_functions_serve_all_models_without_being_compiled_again():
    numba = pytest.importorskip("numba")
    here = dal.Dynamics(dal.Model("m")).compiled
    mass_matrix, inverse_dynamics, forward_dynamics = here.mass_matrix, here.inverse_dynamics, here.forward_dynamics
    jacobian, place_motion = here.jacobian, here.place_motion

    @numba.njit
    def law(handle, t, place, q, qd, tau, M, bias, qdd, J, motion):
        status = mass_matrix(handle, q, M) | inverse_dynamics(handle, t, q, qd, np.zeros_like(qd), bias)
        status |= forward_dynamics(handle, t, q, qd, tau, qdd) | jacobian(handle, place, q, J)
        return status | place_motion(handle, place, q, qd, qdd, motion)

    functions = (law,) if numba.config.DISABLE_JIT else (law, law.py_func)
    for function in functions:
        for seed in SEEDS:
            _, dynamics, q, qd, _, _ = case(seed, n_bodies=9 + seed)
            n, tau = dynamics.n_v, np.linspace(-1, 1, dynamics.n_v)
            M, bias, qdd, J, motion = np.empty((n, n)), np.empty(n), np.empty(n), np.empty((6, n)), np.empty(24)
            assert function(dynamics.compiled.handle, 0.2, dynamics.place("b4.c"), q, qd, tau, M, bias, qdd, J, motion) == 0
            assert np.array_equal(M, dynamics.mass_matrix(q)) and np.array_equal(bias, dynamics.bias(q, qd, 0.2))
            assert np.array_equal(qdd, dynamics.forward_dynamics(q, qd, tau, 0.2))
            assert np.array_equal(J, dynamics.jacobian(q, "b4.c"))
            assert np.array_equal(motion[:3], dynamics.position(q, "b4.c"))
    if not numba.config.DISABLE_JIT:
        assert len(law.signatures) == 1
        with pytest.raises(numba.core.errors.TypingError, match="mass_matrix: found q of type"):
            numba.njit(lambda handle, q, M: mass_matrix(handle, q, M))(here.handle, np.zeros(1, int), np.zeros((1, 1)))
