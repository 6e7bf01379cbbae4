"""Which parts refer to which others: what goes along when parts are removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .model import Model

REFERENCES = ("first", "second", "joint", "at", "to", "inputs", "outputs")
"""Fields of parts and shapes that name places, joints, force elements or channels."""


def owner_of(place: str) -> str:
    """Return the part of a place ``"body"`` or ``"body.point"``, or of a channel."""
    return place.partition(".")[0]


def names_in(part: Any) -> set[str]:
    """Return the texts of all places, parts and channels that a part refers to."""
    return set(_texts(getattr(part, field, ()) for field in REFERENCES))


def with_dependents(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of parts and of all that cannot be without them, in the order of the model.

    Joints, constraints, forces and contacts go with their bodies; springs, motors, drives and couplings with their joints;
    controllers with what they move, and with what they look at, as events do.
    """
    gone = set(names)
    while True:
        more = {part.name for part in model if part.name not in gone and gone & {owner_of(text) for text in names_in(part)}}
        if not more:
            return tuple(part.name for part in model if part.name in gone)
        gone |= more


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, tuple, Mapping)):
            yield from _texts(value)
        elif hasattr(value, "at"):  # a shape
            yield from _texts([value.at])
