"""Plane and solid elements of every kind: patch test, rigid motions, convergence, scikit-fem as an oracle."""

import numpy as np
import pytest
from fe_problems import EPS, LINEAR, PLANES, SOLIDS, STEEL, boundary, field, hooke, mesh_model, order, solve

from dalembert.flex.assembly import element_vectors
from dalembert.flex.continuum import element_nodes
from dalembert.flex.isoparametric import elasticity, point_stresses
from dalembert.flex.shapes import shape_of
from dalembert.flex.stress import nodal_stress

ALL = [(k, False) for k in (*PLANES, *SOLIDS)] + [("q4", True), ("h8", True)]


def voigt(s):
    pairs = [(0, 0), (1, 1), (0, 1)] if s.shape[-1] == 2 else [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]
    return np.stack([s[..., a, b] for a, b in pairs], axis=-1)


@pytest.mark.parametrize("kind, incompatible", ALL)
def test_patch(kind, incompatible):
    """Linear displacements on the boundary of a distorted mesh give them inside, and one stress everywhere."""
    fe = mesh_model(kind, distorted=0.2, incompatible=incompatible)
    dim = shape_of(kind).dim
    exact = field(fe, lambda x: x @ LINEAR.T)
    u = solve(fe, boundary(fe), exact)
    assert np.abs(u - exact).max() <= 1e4 * EPS * np.abs(exact).max()
    stress = voigt(hooke(LINEAR[:dim, :dim], dim))
    assert np.abs(nodal_stress(fe, u).components - stress).max() <= 1e5 * EPS * np.abs(stress).max()


@pytest.mark.parametrize("kind, incompatible", ALL)
def test_rigid_motions_alone_cost_no_energy(kind, incompatible):
    fe = mesh_model(kind, divisions=(1, 2, 1)[:shape_of(kind).dim], distorted=0.2, incompatible=incompatible)
    largest = np.abs(fe.stiffness.data).max()
    assert np.abs(fe.stiffness @ fe.rigid_modes()).max() <= 100 * EPS * largest
    values = np.linalg.eigvalsh(fe.stiffness.toarray())
    assert np.sum(values <= 1e-9 * values[-1]) == (3 if fe.is_planar else 6)
    assert values[0] >= -1000 * EPS * values[-1]


@pytest.mark.parametrize("kind", (*PLANES, *SOLIDS))
def test_mass_centre_and_inertia_of_a_parallelepiped(kind):
    """Affine elements integrate the mass matrix exactly; a distorted interior changes nothing in the sum."""
    fe = mesh_model(kind, distorted=0.15)
    a, b, c = (1.0, 0.8, 0.3 if fe.is_planar else 0.7)
    mass = STEEL.density * a * b * c
    assert fe.total_mass == pytest.approx(mass, rel=1e4 * EPS)
    assert np.abs(fe.centre - (0.5, 0, 0)).max() <= 1e4 * EPS
    exact = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 12
    if fe.is_planar:
        exact[:2] = 0
    assert np.abs(fe.inertia - exact).max() <= 1e4 * EPS * mass


def harmonic(x, dim):
    """Displacement ∇φ and its gradient for a harmonic φ: divergence and Laplacian vanish, so no body force acts."""
    c = (1.0, 1.0) if dim == 2 else (1.0, 0.5**0.5, 0.5**0.5)
    functions = [(np.exp, np.exp, np.exp)] + [(np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t))] * (dim - 1)
    values = [[f(c[a] * x[:, a]) * c[a]**i for i, f in enumerate(functions[a])] for a in range(dim)]

    def product(orders):
        return np.prod([values[a][orders[a]] for a in range(dim)], axis=0)

    unit = np.eye(dim, dtype=int)
    u = np.stack([product(unit[a]) for a in range(dim)], axis=-1)
    return u, np.stack([np.stack([product(unit[a] + unit[b]) for b in range(dim)], axis=-1) for a in range(dim)], axis=-2)


