"""Frames of flexible bodies act in every formulation, and answers do not depend on them; planar bodies in plane and space."""

import numpy as np
import pytest

import dalembert as dal

EPS = np.finfo(float).eps
SOFT = dal.Material(young=2.1e9, poisson=0.3, density=7850.0)
LENGTH, FORMULATIONS = 0.5, ("semi-recursive", "global")
FRAMES = ("hub", "tip", "core", "+y", ("hub", "tip"), "mean-axis")


@pytest.fixture(scope="module")
def solid():
    fe = dal.flex.box((LENGTH, 0.05, 0.04), divisions=(10, 2, 2), material=SOFT)
    core = fe.nodes_where(lambda x, y, z: np.abs(x - 0.25) < 1e-9)
    return dal.flex.craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x"}, points={"core": core}, modes=2)


def cantilever(body, load, frame=None, direction=(0, 0, 1)):
    """A clamped arm and a force at its tip."""
    return dal.Model("arm", gravity=(0, 0, 0)).add(
        dal.FlexibleBody("arm", body, frame=frame), dal.Fixed("clamp", "ground", "arm.hub"),
        dal.Force("load", at="arm.tip", direction=direction, magnitude=load))


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_equilibria_differ_by_the_square_of_the_deformation(solid, frame):
    """Linear theory in any frame: the tip differs by terms of second order, a quarter for half the load."""
    apart, bent = [], []
    for load in (80.0, 40.0):
        one, other = (dal.static(cantilever(solid, load, f)) for f in (None, frame))
        apart.append(np.linalg.norm(one["arm.tip.position"][-1] - other["arm.tip.position"][-1]) / LENGTH)
        bent.append(one["arm.tip.position"][-1, 2] / LENGTH)
    assert bent[0] > 0.01 and apart[0] < bent[0] ** 2
    assert apart[1] < 0.3 * apart[0] + 1e-9  # a quarter, and what the equilibrium is solved to


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_channels_of_the_body_are_those_of_its_frame_in_every_formulation(solid, frame):
    """Position and orientation of the same frame, to the square of the deformation."""
    found = {f: dal.run(cantilever(solid, 40.0, frame), until=0.01, step=2e-4, formulation=f) for f in FORMULATIONS}
    for r in found.values():
        assert np.array_equal(r["arm.position"], r["arm.frame.position"])
        assert np.array_equal(r["arm.orientation"], r["arm.frame.orientation"])
        if frame in ("hub", "tip"):
            assert np.abs(r["arm.position"] - r[f"arm.{frame}.position"]).max() < 1e-9
            assert np.abs(r["arm.orientation"] - r[f"arm.{frame}.orientation"]).max() < 1e-9
    tree, direct = found.values()
    bent = np.abs(tree["arm.tip.position"][:, 2]).max() / LENGTH
    assert np.abs(tree["arm.position"] - direct["arm.position"]).max() < bent**2 * LENGTH
    assert np.abs(tree["arm.orientation"] - direct["arm.orientation"]).max() < bent**2
    turned = np.abs(tree["arm.orientation"][:, 2]).max()
    assert (turned > 0.1 * bent) == (frame != "hub")  # all but that at the clamp turn with the body


def test_without_a_choice_the_body_is_its_first_interface(solid):
    r = dal.run(cantilever(solid, 40.0), until=0.002, step=2e-4)
    assert np.array_equal(r["arm.position"], r["arm.hub.position"]) and "arm.frame.position" not in r.channels


def test_frames_of_a_beam_act_in_interface_coordinates():
    """They were without effect; more segments bring them together with second order, the chord and mid-length with fourth."""
    apart = []
    for bodies in (2, 4):
        tips = []
        for frame in (None, "start", ("start", "end")):
            m = dal.Model("beam", gravity=(0, 0, 0)).add(
                dal.Beam("rod", length=LENGTH, section=dal.Rectangle(height=0.05, width=0.04), material=SOFT, bodies=bodies,
                         frame=frame),
                dal.Fixed("clamp", "ground", "rod"),
                dal.Force("load", at="rod.end", direction=(0, 0, 1), magnitude=1000.0))
            tips.append(dal.static(m)["rod.end.position"][-1])
        apart.append([np.linalg.norm(tip - tips[0]) for tip in tips[1:]])
    assert np.min(apart) > 1e-8  # they act: a hundred times what the solver leaves of 1e-10 of the length
    assert np.all(np.array(apart[1]) < 0.4 * np.array(apart[0]))  # a quarter, and terms of higher order


# --- planar models -------------------------------------------------------------------------------------------------

def flat(modes=2):
    fe = dal.flex.plate((LENGTH, 0.05), thickness=0.04, divisions=(20, 4), material=SOFT)
    return dal.flex.craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x"}, modes=modes)


def test_a_plate_bends_in_its_plane_like_a_beam():
    """Static deflection of a Timoshenko beam, whose sections at the ends warp: the ends are held within their height."""
    load, second, area = 40.0, 0.04 * 0.05**3 / 12, 0.04 * 0.05
    k = dal.Rectangle(height=0.05, width=0.04).shear_factors(0.3)[0]
    beam = load * LENGTH**3 / (3 * SOFT.young * second) + load * LENGTH / (k * SOFT.shear_modulus * area)
    tip = dal.static(cantilever(flat(), load, direction=(0, 1, 0)))["arm.tip.position"][-1]
    assert tip[1] == pytest.approx(beam, rel=0.3**2 * 0.05 / LENGTH + (beam / LENGTH) ** 2)
    assert tip[2] == 0.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_in_space_a_planar_body_moves_out_of_its_plane_as_a_rigid_one(formulation):
    """Hinged about its long axis, off it, it swings like the lamina that it is."""
    body = flat()
    lamina = dal.Body("arm", mass=body.mass, com=body.com, inertia=body.inertia)
    angles = []
    for part, place in ((dal.FlexibleBody("arm", body), "arm.hub"), (lamina, "arm")):
        m = dal.Model("door", gravity=(0, 0, -9.81)).add(part, dal.Revolute("hinge", "ground", place, axis=(0, 1, 0)))
        angles.append(dal.run(m, until=0.4, step=1e-3, formulation=formulation)["hinge.angle"])
    assert np.abs(angles[1]).max() > 1.0
    stretch = body.mass * 9.81 / (SOFT.young * 0.04 * 0.05)  # in its plane it is elastic: strain by its weight
    assert np.abs(angles[0] - angles[1]).max() < 10 * stretch + 2e-3 * (formulation == "global")
