"""Public names are documented, and what the pages show runs."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal
from dalembert.model.constraints import CONSTRAINTS
from dalembert.model.parts import FORCES, JOINTS
from dalembert.model.text_write import type_name
from dalembert.model.units import UNITS
from dalembert.results import channels as ch
from dalembert.simulate.integrators import BY_NAME

ROOT = Path(__file__).resolve().parents[2]
NAMES = [name for name in dal.__all__ if name != "__version__"]


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """Return the blocks of code of a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", page(name), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_a_docstring(name):
    thing = getattr(dal, name)
    if not inspect.isclass(thing) and not callable(thing):
        return
    own = thing.__doc__ or ""
    assert own.strip() and not own.startswith(f"{name}("), f"{name} has no docstring of its own"


@pytest.mark.parametrize("name", dal.__all__)
def test_a_public_name_stands_on_the_api_page(name):
    assert re.search(rf"^(   |\.\. data:: ){re.escape(name)}$", page("docs/api/index.rst"), re.MULTILINE)


def test_the_api_page_names_nothing_else():
    listed = re.findall(r"^   ([A-Za-z_]+)$", page("docs/api/index.rst"), re.MULTILINE)
    assert set(listed) <= set(dal.__all__)


def test_the_first_pendulum_runs_and_tells_the_truth(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    for code in blocks("docs/first-pendulum.md", "python"):
        exec(code, space)
    r, m = space["r"], space["m"]
    assert dal.eigenmodes(m, start={"pivot": 0.0}).frequencies[0] == pytest.approx(1 / 1.638, rel=1e-3)
    assert np.max(r["pivot.force"][:, 2]) == pytest.approx(23.6, abs=0.05)
    assert np.ptp(r["energy.total"]) < 1e-4 * np.ptp(r["energy.kinetic"])
    assert np.max(np.abs(dal.run(space["heavy"], until=5.0)["pivot.angle"] - r["pivot.angle"])) < 1e-4
    assert dal.read("pendulum.yaml")["grease"].damping == 0.2


def test_the_guide_of_flexible_bodies_runs_and_tells_the_truth(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    for code in blocks("docs/howto/flexible.md", "python"):
        exec(code, space)
    assert space["r"].status == "ok" and np.ptp(space["r"]["energy.elastic"]) > 0
    assert dal.compare(space["runs"], "whip.end.deflection").worst.relative < 0.01


def test_the_guide_of_control_runs_and_tells_the_truth():
    space: dict = {}
    for code in blocks("docs/howto/control.md", "python"):
        exec(code, space)
    assert [e.name for e in space["r"].events] == ["far", "landing"]


def test_the_guide_of_pictures_runs(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    for code in blocks("docs/howto/pictures.md", "python"):
        exec(code, {})
    assert {path.suffix for path in tmp_path.iterdir()} == {".png", ".gif", ".html", ".h5"}


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_the_short_example_runs(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(name, "python")
    assert len(code.splitlines()) <= 15
    exec(code, {})


def test_the_guide_of_robots_runs_and_tells_the_truth():
    space: dict = {}
    for code in blocks("docs/howto/robots.md", "python"):
        exec(code, space)
    d, q, qd, zero = space["d"], space["q"], space["qd"], np.zeros(2)
    assert np.allclose(space["tau"], d.mass_matrix(q) @ (-40.0 * qd) + d.bias(q, qd))
    assert np.allclose(space["tau"], space["torques"](0.0, q, qd, lambda t: (q, zero, zero)))
    weight = dal.Dynamics(space["m"].add(dal.Force("load", "lower.hand", direction=(0, 0, -1), magnitude=20.0)))
    assert np.allclose(space["holding"], weight.bias(q, zero))
    text = page("docs/howto/robots.md")
    for name, _ in inspect.getmembers(dal.Dynamics, inspect.isfunction):
        assert name.startswith("_") or re.search(rf"\b{name}\b", text), name


@pytest.mark.parametrize("name", ["docs/first-pendulum.md", "docs/reference/model-text.md"])
def test_model_texts_of_the_pages_run(name):
    for text in blocks(name, "yaml"):
        model = dal.from_text(text)
        r = dal.run(model, until=None if "until" in model.run else 0.1)
        end = r.events[-1].t if any(event.stop for event in model.events) else model.run.get("until", 0.1)
        assert r.t[-1] == end and np.ptp(r["energy.kinetic"]) > 0
        assert "run:" in text or name != "docs/reference/model-text.md", "models of the reference run as they are printed"


def test_the_page_of_the_model_text_knows_every_part_and_unit():
    text = page("docs/reference/model-text.md")
    for kind in (*JOINTS, *CONSTRAINTS, *FORCES):
        assert f"| `{type_name(kind)}` |" in text
    for unit in UNITS:
        assert re.search(rf"(?<![\w/]){re.escape(unit)}(?![\w/])", text), unit


def test_the_page_of_integrators_knows_them_all():
    for name in BY_NAME:
        assert f"| `{name}` |" in page("docs/howto/integrator.md")


def test_the_page_of_results_knows_every_channel():
    text = page("docs/reference/results.md")
    tables = [ch.PLACE, ch.MOTION, *ch.ELEMENTS.values(), *ch.CONSTRAINTS.values()]
    tables += [ch.joint_quantities(kind.record.kind) for kind in JOINTS]
    for quantity in {name for table in tables for name in table}:
        assert f"`{quantity}`" in text, quantity
    for owner, table in ch.SYSTEM.items():
        for quantity in table:
            assert f"`{owner}.{quantity}`" in text, f"{owner}.{quantity}"


def test_the_command_line_page_knows_every_command_and_option():
    from dalembert.cli.main import main

    text = page("docs/reference/command-line.md")
    for name in main.commands:
        assert f"`dalembert {name}" in text, name
    for option in main.commands["run"].params:
        for word in option.opts:
            if word.startswith("-") and option.name not in ("output", "quiet"):
                assert word in text, word


def test_the_extra_of_the_pages_brings_what_the_gallery_imports():
    text = page("pyproject.toml")
    extra = re.search(r"^docs = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)[1]
    brought = {name for group in re.findall(r'"dalembert\[(.+?)\]"', extra) for name in group.split(",")}
    needed = set()
    for example in (ROOT / "examples").glob("plot_*.py"):
        code = example.read_text(encoding="utf-8")
        needed |= {"flex"} if "meshio" in code or "read_mesh" in code else set()
        needed |= {"tables"} if "to_xarray" in code or "to_pandas" in code else set()
        needed |= {"mesh"} if "body_from_mesh" in code else set()
    assert needed and needed <= brought
    assert "sphinx-mathjax-offline" in extra


def test_long_lines_of_code_are_wrapped_not_cut_off():
    """Lines of the examples are wider than the column of the pages."""
    assert max(len(line) for path in (ROOT / "examples").glob("*.py") for line in path.read_text("utf-8").splitlines()) > 100
    listed = re.search(r"^html_css_files = \[(.*?)\]", page("docs/conf.py"), re.MULTILINE | re.DOTALL)[1]
    rules = "".join(page(f"docs/_static/{name}") for name in re.findall(r'"(.+?\.css)"', listed))
    rules = re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL)
    (body,) = [body for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", rules)
               if ".highlight pre" in [each.strip() for each in selectors.split(",")]]
    assert "white-space: pre-wrap" in body and "overflow-wrap: anywhere" in body


def test_ci_builds_the_pages_by_the_command_of_the_readme():
    command = 'pip install ".[docs]" && sphinx-build -W -b html docs'
    assert command in page("README.md")
    script = page(".ci/run")
    assert script.count("-m venv") == 2 and command.replace("[", r"\[").replace("]", r"\]").replace(".", r"\.", 1) in script
