"""Bodies without inertia against closed forms: first-order and algebraic equations, series of elements, partial rank.

Linear mechanisms are solved by the matrix exponential of their own few equations, written down here.  Fixed steps are
compared through their order, error-controlled runs by `GROWTH * accuracy * sqrt(steps)`: local errors of changing sign
add up like the root of the number of steps.
"""

import numpy as np
import pytest
from mechanisms import massless_hub_tree
from physics.states import EPS, observed_order
from reference import load, worst
from scipy.linalg import expm

import dalembert as dal

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
GROWTH = 10.0
ACCURACY = 1e-7
NEWTON = 1e-10
"""Relative size at which the iteration of a step stops."""
RUNS = [pytest.param(dict(accuracy=ACCURACY), id="auto"),
        pytest.param(dict(accuracy=ACCURACY, integrator="bdf"), id="bdf")]


def run(model, options, **more):
    """Run a model."""
    return dal.run(model, **options, **more)


def allowed(r):
    """Return the error of a coordinate that an error-controlled run may have."""
    return GROWTH * ACCURACY * np.sqrt(max(r.stats.steps, 1))


def rail(*parts, **options):
    """Return a model without gravity."""
    m = dal.Model("rail", gravity=(0, 0, 0), **options)
    m.add(*parts)
    return m


def path(A, y0, times):
    """Return the solution of y' = A y at the times."""
    return np.array([expm(A * t) @ y0 for t in times])


# --- one massless leaf ---------------------------------------------------------------------------------------------

def leaf(*, stiffness=0.0, damping=0.0, load=None, start=None, start_rate=None):
    """Return a massless slider at the end of a spring and damper."""
    m = rail(dal.Body("node"), dal.Prismatic("x", "ground", "node", axis=X, start=start, start_rate=start_rate),
             dal.JointSpring("s", "x", stiffness=stiffness, damping=damping))
    if load is not None:
        m.add(dal.Force("load", "node", direction=X, magnitude=load))
    return m


@pytest.mark.parametrize("options", RUNS)
def test_spring_and_damper_on_a_massless_leaf(options):
    """d x' + k x = 0: x = x0 exp(-k t/d), also the rate and the acceleration."""
    k, d, x0 = 20.0, 4.0, 0.3
    r = run(leaf(stiffness=k, damping=d, start=x0), options, until=1.0, record=0.1)
    exact = x0 * np.exp(-k / d * r.t)
    for power, channel in enumerate(("x.displacement", "x.speed", "x.acceleration")):
        assert worst(r[channel], (-k / d) ** power * exact) <= allowed(r) * (k / d) ** power, channel


@pytest.mark.parametrize("options", RUNS)
def test_damper_alone_on_a_massless_leaf(options):
    """d x' = F: the slider creeps at constant speed."""
    r = run(leaf(damping=4.0, load=2.0, start=0.1), options, until=1.0, record=0.1)
    assert worst(r["x.displacement"], 0.1 + 0.5 * r.t) <= allowed(r)
    assert worst(r["x.speed"], 0.5) <= allowed(r)


@pytest.mark.parametrize("options", [*RUNS, pytest.param(dict(step=0.01), id="generalized-alpha"),
                                     pytest.param(dict(step=0.01, integrator="trapezoidal"), id="trapezoidal"),
                                     pytest.param(dict(step=0.01, integrator="sdirk4"), id="sdirk4"),
                                     pytest.param(dict(step=0.01, integrator="radau"), id="radau")])
def test_spring_alone_on_a_massless_leaf_is_quasi_static(options):
    """k x = F(t): no error of an integrator in the coordinate but that of its iteration; rate F'/k, acceleration F''/k."""
    k, a, w, phase = 50.0, 4.0, 3.0, 0.4
    m = leaf(stiffness=k, load=dal.sine(amplitude=a, omega=w, phase=phase))
    r = run(m, options, until=1.0, record=0.1)
    tolerance = allowed(r) if options.get("accuracy") else 100 * NEWTON
    assert worst(r["x.displacement"], a / k * np.sin(w * r.t + phase)) <= tolerance
    difference = 1e-6 ** 2 * w ** 3 + EPS / 1e-6  # of the law's central difference, step 1e-6 s
    assert worst(r["x.speed"], a / k * w * np.cos(w * r.t + phase)) <= tolerance * w + 10 * a / k * difference * k
    slope = (1e-4 * w) ** 4 + (tolerance + 10 * difference) / 1e-4  # of the rates 1e-4 s apart
    assert worst(r["x.acceleration"], -a / k * w**2 * np.sin(w * r.t + phase)) <= 10 * a / k * w**2 * slope
    assert any("algebraic" in text for text in r.messages)


