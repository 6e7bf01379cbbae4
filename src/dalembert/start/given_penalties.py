"""Penalties that the user gives for constraints, for all of them or by the names of joints, constraints and drives."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Protocol, runtime_checkable

import numpy as np

from ..codes import FormCode
from ..errors import Fault, ModelError, near_names
from ..system.edit import changed
from ..system.pack import Packed
from ..topology.span import Plan


@runtime_checkable
class Penalised(Protocol):
    """A formulation whose user may choose penalties."""

    @property
    def penalty(self) -> float | Mapping[str, float] | None:
        """One for all constraints, or some by name; chosen by the package where nothing is given."""


def check_penalty(chosen: object, plan: Plan) -> None:
    """Raise `ModelError` unless a formulation's penalty is None, a positive number or a mapping of known names to such."""
    penalty, owner = chosen.penalty if isinstance(chosen, Penalised) else None, type(chosen).__name__
    if penalty is None or _is_positive(penalty):
        return
    if not isinstance(penalty, Mapping):
        raise ModelError(f"{owner}: found penalty {penalty!r}, expected a positive number, or a mapping such as "
                         "{'elbow': 1e6} of joints and constraints to positive numbers")
    model = plan.model
    known = [part.name for parts in (model.joints, model.constraints, model.motions) for part in parts]
    faults = [Fault(f"{owner}.penalty", f"no joint, constraint or motion {name!r}.{near_names(str(name), known)}")
              for name in penalty if name not in known]
    faults += [Fault(f"{owner}.penalty.{name}", f"found {value!r}, expected a positive number")
               for name, value in penalty.items() if not _is_positive(value)]
    if faults:
        raise ModelError(faults, model.name)


def _is_positive(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < float("inf")


def with_given(packed: Packed, penalty: float | Mapping[str, float] | None) -> Packed:
    """Return the packed model with a penalty, checked by `check_penalty`, on all its rows or on those of the named parts."""
    if penalty is None or not len(packed.system.row):
        return packed
    if not isinstance(penalty, Mapping):
        return changed(packed, row={"given": penalty})
    given = packed.system.row["given"].copy()
    for name, value in penalty.items():
        given[owners(packed) == name] = value
    return changed(packed, row={"given": given})


def without_rows(packed: Packed, penalty: float | Mapping[str, float] | None) -> list[str]:
    """Messages on names to whose penalties there is no row."""
    if not isinstance(penalty, Mapping):
        return []
    found = set(owners(packed))
    return [f"penalty of {name!r} is not used: the coordinates hold what it holds, without a constraint"
            for name in penalty if name not in found]


def owners(packed: Packed) -> np.ndarray:
    """Name of the joint, constraint or drive that each row belongs to (m,); empty for rows that hold a body's own axes."""
    system, layout = packed.system, packed.layout
    names = np.full(len(system.row), "", object)
    loops = [name for name, _ in layout.rows]
    names[:len(loops)] = loops
    if system.constants[0].form != FormCode.GLOBAL:
        return names
    tree = packed.of_tree.system
    drives = len(names) - len(tree.drive)
    carried = np.zeros(len(tree.body), object)
    carried[:] = ""
    for entry, joint in zip(layout.joints, tree.joint, strict=True):
        carried[joint.first:joint.last + 1] = entry.name
    joints = slice(len(loops) + 6 * (len(tree.body) - 1), drives)
    names[joints] = carried[system.row["b"][joints]]
    for k, drive in enumerate(tree.drive):
        names[drives + k] = next(m.name for m in layout.motions if m.v == drive.v)
    return names
