"""Beam elements against closed forms: statics, frequencies, theories and their limits."""

import numpy as np
import pytest
from fe_problems import EPS, STEEL, order, solve
from scipy.linalg import eigh

from dalembert import ModelError
from dalembert.flex.beam_elements import beam, beam_mass, beam_stiffness, section_forces
from dalembert.model.flexible import Circle, Material, Rectangle, Section, Tube

SECTIONS = [Circle(0.03), Tube(outer=0.04, wall=0.003), Rectangle(height=0.06, width=0.02),
            Section(area=1e-3, iy=2e-7, iz=5e-7, torsion=3e-7, shear=(0.7, 0.4))]
THEORIES = ["timoshenko", "euler-bernoulli"]
L = 0.7
FREE_FREE = 4.730040744862704  # first root of cos(b) cosh(b) = 1


def cantilever(section, theory, elements, load, value=1.0):
    """Displacements of the end node of a cantilever under one unit load there."""
    fe = beam(length=L, section=section, material=STEEL, elements=elements, theory=theory)
    f = np.zeros(fe.n_dof)
    f[fe.dof_table[fe.sets["end"][0], load]] = value
    return fe, solve(fe, fe.dof_node == 0, force=f)[-6:]


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("elements", [1, 3])
def test_end_loads_are_exact_with_any_number_of_elements(section, theory, elements):
    """Compliances of the Timoshenko cantilever, in all six directions."""
    E, G, A = STEEL.young, STEEL.shear_modulus, section.area
    ky, kz = section.shear_factors(STEEL.poisson)
    shear_y, shear_z = (L / (ky * G * A), L / (kz * G * A)) if theory == "timoshenko" else (0.0, 0.0)
    iy, iz = section.iy, section.iz
    exact = np.diag([L / (E * A), L**3 / (3 * E * iz) + shear_y, L**3 / (3 * E * iy) + shear_z,
                     L / (G * section.torsion), L / (E * iy), L / (E * iz)])
    exact[1, 5] = exact[5, 1] = L**2 / (2 * E * iz)
    exact[2, 4] = exact[4, 2] = -(L**2) / (2 * E * iy)
    found = np.array([cantilever(section, theory, elements, i)[1] for i in range(6)])
    size = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    assert np.abs((found - exact) / size).max() <= 1e5 * EPS


def test_lengths_with_units():
    """The same beam in millimetres."""
    plain = beam(length=0.7, section=Circle(0.02), material=STEEL, elements=2)
    told = beam(length="700 mm", section=Circle("20 mm"), material=STEEL, elements=2)
    assert abs(plain.stiffness - told.stiffness).max() <= 100 * EPS * abs(plain.stiffness).max()


@pytest.mark.parametrize("rotary", [True, False])
def test_textbook_stiffness_and_mass(rotary):
    """Hermite's beam in one plane, with the rotary inertia of its sections and without; that of torsion stays."""
    s = Rectangle(height=0.06, width=0.02)
    bend = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                     [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]) / L**3
    moved = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2],
                      [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]) * L / 420
    turned = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
                       [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]]) / (30 * L)
    K, M = beam_stiffness(s, STEEL, L, "euler-bernoulli"), beam_mass(s, STEEL, L, "euler-bernoulli", rotary)
    assert np.sum(M[np.ix_([3, 9], [3, 9])]) == pytest.approx(STEEL.density * (s.iy + s.iz) * L, rel=100 * EPS)
    for columns, second, flip in (([1, 5, 7, 11], s.iz, 1), ([2, 4, 8, 10], s.iy, -1)):
        sign = np.outer([1, flip, 1, flip], [1, flip, 1, flip])
        at = np.ix_(columns, columns)
        stiffness = STEEL.young * second * bend * sign
        mass = STEEL.density * (s.area * moved + rotary * second * turned) * sign
        assert np.abs(K[at] - stiffness).max() <= 100 * EPS * np.abs(stiffness).max()
        assert np.abs(M[at] - mass).max() <= 100 * EPS * np.abs(mass).max()


def test_timoshenko_becomes_euler_bernoulli():
    """The difference vanishes with the square of height over length: no locking."""
    found = []
    for slender in (0.02, 0.01):
        s = Rectangle(height=slender * L, width=0.02)
        pair = [cantilever(s, t, 2, 1)[1][1] for t in THEORIES]
        found.append(pair[0] / pair[1] - 1)
    assert order(found) == pytest.approx(2.0, abs=0.01) and 0 < found[1] < 1e-3


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("section", SECTIONS)
def test_rigid_motions_mass_and_inertia(section, theory):
    fe = beam(length=L, section=section, material=STEEL, elements=5, theory=theory)
    assert np.abs(fe.stiffness @ fe.rigid_modes((0.1, 0.2, 0.3))).max() <= 100 * EPS * np.abs(fe.stiffness.data).max()
    values = np.linalg.eigvalsh(fe.stiffness.toarray())
    assert np.sum(np.abs(values) <= 1e-11 * values[-1]) == 6
    rho, m = STEEL.density, STEEL.density * section.area * L
    assert fe.total_mass == pytest.approx(m, rel=100 * EPS) and fe.centre == pytest.approx((L / 2, 0, 0), abs=100 * EPS)
    thin = m * L**2 / 12
    exact = np.diag([rho * L * (section.iy + section.iz), thin + rho * L * section.iy, thin + rho * L * section.iz])
    assert np.abs(fe.inertia - exact).max() <= 1000 * EPS * thin


