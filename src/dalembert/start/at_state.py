"""Tables that the kernels of single states read (kernels/tree/at_state.py), and these kernels with example arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.tables import System, Work
from ..kernels.tree.at_state import (
    BALL,
    PLACE,
    Reader,
    eval_constraints_at,
    eval_forward_at,
    eval_inverse_at,
    eval_jacobian_at,
    eval_mass_matrix_at,
    eval_place_at,
)
from ..system.pack import Packed
from ..system.quaternion import rotations_of
from ..system.reverse import turned_balls


def places_of(packed: Packed) -> list[tuple[str, int, np.ndarray, np.ndarray]]:
    """Name, row, position and axes in the row's joint frame of all bodies and points that are shown."""
    layout, found = packed.layout, []
    frames = [(name, k, np.zeros(3), np.eye(3)) for k, name in enumerate(layout.bodies)]
    frames += [(p.name, p.body, np.array(p.position), rotations_of(np.array([p.rotation]))[0]) for p in layout.points]
    for name, body, position, rotation in frames:
        if body in layout.hidden:
            continue
        row = int(packed.body_rows[body])
        b = packed.system.body[row]
        R = np.array(b["R_bu"]).reshape(3, 3)
        found.append((name, row, b["u_b"] + R @ position, R @ rotation))
    return found


def make_reader(packed: Packed) -> Reader:
    """Places and reversed balls as kernels want them."""
    place = np.array([(row, u, R.ravel()) for _, row, u, R in places_of(packed)], PLACE)
    ball = np.array(turned_balls(packed.layout), BALL)
    n_q, n_v = packed.layout.n_q, packed.layout.n_v
    for table in (place, ball):
        table.setflags(write=False)
    q = np.zeros(n_q)
    q[packed.system.quaternion["q"]] = 1.0
    return Reader(place, ball, q, np.zeros(n_v), np.zeros(n_v), np.zeros(n_v), np.zeros(n_v))


def entries_at_state(system: System, reader: Reader, work: Work) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Kernels of single states by name, each with arguments of the types that it gets."""
    q, v, n = reader.q, reader.still, len(reader.still)
    M, J, out, rows = np.zeros((n, n)), np.zeros((6, n)), np.zeros(24), np.zeros((len(system.row), n))
    return {"mass": (eval_mass_matrix_at, (system, reader, q, M, work)),
            "inverse": (eval_inverse_at, (system, reader, 0.0, q, v, v, v, work)),
            "forward": (eval_forward_at, (system, reader, 0.0, q, v, v, v, work)),
            "jacobian": (eval_jacobian_at, (system, reader, 0, q, J, work)),
            "place": (eval_place_at, (system, reader, 0, q, v, v, out, work)),
            "constraints": (eval_constraints_at, (system, reader, 0.0, q, v, v, rows, rows, work))}
