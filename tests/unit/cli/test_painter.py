"""The picture of a run is the same whoever draws it, and is drawn if the second process fails."""

import numpy as np
import pytest

from dalembert.cli import painter
from dalembert.results.panels import Panel, Picture, write_picture

T = np.linspace(0.0, 1.0, 50)


@pytest.fixture
def picture():
    """Two panels."""
    return Picture("title", T, [Panel("[rad]", {"a": np.sin(T), "b": np.cos(T)}), Panel("c [J]", {"c": T**2})])


@pytest.fixture
def two_processors(monkeypatch):
    """The machine has two processors."""
    monkeypatch.setattr(painter.os, "cpu_count", lambda: 2)


def drawn(picture, folder):
    """Bytes of the picture drawn by this process."""
    write_picture(picture, folder / "own.png")
    return (folder / "own.png").read_bytes()


def test_second_process_draws_the_same(picture, tmp_path, two_processors):
    """Pixel by pixel."""
    with painter.Painter() as second:
        process = second.process
        second.begin(picture, tmp_path / "second.png")
        assert second.finish() == tmp_path / "second.png"
    assert process.returncode == 0
    assert (tmp_path / "second.png").read_bytes() == drawn(picture, tmp_path)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_process_is_replaced(picture, tmp_path, two_processors, when):
    """The picture is drawn by this process if the other one is gone before or after it got the picture."""
    with painter.Painter() as second:
        if when == "before":
            second.process.kill()
            second.process.wait()
        second.begin(picture, tmp_path / "second.png")
        if when == "after" and second.process is not None:
            second.process.kill()
        second.finish()
    assert (tmp_path / "second.png").read_bytes() == drawn(picture, tmp_path)


def test_one_processor(picture, tmp_path, monkeypatch):
    """No second process where it would only take turns with the first."""
    monkeypatch.setattr(painter.os, "cpu_count", lambda: 1)
    with painter.Painter() as second:
        assert second.process is None
        second.begin(picture, tmp_path / "second.png")
        second.finish()
    assert (tmp_path / "second.png").exists()


def test_a_failed_run_leaves_no_process(two_processors):
    """An error in the block ends the process."""
    with pytest.raises(KeyError), painter.Painter() as second:
        process = second.process
        raise KeyError
    assert process.returncode is not None
