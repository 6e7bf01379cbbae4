"""Named channels: which quantities a body, point, joint, constraint, force element, motion and the system have.

A quantity is a unit, the labels of its components and a small function of the run's arrays and the named thing's
entry in the layout.  Adding a quantity is adding a line to a table here or in places, joints and constraints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ChannelError, near_names
from ..model.forces import FORCE_KINDS
from ..model.joints import JOINT_KINDS
from ..system.layout import ControllerEntry, ForceEntry, Layout, MotionEntry
from . import balance
from . import tables as tab
from .constraints import CONSTRAINTS
from .flexible import FACE, modal_quantities
from .joints import CUT, joint_quantities
from .places import PLACE, origin_of
from .quantity import XYZ, Quantity, Shown, Source, Take

Owners = dict[str, list[tuple[dict[str, Quantity], Any]]]
"""Name of a thing -> its tables of quantities, each with the entry that the quantities take."""


def owners(layout: Layout) -> Owners:
    """Return everything that has channels."""
    found: Owners = {}

    def add(name: str, quantities: dict[str, Quantity], entry: Any) -> None:
        found.setdefault(name, []).append((quantities, entry))

    for row, name in enumerate(layout.bodies[1:], start=1):
        if row not in layout.hidden:
            add(name, PLACE, origin_of(name, row))
    for point in layout.points:
        add(point.name, PLACE, point)
    for face in layout.faces:
        add(face.name, FACE, face)
    for flexible in layout.flexibles:
        add(flexible.name, modal_quantities(flexible.coordinates), flexible)
    for row, joint in enumerate(layout.joints):
        if not joint.hidden:
            add(joint.name, joint_quantities(joint.kind), (row, joint))
    for row, cut in enumerate(layout.cuts, start=len(layout.joints)):
        add(cut.name, joint_quantities(cut.kind, CUT), (row, cut))
    for row, constraint in enumerate(layout.constraints, start=len(layout.joints) + len(layout.cuts)):
        add(constraint.name, CONSTRAINTS[constraint.kind], (row, constraint))
    moved = {joint.name: (joint, JOINT_KINDS[joint.kind].rate_units) for joint in layout.joints}
    for force in layout.forces:
        units = moved[force.on[0]][1] if FORCE_KINDS[force.kind].on == "coordinate" else ()
        add(force.name, _in_units(ELEMENTS[force.kind], units), force)
    for motion in layout.motions:
        joint, units = moved[motion.joint]
        add(motion.name, _in_units(MOTION, units[motion.v - joint.v:][:1]), motion)
    for contact in layout.contacts:
        add(contact.name, RESISTANCES[contact.kind, contact.unit] if contact.kind != "shapes" else CONTACTS, contact)
    for group in layout.groups:
        add(group.name, GROUPS, group)
    for controller in layout.controllers:
        add(controller.name, controller_quantities(controller.outputs), controller)
    for name, quantities in SYSTEM.items():
        add(name, quantities, None)
    return found


def _in_units(quantities: dict[str, Quantity], units: Sequence[str]) -> dict[str, Quantity]:
    """Return the quantities of an element on a joint; `units` are those of what it moves, one if it is known."""
    if len(set(units)) != 1:
        return quantities
    unit = units[0]
    said = {"N, N m": "N" if unit == "m" else "N m", "rad, m": unit, "rad/s, m/s": f"{unit}/s"}
    return {name: replace(quantity, unit=said.get(quantity.unit, quantity.unit)) for name, quantity in quantities.items()}


def names(known: Owners) -> Iterator[str]:
    """Run through the names of all channels."""
    for owner, tables in known.items():
        for quantities, _ in tables:
            yield from (f"{owner}.{quantity}" for quantity in quantities)


def find(known: Owners, name: str) -> tuple[Quantity, Any]:
    """Return the quantity of this name and the entry it takes; ChannelError names the near misses."""
    owner, _, quantity = str(name).rpartition(".")
    for quantities, entry in known.get(owner, ()):
        if quantity in quantities:
            return quantities[quantity], entry
    if owner in known:
        have = sorted(key for quantities, _ in known[owner] for key in quantities)
        raise ChannelError(f"{name!r}: {owner!r} has no channel {quantity!r}.{near_names(quantity, have)}")
    if name in known:
        have = sorted(f"{name}.{key}" for quantities, _ in known[name] for key in quantities)
        raise ChannelError(f"{name!r} is a part, not a channel. Its channels: {', '.join(have)}.")
    raise ChannelError(f"no channel {name!r}.{near_names(owner or name, sorted(known))}")


# force elements; an entry is a ForceEntry


def _element(columns: slice | int) -> Take:
    return lambda source, force: source.array("element")[:, force.row, columns]


def _power(source: Source, force: ForceEntry) -> np.ndarray:
    row = source.array("element")[:, force.row]
    out: np.ndarray = row[:, tab.SCALAR] * row[:, tab.RATE]
    return out


_SHOWN: dict[str, Shown] = {
    "force": (XYZ, _element(tab.FORCE)),
    "torque": (XYZ, _element(tab.TORQUE)),
    "effort": ((), _element(tab.SCALAR)),
    "tension": ((), _element(tab.SCALAR)),
    "length": ((), _element(tab.LENGTH)),
    "rate": ((), _element(tab.RATE)),
    "power": ((), _power),
}
"""What a channel of a force element may show -> labels of its components, and its function."""
ELEMENTS = {kind: {channel.name: Quantity(channel.unit, *_SHOWN[channel.shows or channel.name])
                   for channel in record.channels} for kind, record in FORCE_KINDS.items()}


# controllers; an entry is a ControllerEntry


def _held(source: Source, controller: ControllerEntry) -> np.ndarray:
    return source.array("held")[:, controller.column:controller.column + len(controller.outputs)]


def controller_quantities(outputs: tuple[str, ...]) -> dict[str, Quantity]:
    """Return the quantities of a controller that moves these force elements; one output is a scalar."""
    if len(outputs) == 1:
        return {"outputs": Quantity("N, N m", (), lambda source, controller: _held(source, controller)[:, 0])}
    return {"outputs": Quantity("N, N m", (outputs,), _held)}


# contacts; an entry is a ContactEntry


def _contact(columns: slice | int) -> Take:
    return lambda source, contact: source.array("contact")[:, contact.row, columns]


CONTACTS = {
    "gap": Quantity("m", (), _contact(tab.GAP)),
    "normal_force": Quantity("N", (), _contact(tab.NORMAL_FORCE)),
    "friction_force": Quantity("N", XYZ, _contact(tab.FRICTION_FORCE)),
}
_EFFORTS = {unit: Quantity(unit, (), _contact(tab.NORMAL_FORCE)) for unit in ("N", "N m")}
RESISTANCES = {(kind, unit): ({} if kind == "friction" else {"gap": Quantity(of, (), _contact(tab.GAP))}) | {"effort": effort}
               for (unit, effort), of in zip(_EFFORTS.items(), ("m", "rad"), strict=True) for kind in ("limits", "friction")}
"""Kind and unit of limits or friction of a joint -> their quantities."""


def _group(column: int) -> Take:
    return lambda source, group: source.array("group")[:, group.row, column]


GROUPS = {
    "gap": Quantity("m", (), _group(tab.GAP)),
    "normal_force": Quantity("N", (), _group(tab.NORMAL_FORCE)),
    "touches": Quantity("", (), _group(tab.TOUCHES)),
}


# motions and the system


def _drive(source: Source, motion: MotionEntry) -> np.ndarray:
    """Effort of the drive alone: the table holds it, without springs and motors, for driven rates."""
    return source.array("effort")[:, motion.v]


MOTION = {"effort": Quantity("N, N m", (), _drive)}


def _system(columns: slice | int) -> Take:
    return lambda source, _: source.array("system")[:, columns]


def _total(*columns: int) -> Take:
    return lambda source, _: source.array("system")[:, list(columns)].sum(axis=1)


def _violation(source: Source, _: object) -> np.ndarray:
    """Largest violation of a constraint, or deviation of a quaternion's norm from one (nf,)."""
    q, worst = source.array("q"), source.array("system")[:, tab.POSITION_GAP].copy()
    for joint in source.layout.joints:
        if JOINT_KINDS[joint.kind].ball:
            norm = np.linalg.norm(q[:, joint.q + joint.nq - 4 : joint.q + joint.nq], axis=1)
            np.maximum(worst, np.abs(norm - 1.0), out=worst)
    return worst


SYSTEM = {
    "energy": {
        "kinetic": Quantity("J", (), _system(tab.KINETIC)),
        "potential": Quantity("J", (), _total(tab.GRAVITY, tab.ELASTIC)),
        "gravity": Quantity("J", (), _system(tab.GRAVITY)),
        "elastic": Quantity("J", (), _system(tab.ELASTIC)),
        "total": Quantity("J", (), _total(tab.KINETIC, tab.GRAVITY, tab.ELASTIC)),
        "power": Quantity("W", (), balance.power),
        "work": Quantity("J", (), balance.work),
        "balance": Quantity("J", (), balance.balance),
    },
    "momentum": {
        "linear": Quantity("kg m/s", XYZ, _system(tab.LINEAR_MOMENTUM)),
        "angular": Quantity("kg m²/s", XYZ, _system(tab.ANGULAR_MOMENTUM)),
    },
    "constraints": {
        "position": Quantity("1", (), _violation),
        "velocity": Quantity("1/s", (), _system(tab.VELOCITY_GAP)),
    },
}
