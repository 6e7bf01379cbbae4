"""Controllers: sampled ones against exact recursions, continuous ones against springs, inputs, memory, and faults."""

import gc

import numpy as np
import pytest

import dalembert as dal
from dalembert.start import control

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
EPS = np.finfo(float).eps
METHODS = [("dopri5", None), ("rk4", 1e-2), ("radau", None), ("sdirk4", None), ("trapezoidal", 1e-2), ("bdf", None)]


def slider(**parts):
    """A mass of 2 kg on a rail with a motor, weightless."""
    return dal.Model("slider", gravity=(0, 0, 0)).add(
        dal.Body("mass", mass=2.0, points={"end": (0.1, 0.2, 0.3)}),
        dal.Prismatic("rail", "ground", "mass", axis=X, start=0.1, start_rate=-0.2), dal.Motor("motor", "rail"))


def feedback(t, u):
    return -3.0 * u[0] - 2.0 * u[1]


def proportional(every, law=feedback):
    return dal.Controller("pd", inputs=["rail.displacement", "rail.speed"], outputs=["motor"], law=law, every=every)


def exact_samples(n, every, mass=2.0):
    """States of the slider at n samples of `feedback`, whose force is constant between them."""
    state = [(0.1, -0.2)]
    for _ in range(n):
        x, v = state[-1]
        a = feedback(0.0, (x, v)) / mass
        state.append((x + every * v + 0.5 * every**2 * a, v + every * a))
    return np.array(state)


@pytest.mark.parametrize("integrator, step", METHODS)
@pytest.mark.parametrize("compiled", [False, True])
def test_outputs_are_held_between_samples(integrator, step, compiled):
    """Every method is exact for a constant acceleration, so that the recursion holds to its tolerance of the iteration."""
    every, n = 0.05, 40
    law = dal.law(feedback) if compiled else feedback
    m = slider().add(proportional(every, law))
    accuracy = 1e-9
    r = dal.run(m, until=n * every, record=every, integrator=integrator, step=step, **({} if step else {"accuracy": accuracy}))
    exact = exact_samples(n, every)
    tolerance = 2 * n * accuracy * np.max(abs(exact))
    assert np.max(abs(r["rail.displacement"] - exact[:, 0])) < tolerance
    assert np.max(abs(r["rail.speed"] - exact[:, 1])) < tolerance
    outputs = feedback(0.0, exact.T)
    assert np.max(abs(r["pd.outputs"][:-1] - outputs[:-1])) < 5 * tolerance  # gains of 3 and 2
    assert np.array_equal(r["motor.effort"][:-1], r["pd.outputs"][:-1])


def test_frames_between_samples_show_what_is_held():
    every = 0.05
    r = dal.run(slider().add(proportional(every)), until=0.5, record=every / 5, accuracy=1e-9)
    held = r["pd.outputs"][:-1].reshape(-1, 5)
    assert np.ptp(held, axis=1).max() == 0.0 and np.ptp(held[:, 0]) > 0.0
    assert np.max(abs(r["rail.acceleration"][:-1] - r["pd.outputs"][:-1] / 2.0)) < 1e-9


