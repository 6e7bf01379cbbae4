"""A state by name goes to any other plan of the mechanism: other trees, other cut joints, joints written the other way."""

from dataclasses import replace

import numpy as np
import pytest
from physics.closed_mechanisms import closed_mechanism
from physics.loop_models import Z, parallelogram, slider_crank
from random_models import random_tree

import dalembert as dal
from dalembert.start.frame import results_of_state
from dalembert.start.initial import prepare_start, start_at
from dalembert.start.state import state_of

EPS = np.finfo(float).eps
ROUNDINGS = 1e4
"""Of a chain of a dozen joints with lengths, turns and velocities of up to ten."""
CLOSED = 1e-10
"""Violation of an assembled mechanism relative to its size, some times over along a chain."""


def differences(state, other, names):
    """Largest differences of poses and of velocities of bodies."""
    pairs = [(state.bodies[name], other.bodies[name]) for name in names]
    return (max(max(np.abs(a.position - b.position).max(), np.abs(a.rotation - b.rotation).max()) for a, b in pairs),
            max(max(np.abs(a.velocity - b.velocity).max(), np.abs(a.angular_velocity - b.angular_velocity).max())
                for a, b in pairs))


def fastest(state):
    """Largest component of all velocities, or one."""
    return max([1.0, *(np.abs([m.velocity, m.angular_velocity]).max() for m in state.bodies.values())])


def bodies_of(model):
    return [body.name for body in model.bodies]


# --- trees ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(12))
def test_the_same_plan_takes_a_state_bit_by_bit(seed):
    model, _, _ = random_tree(np.random.default_rng(seed), 8)
    begin = prepare_start(model)
    again = start_at(model, begin.state)
    assert np.array_equal(again.q, begin.q)
    assert np.allclose(again.qd, begin.qd, rtol=ROUNDINGS * EPS, atol=ROUNDINGS * EPS)
    assert not [text for text in again.messages if text.startswith("state")]


@pytest.mark.parametrize("seed", range(24))
def test_joints_follow_from_the_poses_of_their_bodies(seed):
    """Without the joints' own numbers, and with parts in another order: all joints of the library, written both ways."""
    rng = np.random.default_rng(seed)
    model, coordinates, rates = random_tree(rng, 9, forces=False)
    state = replace(prepare_start(model).state, joints={})
    bodies, joints = list(model.bodies), list(model.joints)
    other = dal.Model("other", ground=model.ground)
    other.add(*(bodies[i] for i in rng.permutation(len(bodies))))
    other.add(*(replace(joints[i], start=None, start_rate=None) for i in rng.permutation(len(joints))))
    begin = start_at(other, state)
    moved, sped = differences(state, begin.state, bodies_of(model))
    assert moved <= ROUNDINGS * EPS and sped <= ROUNDINGS * EPS * fastest(state)
    for name, q in coordinates.items():
        found = begin.state.joints[name].coordinates
        kind = type(model[name]).__name__
        if kind in ("Spherical", "Free"):  # unit quaternions, of either sign
            q = np.append(q[:-4], q[-4:] / np.linalg.norm(q[-4:]))
            q = np.append(q[:-4], q[-4:] * np.sign(q[-4:] @ found[-4:]))
        assert found == pytest.approx(q, abs=ROUNDINGS * EPS), kind
        assert begin.state.joints[name].rates == pytest.approx(rates[name], abs=ROUNDINGS * EPS * fastest(state)), kind


@pytest.mark.parametrize("seed", range(12))
def test_joints_may_be_written_the_other_way_round(seed):
    """The names then belong to other coordinates, and the poses decide."""
    rng = np.random.default_rng(seed)
    model, _, _ = random_tree(rng, 8, forces=False, reverse=0.0)
    state = prepare_start(model).state
    for joint in list(model.joints):
        if not isinstance(joint, dal.Universal) and rng.random() < 0.5:
            kept = {"start": None, "start_rate": None}
            model = model.replaced(joint.name, first=joint.second, second=joint.first, **kept)
    begin = start_at(model, state)
    moved, sped = differences(state, begin.state, bodies_of(model))
    assert moved <= ROUNDINGS * EPS and sped <= ROUNDINGS * EPS * fastest(state)


def test_turns_are_kept_and_told_by_a_screw():
    def spindle(joint, start):
        return dal.Model("spindle").add(dal.Body("nut", mass=1.0, inertia=(1, 1, 1)),
                                        joint("j", "ground", "nut", axis=Z, **start))

    for joint, more in ((dal.Revolute, {}), (dal.Screw, {"pitch": 0.01})):
        model = spindle(joint, {"start": 40.0, "start_rate": 2.0, **more})
        state = prepare_start(model).state
        assert start_at(model, state).q[0] == 40.0
    unnamed = start_at(model, replace(state, joints={}))
    assert unnamed.q[0] == pytest.approx(40.0, abs=ROUNDINGS * EPS * 40 / more["pitch"])


