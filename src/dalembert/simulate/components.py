"""Components of the modular formulation, as bodies ask for them."""

from __future__ import annotations

from ..kernels.modular.tables import Modular
from ..start.formulations import Modular as ModularFormulation
from ..system.pack import Packed
from ..system.pack_modular import Scheme, Stability, pack_modular
from .integrators import COMPONENTWISE, Componentwise

INNER_STIFFNESS, INNER_DAMPING = 0.25, 0.5
"""(ω h)² and relative damping of what holds the lengths and angles of a body's axes."""
SMALL = 1e-12
"""Relative change of a body's accelerations that ends its iteration."""


def make_components(packed: Packed, chosen: ModularFormulation, method: Componentwise) -> tuple[Modular, tuple[str, ...]]:
    """Return the components of a model in natural coordinates, and what had to be noted."""
    schemes = {}
    for body in packed.plan.model.bodies[1:]:
        own = method if body.integrator is None else COMPONENTWISE[body.integrator]
        schemes[body.name] = Scheme(own.lead, own.beta, own.gamma, body.substeps)
    stability = Stability(chosen.stiffness, chosen.damping, INNER_STIFFNESS, INNER_DAMPING, int(chosen.iterations), SMALL)
    return pack_modular(packed, schemes, stability)
