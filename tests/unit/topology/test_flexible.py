"""What flexible bodies become in the graph: floating frames, rigid bodies, faces."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.codes import JointCode
from dalembert.topology.flexible import FACES, RIGID
from dalembert.topology.span import span

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)


def model(*parts, **fields):
    """Return a beam of two segments and further parts."""
    rod = dal.Beam("rod", length=1.0, section=dal.Circle(0.01), material=STEEL, bodies=2, **fields)
    return dal.check(dal.Model("m").add(rod, *parts))


def carriers(plan):
    """Body -> (name, code) of the joint that carries it."""
    pairs = zip(plan.order[1:], plan.carrier[1:], strict=True)
    return {plan.model.bodies[i].name: plan.model.joints[k].code for i, k in pairs}


@pytest.mark.parametrize("end, entered", [("start", ["rod.start", "rod.1"]), ("end", ["rod.1", "rod.end"])])
def test_a_segment_is_tangent_where_the_tree_enters_it(end, entered):
    plan = span(model(dal.Fixed("clamp", "ground", f"rod.{end}")))
    frames = [b.floating.frame for b in plan.model.bodies if b.floating is not None]
    assert frames == [f"tangent at {end}"] * 2
    welded = {plan.model.bodies[j.first.body].name for j in plan.model.joints if j.hidden and j.code == JointCode.FIXED}
    assert welded == set(entered)
    assert not plan.has_loops


def test_a_chord_frame_hangs_on_the_ground_and_the_joints_close_loops():
    plan = span(model(dal.Fixed("clamp", "ground", "rod.start"), frame=("start", "end")))
    codes = carriers(plan)
    assert codes["rod 1 (frame)"] == codes["rod 2 (frame)"] == JointCode.FREE
    closing = {plan.model.joints[k].name for k in plan.cut}
    assert "clamp" in closing and len(closing) == 2


def test_hidden_elastic_joints_are_never_cut():
    ends = [dal.Fixed("left", "ground", "rod.start"), dal.Fixed("right", "ground", "rod.end"),
            dal.Fixed("middle", "ground", "rod.1")]
    for fields in ({}, {"frame": "mean-axis"}):
        plan = span(model(*ends, **fields))
        assert not [k for k in plan.cut if plan.model.joints[k].code == JointCode.ELASTIC]


def test_the_rigid_twin_has_the_mass_of_the_beam():
    plan = span(model(dal.Fixed("clamp", "ground", "rod.start")), RIGID)
    mass = sum(b.mass for b in plan.model.bodies)
    assert mass == pytest.approx(7850.0 * np.pi * 0.01**2 / 4, rel=1e-12)
    assert all(b.floating is None for b in plan.model.bodies)
    assert set(carriers(plan).values()) == {JointCode.FIXED}


def test_faces_without_joints_are_free():
    plan = span(model(dal.Fixed("clamp", "ground", "rod.start"), points={"p": 0.1}), FACES)
    assert carriers(plan) == {"rod.start": JointCode.FIXED, "rod.1": JointCode.FREE, "rod.end": JointCode.FREE,
                              "rod.p": JointCode.FIXED}
    assert not plan.has_loops


def test_a_loose_beam_is_refused():
    with pytest.raises(dal.TopologyError, match=r"rod\.start"):
        span(model())
