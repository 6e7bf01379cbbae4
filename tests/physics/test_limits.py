"""Small, large, empty and impossible models; what a failing run says and keeps."""

import numpy as np
import pytest
from mechanisms import flyball
from physics.states import observed_order
from reference import load

import dalembert as dal

EPS = np.finfo(float).eps


def slider(**more):
    """Return one mass on a rail."""
    m = dal.Model("slider", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b", axis=(1, 0, 0), **more))
    return m


def chain(n):
    """Return n hanging rods, the first one pulled aside."""
    m = dal.Model("chain", gravity=(0, 0, -9.81))
    inertia = dal.inertia_rod(0.1, length=0.1, axis="z")
    for i in range(n):
        m.add(dal.Body(f"b{i}", mass=0.1, com=(0, 0, -0.05), inertia=inertia, points={"tip": (0, 0, -0.1)}),
              dal.Revolute(f"j{i}", "ground" if i == 0 else f"b{i - 1}.tip", f"b{i}", axis=(0, 1, 0),
                           start=0.5 if i == 0 else 0.0))
    return m


# --- small and empty -----------------------------------------------------------------------------------------------

def test_one_body():
    r = dal.run(slider(start_rate=2.0), until=1.0)
    assert r["x.displacement"] == pytest.approx(2.0 * r.t, abs=100 * EPS)


@pytest.mark.parametrize("options", [{}, {"step": 0.1, "integrator": "rk4"}, {"step": 0.1}, {"integrator": "hht"}])
def test_no_bodies(options):
    r = dal.run(dal.Model("empty"), until=1.0, **options)
    assert r.t[-1] == 1.0 and r.status == "ok"
    assert np.all(r["energy.total"] == 0.0)


@pytest.mark.parametrize("options", [{}, {"step": 0.1, "integrator": "rk4"}, {"step": 0.1}])
def test_nothing_can_move(options):
    """All joints fixed: positions stay, the welds carry the weight."""
    m = dal.Model("welded", gravity=(0, 0, -9.81))
    m.add(dal.Body("a", mass=1.0, com=(0.5, 0, 0), points={"end": (1, 0, 0)}), dal.Body("b", mass=2.0),
          dal.Fixed("w1", "ground", "a"), dal.Fixed("w2", "a.end", "b"))
    r = dal.run(m, until=1.0, **options)
    assert np.ptp(r["b.position"], axis=0) == pytest.approx(np.zeros(3), abs=0.0)
    assert r["w1.force"][-1] == pytest.approx([0, 0, 3 * 9.81], rel=4 * EPS)
    assert r["w1.torque"][-1] == pytest.approx([0, -9.81 * (0.5 + 2.0), 0], rel=4 * EPS)
    assert dal.static(m).stable


def test_no_time():
    r = dal.run(slider(start=0.3, start_rate=2.0), until=0.0)
    assert list(r.t) == [0.0] and r["x.displacement"][0] == 0.3 and r.stats.steps == 0
    assert list(dal.run(slider(), until=0.0, step=0.1).t) == [0.0]


def test_zero_gravity_keeps_a_chain_at_rest():
    r = dal.run(chain(5).replaced(gravity=(0, 0, 0)), until=1.0)
    assert np.all(r["b4.tip.position"] == r["b4.tip.position"][0])


def test_everything_driven():
    """No free rate is left: the run follows the law."""
    m = slider().add(dal.Motion("m", "x", position=dal.sine(amplitude=0.3, omega=4.0)))
    for options in ({}, {"step": 0.01}, {"step": 0.01, "integrator": "rk4"}):
        r = dal.run(m, until=1.0, **options)
        assert r["x.displacement"] == pytest.approx(0.3 * np.sin(4.0 * r.t), abs=20 * EPS)
        assert r["m.effort"] == pytest.approx(-0.3 * 16 * np.sin(4.0 * r.t), abs=100 * EPS)


# --- large ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [{"integrator": "rk4"}, {}], ids=["explicit", "implicit"])
def test_a_chain_of_two_thousand(options):
    """Ten steps; energy is kept to the local errors, and the tree's round-off stays that of one."""
    r = dal.run(chain(2000), until=1e-3, step=1e-4, **options)
    size = np.abs(r["energy.potential"]).max()
    assert np.abs(r["energy.total"] - r["energy.total"][0]).max() <= 1e-9 * size
    assert np.all(np.isfinite(r["b1999.tip.acceleration"]))


# --- impossible ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("joint, words", [
    (dal.Revolute("wrist", "arm.tip", "hand", axis=(1, 0, 0)), ("inertia about its axis (1, 0, 0),", "rank 0, needed 1")),
    (dal.Prismatic("wrist", "arm.tip", "hand", axis=(1, 0, 0)), ("mass along its axis (1, 0, 0),", "rank 0, needed 1")),
    (dal.Spherical("wrist", "arm.tip", "hand"), ("inertia about (", ") of 'arm.tip'", "needed 3")),
    (dal.Universal("wrist", "arm.tip", "hand"), ("inertia about the axis of its angle", "needed 2")),
], ids=lambda v: type(v).__name__)
def test_a_massless_leaf_is_named_with_a_remedy(joint, words):
    m = dal.Model("bad")
    m.add(dal.Body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), points={"tip": (1, 0, 0)}),
          dal.Body("hand"), dal.Revolute("elbow", "ground", "arm", axis=(0, 1, 0)), joint)
    with pytest.raises(dal.SingularError) as error:
        dal.run(m, until=1.0)
    text = str(error.value)
    for word in ("'wrist'", "'arm.tip'", "'hand'", "Give 'hand'", *words):
        assert word in text, text


