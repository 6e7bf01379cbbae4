"""Rows of tables: structured types whose fields read as attributes, with and without the compiler.

Rows of the hot tables take whole lines of the cache, and the tables begin at one: no quad (quad.py) then lies in two lines.
"""

import numpy as np

LINE = 64
"""Bytes of a line of the cache."""


def record(*fields) -> np.dtype:
    """Return the type of a row with the given fields (name, type, shape)."""
    return np.dtype((np.record, list(fields)))


def record_in_lines(*fields) -> np.dtype:
    """Return the type of a row that takes whole lines."""
    packed = np.dtype(list(fields))
    formats, offsets = zip(*(packed.fields[name] for name in packed.names), strict=True)
    size = -(-packed.itemsize // LINE) * LINE
    return np.dtype((np.record, {"names": packed.names, "formats": formats, "offsets": offsets, "itemsize": size}))


def zeros_in_lines(count: int, kind: np.dtype) -> np.ndarray:
    """Return a table of zeros that begins at a line."""
    size = count * kind.itemsize
    memory = np.zeros(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin:begin + size].view(kind)
