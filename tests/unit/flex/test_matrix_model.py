"""Matrices of other codes: every storage gives the same model; what is wrong is reported."""

import numpy as np
import pytest
from fe_problems import EPS, STEEL
from scipy.io import mmwrite
from scipy.sparse import coo_array, csr_array, save_npz, tril, triu

from dalembert import FormatError, ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.matrix_model import matrices
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Rectangle

SOLID = box((1.0, 0.2, 0.1), divisions=(3, 1, 1), material=STEEL)
BEAM = beam(length=1.0, section=Rectangle(height=0.04, width=0.02), material=STEEL, elements=3)


def same(found, fe, digits=EPS):
    """Both models have the same unknowns and matrices."""
    assert np.array_equal(found.dof_node, fe.dof_node) and np.array_equal(found.dof_direction, fe.dof_direction)
    for name in ("stiffness", "mass"):
        ours, theirs = getattr(fe, name), getattr(found, name)
        assert abs(ours - theirs).max() <= 10 * digits * abs(ours).max()
    return True


@pytest.mark.parametrize("fe", [SOLID, BEAM], ids=["solid", "beam"])
@pytest.mark.parametrize("form", [lambda a: a, lambda a: a.toarray(), lambda a: a.tocoo(), tril, triu],
                         ids=["csr", "dense", "coo", "lower", "upper"])
def test_arrays(fe, form):
    """Full or half, sparse or dense."""
    found = matrices(form(fe.stiffness), form(fe.mass), fe.nodes, sets={"end": [3]}, total_mass=fe.total_mass)
    assert same(found, fe) and found.sets["end"].tolist() == [3] and not found.elements


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("half", [False, True])
def test_matrix_market(tmp_path, symmetry, half):
    """The header says symmetric, or all is stored, or a general header hides one triangle."""
    for name in ("stiffness", "mass"):
        matrix = getattr(SOLID, name)
        stored = tril(matrix) if half and symmetry == "general" else matrix
        mmwrite(tmp_path / f"{name}.mtx", coo_array(stored), symmetry=symmetry, precision=17)
    assert same(matrices(tmp_path / "stiffness.mtx", str(tmp_path / "mass.mtx"), SOLID.nodes, dofs=3), SOLID)


def test_npz(tmp_path):
    save_npz(tmp_path / "k.npz", SOLID.stiffness)
    np.savez(tmp_path / "m.npz", SOLID.mass.toarray())
    assert same(matrices(tmp_path / "k.npz", tmp_path / "m.npz", SOLID.nodes), SOLID)


def write_abaqus(path, fe, matrix, labels, separator=", ", lower=True):
    """One line an entry: node, direction, node, direction, value."""
    coo = tril(matrix).tocoo() if lower else matrix.tocoo()
    node, direction = labels[fe.dof_node], fe.dof_direction + 1
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("** written by a test\n")
        for i, j, v in zip(coo.row, coo.col, coo.data, strict=True):
            entry = (node[i], direction[i], node[j], direction[j], f"{v:.17e}")
            stream.write(separator.join(map(str, entry)) + "\n")


@pytest.mark.parametrize("fe", [SOLID, BEAM], ids=["solid", "beam"])
@pytest.mark.parametrize("separator, lower", [(", ", True), ("  ", False)])
def test_abaqus_labels(tmp_path, fe, separator, lower):
    """Nodes with any numbers; halves are recognised even if the numbers do not ascend."""
    labels = np.random.default_rng(0).permutation(len(fe.nodes)) * 10 + 7
    for name in ("stiffness", "mass"):
        write_abaqus(tmp_path / f"{name}.mtx", fe, getattr(fe, name), labels, separator, lower)
    found = matrices(tmp_path / "stiffness.mtx", tmp_path / "mass.mtx", fe.nodes, labels=labels,
                     sets={"end": [int(labels[2])]})
    order = np.argsort(found.dof_node * 6 + found.dof_direction)
    for name in ("stiffness", "mass"):
        assert abs(getattr(found, name)[order][:, order] - getattr(fe, name)).max() <= 10 * EPS * abs(getattr(fe, name)).max()
    assert found.sets["end"].tolist() == [2] and np.array_equal(found.dof_node[order], fe.dof_node)


def test_abaqus_coordinates(tmp_path):
    """Rows and columns counted from 1, Fortran exponents."""
    for name in ("stiffness", "mass"):
        coo = getattr(SOLID, name).tocoo()
        lines = [f"{i + 1} {j + 1} {v:.17e}".replace("e", "D") for i, j, v in zip(coo.row, coo.col, coo.data, strict=True)]
        (tmp_path / f"{name}.mtx").write_text("\n".join(lines))
    assert same(matrices(tmp_path / "stiffness.mtx", tmp_path / "mass.mtx", SOLID.nodes), SOLID)


