"""The reference formulation against closed forms, and against the laws that hold for every tree.

Tolerances: a dense solve loses `condition` units of the last place; `round_off` says so for each state.
"""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import QUATERNION_AT, reference_state
from brute_motion import quaternion_product, rotation_about
from random_models import random_rotation, random_tree, random_unit

from dalembert.model import parts as dal
from dalembert.model.check import check
from dalembert.model.laws import sine
from dalembert.model.model import Model

EPS = np.finfo(float).eps
G = 9.81
SEEDS = range(6)


def round_off(ref, scale):
    """Return the attainable accuracy of a quantity of size `scale`."""
    return ref.unknowns * EPS * ref.condition * max(scale, 1.0)


def close(ref, found, expected):
    """Assert equality up to the round-off of the dense solve."""
    scale = max(np.abs(expected).max(), *(np.abs(j.force).max() for j in ref.joints.values()))
    assert np.abs(np.asarray(found) - expected).max() <= round_off(ref, scale)


# --- closed forms --------------------------------------------------------------------------------------------------

MASS, ARM, INERTIA = 2.0, 0.7, 0.3


def pendulum(*parts, reverse=False):
    """Return a rod with its centre of mass ARM below a pivot about y."""
    ends = ("rod", "ground") if reverse else ("ground", "rod")
    return check(Model("pendulum", gravity=(0, 0, -G)).add(
        dal.Body("rod", mass=MASS, com=(0, 0, -ARM), inertia=(INERTIA, INERTIA, 0.1)),
        dal.Revolute("pivot", *ends, axis=(0, 1, 0)), *parts))


@pytest.mark.parametrize("reverse", [False, True])
def test_pendulum_acceleration_and_pivot_force(reverse):
    """Physical pendulum: (I + m l²) θ'' = -m g l sin θ; the pivot carries m (a - g)."""
    angle, rate, sign = 0.8, 1.7, -1.0 if reverse else 1.0
    ref = reference_state(pendulum(reverse=reverse), {"pivot": sign * angle}, {"pivot": sign * rate})
    acceleration = -MASS * G * ARM * np.sin(angle) / (INERTIA + MASS * ARM**2)
    outward = np.array([-np.sin(angle), 0, -np.cos(angle)])
    along = np.array([-np.cos(angle), 0, np.sin(angle)])
    pull = MASS * (ARM * acceleration * along - ARM * rate**2 * outward + np.array([0, 0, G]))
    close(ref, ref.joints["pivot"].acceleration, sign * np.array([acceleration]))
    close(ref, ref.joints["pivot"].force, sign * pull)
    close(ref, ref.joints["pivot"].torque, np.zeros(3))
    close(ref, ref.kinetic, 0.5 * (INERTIA + MASS * ARM**2) * rate**2)
    close(ref, ref.potential, -MASS * G * ARM * np.cos(angle))


def test_effort_is_not_in_the_reaction_but_a_drive_is():
    """A spring's torque moves the rod and leaves the reaction's torque at zero; a drive's shows up in it."""
    angle, rate, stiffness, damping, rest = 0.4, -0.6, 3.0, 0.2, 0.1
    polar = INERTIA + MASS * ARM**2
    spring = dal.JointSpring("spring", "pivot", stiffness=stiffness, damping=damping, rest=rest, effort=0.5)
    ref = reference_state(pendulum(spring), {"pivot": angle}, {"pivot": rate})
    effort = -stiffness * (angle - rest) - damping * rate + 0.5
    close(ref, ref.joints["pivot"].acceleration, [(effort - MASS * G * ARM * np.sin(angle)) / polar])
    close(ref, ref.joints["pivot"].torque, np.zeros(3))

    drive = dal.Motion("drive", "pivot", position=sine(amplitude=0.5, omega=3.0))
    t = 0.3
    state = {"pivot": 0.5 * np.sin(3 * t)}, {"pivot": 1.5 * np.cos(3 * t)}
    ref = reference_state(pendulum(spring, drive), *state, t=t)
    acceleration = -4.5 * np.sin(3 * t)
    effort = -stiffness * (state[0]["pivot"] - rest) - damping * state[1]["pivot"] + 0.5
    needed = polar * acceleration + MASS * G * ARM * np.sin(state[0]["pivot"]) - effort
    close(ref, ref.joints["pivot"].acceleration, [acceleration])
    close(ref, ref.joints["pivot"].torque, [0, needed, 0])


