"""A body of an MJCF file while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model.geometry import Drawing
from ..model.parts import Body, Frame
from .mjcf_masses import Mass
from .mjcf_values import Pose


@dataclass
class Made:
    """A body: its name here, its pose in the world as drawn, its mass, places and drawings.

    `above` is the body that carries it; `rates` are those of the joint between, (anchor, turning, moving) in world axes each,
    and `rotors` their own inertias.
    """

    name: str
    world: Pose
    mass: Mass
    points: dict[str, Frame] = field(default_factory=dict)
    drawing: list[Drawing] = field(default_factory=list)
    above: Made | None = None
    rates: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    rotors: list[float] = field(default_factory=list)

    def at(self, name: str, pose: Pose) -> str:
        """Add a place and return its text."""
        turned = None if np.array_equal(pose.rotation, np.eye(3)) else pose.rotation.tolist()
        self.points[name] = Frame(tuple(pose.position.tolist()), turned)
        return f"{self.name}.{name}"

    def body(self, factor: float) -> Body:
        """Return the finished body, its mass multiplied by a factor."""
        mass = self.mass.scaled(factor)
        inertia = 0.5 * (mass.inertia + mass.inertia.T)
        return Body(self.name, mass=mass.mass, com=tuple(mass.com.tolist()), inertia=inertia.tolist(), points=self.points,
                    drawing=tuple(self.drawing))
