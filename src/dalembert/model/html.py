"""Models as a piece of a page, for notebooks: their parts in tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .text_write import field_text

if TYPE_CHECKING:
    from .model import Model

MOST = 40
"""Parts of a section that are listed."""


def model_html(model: Model) -> str:
    """Return a table for each section of a model: name, kind and fields that differ from their defaults."""
    pieces = [f"<div><p><b>{escape(repr(model).strip('<>'))}</b></p>"]
    for section, parts in model.sections().items():
        if parts:
            rows = [[str(part.name), type(part).__name__, _said(part)] for part in parts[:MOST]]
            more = [["", "", f"and {len(parts) - MOST} more"]] * (len(parts) > MOST)
            pieces += [f"<p>{section}</p>", table(["name", "kind", "fields"], [*rows, *more])]
    return "".join([*pieces, "</div>"])


def _said(part: Any) -> str:
    """Return the fields of a part, shortened."""
    told = field_text(part)
    return told if len(told) <= 160 else told[:157] + "…"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts, which are escaped."""
    head_line, *lines = (_line(cells, tag) for cells, tag in ((head, "th"), *((row, "td") for row in rows)))
    return f"<table>{head_line}{''.join(lines)}</table>" if rows else ""


def _line(cells: Sequence[str], tag: str) -> str:
    said = "".join(f'<{tag} style="text-align:left">{escape(cell)}</{tag}>' for cell in cells)
    return f"<tr>{said}</tr>"
