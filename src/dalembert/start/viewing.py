"""A mechanism in the browser: a run, or a model as it is assembled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..model.model import Model
from ..model.values import shown
from ..results.animation import show_page
from ..results.results import Results
from .frame import assemble


def show(what: Results | Model, path: str | Path | None = None, *, model: Model | None = None, **options: Any) -> Path:
    """Show a run in the browser, to be played, stopped, turned and zoomed; or a model, assembled at its start.

    Parameters
    ----------
    what : Results or Model
    path : str or Path, optional
        Page to be written, ``.html``; by default in a folder for passing files.  It needs no network and nothing else.
    model : Model, optional
        That of the run, as for `Results.animate`.
    **options
        ``fps, speed, forces, reactions, trace`` of `Results.animate`.

    Returns
    -------
    Path
        The page.  A browser is opened where there is a screen.
    """
    if not isinstance(what, (Results, Model)):
        raise ModelError(f"show: found {shown(what)}, expected results or a model")
    results, known = (assemble(what), what) if isinstance(what, Model) else (what, model)
    return show_page(results, path, known, **options)
