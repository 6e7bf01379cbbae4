"""Laws of contacts: momentum, energy, invariance, agreement of methods, schemes and formulations, and what they run beside."""

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
OBSTACLE = json.loads((Path(__file__).parents[1] / "problems" / "p4_obstacle_pendulum.json").read_text(encoding="utf-8"))


def impacts(r):
    return [e for e in r.events if e.kind == "impact"]


def rods_and_wall(e):
    """The two rods of [GLO]; angles count from the rod before."""
    m = dal.Model("two rods and a wall", gravity=(0, -9.81, 0), ground={"wall": (-0.5, 0, 0)})
    rod = dict(mass=1.0, com=(0, -0.5, 0), inertia=(1 / 12, 1 / 12, 1 / 12), points={"tip": (0, -1, 0)})
    first, second = OBSTACLE["theta0"]
    wall = dal.Plane("ground.wall", normal=X)
    return m.add(dal.Body("one", **rod), dal.Body("two", **rod),
                 dal.Revolute("theta1", "ground", "one", axis=Z, start=first),
                 dal.Revolute("theta2", "one.tip", "two", axis=Z, start=second - first),
                 dal.Contact("g1", "one.tip", wall, restitution=e), dal.Contact("g2", "two.tip", wall, restitution=e))


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive", "global"])
@pytest.mark.parametrize("integrator", ["linear-acceleration", "high-order"])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_methods_and_schemes_of_the_article_reach_the_reference(formulation, integrator, e):
    """Impacts are up to a step late, an error of first order; that of a spring lasts."""
    case = next(case for case in OBSTACLE["cases"] if case["e"] == e)
    expected, h = np.array(case["values"])[:21], 2e-4
    for method, most in (("augmented-lagrangian", 20 * h), ("multiplier", 20 * h), ("penalty", 0.15)):
        r = dal.run(rods_and_wall(e), until=1.0, step=h, integrator=integrator, formulation=formulation, record=0.05,
                    contact=dal.UnilateralContact(method=method, penalty=1e6))
        theta1 = r["theta1.angle"]
        assert np.abs(theta1 - expected[:, 0]).max() < most
        assert np.abs(theta1 + r["theta2.angle"] - expected[:, 1]).max() < most
        assert min(r["g1.gap"].min(), r["g2.gap"].min()) > (-1e-3 if method == "penalty" else -1e-9)


def test_explicit_euler_with_a_penalty_makes_energy():
    r = dal.run(rods_and_wall(0.0), until=1.0, step=1e-4, integrator="explicit-euler", contact="penalty")
    assert r["energy.total"][-1] > r["energy.total"][0] + 1.0


def crowd(friction, e):
    """Three balls and a rod that meet in free space."""
    m = dal.Model("crowd", gravity=(0, 0, 0))
    places = {"a": ((0, 0, 0), (2, 0.1, 0)), "b": ((1, 0.1, 0), (0, 0, 0)), "c": ((2, 0.25, 0.05), (-1, 0, 0))}
    for k, (name, (place, rate)) in enumerate(places.items(), start=1):
        m.add(dal.Body(name, mass=k, inertia=dal.inertia_sphere(k, 0.2)),
              dal.Free(f"free {name}", "ground", name, start=place, start_rate=(*rate, 1.0, k, 0.5)))
    for one, two in (("a", "b"), ("b", "c"), ("a", "c")):
        m.add(dal.Contact(one + two, dal.Sphere(one, radius=0.2), dal.Sphere(two, radius=0.2), friction=friction,
                          restitution=e))
    return m


def test_every_impact_keeps_momentum():
    """With friction in fixed steps angular momentum but for the way that balls go apart from each other in a step."""
    located = dal.run(crowd(0.0, 0.6), until=1.5, accuracy=1e-10)
    assert len(impacts(located)) >= 3
    for channel in ("momentum.linear", "momentum.angular"):
        assert np.ptp(located[channel], axis=0).max() < 1e-10
    assert np.diff(located["energy.total"]).max() < 1e-10
    h = 1e-4
    rubbing = dal.run(crowd(0.3, 0.6), until=1.5, step=h)
    assert len(impacts(rubbing)) >= 3
    assert np.ptp(rubbing["momentum.linear"], axis=0).max() < 1e-10
    assert np.ptp(rubbing["momentum.angular"], axis=0).max() < 10.0 * h
    assert np.diff(rubbing["energy.total"]).max() < 1e-10


