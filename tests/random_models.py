"""Random trees of bodies with every kind of joint and force element, for tests against independent formulations.

Use::

    model, coordinates, rates = random_tree(np.random.default_rng(3), n_bodies=9)

`coordinates` and `rates` map joint names to arrays in the joints' own coordinates; the joints' `start` and
`start_rate` say the same, and the laws of drives agree with them at t = 0.
"""

from __future__ import annotations

import numpy as np

from dalembert.model import parts
from dalembert.model.laws import ramp, sine
from dalembert.model.model import Model
from dalembert.model.records import Direction, Flag, LawField, Number, Three

ALL = parts.JOINTS
SCALAR = ("angle", "angle1", "angle2", "displacement", "x", "y", "z")
"""Coordinates that springs, motors and drives can act on."""
LARGEST_COSINE = 0.8
"""Of the angle between the axes of a universal joint; keeps the efforts of the two axes well apart."""


# --- numbers -------------------------------------------------------------------------------------------------------

def random_unit(rng, n=3):
    """Return a random unit vector of n components."""
    a = rng.normal(size=n)
    return a / np.linalg.norm(a)


def random_rotation(rng):
    """Return a random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def random_inertia(rng, mass):
    """Return a physical inertia matrix: that of a mass with random second moments along random axes."""
    moments = mass * rng.uniform(0.01, 0.1, 3)
    Q = random_rotation(rng)
    return Q @ np.diag(moments.sum() - moments) @ Q.T


def random_place(rng, frames):
    """Return a random point, turned in one of the ways a `Frame` can be said if `frames`."""
    position = tuple(rng.uniform(-0.5, 0.5, 3))
    if not frames:
        return position
    rotation = (random_rotation(rng), random_unit(rng, 4),
                {"axis": random_unit(rng), "angle": rng.uniform(-3, 3)}, None)[rng.integers(4)]
    return parts.Frame(position, rotation)


def random_places(rng, frames):
    """Return the named places of a body: a and b for joints, c for force elements."""
    return {name: random_place(rng, frames) for name in "abc"}


def random_law(rng, size):
    """Return a law of time, or of time and state, with values of about `size`."""
    a, b, c = size * rng.uniform(-1, 1, 3)
    return (float(a), sine(amplitude=a, omega=rng.uniform(1, 5), phase=rng.uniform(-3, 3), offset=b),
            ramp(begin=-0.4, finish=0.9, start=a, end=b), lambda t: a + b * np.sin(t + 1),
            lambda t, x, v: a * np.cos(t) + b * np.sin(x) + c * np.tanh(v))[rng.integers(5)]


# --- bodies and joints ---------------------------------------------------------------------------------------------

def random_body(rng, name, frames):
    """Return a body with random mass, inertia and named places."""
    mass = rng.uniform(0.5, 3)
    return parts.Body(name, mass=mass, com=tuple(rng.uniform(-0.3, 0.3, 3)), inertia=random_inertia(rng, mass),
                      points=random_places(rng, frames))


def random_attachment(rng, body):
    """Return the body's origin or one of its two places for joints."""
    return (body, f"{body}.a", f"{body}.b")[rng.integers(3)]


def random_coordinates(rng, kind):
    """Return random coordinates of a kind of joint; quaternions are unit."""
    values = {"angle": rng.uniform(-2, 2), "angle1": rng.uniform(-2, 2), "angle2": rng.uniform(-2, 2)}
    quaternion = dict(zip(("qw", "qx", "qy", "qz"), random_unit(rng, 4), strict=True))
    return np.array([(values | quaternion).get(c, rng.uniform(-0.5, 0.5)) for c in kind.coordinates])


def random_axes(rng, kind):
    """Return the fields of a kind of joint that give its geometry."""
    if kind is parts.Universal:
        axis1 = axis2 = random_unit(rng)
        while abs(axis1 @ axis2) > LARGEST_COSINE:
            axis2 = random_unit(rng)
        return {"axis1": axis1, "axis2": axis2}
    lead = kind.record.lead
    if lead:
        return {"axis": random_unit(rng), lead.number.name: rng.uniform(-1 if lead.number.above is None else 0.1, 1)}
    return {"axis": random_unit(rng)} if hasattr(kind, "axis") else {}


def random_joint(rng, kind, name, inner, outer, reverse):
    """Return a joint between two bodies, its coordinates and its rates; reversed with probability `reverse` if that can be."""
    ends = [random_attachment(rng, inner), random_attachment(rng, outer)]
    if rng.random() < reverse and kind.record.reversible:
        ends.reverse()
    q, u = random_coordinates(rng, kind), rng.normal(size=len(kind.record.rates))
    begin = {"start": start_value(q), "start_rate": start_value(u)} if len(u) else {}
    return kind(name, *ends, **random_axes(rng, kind), **begin), q, u


def start_value(values):
    """Return a joint's start as users write it: one number, or a tuple."""
    return float(values[0]) if len(values) == 1 else tuple(map(float, values))


# --- force elements and drives -------------------------------------------------------------------------------------

def scalar_coordinates(joints):
    """Return (joint, coordinate name, index) of all coordinates that a spring, motor or drive can act on."""
    return [(joint, c, i) for joint in joints for i, c in enumerate(joint.coordinates) if c in SCALAR]


def coordinate_argument(joint, coordinate):
    """Return the `coordinate` argument, which a joint with a single one does not need."""
    return {"coordinate": coordinate} if len(joint.coordinates) > 1 else {}


