"""Components of the modular formulation, as bodies ask for them."""

from __future__ import annotations

from ..kernels.modular.tables import Modular
from ..start.formulations import Modular as ModularFormulation
from ..system.pack import Packed
from ..system.pack_modular import Scheme, Stability, pack_modular
from .integrators import Componentwise, choose_componentwise

INNER_STIFFNESS, INNER_DAMPING = 0.25, 0.5
"""(ω h)² and relative damping of what holds the lengths and angles of a body's axes."""
SMALL = 1e-12
"""Relative change of a body's accelerations that ends its iteration."""


def make_components(packed: Packed, chosen: ModularFormulation, method: Componentwise) -> tuple[Modular, tuple[str, ...]]:
    """Return the components of a model in natural coordinates, and what had to be noted."""
    schemes = {}
    for body in packed.plan.model.bodies[1:]:
        asked = getattr(body, "integrator", None)
        own = method if asked is None else choose_componentwise(asked, f"bodies.{body.name}.integrator")
        schemes[body.name] = Scheme(own.lead, own.beta, own.gamma, getattr(body, "substeps", 1))
    stability = Stability(chosen.stiffness, chosen.damping, INNER_STIFFNESS, INNER_DAMPING, int(chosen.iterations), SMALL)
    return pack_modular(packed, schemes, stability)
