"""How a run treats contacts: located impacts in error-controlled steps, [GLO] in fixed ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real

import numpy as np

from ..codes import ContactMethod
from ..errors import ModelError, near_names
from ..kernels.contact.tables import Contacts
from ..start.arguments import RunOptions
from ..start.contacts import check_apart
from ..start.formulations import Global
from ..start.initial import Start
from ..system.layout import Layout
from .integrators import DORMAND_PRINCE, EXPLICIT_EULER, SEMI_IMPLICIT_EULER, Explicit, Implicit, Integrator, Moreau

METHODS = {"augmented-lagrangian": ContactMethod.AUGMENTED_LAGRANGIAN, "multiplier": ContactMethod.MULTIPLIER,
           "penalty": ContactMethod.PENALTY}


@dataclass(frozen=True)
class UnilateralContact:
    """How fixed steps find the forces of contacts [GLO (7)-(19), (40)-(43)].

    Attributes
    ----------
    method : {"augmented-lagrangian", "multiplier", "penalty"}
        Projected multipliers with a penalty, which hold a contact exactly; multipliers alone, which come nearer in more turns;
        or a penalty alone, a spring that lets shapes overlap.
    penalty : float
        Penalty r, stiffness of the spring where it acts alone [N/m].
    """

    method: str = "augmented-lagrangian"
    penalty: float = 1e6


def choose_contact(contact: object) -> UnilateralContact:
    """Return the record meant by None, a name or an object."""
    if contact is None:
        return UnilateralContact()
    if isinstance(contact, str):
        contact = UnilateralContact(method=contact)
    if not isinstance(contact, UnilateralContact):
        raise ModelError(f"contact: found {contact!r}, expected UnilateralContact(method=..., penalty=...) or the name of a "
                         f"method: {', '.join(METHODS)}")
    if contact.method not in METHODS:
        raise ModelError(f"UnilateralContact: found method {contact.method!r}." + near_names(str(contact.method), METHODS))
    r = contact.penalty
    if not (isinstance(r, Real) and not isinstance(r, bool) and isfinite(r) and r > 0):
        raise ModelError(f"UnilateralContact: found penalty {r!r}, expected a positive number [N/m]")
    return contact


def with_contact_options(contacts: Contacts, contact: UnilateralContact, accuracy: float) -> Contacts:
    """Return the tables with the options of a run."""
    options = contacts.options.copy()
    options["method"], options["penalty"] = METHODS[contact.method], contact.penalty
    options["resting"] = accuracy
    options.setflags(write=False)
    return contacts._replace(options=options)


def prepare_contacts(begin: Start, integrator: Integrator, options: RunOptions, contact: object,
                     touched: Collection[str] = ()) -> Start:
    """Return a start whose contacts are ready for a run with an integrator; ModelError where it cannot carry them.

    Shapes of contacts that `touched` before may overlap.
    """
    chosen = choose_contact(contact)
    if isinstance(integrator, Moreau):
        check_impulse_run(begin, contact)
        check_apart(begin.packed, begin.q, begin.qd, begin.t, touched)
        return begin
    if begin.packed.layout.groups:
        names = ", ".join(repr(group.name) for group in begin.packed.layout.groups)
        raise ModelError(f"contact groups ({names}) are simulated by integrator 'moreau' in fixed steps, found "
                         f"{integrator.name!r}; give step= and leave out integrator=")
    check_contact_run(begin, integrator, options.step, chosen)
    check_apart(begin.packed, begin.q, begin.qd, begin.t, touched)
    ready = with_contact_options(begin.packed.contacts, chosen, options.accuracy)
    return replace(begin, packed=replace(begin.packed, contacts=ready))


def check_impulse_run(begin: Start, contact: object) -> None:
    """Raise ModelError where impulses in fixed steps cannot carry a model, with the remedy."""
    model = begin.packed.plan.model
    if contact is not None:
        raise ModelError(f"contact: found {contact!r}, but integrator 'moreau' has a way of its own; take "
                         "Moreau(sweeps=..., tolerance=..., depth=...), or another integrator")
    if begin.has_rows or begin.natural:
        raise ModelError("integrator 'moreau' takes trees in joint coordinates, found closed loops, constraints or another "
                         "formulation; take formulation 'recursive', or 'generalized-alpha' with single contacts")
    if begin.packed.layout.flexibles or begin.shown.has_superelements:
        raise ModelError("integrator 'moreau' takes rigid bodies, found flexible ones; leave them out")
    resisting = [repr(entry.name) for entry in begin.packed.layout.contacts if entry.kind != "shapes"]
    if resisting:
        raise ModelError(f"integrator 'moreau' takes no limits and no friction of joints, found {', '.join(resisting)}; leave "
                         "them out, or take 'generalized-alpha' with single contacts")
    surfaces = [(part.name, part.compliance, part.restitution) for part in model.contacts]
    surfaces += [(part.name, part.compliance, part.restitution) for part in model.groups]
    for name, compliance, restitution in surfaces:
        if compliance > 0.0 and restitution > 0.0:
            raise ModelError(f"contact {name!r}: found a compliance and a restitution, of which integrator 'moreau' takes "
                             "one alone: a restitution is that of rigid shapes; leave one of them out")


def check_contact_run(begin: Start, integrator: Integrator, step: float | None, contact: UnilateralContact) -> None:
    """Raise ModelError where a run cannot carry the contacts of its model, with the remedy."""
    rows, layout = begin.packed.contacts.row, begin.packed.layout
    if layout.flexibles or begin.shown.has_superelements:
        raise ModelError("contacts: flexible bodies and contacts in one model are not simulated yet; leave one of them out")
    if begin.massless:
        raise ModelError("contacts: the model has directions without inertia, in which an impact has no finite impulse; give "
                         "all bodies masses and inertias")
    if step is None:
        _check_located(begin, integrator, rows, layout)
    elif integrator in (EXPLICIT_EULER, SEMI_IMPLICIT_EULER) and contact.method == "penalty":
        _check_explicit(begin, rows, layout, integrator)
    elif not isinstance(integrator, Implicit):
        raise ModelError(f"contacts: integrator {integrator.name!r} does not find contact forces in fixed steps; take "
                         "'generalized-alpha', 'linear-acceleration' or 'high-order', or 'explicit-euler' with "
                         "UnilateralContact(method='penalty'), or 'moreau' for many contacts, or leave out step= to have "
                         "impacts located")


def _check_explicit(begin: Start, rows: np.ndarray, layout: Layout, integrator: Integrator) -> None:
    """Springs of explicit steps have neither dampers nor friction, and there are no projections."""
    if begin.has_rows:
        raise ModelError(f"contacts: {integrator.name!r} takes formulation 'recursive' only")
    names = sorted({layout.contacts[row["contact"]].name for row in rows if row["friction"] > 0.0 or row["most"] > 0.0})
    if names:
        raise ModelError(f"contacts: {integrator.name!r} takes no friction, found some in {', '.join(map(repr, names))}; take "
                         "'generalized-alpha'")


def _check_located(begin: Start, integrator: Integrator, rows: np.ndarray, layout: Layout) -> None:
    if integrator is not DORMAND_PRINCE and not (isinstance(integrator, Explicit) and integrator.adaptive):
        raise ModelError(f"contacts: impacts are located by the explicit integrator 'dopri5', found {integrator.name!r}; take "
                         "it or 'auto', or give step=")
    if isinstance(begin.formulation, Global):
        raise ModelError("contacts: impacts are located in joint coordinates; take formulation 'auto', 'recursive' or "
                         "'semi-recursive', or give step=")
    for field, what in (("friction", "friction"), ("compliance", "compliance")):
        names = sorted({layout.contacts[row["contact"]].name for row in rows
                        if row[field] > 0.0 or (field == "friction" and row["most"] > 0.0)})
        if names:
            raise ModelError(f"contacts with {what} are simulated in fixed steps: {', '.join(map(repr, names))}; give step=")
