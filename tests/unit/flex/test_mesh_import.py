"""Mesh files: written by meshio, read back, the same model; groups become node sets; bad files are named."""

import sys

import numpy as np
import pytest
from fe_problems import EPS, STEEL, mesh_model

from dalembert import FormatError, ModelError
from dalembert.flex.fe_check import check_fe
from dalembert.flex.mesh_import import PLANES, SOLIDS, read_mesh

meshio = pytest.importorskip("meshio")
NAMES = {kind: name for name, kind in {**SOLIDS, **PLANES}.items()}
SUFFIXES = {"vtk": ("t3", "q4", "t6", "q8", "t4", "t10", "h8", "h20", "h27", "w6"),
            "vtu": ("t3", "q4", "q9", "t4", "t10", "h8", "h20", "w6"),
            "msh": ("t3", "t6", "q4", "q8", "q9", "t4", "t10", "h8", "h20", "h27", "w6"),
            "inp": ("t3", "t6", "q4", "q8", "t4", "t10", "h8", "h20", "w6"),
            "bdf": ("t3", "q4", "t4", "t10", "h8", "h20", "w6")}
OPTIONS = {".msh": {"file_format": "gmsh22"}}
DIGITS = {"bdf": 1e-9}
"""Of the coordinates [m]; the writer of Nastran needs short numbers."""
CASES = [(suffix, kind) for suffix, kinds in SUFFIXES.items() for kind in kinds]


def written(path, fe, unit=1.0, **more):
    """Write the mesh of a model in another unit of length."""
    cells = [(NAMES[b.kind], b.connectivity) for b in fe.elements]
    points = np.round(fe.nodes / unit, 6) if path.suffix == ".bdf" else fe.nodes / unit
    mesh = meshio.Mesh(points, [*cells, *more.pop("cells", [])], **more)
    meshio.write(path, mesh, **OPTIONS.get(path.suffix, {}))
    return path


@pytest.mark.parametrize("suffix, kind", CASES)
def test_round_trip(tmp_path, suffix, kind):
    """Millimetres in the file, metres in the model."""
    fe = mesh_model(kind, distorted=0.15)
    path = written(tmp_path / f"mesh.{suffix}", fe, unit=1e-3)
    found = read_mesh(path, material=STEEL, scale=1e-3, incompatible=False, thickness=0.3 if fe.is_planar else None)
    digits = DIGITS.get(suffix, 10 * EPS)
    assert np.abs(found.nodes - fe.nodes).max() <= digits and found.elements[0].kind == kind
    assert found.total_mass == pytest.approx(fe.total_mass, rel=10 * digits)
    assert abs(found.stiffness - fe.stiffness).max() <= 100 * digits * abs(fe.stiffness).max()
    check_fe(found)


def test_hexahedra_and_wedges_join(tmp_path):
    """A mesh of two kinds assembles to one body with the right mass."""
    hexahedra = mesh_model("h8", lengths=(1.0, 1.0, 1.0), divisions=(1, 1, 1))
    nodes = np.vstack([hexahedra.nodes, hexahedra.nodes[[6, 7]] + (1.0, 0, 0), hexahedra.nodes[[4, 5]] + (1.0, 0, 0)])
    top = hexahedra.face("+x")
    far = [int(np.flatnonzero((np.abs(nodes - (nodes[i] + (1.0, 0, 0))) < 1e-9).all(axis=1))[0]) for i in top]
    a, b, c, d = top  # (y, z) = (-, -), (-, +), (+, -), (+, +)
    e, f, g, h = far
    wedges = [[a, c, b, e, g, f], [b, c, d, f, g, h]]
    mesh = meshio.Mesh(nodes, [("hexahedron", hexahedra.elements[0].connectivity), ("wedge", wedges)])
    mesh.write(tmp_path / "two.vtu")
    fe = read_mesh(tmp_path / "two.vtu", material=STEEL)
    assert {b.kind for b in fe.elements} == {"h8", "w6"} and fe.elements[0].incompatible
    assert fe.total_mass == pytest.approx(2 * STEEL.density, rel=1e4 * EPS)
    check_fe(fe)


def test_physical_groups_of_gmsh(tmp_path):
    """A named surface becomes the set of its nodes, beside the solid that it bounds."""
    fe = mesh_model("h8")
    face = fe.face("+x")
    quads = np.array([[face[0], face[3], face[4], face[1]], [face[3], face[6], face[7], face[4]]])
    path = written(tmp_path / "g.msh", fe, cells=[("quad", quads)],
                   field_data={"tip": np.array([5, 2]), "all": np.array([6, 3])},
                   cell_data={"gmsh:physical": [np.full(8, 6), np.full(2, 5)],
                              "gmsh:geometrical": [np.full(8, 1), np.full(2, 1)]})
    found = read_mesh(path, material=STEEL)
    assert np.array_equal(found.sets["tip"], np.unique(quads)) and len(found.sets["all"]) == 27
    assert len(found.elements) == 1


def test_sets_of_abaqus(tmp_path):
    """*NSET and *ELSET become node sets."""
    text = """*HEADING
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 1, 1, 1
*ELEMENT, TYPE=C3D4, ELSET=LOW
1, 1, 2, 3, 4
*ELEMENT, TYPE=C3D4, ELSET=HIGH
2, 2, 3, 4, 5
*NSET, NSET=BASE
1, 2, 3
"""
    (tmp_path / "a.inp").write_text(text)
    fe = read_mesh(tmp_path / "a.inp", material=STEEL)
    sets = {name.upper(): nodes.tolist() for name, nodes in fe.sets.items()}
    assert sets["BASE"] == [0, 1, 2] and sets["LOW"] == [0, 1, 2, 3] and sets["HIGH"] == [1, 2, 3, 4]
    assert fe.total_mass == pytest.approx(STEEL.density / 2, rel=100 * EPS)


