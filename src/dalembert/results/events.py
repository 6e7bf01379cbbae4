"""What happened at a single time of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EventRecord:
    """Something that happened during a run.

    Attributes
    ----------
    kind : str
        ``"crossing"``: an event of the model crossed its value; ``"stop"``: a condition that ended an advance; ``"impact"``,
        ``"release"``, ``"stick"``, ``"slip"``: of a contact.
    t : float
        When [s], located on the dense output of the step.
    name : str
        Of the event.
    direction : int
        1 for a crossing upwards, -1 for one downwards, 0 if there is none.
    contact : str
        Of an impact or release: the name of the contact.
    impulse : float
        Of an impact: along the normal [N s].
    """

    kind: str
    t: float
    name: str
    direction: int = 0
    contact: str = ""
    impulse: float = 0.0
