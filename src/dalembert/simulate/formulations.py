"""Formulations as records, their names, and which of them fit a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import ModelError, TopologyError, near_names
from ..model.check import check
from ..topology.span import Plan, span

PROJECTIONS = ("tangent", "mass", None)


@dataclass(frozen=True)
class Recursive:
    """Joint coordinates of the spanning tree, O(N) block elimination [ARN (7)-(17)]."""

    name: ClassVar[str] = "recursive"


@dataclass(frozen=True)
class SemiRecursive:
    """Joint coordinates with constraints for closed loops: index-3 augmented Lagrangian with projections [DOP (1)-(4)].

    Attributes
    ----------
    reference : {"centre-of-mass", "origin"}
        Where masses and forces are accumulated; the same mechanics, the first keeps its digits far from the origin.
    projection : {"tangent", "mass", None}
        Matrix P of the projections of rates and accelerations after an implicit step: that of the step itself, the
        mass matrix, or no projections at all (to show what is lost).
    penalty : float, optional
        Penalty factor of all constraints in implicit steps [N/m, N m/rad]; by default it follows from the masses that a
        constraint moves and from the step.
    """

    reference: str = "centre-of-mass"
    projection: str | None = "tangent"
    penalty: float | None = None
    name: ClassVar[str] = "semi-recursive"


@dataclass(frozen=True)
class Global:
    """Natural coordinates, a point and three vectors a body, with constraints on a sparse system [DOP], [SEG section 4].

    Attributes
    ----------
    projection, penalty
        As for `SemiRecursive`.
    """

    projection: str | None = "tangent"
    penalty: float | None = None
    name: ClassVar[str] = "global"


BY_NAME = {"recursive": Recursive(), "semi-recursive": SemiRecursive(), "global": Global()}


def choose_formulation(formulation, plan: Plan):
    """Return the record meant by a name or an object for a plan."""
    if isinstance(formulation, str):
        if formulation != "auto" and formulation not in BY_NAME:
            raise ModelError(f"formulation: found {formulation!r}." + near_names(formulation, ["auto", *BY_NAME]))
        chosen = BY_NAME.get(formulation) or (SemiRecursive() if plan.has_loops else Recursive())
    else:
        chosen = formulation
    if not isinstance(chosen, tuple(type(each) for each in BY_NAME.values())):
        raise ModelError(f"formulation: found {formulation!r}, expected a name ({', '.join(BY_NAME)}) or an object such as "
                         "SemiRecursive()")
    _check_options(chosen)
    if isinstance(chosen, Recursive) and plan.has_loops:
        raise TopologyError(f"formulation 'recursive' simulates trees, but {_closing(plan)}; take 'semi-recursive', 'global' "
                            "or 'auto'")
    return chosen


def _closing(plan: Plan) -> str:
    joints = [plan.model.joints[k].name for k in (*plan.cut, *plan.split)]
    parts = joints or [c.name for c in plan.model.constraints]
    shown = ", ".join(map(repr, parts[:8]))
    many = len(parts) > 1
    return (f"joint{'s' * many} {shown} close{'s' * (not many)} a loop" if joints else
            f"constraint{'s' * many} {shown} bind{'s' * (not many)} its coordinates")


def _check_options(chosen) -> None:
    if getattr(chosen, "reference", "origin") not in ("origin", "centre-of-mass"):
        raise ModelError(f"SemiRecursive: found reference {chosen.reference!r}, expected 'origin' or 'centre-of-mass'")
    if getattr(chosen, "projection", None) not in PROJECTIONS:
        raise ModelError(f"{type(chosen).__name__}: found projection {chosen.projection!r}, expected 'tangent', 'mass' or "
                         "None")
    penalty = getattr(chosen, "penalty", None)
    if penalty is not None and not (isinstance(penalty, (int, float)) and 0 < penalty < float("inf")):
        raise ModelError(f"{type(chosen).__name__}: found penalty {penalty!r}, expected a positive number")


def formulations(model) -> list[str]:
    """Return the names of the formulations that can run a model."""
    plan = span(check(model))
    return [name for name in BY_NAME if not (plan.has_loops and name == "recursive")]
