"""What is wrong with a finite-element model is reported, and what is right passes."""

from dataclasses import replace

import numpy as np
import pytest
from fe_problems import STEEL
from scipy.sparse import block_diag, csr_array, diags_array, tril

from dalembert import ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.continuum import check_volumes, continuum_model
from dalembert.flex.fe_check import check_fe, check_interfaces
from dalembert.flex.fe_model import ElementBlock, FEModel
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Circle, Material, Rectangle

SOLID = box((1.0, 0.2, 0.1), divisions=(4, 2, 2), material=STEEL)
PLANE = plate((1.0, 0.2), thickness=0.1, divisions=(4, 2), material=STEEL)
BEAM = beam(length=1.0, section=Rectangle(height=0.04, width=0.02), material=STEEL, elements=6)


def restricted(fe, keep):
    """The model without some unknowns."""
    return FEModel(fe.nodes, fe.dof_node[keep], fe.dof_direction[keep], fe.stiffness[keep][:, keep],
                   fe.mass[keep][:, keep])


def refusal(fe, **kwargs):
    with pytest.raises(ModelError) as info:
        check_fe(fe, **kwargs)
    return str(info.value)


@pytest.mark.parametrize("fe", [
    SOLID, PLANE, BEAM, box((1.0, 0.2, 0.1), divisions=(3, 1, 1), material=STEEL, kind="t10"),
    beam(length=1.0, section=Circle(1e-3), material=STEEL, elements=200, theory="euler-bernoulli"),
    plate((1.0, 0.01), thickness=0.01, divisions=(100, 1), material=STEEL)])
def test_sound_models_pass(fe):
    check_fe(fe, mass=1.05 * fe.total_mass)


def test_a_clamped_model():
    """Unknowns eliminated at one end: nodes without unknowns, and forces beside them."""
    text = refusal(restricted(BEAM, BEAM.dof_node > 0))
    assert "node 0 has no unknowns: clamped and eliminated" in text
    assert "rigid motions cause forces" in text and "supported at node 1 x" in text


def test_a_spring_to_ground():
    """A penalty support: the unknowns that look clamped are named."""
    spring = np.zeros(SOLID.n_dof)
    spring[SOLID.dof_table[7, 1]] = 1e8
    text = refusal(replace(SOLID, stiffness=csr_array(SOLID.stiffness + diags_array(spring))))
    assert "supported at node 7 y (1 unknowns)" in text and "translation y" in text


def test_missing_rotations():
    """Rotations thrown away, not condensed: translations are free, rotations not."""
    text = refusal(restricted(BEAM, BEAM.dof_direction < 3))
    assert "translations are free but rotations are not" in text and "missing" in text


def test_nodes_in_millimetres():
    """With rotations the unit of length shows in the rigid motions."""
    text = refusal(replace(BEAM, nodes=BEAM.nodes * 1000))
    assert "another unit of length" in text


def test_half_storage():
    text = refusal(replace(SOLID, stiffness=csr_array(tril(SOLID.stiffness)), mass=csr_array(tril(SOLID.mass))))
    assert text.count("only one triangle is stored") == 2


def test_a_matrix_that_is_not_symmetric():
    K = SOLID.stiffness.tolil()
    K[3, 5] += 0.01 * K[3, 3]
    text = refusal(replace(SOLID, stiffness=csr_array(K)))
    assert "not symmetric: entries (" in text and "5" in text


@pytest.mark.parametrize("name", ["stiffness", "mass"])
def test_indefinite_matrices(name):
    """A dent that leaves rigid motions alone."""
    modes, matrix = SOLID.rigid_modes(), getattr(SOLID, name)
    v = np.random.default_rng(0).standard_normal(SOLID.n_dof)
    v -= modes @ np.linalg.lstsq(modes, v, rcond=None)[0]
    dented = matrix - csr_array(np.outer(v, v) * (10 * abs(matrix).max() / (v @ v)))
    assert f"{name}: not positive semi-definite: 1 negative" in refusal(replace(SOLID, **{name: dented}))


def test_two_parts():
    text = refusal(FEModel(np.vstack([SOLID.nodes, SOLID.nodes + (2, 0, 0)]),
                           np.concatenate([SOLID.dof_node, SOLID.dof_node + len(SOLID.nodes)]),
                           np.tile(SOLID.dof_direction, 2), csr_array(block_diag([SOLID.stiffness] * 2)),
                           csr_array(block_diag([SOLID.mass] * 2))))
    assert "falls into 2 separate parts (45, 45 nodes)" in text
    text = refusal(FEModel(np.vstack([BEAM.nodes, BEAM.nodes + (0, 1, 0)]), np.concatenate([BEAM.dof_node, BEAM.dof_node + 7]),
                           np.tile(BEAM.dof_direction, 2), csr_array(block_diag([BEAM.stiffness] * 2)),
                           csr_array(block_diag([BEAM.mass] * 2))))
    assert "falls into 2 separate parts (7, 7 nodes)" in text


def test_a_hinge():
    """Two plates that share one node can turn about it: a fourth zero eigenvalue."""
    first = np.array([[0, 1, 2, 3]])
    nodes = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 1, 0), (2, 2, 0), (1, 2, 0)], dtype=float)
    fe = continuum_model(nodes, (ElementBlock("q4", np.vstack([first, [[2, 4, 5, 6]]]), STEEL, thickness=0.1),), {})
    assert "more than 3 zero eigenvalues" in refusal(fe)


