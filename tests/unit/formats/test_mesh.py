"""Mass properties of meshes against closed forms."""

import sys

import numpy as np
import pytest

import dalembert as dal

trimesh = pytest.importorskip("trimesh")
SINGLE = float(np.finfo(np.float32).eps)  # binary STL stores single precision


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply"])
def test_box(tmp_path, suffix):
    """A box off the origin, in millimetres."""
    mesh = trimesh.creation.box((100.0, 200.0, 400.0))
    mesh.apply_translation((50.0, 0.0, -25.0))
    mesh.export(tmp_path / f"box.{suffix}")
    body = dal.body_from_mesh("box", tmp_path / f"box.{suffix}", density=1000.0, scale=1e-3, points={"p": (0, 0, 0)})
    assert body.mass == pytest.approx(8.0, rel=100 * SINGLE) and body.points == {"p": (0, 0, 0)}
    assert np.abs(np.array(body.com) - [0.05, 0, -0.025]).max() <= 100 * SINGLE
    assert np.abs(body.inertia - np.diag(dal.inertia_box(8.0, size=(0.1, 0.2, 0.4)))).max() <= 100 * SINGLE * 0.2


def test_sphere(tmp_path):
    """Triangles inside a sphere: the inertia comes nearer with the square of their size."""
    errors = []
    for divisions in (3, 4):
        trimesh.creation.icosphere(divisions, 0.5).export(tmp_path / "ball.stl")
        body = dal.body_from_mesh("ball", tmp_path / "ball.stl", density=1.0)
        exact = dal.inertia_sphere(4 / 3 * np.pi * 0.5**3, radius=0.5)
        errors.append(np.abs(np.diag(body.inertia) / exact - 1).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_a_surface_with_a_hole_is_refused(tmp_path):
    """Half a box encloses nothing."""
    mesh = trimesh.creation.box((1, 1, 1))
    trimesh.Trimesh(mesh.vertices, mesh.faces[:-1]).export(tmp_path / "open.stl")
    with pytest.raises(dal.FormatError, match=r"open\.stl.*holes.*repair"):
        dal.body_from_mesh("open", tmp_path / "open.stl", density=1.0)


def test_a_surface_inside_out_is_refused(tmp_path):
    """Inward normals give a negative volume."""
    mesh = trimesh.creation.box((1, 1, 1))
    mesh.invert()
    mesh.export(tmp_path / "inward.stl")
    with pytest.raises(dal.FormatError, match="inside out"):
        dal.body_from_mesh("inward", tmp_path / "inward.stl", density=1.0)


@pytest.mark.parametrize("name, data", [("a.stl", b""), ("b.stl", b"solid nothing"), ("c.obj", b"v 1 2"),
                                        ("d.xyz1", b"what"), ("e.ply", b"\x00\x01\x02")])
def test_what_is_no_mesh_is_refused(tmp_path, name, data):
    """The file is named."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(dal.FormatError, match=name):
        dal.body_from_mesh("x", tmp_path / name, density=1.0)


def test_a_missing_file_is_told(tmp_path):
    """The path is named."""
    with pytest.raises(dal.FormatError, match="no such file"):
        dal.body_from_mesh("x", tmp_path / "none.stl", density=1.0)


@pytest.mark.parametrize("wrong", [{"density": 0.0}, {"density": -1.0}, {"density": 1.0, "scale": 0.0}])
def test_density_and_scale_are_positive(tmp_path, wrong):
    """Both are checked before the file is opened."""
    with pytest.raises(dal.ModelError, match="greater than 0"):
        dal.body_from_mesh("x", tmp_path / "none.stl", **wrong)


def test_the_extra_is_named(tmp_path, monkeypatch):
    """Without trimesh the remedy is reported."""
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(dal.FormatError, match=r"dalembert\[mesh\]"):
        dal.body_from_mesh("x", tmp_path / "x.stl", density=1.0)
