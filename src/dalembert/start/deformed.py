"""Starts of deformed bodies: elastic coordinates beside the coordinates of joints, and equilibria in both descriptions.

Elastic coordinates are those of floating frames, as the channel `modal` tells them in the tree formulations.  The global
formulation begins with the places that floating frames so deformed give its faces, and with the same share of its modes: equal
up to the square of the deformation.  An equilibrium knows both descriptions, each in balance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import Fault, ModelError, near_names
from ..model.check import check
from ..model.checked import CheckedModel
from ..model.model import Model
from ..model.values import frozen, shown
from ..results.recovery import Recovery
from ..results.results import Results
from ..system.layout import Layout
from ..topology.flexible import floating_at, reduced_source
from ..topology.span import Plan, span


@dataclass(frozen=True)
class Deformed:
    """Coordinates of all joints of a tree, hidden ones too, and elastic coordinates of all flexible bodies, by name.

    `hidden` are joints that the user does not know of, `notes` belong among the messages of a run.
    """

    joints: dict[str, np.ndarray]
    elastic: dict[str, np.ndarray]
    hidden: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @classmethod
    def of_frame(cls, layout: Layout, q: np.ndarray, notes: tuple[str, ...] = ()) -> Deformed:
        """Read a frame (n_q,) in the user's coordinates."""
        return cls({j.name: q[j.q:j.q + j.nq] for j in layout.joints if j.nq},
                   {f.name: q[f.q:f.q + f.n] for f in layout.flexibles},
                   frozenset(j.name for j in layout.joints if j.hidden), notes)

    @property
    def starts(self) -> dict[str, np.ndarray]:
        """All of it but hidden joints, as `run` takes it."""
        return {**{name: q for name, q in self.joints.items() if name not in self.hidden}, **self.elastic}

    def put(self, plan: Plan) -> Plan:
        """Return a plan that begins here.

        Raises
        ------
        ModelError
            The plan has other joints.
        """
        joints = plan.model.joints
        carried = {joints[k].name: len(joints[k].coordinates) for k in {*plan.carrier, *plan.split} - {-1}
                   if joints[k].coordinates}
        if carried != {name: len(q) for name, q in self.joints.items()}:
            odd = sorted(set(carried) ^ set(self.joints)) or sorted(carried)
            raise ModelError([Fault("start", f"found the equilibrium of a model with other joints ({', '.join(odd[:6])}), "
                                             "expected one of this model; find it anew, or give coordinates by name, "
                                             "start=static(model).starts")])
        started = tuple(replace(j, start=frozen(self.joints[j.name])) if j.name in self.joints else j for j in joints)
        return replace(plan, model=replace(plan.model, joints=started))


def split_starts(model: Model, start: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the starts of joints, and elastic coordinates by flexible body.

    Raises
    ------
    ModelError
        Elastic coordinates are not as many as the body has, or a name is not known.
    """
    if not isinstance(start, Mapping) or all(name in model and hasattr(model[name], "start") for name in start):
        return start, {}
    checked = check(model)
    flexibles = {f.name: f for f in checked.flexibles}
    elastic = {name: value for name, value in start.items() if name in flexibles}
    faults = _unknown(model, checked, [name for name in start if name not in flexibles])
    if not faults and elastic:
        sizes = {f.name: f.n for f in _floating_bodies(span(checked))}
        faults = [fault for name, value in elastic.items() for fault in _faults(name, value, sizes[name])]
    if faults:
        raise ModelError(faults, str(model.name))
    return ({name: value for name, value in start.items() if name not in elastic},
            {name: np.array(value, float) for name, value in elastic.items()})


def _unknown(model: Model, checked: CheckedModel, names: list[str]) -> list[Fault]:
    """Faults of names that are neither joints nor flexible bodies."""
    segments: dict[str, list[str]] = {}
    for f in checked.flexibles:
        segments.setdefault(f.part, []).append(f.name)
    known, faults = [j.name for j in checked.joints] + [f.name for f in checked.flexibles], []
    for name in names:
        if name in segments:
            faults.append(Fault(f"start.{name}", f"{name!r} has {len(segments[name])} segments, expected the elastic "
                                                 f"coordinates of each: {', '.join(map(repr, segments[name][:6]))}"))
        elif not (name in model and hasattr(model[name], "start")):
            faults.append(Fault("start", f"no joint or flexible body {shown(name)}.{near_names(name, known)}"))
    return faults


def _faults(name: str, value: Any, size: int) -> list[Fault]:
    try:
        found = np.array(value, float)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.shape == (size,) and np.isfinite(found).all():
        return []
    return [Fault(f"start.{name}", f"found {shown(value)}, expected the {size} elastic coordinates of its floating frame, as "
                                   f"static(model).starts has them and the channel '{name}.modal' tells them")]


@dataclass(frozen=True)
class _Floating:
    """A flexible body of a plan in its floating frame."""

    name: str
    body: Any

    @property
    def n(self) -> int:
        return self.body.n


def _floating_bodies(plan: Plan) -> list[_Floating]:
    """Flexible bodies of a tree of floating frames."""
    return [_Floating(b.name.removesuffix(" (frame)"), b.floating) for b in plan.model.bodies if b.floating is not None]


def modes_of_floating(plan: Plan, elastic: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Coordinates of the modes between interfaces that elastic coordinates of the plan's floating frames amount to."""
    found = {}
    for f in _floating_bodies(plan):
        if f.name in elastic:
            found[f.name] = (f.body.coordinates @ elastic[f.name])[6 * len(f.body.reduced.interfaces):]
    return found


def seen_from_frames(model: Model, layout: Layout, results: Results) -> dict[str, np.ndarray]:
    """Elastic coordinates of floating frames, next to a frame of results in interface coordinates.

    Parameters
    ----------
    model : Model
    layout : Layout
        Of the tree of floating frames.
    results : Results
        One frame of the global formulation.
    """
    recovery, found = Recovery(results, model), {}
    flexibles = {f.name: replace(f, source=reduced_source(f.source)) for f in recovery.model.flexibles}
    for entry in layout.flexibles:
        flexible = flexibles[entry.name]
        carrier = next(j for j in layout.joints if j.hidden and j.body == entry.body)
        face = next((name for name, row in flexible.faces.items() if recovery.model.bodies[row].name == carrier.first), None)
        found[entry.name] = _elastic(recovery, flexible, face)
    return found


def _elastic(recovery: Recovery, flexible, face: str | None) -> np.ndarray:
    """Elastic coordinates (n,) of a body whose frame is tangent at a face, or that hangs on the ground."""
    from ..flex.interface_frame import interface_coordinates

    floating, segment = floating_at(flexible, face), recovery.segment(flexible)
    shapes, reduced = floating.coordinates, flexible.source
    if face is None:
        rigid = reduced.rigid_modes(floating.origin)
        return np.linalg.lstsq(np.hstack([shapes, rigid]), segment.coordinates[0], rcond=None)[0][:floating.n]
    r, axes = recovery.pose(flexible.faces[face])
    place = floating.places[face]
    R = axes[0] @ place.orientation.T
    poses = [recovery.pose(flexible.faces[name]) for name in reduced.interfaces]
    faces = interface_coordinates(reduced, floating.origin, np.stack([p for p, _ in poses], axis=1),
                                  np.stack([a for _, a in poses], axis=1), (r[0] - R @ place.position)[None], R[None])
    modes = segment.coordinates[0, faces.shape[1]:]
    return np.linalg.lstsq(shapes, np.concatenate([faces[0], modes]), rcond=None)[0]
