"""Contact groups and impulses in fixed steps: pairs, laws of impacts and friction, trees, invariance, bad input."""

import numpy as np
import pytest

import dalembert as dal

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
R = 0.1


def balls(places, rates, gravity=(0, 0, 0), radii=None, **group):
    """Free balls in a group; two bodies are no ball's mass alike."""
    m = dal.Model("balls", gravity=gravity)
    radii = [R] * len(places) if radii is None else radii
    shapes = []
    for k, (place, rate) in enumerate(zip(places, rates, strict=True)):
        mass = 1.0 + 0.3 * k
        m.add(dal.Body(f"b{k}", mass=mass, inertia=dal.inertia_sphere(mass, radii[k])),
              dal.Free(f"f{k}", "ground", f"b{k}", start=tuple(place), start_rate=(*rate, 0.3 * k, 0.1, -0.2)))
        shapes.append(dal.Sphere(f"b{k}", radius=radii[k]))
    return dal.contact_all(m, shapes, **group)


def cloud(n, seed=1):
    """Balls on a grid that fly towards its middle."""
    random = np.random.default_rng(seed)
    grid = np.array([(i, j, k) for i in range(3) for j in range(3) for k in range(3)])[:n] * 2.6 * R
    return grid, -2.0 * (grid - grid.mean(axis=0)) + random.normal(0, 0.1, (n, 3))


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_an_impact_of_a_group_keeps_momentum_and_rebounds(e):
    m = balls([(0, 0, 0), (0.5, 0.05, 0.02)], [(2, 0.3, 0), (-1, 0, 0.1)], restitution=e)
    r = dal.run(m, until=0.3, step=1e-3)
    for channel in ("momentum.linear", "momentum.angular"):
        assert np.ptp(r[channel], axis=0).max() < 1e-10
    k = int(np.argmax(np.abs(np.diff(r["b0.velocity"][:, 0])) > 0.1))
    n = r["b1.position"][k] - r["b0.position"][k]
    n /= np.linalg.norm(n)
    before, after = ((r["b1.velocity"][i] - r["b0.velocity"][i]) @ n for i in (k, k + 1))
    if e > 0.0:
        assert after == pytest.approx(-e * before, rel=1e-9)
    else:
        after = (r["b1.velocity"][-1] - r["b0.velocity"][-1]) @ n
        assert abs(after) < 0.05 * abs(before)  # the normal turns a little while the last gap closes
    assert r["contacts.gap"].min() > -1e-4 * R
    if e == 1.0:
        assert r["energy.total"][-1] == pytest.approx(r["energy.total"][0], rel=1e-9)


def test_many_impacts_with_friction_keep_momentum_and_take_energy():
    places, rates = cloud(27)
    r = dal.run(balls(places, rates, friction=0.5), until=0.5, step=1e-3)
    assert r["contacts.touches"].max() > 10
    for channel in ("momentum.linear", "momentum.angular"):
        size = 40.0 * np.abs(rates).max()  # the sum of the masses by a speed
        assert np.ptp(r[channel], axis=0).max() < 1e-9 * size
    assert np.diff(r["energy.total"]).max() < 1e-12 * r["energy.total"][0]
    assert r["contacts.gap"].min() > -2e-4 * R


def test_touches_are_those_of_all_pairs():
    """Shapes of very different sizes: the pairs of the grid against all pairs, counted by resting overlaps."""
    random = np.random.default_rng(3)
    n = 150
    radii = np.exp(random.uniform(np.log(0.02), np.log(0.5), n))
    places = random.uniform(-1.2, 1.2, (n, 3))
    m = balls(places, np.zeros((n, 3)), radii=list(radii))
    from dalembert.kernels.crowd.grid import find_touches
    from dalembert.kernels.crowd.tables import make_crowd_state
    from dalembert.kernels.linked_work import make_linked_work
    from dalembert.kernels.step.events import eval_switch_places
    from dalembert.start.initial import prepare_start
    begin = prepare_start(m)
    work = make_linked_work(begin.packed.system)
    state = make_crowd_state(begin.packed.crowd, len(begin.qd), 0, 4000)
    eval_switch_places(begin.packed.system, begin.q, begin.qd, work)
    find_touches(begin.packed.system, begin.packed.crowd, state, 0.0, work)
    found = state.touch[:int(state.progress[0]["touches"])]
    distance = np.linalg.norm(places[:, None] - places, axis=2) - radii[:, None] - radii
    depth = float(begin.packed.crowd.options[0]["depth"])
    i, j = np.nonzero(np.triu(distance < 2 * depth, 1))
    assert len(found) == len(i) > 50 and len(set(found["key"].tolist())) == len(found)
    assert np.sort(found["gap"]) == pytest.approx(np.sort(distance[i, j]), abs=1e-14)


