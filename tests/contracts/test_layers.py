"""Cycles are broken by layers, not by imports inside of functions."""

import ast
from pathlib import Path

import pytest

import dalembert

HOME = Path(dalembert.__file__).parent


def late_imports(source):
    """Return the lines that import from the package itself elsewhere than at the top of a file."""
    tree = ast.parse(source)
    top = {id(node) for node in tree.body}
    return [node.lineno for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and id(node) not in top
            and (node.level > 0 or (node.module or "").partition(".")[0] == "dalembert")]


@pytest.mark.parametrize("room", ["start", "analyses", "simulate", "topology"])
def test_files_import_the_package_at_their_top(room):
    found = {path.name: late_imports(path.read_text()) for path in sorted((HOME / room).glob("*.py"))}
    assert found and not {name: lines for name, lines in found.items() if lines}


def test_the_search_finds_what_it_looks_for():
    assert late_imports("from .a import b\n\ndef f():\n    from .c import d\n") == [4]
    assert late_imports("if True:\n    from dalembert.start import begin\n") == [2]
    assert not late_imports("def f():\n    import matplotlib\n    from scipy.linalg import qr\n")
