"""The command `dalembert` with the solver behind it."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

from dalembert.cli.main import main
from dalembert.results.store import load

pytest.importorskip("dalembert.simulate.run")

LONG = """
name: long
bodies: {rod: {mass: 1.0, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}
joints: {pivot: {type: revolute, between: [ground, rod], axis: [0, 1, 0], start: 1.0}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_run_prints_a_table_and_writes_a_picture(folder):
    result = call("run", "double-pendulum")
    assert result.exit_code == 0, result.output
    for part in ("double pendulum: 501 frames, t = 0 to 5 s", "shoulder.angle", "elbow.angle", "energy.total", "steps",
                 "wrote double-pendulum.png"):
        assert part in result.stdout
    assert (folder / "double-pendulum.png").read_bytes().startswith(b"\x89PNG")


def test_run_json_prints_one_object_and_nothing_else(folder):
    result = call("run", "double-pendulum", "--until", "0.5", "--json", "-o", "out.h5", "--plot", "lower.tip.position")
    data = json.loads(result.stdout)
    assert (data["status"], data["t"], data["files"]) == ("ok", [0.0, 0.5], ["out.h5", "double-pendulum.png"])
    assert {row["name"] for row in data["summary"]} >= {"elbow.angle", "energy.total", "lower.tip.position z"}
    assert data["stats"]["steps"] > 0 and data["formulation"] == "recursive"
    assert np.array_equal(load("out.h5").t[[0, -1]], [0.0, 0.5])


def test_options_reach_the_run(folder):
    result = call("run", "double-pendulum", "--until", "0.2", "--step", "0.01", "--integrator", "rk4", "--record",
                  "0.1", "--formulation", "recursive", "--start", "elbow=30 deg", "-o", "out.h5", "--no-plot", "-q")
    assert (result.exit_code, result.output) == (0, "")
    r = load("out.h5")
    assert np.allclose(r.t, [0.0, 0.1, 0.2]) and r["elbow.angle"][0] == pytest.approx(np.pi / 6)
    assert r.provenance["integrator"] == "rk4" and r.stats.steps == 20
    assert not (folder / "double-pendulum.png").exists()


@pytest.mark.parametrize("arguments, said", [
    (["--integrator", "rk5"], "rk4"), (["--formulation", "recursiv"], "recursive"), (["--until", "-1"], "until"),
    (["--start", "elbw=1"], "elbow"), (["--step", "0"], "step"), (["--plot", "elbow.angel"], "angle"),
])
def test_faults_of_a_run_exit_with_2(arguments, said):
    result = call("run", "double-pendulum", "--until", "0.1", *arguments)
    assert result.exit_code == 2 and said in result.stderr and "Traceback" not in result.stderr


def test_no_inertia_exits_with_3(folder):
    (folder / "bad.yaml").write_text("bodies: {hand: {mass: 0.0}}\n"
                                     "joints: {wrist: {type: revolute, between: [ground, hand], axis: [1, 0, 0]}}\n")
    result = call("run", "bad.yaml", "--until", "1")
    assert result.exit_code == 3 and "wrist" in result.stderr and "hand" in result.stderr
    assert json.loads(call("run", "bad.yaml", "--until", "1", "--json").stdout)["error"] == "SingularError"


def test_show_and_cite_of_a_run():
    call("run", "double-pendulum", "--until", "0.1", "-o", "out.h5", "--no-plot")
    assert "elbow.angle [rad]" in call("show", "out.h5", "elbow.angle").output
    assert "@misc{ARN," in call("cite", "out.h5").output


def test_warm_says_that_it_is_ready():
    result = call("warm")
    assert result.exit_code == 0 and "kernels are ready" in result.stdout


def test_a_killed_run_keeps_its_frames(folder):
    (folder / "long.yaml").write_text(LONG)
    command = [sys.executable, "-m", "dalembert.cli", "run", "long.yaml", "--until", "1e5", "--step", "1e-3",
               "--record", "0.1", "-o", "out.h5", "--no-plot", "-q"]
    child = subprocess.Popen(command)
    try:
        deadline = time.monotonic() + 120
        while child.poll() is None and time.monotonic() < deadline and not _frames(folder / "out.h5"):
            time.sleep(0.2)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    r = load("out.h5")
    assert r.status.startswith("incomplete") and len(r) > 0
    assert np.allclose(np.diff(r.t), 0.1) and np.isfinite(r["rod.position"]).all()


def _frames(path):
    """Return the number of frames in a file that may not be there yet."""
    return len(load(path)) if path.exists() and path.stat().st_size else 0
