"""The package's kernels against the reference formulation (dense, maximal coordinates) on random trees.

Both work in double precision.  The reference loses `condition` units of the last place in its solve, the recursion
about as many on its way through the tree; `tolerance` gives both together, relative to the largest entry of the same
dimension in the state, since round-off of the largest force or acceleration reaches the others through the joints.
"""

import numpy as np
import pytest
from brute_force import reference_state
from brute_motion import sandwich
from random_models import ALL, random_tree

from dalembert.model.check import check
from dalembert.start.frame import assemble

EPS = np.finfo(float).eps
SEEDS = range(5)


def largest(vectors):
    """Return the largest absolute entry of some vectors, at least one."""
    return max([1.0, *(np.abs(v).max() for v in vectors if np.size(v))])


def tolerance(ref, scale):
    """Return the round-off of the two solutions for a quantity of size `scale`."""
    return 2 * ref.unknowns * EPS * ref.condition * scale


def same(ref, results, channel, expected, scale):
    """Assert that a channel's only frame is the expected one."""
    found = np.asarray(results[channel])[0]
    error = np.abs(found - np.reshape(expected, np.shape(found))).max()
    assert error <= tolerance(ref, scale), f"{channel}: found {found}, expected {expected}"


def compare_bodies(ref, results):
    """Compare poses, velocities and accelerations of all bodies."""
    moving = {name: body for name, body in ref.bodies.items() if name != "ground"}
    for field in ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
        scale = largest(getattr(body, field) for body in moving.values())
        for name, body in moving.items():
            same(ref, results, f"{name}.{field}", getattr(body, field), scale)
    for name, body in moving.items():
        quaternion = np.asarray(results[f"{name}.orientation"])[0]
        assert np.abs(sandwich(quaternion, quaternion) - body.rotation).max() <= tolerance(ref, 1.0)


def compare_joints(ref, results):
    """Compare the accelerations and reactions of all joints."""
    for field in ("acceleration", "force", "torque"):
        scale = largest(getattr(joint, field) for joint in ref.joints.values())
        if field == "torque":
            scale = max(scale, largest(joint.force for joint in ref.joints.values()))
        for name, joint in ref.joints.items():
            if np.size(getattr(joint, field)):
                same(ref, results, f"{name}.{field}", getattr(joint, field), scale)


def compare_sums(ref, results):
    """Compare energies and momenta."""
    energy = largest([ref.kinetic, ref.potential])
    momentum = largest([ref.linear_momentum, ref.angular_momentum])
    same(ref, results, "energy.kinetic", ref.kinetic, energy)
    same(ref, results, "energy.potential", ref.potential, energy)
    same(ref, results, "momentum.linear", ref.linear_momentum, momentum)
    same(ref, results, "momentum.angular", ref.angular_momentum, momentum)


def compare(model, coordinates, rates, t=0.0):
    """Compare everything about one state."""
    ref = reference_state(check(model), coordinates, rates, t)
    results = assemble(model, t, start=coordinates, start_rate=rates)
    compare_bodies(ref, results)
    compare_joints(ref, results)
    compare_sums(ref, results)


@pytest.mark.parametrize("reverse", [0.0, 1.0])
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_body_on_every_kind_of_joint(kind, reverse, seed):
    """The smallest case that can fail: one joint, one body, no forces but gravity."""
    compare(*random_tree(np.random.default_rng(seed), 1, joints=(kind,), forces=False, reverse=reverse))


@pytest.mark.parametrize("reverse", [0.0, 1.0])
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_three_bodies_of_one_kind_of_joint_with_forces(kind, reverse, seed):
    """Every kind of joint with every kind of force element that fits it."""
    compare(*random_tree(np.random.default_rng(seed), 3, joints=(kind,), reverse=reverse))


@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_trees_of_all_joints_without_forces(seed, frames):
    """All kinds of joints in one tree, in straight and in turned frames."""
    compare(*random_tree(np.random.default_rng(seed), 9, forces=False, frames=frames))


@pytest.mark.parametrize("t", [0.0, 0.7])
@pytest.mark.parametrize("seed", SEEDS)
def test_trees_of_all_joints_with_forces(seed, t):
    """All kinds of joints and force elements; laws at two times."""
    compare(*random_tree(np.random.default_rng(seed), 12), t=t)


@pytest.mark.parametrize("forces", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_trees_with_drives(seed, forces):
    """Drives by position and by speed: the motion they force and the reactions they cost."""
    compare(*random_tree(np.random.default_rng(seed), 9, forces=forces, motions=True))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_large_trees(seed):
    """Forty bodies, joints in both directions, everything on."""
    compare(*random_tree(np.random.default_rng(seed), 40, motions=True))
