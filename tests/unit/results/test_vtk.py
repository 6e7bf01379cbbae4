"""The ParaView series, read back by hand."""

import base64
import xml.etree.ElementTree as ElementTree

import numpy as np
import posed_results
import pytest
import synthetic

import dalembert as dal
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)

TYPES = {"Float64": "<f8", "Int64": "<i8"}


def arrays(path):
    """Return all data arrays of a .vtp file by name; those of cells with the cells' name in front."""
    found = {}
    for section in ElementTree.parse(path).getroot().iter():
        for element in section.findall("DataArray"):
            raw = base64.b64decode(element.text)
            assert np.frombuffer(raw[:8], "<u8")[0] == len(raw) - 8
            data = np.frombuffer(raw[8:], TYPES[element.get("type")])
            prefix = f"{section.tag}." if section.tag in ("Verts", "Lines") else ""
            found[prefix + element.get("Name")] = data.reshape(-1, int(element.get("NumberOfComponents", 1)))
    return found


def test_series(tmp_path):
    r = synthetic.results(np.linspace(0, 1, 5))
    collection = r.to_vtk(tmp_path / "vtk")
    assert collection.name == "by-hand.pvd"
    sets = list(ElementTree.parse(collection).getroot().iter("DataSet"))
    assert [float(s.get("timestep")) for s in sets] == list(r.t)
    data = arrays(collection.parent / sets[3].get("file"))
    names = [*r.layout.bodies[1:], "arm.tip", "ground.A"]
    assert np.array_equal(data["Points"], [r[f"{name}.position"][3] for name in names])
    assert np.array_equal(data["velocity"], [r[f"{name}.velocity"][3] for name in names])
    assert np.array_equal(data["axis_y"][5], r["arm.tip.rotation"][3][:, 1])
    assert data["body"].ravel().tolist() == [1, 2, 3, 4, 5, 1, 0]
    assert data["Lines.connectivity"].ravel().tolist() == [0, 5] and data["Lines.offsets"].ravel().tolist() == [2]
    assert data["Verts.offsets"].ravel().tolist() == list(range(1, 8))


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "vtk").write_text("in the way")
    with pytest.raises(dal.FormatError, match="vtk: the folder cannot be made"):
        synthetic.results().to_vtk(tmp_path / "vtk")


def test_flexible_bodies_follow_in_files_of_their_own(tmp_path):
    model = dal.Model("mixed").add(
        dal.Beam("rod", length=1.0, section=dal.Circle(0.02), material=STEEL, bodies=2),
        dal.FlexibleBody("arm", craig_bampton(box((0.4, 0.1, 0.1), divisions=(2, 1, 1), material=STEEL),
                                              interfaces={"hub": "-x", "tip": "+x"}, modes=0)),
        dal.Fixed("clamp", "ground", "rod.start"), dal.Fixed("weld", "rod.end", "arm.hub"))
    poses = {f"rod.{name}": (np.array([[x, 0, 0]]), np.eye(3)[None]) for name, x in (("start", 0), ("1", 0.5), ("end", 1))}
    poses |= {f"arm.{name}": (np.array([[x, 0, 0]]), np.eye(3)[None]) for name, x in (("hub", 1), ("tip", 1.401))}
    r = posed_results.posed(model, poses)
    sets = list(ElementTree.parse(r.to_vtk(tmp_path, model, exaggeration=10.0)).getroot().iter("DataSet"))
    assert [s.get("part") for s in sets] == ["0", "1"]
    data = arrays(tmp_path / sets[1].get("file"))
    shapes = [r.shape(model, name, exaggeration=10.0) for name in ("rod", "arm")]
    assert np.array_equal(data["Points"], np.vstack([s.nodes for s in shapes]))
    assert np.array_equal(data["displacement"], np.vstack([s.displacement for s in shapes]))
    assert np.array_equal(data["stress"].ravel(), np.concatenate([s.stress for s in shapes]))
    assert data["part"].ravel().tolist() == [0] * 18 + [1] * 12
    assert data["Lines.offsets"].size == 16 and data["connectivity"].reshape(-1, 4).min() == 18  # faces of the box
    assert len(list(ElementTree.parse(r.to_vtk(tmp_path / "plain")).getroot().iter("DataSet"))) == 1