def test_a_massless_leaf_fails_in_every_analysis():
    m = dal.Model("bad").add(dal.Body("hand"), dal.Revolute("wrist", "ground", "hand"))
    for analysis in (dal.assemble, dal.linearize, lambda m: dal.run(m, until=1.0, step=0.1),
                     lambda m: dal.run(m, until=1.0, step=0.1, integrator="rk4")):
        with pytest.raises(dal.SingularError, match="wrist"):
            analysis(m)


ODD = (0.4, 0.4, 0.8938)
"""Principal moments [kg m²] that no body has, as published for an arm of a vehicle."""


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive", "global"])
def test_a_body_that_cannot_be_precesses_as_euler_says(formulation):
    """Without torque the figure axis e turns about the angular momentum L at |L| / A, and w = L / A + (1 - C / A) w3 e."""
    A, _, C = ODD
    w0, e = np.array([0.8, -0.5, 2.0]), np.array([0.0, 0.0, 1.0])
    L = np.array(ODD) * w0
    n, rate = L / np.linalg.norm(L), np.linalg.norm(L) / A
    m = dal.Model("top", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0, inertia=ODD), dal.Spherical("ball", "ground", "b", start_rate=tuple(w0)))

    def error(step):
        r = dal.run(m, until=1.0, step=step, formulation=formulation, integrator="trapezoidal")
        c, s = np.cos(rate * r.t)[:, None], np.sin(rate * r.t)[:, None]
        turned = c * e + s * np.cross(n, e) + (1 - c) * (n @ e) * n
        return np.abs(r["b.angular_velocity"] - L / A - (1 - C / A) * w0[2] * turned).max()

    assert observed_order(error, (0.02, 0.01, 0.005)) == pytest.approx(2.0, abs=0.1)


def test_a_body_that_cannot_be_is_told_first_by_every_analysis():
    """Before the start that the drive moves."""
    m = dal.Model("odd")
    m.add(dal.Body("b", mass=1.0, com=(0, 0, -0.5), inertia=ODD), dal.Body("c", mass=1.0, inertia=(0.1, 0.1, 0.1)),
          dal.Revolute("pivot", "ground", "b", axis=(0, 1, 0), start=0.3),
          dal.Prismatic("slide", "b", "c", axis=(0, 0, 1), start=0.2), dal.Motion("hold", "slide", position=0.1))
    for results in (dal.run(m, until=0.1), dal.assemble(m), dal.static(m),
                    dal.inverse_dynamics(m, times=[0.0])):
        assert "bodies.b.inertia: found the principal moments (0.4, 0.4, 0.8938)" in results.messages[0]
        assert "slide" in results.messages[1]


