"""HDF5 files: round trip, killed writers, wrong files."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
import synthetic

from dalembert.errors import FormatError
from dalembert.results.results import Results
from dalembert.results.store import VERSION, Writer, load
from dalembert.results.superblock import lookup3

HERE = Path(synthetic.__file__).resolve().parent


@pytest.fixture
def saved(tmp_path):
    return synthetic.results().save(tmp_path / "out.h5")


def test_round_trip_keeps_everything(saved):
    r, again = synthetic.results(), load(saved)
    assert again.channels == r.channels
    assert all(np.array_equal(again[name], r[name]) for name in r.channels)
    assert (again.stats, again.messages, again.status, again.layout) == (r.stats, r.messages, "ok", r.layout)
    assert again.provenance["model"] == "name: by hand"
    assert [p.name for p in saved.parent.iterdir()] == ["out.h5"]


def test_saving_over_the_file_one_has_loaded(saved):
    r = load(saved)
    r.save(saved)
    assert np.array_equal(load(saved)["crank axis.angle"], r["crank axis.angle"])


def test_a_long_run_is_written_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("dalembert.results.store.BLOCK", 10_000)
    r = synthetic.results(np.linspace(0, 1, 1001))
    assert np.array_equal(load(r.save(tmp_path / "long.h5"))["arm.tip.position"], r["arm.tip.position"])


def test_a_file_under_way_can_be_read(tmp_path):
    r = synthetic.results()
    writer = Writer(tmp_path / "out.h5", r.layout, r.provenance)
    assert len(load(tmp_path / "out.h5")) == 0
    writer.append(r.frames(), r.tables())
    part = load(tmp_path / "out.h5")
    assert part.status.startswith("incomplete") and len(part) == 31
    writer.close("stopped by the user", r.stats, r.messages)
    assert load(tmp_path / "out.h5").status == "stopped by the user"


def test_an_exception_becomes_the_status(tmp_path):
    r = synthetic.results()
    with pytest.raises(ZeroDivisionError), Writer(tmp_path / "out.h5", r.layout, {}) as writer:
        writer.append(r.frames(), r.tables())
        raise ZeroDivisionError("in a law")
    assert load(tmp_path / "out.h5").status == "ZeroDivisionError: in a law"


def test_append_refuses_a_wrong_shape(tmp_path):
    r = synthetic.results()
    with Writer(tmp_path / "out.h5", r.layout, {}) as writer, pytest.raises(ValueError, match="'body' has shape"):
        writer.append(r.frames(), {**r.tables(), "body": np.zeros((31, 2, 19))})


CHILD = """
import sys, numpy as np
sys.path.insert(0, sys.argv[2])
import synthetic
from dalembert.results.store import Writer
r = synthetic.results()
writer = Writer(sys.argv[1], r.layout, r.provenance)
k = 0
while True:
    f = synthetic.frames(np.arange(100 * k, 100 * (k + 1)) * 1e-3)
    writer.append(f, synthetic.tables(**f))
    k += 1
    print(k, flush=True)