def stress_error(kind, incompatible, n):
    fe = mesh_model(kind, divisions=(n,) * shape_of(kind).dim, incompatible=incompatible)
    dim = shape_of(kind).dim
    u = solve(fe, boundary(fe), harmonic(fe.nodes, dim)[0][fe.dof_node, fe.dof_direction])
    shape, x = element_nodes(fe.nodes, fe.elements[0])
    own = element_vectors(fe.elements[0].connectivity, dim, u[:, None])
    found = point_stresses(shape, x, elasticity(STEEL, dim), own, incompatible)[..., 0]
    at = np.einsum("qk,mka->mqa", shape.values(shape.rule[0]), x).reshape(-1, dim)
    return np.sqrt(np.mean((found.reshape(len(at), -1) - voigt(hooke(harmonic(at, dim)[1], dim))) ** 2))


@pytest.mark.parametrize("kind, incompatible", ALL)
def test_stresses_converge(kind, incompatible):
    """A field that is no polynomial: stress error of first order in linear elements, of second in quadratic ones."""
    coarse = 2 if shape_of(kind).dim == 3 else 4
    observed = order([stress_error(kind, incompatible, n) for n in (coarse, 2 * coarse)])
    assert observed >= (1.0 if kind in ("t3", "t4", "q4", "h8", "w6") else 2.0) - 0.15


SHEARED = np.array([[1.0, 0.3, -0.2], [0.1, 0.9, 0.25], [-0.15, 0.2, 1.1]])
ORACLES = {"t3": "ElementTriP1", "t6": "ElementTriP2", "q4": "ElementQuad1", "q8": "ElementQuadS2", "q9": "ElementQuad2",
           "t4": "ElementTetP1", "t10": "ElementTetP2", "h8": "ElementHex1", "h20": "ElementHexS2", "h27": "ElementHex2"}
"""Without wedges: the weights of scikit-fem's wedge rule (version 12) add up to half the volume."""
MESHES = {"t3": "MeshTri1", "q4": "MeshQuad1", "t4": "MeshTet1", "h8": "MeshHex1"}


@pytest.mark.parametrize("kind", ORACLES)
def test_against_scikit_fem(kind):
    """The matrices of an independent library on a sheared mesh (constant Jacobians: any exact rule agrees)."""
    skfem = pytest.importorskip("skfem")
    from fe_problems import CORNERS, corner_mesh
    from skfem.models.elasticity import linear_elasticity
    dim, corner = shape_of(kind).dim, CORNERS.get(kind, kind)
    fe = mesh_model(kind, turn=SHEARED)
    nodes, cells = corner_mesh(corner, (1.0, 0.8, 0.7)[:dim], (2,) * dim)
    cells = cells[:, [0, 1, 3, 4, 2, 5, 7, 6]] if corner == "h8" else cells
    mesh = getattr(skfem, MESHES[corner])((nodes[:, :dim] @ SHEARED[:dim, :dim].T).T, cells.T)
    basis = skfem.Basis(mesh, skfem.ElementVector(getattr(skfem, ORACLES[kind])()), intorder=5)
    v = STEEL.poisson
    lam = STEEL.young * v / (1 - v * v) if dim == 2 else STEEL.young * v / ((1 + v) * (1 - 2 * v))
    scale = 0.3 if dim == 2 else 1.0
    K = linear_elasticity(lam, STEEL.shear_modulus).assemble(basis).toarray() * scale

    @skfem.BilinearForm
    def inertia(u, w, _):
        return STEEL.density * skfem.helpers.dot(u, w)

    M = inertia.assemble(basis).toarray() * scale
    where = _same_unknowns(fe, basis, dim)
    for ours, theirs in ((fe.stiffness, K), (fe.mass, M)):
        found = theirs[np.ix_(where, where)]
        assert np.abs(ours.toarray() - found).max() <= 1e5 * EPS * np.abs(found).max()


def _same_unknowns(fe, basis, dim):
    """Return for each of our unknowns its number in scikit-fem: same place; components ascend there."""
    distance = np.abs(fe.nodes[:, None, :dim] - basis.doflocs.T).max(axis=2)
    at = np.array([np.flatnonzero(row <= 1e-9) for row in distance])
    return at[fe.dof_node, fe.dof_direction]
