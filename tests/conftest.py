"""Tiers: every test belongs to one of `unit`, `physics` and `gallery`, by its folder or file; whole runs take all cores."""

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
UNIT = {"unit", "contracts"}
"""Folders of the first tier; all others are physics."""
GALLERY = {"test_examples.py", "test_docs.py", "test_benchmarks.py", "test_cli.py", "test_cli_files.py", "test_warm.py",
           "test_no_jit.py", "test_read_fuzz.py", "test_extending.py"}
"""Contracts that run examples, pages, commands, or another process, or take long; all of the command line are gallery, too."""


def tier(path: Path) -> str:
    """Return the tier of a test file."""
    folder = path.relative_to(TESTS).parts[0]
    if (folder == "contracts" and path.name in GALLERY) or path.parent == TESTS / "unit" / "cli":
        return "gallery"
    return "unit" if folder in UNIT else "physics"


def pytest_xdist_auto_num_workers(config):
    """Return the number of processes of a run: one for each core, none for chosen files, which want to be debugged."""
    chosen = any(Path(argument.split("::")[0]).suffix == ".py" for argument in config.invocation_params.args)
    return 0 if chosen else os.cpu_count()


def pytest_collection_modifyitems(config, items):
    """Mark tests by their tier; slow ones run only where the expression of -m speaks of them."""
    for item in items:
        item.add_marker(getattr(pytest.mark, tier(Path(item.path))))
    if "slow" not in (config.option.markexpr or ""):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]


@pytest.fixture(autouse=True)
def _nothing_prepared():
    """Let no test begin with starts that another one has prepared, with parts replaced perhaps."""
    yield
    prepared = sys.modules.get("dalembert.start.prepared")
    if prepared is not None:
        prepared.forget()


@pytest.fixture(autouse=True)
def _nothing_drawn():
    """Leave no figure open to a test that counts them."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
