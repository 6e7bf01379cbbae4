"""Changed tables: the one way to make others of frozen ones, and what a parameter of the user does to them.

`changed` replaces tables or columns.  `with_parameter` gives the tables of a model with another number in it, bit by bit
those that packing it anew would give; `derivative` says how they change with it.  Entries that copy a parameter have a
derivative of one or minus one; masses and inertias theirs in closed form: with the joint frame's axes R and origin, c the
centre of mass there,
    h = m c,  J = R I Rᵀ + m (c·c 1 - c cᵀ)                                                       (1)
    h' = m' c + m c',  J' = R I' Rᵀ + m' (c·c 1 - c cᵀ) + m (2 c·c' 1 - c c'ᵀ - c' cᵀ)             (2)
All else follows from packing: tables are polynomials of second degree in places of points, whose central difference is their
derivative; along axes and directions they are analytic, and differences of tenth order are exact to rounding.
Sizes that tolerances refer to (`q_scale`, `qd_scale`, `size`) are no physics and have no derivative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..codes import FormCode
from ..errors import Fault, ModelError, near_names
from ..kernels.compile.record import LINE, zeros_in_lines
from ..kernels.tables import System
from ..model.check import check
from ..model.checked import CheckedJoint, CheckedModel
from ..model.joints import JOINT_RECORDS
from ..model.model import Model
from ..model.values import Faults, number
from ..topology.span import Plan
from .extent import length_scale
from .pack import REFERENCES, Packed, pack
from .pack_natural import pack_global
from .parameter import XYZ, Copy, Parameter
from .parameters import INERTIA, faults_of, parameters_of
from .rows import alignment

Tables = TypeVar("Tables", Packed, System)
NUMBERS = ("constants", "body", "dof", "force", "law", "knot", "row", "term")
"""Tables of joint coordinates that hold a user's numbers."""
SIZES = {("dof", "q_scale"), ("dof", "qd_scale"), ("row", "size")}
"""Columns that tolerances refer to."""
FOUND_AT_START = {"row": ("penalty", "stiffness", "given"), "dof": ("gauge",), "law": ("address",)}
"""Columns that are not made of the model's numbers: starts fill them, addresses stay."""
STENCIL = np.array([2100.0, -600.0, 150.0, -25.0, 2.0]) / 2520.0
"""Weights of (f(kh) - f(-kh))/h for k = 1, 2, ...: tenth order."""
STEP = 0.02
"""Of that difference, relative to the distance from where the tables are not analytic."""
NEAR_JUMP = 1e-3
"""Angle [rad] to a direction where frames jump below which tables have no derivative."""


@dataclass(frozen=True)
class Place:
    """An entry of a table that depends on a parameter: its place, and its derivative by the parameter."""

    table: str
    row: int
    field: str
    component: int | None
    factor: float


def changed(tables: Tables, /, **changes: Any) -> Tables:
    """Return a packed model, or a system, with other tables.

    Parameters
    ----------
    tables : Packed or System
    **changes : array or mapping
        By the name of the table: a whole one, or a mapping of columns to what they are to be, with which a copy is made.
    """
    system = tables if isinstance(tables, System) else tables.system
    made: dict[str, Any] = {}
    for name, change in changes.items():
        if isinstance(change, Mapping):
            made[name] = copied(getattr(system, name))
            for column, values in change.items():
                made[name][column] = values
        else:
            made[name] = change if in_lines(change) else copied(change)
        made[name].setflags(write=False)
    system = system._replace(**made)
    return system if isinstance(tables, System) else replace(tables, system=system)


def in_lines(table: np.ndarray) -> bool:
    """Whether a table whose rows take whole lines of the cache begins at one (kernels/compile/record.py)."""
    return table.dtype.itemsize % LINE != 0 or table.ctypes.data % LINE == 0


def copied(table: np.ndarray) -> np.ndarray:
    """Return a copy of a table to be written, in lines where rows take whole ones."""
    if table.dtype.itemsize % LINE:
        return table.copy()
    copy = zeros_in_lines(len(table), table.dtype)
    copy[:] = table
    return copy


