"""Results in HDF5 files, written block by block while a run goes on.

A file is laid out once, then switched to single-writer mode: from then on every state of it that can be on the disk is
readable, also after the writing process was killed.  The number of complete frames is in ``count``
and is written after the frames themselves.  Texts are JSON in byte datasets (attributes end at 64 KiB).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError, StorageError, unwritable
from ..system.layout import Layout
from .events import EventRecord
from .results import Results
from .segments import SegmentedResults
from .stats import Stats
from .superblock import Unmarked, is_marked
from .tables import FRAMES, frame_shapes
from .tabular import write_csv
from .targets import CSV, KIND, check_target

if TYPE_CHECKING:
    from h5py import Dataset, File, Group

VERSION = 3
SEGMENTS = "segments"
"""Attribute of files with the results of several models, one after the other: how many they are."""
MISSING = {1: (0.0, 0.0, np.nan), 2: (np.nan,), 3: ()}
"""Versions that `load` knows, with what replaces the last columns of `system` that they lack: violated constraints (those of
version 1 hold trees only) and the power supplied."""
CHUNK = 16 * 1024
"""Bytes of a chunk, about; small, because a chunk that grows by another block is written anew."""
PART = ".part"
"""Ends the name of a file that `save` has not finished."""
BLOCK = 1024 * 1024
"""Bytes of frames that are written at a time, about."""
SPARE = 64 * 1024
"""Bytes for the book-keeping of the library."""


class Writer:
    """A results file under way.

    Parameters
    ----------
    path : str or Path
        The file; replaced if it exists.
    layout : Layout
        Names and indices of the run.
    provenance : mapping
        See `provenance.provenance`.

    Examples
    --------
    >>> writer = Writer("out.h5", layout, provenance)     # doctest: +SKIP
    >>> writer.append(frames, tables)                     # doctest: +SKIP
    >>> writer.close("ok", stats, messages)               # doctest: +SKIP
    """

    def __init__(self, path: str | Path, layout: Layout, provenance: Mapping[str, Any]):
        import h5py

        self.path = Path(path)
        self.written = 0
        self.last = 0.0
        self._shapes = frame_shapes(layout)
        self._arrays: dict[str, Dataset] = {}
        try:
            self._file = h5py.File(self.path, "w", libver="latest")
        except OSError as error:
            raise unwritable(self._shown, error) from error
        with self._surviving():
            self._reserve(SPARE + 8192 * len(self._shapes) + 2 * len(json.dumps([layout.as_dict(), dict(provenance)])))
            self._lay_out(layout, provenance)

    @property
    def _shown(self) -> Path:
        """The file that users know of."""
        return self.path.with_name(self.path.name.removesuffix(PART))

    def _lay_out(self, layout: Layout, provenance: Mapping[str, Any]) -> None:
        self._file.attrs["kind"], self._file.attrs["version"] = KIND, VERSION
        _write_text(self._file, "layout", layout.as_dict())
        _write_text(self._file, "provenance", dict(provenance))
        self._file.create_dataset("end", shape=(0,), maxshape=(None,), chunks=(4096,), dtype="u1")
        self._count = self._file.create_dataset("count", data=np.zeros(1, "i8"))
        for name, shape in self._shapes.items():
            if 0 not in shape:
                rows = max(1, CHUNK // (8 * int(np.prod(shape, dtype=int))))
                self._arrays[name] = self._file.create_dataset(
                    name, shape=(0, *shape), maxshape=(None, *shape), chunks=(rows, *shape), dtype="f8", compression="lzf",
                    shuffle=True)
        self._file.swmr_mode = True
        self._file.flush()
        self._give_back()

    def append(self, frames: Mapping[str, np.ndarray], tables: Mapping[str, np.ndarray]) -> None:
        """Add frames, with one row per frame in every array of `tables.FRAMES` and `tables.TABLES`, and flush them."""
        block = {**frames, **tables}
        rows = len(block["t"])
        for name, shape in self._shapes.items():
            found = np.shape(block[name])
            if found != (rows, *shape):
                raise ValueError(f"array {name!r} has shape {found}, expected {(rows, *shape)}")
        if rows == 0:
            return
        most = max(1, BLOCK // self._row)
        for begin in range(0, rows, most):
            piece = slice(begin, begin + most)
            with self._surviving():
                self._append({name: block[name][piece] for name in self._shapes})

    def _append(self, block: Mapping[str, np.ndarray]) -> None:
        total = self.written + len(block["t"])
        self._reserve(SPARE + (self._row * len(block["t"]) + 2 * CHUNK * len(self._shapes)) * 5 // 4)
        for name, array in self._arrays.items():
            array.resize(total, axis=0)
            array[self.written :] = block[name]
        self._file.flush()
        self._count[0] = total
        self._file.flush()
        self._give_back()
        self.written, self.last = total, float(block["t"][-1])

    @property
    def _row(self) -> int:
        """Bytes of a frame."""
        return 8 * sum(int(np.prod(shape, dtype=int)) for shape in self._shapes.values())

    def _reserve(self, room: int) -> None:
        """Make sure of room on the disk before the library needs it: of a write that fails it does not recover."""
        if hasattr(os, "posix_fallocate"):
            descriptor = self._file.id.get_vfd_handle()
            os.posix_fallocate(descriptor, os.fstat(descriptor).st_size, room)

    def _give_back(self) -> None:
        """Let the file end where the library left it."""
        if hasattr(os, "posix_fallocate"):
            os.ftruncate(self._file.id.get_vfd_handle(), self._file.id.get_filesize())

    @contextmanager
    def _surviving(self) -> Iterator[None]:
        """Turn a failure of writing into a StorageError; what is on the disk stays as it is."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            self._abandon()
            held = f"it holds {self.written} frames up to t = {self.last:g} s" if self.written else "it holds no frames"
            why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else _reason(error)
            raise StorageError(f"{self._shown}: cannot be written any further: {why}; {held}. Make room, or write to another "
                               "disk.") from error

    def _abandon(self) -> None:
        """Close the file without another byte written to it.

        The library would try again to write what failed, at the latest when Python ends, and crash; so its writes go nowhere.
        """
        nowhere = os.open(os.devnull, os.O_RDWR)
        try:
            os.dup2(nowhere, self._file.id.get_vfd_handle())
        finally:
            os.close(nowhere)
        try:
            self._file.close()
        except (OSError, RuntimeError):
            pass

    def close(self, status: str = "ok", stats: Stats | None = None, messages: Iterable[str] = (),
              events: Iterable[EventRecord] = ()) -> None:
        """Say how the run ended and close the file; a second call does nothing."""
        if not self._file:
            return
        end = {"status": status, "stats": asdict(stats or Stats()), "messages": list(messages),
               "events": [asdict(event) for event in events]}
        text = np.frombuffer(json.dumps(end).encode(), "u1")
        with self._surviving():
            self._reserve(SPARE + len(text))
            self._file["end"].resize(len(text), axis=0)
            self._file["end"][:] = text
            self._file.flush()
            self._give_back()
        self._file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Close the file; an exception becomes its status."""
        self.close("ok" if error is None else f"{type(error).__name__}: {error}")


def _reason(error: Exception) -> str:
    """Return the reason out of a message of the HDF5 library."""
    found = re.search(r"error message = '([^']+)'", str(error))
    return found[1] if found else str(error)


def save(results: Results, path: str | Path, overwrite: bool = False) -> Path:
    """Write results to a file, which appears only when it is complete; returns the path."""
    path = check_target(path, overwrite)
    if path.suffix.lower() == CSV:
        return write_csv(results, path)
    part = path.with_name(path.name + PART)
    try:
        if isinstance(results, SegmentedResults):
            _write_segments(results, part)
        else:
            _write(results, part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _write(results: Results, path: Path) -> None:
    """Write results of one model."""
    frames, tables = results.frames(), results.tables()
    writer = Writer(path, results.layout, results.provenance)
    writer.append(frames, tables)
    writer.close(results.status, results.stats, results.messages, results.events)


def _write_segments(results: SegmentedResults, path: Path) -> None:
    """Write results of several models: a group for each, laid out like a file of one."""
    import h5py

    single = path.with_name(path.name + PART)
    try:
        with h5py.File(path, "w", libver="latest") as file:
            file.attrs["kind"], file.attrs["version"] = KIND, VERSION
            file.attrs[SEGMENTS] = len(results.segments)
            for k, segment in enumerate(results.segments):
                _write(segment, single)
                with h5py.File(single, "r") as source:
                    group = file.create_group(str(k))
                    for name, value in source.attrs.items():
                        group.attrs[name] = value
                    for name in source:
                        source.copy(name, group)
    except OSError as error:
        raise unwritable(path.with_name(path.name.removesuffix(PART)), error) from error
    finally:
        single.unlink(missing_ok=True)


def load(path: str | Path) -> Results:
    """Read results from a file written by `Results.save` or while a run went on.

    Parameters
    ----------
    path : str or Path
        The HDF5 file.  If the run never came to its end, `status` begins with ``"incomplete"`` and all frames that
        had reached the file are there.

    Raises
    ------
    FormatError
        If the file is missing, damaged, or something else.
    """
    path = Path(path)
    _check_file(path)
    for pause in (0.05, 0.2, 0.5) if is_marked(path) else ():
        try:
            return _loaded(path)
        except FormatError:  # perhaps the writer was just at work
            sleep(pause)
    return _loaded(path)


def _loaded(path: Path) -> Results:
    """Read the file as it is now."""
    with _opened(path) as file:
        _check_kind(path, file)
        if SEGMENTS in file.attrs:
            return SegmentedResults([_read(path, group) for group in _groups(path, file)])
        return _read(path, file)


def _groups(path: Path, file: File) -> list[Group]:
    """Return the groups of several models, in the order of time."""
    count = int(file.attrs[SEGMENTS])
    missing = [str(k) for k in range(count) if str(k) not in file]
    if missing or not count:
        raise FormatError(f"{path}: damaged results file: {count} models, without {', '.join(missing) or 'any'}. "
                          "Run the model again.")
    return [file[str(k)] for k in range(count)]


def _read(path: Path, file: Group) -> Results:
    """Read the results of one model."""
    try:
        layout = Layout.from_dict(_read_text(path, file, "layout"))
        provenance = _read_text(path, file, "provenance")
        arrays = _read_arrays(path, file, layout)
        end = _read_text(path, file, "end") if _dataset(path, file, "end").shape[0] else _incomplete(arrays)
        stats = Stats(**end["stats"])
        messages, status = tuple(end["messages"]), str(end["status"])
        events = tuple(EventRecord(**event) for event in end.get("events", ()))
    except (OSError, KeyError, TypeError, RuntimeError, ValueError, MemoryError) as error:
        raise FormatError(f"{path}: damaged results file: {error}. Run the model again.") from error
    return Results({name: arrays.pop(name) for name in FRAMES}, layout, tables=arrays, stats=stats,
                   messages=messages, status=status, provenance=provenance, events=events)


def _incomplete(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the end of a run that never reported it."""
    t = arrays["t"]
    reached = f"the last frame is at t = {t[-1]:g} s" if len(t) else "it has no frames"
    return {"status": f"incomplete: the run is under way or was killed; {reached}", "stats": {}, "messages": []}


