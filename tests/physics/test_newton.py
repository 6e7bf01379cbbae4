"""Newton's iteration of the implicit steps converges wherever the equations are harmless, at every ratio of step to period."""

import numpy as np
import pytest

import dalembert as dal

STEP = 1e-2
IMPLICIT = ["trapezoidal", "hht", "generalized-alpha", dal.GeneralizedAlpha(rho_inf=0.0)]


def oscillator(stiffness, damping=0.0):
    """Return one mass on a spring between two points: linear, but not on a joint."""
    m = dal.Model("oscillator", gravity=(0, 0, 0), ground={"p": (-1, 0, 0)})
    return m.add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b", axis=(1, 0, 0), start=0.1),
                 dal.SpringDamper("s", "ground.p", "b", stiffness=stiffness, damping=damping, length=1.0))


@pytest.mark.parametrize("integrator", IMPLICIT, ids=str)
@pytest.mark.parametrize("ratio", [0.01, 0.1, 0.3, 0.55, 0.75, 0.9, 1.0, 1.3, 3.0, 30.0, 1000.0])
def test_a_linear_oscillator_converges_at_every_stiffness(ratio, integrator):
    """`ratio` is omega h.  One mass, one spring: an exact tangent solves a step at once."""
    m = oscillator((ratio / STEP) ** 2)
    r = dal.run(m, until=1.0, step=STEP, integrator=integrator, on_failure="return")
    assert r.status == "ok"
    assert r.stats.steps == 100


@pytest.mark.parametrize("damping", [1.0, 100.0, 1e4])
def test_a_damped_linear_oscillator_converges_at_every_damping(damping):
    r = dal.run(oscillator(1.0, damping), until=1.0, step=STEP, on_failure="return")
    assert r.status == "ok"


def clamped_arm():
    """Return two arms that a stiff bushing (1e4 rad/s) makes one."""
    m = dal.Model("clamped", gravity=(0, 0, -9.81))
    m.add(*(dal.Body(b, mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), points={"t": (1, 0, 0)}) for b in "ab"),
          dal.Revolute("j", "ground", "a", axis=(0, 1, 0)), dal.Free("f", "ground", "b", start=(1, 0, 0)),
          dal.Bushing("k", "a.t", "b", stiffness=1e8, damping=1e4, turning_stiffness=1e6, turning_damping=1e2))
    return m


@pytest.mark.parametrize("step", [1e-3, 3e-4, 1e-4])
def test_a_stiff_bushing_takes_fixed_implicit_steps(step):
    """The end is that of one rigid arm; what the bushing gives way is of the order weight/stiffness."""
    r = dal.run(clamped_arm(), until=0.3, step=step, on_failure="return")
    assert r.status == "ok"
    gap = np.abs(r["a.t.position"] - r["b.position"]).max()
    assert gap <= 100 * 2 * 9.81 / 1e8


def light_bob(inertia, rates=(-0.2, -1.2, -0.7)):
    """Return a tilted point mass on a ball joint with a bushing, with hardly any inertia about its own axis."""
    m = dal.Model("light bob", gravity=(0, 0, -9.81))
    return m.add(dal.Body("bob", mass=1.5, com=(0, 0, -0.4), inertia=(inertia,) * 3, points={"tip": (0, 0, -0.4)}),
                 dal.Spherical("ball", "ground", "bob", start=(0.2, 0.7, 0.5, -0.4), start_rate=tuple(rates)),
                 dal.Bushing("rubber", "ground", "bob", turning_stiffness=5.0, turning_damping=0.5))


@pytest.mark.parametrize("inertia", [1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("integrator", ["trapezoidal", "generalized-alpha", "sdirk4", "radau"])
def test_a_bushing_on_a_direction_with_hardly_any_inertia(integrator, inertia):
    """The simple matrix lacks the bushing: its corrections are wrong by damping h / inertia and must leave no trace."""
    rates = dal.assemble(light_bob(0.0))["ball.rates"][0]
    r = dal.run(light_bob(inertia, rates), until=0.1, step=1e-3, integrator=integrator, on_failure="return")
    assert r.status == "ok"
    exact = dal.run(light_bob(0.0), until=0.1, accuracy=1e-10, record=[0.1])
    assert np.abs(r["bob.tip.position"][-1] - exact["bob.tip.position"][0]).max() <= 1e3 * inertia + 10 * 1e-3**2
