"""Floating bodies of a plane: shapes that are their own mirror images, modes up to a frequency and with other supports."""

import numpy as np
import pytest
from promises import SAME_SHAPE

import dalembert as dal

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)


def rod(modes=4):
    """A round rod, whose bending modes come in pairs of equal frequency, mixed in any way."""
    fe = dal.flex.beam(length=0.3, section=dal.Circle(0.006), material=STEEL, elements=12, theory="euler-bernoulli")
    return dal.flex.craig_bampton(fe, interfaces={"start": "start", "end": "end"}, modes=modes)


@pytest.mark.parametrize(("plane", "across"), [("xy", 2), ("xz", 1)])
def test_a_rod_of_a_plane_bends_within_it_alone(plane, across):
    body = rod()
    planar = body.floating("start", plane=plane)
    whole = body.floating("start")
    assert planar.n == whole.n // 2  # half of the bending modes; stretching stays and torsion goes
    field = (body.basis @ planar.coordinates)[body.model.dof_direction == across]
    assert np.max(abs(field)) <= SAME_SHAPE * np.max(abs(body.basis @ planar.coordinates))
    assert all(np.min(abs(whole.frequencies - f)) <= 1e-8 * f for f in planar.frequencies)


def test_a_solid_is_split_into_symmetric_and_other_shapes():
    fe = dal.flex.box((0.4, 0.03, 0.02), divisions=(6, 2, 2), material=STEEL)
    body = dal.flex.craig_bampton(fe, interfaces={"a": fe.face("-x"), "b": fe.face("+x")}, modes=4)
    whole, planar = body.floating("a"), body.floating("a", plane="xy")
    lost = [f for f in whole.frequencies if np.min(abs(planar.frequencies - f)) > 1e-6 * f]
    assert 0 < planar.n < whole.n and len(lost) == whole.n - planar.n


def test_modes_up_to_a_frequency():
    whole = rod().floating("start", plane="xy")
    limit = whole.frequencies[2]
    short = rod().floating("start", plane="xy", max_frequency=limit)
    assert short.frequencies == pytest.approx(whole.frequencies[:3], rel=1e-12)
    assert short.places["end"].motion == pytest.approx(whole.places["end"].motion[:, :3], abs=1e-9 * abs(
        whole.places["end"].motion).max())
    assert short.stiffening.spin.shape == (6, 3, 3)


HINGES = {"start": "displacement", "end": "displacement"}


@pytest.mark.parametrize(("supports", "half_waves"), [
    (HINGES, (1, 2)), ({"start": "displacement", "end": "rotation"}, (0.5, 1.5))])
def test_modes_with_supports_are_those_of_a_supported_rod(supports, half_waves):
    """Whole half waves between hinges; between a hinge and a slide that keeps the direction half of one less."""
    planar = rod(8).floating("start", plane="xy", supports=supports)
    length, area = 0.3, np.pi * 0.003**2
    wave = np.array(half_waves) * np.pi / length
    rod_frequency = wave**2 * np.sqrt(STEEL.young * np.pi * 0.003**4 / 4 / (STEEL.density * area)) / (2 * np.pi)
    assert planar.frequencies[:2] == pytest.approx(rod_frequency, rel=(wave[1] * 0.003) ** 2)  # rotary inertia, few modes


def test_modes_with_supports_are_seen_from_the_frame():
    """The same motions as with all modes of the frame, in coordinates whose rigid part is the frame's."""
    body = rod()
    plain, held = body.floating("start", plane="xy"), body.floating("start", plane="xy", supports={"start": "all"})
    assert held.frequencies == pytest.approx(plain.frequencies, rel=1e-9)
    hinged = body.floating("start", plane="xy", supports=HINGES)
    assert np.max(abs(hinged.places["start"].motion)) <= 1e-9 * np.max(abs(hinged.places["end"].motion))
    strain = hinged.coordinates.T @ body.stiffness @ hinged.coordinates
    assert hinged.stiffness == pytest.approx(strain, abs=1e-9 * np.max(strain))


def test_supports_that_leave_a_body_free_are_refused():
    with pytest.raises(dal.ModelError, match="free to move"):
        rod().floating("start", plane="xy", supports={"start": "displacement"})


def test_a_body_that_is_not_symmetric_is_refused():
    fe = dal.flex.box((0.4, 0.03, 0.02), divisions=(4, 1, 1), material=STEEL)
    moved = dal.flex.matrices(fe.stiffness, fe.mass, nodes=fe.nodes + (0, 0, 0.01))
    body = dal.flex.craig_bampton(moved, interfaces={"a": fe.face("-x"), "b": fe.face("+x")}, modes=2)
    with pytest.raises(dal.ModelError, match="not symmetric about the xy plane"):
        body.floating("a", plane="xy", stiffening=False)


@pytest.mark.parametrize("how", [dict(plane="zz"), dict(max_frequency=-1.0), dict(max_frequency="high"),
                                 dict(supports={"strat": "all"}), dict(supports={"end": "speed"}),
                                 dict(supports={"end": ["all"]}), dict(supports={}), dict(supports="end")])
def test_faulty_choices_are_refused(how):
    with pytest.raises(dal.ModelError, match="floating"):
        rod().floating("start", **how)
