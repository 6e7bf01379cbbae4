"""Frames of reduced bodies: material points and sets of nodes of solids, chords, mean axes."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.errors import ModelError
from dalembert.flex.body_frame import body_frame
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.flex.superelement import superelement
from dalembert.model.check import check
from dalembert.model.flexible import Material

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
ENDS = {"hub": "-x", "tip": "+x"}


def solid():
    fe = box((0.5, 0.08, 0.05), divisions=(6, 2, 2), material=STEEL)
    fe.sets["edge"] = np.flatnonzero((np.abs(fe.nodes[:, 1] - 0.04) < 1e-9) & (np.abs(fe.nodes[:, 2] - 0.025) < 1e-9))
    fe.sets["core"] = fe.nodes_where(lambda x, y, z: np.abs(x - 0.25) < 0.1)
    node = int(np.argmin(np.linalg.norm(fe.nodes - [0.25, 0.0, 0.0], axis=1)))
    return craig_bampton(fe, interfaces=ENDS, modes=3, points={"node": node, "section": fe.sets["core"]})


def flat():
    fe = plate((0.5, 0.08), thickness=0.01, divisions=(10, 2), material=STEEL)
    return craig_bampton(fe, interfaces=ENDS, modes=3, points={"node": 15, "section": "+y"})


BODIES = {"solid": solid(), "plate": flat()}
FRAMES = ("hub", "tip", "node", "section", "+y", ("hub", "tip"), ("tip", "hub"), "mean-axis")


@pytest.mark.parametrize("frame", FRAMES, ids=str)
@pytest.mark.parametrize("kind", BODIES)
def test_a_frame_follows_rigid_motions_exactly(kind, frame):
    """Phi P = 1, of solids by the weighted average of nodes."""
    reduced = BODIES[kind]
    found = body_frame(reduced, frame)
    rigid = reduced.rigid_modes(found.origin)
    rigid[~reduced.active] = 0.0
    expected = np.diag([1.0, 1, 0, 0, 0, 1]) if reduced.model.is_planar else np.eye(6)
    assert np.abs(found.motion @ rigid - expected).max() < 1e5 * EPS


@pytest.mark.parametrize("frame", FRAMES, ids=str)
@pytest.mark.parametrize("kind", BODIES)
def test_elastic_coordinates_do_not_move_the_frame(kind, frame):
    reduced = BODIES[kind]
    floating = reduced.floating(frame, stiffening=False)
    moved = body_frame(reduced, frame).motion @ floating.coordinates
    assert np.abs(moved).max() < 1e-9 * np.abs(floating.coordinates).max()  # shapes are small differences of large ones


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_vibrations_of_the_free_body_do_not_depend_on_its_frame(frame):
    """Elastic motion and frame together are all motions of the body: M and K of both have the same frequencies."""
    reduced = BODIES["solid"]

    def free(floating):
        n = floating.n
        mass = floating.constants.mass_matrix(np.zeros(n))
        stiffness = np.zeros_like(mass)
        stiffness[6:, 6:] = floating.stiffness
        return np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real)[6:]

    first, found = free(reduced.floating("hub", stiffening=False)), free(reduced.floating(frame, stiffening=False))
    assert found == pytest.approx(first, rel=1e-8)  # of the square of the lowest frequency, 1e-3 of the highest


def test_a_set_of_nodes_without_a_name_is_the_mean_motion_of_its_nodes():
    reduced = BODIES["solid"]
    by_set, by_point = body_frame(reduced, "core"), body_frame(reduced, "section")
    assert np.array_equal(by_set.origin, by_point.origin)
    assert np.abs(by_set.motion - by_point.motion).max() < 1e4 * EPS


@pytest.mark.parametrize("frame", FRAMES, ids=str)
@pytest.mark.parametrize("kind", BODIES)
def test_superelements_take_every_frame(kind, frame):
    found = superelement(BODIES[kind], frame)
    assert np.abs(found.frame_motion @ found.rigid_modes() - np.eye(6)).max() < 1e5 * EPS
    assert found.points["frame"].position == pytest.approx(np.zeros(3), abs=0) and not found.points["frame"].motion.any()


def test_nodes_on_a_line_are_no_frame():
    with pytest.raises(ModelError, match="line.*span an area"):
        body_frame(BODIES["solid"], "edge")


@pytest.mark.parametrize("frame, words", [
    ("rim", ("rim", "hub, tip", "section", "mean-axis")),
    (("hub", "hub"), ("chord", "hub")),
    (("hub", "section"), ("chord", "hub, tip")),
    ("edge", ("line", "area")),
    (3, ("3", "expected an interface")),
])
def test_what_is_no_frame_is_refused_in_a_model(frame, words):
    with pytest.raises(ModelError) as error:
        check(dal.Model("arm").add(dal.FlexibleBody("arm", BODIES["solid"], frame=frame)))
    assert "flexible.arm.frame" in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_a_body_that_has_its_frame_takes_no_other():
    """It was without effect."""
    floating = BODIES["solid"].floating("hub", stiffening=False)
    with pytest.raises(ModelError, match="has its frame already: tangent at hub.*leave `frame` out"):
        check(dal.Model("arm").add(dal.FlexibleBody("arm", floating, frame="tip")))


def test_the_name_of_the_frame_is_taken():
    fe = box((0.5, 0.08, 0.05), divisions=(4, 1, 1), material=STEEL)
    reduced = craig_bampton(fe, interfaces={"frame": "-x", "tip": "+x"}, modes=0)
    with pytest.raises(ModelError, match="flexible.arm.frame: the body has a place of the name 'frame'"):
        check(dal.Model("arm").add(dal.FlexibleBody("arm", reduced, frame="tip")))


def test_joints_do_not_act_on_the_frame_but_on_the_first_interface():
    m = dal.Model("arm").add(dal.FlexibleBody("arm", BODIES["solid"], frame="mean-axis"), dal.Fixed("clamp", "ground", "arm"))
    checked = check(m)
    assert checked.bodies[checked.joints[0].second.body].name == "arm.hub"
    with pytest.raises(ModelError, match="'arm' has no point 'frame'"):
        check(dal.Model("arm").add(dal.FlexibleBody("arm", BODIES["solid"], frame="tip"),
                                   dal.Fixed("clamp", "ground", "arm.frame")))
