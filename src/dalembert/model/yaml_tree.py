"""YAML as plain data with line numbers: texts, numbers, lists and mappings, and where each is in the file."""

from __future__ import annotations

import re
from typing import Any

from ..errors import Fault
from .values import Faults, shown

_DEEPEST = 40
_HIGHEST_TOWER = 200
_BRACKETS = re.compile(r"[\[\]{}]")
_EXTRA_VISITS = 100_000
_TAG = "tag:yaml.org,2002:"
_NUMBER_LIMIT = 1000


class TextFaults(Faults):
    """Faults of a model text; each is reported with the line of the nearest value in the text.

    Attributes
    ----------
    file : str
        Path or title of the text.
    lines : dict of str to int
        Line of each path, such as ``"joints.elbow.axis[1]"``; counted from 1.
    silent : set of str
        Paths about which nothing more is reported.
    """

    def __init__(self, file: str):
        super().__init__()
        self.file = file
        self.lines: dict[str, int] = {}
        self.silent: set[str] = set()

    def flag(self, where: str, what: str) -> None:
        """Add a fault with its line, unless the path is silent."""
        if where not in self.silent:
            self.append(Fault(where, what, f"{self.file}:{self.line_of(where)}"))

    def line_of(self, where: str) -> int:
        """Return the line of a path or of the nearest path around it."""
        while where and where not in self.lines:
            where = where[:max(where.rfind("."), where.rfind("["), 0)]
        return self.lines.get(where, 1)

    def in_order(self) -> list[Fault]:
        """Return the faults in the order of their lines."""
        return sorted(self, key=lambda fault: int(fault.place.rpartition(":")[2]))


def parse_yaml(text: str, faults: TextFaults) -> Any:
    """Return the data of a YAML text and fill `faults.lines`; None after a fault that leaves nothing to read."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    if _opens_too_deeply(text, faults):
        return None
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        faults.lines["text"] = line
        problem = " ".join(str(error.problem or error.context).split())
        faults.flag("text", f"not YAML: {problem[:200]}; expected 'key: value' lines, closed brackets and quotes")
    except ReaderError as error:
        faults.lines["text"] = text.count("\n", 0, error.position or 0) + 1
        character = error.character if isinstance(error.character, str) else chr(error.character)
        faults.flag("text", f"not YAML: found the character {shown(character)}, expected printable text")
    except RecursionError:
        faults.flag("text", f"nested too deeply, expected at most {_DEEPEST} levels")
    except Exception as error:  # a slip inside the parser is a fault of the text for the user, too
        faults.flag("text", f"not YAML: {shown(str(error))}; expected 'key: value' lines")
    else:
        if node is None:
            faults.flag("text", "found nothing, expected a model: name, bodies, joints, ...")
            return None
        return _Tree(text, faults).value(node, "", 0)
    return None


def _opens_too_deeply(text: str, faults: TextFaults) -> bool:
    """Refuse towers of brackets before the parser, whose time grows with the square of their height."""
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket.group() in "[{" else -1
        if depth > _HIGHEST_TOWER:
            faults.lines["text"] = text.count("\n", 0, bracket.start()) + 1
            faults.flag("text", f"found {depth} open brackets, expected at most {_DEEPEST} levels")
            return True
    return False


class _Tree:
    """Turns nodes into data; knows the nodes above the present one and counts its visits."""

    def __init__(self, text: str, faults: TextFaults):
        self._faults = faults
        self._above: set[int] = set()
        self._visits_left = len(text) + _EXTRA_VISITS

    def value(self, node: Any, path: str, depth: int) -> Any:
        self._faults.lines[path] = node.start_mark.line + 1
        self._visits_left -= 1
        if self._visits_left == 0:
            self._faults.flag(path, "the aliases of the text unfold to too many values, expected a smaller text")
        if self._visits_left <= 0:
            return None
        if isinstance(node.value, str):
            return self._scalar(node, path)
        if depth >= _DEEPEST or id(node) in self._above:
            self._faults.flag(path, f"nested more than {_DEEPEST} levels deep, expected fewer"
                              if depth >= _DEEPEST else "an alias holds itself, expected a value; write it out")
            self._faults.silent.add(path)
            return None
        self._above.add(id(node))
        is_mapping = bool(node.value) and isinstance(node.value[0], tuple) or node.tag == _TAG + "map"
        found = self._mapping(node, path, depth) if is_mapping else [
            self.value(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(node.value)]
        self._above.discard(id(node))
        return found

    def _mapping(self, node: Any, path: str, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node.value, str):
                self._faults.lines[path + ".?"] = key_node.start_mark.line + 1
                self._faults.flag(path + ".?", "found a list or mapping as a key, expected a text")
                continue
            key = self._scalar(key_node, path)
            where = f"{path}.{key}" if path else str(key)
            if key in found:
                first = self._faults.lines[where]
                self._faults.lines[where] = key_node.start_mark.line + 1
                self._faults.flag(where, f"the key {shown(key)} stands twice (first in line {first}), expected once")
                continue
            found[key] = self.value(value_node, where, depth + 1)
            self._faults.lines[where] = key_node.start_mark.line + 1
        return found

    def _scalar(self, node: Any, path: str) -> Any:
        """Return a text, a number, true, false or None."""
        text, tag = node.value, node.tag
        if tag == _TAG + "null":
            return None
        if tag == _TAG + "bool":
            return text.lower() in ("true", "yes", "on", "y")
        if tag in (_TAG + "int", _TAG + "float"):
            return _number_of(text)
        if tag in (_TAG + "str", _TAG + "timestamp", _TAG + "merge", _TAG + "value"):
            return text
        self._faults.flag(path, f"found the tag {shown(tag)}, expected a plain value; remove the tag")
        self._faults.silent.add(path)
        return None


def _number_of(text: str) -> Any:
    """Return a YAML number; a text that is none, or far too long, as it is."""
    plain = text.replace("_", "").lower()
    if len(plain) > _NUMBER_LIMIT:
        return text
    try:
        if plain.lstrip("+-")[:2] in ("0x", "0o", "0b"):
            return int(plain, 0)
        if plain.lstrip("+-") in (".inf", ".nan"):
            return float(plain.replace(".", ""))
        return int(plain) if plain.lstrip("+-").isdecimal() else float(plain)
    except ValueError:
        return text
