"""The text of a model: YAML with one line per part, numbers written so that they read back exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

import numpy as np

from .contacts import SHAPES, Contact, ContactGroup
from .control import Controller, Event
from .flexible import SECTIONS, Material
from .flexible_parts import Reduced
from .geometry import Drawing
from .guesses import Guess
from .laws import CompiledLaw, Law
from .model import Model
from .parts import Body, Frame, Motion

_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_ .°/-]*[A-Za-z0-9_°])?", re.ASCII)
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
_TYPE_NAMES = re.compile(r"(?<=[a-z])(?=[A-Z])")


def type_name(kind: type) -> str:
    """Return the word for a part in the model text.

    Examples
    --------
    >>> from dalembert.model.parts import SpringDamper
    >>> type_name(SpringDamper)
    'spring-damper'
    """
    return _TYPE_NAMES.sub("-", kind.__name__).lower()


def to_text(model: Model) -> str:
    """Return the model text of a model.

    Functions and reduced bodies cannot be written in a text; they appear as ``{function: name}`` and
    ``{reduced body: [interfaces]}``.
    """
    lines = [f"name: {_text(model.name)}", f"gravity: {_text(model.gravity)}"]
    if model.ground:
        lines += ["ground:", *(f"  {_text(name)}: {_text(point)}" for name, point in model.ground.items())]
    for section, parts in model.sections().items():
        if parts:
            lines += [f"{section}:", *(f"  {_text(part.name)}: {_text(_part(part))}" for part in parts)]
    if model.run:
        lines.append(f"run: {_text(model.run)}")
    return "\n".join(lines) + "\n"


def field_text(part: Any) -> str:
    """Return the fields of a part that differ from their defaults as they stand in the model text."""
    return _text(_part(part)).strip("{}")


def _part(part: Any) -> dict[str, Any]:
    """Return the fields of a part that differ from their defaults, by the words of the model text."""
    plain = isinstance(part, (Body, Motion, Contact, ContactGroup, Controller, Event))
    said: dict[str, Any] = {} if plain else {"type": type_name(type(part))}
    for key, default in _fields(type(part)):
        value = getattr(part, key)
        if key == "second":
            said["between"] = [said.pop("first"), value]
        elif key != "name" and value is not default:
            written = value.tolist() if isinstance(value, np.ndarray) else value
            if not (type(written) is type(default) and written == default):
                said[key] = written
    return said


_FIELDS: dict[type, list[tuple[str, Any]]] = {}


def _fields(kind: type) -> list[tuple[str, Any]]:
    """Return names and defaults of a part's fields, connection first."""
    if kind not in _FIELDS:
        _FIELDS[kind] = [(f.name, f.default if f.default_factory is MISSING else f.default_factory())
                         for f in fields(kind)]
    return _FIELDS[kind]


def _text(value: Any) -> str:
    """Return any value as YAML on one line."""
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    if isinstance(value, np.floating):
        return _float_text(float(value))
    if isinstance(value, (np.ndarray, np.integer, np.bool_)):
        return _text(value.tolist())
    for kind in (str, int, float, list, tuple, Mapping):
        if isinstance(value, kind):
            return _WRITERS[kind](value)
    return _text(_as_mapping(value))


def _list_text(values: Any) -> str:
    return f"[{', '.join([_WRITERS.get(type(v), _text)(v) for v in values])}]"


def _mapping_text(values: Mapping[Any, Any]) -> str:
    return "{" + ", ".join([f"{_text(k)}: {_WRITERS.get(type(v), _text)(v)}" for k, v in values.items()]) + "}"


def _int_text(x: int) -> str:
    return f"{x:#x}" if x.bit_length() > 100 else str(int(x))


def _as_mapping(value: Any) -> Any:
    """Return frames, sections, materials and laws by the words of the model text; functions by their names."""
    if isinstance(value, Frame):
        return {"position": value.position} | ({} if value.rotation is None else {"rotation": value.rotation})
    if isinstance(value, Drawing):
        return {value.kind: _changed_fields(value, ("kind",))}
    if isinstance(value, Guess):
        return {"guess": value.value}
    if isinstance(value, CompiledLaw):
        return _as_mapping(value.function)
    if isinstance(value, Law):
        return {type(value).__name__.lower(): {f.name: getattr(value, f.name) for f in fields(value)}}
    if isinstance(value, SHAPES):
        return {type_name(type(value)): _changed_fields(value)}
    if isinstance(value, SECTIONS):
        return {type_name(type(value)): _changed_fields(value)}
    if isinstance(value, Material):
        return _changed_fields(value)
    if isinstance(value, Reduced):
        return {"reduced body": list(value.places)}
    if callable(value):
        return {"function": str(getattr(value, "__qualname__", type(value).__name__))}
    return repr(value)


def _changed_fields(value: Any, hidden: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a material, section or drawing that differ from their defaults."""
    return {f.name: getattr(value, f.name) for f in fields(value)
            if f.name not in hidden and (f.default is MISSING or not np.array_equal(getattr(value, f.name), f.default))}


def _float_text(x: float) -> str:
    """Return the shortest text that reads back as the same number."""
    text = float.__repr__(x)
    return text if text[-1] not in "fn" else {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}[text]


@lru_cache(maxsize=1000)
def _quoted(text: str) -> str:
    """Return a text as YAML reads it back: plain where that is safe, else in quotation marks."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    escaped = "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in text
                      .replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{escaped}"'


_WRITERS: dict[Any, Callable[[Any], str]] = {
    float: _float_text, int: _int_text, str: _quoted, list: _list_text, tuple: _list_text, dict: _mapping_text,
    Mapping: _mapping_text, bool: lambda value: "true" if value else "false", type(None): lambda value: "null",
}
