"""Reference problems of flexible beams in absolute interface coordinates, beyond those of the acceptance tests."""

import numpy as np
import pytest
from reference import load

import dalembert as dal


def strip(data, force, bodies):
    """Return a cantilever strip with a tip load in its stiff plane and a small one across; section axes y along the height."""
    h, t = data["h"], data["t"]
    section = dal.Section(area=h * t, iy=h * t**3 / 12, iz=t * h**3 / 12, torsion=data["J"], shear=5 / 6)
    return dal.Model("strip", gravity=(0, 0, 0)).add(
        dal.Beam("beam", length=data["L"], section=section, bodies=bodies,
                 material=dal.Material(young=data["E"], poisson=data["nu"], density=2700.0)),
        dal.Fixed("clamp", "ground", "beam.start"), dal.Force("load", "beam.end", direction=(0, -1, 0), magnitude=force),
        dal.Force("side", "beam.end", direction=(0, 0, 1), magnitude=data["lateral_load_fraction"] * force))


def tip_of_strip(data, force, bodies):
    s = dal.static(strip(data, force, bodies))
    assert s.stable
    return s["beam.end.position"][-1] - (data["L"], 0, 0)


@pytest.mark.parametrize("row, bound", [(1, 1e-5), (4, 1e-3), (8, 1e-3), (9, 1e-3)])
def test_a_strip_buckles_sideways(row, bound):
    """Two numbers of bodies, extrapolated by their order 2, before the critical load and beyond it."""
    p = load("p7_lateral_buckling_static")
    force, expected = p["values"][row][1], np.array(p["values"][row][2:5])
    rough, fine = (tip_of_strip(p["data"], force, n) for n in (12, 24))
    errors = [np.linalg.norm(u - expected) for u in (rough, fine, fine + (fine - rough) / 3)]
    assert errors[2] <= bound * np.linalg.norm(expected)
    assert row == 1 or errors[0] / errors[1] == pytest.approx(4.0, abs=1.0)