def test_steps_and_samples_of_different_lengths_meet():
    """A fixed step that is no multiple of the sampling time ends at samples and at its own grid."""
    every, times = 0.02, []

    def law(t, u):
        times.append(t)
        return feedback(t, u)

    r = dal.run(slider().add(proportional(every, law)), until=0.3, step=0.03, integrator="rk4")
    assert np.allclose(times, np.arange(15) * every, rtol=0, atol=8 * EPS)
    assert np.array_equal(r.t, np.append(np.arange(10) * 0.03, 0.3))
    assert np.max(abs(r["rail.displacement"][::2] - exact_samples(15, every)[::3, 0])) < 1e-9


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive", "global"])
@pytest.mark.parametrize("integrator", ["dopri5", "generalized-alpha"])
def test_a_continuous_law_is_a_spring(formulation, integrator):
    accuracy = 1e-8
    m = dal.Model("pendulum").add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)),
        dal.Revolute("pivot", "ground", "rod", axis=Y, start=1.0), dal.Motor("motor", "pivot"))
    controlled = m.replaced().add(dal.Controller("spring", inputs=["pivot.angle", "pivot.speed"], outputs=["motor"],
                                                 law=lambda t, u: -8.0 * (u[0] - 0.2) - 0.5 * u[1]))
    sprung = m.replaced().add(dal.JointSpring("spring", "pivot", stiffness=8.0, damping=0.5, rest=0.2))
    one, other = (dal.run(x, until=2.0, accuracy=accuracy, formulation=formulation, integrator=integrator)
                  for x in (controlled, sprung))
    steps = max(one.stats.steps, other.stats.steps)
    assert np.max(abs(one["pivot.angle"] - other["pivot.angle"])) < steps * accuracy
    assert np.max(abs(one["spring.outputs"] - other["spring.effort"])) < 10 * steps * accuracy
    assert np.max(abs(one["energy.balance"])) < 10 * steps * accuracy * np.ptp(one["energy.total"])


def test_a_memory_is_asked_once_a_sample_and_takes_away_the_offset():
    """An integrating law holds a pendulum against its weight without an error that stays."""
    calls = []

    def law(t, u, memory):
        calls.append(t)
        error = 0.5 - u[0]
        memory[0] += 40.0 * error * 0.01
        return 60.0 * error - 12.0 * u[1] + memory[0]

    m = dal.Model("pendulum").add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)), dal.Revolute("pivot", "ground", "rod", axis=Y),
        dal.Motor("motor", "pivot"),
        dal.Controller("pid", inputs=["pivot.angle", "pivot.speed"], outputs=["motor"], law=law, every=0.01, memory=[0.0]))
    first = dal.run(m, until=20.0)
    assert len(calls) == 2000 and np.array_equal(calls, np.arange(2000) * 0.01)
    assert abs(first["pivot.angle"][-1] - 0.5) < 1e-4
    again = dal.run(m, until=20.0)  # begins with a memory of its own
    assert np.array_equal(again["pivot.angle"], first["pivot.angle"])


def test_inputs_are_the_channels_of_the_frames():
    """Coordinates, rates, places and their components, and loads, as the results have them at the same times."""
    channels = ["time", "shoulder.angle", "elbow.speed", "lower.tip.position", "lower.tip.velocity.x", "upper.orientation",
                "lower.angular_velocity", "ball.coordinates", "ball.rates", "shoulder.force", "energy.total"]
    seen = []
    m = dal.Model("arm").add(
        dal.Body("upper", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02)),
        dal.Body("lower", mass=1.0, com=(0, 0.1, -0.5), inertia=(0.1, 0.2, 0.12),
                 points={"tip": dal.Frame((0, 0.1, -1), (0.8, 0.6, 0, 0))}),
        dal.Body("bob", mass=0.5, com=(0.1, 0, -0.2), inertia=(0.01, 0.01, 0.01)),
        dal.Revolute("shoulder", "ground", "upper", axis=Y, start=1.0),
        dal.Revolute("elbow", "upper", "lower", axis=X, start=0.5),
        dal.Spherical("ball", "bob", "lower.tip", start_rate=(0.3, 0.2, 0.1)), dal.Motor("motor", "shoulder"),
        dal.Controller("watch", inputs=channels, outputs=["motor"], law=lambda t, u: seen.append(u) or 0.0, every=0.1))
    r = dal.run(m, until=1.0, record=0.1)
    wanted = []
    for f in range(10):
        row = [r.t[f]]
        for channel in channels[1:]:
            value = r["lower.tip.velocity"][:, 0] if channel.endswith(".x") else r[channel]
            row += list(np.ravel(value[f]))
        wanted.append(row)
    wanted, seen = np.array(wanted), np.array(seen)
    sign = np.sign(np.sum(wanted[:, 7:11] * seen[:, 7:11], axis=1))[:, None]  # a quaternion and its opposite turn alike
    seen[:, 7:11] *= sign
    assert np.max(abs(seen - wanted)) < 1e-9 * np.max(abs(wanted))


