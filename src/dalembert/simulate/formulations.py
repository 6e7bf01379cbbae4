"""Formulations as records, their names, and which of them fit a model."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ModelError, near_names
from ..model.check import check
from ..topology.span import Plan, refuse_loops, span


@dataclass(frozen=True)
class Recursive:
    """Joint coordinates of the spanning tree, O(N) block elimination [ARN (7)-(17)]."""

    name = "recursive"


BY_NAME = {"recursive": Recursive()}


def choose_formulation(formulation, plan: Plan):
    """Return the record meant by a name or an object for a plan."""
    if isinstance(formulation, str) and formulation != "auto" and formulation not in BY_NAME:
        raise ModelError(f"formulation: found {formulation!r}." + near_names(formulation, ["auto", *BY_NAME]))
    chosen = BY_NAME.get(formulation, Recursive()) if isinstance(formulation, str) else formulation
    if not isinstance(chosen, Recursive):
        raise ModelError(f"formulation: found {formulation!r}, expected a name ({', '.join(BY_NAME)}) or Recursive()")
    refuse_loops(plan)
    return chosen


def formulations(model) -> list[str]:
    """Return the names of the formulations that can run a model."""
    plan = span(check(model))
    return [] if plan.cut else list(BY_NAME)
