"""Names and indices: which row or slice of the flat arrays belongs to which named thing.  Python only."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeVar

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class PointEntry:
    """A named place: row of its body, position [m] (3,) and quaternion (w, x, y, z) in the body's frame."""

    name: str
    body: int
    position: tuple[float, ...]
    rotation: tuple[float, ...]


@dataclass(frozen=True)
class JointEntry:
    """A tree joint: the row of the body it carries, its coordinates q[q : q + nq] and rates qd[v : v + nv].

    `kind` is the class name in lower case, `coordinates` the names of the coordinates, `reversed` says that the
    carried body is the joint's first one, `pitch` is the lead per turn [m].  A `hidden` joint belongs to a
    flexible body.
    """

    name: str
    kind: str
    body: int
    q: int
    nq: int
    v: int
    nv: int
    coordinates: tuple[str, ...]
    reversed: bool
    first: str
    second: str
    pitch: float = 0.0
    hidden: bool = False


@dataclass(frozen=True)
class CutEntry:
    """A joint that closes a loop and carries nothing; its coordinates follow from the poses of its two bodies.

    `body_a`, `body_b` are rows of `Layout.bodies`, `position_*` [m] and `rotation_*` (w, x, y, z) the attachments in the
    bodies' frames, `axis` and `axis2` the joint's axes in the first attachment's frame; `row` and `rows` give its
    constraint rows.
    """

    name: str
    kind: str
    coordinates: tuple[str, ...]
    body_a: int
    body_b: int
    position_a: tuple[float, ...]
    rotation_a: tuple[float, ...]
    position_b: tuple[float, ...]
    rotation_b: tuple[float, ...]
    axis: tuple[float, ...]
    axis2: tuple[float, ...]
    first: str
    second: str
    row: int
    rows: int


@dataclass(frozen=True)
class ConstraintEntry:
    """A constraint: its kind (class name in lower case), what it acts on, its first constraint row and their number.

    `normal` is that of its plane, if it has one, in the first attachment's frame.
    """

    name: str
    kind: str
    on: tuple[str, ...]
    row: int
    rows: int
    normal: tuple[float, ...] = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class ForceEntry:
    """A force element: its row, its kind (class name in lower case) and what it acts on."""

    name: str
    kind: str
    row: int
    on: tuple[str, ...]


@dataclass(frozen=True)
class ControllerEntry:
    """A controller: its first column in the table ``held``, and the names of the force elements that its outputs move.

    `every` is the time between two samples [s], zero for a continuous one.
    """

    name: str
    column: int
    outputs: tuple[str, ...]
    every: float = 0.0


@dataclass(frozen=True)
class MotionEntry:
    """A drive: the rate number `v` and coordinate number `q` it prescribes, and the joint's name."""

    name: str
    joint: str
    v: int
    q: int


@dataclass(frozen=True)
class FaceEntry:
    """A place of a flexible part: its row, the row of the part's first place, and where it is undeformed from that [m]."""

    name: str
    body: int
    base: int
    position: tuple[float, ...]


@dataclass(frozen=True)
class FlexibleEntry:
    """A flexible body, or segment of a beam: its elastic coordinates q[q : q + n], rates qd[v : v + n] and their names.

    `part` is the user's part, `body` the row of its floating frame (-1 if it has none).
    """

    name: str
    part: str
    body: int
    q: int
    v: int
    n: int
    coordinates: tuple[str, ...]


@dataclass(frozen=True)
class ContactEntry:
    """A contact, its number and the places of its shapes; or limits or friction of a joint, with the unit of the effort."""

    name: str
    row: int
    first: str
    second: str
    kind: str = "shapes"
    unit: str = "N"


@dataclass(frozen=True)
class GroupEntry:
    """A group of shapes that may touch each other: its number."""

    name: str
    row: int


@dataclass(frozen=True)
class Layout:
    """All names of a packed model; `bodies[i]` is the name of row i, row 0 is the ground.

    `rows` names every constraint row: (joint or constraint, what it holds).  `hidden` are rows of bodies that are not shown.
    """

    model: str
    bodies: tuple[str, ...]
    points: tuple[PointEntry, ...]
    joints: tuple[JointEntry, ...]
    forces: tuple[ForceEntry, ...]
    motions: tuple[MotionEntry, ...]
    n_q: int
    n_v: int
    cuts: tuple[CutEntry, ...] = ()
    constraints: tuple[ConstraintEntry, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    faces: tuple[FaceEntry, ...] = ()
    flexibles: tuple[FlexibleEntry, ...] = ()
    hidden: tuple[int, ...] = ()
    controllers: tuple[ControllerEntry, ...] = ()
    contacts: tuple[ContactEntry, ...] = ()
    groups: tuple[GroupEntry, ...] = ()

    @property
    def touching(self) -> tuple[str, ...]:
        """Names of contacts and of groups of shapes that may touch."""
        return (*(contact.name for contact in self.contacts), *(group.name for group in self.groups))

    def as_dict(self) -> dict[str, Any]:
        """Return plain dicts and lists, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Layout:
        """Rebuild a layout from `as_dict`."""

        def rows(key: str, entry: type[Entry]) -> tuple[Entry, ...]:
            return tuple(entry(**{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()})
                         for row in data.get(key, ()))

        return cls(model=data["model"], bodies=tuple(data["bodies"]), points=rows("points", PointEntry),
                   joints=rows("joints", JointEntry), forces=rows("forces", ForceEntry),
                   motions=rows("motions", MotionEntry), n_q=data["n_q"], n_v=data["n_v"],
                   cuts=rows("cuts", CutEntry), constraints=rows("constraints", ConstraintEntry),
                   rows=tuple(tuple(row) for row in data.get("rows", ())), faces=rows("faces", FaceEntry),
                   flexibles=rows("flexibles", FlexibleEntry), hidden=tuple(data.get("hidden", ())),
                   controllers=rows("controllers", ControllerEntry), contacts=rows("contacts", ContactEntry),
                   groups=rows("groups", GroupEntry))

    def joint_of_rate(self, v: int) -> JointEntry | FlexibleEntry:
        """Return the joint, or the flexible body, that rate number v belongs to."""
        return next((f for f in self.flexibles if f.v <= v < f.v + f.n), None) or next(
            j for j in self.joints if j.v <= v < j.v + j.nv)
