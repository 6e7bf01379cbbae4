"""Floating frames and geometric stiffening: one physics in every frame, closed forms for spinning and loaded beams."""

from math import pi

import numpy as np
import pytest
from scipy.linalg import eigh

from dalembert.errors import ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.geometric import geometric_stiffness
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.flex.stiffening import reduced_geometric_stiffness
from dalembert.model.flexible import Material, Rectangle, Section

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
FRAMES = ["hub", "tip", ("hub", "tip"), ("tip", "hub"), "mean-axis"]
ENDS = {"hub": "start", "tip": "end"}
LENGTH, AREA, SECOND = 1.0, 2e-4, 2e-9


def slender(elements=16, **options):
    """Bending about y is ten times stiffer than about z, so that in-plane and flapping modes do not mix."""
    section = Section(area=AREA, iy=10 * SECOND, iz=SECOND, torsion=5 * SECOND, shear=1.0)
    return beam(length=LENGTH, section=section, material=STEEL, elements=elements, theory="euler-bernoulli", **options)


@pytest.fixture(scope="module")
def solid():
    return craig_bampton(box((0.5, 0.08, 0.05), divisions=(6, 2, 1), material=STEEL), interfaces={"hub": "-x", "tip": "+x"},
                         modes=5)


def free_squares(floating):
    """Squared frequencies of the body without supports, in its frame."""
    n = floating.n
    stiffness = np.zeros((6 + n, 6 + n))
    stiffness[6:, 6:] = floating.stiffness
    return eigh(stiffness, floating.constants.mass_matrix(np.zeros(n)), eigvals_only=True)


@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame_gives_the_same_free_vibrations(solid, frame):
    expected = eigh(solid.stiffness, solid.mass_matrix, eigvals_only=True)
    found = free_squares(solid.floating(frame, stiffening=False))
    assert np.abs(found[6:] - expected[6:]).max() < 1e5 * EPS * expected.max()


@pytest.mark.parametrize("frame", FRAMES)
def test_coordinates_have_unit_mass_and_own_frequencies(solid, frame):
    body = solid.floating(frame, stiffening=False)
    assert body.n == solid.n - 6
    assert np.abs(body.constants.modal_mass - np.eye(body.n)).max() < 1e5 * EPS
    again = body.coordinates.T @ solid.stiffness @ body.coordinates
    assert np.abs(again - body.stiffness).max() < 1e5 * EPS * body.stiffness.max()
    assert np.all(np.diff(body.frequencies) >= 0)


def test_a_tangent_frame_holds_its_interface(solid):
    body = solid.floating("tip")
    assert np.abs(body.places["tip"].motion).max() == 0.0
    assert np.array_equal(body.places["tip"].position, np.zeros(3))
    assert body.places["hub"].position == pytest.approx([-0.5, 0, 0], abs=10 * EPS)


def test_a_chord_frame_holds_its_ends(solid):
    body = solid.floating(("hub", "tip"))
    scale = 1e3 * EPS * np.abs(body.places["tip"].displacement).max()
    assert np.abs(body.places["hub"].displacement).max() < scale
    assert np.abs(body.places["tip"].displacement[1:]).max() < scale
    assert np.abs(body.places["hub"].rotation[0]).max() < 1e3 * EPS * np.abs(body.places["hub"].rotation).max()


def test_mean_axes_carry_no_momentum_of_deformation(solid):
    c = solid.floating("mean-axis").constants
    momentum = np.sqrt(solid.mass)  # of a unit modal mass
    assert np.abs(c.translation).max() < 1e4 * EPS * momentum
    assert np.abs(c.rotation).max() < 1e4 * EPS * momentum
    assert np.abs(c.first_moment).max() < 1e3 * EPS * solid.mass


def test_planar_bodies_have_planar_coordinates():
    fe = plate((1.0, 0.06), thickness=0.01, divisions=(16, 2), material=STEEL)
    reduced = craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x"}, modes=3)
    found = [free_squares(reduced.floating(frame, stiffening=False))[-6:] for frame in FRAMES]
    for other in found[1:]:
        assert np.abs(other - found[0]).max() < 1e5 * EPS * found[0].max()
    assert reduced.floating().n == 6


def test_displacements_are_recovered(solid):
    body = solid.floating("hub", stiffening=False)
    q = np.random.default_rng(0).standard_normal(body.n)
    u = body.displacement(q)
    tip = solid.partition.interfaces[1]
    moved = tip.matrix @ (body.places["tip"].motion @ q)
    rows = np.isin(solid.model.dof_node, tip.nodes)
    assert np.abs(u[rows] - moved[rows]).max() < 1e4 * EPS * np.abs(u).max()


@pytest.mark.parametrize("frame", ["rim", ("hub",), ("hub", "hub"), 3])
def test_unknown_frames_are_refused(solid, frame):
    with pytest.raises(ModelError, match="expected an interface .hub, tip., a point or set of nodes"):
        solid.floating(frame)


def stiffened_squares(tension, spin_square=0.0, stiff=SECOND, terms=10):
    """Ritz' method for a cantilever with tension N(x): squared frequencies, in a plane that turns or not."""
    s, weights = (np.polynomial.legendre.leggauss(2 * terms) + np.array([[1.0], [0.0]])) / 2
    square = np.polynomial.Polynomial([0.0, 0.0, 1.0])
    shapes = [square * np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=np.polynomial.Polynomial)
              for k in range(terms)]
    v, slope, bend = (np.array([f.deriv(m)(s) if m else f(s) for f in shapes]) for m in range(3))
    mass = STEEL.density * AREA * (v * weights) @ v.T + STEEL.density * stiff * (slope * weights) @ slope.T
    stiffness = STEEL.young * stiff * (bend * weights) @ bend.T + (slope * weights * tension(s)) @ slope.T
    return eigh(stiffness - spin_square * mass, mass, eigvals_only=True)