def test_loose_nodes():
    nodes = np.vstack([SOLID.nodes, [(5.0, 0.0, 0.0)]])
    text = refusal(replace(SOLID, nodes=nodes))
    assert "node 45 has no unknowns" in text
    fe = continuum_model(nodes, SOLID.elements, {})
    assert "node 45 has no stiffness: loose" in refusal(fe)


def test_units_by_mass():
    """Tonnes instead of kilograms; millimetres instead of metres."""
    text = refusal(replace(SOLID, mass=SOLID.mass * 1e-3, stiffness=SOLID.stiffness * 1e-3), mass=157.0)
    assert "a factor 0.001" in text and "times 1000" in text
    text = refusal(replace(SOLID, nodes=SOLID.nodes * 1e-3))
    assert "more than any material" in text
    text = refusal(replace(SOLID, nodes=SOLID.nodes * 1e3, mass=SOLID.mass * 1e-3))
    assert "less than any material" in text


def test_masses_that_differ_by_direction():
    scale = diags_array(np.where(SOLID.dof_direction == 2, 1.5, 1.0) ** 0.5)
    assert "translations move different masses" in refusal(replace(SOLID, mass=csr_array(scale @ SOLID.mass @ scale)))
    assert "the matrix is zero" in refusal(replace(SOLID, mass=SOLID.mass * 0))


def test_what_is_no_model():
    with pytest.raises(ModelError, match="fe: found 'box.msh', expected a finite-element model"):
        craig_bampton("box.msh", interfaces={"hub": "-x"}, modes=2)


def test_shapes():
    assert "expected (n, 3)" in refusal(replace(SOLID, nodes=SOLID.nodes[:, :2]))
    assert "expected node numbers 0 to 44" in refusal(replace(SOLID, dof_node=SOLID.dof_node + 1))
    assert "expected 0 to 5" in refusal(replace(SOLID, dof_direction=SOLID.dof_direction + 4))
    assert "same node and direction" in refusal(replace(SOLID, dof_direction=SOLID.dof_direction * 0))
    assert "expected (135, 135)" in refusal(replace(SOLID, mass=PLANE.mass))
    broken = SOLID.stiffness.copy()
    broken.data[4] = np.nan
    assert "not finite" in refusal(replace(SOLID, stiffness=broken))


def test_elements_inside_out_and_flat():
    """The worst elements are named."""
    nodes = SOLID.nodes.copy()
    block = SOLID.elements[0]
    turned = block.connectivity.copy()
    turned[5] = turned[5][[4, 5, 6, 7, 0, 1, 2, 3]]
    with pytest.raises(ModelError, match=r"1 of 16 h8 elements .* 5 \(-"):
        check_volumes(nodes, (replace(block, connectivity=turned),), "mesh")
    flat = PLANE.nodes.copy()
    flat[:, 1] = 0.0
    with pytest.raises(ModelError, match="8 of 8 q4 elements have a zero or negative volume"):
        check_volumes(flat, PLANE.elements, "mesh")


def test_interfaces():
    found = check_interfaces(SOLID, {"hub": "-x", "tip": SOLID.face("+x")})
    assert np.array_equal(found["hub"], SOLID.face("-x"))
    with pytest.raises(ModelError) as info:
        check_interfaces(SOLID, {"hub": "-x", "side": "+y", "none": [], "what": "nowhere"})
    text = str(info.value)
    assert len(info.value.faults) == 3 and "interfaces.none: the node set is empty" in text
    assert "interfaces.side: shares 3 nodes" in text and "with 'hub'" in text and "no node set 'nowhere'" in text
    with pytest.raises(ModelError, match="found none"):
        check_interfaces(SOLID, {})


@pytest.mark.parametrize("size", [(500, 40, 20), (50, 40, 20), (10, 10, 5)])
def test_meshes_in_millimetres_are_told(size):
    fe = box(size, divisions=(4, 1, 1), material=STEEL)
    with pytest.raises(ModelError, match="millimetres\\? Scale them by 0.001, or confirm the mass with total_mass="):
        craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x"})
    in_metres = box(tuple(0.001 * x for x in size), divisions=(4, 1, 1), material=STEEL)
    craig_bampton(in_metres, interfaces={"hub": "-x", "tip": "+x"}, modes=0)


def test_large_structures_are_not_taken_for_millimetres():
    """A bridge of 500 m: 1e8 kg, mostly air; a massive block as heavy as that has to be confirmed."""
    air = Material(young=2.1e9, poisson=0.3, density=1e8 / (500 * 30 * 50))
    craig_bampton(box((500, 30, 50), divisions=(4, 1, 1), material=air), interfaces={"a": "-x", "b": "+x"}, modes=0)
    block = box((30, 10, 10), divisions=(3, 1, 1), material=STEEL)
    found = craig_bampton(block, interfaces={"a": "-x", "b": "+x"}, modes=0, total_mass=STEEL.density * 3000)
    assert found.mass == pytest.approx(STEEL.density * 3000)
    with pytest.raises(ModelError, match="a factor 1e"):
        craig_bampton(block, interfaces={"a": "-x", "b": "+x"}, modes=0, total_mass=STEEL.density * 3e-6)
    with pytest.raises(ModelError, match="total_mass: found -1"):
        craig_bampton(block, interfaces={"a": "-x", "b": "+x"}, total_mass=-1.0)
