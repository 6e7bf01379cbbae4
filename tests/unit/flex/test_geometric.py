"""Geometric stiffness: uniform stress, rigid rotations, buckling of columns and of tall beams."""

import numpy as np
import pytest
from fe_problems import EPS, LINEAR, PLANES, SOLIDS, STEEL, end_force, field, hooke, mesh_model, solve
from scipy.sparse import csc_array
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from dalembert import ModelError
from dalembert.flex.beam_elements import beam, beam_geometric_stiffness, beam_stiffness
from dalembert.flex.geometric import geometric_stiffness
from dalembert.flex.matrix_model import matrices
from dalembert.flex.plane_elements import plate
from dalembert.flex.shapes import shape_of
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Rectangle, Section

ALL = [(k, False) for k in (*PLANES, *SOLIDS)] + [("q4", True), ("h8", True)]
THEORIES = ["timoshenko", "euler-bernoulli"]
TURN = np.array([[0.3, -0.8, 0.2], [0.5, 0.1, 0.9], [-0.4, 0.6, 0.7]])


@pytest.mark.parametrize("kind, incompatible", ALL)
def test_uniform_stress(kind, incompatible):
    """A linear field v = H x does the second-order work V σ : HᵀH."""
    fe = mesh_model(kind, distorted=0.15, incompatible=incompatible)
    dim = shape_of(kind).dim
    G = geometric_stiffness(fe, field(fe, lambda x: x @ LINEAR.T))
    v = field(fe, lambda x: x @ TURN.T)
    H, stress = TURN[:dim, :dim], hooke(LINEAR[:dim, :dim], dim)
    volume = fe.total_mass / STEEL.density
    assert v @ (G @ v) == pytest.approx(volume * np.sum(stress * (H.T @ H)), rel=1e5 * EPS)


@pytest.mark.parametrize("kind, incompatible", ALL)
def test_forces_turn_with_a_solid(kind, incompatible):
    """A rigid rotation ω of a stressed body turns its nodal forces: K_G (ω × x) = ω × f; translations change nothing."""
    fe = mesh_model(kind, distorted=0.15, incompatible=incompatible)
    u = np.random.default_rng(2).standard_normal(fe.n_dof) * 1e-3
    G, modes = geometric_stiffness(fe, u), fe.rigid_modes()
    # nodal forces of the compatible strains, which geometric stiffness is made of
    f = np.zeros((len(fe.nodes), 3))
    f[fe.dof_node, fe.dof_direction] = fe.stiffness @ u
    for axis in (2,) if fe.is_planar else (0, 1, 2):
        turned = np.cross(np.eye(3)[axis], f)[fe.dof_node, fe.dof_direction]
        assert np.abs(G @ modes[:, 3 + axis] - turned).max() <= 1e4 * EPS * np.abs(f).max()
    assert np.abs(G @ modes[:, :3]).max() <= 1e4 * EPS * np.abs(G.data).max()


@pytest.mark.parametrize("theory", THEORIES)
def test_forces_turn_with_a_beam(theory):
    """As in a solid; a moment conjugate to a rotation vector turns by half: K_G Φ(ω) = (ω × f, ω × m / 2)."""
    fe = beam(length=1.0, section=Rectangle(height=0.06, width=0.02), material=STEEL, elements=3, theory=theory)
    u = np.random.default_rng(2).standard_normal(fe.n_dof) * 1e-3
    G, modes = geometric_stiffness(fe, u), fe.rigid_modes()
    f = (fe.stiffness @ u).reshape(-1, 2, 3)
    for axis in range(3):
        turned = np.cross(np.eye(3)[axis], f) * np.array([1.0, 0.5])[:, None]
        assert np.abs(G @ modes[:, 3 + axis] - turned.ravel()).max() <= 1e3 * EPS * np.abs(f).max()
    assert np.abs(G @ modes[:, :3]).max() <= 1e3 * EPS * np.abs(G.data).max()


def test_unit_axial_force_of_the_textbook():
    """N/30L (36, 3L, ...) in each plane, plus what the strain N/EA itself changes in every stiffness."""
    s, L = Rectangle(height=0.06, width=0.02), 0.7
    forces = np.zeros((2, 6))
    forces[:, 0] = 1.0
    plain = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
                      [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]]) / (30 * L)
    exact = beam_stiffness(s, STEEL, L, "euler-bernoulli") / (STEEL.young * s.area)
    polar = (s.iy + s.iz) / s.area / L * np.array([[1, -1], [-1, 1]])
    exact[np.ix_([3, 9], [3, 9])] = polar
    for columns, flip in (([1, 5, 7, 11], 1), ([2, 4, 8, 10], -1)):
        exact[np.ix_(columns, columns)] += plain * np.outer([1, flip, 1, flip], [1, flip, 1, flip])
    found = beam_geometric_stiffness(s, L, (0.0, 0.0), forces)
    assert np.abs(found - exact).max() <= 1000 * EPS * np.abs(exact).max()


