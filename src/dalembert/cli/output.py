"""How results look on the terminal and in JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..results.results import Results
    from ..results.tabular import Row


def print_table(title: str, head: list[str], rows: list[list[str]], texts: int = 1) -> None:
    """Print a table on standard output; the first `texts` columns are texts, the others numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None, box=SIMPLE_HEAD, title_justify="left")
    for number, name in enumerate(head):
        table.add_column(Text(name), justify="left" if number < texts else "right", no_wrap=number > 0, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 200
    console.print(table)


def print_summary(results: Results, rows: list[Row]) -> None:
    """Print smallest, largest and last values."""
    method = ", ".join(str(results.provenance[key]) for key in ("formulation", "integrator")
                       if results.provenance.get(key))
    title = f"{results.layout.model}: {_span(results)}" + (f" ({method})" if method else "")
    print_table(title, ["channel", "unit", "smallest", "largest", "last"],
                [[r.name, r.unit, figure(r.smallest), figure(r.largest), figure(r.last)] for r in rows], texts=2)
    from ..results.tabular import left_out

    more = left_out(results)
    if more:
        print(f"{more}\n")


def _span(results: Results) -> str:
    if not len(results):
        return "no frames"
    return f"{len(results)} frames, t = {results.t[0]:g} to {results.t[-1]:g} s"


def figure(x: float) -> str:
    """Return a number for a table; rounding noise around zero is printed as it is."""
    return f"{x:.6g}"


def as_json(results: Results, rows: list[Row], files: list[Path]) -> dict[str, Any]:
    """Return what a run has to say as plain values; numbers that JSON does not know become null."""
    out: dict[str, Any] = plain({
                       "model": results.layout.model,
                       "status": results.status,
                       "formulation": results.provenance.get("formulation"),
                       "integrator": results.provenance.get("integrator"),
                       "frames": len(results),
                       "t": [float(results.t[0]), float(results.t[-1])] if len(results) else None,
                       "summary": [asdict(row) for row in rows],
                       "stats": asdict(results.stats),
                       "messages": list(results.messages),
                       "files": [str(path) for path in files],
                   })
    return out


def plain(value: Any) -> Any:
    """Return a value with NaN and infinities replaced by None, all the way down."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
