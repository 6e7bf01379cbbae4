"""What to cite for a result: the program and the methods that were really used."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .references import CONSTRAINED, CONTACT, ENTRIES, FLEXIBLE, FORMULATIONS, IMPLICIT, INTEGRATORS, MASSLESS, TURNING
from .results import Results


def cite(results: Results) -> str:
    """Return BibTeX entries of dalembert and of the methods that a run used, not of all that are installed.

    Parameters
    ----------
    results : Results
        Its provenance names formulation and integrator.

    Returns
    -------
    str
        One entry after the other, ready for a ``.bib`` file.
    """
    formulation = str(results.provenance.get("formulation", ""))
    integrator = str(results.provenance.get("integrator", ""))
    keys = [*_asked(formulation, FORMULATIONS), *_asked(integrator, INTEGRATORS)]
    if results.layout.rows:
        keys += _asked(formulation, CONSTRAINED)
    if any("massless" in message for message in results.messages):
        keys += MASSLESS
    if results.layout.contacts:
        keys += CONTACT
    if results.layout.faces:
        keys += _asked(formulation, FLEXIBLE)
    turns = any(joint.nq != joint.nv for joint in results.layout.joints)
    if turns and any(_names(integrator, name) for name in IMPLICIT):
        keys += TURNING
    own = {
        "author": "{The dalembert developers}",
        "title": "{dalembert}: dynamics of machines made of rigid and flexible bodies",
        "note": f"Version {results.provenance.get('dalembert', 'unknown')}, Python package",
    }
    if results.provenance.get("created"):
        own["year"] = str(results.provenance["created"])[:4]
    return "\n\n".join([_entry("dalembert", "software", own), *(_entry(key, *ENTRIES[key])
                                                                for key in dict.fromkeys(keys))])


def _names(text: str, name: str) -> bool:
    """Tell whether a text names a method, as a whole word: ``recursive`` is not in ``semi-recursive``."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _asked(text: str, table: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the keys of all methods that a text names."""
    return [key for name, keys in table.items() if _names(text, name) for key in keys]


def _entry(key: str, kind: str, fields: dict[str, str]) -> str:
    """Return one BibTeX entry."""
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"
