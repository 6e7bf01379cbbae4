"""Stresses of flexible parts, from the results of a run."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, near_names
from ..flex.reductions import place_of
from ..model.checked import CheckedFlexible
from ..model.flexible_parts import Interfaced
from .recovery import Recovery, Segment

if TYPE_CHECKING:
    from ..flex.reduced_body import ReducedBody
    from .results import Results


@lru_cache(maxsize=16)
def _unit_stresses(reduced: ReducedBody) -> np.ndarray:
    """Return stress components (n, s, n_coordinates) by unit coordinates."""
    from ..flex.stress import stress_components

    return stress_components(reduced.model, reduced.basis)


def missing_stress_of(flexible: CheckedFlexible) -> str:
    """Return why a body with a reduced source has no stresses, with the remedy; empty if it has."""
    if not isinstance(flexible.source, Interfaced):
        return "Standard Input Data hold no elements to take stresses from; reduce the body with flex.craig_bampton"
    from ..flex.stress import missing_stress

    return missing_stress(flexible.source.model)


def node_stress(segment: Segment) -> np.ndarray:
    """Return von Mises stresses, or largest axial stresses of beams, at the nodes (nf, n) [Pa]."""
    from ..flex.stress import equivalent_stress

    units = _unit_stresses(segment.reduced)
    return np.stack([equivalent_stress(segment.reduced.model, units @ q) for q in segment.coordinates])


def stress_history(results: Results, model: Any, name: str, components: bool) -> np.ndarray:
    """Return stresses over time; see `Results.stress`."""
    recovery = Recovery(results, model)
    part, _, place = name.partition(".")
    bodies = recovery.flexibles(part)
    missing = next(filter(None, map(missing_stress_of, bodies)), "")
    if missing:
        raise ModelError(f"stress of {name!r}: {missing}")
    if place:
        return _at_place(recovery, bodies, part, place, components)
    if components:
        raise ModelError(f"stress: components are given at a place, found the whole body {name!r}; name one of its places: "
                         f"{', '.join(recovery.places(part))}")
    out: np.ndarray = np.max([node_stress(recovery.segment(flexible)).max(axis=1) for flexible in bodies], axis=0)
    return out


def _at_place(recovery: Recovery, bodies: list[CheckedFlexible], part: str, place: str, components: bool) -> np.ndarray:
    """Return the stress at a place, the mean over the segments that share it."""
    from ..flex.stress import equivalent_stress

    places = recovery.places(part)
    if place not in places:
        raise ModelError(f"stress: {part!r} has no place {place!r}.{near_names(place, places)}")
    own = [(body, name) for body in bodies for name, row in {**body.faces, **body.points}.items() if row == places[place]]
    found = np.mean([_components(recovery.segment(body), name) for body, name in own], axis=0)
    return found if components else equivalent_stress(bodies[0].source.model, found)


def _components(segment: Segment, place: str) -> np.ndarray:
    """Return stress components (nf, s) at a place: those of the nearest node, in beams between the two nearest ones."""
    fe, at = segment.reduced.model, place_of(segment.flexible, place).position
    away = np.linalg.norm(fe.nodes - at, axis=1)
    near = np.argsort(away, kind="stable")[:2 if fe.elements[0].kind == "beam2" else 1]
    weights = away[near[::-1]] / away[near].sum() if len(near) == 2 else np.ones(1)
    units = np.einsum("k,ksn->sn", weights, _unit_stresses(segment.reduced)[near])
    out: np.ndarray = segment.coordinates @ units.T
    return out
