"""Tables of the modular formulation: components of bodies and joints, from the tables in natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..codes import RowCode
from ..kernels.modular.bodies import INNER
from ..kernels.modular.tables import COMPONENT, END, JOINT_BLOCK, MODULAR, SIDE, Modular, make_modular
from ..kernels.tables import System
from .pack import Packed

LEAST_TURNING = 1e-3
"""Least moment of inertia of a component, relative to its largest one."""
INNER_ALPHA = 1e7
"""Penalty of a body's own rows relative to the largest entry of its mass matrix."""


@dataclass(frozen=True)
class Scheme:
    """How a body takes its own steps: substeps, and Newmark's numbers, see kernels/modular/tables.py."""

    lead: float = 0.5
    beta: float = 0.25
    gamma: float = 0.5
    substeps: int = 1


@dataclass(frozen=True)
class Stability:
    """Numbers of the penalties: (omega h)² and relative damping of joints and of bodies' own rows, iterations of bodies."""

    stiffness: float
    damping: float
    inner_stiffness: float
    inner_damping: float
    iterations: int
    small: float


def pack_modular(packed: Packed, schemes: Mapping[str, Scheme], stability: Stability) -> tuple[Modular, tuple[str, ...]]:
    """Make the components of a model that is packed in natural coordinates; returns them and what had to be noted.

    Bodies have masses and inertias, which start/modular.py sees to.
    """
    system = packed.system
    component, notes = _components(packed, schemes)
    joint = _blocks(system)
    side, end = _ends(system, joint)
    substeps = int(np.max(component["due"], initial=1))
    component["due"] = substeps // component["due"]
    owner = np.repeat(np.arange(len(joint)), joint["sides"])
    np.maximum.at(joint["finest"], owner, component["due"][side["body"]].astype(float))
    options = np.zeros(1, MODULAR)
    for name in ("stiffness", "damping", "inner_stiffness", "inner_damping", "iterations", "small"):
        options[name] = getattr(stability, name)
    options["substeps"], options["row"] = substeps, -1
    return make_modular(component, joint, side, end, len(system.row), options, int(system.constants[0].n_q)), notes


def _components(packed: Packed, schemes: Mapping[str, Scheme]) -> tuple[np.ndarray, tuple[str, ...]]:
    system, names = packed.system, dict(zip(packed.body_rows.tolist(), packed.layout.bodies, strict=True))
    component = np.zeros(len(system.body), COMPONENT)
    inner = np.flatnonzero(np.isin(system.row["code"], (RowCode.UNIT, RowCode.SQUARE)))
    component["due"], component["lead"] = 1, 0.5
    notes = []
    for i in range(1, len(component)):
        c, b = component[i], system.body[i]
        name = names.get(i, "a body between two joints")
        com = b.h_b / b.mass
        across = b.mass * (com @ com * np.eye(3) - np.outer(com, com))
        J = _square(b.J_b) - across
        size, axes = np.linalg.eigh(J)
        least = LEAST_TURNING * size[-1]
        if size[0] < least:
            notes.append(f"modular: body {name!r} turns with a moment of inertia of {least:.3g} kg m² where it has "
                         f"{size[0]:.3g}, since every component needs some")
            J = axes @ np.diag(np.maximum(size, least)) @ axes.T
        scheme = schemes.get(name, Scheme())
        c["mass"], c["h_b"], c["c_b"] = b.mass, b.h_b, com
        c["J_b"], c["inverse"] = _six(J + across), _six(np.linalg.inv(J))
        c["due"], c["lead"], c["beta"], c["gamma"] = scheme.substeps, scheme.lead, scheme.beta, scheme.gamma
        whole = _square(c["J_b"])
        c["alpha"] = INNER_ALPHA * max(b.mass, float(np.max(np.abs(0.5 * np.trace(whole) * np.eye(3) - whole))))
        c["inner"] = inner[INNER * (i - 1)]
    return component, tuple(notes)


def _is_inner(system: System) -> np.ndarray:
    """Return True for the rows of bodies' own."""
    out: np.ndarray = np.isin(system.row["code"], (RowCode.UNIT, RowCode.SQUARE))
    return out


def _blocks(system: System) -> np.ndarray:
    """Return a block for every joint and constraint of the loops, every other joint, and every row beyond these."""
    row, inner = system.row, _is_inner(system)
    new = np.ones(len(row), bool)
    same = (row["a"][1:] == row["a"][:-1]) & (row["b"][1:] == row["b"][:-1]) & (row["law"][1:] < 0) & (row["law"][:-1] < 0)
    new[1:] = ~same | inner[1:] | inner[:-1]
    held = int(np.sum(system.hold["count"]))
    new[:held] = False
    new[system.hold["first"][system.hold["count"] > 0]] = True
    if held < len(row):
        new[held] = True
    first = np.flatnonzero(new)
    count = np.diff(np.append(first, len(row)))
    outer = ~inner[first]
    joint = np.zeros(int(np.sum(outer)), JOINT_BLOCK)
    joint["row"], joint["rows"], joint["finest"] = first[outer], count[outer], 1.0
    return joint


def _ends(system: System, joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bodies of each joint, and an end for every row on every body; sets `side`, `sides` of joints."""
    slots = len(system.slot)
    row = np.repeat(np.arange(len(system.row)), system.row["count"] // 3)
    body = system.pair["body"][system.slot["column"]]
    begins = np.ones(slots, bool)
    begins[1:] = (row[1:] != row[:-1]) | (body[1:] != body[:-1])
    first = np.flatnonzero(begins)
    count = np.diff(np.append(first, slots))
    kept = ~_is_inner(system)[row[first]]
    first, count = first[kept], count[kept]
    block = np.searchsorted(joint["row"], row[first], side="right") - 1
    order = np.lexsort((row[first], body[first], block))
    first, count, block = first[order], count[order], block[order]
    end = np.zeros(len(first), END)
    end["row"], end["body"], end["slot"], end["slots"] = row[first], body[first], first, count
    new = np.ones(len(end), bool)
    new[1:] = (block[1:] != block[:-1]) | (end["body"][1:] != end["body"][:-1])
    at = np.flatnonzero(new)
    side = np.zeros(len(at), SIDE)
    side["body"], side["first"], side["last"] = end["body"][at], at, np.append(at[1:], len(end))
    joint["side"] = np.searchsorted(block[at], np.arange(len(joint)))
    joint["sides"] = np.bincount(block[at], minlength=len(joint))
    return side, end


def _square(six: np.ndarray) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _six(J: np.ndarray) -> np.ndarray:
    return np.array([J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])
