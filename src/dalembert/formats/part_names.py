"""Names of other formats as names of parts."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.names import RESERVED


class PartNames:
    """Names that fit a model: unique, without dots, not reserved."""

    def __init__(self, bodies: Iterable[str]):
        self._taken = set(RESERVED)
        self.of = {body: self.new(body) for body in bodies}

    def new(self, name: str, suffix: str = "_link") -> str:
        """Return a name that is not taken, as near to `name` as can be."""
        plain = "".join(c if c.isprintable() else "_" for c in name).replace(".", "_").strip() or "unnamed"
        while plain in self._taken:
            plain += suffix
        self._taken.add(plain)
        return plain
