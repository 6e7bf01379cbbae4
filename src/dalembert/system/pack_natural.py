"""From the tables of a tree to those of the global formulation: natural coordinates, and every joint as rows.

The body table, the force elements and the laws stay.  Rows are, in this order: those of the loops (cut joints and constraints,
with their old numbers), six of every rigid body, those of the tree's joints, and one of every drive.  A body's frame is its
joint frame, so that a joint ties it to the frame (d_p, R_pj) of its parent: with the axes x, y, z of that frame, z being the
joint's own, and the axes X, Y, Z and the origin of the body, its record (model/records.py) gives for instance

    joint          points, along      directions
    fixed          x, y, z            x·Y, y·Z, z·X
    revolute       x, y, z            x·Z, y·Z
    prismatic      x, y               x·Y, y·Z, z·X
    screw          x, y, advance      x·Z, y·Z
    cylindrical    x, y               x·Z, y·Z
    planar         z                  x·Z, y·Z
    spherical      x, y, z
    free
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..codes import DriveCode, FormCode, RowCode
from ..kernels import tables
from ..kernels.algebra.sparse import Pattern
from ..kernels.natural.coordinates import FRAME
from ..kernels.tables import System
from ..model.joints import JOINT_RECORDS
from .columns import count_columns, frame_columns
from .extent import length_scale
from .pack import Packed
from .pack_super import lay_superelements, with_modes
from .pattern import build_pattern
from .row_records import ROW_RECORDS, RowRecord

AXES = np.eye(3)
ROUNDING = 4 * np.finfo(float).eps
"""A component of a vector below this fraction of its largest one is taken for zero in the pattern."""


def pack_global(packed: Packed) -> Packed:
    """Make the tables of the global formulation.

    Parameters
    ----------
    packed : Packed
        Of the tree; the rows of its system are those of loops.

    Returns
    -------
    Packed
        With natural coordinates, at the columns of the body rows, and the modes of superelements behind them.  Its layout is
        that of the tree, in whose coordinates results are given, and the modes.
        Row i < n_loop of the system is row i of the tree's, the last n_drive rows are those of its drives.
        `mass_place` holds the 30 places of each body's mass, then 300 places of each force element's 24 coordinates,
        then as many of each rotor's.
    """
    tree, laid = packed.system, lay_superelements(packed)
    n_natural, frames = count_columns(tree), frame_columns(tree)
    size, length = n_natural + len(laid.group), max(length_scale(packed.plan.model), laid.size)
    joints, screws = _joint_rows(tree, len(tree.term), length)
    row = np.concatenate([tree.row, _body_rows(len(tree.body)), joints, _drive_rows(tree, length)], dtype=tables.ROW)
    term = np.concatenate([tree.term, screws], dtype=tables.TERM)
    pair = np.zeros(size, tables.PAIR)
    pair["q"] = pair["v"] = np.arange(size)
    pair["body"][frames] = np.arange(1, len(tree.body))[:, None]
    entry, slot = _lay_entries(tree, row, term, pair["body"])
    mass, products = _mass_pairs(tree), _row_pairs(row, entry)
    forces = np.concatenate([_force_pairs(tree), _rotor_pairs(tree)])
    pairs = np.concatenate([mass, forces, laid.pairs, products])
    group = pair["body"].copy()
    group[n_natural:] = len(tree.body) + laid.group
    pattern, place = build_pattern(size, pairs[:, 0], pairs[:, 1], group)
    constants = tree.constants.copy()
    constants[0].form, constants[0].n_q, constants[0].n_v, constants[0].places = FormCode.GLOBAL, size, size, 1
    split = len(mass) + len(forces)
    after = split + len(laid.pairs)
    sup = laid.tables._replace(place=place[split:after].copy())
    changed: dict[str, Any] = {"constants": constants, "pair": pair, "quaternion": np.zeros(0, tables.QUATERNION),
               "drive": np.zeros(0, tables.DRIVE), "row": row, "term": term, "entry": entry, "slot": slot,
               "mass_place": place[:split].copy(), "row_place": place[after:].copy()}
    for array in (*changed.values(), *pattern, *sup):
        array.setflags(write=False)
    return replace(packed, system=tree._replace(pattern=Pattern(*pattern), sup=sup, **changed),
                   layout=with_modes(packed.layout, packed.plan.model), tree=packed, recovered=laid.recovered)


# --- rows ----------------------------------------------------------------------------------------------------------

def _new_rows(code: RowCode, count: int, **fields: Any) -> np.ndarray:
    """Return rows of one kind without a law."""
    row = np.zeros(count, tables.ROW)
    row["code"], row["rate_only"], row["law"], row["size"] = code, ROW_RECORDS[code].binds_rates, -1, 1.0
    for name, value in fields.items():
        row[name] = value
    return row


def _body_rows(n_body: int) -> np.ndarray:
    """Unit lengths and right angles of the axes, six rows per body."""
    bodies = np.arange(1, n_body)
    rows = [_new_rows(RowCode.UNIT, n_body - 1, a=bodies, e_a=e) for e in AXES]
    rows += [_new_rows(RowCode.SQUARE, n_body - 1, a=bodies, e_a=AXES[c], f_a=AXES[(c + 1) % 3]) for c in range(3)]
    return np.stack(rows, axis=1).ravel()


def _joint_rows(tree: System, first_term: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of all joints of the tree, joint by joint, and the terms that tie the way of a lead to its angle."""
    found, terms = [np.zeros(0, tables.ROW)], [np.zeros(0, tables.TERM)]
    for record in JOINT_RECORDS.values():
        at = np.flatnonzero(tree.body["code"][1:] == record.code) + 1
        b = tree.body[at]
        axes = np.moveaxis(b["R_pj"].reshape(-1, 3, 3), 2, 0)
        ends = {"a": b["parent"], "b": at, "u_a": b["d_p"]}
        for c in record.held_places:
            found.append(_new_rows(RowCode.POSITION, len(at), e_a=axes[c], size=length, **ends))
            if c == record.led_axis:
                found[-1]["term"], found[-1]["terms"] = first_term + sum(map(len, terms)) + np.arange(len(at)), 1
                terms.append(np.zeros(len(at), tables.TERM))
                terms[-1]["q"], terms[-1]["v"], terms[-1]["c"] = b["q"], b["v"], -tree.dof["s_f"][b["v"], c]
        for c, k in record.held_turns:
            found.append(_new_rows(RowCode.DIRECTION, len(at), e_a=axes[c], e_b=AXES[k], **ends))
    rows = np.concatenate(found)
    return rows[np.argsort(rows["b"], kind="stable")], np.concatenate(terms)


