"""Reactions of mechanisms that are held more than once: they balance every body, and are the least that do.

Where joints are opened, the balance of all bodies is A x = b with all reactions x.  x is the least of its solutions, moments
over a length L, if it is perpendicular to every self-stress, A s = 0.
"""

import numpy as np
import pytest
from numpy.linalg import norm
from physics.loop_models import with_cut
from promises import ASSEMBLED

import dalembert as dal
from dalembert.start import evaluate, sharing

Z = (0.0, 0.0, 1.0)
MASS, G, WIDTH, HEIGHT = 20.0, 9.81, 0.5, 2.0
HEIGHTS = {"low": 0.0, "middle": HEIGHT / 2, "high": HEIGHT}
CORNERS = [(0.0, 0.0, 0.0), (0.1, 0.5, 0.3), (1.2, 0.8, -0.2), (1.0, -0.1, 0.4)]
LENGTH = max(norm(np.subtract(a, b)) for a, b in zip(CORNERS, CORNERS[1:] + CORNERS[:1], strict=True))
"""Extent of the four-bar's largest body, the ground included."""
FORMULATIONS = ("semi-recursive", "global")
ROUNDING = 1e-11
"""Of reactions, relative to the largest: a few thousand roundings, and penalties that are 1e4 times masses."""


def door(*hinges, gravity=(0.0, 0.0, -G), **more):
    """A door whose centre of mass is WIDTH from its hinges and as high as the middle one."""
    points = {name: (0, 0, z) for name, z in HEIGHTS.items()}
    m = dal.Model("door", gravity=gravity, ground=points)
    m.add(dal.Body("leaf", mass=MASS, com=(WIDTH, 0, HEIGHT / 2), inertia=(7.0, 8.4, 1.7), points=points))
    return m.add(*(dal.Revolute(name, f"ground.{name}", f"leaf.{name}", axis=Z, **more.get(name, {})) for name in hinges))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("hinges", [("low", "high"), ("high", "low"), ("low", "middle", "high"), ("middle", "high", "low")])
def test_hinges_share_the_weight_of_a_door(hinges, formulation):
    """Axial forces are equal; F at the outer hinges and M at all of them carry the moment of the weight with the least norm.

    With n hinges F HEIGHT + n M = m g WIDTH; F² + F² + n (M/L)² is least for 2 F = p HEIGHT, M = p L², and L = HEIGHT.
    """
    r = dal.run(door(*hinges), 0.1, formulation=formulation)
    n = len(hinges)
    p = MASS * G * WIDTH / (HEIGHT**2 / 2 + n * HEIGHT**2)
    for name in hinges:
        across = {"low": 1.0, "middle": 0.0, "high": -1.0}[name] * p * HEIGHT / 2
        np.testing.assert_allclose(r[f"{name}.force"], [[across, 0, MASS * G / n]] * len(r.t), atol=ROUNDING * MASS * G)
        np.testing.assert_allclose(r[f"{name}.torque"], [[0, -p * HEIGHT**2, 0]] * len(r.t), atol=ROUNDING * MASS * G)


def test_springs_and_gears_on_hinges_do_not_change_how_they_share():
    """A spring makes the second hinge carry a stand-in of the door; a gear between equal angles has nothing to do."""
    model = door("low", "high").add(dal.JointSpring("closer", "high", stiffness=3.0, rest=0.5),
                                    dal.Gear("tie", "low", "high", ratio=1.0))
    r = dal.run(model, 0.1)
    assert norm(r["tie.effort"]) < ROUNDING * MASS * G
    np.testing.assert_allclose(r["high.effort"], -3.0 * (r["high.angle"] - 0.5), atol=ROUNDING * MASS * G)
    for name in ("low", "high"):
        np.testing.assert_allclose(r[f"{name}.force"][:, 2], MASS * G / 2, rtol=ROUNDING)
        np.testing.assert_allclose(r[f"{name}.torque"] @ Z, 0.0, atol=ROUNDING * MASS * G)


def test_drives_of_both_hinges_share_the_moment():
    model = door("low", "high", gravity=(0.0, G, 0.0)).add(
        *(dal.Motion(f"drive {name}", name, position=0.0) for name in ("low", "high")))
    r = dal.assemble(model)
    for name in ("low", "high"):
        np.testing.assert_allclose(r[f"{name}.effort"], -MASS * G * WIDTH / 2, rtol=ROUNDING)
        np.testing.assert_allclose(r[f"{name}.torque"] @ Z, -MASS * G * WIDTH / 2, rtol=ROUNDING)


def four_bar(*extra, **more):
    """A four-bar of spatial hinges in skew weather, bodies out of the plane; the third joint is written backwards."""
    points = {f"P{k}": CORNERS[k] for k in range(4)}
    m = dal.Model("four-bar", gravity=(0.3, -9.0, 2.0), ground=points)
    for k in (1, 2, 3):
        m.add(dal.Body(f"b{k}", mass=1.0 + k, com=(0.1 * k, 0.3, 0.2 * k - 0.5), inertia=(0.2, 0.3, 0.4), points=points))
    for k in range(4):
        ends = [f"b{i}.P{k}" if 0 < i < 4 else f"ground.P{k}" for i in (k, k + 1)]
        m.add(dal.Revolute(f"j{k}", *(ends[::-1] if k == 2 else ends), axis=Z, **more.get(f"j{k}", {})))
    return m.add(*extra)


