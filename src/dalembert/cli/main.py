"""The entry point: one group, one file a command."""

from __future__ import annotations

import click

from .check import check
from .cite import cite
from .convert import convert
from .examples import examples
from .run import run
from .show import show
from .warm import warm


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the installed version and leave."""
    if not wanted or ctx.resilient_parsing:
        return
    from .. import __version__

    click.echo(f"dalembert {__version__}")
    ctx.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
              help="Show the version and exit.")
def main() -> None:
    """Dynamics of machines made of rigid and flexible bodies.

    Begin with: dalembert run double-pendulum
    """


for command in (run, check, show, examples, convert, cite, warm):
    main.add_command(command)
