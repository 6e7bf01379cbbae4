"""Vibrations of turning flexible bodies, in their own axes and in fixed ones.

Elastic coordinates belong to a frame that turns with the body at the spin Omega.  Across its axis n a place moves there as
z(t) = u_1 + i u_2, with e_1 x e_2 = n and the mode's complex displacements U,
    z = 1/2 (U_1 + i U_2) exp(i w t) + 1/2 (U_1* + i U_2*) exp(-i w t)                               (1)
two circles, one in the sense of the spin and one against it.  Fixed axes see z exp(i Omega t): these circles at the angular
frequencies
    Omega + w   and   Omega - w                                                                   (2)
negative ones against the spin.  What moves along n keeps its frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, near_names
from ..results import tables as tab
from ..results.recovery import Recovery
from ..results.results import Results
from ..results.shape import shapes_of
from ..start.closing import at_time
from ..start.evaluate import make_results
from .linearized import Linearized
from .swing import PROBE, moved_by

SLOWEST = 1e-9
"""Spin below which a body is said to stand still [rad/s]."""
SMALL_PART = 0.01
"""Part of a mode's displacements, squared, below which a circle is not reported."""


@dataclass(frozen=True)
class Whirl:
    """Modes of a turning flexible part in its own axes and in fixed ones.

    Attributes
    ----------
    part : str
    spin : (3,) float
        Its angular velocity, world axes [rad/s].
    turning : (m,) float
        Frequencies of the modes in the axes of the part [Hz].
    fixed : (m, 2) float
        Frequencies in fixed axes of the circles that go forward and backward in the axes of the part [Hz]; positive: in the
        sense of the spin, negative: against it.
    parts : (m, 3) float
        Forward, backward and axial part of the part's displacements in its own axes, squared; their sum is one, or zero if
        the mode does not deform it.
    """

    part: str
    spin: np.ndarray
    turning: np.ndarray
    fixed: np.ndarray
    parts: np.ndarray

    def __str__(self) -> str:
        speed = float(np.linalg.norm(self.spin))
        lines = [f"{self.part!r} turns at {speed:.5g} rad/s ({speed / (2 * np.pi):.5g} Hz)",
                 f"{'mode':>4} {'in its axes':>13}  in fixed axes"]
        for i, f in enumerate(self.turning):
            seen = [f"{abs(g):.5g} Hz {'forward' if g > 0 else 'backward'}" for g, share in
                    zip(self.fixed[i], self.parts[i], strict=False) if share > SMALL_PART]
            seen += [f"{f:.5g} Hz along the axis"] if self.parts[i, 2] > SMALL_PART else []
            lines.append(f"{i + 1:4d} {f:10.5g} Hz  {', '.join(seen) or '-'}")
        return "\n".join(lines)


def spins(linear: Linearized) -> dict[str, np.ndarray]:
    """Angular velocities (3,) of the flexible parts that turn at the linearised state, world axes [rad/s]."""
    packed = linear.begin.packed
    flexibles = [f for f in packed.layout.flexibles if f.body >= 0]
    if not flexibles:
        return {}
    qd = at_time(linear.begin, linear.t)[1]
    frame = {"t": np.array([linear.t]), "q": linear.q[None], "qd": qd[None], "qdd": np.zeros((1, len(qd)))}
    seen: Results = make_results(packed, linear.begin.formulation.name, frame, integrator="none")
    body = seen.array("body")[0]
    found = {f.part: body[f.body, tab.ANGULAR_VELOCITY] for f in reversed(flexibles)}  # the first of a beam's segments
    return {part: w for part, w in reversed(found.items()) if np.linalg.norm(w) > SLOWEST}


def whirl(linear: Linearized, frequencies: np.ndarray, shapes: np.ndarray, model: Any, part: str | None) -> Whirl:
    """Describe modes, their frequencies and shapes, in fixed axes; see `Eigenmodes.whirl`."""
    turning = spins(linear)
    if part is None and turning:
        part = max(turning, key=lambda name: float(np.linalg.norm(turning[name])))
    if part not in turning:
        names = near_names(part or "", list(turning)) if turning else " None does: give the model drives or rates."
        raise ModelError(f"whirl: found {part!r}, expected a flexible body that turns at the linearised state.{names}")
    moved = _displacements(linear, shapes, model, part)
    spin = turning[part]
    speed = float(np.linalg.norm(spin))
    n = spin / speed
    e1 = np.cross(n, np.eye(3)[np.argmin(abs(n))])
    e1 /= np.linalg.norm(e1)
    u1, u2, along = moved @ e1, moved @ np.cross(n, e1), moved @ n
    circles = [abs(u1 + 1j * u2) ** 2 / 4, abs(u1 - 1j * u2) ** 2 / 4, abs(along) ** 2 / 2]         # (1)
    sizes = np.stack([circle.sum(axis=1) for circle in circles], axis=1)
    total = sizes.sum(axis=1, keepdims=True)
    w = frequencies
    fixed = np.stack([speed / (2 * np.pi) + w, speed / (2 * np.pi) - w], axis=1)              # (2)
    rounding = PROBE * np.max(total, initial=0.0)
    return Whirl(part, spin, w.copy(), fixed, np.divide(sizes, total, out=np.zeros_like(sizes), where=total > rounding))


def _displacements(linear: Linearized, shapes: np.ndarray, model: Any, part: str) -> np.ndarray:
    """Complex displacements (m, nodes, 3) of a part by its elastic coordinates, along modes (m, n)."""
    elastic = np.zeros(linear.motions.shape[0], bool)
    for f in linear.layout.flexibles:
        if f.part == part:
            elastic[f.v:f.v + f.n] = True
    changes = PROBE * (shapes @ linear.motions.T) * elastic
    frames = np.concatenate([np.zeros((1, len(elastic))), changes.real, changes.imag])
    results = moved_by(linear, frames, np.zeros(len(frames)))
    nodes = np.array([shape.nodes for shape in shapes_of(Recovery(results, model), part)])
    away, m = (nodes[1:] - nodes[0]) / PROBE, len(changes)
    out: np.ndarray = away[:m] + 1j * away[m:]
    return out