def _drive_rows(tree: System, length: float) -> np.ndarray:
    """One row of every drive, in the drives' order."""
    found = [np.zeros(0, tables.ROW)]
    for drive in tree.drive:
        i, axis = _slide_axis(tree, drive)
        b = tree.body[i]
        axes = b.R_pj.reshape(3, 3).T
        ends = {"a": b.parent, "b": i, "u_a": b.d_p, "law": drive.law}
        if axis is not None:
            code = RowCode.POSITION if drive.code == DriveCode.POSITION else RowCode.SLIDE_SPEED
            found.append(_new_rows(code, 1, e_a=axes[axis], size=length, **ends))
        elif drive.code == DriveCode.POSITION:
            found.append(_new_rows(RowCode.ANGLE, 1, e_a=axes[0], f_a=axes[1], e_b=AXES[0], **ends))
        else:
            found.append(_new_rows(RowCode.TURN_SPEED, 1, e_a=axes[2], **ends))
    return np.concatenate(found)


def _slide_axis(tree: System, coordinate: np.void) -> tuple[int, int | None]:
    """Return the body row of a coordinate (fields q, v) and the axis along which it slides, or None for an angle."""
    d = tree.dof[coordinate["v"]]
    return int(d.body), int(d.axis) if d.axis >= 0 else None


# --- entries -------------------------------------------------------------------------------------------------------

