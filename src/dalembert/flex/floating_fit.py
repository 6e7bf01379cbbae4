"""Elastic coordinates of a floating body, and where its frame stands, from the poses of its interfaces.

In a frame (r, R) the interface k at (r_k, A_k), undeformed at p_k with the axes O_k, is displaced and turned by
    u_k = R'(r_k - r) - p_k,   Rx(th_1) Ry(th_2) Rz(th_3) = R' A_k O_k'                          (1)
and the body describes both, and the coordinates eta of its modes between fixed interfaces, by elastic coordinates x,
    (u_k, th_k) = Phi_k x + ½ x·B_k x,   eta = S x                                               (2)
as kernels/flex/faces.py has it.  Newton's iteration solves (2) for x, and for moves d = (du, dth) of the frame along its own
axes if no interface carries it,
    δu_k = -du - dth x (p_k + u_k),   δth_k = -W_k^-1 dth,   W_k = (a1, a2, a3)                   (3)
with the axes of the three turns.  A body that keeps all its modes can do so exactly; what is left otherwise is least.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .floating import FloatingBody

MOST_ITERATIONS = 50
SETTLED = 1e-14
"""Last change of what (2) describes [rad or body sizes]."""


class Moving(NamedTuple):
    """A frame in the world: position [m] and velocity [m/s] (3,), axes as columns (3, 3), angular velocity [rad/s] (3,)."""

    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(frozen=True)
class Fit:
    """A body in its floating frame: the frame, elastic coordinates and rates (n,), and what (2) leaves [rad or body sizes]."""

    frame: Moving
    coordinates: np.ndarray
    rates: np.ndarray
    gap: float


def fit_floating(floating: FloatingBody, interfaces: Mapping[str, Moving], modes: np.ndarray, mode_rates: np.ndarray,
                 carried: Moving | None = None) -> Fit:
    """Find the frame, elastic coordinates and rates of a floating body.

    Parameters
    ----------
    floating : FloatingBody
        Made of a reduced body.
    interfaces : mapping of str to Moving
        All interfaces of the reduced body.
    modes, mode_rates : (n_modes,) float
        Coordinates of the modes between fixed interfaces, and their rates.
    carried : Moving, optional
        The frame, if a place carries it; else it is found, too.
    """
    equations, x = _Equations(floating, interfaces), np.zeros(floating.n)
    first = next(iter(interfaces))
    frame = frame_on(floating, first, interfaces[first]) if carried is None else carried
    for _ in range(MOST_ITERATIONS):
        gap, J, rigid, _ = equations.at(frame, x, modes)
        step = _least(np.hstack([J, rigid]) if carried is None else J, gap)
        x = x + step[:floating.n]
        if carried is None:
            frame = _moved(frame, step[floating.n:])
        if np.max(abs(equations.weight * (J @ step[:floating.n])), initial=0.0) <= SETTLED:
            break
    gap, J, rigid, turns = equations.at(frame, x, modes)
    R = frame.rotation
    speeds = [np.concatenate([R.T @ m.velocity, np.linalg.solve(W, R.T @ m.angular_velocity)])
              for m, W in zip(interfaces.values(), turns, strict=True)]
    wanted = np.concatenate([*speeds, mode_rates])
    if carried is not None:
        own = np.concatenate([R.T @ frame.velocity, R.T @ frame.angular_velocity])
        xd = _least(J, wanted - rigid @ own)
    else:
        found = _least(np.hstack([J, rigid]), wanted)
        xd, own = found[:floating.n], found[floating.n:]
        frame = frame._replace(velocity=R @ own[:3], angular_velocity=R @ own[3:])
    return Fit(frame, x, xd, float(np.max(abs(equations.weight * gap), initial=0.0)))


def frame_on(floating: FloatingBody, name: str, seen: Moving) -> Moving:
    """Return the frame of an undeformed body, or of one tangent there, from a place of it and how it moves."""
    place = floating.places[name]
    R = seen.rotation @ place.orientation.T
    arm = -R @ place.position
    return Moving(seen.position + arm, R, seen.velocity + np.cross(seen.angular_velocity, arm), seen.angular_velocity)


class _Equations:
    """(1) and (2) of a body: six numbers per interface, then those of the modes."""

    def __init__(self, floating: FloatingBody, interfaces: Mapping[str, Moving]):
        self.seen = list(interfaces.values())
        self.places = [floating.places[name] for name in interfaces]
        n, stiffening = floating.n, floating.stiffening
        self.B = [np.zeros((6, n, n)) if stiffening is None else
                  -np.concatenate([stiffening.force[name], stiffening.torque[name]]) for name in interfaces]
        if floating.coordinates is None:
            raise ValueError("a body known by its constants alone has no interfaces to be fitted to")
        self.S = floating.coordinates[6 * len(interfaces):]
        size = max(float(np.linalg.norm(np.ptp([place.position for place in self.places], axis=0))), 1e-300)
        self.weight = np.concatenate([np.tile(np.repeat([1.0 / size, 1.0], 3), len(self.places)),
                                      np.full(len(self.S), 1.0 / size)])

    def at(self, frame: Moving, x: np.ndarray, modes: np.ndarray
           ) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
        """Return gaps of (2), what they lose by x and by moves of the frame (3), and W of every interface."""
        gaps, slopes, rigid, turns = [], [], [], []
        for seen, place, B in zip(self.seen, self.places, self.B, strict=True):
            u = frame.rotation.T @ (seen.position - frame.position) - place.position
            th, W = _angles(frame.rotation.T @ seen.rotation @ place.orientation.T)
            motion, bend = place.motion, B @ x
            gaps.append(np.concatenate([u, th]) - (motion @ x + 0.5 * bend @ x))
            slopes.append(motion + bend)
            rigid.append(np.block([[np.eye(3), -_cross(place.position + u)], [np.zeros((3, 3)), np.linalg.inv(W)]]))
            turns.append(W)
        gaps.append(modes - self.S @ x)
        slopes.append(self.S)
        rigid.append(np.zeros((len(self.S), 6)))
        return np.concatenate(gaps), np.vstack(slopes), np.vstack(rigid), turns


def _angles(T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles (3,) of turns about x, y and z one after the other, and the axes of these turns as columns."""
    th = np.array([np.arctan2(-T[1, 2], T[2, 2]), np.arcsin(np.clip(T[0, 2], -1.0, 1.0)), np.arctan2(-T[0, 1], T[0, 0])])
    return th, np.column_stack([(1.0, 0.0, 0.0), (0.0, np.cos(th[0]), np.sin(th[0])), T[:, 2]])


def _cross(a: np.ndarray) -> np.ndarray:
    """Matrix of the cross product a x."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _moved(frame: Moving, d: np.ndarray) -> Moving:
    """Return a frame moved and turned along its own axes."""
    angle = float(np.linalg.norm(d[3:]))
    K = _cross(d[3:] / angle) if angle > 0 else np.zeros((3, 3))
    turn = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    left, _, right = np.linalg.svd(frame.rotation @ turn)
    return frame._replace(position=frame.position + frame.rotation @ d[:3], rotation=left @ right)


def _least(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Least solution of A x = b with columns of equal length."""
    size = np.linalg.norm(A, axis=0)
    size[size == 0.0] = 1.0
    out: np.ndarray = np.linalg.lstsq(A / size, b, rcond=1e-13)[0] / size
    return out
