"""Flexible bodies prepared offline: finite elements, reduction, Standard Input Data; ``dal.flex``.

Every name of ``__all__`` is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "beam_elements": ["beam"],
    "plane_elements": ["plate"],
    "solid_elements": ["box"],
    "mesh_import": ["read_mesh"],
    "matrix_model": ["matrices"],
    "reduction": ["craig_bampton"],
    "sid": ["read_sid", "write_sid"],
    "fe_model": ["FEModel"],
    "reduced_body": ["ReducedBody"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