def test_given_unknowns():
    """Rows in any order, given by node and direction."""
    order = np.random.default_rng(1).permutation(SOLID.n_dof)
    pairs = np.column_stack([SOLID.dof_node, SOLID.dof_direction])[order]
    found = matrices(SOLID.stiffness[order][:, order], SOLID.mass[order][:, order], SOLID.nodes, dofs=pairs)
    assert np.array_equal(found.dof_node, pairs[:, 0])
    assert found.rigid_mass == pytest.approx(SOLID.rigid_mass, abs=1000 * EPS * SOLID.total_mass)


@pytest.mark.parametrize("change, words", [
    ({"nodes": SOLID.nodes[:, :2]}, r"\(n, 3\)"), ({"nodes": "here"}, r"\(n, 3\)"),
    ({"nodes": SOLID.nodes[:7]}, "48 rows for 7 nodes"),
    ({"dofs": 6}, "48 rows for 16 nodes, dofs = 6"), ({"dofs": np.zeros((3, 2), int)}, r"shape \(48, 2\)"),
    ({"stiffness": np.zeros((3, 4))}, "a square matrix"), ({"mass": np.eye(48) * 1j}, "real numbers"),
    ({"mass": BEAM.mass}, r"expected \(48, 48\)"), ({"labels": [1, 2]}, "16 different whole numbers"),
    ({"sets": {"tip": [99]}}, "found node 99"), ({"total_mass": 1.0}, "a factor"), ({"total_mass": 0}, "a mass"),
    ({"stiffness": SOLID.stiffness[::-1]}, "not symmetric")])
def test_bad_arguments(change, words):
    given = {"stiffness": SOLID.stiffness, "mass": SOLID.mass, "nodes": SOLID.nodes, **change}
    with pytest.raises(ModelError, match=words):
        matrices(given.pop("stiffness"), given.pop("mass"), given.pop("nodes"), **given)


def test_labels_and_unknowns_exclude_each_other(tmp_path):
    labels = np.arange(1, 17)
    for name in ("stiffness", "mass"):
        write_abaqus(tmp_path / f"{name}.mtx", SOLID, getattr(SOLID, name), labels)
    files = tmp_path / "stiffness.mtx", tmp_path / "mass.mtx"
    assert same(matrices(*files, SOLID.nodes), SOLID)
    with pytest.raises(ModelError, match="leave dofs out"):
        matrices(*files, SOLID.nodes, dofs=3)
    with pytest.raises(ModelError, match=r"node 1 is not among the 16 nodes given \(14 more\)"):
        matrices(*files, SOLID.nodes, labels=labels + 15)


@pytest.mark.parametrize("text, words", [
    ("", "no entries"), ("** nothing\n", "no entries"),
    ("1,1,1,1,2.0\n1,1,1,2\n", r"a\.mtx:2: found '1,1,1,2', expected 5 numbers"),
    ("1 1 1\n\n% remark\n1 1 x\n", r"a\.mtx:4: found '1 1 x'"), ("1 2 3 4\n", r"a\.mtx:1"),
    ("0,1,1,1,2.0\n", "node numbers from 1"),
    ("1,7,1,1,2.0\n", "directions 1 to 6"), ("1.5 1 2.0\n", "whole numbers"), ("1 1 nan\n", "finite"), ("0 1 2.0\n", "from 1"),
    ("%%MatrixMarket matrix coordinate real general\n2 2 1\n5 5 1.0\n", "Matrix Market"),
    ("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1.0\n", r"shape \(2, 3\)"),
    ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 1.0\n", "complex")])
def test_bad_files(tmp_path, text, words):
    (tmp_path / "a.mtx").write_text(text)
    with pytest.raises(FormatError, match=words) as info:
        matrices(tmp_path / "a.mtx", SOLID.mass, SOLID.nodes)
    assert "a.mtx" in str(info.value)


def test_files_of_another_kind(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        matrices(tmp_path / "none.mtx", SOLID.mass, SOLID.nodes)
    (tmp_path / "b.mtx").write_bytes(bytes(range(128, 256)))
    with pytest.raises(FormatError, match="no text"):
        matrices(tmp_path / "b.mtx", SOLID.mass, SOLID.nodes)
    np.savez(tmp_path / "two.npz", a=np.eye(2), b=np.eye(2))
    with pytest.raises(FormatError, match="the arrays a, b, expected one"):
        matrices(tmp_path / "two.npz", SOLID.mass, SOLID.nodes)
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(FormatError, match=r"cut\.npz"):
        matrices(tmp_path / "cut.npz", SOLID.mass, SOLID.nodes)


def test_a_reduced_support_is_found():
    """A clamped model, as most codes write it, is refused with the place of the clamp."""
    keep = SOLID.dof_node > 0
    pairs = np.column_stack([SOLID.dof_node, SOLID.dof_direction])[keep]
    with pytest.raises(ModelError, match="no unknowns: clamped"):
        matrices(csr_array(SOLID.stiffness[keep][:, keep]), SOLID.mass[keep][:, keep], SOLID.nodes, dofs=pairs)
