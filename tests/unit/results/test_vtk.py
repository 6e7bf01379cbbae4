"""The ParaView series, read back by hand."""

import base64
import xml.etree.ElementTree as ElementTree

import numpy as np
import synthetic

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
