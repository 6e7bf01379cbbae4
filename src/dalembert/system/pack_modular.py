"""Tables of the modular formulation: components of bodies and joints, from the tables in natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..codes import RowCode
from ..errors import ModelError
from ..kernels.modular.bodies import INNER
from ..kernels.modular.tables import COMPONENT, END, JOINT_ROW, MODULAR, Modular, make_modular
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

    Raises
    ------
    ModelError
        Bodies without mass or inertia.
    """
    system = packed.system
    component, notes = _components(packed, schemes)
    end = _ends(system)
    component["end"] = np.searchsorted(end["body"], np.arange(len(component)))
    component["ends"] = np.bincount(end["body"], minlength=len(component))
    substeps = int(np.max(component["due"], initial=1))
    component["due"] = substeps // component["due"]
    joint = np.zeros(len(system.row), JOINT_ROW)
    joint["inner"] = np.isin(system.row["code"], (RowCode.UNIT, RowCode.SQUARE))
    joint["finest"] = 1.0
    np.maximum.at(joint["finest"], end["row"], component["due"][end["body"]].astype(float))
    options = np.zeros(1, MODULAR)
    for name in ("stiffness", "damping", "inner_stiffness", "inner_damping", "iterations", "small"):
        options[name] = getattr(stability, name)
    options["substeps"], options["row"] = substeps, -1
    return make_modular(component, end, joint, options, int(system.constants[0].n_q)), notes


def _components(packed: Packed, schemes: Mapping[str, Scheme]) -> tuple[np.ndarray, tuple[str, ...]]:
    system, names = packed.system, dict(zip(packed.body_rows.tolist(), packed.layout.bodies, strict=True))
    component = np.zeros(len(system.body), COMPONENT)
    inner = np.flatnonzero(np.isin(system.row["code"], (RowCode.UNIT, RowCode.SQUARE)))
    component["due"], component["lead"] = 1, 0.5
    light, notes = [], []
    for i in range(1, len(component)):
        c, b = component[i], system.body[i]
        name = names.get(i, "a body between two joints")
        if not b.mass > 0.0:
            light.append(name)
            continue
        com = b.h_b / b.mass
        across = b.mass * (com @ com * np.eye(3) - np.outer(com, com))
        J = _square(b.J_b) - across
        size, axes = np.linalg.eigh(J)
        if not size[-1] > 0.0:
            light.append(name)
            continue
        least = LEAST_TURNING * size[-1]
        if size[0] < least:
            notes.append(f"modular: body {name!r} turns with a moment of inertia of {least:.3g} kg m² where it has {size[0]:.3g}, "
                         "since every component needs some")
            J = axes @ np.diag(np.maximum(size, least)) @ axes.T
        scheme = schemes.get(name, Scheme())
        c["mass"], c["h_b"], c["c_b"] = b.mass, b.h_b, com
        c["J_b"], c["inverse"] = _six(J + across), _six(np.linalg.inv(J))
        c["due"], c["lead"], c["beta"], c["gamma"] = scheme.substeps, scheme.lead, scheme.beta, scheme.gamma
        whole = _square(c["J_b"])
        c["alpha"] = INNER_ALPHA * max(b.mass, float(np.max(np.abs(0.5 * np.trace(whole) * np.eye(3) - whole))))
        c["inner"] = inner[INNER * (i - 1)]
    if light:
        many = len(light) > 1
        raise ModelError(f"formulation 'modular': bod{'ies' if many else 'y'} {', '.join(map(repr, light[:8]))} lack"
                         f"{'s' * (not many)} mass or inertia, and every body is a component of its own there. Give "
                         f"{'them' if many else 'it'} some, or take 'semi-recursive' or 'global'.")
    return component, tuple(notes)


def _ends(system: System) -> np.ndarray:
    """One row for every body that a joint's row acts on, sorted by bodies; the slots of a body follow each other."""
    slots = len(system.slot)
    row = np.repeat(np.arange(len(system.row)), system.row["count"] // 3)
    body = system.pair["body"][system.slot["column"]]
    wanted = ~np.isin(system.row["code"][row], (RowCode.UNIT, RowCode.SQUARE))
    begins = np.ones(slots, bool)
    begins[1:] = (row[1:] != row[:-1]) | (body[1:] != body[:-1])
    first = np.flatnonzero(begins)
    count = np.diff(np.append(first, slots))
    first, count = first[wanted[first]], count[wanted[first]]
    end = np.zeros(len(first), END)
    end["row"], end["body"], end["slot"], end["slots"] = row[first], body[first], first, count
    return end[np.argsort(end["body"], kind="stable")]


def _square(six: np.ndarray) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _six(J: np.ndarray) -> np.ndarray:
    return np.array([J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])
