"""Kernels are compiled anew when a source that they hang on has changed, and only then."""

from pathlib import Path

import dalembert.kernels.step.loop as loop
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
