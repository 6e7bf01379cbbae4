"""Where models come from: files, and the models that are bundled with the package."""

from __future__ import annotations

import ast
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from ..errors import Fault, FormatError, ModelError, MultibodyError, near_names

if TYPE_CHECKING:
    from ..model.model import Model

FOLDER = Path(__file__).resolve().parent / "models"


def bundled() -> dict[str, str]:
    """Return the names of the bundled models with a one-line description of each."""
    files = sorted(path for path in FOLDER.iterdir() if path.suffix in (".yaml", ".py"))
    return {path.stem: _description(path) for path in files}


def _description(path: Path) -> str:
    """Return the comment at the head of a model text, or the first line of a script's docstring."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    lines = [line.lstrip("# ").rstrip() for line in text.splitlines() if line.startswith("#")]
    return lines[0] if lines else ""


def find_model(name: str) -> Path:
    """Return the file of a model: a path that exists, or the name of a bundled model."""
    path = Path(name)
    if path.is_file():
        return path
    for suffix in (".yaml", ".py"):
        if (FOLDER / f"{name}{suffix}").is_file():
            return FOLDER / f"{name}{suffix}"
    raise ModelError(f"no file {name!r} and no bundled model of this name.{near_names(name, bundled())}")


def read_model(path: Path) -> Model:
    """Read a model text (.yaml), a robot (.urdf, .xml of MuJoCo) or a script (.py) that defines ``model``."""
    suffix = path.suffix.lower()
    if suffix == ".urdf":
        from ..formats.urdf import read_urdf

        return read_urdf(path)
    if suffix == ".xml":
        from ..formats.mjcf import read_mjcf

        return read_mjcf(path)
    if suffix == ".py":
        return _run_script(path)
    if suffix in (".h5", ".hdf5"):
        raise FormatError(f"{path}: found a results file, expected a model (.yaml, .urdf, .xml, .py); see it with "
                          f"dalembert show {path}")
    from ..model.text import read

    return read(path)


def _place(path: Path, error: Exception) -> str:
    """Return ``file:line`` of the script's own line that an error came from; a syntax error knows its line itself."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{path}:{error.lineno}"
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}:{lines[-1]}" if lines else str(path)


def _run_script(path: Path) -> Model:
    """Execute a script and return its ``model``, or what its function ``model()`` returns."""
    import runpy

    from ..model.model import Model

    try:
        found = runpy.run_path(str(path)).get("model")
        made = found() if callable(found) else found
    except MultibodyError:
        raise
    except Exception as error:  # whatever a user's script does
        what = f"the script failed: {type(error).__name__}: {error}"
        raise ModelError([Fault("model", what, _place(path, error))]) from error
    if not isinstance(made, Model):
        raise ModelError(f"{path}: found {type(made).__name__} as 'model', expected a Model or a function model() "
                         "that returns one")
    return made
