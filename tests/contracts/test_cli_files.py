"""Files of the command line: what may be replaced, full disks, Ctrl-C."""

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as dal
from dalembert.cli.main import main
from dalembert.cli.sources import find_model, read_model

SWING = """
name: swing
bodies: {rod: {mass: 1.0, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}
joints: {pivot: {type: revolute, between: [ground, rod], axis: [0, 1, 0], start: 1.0}}
run: {until: 0.2}
"""
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
sys.argv[0] = "dalembert"
from dalembert.cli.main import main
main()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swing.yaml").write_text(SWING)
    return tmp_path


def call(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


def run(*arguments):
    """Run the model without a picture."""
    return call("run", "swing.yaml", "--no-plot", *arguments)


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_model_is_never_overwritten_by_its_results(folder, force):
    result = run("-o", "swing.yaml", *force)
    assert result.exit_code == 2 and "swing.yaml" in result.stderr
    assert (folder / "swing.yaml").read_text() == SWING


def test_an_output_replaces_only_results(folder):
    (folder / "notes.h5").write_text("precious")
    assert run("-o", "notes.h5").exit_code == 2 and (folder / "notes.h5").read_text() == "precious"
    with h5py.File("other.h5", "w") as file:
        file["precious"] = 1.0
    refused = run("-o", "other.h5")
    assert refused.exit_code == 2 and "--force" in refused.stderr
    assert "precious" in h5py.File("other.h5")
    assert run("-o", "other.h5", "--force").exit_code == 0
    assert run("-o", "other.h5").exit_code == 0 and dal.load("other.h5").status == "ok"


def test_a_picture_replaces_only_pictures_of_runs(folder):
    (folder / "swing.png").write_bytes(b"photo")
    said = call("run", "swing.yaml")
    assert said.exit_code == 0 and "--force" in said.stderr and (folder / "swing.png").read_bytes() == b"photo"
    assert "wrote" not in said.stdout
    for more in (["--force"], []):  # the second one replaces a picture of ours
        said = call("run", "swing.yaml", *more)
        assert "wrote swing.png" in said.stdout and (folder / "swing.png").read_bytes().startswith(b"\x89PNG")


def test_convert_replaces_a_model_only_if_asked(folder):
    for target in ("swing.yaml", "other.yaml"):
        (folder / target).write_text(SWING)
        refused = call("convert", "swing.yaml", target)
        assert refused.exit_code == 2 and "--force" in refused.stderr and (folder / target).read_text() == SWING
    assert call("convert", "swing.yaml", "other.yaml", "--force").exit_code == 0
    assert (folder / "other.yaml").read_text() != SWING


def test_an_unknown_ending_is_refused_before_the_run():
    result = run("-o", "out.txt", "--until", "1e9")
    assert result.exit_code == 2 and ".csv" in result.stderr


def test_csv_output_is_a_table(folder):
    assert run("-o", "out.csv").exit_code == 0
    head, *rows = list(csv.reader((folder / "out.csv").open()))
    assert head[:2] == ["t [s]", "pivot.angle [rad]"] and "energy.total [J]" in head
    r = dal.run(dal.read("swing.yaml"))
    assert np.array_equal(np.array(rows, float)[:, 1], r["pivot.angle"])
    assert run("-o", "out.csv").exit_code == 0, "results of our own are replaced"
    (folder / "foreign.csv").write_text("name,age\nA,1\n")
    assert run("-o", "foreign.csv").exit_code == 2 and (folder / "foreign.csv").read_text() == "name,age\nA,1\n"


def test_python_refuses_likewise(folder):
    model = dal.read("swing.yaml")
    (folder / "precious.h5").write_text("precious")
    for name, remedy in (("precious.h5", "overwrite=True"), ("out.csv", "save"), ("out.yaml", ".h5")):
        with pytest.raises(dal.FormatError, match=remedy):
            dal.run(model, store=name)
    r = dal.run(model)
    with pytest.raises(dal.FormatError, match="overwrite=True"):
        r.save("precious.h5")
    r.save("precious.h5", overwrite=True)
    dal.run(model, store="precious.h5")
    assert dal.load("precious.h5")["pivot.angle"][-1] == r["pivot.angle"][-1]
    assert r.save("table.csv").read_text().startswith("t [s],pivot.angle [rad],")


@pytest.mark.parametrize("start", ["pivot=20 kg", "pivot=20 mm", "pivot=20 deg/s"])
def test_units_of_a_start_are_those_of_the_coordinate(start):
    result = run("--start", start)
    assert result.exit_code == 2 and "joints.pivot.start" in result.stderr and "an angle [rad]" in result.stderr


def test_a_start_in_its_unit_is_taken():
    assert run("--start", "pivot=20 deg", "-o", "out.h5").exit_code == 0
    assert dal.load("out.h5")["pivot.angle"][0] == pytest.approx(20 * dal.deg)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
@pytest.mark.parametrize("limit", [4_000_000, 4_000])
def test_a_full_disk_ends_the_run_and_keeps_its_frames(folder, limit):
    command = [sys.executable, "-c", LIMITED, str(limit), "run", "swing.yaml", "--until", "200", "--record", "1e-3", "-o",
               "out.h5", "--no-plot"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr and "out.h5: cannot be written any further: File too large" in done.stderr
    if limit < 100_000:  # not even its head fits
        return
    r = dal.load("out.h5")
    assert len(r) > 10 and f"{len(r)} frames up to t = {r.t[-1]:g} s" in done.stderr
    assert np.allclose(np.diff(r.t), 1e-3) and np.isfinite(r["rod.position"]).all()


@pytest.fixture
def heeding_ctrl_c():
    """Ctrl-C interrupts, also where the tests run in the background of a shell, which has them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _interrupted(folder, *arguments):
    """Begin a long run in a process of its own, press Ctrl-C once it is under way; returns it with its output."""
    child = subprocess.Popen([sys.executable, "-u", "-m", "dalembert", "run", "swing.yaml", "--until", "1e6", "--step", "1e-3",
                              "--record", "0.1", "-o", "under-way.h5", "--no-plot", *arguments], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while child.poll() is None and time.monotonic() < deadline and not (folder / "under-way.h5").exists():
        time.sleep(0.1)
    time.sleep(1.0)
    os.kill(child.pid, signal.SIGINT)
    return child, *child.communicate(timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals between processes")
def test_ctrl_c_keeps_what_there_is(folder, heeding_ctrl_c):
    child, out, err = _interrupted(folder)
    assert child.returncode == 130 and "Traceback" not in err, err
    assert "pivot.angle" in out and "under-way.h5" in err and "stopped by the user at t = " in err
    r = dal.load("under-way.h5")
    assert r.status.startswith("KeyboardInterrupt") and f"{len(r)} frames" in out


def test_ctrl_c_without_an_output_writes_one(folder, monkeypatch, heeding_ctrl_c):
    import dalembert.simulate.loop as home

    advance = home.Loop.advance

    def advance_and_stop(self, steps):
        done = advance(self, 5)
        if self.t > 0.05:
            signal.raise_signal(signal.SIGINT)
        return done

    monkeypatch.setattr(home.Loop, "advance", advance_and_stop)
    result = run("--json", "--until", "100")
    assert result.exit_code == 130 and "swing-stopped.h5" in result.stderr
    told = json.loads(result.stdout)
    r = dal.load("swing-stopped.h5")
    assert told["status"].startswith("KeyboardInterrupt") and told["frames"] == len(r) > 0


def test_results_travel_between_processes():
    r = dal.run(dal.read("swing.yaml"))
    again = pickle.loads(pickle.dumps(r))
    assert again.channels == r.channels and all(np.array_equal(again[c], r[c]) for c in r.channels)
    assert (again.status, again.stats, again.messages) == (r.status, r.stats, r.messages)
    fresh = pickle.loads(pickle.dumps(dal.run(dal.read("swing.yaml"))))
    assert np.array_equal(fresh["pivot.force"], r["pivot.force"]), "tables are evaluated before they leave"
    rest = pickle.loads(pickle.dumps(dal.static(dal.read("swing.yaml"))))
    assert dal.run(dal.read("swing.yaml"), start=rest)["energy.kinetic"][-1] < 1e-12


def test_an_equilibrium_of_flexible_bodies_travels_too():
    steel = dal.Material(young=2e11, poisson=0.3, density=7800.0)
    m = dal.Model("beam").add(dal.Beam("rod", length=1.0, section=dal.Circle(0.02), material=steel),
                              dal.Fixed("clamp", "ground", "rod.start"))
    rest = dal.static(m)
    again = pickle.loads(pickle.dumps(rest))
    assert np.array_equal(again["rod.end.position"], rest["rod.end.position"])
    for formulation in ("recursive", "global"):
        assert np.ptp(dal.run(m, until=1e-3, start=again, formulation=formulation)["rod.end.position"][:, 2]) < 1e-9


def test_a_failing_script_is_named_with_its_line(folder):
    (folder / "broken.py").write_text("import dalembert as dal\n\n\ndef model():\n    return dal.Model('x').ad()\n")
    result = call("run", "broken.py", "--until", "1")
    assert result.exit_code == 2 and "broken.py:5" in result.stderr and "AttributeError" in result.stderr
    (folder / "unreadable.py").write_text("x = 1\nmodel = (\n")
    assert "unreadable.py:2" in call("check", "unreadable.py").stderr


def test_the_package_is_a_command():
    done = subprocess.run([sys.executable, "-m", "dalembert", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"dalembert {dal.__version__}\n"


def test_a_table_says_what_it_leaves_out():
    shown = call("run", "stewart", "--until", "0.01")
    assert shown.exit_code == 0 and "… and 6 more joints: " in shown.stdout


def test_the_bundled_vehicle_has_inertias_of_bodies():
    assert dal.check(read_model(find_model("vehicle"))).notes == ()
