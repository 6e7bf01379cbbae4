"""Starts of deformed bodies: elastic coordinates beside the coordinates of joints, and equilibria in both descriptions.

Elastic coordinates are those of floating frames, as the channel `modal` gives them in the tree formulations.  The global
formulation begins with the places that floating frames so deformed give its faces, and with the same share of its modes: equal
up to the square of the deformation.  An equilibrium knows both descriptions, each in balance.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import Fault, ModelError, near_names
from ..model.check import check
from ..model.checked import CheckedModel
from ..model.joints import Joint
from ..model.model import Model
from ..model.values import shown
from ..results.results import Results
from ..topology.span import Plan, span
from .state import State


class Equilibrium(Results):
    """One frame in equilibrium, which is a start, too."""

    @property
    def starts(self) -> dict[str, np.ndarray]:
        """Coordinates by joint name, elastic coordinates by flexible body."""
        return self.state(in_faces=False).starts

    @abstractmethod
    def state(self, in_faces: bool) -> State:
        """Return the equilibrium of floating frames, or that between faces."""


Starts = Mapping[str, Any] | Equilibrium | None
"""What users may begin with: coordinates by name of the joint or flexible body, or an equilibrium."""


def put(state: State, plan: Plan) -> Plan:
    """Return a plan whose joints begin as a state has them, hidden ones too.

    Raises
    ------
    ModelError
        The plan has other joints.
    """
    sizes = {joint.name: len(joint.coordinates) for joint in plan.model.joints if joint.coordinates}
    if sizes != {name: len(joint.coordinates) for name, joint in state.joints.items()}:
        odd = sorted(set(sizes) ^ set(state.joints)) or sorted(sizes)
        raise ModelError([Fault("start", f"found the equilibrium of a model with other joints ({', '.join(odd[:6])}), "
                                         "expected one of this model; find it anew, or give coordinates by name, "
                                         "start=static(model).starts")])
    started = tuple(replace(j, start=state.joints[j.name].coordinates) if j.name in sizes else j for j in plan.model.joints)
    return replace(plan, model=replace(plan.model, joints=started))


def split_starts(model: Model, start: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the starts of joints, and elastic coordinates by flexible body.

    Raises
    ------
    ModelError
        Elastic coordinates are not as many as the body has, or a name is not known.
    """
    if not isinstance(start, Mapping) or all(name in model and isinstance(model[name], Joint) for name in start):
        return start, {}
    checked = check(model)
    flexibles = {f.name: f for f in checked.flexibles}
    elastic = {name: value for name, value in start.items() if name in flexibles}
    faults = _unknown(model, checked, [name for name in start if name not in flexibles])
    if not faults and elastic:
        sizes = {f.name: f.n for f in _floating_bodies(span(checked))}
        faults = [fault for name, value in elastic.items() for fault in _faults(name, value, sizes[name])]
    if faults:
        raise ModelError(faults, str(model.name))
    return ({name: value for name, value in start.items() if name not in elastic},
            {name: np.array(value, float) for name, value in elastic.items()})


def _unknown(model: Model, checked: CheckedModel, names: list[str]) -> list[Fault]:
    """Faults of names that are neither joints nor flexible bodies."""
    segments: dict[str, list[str]] = {}
    for f in checked.flexibles:
        segments.setdefault(f.part, []).append(f.name)
    known, faults = [j.name for j in checked.joints] + [f.name for f in checked.flexibles], []
    for name in names:
        if name in segments:
            faults.append(Fault(f"start.{name}", f"{name!r} has {len(segments[name])} segments, expected the elastic "
                                                 f"coordinates of each: {', '.join(map(repr, segments[name][:6]))}"))
        elif not (name in model and isinstance(model[name], Joint)):
            faults.append(Fault("start", f"no joint or flexible body {shown(name)}.{near_names(name, known)}"))
    return faults


def _faults(name: str, value: Any, size: int) -> list[Fault]:
    try:
        found = np.array(value, float)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.shape == (size,) and np.isfinite(found).all():
        return []
    return [Fault(f"start.{name}", f"found {shown(value)}, expected the {size} elastic coordinates of its floating frame, as "
                                   f"static(model).starts has them and the channel '{name}.modal' gives them")]


@dataclass(frozen=True)
class _Floating:
    """A flexible body of a plan in its floating frame."""

    name: str
    body: Any

    @property
    def n(self) -> int:
        out: int = self.body.n
        return out


def _floating_bodies(plan: Plan) -> list[_Floating]:
    """Flexible bodies of a tree of floating frames."""
    return [_Floating(b.name.removesuffix(" (frame)"), b.floating) for b in plan.model.bodies if b.floating is not None]


def modes_of_floating(plan: Plan, elastic: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Coordinates of the modes between interfaces that elastic coordinates of the plan's floating frames amount to."""
    found = {}
    for f in _floating_bodies(plan):
        if f.name in elastic:
            found[f.name] = (f.body.coordinates @ elastic[f.name])[6 * len(f.body.reduced.interfaces):]
    return found
