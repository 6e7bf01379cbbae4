"""Where models come from: files, and the models that are bundled with the package."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FormatError, ModelError, MultibodyError, near_names

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
    """Read a model from a text (.yaml), a robot description (.urdf) or a script (.py) that defines ``model``."""
    suffix = path.suffix.lower()
    if suffix == ".urdf":
        from ..formats.urdf import read_urdf

        return read_urdf(path)
    if suffix == ".py":
        return _run_script(path)
    if suffix in (".h5", ".hdf5"):
        raise FormatError(f"{path}: found a results file, expected a model (.yaml, .urdf, .py); see it with "
                          f"dalembert show {path}")
    from ..model.text import read

    return read(path)


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
        raise ModelError(f"{path}: the script failed: {type(error).__name__}: {error}") from error
    if not isinstance(made, Model):
        raise ModelError(f"{path}: found {type(made).__name__} as 'model', expected a Model or a function model() "
                         "that returns one")
    return made
