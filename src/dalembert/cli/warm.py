"""`dalembert warm`: compile the kernels now, so that the first run need not."""

from __future__ import annotations

from time import perf_counter

import click

from .failures import told
from .progress import compile_notes
from .sources import find_model, read_model

INTEGRATORS = ("dopri5", "generalized-alpha")
"""One explicit and one implicit integrator: the others share their kernels."""


@click.command()
@click.option("-q", "--quiet", is_flag=True, help="Print only what went wrong.")
def warm(quiet: bool) -> None:
    """Compile all kernels and keep them on disk."""
    begin = perf_counter()
    with told(), compile_notes(quiet):
        from ..simulate.run import run

        model = read_model(find_model("double-pendulum"))
        for integrator in INTEGRATORS:
            run(model, until=0.01, integrator=integrator).tables()
    if not quiet:
        click.echo(f"kernels are ready ({perf_counter() - begin:.1f} s)")
