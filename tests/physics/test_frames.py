"""The same physics whatever way it is written down: world turned, joints the other way round, parts in other order."""

from dataclasses import replace

import numpy as np
import pytest
from brute_motion import rotation_about, sandwich, shortest_rotation
from physics.states import EPS, condition
from random_models import random_rotation, random_tree, random_unit, start_value

import dalembert as dal
from dalembert.model import parts
from dalembert.model.check import check

NONE = np.zeros(0)


def biggest(values):
    """Return the largest absolute entry, at least one."""
    return max(1.0, float(np.abs(values).max()))


# --- the world turned ----------------------------------------------------------------------------------------------

def turned_world(model, A):
    """Return the model with everything that is given in world axes turned by A."""
    frames = check(model).bodies[0].points
    ground = {name: dal.Frame(A @ p.position, A @ p.rotation) for name, p in frames.items()}
    ground["origin"] = dal.Frame((0, 0, 0), A)
    new = dal.Model(model.name, gravity=A @ np.asarray(model.gravity, float), ground=ground)
    for part in model:
        ends = {f: "ground.origin" for f in ("first", "second") if getattr(part, f, None) == "ground"}
        part = replace(part, **ends)
        if isinstance(part, (parts.Force, parts.Torque)) and not part.follow:
            part = replace(part, direction=A @ np.asarray(part.direction, float))
        new.add(part)
    return new


@pytest.mark.parametrize("seed", range(5))
def test_a_turned_world_changes_nothing_but_directions(seed):
    rng = np.random.default_rng(seed)
    model, _, _ = random_tree(rng, 9, motions=seed % 2 == 1)
    A = random_rotation(rng)
    one, other = dal.assemble(model), dal.assemble(turned_world(model, A))
    loss = EPS * condition(model)
    for joint in model.joints:
        if joint.coordinates:
            a, b = one[f"{joint.name}.acceleration"], other[f"{joint.name}.acceleration"]
            assert np.abs(a - b).max() <= loss * biggest(one.array("qdd")), joint.name
    for owner, channels in ([(b.name, ("position", "velocity", "acceleration", "angular_velocity"))
                             for b in model.bodies] + [(j.name, ("force", "torque")) for j in model.joints]):
        for c in channels:
            size = max(biggest(one.array("reaction")), biggest(one.array("body")))
            assert np.abs(one[f"{owner}.{c}"][0] @ A.T - other[f"{owner}.{c}"][0]).max() <= loss * size, (owner, c)
    for c in ("energy.kinetic", "energy.potential"):
        assert one[c][0] == pytest.approx(other[c][0], abs=100 * EPS * biggest(one.array("system")))


def test_a_turned_world_runs_the_same():
    rng = np.random.default_rng(3)
    model, _, _ = random_tree(rng, 5)
    A = random_rotation(rng)
    one, other = (dal.run(m, until=0.3, step=0.01, integrator="rk4") for m in (model, turned_world(model, A)))
    for b in model.bodies:
        gap = np.abs(one[f"{b.name}.position"] @ A.T - other[f"{b.name}.position"]).max()
        assert gap <= one.stats.steps * EPS * condition(model) * biggest(one[f"{b.name}.position"])


# --- joints the other way round ------------------------------------------------------------------------------------

def quaternion_inverse(e):
    """Return the quaternion of the inverse rotation."""
    return np.array([e[0], -e[1], -e[2], -e[3]])


def inverse_joint(joint, q, u):
    """Return the joint from second to first, with the coordinates and rates of the inverse motion."""
    swapped = replace(joint, first=joint.second, second=joint.first)
    if isinstance(joint, parts.Universal):
        swapped = replace(swapped, axis1=joint.axis2, axis2=joint.axis1)
        q, u = -q[::-1], -u[::-1]
    elif isinstance(joint, parts.Spherical):
        R = sandwich(q, q)
        q, u = quaternion_inverse(q), -R.T @ u
    elif isinstance(joint, parts.Free):
        R, w = sandwich(q[3:], q[3:]), u[3:]
        q, u = (np.concatenate([-R.T @ q[:3], quaternion_inverse(q[3:])]),
                np.concatenate([R.T @ (np.cross(w, q[:3]) - u[:3]), -R.T @ w]))
    elif isinstance(joint, parts.Planar):
        n = np.asarray(joint.axis, float)
        C = shortest_rotation(n)
        R, r, v, w = rotation_about(n, q[2]), C @ (q[0], q[1], 0), C @ (u[0], u[1], 0), u[2] * n
        back, speed = C.T @ (-R.T @ r), C.T @ (R.T @ (np.cross(w, r) - v))
        q, u = np.array([back[0], back[1], -q[2]]), np.array([speed[0], speed[1], -u[2]])
    else:
        q, u = -q, -u
    begin = {"start": start_value(q), "start_rate": start_value(u)} if len(u) else {}
    return replace(swapped, **begin)