def stack(count, friction=0.5, gravity=(0, 0, -9.81)):
    """Boxes on each other on a floor."""
    m, size = dal.Model("stack", gravity=gravity), (0.3, 0.2, 0.1)
    shapes = [dal.Plane("ground", normal=Z)]
    for k in range(count):
        m.add(dal.Body(f"b{k}", mass=1.0, inertia=dal.inertia_box(1.0, size)),
              dal.Free(f"f{k}", "ground", f"b{k}", start=(0.02 * k, 0, 0.05 + 0.1 * k)))
        shapes.append(dal.Box(f"b{k}", size=size))
    return dal.contact_all(m, shapes, friction=friction)


def test_a_stack_of_boxes_stands():
    m = stack(4)
    r = dal.run(m, until=2.0, step=2e-3)
    for k in range(4):
        assert np.abs(r[f"b{k}.position"] - r[f"b{k}.position"][0]).max() < 1e-4
    assert r["contacts.normal_force"][-1] == pytest.approx((1 + 2 + 3 + 4) * 9.81, rel=1e-3)


def test_a_block_of_a_group_sticks_without_creep_or_slides():
    for angle, mu in ((0.3, 0.5), (0.6, 0.3)):
        g = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
        r = dal.run(stack(1, mu, g), until=1.0, step=1e-3)
        a = max(0.0, 9.81 * (np.sin(angle) - mu * np.cos(angle)))
        assert r["b0.position"][-1, 0] == pytest.approx(a / 2, abs=5e-3 if a else 1e-6)  # a step of the order of a h
    long = dal.run(stack(1, 0.5, (2.8, 0, -9.4)), until=100.0, step=1e-2, record=10.0)
    assert np.abs(np.diff(long["b0.position"][1:], axis=0)).max() < 1e-9


# --- trees ---------------------------------------------------------------------------------------------------------

def whip(step):
    """A chain of three rods that falls onto a floor, its tips as points; located impacts without a step."""
    m = dal.Model("whip", gravity=(0, 0, -9.81), ground={"low": (0, 0, -0.4)})
    for k in range(3):
        m.add(dal.Body(f"r{k}", mass=1.0, com=(0.25, 0, 0), inertia=dal.inertia_rod(1.0, length=0.5, axis="x"),
                       points={"tip": (0.5, 0, 0)}),
              dal.Revolute(f"j{k}", "ground" if k == 0 else f"r{k - 1}.tip", f"r{k}", axis=Y, start=0.1 * k),
              dal.Contact(f"c{k}", f"r{k}.tip", dal.Plane("ground.low", normal=Z)))
    return dal.run(m, until=0.5, step=step, integrator="moreau" if step else "auto", record=0.05)


def test_impulses_on_a_tree_agree_with_located_impacts():
    first = whip(None)
    errors = []
    for step in (2e-3, 5e-4):
        r = whip(step)
        errors.append(np.abs(r["r2.tip.position"] - first["r2.tip.position"]).max())
        assert min(r[f"c{k}.gap"].min() for k in range(3)) > -1e-6
    assert errors[1] < 0.6 * errors[0] and errors[1] < 0.02  # of first order, 1 m of chain
    assert any(e.kind == "impact" for e in r.events)


def test_two_chains_push_each_other():
    """Bodies of two trees in a group: an impulse has a reaction, and the shapes stay apart."""
    m = dal.Model("gates", gravity=(0, 0, 0), ground={"a": (-0.5, 0, 0), "b": (0.5, 0, 0)})
    for name, rate in (("a", -3.0), ("b", 1.0)):
        m.add(dal.Body(name, mass=1.0, com=(0, 0, -0.5), inertia=dal.inertia_rod(1.0, length=1.0, axis="z"),
                       points={"tip": (0, 0, -1)}),
              dal.Revolute(f"j{name}", f"ground.{name}", name, axis=Y, start_rate=rate))
    dal.contact_all(m, [dal.Capsule("a", radius=0.1, length=2.0), dal.Capsule("b", radius=0.1, length=2.0)], restitution=1.0)
    r = dal.run(m, until=0.5, step=1e-3)
    assert r["contacts.touches"].max() >= 1
    assert r["energy.total"][-1] == pytest.approx(r["energy.total"][0], rel=1e-9)
    assert r["contacts.gap"].min() > -1e-4


