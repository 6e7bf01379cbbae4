"""Start values: given starts, zero otherwise, drives win; loops are closed and massless directions made consistent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..codes import FormCode
from ..errors import AssemblyError, Fault, ModelError
from ..kernels.linked_work import make_linked_work
from ..kernels.tree.state import eval_drives
from ..model.check import check
from ..model.model import Model
from ..results.results import Results
from ..system.pack import Packed, pack
from ..system.reverse import swap
from ..topology.flexible import FACES, RIGID
from ..topology.span import Plan, span
from .assembly import Assembler
from .constraints import Constraints
from .deformed import modes_of_floating, split_starts
from .formulations import Global, Recursive, SemiRecursive, choose_formulation
from .given_penalties import with_given, without_rows
from .massless import describe, make_consistent
from .mobility import find_mobility, redundancy_messages
from .natural import NaturalStart, make_natural
from .penalties import with_penalties
from .rank import may_lack_inertia
from .undeformed import as_seen, undeformed

NOTHING: Mapping[str, np.ndarray] = {}


@dataclass(frozen=True)
class Start:
    """A packed model with its state at time zero (tree coordinates), what the check noted and what had to be moved.

    `natural` holds the same in natural coordinates if the formulation takes them.  `slack` (n_v,) is 1 for rates that can
    change without inertia, `massless_rates` (m,) are the independent ones,
    `motions` (m, n_v) how the others go along, and `fastest` the largest rate of decay along them [1/s].
    """

    packed: Packed
    q: np.ndarray
    qd: np.ndarray
    messages: tuple[str, ...]
    formulation: Recursive | SemiRecursive | Global
    slack: np.ndarray
    massless_rates: np.ndarray
    motions: np.ndarray
    natural: NaturalStart | None = None
    fastest: float = 0.0

    @property
    def has_rows(self) -> bool:
        """True if the formulation carries constraints."""
        return bool(self.packed.system.constants[0].form != FormCode.TREE)

    @property
    def shown(self) -> Packed:
        """Tables in whose coordinates results are told: those of the tree, with superelements followed by their modes."""
        return self.natural.packed if self.natural and self.natural.packed.has_superelements else self.packed

    def with_modes(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and rates of the tree as results tell them; modes are those of the start, at rest."""
        layout = self.shown.layout
        modes = self.natural.q[-(layout.n_q - len(q)):] if layout.n_q > len(q) else q[:0]
        return np.concatenate([q, modes]), np.concatenate([qd, np.zeros(len(modes))])

    @property
    def massless(self) -> int:
        """Number of independent directions without inertia."""
        return len(self.massless_rates)


def with_starts(model: Model, start=None, start_rate=None) -> Model:
    """Return the model with other starts: mappings of joint names to coordinates and to rates."""
    for field, given in (("start", start), ("start_rate", start_rate)):
        if given is None:
            continue
        if not hasattr(given, "items"):
            raise ModelError([Fault(field, f"found {given!r}, expected a mapping such as {{'elbow': 0.2}}; an equilibrium, "
                                           "static(model), is one, and has it as static(model).starts")])
        for name, value in given.items():
            model = model.replaced(name, **{field: value})
    return model


def prepare_start(model: Model, start=None, start_rate=None, formulation="auto") -> Start:
    """Check, span and pack a model and give every coordinate its start; `start` may be an equilibrium."""
    rest = start if isinstance(start, Results) and hasattr(start, "starts") else None
    given, elastic = split_starts(model, rest.starts if rest and not rest.layout.flexibles else None if rest else start)
    checked = check(with_starts(model, given, start_rate))
    plan = span(checked)
    chosen = choose_formulation(formulation, plan)
    if checked.flexibles:
        plan, elastic = _flexible_start(checked, plan, chosen, rest, elastic)
    return _begin(plan, chosen, chosen, elastic)


def _flexible_start(checked, plan: Plan, chosen, rest, elastic: dict) -> tuple[Plan, dict]:
    """Plan with a start for every joint, and elastic coordinates (of faces: modes) by flexible body.

    Bodies are undeformed, deformed by the elastic coordinates given, or as they are in an equilibrium `rest`.
    """
    from .evaluate import results_of_state

    in_faces = isinstance(chosen, Global)
    target = span(checked, FACES) if in_faces else plan
    if rest is not None:
        found = rest.deformed(in_faces)
        try:
            target = undeformed(checked, target, close_undeformed)
        except AssemblyError:  # the rigid twin has no such position; it would give rates alone
            pass
        target = found.put(target)
        return replace(target, model=replace(target.model, notes=(*target.model.notes, *found.notes))), found.elastic
    if not elastic or not in_faces:
        return undeformed(checked, target, close_undeformed, keep=bool(elastic)), elastic
    form = SemiRecursive() if plan.has_loops else Recursive()
    bent = _begin(undeformed(checked, plan, close_undeformed, keep=True), form, form, elastic)
    return as_seen(results_of_state(bent, 0.0), target), modes_of_floating(plan, elastic)


