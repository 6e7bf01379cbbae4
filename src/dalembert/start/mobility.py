"""Mobility and redundancy of a mechanism at a state, by the rank of its constraint Jacobian."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.tables import Work
from ..system.pack import Packed
from .constraints import Constraints, independent_rows


@dataclass(frozen=True)
class Mobility:
    """What a mechanism can do at a state.

    Attributes
    ----------
    rates : int
        Free joint rates of the spanning tree, drives left out.
    rows : int
        Scalar constraints.
    rank : int
        Number of independent ones.
    redundant : tuple of (str, str)
        Joint or constraint and direction of the others.
    """

    rates: int
    rows: int
    rank: int
    redundant: tuple[tuple[str, str], ...]

    @property
    def freedom(self) -> int:
        """Degrees of freedom."""
        return self.rates - self.rank

    def __str__(self) -> str:
        text = (f"{self.freedom} degree{'s' * (self.freedom != 1)} of freedom: {self.rates} joint rates, {self.rows} "
                "constraints")
        return f"{text}, {len(self.redundant)} of them redundant: {said(self.redundant)}" if self.redundant else text


def said(redundant: Iterable[tuple[str, str]]) -> str:
    """Name rows by joint: ``'small end' (moving along z, turning about x)``."""
    grouped: dict[str, list[str]] = {}
    for owner, label in redundant:
        grouped.setdefault(owner, []).append(label)
    shown = [f"{owner!r} ({', '.join(labels)})" for owner, labels in list(grouped.items())[:8]]
    return ", ".join(shown) + (", …" if len(grouped) > 8 else "")


def find_mobility(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, work: Work | None = None) -> Mobility:
    """Return mobility and redundant rows at a state; `work` is scratch that serves, if there is one."""
    free = packed.system.dof["drive"] < 0
    if not len(packed.system.row):
        return Mobility(int(free.sum()), 0, 0, ())
    constraints = Constraints(packed, work)
    J = constraints.evaluate(t, q, qd).jacobian * packed.system.dof["q_scale"] / constraints.size[:, None]
    independent, redundant = independent_rows(J)
    return Mobility(int(free.sum()), len(J), len(independent), tuple(packed.layout.rows[r] for r in redundant))


def redundancy_messages(redundant: Sequence[tuple[str, str]]) -> list[str]:
    """Report redundant constraints, if any."""
    if not redundant:
        return []
    n = len(redundant)
    return [f"{n} redundant constraint direction{'s' * (n > 1)}: {said(redundant)}; reactions are the least ones, of all "
            "joints together, that balance the motion"]
