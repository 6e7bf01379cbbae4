"""Progress: the bar appears late, and says time, step and rate."""

import io

from rich.console import Console

from dalembert.cli import progress


def test_a_short_run_shows_nothing():
    bar = progress.RunBar()
    bar(0.5, 1.0, 1e-3, 10)
    assert bar.bar is None
    bar.close()


def test_a_long_run_shows_time_step_and_rate(monkeypatch):
    clock = iter([0.0, 2.0, 2.01, 3.0])
    monkeypatch.setattr(progress, "perf_counter", lambda: next(clock))
    shown = io.StringIO()
    monkeypatch.setattr("rich.console.Console", lambda **_: Console(file=shown, force_terminal=True, width=120))
    bar = progress.RunBar()
    bar(1.0, 4.0, 1e-3, 100)
    bar(1.5, 4.0, 1e-3, 150)  # too soon after the last one
    bar(2.0, 4.0, 2e-3, 200)
    bar.bar.refresh()
    bar.close()
    text = shown.getvalue()
    assert "t = 2 of 4 s, step 0.002 s, 200 steps" in text and "0.667 s/s" in text and "150 steps" not in text


def test_no_bar_where_nobody_sees_it(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress.run_bar(quiet=False) as bar:
        assert bar is None


def test_compile_notes_name_kernel_and_count(capsys):
    from dalembert.kernels.compile.jit import on_compile

    before = list(on_compile)
    with progress.compile_notes(quiet=False):
        on_compile[-1]("integrate", 2, 12)
    assert capsys.readouterr().err == "compiling kernels once after installation: 3/12 integrate\n"
    with progress.compile_notes(quiet=True):
        assert on_compile == before
    assert on_compile == before
