"""Every benchmark runs in its smoke mode, with the peers that are installed and without those that are not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "benchmarks"
NAMES = ["forward_dynamics", "explicit_steps", "implicit_steps", "memory", "massless", "bdf", "loops", "dop_comparison",
         "craig_bampton", "self_check", "dynamics_at_a_state", "computed_torque", "before_after", "modular", "live",
         pytest.param("compile", marks=pytest.mark.slow), pytest.param("flexible", marks=pytest.mark.slow)]
WITHOUT_PEERS = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pinocchio", "mujoco", "exudyn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nowhere())
sys.path.insert(0, sys.argv[1])
import importlib
sys.exit(importlib.import_module(sys.argv[2]).main(sys.argv[3:]))
"""


def run(*arguments):
    """Run Python in the benchmark folder and return the finished process."""
    path = os.pathsep.join([str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    environment.pop("NUMBA_DISABLE_JIT", None)
    return subprocess.run([sys.executable, *arguments], env=environment, cwd=FOLDER, capture_output=True, text=True)


@pytest.mark.parametrize("name", NAMES)
def test_smoke(name):
    """The benchmark asserts its physics, measures something and prints it as JSON."""
    done = run(f"{name}.py", "--smoke", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["rows"]


@pytest.mark.parametrize("name", ["forward_dynamics", "explicit_steps", "implicit_steps", "dynamics_at_a_state"])
def test_missing_peers(name):
    """Without peers our own times are shown, the report says who is missing, and --check refuses to pass."""
    done = run("-c", WITHOUT_PEERS, str(FOLDER), name, "--smoke", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["missing"] and report["rows"]
    assert run("-c", WITHOUT_PEERS, str(FOLDER), name, "--smoke", "--check").returncode == 1


def test_check_fails_where_a_ratio_falls_short():
    """A row below its requirement makes --check exit with 1, and only that; times of a smoke run are not compared with any."""
    script = ("import interleave; r = interleave.Report('t', ['a']); r.add(a=1.0, ok={}); "
              "o = interleave.parse('', {}); raise SystemExit(r.finish(o, timed={}))")
    smoke = ["--check", "--smoke"]
    for ok, options, timed, code in ((True, ["--check"], True, 0), (None, ["--check"], True, 0), (False, ["--check"], True, 1),
                                     (False, smoke, True, 0), (False, smoke, False, 1)):
        assert run("-c", script.format(ok, options, timed)).returncode == code
