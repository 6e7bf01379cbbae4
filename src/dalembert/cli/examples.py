"""`dalembert examples`: the models that come with the package."""

from __future__ import annotations

import click

from .sources import bundled


@click.command()
def examples() -> None:
    """List the bundled models; `dalembert run NAME` runs one."""
    known = bundled()
    width = max(map(len, known), default=0)
    for name, description in known.items():
        click.echo(f"{name.ljust(width)}  {description}".rstrip())