def test_sliding_block_on_an_incline():
    """Along the slope m x'' = m g·e + effort; across it the slide carries the weight, at the moment of its arm."""
    slope = np.array([np.cos(0.3), 0, -np.sin(0.3)])
    com = np.array([0.1, 0.2, 0.5])
    model = check(Model("block", gravity=(0, 0, -G)).add(
        dal.Body("block", mass=MASS, com=com, inertia=(1, 2, 2.5)),
        dal.Prismatic("slide", "ground", "block", axis=slope), dal.Motor("motor", "slide", effort=4.0)))
    ref = reference_state(model, {"slide": 0.6}, {"slide": 2.0})
    normal = -MASS * (np.array([0, 0, -G]) + G * np.sin(0.3) * -slope)
    close(ref, ref.joints["slide"].acceleration, [G * np.sin(0.3) + 4.0 / MASS])
    close(ref, ref.joints["slide"].force, normal)
    close(ref, ref.joints["slide"].torque, np.cross(com, normal + 4.0 * slope))


def test_free_body_obeys_euler():
    """A thrown body: its centre of mass falls, its spin follows I w' = -w × I w in body axes."""
    rng = np.random.default_rng(1)
    moments, com = np.array([0.2, 0.5, 0.6]), np.array([0.1, -0.2, 0.3])
    model = check(Model("top", gravity=(0, 0, -G)).add(
        dal.Body("top", mass=MASS, com=com, inertia=moments), dal.Free("air", "ground", "top")))
    q, u = np.concatenate((rng.normal(size=3), random_unit(rng, 4))), rng.normal(size=6)
    ref = reference_state(model, {"air": q}, {"air": u})
    R = ref.bodies["top"].rotation
    w_b = R.T @ u[3:]
    wd = R @ (-np.cross(w_b, moments * w_b) / moments)
    arm = R @ com
    origin = np.array([0, 0, -G]) - np.cross(wd, arm) - np.cross(u[3:], np.cross(u[3:], arm))
    close(ref, ref.joints["air"].acceleration, np.concatenate((origin, wd)))
    close(ref, ref.joints["air"].force, np.zeros(3))
    close(ref, ref.angular_momentum, R @ (moments * w_b) + np.cross(q[:3] + arm, ref.linear_momentum))


def test_screw_with_lead():
    """(I + m p²) a'' = torque + m g p with p = pitch / 2π; the thread turns thrust into torque: p F + T = 0."""
    pitch, inertia, torque = 0.4, 0.3, 1.5
    p = pitch / (2 * np.pi)
    model = check(Model("screw", gravity=(0, 0, -G)).add(
        dal.Body("nut", mass=MASS, inertia=(0.2, 0.2, inertia)),
        dal.Screw("thread", "ground", "nut", axis=(0, 0, 1), pitch=pitch), dal.Motor("hand", "thread", effort=torque)))
    ref = reference_state(model, {"thread": 0.9}, {"thread": 3.0})
    acceleration = (torque - MASS * G * p) / (inertia + MASS * p**2)
    thrust = MASS * (p * acceleration + G)
    close(ref, ref.bodies["nut"].position, [0, 0, 0.9 * p])
    close(ref, ref.joints["thread"].acceleration, [acceleration])
    close(ref, ref.joints["thread"].force, [0, 0, thrust])
    close(ref, ref.joints["thread"].torque, [0, 0, -p * thrust])


def test_double_pendulum_obeys_lagrange():
    """Two point masses on weightless rods; Lagrange's equations in the absolute angles."""
    m1, m2, l1, l2 = 1.3, 0.8, 0.9, 0.6
    (a1, a2), (u1, u2) = (0.7, -0.5), (1.1, -2.3)
    model = check(Model("double pendulum", gravity=(0, 0, -G)).add(
        dal.Body("upper", mass=m1, com=(0, 0, -l1), points={"tip": (0, 0, -l1)}),
        dal.Body("lower", mass=m2, com=(0, 0, -l2)),
        dal.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0)),
        dal.Revolute("elbow", "upper.tip", "lower", axis=(0, 1, 0))))
    ref = reference_state(model, {"shoulder": a1, "elbow": a2 - a1}, {"shoulder": u1, "elbow": u2 - u1})
    c, s = np.cos(a1 - a2), np.sin(a1 - a2)
    M = np.array([[(m1 + m2) * l1, m2 * l2 * c], [l1 * c, l2]])
    Q = np.array([-m2 * l2 * u2**2 * s - (m1 + m2) * G * np.sin(a1), l1 * u1**2 * s - G * np.sin(a2)])
    first, second = np.linalg.solve(M, Q)
    close(ref, ref.joints["shoulder"].acceleration, [first])
    close(ref, ref.joints["elbow"].acceleration, [second - first])


