"""Which sources the machine code of a kernel depends on, as a digest: its own module and all that this imports, in turn.

Numba keys its cache by the file of a kernel alone, so that an edited callee in another file would go unnoticed.  What calls
take by address need not be known: types of tables are part of a kernel's signature, addresses are data.
"""

import hashlib
import os
import re
import time
from functools import cache
from pathlib import Path

import numba

ALWAYS = sorted(Path(__file__).resolve().parent.glob("*.py"))
"""How kernels are compiled, which all of them hang on."""
BEGAN = time.time()
"""When this process imported its kernels [s]: of sources that changed later it may run what was there before."""
IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|.+)$", re.MULTILINE)


@cache
def _source(path: Path) -> bytes:
    return path.read_bytes()


@cache
def imported(path: Path) -> frozenset[Path]:
    """Return the files of the package that a file imports, at its top and relatively as all of ours do."""
    found = set()
    for dots, name, members in IMPORT.findall(_source(path).decode()):
        base = path.parents[len(dots) - 1].joinpath(*name.split(".") if name else ())
        places = [base, *(base / each.split()[0] for each in members.strip("()").split(",") if each.split())]
        found.update(place.with_suffix(".py") for place in places)
        found.update(place / "__init__.py" for place in places)
    return frozenset(filter(Path.is_file, found))


@cache
def needed(path: Path) -> frozenset[Path]:
    """Return a file and all that it imports, in turn."""
    found, new = {path}, [path]
    while new:
        others = imported(new.pop()) - found
        found |= others
        new += others
    return frozenset(found)


@cache
def digest(path: Path) -> str:
    """Return the digest of the sources that the kernels of a file depend on.

    If some were changed while this process runs, by an upgrade for instance, the digest is its own: no other process loads
    what it compiles then.
    """
    total = hashlib.sha256(numba.__version__.encode())
    sources = sorted({*ALWAYS, *needed(path)})
    if any(BEGAN < each.stat().st_mtime <= time.time() for each in sources):
        total.update(f"{os.getpid()} {BEGAN}".encode())
    for each in sources:
        total.update(each.name.encode() + b"\0" + hashlib.sha256(_source(each)).digest())
    return total.hexdigest()[:16]
