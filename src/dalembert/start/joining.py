"""Joints and constraints that are added to a mechanism under way: positions closed, velocities by an impact.

A new joint between two bodies that move asks for velocities that they have not.  The impact is that of ideal joints, plastic
and without friction: with M and J of the mechanism before the joint carries anything,

    M (v+ - v-) = J^T L,    J v+ + Phi_t = 0                                                                     (1)

so that every momentum is conserved that the joints, old and new, cannot take up, and the kinetic energy falls by that of the
difference v+ - v-.  Drives that are new set their rates; the others follow by (1), too.  See docs/theory/live.md.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..codes import FormCode
from ..flex.reductions import with_reductions
from ..kernels.compile.jit import prepare
from ..kernels.linked_work import make_linked_work
from ..model.check import check
from ..model.model import Model
from ..system.pack import Packed, pack
from ..system.reverse import swap, turned_balls
from ..topology.span import span
from .assembly import TOLERANCE, Assembler
from .at_state import entries_at_state, make_reader
from .begin import evaluate_drives, open_rows, with_constants_of
from .carry import onto
from .constraints import least_solution
from .state import State, state_of

LIGHT = 1e-13
"""Inertia in directions without any, relative to the largest one: they follow whatever the others do."""
MOVED, JUMPED = 1e-9, 1e-9
"""Changes of coordinates and rates, relative to one or to themselves, that are not reported."""


@dataclass(frozen=True)
class Joined:
    """A mechanism after parts were joined: its state, what was noted, and the energy that the impact took [J]."""

    state: State
    notes: tuple[str, ...] = ()
    lost: float = 0.0


def join(model: Model, state: State, same: Collection[str] = ()) -> Joined:
    """Bring a state onto the joints, constraints and drives of a model, with an impact where velocities have to change.

    Parameters
    ----------
    model : Model
        Joints that are new between bodies that the state knows are marked ``cut``, so that the rates of the tree can tell how
        the bodies move before.
    state : State
    same : collection of str
        Joints that are those of the state's model, between the same places.

    Raises
    ------
    AssemblyError
        The joints cannot be closed, or no velocities meet them.
    """
    plan = span(with_reductions(check(model)))
    packed = pack(plan, FormCode.SEMI_RECURSIVE) if plan.has_loops else pack(plan)
    carried, t = onto(state, packed, same), state.t
    q, qd = carried.q.copy(), carried.qd.copy()
    evaluate_drives(packed, t, q, qd)
    skip = open_rows(packed)
    packed = with_constants_of(packed, t, carried)
    assembler = Assembler(packed, t, skip, make_linked_work(packed.system))
    if assembler.close(q, np.zeros(packed.layout.n_v)).gap > TOLERANCE:
        q = assembler.positions(q, np.zeros(packed.layout.n_v, bool))
    qd, lost = _after_impact(packed, assembler, q, carried.qd, qd)
    notes = [*carried.notes, *_moved(packed, carried.q, q)]
    if lost > JUMPED * _kinetic(packed, q, carried.qd):
        notes.append(f"joining at t = {t:.6g} s made velocities jump; the impact took {lost:.6g} J")
    return Joined(state_of(packed, t, q, qd), tuple(notes), lost)


def _moved(packed: Packed, old: np.ndarray, new: np.ndarray) -> list[str]:
    """Tell joints whose coordinates had to move."""
    far = [(j.name, float(np.max(abs(new[j.q:j.q + j.nq] - old[j.q:j.q + j.nq])))) for j in packed.layout.joints if j.nq]
    moved = [f"{name!r} by {way:.3g}" for name, way in far if way > MOVED * (1 + float(np.max(abs(old), initial=0.0)))]
    return [f"joining moved joints {', '.join(moved[:6])}{', …' * (len(moved) > 6)} to close the new ones"] if moved else []


def _mass(packed: Packed, q: np.ndarray) -> np.ndarray:
    """Mass matrix (n_v, n_v) of the tree's own rates."""
    layout, n = packed.layout, packed.layout.n_v
    M, shown = np.zeros((n, n)), q[None].copy()
    T = np.eye(n)  # rows: rates as the user has them of unit rates of the tree
    swap(layout, shown, np.zeros((1, n)), np.zeros((1, n)))
    if turned_balls(layout):
        swap(layout, np.tile(q, (n, 1)), T, np.zeros((n, n)))
    kernel, arguments = entries_at_state(packed.system, make_reader(packed), make_linked_work(packed.system))["mass"]
    arguments = (*arguments[:2], shown[0], M, arguments[4])
    prepare([(kernel, arguments)])
    kernel(*arguments)
    out: np.ndarray = T @ M @ T.T
    return out


def _kinetic(packed: Packed, q: np.ndarray, qd: np.ndarray) -> float:
    return 0.5 * float(qd @ _mass(packed, q) @ qd)


def _after_impact(packed: Packed, assembler: Assembler, q: np.ndarray, before: np.ndarray, driven_rates: np.ndarray
                  ) -> tuple[np.ndarray, float]:
    """Rates after the impact (1), and the energy that it took [J]; `driven_rates` has those of the drives."""
    driven = packed.system.dof["drive"] >= 0
    found = np.where(driven, driven_rates, before)
    rows = assembler.constraints.evaluate(assembler.t, q, found)
    size = assembler.constraints.size
    pace = 1.0 + float(np.max(abs(found), initial=0.0))
    if float(np.max(abs(rows.rate) / size, initial=0.0)) <= JUMPED * pace and np.all(abs(found - before) <= JUMPED * pace):
        return found, 0.0
    M, free = _mass(packed, q), ~driven
    scale = packed.system.dof["q_scale"][free]
    A = M[np.ix_(free, free)] * np.outer(scale, scale)
    L = np.linalg.cholesky(A + LIGHT * max(float(np.max(np.diag(A), initial=0.0)), 1e-300) * np.eye(len(A)))

    def moved_by(load: np.ndarray) -> np.ndarray:
        return scale * np.linalg.solve(L.T, np.linalg.solve(L, scale * load))

    found[free] -= moved_by(M[np.ix_(free, driven)] @ (found - before)[driven])
    for _ in range(2):  # the second turn removes rounding
        rows = assembler.constraints.evaluate(assembler.t, q, found)
        B = np.linalg.solve(L, (rows.jacobian[:, free] * scale / size[:, None]).T)  # (n, m)
        found[free] += scale * np.linalg.solve(L.T, least_solution(B.T, -rows.rate / size))
    rate = assembler.constraints.evaluate(assembler.t, q, found).rate / size
    if float(np.max(abs(rate), initial=0.0)) > JUMPED * pace:
        found = assembler.rates(q, found, np.zeros(len(found), bool))  # tells what contradicts what
    return found, 0.5 * float(before @ M @ before - found @ M @ found)