def random_joint_element(rng, kind, name, targets):
    """Return an element on one of the targets."""
    joint, coordinate, _ = targets[rng.integers(len(targets))]
    where = coordinate_argument(joint, coordinate)
    if kind is parts.Motor:
        return parts.Motor(name, joint.name, effort=random_law(rng, 5.0), **where)
    if kind is not parts.JointSpring:
        return kind(name, joint.name, **random_fields(rng, kind), **where)
    return parts.JointSpring(name, joint.name, stiffness=rng.uniform(1, 20), damping=rng.uniform(0.1, 2),
                             rest=rng.uniform(-0.5, 0.5), effort=random_law(rng, 5.0), **where)


def random_fields(rng, kind):
    """Return values of the fields of a kind of element that only its record is known of."""
    values = {Number: lambda f: rng.uniform(0.1, 1) if f.unit == "m" else rng.uniform(1, 5),
              Three: lambda f: rng.uniform(1, 5, 3), LawField: lambda f: random_law(rng, 5.0),
              Direction: lambda f: random_unit(rng), Flag: lambda f: bool(rng.integers(2))}
    return {f.name: values[type(f)](f) for f in kind.record.fields}


def random_element(rng, kind, name, bodies):
    """Return a force element between two bodies, at places that no joint brings together, or a load on one."""
    one, other = rng.choice(bodies, 2, replace=False)
    first, second = f"{one}.c", random_attachment(rng, other)
    if rng.integers(2):
        first, second = second, first
    if kind is parts.SpringDamper:
        return kind(name, first, second, stiffness=rng.uniform(5, 50), damping=rng.uniform(0.1, 2),
                    length=rng.uniform(0.1, 1), force=random_law(rng, 5.0))
    if kind is parts.Bushing:
        return kind(name, first, second, stiffness=rng.uniform(5, 50, 3), damping=rng.uniform(0.1, 2),
                    turning_stiffness=rng.uniform(1, 10, 3), turning_damping=rng.uniform(0.05, 0.5, 3))
    if kind.record.on == "places":
        return kind(name, first, second, **random_fields(rng, kind))
    load = second if first.startswith("ground") else first
    return kind(name, load, direction=3 * random_unit(rng), magnitude=random_law(rng, 5.0),
                follow=bool(rng.integers(2)))


def random_forces(rng, bodies, joints):
    """Return one element of every kind and more, about one per body; `bodies` are names and contain the ground."""
    targets = scalar_coordinates(joints)
    kinds = [k for k in parts.FORCES if targets or k.record.on != "coordinate"]
    elements = []
    for i in range(max(len(kinds), len(bodies))):
        kind, name = kinds[i % len(kinds)], f"f{i + 1}"
        if kind.record.on == "coordinate":
            elements.append(random_joint_element(rng, kind, name, targets))
        else:
            elements.append(random_element(rng, kind, name, bodies))
    return elements


def random_motion(rng, name, joint, coordinate, x, v):
    """Return a drive that agrees with coordinate x and rate v at t = 0, by position or by speed."""
    where = coordinate_argument(joint, coordinate)
    omega, phase = rng.uniform(1, 4), rng.uniform(-1, 1)
    if rng.integers(2):
        amplitude = rng.uniform(0.5, 1.5)
        law = sine(amplitude=amplitude, omega=omega, phase=phase, offset=v - amplitude * np.sin(phase))
        return parts.Motion(name, joint.name, speed=law, **where)
    amplitude = v / (omega * np.cos(phase))
    law = sine(amplitude=amplitude, omega=omega, phase=phase, offset=x - amplitude * np.sin(phase))
    return parts.Motion(name, joint.name, position=law, **where)


def random_motions(rng, joints, coordinates, rates):
    """Return drives of about a third of all coordinates, and of at least one if there is any."""
    targets = scalar_coordinates(joints)
    count = -(-len(targets) // 3)
    chosen = [targets[k] for k in sorted(rng.choice(len(targets), count, replace=False))] if targets else []
    return [random_motion(rng, f"m{i + 1}", joint, c, coordinates[joint.name][k], rates[joint.name][k])
            for i, (joint, c, k) in enumerate(chosen)]


# --- the model -----------------------------------------------------------------------------------------------------

def random_tree(rng, n_bodies, joints=ALL, forces=True, motions=False, reverse=0.3, frames=True):
    """Return a random tree and a random state of it.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_bodies : int
        Bodies b1, b2, ..., each on a joint j1, j2, ... to the ground or an earlier body.
    joints : sequence of joint classes
        Kinds to use; all of them appear if there are enough bodies.
    forces, motions : bool
        With force elements f1, ... of every kind; with drives m1, ... of a third of the coordinates.
    reverse : float
        Probability that a joint is written from the outer body to the inner one.
    frames : bool
        With turned attachment frames.

    Returns
    -------
    model : Model
    coordinates, rates : dict of str to array
        Of every joint that has any.
    """
    model = Model(f"random tree of {n_bodies}", gravity=tuple(rng.uniform(-10, 10, 3)),
                  ground=random_places(rng, frames))
    names = ["ground"] + [f"b{i + 1}" for i in range(n_bodies)]
    bodies = [random_body(rng, name, frames) for name in names[1:]]
    kinds = [joints[k % len(joints)] for k in rng.permutation(max(n_bodies, len(joints)))]
    drawn = [random_joint(rng, kinds[i], f"j{i + 1}", names[rng.integers(i + 1)], names[i + 1], reverse)
             for i in range(n_bodies)]
    tree = [joint for joint, _, _ in drawn]
    coordinates = {joint.name: q for joint, q, _ in drawn if len(q)}
    rates = {joint.name: u for joint, _, u in drawn if len(u)}
    model.add(*bodies, *tree)
    if forces:
        model.add(*random_forces(rng, names, tree))
    if motions:
        model.add(*random_motions(rng, tree, coordinates, rates))
    return model, coordinates, rates
