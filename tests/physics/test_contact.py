"""Contacts: laws of impacts, persistent contact and friction, agreement of formulations and steps, invariance, bad input."""

import numpy as np
import pytest

import dalembert as dal

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
CUBE = dal.inertia_box(2.0, (0.2, 0.3, 0.1))


def impacts(r):
    return [e for e in r.events if e.kind == "impact"]


def two_balls(e, friction=0.0):
    """Two different balls that meet obliquely in free space."""
    m = dal.Model("balls", gravity=(0, 0, 0))
    m.add(dal.Body("one", mass=1.0, inertia=dal.inertia_sphere(1.0, 0.2)),
          dal.Body("two", mass=3.0, inertia=dal.inertia_sphere(3.0, 0.3)),
          dal.Free("f1", "ground", "one", start=(0, 0, 0), start_rate=(2, 0.3, 0, 1, 2, 3)),
          dal.Free("f2", "ground", "two", start=(1, 0.2, 0.1), start_rate=(-1, 0, 0.1, 0, 0, -2)),
          dal.Contact("hit", dal.Sphere("one", radius=0.2), dal.Sphere("two", radius=0.3), restitution=e, friction=friction))
    return m


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_an_impact_in_free_space_keeps_momentum_and_loses_what_its_restitution_says(e):
    r = dal.run(two_balls(e), until=1.0, accuracy=1e-10)
    hit, = impacts(r)
    for channel in ("momentum.linear", "momentum.angular"):
        assert np.ptp(r[channel], axis=0).max() < 1e-10
    before, after = r["energy.total"][0], r["energy.total"][-1]
    k = int(np.searchsorted(r.t, hit.t))
    n = r["two.position"][0] + hit.t * r["two.velocity"][0] - r["one.position"][0] - hit.t * r["one.velocity"][0]
    n /= np.linalg.norm(n)
    closing, opening = ((r["two.velocity"][i] - r["one.velocity"][i]) @ n for i in (0, k + 1))
    assert opening == pytest.approx(-e * closing, abs=1e-9)
    reduced = 1.0 / (1 / 1.0 + 1 / 3.0)
    assert after - before == pytest.approx(-(1 - e**2) * reduced * closing**2 / 2, abs=1e-9)
    assert hit.impulse == pytest.approx(-(1 + e) * reduced * closing, rel=1e-9)


def test_an_impact_with_friction_keeps_momentum():
    """Angular momentum but for the way by which the step of the impact moves the balls apart, h times their speed at most."""
    for h in (1e-3, 1e-4):
        r = dal.run(two_balls(0.4, friction=0.3), until=1.0, step=h)
        assert len(impacts(r)) == 1
        assert np.ptp(r["momentum.linear"], axis=0).max() < 1e-10
        assert np.ptp(r["momentum.angular"], axis=0).max() < h * 3.0 * 3.0  # times a mass and a relative speed
        assert r["energy.total"][-1] < r["energy.total"][0]


def falling_bar(e):
    """A bar with two equal ends falls flat onto the floor: two impacts at once."""
    m = dal.Model("bar", gravity=(0, 0, -10.0))
    m.add(dal.Body("bar", mass=2.0, inertia=dal.inertia_box(2.0, (1, 0.1, 0.1)), points={"l": (-0.5, 0, 0), "r": (0.5, 0, 0)}),
          dal.Free("free", "ground", "bar", start=(0, 0, 0.2)),
          dal.Contact("left", "bar.l", dal.Plane("ground", normal=Z), restitution=e),
          dal.Contact("right", "bar.r", dal.Plane("ground", normal=Z), restitution=e))
    return m


def test_simultaneous_impacts_are_solved_together():
    r = dal.run(falling_bar(0.5), until=0.3, accuracy=1e-9)
    left, right = impacts(r)[:2]
    assert {left.contact, right.contact} == {"left", "right"} and left.t == right.t
    assert left.impulse == pytest.approx(right.impulse, rel=1e-9)
    assert left.impulse + right.impulse == pytest.approx(1.5 * 2.0 * 2.0, rel=1e-6)  # (1 + e) m v
    assert np.abs(r["bar.angular_velocity"]).max() < 1e-9


