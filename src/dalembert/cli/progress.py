"""What a long run shows on the terminal: kernels that are compiled, then simulated time, step and rate."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 1.0
"""Seconds before a bar appears."""
PAUSE = 0.1
"""Seconds between two updates of the bar."""


class RunBar:
    """A progress bar that appears on stderr once a run has lasted a while; pass it as ``run(progress=...)``."""

    def __init__(self) -> None:
        self.begin = self.last = perf_counter()
        self.bar: Progress | None = None
        self.task: TaskID | None = None

    def __call__(self, t: float, until: float, step: float, steps: int) -> None:
        """Show simulated time t of `until` [s], the present step [s] and the number of steps."""
        now = perf_counter()
        if now - self.begin < DELAY or now - self.last < PAUSE:
            return
        self.last = now
        if self.bar is None or self.task is None:
            self.bar, self.task = self._open(until)
        self.bar.update(self.task, completed=t, step=f"{step:.2g}", rate=f"{t / (now - self.begin):.3g}", steps=steps)

    def _open(self, until: float) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        text = "t = {task.completed:.4g} of {task.total:g} s, step {task.fields[step]} s, {task.fields[steps]} steps"
        bar = Progress(BarColumn(), TextColumn(text), TextColumn("{task.fields[rate]} s/s"), TimeRemainingColumn(),
                       console=Console(stderr=True), transient=True)
        task = bar.add_task("run", total=until, step="", rate="", steps=0)
        bar.start()
        return bar, task

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def run_bar(quiet: bool) -> Iterator[RunBar | None]:
    """Give a bar to a run, or None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = RunBar()
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def compile_notes(quiet: bool) -> Iterator[None]:
    """Report on stderr which kernel is being compiled and how far it is, while the block runs."""
    if quiet:
        yield
        return
    from rich.console import Console

    from ..kernels.compile.jit import on_compile

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    status = console.status("") if console.is_terminal else None

    def report(name: str, done: int, total: int) -> None:
        text = f"compiling kernels once after installation: {done + 1}/{total} {name}"
        if status is None:
            console.print(text, markup=False)
        else:
            status.update(text)
            status.start()

    on_compile.append(report)
    try:
        yield
    finally:
        on_compile.remove(report)
        if status is not None:
            status.stop()