"""


@pytest.mark.parametrize("blocks", [1, 7, 40])
def test_a_killed_run_keeps_every_flushed_frame(tmp_path, blocks):
    path = tmp_path / "killed.h5"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path), str(HERE)], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        if int(line) >= blocks:
            break
    os.kill(child.pid, signal.SIGKILL)  # at some moment of the next block
    child.wait()
    child.stdout.close()
    r = load(path)
    assert r.status.startswith("incomplete: the run is under way or was killed")
    assert len(r) >= 100 * blocks and len(r) % 100 == 0
    assert np.array_equal(r.t, np.arange(len(r)) * 1e-3)
    assert np.array_equal(r["crank axis.angle"], synthetic.SPEED * r.t)
    assert np.array_equal(r["energy.kinetic"], np.ones(len(r)))


def test_no_such_file(tmp_path):
    with pytest.raises(FormatError, match="nothing.h5: no such file"):
        load(tmp_path / "nothing.h5")


@pytest.mark.parametrize("content, said", [(b"", "an empty file"), (b"name: pendulum", "begins with b'name: pe'")])
def test_not_hdf5(tmp_path, content, said):
    path = tmp_path / "out.h5"
    path.write_bytes(content)
    with pytest.raises(FormatError) as error:
        load(path)
    assert said in str(error.value) and "expected HDF5" in str(error.value) and "out.h5" in str(error.value)


@pytest.mark.parametrize("kept", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_truncated(saved, kept):
    data = saved.read_bytes()
    saved.write_bytes(data[: int(kept * len(data))])
    with pytest.raises(FormatError, match="damaged or truncated"):
        load(saved)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_bytes_never_raise_anything_else(saved, seed):
    random = np.random.default_rng(seed)
    data = np.frombuffer(saved.read_bytes(), "u1").copy()
    data[random.integers(0, len(data), 200)] ^= 0xFF
    saved.write_bytes(data.tobytes())
    try:
        load(saved)
    except FormatError as error:
        assert "out.h5" in str(error)


def test_of_another_program(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(FormatError, match="kind None, expected 'dalembert results'"):
        load(tmp_path / "other.h5")


def test_an_older_file_of_a_tree(tmp_path):
    """Version 1 knew neither loops nor columns for violated constraints."""
    r = synthetic.results()
    layout = replace(r.layout, cuts=(), constraints=(), rows=())
    frames, tables = r.frames(), r.tables()
    tables["reaction"] = tables["reaction"][:, : len(layout.joints)]
    path = Results(frames, layout, tables=tables).save(tmp_path / "old.h5")
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = 1
        for name, value in (("system", file["system"][:, :9]), ("layout", _as_in_version_1(file["layout"]))):
            del file[name]
            file[name] = value
    old = load(path)
    assert old.layout == layout
    assert not old["constraints.velocity"].any()
    for name in set(old.channels) - {"energy.power", "energy.work", "energy.balance"}:
        assert np.array_equal(old[name], r[name]), name
    assert np.isnan(old["energy.balance"]).all()


def _as_in_version_1(text):
    """Return the JSON of a layout without the entries that came later."""
    data = json.loads(text[:].tobytes())
    kept = {key: value for key, value in data.items() if key not in ("cuts", "constraints", "rows")}
    return np.frombuffer(json.dumps(kept).encode(), "u1")


def test_of_another_version(saved):
    with h5py.File(saved, "r+") as file:
        file.attrs["version"] = VERSION + 1
    with pytest.raises(FormatError, match=f"version {VERSION + 1}, expected {VERSION}"):
        load(saved)


@pytest.mark.parametrize("name", ["layout", "provenance", "end", "count", "t", "body", "system"])
def test_missing_dataset(saved, name):
    with h5py.File(saved, "r+") as file:
        del file[name]
    with pytest.raises(FormatError, match=f"'{name}' is missing"):
        load(saved)


def test_dataset_of_a_wrong_shape(saved):
    with h5py.File(saved, "r+") as file:
        del file["qd"]
        file["qd"] = np.zeros((31, 4))
    with pytest.raises(FormatError, match=r"'qd' has shape \(31, 4\), expected \(31, 10\)"):
        load(saved)


def test_a_killed_file_that_was_cut_short(tmp_path):
    """Such a file is marked as open for writing and damaged; it must neither hang nor raise anything else."""
    r = synthetic.results()
    path = tmp_path / "out.h5"
    writer = Writer(path, r.layout, r.provenance)
    writer.append(r.frames(), r.tables())
    data = path.read_bytes()
    writer.close()
    for kept in (0.02, 0.3, 0.6, 0.95):
        path.write_bytes(data[: int(kept * len(data))])
        with pytest.raises(FormatError, match=r"out\.h5"):
            load(path)


def test_lookup3_is_jenkins():
    """Value from the comment of driver5 in Bob Jenkins' lookup3.c."""
    assert lookup3(b"Four score and seven years ago") == 0x17770551