ROTARY = 100 * SECOND / AREA / LENGTH**2
"""Rotary inertia and stretch, which the reference treats by its leading part: order of the square of the slenderness."""


@pytest.mark.parametrize("spin", [50.0, 200.0])
def test_a_spinning_beam_stiffens(spin):
    """About z: in-plane modes lose w² of their square, flapping modes do not [tension 1/2 rho A w² (L² - x²)]."""
    reduced = craig_bampton(slender(32), interfaces=ENDS, modes=10)  # tension is constant in an element
    body = reduced.floating("hub")
    square = eigh(body.stiffness + spin**2 * body.centrifugal_stiffness[2], eigvals_only=True)
    tension = lambda x: 0.5 * STEEL.density * AREA * spin**2 * (LENGTH**2 - x**2)
    in_plane = stiffened_squares(tension, spin**2)[:2]
    flapping = stiffened_squares(tension, 0.0, stiff=10 * SECOND)[:2]
    for expected, before in (*((e, e + spin**2) for e in in_plane), *((e, e) for e in flapping)):
        assert np.abs(square - expected).min() < (1e-3 + ROTARY) * before  # elements and modes; before w² is taken off
    unstiffened = reduced.floating("hub", stiffening=False)
    soft = eigh(unstiffened.stiffness + spin**2 * unstiffened.centrifugal_stiffness[2], eigvals_only=True)
    assert soft[0] < in_plane[0] - 0.5 * spin**2  # without it the lowest square falls by w²


@pytest.mark.parametrize("gravity", [-300.0, 300.0])
def test_a_hanging_beam_stiffens_and_a_standing_one_softens(gravity):
    """Tension rho A g (L - x) for gravity along the beam, towards its tip."""
    body = craig_bampton(slender(), interfaces=ENDS, modes=8).floating("hub")
    square = eigh(body.stiffness - gravity * body.stiffening.translation[0], eigvals_only=True)
    expected = stiffened_squares(lambda x: STEEL.density * AREA * gravity * (LENGTH - x))
    assert square[:1] == pytest.approx(expected[:1], rel=1e-3 + ROTARY)


def test_a_tip_force_buckles_the_beam_at_eulers_load():
    body = craig_bampton(slender(), interfaces=ENDS, modes=8).floating("hub")
    loads = eigh(body.stiffening.force["tip"][0], body.stiffness, eigvals_only=True)
    euler = pi**2 * STEEL.young * SECOND / (4 * LENGTH**2)
    assert 1 / loads.max() == pytest.approx(euler, rel=1e-3)  # static and eight vibration modes for one buckling mode


def test_an_angular_acceleration_loads_like_its_nodal_forces():
    """Stiffening by a unit angular acceleration equals that of the inertia forces, solved in the full model."""
    fe = slender(6)
    body = craig_bampton(fe, interfaces=ENDS, modes=2).floating("hub")
    load = -(fe.mass @ fe.rigid_modes()[:, 5])
    free = fe.dof_node != 0
    u = np.zeros(fe.n_dof)
    u[free] = np.linalg.solve(fe.stiffness.toarray()[np.ix_(free, free)], load[free])
    basis = body.reduced.basis @ body.coordinates
    expected = basis.T @ (geometric_stiffness(fe, u) @ basis)
    condition = np.linalg.cond(fe.stiffness.toarray()[np.ix_(free, free)])
    assert np.abs(body.stiffening.rotation[2] - expected).max() < EPS * condition * np.abs(expected).max()


def test_stiffening_does_not_depend_on_where_the_body_is_held():
    """A free body pulled at both ends with different forces: the sum of unit cases is the same for both supports."""
    squares = []
    for ends in (ENDS, dict(reversed(ENDS.items()))):
        body = craig_bampton(slender(8), interfaces=ends, modes=6).floating("mean-axis")
        pull, push = 500.0, -200.0  # along x at the tip and at the hub
        acceleration = (pull + push) / body.mass
        geo = body.stiffening
        total = body.stiffness + acceleration * geo.translation[0] + pull * geo.force["tip"][0] + push * geo.force["hub"][0]
        squares.append(eigh(total, eigvals_only=True)[:8])
    assert squares[0] == pytest.approx(squares[1], rel=1e-6)  # rounding of static solutions, amplified by slenderness


@pytest.mark.parametrize("make", [
    lambda: box((0.5, 0.08, 0.05), divisions=(4, 2, 1), material=STEEL),
    lambda: plate((0.5, 0.1), thickness=0.01, divisions=(5, 2), material=STEEL),
    lambda: beam(length=0.5, section=Rectangle(height=0.02, width=0.03), material=STEEL, elements=3),
], ids=["solid", "plane", "beam"])
def test_reduced_geometric_stiffness_is_that_of_the_assembled_one(make):
    fe = make()
    rng = np.random.default_rng(0)
    fields, basis = rng.standard_normal((fe.n_dof, 2)), rng.standard_normal((fe.n_dof, 3))
    found = reduced_geometric_stiffness(fe, fields, basis)
    for k in range(2):
        expected = basis.T @ (geometric_stiffness(fe, fields[:, k]) @ basis)
        assert np.abs(found[k] - expected).max() < 1e4 * EPS * np.abs(expected).max()


def test_bodies_without_elements_are_not_stiffened():
    fe = slender(4)
    bare = type(fe)(fe.nodes, fe.dof_node, fe.dof_direction, fe.stiffness, fe.mass, fe.sets)
    reduced = craig_bampton(bare, interfaces=ENDS, modes=1)
    assert reduced.floating().stiffening is None
    with pytest.raises(ModelError, match="no elements"):
        reduced.floating(stiffening=True)
