"""Planar models in space: what they do out of their plane, and inertia constants of a plane anywhere."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

from dalembert.flex.invariants import inertia_constants
from dalembert.flex.planar import OUT, spatial
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.flex.superelement import superelement
from dalembert.model.flexible import Material

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-6)


def flat(z=0.0, modes=3):
    fe = plate((0.5, 0.06), thickness=0.004, divisions=(20, 3), material=STEEL)
    fe = replace(fe, nodes=fe.nodes + [0.0, 0.0, z])
    return craig_bampton(fe, interfaces={"hub": "-x", "side": [29, 30], "tip": "+x"}, modes=modes, points={"mid": "+y"})


@pytest.fixture(scope="module")
def lifted():
    return spatial(flat())


def test_all_rigid_motions_are_reproduced_and_cause_no_force(lifted):
    rigid = lifted.rigid_modes()
    assert np.abs(lifted.basis @ rigid - lifted.model.rigid_modes()).max() < 1e4 * EPS
    assert np.abs(lifted.stiffness @ rigid).max() < 1e-12 * np.abs(lifted.stiffness).max()  # cancelled large entries
    point = lifted.points["mid"]
    assert np.abs(point.motion @ lifted.rigid_modes(point.position) - np.eye(6)).max() < 1e4 * EPS


def test_its_inertia_is_that_of_a_lamina():
    """As floating frames have it, where the plane is rigid; and the rigid mass matrix of the coordinates is the same."""
    reduced, body = flat(0.02), spatial(flat(0.02))
    for name in ("mass", "first_moment", "inertia"):
        assert getattr(body.constants, name) == pytest.approx(getattr(reduced.constants, name), rel=1e-12, abs=1e-15)
    rigid = body.rigid_modes(body.com)
    moved = rigid.T @ body.mass_matrix @ rigid
    assert moved[:3, :3] == pytest.approx(body.mass * np.eye(3), rel=1e-12, abs=1e-12 * body.mass)
    assert moved[3:, 3:] == pytest.approx(body.inertia, rel=1e-9, abs=1e-12 * body.mass)


def test_deformations_out_of_the_plane_are_as_fast_as_the_fastest_within(lifted):
    reduced = flat()
    part = np.ix_(reduced.active, reduced.active)
    fastest = eigh(reduced.stiffness[part], reduced.mass_matrix[part], eigvals_only=True)[-1]
    out = (6 * np.arange(3)[:, None] + OUT).ravel()
    part = np.ix_(out, out)
    found = eigh(lifted.stiffness[part], lifted.mass_matrix[part], eigvals_only=True)
    assert np.abs(found[:3]).max() < 1e-9 * fastest  # rigid motions, to rounding of the others
    assert found[3:] == pytest.approx(np.full(6, fastest), rel=1e-9)
    assert not lifted.stiffness[np.ix_(out, reduced.active.nonzero()[0])].any()
    assert lifted.damping[part] == pytest.approx(1e-6 * lifted.stiffness[part], rel=1e-9, abs=1e-12 * fastest)


def test_within_the_plane_nothing_changes(lifted):
    reduced = flat()
    part = np.ix_(reduced.active, reduced.active)
    assert np.array_equal(lifted.stiffness[part], reduced.stiffness[part])
    assert lifted.mass_matrix[part] == pytest.approx(reduced.mass_matrix[part], rel=1e-12, abs=1e-15)
    assert spatial(reduced) is spatial(reduced)


@pytest.mark.parametrize("poisson, tolerance", [
    (0.0, 1e-8),  # rounding of cancelled large entries
    (0.3, 0.3**2 * 2 * 0.06 / 0.5),  # rigid ends hold the solid's thickness, too: ν² along a height of the plate at each
])
def test_superelement_of_a_plate_is_that_of_a_thin_solid_within_the_plane(poisson, tolerance):
    """A solid plate of one element's thickness is under plane stress."""
    material = replace(STEEL, poisson=poisson)
    flat_fe = plate((0.5, 0.06), thickness=0.004, divisions=(20, 3), material=material)
    solid_fe = box((0.5, 0.06, 0.004), divisions=(20, 3, 1), material=material)
    ends = {"hub": "-x", "tip": "+x"}
    thin, thick = (superelement(craig_bampton(fe, interfaces=ends, modes=0)) for fe in (flat_fe, solid_fe))
    plane = np.array([0, 1, 5, 6, 7, 11])
    for name in ("stiffness", "mass_matrix"):
        a, b = (getattr(e, name)[np.ix_(plane, plane)] for e in (thin, thick))
        size = np.sqrt(np.diag(b))
        assert np.abs((a - b) / np.outer(size, size)).max() < tolerance


@pytest.mark.parametrize("z", [0.03, -0.2])
def test_a_plane_may_lie_anywhere(z):
    """Constants about a point of the plane do not know its height."""
    low, high = (inertia_constants(r.model, r.basis) for r in (flat(), flat(z)))
    back = high.shifted(np.array([0.0, 0.0, z]))
    for name in ("first_moment", "inertia", "translation", "rotation", "gyroscopic", "inertia_slope", "inertia_curvature"):
        a, b = getattr(low, name), getattr(back, name)
        assert np.abs(a - b).max() <= 1e-11 * max(np.abs(a).max(), np.abs(getattr(high, name)).max()), name
