"""The page holds the numbers of the scene and asks no network for anything."""

import base64
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as dal
from dalembert.results.html import html_of
from dalembert.results.scene import scene_of
from dalembert.scenes.page import data_of, page


@pytest.fixture(scope="module")
def run():
    m = dal.Model("a <b> & c", ground={"wall": (1, 0, 0)})
    m.add(dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), points={"tip": (0, 0, -1)}),
          dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=1.0),
          dal.SpringDamper("spring", "rod.tip", "ground.wall", stiffness=5.0, length=0.5))
    return dal.run(m, until=0.5, record=0.05)


def floats(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


def data(text):
    """Return the data that a page holds."""
    return json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)[1])


def test_poses_and_places_of_the_page_are_the_channels(run):
    s = scene_of(run)
    held = data(page(s, 1.0))
    assert held["frames"] == len(run) and held["bodies"] == list(s.bodies) and held["title"] == "a <b> & c"
    poses = floats(held["poses"]).reshape(len(run), -1, 7)
    row = held["bodies"].index("rod")
    single = np.finfo("f4").eps
    assert np.allclose(poses[:, row, :3], run["rod.position"], atol=single)
    assert np.allclose(np.abs(np.sum(poses[:, row, 3:] * run["rod.orientation"], axis=1)), 1.0, atol=8 * single)
    (spring,) = [link for link in held["links"] if link["name"] == "spring"]
    assert np.allclose(floats(spring["ends"]).reshape(-1, 6)[:, :3], run["rod.tip.position"], atol=4 * single)
    assert np.allclose(floats(held["t"]), run.t, atol=single)


def test_a_page_asks_no_network_for_anything(run, tmp_path):
    text = run.animate(tmp_path / "a.html").read_text()
    said = re.sub(r'(type="application/json">).*?</script>', r"\1</script>", text, flags=re.DOTALL)
    assert len(said) < 20000 and not re.search(r"https?:|//[a-z]|@import|url\(|fetch|XMLHttp|WebSocket", said)
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert "<title>a &lt;b&gt; &amp; c</title>" in text and "<b>" not in text


def test_a_name_cannot_end_the_data(run):
    odd = dal.Model("</script><script>alert(1)</script>").add(dal.Body("b", mass=1.0), dal.Free("f", "ground", "b"))
    text = page(scene_of(dal.assemble(odd.replaced("b", inertia=(1, 1, 1)))), 1.0)
    assert text.count("</script>") == 2 and "alert(1)</script>" not in text
    assert data(text)["title"] == "</script><script>alert(1)</script>"


def test_a_long_run_is_thinned(run, tmp_path):
    long = dal.run(run.model, until=30.0, record=0.01)
    assert data(long.animate(tmp_path / "a.html", fps=100).read_text())["frames"] <= 600


def test_show_writes_a_page_and_opens_nothing_without_a_screen(run, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    path = dal.show(run)
    assert path.is_file() and path.suffix == ".html" and not opened
    shutil.rmtree(path.parent)
    monkeypatch.setenv("DISPLAY", ":0")
    page_of_model = dal.show(run.model, tmp_path / "model.html")
    assert opened == [page_of_model.as_uri()] and data(page_of_model.read_text())["frames"] == 1


def test_show_refuses_what_it_cannot_show(run, tmp_path):
    with pytest.raises(dal.ModelError, match="expected results or a model"):
        dal.show("run.h5")
    with pytest.raises(dal.FormatError, match="html"):
        dal.show(run, tmp_path / "a.gif")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_of_the_page_is_one(run, tmp_path):
    text = page(scene_of(run), 1.0)
    (tmp_path / "viewer.js").write_text(re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0])
    subprocess.run(["node", "--check", str(tmp_path / "viewer.js")], check=True)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_a_browser_draws_the_page_without_complaint(run, tmp_path):
    path = run.animate(tmp_path / "a.html")
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--enable-logging=stderr", "--window-size=400,300", "--virtual-time-budget=1000",
         f"--screenshot={tmp_path / 'a.png'}", path.as_uri()], capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    from PIL import Image

    with Image.open(tmp_path / "a.png") as seen:
        pixels = np.asarray(seen.convert("RGB")).astype(int)
    bluish = (pixels[..., 2] - pixels[..., 0] > 40)[:250]
    assert bluish.sum() > 50  # the rod has the first colour


def test_a_skin_and_lines_reach_the_page(run):
    held = data_of(scene_of(run, trace=["rod.tip"]), 1.0)
    assert len(floats(held["lines"][0]["points"])) == 6 * (len(run) - 1)


def test_notebooks_show_results_and_models(run):
    text = html_of(run)
    assert text.count("data:image/png;base64,") == 1 and "pivot.angle" in text and "a &lt;b&gt; &amp; c" in text
    assert run._repr_html_() == text
    model = run.model._repr_html_()
    assert "SpringDamper" in model and "<b>Model &#x27;a &lt;b&gt;" in model and "http" not in model