def test_nothing_on_a_massless_leaf_is_an_error():
    with pytest.raises(dal.SingularError, match="'x'.*'ground'.*'node'.*rank 0, needed 1") as error:
        dal.run(leaf(), until=1.0)
    assert "spring or damper" in str(error.value)


# --- several elements in a row -------------------------------------------------------------------------------------

def row(springs, mass=2.0, speed=1.5):
    """Return (model, A, y0): massless nodes in a row with a mass at the end, y = (q_1 ... q_n, v).

    All elements carry the same force f = k_i q_i + d_i q_i', and m v' = -f with v = sum of q_i'.
    """
    m, inner, n = rail(), "ground", len(springs)
    for i, (k, d) in enumerate(springs):
        last = i == n - 1
        m.add(dal.Body(f"b{i}", mass=mass if last else 0.0),
              dal.Prismatic(f"q{i}", inner, f"b{i}", axis=X, **({"start_rate": speed} if last else {})),
              dal.JointSpring(f"s{i}", f"q{i}", stiffness=k, damping=d))
        inner = f"b{i}"
    k, d = np.array(springs, float).T
    creep = 1 / d
    f = np.append(creep * k, 1.0) / creep.sum()  # sum of (f - k_i q_i)/d_i = v
    A = np.vstack([np.outer(creep, f), -f / mass])
    A[np.arange(n), np.arange(n)] -= creep * k
    return m, A, np.append(np.zeros(n), 0.0)


def row_state(r, n):
    """Return y of a run of `row`."""
    q = [r[f"q{i}.displacement"] for i in range(n)]
    return np.stack([*q, sum(r[f"q{i}.speed"] for i in range(n))], axis=1)


ROWS = {"one": [(40.0, 3.0), (25.0, 2.0)], "two neighbours": [(40.0, 3.0), (60.0, 1.0), (25.0, 2.0)],
        "three neighbours": [(40.0, 3.0), (0.0, 1.0), (60.0, 1.5), (25.0, 2.0)]}


@pytest.mark.parametrize("options", RUNS)
@pytest.mark.parametrize("springs", ROWS.values(), ids=ROWS)
def test_massless_bodies_in_a_row(springs, options):
    """Neighbouring massless bodies, beyond [ARN (24)], follow their series of springs and dampers."""
    m, A, y0 = row(springs)
    begin = dal.assemble(m)
    r = run(m, options, until=1.0, record=0.1)
    n = len(springs)
    y0[-1] = row_state(begin, n)[0, -1]
    found = row_state(r, n)
    assert worst(found, path(A, y0, r.t)) <= allowed(r) * np.abs(np.linalg.eigvals(A)).max()
    assert np.abs(y0[-1]) > 0
    for i in range(n - 1):
        assert any(f"'b{i}'" in text and "massless" in text for text in r.messages)


@pytest.mark.parametrize("options", RUNS)
def test_maxwell_element(options):
    """Damper and spring in series, a massless node between: p' = k s/d, m v' = -k s, s' = v - p'."""
    k, d, mass, v0 = 80.0, 6.0, 2.0, 1.5
    m = rail(dal.Body("node"), dal.Body("mass", mass=mass), dal.Prismatic("p", "ground", "node", axis=X),
             dal.Prismatic("s", "node", "mass", axis=X, start_rate=v0), dal.JointSpring("dashpot", "p", damping=d),
             dal.JointSpring("coil", "s", stiffness=k))
    r = run(m, options, until=1.0, record=0.1)
    A = np.array([[0, k / d, 0], [0, -k / d, 1], [0, -k / mass, 0]])
    exact = path(A, np.array([0, 0, v0]), r.t)
    found = np.stack([r["p.displacement"], r["s.displacement"], r["p.speed"] + r["s.speed"]], axis=1)
    assert worst(found, exact) <= allowed(r) * k / d
    assert worst(r["p.speed"], k / d * exact[:, 1]) <= allowed(r) * k / d * k / d


# --- at the root and at a branch -----------------------------------------------------------------------------------

