"""Equilibria, modes, linearisation, inverse dynamics and comparison against closed forms."""

import numpy as np
import pytest

import dalembert as dal

EPS = np.finfo(float).eps
G = 9.81
BALANCE = 1e-10
"""Unbalanced effort that `static` leaves, relative to the largest stiffness."""


def pendulum(**pin):
    """Return a rod of one metre that hangs at angle zero."""
    m = dal.Model("pendulum", gravity=(0, 0, -G))
    m.add(dal.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=dal.inertia_rod(2.0, length=1.0, axis="z")),
          dal.Revolute("pin", "ground", "rod", axis=(0, 1, 0), **pin))
    return m


def spring_chain(n, mass=0.5, stiffness=200.0, damping=0.0):
    """Return n masses between two walls, n + 1 equal springs; each mass on its own rail."""
    spacing = 1.0
    m = dal.Model("chain", gravity=(0, 0, 0), ground={"left": (0, 0, 0), "right": ((n + 1) * spacing, 0, 0),
                                                     **{f"at{i}": (i * spacing, 0, 0) for i in range(1, n + 1)}})
    ends = ["ground.left", *(f"m{i}" for i in range(1, n + 1)), "ground.right"]
    for i in range(1, n + 1):
        m.add(dal.Body(f"m{i}", mass=mass), dal.Prismatic(f"x{i}", f"ground.at{i}", f"m{i}", axis=(1, 0, 0)))
    for i in range(n + 1):
        m.add(dal.SpringDamper(f"s{i}", ends[i], ends[i + 1], stiffness=stiffness, damping=damping, length=spacing))
    return m


def oscillator(mass=2.0, stiffness=50.0, damping=4.0):
    """Return a mass on a spring and a damper."""
    m = dal.Model("oscillator", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=mass), dal.Prismatic("x", "ground", "b", axis=(1, 0, 0)),
          dal.JointSpring("s", "x", stiffness=stiffness, damping=damping))
    return m


# --- equilibrium ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("start", [0.3, 1.0, -2.0, 2.5])
def test_a_pendulum_hangs_down(start):
    rest = dal.static(pendulum(start=start))
    angle = float(rest.starts["pin"][0])
    assert abs(np.sin(angle)) <= BALANCE and np.cos(angle) * (1 if rest.stable else -1) == pytest.approx(1.0)


def test_a_pendulum_on_its_head_balances_but_is_not_stable():
    rest = dal.static(pendulum(start=np.pi))
    assert float(rest.starts["pin"][0]) == pytest.approx(np.pi, abs=BALANCE)
    assert not rest.stable
    assert any("unstable" in message and "pin" in message for message in rest.messages)
    modes = dal.eigenmodes(pendulum(), start=rest)
    assert modes.unstable.tolist() == [value.real > 0 for value in modes.eigenvalues] and modes.unstable.any()
    assert "unstable" in str(modes) and "-1.0000" not in str(modes)


@pytest.mark.parametrize("model", [pendulum(), spring_chain(3), oscillator(), dal.Model("free", gravity=(0, 0, 0)).add(
    dal.Body("b", mass=2.0, inertia=(1, 2, 3)), dal.Free("f", "ground", "b"))], ids=str)
def test_a_stable_or_indifferent_rest_is_not_called_unstable(model):
    rest = dal.static(model)
    assert rest.stable and not any("unstable" in message for message in rest.messages)
    assert "unstable" not in str(dal.eigenmodes(model, start=rest))


def test_a_spring_sags_by_weight_over_stiffness():
    m = dal.Model("scale", gravity=(0, 0, -G))
    m.add(dal.Body("b", mass=3.0), dal.Prismatic("z", "ground", "b", axis=(0, 0, 1)),
          dal.JointSpring("s", "z", stiffness=150.0, rest=0.2))
    rest = dal.static(m)
    assert rest["z.displacement"][0] == pytest.approx(0.2 - 3.0 * G / 150.0, abs=BALANCE)
    assert rest["s.effort"][0] == pytest.approx(3.0 * G, rel=BALANCE * 100)
    assert np.abs(rest["b.acceleration"]).max() == 0.0
    assert rest.stable


def test_a_torsion_spring_against_gravity():
    """k a = m g l sin(...): the residual of the closed form at the angle found."""
    m = pendulum(start=0.5).add(dal.JointSpring("coil", "pin", stiffness=8.0, rest=1.2))
    a = dal.static(m)["pin.angle"][0]
    assert abs(8.0 * (a - 1.2) + 2.0 * G * 0.5 * np.sin(a)) <= BALANCE * (8.0 + G)


def test_loads_and_drives_are_taken_at_the_given_time():
    m = oscillator().add(dal.Force("push", "b", direction=(1, 0, 0), magnitude=dal.ramp(begin=0, finish=2, end=10.0)))
    assert dal.static(m)["x.displacement"][0] == pytest.approx(0.0, abs=BALANCE)
    assert dal.static(m, t=2.0)["x.displacement"][0] == pytest.approx(10.0 / 50.0, abs=BALANCE)


