"""A state carried to another plan: coordinates and rates of its tree from the poses and velocities of bodies.

Joints are solved one by one, which is exact: the motion of its two bodies determines the coordinates of a joint whatever the
tree.  A joint that the state knows keeps its own numbers if these say the same, with all turns that it has made.  The frames
of flexible bodies that the plan has and the state has not follow from their interfaces (flex/floating_fit.py).  What is new,
and so has no pose, begins as the model says; what could not be kept is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..flex.floating_fit import fit_floating, frame_on
from ..model.checked import CheckedFlexible, CheckedJoint, CheckedModel, Place
from ..model.flexible_parts import Interfaced
from ..model.joints import JOINT_KINDS
from ..system.extent import length_scale
from ..system.layout import FlexibleEntry, JointEntry
from ..system.pack import Packed
from ..system.reverse import swap
from .state import Elastic, JointState, Moving, State, attached, joint_between, poses_of

SAME = 1e-9
"""Coordinates that differ by less, relative to their size, are taken for those of the same pose."""
KEPT = 1e-8
"""Change of a pose or velocity, relative to the size of the model or to the largest velocity, that is not reported."""
MOST_TOLD = 6
"""Bodies that are named in a note."""


@dataclass(frozen=True)
class Carried:
    """Where a plan begins: coordinates (n_q,) and rates (n_v,) of its tree, elastic states of bodies between interfaces.

    `known` are open constraints whose constants the state has, `notes` say what could not be kept.
    """

    q: np.ndarray
    qd: np.ndarray
    modes: dict[str, Elastic] = field(default_factory=dict)
    constants: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def onto(state: State, packed: Packed, same: Collection[str] = ()) -> Carried:
    """Carry a state to a model that is packed in joint coordinates.

    Joints in `same` are those of the state's model, between the same places: they keep their coordinates.
    """
    return _Carrying(state, packed, same).go()


def free_coordinates(kind: str, nq: int) -> np.ndarray:
    """Return the coordinates of a joint at rest in its zero position."""
    zero = np.zeros(nq)
    if JOINT_KINDS[kind].ball:
        zero[nq - 4] = 1.0
    return zero


class _Carrying:
    """A state on its way."""

    def __init__(self, state: State, packed: Packed, same: Collection[str]):
        self.state, self.packed, self.layout, self.same = state, packed, packed.layout, same
        self.model: CheckedModel = packed.plan.model
        self.q, self.qd = np.zeros((1, self.layout.n_q)), np.zeros((1, self.layout.n_v))
        self.poses: dict[str, Moving] = dict(state.bodies)
        self.notes: list[str] = []
        self.joints = {joint.name: joint for joint in self.model.joints}
        self.row_of = {body.name: row for row, body in enumerate(self.model.bodies)}
        self.flexible_of = {flexible.name: flexible for flexible in self.model.flexibles}
        self.length = length_scale(self.model)
        speeds = [max(_largest(m.velocity) / self.length, _largest(m.angular_velocity)) for m in state.bodies.values()]
        self.pace = max(speeds, default=0.0)

    def go(self) -> Carried:
        """Fill coordinates and rates outward."""
        for entry in self.layout.joints:
            self.q[0, entry.q:entry.q + entry.nq] = free_coordinates(entry.kind, entry.nq)
        modes = {f.name: self._modes(f) for f in self.model.flexibles} if self._in_faces() else {}
        for flexible in self.layout.flexibles:
            if flexible.name in modes:
                self._put_elastic(flexible, modes[flexible.name].coordinates, modes[flexible.name].rates)
            else:
                self._place_frame(flexible)
        moving = [entry for entry in self.layout.joints if entry.nq]
        unknown = [entry for entry in moving if not self._set(entry)]
        new = [entry for entry in unknown if not self._closes(entry)]
        if new:
            self.notes.append(f"state: joint{'s' * (len(new) > 1)} {_listed([entry.name for entry in new])} "
                              f"begin{'s' * (len(new) == 1)} as the model says, since the state does not know "
                              f"{'them' if len(new) > 1 else 'it'}")
        swap(self.layout, self.q, self.qd, np.zeros_like(self.qd))
        if any(entry.name not in self.same for entry in moving) or self.layout.motions:
            self._compare()
        constants = {c.name: self.state.constants[c.name] for c in self.model.constraints if c.name in self.state.constants}
        return Carried(self.q[0], self.qd[0], modes, constants, (*self.state.notes, *self.notes))

    def _in_faces(self) -> bool:
        """Tell whether flexible bodies stand between their interfaces."""
        return all(flexible.body < 0 for flexible in self.layout.flexibles)

    def _reached(self) -> dict[str, Moving]:
        """Poses of the bodies as far as the coordinates are set; valid inboard of the joint that is next."""
        q, qd = self.q.copy(), self.qd.copy()
        swap(self.layout, q, qd, np.zeros_like(qd))
        return poses_of(self.packed, q[0], qd[0])

    # --- joints -----------------------------------------------------------------------------------------------------

    def _set(self, entry: JointEntry) -> bool:
        """Set a joint of the tree; False if nothing is known of it."""
        joint = self.joints[entry.name]
        inner, outer = (joint.second, joint.first) if entry.reversed else (joint.first, joint.second)
        named, found = self._named(joint), None
        if named is not None and entry.name in self.same:
            self._put(entry, named.coordinates, named.rates)
            return True
        if self._name(outer) in self.poses:
            if self._name(inner) not in self.poses:
                self.poses[self._name(inner)] = self._reached()[self._name(inner)]
            found = self._from_poses(joint, named)
        if found is None and named is None:
            start = free_coordinates(entry.kind, entry.nq) if joint.start is None else joint.start
            self._put(entry, start, np.zeros(entry.nv) if joint.start_rate is None else joint.start_rate)
            return False
        kept = named if found is None or (named is not None and self._same(joint, found, named)) else found
        assert kept is not None
        self._put(entry, kept.coordinates, kept.rates)
        return True

    def _closes(self, entry: JointEntry) -> bool:
        """Set a joint that closes a loop to a body which other joints have placed meanwhile; False if it carries its body."""
        joint = self.joints[entry.name]
        if not any(self.model.joints[k] is joint for k in self.packed.plan.split):
            return False
        self.poses = {**self._reached(), **self.poses}
        found = self._from_poses(joint, None)
        self._put(entry, found.coordinates, found.rates)
        return True

    def _put(self, entry: JointEntry, coordinates: np.ndarray, rates: np.ndarray) -> None:
        self.q[0, entry.q:entry.q + entry.nq] = coordinates
        self.qd[0, entry.v:entry.v + entry.nv] = rates

    def _named(self, joint: CheckedJoint) -> JointState | None:
        """Return what the state has under the joint's name, if that is of its kind."""
        named = self.state.joints.get(joint.name)
        return named if named is not None and named.kind == joint.code else None

    def _from_poses(self, joint: CheckedJoint, named: JointState | None) -> JointState:
        """Return a joint's motion from that of its bodies."""
        first, second = (attached(self.poses[self._name(place)], place) for place in (joint.first, joint.second))
        return joint_between(joint, first, second, None if named is None else named.coordinates)

    def _same(self, joint: CheckedJoint, found: JointState, named: JointState) -> bool:
        """Tell whether two motions of a joint differ by rounding only."""
        turns = np.array([name.startswith(("angle", "q")) for name in joint.coordinates])
        size = np.where(turns, 1.0, self.length)
        still = np.all(abs(found.coordinates - named.coordinates) <= SAME * (size + abs(named.coordinates)))
        size = np.resize(size, len(named.rates))
        return bool(still and np.all(abs(found.rates - named.rates) <= SAME * (self.pace * size + abs(named.rates))))

    def _name(self, place: Place) -> str:
        return self.model.bodies[place.body].name

    # --- flexible bodies --------------------------------------------------------------------------------------------

    def _place_frame(self, entry: FlexibleEntry) -> None:
        """Set elastic coordinates of a floating body, and find where its frame stands."""
        frame = self.layout.bodies[entry.body]
        floating, known = self.model.bodies[self.row_of[frame]].floating, self.state.elastic.get(entry.name)
        if known is not None and known.frame == floating.frame and len(known.coordinates) == entry.n:
            self._put_elastic(entry, known.coordinates, known.rates)
            return
        self.poses.pop(frame, None)  # of another frame
        flexible = self.flexible_of[entry.name]
        rows = {**flexible.faces, **flexible.points}
        seen = {name: self.poses[self.model.bodies[row].name] for name, row in rows.items()
                if self.model.bodies[row].name in self.poses}
        interfaces = floating.reduced.interfaces if floating.reduced else ()
        if (known is None or known.modes is None or known.mode_rates is None
                or not (interfaces and set(interfaces) <= set(seen))):
            if known is not None:
                self.notes.append(f"state: the deformation of flexible body {entry.name!r} could not be kept")
            if seen:
                first = next(iter(seen))
                self.poses[frame] = frame_on(floating, first, seen[first])
            return
        carrier = next(self.joints[j.name] for j in self.layout.joints if j.body == entry.body)
        entered = next((name for name, row in rows.items() if row == carrier.first.body), None)
        fit = fit_floating(floating, {name: seen[name] for name in interfaces}, known.modes, known.mode_rates,
                           frame_on(floating, entered, seen[entered]) if entered in seen else None)
        self.poses[frame] = fit.frame
        self._put_elastic(entry, fit.coordinates, fit.rates)

    def _put_elastic(self, entry: FlexibleEntry, coordinates: np.ndarray, rates: np.ndarray) -> None:
        self.q[0, entry.q:entry.q + entry.n] = coordinates
        self.qd[0, entry.v:entry.v + entry.n] = rates

    def _modes(self, flexible: CheckedFlexible) -> Elastic:
        """Return the modes of a body between its interfaces."""
        n = flexible.source.n_modes if isinstance(flexible.source, Interfaced) else 0
        found = self.state.elastic.get(flexible.name)
        if found is None or found.modes is None or found.mode_rates is None or len(found.modes) != n:
            if found is not None:
                self.notes.append(f"state: the deformation of flexible body {flexible.name!r} could not be kept")
            return Elastic(None, np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))
        return Elastic(None, found.modes, found.mode_rates, found.modes, found.mode_rates)

    # --- what is left -----------------------------------------------------------------------------------------------

    def _compare(self) -> None:
        """Report bodies that are not where the state has them, or that do not move so."""
        poses, hidden = poses_of(self.packed, self.q[0], self.qd[0]), {self.layout.bodies[row] for row in self.layout.hidden}
        off = []
        for name, new in poses.items():
            if name not in self.state.bodies or name in hidden:
                continue
            old = self.state.bodies[name]
            moved, turned, sped, spun = (_largest(a - b) for a, b in zip(new, old, strict=True))
            if max(moved / self.length, turned) > KEPT or max(sped / self.length, spun) > KEPT * self.pace:
                off.append((name, moved, sped))
        if off:
            names = [name for name, *_ in off]
            self.notes.append(f"state: bod{'y' if len(off) == 1 else 'ies'} {_listed(names)} could not be kept: moved by "
                              f"up to {max(way for _, way, _ in off):.3g} m, velocities changed by up to "
                              f"{max(speed for *_, speed in off):.3g} m/s")


def _largest(values: np.ndarray) -> float:
    return float(np.max(abs(values), initial=0.0))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:MOST_TOLD])) + ", …" * (len(names) > MOST_TOLD)
