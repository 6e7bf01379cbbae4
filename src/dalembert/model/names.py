"""Names of a model: which are allowed, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .checked import CheckedBody, Place
from .values import EYE3, ZERO3, Faults, shown

RESERVED = {"ground": "the fixed world", "energy": "the channels 'energy.total' etc.",
            "constraints": "the channels 'constraints.position' etc."}


def name_is_good(faults: Faults, where: str, name: Any) -> bool:
    """Tell whether a name can be shown and referred to; otherwise add the fault."""
    if not isinstance(name, str):
        faults.flag(where, f"found {shown(name)} as a name, expected a text; put it in quotation marks")
    elif not name or name != name.strip():
        faults.flag(where, f"found {shown(name)} as a name, expected a text without blanks at its ends, not empty")
    elif not name.isprintable():
        faults.flag(where, f"found {shown(name)} as a name, expected printable characters only")
    else:
        return True
    return False


class Names:
    """What the names of a model mean: bodies and joints by name, their rows and places."""

    def __init__(self, faults: Faults, sections: dict[str, tuple[Any, ...]]):
        self._rows: dict[str, int] = {"ground": 0}
        self._origins: list[Place] = [Place(0, ZERO3, EYE3, "ground")]
        self._points: Sequence[CheckedBody] = ()
        self._flexible: dict[str, dict[str, Place]] = {}
        self.joints: dict[str, tuple[int, Any]] = {}
        owner: dict[str, str] = {}
        for section, parts in sections.items():
            for part in parts:
                self._take(faults, section, part, owner)

    def _take(self, faults: Faults, section: str, part: Any, owner: dict[str, str]) -> None:
        name, where = part.name, f"{section}.{part.name}"
        good = name_is_good(faults, where, name)
        if good and "." in name:
            faults.flag(where, f"found a dot in the name {shown(name)}, expected none: dots separate body and point; "
                               f"write {name.replace('.', '_')!r}")
        elif good and name in RESERVED:
            faults.flag(where, f"the name {name!r} is reserved for {RESERVED[name]}; choose another")
        elif good and name in owner:
            faults.flag(where, f"the name {name!r} is taken by {owner[name]}.{name}, expected one name per part, as "
                               "results are found by name; choose another")
        if section == "bodies":
            self._origins.append(Place(len(self._origins), ZERO3, EYE3, str(name)))
        if not good:
            return
        if section == "bodies":
            self._rows.setdefault(name, len(self._origins) - 1)
        elif section == "joints":
            self.joints.setdefault(name, (len(self.joints), part))
        owner.setdefault(name, section)

    def take_places(self, part: str, places: dict[str, Place]) -> None:
        """Take over the places of a flexible part; "" is what its name alone means."""
        self._flexible.setdefault(part, places)

    def take_points(self, bodies: Sequence[CheckedBody]) -> None:
        """Take over the bodies once their points are read."""
        self._points = bodies

    def place(self, faults: Faults, where: str, attachment: Any) -> Place | None:
        """Resolve ``"body"`` or ``"body.point"``; None if there is no such place."""
        if not isinstance(attachment, str):
            faults.flag(where, f"found {shown(attachment)}, expected 'body' or 'body.point', the name of a place")
            return None
        body, dot, point = attachment.partition(".")
        if body not in self._rows and body not in self._flexible:
            faults.flag(where, f"no body {shown(body)}.{faults.near(body, [*self._rows, *self._flexible])}")
            return None
        if not dot:
            return self._flexible[body][""] if body in self._flexible else self._origins[self._rows[body]]
        points = ({k: v for k, v in self._flexible[body].items() if k} if body in self._flexible
                  else self._points[self._rows[body]].points)
        if point not in points:
            faults.flag(where, f"{body!r} has no point {shown(point)}.{faults.near(point, points)}")
            return None
        return points[point]

    def joint(self, faults: Faults, where: str, name: Any) -> tuple[int, Any] | None:
        """Resolve the name of a joint to its row and itself; None if there is no such joint."""
        if isinstance(name, str) and name in self.joints:
            return self.joints[name]
        is_body = isinstance(name, str) and (name in self._rows or name in self._flexible)
        note = f" ({name!r} is a body)" if is_body else ""
        faults.flag(where, f"no joint {shown(name)}{note}.{faults.near(name, self.joints)}")
        return None
