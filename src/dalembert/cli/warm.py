"""`dalembert warm`: compile the kernels now, so that the first run need not."""

from __future__ import annotations

from time import perf_counter

import click

from .failures import reported
from .progress import compile_notes


@click.command()
@click.option("-q", "--quiet", is_flag=True, help="Print only what went wrong.")
def warm(quiet: bool) -> None:
    """Compile all kernels and keep them on disk."""
    begin = perf_counter()
    with reported(), compile_notes(quiet):
        from ..simulate.warm import warm as compile_all

        count = compile_all()
    if not quiet:
        click.echo(f"{count} kernels are ready ({perf_counter() - begin:.1f} s)")
