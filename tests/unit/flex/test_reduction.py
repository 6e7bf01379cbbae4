"""Craig-Bampton reduction keeps mass, rigid motions and statics exactly and frequencies from above."""

from math import cosh, pi, sinh

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import eigh
from scipy.sparse import block_array, csc_array
from scipy.sparse.linalg import spsolve

from dalembert.errors import ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.interface_partition import partition
from dalembert.flex.interfaces import average_interface
from dalembert.flex.lowest_modes import signed
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.reduction_report import effective_masses, free_frequencies, full_frequencies
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Circle, Material, Rectangle

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
ENDS = {"hub": "-x", "tip": "+x"}


def slender(elements=10, **options):
    return beam(length=1.0, section=Rectangle(height=0.04, width=0.02), material=STEEL, elements=elements, **options)


def solid():
    return box((0.5, 0.08, 0.05), divisions=(8, 2, 2), material=STEEL)


def conditioning(fe):
    """Condition of the stiffness with the hub held: what a solve may lose of its digits."""
    free = ~np.isin(fe.dof_node, fe.face("-x"))
    return np.linalg.cond(fe.stiffness.toarray()[np.ix_(free, free)])


CASES = {
    "beam": lambda: (slender(), craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, modes=4)),
    "rigid faces": lambda: (solid(), craig_bampton(solid(), interfaces=ENDS, modes=4)),
    "mean faces": lambda: (solid(), craig_bampton(solid(), interfaces=ENDS, modes=4, coupling="rbe3")),
    "interface across": lambda: (slender(40), craig_bampton(
        slender(40), interfaces={"hub": "start", "seat": [20], "tip": "end"}, modes=4)),
    "one interface": lambda: (solid(), craig_bampton(solid(), interfaces={"hub": "-x"}, modes=4)),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return CASES[request.param]()


def test_mass_centre_and_inertia_are_those_of_the_full_model(case):
    fe, reduced = case
    tolerance = 1e3 * EPS * fe.total_mass * fe.size**2  # sums over the nodes
    assert reduced.mass == pytest.approx(fe.total_mass, rel=1e3 * EPS)
    assert np.abs(reduced.com - fe.centre).max() < 1e3 * EPS * fe.size
    assert np.abs(reduced.inertia - fe.inertia).max() < tolerance
    rigid = reduced.rigid_modes(reduced.com)
    carried = rigid.T @ reduced.mass_matrix @ rigid
    assert np.abs(carried[:3, :3] - fe.total_mass * np.eye(3)).max() < 1e3 * EPS * fe.total_mass
    assert np.abs(carried[3:, 3:] - fe.inertia).max() < tolerance
    assert np.abs(carried[:3, 3:]).max() < 1e3 * EPS * fe.total_mass * fe.size


def test_rigid_motions_are_reproduced_and_cause_no_force(case):
    fe, reduced = case
    rigid = reduced.rigid_modes()
    assert np.abs(reduced.basis @ rigid - fe.rigid_modes()).max() < 1e3 * EPS
    assert np.abs(reduced.stiffness @ rigid).max() < 1e-12 * np.abs(reduced.stiffness).max()


def test_modes_are_orthogonal_to_static_modes_in_stiffness(case):
    fe, reduced = case
    whole = reduced.basis.T @ (fe.stiffness @ reduced.basis)
    # entries of K enter with full size and cancel in the reduced matrix
    rounding = 1e3 * EPS * np.abs(fe.stiffness).max() * np.abs(reduced.basis).max() ** 2 * np.sqrt(fe.n_dof)
    assert np.abs(whole - reduced.stiffness).max() < rounding