def test_the_impulse_of_an_impact_is_the_change_of_momentum():
    m = dal.Model("ball", gravity=(0, 0, -9.81))
    m.add(dal.Body("ball", mass=2.0, inertia=dal.inertia_sphere(2.0, 0.1)),
          dal.Free("free", "ground", "ball", start=(0, 0, 0.6)),
          dal.Contact("floor", dal.Sphere("ball", radius=0.1), dal.Plane("ground", normal=Z), restitution=0.4))
    r = dal.run(m, until=0.4, accuracy=1e-10)
    hit, = impacts(r)
    before = -9.81 * hit.t
    assert hit.impulse == pytest.approx(-2.0 * 1.4 * before, abs=1e-10)
    after = r["ball.velocity"][-1, 2] + 9.81 * (0.4 - hit.t)
    assert after == pytest.approx(-0.4 * before, abs=1e-10)


def tumbling(scale=1.0, offset=(0, 0, 0)):
    """A box that tumbles onto a rough floor; lengths and gravity times a scale, its own origin moved."""
    size = scale * np.array((0.2, 0.3, 0.1))
    m = dal.Model("box", gravity=(0, 0, -9.81 * scale))
    at = tuple(scale * np.array(offset))
    m.add(dal.Body("box", mass=2.0, com=at, inertia=dal.inertia_box(2.0, size), points={"middle": at}),
          dal.Free("free", "ground", "box.middle", start=(0, 0, 0.3 * scale, 0.9, 0.2, 0.3, 0.1),
                   start_rate=(scale, 0.5 * scale, 0, 2, 3, 1)),
          dal.Contact("floor", dal.Box("box.middle", size=size), dal.Plane("ground", normal=Z), friction=0.3, restitution=0.2))
    return m


@pytest.mark.parametrize("scale, offset", [(1e-3, (0, 0, 0)), (1e3, (0, 0, 0)), (1.0, (0.3, -0.2, 0.5))])
def test_impacts_do_not_depend_on_units_and_origins(scale, offset):
    first, second = (dal.run(m, until=0.25, step=5e-4) for m in (tumbling(), tumbling(scale, offset)))
    assert [e.t for e in impacts(second)] == [e.t for e in impacts(first)] and impacts(first)
    assert np.abs(second["box.middle.position"] / scale - first["box.middle.position"]).max() < 1e-6


def test_energy_of_rubbing_and_inelastic_impacts_never_grows():
    """But for what steps of a given length do to a free rotation."""
    r = dal.run(tumbling().replaced("floor", restitution=0.0), until=1.0, step=5e-4)
    free = dal.run(tumbling().replaced("floor", friction=0.0, restitution=0.0), until=0.1, step=5e-4)
    own = np.abs(np.diff(free["energy.total"])).max()
    slid = 2.0 * 9.81 * 5e-4**2  # weight times what a step's end differs by from where an impact was
    assert np.diff(r["energy.total"]).max() < 10 * own + slid


@pytest.mark.parametrize("formulation", ["recursive", "global"])
def test_static_friction_holds_a_thousand_seconds(formulation):
    """A box on a slope of 17 degrees with a coefficient that holds up to 31."""
    m = dal.Model("slope", gravity=(3.0, 0, -9.36))
    m.add(dal.Body("box", mass=2.0, inertia=dal.inertia_box(2.0, (0.2, 0.3, 0.1))),
          dal.Free("free", "ground", "box", start=(0, 0, 0.05)),
          dal.Contact("floor", dal.Box("box", size=(0.2, 0.3, 0.1)), dal.Plane("ground", normal=Z), friction=0.6))
    r = dal.run(m, until=1000.0, step=0.2, record=200.0, formulation=formulation)
    assert np.abs(r["box.position"] - r["box.position"][0]).max() < 1e-9
    assert r["floor.friction_force"][-1] == pytest.approx((6.0, 0.0, 0.0), abs=1e-6)


