"""Superelements for absolute interface coordinates: projectors, quadratic forces, closed forms of beams."""

import numpy as np
import pytest

from dalembert.errors import ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.beam_superelement import beam_superelement, reduced_beam
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.flex.superelement import superelement
from dalembert.model.flexible import Circle, Material, Rectangle

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-5)
SECTION = Rectangle(height=0.04, width=0.02)
THEORIES = ("euler-bernoulli", "timoshenko")


def solid():
    fe = box((0.5, 0.08, 0.05), divisions=(6, 2, 1), material=STEEL)
    middle = fe.nodes_where(lambda x, y, z: (0.2 < x) & (x < 0.3))
    return craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x", "side": [int(middle[0]), int(middle[1]), int(middle[-1])]},
                         modes=3, coupling="rbe3", points={"mid": middle})


def flat():
    fe = plate((0.5, 0.08), thickness=0.02, divisions=(6, 2), material=STEEL)
    return craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x"}, modes=3)


ELEMENTS = {
    "mean motion": lambda: superelement(solid()),
    "point": lambda: superelement(solid(), "mid"),
    "interface": lambda: superelement(solid(), "hub"),
    "planar": lambda: superelement(flat()),
    "planar, chord": lambda: superelement(flat(), ("hub", "tip")),
    "beam": lambda: beam_superelement(length=0.8, section=SECTION, material=STEEL),
    "beam with modes": lambda: beam_superelement(length=0.8, section=SECTION, material=STEEL, modes=3),
}


@pytest.fixture(scope="module", params=ELEMENTS)
def element(request):
    return ELEMENTS[request.param]()


def test_the_frame_point_follows_rigid_motions(element):
    assert np.abs(element.frame_motion @ element.rigid_modes() - np.eye(6)).max() < 1e4 * EPS


def test_projectors_in_deformed_states(element):
    """T Phi_rig = 0, Phi T = 0 and Z Phi_rig = 1 [ELL (5.7)-(5.10)]."""
    size = np.abs(element.positions).max()
    displacements = 0.05 * size * np.random.default_rng(0).standard_normal(element.positions.shape)
    for state in (None, displacements):
        rigid, rates, projector = (f(state) for f in (element.rigid_modes, element.frame_rates, element.elastic_projector))
        assert np.abs(rates @ rigid - np.eye(6)).max() < 1e4 * EPS
        scale = 1e4 * EPS * np.abs(rates).max()
        assert np.abs(projector @ rigid).max() < scale
        assert np.abs(element.frame_motion @ projector).max() < scale * np.abs(element.frame_motion).max()
        assert np.abs(projector @ projector - projector).max() < scale * np.abs(projector).max()


def test_rigid_motions_cause_no_force(element):
    force = element.stiffness @ element.rigid_modes()
    assert np.abs(force).max() < 1e-12 * np.abs(element.stiffness).max()


def test_a_steady_rotation_has_the_inertia_forces_of_a_rigid_body(element):
    """M a + Q_v for a rigid body that turns about any axis: m w x v and w x J w."""
    w, v = np.array([0.3, -0.5, 0.9]), np.array([0.2, 0.4, -0.1])
    rigid, c = element.rigid_modes(), element.constants
    velocity = rigid @ np.r_[v, w]
    acceleration = np.zeros(element.n)
    for k in range(len(element.positions)):
        acceleration[6 * k:6 * k + 3] = np.cross(w, velocity[6 * k:6 * k + 3])
    found = rigid.T @ (element.mass_matrix @ acceleration + element.quadratic_forces(velocity))
    expected = np.r_[np.cross(w, c.mass * v + np.cross(w, c.first_moment)),
                     np.cross(w, c.inertia @ w) + np.cross(c.first_moment, np.cross(w, v))]
    assert np.abs(found - expected).max() < 1e5 * EPS * c.mass