# --- invariance ----------------------------------------------------------------------------------------------------

def test_motion_does_not_depend_on_axes_and_order():
    places, rates = cloud(8)
    turn = dal.rotation_between(Z, (0.3, -2.0, 0.7))
    plain = dal.run(balls(places, rates, friction=0.3, restitution=0.4), until=0.15, step=1e-3, integrator=FINE)
    turned = dal.run(balls(places @ turn.T, rates @ turn.T, friction=0.3, restitution=0.4), until=0.15, step=1e-3,
                     integrator=FINE)
    assert turned["b5.position"][-1] @ turn == pytest.approx(plain["b5.position"][-1], abs=2e-3)
    m = balls(places, rates, friction=0.3, restitution=0.4)
    reversed_shapes = m.replaced("contacts", shapes=m["contacts"].shapes[::-1])
    again = dal.run(reversed_shapes, until=0.15, step=1e-3, integrator=FINE)
    assert again["b5.position"][-1] == pytest.approx(plain["b5.position"][-1], abs=2e-3)


FINE = dal.Moreau(sweeps=5000, tolerance=1e-8)


# --- what is kept and what is refused ------------------------------------------------------------------------------

def test_the_model_text_holds_groups_and_files_their_channels(tmp_path):
    m = balls(*cloud(3), friction=0.3, apart=[("b0", "b1")])
    text = dal.to_text(m)
    assert dal.to_text(dal.from_text(text)) == text
    r = dal.run(m, until=0.05, step=1e-3, store=tmp_path / "run.h5")
    again = dal.load(tmp_path / "run.h5")
    for channel in ("contacts.gap", "contacts.normal_force", "contacts.touches"):
        assert np.array_equal(again[channel], r[channel])


def test_drawn_shapes_touch():
    from dalembert.model.geometry import Drawing
    m = dal.Model("drawn", gravity=(0, 0, -9.81))
    for k in range(2):
        m.add(dal.Body(f"b{k}", mass=1.0, inertia=(0.01, 0.01, 0.01),
                       drawing=[Drawing("sphere", (0.1,), position=(0.0, 0.0, 0.05))]),
              dal.Free(f"f{k}", "ground", f"b{k}", start=(0, 0, 0.3 * k)))
    dal.contact_all(m, name="touch")
    assert "shape 1" in m["b0"].points and len(m["touch"].shapes) == 2


def test_bodies_that_are_apart_do_not_touch():
    m = balls([(0, 0, 0), (0.5, 0, 0)], [(2, 0, 0), (0, 0, 0)], apart=[("b1", "b0")])
    assert dal.run(m, until=0.3, step=1e-3)["contacts.touches"].max() == 0


@pytest.mark.parametrize("change, fragment", [
    (dict(shapes=[dal.Sphere("b0", radius=0.0), "b1"]), "greater than 0"),
    (dict(shapes=["b0"]), "at least two bodies"),
    (dict(shapes="b0"), "expected a list of shapes"),
    (dict(apart=[("b0", "b7")]), "no body 'b7'"),
    (dict(apart=["b0"]), "names of two bodies"),
    (dict(restitution=1.5), "above it impacts make energy"),
    (dict(joined="no"), "True or False"),
])
def test_bad_groups_are_told(change, fragment):
    with pytest.raises(dal.ModelError) as caught:
        dal.check(balls(*cloud(2)).replaced("contacts", **change))
    assert fragment in str(caught.value)


@pytest.mark.parametrize("group, options, fragment", [
    ({}, {}, "give step="),
    ({}, dict(step=1e-3, integrator="generalized-alpha"), "integrator 'moreau'"),
    ({}, dict(step=1e-3, contact="penalty"), "a way of its own"),
    ({}, dict(step=1e-3, integrator=dal.Moreau(sweeps=0)), "from 1 on"),
    ({}, dict(step=1e-3, integrator=dal.Moreau(depth=-1.0)), "positive number"),
    (dict(compliance=1e-6, restitution=0.5), dict(step=1e-3), "leave one of them out"),
])
def test_runs_of_groups_that_cannot_be_right_are_refused(group, options, fragment):
    with pytest.raises(dal.ModelError) as caught:
        dal.run(balls(*cloud(2), **group), until=0.1, **options)
    assert fragment in str(caught.value)


def test_an_overlapping_start_is_told():
    with pytest.raises(dal.ModelError, match=r"overlap.*'contacts' by 0\.05 m"):
        dal.run(balls([(0, 0, 0), (0.15, 0, 0)], np.zeros((2, 3))), until=0.1, step=1e-3)
