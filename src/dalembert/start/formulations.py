"""Formulations as records, and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, Protocol, cast, runtime_checkable

from ..errors import ModelError, TopologyError, near_names
from ..topology.span import Plan
from .given_penalties import check_penalty


class Formulation(Protocol):
    """How the equations of motion are written: a record with a name; the other protocols say what users may choose."""

    name: ClassVar[str]


@runtime_checkable
class Referred(Formulation, Protocol):
    """A formulation that accumulates masses and forces at a point of choice."""

    @property
    def reference(self) -> str:
        """``"origin"`` or ``"centre-of-mass"``."""


@runtime_checkable
class Projected(Formulation, Protocol):
    """A formulation that projects rates and accelerations after an implicit step."""

    @property
    def projection(self) -> str | None:
        """Matrix of the projections: ``"step"``, ``"tangent"``, ``"mass"``, or None for no projections."""

    @property
    def zeta(self) -> float | None:
        """Factor of the penalties in the projections [s²]."""


PROJECTIONS = ("step", "tangent", "mass", None)


@dataclass(frozen=True)
class Recursive:
    """Joint coordinates of the spanning tree: the articulated-body algorithm, O(N) block elimination [ARN (7)-(17)]."""

    name: ClassVar[str] = "recursive"


@dataclass(frozen=True)
class SemiRecursive:
    """Joint coordinates with constraints for closed loops: index-3 augmented Lagrangian with projections (ALI3-P) [DOP].

    Attributes
    ----------
    reference : {"centre-of-mass", "origin"}
        Where masses and forces are accumulated; the same mechanics, the first keeps its digits far from the origin.
    projection : {"step", "tangent", "mass", None}
        Matrix P of the projections of rates and accelerations after an implicit step: what the matrix of the step's own
        iteration holds, which costs nothing; the whole M + c_v C + c_q K with all force elements, exact and dense, made in
        every step (up to 2000 rates); the mass matrix; or no projections at all (to show what is lost).
    penalty : float or mapping, optional
        Penalty α of the constraints in implicit steps [N/m, N m/rad]: a number for all of them, or a mapping of the names of
        joints, constraints and motions to numbers; where nothing is given it follows from the masses that a constraint moves
        and from the step.
    zeta : float, optional
        Factor ζ of the penalties in the projections [s²]; by default that with which the step's own iteration weighs them,
        c_q = h²/4 for the trapezoidal rule.
    """

    reference: str = "centre-of-mass"
    projection: str | None = "step"
    penalty: float | Mapping[str, float] | None = None
    zeta: float | None = None
    name: ClassVar[str] = "semi-recursive"


@dataclass(frozen=True)
class Global:
    """Natural coordinates, a point and three vectors per body, with constraints on a sparse system [DOP], [SEG section 4].

    Attributes
    ----------
    projection, penalty, zeta
        As for `SemiRecursive`.  The matrix of the step holds all force elements here, ``"tangent"`` is the same as ``"step"``.
    """

    projection: str | None = "step"
    penalty: float | Mapping[str, float] | None = None
    zeta: float | None = None
    name: ClassVar[str] = "global"


@dataclass(frozen=True)
class Modular:
    """Every body and every joint a numerical component: penalties across joints, each body its own steps [SEG].

    Attributes
    ----------
    stiffness : float
        (ω h)² of the springs that stand for the joints, up to 1.5; joints open by less where it is larger.
    damping : float
        Of these vibrations, relative to the critical one.
    iterations : int
        Most iterations of a body's own accelerations.
    """

    stiffness: float = 1.0
    damping: float = 0.1
    iterations: int = 6
    name: ClassVar[str] = "modular"


@dataclass(frozen=True)
class Interface:
    """Absolute interface coordinates [ELL]: flexible bodies are superelements between the frames of a tree.

    Their interfaces are moved by the joints on either side, or freely where there are none, and so need no multipliers: the
    equations of motion are ordinary differential equations.  Only loops of rigid bodies alone keep constraints, which are
    treated as in `SemiRecursive`.

    Attributes
    ----------
    reference, projection, penalty, zeta
        As for `SemiRecursive`.
    """

    reference: str = "centre-of-mass"
    projection: str | None = "step"
    penalty: float | Mapping[str, float] | None = None
    zeta: float | None = None
    name: ClassVar[str] = "interface"


IN_FACES = Global, Interface
"""Formulations whose flexible bodies stand between their interfaces."""
BY_NAME: dict[str, Formulation] = {"recursive": Recursive(), "semi-recursive": SemiRecursive(), "interface": Interface(),
                                   "global": Global(), "modular": Modular()}


def of_tree(plan: Plan) -> Recursive | SemiRecursive:
    """Return the formulation in joint coordinates that a plan needs."""
    return SemiRecursive() if plan.has_loops else Recursive()


def choose_formulation(formulation: object, plan: Plan) -> Formulation:
    """Return the record meant by a name or an object for a plan."""
    if isinstance(formulation, str):
        if formulation != "auto" and formulation not in BY_NAME:
            raise ModelError(f"formulation: found {formulation!r}." + near_names(formulation, ["auto", *BY_NAME]))
        chosen = BY_NAME.get(formulation) or of_tree(plan)
    else:
        chosen = cast(Formulation, formulation)  # looked at in the next line
    if not isinstance(chosen, tuple(type(each) for each in BY_NAME.values())):
        raise ModelError(f"formulation: found {formulation!r}, expected a name ({', '.join(BY_NAME)}) or an object such as "
                         "SemiRecursive()")
    _check_options(chosen)
    check_penalty(chosen, plan)
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


def _check_options(chosen: Formulation) -> None:
    if isinstance(chosen, Modular):
        _check_modular(chosen)
    if isinstance(chosen, Referred) and chosen.reference not in ("origin", "centre-of-mass"):
        raise ModelError(f"{type(chosen).__name__}: found reference {chosen.reference!r}, expected 'origin' or "
                         "'centre-of-mass'")
    if not isinstance(chosen, Projected):
        return
    if chosen.projection not in PROJECTIONS:
        raise ModelError(f"{type(chosen).__name__}: found projection {chosen.projection!r}, expected 'step', 'tangent', "
                         "'mass' or None")
    zeta = chosen.zeta
    if zeta is not None and not (isinstance(zeta, Real) and not isinstance(zeta, bool) and 0 < float(zeta) < float("inf")):
        raise ModelError(f"{type(chosen).__name__}: found zeta {zeta!r}, expected a positive number [s²]")
    if zeta is not None and chosen.projection is None:
        raise ModelError(f"{type(chosen).__name__}: found zeta {zeta!r} with projection None; zeta weighs the penalties of "
                         "projections, leave one of them out")


def _check_modular(chosen: Modular) -> None:
    for field, low, high in (("stiffness", 0.0, 1.5), ("damping", 0.0, 0.2), ("iterations", 0, 100)):
        value = getattr(chosen, field)
        if not (isinstance(value, Real) and not isinstance(value, bool) and low < float(value) <= high):
            raise ModelError(f"Modular: found {field} {value!r}, expected a number greater than {low:g}, up to {high:g}: "
                             "steps are not stable beyond")
