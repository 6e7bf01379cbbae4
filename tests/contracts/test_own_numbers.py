"""Tests have tolerances of their own: one that is imported from the code under test loosens with it."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
TOLERANCES = re.compile(r"TOLERANCE|ACCURACY|ROUNDING|SHARE|SAME_|SLOPE_STEP|DIFFERENCE|\bEPS|\bRANK|NEGLIGIBLE|LEAST_")


def imported_tolerances(text):
    """Return names of tolerances that a text imports from dalembert, or reads off its modules."""
    tree, modules, found = ast.parse(text), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dalembert":
            names = {alias.asname or alias.name: alias.name for alias in node.names}
            found |= {name for name in names.values() if name.isupper() and TOLERANCES.search(name)}
            modules |= {own for own, name in names.items() if name.islower()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found |= {node.attr} if node.attr.isupper() and TOLERANCES.search(node.attr) else set()
    return found


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_tolerances_are_the_tests_own(path):
    assert imported_tolerances(path.read_text(encoding="utf-8")) == set()


def test_the_search_finds_both_ways():
    assert imported_tolerances("from dalembert.start.assembly import TOLERANCE") == {"TOLERANCE"}
    assert imported_tolerances("from dalembert.start import assembly\nassert 1 < assembly.TOLERANCE") == {"TOLERANCE"}
