"""The parts a user builds a model from: frozen dataclasses whose fields are the schema of the model text.

Bodies and motions are here, joints in `joints.py`, force elements in `forces.py`, constraints in `constraints.py`.  Nothing
is checked here; `model/check.py` collects every fault of a model at once.  SI units, radians.  An attachment is ``"body"``
(its origin) or ``"body.point"``; the ground is called ``"ground"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .forces import FORCES, Bushing, Force, JointSpring, Motor, SpringDamper, Torque
from .joints import (
    JOINTS,
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from .laws import LawLike
from .values import Vector

__all__ = ["FORCES", "JOINTS", "Body", "Bushing", "Cylindrical", "Fixed", "Force", "Frame", "Free", "Joint", "JointSpring",
           "Motion", "Motor", "Planar", "Prismatic", "Revolute", "Screw", "Spherical", "SpringDamper", "Torque", "Universal",
           "Vector"]


OWN_STEPS = ("newmark", "linear-acceleration", "trapezoidal", "semi-implicit-euler")
"""Integrators of single bodies in the modular formulation."""
MOST_SUBSTEPS = 1000


@dataclass(frozen=True)
class Frame:
    """A named place on a body that is also turned.

    Attributes
    ----------
    position : (3,) float
        In the body's axes [m].
    rotation : (3, 3) float, (4,) float, mapping or None
        Axes of the frame in the body's axes: a rotation matrix, a quaternion (w, x, y, z), or
        ``{"axis": (x, y, z), "angle": a}`` [rad]; None for the body's own axes.
    """

    position: Vector = (0.0, 0.0, 0.0)
    rotation: Any = None


@dataclass(frozen=True)
class Body:
    """A rigid body.

    Attributes
    ----------
    name : str
        Unique in the model; no dots.
    mass : float
        [kg]; zero is legal.
    com : (3,) float
        Centre of mass in the body's axes [m].
    inertia : (3, 3) or (3,) float
        About the centre of mass, in body axes [kg m²]; three numbers are the diagonal.  Principal moments below zero are
        a fault; others of which one exceeds the sum of the other two, as no body has them, are reported and computed with.
    points : mapping of str to (3,) float or Frame
        Named places in the body's axes [m].
    drawing : sequence of Drawing
        What it looks like, see `dalembert.model.geometry`; nothing else depends on it.
    integrator : str, optional
        Its own steps in the formulation ``"modular"``: ``"newmark"``, ``"linear-acceleration"``, ``"trapezoidal"`` or
        ``"semi-implicit-euler"``; that of the run by default.
    substeps : int
        Steps of its own in one of the run, there.
    """

    name: str
    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    points: Mapping[str, Any] = field(default_factory=dict)
    drawing: Sequence[Any] = ()
    integrator: str | None = field(default=None, kw_only=True)
    substeps: int = field(default=1, kw_only=True)


@dataclass(frozen=True)
class Motion:
    """Prescribed motion of a joint coordinate; its reaction is recorded.

    Attributes
    ----------
    name, joint : str
        Its own name and the joint's.
    position, speed : law ``f(t)``
        Exactly one of the two: the coordinate itself [rad or m] or its rate [rad/s or m/s].
    coordinate : str or None
        Which one, for a joint with several (not those of a quaternion).

    Notes
    -----
    Functions are differentiated numerically (six neighbours, `derivative_step` apart [s]); `table`, `sine` and
    `ramp` exactly.
    """

    name: str
    joint: str
    position: LawLike | None = field(default=None, kw_only=True)
    speed: LawLike | None = field(default=None, kw_only=True)
    coordinate: str | None = field(default=None, kw_only=True)
    derivative_step: float = field(default=1e-3, kw_only=True)