@pytest.mark.parametrize("kind", parts.JOINTS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_every_joint_may_be_written_the_other_way_round(kind, seed):
    """Between two moving bodies: same accelerations, opposite reaction, moment moved to the other attachment."""
    model, coordinates, rates = random_tree(np.random.default_rng(seed), 3, joints=(kind,), forces=False, reverse=0.0)
    model.add(dal.SpringDamper("s", "ground.c", "b3.c", stiffness=20.0, damping=1.0, length=0.3))
    other = dal.Model(model.name, gravity=model.gravity, ground=model.ground)
    for part in model:
        other.add(inverse_joint(part, coordinates.get(part.name, NONE), rates.get(part.name, NONE))
                  if isinstance(part, parts.Joint) else part)
    a, b = dal.assemble(model), dal.assemble(other)
    loss = EPS * condition(model)
    for body in model.bodies:
        for c in ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration"):
            size = biggest(a.array("body"))
            assert np.abs(a[f"{body.name}.{c}"] - b[f"{body.name}.{c}"]).max() <= loss * size, (body.name, c)
    for joint in model.joints:
        force, torque = a[f"{joint.name}.force"][0], a[f"{joint.name}.torque"][0]
        here, there = (a[f"{e}.position"][0] if e != "ground" else np.zeros(3) for e in (joint.second, joint.first))
        size = biggest(a.array("reaction"))
        assert np.abs(b[f"{joint.name}.force"][0] + force).max() <= loss * size, joint.name
        assert np.abs(b[f"{joint.name}.torque"][0] + torque + np.cross(here - there, force)).max() <= loss * size


@pytest.mark.parametrize("kind", [parts.Revolute, parts.Prismatic, parts.Screw])
def test_elements_on_a_joint_may_be_written_the_other_way_round(kind):
    """A spring with its rest, a motor and a drive change sign with the coordinate."""
    def build(sign, *ends):
        more = {"pitch": 0.4} if kind is parts.Screw else {}
        m = dal.Model("pair", gravity=(1.0, -2.0, -9.0))
        m.add(dal.Body("a", mass=1.0, com=(0.1, 0.2, 0), inertia=(0.1, 0.1, 0.1), points={"p": (0.3, 0.1, 0)}),
              dal.Body("b", mass=2.0, com=(0.2, 0, 0.1), inertia=(0.1, 0.2, 0.2)),
              dal.Revolute("base", "ground", "a", axis=(1, 1, 0), start_rate=2.0),
              kind("j", *ends, axis=(0, 1, 2), start=0.3 * sign, start_rate=-1.0 * sign, **more),
              dal.JointSpring("s", "j", stiffness=30.0, damping=2.0, rest=0.1 * sign),
              dal.Motor("m", "j", effort=lambda t, x, v: sign * (1.0 + np.sin(sign * x) - sign * v)))
        return m

    one = dal.run(build(1.0, "a.p", "b"), until=0.5, step=0.01, integrator="rk4")
    other = dal.run(build(-1.0, "b", "a.p"), until=0.5, step=0.01, integrator="rk4")
    assert np.abs(one.array("q") * [1, 1] - other.array("q") * [1, -1]).max() <= 1e3 * EPS * biggest(one.array("q"))
    assert np.abs(one["s.effort"] + other["s.effort"]).max() <= 1e4 * EPS * biggest(one["s.effort"])


# --- order of parts ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_parts_does_not_matter(seed):
    """Other rows, other sums: equal up to round-off."""
    rng = np.random.default_rng(seed)
    model, _, _ = random_tree(rng, 9, motions=True)
    other = dal.Model(model.name, gravity=model.gravity, ground=model.ground)
    all_parts = list(model)
    other.add(*(all_parts[k] for k in rng.permutation(len(all_parts))))
    a, b = dal.assemble(model), dal.assemble(other)
    loss = EPS * condition(model)
    assert set(a.channels) == set(b.channels)
    sizes = {"acceleration": biggest(a.array("body")), "force": biggest(a.array("reaction")),
             "torque": biggest(a.array("reaction")), "position": biggest(a.array("body"))}
    for channel in a.channels:
        quantity = channel.rpartition(".")[2]
        if quantity in sizes:
            size = max(sizes[quantity], biggest(a.array("qdd")))
            assert np.abs(a[channel] - b[channel]).max() <= loss * size, channel


def test_the_length_of_an_axis_does_not_matter():
    def build(scale):
        axis = scale * random_unit(np.random.default_rng(1))
        m = dal.Model("one")
        m.add(dal.Body("b", mass=1.0, com=(0.3, 0.1, 0), inertia=(0.1, 0.1, 0.1)),
              dal.Revolute("j", "ground", "b", axis=axis, start=0.3, start_rate=1.0))
        return dal.assemble(m)["j.acceleration"][0]

    assert build(1.0) == pytest.approx(build(1e-3), rel=10 * EPS)
    assert build(1.0) == pytest.approx(build(1e3), rel=10 * EPS)