def buckling(fe, held, force):
    """Smallest positive factor of a load at which the stiffness becomes singular."""
    free = ~held
    G = geometric_stiffness(fe, solve(fe, held, force=force))[free][:, free]
    K = csc_array(fe.stiffness[free][:, free])
    inverse = LinearOperator(K.shape, matvec=splu(K).solve, dtype=float)
    start = np.random.default_rng(0).standard_normal(K.shape[0])
    return 1 / eigsh(-G, k=1, M=K, Minv=inverse, which="LA", v0=start, return_eigenvectors=False)[0]


@pytest.mark.parametrize("theory, elements, tolerance", [("euler-bernoulli", 4, 2e-3), ("timoshenko", 8, 3e-3)])
def test_euler_column(theory, elements, tolerance):
    """A clamped column: π² E I / 4 L²; four cubic elements err by less than (π/8)⁴/12 = 0.2 %, shear and strain by as much."""
    s = Rectangle(height=0.06, width=0.02)
    fe = beam(length=1.0, section=s, material=STEEL, elements=elements, theory=theory)
    load = np.zeros(fe.n_dof)
    load[fe.dof_table[-1, 0]] = -1.0
    assert buckling(fe, fe.dof_node == 0, load) == pytest.approx(np.pi**2 * STEEL.young * s.iy / 4, rel=tolerance)


@pytest.mark.parametrize("fe, second", [
    (plate((1.0, 0.04), thickness=0.02, divisions=(25, 1), material=STEEL), 0.02 * 0.04**3 / 12),
    (box((1.0, 0.06, 0.04), divisions=(25, 1, 1), material=STEEL), 0.06 * 0.04**3 / 12),
    (box((1.0, 0.06, 0.04), divisions=(12, 1, 1), material=STEEL, kind="t10"), 0.06 * 0.04**3 / 12)], ids=["q4", "h8", "t10"])
def test_euler_column_of_continuum_elements(fe, second):
    """The same column of plane and solid elements; the clamp suppresses lateral strain and stiffens by a per cent."""
    load = end_force(fe, 0, -1.0)
    found = buckling(fe, np.isin(fe.dof_node, fe.face("-x")), load)
    assert found == pytest.approx(np.pi**2 * STEEL.young * second / 4, rel=0.02)


TALL = Section(area=1e-3, iy=1e-8, iz=1e-4, torsion=4e-8)
"""Bending about z is so stiff that the deflection before buckling does not matter."""


@pytest.mark.parametrize("theory", THEORIES)
def test_lateral_buckling_of_a_cantilever(theory):
    """Michell 1899: a tall cantilever under an end force tips over at 4.0126 √(E I G J) / L²."""
    fe = beam(length=1.0, section=TALL, material=STEEL, elements=20, theory=theory)
    load = np.zeros(fe.n_dof)
    load[fe.dof_table[-1, 1]] = -1.0
    exact = 4.0126 * np.sqrt(STEEL.young * TALL.iy * STEEL.shear_modulus * TALL.torsion)
    assert buckling(fe, fe.dof_node == 0, load) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize("theory", THEORIES)
def test_lateral_buckling_under_a_uniform_moment(theory):
    """Prandtl 1899: ends held against twist and deflection but free to bend buckle at M = π √(E I G J) / L."""
    n = 20
    fe = beam(length=1.0, section=TALL, material=STEEL, elements=n, theory=theory)
    ends = np.isin(fe.dof_node, (0, n))
    held = (ends & np.isin(fe.dof_direction, (1, 2, 3))) | ((fe.dof_node == 0) & (fe.dof_direction == 0))
    load = np.zeros(fe.n_dof)
    load[fe.dof_table[0, 5]], load[fe.dof_table[n, 5]] = -1.0, 1.0
    exact = np.pi * np.sqrt(STEEL.young * TALL.iy * STEEL.shear_modulus * TALL.torsion)
    assert buckling(fe, held, load) == pytest.approx(exact, rel=2e-3)


def test_lateral_buckling_of_a_solid_agrees_with_the_beam():
    """Independent kinematics: the solid's clamp holds warping and lateral strain over a length of about h: some h/L."""
    h, w = 0.05, 0.01
    solid = box((1.0, h, w), divisions=(40, 8, 2), material=STEEL)
    found = buckling(solid, np.isin(solid.dof_node, solid.face("-x")), end_force(solid, 1, -1.0))
    fe = beam(length=1.0, section=Rectangle(height=h, width=w), material=STEEL, elements=20)
    load = np.zeros(fe.n_dof)
    load[fe.dof_table[-1, 1]] = -1.0
    assert found == pytest.approx(buckling(fe, fe.dof_node == 0, load), rel=h)


def test_bad_displacements_and_models():
    fe = plate((1.0, 0.1), thickness=0.1, divisions=(2, 1), material=STEEL)
    with pytest.raises(ModelError, match=r"shape \(3,\), expected \(12,\)"):
        geometric_stiffness(fe, np.zeros(3))
    bare = matrices(fe.stiffness, fe.mass, fe.nodes)
    with pytest.raises(ModelError, match="no elements"):
        geometric_stiffness(bare, np.zeros(12))
