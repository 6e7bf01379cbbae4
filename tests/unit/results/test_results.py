"""What a Results object does besides channels."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
import synthetic

from dalembert.errors import ChannelError, FormatError, MultibodyError
from dalembert.results.results import Results
from dalembert.results.stats import Stats


def test_tables_are_evaluated_once_and_only_when_needed():
    calls = []

    def evaluate(*frames):
        calls.append(len(frames[0]))
        return synthetic.tables(*frames)

    r = Results(synthetic.frames(np.arange(3.0)), synthetic.LAYOUT, evaluate=evaluate)
    r["crank axis.angle"], r.channels, r.t
    assert calls == []
    r["arm.position"], r["energy.total"]
    assert calls == [3]


def test_channels_are_sorted_names():
    r = synthetic.results()
    assert r.channels == sorted(r.channels)
    assert {"crank axis.angle", "arm.tip.position", "ground.A.velocity", "drive.effort"} <= set(r.channels)
    assert "arm.tip.position" in r and "arm.tip.positon" not in r


def test_defaults():
    r = Results(synthetic.frames(np.zeros(0)), synthetic.LAYOUT)
    assert (r.status, r.messages, r.stats, r.provenance, len(r)) == ("ok", (), Stats(), {}, 0)
    assert "no frames" in repr(r)
    with pytest.raises(ValueError, match="coordinates only"):
        r["arm.position"]


def test_repr_tells_what_it_is():
    text = repr(synthetic.results(status="ConvergenceError: no progress"))
    for part in ("'by hand'", "31 frames", "t = 0 to 3 s", "ended early: ConvergenceError", "recursive dopri5",
                 "30 steps", "crank axis", "start of 'socket' moved"):
        assert part in text


def test_stats_read_like_a_sentence():
    assert str(Stats(steps=213, rejected=9, evaluations=1333, seconds=0.14513, smallest_step=5.9e-4,
                     largest_step=0.0535)) == ("213 steps, 9 rejected, step 0.00059 to 0.0535 s, 1333 evaluations "
                                               "in 0.145 s")
    assert str(Stats(steps=5, smallest_step=0.1, largest_step=0.1)) == "5 steps, step 0.1 s in 0 s"


def test_provenance_names_versions_and_method():
    p = synthetic.results().provenance
    assert p["numpy"] == np.__version__ and p["formulation"] == "recursive" and p["accuracy"] == 1e-6
    assert p["step"] is None and p["created"].endswith("+00:00")


def test_table_prints_components():
    lines = synthetic.results().table(["crank axis.angle", "arm.tip.position"]).splitlines()
    assert lines[0].split() == ["channel", "unit", "smallest", "largest", "last"]
    assert lines[1].split() == ["crank", "axis.angle", "rad", "0", "6", "6"]
    assert lines[4].split() == ["arm.tip.position", "z", "m", "1", "1", "1"]


def test_xarray():
    r = synthetic.results()
    d = r.to_xarray()
    assert set(d.data_vars) == set(r.channels)
    assert d["arm.tip.position"].dims == ("t", "axis") and d["arm.tip.position"].attrs["units"] == "m"
    assert d["arm.rotation"].dims == ("t", "axis", "axis2")
    assert np.array_equal(d["arm.tip.position"].sel(axis="y"), r["arm.tip.position"][:, 1])
    assert list(r.to_xarray(["table.rates"]).coords["table.rates component"].values) == ["x", "y", "angle"]


def test_pandas():
    r = synthetic.results()
    d = r.to_pandas(["crank axis.angle", "arm.tip.position"])
    assert list(d.columns) == ["crank axis.angle", "arm.tip.position x", "arm.tip.position y", "arm.tip.position z"]
    assert d.index.name == "t" and np.array_equal(d.index, r.t)


@pytest.mark.parametrize("package, call", [("xarray", "to_xarray"), ("pandas", "to_pandas")])
def test_a_missing_package_names_the_extra(monkeypatch, package, call):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MultibodyError, match=rf"{package} is not installed: pip install 'dalembert\[tables\]'"):
        getattr(synthetic.results(), call)(["energy.total"])


def test_plot_writes_a_picture_with_units_and_components(tmp_path):
    figure = synthetic.results().plot("crank axis.angle", "arm.tip.position", path=tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    angle, position = figure.axes
    assert angle.get_ylabel() == "crank axis.angle [rad]" and position.get_xlabel() == "time [s]"
    assert [t.get_text() for t in position.get_legend().get_texts()] == [f"arm.tip.position {c}" for c in "xyz"]


def test_plot_into_a_given_axes():
    ax = matplotlib.figure.Figure().subplots()
    assert synthetic.results().plot("energy.total", ax=ax) is ax
    assert ax.get_ylabel() == "energy.total [J]" and len(ax.lines) == 1


def test_plot_without_channels_draws_an_overview(tmp_path):
    assert len(synthetic.results().plot(path=tmp_path / "a.svg").axes) > 2


WRITE_PICTURE = lambda r, path: r.plot("energy.total", path=path)


@pytest.mark.parametrize("write", [WRITE_PICTURE, lambda r, path: r.save(path)], ids=["plot", "save"])
def test_a_missing_folder_is_told(tmp_path, write):
    name = "out.png" if write is WRITE_PICTURE else "out.h5"
    with pytest.raises(FormatError, match=rf"{name}: cannot be written: there is no folder '.*none'"):
        write(synthetic.results(), tmp_path / "none" / name)


def test_a_picture_of_an_unknown_kind_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"out\.xyz: cannot be written: .*png"):
        synthetic.results().plot("energy.total", path=tmp_path / "out.xyz")


def test_plot_of_an_unknown_channel(tmp_path):
    with pytest.raises(ChannelError, match="Did you mean 'total'"):
        synthetic.results().plot("energy.totl", path=tmp_path / "a.png")
    with pytest.raises(ChannelError, match="pass several as"):
        synthetic.results().plot(["energy.total"], path=tmp_path / "a.png")


HEADLESS = """
import os, sys, warnings
for name in ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND"): os.environ.pop(name, None)
warnings.simplefilter("error")
sys.path.insert(0, sys.argv[1])
import synthetic
assert synthetic.results().plot("energy.total").axes
"""


def test_plot_is_quiet_without_a_screen():
    folder = synthetic.__file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", HEADLESS, folder], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LIGHT = """
import sys
from dalembert.results import results, store, compare, cite, vtk, tabular, figure
print(*({"numba", "scipy", "h5py", "matplotlib", "pandas", "xarray"} & set(sys.modules)))
"""


def test_importing_results_imports_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
