"""Limits and friction of joints as rows of contacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..codes import PairCode
from ..kernels.contact.tables import CONTACT_ROW
from ..model.checked import CheckedJoint, CheckedModel
from ..model.joints import JOINT_RECORDS
from ..model.records import EFFORT
from .rows import JointRows


@dataclass(frozen=True)
class Resistance:
    """Limits (`kind` "limits") or friction of a coordinate, whose number is `coordinate`, of the joint of number `index`."""

    name: str
    kind: str
    index: int
    joint: CheckedJoint
    coordinate: int
    low: float
    high: float
    most: float
    unit: str


def resistances(model: CheckedModel) -> Iterator[Resistance]:
    """Run through the limits and the friction of all joints."""
    for index, joint in enumerate(model.joints):
        known = JOINT_RECORDS[joint.code].drivable

        def named(k: int, kind: str, joint: CheckedJoint = joint, known: dict[str, str] = known) -> tuple[str, str]:
            coordinate = list(known)[k]
            word = "" if len(joint.coordinates) == 1 else f".{coordinate}"
            return f"{joint.name}{word}.{kind}", EFFORT[known[coordinate]]

        for k, low, high in joint.limits:
            name, unit = named(k, "limits")
            yield Resistance(name, "limits", index, joint, k, low, high, 0.0, unit)
        for k, most in joint.friction:
            name, unit = named(k, "friction")
            yield Resistance(name, "friction", index, joint, k, 0.0, 0.0, most, unit)


def resistance_rows(model: CheckedModel, joint_rows: dict[int, JointRows], dof: np.ndarray, first: int) -> list[np.void]:
    """Return the rows of limits and friction; `first` is the number of the first one among the contacts."""
    rows = []
    for number, each in enumerate(resistances(model), start=first):
        at = joint_rows[each.index]
        for code, sign, limit in ((PairCode.LIMIT, 1.0, each.low), (PairCode.LIMIT, -1.0, each.high),
                                  (PairCode.JOINT_FRICTION, 1.0, 0.0)):
            if (code == PairCode.LIMIT) != (each.kind == "limits") or not isfinite(limit):
                continue
            row: np.void = np.zeros(1, CONTACT_ROW)[0]
            row["code"], row["contact"], row["lines"] = code, number, 1
            row["q"], row["v"] = at.q + each.coordinate, at.v + each.coordinate
            row["sign"], row["limit"], row["most"] = sign, limit, each.most
            row["restitution"] = each.joint.restitution
            row["size"] = dof["q_scale"][row["v"]]
            rows.append(row)
    return rows
