"""Model text: `read` and `write` for files, `from_text` and `to_text` for texts in memory."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from warnings import warn

from ..errors import Fault, ModelError, near_names
from .check import check, find_faults
from .check_laws import functions_of
from .flexible_parts import FlexibleBody
from .model import Model
from .text_read import model_of
from .text_write import to_text
from .values import shown
from .yaml_tree import TextFaults, parse_yaml

__all__ = ["dumps", "from_text", "loads", "read", "to_text", "write"]


def read(path: str | PathLike[str]) -> Model:
    """Read a model text (YAML).

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Model
        Faultless; its name is the file's if the text gives none.

    Raises
    ------
    ModelError
        With every fault and its ``file:line``; also if the file is missing or no text.
    """
    if not isinstance(path, (str, PathLike)):
        raise ModelError(f"found {shown(path)}, expected the path of a model text")
    file = Path(path)
    try:
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        raise ModelError([Fault("file", _why_unreadable(file, error))]) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte {data[error.start]:#04x} is not UTF-8, expected a model text in UTF-8; save it in that encoding"
        raise ModelError([Fault("text", what, f"{fspath(path)}:{line}")]) from None
    return _parsed(text, file.stem, fspath(path))


def from_text(text: str, name: str = "model") -> Model:
    """Return the model of a model text in memory; `read` takes one from a file, `to_text` is the inverse.

    Parameters
    ----------
    text : str
        YAML.
    name : str
        Used if the text gives none.

    Raises
    ------
    ModelError
        With every fault and its line.

    Examples
    --------
    >>> from_text("bodies: {rod: {mass: 2.0}}", name="single")
    <Model 'single': 1 body, gravity (0.0, 0.0, -9.81)>
    """
    if not isinstance(text, str):
        raise ModelError(f"found {shown(text)}, expected the text of a model; use read for a file")
    return _parsed(text, name, "text")


def loads(text: str, name: str = "model") -> Model:
    """Return the model of a model text in memory; the former name of `from_text`.

    .. deprecated:: 0.1
       `load` opens results, which this is not the twin of.
    """
    warn("dal.loads(text) is called dal.from_text(text) now; dal.load(path) opens results", DeprecationWarning, stacklevel=2)
    return from_text(text, name)


def dumps(model: Model) -> str:
    """Return the text of a model; the former name of `to_text`.

    .. deprecated:: 0.1
    """
    warn("dal.dumps(model) is called dal.to_text(model) now", DeprecationWarning, stacklevel=2)
    return to_text(model)


def _parsed(text: str, name: str, file: str) -> Model:
    faults = TextFaults(file)
    data = parse_yaml(text, faults)
    if data is None and faults:
        raise ModelError(faults)
    model = model_of(data, faults, name)
    find_faults(model, faults)
    if faults:
        raise ModelError(faults.in_order(), str(model.name))
    return model


def write(model: Model, path: str | PathLike[str]) -> None:
    """Write a model as text (YAML); `read` gives the same model back, number for number.

    Raises
    ------
    ModelError
        If the model is faulty, holds a function or a reduced body (which a text cannot hold), or the file cannot be written.
    """
    text = check(model).text
    faults = [Fault(where, f"a text cannot hold the function {name!r}; use a number, sine, table or ramp")
              for where, name in functions_of(model)]
    faults += [Fault(f"flexible.{part.name}.reduced", "a text cannot hold a reduced body; write its Standard Input Data with "
                     "flex.write_sid and build the model in Python")
               for part in model.flexible if isinstance(part, FlexibleBody)]
    if faults:
        raise ModelError(faults, model.name)
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ModelError([Fault("file", f"cannot write {fspath(path)!r}: {error.strerror}")], model.name) from None


def _why_unreadable(file: Path, error: Exception) -> str:
    """Say why a file cannot be read, with the near miss in its folder."""
    if not isinstance(error, FileNotFoundError):
        return f"cannot read {str(file)!r}: {getattr(error, 'strerror', None) or error}; expected a model text"
    if not file.parent.is_dir():
        return f"no file {str(file)!r}: there is no folder {str(file.parent)!r}"
    texts = sorted(p.name for p in file.parent.iterdir() if p.suffix in (".yaml", ".yml"))
    return f"no file {str(file)!r}" + (f".{near_names(file.name, texts)}" if texts else " and no model text in its folder")
