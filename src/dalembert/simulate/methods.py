"""Integrators as kernels take them: functions by their addresses, numbers, and memory for a model."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..codes import ProjectionCode
from ..errors import ModelError
from ..kernels.compile.calls import address_of, check_answer
from ..kernels.constraint.gaps import RATE_TOLERANCE
from ..kernels.contact.event_driven import (
    attempt_with_contacts,
    begin_with_contacts,
    keep_with_contacts,
    shorten_with_contacts,
)
from ..kernels.contact.fixed import attempt_fixed, attempt_sprung, begin_fixed, keep_fixed, keep_sprung
from ..kernels.contact.tables import Contacts, make_contact_state, no_contacts
from ..kernels.crowd.moreau import attempt_moreau, begin_moreau, keep_moreau
from ..kernels.crowd.tables import make_crowd_state, no_crowd
from ..kernels.modular.step import attempt_modular, begin_modular, keep_modular, shorten_modular
from ..kernels.modular.tables import no_modular
from ..kernels.step.bdf import attempt_bdf, begin_bdf, keep_bdf, shorten_bdf
from ..kernels.step.beginning import begin_step
from ..kernels.step.driven import attempt_driven, begin_driven, keep_driven, shorten_driven
from ..kernels.step.explicit import attempt_explicit, keep_explicit, shorten_explicit
from ..kernels.step.flow import OPTIONS, Flow
from ..kernels.step.implicit import attempt_implicit, begin_implicit, keep_implicit, shorten_implicit
from ..kernels.step.method import CALLS, FUNCTIONS, Method, Tableau
from ..kernels.step.past import PAST, POINTS, Past
from ..kernels.step.radau import attempt_radau, keep_radau, shorten_radau
from ..kernels.step.radau_stages import COEFFICIENTS, Stages
from ..kernels.step.stage import Tangent
from ..kernels.tables import System, Work
from ..start.arguments import RunOptions
from ..start.formulations import Projected
from ..start.start import Start
from ..system.pack import Packed
from ..system.pack_crowd import bare_crowd
from .integrators import (
    Bdf,
    Componentwise,
    DiagonallyImplicit,
    Driven,
    Explicit,
    HighOrder,
    Implicit,
    Integrator,
    Moreau,
    Radau,
    tableau_arrays,
)

LARGEST_DENSE = 2000
"""Rates up to which the exact dense tangent is kept at hand."""
STEP_SHARE = 0.02
"""Share of the tolerated local error that Newton's iteration may take."""
STAGE_SHARE = 0.02
"""Share of it for each stage of a Runge-Kutta method, whose weights enlarge the stages' errors up to thirty times."""
PAST_SHARE = 0.01
"""Share of it of a step whose error is part of the past: differences of high order enlarge it."""
RATE_SHARE, LEAST_GAP = 1e-5, 1e-14
"""Share of it for violations of rates, which are part of the past, too: a rate may be a thousandth of the largest one; and
rounding."""
TOLERATED = 1.5
"""Error, 1 = accuracy, up to which steps of one-leg and diagonally implicit methods are not repeated."""
PROJECTIONS = {None: ProjectionCode.NONE, "step": ProjectionCode.STEP, "mass": ProjectionCode.MASS,
               "tangent": ProjectionCode.TANGENT}
Kernels = tuple[Any, ...]
"""The four kernels of a method, in the order of kernels/step/method.py."""
EXPLICIT: Kernels = (begin_step, attempt_explicit, shorten_explicit, keep_explicit)
IMPLICIT: Kernels = (begin_implicit, attempt_implicit, shorten_implicit, keep_implicit)
SIMULTANEOUS: Kernels = (begin_step, attempt_radau, shorten_radau, keep_radau)
MULTISTEP: Kernels = (begin_bdf, attempt_bdf, shorten_bdf, keep_bdf)
DRIVEN: Kernels = (begin_driven, attempt_driven, shorten_driven, keep_driven)
EVENT_DRIVEN: Kernels = (begin_with_contacts, attempt_with_contacts, shorten_with_contacts, keep_with_contacts)
FIXED: Kernels = (begin_fixed, attempt_fixed, shorten_implicit, keep_fixed)
COMPONENTS: Kernels = (begin_modular, attempt_modular, shorten_modular, keep_modular)
SPRUNG: Kernels = (begin_fixed, attempt_sprung, shorten_explicit, keep_sprung)
IMPULSES: Kernels = (begin_moreau, attempt_moreau, shorten_explicit, keep_moreau)

_ADDRESSES: dict[Kernels, tuple[int, ...]] = {}
"""Functions of a method -> their addresses, once they are compiled: all systems have the same types."""


