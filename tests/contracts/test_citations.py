"""Every source that the code and the pages cite is in the bibliography."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)
CITATION = re.compile(r"\[([A-Z]{2,})(?: \([0-9]| §)|Seeds: \[([A-Z]+)")
"""A key in capitals with an equation or a section, [ARN (14)], [SEG §4], or after the word Seeds."""
KEYS = ENTRY.findall((ROOT / "docs" / "seeds.bib").read_text(encoding="utf-8"))
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if not {"_build", "node_modules"} & set(page.parts))


def cited(text: str) -> set[str]:
    """Return the keys that a text cites."""
    return {key for pair in CITATION.findall(text) for key in pair if key}


def test_the_pattern_finds_citations_and_nothing_else():
    text = "a = b[MOST]  # [ARN (14)]\nSeeds: [DOP] and [SEG §4]; c[XYZ, 1] [kg] [N m] [N (or m)]"
    assert cited(text) == {"ARN", "DOP", "SEG"}


def test_keys_are_unique_and_hold_the_seven_seeds():
    assert len(KEYS) == len(set(KEYS))
    assert {"ARN", "HEL", "SCH", "SEG", "ELL", "DOP", "GLO"} <= set(KEYS)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_keys_cited_in_the_code_stand_in_the_bibliography(path):
    unknown = cited(path.read_text(encoding="utf-8")) - set(KEYS)
    assert not unknown, f"add {sorted(unknown)} to docs/seeds.bib"


def test_the_elimination_cites_its_source():
    kernels = ROOT / "src" / "dalembert" / "kernels"
    for name in ("tree/kinematics.py", "tree/dynamics.py", "tree/inverse.py"):
        assert "ARN" in cited((kernels / name).read_text(encoding="utf-8")), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_keys_cited_in_the_pages_stand_in_the_bibliography(page):
    groups = re.findall(r"\{cite:\w+\}`([^`]+)`", page.read_text(encoding="utf-8"))
    unknown = {key.strip() for group in groups for key in group.split(",")} - set(KEYS)
    assert not unknown, f"add {sorted(unknown)} to docs/seeds.bib"
