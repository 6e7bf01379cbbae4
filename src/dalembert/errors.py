"""The errors users see.  A text says what, where (names, file:line), found, expected and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike, fspath, strerror
from pathlib import Path
from typing import Any, Protocol, runtime_checkable


class MultibodyError(Exception):
    """Base of every error that dalembert raises on purpose."""


@runtime_checkable
class HoldsResults(Protocol):
    """An error of a run that failed or was stopped: `results` (`Results`) hold the frames up to there."""

    results: Any


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a model.

    Attributes
    ----------
    where : str
        Path of the faulty value, e.g. ``"joints.elbow.axis"``.
    what : str
        What is wrong, found and expected, and the remedy.
    place : str
        ``"file:line"`` for a model text, otherwise empty.
    """

    where: str
    what: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.place}  {self.where}: {self.what}" if self.place else f"{self.where}: {self.what}"


class ModelError(MultibodyError):
    """The model says something impossible; all faults are reported at once.

    Attributes
    ----------
    faults : tuple of Fault
        Everything found, in the order of the model.
    """

    def __init__(self, faults: str | Iterable[Fault], model: str = "") -> None:
        self.faults = (Fault("model", faults),) if isinstance(faults, str) else tuple(faults)
        count = len(self.faults)
        head = f"model {model!r}: " if model else ""
        super().__init__(f"{head}{count} fault{'s' * (count != 1)}\n" + "\n".join(f"  {f}" for f in self.faults))


class TopologyError(MultibodyError):
    """Bodies and joints do not form a mechanism that can be simulated."""


class AssemblyError(MultibodyError):
    """The mechanism cannot be put together from its starts."""


class SingularError(MultibodyError):
    """A joint direction has no inertia to accelerate."""


class ConvergenceError(MultibodyError):
    """An iteration or a step-size control gave up."""


class FormatError(MultibodyError):
    """A file is not what it claims to be: file, line, found, expected."""


class StorageError(MultibodyError):
    """A results file cannot be written any further; it holds the frames up to there."""


def unwritable(path: str | PathLike[str], error: Exception) -> FormatError:
    """Return the error of a file that could not be written."""
    folder = Path(path).parent
    why = f"there is no folder {str(folder)!r}; make it first" if not folder.is_dir() else (
        strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error))
    return FormatError(f"{fspath(path)}: cannot be written: {why}")


class ChannelError(MultibodyError, KeyError):
    """A result has no channel of this name."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CouplingError(MultibodyError):
    """A coupled program did not answer as agreed."""


class StudyError(MultibodyError):
    """A study cannot be carried out."""


def near_names(name: str, names: Iterable[object]) -> str:
    """A sentence with the near miss and the names that exist, for the end of an error text."""
    known = [str(k) for k in names]
    close = get_close_matches(str(name), known, n=1, cutoff=0.6)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f"{hint} Known: {shown}." if known else f"{hint} None exist."
