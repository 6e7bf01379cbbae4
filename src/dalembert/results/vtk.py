"""Bodies and points as a time series for ParaView: one ``.vtp`` (XML polydata) a frame and a ``.pvd`` that lists them.

A frame holds a vertex for every body origin and named point, and lines from each origin to the points of its
body.  Each vertex carries its velocity, acceleration, body number and the body's axes as vectors ``axis_x, axis_y,
axis_z``, ready for glyphs.  The format is short XML, written here without a library.
"""

from __future__ import annotations

import base64
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from .results import Results

TYPES = {"f8": "Float64", "i8": "Int64"}


def write_series(results: Results, folder: str | Path) -> Path:
    """Write all frames of a run into a folder.

    Parameters
    ----------
    results : Results
    folder : str or Path
        Made if missing; holds ``NAME.pvd`` and ``NAME_000000.vtp`` and so on, NAME from the model's name.

    Returns
    -------
    Path
        The ``.pvd`` file, to be opened in ParaView.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in results.layout.model) or "model"
    places, owner, lines = _places(results)
    vectors = {"velocity": _history(results, places, "velocity"),
               "acceleration": _history(results, places, "acceleration")}
    rotation = _history(results, places, "rotation")
    vectors |= {f"axis_{label}": rotation[..., k] for k, label in enumerate("xyz")}
    position = _history(results, places, "position")
    files = []
    for frame in range(len(results)):
        files.append(f"{name}_{frame:06d}.vtp")
        text = _polydata(position[frame], lines, owner, {key: value[frame] for key, value in vectors.items()})
        (folder / files[-1]).write_text(text, encoding="utf-8")
    collection = folder / f"{name}.pvd"
    collection.write_text(_collection(results.t, files), encoding="utf-8")
    return collection


def _places(results: Results) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return names of bodies and points, the body row of each, and pairs (origin, point) of vertex numbers."""
    layout = results.layout
    names = [*layout.bodies[1:], *(point.name for point in layout.points)]
    owner = np.array([*range(1, len(layout.bodies)), *(point.body for point in layout.points)], "i8")
    first = len(layout.bodies) - 1
    lines = [(point.body - 1, first + k) for k, point in enumerate(layout.points) if point.body > 0]
    return names, owner, np.array(lines, "i8").reshape(-1, 2)


def _history(results: Results, places: list[str], quantity: str) -> np.ndarray:
    """Return a quantity of all places, (nf, n_places, ...)."""
    if not places:
        return np.zeros((len(results), 0, 3, 3) if quantity == "rotation" else (len(results), 0, 3))
    return np.stack([results[f"{place}.{quantity}"] for place in places], axis=1)


def _polydata(position: np.ndarray, lines: np.ndarray, owner: np.ndarray, vectors: dict[str, np.ndarray]) -> str:
    """Return one frame as VTK XML polydata."""
    n = len(position)
    data = [_array("body", owner), *(_array(name, value) for name, value in vectors.items())]
    parts = [
        '<?xml version="1.0"?>',
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64"><PolyData>',
        f'<Piece NumberOfPoints="{n}" NumberOfVerts="{n}" NumberOfLines="{len(lines)}" NumberOfStrips="0" '
        'NumberOfPolys="0">',
        '<PointData Scalars="body" Vectors="velocity">', *data, "</PointData>",
        "<Points>", _array("Points", position), "</Points>",
        "<Verts>", *_cells(np.arange(n)[:, None]), "</Verts>",
        "<Lines>", *_cells(lines), "</Lines>",
        "</Piece></PolyData></VTKFile>",
    ]
    return "\n".join(parts) + "\n"


def _cells(cells: np.ndarray) -> tuple[str, str]:
    """Return connectivity and offsets of cells of equal size."""
    n, size = cells.shape
    return _array("connectivity", cells.ravel()), _array("offsets", size * np.arange(1, n + 1))


def _array(name: str, values: np.ndarray) -> str:
    """Return a DataArray with base64 data behind its length in bytes."""
    kind = "f8" if values.dtype.kind == "f" else "i8"
    raw = np.ascontiguousarray(values, f"<{kind}").tobytes()
    count = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ""
    text = base64.b64encode(np.array([len(raw)], "<u8").tobytes() + raw).decode()
    return f'<DataArray type="{TYPES[kind]}" Name={quoteattr(name)}{count} format="binary">{text}</DataArray>'


def _collection(times: np.ndarray, files: list[str]) -> str:
    """Return the list of frames with their times [s]."""
    rows = [f'<DataSet timestep="{float(t)!r}" part="0" file={quoteattr(file)}/>'
            for t, file in zip(times, files, strict=True)]
    return "\n".join(['<?xml version="1.0"?>', '<VTKFile type="Collection" version="1.0"><Collection>', *rows,
                      "</Collection></VTKFile>"]) + "\n"