def test_a_bouncing_ball_comes_to_rest():
    m = dal.Model("ball", gravity=(0, 0, -9.81))
    m.add(dal.Body("ball", mass=1.0, inertia=dal.inertia_sphere(1.0, 0.1)),
          dal.Free("free", "ground", "ball", start=(0, 0, 1.1)),
          dal.Contact("floor", dal.Sphere("ball", radius=0.1), dal.Plane("ground", normal=Z), restitution=0.5))
    r = dal.run(m, until=3.0, accuracy=1e-8)
    t1 = np.sqrt(2 / 9.81)
    assert impacts(r)[-1].t < t1 * (1 + 2 * 0.5 / (1 - 0.5)) + 1e-6  # where infinitely many impacts end
    assert r["floor.normal_force"][-1] == pytest.approx(9.81, rel=1e-9)
    assert r["ball.position"][-1, 2] == pytest.approx(0.1, abs=1e-9)
    assert r["floor.gap"].min() > -1e-9
    worst = np.max(np.diff(r["energy.total"]))
    assert worst < 1e-8 * 9.81  # accuracy times the weight


# --- formulations and steps ----------------------------------------------------------------------------------------

def fourbar(e):
    m = dal.Model("four-bar and stop", gravity=(0, -9.81, 0), ground={"B": (1, 0, 0), "stop": (1.2, 0, 0)})

    def bar(p, q):
        d = np.subtract(q, p)
        inertia = dal.inertia_rod(1.0, length=1.0, axis=tuple(d))
        return dict(mass=1.0, com=tuple(d / 2), inertia=inertia, points={"end": tuple(d)})

    m.add(dal.Body("a", **bar((0, 0, 0), (0, 1, 0))), dal.Body("b", **bar((0, 1, 0), (1, 1, 0))),
          dal.Body("c", **bar((1, 0, 0), (1, 1, 0))),
          dal.Revolute("A", "ground", "a", axis=Z, start=0.0, start_rate=-1.0), dal.Revolute("AB", "a.end", "b", axis=Z),
          dal.Revolute("BC", "b.end", "c.end", axis=Z), dal.Revolute("C", "ground.B", "c", axis=Z),
          dal.Contact("stop", "b.end", dal.Plane("ground.stop", normal=(-1, 0, 0)), restitution=e))
    return m


def test_a_loop_hits_a_stop_alike_in_all_formulations():
    located = dal.run(fourbar(0.0), until=0.6, accuracy=1e-9, record=0.05)
    hit = impacts(located)[0]
    assert located["constraints.position"].max() < 1e-10
    for formulation in ("semi-recursive", "global"):
        fixed = dal.run(fourbar(0.0), until=0.6, step=1e-3, formulation=formulation, record=0.05)
        assert impacts(fixed)[0].t == pytest.approx(hit.t, abs=1e-3)
        assert np.abs(fixed["A.angle"] - located["A.angle"])[-1] < 1e-6
        assert fixed["stop.normal_force"][-1] == pytest.approx(located["stop.normal_force"][-1], rel=1e-6)
        assert fixed["C.force"][-1] == pytest.approx(located["C.force"][-1], rel=1e-6, abs=1e-6)


def box(friction, restitution, turn=None, **free):
    """A box above a floor; the whole world turned by a rotation matrix."""
    R = np.eye(3) if turn is None else turn
    m = dal.Model("box", gravity=tuple(R @ (1.0, 0.5, -9.81)), ground={"floor": dal.Frame((0, 0, 0), rotation=R)})
    m.add(dal.Body("box", mass=2.0, inertia=CUBE),
          dal.Free("free", "ground.floor", "box", **free),
          dal.Contact("floor", dal.Box("box", size=(0.2, 0.3, 0.1)), dal.Plane("ground.floor", normal=Z), friction=friction,
                      restitution=restitution))
    return m


TUMBLE = dict(start=(0, 0, 0.3, 0.9, 0.2, 0.3, 0.1), start_rate=(1, 0.5, 0, 2, 3, 1))