# --- laws that fail ------------------------------------------------------------------------------------------------

def nan_after(t1):
    """Return a law that is no number from t1 on."""
    return lambda t: 1.0 if t < t1 else float("nan")


@pytest.mark.parametrize("options", [{}, {"step": 0.01, "integrator": "rk4"}, {"step": 0.01}],
                         ids=["adaptive", "rk4", "implicit"])
def test_a_law_without_a_number_ends_the_run(options):
    m = slider().add(dal.Motor("m", "x", effort=nan_after(0.5)))
    with pytest.raises(dal.ConvergenceError) as error:
        dal.run(m, until=1.0, **options)
    assert "'x'" in str(error.value) and "NaN" in str(error.value)


@pytest.mark.parametrize("options", [{}, {"step": 0.01, "integrator": "rk4"}, {"step": 0.01}],
                         ids=["adaptive", "rk4", "implicit"])
def test_a_failed_run_keeps_its_frames(options):
    m = slider().add(dal.Motor("m", "x", effort=nan_after(0.5)))
    r = dal.run(m, until=1.0, record=0.1, on_failure="return", **options)
    assert r.status.startswith("ConvergenceError")
    assert 0.39 <= r.t[-1] <= 0.5
    assert r["x.displacement"] == pytest.approx(r.t**2 / 2, abs=1e-6)


def test_the_error_of_a_failed_run_carries_its_frames():
    m = slider().add(dal.Motor("m", "x", effort=nan_after(0.5)))
    with pytest.raises(dal.ConvergenceError) as error:
        dal.run(m, until=1.0, record=0.1)
    assert len(error.value.results) == 5


@pytest.mark.parametrize("options", [{}, {"step": 0.01, "integrator": "rk4"}, {"step": 0.01}],
                         ids=["adaptive", "rk4", "implicit"])
def test_a_raising_law_is_the_cause_of_the_error(options):
    def law(t):
        if t > 0.5:
            raise ZeroDivisionError("by nothing")
        return 1.0

    m = slider().add(dal.Motor("m", "x", effort=law))
    with pytest.raises(dal.ModelError, match=r"forces\.m: its law raised ZeroDivisionError: by nothing") as error:
        dal.run(m, until=1.0, **options)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_a_law_that_cannot_be_compiled_is_named():
    @dal.law
    def gust(t):
        return unknown(t)  # noqa: F821

    with pytest.raises(dal.ModelError, match=r"forces\.m: its law 'gust' cannot be compiled: .*unknown.*plain Python"):
        dal.run(slider().add(dal.Motor("m", "x", effort=gust)), until=1.0)


def test_a_raising_law_of_a_drive_is_told_at_the_start():
    def law(t):
        raise KeyError("no such column")

    with pytest.raises(dal.ModelError, match=r"motions\.m: its law raised KeyError"):
        dal.run(slider().add(dal.Motion("m", "x", position=law)), until=1.0)


def test_a_fall_into_a_singularity_ends_with_the_step():
    """x'' = -1/x² from rest at 1 reaches the centre at pi/(2 sqrt 2) = 1.1107 s; no step gets past it."""
    m = slider(start=1.0).add(dal.Motor("m", "x", effort=lambda t, x, v: -1.0 / x**2))
    r = dal.run(m, until=2.0, integrator="dopri5", record=0.1, on_failure="return")
    assert r.status.startswith("ConvergenceError") and "step" in r.status
    assert r.t[-1] == pytest.approx(1.1, abs=1e-9)


@pytest.mark.parametrize("options", [{"integrator": "dopri5"}, {"integrator": "radau"}, {"formulation": "global"}], ids=str)
def test_a_step_that_shrinks_names_the_joint(options):
    """The slider falls into a singularity while a pendulum swings beside it."""
    m = slider(start=1.0).add(dal.Motor("m", "x", effort=lambda t, x, v: -1.0 / x**2),
                              dal.Body("bob", mass=1.0, com=(0, 0, -0.1)),
                              dal.Revolute("pivot", "ground", "bob", axis=(0, 1, 0)))
    with pytest.raises(dal.ConvergenceError, match=r"the step shrank .* fastest there is joint 'x' \(between 'ground'"):
        dal.run(m, until=2.0, record=0.1, start={"pivot": 0.5}, **options)