def test_controllers_close_over_mechanisms_with_loops():
    """A driven four-bar follows a speed by feedback, in both formulations alike."""
    rod = dict(mass=1.0, inertia=(0.1, 0.1, 0.1))
    m = dal.Model("four-bar", ground={"right": (2.0, 0, 0)}, gravity=(0, -9.81, 0)).add(
        dal.Body("crank", **rod, points={"pin": (0.5, 0, 0)}), dal.Body("coupler", **rod, points={"pin": (2.0, 0, 0)}),
        dal.Body("rocker", **rod, points={"pin": (1.2, 0, 0)}), dal.Revolute("main", "ground", "crank", axis=Z, start=1.0),
        dal.Revolute("a", "crank.pin", "coupler", axis=Z),
        dal.Revolute("b", "ground.right", "rocker", axis=Z, start=dal.guess(1.5)),
        dal.Revolute("c", "coupler.pin", "rocker.pin", axis=Z), dal.Motor("motor", "main"),
        dal.Controller("speed", inputs=["main.speed"], outputs=["motor"], law=lambda t, u: 8.0 * (2.0 - u[0]), every=0.01))
    runs = [dal.run(m, until=1.5, accuracy=1e-9, formulation=f) for f in ("semi-recursive", "global")]
    assert abs(runs[0]["main.speed"][-1] - 2.0) < 1.0  # weight of the links over the gain
    assert np.max(abs(runs[0]["main.angle"] - runs[1]["main.angle"])) < 1e-9 * (runs[0].stats.steps + runs[1].stats.steps)
    assert np.max(abs(runs[0]["speed.outputs"] - runs[1]["speed.outputs"])) < 1e-6 * np.max(abs(runs[0]["speed.outputs"]))


def test_compiled_laws_give_the_same_numbers():
    runs = [dal.run(slider().add(proportional(0.01, law)), until=1.0) for law in (feedback, dal.law(feedback))]
    assert np.array_equal(runs[0]["rail.displacement"], runs[1]["rail.displacement"])


def test_a_law_that_reads_arrays_and_a_handle_is_compiled_once(monkeypatch):
    """Computed torque: exact for a mass on a rail, and what the handle leads to outlives the `Dynamics` that made it."""
    calls, compile_once = [], control.compiled_function
    monkeypatch.setattr(control, "compiled_function", lambda *a: calls.append(a) or compile_once(*a))
    c, goal = dal.Dynamics(slider(), without=["motor"]).compiled, np.array([0.7])
    handle, inverse_dynamics = c.handle, c.inverse_dynamics
    gc.collect()

    @dal.law
    def law(t, u):
        tau, wanted = np.empty(1), 100.0 * (goal - u[:1]) - 20.0 * u[1:]
        return tau if inverse_dynamics(handle, t, u[:1], u[1:], wanted, tau) == 0 else np.full(1, np.nan)

    every = 1e-2
    m = slider().add(proportional(every, law))
    runs = [dal.run(m, until=2.0, record=every) for _ in range(2)]
    assert len(calls) == 1 and np.array_equal(runs[0]["pd.outputs"], runs[1]["pd.outputs"])
    u = np.column_stack([runs[0]["rail.displacement"], runs[0]["rail.speed"]])[:-1]
    exact = 2.0 * (100.0 * (goal - u[:, 0]) - 20.0 * u[:, 1])
    assert np.max(abs(runs[0]["pd.outputs"][:-1] - exact)) < 100 * EPS * np.max(abs(exact))
    goal[0] = 0.2
    assert abs(dal.run(m, until=2.0)["rail.displacement"][-1] - 0.2) < 1e-6 and len(calls) == 2


def test_outputs_are_stored(tmp_path):
    r = dal.run(slider().add(proportional(0.05)), until=0.5, store=tmp_path / "out.h5")
    again = dal.load(tmp_path / "out.h5")
    assert np.array_equal(again["pd.outputs"], r["pd.outputs"]) and again.unit("pd.outputs") == "N, N m"


