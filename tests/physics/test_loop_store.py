"""A run with loops, constraints and gears: what it returns, what it writes while it goes on, and what is read back."""

import numpy as np
import pytest

import dalembert as dal


def mechanism():
    """A four-bar with a strut across it and a wheel geared to its crank."""
    flat = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    m = dal.Model("four-bar", gravity=(0, -9.81, 0), ground={"far": (1, 0, 0), "side": (0, -1, 0)})
    return m.add(
        dal.Body("left", **flat, points={"top": (0, 1, 0)}), dal.Body("bar", **flat, points={"end": (1, 0, 0)}),
        dal.Body("right", **flat, points={"top": (0, 1, 0)}), dal.Body("wheel", **flat), dal.Body("bob", **flat),
        dal.Revolute("base", "ground", "left", axis=(0, 0, 1), start=0.3, start_rate=1.0),
        dal.Revolute("near", "left.top", "bar", axis=(0, 0, 1)), dal.Revolute("far", "bar.end", "right.top", axis=(0, 0, 1)),
        dal.Revolute("foot", "ground.far", "right", axis=(0, 0, 1)),
        dal.Revolute("axle", "ground.side", "wheel", axis=(0, 0, 1)), dal.Gear("mesh", "base", "axle", ratio=-2.0),
        dal.Prismatic("drop", "bar.end", "bob", axis=(0, 1, 0), start=-0.7), dal.Distance("string", "left.top", "bob"))


@pytest.mark.parametrize("integrator", ["rk4", "generalized-alpha"])
def test_a_file_tells_what_the_run_returned(integrator, tmp_path):
    """Written while the run goes on, saved afterwards, and returned: the same numbers in all channels."""
    r = dal.run(mechanism(), until=0.03, step=0.01, integrator=integrator, store=tmp_path / "run.h5")
    r.save(tmp_path / "saved.h5")
    assert len(r.layout.cuts) == 1 and [c.kind for c in r.layout.constraints] == ["gear", "distance"]
    for name in ("run.h5", "saved.h5"):
        again = dal.load(tmp_path / name)
        assert again.layout == r.layout and again.channels == r.channels and again.messages == r.messages
        for channel in r.channels:
            assert np.array_equal(again[channel], r[channel]), f"{name}: {channel}"
    table = r.to_xarray()
    assert set(r.channels) <= set(table.variables) and len(r.to_pandas()) == len(r)
    assert r.to_vtk(tmp_path / "vtk").exists() and "far.angle" in r.table()