def test_loose_nodes_are_refused_or_dropped(tmp_path):
    fe = mesh_model("t4")
    mesh = meshio.Mesh(np.vstack([[(9.0, 9.0, 9.0)], fe.nodes]), [("tetra", fe.elements[0].connectivity + 1)],
                       point_sets={"odd": np.array([0, 3])})
    mesh.write(tmp_path / "loose.inp")
    with pytest.raises(ModelError, match=r"loose\.inp: 1 of 28 nodes belong to no element \(0\).*drop_loose=True"):
        read_mesh(tmp_path / "loose.inp", material=STEEL)
    found = read_mesh(tmp_path / "loose.inp", material=STEEL, drop_loose=True)
    assert abs(found.stiffness - fe.stiffness).max() <= 1e-9 * abs(fe.stiffness).max()
    assert found.sets["odd"].tolist() == [2]


def test_places_that_are_no_numbers(tmp_path):
    fe = mesh_model("t4")
    nodes = fe.nodes.copy()
    nodes[0] = np.nan
    meshio.Mesh(nodes, [("tetra", fe.elements[0].connectivity)]).write(tmp_path / "nan.vtu")
    with pytest.raises(FormatError, match=r"nan\.vtu: node 0 lies at .*finite coordinates"):
        read_mesh(tmp_path / "nan.vtu", material=STEEL)


def test_elements_inside_out_are_named(tmp_path):
    fe = mesh_model("t4")
    cells = fe.elements[0].connectivity.copy()
    cells[7] = cells[7][[1, 0, 2, 3]]
    meshio.Mesh(fe.nodes, [("tetra", cells)]).write(tmp_path / "in.vtk")
    with pytest.raises(ModelError, match=r"in\.vtk: 1 of 48 t4 elements .* 7 \(-"):
        read_mesh(tmp_path / "in.vtk", material=STEEL)


def test_planes_need_a_thickness_and_a_plane(tmp_path):
    fe = mesh_model("t3")
    path = written(tmp_path / "p.vtk", fe)
    with pytest.raises(ModelError, match=r"plane elements only \(triangle\); give their thickness"):
        read_mesh(path, material=STEEL)
    solid = written(tmp_path / "s.vtk", mesh_model("t4"))
    with pytest.raises(ModelError, match="mesh of solid elements"):
        read_mesh(solid, material=STEEL, thickness=0.1)
    tilted = fe.nodes + np.outer(fe.nodes[:, 0], (0, 0, 1))
    meshio.Mesh(tilted, [("triangle", fe.elements[0].connectivity)]).write(tmp_path / "t.vtk")
    with pytest.raises(ModelError, match="do not lie in an x-y plane"):
        read_mesh(tmp_path / "t.vtk", material=STEEL, thickness=0.1)


def test_a_plane_above_the_origin(tmp_path):
    """Its height changes neither matrices nor rigid motions."""
    fe = mesh_model("q4")
    meshio.Mesh(fe.nodes + (0, 0, 2.0), [("quad", fe.elements[0].connectivity)]).write(tmp_path / "high.vtu")
    found = read_mesh(tmp_path / "high.vtu", material=STEEL, thickness=0.3, incompatible=False)
    assert abs(found.stiffness - fe.stiffness).max() <= 100 * EPS * abs(fe.stiffness).max()
    assert np.abs(found.rigid_mass - fe.rigid_mass).max() <= 100 * EPS * fe.total_mass
    check_fe(found)


def test_cells_that_are_unknown(tmp_path):
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1.0)])
    meshio.Mesh(points, [("pyramid", [[0, 1, 2, 3, 4]])]).write(tmp_path / "y.vtk")
    with pytest.raises(FormatError, match=r"y\.vtk: found cells of kind pyramid, expected tetra"):
        read_mesh(tmp_path / "y.vtk", material=STEEL)
    meshio.Mesh(np.eye(3), [("line", [[0, 1]])]).write(tmp_path / "l.vtk")
    with pytest.raises(FormatError, match=r"found no elements \(line\)"):
        read_mesh(tmp_path / "l.vtk", material=STEEL)


@pytest.mark.parametrize("name, data", [("a.msh", b"nothing"), ("b.inp", b""), ("c.vtk", b"\x00\x01"), ("d.what", b"1 2 3"),
                                        ("e.bdf", b"GRID,1,x"), ("f.vtu", b"<xml/>")])
def test_what_is_no_mesh_is_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=name):
        read_mesh(tmp_path / name, material=STEEL)


def test_a_reader_that_gives_up_says_so_in_the_error_alone(tmp_path, capsys):
    (tmp_path / "a.msh").write_bytes(b"nothing")
    with pytest.raises(FormatError, match="no reader of its ending knows it; expected gmsh"):
        read_mesh(tmp_path / "a.msh", material=STEEL)
    assert capsys.readouterr() == ("", "")


def test_missing_files_and_arguments(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        read_mesh(tmp_path / "none.msh", material=STEEL)
    with pytest.raises(ModelError) as info:
        read_mesh(tmp_path / "none.msh", material=None, scale=0.0, thickness=-1.0)
    assert len(info.value.faults) == 3


def test_without_meshio(tmp_path, monkeypatch):
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(FormatError, match=r"needs meshio; install it with pip install 'dalembert\[flex\]'"):
        read_mesh(tmp_path / "a.msh", material=STEEL)
