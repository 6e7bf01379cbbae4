"""Opens HDF5 files whose writer is at work or was killed.

Such a file is marked as open for writing in its superblock, and the HDF5 library refuses it, or, asked to read it in
SWMR mode, repeats forever if the file is damaged.  `Unmarked` shows the file with the mark taken off; the
checksum of the superblock is Jenkins' lookup3, as the HDF5 file format says (version 3, 48 bytes).
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer

SIZE, VERSION_AT, MARK_AT, END_AT = 48, 8, 11, 28
MASK = 0xFFFFFFFF


def is_marked(path: Path) -> bool:
    """Tell whether a file says that it is open for writing."""
    with path.open("rb") as file:
        head = file.read(SIZE)
    return len(head) == SIZE and head[VERSION_AT] == 3 and head[MARK_AT] != 0


class Unmarked(io.FileIO):
    """A file for reading whose superblock says that nobody writes, and that it ends where it does."""

    def __init__(self, path: Path):
        super().__init__(path, "rb")
        head = bytearray(self.read(SIZE))
        head[MARK_AT] = 0
        struct.pack_into("<Q", head, END_AT, path.stat().st_size)
        struct.pack_into("<I", head, SIZE - 4, lookup3(bytes(head[: SIZE - 4])))
        self._head = bytes(head)

    def readinto(self, buffer: Buffer) -> int:
        """Read at the present position, the superblock from memory."""
        begin = self.tell()
        count = super().readinto(buffer)
        if begin < SIZE:
            shown = self._head[begin : begin + count]
            memoryview(buffer).cast("B")[: len(shown)] = shown
        return count


def lookup3(data: bytes) -> int:
    """Return Bob Jenkins' hashlittle of bytes, as HDF5 uses it for metadata."""
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    words = struct.unpack(f"<{-(-len(data) // 12) * 3}I", data.ljust(-(-len(data) // 12) * 12, b"\0"))
    for k in range(0, len(words), 3):
        a, b, c = (a + words[k]) & MASK, (b + words[k + 1]) & MASK, (c + words[k + 2]) & MASK
        a, b, c = _mixed(a, b, c) if k + 3 < len(words) else _finished(a, b, c)
    return c


def _turned(x: int, bits: int) -> int:
    """Rotate 32 bits to the left."""
    return ((x << bits) | (x >> (32 - bits))) & MASK


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        a = ((a - c) & MASK) ^ _turned(c, bits)
        c = (c + b) & MASK
        a, b, c = b, c, a
    return a, b, c


def _finished(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _turned(b, bits)) & MASK
        a, b, c = b, c, a
    return c, a, b
