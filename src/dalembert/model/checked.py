"""What `check` returns: every name resolved, every default filled, every number finite and SI.  Immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import ForceCode, JointCode


@dataclass(frozen=True)
class Place:
    """A resolved attachment: body index in the model (0 = ground), position [m] (3,), rotation (3, 3), its text."""

    body: int
    position: np.ndarray
    rotation: np.ndarray
    text: str


@dataclass(frozen=True)
class CheckedBody:
    """Row of `CheckedModel.bodies`; row 0 is the ground.  `points` maps names to places on this body."""

    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    points: dict[str, Place]


@dataclass(frozen=True)
class CheckedJoint:
    """A joint; `axis`, `axis2` are unit vectors in the first frame, `pitch` [m/turn].

    `start` (nq,) and `start_rate` (nv,) are complete coordinates (quaternions normalised), or None if not given.
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


@dataclass(frozen=True)
class CheckedMotion:
    """A drive of coordinate number `coordinate` of joint number `joint`; `speed` tells if the law is the rate."""

    name: str
    joint: int
    coordinate: int
    law: Any
    speed: bool
    derivative_step: float


@dataclass(frozen=True)
class CheckedModel:
    """A faultless model; `text` is its model text for the provenance of results."""

    name: str
    gravity: np.ndarray
    bodies: tuple[CheckedBody, ...]
    joints: tuple[CheckedJoint, ...]
    forces: tuple[CheckedForce, ...]
    motions: tuple[CheckedMotion, ...]
    text: str
    run: dict[str, Any]
