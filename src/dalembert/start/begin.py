"""The start of a plan: its joints' starts and a drive's values, then loops closed and massless directions made consistent.

Or a state that is taken as it is: nothing is assembled, projected or settled, and what the constraints leave open is what the
state has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..codes import FormCode
from ..kernels.linked_work import make_linked_work
from ..kernels.tables import Work
from ..kernels.tree.state import eval_drives
from ..model.checked import CheckedJoint
from ..system.edit import changed
from ..system.layout import JointEntry
from ..system.pack import Packed, pack
from ..system.reverse import swap
from ..topology.span import Plan
from .assembly import Assembler
from .carry import Carried, free_coordinates, onto
from .constraints import Constraints
from .formulations import Formulation, Global, Interface, Recursive, Referred
from .given_penalties import Penalised, with_given, without_rows
from .massless import Massless, MasslessState, make_consistent
from .massless_texts import describe
from .mobility import find_mobility, redundancy_messages
from .moved import left_by_drives, moved_by_drives, moved_starts, unsaid_rates
from .natural import make_natural
from .penalties import with_penalties
from .rank import may_lack_inertia
from .start import Start
from .state import Elastic, State, is_open

NOTHING: Mapping[str, np.ndarray] = {}
NO_JOINTS: Mapping[str, CheckedJoint] = {}
OPEN = 1e-6
"""Violation of a constraint, relative to its size, from which on a state that is taken as it is counts as violating it."""


def begin_plan(plan: Plan, chosen: Formulation, t: float, elastic: Mapping[str, np.ndarray] = NOTHING) -> Start:
    """Return the start of a plan at time t [s] for a chosen formulation.

    `elastic` are coordinates by flexible body.  Without constraints the semi-recursive equations are those of the tree.
    """
    packed = _packed(plan, chosen)
    layout = packed.layout
    q, qd = np.zeros((1, layout.n_q)), np.zeros((1, layout.n_v))
    joints = {j.name: j for j in plan.model.joints}
    for entry in layout.joints:
        joint = joints[entry.name]
        q[0, entry.q:entry.q + entry.nq] = _coordinates(entry, joint.start)
        if joint.start_rate is not None:
            qd[0, entry.v:entry.v + entry.nv] = joint.start_rate
    for flexible in layout.flexibles:
        q[0, flexible.q:flexible.q + flexible.n] = elastic.get(flexible.name, 0.0)
    swap(layout, q, qd, np.zeros_like(qd))
    before, q, qd = (q[0].copy(), qd[0].copy()), q[0], qd[0]
    evaluate_drives(packed, t, q, qd)
    messages = (*plan.model.notes, *moved_by_drives(layout, joints, before, (q, qd)))
    start = _start(packed, q, qd, messages, chosen, t)
    if packed.system.constants[0].form != FormCode.TREE:
        return close_loops(start, joints, elastic)
    return _without_inertia(start, joints) if packed.system.constants[0].pivot else start


def begin_state(plan: Plan, chosen: Formulation, state: State, same: Collection[str] = ()) -> Start:
    """Return the start of a plan at a state that is taken as it is, for a chosen formulation; `same` as for `onto`."""
    packed = _packed(plan, chosen)
    carried = onto(state, packed, same)
    q, qd = carried.q, carried.qd
    before = q.copy(), qd.copy()
    evaluate_drives(packed, state.t, q, qd)
    messages = (*plan.model.notes, *carried.notes, *left_by_drives(packed.layout, before, (q, qd)))
    start = _start(with_constants_of(packed, state.t, carried), q, qd, messages, chosen, state.t)
    if packed.system.constants[0].form == FormCode.TREE:
        return _with_massless(start, _motions_of(start)) if packed.system.constants[0].pivot else start
    start = replace(start, messages=(*start.messages, *_violated(start)))
    return _with_rows(start, carried.modes, settle=False)


def _packed(plan: Plan, chosen: Formulation) -> Packed:
    if isinstance(chosen, Recursive):
        return pack(plan)
    return pack(plan, FormCode.SEMI_RECURSIVE, chosen.reference if isinstance(chosen, Referred) else "centre-of-mass",
                interfaces=isinstance(chosen, Interface) and bool(plan.model.flexibles))


def _start(packed: Packed, q: np.ndarray, qd: np.ndarray, messages: Iterable[str], chosen: Formulation, t: float) -> Start:
    n_v = packed.layout.n_v
    return Start(packed, q, qd, tuple(messages), chosen, np.zeros(n_v), np.zeros(0, np.int64), np.zeros((0, n_v)), t)


def _coordinates(entry: JointEntry, start: np.ndarray | None) -> np.ndarray:
    return free_coordinates(entry.kind, entry.nq) if start is None else start


# --- drives ------------------------------------------------------------------------------------------------------------

def evaluate_drives(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray) -> None:
    """Set driven coordinates and rates in place; the error of a law that cannot be evaluated."""
    if not packed.layout.motions:
        return
    eval_drives(packed.system, t, q, qd, np.zeros_like(qd))
    if packed.law_errors:
        raise packed.law_errors[0].error(f"at t = {t:.6g}" + " s" * (t != 0))


# --- massless directions -----------------------------------------------------------------------------------------------

def _without_inertia(start: Start, joints: Mapping[str, CheckedJoint]) -> Start:
    """Give massless directions consistent values, with a message."""
    state, found = make_consistent(start.packed, start.t, start.q, start.qd)
    if found is None:
        return start
    moved = moved_starts(start.packed.layout, joints, (start.q, start.qd), (state.q, state.qd),
                         "since a massless direction cannot keep it")
    known = _with_massless(start, (state, found))
    return replace(known, q=state.q, qd=state.qd, messages=known.messages + tuple(moved))


def _motions_of(start: Start) -> tuple[MasslessState, Massless | None]:
    """Return the directions without inertia of a state that is taken as it is."""
    state = MasslessState(start.packed, start.t, start.q, start.qd)
    return state, state.find()


def _with_massless(start: Start, looked: tuple[MasslessState, Massless | None]) -> Start:
    """Return a start that knows its massless directions, with a message on them."""
    state, found = looked
    if found is None:
        return start
    slack = (np.max(abs(found.motions), axis=0) > 1e-12).astype(float)
    notes = describe(start.packed, found.rates, found.first_order)
    return replace(start, packed=state.packed, messages=(*start.messages, *notes), slack=slack, massless_rates=found.rates,
                   motions=found.basis, fastest=found.fastest)


# --- loops -------------------------------------------------------------------------------------------------------------

def close_loops(start: Start, joints: Mapping[str, CheckedJoint], elastic: Mapping[str, np.ndarray] = NOTHING) -> Start:
    """Assemble positions and rates, fill in constants left open, choose penalties, and report what was found."""
    packed, layout = start.packed, start.packed.layout
    given, given_rate, unsaid = (np.zeros(layout.n_v, bool) for _ in range(3))
    for j in layout.joints:
        given[j.v:j.v + j.nv] = joints[j.name].keeps_start and not (j.hidden and elastic)
        given_rate[j.v:j.v + j.nv] = joints[j.name].start_rate is not None
        unsaid[j.v + j.nv - unsaid_rates(j, joints[j.name]):j.v + j.nv] = True
    for entry in layout.flexibles:
        given[entry.v:entry.v + entry.n] = entry.name in elastic
    skip, work = open_rows(packed), make_linked_work(packed.system)
    q = Assembler(packed, start.t, skip, work).positions(start.q, given)
    packed = with_constants(packed, start.t, q, skip)
    qd = Assembler(packed, start.t, work=work).rates(q, start.qd, given_rate, unsaid)
    messages = moved_starts(layout, joints, (start.q, start.qd), (q, qd), "to close the loops")
    closed = replace(start, packed=packed, q=q, qd=qd, messages=start.messages + tuple(messages))
    modes = {name: Elastic(None, x, np.zeros(len(x))) for name, x in elastic.items()}
    return _with_rows(closed, modes, joints, work=work)


def _with_rows(start: Start, modes: Mapping[str, Elastic], joints: Mapping[str, CheckedJoint] = NO_JOINTS, *,
               settle: bool = True, work: Work | None = None) -> Start:
    """Choose penalties at an assembled state, look for redundant rows and massless directions, and make it natural.

    Massless directions are settled, or taken as they are.
    """
    packed, t, q, qd = start.packed, start.t, start.q, start.qd
    redundant = find_mobility(packed, t, q, qd, work).redundant
    penalty = start.formulation.penalty if isinstance(start.formulation, Penalised) else None
    packed = replace(with_given(with_penalties(packed, t, q, qd, work), penalty), redundant=len(redundant))
    start = replace(start, packed=packed)
    natural, is_global = None, isinstance(start.formulation, Global)
    in_faces = is_global and packed.plan.model.flexibles  # which have their inertia elsewhere
    if packed.system.constants[0].pivot and not in_faces and may_lack_inertia(packed, t, q, qd):
        start = _without_inertia(start, joints) if settle else _with_massless(start, _motions_of(start))
    if is_global:
        natural = make_natural(start.packed, t, start.q, start.qd, modes)
        natural = replace(natural, packed=with_given(natural.packed, penalty))
    notes = without_rows(natural.packed if natural else packed, penalty) + redundancy_messages(redundant)
    return replace(start, messages=(*start.messages, *notes), natural=natural)


def open_rows(packed: Packed) -> np.ndarray:
    """Return True for the rows (m,) whose constants the start has to give."""
    skip = np.zeros(len(packed.system.row), bool)
    for constraint, entry in zip(packed.plan.model.constraints, packed.layout.constraints, strict=True):
        if is_open(constraint):
            skip[entry.row] = True
    return skip


def with_constants(packed: Packed, t: float, q: np.ndarray, skip: np.ndarray) -> Packed:
    """Return the packed model whose open constants (a distance, a gear's offset) are what the assembled start gives."""
    if not np.any(skip):
        return packed
    rows = Constraints(packed).evaluate(t, q, np.zeros(packed.layout.n_v))
    constants = packed.system.row["c"].copy()
    constants[skip] += rows.value[skip]
    return changed(packed, row={"c": constants})


def with_constants_of(packed: Packed, t: float, carried: Carried) -> Packed:
    """Return the packed model whose open constants are those of a state, or else what its positions give."""
    skip = open_rows(packed)
    if not np.any(skip):
        return packed
    constants = packed.system.row["c"].copy()
    for entry in packed.layout.constraints:
        if skip[entry.row] and entry.name in carried.constants:
            constants[entry.row], skip[entry.row] = carried.constants[entry.name], False
    return with_constants(changed(packed, row={"c": constants}), t, carried.q, skip)


def _violated(start: Start) -> list[str]:
    """Report constraints that a state, taken as it is, violates."""
    assembler = Assembler(start.packed, start.t)
    found = assembler.close(start.q, np.zeros(len(start.qd)))
    return [f"state: taken as it is, {assembler.missing(found)}"] if found.gap > OPEN else []