def _lay_entries(tree: System, row: np.ndarray, term: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries of all rows, three a slot that a row depends on, sorted, and the slots; sets `first`, `count`.

    `owner` (n_q,) are the body rows that columns belong to.
    """
    of_row, body, slot = _own_slots(row)
    extra = [(r, *found) for r in np.flatnonzero(row["terms"] > 0) for found in _term_slots(tree, row[r], term)]
    if extra:
        of_row, body, slot = (np.concatenate(both) for both in zip((of_row, body, slot), np.array(extra).T, strict=True))
    first = tree.body["column"]
    keys = np.unique(of_row * len(owner) + first[body] + 3 * slot)
    of_row, column = keys // len(owner), keys % len(owner)
    body = owner[column]
    slot = (column - first[body]) // 3
    count = np.bincount(of_row, minlength=len(row))
    row["count"], row["first"] = 3 * count, 3 * (np.cumsum(count) - count)
    entry = np.zeros((len(keys), 3), tables.ENTRY)
    entry["column"] = column[:, None] + np.arange(3)
    entry["side"] = np.where(body == row["a"][of_row], 0, np.where(body == row["b"][of_row], 1, 2))[:, None]
    slots = np.zeros(len(keys), tables.SLOT)
    slots["column"], slots["weight"] = entry["column"][:, 0], _slot_weights(row[of_row], body, slot)
    return entry.ravel(), slots


def _slot_weights(row: np.ndarray, body: np.ndarray, slot: np.ndarray) -> np.ndarray:
    """Weights (m, 4) of slots of bodies in the vectors d, e, f, h of rows; zero for bodies that are none of a row's own."""
    weight, one = np.zeros((len(row), 4)), np.eye(4)[0]
    sides = ((row["a"], -1.0, ((0, "u_a", -1.0), (1, "e_a", 1.0), (2, "f_a", 1.0))),
             (row["b"], 1.0, ((0, "u_b", 1.0), (3, "e_b", 1.0))))
    for k, (end, sign, vectors) in enumerate(sides):
        mine = (body == end) & ((k == 0) | (body != row["a"]))
        weight[mine & (slot == 0)] = sign * one
        at = np.flatnonzero(mine & (slot > 0))
        for vector, name, factor in vectors:
            weight[at, vector] = factor * row[name][at, slot[at] - 1]
    return weight


def _cleaned(x: np.ndarray) -> np.ndarray:
    """True where components of vectors (m, 3) are more than rounding."""
    out: np.ndarray = np.abs(x) > ROUNDING * np.abs(x).max(axis=1, keepdims=True, initial=0.0)
    return out


def _is_row(row: np.ndarray, asked: Callable[[RowRecord], bool]) -> np.ndarray:
    """True for the rows whose record is as asked."""
    return np.isin(row["code"], [code for code, record in ROW_RECORDS.items() if asked(record)])


def _has_vector(name: str, record: RowRecord) -> bool:
    return name in record.vectors


def _own_slots(row: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (row, body, slot) of all slots that move a vector or a wrench of the rows' own bodies."""
    uses = {v: _is_row(row, partial(_has_vector, v)) for v in "defh"}
    moves = np.zeros((len(row), 2, 4), bool)
    moves[:, :, 0] = (uses["d"] | _is_row(row, lambda record: "origin" in record.whole_bodies))[:, None]
    for side, v, name in ((0, "d", "u_a"), (1, "d", "u_b"), (0, "e", "e_a"), (0, "f", "f_a"), (1, "h", "e_b")):
        moves[:, side, 1:] |= uses[v][:, None] & _cleaned(row[name])
    moves[:, :, 1:] |= _is_row(row, lambda record: "axes" in record.whole_bodies)[:, None, None]
    ends = np.stack([row["a"], row["b"]], axis=1)
    at, sides, slot = np.nonzero(moves & (ends > 0)[:, :, None])
    return at, ends[at, sides], slot


def _term_slots(tree: System, row: np.void, term: np.ndarray) -> list[tuple[int, int]]:
    """Return (body, slot) of all slots that the joint coordinates of a row's terms depend on (kernels/natural/joints.py)."""
    found: list[tuple[int, int]] = []
    for k in range(row["term"], row["term"] + row["terms"]):
        i, axis = _slide_axis(tree, term[k])
        b = tree.body[i]
        x, y, z = b.R_pj.reshape(3, 3).T
        shape = {"e_a": x, "f_a": y, "e_b": AXES[0]} if axis is None else {"e_a": (x, y, z)[axis]}
        code = RowCode.ANGLE if axis is None else RowCode.POSITION
        _, bodies, slots = _own_slots(_new_rows(code, 1, a=b.parent, b=i, u_a=b.d_p, **shape))
        found += zip(bodies.tolist(), slots.tolist(), strict=True)
    return found


# --- pairs of columns ----------------------------------------------------------------------------------------------

def _mass_pairs(tree: System) -> np.ndarray:
    """Pairs (i, j) of coordinates with mass: per body the slots (0, 0), (1, 0), (1, 1), ..., three components each."""
    high, low = np.tril_indices(4)
    block = 3 * np.stack([high, low], axis=1)[:, None, :] + np.arange(3)[None, :, None]
    out: np.ndarray = (tree.body["column"][1:, None, None] + block.reshape(1, -1, 2)).reshape(-1, 2)
    return out


def _force_pairs(tree: System) -> np.ndarray:
    """Pairs (0, 0), (1, 0), (1, 1), ... of the 24 coordinates that each force element acts on; negative for the ground's."""
    return _columns_pairs(tree, tree.force["a"], tree.force["b"])


def _rotor_pairs(tree: System) -> np.ndarray:
    """Likewise of the 24 coordinates of the two bodies of each rate with a rotor."""
    b = tree.dof["body"][tree.dof["armature"] > 0.0]
    return _columns_pairs(tree, tree.body["parent"][b], b)


def _columns_pairs(tree: System, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairs (0, 0), (1, 0), (1, 1), ... of the 24 coordinates of bodies a (m,) and b (m,); negative for the ground's."""
    ends = np.stack([a, b], axis=1)[:, :, None]
    columns = np.where(ends > 0, tree.body["column"][ends] + np.arange(FRAME), -1).reshape(-1, 2 * FRAME)
    return _lower_pairs(columns).reshape(-1, 2)


def _lower_pairs(columns: np.ndarray) -> np.ndarray:
    """Pairs (0, 0), (1, 0), (1, 1), ... (m, p, 2) of the columns (m, n) of m things."""
    high, low = np.tril_indices(columns.shape[1])
    return np.stack([columns[:, high], columns[:, low]], axis=2)


def _row_pairs(row: np.ndarray, entry: np.ndarray) -> np.ndarray:
    """Pairs (0, 0), (1, 0), (1, 1), ... of each row's columns."""
    sizes = row["count"] * (row["count"] + 1) // 2
    first = np.cumsum(sizes) - sizes
    pairs = np.zeros((int(sizes.sum()), 2), np.int64)
    for n in np.unique(row["count"]):
        at = np.flatnonzero(row["count"] == n)
        columns = entry["column"][row["first"][at][:, None] + np.arange(n)]
        pairs[first[at][:, None] + np.arange(n * (n + 1) // 2)] = _lower_pairs(columns)
    return pairs