def parameters(model: Model | Packed) -> tuple[str, ...]:
    """Return the names of all parameters of a model, ``"spring.stiffness"``."""
    return tuple(parameters_of(model.plan.model if isinstance(model, Packed) else check(model)))


def with_parameter(packed: Packed, name: str, value: float | Sequence[float]) -> Packed:
    """Return the packed model with another value of a parameter; the spanning tree stays.

    Parameters
    ----------
    packed : Packed
        In joint or natural coordinates; penalties and constants that a start has found stay.
    name : str
        As `parameters` lists them, or what several of them have in common, ``"rod.com"``, with as many values.
    value : float or sequence of float
        SI units.

    Raises
    ------
    ModelError
        There is no such parameter, or it cannot have this value.
    """
    if packed.tree is not None:
        return _natural(packed, with_parameter(packed.tree, name, value))
    owner = name.partition(".")[0]
    known = parameters_of(packed.plan.model, owner)
    group = [p for key, p in known.items() if key == name or ("." in name and key.rpartition(".")[0] == name)]
    values = [value] if name in known else list(np.ravel(value))
    if not group:
        raise _unknown(packed, name)
    if len(group) != len(values):
        raise ModelError([Fault(name, f"found {len(values)} values, expected {len(group)}: "
                                      f"{', '.join(p.name for p in group)}")], packed.plan.model.name)
    copies = [_copies(packed, p) if p.copies else [] for p in group]
    model = _written(packed.plan.model, group, values)
    plan = replace(packed.plan, model=model)
    if not all(p.alone for p in group):
        return _merged(packed, plan)
    numbers = parameters_of(model, owner)
    tables: dict[str, np.ndarray] = {}
    for p, own in zip(group, copies, strict=True):
        for c in own:
            if c.field:
                table = tables.setdefault(c.table, copied(getattr(packed.system, c.table)))
                column = table[c.field] if c.component is None else table[c.field][:, c.component]
                column[c.row] = c.factor * numbers[p.name].value
    return replace(changed(packed, **tables), plan=plan)


def derivative(packed: Packed, name: str) -> dict[str, np.ndarray]:
    """Return the derivative of all tables in joint coordinates by a parameter.

    Parameters
    ----------
    packed : Packed
        Of tables in natural coordinates those of the tree are meant.
    name : str
        As `parameters` lists them.

    Returns
    -------
    dict of array
        Name of a table -> an array of its type and shape that holds the derivative of every number, zero elsewhere; tables
        that do not depend on the parameter are left out.  ``"q"`` (n_q,) and ``"qd"`` (n_v,) are the start in the user's
        coordinates, before loops are closed.

    Raises
    ------
    ModelError
        There is no such parameter, or the tables have no derivative there: an axis along -z of the frame it is given in.
    """
    packed = packed.tree or packed
    owner, _, field = name.partition(".")
    parameter = parameters_of(packed.plan.model, owner).get(name)
    if parameter is None:
        raise _unknown(packed, name)
    if parameter.copies is not None:
        return _of_copies(packed, _copies(packed, parameter))
    if field == "mass" or field.startswith(("com.", "inertia.")):
        return {"body": _inertial(packed, owner, field)}
    return _differences(packed, parameter)


def places(packed: Packed, name: str) -> tuple[Place, ...]:
    """Return all entries of tables in joint coordinates that depend on a parameter, with their derivatives."""
    found = []
    for table, array in derivative(packed, name).items():
        for field in array.dtype.names or ("",):
            column = array[field] if field else array
            if column.dtype == float:
                for at in np.argwhere(column):
                    component = int(at[1]) if len(at) > 1 else None
                    found.append(Place(table, int(at[0]), field, component, float(column[tuple(at)])))
    return tuple(found)


# --- values --------------------------------------------------------------------------------------------------------

def _unknown(packed: Packed, name: str) -> ModelError:
    known = parameters_of(packed.plan.model)
    inner = [key for key in known if key.startswith(f"{name}.")]
    hint = f" It has the parameters {', '.join(inner[:12])}." if inner else near_names(name, known)
    return ModelError([Fault("parameter", f"no parameter {name!r}.{hint}")], packed.plan.model.name)


