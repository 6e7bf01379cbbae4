"""Standard Input Data of flexible bodies as text (Wallrapp 1994): reading and writing, without meaning.

A file holds named Taylor series M(q) = M0 + Σ M1_q q in blocks ``name ... end name``.  First-order entries are written
``m1( row, mode, column)`` by most programs and ``m1( row, column, mode)`` by some; the sizes of the blocks usually decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from ..errors import FormatError, near_names

DIALECTS = ("row-mode-column", "row-column-mode")
"""Orders of the indices of first-order entries; the first is usual."""
BLOCKS = ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")
"""Blocks of a body, in the order of the file."""
NODE_BLOCKS = ("origin", "phi", "psi", "AP", "sigma")
"""Blocks of a node; the last is optional."""
_SIZES = ("order", "nrow", "ncol", "nq", "nqn", "structure")
_ZERO, _DIAGONAL, _SYMMETRIC, _FULL, _UNIT = range(5)
_STATEMENT = re.compile(r"^\s*(?P<key>[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)*)\s*(?:\((?P<index>[^)]*)\))?\s*(?:=(?P<value>.*))?$")


@dataclass(frozen=True, eq=False)
class Taylor:
    """A matrix that depends on the elastic coordinates.

    Attributes
    ----------
    m0 : (rows, columns) float
        Undeformed.
    m1 : (rows, n, columns) float or None
        Change with each elastic coordinate; None for order 0.
    """

    m0: np.ndarray
    m1: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class SidFile:
    """What a file says.

    Attributes
    ----------
    comment : str
        Free text of the first line.
    mass : float
        [kg].
    modes : tuple of str
        Name (and frequency) of each elastic coordinate.
    nodes : dict of str to dict of str to Taylor
        Blocks of each node by its identifier.
    blocks : dict of str to Taylor
        Blocks of the body.
    """

    comment: str
    mass: float
    modes: tuple[str, ...]
    nodes: dict[str, dict[str, Taylor]]
    blocks: dict[str, Taylor]


@dataclass
class _Raw:
    """A Taylor block as written: sizes, entries with their lines."""

    name: str
    line: int
    sizes: dict[str, int] = field(default_factory=dict)
    zeroth: list[tuple[int, int, int, float]] = field(default_factory=list)
    first: list[tuple[int, int, int, int, float]] = field(default_factory=list)


def read_sid_file(path: str | PathLike[str], dialect: str = "auto") -> SidFile:
    """Read a file of Standard Input Data.

    Parameters
    ----------
    path : str or path
        The file.
    dialect : {"auto", "row-mode-column", "row-column-mode"}
        Order of the indices of first-order entries.

    Raises
    ------
    FormatError
        With file, line, found and expected, if the file is malformed.
    """
    if dialect != "auto" and dialect not in DIALECTS:
        raise FormatError(f"dialect: found {dialect!r}, expected 'auto' or one of {', '.join(DIALECTS)}")
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise FormatError(f"{fspath(path)}: cannot be read ({error.strerror}), expected Standard Input Data") from None
    return _Reader(fspath(path), text, dialect).read()


class _Reader:
    """Walks through the lines of one file."""

    def __init__(self, file: str, text: str, dialect: str):
        self.file, self.dialect = file, dialect
        self.lines = text.splitlines()
        self.at = 0

    def fail(self, what: str, line: int | None = None) -> FormatError:
        return FormatError(f"{self.file}:{self.at if line is None else line}: {what}")

    def read(self) -> SidFile:
        n_nodes, n_modes, comment = self._header()
        self._expect("part")
        self._expect("new modal")
        mass, modes = self._refmod()
        if n_modes != len(modes):
            raise self.fail(f"refmod: found nelastq = {len(modes)}, expected {n_modes} as the first line says")
        raw_nodes = self._frame()
        if n_nodes != len(raw_nodes):
            raise self.fail(f"frame: found {len(raw_nodes)} nodes, expected {n_nodes} as the first line says")
        raw = self._blocks("modal", BLOCKS)
        self._expect("end part")
        missing = [name for name in BLOCKS if name not in raw and name not in ("ksigma", "De")]
        if missing:
            raise self.fail(f"modal: found no block {missing[0]!r}, expected {', '.join(BLOCKS)}")
        everything = [b for node in raw_nodes.values() for b in node.values()] + list(raw.values())
        dialect = self._find_dialect(everything, len(modes)) if self.dialect == "auto" else self.dialect
        nodes = {name: {k: self._taylor(b, dialect, len(modes)) for k, b in node.items()}
                 for name, node in raw_nodes.items()}
        return SidFile(comment, mass, modes, nodes, {k: self._taylor(b, dialect, len(modes)) for k, b in raw.items()})

    def _header(self) -> tuple[int, int, str]:
        self.at = 1
        words = self.lines[0].split(maxsplit=2) if self.lines else []
        if len(words) < 2 or not all(w.isdigit() for w in words[:2]):
            raise self.fail(f"found {(self.lines or [''])[0][:60]!r}, expected the numbers of nodes and of modes, "
                            "then free text: Standard Input Data begin so")
        return int(words[0]), int(words[1]), words[2].strip() if len(words) > 2 else ""

    def _statements(self) -> Iterator[tuple[str, list[int] | None, str | None]]:
        """Yield (key, indices, value) of each line; keys without regard to case, single blanks."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if not line.strip():
                continue
            found = _STATEMENT.match(line)
            if found is None:
                raise self.fail(f"found {line.strip()[:60]!r}, expected 'name', 'name = value' or 'name(i, j) = value'")
            index = found["index"]
            if index is not None:
                parts = [p.strip() for p in index.split(",")]
                if not all(p.isdigit() for p in parts):
                    raise self.fail(f"{found['key']}: found indices ({index.strip()}), expected whole numbers from 1")
                index = [int(p) for p in parts]
            value = None if found["value"] is None else found["value"].strip()
            yield " ".join(found["key"].split()).lower(), index, value
        self.at = len(self.lines)
        raise self.fail("found the end of the file, expected 'end part'")

    def _next(self) -> tuple[str, list[int] | None, str | None]:
        return next(self._statements())

    def _expect(self, word: str) -> None:
        key, _, value = self._next()
        if key != word:
            raise self.fail(f"found {key!r}{'' if value is None else ' = ' + value[:40]!r}, expected {word!r}")

    def _number(self, key: str, value: str | None) -> float:
        try:
            number = float((value or "").upper().replace("D", "E"))
        except ValueError:
            raise self.fail(f"{key}: found {(value or '')[:40]!r}, expected a number") from None
        if not np.isfinite(number):
            raise self.fail(f"{key}: found {value}, expected a finite number")
        return number

    def _whole(self, key: str, value: str | None, least: int = 0) -> int:
        if value is None or not value.isdigit() or int(value) < least:
            raise self.fail(f"{key}: found {(value or '')[:40]!r}, expected a whole number of {least} or more")
        return int(value)

    def _refmod(self) -> tuple[float, tuple[str, ...]]:
        self._expect("refmod")
        mass, count, names = None, None, {}
        while True:
            key, index, value = self._next()
            if key == "end refmod":
                break
            if key == "mass":
                mass = self._number(key, value)
            elif key == "nelastq":
                count = self._whole(key, value)
            elif key == "ielastq" and index and len(index) == 1:
                names[index[0]] = value or ""
            else:
                raise self.fail(f"refmod: found {key!r}, expected mass, nelastq, ielastq(i) or 'end refmod'")
        if mass is None or not mass > 0:
            raise self.fail(f"refmod: found mass {mass}, expected a positive one [kg]")
        if count is None:
            raise self.fail("refmod: found no nelastq, expected the number of elastic coordinates")
        if any(not 1 <= k <= count for k in names):
            raise self.fail(f"refmod: found ielastq({max(names)}), expected 1 to nelastq = {count}")
        return mass, tuple(names.get(k + 1, f"mode {k + 1}") for k in range(count))

    def _frame(self) -> dict[str, dict[str, _Raw]]:
        self._expect("frame")
        nodes: dict[str, dict[str, _Raw]] = {}
        while True:
            key, _, value = self._next()
            if key == "end frame":
                return nodes
            if key != "new node" or not value:
                raise self.fail(f"frame: found {key!r}, expected 'new node = identifier' or 'end frame'")
            if value in nodes:
                raise self.fail(f"frame: found node {value!r} a second time, expected each once")
            nodes[value] = self._blocks("node", NODE_BLOCKS)
            missing = [name for name in NODE_BLOCKS[:3] if name not in nodes[value]]
            if missing:
                raise self.fail(f"node {value}: found no block {missing[0]!r}, expected {', '.join(NODE_BLOCKS[:4])}")

    def _blocks(self, owner: str, known: tuple[str, ...]) -> dict[str, _Raw]:
        """Read Taylor blocks until ``end owner``."""
        names = {name.lower(): name for name in known}
        blocks: dict[str, _Raw] = {}
        while True:
            key, _, value = self._next()
            if key == f"end {owner}":
                return blocks
            if key == "rframe" and owner == "node":
                continue
            if key not in names:
                raise self.fail(f"{owner}: found {key!r}, expected one of {', '.join(known)} or 'end {owner}'."
                                f"{near_names(key, known)}")
            if names[key] in blocks:
                raise self.fail(f"{owner}: found block {names[key]!r} a second time, expected each once")
            blocks[names[key]] = self._raw(names[key])

    def _raw(self, name: str) -> _Raw:
        """Read one Taylor block until its end."""
        raw = _Raw(name, self.at)
        seen: dict[tuple[str | int, ...], int] = {}
        while True:
            key, index, value = self._next()
            if key == f"end {name.lower()}":
                break
            if index is None and key in _SIZES:
                raw.sizes[key] = self._whole(f"{name}.{key}", value)
                continue
            if key not in ("m0", "m1", "mn") or index is None:
                raise self.fail(f"{name}: found {key!r}, expected {', '.join(_SIZES)}, m0(i, j), m1(i, q, j) or "
                                f"'end {name}'")
            if key == "mn":
                raise self.fail(f"{name}.mn: found a term of higher order, expected m0 and m1 alone; write the file "
                                "with order = 1")
            number = self._number(f"{name}.{key}", value)
            needed = 2 if key == "m0" else 3
            if len(index) != needed:
                raise self.fail(f"{name}.{key}: found {len(index)} indices, expected {needed}")
            if seen.setdefault((key, *index), self.at) != self.at:
                raise self.fail(f"{name}.{key}({', '.join(map(str, index))}): found a second time, first in line "
                                f"{seen[(key, *index)]}")
            if key == "m0":
                raw.zeroth.append((self.at, index[0], index[1], number))
            else:
                raw.first.append((self.at, index[0], index[1], index[2], number))
        for size in ("nrow", "ncol"):
            if size not in raw.sizes:
                raise self.fail(f"{name}: found no {size}, expected the size of the matrix", raw.line)
        return raw

    def _find_dialect(self, blocks: list[_Raw], n: int) -> str:
        """Find the order of indices from entries that fit only one of them."""
        votes: dict[str, tuple[_Raw, int]] = {}
        for raw in blocks:
            columns = raw.sizes["ncol"]
            for line, _, second, third, _ in raw.first:
                fits = (second <= n and third <= columns, second <= columns and third <= n)
                if fits[0] != fits[1]:
                    votes.setdefault(DIALECTS[fits.index(True)], (raw, line))
        if len(votes) == 2:
            (a, first), (b, second) = votes[DIALECTS[0]], votes[DIALECTS[1]]
            raise self.fail(f"{b.name}.m1: found indices in the order {DIALECTS[1]}, expected {DIALECTS[0]} as in line "
                            f"{first} ({a.name}); the file mixes dialects", second)
        return next(iter(votes), DIALECTS[0])

    def _taylor(self, raw: _Raw, dialect: str, n: int) -> Taylor:
        """Return the arrays of a block, after checks of all indices."""
        rows, columns = raw.sizes["nrow"], raw.sizes["ncol"]
        structure = raw.sizes.get("structure", _FULL)
        if structure > _UNIT:
            raise self.fail(f"{raw.name}: found structure = {structure}, expected 0 zero, 1 diagonal, 2 symmetric, 3 full "
                            "or 4 unit", raw.line)
        if structure in (_SYMMETRIC, _DIAGONAL, _UNIT) and rows != columns:
            raise self.fail(f"{raw.name}: found {rows} by {columns} with structure = {structure}, expected a square "
                            "matrix", raw.line)
        m0 = np.eye(rows) if structure == _UNIT else np.zeros((rows, columns))
        for line, i, j, value in raw.zeroth:
            if not (1 <= i <= rows and 1 <= j <= columns):
                raise self.fail(f"{raw.name}.m0: found ({i}, {j}), expected at most ({rows}, {columns})", line)
            m0[i - 1, j - 1] = value
        order = raw.sizes.get("order", 1 if raw.first else 0)
        if raw.first and order == 0:
            raise self.fail(f"{raw.name}: found m1 in a block of order = 0, expected order = 1", raw.first[0][0])
        m1 = np.zeros((rows, n, columns))
        for line, i, second, third, value in raw.first:
            mode, j = (second, third) if dialect == DIALECTS[0] else (third, second)
            if not (1 <= i <= rows and 1 <= j <= columns and 1 <= mode <= n):
                raise self.fail(f"{raw.name}.m1: found ({i}, {second}, {third}), expected row at most {rows}, column at "
                                f"most {columns}, mode at most {n} in the order {dialect}", line)
            m1[i - 1, mode - 1, j - 1] = value
        if structure == _SYMMETRIC:
            m0, m1 = _mirrored(m0), np.stack([_mirrored(m1[:, q]) for q in range(n)], axis=1) if n else m1
        return Taylor(m0, m1 if order >= 1 else None)


