"""Joint reactions against the balance of forces and moments of everything that hangs on a joint.

The balance is written in NumPy from masses and the channels of the bodies (position, rotation, velocities,
accelerations): sum of m a and of H-dot over the bodies on the second side of the joint, less gravity and what the
force elements apply to them, is what the joint must do, moments about its second attachment.
"""

import numpy as np
import pytest
from physics.states import EPS, condition
from random_models import random_tree

import dalembert as dal
from dalembert.model import parts

ON_JOINTS = (parts.JointSpring, parts.Motor)


def body_of(attachment):
    """Return the body's name of an attachment."""
    return attachment.partition(".")[0]


def place(r, attachment):
    """Return where an attachment is [m]; the ground's origin is the world's."""
    return np.zeros(3) if attachment == "ground" else r[f"{attachment}.position"][0]


def inertia_matrix(body):
    """Return the 3x3 inertia about the centre of mass, body axes."""
    J = np.asarray(body.inertia, float)
    return np.diag(J) if J.ndim == 1 else J


def rate_of_momentum(r, body, about, gravity):
    """Return force and moment (about a point) that move the body as it moves, without gravity's share."""
    R = r[f"{body.name}.rotation"][0]
    w, al = r[f"{body.name}.angular_velocity"][0], r[f"{body.name}.angular_acceleration"][0]
    u = R @ np.asarray(body.com, float)
    a = r[f"{body.name}.acceleration"][0] + np.cross(al, u) + np.cross(w, np.cross(w, u))
    J = R @ inertia_matrix(body) @ R.T
    force = body.mass * (a - gravity)
    arm = r[f"{body.name}.position"][0] + u - about
    return force, J @ al + np.cross(w, J @ w) + np.cross(arm, force)


def element_loads(r, element):
    """Return (body, point, force, moment) of what a force element does to each of its bodies."""
    if isinstance(element, parts.SpringDamper):
        a, b = place(r, element.first), place(r, element.second)
        pull = r[f"{element.name}.force"][0] * (b - a) / np.linalg.norm(b - a)
        return [(body_of(element.first), a, pull, np.zeros(3)), (body_of(element.second), b, -pull, np.zeros(3))]
    if isinstance(element, parts.Bushing):
        point = place(r, element.second)
        f, n = r[f"{element.name}.force"][0], r[f"{element.name}.torque"][0]
        return [(body_of(element.second), point, f, n), (body_of(element.first), point, -f, -n)]
    if isinstance(element, parts.Force):
        return [(body_of(element.at), place(r, element.at), r[f"{element.name}.force"][0], np.zeros(3))]
    if isinstance(element, parts.Torque):
        return [(body_of(element.at), place(r, element.at), np.zeros(3), r[f"{element.name}.torque"][0])]
    return []


def second_side(model, joint):
    """Return the bodies reached from the joint's second body without passing the joint, and if ground is among them."""
    reached, waiting = set(), [body_of(joint.second)]
    while waiting:
        here = waiting.pop()
        reached.add(here)
        for other in model.joints:
            ends = {body_of(other.first), body_of(other.second)}
            if other is not joint and here in ends:
                waiting += [b for b in ends if b not in reached]
    return reached


def balance(model, r, joint):
    """Return force and moment at the second attachment that the joint must exert on its second body."""
    about, g = place(r, joint.second), np.asarray(model.gravity, float)
    side, sign = second_side(model, joint), 1.0
    if "ground" in side:  # balance the other side and turn round
        side, sign = {"ground", *(b.name for b in model.bodies)} - side, -1.0
    force, moment = np.zeros(3), np.zeros(3)
    for body in model.bodies:
        if body.name in side:
            f, n = rate_of_momentum(r, body, about, g)
            force, moment = force + f, moment + n
    for element in model.forces:
        for body, point, f, n in element_loads(r, element):
            if body in side:
                force, moment = force - f, moment - n - np.cross(point - about, f)
    return sign * force, sign * moment


