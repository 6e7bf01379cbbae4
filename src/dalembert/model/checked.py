"""What `check` returns: every name resolved, every default filled, every number finite and SI.  Immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import ConstraintCode, ForceCode, JointCode, ShapeCode


@dataclass(frozen=True)
class Place:
    """A resolved attachment: body index in the model (0 = ground), position [m] (3,), rotation (3, 3), its text."""

    body: int
    position: np.ndarray
    rotation: np.ndarray
    text: str


@dataclass(frozen=True)
class CheckedBody:
    """Row of `CheckedModel.bodies`; row 0 is the ground.  `points` maps names to places on this body.

    A `face` is the massless frame of a place of a flexible part; `base` is the row of the part's first face and `offset`
    where the place lies in its axes while the part is undeformed [m].  `floating` are the constants of a flexible body whose
    floating frame this row is (topology/flexible.py).  `hidden` rows are not shown.  `integrator` and
    `substeps` are its own steps in the modular formulation.
    """

    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    points: dict[str, Place]
    face: bool = False
    base: int = -1
    offset: np.ndarray | None = None
    floating: Any = None
    hidden: bool = False
    integrator: str | None = None
    substeps: int = 1


@dataclass(frozen=True)
class BeamSegment:
    """A segment of a beam along x; as in `Beam`, but for (name, arc length [m]) of its points."""

    length: float
    section: Any
    material: Any
    theory: str
    rotary_inertia: bool
    modes: int
    points: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class CheckedFlexible:
    """A flexible body, or a segment of a beam, between its places.

    Attributes
    ----------
    name : str
        ``"arm"``, or ``"rod 1"``, ``"rod 2"``, ... for the segments of a beam that has several.
    part : str
        Name of the user's part.
    source : BeamSegment, ReducedBody or FloatingBody
        flex/reductions.py makes reduced bodies of segments, one of equal ones.
    faces : dict of str to int
        Interface of the source -> row of its face in `CheckedModel.bodies`.
    points : dict of str to int
        Its other places -> row of their faces.
    frame : str, pair of str or None
        Floating frame asked for.
    stiffening : bool or None
    """

    name: str
    part: str
    source: Any
    faces: dict[str, int]
    points: dict[str, int]
    frame: Any
    stiffening: bool | None


@dataclass(frozen=True)
class CheckedJoint:
    """A joint; `axis`, `axis2` are unit vectors in the first frame, `pitch` is the lead per turn [m].

    `start` (nq,) and `start_rate` (nv,) are complete coordinates (quaternions normalised), or None if not given; the last
    `unsaid_rates` of the rates are zero because only the others were given, the velocity of a free joint.
    `armature` (nv,) are the inertias of rotors [kg m² or kg].
    `limits` are numbers of coordinates with least and largest value, `friction` with the largest effort; `restitution` belongs
    to the limits.
    A start that is `guessed` is where the search for an assembled position begins.
    A `hidden` joint belongs to a flexible body and is not shown; an elastic one follows the place of that name.
    """

    name: str
    code: JointCode
    first: Place
    second: Place
    axis: np.ndarray
    axis2: np.ndarray
    pitch: float
    start: np.ndarray | None
    start_rate: np.ndarray | None
    cut: bool
    coordinates: tuple[str, ...]
    hidden: bool = False
    place: str = ""
    unsaid_rates: int = 0
    guessed: bool = False
    armature: Any = 0.0
    limits: tuple[tuple[int, float, float], ...] = ()
    friction: tuple[tuple[int, float], ...] = ()
    restitution: float = 0.0

    @property
    def keeps_start(self) -> bool:
        """Whether a start was given that is to be kept, not guessed."""
        return self.start is not None and not self.guessed


@dataclass(frozen=True)
class CheckedConstraint:
    """A constraint; p = position of `second` minus position of `first`, n and a = `normal` and `axis` in the world.

    Attributes
    ----------
    name : str
    code : ConstraintCode
        DISTANCE: |p| = c.  POINT_ON_LINE: p parallel to a.  POINT_ON_PLANE: n·p = c.  GEAR, COORDINATE_COUPLING:
        sum of factor times coordinate over `terms` = c.  ROLLING: with d the unit vector along n - (n·a) a, which
        points from the contact to the centre, n·p = radius n·d, and the velocity of the second body at the contact
        p - radius d relative to the first body's has no part in the plane.
    first, second : Place or None
        None for GEAR and COORDINATE_COUPLING.
    axis : (3,) float
        POINT_ON_LINE: unit vector in the first frame.  ROLLING: the wheel's, in the second frame; zeros for a ball.
    normal : (3,) float
        POINT_ON_PLANE, ROLLING: unit vector in the first frame.
    value : float or None
        Constant part of c [`unit`]; None if c is what the assembled start gives.
    law : float, Law, function or None
        Unless `law_of_x`, it is added to the value: c = value + law(t).
    law_of_x : bool
        COORDINATE_COUPLING only: the law belongs to the last term, whose coordinate x enters as law(x); to be evaluated
        with t := x, which makes its time derivatives the derivatives by x.
    derivative_step : float
        Spacing of numerical derivatives of functions [s], or in the unit of x if `law_of_x`.
    terms : tuple of (int, int, float)
        Joint number, number of the coordinate among the joint's, factor; the first is the dependent coordinate,
        with factor 1, so that the others have the negative ratio or factors of the user.
    radius : float
        ROLLING [m].
    unit : str
        ``"m"`` or ``"rad"``: what the equations measure.
    """

    name: str
    code: ConstraintCode
    first: Place | None
    second: Place | None
    axis: np.ndarray
    normal: np.ndarray
    value: float | None
    law: Any
    law_of_x: bool
    derivative_step: float
    terms: tuple[tuple[int, int, float], ...]
    radius: float
    unit: str

    @property
    def ends(self) -> tuple[Place, Place]:
        """Both places, where there are two."""
        if self.first is None or self.second is None:
            raise ValueError(f"{self.name!r} is not between two places")
        return self.first, self.second


@dataclass(frozen=True)
class CheckedForce:
    """A force element.

    Joint elements (JOINT_SPRING, MOTOR) use `joint` (index) and `coordinate` (index among the joint's);
    the others `first` and, for two-point elements, `second`.  `stiffness, damping, turning_stiffness,
    turning_damping` are (3,), with scalar elements in [0]; `rest` is the joint spring's rest or the free length.
    `law` is None, a float, a `Law` or a function; `direction` a unit vector.
    """

    name: str
    code: ForceCode
    joint: int
    coordinate: int
    first: Place | None
    second: Place | None
    stiffness: np.ndarray
    damping: np.ndarray
    turning_stiffness: np.ndarray
    turning_damping: np.ndarray
    rest: float
    law: Any
    direction: np.ndarray
    follow: bool

    @property
    def ends(self) -> tuple[Place, Place]:
        """Both places, where there are two."""
        if self.first is None or self.second is None:
            raise ValueError(f"{self.name!r} is not between two places")
        return self.first, self.second


@dataclass(frozen=True)
class CheckedMotion:
    """A drive of coordinate number `coordinate` of joint number `joint`; `speed` is true if the law is the rate."""

    name: str
    joint: int
    coordinate: int
    law: Any
    speed: bool
    derivative_step: float


@dataclass(frozen=True)
class CheckedController:
    """A controller; `outputs` are rows of `CheckedModel.forces`, `every` is None for a continuous one."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[int, ...]
    law: Any
    every: float | None
    memory: tuple[float, ...]


@dataclass(frozen=True)
class CheckedEvent:
    """An event; `direction` is 1 for crossings upwards, -1 for those downwards, 0 for both."""

    name: str
    inputs: tuple[str, ...]
    function: Any
    value: float
    direction: int
    stop: bool


@dataclass(frozen=True)
class CheckedShape:
    """A shape: its place and sizes [m]; `direction` (3,) is an axis or a normal in the place's axes."""

    code: ShapeCode
    place: Place
    radius: float
    length: float
    size: np.ndarray
    direction: np.ndarray
    vertices: np.ndarray


@dataclass(frozen=True)
class CheckedContact:
    """A contact of two shapes; `compliance` [m/N]."""

    name: str
    first: CheckedShape
    second: CheckedShape
    friction: float
    restitution: float
    compliance: float


@dataclass(frozen=True)
class CheckedGroup:
    """Shapes that may all touch each other, or those of a second set; `apart` are pairs of bodies that do not."""

    name: str
    shapes: tuple[CheckedShape, ...]
    against: tuple[CheckedShape, ...]
    friction: float
    restitution: float
    compliance: float
    apart: tuple[tuple[int, int], ...]
    joined: bool


@dataclass(frozen=True)
class CheckedModel:
    """A faultless model; `text` is its model text for the provenance of results, `notes` list what is odd about it.

    `source` is the model that was checked, as it was then.
    """

    name: str
    gravity: np.ndarray
    bodies: tuple[CheckedBody, ...]
    joints: tuple[CheckedJoint, ...]
    constraints: tuple[CheckedConstraint, ...]
    forces: tuple[CheckedForce, ...]
    motions: tuple[CheckedMotion, ...]
    text: str
    run: dict[str, Any]
    notes: tuple[str, ...]
    flexibles: tuple[CheckedFlexible, ...] = ()
    controllers: tuple[CheckedController, ...] = ()
    events: tuple[CheckedEvent, ...] = ()
    contacts: tuple[CheckedContact, ...] = ()
    groups: tuple[CheckedGroup, ...] = ()
    source: Any = None
