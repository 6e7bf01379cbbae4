"""Where a result comes from: versions, model text, method and time."""

from __future__ import annotations

import platform
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import __version__


def provenance(*, model: str, formulation: str, integrator: str, accuracy: float | None = None,
               step: float | None = None) -> dict[str, Any]:
    """Describe a run that begins now.

    Parameters
    ----------
    model : str
        The model text.
    formulation, integrator : str
        Names of the methods that are really used.
    accuracy : float, optional
        Tolerated local error per step, for an error-controlled step.
    step : float, optional
        Fixed step [s].

    Returns
    -------
    dict
        Plain values with the keys ``dalembert, python, numpy, numba, model, formulation, integrator, accuracy,
        step, created``; ``created`` is an ISO time in UTC.
    """
    return {
        "dalembert": __version__,
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
        "model": model,
        "formulation": formulation,
        "integrator": integrator,
        "accuracy": None if accuracy is None else float(accuracy),
        "step": None if step is None else float(step),
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


@cache
def _version(package: str) -> str:
    """Return the installed version, without importing the package; looked up once, since that takes half a millisecond."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