def branch(hub=(30.0, 2.0), arms=((50.0, 1.0, 1.5), (20.0, 0.5, 0.7))):
    """Return (model, A, y0): a massless hub on the ground that carries two masses, y = (x0, x1, x2, v1, v2)."""
    m = rail(dal.Body("hub"), dal.Prismatic("q0", "ground", "hub", axis=X),
             dal.JointSpring("s0", "q0", stiffness=hub[0], damping=hub[1]))
    (k0, d0), n = hub, len(arms)
    A = np.zeros((1 + 2 * n, 1 + 2 * n))
    A[0, 0] = -k0 - sum(k for k, _, _ in arms)
    for i, (k, d, _) in enumerate(arms, 1):
        A[0, i], A[0, n + i] = k, d
    A[0] /= d0 + sum(d for _, d, _ in arms)
    for i, (k, d, mass) in enumerate(arms, 1):
        m.add(dal.Body(f"b{i}", mass=mass), dal.Prismatic(f"q{i}", "hub", f"b{i}", axis=X, start=0.1 * i),
              dal.JointSpring(f"s{i}", f"q{i}", stiffness=k, damping=d))
        A[i, n + i] = 1.0
        A[n + i] = d / mass * A[0]
        A[n + i, 0] += k / mass
        A[n + i, i] -= k / mass
        A[n + i, n + i] -= d / mass
    return m, A


def branch_state(r):
    """Return y of a run of `branch`."""
    x0, v0 = r["q0.displacement"], r["q0.speed"]
    return np.stack([x0, *(x0 + r[f"q{i}.displacement"] for i in (1, 2)), *(v0 + r[f"q{i}.speed"] for i in (1, 2))],
                    axis=1)


@pytest.mark.parametrize("options", RUNS)
def test_massless_hub_on_the_ground_with_branches(options):
    m, A = branch()
    r = run(m, options, until=1.0, record=0.1)
    found = branch_state(r)
    assert worst(found, path(A, found[0], r.t)) <= allowed(r) * np.abs(np.linalg.eigvals(A)).max()
    assert worst(r["q0.speed"], found @ A[0]) <= allowed(r) * np.abs(A[0]).sum()  # the hub's own equation


@pytest.mark.parametrize("integrator, order, steps", [("trapezoidal", 2, (0.02, 0.01, 0.005)),
                                                      ("generalized-alpha", 2, (0.02, 0.01, 0.005)),
                                                      ("sdirk4", 4, (0.05, 0.04, 0.025)),
                                                      ("radau", 5, (0.1, 0.0625, 0.05))])
def test_integrators_keep_their_order_on_mixed_equations(integrator, order, steps):
    """First- and second-order equations together, all coordinates and velocities at t = 1."""
    m, A = branch()
    y0 = branch_state(dal.assemble(m))[0]
    exact = expm(A) @ y0

    def error(h):
        r = dal.run(m, until=1.0, step=h, integrator=integrator, record=np.array([1.0]))
        return worst(branch_state(r)[-1], exact)

    assert observed_order(error, steps) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("integrator, order, steps", [("trapezoidal", 2, (0.02, 0.01, 0.005)),
                                                      ("trapezoidal", 2, (0.004, 0.002, 0.001)),
                                                      ("generalized-alpha", 2, (0.02, 0.01, 0.005)),
                                                      ("generalized-alpha", 2, (0.004, 0.002, 0.001)),
                                                      ("sdirk4", 4, (0.01, 0.008, 0.005)),
                                                      ("radau", 5, (0.04, 0.025, 0.02))])
def test_integrators_keep_their_order_on_the_tree_of_the_article(integrator, order, steps):
    """The same on a nonlinear tree [ARN Fig. 3], at t = 0.4 against the reference solution.

    The trapezoidal rule damps nothing: accelerations of the hub that began with zero instead of their own would alternate
    for ever, and the large corrections they cost made Newton's iteration believe in a contraction that it had not (error/h²
    of phi2: 6.9 where it converged, 1.2 where it stopped early, after two iterations per step: slopes of 3 and more between
    steps that converged and such that did not).  Since both are cured error/h² of phi2 is 6.5, 6.9, 6.9, 7.0, 7.0 at steps of
    40, 20, 10, 4, 2 ms.
    """
    p = load("p3_tree_massless_hub")
    m = massless_hub_tree(p["data"], p["initial"])
    exact = np.array(p["values"])[4, [0, 2, 6, 7]]

    def error(h):
        r = dal.run(m, until=0.4, step=h, integrator=integrator, record=np.array([0.4]))
        return worst([r["j1.displacement"][-1], r["j2.angle"][-1], *r["b5.tip.position"][-1, :2]], exact)

    assert observed_order(error, steps) == pytest.approx(order, abs=0.25)


