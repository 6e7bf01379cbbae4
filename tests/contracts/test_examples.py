"""Every example runs, is short, explains itself and ends with the check of a law; every bundled model runs."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MODELS = sorted((ROOT / "src" / "dalembert" / "cli" / "models").glob("*.yaml"))
LONGEST = 80
TWINS = {"double-pendulum", "chain", "spinning-top", "flyball-governor", "robot", "dzhanibekov", "driven-screw",
         "slider-crank", "squeezer", "bricard", "fourbars", "watt", "stewart", "differential", "rolling-disc", "vehicle",
         "flexible-manipulator"}
STUDIES = {"computed-torque", "torque-terms", "light-legs", "mode-shapes", "small-mass-oscillator", "connecting-rod",
           "rotor-blade", "sid-exchange", "cantilever", "flexible-slider-crank", "flexible-spatial-crank", "spinning-beam",
           "plate-rod", "walking-rod", "bouncing-ball", "cam-follower", "two-rods-and-wall",
           "block-on-slope", "dominoes", "components"}


@pytest.fixture(autouse=True)
def no_screen(monkeypatch, tmp_path):
    """Draw without a screen, in a folder of its own."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_there_is_an_example_and_a_bundled_model_of_each_mechanism():
    """Studies of several models, or of bodies alone, have no bundled twin."""
    assert {path.stem.removeprefix("plot_").replace("_", "-") for path in EXAMPLES} - STUDIES == TWINS
    assert {path.stem for path in MODELS} == TWINS


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(path, tmp_path):
    import matplotlib.pyplot as plt

    runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums(), "an example shows something"
    assert not list(tmp_path.iterdir()), "an example leaves no files behind"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_has_the_form_of_a_gallery_page(path):
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) <= LONGEST
    assert path.name.startswith("plot_"), "the gallery runs scripts of this name only"
    assert lines[0] in ('"""', 'r"""') and set(lines[2]) == {"="} and len(lines[2]) == len(lines[1])
    assert "\n# %%\n" in text and "\nassert " in text[text.rindex("\n# %%\n"):]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_gallery_sees_what_an_example_draws(path):
    """It shows figures of pyplot; those that results make themselves are hidden from it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        assert not re.search(r"\.plot_(shape|mode)\(", line) or "ax=" in line, line


def test_the_gallery_takes_the_examples_folder():
    configuration = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    assert '"examples_dirs": "../examples"' in configuration and '"filename_pattern": "plot_"' in configuration
    assert "gallery/index" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_bundled_model_reads_checks_and_runs(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ") and len(text.splitlines()[0]) > 20, "the first line describes the model"
    model = dal.read(path)
    dal.check(model)
    assert model.run["until"] > 0
    r = dal.run(model)
    assert r.status == "ok" and r.t[-1] == model.run["until"]
    assert np.all(np.isfinite(r["energy.total"]))
