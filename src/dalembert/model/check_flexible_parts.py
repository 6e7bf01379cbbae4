"""Flexible bodies of a model: their places become massless faces, themselves what is between the faces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import Fault, ModelError
from .check_flexible import read_material, read_section
from .checked import BeamSegment, CheckedBody, CheckedFlexible, Place
from .flexible_parts import MEAN_AXIS, OWN_FRAME, Beam, FlexibleBody, Interfaced, Reduced
from .names import name_is_good
from .values import EYE3, ZERO3, Faults, flag, frozen, number, shown

THEORIES = ("timoshenko", "euler-bernoulli")
SAME_PLACE = 1e-9
"""A point nearer to the end of a segment than this part of its length is that end."""
MOST_SEGMENTS = 100_000
_NO_INERTIA = frozen(np.zeros((3, 3)))


class FlexibleRows(NamedTuple):
    """What a flexible part adds to a checked model: faces, flexible bodies and the part's places by name."""

    faces: list[CheckedBody]
    flexibles: list[CheckedFlexible]
    places: dict[str, Place]


def read_flexible(faults: Faults, where: str, part: Any, first: int) -> FlexibleRows:
    """Read a beam or a flexible body whose first face becomes row `first` of the bodies."""
    reader = _read_beam if isinstance(part, Beam) else _read_body
    return reader(faults, where, part, first)


def _faces(part: str, offsets: Mapping[str, np.ndarray], first: int, aliases: Mapping[str, int]
           ) -> tuple[list[CheckedBody], dict[str, Place]]:
    """Make the faces of the named places, `offsets` from the first; `aliases` are other names of some of them, by number."""
    names = list(offsets)
    places = {name: Place(first + k, ZERO3, EYE3, f"{part}.{name}") for k, name in enumerate(names)}
    points: list[dict[str, Place]] = [{} for _ in names]
    points[0][""] = Place(first, ZERO3, EYE3, part)
    for name, k in aliases.items():
        places[name] = points[k][name] = Place(first + k, ZERO3, EYE3, f"{part}.{name}")
    faces = [CheckedBody(f"{part}.{name}", 0.0, ZERO3, _NO_INERTIA, own, face=True, base=first, offset=frozen(offset))
             for (name, offset), own in zip(offsets.items(), points, strict=True)]
    return faces, {"": points[0][""], **places}


# --- beams ---------------------------------------------------------------------------------------------------------

def _read_beam(faults: Faults, where: str, beam: Beam, first: int) -> FlexibleRows:
    length = number(faults, where + ".length", beam.length, "m", above=0.0) or 1.0
    section = read_section(faults, where + ".section", beam.section)
    material = read_material(faults, where + ".material", beam.material)
    if beam.theory not in THEORIES:
        faults.flag(where + ".theory", f"found {shown(beam.theory)}.{faults.near(beam.theory, THEORIES)}")
    rotary_inertia = flag(faults, where + ".rotary_inertia", beam.rotary_inertia)
    count = _count(faults, where + ".bodies", beam.bodies, 1, "segments")
    modes = _count(faults, where + ".modes", beam.modes, 0, "modes")
    frame = _read_frame(faults, where + ".frame", beam.frame, ("start", "end"))
    stiffening = None if beam.stiffening is None else flag(faults, where + ".stiffening", beam.stiffening)
    at_node, inside = _sorted_points(length, count, _read_points(faults, where + ".points", beam.points, length, count))

    names = ["start", *map(str, range(1, count)), "end"]
    arcs = dict(zip(names, np.linspace(0.0, length, count + 1), strict=True))
    arcs |= {name: segment * length / count + x for name, segment, x in inside}
    faces, places = _faces(beam.name, {name: np.array([x, 0.0, 0.0]) for name, x in arcs.items()}, first, at_node)
    row_of = {name: place.body for name, place in places.items()}
    flexibles = []
    for k in range(count):
        own = tuple((name, x) for name, segment, x in inside if segment == k)
        source = BeamSegment(length / count, section, material, beam.theory, rotary_inertia, modes, own)
        flexibles.append(CheckedFlexible(
            beam.name if count == 1 else f"{beam.name} {k + 1}", beam.name, source,
            {"start": row_of[names[k]], "end": row_of[names[k + 1]]}, {name: row_of[name] for name, _ in own}, frame,
            stiffening))
    return FlexibleRows(faces, flexibles, places)


def _count(faults: Faults, where: str, value: Any, least: int, what: str) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and least <= value <= MOST_SEGMENTS:
        return int(value)
    faults.flag(where, f"found {shown(value)}, expected a whole number of {what}, {least} to {MOST_SEGMENTS}")
    return least


