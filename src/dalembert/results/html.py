"""Results as a piece of a page, for notebooks: needs no network."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO

from ..errors import MultibodyError
from ..model.html import table
from ..scenes.picture import poses
from .animation import poses_of
from .results import Results
from .scene import scene_of
from .tabular import left_out, overview, summary

PIXELS = (640, 400)


def html_of(results: Results) -> str:
    """Return the mechanism at a few frames, the summary of the main channels, and the messages."""
    head, *rest = repr(results).splitlines()
    rows = [[row.name, row.unit, *(f"{x:.6g}" for x in (row.smallest, row.largest, row.last))]
            for row in summary(results, overview(results))] if len(results) else []
    more = left_out(results) if rows else ""
    said = "<br>".join(escape(line.strip()) for line in (*rest, more) if line.strip())
    return (f"<div><p><b>{escape(head.strip('<>'))}</b></p>{_mechanism(results)}"
            f"{table(['channel', 'unit', 'smallest', 'largest', 'last'], rows)}<p>{said}</p></div>")


def _mechanism(results: Results) -> str:
    """Return the mechanism as a picture within the page, or why there is none."""
    from PIL import Image

    if not len(results):
        return ""
    try:
        pixels = poses(scene_of(results, frames=poses_of(results)), PIXELS)
    except MultibodyError as error:
        return f"<p>not drawn: {escape(str(error))}</p>"
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="the mechanism" width="{PIXELS[0]}" src="data:image/png;base64,{data}">'