# --- loops ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("made", [lambda: parallelogram(0.5, 1.3), lambda: slider_crank(0.4, start_rate=2.0)])
def test_other_cut_joints_keep_poses_and_velocities(made):
    model = made()
    state = prepare_start(model).state
    names = [joint.name for joint in model.joints]
    for cut in names:
        other = model
        for name in names:
            other = other.replaced(name, start=None, start_rate=None, cut=name == cut)
        begin = start_at(other, state)
        assert [begin.packed.plan.model.joints[k].name for k in begin.packed.plan.cut] == [cut]
        moved, sped = differences(state, begin.state, bodies_of(model))
        assert moved <= CLOSED and sped <= CLOSED * fastest(state), cut
        assert not [text for text in begin.messages if text.startswith("state")]
        back = start_at(model, begin.state)
        home = prepare_start(model)
        assert back.q == pytest.approx(home.q, abs=CLOSED) and back.qd == pytest.approx(home.qd, abs=CLOSED * fastest(state))


@pytest.mark.parametrize("seed", range(10))
def test_random_mechanisms_keep_poses_on_any_tree(seed):
    """Every joint that closes a loop changes its place with one that does not."""
    rng = np.random.default_rng(seed)
    model = closed_mechanism(rng, 5, 5)
    state = prepare_start(model).state
    for joint in rng.permutation([joint.name for joint in model.joints]):
        other = model.replaced(str(joint), start=None, start_rate=None, cut=True)
        try:
            begin = start_at(other, state)
        except dal.TopologyError:  # nothing else carries its body
            continue
        moved, sped = differences(state, begin.state, bodies_of(model))
        assert moved <= CLOSED and sped <= CLOSED * fastest(state)


def test_a_joint_that_carries_a_stand_in_is_known_too():
    """A drive on the joint that closes the loop makes it carry one."""
    model = parallelogram(0.5, 1.3)
    state = prepare_start(model).state
    sprung = model.replaced("d", cut=True).add(dal.JointSpring("stiff", "d", stiffness=1.0))
    begin = start_at(sprung, state)
    assert begin.packed.plan.split
    moved, sped = differences(state, begin.state, bodies_of(model))
    assert moved <= CLOSED and sped <= CLOSED * fastest(state)
    assert begin.state.joints["d"].coordinates == pytest.approx(state.joints["d"].coordinates, abs=CLOSED)
    assert results_of_state(begin, begin.t)["constraints.position"][0] <= CLOSED


# --- edited models -------------------------------------------------------------------------------------------------

def test_added_parts_begin_as_the_model_says_and_others_stay():
    model = parallelogram(0.5, 1.3)
    state = prepare_start(model).state
    more = model.replaced().add(dal.Body("flag", mass=0.1, inertia=(1e-3,) * 3, points={"top": (0, 0.1, 0)}),
                                dal.Revolute("mast", "bar", "flag", axis=Z, start=0.3, start_rate=-2.0),
                                dal.Body("ball", mass=0.1, inertia=(1e-3,) * 3),
                                dal.Spherical("eye", "flag.top", "ball"))
    begin = start_at(more, state)
    moved, sped = differences(state, begin.state, bodies_of(model))
    assert moved <= CLOSED and sped <= CLOSED * fastest(state)
    assert begin.state.joints["mast"].coordinates == pytest.approx([0.3]) and begin.state.joints["mast"].rates == [-2.0]
    assert any("'mast', 'eye' begin as the model says" in text for text in begin.messages)


def test_a_body_put_between_two_others_has_the_joint_behind_it_follow():
    plain = dal.Model("two").add(dal.Body("a", mass=1.0, inertia=(1, 1, 1), points={"tip": (1, 0, 0)}),
                                 dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
                                 dal.Revolute("j", "ground", "a", axis=Z, start=0.2, start_rate=1.0),
                                 dal.Free("f", "a.tip", "b", start=(0.1, 0.2, 0.3, 1, 0, 0, 0), start_rate=(1, 2, 3, 4, 5, 6)))
    state = prepare_start(plain).state
    between = plain.without("f").add(dal.Body("c", mass=1.0, inertia=(1, 1, 1)),
                                     dal.Revolute("k", "a.tip", "c", axis=(1, 0, 0), start=0.7, start_rate=3.0),
                                     dal.Free("g", "c", "b"))
    begin = start_at(between, state)
    moved, sped = differences(state, begin.state, ["a", "b"])
    assert moved <= ROUNDINGS * EPS and sped <= ROUNDINGS * EPS * fastest(state)


