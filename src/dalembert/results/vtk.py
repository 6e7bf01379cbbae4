"""Bodies and points as a time series for ParaView: one ``.vtp`` (XML polydata) a frame and a ``.pvd`` that lists them.

A frame holds a vertex for every body origin and named point, and lines from each origin to the points of its
body.  Each vertex carries its velocity, acceleration, body number and the body's axes as vectors ``axis_x, axis_y,
axis_z``, ready for glyphs.  Flexible bodies follow in files of their own, ``NAME_shape_000000.vtp`` and so on, part 1 of the
series: lines of beams and surfaces of other bodies, their nodes with displacement, stress, part number and axes.  The
format is short XML, written here without a library.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ..errors import FormatError
from .recovery import Recovery
from .results import Results
from .shape import Shape, shapes_of

TYPES = {"f8": "Float64", "i8": "Int64"}


def write_series(results: Results, folder: str | Path, model: Any = None, exaggeration: float = 1.0) -> Path:
    """Write all frames of a run into a folder.

    Parameters
    ----------
    results : Results
    folder : str or Path
        Made if missing; holds ``NAME.pvd`` and ``NAME_000000.vtp`` and so on, NAME from the model's name.
    model : Model, optional
        That of the run, whose flexible bodies are to be written too.
    exaggeration : float
        Factor of their displacements.

    Returns
    -------
    Path
        The ``.pvd`` file, to be opened in ParaView.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"{folder}: the folder cannot be made: {error.strerror}") from error
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in results.layout.model) or "model"
    places, owner, lines = _places(results)
    vectors = {"velocity": _history(results, places, "velocity"),
               "acceleration": _history(results, places, "acceleration")}
    rotation = _history(results, places, "rotation")
    vectors |= {f"axis_{label}": rotation[..., k] for k, label in enumerate("xyz")}
    position = _history(results, places, "position")
    files, recovery = [], None if model is None else Recovery(results, model)
    for frame in range(len(results)):
        data = {"body": owner, **{key: value[frame] for key, value in vectors.items()}}
        files.append((f"{name}_{frame:06d}.vtp", results.t[frame], 0))
        _write(folder / files[-1][0], position[frame], np.arange(len(owner))[:, None], [lines], [], data)
        if recovery is not None and recovery.parts:
            files.append((f"{name}_shape_{frame:06d}.vtp", results.t[frame], 1))
            now = recovery.at([frame])
            _write_shapes(folder / files[-1][0], [shapes_of(now, part, exaggeration)[0] for part in recovery.parts])
    collection = folder / f"{name}.pvd"
    collection.write_text(_collection(files), encoding="utf-8")
    return collection


def _write_shapes(path: Path, shapes: list[Shape]) -> None:
    """Write the flexible parts of one frame; unknown stresses are not a number."""
    first = np.cumsum([0, *(len(shape.nodes) for shape in shapes)])
    cells = [corners + n for shape, n in zip(shapes, first[:-1], strict=True) for corners in shape.cells]
    bare = [n + np.arange(len(shape.nodes)) for shape, n in zip(shapes, first[:-1], strict=True) if not shape.cells]
    axes = np.vstack([shape.axes for shape in shapes])
    data = {"stress": np.concatenate([np.full(len(shape.nodes), np.nan) if shape.stress is None else shape.stress
                                      for shape in shapes]),
            "part": np.repeat(np.arange(len(shapes)), np.diff(first)),
            "displacement": np.vstack([shape.displacement for shape in shapes]),
            **{f"axis_{label}": axes[..., k] for k, label in enumerate("xyz")}}
    _write(path, np.vstack([shape.nodes for shape in shapes]), np.concatenate([np.zeros(0, "i8"), *bare])[:, None],
           [c for c in cells if c.shape[1] == 2], [c for c in cells if c.shape[1] > 2], data)


def _places(results: Results) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return names of bodies and points, the body row of each, and pairs (origin, point) of vertex numbers."""
    layout = results.layout
    rows = [row for row in range(1, len(layout.bodies)) if row not in layout.hidden]
    number = {row: k for k, row in enumerate(rows)}
    names = [*(layout.bodies[row] for row in rows), *(point.name for point in layout.points)]
    owner = np.array([*rows, *(point.body for point in layout.points)], "i8")
    lines = [(number[point.body], len(rows) + k) for k, point in enumerate(layout.points) if point.body in number]
    return names, owner, np.array(lines, "i8").reshape(-1, 2)


def _history(results: Results, places: list[str], quantity: str) -> np.ndarray:
    """Return a quantity of all places, (nf, n_places, ...)."""
    if not places:
        return np.zeros((len(results), 0, 3, 3) if quantity == "rotation" else (len(results), 0, 3))
    return np.stack([results[f"{place}.{quantity}"] for place in places], axis=1)


def _write(path: Path, position: np.ndarray, vertices: np.ndarray, lines: Sequence[np.ndarray], faces: Sequence[np.ndarray],
           data: dict[str, np.ndarray]) -> None:
    """Write points (n, 3), cells of point numbers (m, k) and fields of the points as VTK XML polydata.

    The first scalar and the first vector are shown at once.
    """
    scalar, vector = (next(name for name, value in data.items() if value.ndim == ndim) for ndim in (1, 2))
    counts = [sum(map(len, cells)) for cells in ([vertices], lines, faces)]
    parts = [
        '<?xml version="1.0"?>',
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64"><PolyData>',
        f'<Piece NumberOfPoints="{len(position)}" NumberOfVerts="{counts[0]}" NumberOfLines="{counts[1]}" '
        f'NumberOfStrips="0" NumberOfPolys="{counts[2]}">',
        f'<PointData Scalars="{scalar}" Vectors="{vector}">', *(_array(name, value) for name, value in data.items()),
        "</PointData>",
        "<Points>", _array("Points", position), "</Points>",
        "<Verts>", *_cells([vertices]), "</Verts>", "<Lines>", *_cells(lines), "</Lines>",
        "<Polys>", *_cells(faces), "</Polys>",
        "</Piece></PolyData></VTKFile>",
    ]
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _cells(groups: Sequence[np.ndarray]) -> tuple[str, str]:
    """Return connectivity and offsets of cells, each group (m, k) of equal size."""
    empty = np.zeros(0, "i8")
    sizes = np.concatenate([empty, *(np.full(len(cells), cells.shape[1]) for cells in groups)])
    return (_array("connectivity", np.concatenate([empty, *(cells.ravel() for cells in groups)])),
            _array("offsets", np.cumsum(sizes)))


def _array(name: str, values: np.ndarray) -> str:
    """Return a DataArray with base64 data behind its length in bytes."""
    kind = "f8" if values.dtype.kind == "f" else "i8"
    raw = np.ascontiguousarray(values, f"<{kind}").tobytes()
    count = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ""
    text = base64.b64encode(np.array([len(raw)], "<u8").tobytes() + raw).decode()
    return f'<DataArray type="{TYPES[kind]}" Name={quoteattr(name)}{count} format="binary">{text}</DataArray>'


def _collection(files: Sequence[tuple[str, float, int]]) -> str:
    """Return the list of files with their times [s] and parts."""
    rows = [f'<DataSet timestep="{float(t)!r}" part="{part}" file={quoteattr(file)}/>' for file, t, part in files]
    return "\n".join(['<?xml version="1.0"?>', '<VTKFile type="Collection" version="1.0"><Collection>', *rows,
                      "</Collection></VTKFile>"]) + "\n"
