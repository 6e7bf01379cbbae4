"""Rows of tables: structured types whose fields read as attributes, with and without the compiler.

Rows of the hot tables take whole lines of the cache, and the tables begin at one: no quad
(algebra/quad.py) then lies in two lines.
"""

import numpy as np

LINE = 64
"""Bytes of a line of the cache."""
QUAD = 32
"""Bytes of a quad."""


def record(*fields) -> np.dtype:
    """Return the type of a row with the given fields (name, type, shape)."""
    return np.dtype((np.record, list(fields)))


def record_in_lines(*fields) -> np.dtype:
    """Return the type of a row that takes whole lines, with quads at multiples of their size."""
    formats, offsets, end = [np.dtype([field])[0] for field in fields], [], 0
    for kind in formats:
        offsets.append(_next(end, QUAD if kind.itemsize % QUAD == 0 else kind.base.itemsize))
        end = offsets[-1] + kind.itemsize
    return np.dtype((np.record, {"names": [name for name, *_ in fields], "formats": formats, "offsets": offsets,
                                 "itemsize": _next(end, LINE)}))


def _next(offset: int, size: int) -> int:
    """Return the first multiple of a size from an offset on."""
    return -(-offset // size) * size


def zeros_in_lines(count: int, kind: np.dtype) -> np.ndarray:
    """Return a table of zeros that begins at a line."""
    size = count * kind.itemsize
    memory = np.zeros(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin:begin + size].view(kind)
