"""The scene of a run: what bodies, joints, springs and forces look like, and their poses over time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError, ModelError
from ..model.check import check
from ..model.checked import CheckedModel, CheckedShape
from ..model.constraints import CONSTRAINT_KINDS
from ..model.forces import FORCE_KINDS
from ..model.joints import JOINT_KINDS
from ..model.text import from_text
from ..scenes.drawings import drawn, is_plane, touching, why_not
from ..scenes.floor import floor
from ..scenes.joints import joint_surface, slides
from ..scenes.scene import Colour, Line, Link, Scene, Skin, Solid, moving_box
from ..scenes.sticks import inertia_box, stick_figure
from ..scenes.surfaces import Surface, arrow, box, coil, cylinder, frame_along, rod, sphere, stretched
from ..scenes.views import best_view
from ..system.layout import CutEntry, JointEntry
from ..system.quaternion import rotations_of
from .attachments import body_places, holds, place_of, travelled
from .skins import skins_of

if TYPE_CHECKING:
    from ..model.model import Model
    from .results import Results

COLOURS: tuple[Colour, ...] = (
    (0.31, 0.47, 0.66), (0.95, 0.56, 0.17), (0.35, 0.63, 0.31), (0.69, 0.48, 0.63), (0.46, 0.72, 0.70), (0.93, 0.79, 0.28),
    (0.61, 0.46, 0.37), (0.88, 0.34, 0.35), (1.0, 0.62, 0.65), (0.45, 0.51, 0.60))
"""Of bodies, in turn."""
GROUND, JOINT, SPRING, TRACE = (0.62, 0.64, 0.66), (0.22, 0.24, 0.27), (0.36, 0.38, 0.42), (0.88, 0.34, 0.35)
FORCE, TORQUE, REACTION = (0.84, 0.12, 0.14), (0.55, 0.25, 0.70), (0.10, 0.35, 0.80)
ARROW, LARGEST = 0.3, 0.15
"""Length of the longest arrow, and of the boxes that bodies of a mechanism are drawn as, relative to the mechanism."""
"""The largest frame numbers of a scene whose model is large."""
LEVEL = 0.999
"""Cosine of the angle up to which a plane is horizontal."""


class _Stage:
    """What is known of a run while its scene is built, at some of its frames."""

    def __init__(self, results: Results, model: Model | None, frames: np.ndarray):
        self.results, self.frames, self.layout = results, frames, results.layout
        self.model = model_of(results, model)
        self.checked: CheckedModel | None = None if self.model is None else check(self.model)
        self.body = results.array("body")[frames]
        self.places = body_places(self.layout)
        self.row = {name: row for row, name in enumerate(self.layout.bodies)}
        self.flexible = {*self.layout.hidden, *(face.body for face in self.layout.faces)}
        self.notes: list[str] = []
        self.given = self._given()
        self.size = self._size()

    def _given(self) -> dict[int, list[Surface]]:
        """Return surfaces that the model gives: row -> drawings, or else shapes that touch others and wheels."""
        if self.model is None or self.checked is None:
            return {}
        found: dict[int, list[Surface]] = {}
        for body in self.model.bodies:
            for drawing in body.drawing:
                try:
                    surface = drawn(drawing)
                except FormatError as error:
                    self.notes.append(why_not(drawing, error))
                else:
                    found.setdefault(self.row[body.name], []).append(surface)
        names = [body.name for body in self.checked.bodies]
        touched: dict[int, list[Surface]] = {}
        for shape, said in self.shapes:
            shaped, row = touching(shape, said), self.row[names[shape.place.body]]
            if shaped is not None and not any(np.array_equal(shaped.vertices, each.vertices) for each in touched.get(row, ())):
                touched.setdefault(row, []).append(shaped)
        for constraint in self.checked.constraints:
            if constraint.radius > 0.0 and constraint.second is not None:
                wheel = (cylinder(constraint.radius, 0.15 * constraint.radius) if np.any(constraint.axis)
                         else sphere(constraint.radius))
                turned = constraint.second.rotation @ frame_along(constraint.axis)
                touched.setdefault(self.row[names[constraint.second.body]], []).append(
                    wheel.placed(constraint.second.position, turned))
        return {**touched, **found}

    @property
    def shapes(self) -> list[tuple[CheckedShape, Any]]:
        """The shapes of contacts, with what the user wrote."""
        if self.model is None or self.checked is None:
            return []
        pairs = [pair for found, said in zip(self.checked.contacts, self.model.contacts, strict=True)
                 for pair in ((found.first, said.first), (found.second, said.second))]
        for group, given in zip(self.checked.groups, self.model.contact_groups, strict=True):
            pairs += [*zip(group.shapes, given.shapes, strict=True), *zip(group.against, given.against, strict=True)]
        return pairs

    def masses(self, row: int) -> tuple[np.ndarray | None, tuple[np.ndarray, np.ndarray] | None]:
        """Return the centre of mass and the box of the inertia of a body, as far as they are known."""
        name = self.layout.bodies[row]
        body = next((b for b in self.checked.bodies if b.name == name), None) if self.checked is not None else None
        if body is None or not body.mass > 0.0:
            return None, None
        return np.asarray(body.com), inertia_box(body.mass, np.asarray(body.inertia))

    def shown_rows(self) -> list[int]:
        """Return the rows of rigid bodies."""
        return [row for row in range(1, len(self.layout.bodies)) if row not in self.flexible]

    def _size(self) -> float:
        """Return the size of the mechanism: the diagonal of the box around it, in the median of the frames [m]."""
        points = [travelled(self.body, row, places) for row, places in self.places.items() if row]
        for row in self.shown_rows():
            com, solid = self.masses(row)
            own = [_corners(surface.vertices) for surface in self.given.get(row, ())]
            if not own:
                own = [np.zeros((1, 3)) if com is None else com[None]]
                if solid is not None and len(self.layout.bodies) == 2:
                    own.append(own[0] + 0.5 * np.vstack([solid[1].T * solid[0][:, None], -solid[1].T * solid[0][:, None]]))
            points += [travelled(self.body, row, corners) for corners in own]
        low, high = moving_box(np.concatenate(points, axis=1)) if points else (np.zeros((1, 3)), np.zeros((1, 3)))
        diagonal = np.linalg.norm(high - low, axis=1)
        return float(np.median(diagonal)) or float(diagonal.max()) or 1.0


def model_of(results: Results, model: Model | None = None) -> Model | None:
    """Return the model of results: the one given, the one at hand, or what their model text tells; None if it tells nothing.

    Functions, which a text cannot hold, are not needed for pictures and become zero.
    """
    if model is not None or results.model is not None:
        return model if model is not None else results.model
    text = re.sub(r"\{function: [^{}]*\}", "0.0", str(results.provenance.get("model", "")))
    try:
        return from_text(text)
    except ModelError:
        return None


def scene_of(results: Results, model: Model | None = None, *, frames: Sequence[int] | np.ndarray | None = None,
             forces: bool = True, reactions: bool = False, trace: Sequence[str] = ()) -> Scene:
    """Return the scene of a run.

    Parameters
    ----------
    results : Results
    model : Model, optional
        That of the run; results of this process know it.
    frames : sequence of int, optional
        Numbers of the frames; all by default.
    forces, reactions : bool
        Whether to draw arrows for forces and torques, and for the forces that joints exert on their second body.
    trace : sequence of str
        Bodies and points whose way is drawn.
    """
    chosen = np.arange(len(results)) if frames is None else np.asarray(frames, int)
    stage = _Stage(results, model, chosen)
    solids = [*_bodies(stage), *_joints(stage)]
    links = [*_links(stage), *(_arrows(stage, _forces(stage)) if forces else ()),
             *(_arrows(stage, _reactions(stage)) if reactions else ())]
    skins, more = _flexible(stage)
    links += more
    low, high = _bounds(stage, solids, links, skins)
    up, look = best_view(_gravity(stage), low, high, stage.size)
    lines = [Line(results[f"{place}.position"], TRACE) for place in trace]
    if len(chosen):
        lines.append(floor(low.min(axis=0), high.max(axis=0), stage.size, up, _floor_height(stage, up)))
    return Scene(results.layout.model, results.t[chosen], results.layout.bodies, stage.body[:, :, :3], stage.body[:, :, 3:7],
                 tuple(solids), tuple(links), tuple(skins), tuple(lines), up, look, low, high, tuple(stage.notes))


def _corners(points: np.ndarray) -> np.ndarray:
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def _gravity(stage: _Stage) -> np.ndarray | None:
    return None if stage.checked is None else np.asarray(stage.checked.gravity)


def _floor_height(stage: _Stage, up: np.ndarray) -> float | None:
    """Return the height of a horizontal plane of the ground that something touches or rolls on, if there is one [m]."""
    if stage.checked is None:
        return None
    planes = [(shape.place, shape.direction) for shape, said in stage.shapes if is_plane(said)]
    planes += [(each.first, each.normal) for each in stage.checked.constraints if each.radius > 0.0 and each.first is not None]
    heights = [float(place.position @ up) for place, normal in planes
               if place.body == 0 and abs((place.rotation @ normal) @ up) > LEVEL]
    return heights[0] if heights else None


def _bodies(stage: _Stage) -> list[Solid]:
    """Return rigid bodies, and a foot for every place of a joint on the ground."""
    found = []
    for k, row in enumerate(stage.shown_rows()):
        surfaces = stage.given.get(row)
        if surfaces is None:
            com, solid = stage.masses(row)
            most = np.inf if len(stage.layout.bodies) == 2 else LARGEST * stage.size
            surfaces = [stick_figure(stage.places.get(row, np.zeros((0, 3))), com, solid, stage.size, most)]
        found += [Solid(stage.layout.bodies[row], row, surface, COLOURS[k % len(COLOURS)]) for surface in surfaces]
    return found


def _axes(stage: _Stage) -> Mapping[str, np.ndarray]:
    """Return the axes of joints in their first places, as far as they are known."""
    known = {cut.name: np.array(cut.axis) for cut in stage.layout.cuts}
    return known if stage.checked is None else {joint.name: np.asarray(joint.axis) for joint in stage.checked.joints}


def _shown_joints(stage: _Stage) -> list[JointEntry | CutEntry]:
    return [*(joint for joint in stage.layout.joints if not joint.hidden), *stage.layout.cuts]


def _joints(stage: _Stage) -> list[Solid]:
    """Return pins, balls, sliders and rails."""
    axes, found = _axes(stage), []
    for joint in _shown_joints(stage):
        first, second = place_of(stage.layout, joint.first), place_of(stage.layout, joint.second)
        axis = axes.get(joint.name)
        surface = joint_surface(JOINT_KINDS[joint.kind], stage.size, axis is not None)
        if surface is None or first is None or second is None:
            continue
        turn = frame_along(np.zeros(3) if axis is None else axis)
        rail = slides(JOINT_KINDS[joint.kind]) and axis is not None
        place = second if rail else first
        at = np.array(place.position)
        own = rotations_of(np.array([place.rotation]))[0] @ turn
        found.append(Solid(joint.name, place.body, surface.placed(at, own), JOINT))
        if rail:
            found += _rail(stage, joint.name, first, rotations_of(np.array([first.rotation]))[0] @ turn[:, 2])
        if first.body == 0 and not rail:
            up = -np.asarray(stage.checked.gravity) if stage.checked is not None else np.array([0.0, 0.0, 1.0])
            frame = frame_along(up)
            plate = box(np.array([0.06, 0.06, 0.012]) * stage.size).placed(at - 0.025 * stage.size * frame[:, 2], frame)
            found.append(Solid("ground", 0, plate, GROUND))
    return found


def _rail(stage: _Stage, name: str, first: Any, axis: np.ndarray) -> list[Solid]:
    """Return the rail of a slider as far as it slides."""
    way = stage.results[f"{name}.displacement"]
    way = way[np.isfinite(way)]
    if not len(way):
        return []
    ends = (way.min() - 0.08 * stage.size, way.max() + 0.08 * stage.size)
    at = np.array(first.position)
    return [Solid(name, first.body, rod(at + ends[0] * axis, at + ends[1] * axis, 0.006 * stage.size), GROUND)]


def _moved(stage: _Stage, text: str) -> np.ndarray | None:
    """Return where a place is over time (nf, 3)."""
    place = place_of(stage.layout, text)
    return None if place is None else travelled(stage.body, place.body, np.array([place.position]))[:, 0]


def _links(stage: _Stage) -> list[Link]:
    """Return springs between two places, and distances that are held."""
    size = stage.size
    spring, bar = stretched(coil(0.02 * size, 0.0035 * size)), stretched(cylinder(0.006 * size, 1.0).placed((0, 0, 0.5)))
    springs = [entry for entry in stage.layout.forces if FORCE_KINDS[entry.kind].rigid == "length"]
    bars = [entry for entry in stage.layout.constraints
            if any(channel.name == "tension" for channel in CONSTRAINT_KINDS[entry.kind].channels)]
    found = []
    for name, on, (vertices, faces), colour in (*((entry.name, entry.on, spring, SPRING) for entry in springs),
                                                *((entry.name, entry.on, bar, JOINT) for entry in bars)):
        start, end = (_moved(stage, text) for text in on)
        if start is not None and end is not None:
            found.append(Link(name, start, end, vertices, faces, colour))
    return found


_Vectors = tuple[str, np.ndarray, np.ndarray, Colour]
"""Name, places and vectors over time (nf, 3), and colour of an arrow."""


def _forces(stage: _Stage) -> list[_Vectors]:
    found = []
    for entry in stage.layout.forces:
        record = FORCE_KINDS[entry.kind]
        at = _moved(stage, entry.on[0]) if record.on == "place" else None
        if at is not None:
            shown = record.channels[0]
            found.append((entry.name, at, stage.results[f"{entry.name}.{shown.name}"][stage.frames],
                          FORCE if shown.unit == "N" else TORQUE))
    return found


def _reactions(stage: _Stage) -> list[_Vectors]:
    found = []
    for joint in _shown_joints(stage):
        at = _moved(stage, joint.second) if holds(joint.kind) else None
        if at is not None:
            found.append((joint.name, at, stage.results[f"{joint.name}.force"][stage.frames], REACTION))
    return found


def _arrows(stage: _Stage, vectors: list[_Vectors]) -> list[Link]:
    """Return arrows, of each colour as long as their vectors relative to the longest one."""
    vertices, faces = arrow(0.006 * stage.size, 0.04 * stage.size)
    found = []
    for colour in dict.fromkeys(colour for *_, colour in vectors):
        group = [each for each in vectors if each[3] == colour]
        lengths = np.concatenate([np.linalg.norm(vector, axis=1) for _, _, vector, _ in group])
        longest = float(np.nanmax(lengths, initial=0.0))
        for name, at, vector, _ in group if longest > 0.0 else ():
            end = at + vector * (ARROW * stage.size / longest)
            short = np.linalg.norm(end - at, axis=1) < 0.045 * stage.size
            found.append(Link(name, at, np.where(short[:, None], at, end), vertices, faces, colour))
    return found


def _flexible(stage: _Stage) -> tuple[list[Skin], list[Link]]:
    """Return flexible parts: their surfaces, or lines between their places where their meshes are not known."""
    if not stage.layout.faces:
        return [], []
    skins = [] if stage.model is None else skins_of(stage.results, stage.model, stage.frames, stage.size, COLOURS[::-1])
    seen = {skin.name for skin in skins}
    vertices, faces = stretched(cylinder(0.008 * stage.size, 1.0).placed((0, 0, 0.5)))
    links = []
    for base in dict.fromkeys(face.base for face in stage.layout.faces):
        part = stage.layout.bodies[base].partition(".")[0]
        rows = list(dict.fromkeys(face.body for face in stage.layout.faces if face.base == base))
        for a, b in zip(rows[:-1], rows[1:], strict=True) if part not in seen else ():
            links.append(Link(part, stage.body[:, a, :3], stage.body[:, b, :3], vertices, faces, COLOURS[-1]))
    return skins, links


def _bounds(stage: _Stage, solids: list[Solid], links: list[Link], skins: list[Skin]) -> tuple[np.ndarray, np.ndarray]:
    """Return the box around everything at each time, two arrays (nf, 3)."""
    boxes = [moving_box(travelled(stage.body, solid.body, _corners(solid.surface.vertices))) for solid in solids]
    boxes += [moving_box(np.stack([link.start, link.end], axis=1)) for link in links]
    boxes += [moving_box(skin.vertices) for skin in skins]
    if not boxes:
        return np.zeros((len(stage.body), 3)), np.zeros((len(stage.body), 3))
    low, high = zip(*boxes, strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)