def _mirrored(matrix: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix of which one triangle, or both, were given."""
    return np.where(matrix == 0, matrix.T, matrix)


def write_sid_file(sid: SidFile, path: str | PathLike[str], dialect: str = DIALECTS[0]) -> None:
    """Write Standard Input Data with all digits.

    Parameters
    ----------
    sid : SidFile
        Content.
    path : str or path
        Overwritten if it exists.
    dialect : {"row-mode-column", "row-column-mode"}
        Order of the indices of first-order entries.
    """
    if dialect not in DIALECTS:
        raise FormatError(f"dialect: found {dialect!r}, expected one of {', '.join(DIALECTS)}")
    n = len(sid.modes)
    lines = [f"{len(sid.nodes):5d} {n:5d} {sid.comment}", "part", "   new modal", "      refmod",
             f"         mass          = {_digits(sid.mass)}", f"         nelastq       = {n}"]
    lines += [f"         ielastq ({k + 1:4d}) = {name}" for k, name in enumerate(sid.modes)]
    lines += ["      end refmod", "      frame"]
    for name, blocks in sid.nodes.items():
        lines += [f"         new node      = {name}", "            rframe     = body ref"]
        for key, block in blocks.items():
            lines += _block_lines(key, block, n, dialect, " " * 12)
        lines.append("         end node")
    lines.append("      end frame")
    for key, block in sid.blocks.items():
        lines += _block_lines(key, block, n, dialect, " " * 6)
    lines += ["   end modal", "end part", ""]
    Path(path).write_text("\n".join(lines), encoding="utf-8")


def _digits(value: float) -> str:
    return f"{value: .16E}"


def _structure(block: Taylor) -> int:
    """Return the code of a matrix's form."""
    parts = [block.m0] if block.m1 is None else [block.m0, *block.m1.transpose(1, 0, 2)]
    if not any(p.any() for p in parts):
        return _ZERO
    if block.m0.shape[0] != block.m0.shape[1]:
        return _FULL
    if all(np.count_nonzero(p - np.diag(np.diag(p))) == 0 for p in parts):
        return _DIAGONAL
    return _SYMMETRIC if all(np.array_equal(p, p.T) for p in parts) else _FULL


def _block_lines(name: str, block: Taylor, n: int, dialect: str, margin: str) -> list[str]:
    rows, columns = block.m0.shape
    inner = margin + "   "
    lines = [margin + name, f"{inner}order        = {0 if block.m1 is None else 1}", f"{inner}nrow         = {rows}",
             f"{inner}ncol         = {columns}", f"{inner}nq           = {n}", f"{inner}nqn          = 0",
             f"{inner}structure    = {_structure(block)}"]
    lines += [f"{inner}m0({i + 1:4d},{j + 1:4d})      = {_digits(block.m0[i, j])}" for i, j in np.argwhere(block.m0)]
    if block.m1 is not None:
        for i, q, j in np.argwhere(block.m1):
            second, third = (q, j) if dialect == DIALECTS[0] else (j, q)
            lines.append(f"{inner}m1({i + 1:4d},{second + 1:4d},{third + 1:4d}) = {_digits(block.m1[i, q, j])}")
    return [*lines, f"{margin}end {name}"]
