"""Timing side by side, tables and checks: what all benchmarks share.

A shared machine changes its speed from second to second, so contestants take turns of equal length (a long turn meets
more disturbance than a short one) and each keeps its best; CPU time is taken, which does not run while others have the
core.  Ratios of these are steady where absolute times are not.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import process_time

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.exudynFast = True  # Exudyn's build without range checks, read when it is imported


TRIES = 3
"""Turns by whose shortest the length of a turn is judged: one that was disturbed would make all later ones too short, and
their calls would count as work."""


def shortest(turn: Callable[[], object]) -> float:
    """Return the shortest CPU time [s] of a few turns."""
    times = []
    for _ in range(TRIES):
        begin = process_time()
        turn()
        times.append(process_time() - begin)
    return max(min(times), 1e-6)


def calls_for(contestant: Callable[[int], object], seconds: float) -> int:
    """Return how many items of a contestant take about the given CPU time."""
    n = 1
    while True:
        took = shortest(partial(contestant, n))
        if took >= 0.5 * seconds:
            return max(1, round(n * seconds / took))
        n = max(2 * n, min(10 * n, int(n * seconds / took)))


def best_times(contestants: dict[str, Callable[[int], object]], *, rounds: int, chunk: float = 2e-3) -> dict[str, float]:
    """Return the best time per item [s] of each contestant, a function that works through `n` items.

    Parameters
    ----------
    contestants : dict of callable
    rounds : int
        Turns of each contestant.
    chunk : float
        Length of a turn [s]; shorter than a time slice of the scheduler, so that some turns stay undisturbed.
    """
    for contestant in contestants.values():
        contestant(1)  # compilation and first touch of memory
    counts = {name: calls_for(contestant, chunk) for name, contestant in contestants.items()}
    return best_runs({name: timed(contestant, counts[name]) for name, contestant in contestants.items()}, rounds=rounds)


def timed(contestant: Callable[[int], object], n: int) -> Callable[[], float]:
    """Return a function that gives the time per item [s] of one turn with n items."""

    def turn() -> float:
        begin = process_time()
        contestant(n)
        return (process_time() - begin) / n

    return turn


def best_runs(turns: dict[str, Callable[[], float]], *, rounds: int) -> dict[str, float]:
    """Return the smallest value of each function over the rounds; they take turns, every other round backwards."""
    best = dict.fromkeys(turns, float("inf"))
    for k in range(rounds):
        for name in list(turns)[:: -1 if k % 2 else 1]:
            best[name] = min(best[name], turns[name]())
    return best


def equal_turns(turns: dict[str, Callable[[], float]]) -> dict[str, Callable[[], float]]:
    """Return functions that repeat the quicker turns until all last about as long as the longest, and average."""
    lengths = {name: shortest(turn) for name, turn in turns.items()}
    longest = max(lengths.values())

    def averaged(turn, times):
        return lambda: sum(turn() for _ in range(times)) / times

    return {name: averaged(turn, max(1, round(longest / lengths[name]))) for name, turn in turns.items()}


@dataclass
class Report:
    """A table with what was measured, and what falls short of what is required."""

    title: str
    columns: list[str]
    rows: list[dict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def add(self, *, ok: bool | None = None, **row) -> None:
        """Add a row by column names; `ok` says whether it meets its requirement, None if there is none."""
        self.rows.append({**row, "ok": ok})

    def note(self, text: str) -> None:
        """Add a line below the table."""
        self.notes.append(text)

    @property
    def short(self) -> list[dict]:
        """Rows that fall short."""
        return [row for row in self.rows if row["ok"] is False]

    def finish(self, options: argparse.Namespace, *, timed: bool = True) -> int:
        """Print the table or JSON and return the exit code; tiny sizes of a smoke run say nothing about required times."""
        if options.smoke and timed:
            self.rows = [{**row, "ok": None} for row in self.rows]
        if options.json:
            print(json.dumps({"title": self.title, "rows": self.rows, "notes": self.notes, "missing": self.missing,
                              "ok": not self.short}, indent=1))
        else:
            self._print()
        if not options.check:
            return 0
        if self.missing:
            print(f"not checked: {', '.join(self.missing)} not installed; pip install dalembert[peers]", file=sys.stderr)
        return 1 if self.short or self.missing else 0

    def _print(self) -> None:
        from rich.console import Console
        from rich.table import Table

        table = Table(title=self.title, title_justify="left", title_style="bold")
        for name in self.columns:
            table.add_column(name, justify="left" if name == self.columns[0] else "right", no_wrap=True)
        table.add_column("")
        for row in self.rows:
            mark = {True: "[green]met[/]", False: "[red]short[/]", None: ""}[row["ok"]]
            table.add_row(*(shown(row.get(name)) for name in self.columns), mark)
        console = Console(width=None if sys.stdout.isatty() else 170)
        console.print(table)
        for text in self.notes:
            console.print(text, highlight=False, markup=False)


def shown(value) -> str:
    """Return a cell's text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.3g}" if isinstance(value, float) else str(value)


def microseconds(seconds: float | None) -> float | None:
    """Return a time in microseconds, rounded to four digits."""
    return None if seconds is None else float(f"{seconds * 1e6:.4g}")


def parse(doc: str, arguments=None, **more: str) -> argparse.Namespace:
    """Read the options that every benchmark knows, and further ones that take a list of words, by name with their help."""
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 where a requirement is not met")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, a few rounds: only shows that it runs")
    parser.add_argument("--rounds", type=int, default=None, help="turns of each contestant")
    for name, help_text in more.items():
        parser.add_argument(f"--{name}", nargs="*", default=(), help=help_text)
    return parser.parse_args(arguments)


def peer(name: str, report: Report):
    """Import a peer package; None, and a remark in the report, if it is not installed."""
    try:
        if name == "exudyn":
            return _quiet_import(name)
        return importlib.import_module(name)
    except ImportError:
        report.missing.append(name)
        report.note(f"{name} is not installed; left out (pip install dalembert[peers])")
        return None


def _quiet_import(name: str):
    """Import a package that prints a line on import."""
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()):
        return importlib.import_module(name)