def test_friction_stays_in_its_cone_and_takes_energy():
    r = dal.run(box(0.5, 0.0, **TUMBLE), until=1.0, step=1e-3)
    normal, rubbing = r["floor.normal_force"], np.linalg.norm(r["floor.friction_force"], axis=1)
    assert normal.max() > 0.0 and np.all(rubbing <= 0.5 * normal * (1 + 1e-12))
    assert r["floor.gap"].min() > -1e-9
    assert {e.kind for e in r.events} >= {"impact"}
    assert r["energy.total"][-1] < r["energy.total"][0]


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_rubbing_box_moves_alike_in_all_formulations(formulation):
    ends = [dal.run(box(0.3, 0.2, **TUMBLE), until=0.25, step=5e-4, formulation=f) for f in ("recursive", formulation)]
    first, second = (r["box.position"][-1] for r in ends)
    assert impacts(ends[0]) and np.abs(first - second).max() < 1e-5


@pytest.mark.parametrize("seed", range(8))
def test_a_tumbling_box_comes_to_rest_whatever_its_friction(seed):
    """Four corners share a load and stick in more ways than one; forces are found in every step."""
    rng = np.random.default_rng(seed)
    start, rate = (0, 0, 0.3, *rng.normal(size=4)), tuple(2.0 * rng.normal(size=6))
    for friction in (0.2, 0.5, 1.0):
        r = dal.run(box(friction, 0.3 * (seed % 3), start=start, start_rate=rate), until=1.5, step=1e-3)
        normal, rubbing = r["floor.normal_force"], np.linalg.norm(r["floor.friction_force"], axis=1)
        assert np.all(rubbing <= friction * normal * (1 + 1e-12)) and r["floor.gap"].min() > -1e-9
        assert r["energy.total"][-1] < r["energy.total"][0]


def test_impacts_do_not_depend_on_the_axes_of_the_world():
    turn = dal.rotation_between(Z, (0.3, -2.0, 0.7))
    straight = dal.run(box(0.3, 0.2, **TUMBLE), until=0.25, step=5e-4)
    turned = dal.run(box(0.3, 0.2, turn, **TUMBLE), until=0.25, step=5e-4)
    assert np.abs(turned["box.position"][-1] - turn @ straight["box.position"][-1]).max() < 1e-8
    assert [e.t for e in impacts(turned)] == [e.t for e in impacts(straight)]


def test_impacts_do_not_depend_on_order_names_and_sides():
    r = dal.run(two_balls(0.5), until=0.8, accuracy=1e-9)
    m = dal.Model("again", gravity=(0, 0, 0))
    for part in reversed(list(two_balls(0.5))):
        m.add(part)
    m = m.replaced("hit", first=m["hit"].second, second=m["hit"].first)
    other = dal.run(m, until=0.8, accuracy=1e-9)
    assert impacts(other)[0].t == pytest.approx(impacts(r)[0].t, abs=1e-12)
    assert impacts(other)[0].impulse == pytest.approx(impacts(r)[0].impulse, rel=1e-9)
    assert np.abs(other["two.position"] - r["two.position"]).max() < 1e-9


def test_a_box_at_rest_does_not_creep():
    """A slope of 17° with a coefficient that holds up to 31°."""
    m = box(0.6, 0.0, start=(0, 0, 0.05)).replaced(gravity=(3.0, 0, -9.36))
    r = dal.run(m, until=50.0, step=1e-2, record=10.0)
    assert np.abs(r["box.position"] - r["box.position"][0]).max() < 1e-10
    assert r["floor.friction_force"][-1] == pytest.approx((6.0, 0.0, 0.0), abs=1e-8)  # on the ground


def test_a_ball_that_slides_ends_rolling():
    """v = 5/7 v0 from the time 2 v0/(7 mu g) on."""
    m = dal.Model("bowling", gravity=(0, 0, -10.0))
    m.add(dal.Body("ball", mass=3.0, inertia=dal.inertia_sphere(3.0, 0.1)),
          dal.Free("free", "ground", "ball", start=(0, 0, 0.1), start_rate=(2.0, 0, 0, 0, 0, 0)),
          dal.Contact("lane", dal.Sphere("ball", radius=0.1), dal.Plane("ground", normal=Z), friction=0.2))
    r = dal.run(m, until=1.0, step=1e-3)
    assert r["ball.velocity"][-1, 0] == pytest.approx(2.0 * 5 / 7, rel=1e-6)
    assert r["ball.angular_velocity"][-1, 1] == pytest.approx(20.0 * 5 / 7, rel=1e-6)
    stick = next(e for e in r.events if e.kind == "stick")
    assert stick.t == pytest.approx(2 * 2.0 / (7 * 0.2 * 10.0), abs=2e-3)


