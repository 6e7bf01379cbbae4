"""The page docs/extending.md is complete: its blocks, put where they say, add a joint, a force and a constraint that work.

The package is copied, the blocks of the page are put in, and models with the new kinds run in processes of their own: as plain
Python, first without the optional variation of the force, and compiled.  The tests of the records run on the copy, too.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent, indent

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ["-m", "pytest", "-v", "--import-mode=importlib", "-p", "no:cacheprovider"]
MODELS = Path(__file__).with_name("extended_models.py")
COPIED = ("contracts/test_records.py", "physics/test_against_brute_force.py", "random_models.py", "brute_force.py",
          "brute_loads.py", "brute_motion.py")
BLOCK = re.compile(r"^( *)```\{code-block\} \w+\n *:caption: `(\S+)`, (above|below) (`+)(.+?)\4\n(.*?)^ *```",
                   re.MULTILINE | re.DOTALL)


def blocks(page):
    """Return (file, above or below, anchor, code) of the blocks of the page that say where they stand."""
    found = [(match[2], match[3], match[5].strip(), dedent(match[6])) for match in BLOCK.finditer(page)]
    assert len(found) == page.count("{code-block}"), "a block does not say where it stands"
    return found


def put(root, file, side, anchor, code):
    """Put a block above or below the only line that is, or begins with, the anchor, with the indentation of that line."""
    path = root / (file if file.startswith(("docs/", "tests/")) else f"src/dalembert/{file}")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    same = [i for i, line in enumerate(lines) if line.strip() == anchor]
    places = same or [i for i, line in enumerate(lines) if line.strip().startswith(anchor)]
    assert len(places) == 1, f"{file}: {len(places)} lines begin with {anchor!r}"
    margin = re.match(" *", lines[places[0]])[0]
    apart = "\n\n" if code.startswith("@") else ""
    lines.insert(places[0] + (side == "below"), indent(code, margin) + apart)
    path.write_text("".join(lines), encoding="utf-8")


def extended(folder, without=()):
    """Return a copy of the package, its pages and the tests of the records, with the blocks of the page put in."""
    shutil.copytree(ROOT / "src" / "dalembert", folder / "src" / "dalembert", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("_build", "gallery", "generated"))
    for name in COPIED:
        (folder / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    for file, side, anchor, code in blocks((ROOT / "docs" / "extending.md").read_text(encoding="utf-8")):
        if file not in without:
            put(folder, file, side, anchor, code)
    return folder


def run(folder, command, **variables):
    """Run a command on the copy and return what it printed; its last lines are shown if it fails."""
    paths = os.pathsep.join([str(folder / "src"), str(folder / "tests")])
    environment = {**os.environ, "PYTHONPATH": paths, "DALEMBERT_CACHE_DIR": str(folder / "cache"), **variables}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return the extended copy."""
    return extended(tmp_path_factory.mktemp("extended"))


def test_records_sources_and_reference_of_the_extended_package_agree(copy):
    """Nothing but the page is needed: the new kinds have records, channels, public names and rows in the reference."""
    told = run(copy, [*PYTEST, "tests/contracts/test_records.py"], NUMBA_DISABLE_JIT="1")
    for word in ("pinion", "cubic-spring", "square"):
        assert f"[{word}] PASSED" in told


def test_the_new_kinds_agree_with_the_brute_force_formulation(copy):
    """Also together with all others, in the random models of the tests."""
    told = run(copy, [*PYTEST, "tests/physics/test_against_brute_force.py", "-k", "Pinion or with_forces or drives"],
               NUMBA_DISABLE_JIT="1")
    assert "[0-Pinion-0.0] PASSED" in told and "failed" not in told


def test_models_of_the_new_kinds_run_as_plain_python(copy):
    assert run(copy, [str(MODELS), "short"], NUMBA_DISABLE_JIT="1").split() == ["good"]


def test_a_force_without_a_variation_of_its_own_is_differentiated(tmp_path):
    """The block of the variation is optional."""
    folder = extended(tmp_path, without=("kernels/force/elements_tangent.py",))
    assert run(folder, [str(MODELS), "tangents", "differences"], NUMBA_DISABLE_JIT="1").split() == ["good"]


@pytest.mark.slow
def test_models_of_the_new_kinds_run_compiled(copy):
    assert run(copy, [str(MODELS), "all"], NUMBA_DISABLE_JIT="0").split() == ["good"]
