"""Kernels are compiled anew when a source that they hang on has changed, and only then."""

import os
import time
from pathlib import Path

import dalembert.kernels.step.loop as loop
from dalembert.kernels.compile import sources
from dalembert.kernels.compile.sources import digest, needed

FILES = {"top.py": "from ..low.middle import f\n", "low/middle.py": "from . import (\n    bottom as b,\n)\n",
         "low/bottom.py": "A = 1\n", "low/aside.py": "from .bottom import A\n", "low/other.py": "B = 2\n"}


def written(folder, **changed) -> dict[str, str]:
    """Digests of the files of a small package, some of them changed."""
    for name, text in FILES.items():
        path = folder / "package" / "sub" / name if name == "top.py" else folder / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changed.get(Path(name).stem, text))
    return {path.stem: digest(path) for path in (folder / "package").rglob("*.py")}


def test_a_change_reaches_all_that_import_it_and_nothing_else(tmp_path):
    before, same = written(tmp_path / "a"), written(tmp_path / "b")
    assert same == before
    after = written(tmp_path / "c", bottom="A = 2\n")
    assert {name for name in before if after[name] != before[name]} == {"top", "middle", "bottom", "aside"}


def test_the_time_loop_hangs_on_the_codes_and_on_rotations_but_not_on_measuring():
    names = {path.name for path in needed(Path(loop.__file__).resolve())}
    assert {"codes.py", "flow.py", "method.py", "evaluate.py", "kinematics.py", "rotation.py", "small.py"} <= names
    assert "measure.py" not in names


def test_sources_that_change_while_a_process_runs_are_its_own(tmp_path, monkeypatch):
    """It may run what was there before, under the digest of what is there now."""
    written(tmp_path)
    path = tmp_path / "package" / "low" / "bottom.py"
    now, found = time.time(), {}
    monkeypatch.setattr(sources, "BEGAN", now - 20.0)
    monkeypatch.setattr(sources, "ALWAYS", [])
    for age in (30.0, 10.0, -10.0):  # the last one is a clock that is ahead
        for file in (tmp_path / "package").rglob("*.py"):
            os.utime(file, (now - age,) * 2)
        for process in (1, 2):
            monkeypatch.setattr(os, "getpid", lambda process=process: process)
            found[age, process] = digest.__wrapped__(path)
    assert found[30.0, 1] == found[30.0, 2] == found[-10.0, 1] == found[-10.0, 2]
    assert found[10.0, 1] != found[10.0, 2] and found[30.0, 1] not in (found[10.0, 1], found[10.0, 2])