def test_rbe2_statics_are_exact():
    """Loads at the tip, hub held: against the constrained full system with multipliers."""
    fe = solid()
    reduced = craig_bampton(fe, interfaces=ENDS, modes=0)
    split = partition(fe, ENDS)
    load = np.random.default_rng(1).standard_normal(6)
    hub, tip = split.interfaces
    held = np.flatnonzero(np.isin(fe.dof_node, np.r_[hub.nodes, tip.nodes]))
    rows = csc_array((np.ones(held.size), (np.arange(held.size), held)), shape=(held.size, fe.n_dof))
    # unknowns: u, motion of the tip, multipliers of u = R q on both faces
    rows = rows * STEEL.young  # of the size of the stiffness
    motion = csc_array(-tip.matrix[held] * STEEL.young)
    system = block_array([[fe.stiffness, None, rows.T], [None, csc_array((6, 6)), motion.T], [rows, motion, None]])
    found = spsolve(csc_array(system), np.r_[np.zeros(fe.n_dof), load, np.zeros(held.size)])
    q = np.linalg.solve(reduced.stiffness[6:, 6:], load)
    accuracy = 10 * EPS * conditioning(fe)
    assert np.abs(found[fe.n_dof:fe.n_dof + 6] - q).max() < accuracy * np.abs(q).max()
    u = reduced.displacement(np.r_[np.zeros(6), q])
    assert np.abs(found[:fe.n_dof] - u).max() < accuracy * np.abs(u).max()


def test_rbe3_statics_are_exact():
    """The mean motion of the hub is held, the load is spread over the tip; against multipliers."""
    fe = solid()
    reduced = craig_bampton(fe, interfaces=ENDS, modes=0, coupling="rbe3")
    hub, tip = (average_interface(fe, side).matrix for side in ("-x", "+x"))
    load = np.random.default_rng(2).standard_normal(6)
    system = block_array([[fe.stiffness, hub.T], [hub, None]])
    u = spsolve(csc_array(system), np.r_[tip.T @ load, np.zeros(6)])[:fe.n_dof]
    q = np.linalg.solve(reduced.stiffness[6:, 6:], load)
    accuracy = 10 * EPS * conditioning(fe)
    assert np.abs(tip @ u - q).max() < accuracy * np.abs(q).max()
    assert np.abs(u - reduced.displacement(np.r_[np.zeros(6), q])).max() < accuracy * np.abs(u).max()


def test_mean_faces_are_softer_than_rigid_ones():
    """Rigid faces add constraints: their stiffness exceeds that of mean ones in every direction."""
    stiff, soft = (craig_bampton(solid(), interfaces=ENDS, modes=0, coupling=c).stiffness[6:, 6:] for c in ("rbe2", "rbe3"))
    assert eigh(stiff - soft, stiff, eigvals_only=True).min() > -1e-9  # rounding of cancelled face stiffness


@pytest.mark.parametrize("coupling", ["rbe2", "rbe3"])
def test_frequencies_come_from_above_and_improve_with_modes(coupling):
    fe = slender(8) if coupling == "rbe2" else box((0.5, 0.08, 0.05), divisions=(6, 2, 1), material=STEEL)
    ends = {"hub": "start", "tip": "end"} if coupling == "rbe2" else ENDS
    split = partition(fe, ends, coupling)
    whole = np.hstack([split.boundary.toarray()[:, 6:], split.inner.toarray()])  # hub held
    exact = eigh(whole.T @ fe.stiffness @ whole, whole.T @ fe.mass @ whole, eigvals_only=True)
    before = np.full(6, np.inf)
    for modes in (0, 1, 3, 6, 12, 24, split.kept.size):
        reduced = craig_bampton(fe, interfaces=ends, modes=modes, coupling=coupling)
        found = eigh(reduced.stiffness[6:, 6:], reduced.mass_matrix[6:, 6:], eigvals_only=True)[:6]
        rounding = 100 * EPS * exact[-1]
        assert np.all(found >= exact[:6] - rounding)
        assert np.all(found <= before + rounding)
        before = found
    assert np.abs(before - exact[:6]).max() < rounding  # all modes kept: nothing is lost


def test_free_frequencies_agree_with_the_full_model():
    reduced = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, modes=20)
    found, full = free_frequencies(reduced)[:6], full_frequencies(reduced, 6)
    exact = np.sqrt(eigh(reduced.model.stiffness.toarray(), reduced.model.mass.toarray(), eigvals_only=True)[6:12]) / (2 * pi)
    assert full == pytest.approx(exact, rel=1e-8)  # tolerance of the iteration, squared, and shift
    assert np.all(found >= exact * (1 - 1e-8)) and found == pytest.approx(exact, rel=1e-3)