def lowest(fe, directions, held=None):
    """Angular frequencies of the unknowns of some directions, ascending."""
    free = np.isin(fe.dof_direction, directions)
    if held is not None:
        free &= ~held
    K, M = (a[free][:, free].toarray() for a in (fe.stiffness, fe.mass))
    return np.sqrt(np.maximum(eigh(K, M, eigvals_only=True), 0))


@pytest.mark.parametrize("thickness, rotary", [(1e-5, True), (0.1, False)])
def test_free_free_frequencies_converge_with_the_fourth_order(thickness, rotary):
    """Bending of a free beam, very slender or without rotary inertia: ω = (b/L)² √(EI/ρA); from above."""
    s = Circle(thickness * L)
    exact = (FREE_FREE / L) ** 2 * np.sqrt(STEEL.young * s.iy / (STEEL.density * s.area))
    errors = []
    for n in (8, 16):
        fe = beam(length=L, section=s, material=STEEL, elements=n, theory="euler-bernoulli", rotary_inertia=rotary)
        errors.append(lowest(fe, (1, 5))[2] / exact - 1)
    assert errors[1] > 0 and order(errors) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("directions, speed", [((0,), STEEL.young), ((3,), STEEL.shear_modulus)])
def test_waves_along_the_beam(theory, directions, speed):
    """Longitudinal and torsional modes of a free rod of circular section: ω = π n c/L, second order."""
    errors = []
    for n in (8, 16):
        fe = beam(length=L, section=Circle(0.05), material=STEEL, elements=n, theory=theory)
        exact = np.pi / L * np.sqrt(speed / STEEL.density)
        errors.append(lowest(fe, directions)[1] / exact - 1)
    assert order(errors) == pytest.approx(2.0, abs=0.05) and errors[0] > 0


@pytest.mark.parametrize("mode", [1, 2])
def test_a_thick_pinned_timoshenko_beam(mode):
    """Timoshenko's frequency equation EI k⁴ - ρA ω² - ρI (1 + E/κG) k² ω² + ρ²I/κG ω⁴ = 0 for k = nπ/L."""
    s = Rectangle(height=0.2 * L, width=0.05)
    E, G, rho, A, second = STEEL.young, STEEL.shear_modulus, STEEL.density, s.area, s.iz
    kappa, k = s.shear_factors(STEEL.poisson)[0], mode * np.pi / L
    exact = np.sqrt(np.roots([rho**2 * second / (kappa * G), -(rho * A + rho * second * (1 + E / (kappa * G)) * k**2),
                              E * second * k**4]).min())
    errors = []
    for n in (8, 16, 32):
        fe = beam(length=L, section=s, material=STEEL, elements=n)
        ends = np.isin(fe.dof_node, (0, n)) & (fe.dof_direction == 1)
        errors.append(lowest(fe, (1, 5), ends)[mode - 1] / exact - 1)
    assert errors[-1] > 0 and order(errors) >= 1.9


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("section", SECTIONS)
def test_section_forces_balance_the_nodes(section, theory):
    """Forces inside equal the element's nodal forces K u: at the end plain, at the start reversed."""
    u = np.random.default_rng(1).standard_normal(12)
    f = beam_stiffness(section, STEEL, L, theory) @ u
    start, end = section_forces(section, STEEL, L, theory, u)
    for own in (end - f[6:], start + f[:6]):
        assert np.abs(own).max() <= 1e4 * EPS * np.abs(f).max()


@pytest.mark.parametrize("change, words", [
    ({"length": 0.0}, "length"), ({"elements": 0}, "elements"), ({"elements": 2.0}, "elements"), ({"section": 0.1}, "section"),
    ({"theory": "cosserat"}, "'euler-bernoulli' or 'timoshenko'"), ({"rotary_inertia": 2}, "true or false"),
    ({"material": Material(0.0, 0.3, 1.0)}, "young")])
def test_bad_beams(change, words):
    with pytest.raises(ModelError, match=words):
        beam(**{"length": 1.0, "section": Circle(0.1), "material": STEEL, "elements": 2, **change})
