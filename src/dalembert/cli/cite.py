"""`dalembert cite`: what to cite for a results file."""

from __future__ import annotations

from pathlib import Path

import click

from .failures import reported


@click.command()
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
def cite(out: Path) -> None:
    """Print BibTeX entries of dalembert and of the methods behind the results file OUT."""
    with reported():
        from ..results.cite import cite as entries
        from ..results.store import load

        click.echo(entries(load(out)))