FOUR_BARS = {
    "plain": lambda: four_bar(j0={"start_rate": 2.0}),
    "spring": lambda: four_bar(dal.JointSpring("s", "j3", stiffness=5.0, rest=0.4), j0={"start_rate": 2.0}),
    "drive": lambda: four_bar(dal.Motion("d", "j3", speed=1.5)),
    "gear": lambda: four_bar(dal.Body("flywheel", mass=0.5, com=(0.1, 0.2, 0.0), inertia=(0.1, 0.1, 0.1)),
                             dal.Revolute("axle", "ground.P1", "flywheel", axis=Z),
                             dal.Gear("tie", "axle", "j2", ratio=2.0), j0={"start_rate": 2.0}),
}


def wrench(point, force, torque):
    """Force and moment about the world's origin."""
    return np.concatenate([force, torque + np.cross(point, force)])


def balance(model, r, f):
    """Matrix A of all joints' reactions (force, torque), the reactions x, and the b that the motion asks for, at frame f."""
    bodies, driven = {body.name: 6 * i for i, body in enumerate(model.bodies)}, {m.joint for m in model.motions}
    n = 6 * len(bodies) + len(model.joints)
    A, b = np.zeros((n, 6 * len(model.joints))), np.zeros(n)
    for body in model.bodies:
        name, i = body.name, bodies[body.name]
        R, w, al = (r[f"{name}.{what}"][f] for what in ("rotation", "angular_velocity", "angular_acceleration"))
        u, J = R @ np.asarray(body.com), R @ np.diag(body.inertia) @ R.T
        a = r[f"{name}.acceleration"][f] + np.cross(al, u) + np.cross(w, np.cross(w, u)) - model.gravity
        b[i:i + 6] += wrench(r[f"{name}.position"][f] + u, body.mass * a, J @ al + np.cross(w, J @ w))
    for k, joint in enumerate(model.joints):
        at = slice(6 * k, 6 * k + 6)
        point = r[f"{joint.second}.position"][f]
        for end, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            row = bodies.get(end.partition(".")[0])
            if row is not None:
                A[row:row + 6, at] = sign * np.array([wrench(point, e[:3], e[3:]) for e in np.eye(6)]).T
                effort = 0.0 if joint.name in driven else r[f"{joint.name}.effort"][f]
                b[row:row + 6] -= sign * np.array([0, 0, 0, 0, 0, effort])
        A[6 * len(bodies) + k, 6 * k + 5] = joint.name not in driven
    x = np.concatenate([np.concatenate([r[f"{j.name}.force"][f], r[f"{j.name}.torque"][f]]) for j in model.joints])
    return A, x, b


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", FOUR_BARS)
def test_reactions_balance_all_bodies_and_are_the_least_that_do(name, formulation):
    model = FOUR_BARS[name]()
    r = dal.run(model, 0.2, formulation=formulation, record=0.1)
    assert any("redundant" in message for message in r.messages)
    weight = np.tile(np.repeat([1.0, 1.0 / LENGTH], 3), len(model.joints))
    random = np.random.default_rng(3)
    for f in range(len(r.t)):
        A, x, b = balance(model, r, f)
        tolerance = ROUNDING * np.max(abs(x))
        np.testing.assert_allclose(A @ x, b, atol=100 * tolerance)
        _, sizes, right = np.linalg.svd(A / weight)
        stresses = right[np.sum(sizes > 1e-9 * sizes[0]):]
        assert len(stresses) == 3
        np.testing.assert_allclose(stresses @ (weight * x), 0.0, atol=100 * tolerance)
        for amount in random.normal(size=(5, 3)):
            assert norm(weight * x) < norm(weight * x + amount @ stresses)


@pytest.mark.parametrize("cut", ["j0", "j1", "j2", "j3"])
def test_reactions_do_not_depend_on_the_joint_that_closes_the_loop(cut):
    model = FOUR_BARS["plain"]()
    state = dal.assemble(model)
    r = dal.assemble(with_cut(model, cut, state))
    for k in range(4):
        for what in ("force", "torque"):
            expected = state[f"j{k}.{what}"]
            np.testing.assert_allclose(r[f"j{k}.{what}"], expected, atol=1e3 * ASSEMBLED * MASS * G)


@pytest.mark.parametrize("name", FOUR_BARS)
def test_large_models_share_by_sparse_matrices_as_small_ones_do(name, monkeypatch):
    small = dal.assemble(FOUR_BARS[name]()).tables()
    monkeypatch.setattr(sharing, "DENSE", 0)
    large = dal.assemble(FOUR_BARS[name]()).tables()
    for table in ("reaction", "effort"):
        np.testing.assert_allclose(large[table], small[table], atol=ROUNDING * np.max(abs(small["reaction"])))


def test_reactions_without_redundancy_are_left_alone(monkeypatch):
    """A ball and a universal joint in place of hinges take the redundancy out of the loop."""
    model = four_bar(j0={"start_rate": 2.0}).without("j1", "j2").add(
        dal.Spherical("j1", "b1.P1", "b2.P1"), dal.Universal("j2", "b2.P2", "b3.P2", axis1=(1, 0, 0), axis2=(0, 1, 0)))
    found = dal.run(model, 0.1)
    assert not any("redundant" in message for message in found.messages)
    monkeypatch.setattr(evaluate, "share_reactions", lambda *_: None)
    np.testing.assert_array_equal(found.array("reaction"), dal.run(model, 0.1).array("reaction"))