def functions_of(integrator: Integrator, contacts: bool = False) -> Kernels:
    """Return the four kernels of a method, in the order of kernels/step/method.py; those of models with contacts."""
    if isinstance(integrator, Componentwise):
        return COMPONENTS
    if isinstance(integrator, Moreau):
        return IMPULSES
    if isinstance(integrator, Driven):
        return DRIVEN
    if contacts and isinstance(integrator, Explicit):
        return EVENT_DRIVEN if integrator.adaptive else SPRUNG
    if contacts:
        return FIXED
    if isinstance(integrator, Explicit):
        return EXPLICIT
    if isinstance(integrator, Bdf):
        return MULTISTEP
    return SIMULTANEOUS if isinstance(integrator, Radau) else IMPLICIT


def addresses_of(functions: Kernels, arguments: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the addresses of a method's kernels, a row of FUNCTIONS."""
    if functions not in _ADDRESSES:
        for call, function in zip(CALLS, functions, strict=True):
            check_answer(call, function)
        _ADDRESSES[functions] = tuple(address_of(function, arguments) for function in functions)
    return _ADDRESSES[functions]


def method_arguments(system: System, opt: np.ndarray, method: Method, flow: Flow, work: Work) -> tuple[Any, ...]:
    """Return arguments of the types that the kernels of a method take."""
    return system, opt, method, flow, 0.0, work


def make_options(integrator: Integrator, begin: Start, asked: RunOptions) -> np.ndarray:
    """Return the numbers of a method and of a run, one row of OPTIONS, for a start and for what was asked."""
    opt = np.zeros(1, OPTIONS)
    o: Any = opt[0]
    o.adaptive, o.step, o.accuracy = asked.step is None, asked.step or 0.0, asked.accuracy
    o.order, o.tolerated, o.rate_gap = integrator.order, 1.0, RATE_TOLERANCE
    if isinstance(integrator, Componentwise):
        o.stages = 1
    elif isinstance(integrator, Explicit):
        o.stages, o.symplectic = len(integrator.b), integrator.symplectic
    elif isinstance(integrator, Moreau):
        o.stages = 1
    elif isinstance(integrator, Radau):
        o.newton = (1.0 if o.adaptive else STAGE_SHARE) * STEP_SHARE
    elif isinstance(integrator, Bdf):
        o.stages, o.turns, o.settled, o.newton = 1, 1, 1, PAST_SHARE
        o.rate_gap = min(RATE_TOLERANCE, max(LEAST_GAP, RATE_SHARE * o.accuracy))
        _set_projection(o, begin)
    elif not isinstance(integrator, Driven):
        o.tolerated = TOLERATED
        _set_implicit(o, integrator)
        _set_projection(o, begin)
    return opt


def _set_implicit(o: Any, integrator: Implicit | DiagonallyImplicit) -> None:
    if isinstance(integrator, DiagonallyImplicit):
        o.stages, o.turns = len(integrator.b), 1
    else:
        o.stages, o.order = 1, 3
        o.am, o.af, o.beta, o.gamma = integrator.coefficients()
        o.parabola = isinstance(integrator, HighOrder)
    o.newton = (STAGE_SHARE if o.turns else 1.0) * STEP_SHARE


def _set_projection(o: Any, begin: Start) -> None:
    n = len((begin.natural or begin).qd)
    chosen = begin.formulation
    if not begin.has_rows:
        o.projection = ProjectionCode.NONE
        return
    o.projection = PROJECTIONS[chosen.projection if isinstance(chosen, Projected) else None]
    if o.projection == ProjectionCode.TANGENT and not begin.natural and n > LARGEST_DENSE:
        raise ModelError(f"SemiRecursive: projection 'tangent' makes a dense matrix; found {n} rates, "
                         f"expected at most {LARGEST_DENSE}. Take projection='step' or formulation 'global'.")
    if o.projection == ProjectionCode.MASS and begin.natural and begin.massless:
        raise ModelError("Global: projection 'mass' needs inertia in every direction, but the model lacks it in some. "
                         "Take projection='step', or formulation 'semi-recursive'.")
    o.zeta = (chosen.zeta if isinstance(chosen, Projected) else None) or 0.0


def make_method(integrator: Integrator, n_q: int, n_v: int, *, dense: bool, contacts: Contacts | None = None,
                bodies: int = 0, efforts: int = 0) -> Method:
    """Return a method with its memory for n_q coordinates and n_v rates.

    `dense`: keeps the exact tangent of joint coordinates at hand; `contacts` are those of the model, which then has `bodies`,
    and `efforts` on the rates of its tree.
    """
    contacts = no_contacts() if contacts is None else contacts
    implicit = isinstance(integrator, (Implicit, DiagonallyImplicit, Bdf))
    return Method(np.zeros(1, FUNCTIONS), _tableau(integrator), _coefficients(integrator),
                  _make_tangent(n_v if implicit else 0, dense=dense),
                  _make_stages(n_v if isinstance(integrator, Radau) else 0),
                  _make_past(integrator, n_q, n_v), contacts,
                  make_contact_state(contacts, *((bodies, n_q, n_v, efforts) if bodies else (0, 0, 0, 0))),
                  no_crowd(), make_crowd_state(no_crowd(), 0, 0), no_modular())


def with_crowd(method: Method, integrator: Moreau, packed: Packed) -> Method:
    """Return a method with the groups of a model and room for their touches."""
    crowd = packed.crowd if len(packed.crowd.mover) else bare_crowd(packed.system)
    options = crowd.options.copy()
    options["sweeps"], options["tolerance"] = integrator.sweeps, integrator.tolerance
    if integrator.depth is not None:
        options["depth"] = integrator.depth
    options.setflags(write=False)
    crowd = crowd._replace(options=options)
    return method._replace(crowd=crowd, crowd_state=make_crowd_state(crowd, len(packed.system.dof), len(packed.contacts.row)))


def with_more_room(method: Method) -> Method:
    """Return a method with more room for touches and for the strips of those with trees, and what it counted."""
    old, p = method.crowd_state, method.crowd_state.progress[0]
    touches = len(old.touch) if p["wanted"] == 0 else 2 * (len(old.touch) + int(p["wanted"]))
    pool = len(old.pool) if p["wanted_pool"] == 0 else 2 * (len(old.pool) + int(p["wanted_pool"]))
    new = make_crowd_state(method.crowd, old.rate.shape[1], len(method.contacts.row), touches, pool)
    for name in ("sweeps", "most", "unsettled", "worst", "lowest"):
        new.progress[name] = old.progress[name]
    return method._replace(crowd_state=new)


def _tableau(integrator: Integrator) -> Tableau:
    if isinstance(integrator, (Explicit, DiagonallyImplicit)):
        return Tableau(*tableau_arrays(integrator))
    return Tableau(np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros(0))


def _coefficients(integrator: Integrator) -> np.ndarray:
    if not isinstance(integrator, Radau):
        return np.zeros(0, COEFFICIENTS)
    table = np.zeros(1, COEFFICIENTS)
    for name, value in integrator.coefficients().items():
        table[name] = value
    return table


def _make_tangent(n_v: int, *, dense: bool) -> Tangent:
    """Return the memory of implicit steps; that of no rates is shared."""
    return _allocate_tangent(n_v, dense) if n_v else _no_tangent()


@cache
def _no_tangent() -> Tangent:
    return _allocate_tangent(0, False)


def _allocate_tangent(n_v: int, dense: bool) -> Tangent:
    n = n_v if dense and n_v <= LARGEST_DENSE else 0
    add, residual, dq, dq_base, qd_base = (np.zeros(n_v) for _ in range(5))
    return Tangent(np.zeros((n, n)), np.zeros(n, np.int64), np.zeros((4, n_v)), add, residual, np.zeros((2, n_v)), dq,
                   dq_base, qd_base, np.zeros((8, n_v)), np.zeros((8, n_v)))


def _make_stages(n: int) -> Stages:
    """Return the memory of simultaneous stages; that of no rates is shared."""
    return _allocate_stages(n) if n else _no_stages()


@cache
def _no_stages() -> Stages:
    return _allocate_stages(0)


def _allocate_stages(n: int) -> Stages:
    return Stages(np.zeros((4, n, n)), np.zeros((n, n), complex), np.zeros((2, n), np.int64), np.zeros((6, 3, n)),
                  np.zeros(n), np.zeros(n, complex))


def _make_past(integrator: Integrator, n_q: int, n_v: int) -> Past:
    own = np.zeros(1 if isinstance(integrator, Bdf) else 0, PAST)
    points = POINTS if len(own) else 0
    if isinstance(integrator, Bdf):
        own[0].most = integrator.max_order
    else:
        n_q = n_v = 0
    return Past(own, np.zeros(points), np.zeros((points, n_q)), np.zeros((points, n_v)), np.zeros(points),
                np.zeros((points, n_v)), np.zeros((points, n_v)), np.zeros(points), np.zeros(points), np.zeros((4, n_v)),
                np.zeros((2, n_v)))