# --- partial rank --------------------------------------------------------------------------------------------------

def ball_pendulum(damping, start_rate=(0.0, 2.0, 0.0)):
    """Return a point mass on a ball joint, with or without turning damping to the ground."""
    m = dal.Model("ball pendulum", gravity=(0, 0, -9.81))
    m.add(dal.Body("bob", mass=1.5, com=(0, 0, -0.8), points={"tip": (0, 0, -0.8)}),
          dal.Spherical("ball", "ground", "bob", start_rate=start_rate))
    if damping:
        m.add(dal.Bushing("grease", "ground", "bob", turning_damping=damping))
    return m


def test_a_point_mass_on_a_ball_joint_has_no_spin():
    with pytest.raises(dal.SingularError, match="'ball'.*'bob'.*rank 2, needed 3"):
        dal.run(ball_pendulum(0.0), until=1.0)


@pytest.mark.parametrize("options", RUNS)
def test_a_damped_point_mass_on_a_ball_joint_swings_like_one_on_a_hinge(options):
    c = 0.3
    ball = run(ball_pendulum(c), options, until=1.0, record=0.1)
    m = dal.Model("pendulum", gravity=(0, 0, -9.81))
    m.add(dal.Body("bob", mass=1.5, com=(0, 0, -0.8), points={"tip": (0, 0, -0.8)}),
          dal.Revolute("hinge", "ground", "bob", axis=Y, start_rate=2.0), dal.JointSpring("c", "hinge", damping=c))
    hinge = dal.run(m, until=1.0, record=0.1, accuracy=1e-2 * ACCURACY)
    assert worst(ball["bob.tip.position"], hinge["bob.tip.position"]) <= allowed(ball)
    assert worst(ball["bob.tip.velocity"], hinge["bob.tip.velocity"]) <= allowed(ball) * np.sqrt(9.81 / 0.8)


@pytest.mark.parametrize("options", RUNS)
def test_the_spin_of_a_damped_point_mass_is_zero(options):
    """In space, where the direction without inertia moves: the damper's torque about the rod vanishes."""
    r = run(ball_pendulum(0.3, start_rate=(1.0, 2.0, 0.0)), options, until=1.0, record=0.1)
    axis = r["bob.tip.position"] / 0.8
    assert worst(np.linalg.norm(axis, axis=1), 1.0) <= 100 * EPS
    assert np.abs(np.sum(axis * r["bob.angular_velocity"], axis=1)).max() <= allowed(r)


def test_a_point_mass_on_a_universal_joint():
    """About the axis that carries the mass only the damper acts: angle2 decays by itself, angle1 swings."""
    m = dal.Model("universal", gravity=(0, 0, -9.81))
    m.add(dal.Body("bob", mass=1.5, com=(0, 0, -0.8), points={"tip": (0, 0, -0.8)}),
          dal.Universal("u", "ground", "bob", axis1=X, axis2=Z, start=(0.4, 0.7)))
    with pytest.raises(dal.SingularError, match="'u'.*'bob'.*rank 1, needed 2"):
        dal.run(m, until=1.0)
    m.add(dal.JointSpring("s", "u", coordinate="angle2", stiffness=2.0, damping=0.5))
    r = dal.run(m, until=1.0, accuracy=ACCURACY, record=0.1)
    assert worst(r["u.coordinates"][:, 1], 0.7 * np.exp(-4.0 * r.t)) <= allowed(r)
    energy = r["energy.kinetic"] + 1.5 * 9.81 * r["bob.tip.position"][:, 2]
    assert worst(energy, energy[0]) <= allowed(r) * 1.5 * 9.81


# --- starts, refusals, reactions, drives ---------------------------------------------------------------------------

def test_a_start_rate_that_cannot_be_kept_is_told_and_replaced():
    m = leaf(stiffness=20.0, damping=4.0, start=0.3, start_rate=7.0)
    r = dal.assemble(m)
    assert r["x.speed"][0] == pytest.approx(-20.0 / 4.0 * 0.3, rel=1e-12)
    assert r["x.displacement"][0] == 0.3
    assert any("'x'" in text and "start rate moved from 7 to -1.5" in text for text in r.messages)


def test_a_start_that_cannot_be_kept_is_told_and_replaced():
    r = dal.assemble(leaf(stiffness=20.0, load=4.0, start=0.3))
    assert r["x.displacement"][0] == pytest.approx(0.2, rel=1e-12)
    assert any("'x'" in text and "start moved from 0.3 to 0.2" in text for text in r.messages)