def _check_file(path: Path) -> None:
    """Refuse what is no HDF5 file at all."""
    import h5py

    if not path.is_file():
        raise FormatError(f"{path}: no such file, expected a results file (.h5)")
    if not h5py.is_hdf5(path):
        head = path.open("rb").read(8)
        raise FormatError(f"{path}: found {'an empty file' if not head else f'a file that begins with {head!r}'}, "
                          "expected HDF5 written by Results.save or run -o")


@contextmanager
def _opened(path: Path) -> Iterator[File]:
    """Open a results file, also one whose writer is at work or was killed."""
    import h5py

    with ExitStack() as stack:
        try:
            source = stack.enter_context(Unmarked(path)) if is_marked(path) else path
            file = stack.enter_context(h5py.File(source, "r"))
        except (OSError, ValueError) as error:
            raise FormatError(f"{path}: damaged or truncated HDF5 file: {error}. Run the model again.") from error
        yield file


def _check_kind(path: Path, file: File) -> None:
    """Refuse files of others and of versions that are not known."""
    try:
        kind, version = file.attrs.get("kind"), file.attrs.get("version")
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        raise FormatError(f"{path}: damaged results file: {error}. Run the model again.") from error
    if kind != KIND:
        raise FormatError(f"{path}: found an HDF5 file of kind {kind!r}, expected {KIND!r}")
    if version not in MISSING:
        raise FormatError(f"{path}: found results of version {version}, expected {VERSION} or older. "
                          "Read it with the dalembert that wrote it, or run the model again.")


