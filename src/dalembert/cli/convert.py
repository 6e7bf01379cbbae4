"""`dalembert convert`: from one model format to another."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import FormatError
from .failures import reported
from .sources import find_model, read_model


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Let OUT be replaced if it exists.")
def convert(source: str, target: Path, force: bool) -> None:
    """Read the model IN (.urdf, .xml of MuJoCo, .yaml, .py) and write it as model text OUT (.yaml)."""
    with reported():
        if target.suffix.lower() not in (".yaml", ".yml"):
            raise FormatError(f"{target}: found the suffix {target.suffix!r}, expected .yaml for a model text")
        if target.exists() and not force:
            raise FormatError(f"{target}: exists and is not replaced. Give another name, or allow it with --force.")
        from ..model.text import write

        model = read_model(find_model(source))
        write(model, target)
        for note in model.notes:
            click.echo(note)
        click.echo(f"wrote {target}")