def test_removed_joints_open_the_loop_and_leave_everything_in_place():
    model = parallelogram(0.5, 1.3)
    state = prepare_start(model).state
    begin = start_at(model.without("d"), state)
    moved, sped = differences(state, begin.state, bodies_of(model))
    assert not begin.packed.plan.has_loops and moved <= CLOSED and sped <= CLOSED * fastest(state)


def test_what_cannot_be_kept_is_told():
    """A revolute joint in the place of a ball cannot keep the ball's turn."""
    tilt = (np.cos(0.2), np.sin(0.2), 0, 0)
    ball = dal.Model("ball").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
                                 dal.Spherical("j", "ground", "b", start=tilt, start_rate=(1, 0, 0)))
    state = prepare_start(ball).state
    begin = start_at(ball.without("j").add(dal.Revolute("j", "ground", "b", axis=Z)), state)
    assert any("body 'b' could not be kept" in text for text in begin.messages)
    assert not any("could not be kept" in text for text in start_at(ball, state).messages)


def test_a_violated_constraint_is_told_and_left():
    model = parallelogram(0.5)
    state = prepare_start(model).state
    longer = model.replaced("bar", points={"end": (1.1, 0, 0)})
    begin = start_at(longer, state)
    along = 0.1 * np.cos(0.5)  # in the axes of the arm
    assert any(f"taken as it is, 'd' lacks {along:.4g} m (moving along x)" in text for text in begin.messages)
    assert differences(state, begin.state, ["left", "right", "bar"])[0] <= CLOSED


@pytest.mark.parametrize(("amplitude", "offset", "words"), [
    (1.0, 0.4, []), (0.5, 0.5, ["coordinate moved from 0.4 to 0.5", "rate moved from 2 to 1"])])
def test_drives_that_do_not_go_on_are_told(amplitude, offset, words):
    """A drive added to a moving mechanism moves it at once; one that goes on where it is says nothing."""
    model = slider_crank(0.4, start_rate=2.0)
    state = prepare_start(model).state
    law = dal.sine(amplitude=amplitude, omega=2.0, offset=offset)
    begin = start_at(model.replaced().add(dal.Motion("engine", "main", position=law)), state)
    told = [text for text in begin.messages if "engine" in text]
    assert told == [f"joint 'main': {word} by the drive 'engine'" for word in words]


# --- constants left open -------------------------------------------------------------------------------------------

def test_open_constants_are_those_of_the_state():
    """A string's length and a gear's offset are what they were at the first start, not what a later position gives."""
    model = dal.Model("held", gravity=(0, 0, 0)).add(
        dal.Body("a", mass=1.0, inertia=(1, 1, 1), points={"tip": (1, 0, 0)}), dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
        dal.Revolute("j", "ground", "a", axis=Z, start=0.3), dal.Revolute("k", "ground", "b", axis=Z, start=0.5),
        dal.Gear("mesh", "j", "k", ratio=-2.0), dal.Body("c", mass=1.0, inertia=(1, 1, 1)),
        dal.Free("f", "ground", "c", start=(2, 1, 0)), dal.Distance("string", "a.tip", "c"))
    begin = prepare_start(model)
    state = begin.state
    assert set(state.constants) == {"mesh", "string"}
    off = replace(state, bodies={}, joints={**state.joints, "j": replace(state.joints["j"], coordinates=np.array([0.31]))})
    again = start_at(model, off)
    assert again.state.constants == state.constants
    assert any("taken as it is" in text and "'mesh'" in text for text in again.messages)
    new = start_at(model, replace(off, constants={}))
    assert not any("taken as it is" in text for text in new.messages)
    assert new.state.constants["mesh"] != state.constants["mesh"]


def test_a_state_is_told_by_its_frame():
    """Poses are those of the channels."""
    model, _, _ = random_tree(np.random.default_rng(4), 6)
    begin = prepare_start(model)
    r = results_of_state(begin, begin.t)
    for name in bodies_of(model):
        m = state_of(begin.packed, 0.0, begin.q, begin.qd).bodies[name]
        for value, channel in zip(m, ("position", "rotation", "velocity", "angular_velocity"), strict=True):
            assert value == pytest.approx(r[f"{name}.{channel}"][0], abs=ROUNDINGS * EPS * fastest(begin.state))