def test_a_run_from_equilibrium_stays_there():
    m = spring_chain(3).replaced(gravity=(3.0, 0, 0))
    rest = dal.static(m)
    r = dal.run(m, until=1.0, start=rest.starts, accuracy=1e-8)
    for i in (1, 2, 3):
        assert np.ptp(r[f"x{i}.displacement"]) <= 10 * BALANCE * 1.0  # unbalance over stiffness, swinging about it


def test_nothing_that_holds_is_told():
    m = dal.Model("falling", gravity=(0, 0, -G))
    m.add(dal.Body("b", mass=1.0), dal.Prismatic("z", "ground", "b", axis=(0, 0, 1)))
    with pytest.raises(dal.ConvergenceError, match="z.displacement"):
        dal.static(m)


# --- modes ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_frequencies_of_a_chain_of_masses(n):
    """omega_k = 2 sqrt(k/m) sin(k pi / (2 (n + 1)))."""
    mass, stiffness = 0.5, 200.0
    modes = dal.eigenmodes(spring_chain(n, mass, stiffness))
    exact = 2 * np.sqrt(stiffness / mass) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1))) / (2 * np.pi)
    assert modes.frequencies == pytest.approx(exact, rel=100 * n * EPS * (n + 1) ** 2)  # condition ~ (n + 1)^2
    assert modes.damping == pytest.approx(np.zeros(n), abs=100 * n * EPS * (n + 1) ** 2)


def test_shapes_of_a_chain_of_masses_are_sines():
    n = 5
    modes = dal.eigenmodes(spring_chain(n))
    for k, shape in enumerate(modes.shapes, start=1):
        sine = np.sin(np.arange(1, n + 1) * k * np.pi / (n + 1))
        cosine = abs(shape @ sine) / (np.linalg.norm(shape) * np.linalg.norm(sine))
        assert cosine == pytest.approx(1.0, abs=1e3 * EPS)
    assert modes.names == tuple(f"x{i}.displacement" for i in range(1, n + 1))


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.7])
def test_damped_oscillator(ratio):
    """lambda = omega0 (-ratio +- i sqrt(1 - ratio²))."""
    mass, stiffness = 2.0, 50.0
    omega = np.sqrt(stiffness / mass)
    modes = dal.eigenmodes(oscillator(mass, stiffness, 2 * ratio * np.sqrt(stiffness * mass)))
    assert modes.damping[0] == pytest.approx(ratio, abs=20 * EPS)
    assert modes.frequencies[0] == pytest.approx(omega * np.sqrt(1 - ratio**2) / (2 * np.pi), rel=20 * EPS)
    assert len(modes.eigenvalues) == 1


def test_an_overdamped_oscillator_has_two_real_modes():
    modes = dal.eigenmodes(oscillator(2.0, 50.0, 100.0))
    exact = np.sort(np.roots([2.0, 100.0, 50.0]))
    assert np.sort(modes.eigenvalues.real) == pytest.approx(exact, rel=1e3 * EPS)
    assert np.all(modes.frequencies == 0.0)


def test_a_small_swing_has_the_frequency_of_the_pendulum():
    exact = np.sqrt(2.0 * G * 0.5 / (2.0 / 3.0)) / (2 * np.pi)  # m g l/2 over m l²/3
    assert dal.eigenmodes(pendulum()).frequencies[0] == pytest.approx(exact, rel=20 * EPS)


def test_a_free_body_has_six_modes_at_zero():
    m = dal.Model("free", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0, inertia=(1, 1.2, 1.4)), dal.Free("f", "ground", "b"))
    modes = dal.eigenmodes(m)
    assert np.abs(modes.eigenvalues).max() <= np.sqrt(EPS)  # a double zero splits by the root of round-off
    assert dal.linearize(m).names[3:] == ("f.turn_x", "f.turn_y", "f.turn_z")
    assert "Layout" not in repr(dal.linearize(m)) and "nan" not in str(modes)


# --- linearisation -------------------------------------------------------------------------------------------------

def test_rounding_is_not_shown_as_growth_or_decay():
    """A shaft that turns freely has a double zero, which rounding splits into a pair, and bends without damping."""
    steel = dal.Material(young=2e11, poisson=0.3, density=7800.0)
    shaft = dal.Model("shaft").add(dal.Beam("shaft", length=1.0, section=dal.Circle(0.02), material=steel),
                                   dal.Revolute("pin", "ground", "shaft.start", axis=(1, 0, 0), start_rate=100.0))
    rows = [line.split() for line in str(dal.eigenmodes(shaft)).splitlines() if line[:4].strip().isdigit()]
    assert len(rows) > 4 and all("s" not in row[3:5] for row in rows)
    assert all(float(row[3]) == 0.0 for row in rows if float(row[1]) > 0.0)
    assert all(row[3] == "-" for row in rows if float(row[1]) == 0.0)


