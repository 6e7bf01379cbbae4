"""Which files results may be written to: never one that holds something else, unless that is asked for."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from ..errors import FormatError
from .superblock import Unmarked, is_marked

KIND = "dalembert results"
"""Attribute `kind` of the HDF5 files."""
HDF5, CSV = (".h5", ".hdf5"), ".csv"
DRAWN_BY = "dalembert"
"""Text `Software` of the pictures, by which they are known again."""
_HEAD = 4096
"""Bytes of a picture within which its texts stand."""
_CELL = re.compile(r"t \[s\]|.+\..+ \[.+\]")
"""Head of a column in a table of ours."""


def check_target(path: str | Path, overwrite: bool, *, csv_fits: bool = True) -> Path:
    """Return the path of results to be written.

    Parameters
    ----------
    path : str or Path
        Ends in ``.h5`` or ``.hdf5``, or in ``.csv`` if `csv_fits`.
    overwrite : bool
        Whether a file that does not hold results may be replaced, too.

    Raises
    ------
    FormatError
        If the ending is another one, or the file exists and does not hold results.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending == CSV and not csv_fits:
        raise FormatError(f"{path}: frames are stored while a run goes on in HDF5, expected a name in .h5; write a table "
                          f"after the run with results.save({path.name!r})")
    if ending not in (*HDF5, CSV):
        raise FormatError(f"{path}: found the ending {ending!r}, expected .h5 (everything, HDF5) or .csv (a table of the main "
                          "channels)")
    if not overwrite and path.is_file() and path.stat().st_size and not holds_results(path):
        raise FormatError(f"{path}: exists and holds something other than results, and is not replaced. Give another name, "
                          "or allow it with overwrite=True (--force at the command line).")
    return path


def holds_results(path: Path) -> bool:
    """Tell whether a file was written by `Results.save` or while a run went on."""
    return _is_own_table(path) if path.suffix.lower() == CSV else _is_own_file(path)


def _is_own_file(path: Path) -> bool:
    import h5py

    if not h5py.is_hdf5(path):
        return False
    try:
        if is_marked(path):
            with Unmarked(path) as source, h5py.File(source, "r") as file:
                out: bool = file.attrs.get("kind") == KIND
                return out
        with h5py.File(path, "r") as file:
            out = file.attrs.get("kind") == KIND
            return out
    except (OSError, ValueError, RuntimeError, KeyError):
        return False


def _is_own_table(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            head = next(csv.reader([file.readline(1_000_000)]), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
    return bool(head) and head[0] == "t [s]" and all(_CELL.fullmatch(cell) for cell in head)


def holds_picture(path: Path) -> bool:
    """Tell whether a file is a picture (PNG) that a run or `Results.plot` has drawn."""
    try:
        with path.open("rb") as file:
            return b"tEXtSoftware\0" + DRAWN_BY.encode() in file.read(_HEAD)
    except OSError:
        return False
