"""Starts of models: given starts, zero otherwise, drives win; or a state by name, taken as it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import AssemblyError, Fault, ModelError
from ..flex.reductions import with_reductions
from ..model.check import check
from ..model.checked import CheckedModel
from ..model.model import Model
from ..topology.flexible import FACES, RIGID
from ..topology.span import Plan, span
from .begin import begin_plan, begin_state
from .control import controlled
from .deformed import Equilibrium, Starts, modes_of_floating, put, split_starts
from .formulations import IN_FACES, Formulation, Modular, choose_formulation, of_tree
from .modular import begin_modular
from .prepared import prepared
from .start import Start
from .state import State
from .undeformed import as_seen, undeformed

__all__ = ["Start", "prepare_rigid", "prepare_start", "start_at", "with_starts"]


def with_starts(model: Model, start: Any = None, start_rate: Any = None) -> Model:
    """Return the model with other starts: mappings of joint names to coordinates and to rates."""
    for field, given in (("start", start), ("start_rate", start_rate)):
        if given is None:
            continue
        if not isinstance(given, Mapping):
            raise ModelError([Fault(field, f"found {given!r}, expected a mapping such as {{'elbow': 0.2}}; an equilibrium, "
                                           "static(model), is one, and has it as static(model).starts")])
        for name, value in given.items():
            model = model.replaced(name, **{field: value})
    return model


def prepare_start(model: Model, start: Starts = None, start_rate: Mapping[str, Any] | None = None,
                  formulation: str | Formulation = "auto", t: float = 0.0) -> Start:
    """Check, span and pack a model and give every coordinate its start at time t [s]; `start` may be an equilibrium."""
    rest = start if isinstance(start, Equilibrium) else None
    given, elastic = split_starts(model, rest.starts if rest and not rest.layout.flexibles else None if rest else start)
    checked = with_reductions(check(with_starts(model, given, start_rate)))

    def prepare() -> Start:
        plan, coordinates = span(checked), elastic
        chosen = choose_formulation(formulation, plan)
        if isinstance(chosen, Modular):
            assembled = begin_plan(plan, of_tree(plan), t, coordinates)
            begin = begin_modular(checked, chosen, assembled.state)
            return controlled(replace(begin, messages=(*assembled.messages, *begin.messages)))
        if checked.flexibles:
            plan, coordinates = _flexible_start(checked, plan, chosen, t, rest, elastic)
        return controlled(begin_plan(plan, chosen, t, coordinates))

    return prepare() if rest is not None or elastic else prepared(checked, formulation, t, prepare)


def _flexible_start(checked: CheckedModel, plan: Plan, chosen: Formulation, t: float, rest: Equilibrium | None,
                    elastic: dict[str, np.ndarray]) -> tuple[Plan, dict[str, np.ndarray]]:
    """Plan with a start for every joint, and elastic coordinates (of faces: modes) by flexible body.

    Bodies are undeformed, deformed by the elastic coordinates given, or as they are in an equilibrium `rest`.
    """
    in_faces = isinstance(chosen, IN_FACES)
    target = span(checked, FACES) if in_faces else plan
    if rest is not None:
        found = rest.state(in_faces)
        try:
            target = undeformed(checked, target, t)
        except AssemblyError:  # the rigid twin has no such position; it would give rates alone
            pass
        target = put(found, target)
        notes = replace(target.model, notes=(*target.model.notes, *found.notes))
        return replace(target, model=notes), {name: each.coordinates for name, each in found.elastic.items()}
    if not elastic or not in_faces:
        return undeformed(checked, target, t, keep=bool(elastic)), elastic
    bent = begin_plan(undeformed(checked, plan, t, keep=True), of_tree(plan), t, elastic)
    return as_seen(bent.state, target), modes_of_floating(plan, elastic)


def start_at(model: Model | Plan, state: State, formulation: str | Formulation = "auto", same: Collection[str] = ()) -> Start:
    """Return the start of a model, or of a plan of it, at a state that is taken as it is.

    Nothing is assembled, projected or settled.  Drives and laws are evaluated at the state's time, and constraints whose
    constants a start leaves open hold what they hold in the state.  The state may be that of another formulation or tree, or
    of a model with other parts; messages say what could not be kept.

    Parameters
    ----------
    model : Model or Plan
        A plan has flexible bodies in faces for formulations between interfaces, else in floating frames.
    state : State
    formulation : str or record
        As for `run`.
    same : collection of str
        Joints that are those of the state's model, between the same places.
    """
    if isinstance(model, Plan):
        plan = model
        chosen = choose_formulation(formulation, plan)
    else:
        checked = with_reductions(check(model))
        plan = span(checked)
        chosen = choose_formulation(formulation, plan)
        if isinstance(chosen, Modular):
            return controlled(begin_modular(checked, chosen, state, same))
        if checked.flexibles and isinstance(chosen, IN_FACES):
            plan = span(checked, FACES)
    return controlled(begin_state(plan, chosen, state, same))


def prepare_rigid(model: Model, start: Starts = None, t: float = 0.0) -> Start:
    """As `prepare_start` with all flexible bodies rigid, in a tree formulation; elastic coordinates are passed over."""
    given, _ = split_starts(model, start.starts if isinstance(start, Equilibrium) else start)
    plan = span(check(with_starts(model, given)), RIGID)
    return begin_plan(plan, of_tree(plan), t)
