"""Sparse matrices of other finite-element codes: Matrix Market and Abaqus ``.mtx``, NumPy and SciPy ``.npz``.

Abaqus writes one entry a line, ``node, direction, node, direction, value`` with directions 1 to 6, or
``row, column, value`` counted from 1; often the lower triangle only.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy.io import mmread
from scipy.sparse import coo_array, csr_array, load_npz

from ..errors import FormatError


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """What a file holds.

    Attributes
    ----------
    matrix : (N, N) csr_array
        As stored: perhaps one triangle only.
    labels : (N, 2) int or None
        Node number of the code and direction 0 to 5 of each row, ascending; None if the file numbers rows only.
    """

    matrix: csr_array
    labels: np.ndarray | None


def read_matrix(path: str | PathLike[str]) -> MatrixFile:
    """Read a square sparse matrix.

    Parameters
    ----------
    path : str or path
        ``.npz`` (of `scipy.sparse.save_npz`, or one array of `numpy.savez`), Matrix Market or Abaqus ``.mtx``; the
        two kinds of ``.mtx`` are told apart by the first line.

    Raises
    ------
    FormatError
        With file, line, found and expected.
    """
    file = fspath(path)
    if not Path(path).is_file():
        raise FormatError(f"{file}: no such file, expected a matrix (.mtx or .npz)")
    with open(path, "rb") as stream:
        head = stream.read(64)
    if head[:4] == b"PK\x03\x04":
        return MatrixFile(_square(_read_npz(file), file), None)
    if head.lower().startswith(b"%%matrixmarket"):
        return MatrixFile(_square(_read_matrix_market(file), file), None)
    return _read_abaqus(file)


def _square(matrix: Any, file: str) -> csr_array:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FormatError(f"{file}: found a matrix of shape {matrix.shape}, expected a square one")
    if np.iscomplexobj(matrix):
        raise FormatError(f"{file}: found complex entries, expected real ones; structural damping does not belong here")
    return csr_array(matrix, dtype=float)


def _read_npz(file: str) -> Any:
    try:
        with np.load(file, allow_pickle=False) as archive:
            names = archive.files
            if "format" in names and "shape" in names:
                return load_npz(file)
            if len(names) == 1:
                return archive[names[0]]
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise FormatError(f"{file}: cannot be read as .npz: {error}; expected scipy.sparse.save_npz") from None
    raise FormatError(f"{file}: found the arrays {', '.join(names) or 'none'}, expected one matrix; write it by "
                      "scipy.sparse.save_npz")


def _read_matrix_market(file: str) -> Any:
    try:
        return mmread(file)
    except Exception as error:  # the reader raises ValueError, OverflowError, TypeError by turns
        raise FormatError(f"{file}: cannot be read as Matrix Market: {error}") from None


def _read_abaqus(file: str) -> MatrixFile:
    entries = _columns(file)
    bad = np.flatnonzero(~np.isfinite(entries).all(axis=1) | (entries[:, :-1] != np.round(entries[:, :-1])).any(axis=1))
    if bad.size:
        line, text = _line_of(file, int(bad[0]))
        raise FormatError(f"{file}:{line}: found {text!r}, expected whole numbers and a finite value")
    indices, values = entries[:, :-1].astype(np.int64), entries[:, -1]
    if entries.shape[1] == 3:
        _check_range(file, indices, 1, None, "row and column numbers from 1")
        size = int(indices.max())
        return MatrixFile(csr_array(coo_array((values, tuple(indices.T - 1)), shape=(size, size))), None)
    _check_range(file, indices[:, 0::2], 1, None,
                 "node numbers from 1; internal nodes and Lagrange multipliers cannot be reduced")
    _check_range(file, indices[:, 1::2], 1, 6, "directions 1 to 6")
    pairs = indices.reshape(-1, 2) - (0, 1)
    labels, rows = np.unique(pairs, axis=0, return_inverse=True)
    i, j = rows.reshape(-1, 2).T
    return MatrixFile(csr_array(coo_array((values, (i, j)), shape=(len(labels), len(labels)))), labels)


def _columns(file: str) -> np.ndarray:
    """Return the numbers of a text of 3 or 5 columns; commas or blanks between, ``**`` and ``%`` begin comments."""
    try:
        with open(file, encoding="utf-8") as stream:
            lines = [line.replace(",", " ").replace("D", "E").replace("d", "e") for line in stream
                     if _is_entry(line)]
    except UnicodeDecodeError:
        raise FormatError(f"{file}: found bytes that are no text, expected .npz, Matrix Market or Abaqus .mtx") from None
    if not lines:
        raise FormatError(f"{file}: found no entries, expected lines 'node, direction, node, direction, value'")
    try:
        entries = np.loadtxt(lines, ndmin=2)
    except ValueError:
        entries = np.empty((0, 0))
    if entries.shape[1] not in (3, 5):
        _refuse_bad_line(file, lines)
    return entries


def _is_entry(line: str) -> bool:
    return not line.isspace() and line.lstrip()[:1] not in ("*", "%", "#")


def _refuse_bad_line(file: str, lines: list[str]) -> None:
    width = len(lines[0].split())
    for i, line in enumerate(lines):
        words = line.split()
        if len(words) != width or width not in (3, 5) or not all(map(_is_number, words)):
            number, text = _line_of(file, i)
            expected = f"{width} numbers as in the first line" if width in (3, 5) and i else \
                "'node, direction, node, direction, value' or 'row, column, value'"
            raise FormatError(f"{file}:{number}: found {text[:60]!r}, expected {expected}")
    raise FormatError(f"{file}: cannot be read as a table of 3 or 5 columns")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _line_of(file: str, entry: int) -> tuple[int, str]:
    """Return the line number and text of an entry."""
    with open(file, encoding="utf-8") as stream:
        numbered = [(i, line.strip()) for i, line in enumerate(stream, 1) if _is_entry(line)]
    return numbered[entry]


def _check_range(file: str, found: np.ndarray, least: int, most: int | None, expected: str) -> None:
    outside = (found < least) if most is None else (found < least) | (found > most)
    if outside.any():
        line, text = _line_of(file, int(np.flatnonzero(outside.any(axis=1))[0]))
        raise FormatError(f"{file}:{line}: found {text!r}, expected {expected}")
