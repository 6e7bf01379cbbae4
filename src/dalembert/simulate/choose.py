"""Which integrator a name, an object or "auto" means, and whether it fits the model."""

from __future__ import annotations

from ..errors import ModelError, SingularError, near_names
from .integrators import (
    BY_NAME,
    COMPONENTWISE,
    DORMAND_PRINCE,
    ROUNDING,
    SDIRK4,
    Bdf,
    Componentwise,
    DiagonallyImplicit,
    Driven,
    Explicit,
    GeneralizedAlpha,
    Implicit,
    Integrator,
    Moreau,
    Newmark,
    Radau,
)

MOST_STAGE_RATES = 50
"""Rates up to which Radau's dense matrices cost less than the shorter steps of sdirk4, whose simple iteration is O(N)."""


def stiff_integrator(n_rates: int, *, loops: bool = False) -> Integrator:
    """Return what an automatic run of so many rates takes for stiff or massless models."""
    if loops:
        return GeneralizedAlpha()
    return Radau() if n_rates <= MOST_STAGE_RATES else SDIRK4


def choose_integrator(integrator: object, step: float | None, *, massless: bool = False, n_rates: int = 0, loops: bool = False,
                      projected: bool = True, superelements: bool = False, natural: bool = False) -> tuple[Integrator, bool]:
    """Return (integrator, may_switch): the record meant by a name or an object; only ``"auto"`` may switch.

    `loops` says that there are constraints, `projected` that rates and accelerations are projected onto them, `natural` that
    coordinates are natural ones.
    """
    if superelements and integrator == "auto":
        return GeneralizedAlpha(), False
    chosen, may_switch = _choose(integrator, step, massless, n_rates, loops)
    if superelements and natural and not isinstance(chosen, Implicit):
        raise ModelError(f"integrator {chosen.name!r} does not carry flexible bodies in the natural coordinates of "
                         "'global', whose stretching is stiff; take 'generalized-alpha', 'hht', 'trapezoidal' or 'auto', or "
                         "formulation 'interface' or 'semi-recursive'")
    if loops and isinstance(chosen, (DiagonallyImplicit, Radau)):
        raise ModelError(f"integrator {chosen.name!r} does not carry constraints; take 'dopri5', 'generalized-alpha' or "
                         "'auto', or formulation 'recursive' if the model is a tree")
    if loops and not projected and isinstance(chosen, Implicit):
        _check_unprojected(chosen)
    return chosen, may_switch


def _check_unprojected(integrator: Implicit) -> None:
    """Raise ModelError if reactions would grow without bound: along constraints a step is one of infinite frequency.

    Positions that keep to them take accelerations as they come; errors of these stay bounded for 2 beta >= gamma only.
    """
    _, _, beta, gamma = integrator.coefficients()
    if beta < gamma / 2 - ROUNDING:
        raise ModelError(f"integrator {integrator.name!r} with projection=None: found beta = {beta:g}, expected at least "
                         f"gamma/2 = {gamma / 2:g}; below it errors of accelerations along constraints grow from step to step "
                         "unless they are projected. Take projection='step', or 'trapezoidal' or 'generalized-alpha'.")


def _choose(integrator: object, step: float | None, massless: bool, n_rates: int, loops: bool) -> tuple[Integrator, bool]:
    if isinstance(integrator, (Explicit, Implicit, DiagonallyImplicit, Radau, Bdf, Driven, Moreau)):
        return _checked(integrator, step, massless, loops), False
    if integrator == "auto":
        if step is not None:
            return GeneralizedAlpha(), False
        return (stiff_integrator(n_rates, loops=loops), False) if massless else (DORMAND_PRINCE, True)
    if not isinstance(integrator, str) or integrator not in BY_NAME:
        raise ModelError(f"integrator: found {integrator!r}." + near_names(str(integrator), ["auto", *BY_NAME]))
    return _checked(BY_NAME[integrator], step, massless, loops), False


def _checked(integrator: Integrator, step: float | None, massless: bool, loops: bool) -> Integrator:
    if massless and isinstance(integrator, (Explicit, Moreau)):
        others = "" if loops else "'radau', 'sdirk4', "
        raise SingularError(f"integrator {integrator.name!r} is explicit and needs inertia in every direction, but the model "
                            f"has massless ones; take {others}'generalized-alpha' or 'bdf'")
    if isinstance(integrator, Bdf) and step is not None:
        raise ModelError("integrator 'bdf' chooses its own steps; leave step out and give accuracy")
    if step is None and not integrator.adaptive:
        raise ModelError(f"integrator {integrator.name!r} has no error estimate and needs a fixed step; give step=, "
                         "or take 'dopri5' or 'generalized-alpha'")
    if isinstance(integrator, (Implicit, Moreau)):
        integrator.check()
    return integrator


def choose_componentwise(integrator: object, where: str = "integrator") -> Componentwise:
    """Return the scheme meant by a name or an object for the modular formulation."""
    if isinstance(integrator, Newmark):
        if not (0.0 <= integrator.beta <= 0.25 and integrator.gamma == 0.5):
            raise ModelError(f"{where}: found {integrator!r}, expected beta from 0 to 1/4 and gamma = 1/2 in the modular "
                             "formulation, whose prediction is explicit")
        return Componentwise("newmark", beta=integrator.beta)
    if integrator == "auto":
        return Componentwise()
    name = integrator if isinstance(integrator, str) else getattr(integrator, "name", integrator)
    if name not in COMPONENTWISE:
        raise ModelError(f"{where}: found {integrator!r} with formulation 'modular'." + near_names(str(name), COMPONENTWISE))
    return COMPONENTWISE[str(name)]
