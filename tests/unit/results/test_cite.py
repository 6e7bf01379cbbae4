"""Citations of what was used."""

import re
from pathlib import Path

import pytest
import synthetic

import dalembert as dal
from dalembert.results.cite import cite
from dalembert.results.references import ENTRIES, FORMULATIONS, INTEGRATORS

SEEDS = Path(__file__).resolve().parents[3] / "docs" / "seeds.bib"


def keys(formulation, integrator):
    """Return the keys that are cited for a run."""
    r = synthetic.results(provenance={"formulation": formulation, "integrator": integrator, "dalembert": "0.1.0",
                                      "created": "2024-05-01T00:00:00+00:00"})
    return re.findall(r"@\w+\{(\w+),", cite(r))


@pytest.mark.parametrize("formulation, integrator, expected", [
    ("recursive", "dopri5", ["dalembert", "ARN", "DormandPrince1980"]),
    ("recursive", "tsit5", ["dalembert", "ARN", "Tsitouras2011"]),
    ("semi-recursive", "rk4", ["dalembert", "DOP", "Kutta1901", "SEG"]),
    ("recursive", "generalized-alpha(rho_inf=0.8)",
     ["dalembert", "ARN", "ChungHulbert1993", "ArnoldBruels2007", "BruelsCardonaArnold2012"]),
    ("recursive", "dopri5, hht", ["dalembert", "ARN", "DormandPrince1980", "HilberHughesTaylor1977",
                                  "BruelsCardonaArnold2012"]),
    ("", "", ["dalembert"]),
])
def test_the_methods_used_are_cited(formulation, integrator, expected):
    assert keys(formulation, integrator) == expected


def test_entries_are_bibtex():
    text = cite(synthetic.results())
    assert "author = {The dalembert developers}" in text.replace("{{", "{").replace("}}", "}")
    assert "doi = {10.1016/0771-050X(80)90013-3}" in text
    assert all(entry.count("{") == entry.count("}") for entry in text.split("\n\n"))


def test_every_key_has_an_entry():
    used = {key for table in (FORMULATIONS, INTEGRATORS) for keys in table.values() for key in keys}
    assert used <= set(ENTRIES)


def test_the_seven_articles_are_in_the_bibliography():
    found = set(re.findall(r"@\w+\{(\w+),", SEEDS.read_text(encoding="utf-8")))
    assert found >= {"ARN", "HEL", "SCH", "SEG", "ELL", "DOP", "GLO"}


@pytest.mark.parametrize("formulation, asked, not_asked", [("recursive", "HEL", "ELL"), ("global", "ELL", "HEL")])
def test_flexible_bodies_ask_for_what_was_done_with_them(formulation, asked, not_asked):
    steel = dal.Material(young=2e11, poisson=0.3, density=7800.0)
    m = dal.Model("rod").add(dal.Beam("rod", length=1.0, section=dal.Circle(0.02), material=steel),
                             dal.Revolute("pivot", "ground", "rod.start", axis=(0, 1, 0)))
    entries = dal.cite(dal.run(m, until=1e-3, formulation=formulation))
    assert f"{{{asked}," in entries and f"{{{not_asked}," not in entries