def falling_ball(**floor):
    m = dal.Model("ball", gravity=(0, 0, -10.0))
    return m.add(dal.Body("ball", mass=1.0, inertia=dal.inertia_sphere(1.0, 0.1)),
                 dal.Prismatic("fall", "ground", "ball", axis=Z, start=1.1),
                 dal.Contact("floor", dal.Sphere("ball", radius=0.1), dal.Plane("ground", normal=Z), **floor))


@pytest.mark.parametrize("step", [None, 1e-3])
def test_contacts_run_beside_events_and_controllers(step):
    """A controller that pushes down from the moment on at which an event has been seen rests the ball on the floor."""
    m = falling_ball(restitution=0.5).add(
        dal.Motor("push", "fall"), dal.Event("half", inputs="ball.position.z", value=0.6),
        dal.Controller("press", inputs=["fall.displacement"], outputs=["push"], law=lambda t, u: -5.0 if u[0] < 0.2 else 0.0,
                       every=0.01))
    r = dal.run(m, until=3.0, step=step)
    assert {e.kind for e in r.events} >= {"impact", "crossing"}
    assert [e.t for e in r.events] == sorted(e.t for e in r.events)
    assert r["floor.normal_force"][-1] == pytest.approx(15.0, rel=1e-6)
    assert r["ball.position"][-1, 2] == pytest.approx(0.1, abs=1e-8)


def test_a_live_simulation_has_contacts():
    with dal.live(falling_ball(restitution=0.0)) as sim:
        sim.advance(0.2)
        assert sim["floor.gap"] == pytest.approx(1.0 - 10.0 * 0.2**2 / 2, rel=1e-6)
        sim.advance(0.8)
        assert sim["floor.normal_force"] == pytest.approx(10.0, rel=1e-6)


def test_contacts_are_cited_counted_and_taken_by_every_formulation():
    m = falling_ball(restitution=0.2)
    assert {"recursive", "semi-recursive", "global"} <= set(dal.formulations(m))
    r = dal.run(m, until=0.6, step=1e-3)
    assert "GLO" in dal.cite(r) and r.stats.steps == 600
    loose = dal.run(falling_ball().replaced("fall", start=2.0), until=0.1)
    assert not loose.events and "GLO" in dal.cite(loose)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_the_high_order_scheme_is_stable_along_constraints(formulation):
    """A four-bar linkage over two thousand steps; the error falls with the third power of the step or faster."""
    m = dal.Model("four-bar", gravity=(0, -9.81, 0), ground={"B": (1, 0, 0)})
    upright = dict(mass=1.0, com=(0, 0.5, 0), points={"end": (0, 1, 0)}, inertia=dal.inertia_rod(1.0, length=1.0, axis="y"))
    m.add(dal.Body("a", **upright), dal.Body("c", **upright),
          dal.Body("b", mass=1.0, com=(0.5, 0, 0), points={"end": (1, 0, 0)},
                   inertia=dal.inertia_rod(1.0, length=1.0, axis="x")),
          dal.Revolute("A", "ground", "a", axis=Z, start=0.0, start_rate=-1.0), dal.Revolute("AB", "a.end", "b", axis=Z),
          dal.Revolute("BC", "b.end", "c.end", axis=Z), dal.Revolute("C", "ground.B", "c", axis=Z))
    reference = dal.run(m, until=1.0, accuracy=1e-12, record=0.1)
    errors = [np.abs(dal.run(m, until=1.0, step=h, integrator="high-order", formulation=formulation, record=0.1)["A.angle"]
                     - reference["A.angle"]).max() for h in (2e-3, 1e-3, 5e-4)]
    assert errors[0] > 6.0 * errors[1] > 36.0 * errors[2] or errors[0] < 1e-9
