"""`dalembert show`: look into a results file."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .failures import reported
from .output import as_json, figure, plain, print_summary, print_table

if TYPE_CHECKING:
    from ..results.results import Results


@click.command()
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("channels", nargs=-1, metavar="[CHANNEL]...")
@click.option("--rows", type=click.IntRange(min=2), default=11, show_default=True, help="Frames in the table.")
@click.option("--csv", "csv_wanted", is_flag=True, help="Print all frames as comma-separated values.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object.")
@click.option("--plot", is_flag=True, help="Write a picture OUT.png.")
def show(out: Path, channels: tuple[str, ...], rows: int, csv_wanted: bool, json_wanted: bool, plot: bool) -> None:
    """Print channels of the results file OUT, or without channels a summary and their names."""
    if csv_wanted and json_wanted:
        raise click.UsageError("--csv and --json exclude each other")
    with reported(json_wanted):
        from ..results.store import load
        from ..results.tabular import overview, summary

        results = load(out)
        wanted = list(channels) or overview(results)
        picture = out.with_suffix(".png") if plot else None
        if plot:
            results.plot(*wanted, path=picture)
        if csv_wanted:
            _print_csv(results, wanted)
        elif json_wanted:
            data = as_json(results, summary(results, wanted), [] if picture is None else [picture])
            data["values"] = plain({"t": results.t.tolist(), **{name: results[name].tolist() for name in wanted}})
            click.echo(json.dumps(data, ensure_ascii=False))
        else:
            _print_text(results, list(channels), rows)
            if plot:
                click.echo(f"wrote {picture}")


def _columns(results: Results, channels: list[str]) -> dict[str, list[float]]:
    """Return all components by name."""
    from ..results.tabular import labelled

    return {name: y.tolist() for channel in channels for name, y in labelled(results, channel).items()}


def _print_csv(results: Results, channels: list[str]) -> None:
    """Print time and components, one line per frame, with all digits."""
    columns = {"t": results.t.tolist(), **_columns(results, channels)}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _print_text(results: Results, channels: list[str], rows: int) -> None:
    """Print values of channels at some frames, or the summary."""
    from ..results.tabular import summary

    if channels and len(results):
        _print_values(results, channels, rows)
    else:
        print_summary(results, summary(results, channels or None))
        click.echo(f"{results.stats}")
    if results.status != "ok":
        click.echo(f"status: {results.status}")
    for message in results.messages:
        click.echo(message)
    if not channels:
        click.echo(f"channels: {', '.join(results.channels)}")


def _print_values(results: Results, channels: list[str], rows: int) -> None:
    """Print evenly spaced frames, always the first and the last one, then smallest and largest values."""
    columns = _columns(results, channels)
    last = len(results) - 1
    frames = sorted({round(k * last / (rows - 1)) for k in range(rows)})
    lines = [[figure(results.t[k]), *(figure(y[k]) for y in columns.values())] for k in frames]
    for name, choose in (("smallest", min), ("largest", max)):
        lines.append([name, *(figure(choose(y)) for y in columns.values())])
    units = [results.unit(channel) for channel in channels for _ in _columns(results, [channel])]
    head = ["t [s]", *(name if unit == "1" else f"{name} [{unit}]" for name, unit in zip(columns, units, strict=True))]
    print_table(results.layout.model, head, lines, texts=0)
