"""Springs and dampers that MuJoCo's compiler sizes by the inertia that a joint moves: ``springdamper="time ratio"``.

With w, the mean over the rates of a joint of the diagonal of the inverse mass matrix in the drawn pose, J = 1/w is taken, and
    stiffness = J / (time² ratio²),   damping = 2 J / time                                                    (1)
"""

from __future__ import annotations

import numpy as np

from .mjcf_bodies import Made
from .mjcf_values import Pose


def directions(kind: str, pose: Pose, axis: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the rates of a joint (hinge, slide, ball or free) at a pose in the world, about an axis in the world."""
    zero = np.zeros(3)
    turns = [(pose.position, e, zero) for e in (pose.rotation.T if kind in ("ball", "free") else [axis])]
    slides = [(pose.position, zero, e) for e in (np.eye(3) if kind == "free" else [axis])]
    return {"hinge": turns, "slide": slides, "ball": turns, "free": slides + turns}[kind]


def inverse_weights(bodies: list[Made]) -> dict[str, list[float]]:
    """Return the diagonal of the inverse mass matrix by the name of the body that the rates carry."""
    first, count = {}, 0
    for body in bodies:
        first[body.name], count = count, count + len(body.rates)
    matrix = np.diag([rotor for body in bodies for rotor in body.rotors])
    for body in bodies:
        mass = body.mass.placed(body.world)
        turn, slide = np.zeros((3, count)), np.zeros((3, count))
        carrier: Made | None = body
        while carrier is not None:
            for k, (anchor, n, f) in enumerate(carrier.rates, start=first.get(carrier.name, 0)):
                turn[:, k], slide[:, k] = n, f + np.cross(n, mass.com - anchor)
            carrier = carrier.above
        matrix += mass.mass * slide.T @ slide + turn.T @ mass.inertia @ turn
    weights = np.diag(np.linalg.pinv(matrix, hermitian=True, rcond=1e-14))
    return {body.name: weights[first[body.name]:first[body.name] + len(body.rates)].tolist() for body in bodies}


def sized(time: float, ratio: float, weights: list[float]) -> tuple[float, float]:
    """Return stiffness and damping by (1)."""
    inertia = len(weights) / sum(weights)
    return inertia / (time * time * ratio * ratio), 2.0 * inertia / time
