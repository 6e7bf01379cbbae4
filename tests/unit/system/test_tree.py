"""Spanning trees: the properties that `topology.span` promises, and what packing makes of them."""

import numpy as np
import pytest
from random_models import random_tree

import dalembert as dal
from dalembert.model.check import check
from dalembert.start.formulations import choose_formulation
from dalembert.topology.span import span


def tree_of(*parts, **more):
    """Return the plan of a model of bodies and joints."""
    return span(check(dal.Model("m", **more).add(*parts)))


def bodies(names):
    """Return bodies of one kilogram."""
    return [dal.Body(name, mass=1.0, inertia=(1, 1, 1)) for name in names]


def parents(plan):
    """Return the position in tree order of each entry's parent, -1 for the ground."""
    place = {body: i for i, body in enumerate(plan.order)}
    joints = plan.model.joints
    ends = [(joints[k].first.body, joints[k].second.body) for k in plan.carrier[1:]]
    return [-1, *(place[second if turned else first]
                  for (first, second), turned in zip(ends, plan.reversed[1:], strict=True))]


def random_plan(seed, n=15):
    """Return the plan of a random tree whose parts were added in random order."""
    rng = np.random.default_rng(seed)
    model, _, _ = random_tree(rng, n, forces=False, reverse=0.5)
    shuffled, parts = dal.Model("shuffled", ground=model.ground), list(model)
    return span(check(shuffled.add(*(parts[k] for k in rng.permutation(len(parts))))))


@pytest.mark.parametrize("seed", range(5))
def test_parents_come_before_children(seed):
    plan = random_plan(seed)
    assert plan.order[0] == 0 and sorted(plan.order) == list(range(16))
    assert all(p < i for i, p in enumerate(parents(plan)))


@pytest.mark.parametrize("seed", range(5))
def test_every_subtree_is_a_contiguous_range(seed):
    parent = parents(random_plan(seed))
    for root in range(1, len(parent)):
        inside = {root}
        for i in range(root + 1, len(parent)):
            if parent[i] in inside:
                inside.add(i)
        assert sorted(inside) == list(range(root, root + len(inside)))


@pytest.mark.parametrize("seed", range(5))
def test_each_body_is_carried_by_a_joint_of_its_own(seed):
    plan = random_plan(seed)
    assert plan.carrier[0] == -1 and len(set(plan.carrier[1:])) == 15
    assert plan.cut == ()
    for body, k, turned in zip(plan.order[1:], plan.carrier[1:], plan.reversed[1:], strict=True):
        joint = plan.model.joints[k]
        assert (joint.first if turned else joint.second).body == body


def test_joints_with_a_start_are_preferred():
    """A triangle: whichever joint lacks a start closes the loop."""
    for left_out in range(3):
        start = [{} if k == left_out else {"start": 0.1} for k in range(3)]
        plan = tree_of(*bodies("ab"), dal.Revolute("j0", "ground", "a", **start[0]),
                       dal.Revolute("j1", "a", "b", **start[1]), dal.Revolute("j2", "ground", "b", **start[2]))
        assert plan.cut == (left_out,)


def test_cut_joints_close_loops_and_trees_refuse_them():
    plan = tree_of(*bodies("ab"), dal.Revolute("j0", "ground", "a"), dal.Revolute("j1", "a", "b", cut=True),
                   dal.Revolute("j2", "ground", "b"))
    assert plan.cut == (1,)
    with pytest.raises(dal.TopologyError, match="'j1' closes a loop"):
        choose_formulation("recursive", plan)


def test_a_joint_that_closes_a_loop_carries_a_stand_in_if_its_coordinate_is_used():
    """All three joints have a start: the one left over is split, so that its coordinate exists."""
    plan = tree_of(*bodies("ab"), *(dal.Revolute(f"j{k}", *ends, start=0.1)
                                    for k, ends in enumerate((("ground", "a"), ("a", "b"), ("ground", "b")))))
    assert plan.cut == () and len(plan.split) == 1
    assert sorted(plan.order) == [0, 1, 2, 3]
    assert plan.order.index(3) > 0 and plan.carrier[plan.order.index(3)] == plan.split[0]


@pytest.mark.parametrize("user", [dal.JointSpring("s", "j2", stiffness=1.0), dal.Motor("s", "j2", effort=1.0),
                                  dal.Motion("s", "j2", position=0.0), dal.Gear("s", "j0", "j2", ratio=2.0)])
def test_joints_that_something_acts_on_are_preferred(user):
    plan = tree_of(*bodies("ab"), dal.Revolute("j0", "ground", "a"), dal.Revolute("j1", "a", "b"),
                   dal.Revolute("j2", "a", "b", cut=None), user)
    assert 2 in plan.carrier


def test_loose_bodies_are_named():
    with pytest.raises(dal.TopologyError, match="'c', 'd'.*Free"):
        tree_of(*bodies("abcd"), dal.Revolute("j0", "ground", "a"), dal.Revolute("j1", "b", "a"),
                dal.Revolute("j2", "c", "d"))


def test_no_bodies_and_one_body():
    assert tree_of().order == (0,)
    plan = tree_of(*bodies("a"), dal.Fixed("j", "a", "ground"))
    assert plan.order == (0, 1) and plan.reversed == (False, True)