def _copies(packed: Packed, parameter: Parameter) -> list[Copy]:
    """Return the copies of a parameter; ModelError if the tree has no room for it."""
    found = parameter.copies(packed) if parameter.copies else []
    if not found:
        joint = parameter.name.partition(".")[0]
        raise ModelError([Fault(parameter.name, f"joint {joint!r} closes a loop and has no coordinates of its own in this "
                                                "spanning tree; pack the changed model anew")], packed.plan.model.name)
    return found


def _written(model: CheckedModel, group: list[Parameter], values: Sequence[Any]) -> CheckedModel:
    """Return the checked model with other values, whose provenance says so; ModelError if it cannot have them."""
    faults = Faults()
    numbers = [number(faults, p.name, x, p.unit, least=p.least, above=p.above) for p, x in zip(group, values, strict=True)]
    if len(group) > 1 and group[0].whole:
        model = group[0].whole(model, numbers)
    else:
        for p, x in zip(group, numbers, strict=True):
            model = p.write(model, x)
    notes = "".join(f"# changed after packing: {p.name} = {x!r}\n" for p, x in zip(group, numbers, strict=True))
    model = replace(model, text=model.text + notes)
    for what in faults_of(model, group[0].name.partition(".")[0]):
        faults.flag(group[0].name, what)
    if faults:
        raise ModelError(faults, model.name)
    return model


def _packed_anew(packed: Packed, plan: Plan) -> Packed:
    constants = packed.system.constants[0]
    reference = next(name for name, code in REFERENCES.items() if code == constants["reference"])
    return pack(plan, FormCode(int(constants["form"])), reference, interfaces=len(packed.system.sup.element) > 0)


def _merged(packed: Packed, plan: Plan) -> Packed:
    """Tables of a changed plan with what was not made of its numbers: what a start has found, and addresses of laws."""
    fresh = _packed_anew(packed, plan)
    kept = {table: {column: getattr(packed.system, table)[column] for column in columns}
            for table, columns in FOUND_AT_START.items()}
    open_rows = _open_rows(packed)
    c = fresh.system.row["c"].copy()
    c[open_rows] = packed.system.row["c"][open_rows]
    kept["row"]["c"] = c
    return replace(changed(fresh, **kept), law_errors=packed.law_errors, law_calls=packed.law_calls, keep=packed.keep,
                   compiled_laws=packed.compiled_laws, redundant=packed.redundant)


def _open_rows(packed: Packed) -> list[int]:
    """Rows whose constants the assembled start has given."""
    parts = {c.name: c for c in packed.plan.model.constraints}
    return [row for e in packed.layout.constraints if parts[e.name].value is None and parts[e.name].law is None
            for row in range(e.row, e.row + e.rows)]


def _natural(packed: Packed, tree: Packed) -> Packed:
    """Tables in natural coordinates of a changed tree, with what a start has found."""
    fresh = pack_global(tree)
    kept = {column: packed.system.row[column] for column in FOUND_AT_START["row"]}
    return replace(changed(fresh, row=kept), redundant=packed.redundant)


# --- derivatives ---------------------------------------------------------------------------------------------------

def _zeros(packed: Packed, table: str) -> np.ndarray:
    if table in ("q", "qd"):
        return np.zeros(packed.layout.n_q if table == "q" else packed.layout.n_v)
    return np.zeros_like(getattr(packed.system, table))


def _of_copies(packed: Packed, copies: list[Copy]) -> dict[str, np.ndarray]:
    out: dict[str, np.ndarray] = {}
    for c in copies:
        table = out.setdefault(c.table, _zeros(packed, c.table))
        column = table if not c.field else table[c.field] if c.component is None else table[c.field][:, c.component]
        column[c.row] = c.factor
    return out