def _read_arrays(path: Path, file: Group, layout: Layout) -> dict[str, np.ndarray]:
    """Read the complete frames of every array."""
    count = int(_dataset(path, file, "count")[0])
    shapes, arrays = frame_shapes(layout), {}
    missing = MISSING[int(file.attrs["version"])]
    shapes["system"] = (shapes["system"][0] - len(missing),)
    for name, shape in shapes.items():
        if 0 in shape:
            arrays[name] = np.zeros((count, *shape))
            continue
        data = _dataset(path, file, name)
        if data.shape[1:] != shape or data.shape[0] < count:
            raise FormatError(f"{path}: dataset {name!r} has shape {data.shape}, expected {(count, *shape)}")
        arrays[name] = data[:count]
    arrays["system"] = np.column_stack([arrays["system"], np.tile(missing, (count, 1))])
    return arrays


def _dataset(path: Path, file: Group, name: str) -> Dataset:
    """Return a dataset or say that it is missing."""
    if name not in file:
        raise FormatError(f"{path}: dataset {name!r} is missing; found {', '.join(sorted(file)) or 'none'}")
    return file[name]


def _write_text(file: File, name: str, value: Mapping[str, Any]) -> None:
    """Write JSON as bytes."""
    file.create_dataset(name, data=np.frombuffer(json.dumps(value).encode(), "u1"))


def _read_text(path: Path, file: Group, name: str) -> dict[str, Any]:
    """Read JSON from bytes."""
    out: dict[str, Any] = json.loads(_dataset(path, file, name)[:].tobytes())
    return out
