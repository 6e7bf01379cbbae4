"""Quantities of joints; an entry is (row of the reaction table, JointEntry or CutEntry).

A tree joint and one that closes a loop have the same names and units; they differ in where the numbers come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..model.joints import JOINT_KINDS
from ..model.records import TURN as FULL_TURN
from ..model.records import JointRecord
from ..system.layout import CutEntry, JointEntry
from . import cut_joints as cut
from . import tables as tab
from .quantity import WXYZ, XYZ, Quantity, Source, Take, reaction

TURN, TURNS = "roll_pitch_yaw", ("roll", "pitch", "yaw")
"""How a ball or free joint has turned: about x, then the first frame's y, then its z."""


class Motion(NamedTuple):
    """Functions that give the motion of a joint's own coordinates.

    Attributes
    ----------
    coordinates : callable
        (nf, nq)
    rates, accelerations, efforts : callable
        (nf, nv)
    """

    coordinates: Take
    rates: Take
    accelerations: Take
    efforts: Take


def _block(table: str) -> Take:
    """Take the joint's columns of q, qd, qdd or effort."""
    if table == "q":
        return lambda source, entry: source.array("q")[:, entry[1].q : entry[1].q + entry[1].nq]
    return lambda source, entry: source.array(table)[:, entry[1].v : entry[1].v + entry[1].nv]


def _followed(function: Callable[[Source, CutEntry], np.ndarray]) -> Take:
    """Take what follows from the bodies of a cut joint."""
    return lambda source, entry: function(source, entry[1])


TREE = Motion(*map(_block, ("q", "qd", "qdd", "effort")))
CUT = Motion(*map(_followed, (cut.coordinates, cut.rates, cut.accelerations, cut.efforts)))


def _picked(take: Take, index: int | slice) -> Take:
    """Take one column or some."""
    return lambda source, entry: take(source, entry)[:, index]


def _turned(take: Take) -> Take:
    """Take roll, pitch and yaw [deg] (nf, 3); roll and yaw go on past half a turn instead of jumping."""

    def roll_pitch_yaw(source: Source, entry: Any) -> np.ndarray:
        w, x, y, z = take(source, entry)[:, -4:].T
        roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        out: np.ndarray = np.degrees(np.column_stack([np.unwrap(roll), pitch, np.unwrap(yaw)]))
        return out

    return roll_pitch_yaw


def _advance(source: Source, entry: tuple[int, JointEntry]) -> np.ndarray:
    joint = entry[1]
    return source.array("q")[:, joint.q] * (joint.pitch / FULL_TURN)


def _mixed(units: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(units))


@lru_cache(maxsize=64)
def joint_quantities(kind: str, motion: Motion = TREE) -> dict[str, Quantity]:
    """Return the quantities of a kind of joint."""
    record = JOINT_KINDS[kind]
    found = {
        "force": Quantity("N", XYZ, reaction(tab.FORCE)),
        "torque": Quantity("N m", XYZ, reaction(tab.TORQUE)),
    }
    for index, (name, unit) in enumerate(record.drivable.items()):
        found[name] = Quantity(unit, (), _picked(motion.coordinates, index))
    if record.ball:
        found["orientation"] = Quantity("1", WXYZ, _picked(motion.coordinates, slice(-4, None)))
        found[TURN] = Quantity("deg", (TURNS,), _turned(motion.coordinates))
    if record.lead is not None:
        found[record.lead.channel] = Quantity("m", (), _advance)
    return found | _all_coordinates(record, motion) if record.coordinates else found


def _all_coordinates(record: JointRecord, motion: Motion) -> dict[str, Quantity]:
    """Return the quantities that hold all coordinates or rates at once; scalars if there is one only."""
    units, labels = record.rate_units, record.rates
    efforts = ["N" if unit == "m" else "N m" for unit in units]
    found = {
        "coordinates": Quantity(_mixed(unit or "1" for unit in record.units), (record.coordinates,), motion.coordinates),
        "rates": Quantity(_mixed(f"{unit}/s" for unit in units), (labels,), motion.rates),
    }
    inner: tuple[tuple[str, ...], ...] = (labels,)
    accelerations, effort = motion.accelerations, motion.efforts
    if len(units) == 1:
        found["speed"] = Quantity(f"{units[0]}/s", (), _picked(motion.rates, 0))
        inner, accelerations, effort = (), _picked(accelerations, 0), _picked(effort, 0)
    found["acceleration"] = Quantity(_mixed(f"{unit}/s²" for unit in units), inner, accelerations)
    found["effort"] = Quantity(_mixed(efforts), inner, effort)
    return found
