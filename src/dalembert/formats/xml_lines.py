"""XML as elements that know their lines; declarations of entities are refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from xml.parsers import expat

from ..errors import FormatError

_DEEPEST = 200


@dataclass
class Element:
    """An XML element: its tag, attributes, children and ``"file:line"``."""

    tag: str
    attributes: dict[str, str]
    place: str
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """Return the children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Element | None:
        """Return the first child with a tag, or None."""
        return next(self.all(tag), None)

    def fail(self, found: str, expected: str) -> FormatError:
        """Return the error for something wrong in this element."""
        return FormatError(f"{self.place}  <{self.tag}>: found {found}, expected {expected}")

    def need(self, attribute: str) -> str:
        """Return an attribute that must be there."""
        if attribute not in self.attributes:
            raise self.fail(f"no attribute {attribute!r}", f'<{self.tag} {attribute}="...">')
        return self.attributes[attribute]


def read_xml(path: str | PathLike[str]) -> Element:
    """Return the root element of an XML file."""
    file = fspath(path)
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise FormatError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    parser = expat.ParserCreate()
    top = Element("", {}, f"{file}:1")
    above = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, f"{file}:{parser.CurrentLineNumber}")
        if len(above) > _DEEPEST:
            raise element.fail(f"more than {_DEEPEST} nested elements", "fewer")
        above[-1].children.append(element)
        above.append(element)

    def refuse(name: str, *_: object) -> None:
        raise FormatError(f"{file}:{parser.CurrentLineNumber}  <!ENTITY {name}>: found the declaration of an entity, "
                          "expected plain XML; write its text out")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: above.pop()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages[error.code]
        raise FormatError(f"{file}:{error.lineno}  not XML: found {what} (column {error.offset + 1}), expected "
                          "well-formed XML") from None
    except (LookupError, ValueError) as error:  # encodings that expat or Python do not know
        raise FormatError(f"{file}:1  not XML: {error}; expected UTF-8") from None
    return top.children[0]


def line_of(element: Element) -> int:
    """Return the line an element begins in."""
    return int(element.place.rpartition(":")[2])


def numbers(element: Element | None, attribute: str, default: Iterable[float]) -> list[float]:
    """Return the numbers of an attribute, or the default if element or attribute are missing."""
    default = list(default)
    if element is None or attribute not in element.attributes:
        return default
    text = element.attributes[attribute]
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != len(default) or not all(map(math.isfinite, values)):
        count = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
        raise element.fail(f'{attribute}="{text}"', count)
    return values
