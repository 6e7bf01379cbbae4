"""Errors at the command line: the message alone, and an exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from ..errors import ConvergenceError, MultibodyError, SingularError, StorageError

FAULT, FAILED, INTERRUPTED = 2, 3, 130
"""Exit codes: fault of the model or of the usage; a run that failed; one that the user stopped (128 + SIGINT)."""


class ReportedInterrupt(KeyboardInterrupt):
    """An interrupt of a run whose report is on standard output already."""


@contextmanager
def reported(as_json: bool = False) -> Iterator[None]:
    """Turn an error of dalembert into its message on stderr and an exit code.

    Parameters
    ----------
    as_json : bool
        True if standard output has to hold one JSON object, also now.
    """
    try:
        yield
    except MultibodyError as error:
        code = FAILED if isinstance(error, (ConvergenceError, SingularError, StorageError)) else FAULT
        if as_json:
            click.echo(json.dumps({"status": "failed", "error": type(error).__name__, "message": str(error)}))
        click.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(code)
    except KeyboardInterrupt as stop:
        said = str(stop) or "stopped by the user"
        if as_json and not isinstance(stop, ReportedInterrupt):
            click.echo(json.dumps({"status": "failed", "error": "KeyboardInterrupt", "message": said}))
        click.echo(said, err=True)
        sys.exit(INTERRUPTED)