def _steiner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a·b 1 - b aᵀ."""
    out: np.ndarray = (a @ b) * np.eye(3) - np.outer(b, a)
    return out


def _inertial(packed: Packed, owner: str, field: str) -> np.ndarray:
    """Derivative of the body table by a mass, a component of a centre of mass or one of an inertia; (2)."""
    index = next(i for i, b in enumerate(packed.plan.model.bodies) if b.name == owner)
    body, row = packed.plan.model.bodies[index], int(packed.body_rows[packed.layout.bodies.index(owner)])
    own = packed.system.body[row]
    R = np.array(own["R_bu"]).reshape(3, 3)
    c, m = own["u_b"] + R @ body.com, body.mass
    dm, dc, dI = 0.0, np.zeros(3), np.zeros((3, 3))
    if field == "mass":
        dm = 1.0
    elif field.startswith("com."):
        dc = R[:, XYZ.index(field[4:])]
    else:
        a, b = INERTIA[field[8:]]
        dI[a, b] = dI[b, a] = 1.0
    J = R @ dI @ R.T + dm * _steiner(c, c) + m * (_steiner(c, dc) + _steiner(dc, c))               # (2)
    out = _zeros(packed, "body")
    out[row]["mass"], out[row]["h_b"] = dm, dm * c + m * dc
    out[row]["J_b"] = J[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return out


def _differences(packed: Packed, parameter: Parameter) -> dict[str, np.ndarray]:
    """Derivative of all tables by a parameter that packing takes in."""
    if parameter.degree:
        size = max(abs(parameter.value), length_scale(packed.plan.model))
        step, weights = 2.0 ** round(np.log2(size)), np.array([0.5])
    else:
        step, weights = STEP * _analytic_within(packed, parameter), STENCIL
    out: dict[str, np.ndarray] = {}
    for k, weight in enumerate(weights, start=1):
        for sign in (1.0, -1.0):
            model = parameter.write(packed.plan.model, parameter.value + sign * k * step)
            moved = _packed_anew(packed, replace(packed.plan, model=model)).system
            for table in NUMBERS:
                _add(out.setdefault(table, _zeros(packed, table)), sign * weight / step, getattr(moved, table), table)
    return {table: array for table, array in out.items() if any(np.any(array[f]) for f in array.dtype.names or ())}


def _add(out: np.ndarray, factor: float, values: np.ndarray, table: str) -> None:
    """Add numbers of a table, times a factor."""
    for field in out.dtype.names or ():
        if out[field].dtype == float and (table, field) not in SIZES and field not in FOUND_AT_START.get(table, ()):
            out[field] += factor * values[field]


def _analytic_within(packed: Packed, parameter: Parameter) -> float:
    """Distance of a direction from the nearest one where frames built on it jump, at most one."""
    owner, word, _ = parameter.name.split(".")
    plan, used = packed.plan, []
    for k, joint in enumerate(plan.model.joints):
        if joint.name == owner:
            turned = any(c == k and r for c, r in zip(plan.carrier, plan.reversed, strict=True))
            used = frames_of_joint(joint, turned, "axis2" if word == "axis2" else "axis")
    used += [np.array(getattr(c, word)) for c in plan.model.constraints if c.name == owner and word != "direction"]
    distance = min((float(np.linalg.norm(e + (0.0, 0.0, 1.0))) for e in used), default=1.0)
    if distance < NEAR_JUMP:
        raise ModelError([Fault(parameter.name, "found a direction along -z of the frame that it is given in, where the axes "
                                                "built on it jump, expected another one; turn the frame of the attachment, or "
                                                "write the joint the other way round")], plan.model.name)
    return min(1.0, distance)


def frames_of_joint(joint: CheckedJoint, turned: bool, word: str) -> list[np.ndarray]:
    """Directions on which the rows of a joint build their frames, by the shortest rotation of z (rows.alignment)."""
    axis = np.array(getattr(joint, word))
    record = JOINT_RECORDS[joint.code]
    if record.mirrors or record.cross or not turned:
        return [-axis if turned else axis]
    C = alignment(axis)
    return [axis, -axis, -C[:, 0], -C[:, 1]]