def prepare_rigid(model: Model, start=None) -> Start:
    """Likewise with all flexible bodies rigid, in a tree formulation; elastic coordinates are passed over."""
    given, _ = split_starts(model, start.starts if isinstance(start, Results) else start)
    plan = span(check(with_starts(model, given)), RIGID)
    form = SemiRecursive() if plan.has_loops else Recursive()
    return _begin(plan, form, form)


def close_undeformed(plan: Plan) -> Results:
    """Close the loops of a plan with its flexible bodies undeformed; returns the frame at time zero.

    What loops leave undecided, such as the spin of a rod between two ball joints, begins with the least kinetic energy.
    """
    from .evaluate import results_of_state
    from .reduction import calmest_rates

    form = SemiRecursive() if plan.has_loops else Recursive()
    begin = _begin(plan, form, form)
    if not plan.has_loops:
        return results_of_state(begin, 0.0)
    given = np.zeros(len(begin.qd), bool)
    joints = {j.name: j for j in plan.model.joints}
    for entry in begin.packed.layout.joints:
        given[entry.v:entry.v + entry.nv] = joints[entry.name].start_rate is not None
    return results_of_state(replace(begin, qd=calmest_rates(begin.packed, begin.q, begin.qd, given)), 0.0)


def _begin(plan: Plan, chosen, form, elastic=NOTHING) -> Start:
    """Start of a plan for a chosen formulation, packed for `form`, with elastic coordinates by flexible body.

    Without constraints the semi-recursive equations are those of the tree.
    """
    if isinstance(form, Recursive):
        packed = pack(plan)
    else:
        packed = pack(plan, FormCode.SEMI_RECURSIVE, getattr(form, "reference", "centre-of-mass"))
    layout = packed.layout
    q, qd = np.zeros((1, layout.n_q)), np.zeros((1, layout.n_v))
    joints = {j.name: j for j in plan.model.joints}
    for entry in layout.joints:
        joint = joints[entry.name]
        q[0, entry.q:entry.q + entry.nq] = _coordinates(entry, joint.start)
        if joint.start_rate is not None:
            qd[0, entry.v:entry.v + entry.nv] = joint.start_rate
    for entry in layout.flexibles:
        q[0, entry.q:entry.q + entry.n] = elastic.get(entry.name, 0.0)
    swap(layout, q, qd, np.zeros_like(qd))
    messages = plan.model.notes + _drive(packed, joints, q[0], qd[0])
    start = Start(packed, q[0], qd[0], messages, chosen, np.zeros(layout.n_v), np.zeros(0, np.int64),
                  np.zeros((0, layout.n_v)))
    if packed.system.constants[0].form != FormCode.TREE:
        return close_loops(start, joints, elastic)
    return _without_inertia(start, joints) if packed.system.constants[0].pivot else start


def _without_inertia(start: Start, joints) -> Start:
    """Give massless directions consistent values and tell so."""
    packed = start.packed
    state, found = make_consistent(packed, 0.0, start.q, start.qd)
    if found is None:
        return start
    messages = list(describe(packed, found))
    messages += moved_starts(start, joints, state.q, state.qd, "since a massless direction cannot keep it")
    slack = (np.max(abs(found.motions), axis=0) > 1e-12).astype(float)
    return replace(start, packed=state.packed, q=state.q, qd=state.qd, messages=start.messages + tuple(messages), slack=slack,
                   massless_rates=found.rates, motions=found.basis, fastest=found.fastest)


def moved_starts(start: Start, joints, q: np.ndarray, qd: np.ndarray, why: str) -> list[str]:
    """Messages on given starts and rates that became other ones."""
    messages = []
    for j in start.packed.layout.joints:
        if j.hidden:
            continue
        given = joints[j.name]
        n_said = j.nv - _unsaid(j, given)
        for was_given, word, new, old, said in (
                (given.keeps_start or None, "start", q[j.q:j.q + j.nq], start.q[j.q:j.q + j.nq], j.nq),
                (given.start_rate, "start rate", qd[j.v:j.v + j.nv], start.qd[j.v:j.v + j.nv], n_said)):
            if was_given is not None and np.any((abs(new - old) > 1e-9 * (1 + abs(old)))[:said]):
                messages.append(f"joint {j.name!r}: {word} moved from {_shown(old)} to {_shown(new)}, {why}")
    return messages


