"""The page on architecture names files and functions as they are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dalembert"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LINES = re.sub(r"\{doc\}`[^`]+`", "", PAGE).splitlines()
IN_TABLES = [line for line in LINES if re.fullmatch(r"\|[^|]+\|[^|]+\|[^|]+\.py` \|", line)]
ELSEWHERE = {"dal.run", "lint-imports", "dopri5"}
"""Words of users and tools."""
ROOMS = [s for line in LINES for s in re.findall(r"`([^`]*(?:/|\.py))`", line)]
PLACE = re.compile(r"`(\w+)` \(`([\w/]+\.py)`\)")


def spans(line: str) -> list[str]:
    """Return what is code on a line."""
    return re.findall(r"`([^`]+)`", line)


def is_defined(name: str, text: str) -> bool:
    """Tell whether a source defines a function, class or name."""
    return re.search(rf"^ *(?:def|class) {name}\b|^{name}\b *[:=]", text, re.MULTILINE) is not None


@pytest.mark.parametrize("path", sorted(set(ROOMS)))
def test_a_path_exists(path):
    """Relative to the package, or to the repository."""
    assert any((base / path).is_dir() if path.endswith("/") else (base / path).is_file() for base in (SOURCE, ROOT))


@pytest.mark.parametrize("line", IN_TABLES, ids=lambda line: line.split("|")[1].strip()[:40])
def test_a_row_of_a_table_names_functions_of_its_files(line):
    names, files = (spans(cell) for cell in line.split("|")[2:4])
    sources = [(SOURCE / file).read_text(encoding="utf-8") for file in files]
    assert names and all(any(is_defined(name, text) for text in sources) for name in names)
    assert all(any(is_defined(name, text) for name in names) for text in sources)


@pytest.mark.parametrize("name, file", PLACE.findall(" ".join(LINES)))
def test_a_function_with_a_file_behind_it_stands_there(name, file):
    assert is_defined(name, (SOURCE / file).read_text(encoding="utf-8"))


def test_every_other_name_is_defined_somewhere():
    everything = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    names = {s for line in LINES for s in spans(line) if s not in ROOMS} - ELSEWHERE
    assert not [name for name in sorted(names) if not is_defined(name.split(".")[-1], everything)]


def test_the_walks_have_tables():
    assert len(IN_TABLES) > 40
