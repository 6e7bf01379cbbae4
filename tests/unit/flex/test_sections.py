"""Cross-sections against closed forms, series and each other."""

from math import pi

import numpy as np
import pytest

from dalembert.model.check_flexible import read_material, read_section
from dalembert.model.flexible import Circle, Material, Rectangle, Section, Tube
from dalembert.model.values import Faults

EPS = float(np.finfo(float).eps)


def test_circle_and_tube():
    """A tube is the difference of two circles; one with a full wall is a circle."""
    d, t = 0.05, 0.004
    tube, outer, inner = Tube(outer=d, wall=t), Circle(d), Circle(d - 2 * t)
    for name in ("area", "iy", "iz", "torsion"):
        assert getattr(tube, name) == pytest.approx(getattr(outer, name) - getattr(inner, name), rel=100 * EPS)
        assert getattr(Tube(outer=d, wall=d / 2), name) == pytest.approx(getattr(outer, name), rel=100 * EPS)
    assert Tube(outer=d, wall=d / 2).shear_factors(0.3) == pytest.approx(outer.shear_factors(0.3), rel=100 * EPS)
    assert outer.area == pytest.approx(pi * d**2 / 4, rel=10 * EPS)
    assert outer.torsion == pytest.approx(pi * d**4 / 32, rel=10 * EPS)


def test_thin_tube_has_half_the_shear_area():
    """Cowper's factor of a thin wall is (2 + 2ν)/(4 + 3ν)."""
    v = 0.25
    assert Tube(outer=1.0, wall=1e-9).shear_factors(v)[0] == pytest.approx((2 + 2 * v) / (4 + 3 * v), rel=1e-8)


def test_rectangle_moments_belong_to_their_axes():
    """Height along y resists bending about z."""
    r = Rectangle(height=0.06, width=0.02)
    assert r.iz == pytest.approx(0.02 * 0.06**3 / 12, rel=10 * EPS)
    assert r.iy == pytest.approx(0.06 * 0.02**3 / 12, rel=10 * EPS)


@pytest.mark.parametrize("ratio", [1.0, 1.3, 2.0, 10.0, 1000.0])
def test_rectangle_torsion(ratio):
    """Saint-Venant's series summed plainly, with the remainder of its tail bounded by an integral."""
    a, b = ratio, 1.0
    n = np.arange(1, 4001, 2)
    series = a * b**3 / 3 * (1 - 192 / pi**5 * b / a * np.sum(np.tanh(n * pi * a / (2 * b)) / n**5.0))
    tail = a * b**3 / 3 * 192 / pi**5 * b / a / (8 * 4000.0**4)
    for section in (Rectangle(height=a, width=b), Rectangle(height=b, width=a)):
        assert abs(section.torsion - series) <= tail + 100 * EPS * series


def test_square_torsion_against_a_finite_difference_solution():
    """Prandtl's stress function: ∇²ψ = -2 on the square, J = 2 ∫ψ; second order in the grid."""
    from scipy.sparse import diags_array, eye_array, kron
    from scipy.sparse.linalg import spsolve
    exact, errors = Rectangle(height=1.0, width=1.0).torsion, []
    for n in (20, 40):
        h = 1 / n
        second = diags_array([np.ones(n - 2), -2 * np.ones(n - 1), np.ones(n - 2)], offsets=[-1, 0, 1]) / h**2
        laplace = kron(second, eye_array(n - 1)) + kron(eye_array(n - 1), second)
        errors.append(abs(2 * spsolve(laplace.tocsc(), -2 * np.ones((n - 1) ** 2)).sum() * h**2 - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_extreme_stress():
    """Round sections feel the resulting moment, rectangles the sum of both."""
    c, r = Circle(0.02), Rectangle(height=0.06, width=0.02)
    assert c.extreme_stress(0.0, 3.0, 4.0) == pytest.approx(5.0 * 0.01 / c.iy, rel=10 * EPS)
    assert r.extreme_stress(-7.0, 3.0, -4.0) == pytest.approx(7 / r.area + 3 * 0.01 / r.iy + 4 * 0.03 / r.iz, rel=10 * EPS)


@pytest.mark.parametrize("section, words", [
    (Circle(0.0), "diameter"), (Circle("wide"), "diameter"), (Tube(outer=0.02, wall=0.011), "half the outer diameter"),
    (Rectangle(height=-1.0, width=1.0), "height"), (3, "Circle, Tube, Rectangle or Section"),
    (Section(area=1.0, iy=0.0, iz=1.0, torsion=1.0), "iy"),
    (Section(area=1.0, iy=1.0, iz=1.0, torsion=1.0, shear=(1.0, 0.0)), "above zero"),
    (Section(area=1.0, iy=1.0, iz=1.0, torsion=1.0, shear="stiff"), "shear"),
    (Section(area=1.0, iy=1.0, iz=1.0, torsion=1.0, extent=(1.0,)), "extent")])
def test_bad_sections(section, words):
    faults = Faults()
    read_section(faults, "s", section)
    assert len(faults) == 1 and words in str(faults[0]) and "expected" in str(faults[0])


@pytest.mark.parametrize("material, words", [
    (Material(-1.0, 0.3, 1.0), "young"), (Material(1.0, 0.3, 0.0), "density"), (Material(1.0, 0.51, 1.0), "poisson"),
    (Material(1.0, -1.0, 1.0), "poisson"), (Material(1.0, 0.3, 1.0, damping=-1.0), "damping"), ("steel", "a Material")])
def test_bad_materials(material, words):
    faults = Faults()
    read_material(faults, "m", material)
    assert len(faults) == 1 and words in str(faults[0]) and "expected" in str(faults[0])


def test_units_become_si():
    """A text with a unit is read as in a model text."""
    faults = Faults()
    assert read_section(faults, "s", Tube(outer="20 mm", wall="1 mm")) == Tube(outer=0.02, wall=0.001)
    assert read_section(faults, "s", Rectangle(height="6 cm", width=0.02)) == Rectangle(height=0.06, width=0.02)
    found = read_section(faults, "s", Section(area=1, iy=1, iz=1, torsion=1, shear=np.array([0.5, 0.6])))
    assert found.shear_factors(0.3) == (0.5, 0.6) and not faults


def test_incompressible_solids_are_refused():
    """Beams and plane stress may be of rubber with ν = 0.5, solids not."""
    rubber, faults = Material(1e6, 0.5, 1000.0), Faults()
    read_material(faults, "m", rubber)
    assert not faults
    read_material(faults, "m", rubber, solid=True)
    assert "below 0.5" in str(faults[0])