def _read_points(faults: Faults, where: str, points: Any, length: float, count: int) -> dict[str, float]:
    """Read the arc lengths of the named points of a beam."""
    if not isinstance(points, Mapping):
        faults.flag(where, f"found {shown(points)}, expected names with arc lengths [m]: {{'mid': 0.5}}")
        return {}
    taken = {"start", "end", *map(str, range(1, count))}
    read = {}
    for name, x in points.items():
        path = f"{where}.{name}"
        if not name_is_good(faults, path, name):
            continue
        if name in taken or "." in name:
            faults.flag(path, f"the name {name!r} is taken: a beam has the places start, end and the numbers of its inner "
                              "nodes, and dots separate body and point; choose another")
            continue
        arc = number(faults, path, x, "m", least=0.0)
        if arc > length:
            faults.flag(path, f"found {arc:g} m, expected 0 to {length:g} m, the length of the beam")
        read[name] = min(arc, length)
    return read


def _sorted_points(length: float, count: int, points: dict[str, float]) -> tuple[dict[str, int], list[tuple[str, int, float]]]:
    """Split points into those at a node (name -> node) and those inside (name, segment, arc length in it)."""
    at_node, inside = {}, []
    for name, x in points.items():
        s = x / length * count
        node = round(s)
        if abs(s - node) <= SAME_PLACE:
            at_node[name] = node
        else:
            inside.append((name, int(s), (s - int(s)) * length / count))
    return at_node, inside


def _read_frame(faults: Faults, where: str, frame: Any, interfaces: tuple[str, ...]) -> Any:
    """Read the choice of a floating frame."""
    if frame is None or (isinstance(frame, str) and frame in (*interfaces, MEAN_AXIS)):
        return frame
    if isinstance(frame, (list, tuple)) and len(frame) == 2 and all(f in interfaces for f in frame) and frame[0] != frame[1]:
        return tuple(frame)
    faults.flag(where, f"found {shown(frame)}, expected an interface ({', '.join(interfaces)}), two of them for the chord, or "
                       f"{MEAN_AXIS!r}")
    return None


def _read_chosen(faults: Faults, where: str, frame: Any, source: Reduced) -> tuple[Any, dict[str, Any]]:
    """Read the choice of a frame of a reduced body; return also its place by name, or nothing."""
    if frame is None:
        return None, {}
    if not isinstance(source, Interfaced):
        own = getattr(source, "frame", "that of its file")
        faults.flag(where, f"found {shown(frame)}, but the body has its frame already: {own}; leave `frame` out, or give what "
                           "flex.craig_bampton returns")
        return None, {}
    if OWN_FRAME in source.places:
        faults.flag(where, f"the body has a place of the name {OWN_FRAME!r}, which a chosen frame takes; name the place "
                           "otherwise when reducing")
        return None, {}
    chosen = tuple(frame) if isinstance(frame, (list, tuple)) else frame
    try:
        return chosen, {OWN_FRAME: source.frame_place(chosen)}
    except ModelError as error:
        faults += [Fault(where, fault.what.removeprefix("frame: ")) for fault in error.faults]
    return None, {}


# --- bodies of any shape -------------------------------------------------------------------------------------------

def _read_body(faults: Faults, where: str, body: FlexibleBody, first: int) -> FlexibleRows:
    source: Any = body.reduced
    if not isinstance(source, Reduced):
        faults.flag(where + ".reduced", f"found {shown(source)}, expected a reduced body: what flex.craig_bampton(fe, "
                                        "interfaces=...) or flex.read_sid(path) returns")
        faces, places = _faces(body.name, {"origin": ZERO3}, first, {})
        return FlexibleRows(faces, [], places)
    names = list(source.places)
    for name in names:
        if "." in name:
            faults.flag(f"{where}.{name}", f"found a dot in the name {shown(name)} of a place, expected none: dots separate "
                                           "body and point; name the interface otherwise when reducing")
    base = source.places[names[0]]
    frame, seat = _read_chosen(faults, where + ".frame", body.frame, source)
    undeformed = {**source.places, **seat}
    offsets = {name: base.orientation.T @ (place.position - base.position) for name, place in undeformed.items()}
    faces, places = _faces(body.name, offsets, first, {})
    if seat:  # results of the body are those of its frame; joints and forces do not act there
        faces[-1].points[""] = replace(faces[0].points.pop(""), body=places.pop(OWN_FRAME).body)
        names.append(OWN_FRAME)
    interfaces = tuple(source.interfaces)
    stiffening = None if body.stiffening is None else flag(faults, where + ".stiffening", body.stiffening)
    rows = {name: first + k for k, name in enumerate(names)}
    flexible = CheckedFlexible(body.name, body.name, source, {name: rows[name] for name in interfaces},
                               {name: rows[name] for name in names if name not in interfaces}, frame, stiffening)
    return FlexibleRows(faces, [flexible], places)