def test_a_sprung_contact_rebounds_with_its_restitution():
    for e in (0.3, 0.8, 1.0):
        m = dal.Model("ball", gravity=(0, 0, 0))
        m.add(dal.Body("ball", mass=2.0, inertia=dal.inertia_sphere(2.0, 0.1)),
              dal.Prismatic("fall", "ground", "ball", axis=Z, start=0.2, start_rate=-1.0),
              dal.Contact("floor", dal.Sphere("ball", radius=0.1), dal.Plane("ground", normal=Z), restitution=e,
                          compliance=1e-5))
        r = dal.run(m, until=0.3, step=2e-5)
        assert r["fall.speed"][-1] == pytest.approx(e, abs=2e-3)
        assert r["floor.gap"].min() < -1e-4


# --- what is kept and what is refused ------------------------------------------------------------------------------

def test_events_and_channels_survive_a_file(tmp_path):
    r = dal.run(two_balls(0.5), until=0.8, accuracy=1e-8, store=tmp_path / "run.h5")
    again = dal.load(tmp_path / "run.h5")
    assert again.events == r.events and again.events[0].contact == "hit"
    for channel in ("hit.gap", "hit.normal_force", "hit.friction_force"):
        assert np.array_equal(again[channel], r[channel])


def test_the_model_text_holds_contacts():
    m = two_balls(0.5, friction=0.3).add(dal.Contact("other", "one", dal.Box("two", size=(1, 2, 3)), compliance=1e-6))
    text = dal.to_text(m)
    assert dal.to_text(dal.from_text(text)) == text and dal.from_text(text)["hit"] == m["hit"]


@pytest.mark.parametrize("change, fragment", [
    (dict(first=dal.Sphere("one", radius=0.0)), "greater than 0"),
    (dict(second=dal.Sphere("one", radius=0.1)), "a body does not touch itself"),
    (dict(second=dal.Plane("nowhere")), "no body 'nowhere'"),
    (dict(second=dal.Plane("two", normal=(0, 0, 0))), "a direction that is not zero"),
    (dict(first=dal.Sphere("one", radius=float("nan"))), "finite"),
    (dict(restitution=1.5), "from 0 (no rebound) to 1"),
    (dict(friction=-0.1), "0 or more"),
    (dict(second=7), "expected the name of a place or a shape"),
    (dict(second=dal.Mesh("two", vertices=[(0, 0, 0), X, Y, Z], faces=[(0, 1, 2)])), "the surface is open"),
    (dict(second=dal.Mesh("two", vertices=[(0, 0, 0), X, Y, Z], faces=[(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])),
     "clockwise"),
])
def test_bad_contacts_are_told(change, fragment):
    with pytest.raises(dal.ModelError) as caught:
        dal.check(two_balls(0.5).replaced("hit", **change))
    assert fragment in str(caught.value)


@pytest.mark.parametrize("model, options, fragment", [
    (two_balls(0.5).replaced("f2", start=(0.3, 0, 0)), {}, "overlap"),
    (two_balls(0.5, friction=0.2), {}, "give step="),
    (two_balls(0.5), dict(integrator="radau"), "located by the explicit integrator"),
    (two_balls(0.5), dict(formulation="global"), "joint coordinates"),
    (two_balls(0.5), dict(step=1e-3, integrator="rk4"), "does not find contact forces"),
    (two_balls(0.5), dict(step=1e-3, contact="penalties"), "penalty"),
    (two_balls(0.5), dict(step=1e-3, contact=dal.UnilateralContact(penalty=-1.0)), "positive number"),
    (two_balls(0.5).replaced("hit", first=dal.Box("one", size=(1, 1, 1)), second=dal.Box("two", size=(1, 1, 1))), {},
     "not a pair"),
])
def test_runs_that_cannot_be_right_are_refused(model, options, fragment):
    with pytest.raises(dal.ModelError) as caught:
        dal.run(model, until=0.1, **options)
    assert fragment in str(caught.value)
