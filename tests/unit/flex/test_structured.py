"""Boxes and plates: bending against beam theory, equality with plain assembly, faces, bad input."""

import numpy as np
import pytest
from fe_problems import EPS, STEEL, end_force, solve

from dalembert import ModelError
from dalembert.flex.continuum import continuum_model
from dalembert.flex.plane_elements import plate
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Material

RECTANGLE = {"thickness": 0.02, "divisions": (8, 2), "material": STEEL}
CUBOID = {"divisions": (4, 2, 2), "material": STEEL}


@pytest.mark.parametrize("fe", [plate((1.0, 0.3), kind=k, **RECTANGLE) for k in ("q4", "t3")]
                         + [box((1.0, 0.3, 0.2), kind=k, **CUBOID) for k in ("h8", "t4", "t10")],
                         ids=lambda fe: fe.elements[0].kind)
def test_repeated_cells_equal_plain_assembly(fe):
    """One cell integrated and repeated is the same as all cells integrated."""
    plain = continuum_model(fe.nodes, fe.elements, {})
    for ours, theirs in ((fe.stiffness, plain.stiffness), (fe.mass, plain.mass)):
        assert abs(ours - theirs).max() <= 100 * EPS * abs(theirs).max()
        assert abs(ours - ours.T).max() == 0


def tip(fe, direction):
    """Mean deflection of the far end under a unit end force."""
    f = end_force(fe, direction)
    return f @ solve(fe, np.isin(fe.dof_node, fe.face("-x")), force=f)


@pytest.mark.parametrize("direction, height, width", [(1, 0.06, 0.02), (2, 0.02, 0.06)])
def test_a_slender_box_bends_as_a_beam(direction, height, width):
    """Two layers of softened hexahedra within the clamp's own stiffening of beam theory; plain ones lock."""
    second = width * height**3 / 12
    beam = 1 / (3 * STEEL.young * second) + 1.2 / (STEEL.shear_modulus * height * width)
    fe = box((1.0, 0.06, 0.02), divisions=(60, 6, 2), material=STEEL)
    assert tip(fe, direction) == pytest.approx(beam, rel=0.03)
    locked = box((1.0, 0.06, 0.02), divisions=(60, 6, 2), material=STEEL, incompatible=False)
    assert tip(locked, direction) < tip(fe, direction)


@pytest.mark.parametrize("make", [
    lambda n: plate((1.0, 0.2), thickness=0.1, divisions=(5 * n, n), material=STEEL),
    lambda n: box((1.0, 0.2, 0.1), divisions=(5 * n, n, n), material=STEEL),
    lambda n: box((1.0, 0.2, 0.1), divisions=(5 * n, n, 1), material=STEEL, kind="t10")], ids=["q4", "h8", "t10"])
def test_one_layer_is_near_to_four(make):
    """A cantilever gets softer by refinement, and one layer already bends within 4 % of four."""
    found = [tip(make(n), 1) for n in (1, 4)]
    assert 0.96 * found[1] < found[0] < found[1]


@pytest.mark.parametrize("dim", [2, 3])
def test_one_softened_element_bends_without_locking(dim):
    """Pure bending of a single element costs the energy of a beam, E I κ² L / 2, for ν = 0."""
    cork = Material(STEEL.young, 0.0, STEEL.density)
    a, b, c, kappa = 2.0, 0.5, 0.4, 1e-3
    fe = plate((a, b), thickness=c, divisions=(1, 1), material=cork) if dim == 2 else \
        box((a, b, c), divisions=(1, 1, 1), material=cork)
    x, y, _ = fe.nodes.T
    u = np.zeros(fe.n_dof)
    u[fe.dof_table[:, 0]] = -kappa * (x - a / 2) * y  # v = κ (x - a/2)²/2 is the same at all corners
    energy = u @ (fe.stiffness @ u) / 2
    assert energy == pytest.approx(STEEL.young * c * b**3 / 12 * kappa**2 * a / 2, rel=1e4 * EPS)


def test_faces_and_conditions():
    """Bounding planes, named by their outward normals."""
    fe = box((1.0, 0.4, 0.2), divisions=(5, 2, 1), material=STEEL)
    assert np.all(fe.nodes[fe.face("-x"), 0] == 0) and len(fe.face("-x")) == 6
    assert np.allclose(fe.nodes[fe.face("+z"), 2], 0.1, atol=EPS) and len(fe.face("+z")) == 18
    assert np.array_equal(fe.node_set("+y"), fe.nodes_where(lambda x, y, z: y > 0.19))
    assert fe.nodes.min(axis=0) == pytest.approx((0, -0.2, -0.1)) and fe.nodes.max(axis=0) == pytest.approx((1, 0.2, 0.1))


def test_bad_faces_and_sets():
    fe = box((1.0, 0.4, 0.2), divisions=(5, 2, 1), material=STEEL)
    with pytest.raises(ModelError, match=r"face: found 'x', expected one of -x, \+x"):
        fe.face("x")
    with pytest.raises(ModelError, match="no node set 'strat'"):
        fe.node_set("strat")
    with pytest.raises(ModelError, match="empty"):
        fe.node_set([])
    with pytest.raises(ModelError, match="found node 36, expected 0 to 35"):
        fe.node_set([3, 36])
    with pytest.raises(ModelError, match="name of a node set or node numbers"):
        fe.node_set([0.5])
    with pytest.raises(ModelError, match="expected bool"):
        fe.nodes_where(lambda x, y, z: x)


@pytest.mark.parametrize("change, words", [
    ({"lengths": (1.0, 0.1)}, "3 lengths"), ({"lengths": (1.0, -0.1, 1.0)}, r"lengths\[1\]"),
    ({"divisions": (2, 0, 1)}, "divisions"),
    ({"divisions": (2.5, 1, 1)}, "divisions"), ({"divisions": 3}, "divisions"), ({"kind": "h9"}, "'h8' or 't4' or 't10'"),
    ({"material": None}, "a Material"), ({"material": Material(1e9, 0.5, 1.0)}, "0.5"),
    ({"incompatible": 1}, "true or false")])
def test_bad_boxes(change, words):
    given = {"lengths": (1.0, 0.1, 0.1), "divisions": (2, 1, 1), "material": STEEL, **change}
    with pytest.raises(ModelError, match=words):
        box(given.pop("lengths"), **given)


@pytest.mark.parametrize("change, words", [({"thickness": 0.0}, "thickness"), ({"kind": "h8"}, "'q4' or 't3'"),
                                           ({"divisions": (1, 1, 1)}, "2 whole numbers")])
def test_bad_plates(change, words):
    with pytest.raises(ModelError, match=words):
        plate((1.0, 0.1), **{"thickness": 0.01, "divisions": (2, 1), "material": STEEL, **change})


def test_all_faults_are_told_at_once():
    with pytest.raises(ModelError) as info:
        box((1.0, 0.0, 1.0), divisions=(0, 1, 1), material=Material(-1.0, 0.3, 1.0), kind="x")
    assert len(info.value.faults) == 4
