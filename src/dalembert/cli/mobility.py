"""Degrees of freedom of a model with loops, at its assembled start.

A single state needs no compiled kernels: it is evaluated by a second Python in which they are plain functions.  For a
four-bar that takes 1.1 s of computing; loading the compiled ones takes 2 s, compiling them after an installation minutes.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from .failures import reported
from .sources import read_model


def ask(path: Path) -> str:
    """Return what a second Python finds; if it fails, its message is passed on and this one ends with its exit code."""
    command = [sys.executable, "-m", __spec__.name, str(path)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        click.echo(done.stderr.rstrip(), err=True)
        sys.exit(done.returncode)
    return done.stdout.strip()


def report(path: Path) -> str:
    """Return mobility and redundant directions of a model in words."""
    from ..start.initial import prepare_start
    from ..start.mobility import find_mobility

    begin = prepare_start(read_model(path))
    return str(find_mobility(begin.packed, 0.0, begin.q, begin.qd))


def main() -> None:
    """Print the report on the model whose file is the only argument; what a script prints is dropped."""
    with reported():
        with redirect_stdout(io.StringIO()):
            text = report(Path(sys.argv[1]))
        click.echo(text)


if __name__ == "__main__":
    main()
