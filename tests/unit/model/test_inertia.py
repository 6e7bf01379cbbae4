"""Inertia of simple bodies against integration over their volume."""

import numpy as np
import pytest

import dalembert as dal

MASS = 3.7
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)


def moments(x, y, z, density):
    """Return the inertia about the origin of mass points whose densities add up to MASS."""
    m = MASS * density / density.sum()
    r = np.stack([x, y, z])
    return (m * (r * r).sum(axis=0)).sum() * np.eye(3) - np.einsum("n,in,jn->ij", m, r, r)


def ball_points(radius):
    """Return Gauss points of a ball in spherical coordinates; phi by equal steps."""
    rho, cos, phi = np.meshgrid((POINTS + 1) / 2 * radius, POINTS, np.arange(8) * np.pi / 4, indexing="ij")
    weight = WEIGHTS[:, None, None] * WEIGHTS[None, :, None] * rho**2
    sin = np.sqrt(1 - cos**2)
    return (rho * sin * np.cos(phi)).ravel(), (rho * sin * np.sin(phi)).ravel(), (rho * cos).ravel(), weight.ravel()


def close(found, expected):
    """Compare up to rounding of sums over a few thousand points."""
    found = np.diag(found) if np.ndim(found) == 1 else np.array(found)
    return np.abs(found - expected).max() <= 1e4 * np.finfo(float).eps * np.abs(expected).max()


def test_box_against_integration():
    """Gauss points in a box."""
    x, y, z = np.meshgrid(*(POINTS * edge / 2 for edge in (0.3, 0.5, 1.1)), indexing="ij")
    weight = WEIGHTS[:, None, None] * WEIGHTS[None, :, None] * WEIGHTS
    assert close(dal.inertia_box(MASS, size=(0.3, 0.5, 1.1)), moments(x.ravel(), y.ravel(), z.ravel(), weight.ravel()))


def test_rod_along_any_direction_against_integration():
    """Gauss points on a line."""
    u = np.array([1.0, -2.0, 2.0]) / 3
    expected = moments(*(u[:, None] * POINTS * 0.4), WEIGHTS)
    assert close(dal.inertia_rod(MASS, length=0.8, axis=(1, -2, 2)), expected)


def test_cylinder_against_integration():
    """Gauss points over radius and height."""
    r, z, phi = np.meshgrid((POINTS + 1) / 2 * 0.2, POINTS * 0.35, np.arange(8) * np.pi / 4, indexing="ij")
    weight = WEIGHTS[:, None, None] * WEIGHTS[None, :, None] * r
    expected = moments((r * np.cos(phi)).ravel(), (r * np.sin(phi)).ravel(), z.ravel(), weight.ravel())
    assert close(dal.inertia_cylinder(MASS, radius=0.2, length=0.7), expected)


def test_sphere_solid_and_hollow_against_integration():
    """The shell is the limit of a ball's outermost points."""
    x, y, z, weight = ball_points(0.6)
    assert close(dal.inertia_sphere(MASS, radius=0.6), moments(x, y, z, weight))
    r = np.sqrt(x * x + y * y + z * z)
    shell = moments(0.6 * x / r, 0.6 * y / r, 0.6 * z / r, weight)
    assert close(dal.inertia_sphere(MASS, radius=0.6, hollow=True), shell)


@pytest.mark.parametrize("letter, vector", [("x", (2, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, -1))])
def test_named_axis_is_the_vector(letter, vector):
    """A letter gives the diagonal of what the vector gives."""
    diagonal = dal.inertia_cylinder(MASS, radius=0.1, length=1.0, axis=letter)
    assert np.allclose(np.diag(diagonal), dal.inertia_cylinder(MASS, radius=0.1, length=1.0, axis=vector), rtol=1e-15)


@pytest.mark.parametrize("call, fragments", [
    (lambda: dal.inertia_rod(-1.0, length=1.0), ["inertia_rod.mass", "-1.0"]),
    (lambda: dal.inertia_rod(1.0, length=-1.0), ["inertia_rod.length"]),
    (lambda: dal.inertia_rod(1.0, length=1.0, axis="w"), ["inertia_rod.axis", "'x', 'y', 'z'"]),
    (lambda: dal.inertia_rod(1.0, length=1.0, axis=(0, 0, 0)), ["inertia_rod.axis", "not zero"]),
    (lambda: dal.inertia_box(1.0, size=(1, 2)), ["inertia_box.size", "three numbers"]),
    (lambda: dal.inertia_sphere(1.0, radius=1.0, hollow=3), ["inertia_sphere.hollow"]),
    (lambda: dal.inertia_cylinder("a", radius="b", length=1.0), ["2 faults", "mass", "radius"]),
])
def test_faults_are_told(call, fragments):
    """Wrong sizes name the function and the size."""
    with pytest.raises(dal.ModelError) as error:
        call()
    assert all(fragment in str(error.value) for fragment in fragments)