def test_time_constants_far_apart_are_shown():
    """A mass on a spring in syrup: m = 1e-9 kg, c = 1 N s/m, k = 1 N/m decay within 1 s and 1 ns."""
    m = dal.Model("syrup").add(dal.Body("b", mass=1e-9), dal.Prismatic("x", "ground", "b", axis=(1, 0, 0)),
                               dal.JointSpring("s", "x", stiffness=1.0, damping=1.0))
    text = str(dal.eigenmodes(m))
    assert "1 s" in text and "1e-09 s" in text


def test_state_matrix_of_an_oscillator():
    A = dal.linearize(oscillator(2.0, 50.0, 4.0)).state_matrix
    assert A == pytest.approx(np.array([[0.0, 1.0], [-25.0, -2.0]]), rel=4 * EPS)


def test_state_matrix_predicts_a_small_motion():
    """exp(A t) x0 against the run: the rest is of third order in the amplitude (sin)."""
    from scipy.linalg import expm

    amplitude, t = 1e-4, 0.7
    r = dal.run(pendulum(start=amplitude), until=t, accuracy=1e-12, record=[t])
    x = expm(dal.linearize(pendulum()).state_matrix * t) @ [amplitude, 0.0]
    assert abs(r["pin.angle"][0] - x[0]) <= amplitude**3


@pytest.mark.parametrize("analysis", [dal.static, dal.linearize, dal.eigenmodes,
                                      lambda m, t: dal.assemble(m, t=t),
                                      lambda m, t: dal.inverse_dynamics(m, times=t)],
                         ids=["static", "linearize", "eigenmodes", "assemble", "inverse_dynamics"])
@pytest.mark.parametrize("t", ["soon", np.nan, 1j])
def test_a_time_is_a_finite_number(analysis, t):
    with pytest.raises(dal.ModelError, match="finite time"):
        analysis(pendulum(), t=t)


def test_whole_numbers_are_times_too_and_kernels_see_floats():
    assert type(dal.linearize(pendulum(), t=1).t) is float
    assert type(dal.linearize(pendulum(), t="1 s").t) is float
    assert dal.static(pendulum(), t=np.int64(1)).t.tolist() == [1.0]


def test_driven_rates_are_left_out():
    m = spring_chain(3).add(dal.Motion("drive", "x2", position=0.0))
    linear = dal.linearize(m)
    assert linear.names == ("x1.displacement", "x3.displacement")
    exact = np.sqrt(2 * 200.0 / 0.5) / (2 * np.pi)
    assert dal.eigenmodes(m).frequencies == pytest.approx([exact, exact], rel=100 * EPS)


def test_no_bodies_have_no_modes():
    assert len(dal.eigenmodes(dal.Model("empty")).frequencies) == 0
    assert dal.linearize(dal.Model("empty")).state_matrix.shape == (0, 0)


# --- inverse dynamics and comparison -------------------------------------------------------------------------------

def test_inverse_dynamics_of_a_pendulum_is_newtons():
    times = np.linspace(0, 2, 11)
    r = dal.inverse_dynamics(pendulum(), {"pin": dal.sine(amplitude=0.7, omega=3.0)}, times=times)
    a, add = 0.7 * np.sin(3 * times), -0.7 * 9 * np.sin(3 * times)
    exact = 2.0 / 3.0 * add + 2.0 * G * 0.5 * np.sin(a)
    assert r["pin.effort"] == pytest.approx(exact, abs=50 * EPS * np.abs(exact).max())


def test_inverse_dynamics_undoes_a_run():
    """Efforts that a recorded free motion needs beyond its own springs: none."""
    m = pendulum(start=1.0).add(dal.JointSpring("coil", "pin", stiffness=3.0, damping=0.5))
    r = dal.run(m, until=1.0, accuracy=1e-12, record=np.linspace(0, 1, 201))
    again = dal.inverse_dynamics(m, {"pin": dal.table(r.t, r["pin.angle"])}, times=r.t[20:-20])
    spline = 0.005**2 * np.abs(np.gradient(np.gradient(r["pin.acceleration"], r.t), r.t)).max()  # second derivative
    assert np.abs(again["pin.effort"]).max() <= spline


def test_compare_finds_the_known_difference():
    fine = dal.run(oscillator(), until=1.0, step=1e-3, integrator="rk4", start={"x": 1.0})
    coarse = dal.run(oscillator(), until=1.0, step=0.1, integrator="rk4", start={"x": 1.0})
    table = dal.compare({"fine": fine, "coarse": coarse}, "x.displacement")
    expected = np.abs(coarse["x.displacement"] - fine["x.displacement"][::100]).max()
    assert table.worst.name == "coarse"
    assert table.worst.absolute == pytest.approx(expected, rel=1e-12)
    assert "coarse" in str(table) and "(reference)" in str(table)