def check_balance(model):
    """Compare every joint; round-off is that of the largest load times the condition of the tree."""
    r = dal.assemble(model)
    loads = {joint.name: balance(model, r, joint) for joint in model.joints}
    tolerance = EPS * condition(model) * max(np.abs(load).max() for load in loads.values())
    for name, (force, moment) in loads.items():
        assert np.abs(r[f"{name}.force"][0] - force).max() <= tolerance, name
        assert np.abs(r[f"{name}.torque"][0] - moment).max() <= tolerance, name


@pytest.mark.parametrize("reverse", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_trees_of_all_joints(seed, reverse):
    model, _, _ = random_tree(np.random.default_rng(seed), 9, forces=False, reverse=reverse)
    check_balance(model)


@pytest.mark.parametrize("seed", range(4))
def test_trees_with_forces_on_bodies(seed):
    model, _, _ = random_tree(np.random.default_rng(seed), 9, reverse=0.5)
    check_balance(model.without(*(f.name for f in model.forces if isinstance(f, ON_JOINTS))))


@pytest.mark.parametrize("reverse", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_drives_are_part_of_the_reaction(seed, reverse):
    """The effort of a Motion is what its joint does."""
    model, _, _ = random_tree(np.random.default_rng(seed), 9, motions=True, reverse=reverse)
    check_balance(model.without(*(f.name for f in model.forces if isinstance(f, ON_JOINTS))))


@pytest.mark.parametrize("ends", [("ground.p", "b.q"), ("b.q", "ground.p")])
@pytest.mark.parametrize("kind", [dal.Revolute, dal.Prismatic])
def test_springs_and_motors_on_a_joint_are_not_its_reaction(kind, ends):
    """Balance = reaction + efforts along the axis, on the second body."""
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    m = dal.Model("one joint", ground={"p": (0.1, 0.2, 0.3)})
    m.add(dal.Body("b", mass=2.0, com=(0.2, 0.1, 0.3), inertia=(0.1, 0.12, 0.15), points={"q": (-0.3, 0.1, 0.2)}),
          kind("j", *ends, axis=axis, start=0.4, start_rate=-1.5),
          dal.JointSpring("s", "j", stiffness=20.0, damping=1.0, rest=0.1), dal.Motor("m", "j", effort=3.0))
    r = dal.assemble(m)
    force, moment = balance(m, r, m["j"])
    along = (r["s.effort"][0] + r["m.effort"][0]) * axis  # turned about itself, or in straight frames: world axes
    expected = (force, moment - along) if kind is dal.Revolute else (force - along, moment)
    tolerance = 50 * EPS * np.abs([force, moment, along]).max()
    assert np.abs(r["j.force"][0] - expected[0]).max() <= tolerance
    assert np.abs(r["j.torque"][0] - expected[1]).max() <= tolerance


def test_the_reaction_of_a_drive_in_a_run_is_what_inverse_dynamics_asks_for():
    law = dal.sine(amplitude=0.8, omega=3.0)
    m = dal.Model("arm", gravity=(0, 0, -9.81))
    m.add(dal.Body("a", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2), points={"tip": (1, 0, 0)}),
          dal.Body("b", mass=1.0, com=(0.2, 0, 0), inertia=(0.05, 0.06, 0.07)),
          dal.Revolute("j1", "ground", "a", axis=(0, 1, 0)), dal.Revolute("j2", "a.tip", "b", axis=(0, 1, 0)))
    driven = m.replaced().add(dal.Motion("m1", "j1", position=law), dal.Motion("m2", "j2", position=0.3))
    times = np.linspace(0, 1, 21)
    run = dal.run(driven, until=1.0, record=times)
    asked = dal.inverse_dynamics(m, {"j1": law, "j2": 0.3}, times=times)
    for joint, motion in (("j1", "m1"), ("j2", "m2")):
        size = np.abs(run[f"{motion}.effort"]).max()
        assert np.abs(run[f"{motion}.effort"] - asked[f"{joint}.effort"]).max() <= 1e-12 * size
        torque = run[f"{joint}.torque"][:, 1]
        assert np.abs(torque - asked[f"{joint}.effort"]).max() <= 1e-12 * size