def test_universal_effort_lies_in_the_plane_of_the_axes():
    """Two motors on a cross: their torque has the given parts along both axes and none normal to them."""
    rng = np.random.default_rng(7)
    axis1, axis2, angle = random_unit(rng), random_unit(rng), 0.7
    motors = (dal.Motor("one", "cross", effort=2.0, coordinate="angle1"),
              dal.Motor("two", "cross", effort=-3.0, coordinate="angle2"))
    model = check(Model("cross", gravity=(0, 0, 0)).add(
        dal.Body("shaft", mass=1.0, inertia=(1, 1, 1)),
        dal.Universal("cross", "ground", "shaft", axis1=axis1, axis2=axis2), *motors))
    ref = reference_state(model, {"cross": (angle, 0.4)}, {})
    turned = rotation_about(axis1, angle) @ axis2
    torque = sum(w.torque for w in ref.applied if w.body == 1)
    close(ref, [torque @ axis1, torque @ turned, torque @ np.cross(axis1, turned)], np.array([2.0, -3.0, 0.0]))


# --- laws of every tree --------------------------------------------------------------------------------------------

def tree(seed, **options):
    """Return a checked random tree with all nine kinds of joints, and a state of it."""
    model, coordinates, rates = random_tree(np.random.default_rng(seed), 9, **options)
    return check(model), coordinates, rates


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_kinetic_energy_is_the_power_of_the_forces(seed):
    """No joint reaction does work, whatever the tree."""
    model, coordinates, rates = tree(seed)
    ref = reference_state(model, coordinates, rates)
    power = ref.power([body.name for body in model.bodies])
    scale = sum(np.linalg.norm(w.force) + np.linalg.norm(w.torque) for w in ref.applied) + abs(power)
    assert abs(ref.rate_of_kinetic - power) <= round_off(ref, scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reaction_has_no_part_along_the_free_directions(seed):
    """Prismatic: none along the axis; revolute: no torque about it; free: none at all; in the definitions' axes."""
    model, coordinates, rates = tree(seed)
    ref = reference_state(model, coordinates, rates)
    for joint in model.joints:
        body = model.bodies[joint.first.body].name
        axis = ref.bodies[body].rotation @ joint.first.rotation @ joint.axis
        found = ref.joints[joint.name]
        parts = {"Prismatic": [found.force @ axis], "Revolute": [found.torque @ axis], "Spherical": found.torque,
                 "Cylindrical": [found.force @ axis, found.torque @ axis], "Free": [*found.force, *found.torque],
                 "Planar": [*np.cross(axis, found.force), found.torque @ axis]}
        close(ref, parts.get(joint.code.name.capitalize(), [0.0]), np.zeros(1))


def advanced(model, coordinates, rates, ref, h):
    """Return the state after a short time h, correct to h²; quaternions turn by the mean angular velocity."""
    q, u = {}, {}
    for joint in model.joints:
        if joint.name not in rates:
            continue
        x, v, a = coordinates[joint.name], rates[joint.name], ref.joints[joint.name].acceleration
        at = QUATERNION_AT.get(joint.code, len(x))
        step = h * v + h**2 / 2 * a
        q[joint.name] = np.concatenate((x[:at] + step[:at], turned_quaternion(x[at:], step[at:])))
        u[joint.name] = v + h * a
    return q, u


def turned_quaternion(q, turn):
    """Return q turned by a rotation vector in the fixed axes; nothing stays nothing."""
    if len(q) == 0:
        return q
    half = np.linalg.norm(turn) / 2
    return quaternion_product(np.concatenate(([np.cos(half)], np.sin(half) / (2 * half) * turn)), q)


def slope(function, h):
    """Return f'(0) by central differences with one Richardson step, error O(h⁴)."""
    coarse, fine = ((function(k) - function(-k)) / (2 * k) for k in (h, h / 2))
    return (4 * fine - coarse) / 3


STEP = EPS ** (1 / 5)
"""Where truncation h⁴ and round-off eps / h of `slope` meet [s]."""


def slope_error(ref, scale):
    """Return truncation and round-off of `slope` for a size `scale`; the motion's frequency is that of its turning."""
    speed = max(np.linalg.norm(b.angular_velocity) for b in ref.bodies.values())
    frequency = 1 + speed + max(np.linalg.norm(b.angular_acceleration) for b in ref.bodies.values()) ** 0.5
    return ((frequency * STEP) ** 4 + 10 * EPS / STEP) * scale


@pytest.mark.parametrize("motions", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_and_accelerations_are_derivatives_of_the_poses(seed, motions):
    """Poses and velocities of all bodies, moved along the computed motion, have the slopes that were computed."""
    model, coordinates, rates = tree(seed, motions=motions)
    ref = reference_state(model, coordinates, rates)

    def motion(h):
        bodies = reference_state(model, *advanced(model, coordinates, rates, ref, h)).bodies.values()
        return np.array([[b.position, b.velocity, b.angular_velocity] for b in bodies])

    found = slope(motion, STEP)
    expected = np.array([[b.velocity, b.acceleration, b.angular_acceleration] for b in ref.bodies.values()])
    assert np.abs(found - expected).max() <= slope_error(ref, np.abs(expected).max())


def conservative_tree(seed):
    """Return a random tree with springs of all kinds and nothing that damps or drives."""
    model, coordinates, rates = random_tree(np.random.default_rng(seed), 9, forces=False)
    hinge = next(joint for joint in model.joints if joint.coordinates in (("angle",), ("displacement",)))
    model.add(dal.JointSpring("s1", hinge.name, stiffness=7.0, rest=0.2),
              dal.SpringDamper("s2", "b1.c", "b5.b", stiffness=20.0, length=0.3),
              dal.Bushing("s3", "b3.c", "b8.b", stiffness=(10, 20, 30), turning_stiffness=(3, 5, 4)),
              dal.Bushing("s4", "b7", "ground.c", stiffness=15, turning_stiffness=(1, 2, 6)))
    return check(model), coordinates, rates


@pytest.mark.parametrize("seed", SEEDS)
def test_springs_and_gravity_give_back_what_they_store(seed):
    """Without dampers the rate of kinetic energy is minus that of the potential energy."""
    model, coordinates, rates = conservative_tree(seed)
    ref = reference_state(model, coordinates, rates)
    lost = slope(lambda h: reference_state(model, *advanced(model, coordinates, rates, ref, h)).potential, STEP)
    scale = abs(ref.potential) + abs(lost)
    assert abs(ref.rate_of_kinetic + lost) <= slope_error(ref, scale)


SWAPPABLE = (dal.Revolute, dal.Prismatic, dal.Screw, dal.Cylindrical)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_joint_written_the_other_way_is_the_same_joint(seed):
    """Swapping the ends of joints about one axis changes the signs of coordinates and reactions and nothing else."""
    model, coordinates, rates = random_tree(np.random.default_rng(seed), 6, joints=SWAPPABLE, forces=False)
    swapped = Model("swapped", gravity=model.gravity, ground=model.ground)
    for part in model:
        if isinstance(part, SWAPPABLE):
            part = replace(part, first=part.second, second=part.first)
        swapped.add(part)
    ref = reference_state(check(model), coordinates, rates)
    other = reference_state(check(swapped), {k: -q for k, q in coordinates.items()}, {k: -u for k, u in rates.items()})
    for name, found in other.joints.items():
        own = ref.joints[name]
        close(ref, found.acceleration, -own.acceleration)
        close(ref, found.force, -own.force)
        close(ref, found.torque, -own.torque - np.cross(own.point - found.point, own.force))


def grounded_at(model, gravity, frame):
    """Return the model under another gravity with all that hung on the ground's origin hung on one frame of it."""
    copy = Model("moved", gravity=gravity, ground={"hook": frame})
    for part in model:
        if isinstance(part, dal.Joint):
            ends = {end: "ground.hook" for end in ("first", "second") if getattr(part, end).startswith("ground")}
            part = replace(part, **ends)
        copy.add(part)
    return check(copy)


def test_turning_the_world_turns_the_results():
    """Gravity and the ground's frame turned alike: joint accelerations stay, reactions turn."""
    rng = np.random.default_rng(5)
    model, coordinates, rates = random_tree(rng, 9, forces=False)
    Q, gravity, hook = random_rotation(rng), np.array(model.gravity), rng.normal(size=3)
    ref = reference_state(grounded_at(model, gravity, dal.Frame(hook)), coordinates, rates)
    turned = reference_state(grounded_at(model, Q @ gravity, dal.Frame(Q @ hook, Q)), coordinates, rates)
    for name, own in ref.joints.items():
        found = turned.joints[name]
        close(ref, np.concatenate((found.acceleration, found.force, found.torque)),
              np.concatenate((own.acceleration, Q @ own.force, Q @ own.torque)))