@pytest.mark.parametrize("change, text", [
    (dict(inputs=["rail.displacment"]), "Did you mean 'displacement'"),
    (dict(inputs="rail.speed"), "names of channels"),
    (dict(outputs=["moter"]), "no force element 'moter'"),
    (dict(law=lambda t: 0.0), "expected f\\(t, u\\)"),
    (dict(every=-1.0), "every"),
    (dict(memory=(0.0,), every=None, law=lambda t, u, m: 0.0), "memory without `every`"),
    (dict(every=None, inputs=["rail.force"]), "'rail.force' follows from accelerations"),
], ids=lambda x: "")
def test_faults_name_the_controller(change, text):
    said = dict(inputs=["rail.speed"], outputs=["motor"], law=lambda t, u: 0.0, every=0.1) | change
    with pytest.raises(dal.ModelError, match=f"controllers.bad(.|\n)*{text}"):
        dal.run(slider().add(dal.Controller("bad", **said)), until=0.1)


def test_two_controllers_on_one_motor_are_refused():
    said = dict(inputs=["rail.speed"], outputs=["motor"], law=lambda t, u: 0.0, every=0.1)
    with pytest.raises(dal.ModelError, match="moved by 'one' already"):
        dal.run(slider().add(dal.Controller("one", **said), dal.Controller("two", **said)), until=0.1)


@pytest.mark.parametrize("law, text", [(lambda t, u: 1 / 0, "ZeroDivisionError"),
                                       (lambda t, u: (1.0, 2.0), "2 numbers, expected 1")])
def test_a_law_that_fails_is_named_and_frames_are_kept(law, text):
    def late(t, u):
        return law(t, u) if t > 0.25 else 0.0

    m = slider().add(dal.Controller("pd", inputs=["rail.speed"], outputs=["motor"], law=late, every=0.1))
    with pytest.raises(dal.ModelError, match=f"controllers.pd(.|\n)*{text}") as caught:
        dal.run(m, until=1.0, record=0.1)
    assert len(caught.value.results) >= 2


def test_other_analyses_say_that_controllers_do_not_act():
    m = slider().add(dal.JointSpring("spring", "rail", stiffness=10.0), proportional(0.01))
    motion = {"rail": dal.sine(omega=1.0)}
    for analysis in (dal.static, dal.assemble,
                     lambda x: dal.inverse_dynamics(x, motion, times=np.linspace(0, 1, 3))):
        assert any("controllers act in runs only" in text and "'pd'" in text for text in analysis(m).messages)
    assert "controllers act in runs only" in " ".join(dal.eigenmodes(m).messages)
    assert not any("controllers" in text for text in dal.run(m, until=0.1).messages)


def test_continuous_laws_beside_directions_without_inertia_are_refused():
    m = dal.Model("oscillator", gravity=(0, 0, 0)).add(
        dal.Body("node"), dal.Body("mass", mass=2.0), dal.Prismatic("a", "ground", "node", axis=X, start=0.1),
        dal.Prismatic("b", "node", "mass", axis=X, start=0.2), dal.JointSpring("s", "a", stiffness=50.0, damping=3.0),
        dal.JointSpring("k", "b", stiffness=20.0, damping=1.0), dal.Motor("motor", "b"))
    law = dict(inputs=["b.displacement", "b.speed"], outputs=["motor"], law=lambda t, u: -15.0 * (u[0] - 0.05) - 2.0 * u[1])
    with pytest.raises(dal.ModelError, match="controllers.hold(.|\n)*without inertia(.|\n)*give every="):
        dal.run(m.replaced().add(dal.Controller("hold", **law)), until=1.0)
    sprung = dal.run(m.replaced().add(dal.JointSpring("hold", "b", stiffness=15.0, damping=2.0, rest=0.05)), until=1.0,
                     accuracy=1e-8, record=0.02)
    off = []
    for every in (4e-3, 2e-3, 1e-3):
        sampled = dal.run(m.replaced().add(dal.Controller("hold", every=every, **law)), until=1.0, accuracy=1e-8, record=0.02)
        off.append(np.max(abs(sampled["b.displacement"] - sprung["b.displacement"])))
    assert np.allclose(np.array(off[:-1]) / off[1:], 2.0, rtol=0.1)  # first order in the time between samples