def test_consistent_starts_are_kept_silently():
    r = dal.assemble(leaf(stiffness=20.0, damping=4.0, start=0.3, start_rate=-1.5))
    assert not any("moved" in text for text in r.messages)


@pytest.mark.parametrize("options", [dict(integrator="dopri5"), dict(integrator="rk4", step=0.01),
                                     dict(integrator="semi-implicit-euler", step=0.01)])
def test_explicit_integrators_are_refused(options):
    with pytest.raises(dal.SingularError, match=f"'{options['integrator']}'.*radau"):
        dal.run(leaf(stiffness=20.0, damping=4.0, start=0.3), until=1.0, **options)


@pytest.mark.parametrize("options", RUNS)
def test_reactions_around_a_massless_hub_balance(options):
    """No inertia: what joint 2 does to the hub it hands on to joints 3 and 4, which stand at the same place."""
    p = load("p3_tree_massless_hub")
    m = massless_hub_tree(p["data"], p["initial"])
    m.add(dal.Force("side", "b3.tip", direction=Z, magnitude=dal.sine(amplitude=3.0, omega=4.0, phase=1.0)))
    r = run(m, options, until=0.5, record=0.05)
    size = max(np.abs(r[f"j{i}.force"]).max() for i in (2, 3, 4))
    rounding = 1e3 * EPS * size
    assert worst(r["j2.force"], r["j3.force"] + r["j4.force"]) <= rounding
    assert worst(r["j2.torque"][:, :2], (r["j3.torque"] + r["j4.torque"])[:, :2]) <= rounding
    assert np.abs(r["j2.torque"][:, 2]).max() <= rounding  # about the axis: the hub's own equation


@pytest.mark.parametrize("options", [dict(accuracy=ACCURACY), dict(accuracy=ACCURACY, integrator="dopri5"),
                                     dict(accuracy=ACCURACY, integrator="bdf")], ids=["auto", "dopri5", "bdf"])
def test_a_driven_massless_body_needs_nothing(options):
    """A base moved as a sin(w t) under a mass on a spring; the drive carries the spring's force alone."""
    a, w, k, mass = 0.2, 4.0, 90.0, 1.5
    m = rail(dal.Body("base"), dal.Body("mass", mass=mass), dal.Prismatic("p", "ground", "base", axis=X),
             dal.Prismatic("s", "base", "mass", axis=X, start=0.05), dal.JointSpring("coil", "s", stiffness=k),
             dal.Motion("shake", "p", position=dal.sine(amplitude=a, omega=w)))
    r = run(m, options, until=1.0, record=0.1)
    n = np.sqrt(k / mass)
    forced = a * w * w / (n * n - w * w)  # s'' + n^2 s = a w^2 sin(w t), s(0) = 0.05, s'(0) = 0
    exact = 0.05 * np.cos(n * r.t) + forced * (np.sin(w * r.t) - w / n * np.sin(n * r.t))
    assert worst(r["s.displacement"], exact) <= allowed(r)
    assert worst(r["p.force"][:, 0], -k * r["s.displacement"]) <= 1e3 * EPS * k
    assert not any("massless" in text for text in r.messages)


@pytest.mark.parametrize("options", RUNS)
def test_a_drive_on_a_massless_direction_beside_a_free_one(options):
    """A driven massless node under a free massless node: d x' = d a w cos(w t) - k x about the driven one."""
    a, w, k, d = 0.2, 4.0, 20.0, 4.0
    m = rail(dal.Body("base"), dal.Body("node"), dal.Prismatic("p", "ground", "base", axis=X),
             dal.Prismatic("s", "base", "node", axis=X), dal.Prismatic("wall", "ground", "spare", axis=X),
             dal.Body("spare", mass=1.0), dal.JointSpring("e", "s", damping=d),
             dal.SpringDamper("k", "ground.wall", "node", stiffness=k, length=5.0),
             dal.Motion("shake", "p", position=dal.sine(amplitude=a, omega=w)), ground={"wall": (-5.0, 0, 0)})
    r = run(m, options, until=1.0, record=0.1)
    x = r["p.displacement"] + r["s.displacement"]
    # x' = a w cos(w t) - c x with c = k/d, x(0) = 0
    c = k / d
    exact = a * w / (c * c + w * w) * (c * np.cos(w * r.t) + w * np.sin(w * r.t) - c * np.exp(-c * r.t))
    assert worst(x, exact) <= allowed(r)
