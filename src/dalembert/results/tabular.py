"""Channels as tables: printed summaries, xarray datasets and pandas frames."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MultibodyError, unwritable
from ..system.layout import CutEntry, JointEntry
from .joints import TURN
from .results import Results

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

DIMENSIONS = {("x", "y", "z"): "axis", ("w", "x", "y", "z"): "quaternion"}
"""Names of the dimensions that channels share in xarray."""
MOST = 12
"""Joints that tables and pictures show unless others are asked for."""


@dataclass(frozen=True)
class Row:
    """One component of a channel: its smallest, largest and last value."""

    name: str
    unit: str
    smallest: float
    largest: float
    last: float


def labelled(results: Results, channel: str) -> dict[str, np.ndarray]:
    """Return the components of a channel by name, ``"tip.position x"``, each (nf,)."""
    values, labels = results[channel], results.components(channel)
    if not labels:
        return {channel: values}
    return {f"{channel} {''.join(names) if len(names) > 1 else names[0]}": values[(slice(None), *index)]
            for index, names in zip(np.ndindex(values.shape[1:]), product(*labels), strict=True)}


def summary(results: Results, channels: Sequence[str] | None = None) -> list[Row]:
    """Return one row per component; without channels, the joints' coordinates and the energies."""
    rows = []
    for channel in overview(results) if channels is None else channels:
        for name, y in labelled(results, channel).items():
            found = (np.min(y), np.max(y), y[-1]) if len(y) else (np.nan,) * 3
            rows.append(Row(name, results.unit(channel), *map(float, found)))
    return rows


def overview(results: Results, most: int | None = MOST) -> list[str]:
    """Return the channels that say most about a run: coordinates of the first `most` joints (None: all), and the energies.

    Turns in space are given by roll, pitch and yaw.
    """
    chosen = []
    for joint in _moving(results)[:most]:
        chosen += [f"{joint.name}.{c}" for c in joint.coordinates if f"{joint.name}.{c}" in results]
        if f"{joint.name}.{TURN}" in results:
            chosen.append(f"{joint.name}.{TURN}")
    return [*chosen, "energy.kinetic", "energy.potential", "energy.total"]


def left_out(results: Results) -> str:
    """Say how many joints `overview` leaves out, and how to see them; empty if it shows all."""
    names = [joint.name for joint in _moving(results)[MOST:]]
    if not names:
        return ""
    return f"… and {len(names)} more joint{'s' * (len(names) != 1)}: {', '.join(names[:MOST])}{', …' * (len(names) > MOST)}"


def _moving(results: Results) -> list[JointEntry | CutEntry]:
    """Return the joints that have coordinates and a name of the user's."""
    tree = [joint for joint in results.layout.joints if joint.coordinates and not joint.hidden]
    return [*tree, *(cut for cut in results.layout.cuts if cut.coordinates)]


def write_csv(results: Results, path: Path, channels: Sequence[str] | None = None) -> Path:
    """Write a table, a line per frame and a column per component, with all digits; returns the path.

    Without channels those of `overview`, for all joints.
    """
    columns = {"t [s]": results.t.tolist()}
    for channel in overview(results, None) if channels is None else channels:
        for name, y in labelled(results, channel).items():
            columns[f"{name} [{results.unit(channel)}]"] = y.tolist()
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def printed(rows: Sequence[Row]) -> str:
    """Return rows as lines of text in columns."""
    cells = [("channel", "unit", "smallest", "largest", "last")]
    cells += [(r.name, r.unit, f"{r.smallest:.6g}", f"{r.largest:.6g}", f"{r.last:.6g}") for r in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(5)]
    return "\n".join("  ".join(text.ljust(width) if k < 2 else text.rjust(width)
                               for k, (text, width) in enumerate(zip(row, widths, strict=True))) for row in cells)


def to_xarray(results: Results, channels: Sequence[str] | None = None) -> Dataset:
    """Return an `xarray.Dataset` over t [s]; vectors have a dimension ``axis``, quaternions ``quaternion``."""
    xarray = _needed("xarray")
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {"t": ("t", results.t, {"units": "s"})}
    for channel in results.channels if channels is None else channels:
        values, dims = results[channel], ["t"]
        for labels in results.components(channel):
            dim = DIMENSIONS.get(labels, f"{channel} component")
            dims.append(dim if dim not in dims else f"{dim}2")
            coords[dims[-1]] = (dims[-1], list(labels))
        variables[channel] = (dims, values, {"units": results.unit(channel)})
    plain = {key: "" if value is None else value for key, value in results.provenance.items()}
    out: Dataset = xarray.Dataset(variables, coords, {**plain, "status": results.status})
    return out


def to_pandas(results: Results, channels: Sequence[str] | None = None) -> DataFrame:
    """Return a `pandas.DataFrame` with a column per component and the index t [s]."""
    pandas = _needed("pandas")
    columns: dict[str, np.ndarray] = {}
    for channel in results.channels if channels is None else channels:
        columns.update(labelled(results, channel))
    return pandas.DataFrame(columns, index=pandas.Index(results.t, name="t"))


def _needed(package: str) -> ModuleType:
    """Import a package of the extra ``[tables]``."""
    try:
        return import_module(package)
    except ImportError as error:
        raise MultibodyError(f"{package} is not installed: pip install 'dalembert[tables]'") from error