def test_truncation_by_frequency():
    all_modes = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, modes=30).frequencies
    limit = (all_modes[16] + all_modes[17]) / 2
    kept = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, max_frequency=limit)
    assert kept.frequencies == pytest.approx(all_modes[:17], rel=1e-8)
    few = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, max_frequency=limit, modes=5)
    assert few.n_modes == 5


def test_effective_mass_of_a_clamped_beam():
    """First mode of a clamped-clamped beam: (∫φ)²/(L ∫φ²), closed form; sums stay below one."""
    fe = slender(40, theory="euler-bernoulli")
    reduced = craig_bampton(fe, interfaces={"hub": "start", "tip": "end"}, modes=8)
    beta = 4.730040744862704
    ratio = (cosh(beta) - np.cos(beta)) / (sinh(beta) - np.sin(beta))

    def shape(x):
        return cosh(beta * x) - np.cos(beta * x) - ratio * (sinh(beta * x) - np.sin(beta * x))

    part = quad(shape, 0, 1)[0] ** 2 / quad(lambda x: shape(x) ** 2, 0, 1)[0]
    slenderness = (0.04 / 1.0) ** 2  # rotary inertia, which the closed form leaves out
    assert effective_masses(reduced)[0, 2] == pytest.approx(part, abs=slenderness)
    assert np.all(effective_masses(reduced).sum(axis=0) <= 1.0)


def test_report_names_modes_and_errors():
    text = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, modes=2).report()
    assert "66 unknowns reduced to 14" in text and "hub, tip" in text
    assert "effective" in text and "free body" in text and "error" in text
    quick = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, modes=2).report(full=False)
    assert "free body" not in quick


def test_modes_do_not_depend_on_the_run():
    first, second = (craig_bampton(solid(), interfaces=ENDS, modes=5).basis for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(signed(first[:, 12:]), first[:, 12:])


def test_modal_damping_damps_every_elastic_mode_alike():
    reduced = craig_bampton(slender(), interfaces={"hub": "start", "tip": "end"}, modes=4, damping=0.02)
    square, shapes = eigh(reduced.stiffness, reduced.mass_matrix)
    modal = shapes.T @ reduced.damping @ shapes
    expected = np.diag(np.r_[np.zeros(6), 0.04 * np.sqrt(square[6:])])
    assert np.abs(modal - expected).max() < 1e-8 * expected.max()  # rigid eigenvalues are rounding of large ones
    assert np.abs(reduced.damping @ reduced.rigid_modes()).max() < 1e-8 * np.abs(reduced.damping).max()


def test_rayleigh_and_material_damping():
    ends = {"hub": "start", "tip": "end"}
    reduced = craig_bampton(slender(), interfaces=ends, damping={"mass": 3.0, "stiffness": 2e-5})
    assert np.array_equal(reduced.damping, 3.0 * reduced.mass_matrix + 2e-5 * reduced.stiffness)
    lossy = Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-5)
    fe = beam(length=1.0, section=Circle(0.02), material=lossy, elements=4)
    reduced = craig_bampton(fe, interfaces=ends)
    assert np.array_equal(reduced.damping, 1e-5 * reduced.stiffness)


def test_planar_models_move_in_their_plane():
    fe = plate((1.0, 0.06), thickness=0.01, divisions=(20, 3), material=STEEL)
    reduced = craig_bampton(fe, interfaces=ENDS, modes=3)
    assert reduced.active.sum() == 9
    assert not reduced.stiffness[~reduced.active].any()
    assert reduced.inertia[2, 2] == pytest.approx(reduced.inertia[0, 0] + reduced.inertia[1, 1], rel=1e3 * EPS)
    assert reduced.mass == pytest.approx(1.0 * 0.06 * 0.01 * 7850.0, rel=1e3 * EPS)


