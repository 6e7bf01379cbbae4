"""Surfaces are closed, turn outwards and enclose what they should."""

import numpy as np
import pytest

from dalembert.scenes import surfaces as sf
from dalembert.scenes.sticks import inertia_box

ROUND = 0.06
"""A circle of 20 sides encloses 1.6 % less than a whole one; a ball of 10 times 20 faces 5 %."""
VOLUMES = {
    "box": (sf.box((1.0, 2.0, 3.0)), 6.0),
    "cylinder": (sf.cylinder(0.5, 2.0), np.pi / 2),
    "capsule": (sf.capsule(0.5, 2.0), np.pi / 2 + np.pi / 6),
    "sphere": (sf.sphere(0.5), np.pi / 6),
    "ellipsoid": (sf.ellipsoid((1.0, 2.0, 0.5)), 4 / 3 * np.pi),
    "hull": (sf.hull(np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 2)], float), 0.01), 2.0),
    "plate": (sf.hull(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float), 0.01), 0.01),
}


def volume(surface):
    """Return the volume that outward faces enclose."""
    a, b, c = np.swapaxes(surface.vertices[surface.faces], 0, 1)
    return np.sum(np.cross(a, b) * c) / 6


@pytest.mark.parametrize("name", VOLUMES)
def test_a_solid_encloses_its_volume_and_turns_outwards(name):
    surface, exact = VOLUMES[name]
    assert exact * (1 - ROUND) <= volume(surface) <= exact * (1 + 1e-9)


@pytest.mark.parametrize("name", VOLUMES)
def test_every_edge_belongs_to_two_faces_that_run_along_it_in_opposite_senses(name):
    faces = VOLUMES[name][0].faces
    edges = {tuple(edge) for corners in faces for edge in zip(corners, np.roll(corners, -1), strict=True)}
    assert len(edges) == faces.size and all((b, a) in edges for a, b in edges)


def test_normals_of_a_ball_are_its_radii_and_those_of_a_box_its_axes():
    ball, block = sf.sphere(1.0), sf.box((1.0, 1.0, 1.0))
    assert np.einsum("mca,mca->mc", sf.corner_normals(ball), ball.vertices[ball.faces]).min() > np.cos(2 * np.pi / 20)
    assert np.allclose(np.sort(np.abs(sf.corner_normals(block)), axis=2), (0, 0, 1))


def test_a_coil_begins_and_ends_on_its_axis_one_apart():
    coil = sf.coil(0.1, 0.01)
    assert np.allclose((coil.vertices[:5].mean(axis=0), coil.vertices[-5:].mean(axis=0)), [(0, 0, 0), (0, 0, 1)])


def test_the_box_of_an_inertia_has_that_inertia():
    size, mass = np.array([0.2, 0.5, 0.9]), 3.0
    inertia = mass / 12 * np.diag((size**2).sum() - size**2)
    turn = sf.frame_along(np.array([1.0, 2.0, -0.5]))
    edges, axes = inertia_box(mass, turn @ inertia @ turn.T)
    assert np.allclose(axes @ np.diag((edges**2).sum() - edges**2) @ axes.T * mass / 12, turn @ inertia @ turn.T)


def test_a_thinned_mesh_keeps_its_size():
    fine = sf.turned([(np.cos(a), np.sin(a)) for a in np.linspace(-np.pi / 2, np.pi / 2, 80)], sides=80)
    few = sf.thinned(fine, 1000)
    assert 200 < len(few.faces) <= 1000
    assert np.allclose(np.ptp(few.vertices, axis=0), 2.0, atol=0.3)