def _unsaid(entry, joint) -> int:
    """Number of a joint's rates, the last ones, that were not given with the others.

    Written the other way round a velocity depends on the spin: then all count as given.
    """
    return 0 if entry.reversed else joint.unsaid_rates


def close_loops(start: Start, joints, elastic=NOTHING) -> Start:
    """Assemble positions and rates, fill in constants left open, choose penalties, and tell what was found."""
    packed, layout = start.packed, start.packed.layout
    given, given_rate, unsaid = (np.zeros(layout.n_v, bool) for _ in range(3))
    for j in layout.joints:
        given[j.v:j.v + j.nv] = joints[j.name].keeps_start and not (j.hidden and elastic)
        given_rate[j.v:j.v + j.nv] = joints[j.name].start_rate is not None
        unsaid[j.v + j.nv - _unsaid(j, joints[j.name]):j.v + j.nv] = True
    for entry in layout.flexibles:
        given[entry.v:entry.v + entry.n] = entry.name in elastic
    skip = np.zeros(len(packed.system.row), bool)
    for constraint, entry in zip(packed.plan.model.constraints, layout.constraints, strict=True):
        if constraint.value is None and constraint.law is None:
            skip[entry.row] = True
    work = make_linked_work(packed.system)
    q = Assembler(packed, skip=skip, work=work).positions(start.q, given)
    packed = _with_constants(packed, q, skip)
    qd = Assembler(packed, work=work).rates(q, start.qd, given_rate, unsaid)
    redundant = find_mobility(packed, 0.0, q, qd, work).redundant
    penalty = getattr(start.formulation, "penalty", None)
    packed = replace(with_given(with_penalties(packed, 0.0, q, qd, work), penalty), redundant=len(redundant))
    messages = moved_starts(start, joints, q, qd, "to close the loops")
    closed = replace(start, packed=packed, q=q, qd=qd, messages=start.messages + tuple(messages))
    in_faces = isinstance(start.formulation, Global) and packed.plan.model.flexibles  # which have their inertia elsewhere
    if packed.system.constants[0].pivot and not in_faces and may_lack_inertia(packed, q, qd):
        closed = _without_inertia(closed, joints)
    natural = None
    if isinstance(start.formulation, Global):
        natural = make_natural(closed.packed, closed.q, closed.qd, elastic)
        natural = replace(natural, packed=with_given(natural.packed, penalty))
    told = without_rows(natural.packed if natural else packed, penalty) + redundancy_messages(redundant)
    return replace(closed, messages=(*closed.messages, *told), natural=natural)


def _with_constants(packed: Packed, q: np.ndarray, skip: np.ndarray) -> Packed:
    """The packed model whose open constants (a distance, a gear's offset) are what the assembled start gives."""
    if not np.any(skip):
        return packed
    rows = Constraints(packed).evaluate(0.0, q, np.zeros(packed.layout.n_v))
    row = packed.system.row.copy()
    row["c"][skip] += rows.value[skip]
    row.setflags(write=False)
    return replace(packed, system=packed.system._replace(row=row))


def _shown(values: np.ndarray) -> str:
    return ", ".join(f"{x:.6g}" for x in values)


def _coordinates(entry, start):
    if start is not None:
        return start
    zero = np.zeros(entry.nq)
    if entry.kind in ("spherical", "free"):
        zero[entry.nq - 4] = 1.0
    return zero


def _drive(packed: Packed, joints, q, qd) -> tuple[str, ...]:
    """Set driven coordinates and rates at time zero; tell what a given start had to give way."""
    if not packed.layout.motions:
        return ()
    before_q, before_qd = q.copy(), qd.copy()
    eval_drives(packed.system, 0.0, q, qd, np.zeros_like(qd))
    if packed.law_errors:
        raise packed.law_errors[0].error("at t = 0")
    messages = []
    for m in packed.layout.motions:
        joint = joints[m.joint]
        for given, word, new, old in ((joint.keeps_start or None, "start", q[m.q], before_q[m.q]),
                                      (joint.start_rate, "start rate", qd[m.v], before_qd[m.v])):
            if given is not None and new != old:
                messages.append(f"joint {m.joint!r}: {word} moved from {old:.6g} to {new:.6g} by the drive {m.name!r}")
    return tuple(messages)


def assemble(model: Model, *, start=None, start_rate=None) -> Results:
    """Put a mechanism together at time zero and return the single frame.

    Parameters
    ----------
    model : Model
    start, start_rate : mapping, optional
        Coordinates and rates by joint name, instead of the model's; `start` as for `run`.

    Returns
    -------
    Results
        One frame at t = 0 with all channels; `messages` tells what had to be moved.
    """
    from .evaluate import results_of_state

    begin = prepare_start(model, start, start_rate)
    return results_of_state(begin, 0.0)