def test_points_follow_rigid_motions_and_nodes():
    fe = solid()
    node = int(np.argmin(np.linalg.norm(fe.nodes - [0.25, 0.0, 0.0], axis=1)))
    face = fe.nodes_where(lambda x, y, z: np.abs(x - 0.25) < 1e-9)
    reduced = craig_bampton(fe, interfaces=ENDS, modes=2, points={"mid": node, "section": face})
    for point in reduced.points.values():
        assert np.abs(point.motion @ reduced.rigid_modes(point.position) - np.eye(6)).max() < 1e4 * EPS
    rows = fe.dof_table[node, :3]
    assert np.array_equal(reduced.points["mid"].displacement, reduced.basis[rows])


def test_stress_of_a_stretched_bar():
    """Pull at the tip: F/A away from the faces, whose rigid coupling disturbs it (Saint-Venant)."""
    fe = box((0.5, 0.02, 0.02), divisions=(20, 2, 2), material=STEEL)
    reduced = craig_bampton(fe, interfaces=ENDS, modes=0)
    q = np.r_[np.zeros(6), np.linalg.solve(reduced.stiffness[6:, 6:], [1e4, 0, 0, 0, 0, 0])]
    middle = fe.nodes_where(lambda x, y, z: np.abs(x - 0.25) < 1e-9)
    assert reduced.stress(q).equivalent[middle] == pytest.approx(1e4 / 4e-4, rel=1e-3)


@pytest.mark.parametrize("change, words", [
    ({"coupling": "glue"}, ("coupling", "'glue'", "rbe2")),
    ({"modes": -1}, ("modes", "-1", "whole number")),
    ({"modes": 10**6}, ("modes", "at most")),
    ({"max_frequency": 0.0}, ("max_frequency", "greater than 0")),
    ({"interfaces": {}}, ("interfaces", "one")),
    ({"interfaces": ["-x"]}, ("interfaces", "expected")),
    ({"interfaces": {"hub": "-x", "tip": "-x"}}, ("tip", "shares", "hub")),
    ({"interfaces": {"hub": "left"}}, ("hub", "left")),
    ({"interfaces": {"hub": [0]}}, ("interfaces.hub", "determines")),
    ({"damping": {"mess": 1.0}}, ("damping.mess", "mass")),
    ({"damping": -0.1}, ("damping", "0 or more")),
])
def test_bad_input_is_refused_by_name(change, words):
    with pytest.raises(ModelError) as error:
        craig_bampton(solid(), **({"interfaces": ENDS, "modes": 1} | change))
    for word in words:
        assert word in str(error.value)


def test_bodies_are_shown_in_a_line():
    fe = solid()
    reduced = craig_bampton(fe, interfaces=ENDS, modes=2)
    assert repr(fe) == "<FEModel: 81 nodes, 243 unknowns, 32 h8>"
    assert repr(reduced) == "<ReducedBody: 15.7 kg, interfaces hub, tip and 2 modes: 14 coordinates>"
    assert repr(reduced.floating("tip")) == ("<FloatingBody: 15.7 kg, frame tangent at tip, places hub, tip, "
                                             "8 elastic coordinates>")


@pytest.mark.parametrize("modes, interfaces, words", [
    (0, {"hub": "-x"}, ("the reduced one is rigid", "1 interface (hub) with 6")),
    (0, ENDS, ("2 interfaces", "error")),
])
def test_report_of_bodies_without_modes(modes, interfaces, words):
    """A single interface without modes is a rigid body: there is nothing to compare."""
    text = craig_bampton(solid(), interfaces=interfaces, modes=modes).report()
    assert all(word in text for word in words) and "effective" not in text and "e-1" not in text


def test_report_of_a_planar_body():
    fe = plate((1.0, 0.06), thickness=0.01, divisions=(10, 2), material=STEEL)
    text = craig_bampton(fe, interfaces=ENDS, modes=2).report()
    assert "3 coordinates each in the plane" in text and "centre of mass (0.5, 0, 0) m" in text