def test_quadratic_forces_conserve_energy(element):
    """v.Q_v = 1/2 v.Md v, where the mass matrix turns with the frame: Md = E M - M E in the frame's axes."""
    velocity = np.random.default_rng(2).standard_normal(element.n)
    w = (element.frame_rates() @ velocity)[3:]
    turned = velocity.copy()
    count = 6 * len(element.positions)
    turned[:count] = np.cross(w, velocity[:count].reshape(-1, 3)).ravel()
    turned[count:] = 0.0
    power = velocity @ element.quadratic_forces(velocity)
    scale = np.abs(velocity) @ np.abs(element.mass_matrix) @ np.abs(turned)
    assert abs(power + velocity @ element.mass_matrix @ turned) < 1e3 * EPS * scale


def test_mass_is_that_of_the_body(element):
    rigid, c = element.rigid_modes(), element.constants
    carried = rigid.T @ element.mass_matrix @ rigid
    assert np.abs(carried[:3, :3] - c.mass * np.eye(3)).max() < 1e4 * EPS * c.mass
    assert np.abs(carried[3:, 3:] - c.inertia).max() < 1e4 * EPS * c.mass


@pytest.mark.parametrize("theory", THEORIES)
def test_beam_and_many_elements_have_the_same_matrices(theory):
    """Static shapes of a beam are the same however many elements it has; nodal sums of G converge quadratically.

    They cannot tell rotary inertia from the rest in Hermite's elements; the beam is thin, so that it does not count.
    """
    data = {"length": 0.8, "section": Circle(0.002), "material": STEEL, "theory": theory}
    one, errors = beam_superelement(**data), []
    for elements in (4, 8, 16):
        fe = beam(**data, elements=elements)
        reduced = craig_bampton(fe, interfaces={"start": "start", "end": "end"}, modes=0, points={"mid": elements // 2})
        many = superelement(reduced, "mid")
        condition = np.linalg.cond(fe.stiffness.toarray()[6:, 6:])
        for name in ("stiffness", "mass_matrix", "frame_motion", "damping"):
            a, b = getattr(one, name), getattr(many, name)
            assert np.abs(a - b).max() < EPS * condition * np.abs(a).max(), name
        errors.append(np.abs(many.convective - one.convective).max())
    order = -np.polyfit(np.log([4, 8, 16]), np.log(errors), 1)[0]
    assert order == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("rotary", [True, False])
def test_mass_of_an_euler_bernoulli_beam_in_closed_form(rotary):
    """Textbook entries 156/420, 22 L/420 and rotary 36/30 of a thin beam."""
    length = 0.8
    element = beam_superelement(length=length, section=SECTION, material=STEEL, theory="euler-bernoulli",
                                rotary_inertia=rotary)
    m, r = 7850.0 * SECTION.area * length, rotary * SECTION.iz / SECTION.area / length**2
    mass = element.mass_matrix
    assert mass[0, 0] == pytest.approx(m / 3, rel=100 * EPS)
    assert mass[0, 6] == pytest.approx(m / 6, rel=100 * EPS)
    assert mass[1, 1] == pytest.approx(m * (156 / 420 + 36 / 30 * r), rel=100 * EPS)
    assert mass[1, 5] == pytest.approx(m * length * (22 / 420 + 3 / 30 * r), rel=100 * EPS)
    assert mass[5, 11] == pytest.approx(m * length**2 * (-3 / 420 - 1 / 30 * r), rel=100 * EPS)
    assert mass[3, 3] == pytest.approx(7850.0 * (SECTION.iy + SECTION.iz) * length / 3, rel=100 * EPS)


def test_mid_point_of_an_euler_bernoulli_beam():
    """Hermite's cubics at mid-length: v = (v1 + v2)/2 + L/8 (t1 - t2), slope 3/2 (v2 - v1)/L - (t1 + t2)/4."""
    length = 0.8
    element = beam_superelement(length=length, section=SECTION, material=STEEL, theory="euler-bernoulli",
                                points={"mid": length / 2})
    expected = np.zeros(12)
    expected[[1, 5, 7, 11]] = 0.5, length / 8, 0.5, -length / 8
    assert element.points["mid"].displacement[1] == pytest.approx(expected, abs=10 * EPS)
    expected[[1, 5, 7, 11]] = -1.5 / length, -0.25, 1.5 / length, -0.25
    assert element.points["mid"].rotation[2] == pytest.approx(expected, abs=10 * EPS)
    assert np.array_equal(element.points["mid"].motion, element.frame_motion)


@pytest.mark.parametrize("theory", THEORIES)
def test_points_of_beams_are_exact_under_end_loads(theory):
    """A cantilever with a tip force: the place at any arc length is where a fine mesh has it."""
    fe = beam(length=0.8, section=Circle(0.1), material=STEEL, elements=8, theory=theory)
    free = fe.dof_node != 0
    u = np.zeros(fe.n_dof)
    load = np.zeros(fe.n_dof)
    load[fe.dof_table[8, 1]] = 1e4
    stiffness = fe.stiffness.toarray()[np.ix_(free, free)]
    u[free] = np.linalg.solve(stiffness, load[free])
    element = beam_superelement(length=0.8, section=Circle(0.1), material=STEEL, theory=theory, points={"p": 0.3})
    q = np.r_[np.zeros(6), u[fe.dof_table[8]]]
    expected = u[fe.dof_table[3]]
    assert element.points["p"].motion @ q == pytest.approx(expected, abs=EPS * np.linalg.cond(stiffness) * np.abs(u).max())


def test_fixed_modes_of_a_beam():
    """Modes keep the interfaces still and have their own squared frequency as stiffness."""
    element = beam_superelement(length=0.8, section=SECTION, material=STEEL, modes=4)
    assert element.n_modes == 4
    for name in ("start", "end"):
        assert np.abs(element.points[name].motion[:, 12:]).max() == 0.0
    assert np.abs(element.mass_matrix[12:, 12:] - np.eye(4)).max() < 1e-9  # tolerance of the modes
    beta = 4.730040744862704
    thin = beta**2 / 0.8**2 * np.sqrt(2.1e11 * SECTION.iy / (7850.0 * SECTION.area))
    assert np.sqrt(element.stiffness[12, 12]) == pytest.approx(thin, rel=0.02)  # shear and rotary inertia: (h/L)² beta²


def test_a_beam_in_a_floating_frame_has_the_constants_of_a_fine_mesh():
    """Nodal sums of the mesh converge to the integrals; elastic coordinates are the same."""
    data = {"length": 0.8, "section": Circle(0.004), "material": STEEL}
    exact = reduced_beam(**data).floating("start", stiffening=False).constants
    errors = []
    for elements in (8, 16, 32):
        reduced = craig_bampton(beam(**data, elements=elements), interfaces={"start": "start", "end": "end"}, modes=0)
        found = reduced.floating("start", stiffening=False).constants
        # bending in two planes has equal frequencies: compare what does not depend on the pair's directions
        errors.append(max(abs(np.linalg.norm(getattr(found, name)) / np.linalg.norm(getattr(exact, name)) - 1)
                          for name in ("translation", "rotation", "inertia_slope", "inertia_curvature")))
    assert errors[-1] < 1e-3 and -np.polyfit(np.log([8, 16, 32]), np.log(errors), 1)[0] > 1.8


def test_unknown_frames_are_refused():
    with pytest.raises(ModelError, match="found 'rim'.*hub"):
        superelement(solid(), "rim")


@pytest.mark.parametrize("points, words", [({"far": 0.9}, ("points.far", "0 to 0.8")),
                                           ({"far": -0.1}, ("points.far", "0 or more")),
                                           ({"end": 0.1}, ("points.end", "name"))])
def test_bad_points_of_beams_are_refused(points, words):
    with pytest.raises(ModelError) as error:
        beam_superelement(length=0.8, section=SECTION, material=STEEL, points=points)
    assert all(word in str(error.value) for word in words)