def test_an_unstable_fixed_step_is_told():
    """Explicit steps beyond the stability limit 2.8/omega grow until they overflow."""
    m = slider(start=1.0).add(dal.JointSpring("s", "x", stiffness=1e6))
    with pytest.raises(dal.ConvergenceError, match="unstable fixed step"):
        dal.run(m, until=100.0, step=0.05, integrator="rk4")


# --- stiffness -----------------------------------------------------------------------------------------------------

def test_auto_switches_where_the_model_is_stiff_and_says_so():
    p = load("p5_A05_flyball")
    r = dal.run(flyball(p["data"]), until=0.5, accuracy=1e-4)
    assert any("stiff at t = " in message and "went on with" in message for message in r.messages)
    used = r.provenance["integrator"].split(", ")
    assert used[0] == "dopri5" and len(used) == 2 and any(used[1] in message for message in r.messages)


def test_a_strongly_damped_slider_needs_few_implicit_steps():
    """Time constant 1e-6 s: dopri5 needs until/3.3e-6 steps, auto far fewer, with the same end."""
    m = slider(start=1.0).add(dal.JointSpring("s", "x", stiffness=1e6, damping=1e6))
    r = dal.run(m, until=0.5, accuracy=1e-6)
    assert r.stats.steps < 0.1 * 0.5 / 3.3e-6
    assert r.messages and r["x.displacement"][-1] == pytest.approx(np.exp(-0.5), abs=1e-4)


@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-8])
def test_a_vibration_that_has_died_out_is_stiff(accuracy):
    """A light mass on a stiff spring, 1e4 rad/s damped at 50/s, on a slow one of 3 rad/s.

    Stability holds explicit steps at 1 to 2 over 1e4 rad/s for good; 300 s of the slow motion are 900 rad, and 20 steps a
    radian are plenty for a rule of order five.
    """
    fast, damping, until = 1e4, 50.0, 300.0
    light = 1e-3
    m = slider(start=1.0).add(
        dal.JointSpring("s", "x", stiffness=9.0),
        dal.Body("light", mass=light), dal.Prismatic("y", "b", "light", axis=(1, 0, 0)),
        dal.JointSpring("k", "y", stiffness=light * fast**2, damping=2 * light * damping))
    r = dal.run(m, until=until, accuracy=accuracy, record=[until])
    assert any("stiff at t = " in message for message in r.messages)
    assert r.stats.steps < 20 * 3 * until < 0.02 * until * fast / 2


@pytest.mark.parametrize("accuracy", [1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
def test_a_vibration_that_goes_on_is_not_stiff(accuracy):
    """Accuracy holds the steps of an undamped oscillator, at every accuracy."""
    m = slider(start=1.0).add(dal.JointSpring("s", "x", stiffness=1e4))
    r = dal.run(m, until=10.0, accuracy=accuracy)
    assert not r.messages and r.provenance["integrator"] == "dopri5"


def test_a_named_integrator_does_not_switch():
    m = slider(start=1.0).add(dal.JointSpring("s", "x", stiffness=1e4, damping=1e4))
    r = dal.run(m, until=0.01, accuracy=1e-6, integrator="dopri5")
    assert not r.messages and r.provenance["integrator"] == "dopri5"


@pytest.mark.parametrize("integrator", ["bdf", "dopri5", "radau", "generalized-alpha"])
def test_a_body_that_is_fixed_stands_still_in_every_integrator(integrator):
    model = dal.Model("fixed").add(dal.Body("block", mass=2.0, inertia=(1, 1, 1)), dal.Fixed("bolt", "ground", "block"))
    r = dal.run(model, until=1.0, integrator=integrator)
    assert r.t[-1] == 1.0
    assert np.allclose(r["bolt.force"], (0, 0, 2.0 * 9.81), rtol=1e-12)
